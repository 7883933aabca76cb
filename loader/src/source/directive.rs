//! Directives for sections, symbols and the object as a whole.

use std::ops::Range;

use super::assemble::Assembler;
use super::data::DATA;
use super::error::Problem;
use super::expr::{Expr, SectionId, Value};
use super::lex::Cursor;
use super::symbols::{Definition, Section};
use crate::object::{AbiVersion, Feature, Platform, Visibility};

/// Directives that say something for other tools and nothing that an object of ours holds.
const IGNORED: [&str; 20] = [
    ".file",
    ".loc",
    ".addrsig",
    ".addrsig_sym",
    ".altmacro",
    ".noaltmacro",
    ".amdgpu_info",
    ".end_amdgpu_info",
    ".warning",
    ".print",
    ".title",
    ".sbttl",
    ".list",
    ".nolist",
    ".psize",
    ".eject",
    ".lcomm_note",
    ".version",
    ".amd_amdgpu_isa",
    ".amd_kernel_code_version",
];

/// The names [`Assembler::directive`] takes, for "did you mean".
const KNOWN: [&str; 34] = [
    ".text",
    ".data",
    ".rodata",
    ".section",
    ".pushsection",
    ".popsection",
    ".previous",
    ".globl",
    ".global",
    ".weak",
    ".local",
    ".hidden",
    ".protected",
    ".internal",
    ".type",
    ".size",
    ".set",
    ".equ",
    ".equiv",
    ".ident",
    ".macro",
    ".endm",
    ".rept",
    ".endr",
    ".irp",
    ".if",
    ".else",
    ".endif",
    ".amdgcn_target",
    ".amdhsa_code_object_version",
    ".amdhsa_kernel",
    ".end_amdhsa_kernel",
    ".amdgpu_metadata",
    ".end_amdgpu_metadata",
];

impl Assembler {
    pub(super) fn directive(&mut self, name: &str, span: Range<usize>, c: &mut Cursor<'_>) {
        if self.open_kernel.is_some() {
            return self.kernel_directive(name, span, c);
        }
        match name {
            ".text" | ".data" | ".rodata" | ".bss" => {
                c.number();
                if self.at_end(c) {
                    self.switch(name);
                }
            }
            ".section" => self.section_directive(c, false),
            ".pushsection" => self.section_directive(c, true),
            ".popsection" => match self.stack.pop() {
                Some((current, previous)) => (self.current, self.previous) = (current, previous),
                None => self.not_here(name, span, "no `.pushsection` is open"),
            },
            ".previous" => std::mem::swap(&mut self.current, &mut self.previous),
            ".globl" | ".global" | ".weak" | ".local" | ".hidden" | ".protected" | ".internal" => {
                self.attribute(name, c)
            }
            ".type" => self.type_directive(c),
            ".size" => {
                let Some(id) = self.symbol_name(c) else {
                    return;
                };
                c.eat(",");
                let place = (self.origin, span);
                if let Some(size) = self.expression(c)
                    && self.at_end(c)
                {
                    self.symbols.get_mut(id).size = Some((size, place));
                }
            }
            ".set" | ".equ" | ".equiv" => {
                c.skip_space();
                let start = c.at;
                match c.name() {
                    Some(symbol) => {
                        let span = start..c.at;
                        c.eat(",");
                        self.assign(&symbol, span, c);
                    }
                    None => self.expected("a symbol's name", c),
                }
            }
            ".amdgcn_target" => self.target_directive(span, c),
            ".amdhsa_code_object_version" => {
                let Some(n) = self.number(c) else { return };
                let abi = u8::try_from(n)
                    .ok()
                    .and_then(|n| n.checked_sub(2))
                    .and_then(AbiVersion::from_number);
                match abi {
                    Some(abi) => self.abi = Some(abi),
                    None => self.fail(
                        span,
                        Problem::OutOfRange {
                            what: "the code object version".to_owned(),
                            expected: "3 to 6".to_owned(),
                            found: n,
                        },
                    ),
                }
            }
            ".amdhsa_kernel" => self.open_kernel(c, span),
            ".ident" => match c.string() {
                Some(text) => {
                    self.idents.extend_from_slice(&text);
                    self.idents.push(0);
                }
                None => self.expected("a string", c),
            },
            ".wavesmith_flags" => {
                if let Some(flags) = self.number(c) {
                    self.flags = Some(flags as u32);
                }
            }
            ".wavesmith_relro_padding" => {
                if let Some(n) = self.number(c) {
                    self.relro_padding = n != 0;
                }
            }
            ".wavesmith_symbol" => self.symbol_directive(c),
            ".wavesmith_metadata_counts" => {
                if let Some(n) = self.number(c) {
                    self.raise_counts = n != 0;
                }
            }
            ".wavesmith_kernel_order" => self.kernel_order = self.names(c),
            ".wavesmith_symbol_order" => {
                let names = self.names(c);
                self.symbol_order.extend(names);
            }
            ".error" | ".err" => {
                let text = c.string().unwrap_or_default();
                let message = match String::from_utf8_lossy(&text).into_owned() {
                    text if text.is_empty() => format!("the source says `{name}`"),
                    text => text,
                };
                self.fail(span, Problem::Stated { message });
            }
            ".include" | ".incbin" => self.not_here(name, span, "a source is one file"),
            ".amdgpu_hsa_kernel"
            | ".amd_kernel_code_t"
            | ".hsa_code_object_version"
            | ".hsa_code_object_isa" => self.not_here(
                name,
                span,
                "it is of code object v2; write `.amdhsa_kernel`",
            ),
            ".amdgpu_lds" => self.not_here(
                name,
                span,
                "LDS is placed by hand: `.amdhsa_group_segment_fixed_size`",
            ),
            _ if IGNORED.contains(&name) || name.starts_with(".cfi_") => {}
            _ if DATA.iter().any(|(d, _)| *d == name) => self.data_directive(name, span, c),
            _ => {
                let known = KNOWN.iter().copied().chain(DATA.iter().map(|(d, _)| *d));
                let nearest = nearest(name, known.chain(super::amdhsa::names()));
                let name = name.to_owned();
                self.fail(span, Problem::UnknownDirective { name, nearest });
            }
        }
    }

