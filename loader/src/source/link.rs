//! From sections, symbols and open places to an object's content.

use std::collections::HashMap;
use std::ops::Range;

use wavesmith_isa::Inst;
use wavesmith_isa::encode::encode;

use super::RODATA;
use super::assemble::{Assembler, Fixup, FixupKind, Origin, error_at};
use super::data::{fitting, too_wide};
use super::error::{Problem, SourceError};
use super::expr::{Part, SectionId, Value};
use super::symbols::{Definition, Section, Symbol};
use crate::object::{
    CodeObject, ExtraSection, KernelSymbol, LocalSymbol, Place, Platform, Visibility, addresses,
};

/// Where a section of the source ends up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    Text(u64),
    Rodata(u64),
    Extra,
    Comment,
    Nowhere,
}

/// Names that hold notes of the compiler to the linker and never reach an object.
fn is_dropped(section: &Section) -> bool {
    let writable = section.flags & SHF_WRITE != 0;
    [".note", ".note.GNU-stack", ".llvm_addrsig"].contains(&section.name.as_str())
        || writable && section.data.is_empty()
}

const SHF_WRITE: u64 = 1;
const SHF_ALLOC: u64 = 2;

pub(super) struct Linked {
    pub(super) object: CodeObject,
    outputs: Vec<Output>,
}

impl Assembler {
    /// `.text` alone, of a source that need not have a kernel.
    pub(super) fn code(mut self) -> Result<Vec<u8>, Vec<SourceError>> {
        self.needs_kernel = false;
        self.link().map(|object| object.text)
    }

    pub(super) fn link(mut self) -> Result<CodeObject, Vec<SourceError>> {
        if let Some(open) = self.open_kernel.take() {
            let opened = ".amdhsa_kernel".to_owned();
            let closing = ".end_amdhsa_kernel";
            let problem = Problem::Unclosed { opened, closing };
            self.push_error(error_at(open.origin, open.span, None, problem));
        }
        let object = self.linked();
        match object {
            Some(object) if self.errors.is_empty() => Ok(object),
            _ => {
                let mut errors = self.errors;
                errors.sort_by_key(|e| e.span.start);
                Err(errors)
            }
        }
    }

