//! Matrix instructions: which element lies in which register and lane ([`shape`]), and the arithmetic of the pipes
//! ([`exact`]).
//!
//! An instruction runs in three steps: A and B are taken out of their registers into rows of f32 (`[k][row]`, the
//! order they already have in the lanes), C is copied to D's registers, and D's registers are updated in place. D's
//! layout is such that eight neighbouring lanes are eight neighbouring columns of one row, so an update is a product
//! of one element of A with a vector of B.

use std::cell::RefCell;

use crate::wave::Row;

mod decode;
pub mod exact;
mod f64;
mod kernels;
pub use wavesmith_isa::matrix as shape;
mod simd;
#[cfg(target_arch = "x86_64")]
mod simd_exact;
mod vectors;

use shape::{Acc, Elem, Shape};

pub use vectors::{DotCase, dots};

/// How matrix products are rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MfmaMode {
    /// To the bit as gfx942 does it, where that is known (see [`exact`]).
    #[default]
    Exact,
    /// A chain of f32 multiply-adds.
    Fast,
}

/// Why a matrix instruction can't be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MfmaError {
    /// Values that no manual gives a meaning.
    #[error(
        "unsupported: {mnemonic}: cbsz {cbsz} and blgp {blgp} name a reserved element format (0..=4 exist)"
    )]
    Format {
        /// Mnemonic.
        mnemonic: &'static str,
        /// Format of A.
        cbsz: u32,
        /// Format of B.
        blgp: u32,
    },
    /// No matrix instruction, or one without semantics.
    #[error("unsupported: {mnemonic} is not a matrix instruction known here")]
    Unknown {
        /// Mnemonic.
        mnemonic: &'static str,
    },
}

/// Where C is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Registers from this row on.
    Row(usize),
    /// One value in all places.
    Value(u64),
}

/// Block scales of one side: E8M0 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scales {
    /// The register's row.
    pub row: usize,
    /// Which byte of the register.
    pub byte: u32,
}

/// One matrix instruction with its operands as rows of a wave's registers.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The shape, formats filled in.
    pub shape: Shape,
    /// First row of A.
    pub a: usize,
    /// First row of B.
    pub b: usize,
    /// C; of SMFMAC: D.
    pub c: Source,
    /// First row of D.
    pub d: usize,
    /// SMFMAC: row of the indices.
    pub index: usize,
    /// Scales of A and B.
    pub scales: Option<[Scales; 2]>,
    /// `cbsz`.
    pub cbsz: u32,
    /// `abid`.
    pub abid: u32,
    /// `blgp`; of f64: what is negated.
    pub blgp: u32,
    /// F32 inputs are flushed (MODE).
    pub flush: bool,
    /// Rounding.
    pub mode: MfmaMode,
}

/// Largest side: 16×128 and 32×64 elements.
const SIDE: usize = 2048;

/// What one instruction works with; one per thread. Rows of A and B start on cache lines.
#[repr(C, align(64))]
struct Scratch {
    a: [u32; SIDE],
    b: [u32; SIDE],
    /// Exponents of A's and B's elements, see [`kernels::exponents`].
    ea: [i32; SIDE],
    eb: [i32; SIDE],
    /// Block scales' exponents by lane, [`NAN_SCALE`] for a byte of 0xff.
    scale: [[i32; 64]; 2],
    /// Row of B for each stored element of A.
    select: [u8; SIDE],
}

impl Scratch {
    fn new() -> Box<Scratch> {
        Box::new(Scratch {
            a: [0; SIDE],
            b: [0; SIDE],
            select: [0; SIDE],
            ea: [0; SIDE],
            eb: [0; SIDE],
            scale: [[0; 64]; 2],
        })
    }
}

thread_local! {
    static SCRATCH: RefCell<Box<Scratch>> = RefCell::new(Scratch::new());
}

/// Exponent that stands for a NaN scale.
const NAN_SCALE: i32 = i32::MAX;
/// Scales' exponents up to this can be multiplied into the elements: products stay within f32.
const MODEST_SCALE: i32 = 40;

/// Executes one matrix instruction; EXEC is ignored, as the hardware does. Registers outside `rows` read as zero and
/// a D outside it makes the instruction do nothing.
pub fn execute(call: &Call, rows: &mut [Row]) {
    SCRATCH.with_borrow_mut(|t| simd::execute(call, rows, t));
}

