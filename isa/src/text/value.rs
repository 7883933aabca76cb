//! Numbers: expressions, and which inline constant or literal a number becomes in a slot.

use crate::Operand;
use crate::operand::code;
use crate::table::{Class, Ty};

/// A number as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Whole.
    Int(i64),
    /// With a point or an exponent.
    Float(f64),
}

/// A whole-number expression, in GNU's precedence: `|| && == != <> < <= > >= + - | ^ & * / % << >>`, unary `- ~ ! +`,
/// parentheses, characters.
pub fn integer(s: &str) -> Option<i64> {
    let t = s.trim();
    // Decimal digits alone are nearly everything.
    if let Some(v) = plain(t.as_bytes()) {
        return Some(v);
    }
    let mut p = Expr {
        s: t.as_bytes(),
        at: 0,
        depth: 0,
    };
    let v = p.binary(0)?;
    p.skip();
    (p.at == p.s.len()).then_some(v)
}

/// A number alone, in decimal or hexadecimal: nearly everything is one.
#[inline]
fn plain(t: &[u8]) -> Option<i64> {
    let (negative, t) = match t {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, t),
    };
    let v = match t {
        [b'0', b'x', digits @ ..] if (1..=15).contains(&digits.len()) => {
            let mut v = 0i64;
            for c in digits {
                v = v << 4 | i64::from((*c as char).to_digit(16)?);
            }
            v
        }
        [b'0', _, ..] => return None,
        _ if (1..=17).contains(&t.len()) => {
            let mut v = 0i64;
            for c in t {
                match c {
                    b'0'..=b'9' => v = v * 10 + i64::from(c - b'0'),
                    _ => return None,
                }
            }
            v
        }
        _ => return None,
    };
    Some(if negative { -v } else { v })
}

struct Expr<'a> {
    s: &'a [u8],
    at: usize,
    depth: u32,
}

impl Expr<'_> {
    fn skip(&mut self) {
        while self.s.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }
    fn eat(&mut self, t: &str) -> bool {
        self.skip();
        let hit = self.s[self.at..].starts_with(t.as_bytes());
        if hit {
            self.at += t.len();
        }
        hit
    }
    /// The operator at hand, if it belongs to `level`.
    fn operator(&mut self, level: usize) -> Option<&'static str> {
        const LEVELS: [&[&str]; 6] = [
            &["||"],
            &["&&"],
            &["==", "!=", "<>", "<=", ">=", "<", ">"],
            &["+", "-"],
            &["|", "^", "&"],
            &["*", "/", "%", "<<", ">>"],
        ];
        self.skip();
        let rest = &self.s[self.at..];
        // The longest spelling is the operator: `<<` is no `<`, `&&` no `&`.
        let found = LEVELS
            .iter()
            .copied()
            .flatten()
            .filter(|o| rest.starts_with(o.as_bytes()))
            .max_by_key(|o| o.len())?;
        LEVELS.get(level)?.contains(found).then(|| {
            self.at += found.len();
            *found
        })
    }
    fn binary(&mut self, level: usize) -> Option<i64> {
        if level == 6 {
            return self.unary();
        }
        let mut v = self.binary(level + 1)?;
        while let Some(op) = self.operator(level) {
            let r = self.binary(level + 1)?;
            // Comparisons give all ones, logic gives one, as in LLVM.
            let all = |b: bool| -i64::from(b);
            v = match op {
                "||" => i64::from(v != 0 || r != 0),
                "&&" => i64::from(v != 0 && r != 0),
                "==" => all(v == r),
                "!=" | "<>" => all(v != r),
                "<=" => all(v <= r),
                ">=" => all(v >= r),
                "<" => all(v < r),
                ">" => all(v > r),
                "|" => v | r,
                "^" => v ^ r,
                "&" => v & r,
                "<<" => v.checked_shl(u32::try_from(r).ok()?)?,
                ">>" => (v as u64).checked_shr(u32::try_from(r).ok()?)? as i64,
                "+" => v.wrapping_add(r),
                "-" => v.wrapping_sub(r),
                "*" => v.wrapping_mul(r),
                "/" => v.checked_div(r)?,
                _ => v.checked_rem(r)?,
            };
        }
        Some(v)
    }
    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let v = if self.eat("-") {
            self.unary()?.wrapping_neg()
        } else if self.eat("~") {
            !self.unary()?
        } else if self.eat("!") {
            i64::from(self.unary()? == 0)
        } else if self.eat("+") {
            self.unary()?
        } else if self.eat("(") {
            let v = self.binary(0)?;
            if !self.eat(")") {
                return None;
            }
            v
        } else if let [b'\'', c, b'\'', ..] = self.s[self.at..] {
            self.at += 3;
            i64::from(c)
        } else {
            let start = self.at;
            while self.s.get(self.at).is_some_and(u8::is_ascii_alphanumeric) {
                self.at += 1;
            }
            literal(std::str::from_utf8(&self.s[start..self.at]).ok()?)?
        };
        self.depth -= 1;
        Some(v)
    }
}

