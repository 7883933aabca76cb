//! Directives that put bytes.

use std::ops::Range;

use super::assemble::{Assembler, Fixup, FixupKind};
use super::error::Problem;
use super::expr::Value;
use super::lex::Cursor;

/// Bytes a section may have: far more than a program counter's reach is worth, far less than memory.
pub(super) const MAX_SECTION: u64 = 1 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Data {
    /// Numbers of so many bytes.
    Number(usize),
    /// Strings.
    Ascii,
    /// Strings with a NUL behind each.
    Asciz,
    /// A count of bytes, and which.
    Space,
    /// A count, a size, a value.
    Fill,
    /// Alignment as a power of two, with a filler of so many bytes.
    P2align(usize),
    /// Alignment in bytes, with a filler of so many bytes.
    Align(usize),
    Uleb,
    Sleb,
    Float(usize),
    Org,
}

pub(super) const DATA: [(&str, Data); 33] = [
    (".byte", Data::Number(1)),
    (".short", Data::Number(2)),
    (".hword", Data::Number(2)),
    (".2byte", Data::Number(2)),
    (".value", Data::Number(2)),
    (".long", Data::Number(4)),
    (".int", Data::Number(4)),
    (".word", Data::Number(4)),
    (".dword", Data::Number(4)),
    (".4byte", Data::Number(4)),
    (".quad", Data::Number(8)),
    (".8byte", Data::Number(8)),
    (".xword", Data::Number(8)),
    (".ascii", Data::Ascii),
    (".asciz", Data::Asciz),
    (".string", Data::Asciz),
    (".space", Data::Space),
    (".zero", Data::Space),
    (".skip", Data::Space),
    (".fill", Data::Fill),
    (".p2align", Data::P2align(1)),
    (".p2alignl", Data::P2align(4)),
    (".p2alignw", Data::P2align(2)),
    (".align", Data::Align(1)),
    (".balign", Data::Align(1)),
    (".balignl", Data::Align(4)),
    (".uleb128", Data::Uleb),
    (".sleb128", Data::Sleb),
    (".float", Data::Float(4)),
    (".single", Data::Float(4)),
    (".double", Data::Float(8)),
    (".half", Data::Number(2)),
    (".org", Data::Org),
];

/// `s_nop 0`: what pads code.
const S_NOP: [u8; 4] = [0x00, 0x00, 0x80, 0xbf];

impl Assembler {
    pub(super) fn data_directive(&mut self, name: &str, span: Range<usize>, c: &mut Cursor<'_>) {
        let Some((_, data)) = DATA.iter().find(|(d, _)| *d == name) else {
            return;
        };
        match *data {
            Data::Number(size) => self.numbers(name, size, c),
            Data::Ascii | Data::Asciz => loop {
                match c.string() {
                    Some(text) => {
                        self.section().data.extend_from_slice(&text);
                        if *data == Data::Asciz {
                            self.section().data.push(0);
                        }
                    }
                    None => return self.expected("a string", c),
                }
                if !c.eat(",") {
                    self.at_end(c);
                    return;
                }
            },
            Data::Space => {
                let Some(count) = self.number(c) else { return };
                let value = self.optional(c).unwrap_or(0);
                if self.at_end(c) {
                    self.repeated(name, span, count, &[value as u8]);
                }
            }
            Data::Fill => {
                let Some(count) = self.number(c) else { return };
                let size = self.optional(c).unwrap_or(1);
                let value = self.optional(c).unwrap_or(0);
                if !self.at_end(c) {
                    return;
                }
                if !(0..=8).contains(&size) {
                    let problem = Problem::OutOfRange {
                        what: "the size of `.fill`".to_owned(),
                        expected: "0 to 8".to_owned(),
                        found: size,
                    };
                    return self.fail(span, problem);
                }
                self.repeated(name, span, count, &value.to_le_bytes()[..size as usize]);
            }
            Data::P2align(_) | Data::Align(_) => self.align(*data, span, c),
            Data::Uleb | Data::Sleb => loop {
                let Some(n) = self.number(c) else { return };
                leb(&mut self.section().data, n, *data == Data::Sleb);
                if !c.eat(",") {
                    self.at_end(c);
                    return;
                }
            },
            Data::Float(size) => loop {
                let word = c.word();
                let Ok(value) = word.parse::<f64>() else {
                    return self.expected("a number such as 1.5", c);
                };
                match size {
                    4 => {
                        let bytes = (value as f32).to_le_bytes();
                        self.section().data.extend_from_slice(&bytes);
                    }
                    _ => self.section().data.extend_from_slice(&value.to_le_bytes()),
                }
                if !c.eat(",") {
                    self.at_end(c);
                    return;
                }
            },
            Data::Org => {
                if let Some(to) = self.expression(c)
                    && self.at_end(c)
                {
                    self.org(&to, span);
                }
            }
        }
    }

