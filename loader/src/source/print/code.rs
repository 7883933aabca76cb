//! `.text`: labels, instructions, padding.

use std::collections::HashSet;
use std::fmt::Write;

use wavesmith_isa::decode::decode_bytes;
use wavesmith_isa::encode::encode;
use wavesmith_isa::table::Role;
use wavesmith_isa::text::{parse, print};

use super::super::inst::registers;
use super::super::lex::quoted;
use super::{Printer, Step, quoted_always};
use crate::object::{KernelSymbol, LocalSymbol, Place, Visibility};

impl<'a> Printer<'a> {
    fn steps(&self) -> Vec<Step> {
        // A kernel begins with an instruction, whatever the words before it look like.
        let text = &self.object.text;
        let mut starts: Vec<usize> = vec![0, text.len()];
        let kernels = self.object.kernels.iter().map(|k| k.code_offset);
        let functions = self.object.symbols.iter().filter_map(|s| match s.place {
            Place::Text(at) if s.kind == 2 && at % 4 == 0 => Some(at),
            _ => None,
        });
        let inside = kernels.chain(functions).map(|at| at as usize);
        starts.extend(inside.filter(|at| *at < text.len()));
        starts.sort_unstable();
        starts.dedup();
        let mut steps = Vec::with_capacity(text.len() / 6);
        for part in starts.windows(2) {
            for d in decode_bytes(&text[part[0]..part[1]], self.target) {
                let at = (part[0] + d.offset) as u64;
                let len = 4 * d.words as u64;
                let inst = d.inst;
                let to = inst
                    .as_ref()
                    .ok()
                    .filter(|i| i.op.info().slot(Role::Label).is_some())
                    .map(|i| (at + 4).wrapping_add_signed(4 * i64::from(i.imm)));
                steps.push(Step { at, len, inst, to });
            }
        }
        steps
    }

    /// The kernel whose code has this place.
    fn kernel_at(&self, at: u64) -> usize {
        let starts = self.object.kernels.iter().enumerate();
        starts
            .filter(|(_, k)| k.code_offset <= at)
            .max_by_key(|(_, k)| k.code_offset)
            .map_or(0, |(i, _)| i)
    }

    pub(super) fn text(&mut self) {
        let object = self.object;
        let steps = self.steps();
        let starts: HashSet<u64> = steps.iter().map(|s| s.at).collect();
        let end = object.text.len() as u64 / 4 * 4;
        let reached = super::super::distance::find(object, &steps);
        let wanted = reached.iter().filter_map(|r| match r.to {
            Place::Text(to) => Some(to),
            _ => None,
        });
        self.name_targets(&steps, &starts, end, wanted);
        for r in &reached {
            let name = match r.to {
                Place::Text(to) => self.targets.get(&to).cloned(),
                Place::Rodata(to) => self.constant(to),
                Place::Absolute(_) => None,
            };
            if let Some(name) = name {
                self.distances.insert(r.at, r.text(&name));
            }
        }
        for (i, kernel) in object.kernels.iter().enumerate() {
            let stop = kernel.code_offset.saturating_add(kernel.code_size);
            if kernel.code_size > 0 && (starts.contains(&stop) || stop == end) {
                let name = quoted(&kernel.name).into_owned();
                let label = format!(".Lfunc_end{i}");
                self.ends.entry(stop).or_default().push((name, label));
            }
        }
        for (i, symbol) in object.symbols.iter().enumerate() {
            if let Place::Text(at) = symbol.place
                && self.plain.contains(symbol.name.as_str())
                && symbol.size > 0
                && (starts.contains(&at.saturating_add(symbol.size))
                    || at.saturating_add(symbol.size) == end)
            {
                let label = format!(".Lend{i}");
                let name = quoted(&symbol.name).into_owned();
                self.ends
                    .entry(at.saturating_add(symbol.size))
                    .or_default()
                    .push((name, label));
            }
        }
        self.line("\t.text");
        let mut i = 0;
        let mut skip_to = 0;
        while let Some(step) = steps.get(i) {
            i += 1;
            if step.at < skip_to {
                continue;
            }
            self.places(step.at, &starts, end);
            if let Some(to) = self.padding(step, &steps[i - 1..]) {
                skip_to = to;
                continue;
            }
            self.instruction(step);
            self.places_inside(step);
        }
        self.places(end, &starts, end);
        for byte in &object.text[end as usize..] {
            self.line(format_args!("\t.byte {byte:#04x}"));
        }
    }

    /// The name of the constant at this place in `.rodata`, made if it has none.
    fn constant(&mut self, at: u64) -> Option<String> {
        let object = self.object;
        let plain = |s: &&LocalSymbol| self.plain.contains(s.name.as_str());
        let mut at_it = object
            .symbols
            .iter()
            .filter(|s| s.place == Place::Rodata(at));
        let named = at_it.find(plain);
        if let Some(symbol) = named {
            return Some(quoted(&symbol.name).into_owned());
        }
        let described =
            |k: &KernelSymbol| (k.descriptor_offset..k.descriptor_offset + 64).contains(&at);
        if object.kernels.iter().any(described) || at > object.rodata.len() as u64 {
            return None;
        }
        let label = format!(".Lconstant_{at:x}");
        Some(self.constants.entry(at).or_insert(label).clone())
    }

