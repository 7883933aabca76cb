//! Seeded input: SplitMix64 (Steele, Lea, Flood 2014), which needs no state beyond a counter.

/// A stream of numbers fixed by its seed.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in -1..1, in steps of 2⁻²³.
    pub fn next_unit(&mut self) -> f32 {
        ((self.next_u64() >> 40) as f32) / (1u32 << 23) as f32 - 1.0
    }
}

/// `n` bf16 values uniform in -1..1.
pub fn bf16_unit(n: usize, seed: u64) -> Vec<half::bf16> {
    let mut r = SplitMix64(seed);
    (0..n)
        .map(|_| half::bf16::from_f32(r.next_unit()))
        .collect()
}
