//! Matrix instructions: which element lies in which register and lane, and the arithmetic of the pipes.
//!
//! Layouts follow `timing/layouts` (AMD's matrix instruction calculator): element `k` of row `i` in block `b` of A is
//! in lane `i + M·(b + blocks·(k / K_L))` as element `k % K_L`, with `K_L = K / (64 / (M·blocks))`.

mod exact;

use exact::{Half, dot_groups};
use wavesmith_isa::table::Role;
use wavesmith_isa::{Inst, Operand, Target};

pub use exact::{Half as HalfFormat, half_dot};

/// How matrix products are rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MfmaMode {
    /// To the bit as gfx942 does it, where that is known.
    #[default]
    Exact,
    /// A chain of f32 multiply-adds.
    Fast,
}

/// Why a matrix instruction can't be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MfmaError {
    /// No semantics for this instruction yet.
    #[error("unsupported: {mnemonic}: {reason}")]
    Unsupported {
        /// Mnemonic.
        mnemonic: &'static str,
        /// What is missing.
        reason: &'static str,
    },
}

/// A wave's vector registers; a row is one register's 64 lanes.
pub struct MatrixRegs<'a> {
    /// `v0` and on.
    pub vgprs: &'a mut [[u32; 64]],
    /// `a0` and on.
    pub agprs: &'a mut [[u32; 64]],
}

impl MatrixRegs<'_> {
    fn row(&self, o: Operand, i: usize) -> [u32; 64] {
        let at = o.index() as usize + i;
        let file: &[[u32; 64]] = if o.is_agpr() { self.agprs } else { self.vgprs };
        file.get(at).copied().unwrap_or([0; 64])
    }
    fn set(&mut self, o: Operand, i: usize, row: [u32; 64]) {
        let at = o.index() as usize + i;
        let file: &mut [[u32; 64]] = if o.is_agpr() { self.agprs } else { self.vgprs };
        if let Some(r) = file.get_mut(at) {
            *r = row;
        }
    }
}

/// Element types this module multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    F16,
    Bf16,
    F32,
    I8,
}

impl Kind {
    fn bits(self) -> usize {
        match self {
            Kind::F16 | Kind::Bf16 => 16,
            Kind::F32 => 32,
            Kind::I8 => 8,
        }
    }
}

/// Shape and types, out of the mnemonic: `v_mfma_f32_16x16x32_bf16`, `v_mfma_f32_4x4x4_16b_f16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    m: usize,
    n: usize,
    k: usize,
    blocks: usize,
    kind: Kind,
}

impl Shape {
    fn of(name: &str) -> Option<Shape> {
        let mut parts = name.strip_prefix("v_mfma_")?.split('_').skip(1);
        let mut dims = parts.next()?.split('x').map(|d| d.parse::<usize>().ok());
        let (m, n, k) = (dims.next()??, dims.next()??, dims.next()??);
        let mut rest: Vec<&str> = parts.collect();
        let mut blocks = 1;
        if let Some(b) = rest
            .first()
            .and_then(|p| p.strip_suffix('b'))
            .and_then(|b| b.parse().ok())
        {
            blocks = b;
            rest.remove(0);
        }
        let kind = match rest.as_slice() {
            ["f16"] => Kind::F16,
            ["bf16"] => Kind::Bf16,
            ["f32"] => Kind::F32,
            ["i8"] => Kind::I8,
            _ => return None,
        };
        Some(Shape {
            m,
            n,
            k,
            blocks,
            kind,
        })
    }

    /// Columns of one lane.
    fn k_lane(&self) -> usize {
        (self.k * self.m * self.blocks / 64).max(1)
    }

    /// Register and lane of D's element (i, j) in block `b`.
    fn d(&self, b: usize, i: usize, j: usize) -> (usize, usize) {
        let h = 4;
        let per = 64usize.div_ceil(self.n * self.m / h).max(1);
        let m_i = (64 / per) / self.n;
        let g = self.m / (h * m_i);
        let vgpr = i % h + h * (i / (h * m_i) + g * (b / per));
        (vgpr, j + self.n * ((i / h) % m_i + m_i * (b % per)))
    }
}

/// All elements of A or B, `[block][row][k]` flattened, as their bit patterns.
fn gather(regs: &MatrixRegs<'_>, o: Operand, s: &Shape, rows: usize) -> Vec<u32> {
    let (bits, k_lane) = (s.kind.bits(), s.k_lane());
    let words: Vec<[u32; 64]> = (0..o.dwords() as usize).map(|i| regs.row(o, i)).collect();
    let mask = if bits == 32 {
        u32::MAX
    } else {
        (1 << bits) - 1
    };
    let mut out = vec![0; s.blocks * rows * s.k];
    // Indexing by lane reads one column of several rows.
    #[allow(clippy::needless_range_loop)]
    for lane in 0..64 {
        let (i, rest) = (lane % rows, lane / rows);
        let (b, group) = (rest % s.blocks, rest / s.blocks);
        let first = (b * rows + i) * s.k + group * k_lane;
        let Some(run) = out.get_mut(first..first + k_lane) else {
            continue;
        };
        for (e, x) in run.iter_mut().enumerate() {
            let at = e * bits;
            *x = (words[at / 32][lane] >> (at % 32)) & mask;
        }
    }
    out
}

