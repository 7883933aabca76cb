//! From the bytes of any AMD GPU object to a checked view of it.
//!
//! Records are decoded by `goblin`; every offset, size and count is checked here before it is asked to, so hostile
//! bytes give an error and never a panic.

mod bytes;
mod header;
mod kernels;
mod spec;

use goblin::elf::sym::Sym;

use super::consts::{NOTE_NAME, NT_AMDGPU_METADATA};
use super::error::{ObjectError, list};
use super::flags::Platform;
use super::spec::Visibility;
use crate::metadata::Metadata;
use bytes::{Bytes, malformed};

pub use kernels::Kernel;

const SHT_SYMTAB: u32 = 2;
const SHT_RELA: u32 = 4;
const SHT_NOTE: u32 = 7;
const SHT_NOBITS: u32 = 8;
const SHT_DYNSYM: u32 = 11;
const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
const SHF_EXECINSTR: u64 = 4;
const STT_OBJECT: u8 = 1;
const STT_FUNC: u8 = 2;

/// One section header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name; what is not UTF-8 in it is replaced.
    pub name: String,
    /// `sh_type`.
    pub kind: u32,
    /// `sh_flags`.
    pub flags: u64,
    /// `sh_addr`.
    pub address: u64,
    /// `sh_offset`.
    pub offset: u64,
    /// `sh_size`.
    pub size: u64,
    /// `sh_link`.
    pub link: u32,
    /// `sh_info`.
    pub info: u32,
    /// `sh_addralign`.
    pub align: u64,
    /// `sh_entsize`.
    pub entry_size: u64,
}

/// One program header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// `p_type`.
    pub kind: u32,
    /// `p_flags`.
    pub flags: u32,
    /// `p_offset`.
    pub offset: u64,
    /// `p_vaddr`.
    pub address: u64,
    /// `p_filesz`.
    pub file_size: u64,
    /// `p_memsz`.
    pub memory_size: u64,
    /// `p_align`.
    pub align: u64,
}

/// One symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name; what is not UTF-8 in it is replaced.
    pub name: String,
    /// `STB_*`: 0 local, 1 global, 2 weak.
    pub bind: u8,
    /// `STT_*`: 0 none, 1 object, 2 function, 3 section, 4 file, 10 kernel of code object v2.
    pub kind: u8,
    /// Its visibility.
    pub visibility: Visibility,
    /// `st_shndx`: 0 undefined, 0xfff1 absolute.
    pub section: u16,
    /// `st_value`: an address.
    pub value: u64,
    /// `st_size`.
    pub size: u64,
}

/// One dynamic relocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// `r_offset`: the address it changes.
    pub address: u64,
    /// `R_AMDGPU_*`.
    pub kind: u32,
    /// Index in [`ObjectFile::dynamic_symbols`].
    pub symbol: usize,
    /// `r_addend`.
    pub addend: i64,
}

/// A code object's bytes with everything in them found and checked.
#[derive(Debug, Clone)]
pub struct ObjectFile<'a> {
    data: Bytes<'a>,
    /// Chip, version and features.
    pub platform: Platform,
    /// Section headers, the null one included.
    pub sections: Vec<Section>,
    /// Program headers.
    pub segments: Vec<Segment>,
    /// `.symtab`, the null symbol included; empty when the object is stripped.
    pub symbols: Vec<Symbol>,
    /// `.dynsym`, the null symbol included.
    pub dynamic_symbols: Vec<Symbol>,
    /// Relocations the loader has to apply.
    pub relocations: Vec<Relocation>,
    /// The kernels, in the order of their descriptors' symbols.
    pub kernels: Vec<Kernel<'a>>,
    /// The metadata note, where there is one.
    pub metadata: Option<Metadata>,
}

impl<'a> ObjectFile<'a> {
    /// Reads an object.
    ///
    /// # Errors
    /// [`ObjectError`]: what is wrong, where, and what was expected there.
    pub fn parse(data: &'a [u8]) -> Result<ObjectFile<'a>, ObjectError> {
        let data = Bytes(data);
        let header = header::parse(data)?;
        let platform = Platform::from_header(header.e_flags, header.abi_version)?;
        let sections = header::sections(data, &header)?;
        let segments = header::segments(data, &header)?;
        let mut file = ObjectFile {
            data,
            platform,
            sections,
            segments,
            symbols: Vec::new(),
            dynamic_symbols: Vec::new(),
            relocations: Vec::new(),
            kernels: Vec::new(),
            metadata: None,
        };
        file.symbols = file.symbol_table(SHT_SYMTAB)?;
        file.dynamic_symbols = file.symbol_table(SHT_DYNSYM)?;
        file.relocations = file.dynamic_relocations()?;
        file.metadata = file.find_metadata()?;
        file.kernels = kernels::find(&file)?;
        Ok(file)
    }

    /// The file's bytes.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.data.0
    }

