//! Branches, waits, barriers, MODE, and what ends in an error.

use wavesmith_isa::Mnemonic as M;

use super::{Flow, Pair};
use crate::group::Env;
use crate::program::Op;
use crate::wave::{MODE_GPR_IDX_EN, Wave};

/// Handlers of SOPP, and of the SALU instructions that change the flow or MODE.
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    let h: super::Handler = match m {
        S_NOP | S_WAITCNT | S_SETPRIO | S_ICACHE_INV | S_INCPERFLEVEL | S_DECPERFLEVEL
        | S_TTRACEDATA | S_SETHALT | S_WAKEUP | S_SENDMSG => nop,
        S_SLEEP => sleep,
        S_ENDPGM | S_ENDPGM_SAVED | S_ENDPGM_ORDERED_PS_DONE => end,
        S_BARRIER => barrier,
        S_BRANCH => |w, op, e| jump(w, op, e, true),
        S_CBRANCH_SCC0 => |w, op, e| jump(w, op, e, !w.scc),
        S_CBRANCH_SCC1 => |w, op, e| jump(w, op, e, w.scc),
        S_CBRANCH_VCCZ => |w, op, e| jump(w, op, e, w.vcc() == 0),
        S_CBRANCH_VCCNZ => |w, op, e| jump(w, op, e, w.vcc() != 0),
        S_CBRANCH_EXECZ => |w, op, e| jump(w, op, e, w.exec() == 0),
        S_CBRANCH_EXECNZ => |w, op, e| jump(w, op, e, w.exec() != 0),
        S_CBRANCH_CDBGSYS
        | S_CBRANCH_CDBGUSER
        | S_CBRANCH_CDBGSYS_OR_USER
        | S_CBRANCH_CDBGSYS_AND_USER => |w, op, e| jump(w, op, e, false),
        S_GETPC_B64 => |w, op, e| {
            w.set_s64(op.dst.into(), next(op, e));
            Flow::Next
        },
        S_SETPC_B64 => |w, op, e| {
            let to = w.scalar64(&op.src[0]);
            go(w, e, to)
        },
        S_SWAPPC_B64 => |w, op, e| {
            let to = w.scalar64(&op.src[0]);
            w.set_s64(op.dst.into(), next(op, e));
            go(w, e, to)
        },
        S_CALL_B64 => |w, op, e| {
            w.set_s64(op.dst.into(), next(op, e));
            jump(w, op, e, true)
        },
        // Killing ends the wave; 0 keeps it.
        S_SETKILL => |_, op, _| match op.inst.imm & 1 {
            0 => Flow::Next,
            _ => Flow::End,
        },
        S_SETVSKIP => |w, op, e| {
            let (v, at) = (w.scalar(&op.src[0]), w.scalar(&op.src[1]) & 31);
            match v >> at & 1 {
                0 => Flow::Next,
                _ => unsupported(w, op, e),
            }
        },
        S_GETREG_B32 => getreg,
        S_SETREG_B32 => |w, op, e| {
            let v = w.scalar(&op.src[0]);
            setreg(w, op, e, v)
        },
        S_SETREG_IMM32_B32 => |w, op, e| setreg(w, op, e, op.inst.lit),
        S_SET_GPR_IDX_ON => |w, op, _| {
            // SIMM4 with the enables lies in the SSRC1 field.
            let enables = if op.src[1].kind == crate::program::Kind::None {
                op.inst.imm as u32
            } else {
                w.scalar(&op.src[1])
            };
            let index = w.scalar(&op.src[0]) & 0xff;
            w.s[124] = w.s[124] & !0xf0ff | index | (enables & 15) << 12;
            w.set_mode(w.mode | MODE_GPR_IDX_EN);
            Flow::Next
        },
        S_SET_GPR_IDX_OFF => |w, _, _| {
            w.set_mode(w.mode & !MODE_GPR_IDX_EN);
            Flow::Next
        },
        S_SET_GPR_IDX_MODE => |w, op, _| {
            w.s[124] = w.s[124] & !0xf000 | (op.inst.imm as u32 & 15) << 12;
            Flow::Next
        },
        S_SET_GPR_IDX_IDX => |w, op, _| {
            w.s[124] = w.s[124] & !0xff | w.scalar(&op.src[0]) & 0xff;
            Flow::Next
        },
        _ => return None,
    };
    Some(Pair::plain(h))
}

