//! An instruction to look at: its text, its bytes, and where each field lies in them.

use serde::Serialize;
use wavesmith_isa::table::{Class, Presence, Width};
use wavesmith_isa::{Inst, Op, Operand, Target, decode::decode, encode::encode, text};

/// One instruction of an op, registers from 0 on.
#[derive(Serialize)]
pub struct Example {
    pub text: String,
    /// In memory order, hexadecimal.
    pub bytes: String,
    pub fields: Vec<FieldRow>,
}

/// A run of bits.
#[derive(Serialize)]
pub struct FieldRow {
    name: String,
    /// Lowest and highest bit, from bit 0 of the first dword on.
    low: u32,
    high: u32,
    /// Bits that every such instruction has, lowest last.
    #[serde(skip_serializing_if = "Option::is_none")]
    constant: Option<String>,
}

/// What does not encode and come back is not shown: an example must be right.
pub fn of(op: Op, targets: &[Target]) -> Option<Example> {
    let target = *targets.iter().find(|t| op.info().on(**t))?;
    let bits = encode(&sample(op), target).ok()?;
    let (back, _) = decode(bits.as_words(), target).ok()?;
    let mut line = String::new();
    text::print(&back, target, &mut line);
    text::parse(&line, target).ok()?;
    let hex: Vec<String> = bits.to_bytes().iter().map(|b| format!("{b:02x}")).collect();
    let fields = wavesmith_isa::fields(&back, target).ok()?;
    Some(Example {
        text: line,
        bytes: hex.join(" "),
        fields: fields
            .into_iter()
            .map(|f| FieldRow {
                name: f.name,
                low: f.lo,
                high: f.lo + f.bits - 1,
                constant: f
                    .constant
                    .map(|c| format!("{c:0width$b}", width = f.bits as usize)),
            })
            .collect(),
    })
}

impl Example {
    /// A line for each dword, highest bit first, as manuals draw them.
    pub fn lines(&self) -> Vec<String> {
        let dwords = self.fields.last().map_or(0, |f| f.high / 32 + 1);
        (0..dwords)
            .map(|n| {
                let of_it: Vec<String> = self
                    .fields
                    .iter()
                    .rev()
                    .filter(|f| f.low / 32 == n)
                    .map(|f| {
                        let (low, high) = (f.low - 32 * n, f.high - 32 * n);
                        let what = match &f.constant {
                            Some(bits) => format!("={bits}"),
                            None => format!(" {}", f.name),
                        };
                        if low == high {
                            format!("{low}{what}")
                        } else {
                            format!("{high}:{low}{what}")
                        }
                    })
                    .collect();
                format!("dword {n}: {}", of_it.join(" | "))
            })
            .collect()
    }
}

/// Each operand behind the one before.
fn sample(op: Op) -> Inst {
    let mut inst = Inst::new(op);
    let mut next = 0;
    for (i, slot) in op.info().operands.iter().enumerate() {
        let n = match slot.width {
            Width::Fixed(0) => 1,
            Width::Fixed(n) => u32::from(n),
            Width::FormatA | Width::FormatB => 8,
            _ => 1,
        };
        let c = slot.class;
        let at = if n > 2 { next & !3u32 } else { next & !1 };
        inst.ops[i] = if slot.presence == Presence::IfSc0 {
            Operand::NONE
        } else if c.contains(Class::OFF) {
            Operand::OFF
        } else if c.contains(Class::V) {
            Operand::v(at, n)
        } else if c.contains(Class::A) {
            Operand::a(at, n)
        } else if c.contains(Class::S) {
            Operand::s(at, n)
        } else if c.contains(Class::VCC) {
            Operand::VCC
        } else if c.contains(Class::LITERAL32) {
            Operand::LITERAL
        } else {
            Operand::IMM
        };
        next = (at + n + 3) & !3;
    }
    inst
}
