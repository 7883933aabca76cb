//! What an instruction costs and what must lie between two of them, out of `isa/spec/matrix.tsv` and
//! `isa/spec/hazards.tsv`; every row names its source and how sure it is.

use crate::table::{Format, Implicit, Mem, OpInfo, Role};
use crate::{Op, Target};

/// The pipe that a matrix instruction runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The matrix pipe for narrow types.
    Xdl,
    /// f32.
    Sgemm,
    /// f64.
    Dgemm,
}

/// One matrix instruction on one target, and for f8f6f4 with one pair of formats.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    /// Target.
    pub target: Target,
    /// Mnemonic.
    pub name: &'static str,
    /// `cbsz` and `blgp` of f8f6f4.
    pub formats: Option<(u32, u32)>,
    /// Type of A.
    pub a: &'static str,
    /// Type of B.
    pub b: &'static str,
    /// Type of C and D.
    pub cd: &'static str,
    /// Pipe.
    pub unit: Unit,
    /// Passes: four cycles each.
    pub passes: u32,
    /// Cycles from one to the next independent one of the same wave.
    pub issue_cycles: u32,
    /// Cycles during which the wave can issue nothing else.
    pub slot_cycles: u32,
    /// Cycles in which vector ALU instructions may run beside it.
    pub valu_coexec_cycles: Option<u32>,
    /// Cycles until the result may be the C of the next.
    pub to_same_c: u32,
    /// Cycles until a vector ALU instruction may read the result.
    pub to_valu: u32,
    /// Cycles until the result may be A or B.
    pub to_ab: u32,
    /// States needed before the same registers as C.
    pub wait_same_c: u32,
    /// States needed before overlapping registers as C.
    pub wait_overlap_c: u32,
    /// States needed before A or B.
    pub wait_ab: u32,
    /// States needed before a vector ALU instruction reads or writes the result.
    pub wait_valu: u32,
    /// States needed before memory instructions read the result.
    pub wait_memory: u32,
    /// States needed before a vector ALU instruction overwrites C.
    pub wait_war_c: Option<u32>,
    /// Floating point (or integer) operations, multiply and add counted apart.
    pub flops: u32,
    /// Operations per clock and compute unit at full rate.
    pub flops_per_clk_cu: u32,
    /// `high`, `med`, `low` …
    pub confidence: &'static str,
    /// Where the row is from.
    pub source: &'static str,
}

/// What a hazard rule asks for on one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// This many states; 0 where hardware waits by itself.
    States(u32),
    /// Something else: a counter.
    Other(&'static str),
    /// The target has no such case.
    Absent,
}

/// A rule about two instructions.
#[derive(Clone, Copy, Debug)]
pub struct Hazard {
    /// Id, stable.
    pub id: &'static str,
    /// The earlier instruction.
    pub first: &'static str,
    /// The later one.
    pub second: &'static str,
    /// When it applies.
    pub condition: &'static str,
    /// By target, gfx942 first.
    pub waits: [Wait; 2],
    /// `software`, `hardware` …
    pub resolved_by: &'static str,
    /// `high`, `medium`, `low`.
    pub confidence: &'static str,
    /// Where the rule is from.
    pub source: &'static str,
    /// More about it.
    pub note: &'static str,
}

impl Hazard {
    /// What it asks for on `target`.
    pub fn wait(&self, target: Target) -> Wait {
        self.waits[target as usize]
    }
}

/// Every rule.
pub fn hazards() -> &'static [Hazard] {
    crate::facts_data::HAZARDS
}

/// Rows of a matrix instruction on a target: one, or one for each pair of formats.
pub fn matrix(op: Op, target: Target) -> impl Iterator<Item = &'static Matrix> {
    let name = op.info().name;
    // The scaled forms run as the unscaled ones do.
    let plain = name.replace("_scale_", "_");
    crate::facts_data::MATRIX
        .iter()
        .filter(move |m| m.target == target && (m.name == name || m.name == plain))
        .filter(move |m| {
            m.name == name
                || !crate::facts_data::MATRIX
                    .iter()
                    .any(|o| o.name == name && o.target == target)
        })
}