/// Address of the instruction after `op`.
fn next(op: &Op, e: &Env<'_>) -> u64 {
    e.program.base + u64::from(op.pc) + u64::from(op.len)
}

fn go(w: &mut Wave, e: &mut Env<'_>, to: u64) -> Flow {
    match e.program.op_at(to) {
        Some(i) => {
            w.pc = i;
            Flow::Next
        }
        None => e.fail(format!("jump to {to:#x}, where no instruction begins")),
    }
}

fn nop(_: &mut Wave, _: &Op, _: &mut Env<'_>) -> Flow {
    Flow::Next
}

fn sleep(_: &mut Wave, _: &Op, _: &mut Env<'_>) -> Flow {
    Flow::Yield
}

fn end(_: &mut Wave, _: &Op, _: &mut Env<'_>) -> Flow {
    Flow::End
}

fn barrier(_: &mut Wave, _: &Op, _: &mut Env<'_>) -> Flow {
    Flow::Barrier
}

#[inline(always)]
fn jump(w: &mut Wave, op: &Op, e: &mut Env<'_>, taken: bool) -> Flow {
    if taken {
        if op.target == u32::MAX {
            return e.fail("branch to where no instruction begins".to_owned());
        }
        w.pc = op.target as usize;
    }
    Flow::Next
}

/// Bits of a hwreg operand: id, lowest bit, bits.
fn hwreg(op: &Op) -> (u32, u32, u32) {
    let v = op.inst.imm as u32;
    (v & 63, v >> 6 & 31, (v >> 11 & 31) + 1)
}

fn mask(bits: u32) -> u32 {
    (u64::MAX >> (64 - bits)) as u32
}

fn getreg(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let (id, at, bits) = hwreg(op);
    let v = match id {
        1 => w.mode,
        2 => u32::from(w.scc) << 1 | u32::from(w.exec() == 0) << 9 | u32::from(w.vcc() == 0) << 10,
        // HW_ID: wave slot only; the emulator has no compute units.
        4 => w.number & 15,
        3 | 5 | 6 | 7 => 0,
        15 => w.s[102],
        16 => w.s[103],
        20 => e.group_index as u32 & 7,
        _ => {
            return e.fail(format!(
                "unsupported: hardware register {id} is not modelled"
            ));
        }
    };
    w.s[usize::from(op.dst) & 127] = v >> at & mask(bits);
    Flow::Next
}

fn setreg(w: &mut Wave, op: &Op, e: &mut Env<'_>, v: u32) -> Flow {
    let (id, at, bits) = hwreg(op);
    let m = mask(bits) << at;
    match id {
        1 => w.set_mode(w.mode & !m | v << at & m),
        3 => {}
        _ => return e.fail(format!("unsupported: writing hardware register {id}")),
    }
    Flow::Next
}

/// Why an instruction has no semantics here: what it needs lies outside of one dispatch, or is not public.
pub fn reason(m: M) -> Option<&'static str> {
    use M::*;
    Some(match m {
        DS_GWS_INIT
        | DS_GWS_BARRIER
        | DS_GWS_SEMA_BR
        | DS_GWS_SEMA_P
        | DS_GWS_SEMA_V
        | DS_GWS_SEMA_RELEASE_ALL => "global wave sync needs a resource that the driver grants",
        S_TRAP | S_RFE_B64 | S_RFE_RESTORE_B64 => "no trap handler is installed",
        S_SENDMSGHALT => "the wave would halt until the host wakes it",
        S_CBRANCH_G_FORK | S_CBRANCH_I_FORK | S_CBRANCH_JOIN => {
            "the fork and join stack is not modelled"
        }
        S_SETVSKIP => "skipping vector instructions is not modelled",
        V_SCREEN_PARTITION_4SE_B32 => "its table is for graphics and is not published for CDNA",
        _ => return None,
    })
}

/// An instruction without semantics here.
pub fn unsupported(_: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let info = op.inst.op.info();
    let why = reason(info.mnemonic).unwrap_or("the emulator has no semantics for it");
    e.fail(format!("unsupported: {}{}: {why}", info.name, info.suffix))
}

/// A dword that is no instruction.
pub fn invalid(_: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    e.fail(format!(
        "{:#010x} is no instruction of {}",
        op.inst.lit, e.program.target
    ))
}

/// Behind the last instruction.
pub fn past_end(_: &mut Wave, _: &Op, e: &mut Env<'_>) -> Flow {
    e.fail("execution ran past the end of the code".to_owned())
}