    fn linked(&mut self) -> Option<CodeObject> {
        let Some(mut platform) = self.platform.or(self.asked.map(Platform::new)) else {
            if self.errors.is_empty() {
                let what = "the target".to_owned();
                let help = "write `.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"`, or name it to the assembler".to_owned();
                self.push_error(error_at(
                    Origin::default(),
                    0..0,
                    None,
                    Problem::Missing { what, help },
                ));
            }
            return None;
        };
        if let Some(abi) = self.abi {
            platform.abi = abi;
        }
        if let Some(flags) = self.flags {
            match Platform::from_header(flags, platform.abi.number()) {
                Ok(p) if p.target == platform.target => platform = p,
                _ => {
                    let detail =
                        format!("the flags {flags:#x} are not those of {}", platform.target);
                    self.push_error(error_at(
                        Origin::default(),
                        0..0,
                        None,
                        Problem::Object { detail, help: None },
                    ));
                }
            }
        }
        let mut linked = self.merged(platform);
        self.state_waiting();
        for block in self.kernels.clone() {
            self.check_stated(&block);
        }
        self.place_kernels(&mut linked);
        self.local_symbols(&mut linked);
        self.counted(&mut linked);
        // Distances between sections are known once everything has its size.
        let (text, rodata) = addresses(&linked.object);
        for fixup in std::mem::take(&mut self.fixups) {
            if let Err((problem, span)) = self.fill(&fixup, &mut linked, text, rodata) {
                let error = error_at(fixup.origin, span, fixup.within.clone(), problem);
                self.push_error(error);
            }
        }
        if self.needs_kernel && linked.object.kernels.is_empty() && self.errors.is_empty() {
            let what = "a kernel".to_owned();
            let help = "an object needs `.amdhsa_kernel NAME` … `.end_amdhsa_kernel` for a global label NAME".to_owned();
            self.push_error(error_at(
                Origin::default(),
                0..0,
                None,
                Problem::Missing { what, help },
            ));
        }
        Some(linked.object)
    }

    /// Sections put together: what begins with `.text` in `.text`, what begins with `.rodata` in `.rodata`.
    fn merged(&mut self, platform: Platform) -> Linked {
        let mut object = CodeObject::for_platform(platform);
        object.relro_padding = self.relro_padding;
        let mut outputs = Vec::with_capacity(self.sections.len());
        let mut comment = None;
        for i in 0..self.sections.len() {
            let section = &mut self.sections[i];
            let append = |out: &mut Vec<u8>, section: &mut Section, filler: &[u8; 4]| {
                while !(out.len() as u64).is_multiple_of(section.align) {
                    out.push(filler[out.len() % 4]);
                }
                let base = out.len() as u64;
                out.append(&mut section.data);
                base
            };
            let output = if section.name == ".text" || section.name.starts_with(".text.") {
                Output::Text(append(&mut object.text, section, &[0, 0, 0x80, 0xbf]))
            } else if section.name == ".rodata" || section.name.starts_with(".rodata.") {
                Output::Rodata(append(&mut object.rodata, section, &[0; 4]))
            } else if section.name == ".comment" {
                comment = Some(std::mem::take(&mut section.data));
                Output::Comment
            } else if is_dropped(section) {
                Output::Nowhere
            } else {
                if section.flags & SHF_ALLOC != 0 && section.flags & 5 != 0 {
                    let name = section.name.clone();
                    let detail = format!("section `{name}` would be written or run");
                    let help =
                        "an object here has code in .text and constants in .rodata".to_owned();
                    let problem = Problem::Object {
                        detail,
                        help: Some(help),
                    };
                    self.push_error(error_at(Origin::default(), 0..0, None, problem));
                    outputs.push(Output::Nowhere);
                    continue;
                }
                object.sections.push(ExtraSection {
                    name: section.name.clone(),
                    kind: section.kind,
                    flags: section.flags,
                    align: section.align,
                    entry_size: section.entry_size,
                    data: std::mem::take(&mut section.data),
                });
                Output::Extra
            };
            outputs.push(output);
        }
        let idents = std::mem::take(&mut self.idents);
        if comment.is_some() || !idents.is_empty() {
            object.comment = comment.unwrap_or_default();
            object.comment.extend_from_slice(&idents);
        }
        Linked { object, outputs }
    }

    /// A value in terms of what the object has; `None` for a place that it has not.
    fn place(&self, linked: &Linked, section: SectionId, at: i64) -> Option<Place> {
        let at = u64::try_from(at).ok()?;
        match linked.outputs.get(section.0)? {
            Output::Text(base) => Some(Place::Text(base + at)),
            Output::Rodata(base) => Some(Place::Rodata(base + at)),
            _ => None,
        }
    }

    fn place_kernels(&mut self, linked: &mut Linked) {
        let mut blocks = std::mem::take(&mut self.kernels);
        let order = |name: &str| {
            let id = self.symbols.find(name);
            let stated = self.kernel_order.iter().position(|n| n == name);
            (
                stated.unwrap_or(usize::MAX),
                id.and_then(|id| self.symbols.get(id).order),
            )
        };
        blocks.sort_by_cached_key(|b| order(&b.name));
        for block in &blocks {
            let symbol = self
                .symbols
                .find(&block.name)
                .map(|id| self.symbols.get(id).clone());
            let value = symbol.as_ref().and_then(|s| match s.definition {
                Some(Definition::Label(section, at)) => self.place(linked, section, at as i64),
                _ => None,
            });
            let Some((symbol, Place::Text(code_offset))) = symbol.zip(value) else {
                let name = block.name.clone();
                let problem = Problem::UndefinedSymbol { name };
                self.push_error(error_at(block.origin, block.span.clone(), None, problem));
                continue;
            };
            let wrong = if !symbol.global {
                Some((
                    format!(
                        "kernel `{}` is not global, so nobody could launch it",
                        block.name
                    ),
                    format!("write `.globl {}`", block.name),
                ))
            } else if code_offset % 256 != 0 {
                Some((
                    format!(
                        "kernel `{}` starts at {code_offset:#x}, not at a multiple of 256",
                        block.name
                    ),
                    format!("write `.p2align 8` before `{}:`", block.name),
                ))
            } else {
                None
            };
            if let Some((detail, help)) = wrong {
                let help = Some(help);
                let problem = Problem::Object { detail, help };
                self.push_error(error_at(block.origin, block.span.clone(), None, problem));
                continue;
            }
            let code_size = self.size_of(&symbol);
            let Some(Output::Rodata(base)) = linked.outputs.get(RODATA.0) else {
                continue;
            };
            linked.object.kernels.push(KernelSymbol {
                name: block.name.clone(),
                code_offset,
                code_size,
                descriptor_offset: base + block.offset,
                descriptor: block.descriptor([0; 3]),
                descriptor_visibility: block.visibility,
            });
        }
        self.kernels = blocks;
    }

    fn size_of(&mut self, symbol: &Symbol) -> u64 {
        let Some((expr, line)) = &symbol.size else {
            return 0;
        };
        match self.symbols.evaluate(expr) {
            Ok(Value::Absolute(n)) if n >= 0 => n as u64,
            other => {
                let problem = match other {
                    Err(why) => self.no_value(&why),
                    Ok(_) => Problem::NoValue {
                        reason: format!("`.size {}` is no number of bytes", symbol.name),
                    },
                };
                let (origin, span) = line;
                self.push_error(error_at(*origin, span.clone(), None, problem));
                0
            }
        }
    }

    fn local_symbols(&mut self, linked: &mut Linked) {
        let locals: Vec<Symbol> = self
            .symbols
            .list
            .iter()
            .filter(|s| s.order.is_some() && s.definition.is_some())
            .filter(|s| {
                let own = s.name.starts_with(".L") || s.name.contains('\u{1}');
                s.nameless || !own && !self.kernels.iter().any(|k| k.name == s.name)
            })
            .cloned()
            .collect();
        let stated: HashMap<&str, usize> = self
            .symbol_order
            .iter()
            .enumerate()
            .map(|(i, n)| (n.as_str(), i))
            .collect();
        let mut locals: Vec<(usize, Symbol)> = locals
            .into_iter()
            .map(|s| {
                let named = || stated.get(s.name.as_str()).copied();
                (s.index.or_else(named).unwrap_or(usize::MAX), s)
            })
            .collect();
        // The linker puts once-global symbols behind.
        locals.sort_by_key(|(stated, s)| (s.visibility == Visibility::Hidden, *stated, s.order));
        for (_, symbol) in locals {
            let value = match &symbol.definition {
                Some(Definition::Label(section, at)) => Ok(Value::Place(*section, *at as i64)),
                Some(Definition::Set(expr)) => self.symbols.evaluate(expr),
                None => continue,
            };
            let place = match value {
                Ok(Value::Absolute(n)) => Some(Place::Absolute(n as u64)),
                Ok(Value::Place(section, at)) => self.place(linked, section, at),
                _ => None,
            };
            let Some(place) = place else { continue };
            let size = self.size_of(&symbol);
            linked.object.symbols.push(LocalSymbol {
                name: symbol.name,
                kind: symbol.kind,
                size,
                place,
                visibility: symbol.visibility,
            });
        }
    }

    /// Puts a value that had to wait.
    fn fill(
        &self,
        fixup: &Fixup,
        linked: &mut Linked,
        text: u64,
        rodata: u64,
    ) -> Result<(), (Problem, Range<usize>)> {
        let refused = |problem| (problem, fixup.span.clone());
        let address = |place: &Place| match place {
            Place::Text(at) => text + at,
            Place::Rodata(at) => rodata + at,
            Place::Absolute(n) => *n,
        };
        let value = self
            .symbols
            .evaluate(&fixup.expr)
            .map_err(|why| refused(self.no_value(&why)))?;
        let here = self.place(linked, fixup.section, fixup.offset as i64);
        let no_place = || {
            refused(Problem::NoValue {
                reason: "it is a place in a section that is not loaded".to_owned(),
            })
        };
        let number = match (&fixup.kind, value) {
            (_, Value::Absolute(n)) => Some(n),
            (_, Value::Relative(section, at, part)) => {
                let place = self.place(linked, section, at).ok_or_else(no_place)?;
                let here = here.as_ref().map(&address).ok_or_else(no_place)?;
                let literal = u64::from(!matches!(fixup.kind, FixupKind::Data(_))) * 4;
                let distance = (address(&place) as i64).wrapping_sub((here + literal) as i64);
                Some(match part {
                    Part::RelLo => i64::from(distance as u32),
                    Part::RelHi => i64::from((distance >> 32) as u32),
                })
            }
            // Debug information names places by their address in the file.
            (FixupKind::Data(_), Value::Place(section, at)) if here.is_none() => {
                match self.place(linked, section, at) {
                    Some(place) => Some(address(&place) as i64),
                    None => Some(at),
                }
            }
            // As in LLVM, a place as a literal is its distance from the literal.
            (FixupKind::Literal(_), Value::Place(section, at)) if !fixup.expr.is_difference() => {
                let place = self.place(linked, section, at).ok_or_else(no_place)?;
                let here = here.as_ref().map(&address).ok_or_else(no_place)?;
                Some((address(&place) as i64).wrapping_sub(here as i64 + 4))
            }
            (_, Value::Place(..)) => None,
        };
        match &fixup.kind {
            FixupKind::Data(size) => {
                let n = number.ok_or_else(|| refused(absolute_address()))?;
                let bytes =
                    fitting(n, *size).ok_or_else(|| refused(too_wide(".long", *size, n)))?;
                self.write(linked, fixup, &bytes[..*size]);
            }
            FixupKind::Literal(inst) => {
                let n = number.ok_or_else(|| refused(absolute_address()))?;
                if i32::try_from(n).is_err() && u32::try_from(n).is_err() {
                    return Err(refused(too_wide("literal", 4, n)));
                }
                let lit = n as u32;
                self.put_inst(linked, fixup, &Inst { lit, ..*inst })?;
            }
            FixupKind::Branch(inst) => {
                let target = match value {
                    Value::Absolute(n) => {
                        // A plain number is the dwords to jump.
                        let imm = i32::try_from(n).unwrap_or(i32::MAX);
                        return self.branch(linked, fixup, inst, i64::from(imm));
                    }
                    Value::Place(section, at) => self.place(linked, section, at),
                    Value::Relative(..) => None,
                };
                let (Some(Place::Text(to)), Some(Place::Text(from))) = (target, here) else {
                    let reason = "a branch goes to a place in .text".to_owned();
                    return Err(refused(Problem::NoValue { reason }));
                };
                let bytes = to as i64 - (from as i64 + 4);
                if bytes % 4 != 0 {
                    let reason = "a branch goes to a whole dword".to_owned();
                    return Err(refused(Problem::NoValue { reason }));
                }
                self.branch(linked, fixup, inst, bytes / 4)?;
            }
        }
        Ok(())
    }

    fn branch(
        &self,
        linked: &mut Linked,
        fixup: &Fixup,
        inst: &Inst,
        dwords: i64,
    ) -> Result<(), (Problem, Range<usize>)> {
        let Ok(imm) = i16::try_from(dwords) else {
            let problem = Problem::OutOfRange {
                what: "the dwords to jump".to_owned(),
                expected: "-32768 to 32767".to_owned(),
                found: dwords,
            };
            return Err((problem, fixup.span.clone()));
        };
        let imm = i32::from(imm);
        self.put_inst(linked, fixup, &Inst { imm, ..*inst })
    }

    fn put_inst(
        &self,
        linked: &mut Linked,
        fixup: &Fixup,
        inst: &Inst,
    ) -> Result<(), (Problem, Range<usize>)> {
        let target = linked.object.platform.target;
        let encoded = encode(inst, target).map_err(|e| {
            let problem = Problem::Object {
                detail: e.to_string(),
                help: None,
            };
            (problem, fixup.span.clone())
        })?;
        let bytes: Vec<u8> = encoded
            .as_words()
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect();
        self.write(linked, fixup, &bytes);
        Ok(())
    }

    fn write(&self, linked: &mut Linked, fixup: &Fixup, bytes: &[u8]) {
        let object = &mut linked.object;
        let (data, base) = match linked.outputs.get(fixup.section.0) {
            Some(Output::Text(base)) => (&mut object.text, *base),
            Some(Output::Rodata(base)) => (&mut object.rodata, *base),
            Some(Output::Comment) => (&mut object.comment, 0),
            Some(Output::Extra) => {
                let name = &self.sections[fixup.section.0].name;
                match object.sections.iter_mut().find(|s| s.name == *name) {
                    Some(section) => (&mut section.data, 0),
                    None => return,
                }
            }
            _ => return,
        };
        let at = (base + fixup.offset) as usize;
        if let Some(slot) = data.get_mut(at..at + bytes.len()) {
            slot.copy_from_slice(bytes);
        }
    }

    /// What a base in `.text` a section has, where it is code.
    pub(super) fn text_base(&self, linked: &Linked, section: usize) -> Option<u64> {
        match linked.outputs.get(section)? {
            Output::Text(base) => Some(*base),
            _ => None,
        }
    }
}

fn absolute_address() -> Problem {
    Problem::NoValue {
        reason: "an address is not known before loading; write the distance, such as `sym@rel32@lo+4`, or a difference of labels".to_owned(),
    }
}
