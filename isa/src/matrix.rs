//! Shapes, element types and the place of every matrix element.
//!
//! The formulas are those of AMD's matrix instruction calculator and, for what only gfx950 has, of the CDNA4 manual's
//! figures (`docs/` of the facts: `timing/layouts/README.md`). `sim/tests/mfma_layouts.rs` compares them entry by entry.

use std::sync::OnceLock;

use crate::{Op, Target};

/// Type of an element of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elem {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE binary32.
    F32,
    /// binary32 whose low 13 fraction bits are dropped.
    Xf32,
    /// IEEE binary64.
    F64,
    /// Signed byte.
    I8,
    /// E4M3, bias 8, NaN 0x80 (gfx942).
    Fp8Fnuz,
    /// E5M2, bias 16, NaN 0x80 (gfx942).
    Bf8Fnuz,
    /// E4M3, bias 7 (gfx950).
    Fp8,
    /// E5M2, bias 15 (gfx950).
    Bf8,
    /// E2M3.
    Fp6,
    /// E3M2.
    Bf6,
    /// E2M1.
    Fp4,
}

impl Elem {
    /// Bits of one element in a register.
    pub const fn bits(self) -> usize {
        use Elem::*;
        match self {
            F64 => 64,
            F32 | Xf32 => 32,
            F16 | Bf16 => 16,
            I8 | Fp8Fnuz | Bf8Fnuz | Fp8 | Bf8 => 8,
            Fp6 | Bf6 => 6,
            Fp4 => 4,
        }
    }

    /// Exponent of the smallest normal number, which subnormals share.
    pub const fn min_exponent(self) -> i32 {
        use Elem::*;
        match self {
            F64 => -1022,
            F32 | Xf32 | Bf16 => -126,
            F16 | Bf8 => -14,
            Bf8Fnuz => -15,
            Fp8Fnuz => -7,
            Fp8 => -6,
            Bf6 => -2,
            Fp6 | Fp4 => 0,
            I8 => 0,
        }
    }

    /// The format that `cbsz` or `blgp` of an f8f6f4 instruction names, `None` for reserved values.
    pub const fn of_format(code: u32) -> Option<Elem> {
        match code {
            0 => Some(Elem::Fp8),
            1 => Some(Elem::Bf8),
            2 => Some(Elem::Fp6),
            3 => Some(Elem::Bf6),
            4 => Some(Elem::Fp4),
            _ => None,
        }
    }

    const fn is_byte_float(self) -> bool {
        matches!(self, Elem::Fp8Fnuz | Elem::Bf8Fnuz | Elem::Fp8 | Elem::Bf8)
    }
}

/// Type of C and D.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Acc {
    /// f32.
    F32,
    /// f64.
    F64,
    /// i32, wrapping.
    I32,
}

/// One matrix instruction: D = A·B + C for `blocks` products of `m`×`k` and `k`×`n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of A and D.
    pub m: usize,
    /// Columns of B and D.
    pub n: usize,
    /// Columns of A (before 2:4 packing) and rows of B.
    pub k: usize,
    /// Independent products.
    pub blocks: usize,
    /// Type of A.
    pub a: Elem,
    /// Type of B.
    pub b: Elem,
    /// Type of C and D.
    pub acc: Acc,
    /// A holds two of every four elements (SMFMAC).
    pub sparse: bool,
    /// A's and B's formats are in `cbsz` and `blgp`.
    pub f8f6f4: bool,
    /// There are block scales.
    pub scaled: bool,
}

/// Place of an element: which of a lane's elements, and the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index among the lane's elements, which are packed little-endian from the operand's first register on.
    pub element: usize,
    /// The lane.
    pub lane: usize,
}

/// One of the inputs: how its lanes hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Side {
    /// Element type.
    pub elem: Elem,
    /// Rows of A or columns of B, of all blocks: lanes that share their k.
    pub width: usize,
    /// Elements of one lane.
    pub per_lane: usize,
    /// Neighbouring elements of a lane that are neighbours in k.
    pub chunk: usize,
}

