//! The assembler's state, and one statement after the other.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use wavesmith_isa::Target;

use super::amdhsa::KernelBlock;
use super::error::{Problem, SourceError};
use super::expand::Macro;
use super::expr::{self, Expr, NoValue, SectionId, SymbolId, Value};
use super::inst::Usage;
use super::lex::{Comments, Cursor, code_part, starts_name};
use super::symbols::{Definition, Section, Symbols};
use crate::object::{CodeObject, Platform};

/// Errors after which reading stops.
const MAX_ERRORS: usize = 100;

/// What a source does not say itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The chip; `.amdgcn_target` says it too, and must then say the same.
    pub target: Option<Target>,
}

/// Assembles a source to an object's content; [`crate::object::write()`] makes the file of it.
///
/// ```
/// use wavesmith_loader::Target;
/// use wavesmith_loader::source::{Options, assemble};
///
/// let source = "
///     .globl nothing
///     .p2align 8
/// nothing:
///     s_endpgm
///     .amdhsa_kernel nothing
///         .amdhsa_next_free_vgpr 1
///         .amdhsa_next_free_sgpr 2
///         .amdhsa_accum_offset 4
///     .end_amdhsa_kernel
/// ";
/// let object = assemble(source, &Options { target: Some(Target::Gfx950) })
///     .map_err(|errors| errors[0].clone())?;
/// assert_eq!(object.kernels[0].name, "nothing");
/// assert_eq!(object.text, [0x00, 0x00, 0x81, 0xbf]);
/// # Ok::<(), wavesmith_loader::source::SourceError>(())
/// ```
///
/// # Errors
/// Every refused place, in order, up to a hundred.
pub fn assemble(source: &str, options: &Options) -> Result<CodeObject, Vec<SourceError>> {
    let mut assembler = Assembler::new(options);
    let lines = split(source);
    assembler.run(&lines, 0);
    assembler.link()
}

/// Assembles a source to the bytes of its `.text`, whether it has a kernel or not.
///
/// # Errors
/// As [`assemble()`].
pub fn assemble_code(source: &str, options: &Options) -> Result<Vec<u8>, Vec<SourceError>> {
    let mut assembler = Assembler::new(options);
    let lines = split(source);
    assembler.run(&lines, 0);
    assembler.code()
}

/// Where a line is in the source.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Origin {
    pub(super) number: usize,
    pub(super) start: usize,
    pub(super) len: usize,
    /// Whether the text was made by a macro or a repetition, so that columns are not the source's.
    pub(super) made: bool,
}

/// One line to be read.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) origin: Origin,
}

/// A source's lines, block comments taken out.
fn split(source: &str) -> Vec<Line<'_>> {
    let mut comments = Comments::default();
    let mut start = 0;
    let mut metadata = false;
    let line = |(i, full): (usize, &'_ str)| {
        let text = full.strip_suffix('\r').unwrap_or(full);
        let origin = Origin {
            number: i + 1,
            start,
            len: text.len(),
            made: false,
        };
        start += full.len() + 1;
        match text.trim() {
            ".amdgpu_metadata" => metadata = true,
            ".end_amdgpu_metadata" => metadata = false,
            _ => {}
        }
        // Metadata is YAML: what looks like a comment there may be a type's name.
        let blanked = if metadata { None } else { comments.blank(text) };
        (blanked, origin)
    };
    source
        .split('\n')
        .enumerate()
        .map(line)
        .collect::<Vec<_>>()
        .into_iter()
        .map(|(blanked, origin)| Line {
            text: match blanked {
                Some(text) => Cow::Owned(text),
                None => Cow::Borrowed(&source[origin.start..origin.start + origin.len]),
            },
            origin,
        })
        .collect()
}

/// A place to be filled once every symbol is known.
#[derive(Debug, Clone)]
pub(super) struct Fixup {
    pub(super) section: SectionId,
    pub(super) offset: u64,
    pub(super) expr: Expr,
    pub(super) kind: FixupKind,
    pub(super) origin: Origin,
    pub(super) span: Range<usize>,
    pub(super) within: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) enum FixupKind {
    /// Bytes of a number.
    Data(usize),
    /// The dwords a branch jumps.
    Branch(wavesmith_isa::Inst),
    /// A literal; the error says what the operand is if it turns out to be no symbol.
    Literal(wavesmith_isa::Inst),
}

pub(super) struct Assembler {
    pub(super) platform: Option<Platform>,
    pub(super) asked: Option<Target>,
    pub(super) abi: Option<crate::object::AbiVersion>,
    pub(super) flags: Option<u32>,
    pub(super) sections: Vec<Section>,
    pub(super) current: SectionId,
    pub(super) previous: SectionId,
    pub(super) stack: Vec<(SectionId, SectionId)>,
    pub(super) symbols: Symbols,
    pub(super) fixups: Vec<Fixup>,
    pub(super) errors: Vec<SourceError>,
    pub(super) macros: HashMap<String, Macro>,
    pub(super) expansions: usize,
    pub(super) made_lines: usize,
    pub(super) origin: Origin,
    pub(super) line: String,
    pub(super) kernels: Vec<KernelBlock>,
    pub(super) open_kernel: Option<KernelBlock>,
    pub(super) usage: Vec<Usage>,
    pub(super) metadata: Option<super::metadata::Block>,
    pub(super) idents: Vec<u8>,
    pub(super) relro_padding: bool,
    pub(super) raise_counts: bool,
    pub(super) kernel_order: Vec<String>,
    pub(super) symbol_order: Vec<String>,
    pub(super) leave: bool,
    pub(super) needs_kernel: bool,
}

