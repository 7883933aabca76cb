//! Where each section and segment lies.
//!
//! lld's rules (`-z noseparate-code`): a file offset and its address agree modulo the page size. Where permissions
//! change, the address moves to the next page and keeps its place in it, so that the file needs no padding.

use object::Endianness;
use object::elf;
use object::write::elf::Encoder;

use super::super::consts::{CODE_ALIGN, DESCRIPTOR_ALIGN, PAGE};
use super::super::spec::{CodeObject, ExtraSection};
use super::tables::{Names, hash_sizes};
use super::{ENCODER_64, LITTLE, note};

/// One section: its header's fields and, once known, its content.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) kind: u32,
    pub(super) flags: u64,
    pub(super) align: u64,
    pub(super) entry_size: u64,
    pub(super) link: Option<&'static str>,
    pub(super) info: u32,
    pub(super) size: u64,
    pub(super) address: u64,
    pub(super) offset: u64,
    pub(super) data: Vec<u8>,
}

impl Part {
    fn new(
        name: &str,
        kind: elf::SectionType,
        flags: elf::SectionFlags,
        align: u64,
        size: u64,
    ) -> Part {
        Part {
            name: name.to_owned(),
            kind: kind.0,
            flags: flags.0,
            align,
            entry_size: 0,
            link: None,
            info: 0,
            size,
            address: 0,
            offset: 0,
            data: Vec::new(),
        }
    }

    fn linked(mut self, link: &'static str, info: u32, entry_size: u64) -> Part {
        self.link = Some(link);
        self.info = info;
        self.entry_size = entry_size;
        self
    }

    pub(super) fn is_nobits(&self) -> bool {
        self.kind == elf::SHT_NOBITS.0
    }

    fn is_loaded(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }

    fn end(&self) -> u64 {
        self.address + self.size
    }
}

/// One program header.
pub(super) struct Segment {
    pub(super) kind: u32,
    pub(super) flags: u32,
    pub(super) offset: u64,
    pub(super) address: u64,
    pub(super) file_size: u64,
    pub(super) memory_size: u64,
    pub(super) align: u64,
}

/// The sections in file order, placed.
pub(super) struct Layout {
    pub(super) parts: Vec<Part>,
    pub(super) section_headers_at: u64,
}

const SEGMENTS: u64 = 8;

impl Layout {
    pub(super) fn of(object: &CodeObject, names: &Names) -> Layout {
        let encoder = Encoder::new(LITTLE, ENCODER_64, elf::EM_AMDGPU);
        let mut layout = Layout {
            parts: parts(object, names, encoder),
            section_headers_at: 0,
        };
        layout.place(encoder);
        layout
    }

    fn place(&mut self, encoder: Encoder<Endianness>) {
        let mut offset = encoder.file_header_size() + SEGMENTS * encoder.program_header_size();
        let mut address = offset;
        for part in self.parts.iter_mut().filter(|p| p.is_loaded()) {
            if part.name == ".text" || part.name == ".dynamic" {
                // A new segment with other permissions.
                address = address.next_multiple_of(PAGE) + address % PAGE;
                address = address.next_multiple_of(part.align);
                offset += address.wrapping_sub(offset) % PAGE;
            } else {
                let aligned = address.next_multiple_of(part.align);
                offset += aligned - address;
                address = aligned;
            }
            if part.name == ".relro_padding" {
                part.size = address.next_multiple_of(PAGE) - address;
            }
            part.address = address;
            part.offset = offset;
            address += part.size;
            if !part.is_nobits() {
                offset += part.size;
            }
        }
        for part in self.parts.iter_mut().filter(|p| !p.is_loaded()) {
            offset = offset.next_multiple_of(part.align);
            part.offset = offset;
            offset += part.size;
        }
        self.section_headers_at = offset.next_multiple_of(encoder.address_size());
    }

    pub(super) fn file_size(&self) -> u64 {
        self.section_headers_at + 64 * (self.parts.len() as u64 + 1)
    }

    /// The names of [`parts`] are this file's own, so each asked for is there.
    fn at(&self, name: &str) -> usize {
        self.parts.iter().position(|p| p.name == name).unwrap_or(0)
    }

    fn part(&self, name: &str) -> &Part {
        &self.parts[self.at(name)]
    }

    pub(super) fn address(&self, name: &str) -> u64 {
        self.part(name).address
    }

    pub(super) fn index(&self, name: &str) -> u32 {
        self.at(name) as u32 + 1
    }

    pub(super) fn set(&mut self, name: &str, data: Vec<u8>) {
        let at = self.at(name);
        debug_assert_eq!(
            self.parts[at].size,
            data.len() as u64,
            "{name} was placed with another size"
        );
        self.parts[at].data = data;
    }

    pub(super) fn section_names(&self) -> Vec<u8> {
        section_names(&self.parts)
    }

