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

/// A whole-number expression: `+ - * / % << >> & ^ |`, unary `- ~`, parentheses.
pub fn integer(s: &str) -> Option<i64> {
    let mut p = Expr {
        s: s.as_bytes(),
        at: 0,
        depth: 0,
    };
    let v = p.binary(0)?;
    p.skip();
    (p.at == p.s.len()).then_some(v)
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
    fn binary(&mut self, level: usize) -> Option<i64> {
        const LEVELS: [&[&str]; 6] = [
            &["|"],
            &["^"],
            &["&"],
            &["<<", ">>"],
            &["+", "-"],
            &["*", "/", "%"],
        ];
        let Some(ops) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut v = self.binary(level + 1)?;
        'more: loop {
            for op in *ops {
                if self.eat(op) {
                    let r = self.binary(level + 1)?;
                    v = match *op {
                        "|" => v | r,
                        "^" => v ^ r,
                        "&" => v & r,
                        "<<" => v.checked_shl(u32::try_from(r).ok()?)?,
                        ">>" => v.checked_shr(u32::try_from(r).ok()?)?,
                        "+" => v.wrapping_add(r),
                        "-" => v.wrapping_sub(r),
                        "*" => v.wrapping_mul(r),
                        "/" => v.checked_div(r)?,
                        _ => v.checked_rem(r)?,
                    };
                    continue 'more;
                }
            }
            return Some(v);
        }
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
        } else if self.eat("+") {
            self.unary()?
        } else if self.eat("(") {
            let v = self.binary(0)?;
            if !self.eat(")") {
                return None;
            }
            v
        } else {
            self.skip();
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
    let digits = s.trim_start_matches(['-', '+']);
    let ok = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.contains(['.', 'e', 'E'])
        && !digits.starts_with("0x");
    if ok {
        s.parse().ok().map(Number::Float)
    } else {
        None
    }
}

const F64_INLINE: [f64; 8] = [0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0];
const INV_2PI_64: u64 = 0x3fc4_5f30_6dc9_c882;

fn inline_f16(bits: u32) -> Option<u16> {
    const BITS: [u32; 9] = [
        0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
    ];
    BITS.iter()
        .position(|b| *b == bits)
        .map(|i| code::F_0_5 + i as u16)
}

/// The operand that a constant becomes in a slot of type `ty`, and its literal. `None`: it has no such form.
pub fn constant(n: Number, ty: Ty) -> Option<(Operand, u32)> {
    let inline = |c: u16| Some((Operand::new(c, 1), 0));
    let lit = |v: u32| Some((Operand::LITERAL, v));
    let wide = matches!(ty, Ty::F64 | Ty::I64 | Ty::U64 | Ty::B64);
    let half = matches!(
        ty,
        Ty::F16 | Ty::Bf16 | Ty::I16 | Ty::U16 | Ty::B16 | Ty::PkF16 | Ty::PkBf16 | Ty::PkI16
    );
    match n {
        Number::Int(v) => {
            if let Some(o) = i32::try_from(v).ok().and_then(Operand::int) {
                return Some((o, 0));
            }
            if wide {
                if let Some(i) = F64_INLINE.iter().position(|f| f.to_bits() == v as u64) {
                    return inline(code::F_0_5 + i as u16);
                }
                if v as u64 == INV_2PI_64 {
                    return inline(code::F_INV_2PI);
                }
                return match ty {
                    // A literal of a 64-bit integer is sign-extended, of a float it is what the text says.
                    _ if i32::try_from(v).is_ok() || u32::try_from(v).is_ok() => lit(v as u32),
                    _ => None,
                };
            }
            if half {
                if i16::try_from(v).is_err() && u16::try_from(v).is_err() {
                    return None;
                }
                let bits = v as u32 & 0xffff;
                if let Some(o) = Operand::int(i32::from(bits as u16 as i16)) {
                    return Some((o, 0));
                }
                if matches!(ty, Ty::F16 | Ty::PkF16)
                    && let Some(c) = inline_f16(bits)
                {
                    return inline(c);
                }
                return lit(bits);
            }
            if i32::try_from(v).is_err() && u32::try_from(v).is_err() {
                return None;
            }
            if let Some(o) = Operand::int(v as i32) {
                return Some((o, 0));
            }
            Operand::float_bits(v as u32)
                .map(|o| (o, 0))
                .or_else(|| lit(v as u32))
        }
        Number::Float(f) => {
            if f == 0.0 && f.is_sign_positive() {
                return inline(code::INT_0);
            }
            if wide {
                if let Some(i) = F64_INLINE.iter().position(|x| *x == f) {
                    return inline(code::F_0_5 + i as u16);
                }
                if f.to_bits() == INV_2PI_64 {
                    return inline(code::F_INV_2PI);
                }
                return lit((f.to_bits() >> 32) as u32);
            }
            if half {
                let bits = u32::from(f16_bits(f));
                if let Some(c) = inline_f16(bits) {
                    return inline(c);
                }
                return lit(bits);
            }
            let bits = (f as f32).to_bits();
            Operand::float_bits(bits)
                .map(|o| (o, 0))
                .or_else(|| lit(bits))
        }
    }
}

/// Nearest f16, ties to even.
fn f16_bits(f: f64) -> u16 {
    let sign = if f.is_sign_negative() { 0x8000 } else { 0 };
    let a = f.abs();
    if a >= 65520.0 {
        return sign | 0x7c00;
    }
    // Scale so that one unit is the last place of the result, then round.
    let exponent = (((a.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(-14);
    let units = (a * 2f64.powi(10 - exponent)).round_ties_even() as u16;
    sign | ((exponent + 14) as u16 * 1024 + units)
}

/// Class of an operand.
pub fn class_of(o: Operand) -> Class {
    match o.code() {
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
        255 => Class::LITERAL | Class::LITERAL32,
        256..=511 => Class::V,
        512..=767 => Class::A,
        code::OFF => Class::OFF,
        _ => Class::empty(),
    }
}