impl Assembler {
    fn new(options: &Options) -> Assembler {
        let section = |name: &str, flags, align| Section {
            name: name.to_owned(),
            kind: 1,
            flags,
            align,
            entry_size: 0,
            data: Vec::new(),
        };
        let mut symbols = Symbols::default();
        for name in [super::inst::NEXT_FREE_VGPR, super::inst::NEXT_FREE_SGPR] {
            let id = symbols.id(name);
            symbols.get_mut(id).definition = Some(Definition::Set(Expr::Number(0)));
        }
        if let Some(target) = options.target {
            generation(&mut symbols, target);
        }
        Assembler {
            platform: None,
            asked: options.target,
            abi: None,
            flags: None,
            sections: vec![section(".text", 6, 4), section(".rodata", 2, 1)],
            current: super::TEXT,
            previous: super::TEXT,
            stack: Vec::new(),
            symbols,
            fixups: Vec::new(),
            errors: Vec::new(),
            macros: HashMap::new(),
            expansions: 0,
            made_lines: 0,
            origin: Origin::default(),
            line: String::new(),
            kernels: Vec::new(),
            open_kernel: None,
            usage: Vec::new(),
            metadata: None,
            idents: Vec::new(),
            relro_padding: true,
            raise_counts: true,
            kernel_order: Vec::new(),
            symbol_order: Vec::new(),
            leave: false,
            needs_kernel: true,
        }
    }

    pub(super) fn section(&mut self) -> &mut Section {
        &mut self.sections[self.current.0]
    }

    pub(super) fn offset(&self) -> u64 {
        self.sections[self.current.0].data.len() as u64
    }

    pub(super) fn target(&self) -> Option<Target> {
        self.platform.map(|p| p.target).or(self.asked)
    }