    pub(super) fn segments(&self) -> Vec<Segment> {
        let (r, w, x) = (elf::PF_R.0, elf::PF_W.0, elf::PF_X.0);
        let text = self.part(".text");
        let dynamic = self.part(".dynamic");
        let note = self.part(".note");
        let read_only = self
            .parts
            .iter()
            .take_while(|p| p.name != ".text")
            .map(Part::end)
            .max()
            .unwrap_or(0);
        let headers = 64;
        let relro_end = dynamic.end().next_multiple_of(PAGE);
        let padded = self.parts.iter().any(|p| p.name == ".relro_padding");
        let over = |part: &Part, kind: elf::ProgramType, flags, memory_size, align| Segment {
            kind: kind.0,
            flags,
            offset: part.offset,
            address: part.address,
            file_size: part.size,
            memory_size,
            align,
        };
        let table = SEGMENTS * 56;
        let relro_size = relro_end - dynamic.address;
        vec![
            Segment {
                kind: elf::PT_PHDR.0,
                flags: r,
                offset: headers,
                address: headers,
                file_size: table,
                memory_size: table,
                align: 8,
            },
            Segment {
                kind: elf::PT_LOAD.0,
                flags: r,
                offset: 0,
                address: 0,
                file_size: read_only,
                memory_size: read_only,
                align: PAGE,
            },
            over(text, elf::PT_LOAD, r | x, text.size, PAGE),
            over(
                dynamic,
                elf::PT_LOAD,
                r | w,
                if padded { relro_size } else { dynamic.size },
                PAGE,
            ),
            over(dynamic, elf::PT_DYNAMIC, r | w, dynamic.size, dynamic.align),
            over(dynamic, elf::PT_GNU_RELRO, r, relro_size, 1),
            Segment {
                kind: elf::PT_GNU_STACK.0,
                flags: r | w,
                offset: 0,
                address: 0,
                file_size: 0,
                memory_size: 0,
                align: 0,
            },
            over(note, elf::PT_NOTE, r, note.size, note.align),
        ]
    }
}

fn section_names(parts: &[Part]) -> Vec<u8> {
    let mut bytes = vec![0];
    for part in parts {
        bytes.extend_from_slice(part.name.as_bytes());
        bytes.push(0);
    }
    bytes
}

/// Names that [`parts`] gives itself, so that no further section may have them.
pub(super) const OWN_NAMES: [&str; 14] = [
    ".note",
    ".dynsym",
    ".gnu.hash",
    ".hash",
    ".dynstr",
    ".rodata",
    ".text",
    ".dynamic",
    ".relro_padding",
    ".comment",
    ".symtab",
    ".shstrtab",
    ".strtab",
    "",
];

/// The sections in lld's order, with their sizes.
fn parts(object: &CodeObject, names: &Names, encoder: Encoder<Endianness>) -> Vec<Part> {
    let alloc = elf::SHF_ALLOC;
    let none = elf::SectionFlags(0);
    let symbol = encoder.sym_size();
    let globals = names.global.len();
    let (gnu_hash, sysv_hash) = hash_sizes(globals, encoder);
    let dynsym_size = symbol * (globals as u64 + 1);
    let dynstr_size = names.dynstr.bytes.len() as u64;
    let dynamic_size = 7 * encoder.dyn_size();
    let extra = |loaded: bool| {
        let wanted = move |s: &&ExtraSection| (s.flags & elf::SHF_ALLOC.0 != 0) == loaded;
        object.sections.iter().filter(wanted).map(|s| Part {
            name: s.name.clone(),
            kind: s.kind,
            flags: s.flags,
            align: s.align,
            entry_size: s.entry_size,
            link: None,
            info: 0,
            size: s.data.len() as u64,
            address: 0,
            offset: 0,
            data: s.data.clone(),
        })
    };

    let mut parts = vec![
        Part::new(".note", elf::SHT_NOTE, alloc, 4, note(object).len() as u64),
        Part::new(".dynsym", elf::SHT_DYNSYM, alloc, 8, dynsym_size).linked(".dynstr", 1, symbol),
        Part::new(".gnu.hash", elf::SHT_GNU_HASH, alloc, 8, gnu_hash).linked(".dynsym", 0, 0),
        Part::new(".hash", elf::SHT_HASH, alloc, 4, sysv_hash).linked(".dynsym", 0, 4),
        Part::new(".dynstr", elf::SHT_STRTAB, alloc, 1, dynstr_size),
        Part::new(
            ".rodata",
            elf::SHT_PROGBITS,
            alloc,
            DESCRIPTOR_ALIGN,
            object.rodata.len() as u64,
        ),
    ];
    parts.extend(extra(true));
    let code = alloc | elf::SHF_EXECINSTR;
    let data = alloc | elf::SHF_WRITE;
    parts.push(Part::new(
        ".text",
        elf::SHT_PROGBITS,
        code,
        CODE_ALIGN,
        object.text.len() as u64,
    ));
    parts.push(
        Part::new(".dynamic", elf::SHT_DYNAMIC, data, 8, dynamic_size).linked(
            ".dynstr",
            0,
            encoder.dyn_size(),
        ),
    );
    if object.relro_padding {
        parts.push(Part::new(".relro_padding", elf::SHT_NOBITS, data, 1, 0));
    }
    parts.extend(extra(false));
    if !object.comment.is_empty() {
        let strings = elf::SHF_MERGE | elf::SHF_STRINGS;
        let mut comment = Part::new(
            ".comment",
            elf::SHT_PROGBITS,
            strings,
            1,
            object.comment.len() as u64,
        );
        comment.entry_size = 1;
        comment.data.clone_from(&object.comment);
        parts.push(comment);
    }
    let locals = object.symbols.len() as u32 + 2;
    let symtab_size = symbol * (u64::from(locals) + globals as u64);
    parts.push(
        Part::new(".symtab", elf::SHT_SYMTAB, none, 8, symtab_size)
            .linked(".strtab", locals, symbol),
    );
    parts.push(Part::new(".shstrtab", elf::SHT_STRTAB, none, 1, 0));
    parts.push(Part::new(
        ".strtab",
        elf::SHT_STRTAB,
        none,
        1,
        names.strtab.bytes.len() as u64,
    ));
    let all_names = section_names(&parts).len() as u64;
    if let Some(part) = parts.iter_mut().find(|p| p.name == ".shstrtab") {
        part.size = all_names;
    }
    parts
}
