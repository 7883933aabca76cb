//! Predecoding: code bytes to a dense array of ops whose operands are resolved to rows, scalar codes and constants.

use wavesmith_isa::decode::decode_bytes;
use wavesmith_isa::operand::{OperandKind, code};
use wavesmith_isa::table::{Format, ModSet, Role, Ty};
use wavesmith_isa::{Inst, Operand, Target};

use crate::exec::{self, Handler};
use crate::wave::{AGPR, VGPR};

/// Where a source is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Kind {
    /// The slot is not used.
    #[default]
    None,
    /// A vector register: `idx` is its row.
    Row,
    /// A scalar register: `idx` is its code, 0..=127.
    Scalar,
    /// A constant: `value`.
    Const,
    /// SCC, VCCZ, EXECZ, an aperture: `idx` is its code.
    Special,
}

/// [`Src::mods`]: absolute value.
pub const ABS: u8 = 1;
/// [`Src::mods`]: negation.
pub const NEG: u8 = 2;
/// [`Src::mods`]: sign extension of the selected part.
pub const SEXT: u8 = 4;
/// [`Src::sel`]: the whole dword.
pub const SEL_DWORD: u8 = 6;

/// One source, resolved.
#[derive(Clone, Copy, Debug)]
pub struct Src {
    /// Where.
    pub kind: Kind,
    /// A vector register that needs no work: the fast path.
    pub plain: bool,
    /// [`ABS`], [`NEG`], [`SEXT`].
    pub mods: u8,
    /// Part of the dword, as SDWA selects it.
    pub sel: u8,
    /// Two dwords.
    pub wide: bool,
    /// Type.
    pub ty: Ty,
    /// Row or code.
    pub idx: u16,
    /// Constant.
    pub value: u64,
}

impl Src {
    const NONE: Src = Src {
        kind: Kind::None,
        plain: false,
        mods: 0,
        sel: SEL_DWORD,
        wide: false,
        ty: Ty::B32,
        idx: 0,
        value: 0,
    };
}

/// [`Op::flags`]: the result needs [`Wave::write_slow`](crate::wave::Wave::write_slow).
pub const DST_SLOW: u8 = 1;
/// [`Op::flags`]: DPP.
pub const DPP: u8 = 2;
/// [`Op::flags`]: SDWA.
pub const SDWA: u8 = 4;
/// [`Op::flags`]: a 16-bit result that keeps the other half.
pub const HALF: u8 = 8;
/// [`Op::flags`]: a compare that also writes EXEC.
pub const CMPX: u8 = 16;

/// One instruction, ready to run.
#[derive(Clone, Copy)]
pub struct Op {
    /// What runs it.
    pub run: Handler,
    /// Sources in assembly order.
    pub src: [Src; 3],
    /// Row, or scalar code, of the result.
    pub dst: u16,
    /// Second, scalar, result (carry, compare mask), or the scalar base of a memory access.
    pub sdst: u16,
    /// [`DST_SLOW`] …
    pub flags: u8,
    /// Type of the result.
    pub dst_ty: Ty,
    /// The instruction.
    pub inst: Inst,
    /// What an atomic does, and whether on 64 bits.
    pub atomic: Option<(exec::atomic::AtomicFn, bool)>,
    /// The atomic takes a comparand after its data.
    pub compares: bool,
    /// Op that a branch goes to.
    pub target: u32,
    /// Byte offset in the code.
    pub pc: u32,
    /// Bytes.
    pub len: u8,
}

/// Code of one module, predecoded.
pub struct Program {
    /// The ops in order of address. The last one is a fault: running past the end.
    pub ops: Vec<Op>,
    /// Op at each dword, `u32::MAX` within an instruction.
    at: Vec<u32>,
    /// Address of the first byte.
    pub base: u64,
    /// The target.
    pub target: Target,
}

impl Program {
    /// Predecodes `code`, which lies at `base`.
    pub fn new(code: &[u8], base: u64, target: Target) -> Program {
        let mut ops = Vec::new();
        let mut at = vec![u32::MAX; code.len() / 4];
        for d in decode_bytes(code, target) {
            if let Some(slot) = at.get_mut(d.offset / 4) {
                *slot = ops.len() as u32;
            }
            let mut op = match d.inst {
                Ok(inst) => resolve(inst),
                Err(word) => invalid(word),
            };
            op.pc = d.offset as u32;
            op.len = (d.words * 4) as u8;
            ops.push(op);
        }
        for op in &mut ops {
            let next = i64::from(op.pc) + i64::from(op.len);
            let to = next + i64::from(op.inst.imm) * 4;
            op.target = match usize::try_from(to).ok().and_then(|t| at.get(t / 4)) {
                Some(i) => *i,
                None => u32::MAX,
            };
        }
        let mut end = invalid(0);
        end.pc = code.len() as u32;
        end.run = exec::control::past_end;
        ops.push(end);
        Program {
            ops,
            at,
            base,
            target,
        }
    }