    pub(super) fn not_here(&mut self, name: &str, span: Range<usize>, reason: &str) {
        let name = name.to_owned();
        let reason = reason.to_owned();
        self.fail(span, Problem::NotHere { name, reason });
    }

    pub(super) fn expected(&mut self, what: &str, c: &mut Cursor<'_>) {
        c.skip_space();
        let end = c.text.trim_end().len();
        self.fail(c.at.min(end)..end, Problem::expected(what, c.rest()));
    }

    fn names(&mut self, c: &mut Cursor<'_>) -> Vec<String> {
        let mut names = Vec::new();
        while let Some(name) = c.name() {
            names.push(name);
            if !c.eat(",") {
                break;
            }
        }
        self.at_end(c);
        names
    }

    fn symbol_name(&mut self, c: &mut Cursor<'_>) -> Option<super::expr::SymbolId> {
        match c.name() {
            Some(name) => Some(self.symbols.id(&name)),
            None => {
                self.expected("a symbol's name", c);
                None
            }
        }
    }

    /// The section of that name, made with the properties names like it have.
    pub(super) fn section_id(&mut self, name: &str) -> SectionId {
        if let Some(at) = self.sections.iter().position(|s| s.name == name) {
            return SectionId(at);
        }
        let (kind, flags) = match name {
            _ if name == ".text" || name.starts_with(".text.") => (1, 6),
            ".data" => (1, 3),
            ".bss" => (8, 3),
            _ if name == ".rodata" || name.starts_with(".rodata.") => (1, 2),
            _ if name == ".note" || name.starts_with(".note.") => (7, 0),
            _ => (1, 0),
        };
        self.sections.push(Section {
            name: name.to_owned(),
            kind,
            flags,
            align: if flags & 4 != 0 { 4 } else { 1 },
            entry_size: 0,
            data: Vec::new(),
        });
        SectionId(self.sections.len() - 1)
    }