    pub(super) fn stopped(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    /// Refuses bytes of the current line.
    pub(super) fn fail(&mut self, span: Range<usize>, problem: Problem) {
        let within = self.within();
        let error = error_at(self.origin, span, within, problem);
        self.push_error(error);
    }

    pub(super) fn push_error(&mut self, error: SourceError) {
        if !self.stopped() {
            self.errors.push(error);
        }
    }

    /// The current line, where the source does not have it as it is.
    pub(super) fn within(&self) -> Option<String> {
        self.origin.made.then(|| self.line.trim().to_owned())
    }

    /// One line: labels, then a directive, an assignment, a macro or an instruction.
    pub(super) fn statement(&mut self, text: &str) {
        let mut c = Cursor::new(text);
        loop {
            let Some(first) = c.peek() else { return };
            let start = c.at;
            if first.is_ascii_digit() {
                let number = c.number();
                if c.rest().starts_with(':')
                    && let Some(number) = number
                {
                    c.at += 1;
                    let id = self.symbols.define_local(number as u64);
                    self.define_label(id, start..c.at - 1);
                    continue;
                }
                let found = &text[start..];
                self.fail(
                    start..text.trim_end().len(),
                    Problem::expected("a label, a directive or an instruction", found),
                );
                return;
            }
            if first == b'"' || starts_name(first) {
                let Some(name) = c.name() else {
                    self.fail(
                        start..text.trim_end().len(),
                        Problem::expected("a closing `\"`", ""),
                    );
                    return;
                };
                let end = c.at;
                if c.rest().starts_with(':') {
                    c.at += 1;
                    let id = self.symbols.id(&name);
                    self.define_label(id, start..end);
                    continue;
                }
                c.skip_space();
                if c.rest().starts_with('=') && !c.rest().starts_with("==") {
                    c.at += 1;
                    self.assign(&name, start..end, &mut c);
                    return;
                }
                if first == b'.' && !self.macros.contains_key(&name) {
                    self.directive(&name, start..end, &mut c);
                    return;
                }
                if self.open_kernel.is_some() {
                    let problem = Problem::expected(
                        "a `.amdhsa_…` directive or `.end_amdhsa_kernel`",
                        &text[start..],
                    );
                    self.fail(start..text.trim_end().len(), problem);
                    return;
                }
                self.instruction(text[start..].trim_end(), start);
                return;
            }
            self.fail(
                start..text.trim_end().len(),
                Problem::expected("a label, a directive or an instruction", &text[start..]),
            );
            return;
        }
    }

    pub(super) fn define_label(&mut self, id: SymbolId, span: Range<usize>) {
        let place = Definition::Label(self.current, self.offset());
        let line = self.origin.number;
        let symbol = self.symbols.get_mut(id);
        if symbol.definition.is_some() {
            let problem = Problem::Redefined {
                name: symbol.name.clone(),
                first: symbol.line,
            };
            self.fail(span, problem);
            return;
        }
        symbol.definition = Some(place);
        symbol.line = line;
        self.symbols.appear(id);
    }

    /// `name = expression`, `.set name, expression`.
    pub(super) fn assign(&mut self, name: &str, span: Range<usize>, c: &mut Cursor<'_>) {
        let Some(value) = self.expression(c) else {
            return;
        };
        if !self.at_end(c) {
            return;
        }
        if name == "." {
            self.org(&value, span);
            return;
        }
        let id = self.symbols.id(name);
        let line = self.origin.number;
        let symbol = self.symbols.get_mut(id);
        if let Some(Definition::Label(..)) = symbol.definition {
            let problem = Problem::Redefined {
                name: name.to_owned(),
                first: symbol.line,
            };
            self.fail(span, problem);
            return;
        }
        symbol.definition = Some(Definition::Set(value));
        symbol.line = line;
        // LLVM keeps its own two counters out of the symbol table.
        if !name.starts_with(".amdgcn.") {
            self.symbols.appear(id);
        }
    }

    /// Reads an expression; refuses the line where there is none.
    pub(super) fn expression(&mut self, c: &mut Cursor<'_>) -> Option<Expr> {
        let start = {
            c.skip_space();
            c.at
        };
        match expr::parse(c, self) {
            Ok(expr) => Some(expr),
            Err(at) => {
                let text = c.text;
                let found = text.get(at..).unwrap_or("");
                let end = text.trim_end().len().max(start);
                self.fail(at.min(end)..end, Problem::expected("an expression", found));
                None
            }
        }
    }

    /// Reads an expression whose value must be known now.
    pub(super) fn number(&mut self, c: &mut Cursor<'_>) -> Option<i64> {
        c.skip_space();
        let start = c.at;
        let expr = self.expression(c)?;
        let span = start..c.at;
        match self.symbols.evaluate(&expr) {
            Ok(Value::Absolute(n)) => Some(n),
            Ok(_) => {
                let reason = "a number is needed here, and a place is no number".to_owned();
                self.fail(span, Problem::NoValue { reason });
                None
            }
            Err(why) => {
                let problem = self.no_value(&why);
                self.fail(span, problem);
                None
            }
        }
    }

    pub(super) fn no_value(&self, why: &NoValue) -> Problem {
        match why {
            NoValue::Undefined(id) => Problem::UndefinedSymbol {
                name: self.symbols.shown(*id),
            },
            NoValue::Places => Problem::NoValue {
                reason: "places can only be subtracted from each other within one section"
                    .to_owned(),
            },
            NoValue::Zero => Problem::NoValue {
                reason: "it divides by zero".to_owned(),
            },
            NoValue::Arguments => Problem::NoValue {
                reason: "the function cannot have these arguments".to_owned(),
            },
            NoValue::Circle(id) => Problem::NoValue {
                reason: format!("`{}` depends on itself", self.symbols.shown(*id)),
            },
        }
    }

    /// Whether the line ends here; refuses what is left.
    pub(super) fn at_end(&mut self, c: &mut Cursor<'_>) -> bool {
        if c.at_end() {
            return true;
        }
        let span = c.at..c.text.trim_end().len();
        self.fail(span, Problem::expected("the line's end", c.rest()));
        false
    }
}

/// The symbols by which a source asks for the chip: 9.4.2 or 9.5.0.
pub(super) fn generation(symbols: &mut Symbols, target: Target) {
    let (minor, stepping) = match target {
        Target::Gfx942 => (4, 2),
        Target::Gfx950 => (5, 0),
    };
    for (name, value) in [("number", 9), ("minor", minor), ("stepping", stepping)] {
        let id = symbols.id(&format!(".amdgcn.gfx_generation_{name}"));
        symbols.get_mut(id).definition = Some(Definition::Set(Expr::Number(value)));
    }
}

pub(super) fn error_at(
    origin: Origin,
    span: Range<usize>,
    within: Option<String>,
    problem: Problem,
) -> SourceError {
    let (from, to) = if origin.made {
        (0, origin.len)
    } else {
        (span.start.min(origin.len), span.end.min(origin.len))
    };
    SourceError {
        line: origin.number,
        column: from + 1,
        span: origin.start + from..origin.start + to.max(from),
        problem,
        within,
    }
}

impl expr::Names for Assembler {
    fn symbol(&mut self, name: &str) -> SymbolId {
        self.symbols.id(name)
    }
    fn local(&mut self, number: u64, backward: bool) -> SymbolId {
        self.symbols.local(number, backward)
    }
    fn set_value(&self, id: SymbolId) -> Option<Expr> {
        match &self.symbols.get(id).definition {
            Some(Definition::Set(expr)) => Some(expr.clone()),
            _ => None,
        }
    }
    fn here(&self) -> (SectionId, u64) {
        (self.current, self.offset())
    }
}

/// The code of a line as the loop over lines sees it.
pub(super) fn code<'a>(line: &'a Line<'_>) -> &'a str {
    code_part(&line.text)
}