impl Side {
    /// Lane groups: lanes of one group hold the same k.
    pub const fn groups(&self) -> usize {
        64 / self.width
    }

    /// The k of element `e` in lane group `g`.
    pub const fn k(&self, e: usize, g: usize) -> usize {
        self.chunk * (self.groups() * (e / self.chunk) + g) + e % self.chunk
    }

    /// Element and lane of `k` in row (or column) `i`, counted through all blocks.
    pub const fn place(&self, i: usize, k: usize) -> Place {
        let (piece, within) = (k / self.chunk, k % self.chunk);
        Place {
            element: self.chunk * (piece / self.groups()) + within,
            lane: i + self.width * (piece % self.groups()),
        }
    }
}

impl Shape {
    /// Out of the mnemonic: `v_mfma_f32_16x16x32_bf16`, `v_mfma_f32_4x4x4_16b_f16`, `v_smfmac_i32_16x16x64_i8` …
    /// `None` when it is no matrix instruction. f8f6f4 starts out with E4M3 for both; see [`Shape::with_formats`].
    pub fn of(name: &str, target: Target) -> Option<Shape> {
        let (rest, sparse) = match name.strip_prefix("v_smfmac_") {
            Some(rest) => (rest, true),
            None => (name.strip_prefix("v_mfma_")?, false),
        };
        let (rest, scaled) = match rest.strip_prefix("scale_") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let mut parts = rest.split('_');
        let acc = match parts.next()? {
            "f32" => Acc::F32,
            "f64" => Acc::F64,
            "i32" => Acc::I32,
            _ => return None,
        };
        let mut dims = parts.next()?.split('x').map(|d| d.parse::<usize>().ok());
        let (m, n, k) = (dims.next()??, dims.next()??, dims.next()??);
        let mut types: Vec<&str> = parts.collect();
        let mut blocks = 1;
        if let Some(b) = types
            .first()
            .and_then(|p| p.strip_suffix('b')?.parse().ok())
        {
            blocks = b;
            types.remove(0);
        }
        let fnuz = target == Target::Gfx942;
        let elem = |t: &str| {
            Some(match t {
                "f16" => Elem::F16,
                "bf16" => Elem::Bf16,
                "f32" => Elem::F32,
                "xf32" => Elem::Xf32,
                "f64" => Elem::F64,
                "i8" => Elem::I8,
                "fp8" if fnuz => Elem::Fp8Fnuz,
                "bf8" if fnuz => Elem::Bf8Fnuz,
                "fp8" => Elem::Fp8,
                "bf8" => Elem::Bf8,
                _ => return None,
            })
        };
        let f8f6f4 = types == ["f8f6f4"];
        let (a, b) = match types.as_slice() {
            ["f8f6f4"] => (Elem::Fp8, Elem::Fp8),
            [t] => (elem(t)?, elem(t)?),
            [t, u] => (elem(t)?, elem(u)?),
            _ => return None,
        };
        Some(Shape {
            m,
            n,
            k,
            blocks,
            a,
            b,
            acc,
            sparse,
            f8f6f4,
            scaled,
        })
    }

    /// The same with the formats that an f8f6f4 instruction's `cbsz` and `blgp` name; `None` if they are reserved.
    pub fn with_formats(self, cbsz: u32, blgp: u32) -> Option<Shape> {
        Some(Shape {
            a: Elem::of_format(cbsz)?,
            b: Elem::of_format(blgp)?,
            ..self
        })
    }

    /// Columns of A as it is stored.
    pub const fn k_stored(&self) -> usize {
        if self.sparse { self.k / 2 } else { self.k }
    }

    /// How A lies in its lanes. With 2:4 packing, k counts stored columns.
    pub fn side_a(&self) -> Side {
        self.side(self.m * self.blocks, self.k_stored(), self.a, true)
    }

    /// How B lies in its lanes.
    pub fn side_b(&self) -> Side {
        self.side(self.n * self.blocks, self.k, self.b, false)
    }

