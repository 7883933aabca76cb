//! An object's source.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

use thiserror::Error;
use wavesmith_isa::Target;
use wavesmith_isa::decode::decode_bytes;
use wavesmith_isa::encode::encode;
use wavesmith_isa::table::Role;
use wavesmith_isa::text::{parse, print};

use super::assemble::{Options, assemble};
use super::directive::flag_text;
use super::inst::registers;
use super::lex::quoted;
use super::{describe, metadata};
use crate::object::{
    CodeObject, KernelSymbol, LocalSymbol, ObjectError, ObjectFile, Place, Platform, Visibility,
    WriteError, write,
};

/// An object's source, and how much of it is no instruction's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disassembled {
    /// The source.
    pub text: String,
    /// Instructions in `.text`.
    pub instructions: usize,
    /// Dwords that are no instruction.
    pub undecoded: usize,
    /// Instructions whose text means other bits, so that their dwords are given, with the text as a comment.
    pub respelled: usize,
}

/// Why an object has no source.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DisassembleError {
    /// The object holds what a rewritten one could not.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The object cannot be written again.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The source was made and does not give the same object.
    #[error("the object's source would not give the same object: {detail}")]
    Differs {
        /// The first difference.
        detail: String,
    },
}

/// The source of an object, which [`assemble()`] and [`write()`] turn into the same bytes: that is tried here.
///
/// # Errors
/// [`DisassembleError`].
pub fn disassemble(file: &ObjectFile<'_>) -> Result<Disassembled, DisassembleError> {
    let object = file.to_spec()?;
    let mut orders = Orders::default();
    let mut detail = String::new();
    // Orders of symbols are written down only where they are not those of a plain source.
    for _ in 0..2 {
        let made = Printer::new(&object, &orders).print()?;
        let again = match assemble(&made.text, &Options::default()) {
            Ok(again) => again,
            Err(errors) => {
                detail = errors.first().map(ToString::to_string).unwrap_or_default();
                break;
            }
        };
        if again == object {
            if write(&again)? == file.bytes() {
                return Ok(made);
            }
            detail = "the file is laid out in another way than a linker's".to_owned();
            break;
        }
        detail = difference(&object, &again);
        orders = Orders {
            kernels: true,
            symbols: again.symbols != object.symbols,
            counts: again.metadata != object.metadata,
        };
    }
    Err(DisassembleError::Differs { detail })
}

#[derive(Debug, Clone, Copy, Default)]
struct Orders {
    kernels: bool,
    symbols: bool,
    /// The metadata states less than the code uses: it must not be put right.
    counts: bool,
}

fn difference(a: &CodeObject, b: &CodeObject) -> String {
    if a.platform != b.platform {
        return format!("platform {:?}, then {:?}", a.platform, b.platform);
    }
    if a.text != b.text {
        let at = a.text.iter().zip(&b.text).position(|(x, y)| x != y);
        let at = at.unwrap_or(a.text.len().min(b.text.len()));
        return format!(".text differs at {at:#x}");
    }
    if a.rodata != b.rodata {
        return ".rodata differs".to_owned();
    }
    if a.metadata != b.metadata {
        return "metadata differs".to_owned();
    }
    for (x, y) in a.kernels.iter().zip(&b.kernels) {
        if x != y {
            return format!("kernel {x:?}, then {y:?}");
        }
    }
    for (x, y) in a.symbols.iter().zip(&b.symbols) {
        if x != y {
            return format!("symbol {x:?}, then {y:?}");
        }
    }
    if a.symbols.len() != b.symbols.len() {
        return format!("{} symbols, then {}", a.symbols.len(), b.symbols.len());
    }
    if a.sections != b.sections {
        return "a section differs".to_owned();
    }
    if a.comment != b.comment {
        return ".comment differs".to_owned();
    }
    "kernels or padding differ".to_owned()
}

struct Printer<'a> {
    object: &'a CodeObject,
    orders: &'a Orders,
    target: Target,
    out: Disassembled,
    /// For each place in `.text`, the symbols there.
    labels: BTreeMap<u64, Vec<&'a LocalSymbol>>,
    /// For each place that a branch goes to, its label.
    targets: HashMap<u64, String>,
    /// For each instruction whose literal is a distance, what to write instead of the number.
    distances: HashMap<u64, String>,
    /// For each constant that code reaches and that has no name, its label.
    constants: BTreeMap<u64, String>,
    /// Names that a label can have: nobody else has them, and no assembler keeps them to itself.
    plain: HashSet<&'a str>,
    /// Where functions end whose size is stated.
    ends: BTreeMap<u64, Vec<(String, String)>>,
    /// Per kernel, one more than the highest register used.
    used: Vec<[u64; 3]>,
    absolute: Vec<&'a LocalSymbol>,
}