/// Where an instruction stands in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It is the earlier one.
    First,
    /// It is the later one.
    Second,
}

/// What kinds of instruction an op is, in the words of the hazard table.
#[derive(Clone, Copy, Debug, Default)]
struct Kinds {
    valu: bool,
    salu: bool,
    smem: bool,
    vmem: bool,
    flat: bool,
    lds: bool,
    matrix: Option<(Unit, u32)>,
    store_wide: bool,
    writes_vgpr: bool,
    writes_sgpr: bool,
}

fn kinds(info: &OpInfo, target: Target) -> Kinds {
    use Format::*;
    let mut k = Kinds::default();
    match info.format {
        SOP1 | SOP2 | SOPC | SOPK => k.salu = true,
        SOPP => {}
        SMEM => k.smem = true,
        DS => k.lds = true,
        FLAT => (k.flat, k.vmem) = (true, true),
        GLOBAL | SCRATCH | MUBUF | MTBUF => k.vmem = true,
        VOP3P_MAI => {
            let row = crate::facts_data::MATRIX
                .iter()
                .find(|m| m.target == target && m.name == info.name.replace("_scale_", "_"));
            k.matrix = row.map(|m| (m.unit, m.passes));
            k.valu = k.matrix.is_none();
        }
        _ => k.valu = true,
    }
    let written = |v: bool| {
        info.operands.iter().any(|o| {
            let vector = o
                .class
                .intersects(crate::table::Class::V | crate::table::Class::A);
            o.access.writes() && vector == v && o.role != Role::Waitcnt
        })
    };
    k.writes_vgpr = written(true);
    k.writes_sgpr = written(false);
    k.store_wide = matches!(info.mem, Mem::Store | Mem::LoadStore)
        && (info.name.contains("x3")
            || info.name.contains("x4")
            || info.name.ends_with("xyz")
            || info.name.ends_with("xyzw")
            || info.name.ends_with("cmpswap_x2"));
    k
}

/// Rules that name the instruction on `target`, and on which side. Which registers must meet is in the rule's words.
pub fn hazards_of(op: Op, target: Target) -> Vec<(&'static Hazard, Side)> {
    let info = op.info();
    let k = kinds(info, target);
    let mut out = Vec::new();
    for h in hazards() {
        if h.wait(target) == Wait::Absent {
            continue;
        }
        if named(h.first, info, &k, true) {
            out.push((h, Side::First));
        }
        if named(h.second, info, &k, false) {
            out.push((h, Side::Second));
        }
    }
    out
}

