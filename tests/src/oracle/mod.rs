//! LLVM as an oracle: text to bytes and bytes to text, from a worker process (see `docs/src/oracle.md`).

mod ffi;
mod wire;
pub mod worker;

use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use wavesmith_isa::Target;
use wire::Ask;

/// The environment variable with the path of an LLVM library that has LLVM-C and the AMDGPU target.
pub const LIBRARY: &str = "WAVESMITH_LLVM";

/// What LLVM says of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// It took the item.
    Yes(T),
    /// It refused the item, and what it said.
    No(String),
    /// It crashed on the item.
    Crash,
}

impl<T> Answer<T> {
    /// What it made of the item, if it took it.
    pub fn yes(&self) -> Option<&T> {
        match self {
            Answer::Yes(t) => Some(t),
            Answer::No(_) | Answer::Crash => None,
        }
    }
}

/// An instruction that LLVM disassembled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// Bytes that it takes.
    pub size: usize,
    /// With single spaces and without comments.
    pub text: String,
    /// The comments, in which LLVM puts its doubts (`/*Invalid register …*/`, `Warning: …`); empty when there are none.
    pub doubt: String,
}

/// LLVM in a process of its own.
pub struct Oracle {
    child: Child,
    to: Option<BufWriter<ChildStdin>>,
    from: BufReader<ChildStdout>,
}

/// Items in a batch: few enough that a crash in it costs little.
const BATCH: usize = 8192;

impl Oracle {
    /// The oracle, when the environment names one; else a message on standard error, and `None`.
    ///
    /// # Panics
    /// When a library is named but can't be used: a wrong path must not pass for a passed test.
    pub fn from_env(worker: &str) -> Option<Oracle> {
        let Some(library) = std::env::var_os(LIBRARY).map(PathBuf::from) else {
            // Not eprintln!, which a test's passing would hide.
            let note = "does not name an LLVM library (docs/src/oracle.md)";
            let _ = writeln!(io::stderr(), "SKIPPED: {LIBRARY} {note}");
            return None;
        };
        match Oracle::start(Path::new(worker), &library) {
            Ok(o) => Some(o),
            Err(e) => panic!("{LIBRARY}={}: {e}", library.display()),
        }
    }

    /// Starts a worker.
    ///
    /// # Errors
    /// When it does not start, or can't load the library.
    pub fn start(worker: &Path, library: &Path) -> io::Result<Oracle> {
        let mut child = Command::new(worker)
            .arg(library)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let closed = || io::Error::other("the worker has no pipes");
        let to = child.stdin.take().ok_or_else(closed)?;
        let from = child.stdout.take().ok_or_else(closed)?;
        let mut oracle = Oracle {
            child,
            to: Some(BufWriter::new(to)),
            from: BufReader::new(from),
        };
        match wire::byte(&mut oracle.from) {
            Ok(wire::DONE) => Ok(oracle),
            _ => Err(io::Error::other("the worker could not load LLVM")),
        }
    }

    /// The code of each line, assembled on its own.
    ///
    /// # Panics
    /// When the worker itself is lost.
    pub fn assemble<S: AsRef<str>>(&mut self, lines: &[S], target: Target) -> Vec<Answer<Vec<u8>>> {
        let items: Vec<&[u8]> = lines.iter().map(|l| l.as_ref().as_bytes()).collect();
        let raw = self.all(Ask::Assemble, target, &items);
        raw.into_iter()
            .map(|a| match a {
                Answer::Yes((_, code)) => Answer::Yes(code),
                Answer::No(why) => Answer::No(why),
                Answer::Crash => Answer::Crash,
            })
            .collect()
    }

    /// The first instruction of each piece of code.
    ///
    /// # Panics
    /// When the worker itself is lost.
    pub fn disassemble<B: AsRef<[u8]>>(&mut self, code: &[B], target: Target) -> Vec<Answer<Text>> {
        let items: Vec<&[u8]> = code.iter().map(AsRef::as_ref).collect();
        let raw = self.all(Ask::Disassemble, target, &items);
        raw.into_iter()
            .map(|a| match a {
                Answer::Yes((size, text)) => {
                    Answer::Yes(Text::new(size, &String::from_utf8_lossy(&text)))
                }
                Answer::No(why) => Answer::No(why),
                Answer::Crash => Answer::Crash,
            })
            .collect()
    }

    fn all(&mut self, what: Ask, target: Target, items: &[&[u8]]) -> Vec<Answer<(usize, Vec<u8>)>> {
        let mut answers = Vec::with_capacity(items.len());
        for batch in items.chunks(BATCH) {
            self.batch(what, target, batch, &mut answers)
                .expect("the oracle's worker answers");
        }
        answers
    }

    fn batch(
        &mut self,
        what: Ask,
        target: Target,
        items: &[&[u8]],
        answers: &mut Vec<Answer<(usize, Vec<u8>)>>,
    ) -> io::Result<()> {
        let to = self.to.as_mut().ok_or_else(|| io::Error::other("closed"))?;
        wire::ask(to, what, target, items.iter().copied())?;
        let before = answers.len();
        let whole = loop {
            match wire::byte(&mut self.from)? {
                wire::YES => {
                    let size = wire::number(&mut self.from)?;
                    answers.push(Answer::Yes((size, wire::get(&mut self.from)?)));
                }
                wire::NO => {
                    wire::number(&mut self.from)?;
                    let why = wire::get(&mut self.from)?;
                    answers.push(Answer::No(String::from_utf8_lossy(&why).into_owned()));
                }
                end => break end == wire::DONE,
            }
        };
        if whole {
            return Ok(());
        }
        // The assembler answers a batch as one, so its culprit is not known yet.
        let done = answers.len() - before;
        let rest = &items[done.min(items.len())..];
        match what {
            _ if rest.len() <= 1 => answers.extend(rest.iter().map(|_| Answer::Crash)),
            Ask::Disassemble => {
                answers.push(Answer::Crash);
                self.batch(what, target, &rest[1..], answers)?;
            }
            Ask::Assemble => {
                let (a, b) = rest.split_at(rest.len() / 2);
                self.batch(what, target, a, answers)?;
                self.batch(what, target, b, answers)?;
            }
        }
        Ok(())
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // The worker ends when its input does.
        self.to = None;
        let mut rest = Vec::new();
        let _ = self.from.read_to_end(&mut rest);
        let _ = self.child.wait();
    }
}

impl Text {
    fn new(size: usize, raw: &str) -> Text {
        let (mut text, mut doubt) = (String::new(), String::new());
        let mut rest = raw;
        while let Some(at) = rest.find("/*") {
            text += &rest[..at];
            let end = rest[at..].find("*/").map_or(rest.len(), |e| at + e + 2);
            doubt += &rest[at..end];
            rest = &rest[end..];
        }
        // `;` before a warning, `//` before other remarks.
        match rest.find("//").into_iter().chain(rest.find("; ")).min() {
            Some(at) => {
                text += &rest[..at];
                doubt += &rest[at..];
            }
            None => text += rest,
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        Text {
            size,
            text: words.join(" "),
            doubt: doubt.trim().to_owned(),
        }
    }
}