/// Executes one instruction with `update` for the products of anything but f64.
#[inline(always)]
fn run(
    call: &Call,
    rows: &mut [Row],
    t: &mut Scratch,
    update: impl FnOnce(&Call, &mut Scratch, &mut [Row]),
) {
    if call.shape.acc == Acc::F64 {
        f64::run(call, rows);
        return;
    }
    inputs(call, rows, t);
    // D may lie on A or B, so only now.
    if let Some(d) = place_c(call, rows) {
        update(call, t, d);
    }
}

/// `n` registers from `first` on; zeros where there are none.
#[inline(always)]
fn registers(rows: &[Row], first: usize, n: usize) -> &[Row] {
    static ZEROS: [Row; 8] = [[0; 64]; 8];
    rows.get(first..first + n).unwrap_or(&ZEROS[..n.min(8)])
}

/// Takes A and B (and indices and scales) out of their registers.
#[inline(always)]
fn inputs(call: &Call, rows: &[Row], t: &mut Scratch) {
    let s = &call.shape;
    let (a, b) = (s.side_a(), s.side_b());
    let dwords = |x: &shape::Side| (x.per_lane * x.elem.bits()).div_ceil(32);
    let (wa, wb) = (
        registers(rows, call.a, dwords(&a)),
        registers(rows, call.b, dwords(&b)),
    );
    // In f8f6f4 the two fields are formats.
    let a_lanes = (!s.f8f6f4 && !s.sparse && call.cbsz != 0).then(|| {
        std::array::from_fn(|l| {
            let (row, block) = (l % s.m, l / s.m % s.blocks);
            let group = l / a.width;
            (row + s.m * s.a_block(block, call.cbsz, call.abid) + a.width * group) as u8
        })
    });
    let b_lanes = (!s.f8f6f4 && !s.sparse && call.blgp != 0)
        .then(|| std::array::from_fn(|l| shape::b_lane(l, call.blgp) as u8));
    decode::side(wa, &a, a_lanes.as_ref(), !s.sparse, &mut t.a);
    decode::side(wb, &b, b_lanes.as_ref(), !s.sparse, &mut t.b);
    if call.flush && s.a == Elem::F32 {
        for x in t.a.iter_mut().chain(&mut t.b) {
            if *x & 0x7f80_0000 == 0 {
                *x &= 0x8000_0000;
            }
        }
    }
    if s.sparse {
        let index = &registers(rows, call.index, 1)[0];
        let shift = s.index_shift(call.cbsz, call.abid);
        for e in 0..a.per_lane {
            for g in 0..a.groups() {
                let at = a.k(e, g) * a.width;
                let from = &index[g * a.width..(g + 1) * a.width];
                for (to, bits) in t.select[at..at + a.width].iter_mut().zip(from) {
                    let which = bits >> (shift as usize + 2 * e) & 3;
                    *to = s.b_row(at / a.width, which) as u8;
                }
            }
        }
    }
    if let Some(scales) = &call.scales {
        for (out, s) in t.scale.iter_mut().zip(scales) {
            let row = &registers(rows, s.row, 1)[0];
            for (o, x) in out.iter_mut().zip(row) {
                *o = match x >> (8 * s.byte) & 0xff {
                    0xff => NAN_SCALE,
                    e => e as i32 - 127,
                };
            }
        }
    }
}

/// Copies C to D's registers, and gives those; `None` where there are no such registers.
#[inline(always)]
fn place_c<'a>(call: &Call, rows: &'a mut [Row]) -> Option<&'a mut [Row]> {
    let n = call.shape.d_dwords();
    if call.d + n > rows.len() {
        return None;
    }
    match call.c {
        Source::Row(c) if c == call.d => {}
        Source::Row(c) if c + n <= rows.len() => rows.copy_within(c..c + n, call.d),
        Source::Row(_) => rows[call.d..call.d + n].fill([0; 64]),
        Source::Value(v) if call.shape.acc == Acc::F64 => {
            for (i, row) in rows[call.d..call.d + n].iter_mut().enumerate() {
                *row = [(v >> (32 * (i % 2))) as u32; 64];
            }
        }
        Source::Value(v) => rows[call.d..call.d + n].fill([v as u32; 64]),
    }
    Some(&mut rows[call.d..call.d + n])
}