    /// The nearest branch target at or before a byte offset and not before `base`, as `L_0040` or `L_0040+0x8`,
    /// counted from `base`.
    pub fn label(&self, pc: u32, base: u32) -> Option<String> {
        let branch = |op: &Op| op.inst.op.info().slot(Role::Label).is_some();
        let target = self
            .ops
            .iter()
            .filter(|op| branch(op) && op.target != u32::MAX)
            .filter_map(|op| self.ops.get(op.target as usize))
            .map(|op| op.pc)
            .filter(|at| (base..=pc).contains(at))
            .max()?;
        let name = format!("L_{:04x}", target - base);
        Some(match pc - target {
            0 => name,
            behind => format!("{name}+{behind:#x}"),
        })
    }

    /// The op at an address.
    pub fn op_at(&self, address: u64) -> Option<usize> {
        let off = address.wrapping_sub(self.base);
        if !off.is_multiple_of(4) {
            return None;
        }
        let i = *self.at.get(usize::try_from(off / 4).ok()?)?;
        (i != u32::MAX).then_some(i as usize)
    }
}

fn invalid(word: u32) -> Op {
    let mut inst = Inst::new(wavesmith_isa::Op::S_NOP);
    inst.lit = word;
    Op {
        run: exec::control::invalid,
        src: [Src::NONE; 3],
        dst: 0,
        sdst: 0,
        flags: 0,
        dst_ty: Ty::B32,
        inst,
        atomic: None,
        compares: false,
        target: u32::MAX,
        pc: 0,
        len: 4,
    }
}

fn is_source(role: Role) -> bool {
    use Role::*;
    matches!(
        role,
        Src0 | Src1 | Src2 | Vsrc1 | SrcA | SrcB | SrcC | Ssrc | Ssrc0 | Ssrc1 | VccIn | KImm32
    )
}

/// Resolves one instruction.
pub fn resolve(inst: Inst) -> Op {
    let info = inst.op.info();
    let mut op = invalid(0);
    op.inst = inst;
    let mods = inst.mods;
    match info.format {
        Format::VOP1_DPP | Format::VOP2_DPP => op.flags |= DPP | DST_SLOW,
        Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA => op.flags |= SDWA,
        _ => {}
    }
    let mut n = 0;
    for (slot, o) in info.operands.iter().zip(inst.ops) {
        use Role::*;
        match slot.role {
            Vdst | Sdata if o.is_some() => {
                op.dst = place(o);
                op.dst_ty = slot.ty;
            }
            Sdst => {
                op.sdst = place(o);
                if info.slot(Vdst).is_none() {
                    op.dst = op.sdst;
                    op.dst_ty = slot.ty;
                }
            }
            VccOut => op.sdst = place(o),
            Srsrc | Sbase => op.sdst = place(o),
            Vdata if o.is_some() => {
                // A returning atomic has a result of its own.
                if info.slot(Vdst).is_none() {
                    op.dst = place(o);
                }
                op.src[1] = source(o, slot.ty, &inst);
            }
            Addr | Vaddr => op.src[0] = source(o, slot.ty, &inst),
            Data0 => op.src[1] = source(o, slot.ty, &inst),
            Data1 | Saddr | Soffset => op.src[2] = source(o, slot.ty, &inst),
            role if is_source(role) && n < 3 => {
                let ty = exec::narrow::source_type(info.name, n, slot.ty);
                let mut s = source(o, ty, &inst);
                if role != VccIn {
                    modify(&mut s, n, &inst, op.flags);
                }
                op.src[n] = s;
                n += 1;
            }
            _ => {}
        }
    }
    let vop3 = matches!(info.format, Format::VOP3A | Format::VOP3B);
    if op.flags & SDWA != 0 && info.mods.contains(ModSet::DST_SEL) && mods.dst_sel() != 6 {
        op.flags |= DST_SLOW;
    }
    if vop3 || op.flags & SDWA != 0 {
        let float = info.mods.contains(ModSet::OMOD) || is_float(op.dst_ty);
        if float && (mods.clamp() != 0 || info.mods.contains(ModSet::OMOD) && mods.omod() != 0) {
            op.flags |= DST_SLOW;
        }
    }
    if info.format == Format::VOP3A && info.mods.contains(ModSet::OP_SEL) && is_half(op.dst_ty) {
        op.flags |= HALF | DST_SLOW;
    }
    if info.name.starts_with("v_cmpx_") {
        op.flags |= CMPX;
    }
    if info.mem == wavesmith_isa::table::Mem::LoadStore {
        op.atomic = exec::atomic::operation(info.name);
        op.compares = info.name.contains("cmpswap");
    }
    op.run = exec::handler(&op);
    op
}

/// Whether the emulator has semantics for an instruction. Matrix instructions count as known: which shapes and types
/// have arithmetic is [`crate::mfma`]'s to say.
#[must_use]
pub fn supports(inst: &Inst) -> bool {
    exec::find(&resolve(*inst)).is_some()
}

