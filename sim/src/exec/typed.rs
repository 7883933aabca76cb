//! Typed buffer accesses: MTBUF, and MUBUF's `format` instructions.
//!
//! Formats and defaults of missing components: CDNA3 ISA 9.1.5 ("buffer data format"). MUBUF takes the format and the
//! component selects of the descriptor (stores only the format), MTBUF its own format and no selects. An access is in
//! range as a whole or not at all.

use super::buffer::Access;
use super::{Flow, Handler, Pair};
use crate::float::{F16, Format, Round};
use crate::group::Env;
use crate::program::Op;
use crate::wave::Wave;

/// Bits of each component, the lowest first, for a data format.
fn layout(dfmt: u32) -> Option<&'static [u32]> {
    Some(match dfmt {
        1 => &[8],
        2 => &[16],
        3 => &[8, 8],
        4 => &[32],
        5 => &[16, 16],
        // Named from the top down.
        6 => &[11, 11, 10],
        7 => &[10, 11, 11],
        8 => &[2, 10, 10, 10],
        9 => &[10, 10, 10, 2],
        10 => &[8, 8, 8, 8],
        11 => &[32, 32],
        12 => &[16, 16, 16, 16],
        13 => &[32, 32, 32],
        14 => &[32, 32, 32, 32],
        _ => return None,
    })
}

/// How a component's bits mean a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
}

impl Number {
    fn of(nfmt: u32) -> Option<Number> {
        use Number::*;
        Some(match nfmt {
            0 => Unorm,
            1 => Snorm,
            2 => Uscaled,
            3 => Sscaled,
            4 => Uint,
            5 => Sint,
            7 => Float,
            _ => return None,
        })
    }
    fn integer(self) -> bool {
        matches!(self, Number::Uint | Number::Sint)
    }
}

/// The unsigned floats of 10 and 11 bits: five exponent bits, as f16 without its sign.
fn small_float(bits: u32) -> u32 {
    bits - 5
}

/// One component as a register's bits: f32, or an integer.
fn decode(raw: u32, bits: u32, number: Number) -> u32 {
    use Number::*;
    let signed = (raw << (32 - bits)) as i32 >> (32 - bits);
    // 32-bit normalised values do not exist; the formula would lose bits, not fail.
    let span = |sign: u32| ((1u64 << (bits - sign)) - 1) as f64;
    let v = match number {
        Uint => return raw,
        Sint => return signed as u32,
        Unorm => f64::from(raw) / span(0),
        Snorm => (f64::from(signed) / span(1)).max(-1.0),
        Uscaled => raw.into(),
        Sscaled => signed.into(),
        Float if bits == 32 => return raw,
        Float if bits == 16 => F16.decode(raw).into(),
        Float => F16.decode(raw << (10 - small_float(bits))).into(),
    };
    (v as f32).to_bits()
}

/// A register's bits as a component.
fn encode(v: u32, bits: u32, number: Number) -> u32 {
    use Number::*;
    let f = f64::from(f32::from_bits(v));
    let f = if f.is_nan() && number != Float {
        0.0
    } else {
        f
    };
    let mask = (u64::MAX >> (64 - bits)) as u32;
    let (low, high) = (
        -((1i64 << (bits - 1)) as f64),
        ((1u64 << (bits - 1)) - 1) as f64,
    );
    let top = f64::from(mask);
    let signed = |f: f64| f.clamp(low, high) as i64 as u32 & mask;
    match number {
        Uint => v.min(mask),
        Sint => i64::from(v as i32).clamp(low as i64, high as i64) as u32 & mask,
        Unorm => (f.clamp(0.0, 1.0) * top).round_ties_even() as u32,
        Snorm => signed((f.clamp(-1.0, 1.0) * high).round_ties_even()),
        Uscaled => f.clamp(0.0, top) as u32,
        Sscaled => signed(f),
        Float if bits == 32 => v,
        Float if bits == 16 => F16.encode(f32::from_bits(v), Round::Nearest, false),
        Float => {
            // Negative values have no pattern; they become zero.
            let fraction = small_float(bits);
            let max = (31 << fraction) - 1;
            let small = Format {
                fraction,
                max,
                inf: Some(31 << fraction),
                nan: Some((31 << fraction) | 1),
                ..F16
            };
            let v = small.encode(f32::from_bits(v), Round::Nearest, false);
            if v >> bits & 1 != 0 && v & mask <= max + 1 {
                0
            } else {
                v & mask
            }
        }
    }
}

/// What one instruction accesses.
struct Typed {
    layout: &'static [u32],
    number: Number,
    /// For each register: 0 zero, 1 one, 4 and up a component.
    select: [u32; 4],
    /// Registers, as components.
    count: usize,
    /// 16-bit registers: 1 low, 2 high half, 3 packed in pairs.
    half: u32,
}