    fn switch(&mut self, name: &str) -> SectionId {
        let id = self.section_id(name);
        self.previous = self.current;
        self.current = id;
        id
    }

    /// `.section name, "flags", @type, entry size`, and what COFF and groups add, which is passed over.
    fn section_directive(&mut self, c: &mut Cursor<'_>, push: bool) {
        let name = match c.peek() {
            Some(b'"') => c.name(),
            _ => Some(c.word().to_owned()).filter(|w| !w.is_empty()),
        };
        let Some(name) = name else {
            return self.expected("a section's name", c);
        };
        let known = self.sections.iter().any(|s| s.name == name);
        if push {
            self.stack.push((self.current, self.previous));
        }
        let id = self.switch(&name);
        if !c.eat(",") {
            self.at_end(c);
            return;
        }
        let mut section = self.sections[id.0].clone();
        if let Some(flags) = c.string() {
            section.flags = match String::from_utf8_lossy(&flags).parse::<u64>() {
                Ok(number) => number,
                Err(_) => flags.iter().fold(0, |f, letter| f | flag_bit(*letter)),
            };
            if c.eat(",") && (c.eat("@") || c.eat("%")) {
                let word = c.word();
                section.kind = match word {
                    "progbits" => 1,
                    "nobits" => 8,
                    "note" => 7,
                    "init_array" => 14,
                    "fini_array" => 15,
                    number => Cursor::new(number).number().unwrap_or(1) as u32,
                };
                if c.eat(",")
                    && let Some(size) = c.number()
                {
                    section.entry_size = size as u64;
                }
            }
        }
        if !known {
            self.sections[id.0] = section;
        }
    }

    fn attribute(&mut self, directive: &str, c: &mut Cursor<'_>) {
        loop {
            let Some(id) = self.symbol_name(c) else {
                return;
            };
            self.symbols.appear(id);
            let symbol = self.symbols.get_mut(id);
            match directive {
                ".globl" | ".global" | ".weak" => symbol.global = true,
                ".local" => symbol.global = false,
                ".hidden" => symbol.visibility = Visibility::Hidden,
                ".protected" => symbol.visibility = Visibility::Protected,
                _ => symbol.visibility = Visibility::Internal,
            }
            if !c.eat(",") {
                break;
            }
        }
        self.at_end(c);
    }

    fn type_directive(&mut self, c: &mut Cursor<'_>) {
        let Some(id) = self.symbol_name(c) else {
            return;
        };
        c.eat(",");
        let _ = c.eat("@") || c.eat("%") || c.eat("#");
        c.skip_space();
        let word = match c.peek() {
            Some(b'"') => c.name().unwrap_or_default(),
            _ => c.word().to_owned(),
        };
        let kind = match word.as_str() {
            "function" | "STT_FUNC" => 2,
            "object" | "STT_OBJECT" => 1,
            "notype" | "STT_NOTYPE" => 0,
            _ => {
                let end = c.at;
                let what = "@function, @object or @notype";
                let problem = Problem::expected(what, &word);
                return self.fail(end - word.len().min(end)..end, problem);
            }
        };
        self.symbols.appear(id);
        self.symbols.get_mut(id).kind = kind;
        self.at_end(c);
    }

    /// `.wavesmith_symbol name, value, kind, size, visibility, index`: a symbol whose name could not be a label's here, since
    /// another has it or an assembler would keep it to itself.
    fn symbol_directive(&mut self, c: &mut Cursor<'_>) {
        let Some(name) = c.name() else {
            return self.expected("a symbol's name", c);
        };
        c.eat(",");
        let Some(value) = self.expression(c) else {
            return;
        };
        let mut numbers = [0i64, 0, 0, -1];
        for n in &mut numbers {
            if c.eat(",") {
                let Some(found) = self.number(c) else { return };
                *n = found;
            }
        }
        if !self.at_end(c) {
            return;
        }
        let origin = self.origin;
        let id = self.symbols.nameless(&name);
        let symbol = self.symbols.get_mut(id);
        symbol.definition = Some(Definition::Set(value));
        symbol.line = origin.number;
        symbol.index = usize::try_from(numbers[3]).ok();
        symbol.kind = (numbers[0] & 3) as u8;
        symbol.size = Some((Expr::Number(numbers[1]), (origin, 0..origin.len)));
        symbol.visibility = match numbers[2] {
            1 => Visibility::Internal,
            2 => Visibility::Hidden,
            3 => Visibility::Protected,
            _ => Visibility::Default,
        };
    }

