//! What a finished kernel is: the instruction stream is the only authority from here on.

use crate::plan::PlanError;
use wavesmith_isa::encode::EncodeError;
use wavesmith_isa::{Inst, Target};

/// What an argument holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// Address of a buffer in global memory, 8 bytes.
    Pointer,
    /// Unsigned 32-bit value.
    U32,
    /// 32-bit float.
    F32,
}

impl ArgKind {
    /// Bytes in the kernarg segment; also its alignment.
    pub const fn size(self) -> u32 {
        match self {
            ArgKind::Pointer => 8,
            ArgKind::U32 | ArgKind::F32 => 4,
        }
    }
}

/// One kernel argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Name, for metadata and launchers.
    pub name: String,
    /// Kind.
    pub kind: ArgKind,
    /// Byte offset in the kernarg segment.
    pub offset: u32,
}

/// What the kernel takes of a compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// VGPRs a lane.
    pub vgprs: u32,
    /// AccVGPRs a lane.
    pub agprs: u32,
    /// Named SGPRs a wave, without VCC and the other specials.
    pub sgprs: u32,
    /// LDS bytes a workgroup.
    pub lds_bytes: u32,
    /// Waves one SIMD can hold by registers alone.
    pub waves_per_simd: u32,
}

/// Why a kernel could not be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// Registers could not be had.
    #[error("kernel `{kernel}`: {source}")]
    Registers {
        /// Kernel name.
        kernel: String,
        /// The plan's answer.
        source: PlanError,
    },
    /// LDS regions exceed what a workgroup may use.
    #[error(
        "kernel `{kernel}`: LDS over budget: {wanted} bytes planned (last: `{region}`), {limit} on {target}"
    )]
    Lds {
        /// Kernel name.
        kernel: String,
        /// The region that went over.
        region: String,
        /// Bytes planned with it.
        wanted: u64,
        /// Bytes there are.
        limit: u32,
        /// Target.
        target: Target,
    },
    /// No encoding of the instruction takes the operands.
    #[error("kernel `{kernel}`: instruction {index} ({mnemonic}): {why}")]
    Operand {
        /// Kernel name.
        kernel: String,
        /// Position in the stream.
        index: usize,
        /// Mnemonic.
        mnemonic: &'static str,
        /// What does not fit.
        why: String,
    },
    /// The encoder refused an instruction.
    #[error("kernel `{kernel}`: instruction {index} ({mnemonic}): {source}")]
    Encode {
        /// Kernel name.
        kernel: String,
        /// Position in the stream.
        index: usize,
        /// Mnemonic.
        mnemonic: &'static str,
        /// The encoder's answer.
        source: EncodeError,
    },
    /// A label was branched to and never bound, or bound twice.
    #[error("kernel `{kernel}`: label `{label}` {what}")]
    Label {
        /// Kernel name.
        kernel: String,
        /// Label.
        label: String,
        /// What is wrong.
        what: &'static str,
    },
    /// A branch does not reach.
    #[error(
        "kernel `{kernel}`: branch to `{label}` is {dwords} dwords away, 16 signed bits reach -32768..=32767"
    )]
    BranchTooFar {
        /// Kernel name.
        kernel: String,
        /// Label.
        label: String,
        /// Distance.
        dwords: i64,
    },
    /// The last instruction neither ends the program nor branches.
    #[error(
        "kernel `{kernel}`: control runs past the last instruction; end with s_endpgm or a branch"
    )]
    RunsOff {
        /// Kernel name.
        kernel: String,
    },
}

/// A finished kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Symbol name.
    pub name: String,
    /// Target.
    pub target: Target,
    /// Instructions, branches resolved.
    pub insts: Vec<Inst>,
    /// Byte offset of each instruction, and of the end.
    pub offsets: Vec<u32>,
    /// Name and instruction index of every bound label.
    pub labels: Vec<(String, usize)>,
    /// Notes by instruction index, in order.
    pub notes: Vec<(usize, String)>,
    /// Registers and LDS.
    pub resources: Resources,
    /// Arguments.
    pub args: Vec<Arg>,
    /// Bytes of the kernarg segment.
    pub kernarg_size: u32,
    /// Work-items of a workgroup.
    pub workgroup: [u32; 3],
    code: Vec<u8>,
}

impl Kernel {
    pub(crate) fn assemble(mut self) -> Result<Kernel, BuildError> {
        self.offsets.clear();
        self.code.clear();
        for (index, inst) in self.insts.iter().enumerate() {
            self.offsets.push(self.code.len() as u32);
            let enc = wavesmith_isa::encode::encode(inst, self.target).map_err(|source| {
                BuildError::Encode {
                    kernel: self.name.clone(),
                    index,
                    mnemonic: inst.op.info().name,
                    source,
                }
            })?;
            for w in enc.as_words() {
                self.code.extend_from_slice(&w.to_le_bytes());
            }
        }
        self.offsets.push(self.code.len() as u32);
        Ok(self)
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn new(
        name: String,
        target: Target,
        insts: Vec<Inst>,
        labels: Vec<(String, usize)>,
        notes: Vec<(usize, String)>,
        resources: Resources,
        args: Vec<Arg>,
        kernarg_size: u32,
        workgroup: [u32; 3],
    ) -> Kernel {
        Kernel {
            name,
            target,
            insts,
            offsets: Vec::new(),
            labels,
            notes,
            resources,
            args,
            kernarg_size,
            workgroup,
            code: Vec::new(),
        }
    }

    /// The machine code.
    pub fn code(&self) -> &[u8] {
        &self.code
    }
}

impl Kernel {
    /// The listing: a line per instruction, labels and notes between, and what the kernel takes on top.
    pub fn listing(&self) -> String {
        use std::fmt::Write as _;
        let r = self.resources;
        let mut out = String::new();
        let _ = writeln!(out, "; {} for {}", self.name, self.target);
        let _ = writeln!(
            out,
            "; {} VGPRs, {} AccVGPRs, {} SGPRs, {} bytes of LDS, {} waves a SIMD; {} instructions, {} bytes",
            r.vgprs,
            r.agprs,
            r.sgprs,
            r.lds_bytes,
            r.waves_per_simd,
            self.insts.len(),
            self.code.len()
        );
        let mut text = String::new();
        for (i, inst) in self.insts.iter().enumerate() {
            for (name, _) in self.labels.iter().filter(|(_, at)| *at == i) {
                let _ = writeln!(out, "{name}:");
            }
            for (_, note) in self.notes.iter().filter(|(at, _)| *at == i) {
                let _ = writeln!(out, "  ; {note}");
            }
            text.clear();
            let target = self.branch_target(i);
            wavesmith_isa::text::print(inst, self.target, &mut text);
            match target {
                // A label reads better than a count of dwords, and assembles to the same.
                Some(label) => {
                    let mnemonic = inst.op.info().name;
                    let _ = writeln!(out, "  {mnemonic} {label}");
                }
                None => {
                    let _ = writeln!(out, "  {text}");
                }
            }
        }
        out
    }

    /// The label that branch `i` goes to.
    fn branch_target(&self, i: usize) -> Option<&str> {
        use wavesmith_isa::table::Role;
        let inst = self.insts.get(i)?;
        let info = inst.op.info();
        if info.operands.len() != 1 || info.operands[0].role != Role::Label {
            return None;
        }
        let to = i64::from(*self.offsets.get(i + 1)?) + 4 * i64::from(inst.imm);
        let at = self.offsets.iter().position(|o| i64::from(*o) == to)?;
        self.labels
            .iter()
            .find(|(_, p)| *p == at)
            .map(|(n, _)| n.as_str())
    }
}