    fn name_targets(
        &mut self,
        steps: &[Step],
        starts: &HashSet<u64>,
        end: u64,
        reached: impl Iterator<Item = u64>,
    ) {
        let mut wanted: Vec<u64> = steps.iter().filter_map(|s| s.to).collect();
        wanted.extend(reached);
        wanted.sort_unstable();
        wanted.dedup();
        let mut counts = vec![0usize; self.object.kernels.len().max(1)];
        for to in wanted {
            if !starts.contains(&to) && to != end {
                continue;
            }
            let kernel = self.object.kernels.iter().find(|k| k.code_offset == to);
            let plain = |s: &&&LocalSymbol| self.plain.contains(s.name.as_str());
            let symbol = self.labels.get(&to).and_then(|l| l.iter().find(plain));
            let name = match (symbol, kernel) {
                (Some(symbol), _) => quoted(&symbol.name).into_owned(),
                (None, Some(kernel)) => quoted(&kernel.name).into_owned(),
                (None, None) => {
                    let k = self.kernel_at(to);
                    counts[k] += 1;
                    format!(".LBB{k}_{}", counts[k])
                }
            };
            self.targets.insert(to, name);
        }
    }

    /// Labels and what else stands before the instruction at `at`.
    fn places(&mut self, at: u64, _starts: &HashSet<u64>, end: u64) {
        let object = self.object;
        if let Some(ends) = self.ends.remove(&at) {
            for (name, label) in ends {
                self.line(format_args!("{label}:"));
                self.line(format_args!("\t.size {name}, {label}-{name}"));
            }
        }
        for kernel in object.kernels.iter().filter(|k| k.code_offset == at) {
            let name = quoted(&kernel.name);
            self.line("");
            self.line(format_args!("\t.globl {name}"));
            match kernel.descriptor_visibility {
                Visibility::Default => {}
                Visibility::Internal => self.line(format_args!("\t.internal {name}")),
                Visibility::Hidden => self.line(format_args!("\t.hidden {name}")),
                Visibility::Protected => self.line(format_args!("\t.protected {name}")),
            }
            self.line("\t.p2align 8");
            self.line(format_args!("\t.type {name},@function"));
            self.line(format_args!("{name}:"));
            let stop = at.saturating_add(kernel.code_size);
            if kernel.code_size > 0 && !self.ends.contains_key(&stop) {
                self.line(format_args!("\t.size {name}, {}", kernel.code_size));
            }
        }
        let symbols = self.labels.remove(&at).unwrap_or_default();
        for symbol in symbols {
            self.define(symbol, None);
        }
        if let Some(name) = self.targets.get(&at)
            && name.starts_with(".LBB")
        {
            let name = name.clone();
            self.line(format_args!("{name}:"));
        }
        if at == end {
            // What is left points behind the last whole dword.
            let rest = std::mem::take(&mut self.labels);
            for (place, symbols) in rest {
                for symbol in symbols {
                    self.define(symbol, Some(format!(".+{}", place.wrapping_sub(at))));
                }
            }
        }
    }

    /// Symbols that point into an instruction.
    fn places_inside(&mut self, step: &Step) {
        for at in step.at + 1..step.at + step.len {
            for symbol in self.labels.remove(&at).unwrap_or_default() {
                let back = step.at + step.len - at;
                self.define(symbol, Some(format!(".-{back}")));
            }
        }
    }

    /// Defines a symbol: as a label here, or with a value.
    pub(super) fn define(&mut self, symbol: &LocalSymbol, value: Option<String>) {
        let name = quoted(&symbol.name);
        if !self.plain.contains(symbol.name.as_str()) {
            let value = value.as_deref().unwrap_or(".");
            let (kind, size) = (symbol.kind, symbol.size);
            let visibility = symbol.visibility as u8;
            let name = quoted_always(&symbol.name);
            let here = |s: &LocalSymbol| std::ptr::eq(s, symbol);
            let index = match self.orders.symbols {
                true => self.object.symbols.iter().position(here),
                false => None,
            };
            let index = index.map(|i| format!(", {i}")).unwrap_or_default();
            return self.line(format_args!(
                "\t.wavesmith_symbol {name}, {value}, {kind}, {size:#x}, {visibility}{index}"
            ));
        }
        self.attributes(symbol);
        match value {
            None => self.line(format_args!("{name}:")),
            Some(value) => self.line(format_args!("\t.set {name}, {value}")),
        }
    }

