//! Matrix instructions: operands are checked here, the arithmetic is in [`crate::mfma`].

use wavesmith_isa::Mnemonic as M;

use super::{Flow, Pair};
use crate::group::Env;
use crate::mfma::{self, MatrixRegs};
use crate::program::Op;
use crate::wave::{AGPR, VGPR, Wave};

/// Handlers of VOP3P-MAI.
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    match m {
        V_ACCVGPR_READ_B32 | V_ACCVGPR_WRITE_B32 => {
            Some(super::simd!(|w, op, _e| super::integer::map1(w, op, |a| a)))
        }
        _ => Some(Pair::plain(run)),
    }
}

fn run(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let (vgprs, agprs) = w.rows[VGPR..].split_at_mut(AGPR - VGPR);
    let mut regs = MatrixRegs { vgprs, agprs };
    match mfma::execute(e.program.target, &op.inst, e.mfma, &mut regs) {
        Ok(()) => Flow::Next,
        Err(error) => e.fail(error.to_string()),
    }
}
