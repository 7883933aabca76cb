//! Inputs, the same every time, and the types they are stored in.

use wavesmith_sim::float::{BF16, Format, Round};

/// A linear congruential generator's upper bits.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d)
    }

    pub fn word(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// Below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(n)) >> 32) as u32
    }

    /// Between −`limit` and `limit`.
    pub fn uniform(&mut self, limit: f32) -> f32 {
        (self.word() as i32 as f32) / 2f32.powi(31) * limit
    }

    /// Values that format `f` holds exactly, between −`limit` and `limit`.
    pub fn tensor(&mut self, n: usize, f: Format, limit: f32) -> Tensor {
        let code = |v| f.encode(v, Round::Nearest, true);
        let codes: Vec<u32> = (0..n).map(|_| code(self.uniform(limit))).collect();
        Tensor {
            values: codes.iter().map(|c| f.decode(*c).into()).collect(),
            bytes: pack(&codes, f.bits()),
        }
    }

    /// bf16 between −1 and 1.
    pub fn bf16(&mut self, n: usize) -> Tensor {
        self.tensor(n, BF16, 1.0)
    }

    /// f32 between `low` and `high`.
    pub fn f32(&mut self, n: usize, low: f32, high: f32) -> Tensor {
        let (middle, half) = ((low + high) / 2.0, (high - low) / 2.0);
        let values: Vec<f32> = (0..n).map(|_| middle + self.uniform(half)).collect();
        Tensor {
            values: values.iter().map(|v| f64::from(*v)).collect(),
            bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        }
    }
}

/// Values, and the bytes that hold exactly them.
#[derive(Clone)]
pub struct Tensor {
    pub values: Vec<f64>,
    pub bytes: Vec<u8>,
}

/// Codes of 4, 8 or 16 bits; of two 4-bit ones the first is the low half.
fn pack(codes: &[u32], bits: u32) -> Vec<u8> {
    match bits {
        4 => codes.chunks(2).map(|c| (c[0] | c[1] << 4) as u8).collect(),
        8 => codes.iter().map(|c| *c as u8).collect(),
        _ => codes
            .iter()
            .flat_map(|c| (*c as u16).to_le_bytes())
            .collect(),
    }
}