fn literal(t: &str) -> Option<i64> {
    let radix = |digits: &str, r| u64::from_str_radix(digits, r).ok().map(|v| v as i64);
    if !t.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(h) = t.strip_prefix("0x").or_else(|| t.strip_prefix("0X")) {
        return radix(h, 16);
    }
    if let Some(b) = t.strip_prefix("0b").or_else(|| t.strip_prefix("0B")) {
        return radix(b, 2);
    }
    if t.len() > 1 && t.starts_with('0') {
        return radix(&t[1..], 8);
    }
    radix(t, 10)
}

/// A number: whole expression, or float.
pub fn number(s: &str) -> Option<Number> {
    let s = s.trim();
    if let Some(v) = integer(s) {
        return Some(Number::Int(v));
    }
    if let Some(inner) = s.strip_prefix("lit(").and_then(|t| t.strip_suffix(')')) {
        return number(inner);
    }
    let (negative, digits) = match s.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, s),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let v: f64 = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) => hex_float(hex)?,
        None if digits.contains(['.', 'e', 'E']) => digits.parse().ok()?,
        None => return None,
    };
    Some(Number::Float(if negative { -v } else { v }))
}

/// `1.8p-3` behind its `0x`.
fn hex_float(s: &str) -> Option<f64> {
    let (digits, exponent) = s.split_once(['p', 'P'])?;
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + part.len() > 13 {
        return None;
    }
    let mut v = 0u64;
    for c in whole.chars().chain(part.chars()) {
        v = v << 4 | u64::from(c.to_digit(16)?);
    }
    let exponent: i32 = exponent.parse().ok()?;
    Some(v as f64 * 2f64.powi(exponent.checked_sub(4 * part.len() as i32)?))
}

const F64_INLINE: [f64; 8] = [0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0];
const INV_2PI_64: u64 = 0x3fc4_5f30_6dc9_c882;
const F16_INLINE: [u32; 9] = [
    0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
];
const BF16_INLINE: [u32; 9] = [
    0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22,
];

fn inline(list: &[u32; 9], bits: u32) -> Option<Operand> {
    list.iter()
        .position(|b| *b == bits)
        .map(|i| Operand::new(code::F_0_5 + i as u16, 1))
}

/// The inline constant with this f16 pattern.
pub fn inline_f16(bits: u32) -> Option<Operand> {
    inline(&F16_INLINE, bits)
}

/// The inline constant with this bf16 pattern.
pub fn inline_bf16(bits: u32) -> Option<Operand> {
    inline(&BF16_INLINE, bits)
}

/// The inline constant with this double's pattern.
pub fn inline_f64(bits: u64) -> Option<Operand> {
    let c = match F64_INLINE.iter().position(|f| f.to_bits() == bits) {
        Some(i) => code::F_0_5 + i as u16,
        None if bits == INV_2PI_64 => code::F_INV_2PI,
        None if bits == 0 => code::INT_0,
        None => return None,
    };
    Some(Operand::new(c, 1))
}

fn inline_32(bits: u32) -> Option<Operand> {
    Operand::int(bits as i32).or_else(|| Operand::float_bits(bits))
}

/// The operand that a constant becomes in a slot whose numbers are read as `ty`, and its literal. `None`: it has
/// no such form. Measured on LLVM 22 over every source slot (docs, "Constants").
pub fn constant(n: Number, ty: Ty) -> Option<(Operand, u32)> {
    match n {
        Number::Int(v) => integer_constant(v, ty),
        Number::Float(f) => float_constant(f, ty),
    }
}

fn or_literal(o: Option<Operand>, literal: u32) -> Option<(Operand, u32)> {
    Some(match o {
        Some(o) => (o, 0),
        None => (Operand::LITERAL, literal),
    })
}

fn integer_constant(v: i64, ty: Ty) -> Option<(Operand, u32)> {
    if (-16..=64).contains(&v)
        && let Some(o) = Operand::int(v as i32)
    {
        return Some((o, 0));
    }
    let fits32 = i32::try_from(v).is_ok() || u32::try_from(v).is_ok();
    let fits16 = i16::try_from(v).is_ok() || u16::try_from(v).is_ok();
    let low = v as u32;
    match ty {
        Ty::F64 | Ty::I64 | Ty::U64 | Ty::B64 => match inline_f64(v as u64) {
            Some(o) => Some((o, 0)),
            None => fits32.then_some((Operand::LITERAL, low)),
        },
        Ty::LowF16 | Ty::LowBf16 => {
            let (bits, list) = match ty {
                Ty::LowF16 => (low & 0xffff, &F16_INLINE),
                _ => (low & 0xffff, &BF16_INLINE),
            };
            let o = Operand::int(i32::from(bits as u16 as i16)).or_else(|| inline(list, bits));
            fits32.then(|| or_literal(o, bits))?
        }
        Ty::F16 | Ty::Bf16 => {
            let bits = low & 0xffff;
            let list = if ty == Ty::F16 {
                &F16_INLINE
            } else {
                &BF16_INLINE
            };
            let o = Operand::int(i32::from(bits as u16 as i16)).or_else(|| inline(list, bits));
            fits16.then(|| or_literal(o, bits))?
        }
        Ty::I16 | Ty::U16 | Ty::B16 => fits16.then_some((Operand::LITERAL, low)),
        Ty::PkF16 | Ty::PkBf16 => {
            let list = if ty == Ty::PkF16 {
                &F16_INLINE
            } else {
                &BF16_INLINE
            };
            let o = Operand::int(low as i32).or_else(|| inline(list, low));
            fits32.then(|| or_literal(o, low))?
        }
        _ => fits32.then(|| or_literal(inline_32(low), low))?,
    }
}