/// One decoded step of `.text`.
pub(super) struct Step {
    pub(super) at: u64,
    pub(super) len: u64,
    pub(super) inst: Result<wavesmith_isa::Inst, u32>,
    /// Where it branches to.
    to: Option<u64>,
}

impl<'a> Printer<'a> {
    fn new(object: &'a CodeObject, orders: &'a Orders) -> Printer<'a> {
        let mut labels: BTreeMap<u64, Vec<&LocalSymbol>> = BTreeMap::new();
        for symbol in &object.symbols {
            if let Place::Text(at) = symbol.place {
                labels.entry(at).or_default().push(symbol);
            }
        }
        let mut times: HashMap<&str, usize> = HashMap::new();
        let kernels = object.kernels.iter().map(|k| k.name.as_str());
        for name in object
            .symbols
            .iter()
            .map(|s| s.name.as_str())
            .chain(kernels)
        {
            *times.entry(name).or_insert(0) += 1;
        }
        let kept = |name: &str| [".L", ".amdgcn.", "\""].iter().any(|p| name.starts_with(p));
        times.retain(|name, n| *n == 1 && !name.is_empty() && *name != "." && !kept(name));
        Printer {
            plain: times.into_keys().collect(),
            object,
            orders,
            target: object.platform.target,
            out: Disassembled {
                text: String::with_capacity(object.text.len() * 12 + 4096),
                instructions: 0,
                undecoded: 0,
                respelled: 0,
            },
            labels,
            targets: HashMap::new(),
            distances: HashMap::new(),
            constants: BTreeMap::new(),
            ends: BTreeMap::new(),
            used: vec![[0; 3]; object.kernels.len()],
            absolute: Vec::new(),
        }
    }

    fn line(&mut self, line: impl std::fmt::Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.out.text, "{line}");
    }

    fn print(mut self) -> Result<Disassembled, DisassembleError> {
        let object = self.object;
        let platform = object.platform;
        self.line(format_args!(
            "\t.amdgcn_target {}",
            quoted_always(&platform.triple())
        ));
        let version = platform.abi.number() + 2;
        self.line(format_args!("\t.amdhsa_code_object_version {version}"));
        if stated(platform) != platform {
            self.line(format_args!("\t.wavesmith_flags {:#x}", platform.e_flags()));
        }
        if !object.relro_padding {
            self.line("\t.wavesmith_relro_padding 0");
        }
        self.orders();
        self.line("");
        self.text();
        self.rodata();
        for section in &object.sections {
            let kind = match section.kind {
                1 => "progbits".to_owned(),
                7 => "note".to_owned(),
                8 => "nobits".to_owned(),
                n => format!("{n:#x}"),
            };
            let name = match section.name.contains([',', ' ', '"']) {
                true => quoted_always(&section.name),
                false => section.name.clone(),
            };
            let flags = flag_text(section.flags);
            let mut line = format!("\t.section {name},\"{flags}\",@{kind}");
            if section.entry_size > 0 {
                let _ = write!(line, ",{}", section.entry_size);
            }
            self.line(line);
            if section.align > 1 {
                self.line(format_args!(
                    "\t.p2align {}",
                    section.align.trailing_zeros()
                ));
            }
            self.data(&section.data);
        }
        self.comment();
        let absolute = std::mem::take(&mut self.absolute);
        for symbol in absolute {
            if let Place::Absolute(value) = symbol.place {
                self.define(symbol, Some(format!("{value:#x}")));
            }
        }
        self.line("");
        let Some(text) = metadata::text(&object.metadata) else {
            return Err(DisassembleError::Differs {
                detail: "its metadata has values that YAML has no words for".to_owned(),
            });
        };
        self.line("\t.amdgpu_metadata");
        self.out.text.push_str(&text);
        self.line("\t.end_amdgpu_metadata");
        Ok(self.out)
    }

    fn orders(&mut self) {
        let object = self.object;
        if self.orders.counts {
            self.line("\t.wavesmith_metadata_counts 0 // as stated, though the code uses more");
        }
        if self.orders.kernels && object.kernels.len() > 1 {
            let names: Vec<_> = object.kernels.iter().map(|k| quoted(&k.name)).collect();
            self.line(format_args!(
                "\t.wavesmith_kernel_order {}",
                names.join(", ")
            ));
        }
        if self.orders.symbols {
            let names: Vec<_> = object.symbols.iter().map(|s| quoted(&s.name)).collect();
            for some in names.chunks(8) {
                self.line(format_args!(
                    "\t.wavesmith_symbol_order {}",
                    some.join(", ")
                ));
            }
        }
    }

    fn comment(&mut self) {
        let comment = &self.object.comment;
        let strings: Option<Vec<&str>> = comment.strip_suffix(b"\0").and_then(|c| {
            c.split(|b| *b == 0)
                .map(|s| std::str::from_utf8(s).ok())
                .collect()
        });
        match strings {
            Some(strings) => {
                for text in strings {
                    self.line(format_args!("\t.ident {}", quoted_always(text)));
                }
            }
            None => {
                self.line("\t.section .comment,\"MS\",@progbits,1");
                self.data(comment);
            }
        }
    }

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

    fn text(&mut self) {
        let object = self.object;
        let steps = self.steps();
        let starts: HashSet<u64> = steps.iter().map(|s| s.at).collect();
        let end = object.text.len() as u64 / 4 * 4;
        let reached = super::distance::find(object, &steps);
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
    fn define(&mut self, symbol: &LocalSymbol, value: Option<String>) {
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

    fn rodata(&mut self) {
        let object = self.object;
        let mut kernels: Vec<usize> = (0..object.kernels.len()).collect();
        kernels.sort_by_key(|i| object.kernels[*i].descriptor_offset);
        let mut symbols: Vec<(u64, &LocalSymbol)> = Vec::new();
        for symbol in &object.symbols {
            match symbol.place {
                Place::Rodata(at) => symbols.push((at, symbol)),
                Place::Absolute(_) => self.absolute.push(symbol),
                Place::Text(_) => {}
            }
        }
        symbols.sort_by_key(|(at, _)| *at);
        self.line("");
        self.line("\t.section .rodata,\"a\",@progbits");
        let mut symbols = symbols.into_iter().peekable();
        let mut at = 0;
        for i in kernels {
            let kernel = &object.kernels[i];
            let to = kernel.descriptor_offset;
            self.constants(&mut at, to, &mut symbols);
            while let Some((_, symbol)) = symbols.next_if(|(place, _)| *place == at) {
                self.define(symbol, None);
            }
            self.line("\t.p2align 6");
            let about = object.metadata.kernel(&kernel.name);
            describe::print(kernel, about, self.used[i], &mut self.out.text);
            at = to + 64;
            while let Some((place, symbol)) = symbols.next_if(|(place, _)| *place < at) {
                self.define(symbol, Some(format!(".-{}", at - place)));
            }
        }
        self.constants(&mut at, object.rodata.len() as u64, &mut symbols);
        if let Some(label) = self.constants.remove(&at) {
            self.line(format_args!("{label}:"));
        }
        for (_, symbol) in symbols {
            self.define(symbol, None);
        }
    }

    /// Constants from `at` up to `to`, with the symbols there.
    fn constants(
        &mut self,
        at: &mut u64,
        to: u64,
        symbols: &mut std::iter::Peekable<std::vec::IntoIter<(u64, &'a LocalSymbol)>>,
    ) {
        while *at < to {
            if let Some(label) = self.constants.remove(at) {
                self.line(format_args!("{label}:"));
            }
            while let Some((_, symbol)) = symbols.next_if(|(place, _)| *place <= *at) {
                self.define(symbol, None);
            }
            let stop = symbols.peek().map_or(to, |(place, _)| (*place).min(to));
            let label = self.constants.range(*at + 1..).next();
            let stop = label.map_or(stop, |(place, _)| stop.min(*place));
            let data = self.object.rodata.get(*at as usize..stop as usize);
            self.data(data.unwrap_or_default());
            *at = stop;
        }
    }

    /// Bytes, eight dwords a line.
    fn data(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let zeros = rest.iter().take_while(|b| **b == 0).count();
            if zeros >= 16 {
                self.line(format_args!("\t.zero {zeros}"));
                rest = &rest[zeros..];
                continue;
            }
            let (name, size) = if rest.len() >= 4 {
                (".long", 4)
            } else {
                (".byte", 1)
            };
            let take = (rest.len() / size).min(8) * size;
            let values: Vec<String> = rest[..take]
                .chunks(size)
                .map(|c| c.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b)))
                .map(|w| format!("{w:#x}"))
                .collect();
            self.line(format_args!("\t{name} {}", values.join(", ")));
            rest = &rest[take..];
        }
    }
}

/// A `ds_swizzle_b32` with its pattern as a number: LLVM's words for patterns are the same for many numbers.
fn swizzled(inst: &wavesmith_isa::Inst, text: &str) -> Option<String> {
    let (operands, _) = text.split_once(" offset:swizzle(")?;
    let gds = if text.ends_with(" gds") { " gds" } else { "" };
    Some(format!("{operands} offset:{:#x}{gds}", inst.imm & 0xffff))
}

/// What the target's name and the version say.
fn stated(platform: Platform) -> Platform {
    use crate::object::Feature;
    let plain = |f: Feature| match f {
        Feature::Unsupported => Feature::Any,
        f => f,
    };
    Platform {
        abi: platform.abi,
        xnack: plain(platform.xnack),
        sramecc: plain(platform.sramecc),
        ..Platform::new(platform.target)
    }
}

fn quoted_always(text: &str) -> String {
    match quoted(text) {
        std::borrow::Cow::Owned(text) => text,
        std::borrow::Cow::Borrowed(text) => format!("\"{text}\""),
    }
}
