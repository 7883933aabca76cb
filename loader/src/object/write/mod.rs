//! From a [`CodeObject`] to the bytes of an ELF file, in the shape lld gives AMDGPU objects.
//!
//! [`layout`] decides where each section lies, `tables` makes the contents that depend on names (string tables, hash
//! tables), and this file puts the pieces into their order. Encoding of single records is the `object` crate's.

mod layout;
mod tables;

use object::Endianness;
use object::elf;
use object::write::elf::{
    Encoder, FileHeader, FileHeaderLayout, ProgramHeader, SectionHeader, Sym,
};
use thiserror::Error;

use super::consts::{
    CODE_ALIGN, DESCRIPTOR_ALIGN, ELFOSABI_AMDGPU_HSA, EM_AMDGPU, NOTE_NAME, NT_AMDGPU_METADATA,
    PAGE,
};
use super::spec::{CodeObject, KernelSymbol, LocalSymbol, Place, Visibility};
use crate::descriptor::{DESCRIPTOR_SIZE, KernelDescriptor};
use layout::{Layout, Part};
use tables::{Names, gnu_order};

/// Why a [`CodeObject`] cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// There is nothing to run in it.
    #[error("a code object needs at least one kernel, found none")]
    NoKernels,
    /// A name no symbol can have.
    #[error("`{name}` cannot be a symbol's name: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// A kernel's code or descriptor, or a symbol, outside its section or out of alignment.
    #[error("{what} of `{name}`: expected {expected}, found offset {found:#x}")]
    BadPlace {
        /// The part.
        what: &'static str,
        /// The kernel's or symbol's name.
        name: String,
        /// What is allowed.
        expected: String,
        /// What was given.
        found: u64,
    },
    /// A section that cannot be placed.
    #[error("section `{name}`: expected {expected}, found {found}")]
    BadSection {
        /// Its name.
        name: String,
        /// What is allowed.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// The ELF encoder refused, which only sizes past 32 bits make it do.
    #[error("cannot encode the ELF file: {detail}")]
    Encode {
        /// The encoder's reason.
        detail: String,
    },
}

const ENCODER_64: bool = true;
const LITTLE: Endianness = Endianness::Little;

/// Writes an ELF64 shared object for the HSA loader. The same input gives the same bytes.
///
/// ```
/// use wavesmith_loader::Target;
/// use wavesmith_loader::descriptor::{KernelDescriptor, RegisterCounts};
/// use wavesmith_loader::metadata::KernelMetadata;
/// use wavesmith_loader::object::{CodeObject, KernelSpec, ObjectFile, Platform, write};
///
/// let mut descriptor = KernelDescriptor::default();
/// let counts = RegisterCounts { vgprs: 1, agprs: 0, sgprs: 2 };
/// counts.apply(&mut descriptor)?;
/// let metadata = KernelMetadata {
///     wavefront_size: 64,
///     max_flat_workgroup_size: 64,
///     vgpr_count: counts.next_free_vgpr().into(),
///     sgpr_count: counts.total_sgprs().into(),
///     ..KernelMetadata::default()
/// };
/// let s_endpgm = 0xbf81_0000_u32.to_le_bytes().to_vec();
/// let kernel = KernelSpec { name: "nothing".into(), code: s_endpgm, descriptor, metadata };
/// let object = CodeObject::of(Platform::new(Target::Gfx950), [kernel]);
/// let bytes = write(&object)?;
/// assert_eq!(ObjectFile::parse(&bytes)?.to_spec()?, object);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError`].
pub fn write(object: &CodeObject) -> Result<Vec<u8>, WriteError> {
    check(object)?;
    let encoder = Encoder::new(LITTLE, ENCODER_64, elf::Machine(EM_AMDGPU));
    let names = Names::of(object);
    let mut layout = Layout::of(object, &names);
    fill(&mut layout, object, &names, encoder)?;
    emit(&layout, object, encoder)
}

/// The addresses that [`write()`] will give `.text` and `.rodata`: they depend on sizes and not on what code says.
pub(crate) fn addresses(object: &CodeObject) -> (u64, u64) {
    let layout = Layout::of(object, &Names::of(object));
    (layout.address(".text"), layout.address(".rodata"))
}

