//! bf16 GEMM `D = A·Bᵀ`: A is M×K, B is N×K, D is M×N, all row-major and dense; products are summed in f32.
//!
//! One object serves every shape: M, N and K are kernel arguments, tails are cut by bounded buffer descriptors.

mod check;
mod kernel;

pub use check::{GemmReport, reference_row, run_gemm};
pub use kernel::{GemmTarget, gemm};

use crate::{KernelError, Param, Params};

/// Rows of A a workgroup covers.
pub const TILE_M: u32 = 128;
/// Rows of B a workgroup covers.
pub const TILE_N: u32 = 128;

/// Element type of D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Out {
    /// 32-bit float.
    F32,
    /// bfloat16, rounded to nearest even.
    Bf16,
}

impl Out {
    /// Bytes of an element.
    pub const fn bytes(self) -> u32 {
        match self {
            Out::F32 => 4,
            Out::Bf16 => 2,
        }
    }
    /// `f32` or `bf16`.
    pub const fn name(self) -> &'static str {
        match self {
            Out::F32 => "f32",
            Out::Bf16 => "bf16",
        }
    }
    fn parse(s: &str) -> Option<Out> {
        [Out::F32, Out::Bf16].into_iter().find(|o| o.name() == s)
    }
}

/// A problem: `D[m][n] = Σ_k A[m][k]·B[n][k]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmShape {
    /// Rows of A and D.
    pub m: u32,
    /// Rows of B, columns of D.
    pub n: u32,
    /// Columns of A and B.
    pub k: u32,
}

/// What is fixed when the kernel is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmConfig {
    /// Element type of D.
    pub out: Out,
    /// K of one LDS stage: a multiple of 64, a power of two times 64.
    pub tile_k: u32,
}

/// Prefix of the symbol names; the tile and the type of D follow.
pub const NAME_PREFIX: &str = "gemm_bf16_nt_";

impl GemmConfig {
    /// The kernel's symbol name, from which [`GemmConfig::from_name`] gets the configuration back.
    pub fn name(&self) -> String {
        format!(
            "{NAME_PREFIX}{TILE_M}x{TILE_N}x{}_{}",
            self.tile_k,
            self.out.name()
        )
    }

    /// The configuration a symbol name tells, when it is one of this kernel's.
    pub fn from_name(name: &str) -> Option<GemmConfig> {
        let (tile, out) = name.strip_prefix(NAME_PREFIX)?.rsplit_once('_')?;
        let tile_k = tile
            .strip_prefix(&format!("{TILE_M}x{TILE_N}x"))?
            .parse()
            .ok()?;
        Some(GemmConfig {
            out: Out::parse(out)?,
            tile_k,
        })
    }
}

/// Parameters on the command line.
pub const PARAMS: &[Param] = &[
    Param {
        name: "m",
        default: "1024",
        help: "rows of A and D, 1 or more",
    },
    Param {
        name: "n",
        default: "1024",
        help: "rows of B and columns of D, 1 or more",
    },
    Param {
        name: "k",
        default: "1024",
        help: "columns of A and B, 1 or more",
    },
    Param {
        name: "dtype",
        default: "bf16",
        help: "element type of A and B: bf16",
    },
    Param {
        name: "out",
        default: "f32",
        help: "element type of D: f32 or bf16",
    },
    Param {
        name: "tile-k",
        default: "64",
        help: "K of one LDS stage: 64, 128 or 256",
    },
];

/// Largest M and N: a D tile of 128 rows of f32 must stay below 2³¹ bytes, so that an offset of 2³¹ is out of range.
pub const MAX_MN: u64 = (1 << 22) - 1;
/// Largest K: 128 rows of bf16 must stay below 2³¹ bytes.
pub const MAX_K: u64 = (1 << 23) - 256;

/// Shape and configuration out of parameters.
///
/// # Errors
/// [`KernelError::UnknownParam`] and [`KernelError::BadParam`].
pub fn from_params(p: &Params) -> Result<(GemmShape, GemmConfig), KernelError> {
    p.check("gemm", PARAMS)?;
    let number = |name, max| p.number(name, PARAMS, 1, max).map(|v| v as u32);
    let shape = GemmShape {
        m: number("m", MAX_MN)?,
        n: number("n", MAX_MN)?,
        k: number("k", MAX_K)?,
    };
    let bad = |name: &str, found: &str, expected: &str| KernelError::BadParam {
        name: name.to_owned(),
        found: found.to_owned(),
        expected: expected.to_owned(),
    };
    let dtype = p.text("dtype", PARAMS);
    if dtype != "bf16" {
        return Err(bad("dtype", dtype, "bf16"));
    }
    let out_text = p.text("out", PARAMS);
    let out = Out::parse(out_text).ok_or_else(|| bad("out", out_text, "f32 or bf16"))?;
    let tile_k = number("tile-k", 256)?;
    if ![64, 128, 256].contains(&tile_k) {
        return Err(bad("tile-k", &tile_k.to_string(), "64, 128 or 256"));
    }
    Ok((shape, GemmConfig { out, tile_k }))
}