/// Value of an inline constant as C reads it.
fn constant(o: Operand) -> Option<u32> {
    use wavesmith_isa::operand::OperandKind::{Float, Int};
    match o.kind() {
        Int(v) => Some(v as u32),
        Float(c) => {
            let values: [f32; 8] = [0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0];
            Some(
                values
                    .get(usize::from(c) - 240)
                    .map_or(0x3e22_f983, |v| v.to_bits()),
            )
        }
        _ => None,
    }
}

/// Executes one matrix instruction; EXEC is ignored, as the hardware does.
///
/// # Errors
/// [`MfmaError::Unsupported`] for types and modifiers without semantics here.
pub fn execute(
    _target: Target,
    inst: &Inst,
    mode: MfmaMode,
    regs: &mut MatrixRegs<'_>,
) -> Result<(), MfmaError> {
    let info = inst.op.info();
    let unsupported = |reason| MfmaError::Unsupported {
        mnemonic: info.name,
        reason,
    };
    let shape = Shape::of(info.name)
        .ok_or_else(|| unsupported("only dense f16, bf16, f32 and i8 are emulated yet"))?;
    if inst.mods.cbsz() != 0 || inst.mods.abid() != 0 || inst.mods.blgp() != 0 {
        return Err(unsupported("cbsz, abid and blgp are not emulated yet"));
    }
    let (a, b) = (inst.role(Role::SrcA), inst.role(Role::SrcB));
    let (c, d) = (inst.role(Role::SrcC), inst.role(Role::Vdst));
    let (av, bv) = (
        gather(regs, a, &shape, shape.m),
        gather(regs, b, &shape, shape.n),
    );

    let rows = d.dwords() as usize;
    let mut acc: Vec<[u32; 64]> = match constant(c) {
        Some(v) => vec![[v; 64]; rows],
        None => (0..rows).map(|i| regs.row(c, i)).collect(),
    };
    let convert = |v: &[u32]| -> Vec<f32> {
        v.iter()
            .map(|&x| match shape.kind {
                Kind::F16 => half::f16::from_bits(x as u16).to_f32(),
                Kind::Bf16 => f32::from_bits(x << 16),
                _ => f32::from_bits(x),
            })
            .collect()
    };
    let halves = matches!(shape.kind, Kind::F16 | Kind::Bf16) && mode == MfmaMode::Exact;
    let format = if shape.kind == Kind::F16 {
        Half::F16
    } else {
        Half::Bf16
    };
    let (ah, bh) = if halves {
        (exact::unpack(&av, format), exact::unpack(&bv, format))
    } else {
        Default::default()
    };
    let (af, bf) = if shape.kind == Kind::I8 {
        Default::default()
    } else {
        (convert(&av), convert(&bv))
    };
    for block in 0..shape.blocks {
        for i in 0..shape.m {
            let ra = (block * shape.m + i) * shape.k..(block * shape.m + i + 1) * shape.k;
            for j in 0..shape.n {
                let rb = (block * shape.n + j) * shape.k..(block * shape.n + j + 1) * shape.k;
                let (r, lane) = shape.d(block, i, j);
                let x = &mut acc[r][lane];
                *x = match shape.kind {
                    Kind::I8 => av[ra.clone()]
                        .iter()
                        .zip(&bv[rb])
                        .fold(*x as i32, |s, (p, q)| {
                            s.wrapping_add(i32::from(*p as i8) * i32::from(*q as i8))
                        }) as u32,
                    Kind::F32 => af[ra.clone()]
                        .iter()
                        .zip(&bf[rb])
                        .fold(f32::from_bits(*x), |s, (p, q)| p.mul_add(*q, s))
                        .to_bits(),
                    _ if halves => dot_groups(
                        &ah,
                        ra.clone(),
                        &bh,
                        rb.clone(),
                        f32::from_bits(*x),
                        format,
                        &af,
                        &bf,
                    )
                    .to_bits(),
                    // Products of two 16-bit floats are exact in f32, so this is the fused chain.
                    _ => af[ra.clone()]
                        .iter()
                        .zip(&bf[rb])
                        .fold(f32::from_bits(*x), |s, (p, q)| p * q + s)
                        .to_bits(),
                };
            }
        }
    }
    for (i, row) in acc.into_iter().enumerate() {
        regs.set(d, i, row);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_out_of_names() {
        let s = Shape::of("v_mfma_f32_4x4x4_16b_f16").expect("dense");
        assert_eq!((s.m, s.n, s.k, s.blocks, s.kind), (4, 4, 4, 16, Kind::F16));
        assert_eq!(
            Shape::of("v_mfma_f32_16x16x32_bf16").map(|s| s.k_lane()),
            Some(8)
        );
        assert_eq!(Shape::of("v_mfma_f64_16x16x4_f64"), None);
    }

    #[test]
    fn compact_formulas_of_d() {
        let s = Shape::of("v_mfma_f32_32x32x8_f16").expect("dense");
        for (i, j) in [(0, 0), (5, 3), (17, 31), (31, 0)] {
            assert_eq!(s.d(0, i, j), (i % 4 + 4 * (i / 8), j + 32 * ((i / 4) % 2)));
        }
        let s = Shape::of("v_mfma_f32_16x16x16_bf16").expect("dense");
        assert_eq!(s.d(0, 13, 2), (1, 2 + 16 * 3));
        let s = Shape::of("v_mfma_f32_4x4x4_16b_f16").expect("dense");
        assert_eq!(s.d(9, 2, 1), (2, 1 + 4 * 9));
    }
}