fn check(object: &CodeObject) -> Result<(), WriteError> {
    if object.kernels.is_empty() {
        return Err(WriteError::NoKernels);
    }
    let kernel_names = object.kernels.iter().map(|k| &k.name);
    for name in kernel_names
        .clone()
        .chain(object.symbols.iter().map(|s| &s.name))
    {
        if name.contains('\0') {
            return Err(WriteError::BadName {
                name: name.escape_default().to_string(),
                reason: "it has a NUL in it",
            });
        }
    }
    let mut sorted: Vec<&String> = kernel_names.collect();
    sorted.sort();
    for pair in sorted.windows(2) {
        if pair[0] == pair[1] {
            return Err(WriteError::BadName {
                name: pair[0].clone(),
                reason: "two kernels have it",
            });
        }
    }
    for kernel in &object.kernels {
        if kernel.name.is_empty() {
            return Err(WriteError::BadName {
                name: String::new(),
                reason: "it is empty",
            });
        }
        check_kernel(object, kernel)?;
    }
    for symbol in &object.symbols {
        if symbol.name == "_DYNAMIC" || symbol.kind > elf::STT_FUNC.0 {
            let reason = "the writer makes `_DYNAMIC`, section and file symbols itself";
            return Err(WriteError::BadName {
                name: symbol.name.clone(),
                reason,
            });
        }
        let (at, size) = match symbol.place {
            Place::Text(at) => (at, object.text.len() as u64),
            Place::Rodata(at) => (at, object.rodata.len() as u64),
            Place::Absolute(_) => continue,
        };
        if at > size {
            let expected = format!("at most {size:#x}, its section's size");
            return Err(WriteError::BadPlace {
                what: "place",
                name: symbol.name.clone(),
                expected,
                found: at,
            });
        }
    }
    for section in &object.sections {
        if layout::OWN_NAMES.contains(&section.name.as_str()) || section.name.contains('\0') {
            let found = "a name the writer uses itself, or no name".to_owned();
            return Err(WriteError::BadSection {
                name: section.name.clone(),
                expected: "a name of its own",
                found,
            });
        }
        // Symbol tables, relocations and such would be read in place of the object's own.
        let plain = [elf::SHT_PROGBITS.0, elf::SHT_NOTE.0].contains(&section.kind)
            || section.kind >= elf::SHT_LOOS;
        if !plain {
            return Err(WriteError::BadSection {
                name: section.name.clone(),
                expected: "a kind that only holds bytes",
                found: format!("kind {:#x}", section.kind),
            });
        }
        if !section.align.is_power_of_two() || section.align > PAGE {
            let found = section.align.to_string();
            let expected = "an alignment that is a power of two up to 4096";
            return Err(WriteError::BadSection {
                name: section.name.clone(),
                expected,
                found,
            });
        }
        if section.flags & elf::SHF_ALLOC.0 != 0
            && section.flags & (elf::SHF_WRITE | elf::SHF_EXECINSTR).0 != 0
        {
            let found = format!("flags {:#x}", section.flags);
            let expected = "a loaded section that is neither written nor executed";
            return Err(WriteError::BadSection {
                name: section.name.clone(),
                expected,
                found,
            });
        }
    }
    Ok(())
}

fn check_kernel(object: &CodeObject, kernel: &KernelSymbol) -> Result<(), WriteError> {
    let bad = |what, expected, found| WriteError::BadPlace {
        what,
        name: kernel.name.clone(),
        expected,
        found,
    };
    let text = object.text.len() as u64;
    if !kernel.code_offset.is_multiple_of(CODE_ALIGN) || kernel.code_offset >= text {
        return Err(bad(
            "code",
            format!("a multiple of 256 under {text:#x}"),
            kernel.code_offset,
        ));
    }
    if kernel.code_size > text - kernel.code_offset {
        let room = text - kernel.code_offset;
        return Err(bad(
            "end of code",
            format!("at most {room:#x} bytes to the end of .text"),
            kernel.code_size,
        ));
    }
    let rodata = object.rodata.len() as u64;
    let end = kernel.descriptor_offset.checked_add(DESCRIPTOR_SIZE as u64);
    if !kernel.descriptor_offset.is_multiple_of(DESCRIPTOR_ALIGN)
        || end.is_none_or(|end| end > rodata)
    {
        let expected = format!("a multiple of 64 with 64 bytes up to {rodata:#x}");
        return Err(bad("descriptor", expected, kernel.descriptor_offset));
    }
    Ok(())
}

