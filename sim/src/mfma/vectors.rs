//! Single dot products through whole instructions: what the tables of known results need.

use wavesmith_isa::{Op, Target};

use super::shape::{Acc, Shape, Side};
use super::{Call, MfmaError, MfmaMode, Source, execute};
use crate::wave::Row;

/// One dot product: bit patterns of k elements of A and of B, and of C.
#[derive(Clone, Debug, Default)]
pub struct DotCase {
    /// A's row.
    pub a: Vec<u64>,
    /// B's column.
    pub b: Vec<u64>,
    /// C.
    pub c: u64,
}

fn put(rows: &mut [Row], first: usize, side: &Side, i: usize, values: &[u64]) {
    let bits = side.elem.bits();
    for (k, &x) in values.iter().enumerate() {
        let place = side.place(i, k);
        let at = place.element * bits;
        for bit in 0..bits {
            let n = at + bit;
            rows[first + n / 32][place.lane] |= ((x >> bit & 1) as u32) << (n % 32);
        }
    }
}

/// D of every case, each in an element of D's diagonal of its own, so that many share one run of the instruction.
/// Dense instructions only; with f8f6f4, E4M3.
///
/// # Errors
/// [`MfmaError::Unknown`] when `name` is no dense matrix instruction of `target`, or a case has the wrong length.
pub fn dots(
    name: &str,
    target: Target,
    cases: &[DotCase],
    mode: MfmaMode,
) -> Result<Vec<u64>, MfmaError> {
    let known = Op::ALL
        .iter()
        .map(|op| op.info())
        .find(|i| i.name == name && i.on(target));
    let unknown = MfmaError::Unknown {
        mnemonic: known.map_or("(no instruction)", |i| i.name),
    };
    let shape = known
        .and_then(|_| Shape::of(name, target))
        .filter(|s| !s.sparse)
        .ok_or(unknown)?;
    if cases
        .iter()
        .any(|c| c.a.len() != shape.k || c.b.len() != shape.k)
    {
        return Err(unknown);
    }
    let pairs = if shape.acc == Acc::F64 { 2 } else { 1 };
    let diagonal = shape.m.min(shape.n);
    let mut out = Vec::with_capacity(cases.len());
    for batch in cases.chunks(diagonal * shape.blocks) {
        let mut rows = vec![[0u32; 64]; 64];
        for (n, case) in batch.iter().enumerate() {
            let (block, i) = (n / diagonal, n % diagonal);
            put(&mut rows, 32, &shape.side_a(), block * shape.m + i, &case.a);
            put(&mut rows, 48, &shape.side_b(), block * shape.n + i, &case.b);
            let (r, lane) = shape.d(block, i, i);
            for p in 0..pairs {
                rows[r * pairs + p][lane] = (case.c >> (32 * p)) as u32;
            }
        }
        let call = Call {
            shape,
            a: 32,
            b: 48,
            c: Source::Row(0),
            d: 0,
            index: 0,
            scales: None,
            cbsz: 0,
            abid: 0,
            blgp: 0,
            flush: false,
            mode,
        };
        execute(&call, &mut rows);
        for n in 0..batch.len() {
            let (block, i) = (n / diagonal, n % diagonal);
            let (r, lane) = shape.d(block, i, i);
            out.push((0..pairs).fold(0, |x, p| {
                x | u64::from(rows[r * pairs + p][lane]) << (32 * p)
            }));
        }
    }
    Ok(out)
}