    /// The first section of that name.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|s| s.name == name)
    }

    /// A section's bytes; none for one that the file has no bytes for.
    ///
    /// # Errors
    /// [`ObjectError::Truncated`].
    pub fn section_data(&self, section: &Section) -> Result<&'a [u8], ObjectError> {
        if section.kind == SHT_NOBITS {
            return Ok(&[]);
        }
        self.data.range(section.offset, section.size, || {
            format!("section {}", section.name)
        })
    }

    /// A segment's bytes in the file.
    ///
    /// # Errors
    /// [`ObjectError::Truncated`].
    pub fn segment_data(&self, segment: &Segment) -> Result<&'a [u8], ObjectError> {
        self.data.range(segment.offset, segment.file_size, || {
            format!("segment at {:#x}", segment.address)
        })
    }

    /// The `.text` section's address and bytes.
    ///
    /// # Errors
    /// [`ObjectError::Malformed`] when there is none, [`ObjectError::Truncated`].
    pub fn text(&self) -> Result<(u64, &'a [u8]), ObjectError> {
        self.named(".text")
    }

    /// The `.rodata` section's address and bytes.
    ///
    /// # Errors
    /// As [`ObjectFile::text`].
    pub fn rodata(&self) -> Result<(u64, &'a [u8]), ObjectError> {
        self.named(".rodata")
    }

    /// The kernel of that name (without `.kd`).
    ///
    /// # Errors
    /// [`ObjectError::NoKernel`], or [`ObjectError::MissingDescriptor`] when only its code or metadata is there.
    pub fn kernel(&self, name: &str) -> Result<&Kernel<'a>, ObjectError> {
        if let Some(kernel) = self.kernels.iter().find(|k| k.name == name) {
            return Ok(kernel);
        }
        let described = self
            .metadata
            .as_ref()
            .is_some_and(|m| m.kernel(name).is_some());
        let coded = self
            .symbols
            .iter()
            .any(|s| s.name == name && s.kind == STT_FUNC);
        if described || coded {
            return Err(self.missing_descriptor(name));
        }
        Err(ObjectError::NoKernel {
            kernel: name.to_owned(),
            available: self.kernel_names(),
        })
    }

    /// Every kernel's name.
    #[must_use]
    pub fn kernel_names(&self) -> Vec<String> {
        self.kernels.iter().map(|k| k.name.clone()).collect()
    }

    /// Kernels that the metadata names and that have no descriptor, which a launch would find out too late.
    #[must_use]
    pub fn kernels_without_descriptor(&self) -> Vec<ObjectError> {
        let described = self.metadata.iter().flat_map(|m| &m.kernels);
        described
            .filter(|m| {
                !self
                    .kernels
                    .iter()
                    .any(|k| format!("{}.kd", k.name) == m.symbol)
            })
            .map(|m| self.missing_descriptor(&m.name))
            .collect()
    }

    /// The bytes at `address`, `size` of them, from the segment that holds them.
    ///
    /// # Errors
    /// [`ObjectError::Malformed`] when no loaded segment holds all of them in the file.
    pub fn at_address(&self, address: u64, size: u64, what: &str) -> Result<&'a [u8], ObjectError> {
        let holds = |s: &&Segment| {
            s.kind == PT_LOAD
                && address >= s.address
                && address
                    .checked_add(size)
                    .is_some_and(|end| end - s.address <= s.file_size)
        };
        let segment = self.segments.iter().find(holds).ok_or_else(|| {
            let detail = format!(
                "expected {size} bytes at address {address:#x} in a PT_LOAD segment, found none"
            );
            malformed(what, address, detail)
        })?;
        self.data.range(
            segment.offset.saturating_add(address - segment.address),
            size,
            || what.to_owned(),
        )
    }

    fn named(&self, name: &str) -> Result<(u64, &'a [u8]), ObjectError> {
        let section = self.section(name).ok_or_else(|| {
            let names: Vec<String> = self.sections.iter().map(|s| s.name.clone()).collect();
            malformed(
                "section table",
                0,
                format!("expected a section {name}, found {}", list(&names)),
            )
        })?;
        Ok((section.address, self.section_data(section)?))
    }

    fn missing_descriptor(&self, name: &str) -> ObjectError {
        let symbol = format!("{name}.kd");
        let found = match self.symbols.iter().find(|s| s.name == symbol) {
            Some(s) => format!("one of kind {} and {} bytes", s.kind, s.size),
            None if self.symbols.is_empty() => "no .symtab (the object is stripped)".to_owned(),
            None => "no such symbol".to_owned(),
        };
        ObjectError::MissingDescriptor {
            kernel: name.to_owned(),
            symbol,
            found,
        }
    }

    fn symbol_table(&self, kind: u32) -> Result<Vec<Symbol>, ObjectError> {
        let Some(table) = self.sections.iter().find(|s| s.kind == kind) else {
            return Ok(Vec::new());
        };
        let what = || format!("symbol table {}", table.name);
        let strings = self.sections.get(table.link as usize).ok_or_else(|| {
            let detail = format!(
                "its string table is section {}, there are {}",
                table.link,
                self.sections.len()
            );
            malformed(&what(), table.offset, detail)
        })?;
        let strings = Bytes(self.section_data(strings)?);
        let data = self.section_data(table)?;
        let count = data.len() / 24;
        let symbols = Sym::parse(data, 0, count, header::ctx())
            .map_err(|e| malformed(&what(), table.offset, e.to_string()))?;
        let symbol = |s: Sym| Symbol {
            name: strings.string(s.st_name as u64),
            bind: s.st_info >> 4,
            kind: s.st_info & 0xf,
            visibility: Visibility::from_other(s.st_other),
            section: s.st_shndx as u16,
            value: s.st_value,
            size: s.st_size,
        };
        Ok(symbols.into_iter().map(symbol).collect())
    }

    /// ROCr takes every SHT_RELA section whose `sh_info` is zero: those are for the loader, not for a linker.
    fn dynamic_relocations(&self) -> Result<Vec<Relocation>, ObjectError> {
        let mut all = Vec::new();
        for section in self
            .sections
            .iter()
            .filter(|s| s.kind == SHT_RELA && s.info == 0)
        {
            let data = Bytes(self.section_data(section)?);
            for i in 0..(data.0.len() as u64) / 24 {
                let info = data.u64_at(24 * i + 8);
                all.push(Relocation {
                    address: data.u64_at(24 * i),
                    kind: info as u32,
                    symbol: (info >> 32) as usize,
                    addend: data.u64_at(24 * i + 16) as i64,
                });
            }
        }
        Ok(all)
    }

    fn find_metadata(&self) -> Result<Option<Metadata>, ObjectError> {
        let sections = self
            .sections
            .iter()
            .filter(|s| s.kind == SHT_NOTE)
            .map(|s| (s.offset, s.size));
        let segments = self
            .segments
            .iter()
            .filter(|s| s.kind == PT_NOTE)
            .map(|s| (s.offset, s.file_size));
        for (offset, size) in sections.chain(segments) {
            let data = Bytes(self.data.range(offset, size, || "note".to_owned())?);
            if let Some(description) = metadata_note(data, offset)? {
                return Ok(Some(Metadata::parse(description)?));
            }
        }
        Ok(None)
    }
}

/// The metadata among a section's notes.
fn metadata_note(notes: Bytes<'_>, offset: u64) -> Result<Option<&[u8]>, ObjectError> {
    let mut at = 0u64;
    while at + 12 <= notes.0.len() as u64 {
        let (name_size, size, kind) =
            (notes.u32_at(at), notes.u32_at(at + 4), notes.u32_at(at + 8));
        let name_at = at + 12;
        let description_at = name_at + u64::from(name_size).next_multiple_of(4);
        let within = |e: ObjectError| match e {
            ObjectError::Truncated {
                what,
                offset: inner,
                expected,
                found,
            } => ObjectError::Truncated {
                what,
                offset: offset + inner,
                expected,
                found,
            },
            other => other,
        };
        let name = notes
            .range(name_at, name_size.into(), || "note name".to_owned())
            .map_err(within)?;
        let description = notes
            .range(description_at, size.into(), || "note".to_owned())
            .map_err(within)?;
        if name == NOTE_NAME && kind == NT_AMDGPU_METADATA {
            return Ok(Some(description));
        }
        at = description_at + u64::from(size).next_multiple_of(4);
    }
    Ok(None)
}
