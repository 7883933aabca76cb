//! Narrow floats: every format that conversions read or write, decoded to f32 and encoded from it with each rounding.
//!
//! Facts: CDNA3 ISA 7.2 and CDNA4 ISA 7.2 (FP8 is FNUZ on gfx942 and OCP on gfx950), OCP MX 1.0 for FP6, BF6 and FP4.

use wavesmith_isa::Target;

#[cfg(test)]
mod tests;

/// A binary float format of at most 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Exponent bits.
    pub exponent: u32,
    /// Fraction bits.
    pub fraction: u32,
    /// Exponent bias.
    pub bias: i32,
    /// Largest finite magnitude.
    pub max: u32,
    /// Infinity's magnitude; formats without one have NaN or nothing.
    pub inf: Option<u32>,
    /// A NaN's magnitude; `None` where there is none, and in FNUZ, whose only NaN is the sign bit alone.
    pub nan: Option<u32>,
    /// No negative zero; its pattern is NaN.
    pub fnuz: bool,
}

const fn format(exponent: u32, fraction: u32, bias: i32, max: u32) -> Format {
    Format {
        exponent,
        fraction,
        bias,
        max,
        inf: None,
        nan: None,
        fnuz: false,
    }
}

/// OCP E4M3.
pub const FP8: Format = Format {
    nan: Some(0x7f),
    ..format(4, 3, 7, 0x7e)
};
/// OCP E5M2.
pub const BF8: Format = Format {
    inf: Some(0x7c),
    nan: Some(0x7f),
    ..format(5, 2, 15, 0x7b)
};
/// FNUZ E4M3.
pub const FP8_FNUZ: Format = Format {
    fnuz: true,
    ..format(4, 3, 8, 0x7f)
};
/// FNUZ E5M2.
pub const BF8_FNUZ: Format = Format {
    fnuz: true,
    ..format(5, 2, 16, 0x7f)
};
/// E2M3.
pub const FP6: Format = format(2, 3, 1, 0x1f);
/// E3M2.
pub const BF6: Format = format(3, 2, 3, 0x1f);
/// E2M1.
pub const FP4: Format = format(2, 1, 1, 7);
/// IEEE half.
pub const F16: Format = Format {
    inf: Some(0x7c00),
    nan: Some(0x7e00),
    ..format(5, 10, 15, 0x7bff)
};
/// The high half of an f32.
pub const BF16: Format = Format {
    inf: Some(0x7f80),
    nan: Some(0x7fc0),
    ..format(8, 7, 127, 0x7f7f)
};

/// FP8 of a target.
pub fn fp8(target: Target) -> Format {
    match target {
        Target::Gfx942 => FP8_FNUZ,
        Target::Gfx950 => FP8,
    }
}
/// BF8 of a target.
pub fn bf8(target: Target) -> Format {
    match target {
        Target::Gfx942 => BF8_FNUZ,
        Target::Gfx950 => BF8,
    }
}

/// What becomes of the bits that do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// To nearest, ties to even.
    Nearest,
    /// Toward +∞.
    Up,
    /// Toward −∞.
    Down,
    /// Toward zero.
    Zero,
    /// The random word's upper bits are added below the kept ones, then the rest is cut (CDNA3 ISA, V_CVT_SR_FP8_F32).
    Stochastic(u32),
}

impl Round {
    /// A rounding field of MODE (CDNA3 ISA 4.2: 0 nearest even, 1 up, 2 down, 3 toward zero).
    pub fn of_mode(field: u32) -> Round {
        [Round::Nearest, Round::Up, Round::Down, Round::Zero][(field & 3) as usize]
    }
}

/// `2^(exponent − 127)` as the conversions with a scale use it: bits 30:23 of an f32, 0xff is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale(pub u32);

impl Scale {
    /// 1.
    pub const ONE: Scale = Scale(127);
    /// The exponent of an f32.
    pub fn of(bits: u32) -> Scale {
        Scale(bits >> 23 & 0xff)
    }
    fn log2(self) -> Option<i32> {
        (self.0 != 0xff).then_some(self.0 as i32 - 127)
    }
}

impl Format {
    /// Bits of one value.
    pub const fn bits(&self) -> u32 {
        1 + self.exponent + self.fraction
    }