fn typed(w: &Wave, op: &Op) -> Result<Typed, String> {
    let name = op.inst.op.info().name;
    let w3 = w.s[(usize::from(op.sdst) + 3) & 127];
    let of_op = name.starts_with("tbuffer");
    let (dfmt, nfmt) = if of_op {
        let f = op.inst.mods.format();
        (f & 15, f >> 4 & 7)
    } else {
        (w3 >> 15 & 15, w3 >> 12 & 7)
    };
    let load = name.contains("_load_");
    let select = if of_op || !load {
        [4, 5, 6, 7]
    } else {
        [0, 3, 6, 9].map(|s| w3 >> s & 7)
    };
    let letters = name.rsplit('_').next().unwrap_or_default();
    let half = match (name.contains("d16_hi"), name.contains("d16")) {
        (true, _) => 2,
        (_, true) => 3,
        _ => 0,
    };
    let describe = || format!("unsupported: buffer format {dfmt} with number format {nfmt}");
    let layout = layout(dfmt).ok_or_else(describe)?;
    let number = Number::of(nfmt).ok_or_else(describe)?;
    let possible = layout.iter().all(|bits| match number {
        Number::Float => *bits >= 10,
        Number::Uint | Number::Sint => true,
        _ => *bits <= 16,
    });
    if !possible {
        return Err(describe());
    }
    Ok(Typed {
        layout,
        number,
        select,
        count: letters.len().min(4),
        half,
    })
}

impl Typed {
    fn bytes(&self) -> u64 {
        u64::from(self.layout.iter().sum::<u32>() / 8)
    }

    /// The register value of component `i`.
    fn get(&self, raw: u128, i: usize) -> u32 {
        let one = if self.number.integer() {
            1
        } else {
            1f32.to_bits()
        };
        let v = match self.select[i] {
            0 | 2 | 3 => 0,
            1 => one,
            s => {
                let c = s as usize - 4;
                match self.layout.get(c) {
                    Some(bits) => {
                        let at: u32 = self.layout[..c].iter().sum();
                        let raw = (raw >> at) as u32 & (u64::MAX >> (64 - bits)) as u32;
                        decode(raw, *bits, self.number)
                    }
                    None if c == 3 => one,
                    None => 0,
                }
            }
        };
        match (self.half, self.number.integer()) {
            (0, _) => v,
            (_, true) => v & 0xffff,
            (_, false) => F16.encode(f32::from_bits(v), Round::Nearest, false),
        }
    }
}

fn load(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let (a, exec, dst) = (Access::new(w, op), w.exec(), usize::from(op.dst));
    let t = match typed(w, op) {
        Ok(t) => t,
        Err(message) => return e.fail(message),
    };
    if op.inst.mods.lds() != 0 {
        return e.fail("unsupported: a typed buffer load to LDS".to_owned());
    }
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let (address, left) = a.lane(w, l, false);
        let mut raw = 0;
        if left >= t.bytes() {
            for i in 0..t.bytes() {
                match e.mem.load(address.wrapping_add(i), 1) {
                    Ok(v) => raw |= u128::from(v) << (8 * i),
                    Err(f) => return e.mem_fail("typed buffer load", Some(l), f),
                }
            }
        }
        let v: [u32; 4] = std::array::from_fn(|i| if i < t.count { t.get(raw, i) } else { 0 });
        match t.half {
            0 => {
                for i in 0..t.count {
                    w.rows[dst + i][l] = v[i];
                }
            }
            2 => w.rows[dst][l] = w.rows[dst][l] & 0xffff | v[0] << 16,
            _ if t.count == 1 => w.rows[dst][l] = w.rows[dst][l] & 0xffff_0000 | v[0],
            _ => {
                for i in 0..t.count.div_ceil(2) {
                    w.rows[dst + i][l] = v[2 * i] | v[2 * i + 1] << 16;
                }
            }
        }
    }
    Flow::Next
}

fn store(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let (a, exec, src) = (Access::new(w, op), w.exec(), usize::from(op.src[1].idx));
    let t = match typed(w, op) {
        Ok(t) => t,
        Err(message) => return e.fail(message),
    };
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let (address, left) = a.lane(w, l, false);
        if left < t.bytes() {
            continue;
        }
        let (mut raw, mut at) = (0u128, 0);
        for (i, bits) in t.layout.iter().enumerate() {
            // Components that the instruction does not give are stored as zero.
            let v = match t.half {
                _ if i >= t.count => 0,
                0 => w.rows[src + i][l],
                2 => w.rows[src][l] >> 16,
                _ => w.rows[src + i / 2][l] >> (16 * (i % 2)) & 0xffff,
            };
            let v = match (t.half, t.number) {
                (0, _) | (_, Number::Uint) => v,
                (_, Number::Sint) => v as i16 as u32,
                _ => F16.decode(v).to_bits(),
            };
            raw |= u128::from(encode(v, *bits, t.number)) << at;
            at += bits;
        }
        for i in 0..t.bytes() {
            let byte = (raw >> (8 * i)) as u64 & 0xff;
            if let Err(f) = e.mem.store(address.wrapping_add(i), 1, byte) {
                return e.mem_fail("typed buffer store", Some(l), f);
            }
        }
    }
    Flow::Next
}

/// Handlers of this file's instructions.
pub fn lookup(op: &Op) -> Option<Pair> {
    let name = op.inst.op.info().name;
    let h: Handler = if name.contains("buffer_load_format_") {
        load
    } else if name.contains("buffer_store_format_") {
        store
    } else {
        return None;
    };
    Some(Pair::plain(h))
}
