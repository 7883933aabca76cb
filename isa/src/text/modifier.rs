//! Modifiers of a line into an instruction.

use super::error::{ParseError, Rule};
use super::names::*;
use super::print::source_count;
use super::scan::Modifier;
use super::value::integer;
use crate::Inst;
use crate::table::{Format, ModSet, Role};

fn bad(m: &Modifier<'_>, expected: impl Into<String>) -> ParseError {
    ParseError::new(
        Rule::BadValue,
        m.span.clone(),
        format!("`{}` takes {}", m.name, expected.into()),
    )
}

fn number(m: &Modifier<'_>, lo: i64, hi: i64) -> Result<u32, ParseError> {
    m.value
        .and_then(integer)
        .filter(|v| (lo..=hi).contains(v))
        .map(|v| v as u32)
        .ok_or_else(|| bad(m, format!("a number from {lo} to {hi}")))
}

fn bits(m: &Modifier<'_>, min: usize, max: usize) -> Result<(u32, usize), ParseError> {
    let expected = || bad(m, format!("a list of {min} to {max} bits in brackets"));
    let inner = m
        .value
        .and_then(|v| v.strip_prefix('['))
        .and_then(|v| v.strip_suffix(']'))
        .ok_or_else(expected)?;
    let mut v = 0;
    let mut n = 0;
    for part in inner.split(',') {
        match part.trim() {
            "0" => {}
            "1" if n < 8 => v |= 1 << n,
            _ => return Err(expected()),
        }
        n += 1;
    }
    if n < min || n > max {
        Err(expected())
    } else {
        Ok((v, n))
    }
}

fn named(m: &Modifier<'_>, list: &[&str]) -> Result<u32, ParseError> {
    m.value
        .and_then(|v| list.iter().position(|n| *n == v))
        .map(|i| i as u32)
        .ok_or_else(|| bad(m, list.join(", ")))
}

