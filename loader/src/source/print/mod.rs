//! An object's source: `code` writes `.text`, `constants` writes `.rodata` and other sections' bytes.

mod code;
mod constants;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

use thiserror::Error;
use wavesmith_isa::Target;

use super::assemble::{Options, assemble};
use super::directive::flag_text;
use super::lex::quoted;
use super::metadata;
use crate::object::{
    CodeObject, LocalSymbol, ObjectError, ObjectFile, Place, Platform, WriteError, write,
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
