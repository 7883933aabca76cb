//! Immediates with a syntax of their own.

use super::names::*;
use super::number::{push_hex, push_u32};

pub fn print_counters(v: u32, out: &mut String) {
    let (vm, exp, lgkm) = (v & 15 | v >> 10 & 0x30, v >> 4 & 7, v >> 8 & 15);
    let all = vm == 63 && exp == 7 && lgkm == 15;
    let mut first = true;
    for (name, v, max) in [
        ("vmcnt(", vm, 63),
        ("expcnt(", exp, 7),
        ("lgkmcnt(", lgkm, 15),
    ] {
        if all || v != max {
            if !first {
                out.push(' ');
            }
            first = false;
            out.push_str(name);
            push_u32(v, out);
            out.push(')');
        }
    }
}

pub fn print_hwreg(v: u32, out: &mut String) {
    let (id, offset, size) = (v & 63, v >> 6 & 31, (v >> 11 & 31) + 1);
    out.push_str("hwreg(");
    match name_of(HWREG, id) {
        Some(n) => out.push_str(n),
        None => push_u32(id, out),
    }
    if offset != 0 || size != 32 {
        out.push_str(", ");
        push_u32(offset, out);
        out.push_str(", ");
        push_u32(size, out);
    }
    out.push(')');
}

pub fn print_sendmsg(v: u32, out: &mut String) {
    let (id, op, stream) = (v & 15, v >> 4 & 7, v >> 8 & 3);
    let named = name_of(MESSAGE, id);
    let op_name = match id {
        2 if op != 0 => name_of(GS_OP, op),
        3 => name_of(GS_OP, op),
        15 => name_of(SYS_OP, op),
        _ => None,
    };
    let numbers = |out: &mut String, list: &[u32]| {
        for n in list {
            out.push_str(", ");
            push_u32(*n, out);
        }
        out.push(')');
    };
    let name = match (named, op_name) {
        (Some(_), Some(_)) => stream == 0 || id != 15 && op != 0,
        (Some(_), None) => !matches!(id, 2 | 3 | 15) && op == 0 && stream == 0,
        _ => false,
    };
    // Bits beyond the fields are dropped where there is a name.
    if !name && (v >> 10 != 0 || v >> 7 & 1 != 0) {
        return push_u32(v, out);
    }
    out.push_str("sendmsg(");
    match (named, op_name) {
        (Some(n), Some(o)) if (id == 15 || op == 0) && stream == 0 => {
            out.push_str(n);
            out.push_str(", ");
            out.push_str(o);
            out.push(')');
        }
        (Some(n), Some(o)) if id != 15 && op != 0 => {
            out.push_str(n);
            out.push_str(", ");
            out.push_str(o);
            numbers(out, &[stream]);
        }
        (Some(n), _) if !matches!(id, 2 | 3 | 15) && op == 0 && stream == 0 => {
            out.push_str(n);
            out.push(')');
        }
        _ => {
            push_u32(id, out);
            numbers(out, &[op, stream]);
        }
    }
}

pub fn print_gpr_idx(v: u32, out: &mut String) {
    if v >> 4 != 0 {
        return push_hex(v, out);
    }
    out.push_str("gpr_idx(");
    let mut first = true;
    for (i, name) in GPR_IDX.iter().enumerate() {
        if v >> i & 1 != 0 {
            if !first {
                out.push(',');
            }
            first = false;
            out.push_str(name);
        }
    }
    out.push(')');
}

fn number(s: &str) -> Option<i64> {
    super::value::integer(s)
}

/// What stands in the parentheses behind `name`.
fn arguments<'a>(s: &'a str, name: &str) -> Option<&'a str> {
    let s = s.trim().strip_prefix(name)?;
    s.trim_start().strip_prefix('(')?.strip_suffix(')')
}

/// Up to `N` parts between commas; `None` with more. Absent ones are empty.
fn parts<const N: usize>(s: &str) -> Option<([&str; N], usize)> {
    let mut out = [""; N];
    let mut n = 0;
    for p in s.split(',') {
        *out.get_mut(n)? = p.trim();
        n += 1;
    }
    Some((out, n))
}

