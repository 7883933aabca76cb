//! Matrix instructions: operands become rows here, the arithmetic is in [`crate::mfma`].

use wavesmith_isa::Mnemonic as M;
use wavesmith_isa::Operand;
use wavesmith_isa::table::Role;

use super::{Flow, Pair};
use crate::group::Env;
use crate::mfma::shape::Shape;
use crate::mfma::{self, Call, MfmaError, Scales, Source};
use crate::program::{Kind, Op};
use crate::wave::{AGPR, VGPR, Wave};

/// Handlers of VOP3P-MAI.
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    match m {
        V_ACCVGPR_READ_B32 | V_ACCVGPR_WRITE_B32 => {
            Some(super::simd!(|w, op, _e| super::integer::map1(w, op, |a| a)))
        }
        // Without its matrix instruction a load of scales changes nothing that can be seen.
        V_MFMA_LD_SCALE_B32 => Some(Pair::plain(|_, _, _| Flow::Next)),
        _ => Some(Pair::plain(run)),
    }
}

fn row(o: Operand) -> usize {
    o.index() as usize + if o.is_agpr() { AGPR } else { VGPR }
}

fn run(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let (inst, info) = (&op.inst, op.inst.op.info());
    let mods = inst.mods;
    let error = |e: &mut Env<'_>, error: MfmaError| e.fail(error.to_string());
    let Some(mut shape) = Shape::of_op(inst.op, e.program.target) else {
        let unknown = MfmaError::Unknown {
            mnemonic: info.name,
        };
        return error(e, unknown);
    };
    let (cbsz, blgp) = (mods.cbsz(), mods.blgp());
    if shape.f8f6f4 {
        let Some(s) = shape.with_formats(cbsz, blgp) else {
            let reserved = MfmaError::Format {
                mnemonic: info.name,
                cbsz,
                blgp,
            };
            return error(e, reserved);
        };
        shape = s;
    }
    let d = row(inst.role(Role::Vdst));
    let c = if shape.sparse {
        Source::Row(d)
    } else {
        match op.src[2].kind {
            Kind::Row => Source::Row(op.src[2].idx.into()),
            _ => Source::Value(w.scalar64(&op.src[2])),
        }
    };
    let scales = shape.scaled.then(|| {
        let (low, high) = (mods.op_sel(), mods.op_sel_hi());
        [(0, Role::ScaleA), (1, Role::ScaleB)].map(|(i, role)| {
            Scales {
                // The tables allow VGPRs only.
                row: row(inst.role(role)),
                byte: (low >> i & 1) | (high >> i & 1) << 1,
            }
        })
    });
    let call = Call {
        shape,
        a: row(inst.role(Role::SrcA)),
        b: row(inst.role(Role::SrcB)),
        c,
        d,
        index: row(inst.role(Role::Idx)),
        scales,
        cbsz,
        abid: mods.abid(),
        blgp,
        // FP_DENORM modes 1 and 3 keep sources.
        flush: w.mode >> 4 & 1 == 0,
        mode: e.mfma,
    };
    mfma::execute(&call, &mut w.rows);
    Flow::Next
}
