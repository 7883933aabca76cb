//! Reads `isa/spec/*.tsv`.

use std::collections::HashMap;
use std::path::Path;

/// File stems in the order in which formats are numbered.
pub const FORMATS: &[&str] = &[
    "sop1",
    "sop2",
    "sopc",
    "sopk",
    "sopp",
    "smem",
    "vop1",
    "vop1_dpp",
    "vop1_sdwa",
    "vop2",
    "vop2_dpp",
    "vop2_sdwa",
    "vopc",
    "vopc_sdwa",
    "vop3a",
    "vop3b",
    "vop3p",
    "vop3p_mai",
    "ds",
    "flat",
    "global",
    "scratch",
    "mubuf",
    "mtbuf",
];

pub struct Operand {
    pub role: String,
    pub ty: String,
    /// How a number in text is read, when not as the value (`u16/b32`).
    pub number: String,
    pub width: String,
    pub classes: Vec<String>,
    pub access: String,
    pub mods: Vec<String>,
    pub presence: String,
}

pub struct Row {
    pub mnemonic: String,
    pub format: &'static str,
    pub opcode: u16,
    pub targets: Vec<String>,
    pub operands: Vec<Operand>,
    pub reads: Vec<String>,
    pub writes: Vec<String>,
    pub mem: String,
    pub mods: Vec<String>,
    /// `_e32`, `_e64`, `_sdwa`, `_dpp` or empty: what LLVM prints.
    pub suffix: &'static str,
    /// Whether the mnemonic exists in other formats too, so that the Rust name needs the suffix.
    pub shared: bool,
}

fn words(s: &str) -> Vec<String> {
    s.split_whitespace()
        .filter(|w| *w != "-")
        .map(str::to_owned)
        .collect()
}

fn operand(text: &str, classes: &HashMap<String, Vec<String>>) -> Result<Operand, String> {
    let (text, presence) = text.split_once('?').unwrap_or((text, ""));
    let p: Vec<&str> = text.split(':').collect();
    if p.len() != 5 && p.len() != 6 {
        return Err(format!(
            "operand `{text}`: expected role:type:dwords:classes:access[:mods]"
        ));
    }
    let mut cs = Vec::new();
    for c in p[3].split('|') {
        match classes.get(c) {
            Some(members) => cs.extend(members.iter().cloned()),
            None => cs.push(c.to_owned()),
        }
    }
    Ok(Operand {
        role: p[0].to_owned(),
        ty: p[1].split('/').next().unwrap_or(p[1]).to_owned(),
        number: p[1].split('/').next_back().unwrap_or(p[1]).to_owned(),
        width: p[2].to_owned(),
        classes: cs,
        access: p[4].to_owned(),
        mods: p
            .get(5)
            .map(|m| m.split('|').map(str::to_owned).collect())
            .unwrap_or_default(),
        presence: presence.to_owned(),
    })
}

pub fn lines(path: &Path) -> Result<Vec<Vec<String>>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(text
        .lines()
        .filter(|l| !l.starts_with('#') && !l.trim().is_empty())
        .map(|l| l.split('\t').map(str::to_owned).collect())
        .collect())
}

/// Names accepted on input, each with the mnemonic it stands for.
pub fn aliases(dir: &Path) -> Result<Vec<(String, String)>, String> {
    lines(&dir.join("aliases.tsv"))?
        .into_iter()
        .map(|l| match l.as_slice() {
            [alias, name, ..] => Ok((alias.clone(), name.clone())),
            _ => Err(format!(
                "aliases.tsv: {l:?}: expected an alias and a mnemonic"
            )),
        })
        .collect()
}

pub fn read(dir: &Path) -> Result<Vec<Row>, String> {
    let mut classes = HashMap::new();
    for l in lines(&dir.join("classes.tsv"))? {
        let [name, members] = l.as_slice() else {
            return Err(format!("classes.tsv: {l:?}: expected two columns"));
        };
        classes.insert(name.clone(), words(members));
    }
    let mut rows = Vec::new();
    for &format in FORMATS {
        let file = dir.join(format!("{format}.tsv"));
        for l in lines(&file)? {
            let at = |e: String| format!("{}: {}: {e}", file.display(), l[0]);
            if l.len() != 9 {
                return Err(at(format!("{} columns, expected 9", l.len())));
            }
            let operands = l[3]
                .split("; ")
                .filter(|s| !s.is_empty() && *s != "-")
                .map(|s| operand(s, &classes))
                .collect::<Result<_, _>>()
                .map_err(at)?;
            rows.push(Row {
                mnemonic: l[0].clone(),
                format,
                opcode: l[1].parse().map_err(|e| at(format!("opcode: {e}")))?,
                targets: words(&l[2]),
                operands,
                reads: words(&l[4]),
                writes: words(&l[5]),
                mem: l[6].clone(),
                mods: words(&l[7]),
                suffix: "",
                shared: false,
            });
        }
    }
    let mut count: HashMap<String, usize> = HashMap::new();
    for r in &rows {
        *count.entry(r.mnemonic.clone()).or_default() += 1;
    }
    for r in &mut rows {
        r.shared = count[&r.mnemonic] > 1;
        r.suffix = match r.format {
            f if f.ends_with("_sdwa") => "_sdwa",
            f if f.ends_with("_dpp") => "_dpp",
            "vop1" | "vop2" | "vopc" if r.shared => "_e32",
            "vop3a" | "vop3b" if r.shared => "_e64",
            _ => "",
        };
    }
    Ok(rows)
}