/// `vmcnt(0) lgkmcnt(0)`, with `&` or `,` between if wanted; counters not named wait for nothing, of one named
/// twice the last counts.
pub fn parse_counters(s: &str) -> Option<i64> {
    let mut v = 0xcf7fu32;
    let mut rest = s.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let open = rest.find('(')?;
        let close = open + rest[open..].find(')')?;
        let name = rest[..open].trim_end();
        let (base, saturate) = match name.strip_suffix("_sat") {
            Some(base) => (base, true),
            None => (name, false),
        };
        let n = number(&rest[open + 1..close])?;
        let (max, shift) = match base {
            "vmcnt" => (63, 0),
            "expcnt" => (7, 4),
            "lgkmcnt" => (15, 8),
            _ => return None,
        };
        if n < 0 || (n > max && !saturate) {
            return None;
        }
        let n = n.min(max) as u32;
        v = match shift {
            0 => v & !0xc00f | n & 15 | (n >> 4) << 14,
            4 => v & !0x70 | n << 4,
            _ => v & !0xf00 | n << 8,
        };
        rest = rest[close + 1..].trim_start();
        if let Some(more) = rest.strip_prefix(['&', ',']) {
            rest = more.trim_start();
            if rest.is_empty() {
                return None;
            }
        }
    }
    Some(i64::from(v))
}

/// `hwreg(id[, offset, size])`, or `{id: 1, offset: 0, size: 32}`.
pub fn parse_hwreg(s: &str) -> Option<i64> {
    let (id, offset, size) = match arguments(s, "hwreg") {
        Some(a) => match parts::<3>(a)? {
            ([id, ..], 1) => (id, "0", "32"),
            ([id, offset, size], 3) => (id, offset, size),
            _ => return None,
        },
        None => {
            let (mut id, mut offset, mut size) = ("", "0", "32");
            for p in s.trim().strip_prefix('{')?.strip_suffix('}')?.split(',') {
                let (name, value) = p.split_once(':')?;
                match name.trim() {
                    "id" => id = value.trim(),
                    "offset" => offset = value.trim(),
                    "size" => size = value.trim(),
                    _ => return None,
                }
            }
            (id, offset, size)
        }
    };
    let id = match id_of(HWREG, id) {
        Some(id) => i64::from(id),
        None => number(id)?,
    };
    let (offset, size) = (number(offset)?, number(size)?);
    ((0..64).contains(&id) && (0..32).contains(&offset) && (1..=32).contains(&size))
        .then_some(id | offset << 6 | (size - 1) << 11)
}

/// `sendmsg(message[, operation[, stream]])`. A message named by its name takes the operations that it has.
pub fn parse_sendmsg(s: &str) -> Option<i64> {
    let (a, n) = parts::<3>(arguments(s, "sendmsg")?)?;
    let named = id_of(MESSAGE, a[0]).map(i64::from);
    let id = match named {
        Some(id) => id,
        None => number(a[0])?,
    };
    let op = match n {
        1 => 0,
        _ => match id_of(GS_OP, a[1]).or_else(|| id_of(SYS_OP, a[1])) {
            Some(v) => i64::from(v),
            None => number(a[1])?,
        },
    };
    let stream = if n == 3 { number(a[2])? } else { 0 };
    let range = (0..16).contains(&id) && (0..8).contains(&op) && (0..4).contains(&stream);
    let legal = match named {
        Some(2) => n > 1 && (1..=3).contains(&op),
        Some(3) => n > 1 && (0..=3).contains(&op) && (op != 0 || n == 2),
        Some(15) => n == 2 && matches!(op, 1 | 2 | 4),
        Some(_) => n == 1,
        None => true,
    };
    (range && legal).then_some(id | op << 4 | stream << 8)
}

/// `gpr_idx(SRC0,DST)`.
pub fn parse_gpr_idx(s: &str) -> Option<i64> {
    let a = arguments(s, "gpr_idx")?;
    let mut v = 0;
    if a.trim().is_empty() {
        return Some(0);
    }
    for p in a.split(',') {
        let bit = 1 << GPR_IDX.iter().position(|n| *n == p.trim())?;
        if v & bit != 0 {
            return None;
        }
        v |= bit;
    }
    Some(v)
}

