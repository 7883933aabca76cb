//! The file header and its two tables.

use goblin::container::{Container, Ctx, Endian};
use goblin::elf::header::header64;
use goblin::elf::{ProgramHeader, SectionHeader};

use super::super::consts::{ELFOSABI_AMDGPU_HSA, EM_AMDGPU};
use super::super::error::ObjectError;
use super::bytes::{Bytes, malformed};
use super::{Section, Segment};

/// What the file header says, once it is known to be one of ours.
pub(super) struct Header {
    pub(super) e_flags: u32,
    pub(super) abi_version: u8,
    program_headers: (u64, u16, u16),
    section_headers: (u64, u16, u16),
    names: u16,
}

pub(super) fn ctx() -> Ctx {
    Ctx::new(Container::Big, Endian::Little)
}

const MAGIC: &[u8; 4] = b"\x7fELF";
const HEADER_SIZE: u64 = 64;

pub(super) fn parse(data: Bytes<'_>) -> Result<Header, ObjectError> {
    let magic = data.0.get(..4).unwrap_or(data.0);
    if magic != MAGIC {
        return Err(ObjectError::NotElf {
            found: magic.to_vec(),
        });
    }
    let ident = data.range(0, 16, || "ELF identification".to_owned())?;
    if ident[4] != 2 {
        return Err(ObjectError::WrongClass { found: ident[4] });
    }
    if ident[5] != 1 {
        return Err(ObjectError::WrongEndian { found: ident[5] });
    }
    data.range(0, HEADER_SIZE, || "ELF header".to_owned())?;
    let h =
        header64::Header::parse(data.0).map_err(|e| malformed("ELF header", 0, e.to_string()))?;
    if h.e_machine != EM_AMDGPU {
        return Err(ObjectError::WrongMachine {
            found: h.e_machine,
            name: host_machine(h.e_machine),
        });
    }
    if ident[7] != ELFOSABI_AMDGPU_HSA {
        return Err(ObjectError::WrongOsAbi { found: ident[7] });
    }
    Ok(Header {
        e_flags: h.e_flags,
        abi_version: ident[8],
        program_headers: (h.e_phoff, h.e_phnum, h.e_phentsize),
        section_headers: (h.e_shoff, h.e_shnum, h.e_shentsize),
        names: h.e_shstrndx,
    })
}

pub(super) fn segments(data: Bytes<'_>, header: &Header) -> Result<Vec<Segment>, ObjectError> {
    let table = table(data, header.program_headers, 56, "program header table")?;
    let raw = ProgramHeader::parse(table, 0, table.len() / 56, ctx()).map_err(|e| {
        malformed(
            "program header table",
            header.program_headers.0,
            e.to_string(),
        )
    })?;
    let segment = |p: ProgramHeader| Segment {
        kind: p.p_type,
        flags: p.p_flags,
        offset: p.p_offset,
        address: p.p_vaddr,
        file_size: p.p_filesz,
        memory_size: p.p_memsz,
        align: p.p_align,
    };
    Ok(raw.into_iter().map(segment).collect())
}

pub(super) fn sections(data: Bytes<'_>, header: &Header) -> Result<Vec<Section>, ObjectError> {
    let table = table(data, header.section_headers, 64, "section header table")?;
    if table.is_empty() {
        return Ok(Vec::new());
    }
    let raw = SectionHeader::parse_from(table, 0, table.len() / 64, ctx()).map_err(|e| {
        malformed(
            "section header table",
            header.section_headers.0,
            e.to_string(),
        )
    })?;
    let names = raw.get(usize::from(header.names)).ok_or_else(|| {
        let detail = format!(
            "section names are in section {}, there are {}",
            header.names,
            raw.len()
        );
        malformed("ELF header", 62, detail)
    })?;
    let names = Bytes(data.range(names.sh_offset, names.sh_size, || {
        "section names".to_owned()
    })?);
    let section = |s: &SectionHeader| Section {
        name: names.string(s.sh_name as u64),
        kind: s.sh_type,
        flags: s.sh_flags,
        address: s.sh_addr,
        offset: s.sh_offset,
        size: s.sh_size,
        link: s.sh_link,
        info: s.sh_info,
        align: s.sh_addralign,
        entry_size: s.sh_entsize,
    };
    Ok(raw.iter().map(section).collect())
}

/// A table's bytes, whole entries of the one size there is.
fn table<'a>(
    data: Bytes<'a>,
    (offset, count, entry): (u64, u16, u16),
    expected: u16,
    what: &str,
) -> Result<&'a [u8], ObjectError> {
    if count == 0 || offset == 0 {
        return Ok(&[]);
    }
    if entry != expected {
        return Err(malformed(
            what,
            offset,
            format!("expected entries of {expected} bytes, found {entry}"),
        ));
    }
    data.range(offset, u64::from(count) * u64::from(entry), || {
        what.to_owned()
    })
}

fn host_machine(machine: u16) -> Option<&'static str> {
    match machine {
        3 => Some("x86"),
        40 => Some("Arm"),
        62 => Some("x86-64"),
        183 => Some("AArch64"),
        190 => Some("NVIDIA CUDA"),
        243 => Some("RISC-V"),
        247 => Some("BPF"),
        _ => None,
    }
}
