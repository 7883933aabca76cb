//! What is checked: decoded text, and where kernels start in it.

use crate::Kernel;
use wavesmith_isa::{Inst, Target, decode::decode_bytes};

/// One instruction of the text.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Byte offset in the text.
    pub offset: u32,
    /// Dwords.
    pub dwords: u8,
    /// The instruction; `None` where the word is none.
    pub inst: Option<Inst>,
}

impl Line {
    /// Byte offset of what follows.
    pub fn end(&self) -> u32 {
        self.offset + 4 * u32::from(self.dwords)
    }
}

/// Registers that a descriptor gives a wave, by which a kernel is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// VGPRs that may be named.
    pub vgprs: u32,
    /// AccVGPRs that may be named.
    pub agprs: u32,
    /// SGPRs `s0..` that may be named.
    pub sgprs: u32,
    /// SGPRs that hold something at entry.
    pub initial_sgprs: u32,
    /// VGPRs that hold something at entry.
    pub initial_vgprs: u32,
}

/// A place where execution starts.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Kernel or function.
    pub name: String,
    /// Instruction.
    pub at: usize,
    /// What the descriptor says; `None` for a function, of which nothing is known.
    pub declared: Option<Declared>,
}

/// Decoded text and its entries.
#[derive(Clone, Debug)]
pub struct Program {
    /// Target.
    pub target: Target,
    /// Instructions in order.
    pub lines: Vec<Line>,
    /// Kernels and functions.
    pub entries: Vec<Entry>,
}

impl Program {
    /// Decodes a text section. `entries` are (name, byte offset, declared registers); one whose offset is not the start
    /// of an instruction is left out.
    pub fn decode(
        code: &[u8],
        target: Target,
        entries: impl IntoIterator<Item = (String, u64, Option<Declared>)>,
    ) -> Program {
        let lines = decode_bytes(code, target)
            .map(|d| Line {
                offset: d.offset as u32,
                dwords: d.words as u8,
                inst: d.inst.ok(),
            })
            .collect();
        let mut program = Program {
            target,
            lines,
            entries: Vec::new(),
        };
        for (name, offset, declared) in entries {
            if let Some(at) = i64::try_from(offset).ok().and_then(|o| program.index_of(o)) {
                program.entries.push(Entry { name, at, declared });
            }
        }
        program
    }

    /// A kernel just built. Everything a wave can start with counts as initialised.
    pub fn of_kernel(kernel: &Kernel) -> Program {
        let r = &kernel.resources;
        let mut lines = Vec::with_capacity(kernel.insts.len());
        for (i, inst) in kernel.insts.iter().enumerate() {
            let (offset, end) = (kernel.offsets[i], kernel.offsets[i + 1]);
            lines.push(Line {
                offset,
                dwords: ((end - offset) / 4) as u8,
                inst: Some(*inst),
            });
        }
        let declared = Declared {
            vgprs: r.vgprs.max(1),
            agprs: r.agprs,
            sgprs: 102,
            initial_sgprs: 5,
            initial_vgprs: 1,
        };
        Program {
            target: kernel.target,
            lines,
            entries: vec![Entry {
                name: kernel.name.clone(),
                at: 0,
                declared: Some(declared),
            }],
        }
    }

    /// Instructions without addresses of their own, such as a test's; nothing is known of the start.
    pub fn of_insts(insts: &[Inst], target: Target) -> Program {
        let mut offset = 0;
        let mut lines = Vec::with_capacity(insts.len());
        for inst in insts {
            let dwords =
                wavesmith_isa::encode::encode(inst, target).map_or(1, |e| e.as_words().len() as u8);
            lines.push(Line {
                offset,
                dwords,
                inst: Some(*inst),
            });
            offset += 4 * u32::from(dwords);
        }
        Program {
            target,
            lines,
            entries: vec![Entry {
                name: "code".to_owned(),
                at: 0,
                declared: None,
            }],
        }
    }

    /// The instruction at a byte offset.
    pub fn index_of(&self, offset: i64) -> Option<usize> {
        let offset = u32::try_from(offset).ok()?;
        self.lines.binary_search_by_key(&offset, |l| l.offset).ok()
    }
}