    fn side(&self, width: usize, k: usize, elem: Elem, packed: bool) -> Side {
        let per_lane = k * width / 64;
        // 32 bytes of a lane are two runs of 16, the lane groups between them (CDNA4 ISA, figures of f8f6f4 and of
        // the double-K SMFMACs). Packed A follows its B.
        let dense = if self.sparse {
            self.k * width / 64
        } else {
            per_lane
        };
        let split = dense * elem.bits() == 256 && (self.sparse || elem.is_byte_float());
        let chunk = match (split, packed && self.sparse) {
            (false, _) => per_lane,
            (true, false) => per_lane / 2,
            (true, true) => dense / 4,
        };
        Side {
            elem,
            width,
            per_lane,
            chunk,
        }
    }

    /// Register (of f64: pair) and lane of D's and C's element (i, j) of block `b`.
    pub const fn d(&self, b: usize, i: usize, j: usize) -> (usize, usize) {
        if matches!(self.acc, Acc::F64) && self.m == 4 {
            // The calculator's one exception to the formula.
            return (0, j + 4 * b + 16 * i);
        }
        let h = if matches!(self.acc, Acc::F64) { 1 } else { 4 };
        let per = 64usize.div_ceil(self.n * self.m / h);
        let m_i = (64 / per) / self.n;
        let g = self.m / (h * m_i);
        let vgpr = i % h + h * (i / (h * m_i) + g * (b / per));
        (vgpr, j + self.n * ((i / h) % m_i + m_i * (b % per)))
    }

    /// Registers of C and D.
    pub const fn d_dwords(&self) -> usize {
        let n = self.m * self.n * self.blocks / 64;
        if matches!(self.acc, Acc::F64) {
            2 * n
        } else {
            n
        }
    }

    /// For 2:4 packing: bits of indices that one lane uses, out of the index register's 32.
    pub fn index_bits(&self) -> usize {
        self.side_a().per_lane * 2
    }

    /// First bit of the index set that `cbsz` and `abid` choose: `abid` counts sets while `cbsz` is 0 (CDNA3 ISA,
    /// SMFMAC), and the first one is used otherwise.
    pub fn index_shift(&self, cbsz: u32, abid: u32) -> u32 {
        let bits = self.index_bits() as u32;
        if cbsz == 0 {
            abid % (32 / bits) * bits
        } else {
            0
        }
    }

    /// Row of B that stored column `k` of A multiplies, given its 2-bit index.
    pub fn b_row(&self, k: usize, index: u32) -> usize {
        4 * (k / 2) + index as usize
    }

    /// Block of A that block `b` reads under `cbsz` and `abid`: one block goes to each run of 2^cbsz
    /// (calculator; a `cbsz` that does not fit the blocks is ignored).
    pub const fn a_block(&self, b: usize, cbsz: u32, abid: u32) -> usize {
        let run = 1 << cbsz;
        if cbsz == 0 || run > self.blocks {
            return b;
        }
        b / run * run + abid as usize % run
    }

    /// The shape of an op on a target, parsed once.
    pub fn of_op(op: Op, target: Target) -> Option<Shape> {
        static TABLES: [OnceLock<Vec<Option<Shape>>>; 2] = [OnceLock::new(), OnceLock::new()];
        TABLES[target as usize]
            .get_or_init(|| {
                Op::ALL
                    .iter()
                    .map(|op| Shape::of(op.info().name, target))
                    .collect()
            })
            .get(op as usize)
            .copied()
            .flatten()
    }
}

/// Lane that B's lane `l` is read from under `blgp` (CDNA3 ISA: broadcasts of halves and quarters, a rotation).
pub const fn b_lane(l: usize, blgp: u32) -> usize {
    match blgp {
        1 => l % 32,
        2 => l % 32 + 32,
        3 => (l + 16) % 64,
        4..=7 => l % 16 + 16 * (blgp as usize - 4),
        _ => l,
    }
}