/// Whether the words of a rule mean the instruction.
fn named(words: &str, info: &OpInfo, k: &Kinds, first: bool) -> bool {
    let n = info.name;
    // "f32 non-XDL" is said of the other pipe.
    let words = &words.replace("f32 non-XDL, ", "");
    let has = |w: &str| words.contains(w);
    let any = |list: &[&str]| list.iter().any(|p| n.starts_with(p));
    let lanes = any(&["v_readlane", "v_writelane", "v_readfirstlane"]);
    let compares = any(&["v_cmp"]);
    if let Some((unit, passes)) = k.matrix {
        let word = match unit {
            Unit::Xdl => "XDL",
            Unit::Sgemm => "SGEMM",
            Unit::Dgemm => "DGEMM",
        };
        if has("pass)") {
            let this = format!("{passes} pass)");
            return has(word)
                && words.contains(&format!("({this}")) | words.contains(&format!(", {this}"));
        }
        if has("DGEMM 16x16x4") || has("DGEMM 4x4x4") {
            let shape = if n.contains("16x16x4") {
                "DGEMM 16x16x4"
            } else {
                "DGEMM 4x4x4"
            };
            return unit == Unit::Dgemm && has(shape);
        }
        return has("any MFMA")
            || has("MFMA*")
            || has("MFMA/SMFMAC reads")
            || has(word)
            || words == "MFMA"
            || has("paired v_mfma")
            || has("MFMA SrcC")
            || unit == Unit::Sgemm && has("S/DGEMM")
            || unit == Unit::Dgemm && has("S/DGEMM");
    }
    if has("MFMA") || has("XDL") || has("GEMM") {
        return has("v_mfma_ld_scale") && n == "v_mfma_ld_scale_b32";
    }
    // Mnemonics that the words spell out.
    if n.len() > 6 && has(n) {
        return true;
    }
    let spelled = [
        ("v_cmpx", any(&["v_cmpx"])),
        ("v_dot*", any(&["v_dot"])),
        ("v_dot", any(&["v_dot"])),
        ("v_permlane", any(&["v_permlane"])),
        ("v_div_fmas", any(&["v_div_fmas"])),
        ("v_fma_f64", any(&["v_fma_f64", "v_fmac_f64"])),
        ("v_readlane", lanes),
        ("S_SETREG", any(&["s_setreg"])),
        ("S_GETREG", any(&["s_getreg"])),
        ("SET_VSKIP", n == "s_setvskip"),
        ("RFE", any(&["s_rfe"])),
        ("S_MOVEREL", any(&["s_movrel"])),
        ("GDS op", any(&["ds_gws"])),
        ("S_SENDMSG", any(&["s_sendmsg"])),
        ("S_NOP", n == "s_nop"),
        ("s_waitcnt simm", n == "s_waitcnt"),
        ("s_endpgm", any(&["s_endpgm"])),
    ];
    if words.starts_with("VALU writes SGPR")
        || words.starts_with("VALU sets VCC")
        || words.starts_with("VALU writes VCC")
    {
        let implicit = info.writes.intersects(Implicit::VCC | Implicit::EXEC);
        return k.valu && (k.writes_sgpr || implicit || compares);
    }
    for (word, it) in spelled {
        if has(word) {
            return it;
        }
    }
    if words.starts_with("same as G08") || has(">64 bit") {
        return k.vmem && k.store_wide;
    }
    if has("VALU trans") {
        return any(&[
            "v_exp", "v_log", "v_rcp", "v_rsq", "v_sqrt", "v_sin", "v_cos",
        ]);
    }
    if words.starts_with("VALU DPP") {
        return matches!(info.format, Format::VOP1_DPP | Format::VOP2_DPP);
    }
    if words.starts_with("VALU with OPSEL") {
        return matches!(info.format, Format::VOP1_SDWA | Format::VOP2_SDWA)
            || n.contains("fp8")
            || n.contains("bf8");
    }
    if words.starts_with("VALU writes EXEC") {
        return k.valu && info.writes.contains(Implicit::EXEC);
    }
    if words.starts_with("VALU writes VGPR") || words.starts_with("VALU (not DOT) writes VGPR") {
        return k.valu && k.writes_vgpr && !any(&["v_dot"]);
    }
    if words.starts_with("VALU") || words.starts_with("any other VALU") || words.starts_with("v_") {
        return k.valu && words.starts_with("VALU") | words.starts_with("any other VALU");
    }
    if words.starts_with("SALU writes M0") || words.starts_with("SALU") {
        return k.salu && (k.writes_sgpr || !first);
    }
    if words.starts_with("SMEM") {
        return k.smem;
    }
    if has("LDS-DMA") && words.starts_with("LDS-DMA") {
        return k.vmem && n.contains("load");
    }
    if has("add-TID") {
        return n.contains("addtid") || info.mods.intersects(crate::table::ModSet::LDS);
    }
    if words.starts_with("ds_") {
        return k.lds && n.starts_with(words.split(' ').next().unwrap_or(words));
    }
    if words.starts_with("LDS") {
        return k.lds;
    }
    if words.starts_with("FLAT load") {
        return k.flat;
    }
    if words.starts_with("VMEM load") {
        return k.vmem && matches!(info.mem, Mem::Load | Mem::LoadStore);
    }
    if words.starts_with("VMEM store") {
        return k.vmem && matches!(info.mem, Mem::Store);
    }
    if words.starts_with("VMEM") {
        return k.vmem;
    }
    false
}