/// Makes the contents that need addresses: dynamic section, symbol tables, descriptors.
fn fill(
    layout: &mut Layout,
    object: &CodeObject,
    names: &Names,
    encoder: Encoder<Endianness>,
) -> Result<(), WriteError> {
    let text = layout.address(".text");
    let rodata_at = layout.address(".rodata");
    let text_index = layout.index(".text");
    let rodata_index = layout.index(".rodata");

    let mut rodata = object.rodata.clone();
    for kernel in &object.kernels {
        let entry =
            (text + kernel.code_offset).wrapping_sub(rodata_at + kernel.descriptor_offset) as i64;
        let descriptor = KernelDescriptor {
            kernel_code_entry_byte_offset: entry,
            ..kernel.descriptor
        };
        let at = kernel.descriptor_offset as usize;
        rodata[at..at + DESCRIPTOR_SIZE].copy_from_slice(&descriptor.emit());
    }
    layout.set(".rodata", rodata);
    layout.set(".text", object.text.clone());
    layout.set(".note", note(object));

    let kernel_symbols = |kernel: &KernelSymbol| {
        let function = defined(
            text_index,
            elf::STB_GLOBAL,
            elf::STT_FUNC,
            Visibility::Protected,
        );
        let descriptor = defined(
            rodata_index,
            elf::STB_GLOBAL,
            elf::STT_OBJECT,
            kernel.descriptor_visibility,
        );
        let function = Sym {
            st_value: text + kernel.code_offset,
            st_size: kernel.code_size,
            ..function
        };
        let at = rodata_at + kernel.descriptor_offset;
        let descriptor = Sym {
            st_value: at,
            st_size: DESCRIPTOR_SIZE as u64,
            ..descriptor
        };
        [function, descriptor]
    };

    let globals: Vec<Sym> = object.kernels.iter().flat_map(kernel_symbols).collect();
    let order = gnu_order(&names.global);
    let mut dynsym = Vec::new();
    encoder.null_symbol(&mut dynsym);
    for &i in &order {
        encoder.symbol(
            &mut dynsym,
            &Sym {
                st_name: names.dynstr.offsets[i],
                ..globals[i].clone()
            },
        );
    }
    layout.set(".dynsym", dynsym);
    layout.set(
        ".gnu.hash",
        tables::gnu_hash(&names.global, &order, encoder),
    );
    layout.set(".hash", tables::sysv_hash(&names.global, &order, encoder));
    layout.set(".dynstr", names.dynstr.bytes.clone());

    let mut symtab = Vec::new();
    encoder.null_symbol(&mut symtab);
    for (i, symbol) in names.locals_in_order(object) {
        let (section, st_shndx, st_value) = match symbol.place {
            Place::Text(at) => (Some(text_index), elf::SHN_UNDEF, text + at),
            Place::Rodata(at) => (Some(rodata_index), elf::SHN_UNDEF, rodata_at + at),
            Place::Absolute(value) => (None, elf::SHN_ABS, value),
        };
        let sym = Sym {
            section,
            st_shndx,
            st_name: names.local_offset(i),
            st_info: elf::SymbolInfo::new(elf::STB_LOCAL, elf::SymbolType(symbol.kind & 0xf)),
            st_other: other(symbol.visibility),
            st_value,
            st_size: symbol.size,
        };
        encoder.symbol(&mut symtab, &sym);
    }
    let dynamic = Sym {
        st_name: names.dynamic_offset,
        st_value: layout.address(".dynamic"),
        ..defined(
            layout.index(".dynamic"),
            elf::STB_LOCAL,
            elf::STT_NOTYPE,
            Visibility::Hidden,
        )
    };
    encoder.symbol(&mut symtab, &dynamic);
    for (i, sym) in globals.iter().enumerate() {
        encoder.symbol(
            &mut symtab,
            &Sym {
                st_name: names.global_offset(i),
                ..sym.clone()
            },
        );
    }
    layout.set(".symtab", symtab);
    layout.set(".strtab", names.strtab.bytes.clone());
    let section_names = layout.section_names();
    layout.set(".shstrtab", section_names);

    let tags = [
        (elf::DT_SYMTAB, layout.address(".dynsym")),
        (elf::DT_SYMENT, encoder.sym_size()),
        (elf::DT_STRTAB, layout.address(".dynstr")),
        (elf::DT_STRSZ, names.dynstr.bytes.len() as u64),
        (elf::DT_GNU_HASH, layout.address(".gnu.hash")),
        (elf::DT_HASH, layout.address(".hash")),
        (elf::DT_NULL, 0),
    ];
    let mut dynamic = Vec::new();
    for (tag, value) in tags {
        encoder.dynamic(&mut dynamic, tag, value).map_err(encode)?;
    }
    layout.set(".dynamic", dynamic);
    Ok(())
}