    /// A value's bits (upper bits are ignored) as f32. NaNs keep sign and payload where f32 can hold them.
    pub fn decode(&self, bits: u32) -> f32 {
        let sign = bits >> (self.exponent + self.fraction) & 1;
        let m = bits & ((1 << (self.exponent + self.fraction)) - 1);
        if self.fnuz && sign == 1 && m == 0 {
            return f32::NAN;
        }
        let magnitude = if self.inf == Some(m) {
            f32::INFINITY
        } else if m > self.max {
            let payload = m & ((1 << self.fraction) - 1);
            f32::from_bits(0x7fc0_0000 | payload << (23 - self.fraction))
        } else {
            let (e, f) = (m >> self.fraction, m & ((1 << self.fraction) - 1));
            let hidden = if e == 0 { 0 } else { 1 << self.fraction };
            let power = e.max(1) as i32 - self.bias - self.fraction as i32;
            // Exact, and a bf16 subnormal's power is below f32's normal ones.
            ((f | hidden) as f64 * 2f64.powi(power)) as f32
        };
        f32::from_bits(magnitude.to_bits() | sign << 31)
    }

    /// [`Format::decode`], times a scale, rounded once to f32.
    pub fn decode_scaled(&self, bits: u32, scale: Scale) -> f32 {
        match scale.log2() {
            Some(s) => (f64::from(self.decode(bits)) * 2f64.powi(s)) as f32,
            None => f32::NAN,
        }
    }

    /// An f32 in this format.
    ///
    /// `clamp` is MODE.FP16_OVFL: what is too large becomes the largest finite value, infinity included except in
    /// f16 and bf16. Formats with neither infinity nor NaN always clamp, NaN too.
    pub fn encode(&self, v: f32, round: Round, clamp: bool) -> u32 {
        self.encode_scaled(v, Scale::ONE, round, clamp)
    }

    /// `v / scale` in this format, rounded once.
    pub fn encode_scaled(&self, v: f32, scale: Scale, round: Round, clamp: bool) -> u32 {
        let bits = v.to_bits();
        let sign = bits >> 31;
        let top = sign << (self.exponent + self.fraction);
        let Some(log2) = scale.log2().filter(|_| !v.is_nan()) else {
            return self.encode_nan(bits, top);
        };
        if v.is_infinite() {
            let keeps = self.bits() == 16 || !clamp;
            return self.too_large(top, keeps);
        }
        let m = bits & 0x7f_ffff;
        let e = (bits >> 23 & 0xff) as i32;
        if e == 0 && m == 0 {
            return if self.fnuz { 0 } else { top };
        }
        // value = m · 2^(e − 23) with m in [2^23, 2^24).
        let up = if e == 0 { m.leading_zeros() - 8 } else { 0 };
        let mut m = if e == 0 { m << up } else { m | 1 << 23 };
        let mut e = e.max(1) - up as i32 - 127 - log2;
        let drop = 23 - self.fraction;
        if let Round::Stochastic(random) = round {
            m += random >> (32 - drop);
            if m >> 24 != 0 {
                m >>= 1;
                e += 1;
            }
        }
        let min = 1 - self.bias;
        let shift = drop + (min - e).clamp(0, 30) as u32;
        let (kept, rest) = match shift {
            0..=31 => (m >> shift, u64::from(m & ((1 << shift) - 1))),
            _ => (0, u64::from(m)),
        };
        let half = 1u64 << (shift - 1);
        let more = match round {
            Round::Nearest => rest > half || rest == half && kept & 1 == 1,
            Round::Up => rest != 0 && sign == 0,
            Round::Down => rest != 0 && sign == 1,
            Round::Zero | Round::Stochastic(_) => false,
        };
        let binade = (e - min).max(0);
        let code = i64::from(binade) * (1 << self.fraction) + i64::from(kept) + i64::from(more);
        if code > i64::from(self.max) {
            let to_inf = match round {
                Round::Nearest | Round::Stochastic(_) => true,
                Round::Up => sign == 0,
                Round::Down => sign == 1,
                Round::Zero => false,
            };
            return self.too_large(top, to_inf && !clamp);
        }
        if code == 0 && self.fnuz {
            return 0;
        }
        top | code as u32
    }

    fn too_large(&self, top: u32, infinite: bool) -> u32 {
        if !infinite {
            return top | self.max;
        }
        match (self.inf, self.nan) {
            _ if self.fnuz => 1 << (self.bits() - 1),
            (Some(inf), _) => top | inf,
            (None, Some(nan)) => top | nan,
            (None, None) => top | self.max,
        }
    }

    fn encode_nan(&self, bits: u32, top: u32) -> u32 {
        match self.nan {
            _ if self.fnuz => 1 << (self.bits() - 1),
            // 16-bit formats keep what they can of the payload, quieted.
            Some(nan) if self.bits() == 16 => {
                let payload = (bits & 0x7f_ffff) >> (23 - self.fraction);
                top | nan | payload
            }
            Some(nan) => top | nan,
            None => top | self.max,
        }
    }
}