/// Whether a modifier asks for SDWA or DPP.
pub fn asks_for(m: &Modifier<'_>) -> Option<&'static str> {
    match m.name {
        "dst_sel" | "dst_unused" | "src0_sel" | "src1_sel" => Some("_sdwa"),
        "quad_perm" | "row_shl" | "row_shr" | "row_ror" | "row_newbcast" | "wave_shl"
        | "wave_rol" | "wave_shr" | "wave_ror" | "row_mirror" | "row_half_mirror" | "row_bcast"
        | "row_mask" | "bank_mask" => Some("_dpp"),
        _ => None,
    }
}

/// Whether the instruction's row takes the modifier at all.
fn allowed(inst: &Inst, name: &str) -> Option<bool> {
    let info = inst.op.info();
    let has = |f: ModSet| info.mods.intersects(f);
    Some(match name {
        "clamp" => has(ModSet::CLAMP),
        "mul" | "div" => has(ModSet::OMOD),
        "op_sel" => has(ModSet::OP_SEL),
        "op_sel_hi" => has(ModSet::OP_SEL_HI),
        "neg_lo" => has(ModSet::NEG_LO),
        "neg_hi" => has(ModSet::NEG_HI),
        "neg" => has(ModSet::NEG),
        "sc0" | "nosc0" => has(ModSet::SC0),
        "sc1" | "nosc1" => has(ModSet::SC1),
        "nt" | "nont" => has(ModSet::NT),
        "glc" | "noglc" => has(ModSet::GLC),
        "lds" => has(ModSet::LDS | ModSet::LDS_GFX950),
        "offen" => has(ModSet::OFFEN),
        "idxen" => has(ModSet::IDXEN),
        "offset" | "inst_offset" => has(ModSet::OFFSET),
        "offset0" | "offset1" => has(ModSet::OFFSET01),
        "gds" => has(ModSet::GDS),
        "cbsz" => has(ModSet::CBSZ),
        "abid" => has(ModSet::ABID),
        "blgp" => has(ModSet::BLGP),
        "bitop3" => has(ModSet::BITOP3),
        "dst_sel" => has(ModSet::DST_SEL),
        "dst_unused" => has(ModSet::DST_UNUSED),
        "src0_sel" => has(ModSet::SRC0_SEL),
        "src1_sel" => has(ModSet::SRC1_SEL),
        "format" | "dfmt" | "nfmt" => has(ModSet::FORMAT),
        "fi" => has(ModSet::BOUND_CTRL_FI),
        "bound_ctrl" => has(ModSet::BOUND_CTRL_FI | ModSet::DPP | ModSet::DPP64),
        "row_newbcast" | "row_mask" | "bank_mask" => has(ModSet::DPP | ModSet::DPP64),
        "quad_perm" | "row_shl" | "row_shr" | "row_ror" | "wave_shl" | "wave_rol" | "wave_shr"
        | "wave_ror" | "row_mirror" | "row_half_mirror" | "row_bcast" => has(ModSet::DPP),
        "scale_raw" => info.slot(Role::ScaleA).is_some(),
        _ => return None,
    })
}

/// Sets `m` in `inst`.
pub fn apply(inst: &mut Inst, m: &Modifier<'_>) -> Result<(), ParseError> {
    match allowed(inst, m.name) {
        Some(true) => {}
        Some(false) => {
            let message = format!("`{}` does not take `{}`", inst.op.info().name, m.name);
            return Err(ParseError::new(
                Rule::ModifierNotAllowedHere,
                m.span.clone(),
                message,
            ));
        }
        None => {
            let message = format!("unknown modifier `{}`", m.name);
            return Err(ParseError::new(
                Rule::UnknownModifier,
                m.span.clone(),
                message,
            ));
        }
    }
    let takes_value = !matches!(
        m.name,
        "clamp"
            | "sc0"
            | "sc1"
            | "nt"
            | "nosc0"
            | "nosc1"
            | "nont"
            | "glc"
            | "noglc"
            | "lds"
            | "offen"
            | "idxen"
            | "gds"
            | "row_mirror"
            | "row_half_mirror"
    );
    if !takes_value && m.value.is_some() {
        return Err(bad(m, "no value"));
    }
    let info = inst.op.info();
    let sources = source_count(info.operands) as usize;
    let scaled = info.format == Format::VOP3P_MAI;
    let x = &mut inst.mods;
    match m.name {
        "clamp" => x.set_clamp(1),
        "mul" => x.set_omod(match number(m, 1, 4)? {
            1 => 0,
            2 => 1,
            4 => 2,
            _ => return Err(bad(m, "1, 2 or 4")),
        }),
        "div" => x.set_omod(match number(m, 1, 2)? {
            1 => 0,
            _ => 3,
        }),
        "op_sel" if info.format == Format::VOP3A || info.format == Format::VOP3B => {
            let (v, n) = bits(m, sources.min(2), sources + 1)?;
            let v = if n == sources + 1 {
                v & ((1 << sources) - 1) | (v >> sources) << 3
            } else {
                v
            };
            x.set_op_sel(v);
        }
        "op_sel" => x.set_op_sel(bits(m, 2, if scaled { 3 } else { 4 })?.0),
        "op_sel_hi" => {
            let (v, n) = bits(m, 2, 3)?;
            // A list shorter than three leaves the rest as it was.
            x.set_op_sel_hi(if n < 3 {
                v | x.op_sel_hi() & !((1 << n) - 1)
            } else {
                v
            });
        }
        "neg_lo" => x.set_neg(bits(m, 2, 3)?.0),
        "neg_hi" => x.set_abs(bits(m, 2, 3)?.0),
        "neg" => x.set_blgp(bits(m, 3, 3)?.0),
        "sc0" => x.set_sc0(1),
        "glc" => x.set_sc0(1),
        "sc1" => x.set_sc1(1),
        "nt" => x.set_nt(1),
        "nosc0" | "nosc1" | "nont" | "noglc" => {}
        "lds" => x.set_lds(1),
        "offen" => x.set_offen(1),
        "idxen" => x.set_idxen(1),
        "gds" => x.set_gds(1),
        "cbsz" => x.set_cbsz(number(m, 0, 7)?),
        "abid" => x.set_abid(number(m, 0, 15)?),
        "blgp" => x.set_blgp(number(m, 0, 7)?),
        "bitop3" => x.set_bitop3(number(m, 0, 255)?),
        "scale_raw" => x.set_scale_raw(number(m, 0, 3)?),
        "dst_sel" => x.set_dst_sel(named(m, &SDWA_SEL)?),
        "src0_sel" => x.set_src0_sel(named(m, &SDWA_SEL)?),
        "src1_sel" => x.set_src1_sel(named(m, &SDWA_SEL)?),
        "dst_unused" => x.set_dst_unused(named(m, &SDWA_UNUSED)?),
        "row_mask" => x.set_row_mask(mask(m)?),
        "bank_mask" => x.set_bank_mask(mask(m)?),
        // Written 0 or 1, it means the same.
        "bound_ctrl" => {
            number(m, 0, 1)?;
            x.set_bound_ctrl(1);
        }
        "fi" => x.set_fi(number(m, 0, 1)?),
        "quad_perm" => {
            let inner = m
                .value
                .and_then(|v| v.strip_prefix('['))
                .and_then(|v| v.strip_suffix(']'));
            let lanes: Option<Vec<u32>> = inner.map(|v| {
                v.split(',')
                    .filter_map(|p| p.trim().parse().ok().filter(|v| *v < 4))
                    .collect()
            });
            match lanes.as_deref() {
                Some([a, b, c, d]) if inner.is_some_and(|v| v.split(',').count() == 4) => {
                    x.set_dpp_ctrl(a | b << 2 | c << 4 | d << 6);
                }
                _ => return Err(bad(m, "four lanes of 0 to 3 in brackets")),
            }
        }
        "offset" | "inst_offset" => {
            let v = m
                .value
                .and_then(integer)
                .and_then(|v| i32::try_from(v).ok());
            inst.imm = v.ok_or_else(|| bad(m, "a number"))?;
            if info.format == Format::SMEM {
                inst.mods.set_has_offset(1);
            }
        }
        "offset0" => inst.imm = inst.imm & !0xff | number(m, 0, 255)? as i32,
        "offset1" => inst.imm = inst.imm & 0xff | (number(m, 0, 255)? as i32) << 8,
        "format" => x.set_format(format(m)?),
        "dfmt" => x.set_format(x.format() & !15 | number(m, 0, 15)?),
        "nfmt" => x.set_format(x.format() & 15 | number(m, 0, 7)? << 4),
        name => {
            if let Some((_, lo, hi, base)) = DPP_COUNTED.iter().find(|d| d.0 == name) {
                x.set_dpp_ctrl(base + number(m, i64::from(*lo), i64::from(*hi))?);
            } else {
                let v = match m.value {
                    Some(_) => Some(number(m, 0, 31)?),
                    None => None,
                };
                match DPP_SINGLE.iter().find(|d| d.0 == name && d.1 == v) {
                    Some((_, _, code)) => x.set_dpp_ctrl(*code),
                    None => return Err(bad(m, "another number")),
                }
            }
        }
    }
    Ok(())
}

fn mask(m: &Modifier<'_>) -> Result<u32, ParseError> {
    // LLVM keeps the low four bits.
    m.value
        .and_then(integer)
        .map(|v| v as u32 & 15)
        .ok_or_else(|| bad(m, "a mask"))
}

fn format(m: &Modifier<'_>) -> Result<u32, ParseError> {
    let expected = || {
        bad(
            m,
            "[BUF_DATA_FORMAT_…,BUF_NUM_FORMAT_…] or a number from 0 to 127",
        )
    };
    let v = m.value.ok_or_else(expected)?;
    let Some(inner) = v.strip_prefix('[').and_then(|v| v.strip_suffix(']')) else {
        return number(m, 0, 127);
    };
    let (mut d, mut n) = (None, None);
    for part in inner.split(',').map(str::trim) {
        if let Some(i) = DATA_FORMAT.iter().position(|f| *f == part) {
            if d.replace(i as u32).is_some() {
                return Err(expected());
            }
        } else if let Some(i) = NUM_FORMAT.iter().position(|f| *f == part) {
            if n.replace(i as u32).is_some() {
                return Err(expected());
            }
        } else {
            return Err(expected());
        }
    }
    Ok(d.unwrap_or(1) | n.unwrap_or(0) << 4)
}