/// The offset of `ds_swizzle_b32` for `(QUAD_PERM,0,1,2,3)` and the other forms (CDNA3 ISA, "DS_SWIZZLE_B32").
pub fn parse_swizzle(s: &str) -> Option<i64> {
    let (a, n) = parts::<5>(arguments(s, "")?)?;
    let power =
        |v: i64, lo: i64, hi: i64| (v.count_ones() == 1 && (lo..=hi).contains(&v)).then_some(v);
    let bitmask = |and: i64, or: i64, xor: i64| and | or << 5 | xor << 10;
    Some(match (a[0], n) {
        ("QUAD_PERM", 5) => {
            let mut v = 0x8000;
            for (i, lane) in a[1..].iter().enumerate() {
                v |= number(lane).filter(|l| (0..4).contains(l))? << (2 * i);
            }
            v
        }
        ("BITMASK_PERM", 2) => {
            let mask = a[1].strip_prefix('"')?.strip_suffix('"')?;
            let (mut and, mut or, mut xor) = (0, 0, 0);
            if mask.len() != 5 {
                return None;
            }
            for c in mask.bytes() {
                (and, or, xor) = (and << 1, or << 1, xor << 1);
                match c {
                    b'0' => {}
                    b'1' => or |= 1,
                    b'p' => and |= 1,
                    b'i' => (and, xor) = (and | 1, xor | 1),
                    _ => return None,
                }
            }
            bitmask(and, or, xor)
        }
        ("BROADCAST", 3) => {
            let size = power(number(a[1])?, 2, 32)?;
            let lane = number(a[2]).filter(|l| (0..size).contains(l))?;
            bitmask(32 - size, lane, 0)
        }
        ("SWAP", 2) => bitmask(31, 0, power(number(a[1])?, 1, 16)?),
        ("REVERSE", 2) => bitmask(31, 0, power(number(a[1])?, 2, 32)? - 1),
        ("FFT", 2) => 0xe000 | number(a[1]).filter(|v| (0..32).contains(v))?,
        ("ROTATE", 3) => {
            let left = number(a[1]).filter(|v| (0..2).contains(v))?;
            0xc000 | left << 10 | number(a[2]).filter(|v| (0..32).contains(v))? << 5
        }
        _ => return None,
    })
}

/// ` offset:swizzle(…)`, in the form that says most.
pub fn print_swizzle(v: u32, out: &mut String) {
    let numbers = |out: &mut String, name: &str, list: &[u32]| {
        out.push_str(" offset:swizzle(");
        out.push_str(name);
        for n in list {
            out.push(',');
            push_u32(*n, out);
        }
        out.push(')');
    };
    let (and, or, xor) = (v & 31, v >> 5 & 31, v >> 10 & 31);
    if v == 0 {
    } else if v >= 0xe000 {
        numbers(out, "FFT", &[v & 31]);
    } else if v >= 0xc000 {
        numbers(out, "ROTATE", &[v >> 10 & 1, v >> 5 & 31]);
    } else if v & 0xff00 == 0x8000 {
        numbers(
            out,
            "QUAD_PERM",
            &[v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6 & 3],
        );
    } else if v & 0x8000 != 0 {
        out.push_str(" offset:");
        push_u32(v, out);
    } else if and == 31 && or == 0 && xor.count_ones() == 1 {
        numbers(out, "SWAP", &[xor]);
    } else if and == 31 && or == 0 && xor > 0 && (xor + 1).count_ones() == 1 {
        numbers(out, "REVERSE", &[xor + 1]);
    } else if xor == 0 && 32 - and > 1 && (32 - and).count_ones() == 1 && or < 32 - and {
        numbers(out, "BROADCAST", &[32 - and, or]);
    } else {
        out.push_str(" offset:swizzle(BITMASK_PERM,\"");
        for i in (0..5).rev() {
            // Two probes: what the bit becomes from 0 and from 1.
            let probe = |bit: u32| ((bit & and >> i) | or >> i & 1) ^ (xor >> i & 1);
            out.push(match (probe(0), probe(1)) {
                (0, 0) => '0',
                (1, 1) => '1',
                (0, _) => 'p',
                _ => 'i',
            });
        }
        out.push_str("\")");
    }
}