    /// A number behind a comma, if there is one.
    fn optional(&mut self, c: &mut Cursor<'_>) -> Option<i64> {
        if !c.eat(",") {
            return None;
        }
        // `.p2align 8, , 4` leaves one out.
        match c.peek() {
            Some(b',') | None => None,
            _ => self.number(c),
        }
    }

    fn numbers(&mut self, name: &str, size: usize, c: &mut Cursor<'_>) {
        loop {
            c.skip_space();
            let start = c.at;
            let Some(expr) = self.expression(c) else {
                return;
            };
            let span = start..c.at;
            match self.symbols.evaluate(&expr) {
                Ok(Value::Absolute(n)) => match fitting(n, size) {
                    Some(bytes) => self.section().data.extend_from_slice(&bytes[..size]),
                    None => self.fail(span, too_wide(name, size, n)),
                },
                Err(why) if !matches!(why, super::expr::NoValue::Undefined(_)) => {
                    let problem = self.no_value(&why);
                    self.fail(span, problem);
                }
                _ => {
                    self.symbols.appear_in(&expr);
                    let fixup = Fixup {
                        section: self.current,
                        offset: self.offset(),
                        expr,
                        kind: FixupKind::Data(size),
                        origin: self.origin,
                        span,
                        within: self.within(),
                    };
                    self.fixups.push(fixup);
                    self.section().data.extend_from_slice(&[0; 8][..size]);
                }
            }
            if !c.eat(",") {
                self.at_end(c);
                return;
            }
        }
    }

    fn repeated(&mut self, name: &str, span: Range<usize>, count: i64, bytes: &[u8]) {
        let room = MAX_SECTION.saturating_sub(self.offset());
        let wanted = u64::try_from(count)
            .ok()
            .and_then(|n| n.checked_mul(bytes.len().max(1) as u64));
        match wanted {
            Some(n) if n <= room => {
                let data = &mut self.section().data;
                for _ in 0..count {
                    data.extend_from_slice(bytes);
                }
            }
            _ => {
                let problem = Problem::OutOfRange {
                    what: format!("the count of `{name}`"),
                    expected: format!("0 to {}", room / bytes.len().max(1) as u64),
                    found: count,
                };
                self.fail(span, problem);
            }
        }
    }

    fn align(&mut self, data: Data, span: Range<usize>, c: &mut Cursor<'_>) {
        let Some(n) = self.number(c) else { return };
        let align = match data {
            Data::P2align(_) => u32::try_from(n).ok().and_then(|n| 1u64.checked_shl(n)),
            _ => u64::try_from(n)
                .ok()
                .filter(|n| *n == 0 || n.is_power_of_two()),
        };
        let Some(align) = align.filter(|a| *a <= 4096) else {
            let expected = match data {
                Data::P2align(_) => "0 to 12",
                _ => "a power of two up to 4096",
            };
            let problem = Problem::OutOfRange {
                what: "the alignment".to_owned(),
                expected: expected.to_owned(),
                found: n,
            };
            return self.fail(span, problem);
        };
        let value = self.optional(c);
        let most = self.optional(c);
        if !self.at_end(c) {
            return;
        }
        let align = align.max(1);
        let padding = self.offset().next_multiple_of(align) - self.offset();
        if most.is_some_and(|m| m > 0 && padding > m as u64) {
            return;
        }
        let size = match data {
            Data::P2align(size) | Data::Align(size) => size as u64,
            _ => 1,
        };
        let section = self.section();
        section.align = section.align.max(align);
        // Code is padded with whole instructions, what is before the first of them with zeros.
        let zeros = if section.is_code() {
            padding % 4
        } else {
            padding
        };
        for i in 0..padding {
            let at = section.data.len();
            section.data.push(match value {
                // What a whole filler does not fit into is zeros, before the first of them.
                Some(_) if i < padding % size => 0,
                Some(value) => value.to_le_bytes()[((i - padding % size) % size) as usize],
                None if i < zeros => 0,
                None => S_NOP[at % 4],
            });
        }
    }
}

/// The number's bytes, if it fits as signed or as unsigned.
pub(super) fn fitting(n: i64, size: usize) -> Option<[u8; 8]> {
    let bits = 8 * size as u32;
    let fits = bits >= 64 || n >> (bits - 1) == 0 || n >> (bits - 1) == -1 || n >> bits == 0;
    fits.then(|| n.to_le_bytes())
}

pub(super) fn too_wide(name: &str, size: usize, found: i64) -> Problem {
    Problem::OutOfRange {
        what: format!("the value of `{name}`"),
        expected: format!("at most {} bits", 8 * size),
        found,
    }
}

fn leb(out: &mut Vec<u8>, mut n: i64, signed: bool) {
    loop {
        let low = (n & 0x7f) as u8;
        let done = if signed {
            n >>= 7;
            (n == 0 && low & 0x40 == 0) || (n == -1 && low & 0x40 != 0)
        } else {
            n = ((n as u64) >> 7) as i64;
            n == 0
        };
        if done {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}
