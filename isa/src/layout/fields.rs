//! The fields of an instruction by name, for people.

use super::{Alt, Form, Slot, TABLES};
use crate::table::{Format, ModSet, OpInfo};
use crate::{Inst, Mods, Target};

/// A run of bits in an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The operand's or modifier's name as the tables have it, or `encoding` for constant bits (prefix, opcode).
    pub name: String,
    /// Lowest bit, from bit 0 of the first dword on.
    pub lo: u32,
    /// How many bits.
    pub bits: u32,
    /// Whether the bits are the same in every such instruction, and their value.
    pub constant: Option<u64>,
}

/// What each bit of `inst` is, lowest first, no bit left out and none twice. The fields depend on the form (a load
/// with `lds`, an address with `offen`), so an instruction is asked for and not an opcode.
///
/// # Errors
/// What [`encode`](crate::encode::encode) says of the instruction.
pub fn fields(inst: &Inst, target: Target) -> Result<Vec<Field>, crate::encode::EncodeError> {
    let encoded = crate::encode::encode(inst, target)?;
    let t = &*TABLES;
    let entry = t.by_op[target as usize][inst.op as usize];
    let form = t.forms[entry.form as usize + entry.select.by_inst(inst, entry.slot) as usize];
    let mut out = Vec::new();
    let mut at = 0;
    if entry.select == super::Select::Scaled {
        half(inst, t.scales, at, &encoded.words, &mut out);
        at = 64;
    }
    half(inst, form, at, &encoded.words, &mut out);
    if inst.has_literal() {
        let lo = at + 32 * u32::from(t.shapes[form.shape as usize].dwords);
        out.push(Field {
            name: "literal".into(),
            lo,
            bits: 32,
            constant: None,
        });
    }
    out.sort_by_key(|f| f.lo);
    Ok(out)
}

fn half(inst: &Inst, form: Form, at: u32, words: &[u32; 4], out: &mut Vec<Field>) {
    let shape = &TABLES.shapes[form.shape as usize];
    let places = &TABLES.places[form.shape as usize];
    let info = inst.op.info();
    let mut named: Vec<(String, u32, u32)> = Vec::new();
    for (slot, o) in places.iter().zip(info.operands) {
        operand(slot, &format!("{:?}", o.role).to_lowercase(), &mut named);
    }
    for run in &shape.runs[..shape.n_runs as usize] {
        modifiers(info, run, &mut named);
    }
    if shape.imm.mask != 0 {
        let memory = info.mem != crate::table::Mem::No;
        let name = if memory { "offset" } else { "imm" };
        let bits = shape.imm.mask.count_ones();
        named.push((name.into(), shape.imm.shift.into(), bits));
    }
    let total = 32 * u32::from(shape.dwords);
    let first = (at / 32) as usize;
    let word = u64::from(words[first]) | u64::from(words[first + 1]) << 32;
    named.sort_by_key(|f| f.1);
    let mut next = 0;
    let constant = |lo: u32, hi: u32, out: &mut Vec<Field>| {
        // Dword by dword: that is how people look at them.
        let mut lo = lo;
        while lo < hi {
            let end = hi.min((lo / 32 + 1) * 32);
            let bits = end - lo;
            out.push(Field {
                name: "encoding".into(),
                lo: at + lo,
                bits,
                constant: Some(word >> lo & (u64::MAX >> (64 - bits))),
            });
            lo = end;
        }
    };
    for (name, lo, bits) in named {
        constant(next, lo, out);
        out.push(Field {
            name,
            lo: at + lo,
            bits,
            constant: None,
        });
        next = lo + bits;
    }
    constant(next, total, out);
}

fn operand(slot: &Slot, name: &str, out: &mut Vec<(String, u32, u32)>) {
    if slot.mask != 0 && slot.takes.is_some() {
        out.push((name.into(), slot.shift.into(), slot.mask.count_ones()));
    }
    let bit = match slot.alt {
        Alt::No => return,
        Alt::Acc => "acc",
        Alt::Scalar => "scalar",
    };
    let at = u32::from(slot.alt_shift);
    let name = format!("{name}:{bit}");
    // One bit may speak for two operands.
    match out.iter_mut().find(|(_, lo, _)| *lo == at) {
        Some((old, _, _)) => *old = format!("{old} {name}"),
        None => out.push((name, at, 1)),
    }
}

/// The names of a run: neighbours in the encoding are one run.
fn modifiers(info: &OpInfo, run: &super::Run, out: &mut Vec<(String, u32, u32)>) {
    let sdwa = matches!(
        info.format,
        Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA
    );
    let packed = info.format == Format::VOP3P;
    let smem = info.format == Format::SMEM;
    let matrix = info.format == Format::VOP3P_MAI;
    let (lo, mask) = (u32::from(run.mods), u64::from(run.mask));
    let from = out.len();
    for &(name, f_lo, f_len) in Mods::FIELDS {
        let mut part = (mask << lo) & (((1 << f_len) - 1) << f_lo);
        // Fields that share their bits.
        let here = match name {
            "dst_sel" | "dst_unused" | "src0_sel" | "src1_sel" => sdwa,
            "dpp_ctrl" | "row_mask" | "bank_mask" => {
                matches!(info.format, Format::VOP1_DPP | Format::VOP2_DPP)
            }
            "bitop3" => info.mods.contains(ModSet::BITOP3),
            "cbsz" | "abid" | "blgp" => !info.mods.contains(ModSet::BITOP3),
            "other_soffset" | "has_offset" => smem,
            "offen" | "idxen" => !smem,
            "scale_rest" => matrix,
            "format" | "fi" | "bound_ctrl" => !matrix,
            "has_unused" => false,
            _ => true,
        };
        if !here {
            continue;
        }
        let name = match name {
            "neg" if packed => "neg_lo",
            "abs" if packed => "neg_hi",
            "sc0" if smem => "glc",
            "scale_rest" => "scale_raw",
            n => n,
        };
        // A run may have holes: `op_sel` without the bit of a third source.
        while part != 0 {
            let start = part.trailing_zeros();
            let bits = (part >> start).trailing_ones();
            part &= !(((1 << bits) - 1) << start);
            let (low, high) = (start - f_lo, start - f_lo + bits - 1);
            let name = if bits == f_len {
                name.to_owned()
            } else if bits == 1 {
                format!("{name}[{low}]")
            } else {
                format!("{name}[{high}:{low}]")
            };
            out.push((name, u32::from(run.word) + start - lo, bits));
        }
    }
    debug_assert!(
        out[from..].iter().map(|f| f.2).sum::<u32>() == mask.count_ones(),
        "{}: a run without a name",
        info.name
    );
}