/// Writes headers and parts in file order.
fn emit(
    layout: &Layout,
    object: &CodeObject,
    encoder: Encoder<Endianness>,
) -> Result<Vec<u8>, WriteError> {
    let mut out: Vec<u8> = Vec::with_capacity(layout.file_size() as usize);
    let header = FileHeader {
        os_abi: elf::OsAbi(ELFOSABI_AMDGPU_HSA),
        abi_version: object.platform.abi.number(),
        e_type: elf::ET_DYN,
        e_machine: elf::Machine(EM_AMDGPU),
        e_entry: 0,
        e_flags: elf::FileFlags(object.platform.e_flags()),
    };
    let segments = layout.segments();
    let file_layout = FileHeaderLayout {
        e_phoff: encoder.file_header_size(),
        segment_num: segments.len() as u32,
        e_shoff: layout.section_headers_at,
        section_num: layout.parts.len() as u32 + 1,
        shstrtab_index: layout.index(".shstrtab"),
    };
    encoder
        .file_header(&mut out, &header, &file_layout)
        .map_err(encode)?;
    for s in &segments {
        let header = ProgramHeader {
            p_type: elf::ProgramType(s.kind),
            p_flags: elf::ProgramFlags(s.flags),
            p_offset: s.offset,
            p_vaddr: s.address,
            p_paddr: s.address,
            p_filesz: s.file_size,
            p_memsz: s.memory_size,
            p_align: s.align,
        };
        encoder.program_header(&mut out, &header);
    }
    for part in layout.parts.iter().filter(|p| !p.is_nobits()) {
        out.resize(part.offset as usize, 0);
        out.extend_from_slice(&part.data);
    }
    out.resize(layout.section_headers_at as usize, 0);
    encoder.null_section_header(&mut out, &file_layout);
    let mut name_at = 1;
    for part in &layout.parts {
        encoder.section_header(&mut out, &section_header(part, name_at, layout));
        name_at += part.name.len() as u32 + 1;
    }
    Ok(out)
}

fn section_header(part: &Part, sh_name: u32, layout: &Layout) -> SectionHeader {
    SectionHeader {
        sh_name,
        sh_type: elf::SectionType(part.kind),
        sh_flags: elf::SectionFlags(part.flags),
        sh_addr: part.address,
        sh_offset: part.offset,
        sh_size: part.size,
        sh_link: part.link.map_or(0, |name| layout.index(name)),
        sh_info: part.info,
        sh_addralign: part.align,
        sh_entsize: part.entry_size,
    }
}

fn note(object: &CodeObject) -> Vec<u8> {
    let description = object.metadata.emit();
    let mut note = Vec::new();
    note.extend_from_slice(&(NOTE_NAME.len() as u32).to_le_bytes());
    note.extend_from_slice(&(description.len() as u32).to_le_bytes());
    note.extend_from_slice(&NT_AMDGPU_METADATA.to_le_bytes());
    note.extend_from_slice(NOTE_NAME);
    note.resize(note.len().next_multiple_of(4), 0);
    note.extend_from_slice(&description);
    note.resize(note.len().next_multiple_of(4), 0);
    note
}

fn other(visibility: Visibility) -> elf::SymbolOther {
    elf::SymbolOther(visibility.number())
}

/// A symbol in a section, its name, value and size still open.
fn defined(
    section: u32,
    bind: elf::SymbolBind,
    kind: elf::SymbolType,
    visibility: Visibility,
) -> Sym {
    Sym {
        section: Some(section),
        st_name: 0,
        st_info: elf::SymbolInfo::new(bind, kind),
        st_other: other(visibility),
        st_shndx: elf::SHN_UNDEF,
        st_value: 0,
        st_size: 0,
    }
}

fn encode(error: object::write::Error) -> WriteError {
    WriteError::Encode {
        detail: error.to_string(),
    }
}

/// Hidden symbols were global in their source; the linker appends them after the kernels' names.
fn was_global(symbol: &LocalSymbol) -> bool {
    symbol.visibility == Visibility::Hidden
}
