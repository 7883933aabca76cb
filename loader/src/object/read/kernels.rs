//! Kernels: a descriptor's symbol, the descriptor, and the code it points to.

use super::bytes::malformed;
use super::{ObjectError, ObjectFile, SHF_EXECINSTR, STT_FUNC, STT_OBJECT, Section, Symbol};
use crate::descriptor::{DESCRIPTOR_SIZE, KernelDescriptor};

/// One kernel of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel<'a> {
    /// Its name, without `.kd`.
    pub name: String,
    /// Its descriptor's address before loading.
    pub descriptor_address: u64,
    /// Its descriptor.
    pub descriptor: KernelDescriptor,
    /// Its first instruction's address before loading.
    pub entry: u64,
    /// Its code: from the entry to the end its function symbol states, or where that states none, to the next kernel or
    /// the end of the section.
    pub code: &'a [u8],
}

/// ROCr takes kernels from `.symtab`; a stripped object has them only in `.dynsym`.
pub(super) fn find<'a>(file: &ObjectFile<'a>) -> Result<Vec<Kernel<'a>>, ObjectError> {
    let table = if file.symbols.is_empty() {
        &file.dynamic_symbols
    } else {
        &file.symbols
    };
    // Local symbols are nobody's kernels: the loader skips them.
    let described = |s: &&Symbol| {
        let is_descriptor = s.kind == STT_OBJECT && s.size == DESCRIPTOR_SIZE as u64;
        is_descriptor && s.bind != 0 && s.section != 0 && s.name.ends_with(".kd")
    };
    let symbols: Vec<&Symbol> = table.iter().filter(described).collect();
    let mut descriptors = Vec::with_capacity(symbols.len());
    for symbol in &symbols {
        let what = format!("kernel descriptor {}", symbol.name);
        let bytes = file.at_address(symbol.value, DESCRIPTOR_SIZE as u64, &what)?;
        let bytes = bytes
            .try_into()
            .map_err(|_| malformed(&what, symbol.value, "expected 64 bytes".to_owned()))?;
        let descriptor = KernelDescriptor::parse(bytes);
        descriptors.push((
            descriptor,
            symbol
                .value
                .wrapping_add_signed(descriptor.kernel_code_entry_byte_offset),
        ));
    }
    let entries: Vec<u64> = descriptors.iter().map(|(_, entry)| *entry).collect();
    let mut kernels = Vec::with_capacity(symbols.len());
    for (symbol, (descriptor, entry)) in symbols.iter().zip(descriptors) {
        let name = symbol.name.strip_suffix(".kd").unwrap_or(&symbol.name);
        let function = table
            .iter()
            .find(|s| s.kind == STT_FUNC && s.bind != 0 && s.name == name && s.value == entry);
        let stated = function.map_or(0, |f| f.size);
        let code = code_at(file, name, entry, stated, &entries)?;
        kernels.push(Kernel {
            name: name.to_owned(),
            descriptor_address: symbol.value,
            descriptor,
            entry,
            code,
        });
    }
    Ok(kernels)
}

fn code_at<'a>(
    file: &ObjectFile<'a>,
    name: &str,
    entry: u64,
    stated: u64,
    entries: &[u64],
) -> Result<&'a [u8], ObjectError> {
    let what = format!("code of kernel {name}");
    let holds = |s: &&Section| {
        s.flags & SHF_EXECINSTR != 0 && entry >= s.address && entry - s.address < s.size
    };
    let section = file.sections.iter().find(holds).ok_or_else(|| {
        let detail =
            format!("expected its entry {entry:#x} in an executable section, found none there");
        malformed(&what, entry, detail)
    })?;
    let data = file.section_data(section)?;
    let start = entry - section.address;
    let room = section.size - start;
    let next = entries
        .iter()
        .filter(|e| **e > entry)
        .map(|e| e - entry)
        .min();
    let size = if stated > 0 {
        stated
    } else {
        next.unwrap_or(room).min(room)
    };
    if size > room {
        let detail = format!(
            "expected at most {room:#x} bytes to the end of {}, found {size:#x}",
            section.name
        );
        return Err(malformed(&what, entry, detail));
    }
    super::Bytes(data).range(start, size, || what)
}