    fn target_directive(&mut self, span: Range<usize>, c: &mut Cursor<'_>) {
        c.skip_space();
        let start = c.at;
        let Some(text) = c.string() else {
            return self.expected("a string such as \"amdgcn-amd-amdhsa--gfx942\"", c);
        };
        let at = start..c.at;
        let text = String::from_utf8_lossy(&text).into_owned();
        let Some(platform) = platform(&text) else {
            let what =
                "\"amdgcn-amd-amdhsa--\" and gfx942 or gfx950, perhaps with :sramecc+ or :xnack-";
            return self.fail(at, Problem::expected(what, &text));
        };
        if let Some(asked) = self.asked
            && asked != platform.target
        {
            let what = format!("{asked}, which was asked for");
            return self.fail(at, Problem::expected(what, &text));
        }
        if self.platform.is_some_and(|p| p != platform) {
            return self.not_here(".amdgcn_target", span, "another one was given before");
        }
        self.platform = Some(platform);
        super::assemble::generation(&mut self.symbols, platform.target);
    }

    /// `. = expression` and `.org`: forward within the section.
    pub(super) fn org(&mut self, to: &Expr, span: Range<usize>) {
        let here = self.offset();
        let target = match self.symbols.evaluate(to) {
            Ok(Value::Place(section, at)) if section == self.current => Some(at),
            Ok(Value::Absolute(at)) => Some(at),
            _ => None,
        };
        let room = super::data::MAX_SECTION;
        match target.and_then(|t| u64::try_from(t).ok()) {
            Some(to) if to >= here && to <= room => self.section().data.resize(to as usize, 0),
            _ => {
                let reason = format!("`.` moves forward only, from {here:#x} to at most {room:#x}");
                self.fail(span, Problem::NoValue { reason });
            }
        }
    }
}

/// From a target id with its triple.
fn platform(text: &str) -> Option<Platform> {
    let id = text.rsplit_once("--").map_or(text, |(_, id)| id);
    let mut parts = id.split(':');
    let mut platform = Platform::new(parts.next()?.parse().ok()?);
    for part in parts {
        let feature = match part.as_bytes().last()? {
            b'+' => Feature::On,
            b'-' => Feature::Off,
            _ => return None,
        };
        match &part[..part.len() - 1] {
            "xnack" => platform.xnack = feature,
            "sramecc" => platform.sramecc = feature,
            _ => return None,
        }
    }
    Some(platform)
}

/// `SHF_*` by the letter GNU's assembler has for it.
const FLAGS: [(u8, u64); 9] = [
    (b'a', 2),
    (b'w', 1),
    (b'x', 4),
    (b'M', 0x10),
    (b'S', 0x20),
    (b'o', 0x80),
    (b'G', 0x200),
    (b'T', 0x400),
    (b'e', 0x8000_0000),
];

fn flag_bit(letter: u8) -> u64 {
    FLAGS
        .iter()
        .find(|(l, _)| *l == letter)
        .map_or(0, |(_, bit)| *bit)
}

/// The letters for `flags`, or its number where letters do not say it.
pub(super) fn flag_text(flags: u64) -> String {
    // A group, or an order, needs more than a letter.
    let lettered = FLAGS.iter().filter(|(l, _)| !matches!(l, b'o' | b'G'));
    let mut left = flags;
    let mut text = String::new();
    for (letter, bit) in lettered {
        if flags & bit != 0 {
            text.push(char::from(*letter));
            left &= !bit;
        }
    }
    if left == 0 { text } else { flags.to_string() }
}

/// The name with the fewest changes from `word`, if they are few.
pub(super) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|n| (distance(word, n), n))
        .min()
        .filter(|(d, n)| *d <= 1 + n.len() / 5)
        .map(|(_, n)| n)
}

fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