    fn attributes(&mut self, symbol: &LocalSymbol) {
        let name = quoted(&symbol.name);
        match symbol.visibility {
            Visibility::Default => {}
            Visibility::Internal => self.line(format_args!("\t.internal {name}")),
            Visibility::Hidden => self.line(format_args!("\t.hidden {name}")),
            Visibility::Protected => self.line(format_args!("\t.protected {name}")),
        }
        match symbol.kind {
            1 => self.line(format_args!("\t.type {name},@object")),
            2 => self.line(format_args!("\t.type {name},@function")),
            _ => {}
        }
        let labelled = match symbol.place {
            Place::Text(at) => self
                .ends
                .get(&at.saturating_add(symbol.size))
                .is_some_and(|ends| ends.iter().any(|(n, _)| *n == name)),
            _ => false,
        };
        if symbol.size > 0 && !labelled {
            self.line(format_args!("\t.size {name}, {:#x}", symbol.size));
        }
    }

    /// Many of one dword, with nothing pointing into them: as one directive. Returns where they end.
    fn padding(&mut self, step: &Step, rest: &[Step]) -> Option<u64> {
        const S_NOP: u32 = 0xbf80_0000;
        let text = &self.object.text;
        let word_at = |at: u64| {
            let bytes = text.get(at as usize..at as usize + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        let word = word_at(step.at)?;
        if step.len != 4 || step.to.is_some() {
            return None;
        }
        let free = |at: u64| {
            !self.labels.contains_key(&at)
                && !self.targets.contains_key(&at)
                && !self.ends.contains_key(&at)
                && !self.object.kernels.iter().any(|k| k.code_offset == at)
        };
        let mut count = 1;
        while rest
            .get(count)
            .is_some_and(|s| s.len == 4 && word_at(s.at) == Some(word) && free(s.at))
        {
            count += 1;
        }
        let stop = step.at + 4 * count as u64;
        let next = self.object.kernels.iter().any(|k| k.code_offset == stop);
        if next && word == S_NOP && stop - step.at < 256 {
            return Some(stop);
        }
        if count < 8 {
            return None;
        }
        match step.inst {
            Ok(_) => self.out.instructions += count,
            Err(_) => self.out.undecoded += count,
        }
        let mut text = String::new();
        match &step.inst {
            Ok(inst) => print(inst, self.target, &mut text),
            Err(_) => text.push_str("no instruction"),
        }
        self.line(format_args!("\t.fill {count}, 4, {word:#010x} // {text}"));
        Some(stop)
    }

    fn instruction(&mut self, step: &Step) {
        let bytes = &self.object.text[step.at as usize..(step.at + step.len) as usize];
        let word = |c: &[u8]| c.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b));
        let inst = match &step.inst {
            Ok(inst) => inst,
            Err(_) => {
                self.out.undecoded += 1;
                let word = word(bytes);
                self.line(format_args!("\t.long {word:#010x} // no instruction"));
                return;
            }
        };
        self.out.instructions += 1;
        let kernel = self.kernel_at(step.at);
        if let Some(used) = self.used.get_mut(kernel) {
            for (most, n) in used.iter_mut().zip(registers(inst)) {
                *most = (*most).max(n.into());
            }
        }
        if let Some(text) = self.distances.get(&step.at) {
            let _ = writeln!(self.out.text, "\t{text}");
            return;
        }
        let start = self.out.text.len();
        self.out.text.push('\t');
        print(inst, self.target, &mut self.out.text);
        let text = &self.out.text[start + 1..];
        let means_it = |text: &str| {
            parse(text, self.target).is_ok_and(|again| {
                again == *inst
                    || encode(&again, self.target)
                        .is_ok_and(|e| e.as_words().iter().copied().eq(bytes.chunks(4).map(word)))
            })
        };
        if !means_it(text) {
            if let Some(text) = swizzled(inst, text).filter(|text| means_it(text)) {
                self.out.text.truncate(start);
                self.line(format_args!("\t{text}"));
                return;
            }
            self.out.respelled += 1;
            let text = text.to_owned();
            self.out.text.truncate(start);
            let words: Vec<String> = bytes
                .chunks(4)
                .map(|c| format!("{:#010x}", word(c)))
                .collect();
            self.line(format_args!("\t.long {} // {text}", words.join(", ")));
            return;
        }
        if let Some(label) = step.to.and_then(|to| self.targets.get(&to)) {
            let number = text.rfind(' ').map_or(0, |at| at + 1);
            self.out.text.truncate(start + 1 + number);
            self.out.text.push_str(label);
        }
        self.out.text.push('\n');
    }
}

/// A `ds_swizzle_b32` with its pattern as a number: LLVM's words for patterns are the same for many numbers.
fn swizzled(inst: &wavesmith_isa::Inst, text: &str) -> Option<String> {
    let (operands, _) = text.split_once(" offset:swizzle(")?;
    let gds = if text.ends_with(" gds") { " gds" } else { "" };
    Some(format!("{operands} offset:{:#x}{gds}", inst.imm & 0xffff))
}