fn float_constant(f: f64, ty: Ty) -> Option<(Operand, u32)> {
    if f == 0.0 && f.is_sign_positive() {
        return Some((Operand::new(code::INT_0, 1), 0));
    }
    match ty {
        Ty::I64 | Ty::U64 | Ty::B64 => inline_f64(f.to_bits()).map(|o| (o, 0)),
        Ty::F64 => {
            let high = (f.to_bits() >> 32) as u32;
            or_literal(
                inline_f64(f.to_bits()).or_else(|| inline_f64(u64::from(high) << 32)),
                high,
            )
        }
        Ty::F16 | Ty::PkF16 | Ty::LowF16 => {
            let bits = u32::from(f16_bits(f)?);
            or_literal(inline(&F16_INLINE, bits), bits)
        }
        Ty::Bf16 | Ty::PkBf16 | Ty::LowBf16 => {
            // 1/(2π) is the one inline constant that rounding does not give.
            if f == 0.15915494 {
                return Some((Operand::new(code::F_INV_2PI, 1), 0));
            }
            let bits = bf16_bits(f)?;
            or_literal(inline(&BF16_INLINE, bits), bits)
        }
        _ => {
            // A 16-bit integer takes the 32-bit pattern of a float that a half could hold.
            if matches!(ty, Ty::I16 | Ty::U16 | Ty::B16) {
                f16_bits(f)?;
            }
            let bits = f32_bits(f)?;
            or_literal(Operand::float_bits(bits), bits)
        }
    }
}

/// Nearest f32; `None` beyond the range, or when a subnormal is not exact.
fn f32_bits(f: f64) -> Option<u32> {
    let near = f as f32;
    let lost = near.is_infinite() || near.abs() < f32::MIN_POSITIVE && f64::from(near) != f;
    (!lost).then(|| near.to_bits())
}

/// Nearest bf16, ties to even; `None` as for [`f32_bits`].
fn bf16_bits(f: f64) -> Option<u32> {
    f32_bits(f)?;
    let a = f.abs();
    let exponent = (((a.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(-126);
    let units = (a * 2f64.powi(7 - exponent)).round_ties_even() as u32;
    let bits =
        ((exponent + 126) as u32 * 128 + units) | if f.is_sign_negative() { 0x8000 } else { 0 };
    (bits & 0x7fff < 0x7f80).then_some(bits)
}

/// Nearest f16, ties to even; `None` beyond the range, or when a subnormal is not exact.
pub(super) fn f16_bits(f: f64) -> Option<u16> {
    let sign = if f.is_sign_negative() { 0x8000 } else { 0 };
    let a = f.abs();
    if a >= 65520.0 || !a.is_finite() {
        return None;
    }
    // Scale so that one unit is the last place of the result, then round.
    let exponent = (((a.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(-14);
    let scaled = a * 2f64.powi(10 - exponent);
    let units = scaled.round_ties_even();
    if units < 1024.0 && units != scaled {
        return None;
    }
    Some(sign | ((exponent + 14) as u16 * 1024 + units as u16))
}

/// Class of an operand.
#[inline]
pub fn class_of(o: Operand) -> Class {
    CLASSES[usize::from(o.code())]
}

static CLASSES: [Class; 1024] = {
    let mut t = [Class::empty(); 1024];
    let mut c = 0;
    while c < 1024 {
        t[c] = class_of_code(c as u16);
        c += 1;
    }
    t
};

const fn class_of_code(c: u16) -> Class {
    match c {
        0..=101 => Class::S,
        102 | 103 => Class::FLAT_SCRATCH,
        104 | 105 => Class::XNACK_MASK,
        106 | 107 => Class::VCC,
        108..=123 => Class::TTMP,
        124 => Class::M0,
        126 | 127 => Class::EXEC,
        128..=208 => Class::INLINE_INT,
        235..=239 => Class::APERTURE,
        240..=247 => Class::INLINE_FLOAT,
        248 => Class::INLINE_INV2PI,
        251 => Class::SRC_VCCZ,
        252 => Class::SRC_EXECZ,
        253 => Class::SRC_SCC,
        255 => Class::LITERAL.union(Class::LITERAL32),
        256..=511 => Class::V,
        512..=767 => Class::A,
        code::OFF => Class::OFF,
        _ => Class::empty(),
    }
}