/// Types of 16 bits.
pub fn is_half(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::Bf16 | Ty::B16 | Ty::I16 | Ty::U16)
}

fn is_float(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::F32 | Ty::F64 | Ty::Bf16)
}

/// Row of a vector register, code of a scalar one.
fn place(o: Operand) -> u16 {
    match o.kind() {
        OperandKind::Vgpr(i) => VGPR as u16 + i,
        OperandKind::Agpr(i) => AGPR as u16 + i,
        _ => o.code(),
    }
}

/// Modifiers of VALU source `n`.
fn modify(s: &mut Src, n: usize, inst: &Inst, flags: u8) {
    let info = inst.op.info();
    let m = inst.mods;
    if matches!(info.format, Format::VOP3P | Format::VOP3P_MAI) {
        return;
    }
    let bit = |field: u32| field >> n & 1 != 0;
    // bitop3's truth table lies in the same bits of the encoding, not of `Mods`.
    if bit(m.abs()) {
        s.mods |= ABS;
    }
    if bit(m.neg()) {
        s.mods |= NEG;
    }
    if flags & SDWA != 0 {
        s.sel = match n {
            0 => m.src0_sel() as u8,
            1 => m.src1_sel() as u8,
            _ => SEL_DWORD,
        };
        if n < 2 && bit(m.sext()) {
            s.mods |= SEXT;
        }
    } else if info.format == Format::VOP3A && is_half(s.ty) && bit(m.op_sel()) {
        s.sel = 5;
    }
    let dpp = flags & DPP != 0 && n == 0;
    s.plain = s.kind == Kind::Row && s.mods == 0 && s.sel == SEL_DWORD && !dpp;
}

/// An operand as a source of type `ty`.
fn source(o: Operand, ty: Ty, inst: &Inst) -> Src {
    let wide = matches!(
        ty,
        Ty::B64 | Ty::F64 | Ty::I64 | Ty::U64 | Ty::PkF32 | Ty::PkB32
    );
    let mut s = Src {
        ty,
        wide,
        ..Src::NONE
    };
    let constant = |mut s: Src, value: u64| {
        s.kind = Kind::Const;
        s.value = value;
        s
    };
    match o.kind() {
        OperandKind::Vgpr(_) | OperandKind::Agpr(_) => {
            s.kind = Kind::Row;
            s.plain = true;
            s.idx = place(o);
            s
        }
        OperandKind::Sgpr(_) | OperandKind::Ttmp(_) => {
            s.kind = Kind::Scalar;
            s.idx = o.code();
            s
        }
        OperandKind::Special(c) if c < 128 => {
            s.kind = Kind::Scalar;
            s.idx = c;
            s
        }
        OperandKind::Special(c) => {
            s.kind = Kind::Special;
            s.idx = c;
            s
        }
        OperandKind::Int(v) => {
            let v64 = i64::from(v) as u64;
            constant(
                s,
                match ty {
                    Ty::PkF32 | Ty::PkB32 => u64::from(v as u32) | u64::from(v as u32) << 32,
                    _ => v64,
                },
            )
        }
        OperandKind::Float(c) => constant(s, inline_float(c, ty)),
        OperandKind::Literal => {
            let lit = inst.lit;
            constant(
                s,
                match ty {
                    Ty::F64 => u64::from(lit) << 32,
                    Ty::I64 => i64::from(lit as i32) as u64,
                    Ty::PkF32 | Ty::PkB32 => u64::from(lit) | u64::from(lit) << 32,
                    _ => lit.into(),
                },
            )
        }
        OperandKind::Imm => constant(s, i64::from(inst.imm) as u64),
        OperandKind::Off | OperandKind::None => s,
    }
}

/// Inline float constants in each type (CDNA3 ISA, table of scalar operands; 1/(2π) in f64 is
/// 0x3fc45f306dc9c882).
pub fn inline_float(c: u16, ty: Ty) -> u64 {
    let i = usize::from(c.saturating_sub(code::F_0_5)).min(8);
    const F32: [f32; 8] = [0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0];
    let bits32 = F32.get(i).map_or(0x3e22_f983, |f| f.to_bits());
    match ty {
        Ty::F16 | Ty::B16 | Ty::I16 | Ty::U16 | Ty::PkF16 | Ty::PkI16 => {
            const F16: [u16; 9] = [
                0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
            ];
            F16[i].into()
        }
        Ty::Bf16 | Ty::PkBf16 => u64::from(bits32 >> 16),
        Ty::F64 | Ty::B64 | Ty::I64 | Ty::U64 => F32
            .get(i)
            .map_or(0x3fc4_5f30_6dc9_c882, |f| f64::from(*f).to_bits()),
        Ty::PkF32 | Ty::PkB32 => u64::from(bits32) | u64::from(bits32) << 32,
        _ => bits32.into(),
    }
}
