//! What every instruction does.
//!
//! An op's handler is chosen once, at predecoding. Handlers whose work is a loop over lanes exist twice: as the
//! portable compiler makes them, and with AVX2 and FMA, taken when the host has them.

// Lane loops run over several rows at once; an index says so most plainly.
#![allow(clippy::needless_range_loop)]

use wavesmith_isa::table::Format;

use crate::group::Env;
use crate::program::Op;
use crate::wave::Wave;

pub mod atomic;
pub mod buffer;
mod bytes;
mod compare;
pub mod control;
mod convert;
mod divide;
mod double;
mod ds;
mod ds_atomic;
pub mod float;
mod half_ops;
mod integer;
mod lanes;
mod matrix;
pub mod narrow;
mod packed;
mod preop;
pub mod rounded;
mod salu;
mod single;
pub mod smem;
mod transpose;
mod typed;
pub mod vmem;

/// What happens after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The next one.
    Next,
    /// The wave waits for the others of its workgroup.
    Barrier,
    /// The wave is done.
    End,
    /// Another wave may go first.
    Yield,
    /// The dispatch stops; the fault lies in the environment.
    Fault,
}

/// Runs one op. `unsafe` because a handler may need CPU features: [`Pair::pick`] gives out only those that the host has.
pub type Handler = unsafe fn(&mut Wave, &Op, &mut Env<'_>) -> Flow;

/// A handler as any host can run it, and for AVX2 and FMA.
#[derive(Clone, Copy)]
pub struct Pair {
    /// Any host.
    pub portable: Handler,
    /// AVX2, FMA and F16C.
    pub fast: Handler,
}

impl Pair {
    /// One without a loop over lanes.
    pub fn plain(h: Handler) -> Pair {
        Pair {
            portable: h,
            fast: h,
        }
    }

    /// The one for this host.
    pub fn pick(self) -> Handler {
        if fast_host() {
            self.fast
        } else {
            self.portable
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) fn fast_host() -> bool {
    use std::sync::OnceLock;
    static FAST: OnceLock<bool> = OnceLock::new();
    *FAST.get_or_init(|| {
        std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("fma")
            && std::arch::is_x86_feature_detected!("f16c")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("lzcnt")
            && std::arch::is_x86_feature_detected!("popcnt")
    })
}
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn fast_host() -> bool {
    false
}

/// Makes a [`Pair`] from one body.
macro_rules! simd {
    (|$w:ident, $op:ident, $e:ident| $body:expr) => {{
        #[inline(always)]
        fn body(
            $w: &mut crate::wave::Wave,
            $op: &crate::program::Op,
            $e: &mut crate::group::Env<'_>,
        ) -> crate::exec::Flow {
            $body
        }
        fn portable(
            w: &mut crate::wave::Wave,
            op: &crate::program::Op,
            e: &mut crate::group::Env<'_>,
        ) -> crate::exec::Flow {
            body(w, op, e)
        }
        #[cfg_attr(
            target_arch = "x86_64",
            target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")
        )]
        fn fast(
            w: &mut crate::wave::Wave,
            op: &crate::program::Op,
            e: &mut crate::group::Env<'_>,
        ) -> crate::exec::Flow {
            body(w, op, e)
        }
        crate::exec::Pair { portable, fast }
    }};
}
pub(crate) use simd;

/// The handler of a resolved op; one that reports the instruction as unsupported where there is none.
pub fn handler(op: &Op) -> Handler {
    find(op).map_or(control::unsupported as Handler, Pair::pick)
}

/// The handler of a resolved op, if there is one.
pub fn find(op: &Op) -> Option<Pair> {
    use Format::*;
    let m = op.inst.op.info().mnemonic;
    match op.inst.op.info().format {
        SOP1 | SOP2 | SOPC | SOPK => salu::lookup(m).or_else(|| control::lookup(m)),
        SOPP => control::lookup(m),
        SMEM => smem::lookup(op),
        VOPC | VOPC_SDWA => compare::lookup(op),
        VOP1 | VOP1_DPP | VOP1_SDWA | VOP2 | VOP2_DPP | VOP2_SDWA | VOP3A | VOP3B => {
            compare::lookup(op)
                .or_else(|| integer::lookup(m, op))
                .or_else(|| bytes::lookup(m))
                .or_else(|| single::lookup(m))
                .or_else(|| half_ops::lookup(m))
                .or_else(|| double::lookup(m))
                .or_else(|| convert::lookup(m))
                .or_else(|| narrow::lookup(m))
                .or_else(|| preop::lookup(m))
                .or_else(|| divide::lookup(m))
                .or_else(|| lanes::lookup(m))
        }
        VOP3P => packed::lookup(m),
        VOP3P_MAI => matrix::lookup(m),
        DS => ds::lookup(op)
            .or_else(|| transpose::lookup(m))
            .or_else(|| ds_atomic::lookup(op)),
        FLAT | GLOBAL | SCRATCH => vmem::lookup(op),
        MUBUF | MTBUF => typed::lookup(op).or_else(|| buffer::lookup(op)),
    }
}
