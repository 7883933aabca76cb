//! Writes `isa/src/generated/facts.rs`: rates of matrix instructions and hazard rules.

use std::path::Path;

use crate::emit::HEADER;
use crate::spec::lines;

const MATRIX_COLUMNS: usize = 36;
const HAZARD_COLUMNS: usize = 10;

fn target(t: &str) -> Result<&'static str, String> {
    match t {
        "gfx942" => Ok("Target::Gfx942"),
        "gfx950" => Ok("Target::Gfx950"),
        t => Err(format!("target `{t}`")),
    }
}

fn number(field: &str) -> Result<u32, String> {
    field.parse().map_err(|e| format!("`{field}`: {e}"))
}

fn optional(field: &str) -> Result<String, String> {
    Ok(match field {
        "-" => "None".to_owned(),
        f => format!("Some({})", number(f)?),
    })
}

/// `cbsz=0 blgp=4` to the two numbers.
fn formats(field: &str) -> Result<String, String> {
    // Of the others it says which FP8 they mean.
    if !field.starts_with("cbsz=") {
        return Ok("None".to_owned());
    }
    let mut found = [0; 2];
    for (part, (name, place)) in field
        .split(' ')
        .zip(["cbsz=", "blgp="].iter().zip(&mut found))
    {
        *place = number(
            part.strip_prefix(name)
                .ok_or_else(|| format!("formats `{field}`"))?,
        )?;
    }
    Ok(format!("Some(({}, {}))", found[0], found[1]))
}

fn matrix_row(c: &[String]) -> Result<String, String> {
    let n = |i: usize| number(&c[i]);
    let o = |i: usize| optional(&c[i]);
    Ok(format!(
        "Matrix {{ target: {}, name: {:?}, formats: {}, a: {:?}, b: {:?}, cd: {:?}, unit: Unit::{}, passes: {}, \
         issue_cycles: {}, slot_cycles: {}, valu_coexec_cycles: {}, to_same_c: {}, to_valu: {}, to_ab: {}, \
         wait_same_c: {}, wait_overlap_c: {}, wait_ab: {}, wait_valu: {}, wait_memory: {}, wait_war_c: {}, \
         flops: {}, flops_per_clk_cu: {}, confidence: {:?}, source: {:?} }},\n",
        target(&c[0])?,
        c[1],
        formats(&c[2])?,
        c[7],
        c[8],
        c[9],
        match c[12].as_str() {
            "xdl" => "Xdl",
            "sgemm" => "Sgemm",
            "dgemm" => "Dgemm",
            u => return Err(format!("unit `{u}`")),
        },
        n(13)?,
        n(14)?,
        n(15)?,
        o(16)?,
        n(17)?,
        n(18)?,
        n(19)?,
        n(20)?,
        n(21)?,
        n(22)?,
        n(23)?,
        n(24)?,
        o(25)?,
        n(26)?,
        n(27)?,
        c[34],
        c[35],
    ))
}

fn wait(field: &str) -> String {
    match field.parse::<u32>() {
        Ok(n) => format!("Wait::States({n})"),
        Err(_) if field == "-" || field == "n/a" => "Wait::Absent".to_owned(),
        Err(_) => format!("Wait::Other({field:?})"),
    }
}

fn hazard_row(c: &[String]) -> String {
    let text = |i: usize| if c[i] == "-" { "" } else { c[i].as_str() };
    format!(
        "Hazard {{ id: {:?}, first: {:?}, second: {:?}, condition: {:?}, waits: [{}, {}], resolved_by: {:?}, \
         confidence: {:?}, source: {:?}, note: {:?} }},\n",
        c[0],
        c[1],
        text(2),
        text(3),
        wait(&c[4]),
        wait(&c[5]),
        c[6],
        c[7],
        c[8],
        text(9),
    )
}

/// The file and its text.
pub fn all(dir: &Path) -> Result<(&'static str, String), String> {
    let mut s = String::from(HEADER);
    s.push_str("use crate::Target;\nuse crate::facts::{Hazard, Matrix, Unit, Wait};\n\n#[rustfmt::skip]\npub static MATRIX: &[Matrix] = &[\n");
    for c in lines(&dir.join("matrix.tsv"))? {
        if c.len() != MATRIX_COLUMNS {
            return Err(format!(
                "matrix.tsv: {}: {} columns, expected {MATRIX_COLUMNS}",
                c[1],
                c.len()
            ));
        }
        s.push_str(&matrix_row(&c).map_err(|e| format!("matrix.tsv: {}: {e}", c[1]))?);
    }
    s.push_str("];\n\n#[rustfmt::skip]\npub static HAZARDS: &[Hazard] = &[\n");
    for c in lines(&dir.join("hazards.tsv"))? {
        if c.len() != HAZARD_COLUMNS {
            return Err(format!(
                "hazards.tsv: {}: {} columns, expected {HAZARD_COLUMNS}",
                c[0],
                c.len()
            ));
        }
        s.push_str(&hazard_row(&c));
    }
    s.push_str("];\n");
    Ok(("isa/src/generated/facts.rs", s))
}
