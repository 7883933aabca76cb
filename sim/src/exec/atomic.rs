//! What read-modify-write operations do, whatever memory they work on.

use super::float::{b2f, f2b, f2h, flush32, h2f, max32, max64, min32, min64};

/// New value from the old one, the data, and the comparand (or second operand).
pub type AtomicFn = fn(u64, u64, u64) -> u64;

fn inc(old: u64, d: u64, _: u64) -> u64 {
    if old >= d { 0 } else { old + 1 }
}
fn dec(old: u64, d: u64, _: u64) -> u64 {
    if old == 0 || old > d { d } else { old - 1 }
}
fn f32s(old: u64, d: u64) -> (f32, f32) {
    (f32::from_bits(old as u32), f32::from_bits(d as u32))
}

/// The operation named by an instruction, and whether it is of 64 bits.
pub fn operation(name: &str) -> Option<(AtomicFn, bool)> {
    let (ds, rest) = match name.strip_prefix("ds_") {
        Some(rest) => (true, rest.replace("_rtn", "")),
        None => (false, name.split_once("_atomic_")?.1.to_owned()),
    };
    let wide = rest.ends_with("_x2") || rest.ends_with("64");
    let rest = rest.trim_end_matches("_x2");
    let base = if ds {
        rest.rsplit_once('_').map_or(rest, |r| r.0)
    } else {
        rest
    };
    let ty = if ds {
        rest.rsplit_once('_').map_or("", |r| r.1)
    } else {
        ""
    };
    let f: AtomicFn = match (base, ty) {
        ("swap", _) | ("wrxchg", _) => |_, d, _| d,
        ("cmpswap", _) | ("cmpst", "b32" | "b64") => |old, d, c| if old == c { d } else { old },
        ("cmpst", "f32") => |old, d, c| {
            if f32s(old, c).0 == f32s(old, c).1 {
                d
            } else {
                old
            }
        },
        ("cmpst", "f64") => |old, d, c| {
            if f64::from_bits(old) == f64::from_bits(c) {
                d
            } else {
                old
            }
        },
        ("add", "f32") | ("add_f32", _) => {
            if ds {
                |old, d, _| {
                    let (a, b) = f32s(old, d);
                    (a + b).to_bits().into()
                }
            } else {
                // L2 flushes the denormals of f32 sums (XML-063).
                |old, d, _| {
                    let (a, b) = f32s(flush32(old as u32).into(), flush32(d as u32).into());
                    flush32((a + b).to_bits()).into()
                }
            }
        }
        ("add", "f64") | ("add_f64", _) => {
            |old, d, _| (f64::from_bits(old) + f64::from_bits(d)).to_bits()
        }
        ("min", "f32") => |old, d, _| {
            let (a, b) = f32s(old, d);
            min32(a, b).to_bits().into()
        },
        ("max", "f32") => |old, d, _| {
            let (a, b) = f32s(old, d);
            max32(a, b).to_bits().into()
        },
        ("min", "f64") | ("min_f64", _) => {
            |old, d, _| min64(f64::from_bits(old), f64::from_bits(d)).to_bits()
        }
        ("max", "f64") | ("max_f64", _) => {
            |old, d, _| max64(f64::from_bits(old), f64::from_bits(d)).to_bits()
        }
        ("pk_add", "f16") | ("pk_add_f16", _) => |old, d, _| {
            let s = |i: u32| u64::from(f2h(h2f((old >> i) as u32) + h2f((d >> i) as u32)));
            s(0) | s(16) << 16
        },
        ("pk_add", "bf16") | ("pk_add_bf16", _) => |old, d, _| {
            let s = |i: u32| {
                u64::from(f2b(
                    b2f((old >> i) as u32 & 0xffff) + b2f((d >> i) as u32 & 0xffff)
                ))
            };
            s(0) | s(16) << 16
        },
        ("add", _) => |old, d, _| old.wrapping_add(d),
        ("sub", _) => |old, d, _| old.wrapping_sub(d),
        ("rsub", _) => |old, d, _| d.wrapping_sub(old),
        ("and", _) => |old, d, _| old & d,
        ("or", _) => |old, d, _| old | d,
        ("xor", _) => |old, d, _| old ^ d,
        ("inc", _) => inc,
        ("dec", _) => dec,
        ("umin", _) | ("min", "u32" | "u64") => |old, d, _| old.min(d),
        ("umax", _) | ("max", "u32" | "u64") => |old, d, _| old.max(d),
        ("smin", _) | ("min", "i32" | "i64") => {
            if wide {
                |old, d, _| (old as i64).min(d as i64) as u64
            } else {
                |old, d, _| (old as i32).min(d as i32) as u32 as u64
            }
        }
        ("smax", _) | ("max", "i32" | "i64") => {
            if wide {
                |old, d, _| (old as i64).max(d as i64) as u64
            } else {
                |old, d, _| (old as i32).max(d as i32) as u32 as u64
            }
        }
        // Clears the bits of the comparand slot's mask, then sets those of the data.
        ("mskor", _) => |old, d, c| old & !c | d,
        ("wrap", _) => |old, d, c| {
            if old >= d {
                old - d
            } else {
                old.wrapping_add(c)
            }
        },
        _ => return None,
    };
    Some((f, wide))
}
