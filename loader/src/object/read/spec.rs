//! From a file back to the content it was made of.

use super::super::consts::CODE_ALIGN;
use super::super::spec::{CodeObject, ExtraSection, KernelSymbol, LocalSymbol, Place};
use super::bytes::malformed;
use super::{ObjectError, ObjectFile, STT_FUNC, STT_OBJECT, Section, Symbol};
use crate::descriptor::KernelDescriptor;

/// Sections the writer makes itself.
const OWN: [&str; 13] = [
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
];
const SHN_ABS: u16 = 0xfff1;
const SHF_WRITE_EXEC: u64 = 5;
const STT_SECTION: u8 = 3;

impl ObjectFile<'_> {
    /// The object's content, such that [`super::super::write()`] gives the same file where lld laid it out.
    ///
    /// # Errors
    /// [`ObjectError::Malformed`] for an object that holds something [`CodeObject`] has no place for: relocations,
    /// writable data, kernels outside `.text` or off its 256-byte steps, undefined symbols.
    pub fn to_spec(&self) -> Result<CodeObject, ObjectError> {
        let (text_address, text) = self.text()?;
        let (rodata_address, rodata) = self.rodata()?;
        if let Some(relocation) = self.relocations.first() {
            let detail = format!(
                "a relocation of kind {} has no place in a rewritten object",
                relocation.kind
            );
            return Err(malformed("relocation", relocation.address, detail));
        }
        let mut kernels = Vec::new();
        for kernel in &self.kernels {
            let global = |kind: u8, name: &str, value: u64| {
                let wanted = |s: &&Symbol| {
                    s.kind == kind && s.bind != 0 && s.name == name && s.value == value
                };
                self.symbols.iter().find(wanted)
            };
            let function = global(STT_FUNC, &kernel.name, kernel.entry).ok_or_else(|| {
                let detail = format!(
                    "expected its function symbol at its entry {:#x}, found none",
                    kernel.entry
                );
                malformed(&format!("kernel {}", kernel.name), kernel.entry, detail)
            })?;
            let descriptor = global(
                STT_OBJECT,
                &format!("{}.kd", kernel.name),
                kernel.descriptor_address,
            );
            kernels.push(KernelSymbol {
                name: kernel.name.clone(),
                code_offset: self.offset_in(".text", text_address, text, kernel.entry)?,
                code_size: function.size,
                descriptor_offset: self.offset_in(
                    ".rodata",
                    rodata_address,
                    rodata,
                    kernel.descriptor_address,
                )?,
                descriptor: KernelDescriptor {
                    kernel_code_entry_byte_offset: 0,
                    ..kernel.descriptor
                },
                descriptor_visibility: descriptor.map(|s| s.visibility).unwrap_or_default(),
            });
        }
        if let Some(off) = kernels
            .iter()
            .find(|k| !k.code_offset.is_multiple_of(CODE_ALIGN))
        {
            let detail = format!(
                "expected its entry at a multiple of 256 in .text, found {:#x}",
                off.code_offset
            );
            return Err(malformed(
                &format!("kernel {}", off.name),
                off.code_offset,
                detail,
            ));
        }
        let mut rodata = rodata.to_vec();
        for kernel in &kernels {
            // The writer puts the descriptors there; zeros until then keep equal contents equal.
            let at = kernel.descriptor_offset as usize;
            if let Some(slot) = rodata.get_mut(at..at + crate::descriptor::DESCRIPTOR_SIZE) {
                slot.fill(0);
            }
        }
        Ok(CodeObject {
            platform: self.platform,
            text: text.to_vec(),
            rodata,
            kernels,
            metadata: self.metadata.clone().unwrap_or_default(),
            symbols: self.local_symbols(text_address, rodata_address)?,
            sections: self.extra_sections()?,
            comment: self
                .section(".comment")
                .map_or(Ok(&[][..]), |s| self.section_data(s))?
                .to_vec(),
            relro_padding: self.section(".relro_padding").is_some(),
        })
    }

    fn offset_in(
        &self,
        name: &str,
        start: u64,
        data: &[u8],
        address: u64,
    ) -> Result<u64, ObjectError> {
        let offset = address
            .checked_sub(start)
            .filter(|at| *at <= data.len() as u64);
        offset.ok_or_else(|| {
            let detail = format!(
                "expected an address in {name} ({start:#x}, {:#x} bytes)",
                data.len()
            );
            malformed("symbol", address, detail)
        })
    }

    fn local_symbols(&self, text: u64, rodata: u64) -> Result<Vec<LocalSymbol>, ObjectError> {
        let mut locals = Vec::new();
        for symbol in self
            .symbols
            .iter()
            .skip(1)
            .filter(|s| s.bind == 0 && s.name != "_DYNAMIC")
        {
            let section = self
                .sections
                .get(usize::from(symbol.section))
                .map(|s| s.name.as_str());
            let place = match (symbol.section, section) {
                (SHN_ABS, _) => Place::Absolute(symbol.value),
                (_, Some(".text")) => Place::Text(symbol.value.wrapping_sub(text)),
                (_, Some(".rodata")) => Place::Rodata(symbol.value.wrapping_sub(rodata)),
                (_, other) => {
                    let detail =
                        format!("expected it in .text or .rodata or absolute, found {other:?}");
                    return Err(malformed(
                        &format!("local symbol {}", symbol.name),
                        symbol.value,
                        detail,
                    ));
                }
            };
            if symbol.kind >= STT_SECTION {
                let detail = format!("expected kind 0, 1 or 2, found {}", symbol.kind);
                return Err(malformed(
                    &format!("local symbol {}", symbol.name),
                    symbol.value,
                    detail,
                ));
            }
            locals.push(LocalSymbol {
                name: symbol.name.clone(),
                kind: symbol.kind,
                size: symbol.size,
                place,
                visibility: symbol.visibility,
            });
        }
        Ok(locals)
    }

    fn extra_sections(&self) -> Result<Vec<ExtraSection>, ObjectError> {
        let wanted = |s: &&Section| !OWN.contains(&s.name.as_str()) && s.kind != 0;
        let mut extra = Vec::new();
        for section in self.sections.iter().filter(wanted) {
            if section.flags & 2 != 0 && section.flags & SHF_WRITE_EXEC != 0 {
                let detail = format!(
                    "a section with flags {:#x} has no place in a rewritten object",
                    section.flags
                );
                return Err(malformed(
                    &format!("section {}", section.name),
                    section.offset,
                    detail,
                ));
            }
            extra.push(ExtraSection {
                name: section.name.clone(),
                kind: section.kind,
                flags: section.flags,
                align: section.align.max(1),
                entry_size: section.entry_size,
                data: self.section_data(section)?.to_vec(),
            });
        }
        Ok(extra)
    }
}
