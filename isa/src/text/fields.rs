//! Immediates with a syntax of their own.

use super::names::*;
use std::fmt::Write;

/// Whether the instruction's 16-bit immediate is printed in decimal (`s_sleep 3`), not in hexadecimal (`s_movk_i32 s0, 0x3`).
pub fn is_decimal(name: &str) -> bool {
    const DECIMAL: &[&str] = &[
        "s_nop",
        "s_sethalt",
        "s_setkill",
        "s_sleep",
        "s_setprio",
        "s_trap",
        "s_incperflevel",
        "s_decperflevel",
        "s_set_gpr_idx_mode",
    ];
    DECIMAL.contains(&name)
}

pub fn print_counters(v: u32, out: &mut String) {
    let (vm, exp, lgkm) = (v & 15 | v >> 10 & 0x30, v >> 4 & 7, v >> 8 & 15);
    let all = vm == 63 && exp == 7 && lgkm == 15;
    let mut sep = "";
    for (name, v, max) in [("vmcnt", vm, 63), ("expcnt", exp, 7), ("lgkmcnt", lgkm, 15)] {
        if all || v != max {
            let _ = write!(out, "{sep}{name}({v})");
            sep = " ";
        }
    }
}

pub fn print_hwreg(v: u32, out: &mut String) {
    let (id, offset, size) = (v & 63, v >> 6 & 31, (v >> 11 & 31) + 1);
    out.push_str("hwreg(");
    let _ = match name_of(HWREG, id) {
        Some(n) => write!(out, "{n}"),
        None => write!(out, "{id}"),
    };
    if offset != 0 || size != 32 {
        let _ = write!(out, ", {offset}, {size}");
    }
    out.push(')');
}

pub fn print_sendmsg(v: u32, out: &mut String) {
    let (id, op, stream) = (v & 15, v >> 4 & 7, v >> 8 & 3);
    let named = name_of(MESSAGE, id);
    let ops = match id {
        2 | 3 => Some(GS_OP),
        15 => Some(SYS_OP),
        _ => None,
    };
    let op_name = ops
        .and_then(|l| name_of(l, op))
        .filter(|_| !(id == 2 && op == 0));
    let _ = match (named, op_name) {
        _ if v >> 10 != 0 || v >> 7 & 1 != 0 => write!(out, "{v}"),
        (Some(n), Some(o)) if (id == 15 || op == 0) && stream == 0 => {
            write!(out, "sendmsg({n}, {o})")
        }
        (Some(n), Some(o)) if id != 15 && op != 0 => write!(out, "sendmsg({n}, {o}, {stream})"),
        (Some(n), _) if ops.is_none() && op == 0 && stream == 0 => write!(out, "sendmsg({n})"),
        _ => write!(out, "sendmsg({id}, {op}, {stream})"),
    };
}

pub fn print_gpr_idx(v: u32, out: &mut String) {
    out.push_str("gpr_idx(");
    let mut sep = "";
    for (i, name) in GPR_IDX.iter().enumerate() {
        if v >> i & 1 != 0 {
            let _ = write!(out, "{sep}{name}");
            sep = ",";
        }
    }
    out.push(')');
}

fn number(s: &str) -> Option<i64> {
    super::value::integer(s.trim())
}

fn arguments<'a>(s: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let s = s
        .trim()
        .strip_prefix(name)?
        .trim_start()
        .strip_prefix('(')?
        .strip_suffix(')')?;
    Some(if s.trim().is_empty() {
        Vec::new()
    } else {
        s.split(',').map(str::trim).collect()
    })
}

/// `vmcnt(0) lgkmcnt(0)`, with `&` or `,` between if wanted; counters not named wait for nothing.
pub fn parse_counters(s: &str) -> Option<i64> {
    let mut v = 0xcf7fu32;
    let mut rest = s.trim();
    if rest.is_empty() {
        return None;
    }
    let mut seen = Vec::new();
    while !rest.is_empty() {
        let open = rest.find('(')?;
        let close = rest.find(')')?;
        let name = rest[..open].trim();
        let (base, saturate) = name
            .strip_suffix("_sat")
            .map_or((name, false), |b| (b, true));
        let n = number(rest.get(open + 1..close)?)?;
        let (max, shift) = match base {
            "vmcnt" => (63, 0),
            "expcnt" => (7, 4),
            "lgkmcnt" => (15, 8),
            _ => return None,
        };
        if seen.contains(&base) {
            return None;
        }
        seen.push(base);
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
        rest = rest.strip_prefix(['&', ',']).unwrap_or(rest).trim_start();
    }
    Some(i64::from(v))
}

/// `hwreg(id[, offset, size])`.
pub fn parse_hwreg(s: &str) -> Option<i64> {
    let a = arguments(s, "hwreg")?;
    let id = match id_of(HWREG, a.first()?) {
        Some(id) => i64::from(id),
        None => number(a[0])?,
    };
    let (offset, size) = match a.len() {
        1 => (0, 32),
        3 => (number(a[1])?, number(a[2])?),
        _ => return None,
    };
    ((0..64).contains(&id) && (0..32).contains(&offset) && (1..=32).contains(&size))
        .then_some(id | offset << 6 | (size - 1) << 11)
}

/// `sendmsg(message[, operation[, stream]])`.
pub fn parse_sendmsg(s: &str) -> Option<i64> {
    let a = arguments(s, "sendmsg")?;
    let id = match id_of(MESSAGE, a.first()?) {
        Some(id) => i64::from(id),
        None => number(a[0])?,
    };
    let op = match a.get(1) {
        None => 0,
        Some(o) => match id_of(GS_OP, o).or_else(|| id_of(SYS_OP, o)) {
            Some(v) => i64::from(v),
            None => number(o)?,
        },
    };
    let stream = a.get(2).map_or(Some(0), |s| number(s))?;
    ((0..16).contains(&id) && (0..8).contains(&op) && (0..4).contains(&stream) && a.len() <= 3)
        .then_some(id | op << 4 | stream << 8)
}

/// `gpr_idx(SRC0,DST)`.
pub fn parse_gpr_idx(s: &str) -> Option<i64> {
    let mut v = 0;
    for a in arguments(s, "gpr_idx")? {
        let bit = 1 << GPR_IDX.iter().position(|n| *n == a)?;
        if v & bit != 0 {
            return None;
        }
        v |= bit;
    }
    Some(v)
}
