//! Writes `codegen/src/generated`: a typed method per mnemonic.

use crate::emit::{HEADER, op_name};
use crate::spec::{Operand, Row};
use std::collections::BTreeMap;
use std::fmt::Write as _;

struct Method<'a> {
    short: Option<&'a Row>,
    long: Option<&'a Row>,
}

fn group(format: &str) -> &'static str {
    match format {
        "sop1" | "sop2" | "sopc" | "sopk" | "sopp" | "smem" => "scalar",
        "vop3p" | "vop3p_mai" => "matrix",
        "ds" | "flat" | "global" | "scratch" | "mubuf" | "mtbuf" => "memory",
        "vopc" => "compare",
        _ => "vector",
    }
}

/// Parameter type and the expression that gives its operand.
fn param(o: &Operand, name: &str) -> (String, String) {
    let has = |c: &str| o.classes.iter().any(|x| x == c);
    let given = format!("{name}.given()");
    if has("LABEL") {
        return ("Label".into(), "imm(0)".into());
    }
    if has("LITERAL32") {
        return ("u32".into(), format!("literal({name})"));
    }
    if has("SIMM21") || has("UIMM20") {
        return ("impl SmemOffset".into(), format!("{name}.smem()"));
    }
    if ["IMM16", "IMM7", "HWREG", "SENDMSG", "GPR_IDX", "COUNTERS"]
        .iter()
        .any(|c| has(c))
    {
        return ("i32".into(), format!("imm({name})"));
    }
    let ty = match o.width.as_str() {
        "buf" => "impl BufferAddr".into(),
        "global" => "impl VAddr".into(),
        "fmt" => "impl MatF".into(),
        n => {
            let kind = match (
                has("V"),
                has("A"),
                has("S"),
                has("OFF"),
                has("INLINE_INT"),
                has("VCC"),
            ) {
                (true, _, _, true, ..) => return ("impl VAddr".into(), given),
                (false, _, true, true, ..) => return ("impl SAddr".into(), given),
                (true, true, _, _, true, _) => "MatC",
                (true, true, ..) => "VOrA",
                (false, true, ..) => "AReg",
                (true, _, true, ..) | (true, _, _, _, true, _) => "Src",
                (true, ..) => "VReg",
                (false, _, _, _, true, _) => "SSrc",
                (false, _, true, ..) if !o.access.contains('w') => "SSrc",
                _ => "SReg",
            };
            format!("impl {kind}<{n}>")
        }
    };
    (ty, given)
}

fn rust_name(role: &str) -> String {
    let mut s = String::new();
    for c in role.chars() {
        if c.is_ascii_uppercase() {
            s.push('_');
        }
        s.push(c.to_ascii_lowercase());
    }
    s
}

fn method(out: &mut String, name: &str, m: &Method<'_>, form: &str) {
    let Some(row) = m.long.or(m.short) else {
        return;
    };
    let mut params = Vec::new();
    let mut given = Vec::new();
    let mut doc = Vec::new();
    let mut label = String::new();
    for o in &row.operands {
        let absent =
            (o.presence == "sc0" && form != "_rtn") || (o.presence == "notlds" && form == "_lds");
        if absent {
            given.push("absent()".to_owned());
            continue;
        }
        let p = rust_name(&o.role);
        let (ty, g) = param(o, &p);
        if ty == "Label" {
            label = format!(".branch_to({p})");
        }
        params.push(format!("{p}: {ty}"));
        given.push(g);
        let access = match o.access.as_str() {
            "r" => "read",
            "w" => "written",
            _ => "read and written",
        };
        doc.push(format!("`{p}` {access}"));
    }
    let op = |r: Option<&Row>| r.map_or("None".to_owned(), |r| format!("Some(Op::{})", op_name(r)));
    let tail = match form {
        "_rtn" => ".sc0()",
        "_lds" => ".with_lds()",
        _ => "",
    };
    let what = match form {
        "_rtn" => ", returning the old value",
        "_lds" => " to LDS at M0",
        _ => "",
    };
    let operands = if doc.is_empty() {
        String::new()
    } else {
        format!(": {}", doc.join(", "))
    };
    let _ = writeln!(
        out,
        "/// `{name}`{what}{operands}.\n#[inline]\n#[allow(clippy::too_many_arguments)]\npub fn {name}{form}(&mut self{}{}) -> Emitted<'_> {{\n\
         emit(&mut self.core, Choice {{ short: {}, long: {} }}, &[{}]){label}{tail}\n}}",
        if params.is_empty() { "" } else { ", " },
        params.join(", "),
        op(m.short),
        op(m.long),
        given.join(", "),
    );
}

/// Path and text of each generated file.
pub fn all(rows: &[Row]) -> Vec<(&'static str, String)> {
    let mut by_name: BTreeMap<&str, Method<'_>> = BTreeMap::new();
    for r in rows
        .iter()
        .filter(|r| !r.format.ends_with("_sdwa") && !r.format.ends_with("_dpp"))
    {
        let m = by_name.entry(&r.mnemonic).or_insert(Method {
            short: None,
            long: None,
        });
        if matches!(r.format, "vop1" | "vop2" | "vopc") {
            m.short = Some(r);
        } else {
            m.long = Some(r);
        }
    }
    let mut files: BTreeMap<&str, [String; 3]> = BTreeMap::new();
    for (name, m) in &by_name {
        let Some(first) = m.short.or(m.long) else {
            continue;
        };
        let Some(row) = m.long.or(m.short) else {
            continue;
        };
        let on = |t: &str| row.targets.iter().any(|x| x == t);
        let slot = match (on("gfx942"), on("gfx950")) {
            (true, true) => 0,
            (false, _) => 1,
            _ => 2,
        };
        let file = files.entry(group(first.format)).or_default();
        method(&mut file[slot], name, m, "");
        if row.operands.iter().any(|o| o.presence == "sc0") {
            method(&mut file[slot], name, m, "_rtn");
        }
        if row.operands.iter().any(|o| o.presence == "notlds") {
            let lds950 = row.mods.iter().any(|x| x == "lds@gfx950");
            method(&mut file[if lds950 { 1 } else { slot }], name, m, "_lds");
        }
    }
    let mut out = Vec::new();
    let mut root = format!(
        "{HEADER}//! A typed method per instruction.\n\n#[allow(unused_imports)]\nmod imports {{\npub(super) use crate::builder::{{KernelBuilder, Label}};\npub(super) use crate::emit::{{Choice, Emitted, absent, emit, imm, literal}};\npub(super) use crate::regs::*;\npub(super) use wavesmith_isa::Op;\npub(super) use wavesmith_isa::target::{{Gfx942Insts, Gfx950Insts, TargetType}};\n}}\n\n"
    );
    for (name, blocks) in &files {
        let mut s = String::from(HEADER);
        s.push_str("#[allow(unused_imports, clippy::wildcard_imports)]\nuse super::imports::*;\n");
        for (text, bound) in blocks
            .iter()
            .zip(["TargetType", "Gfx950Insts", "Gfx942Insts"])
        {
            if !text.is_empty() {
                let _ = writeln!(s, "impl<T: {bound}> KernelBuilder<T> {{\n{text}}}\n");
            }
        }
        let _ = writeln!(root, "mod {name};");
        out.push((
            match *name {
                "scalar" => "codegen/src/generated/scalar.rs",
                "matrix" => "codegen/src/generated/matrix.rs",
                "memory" => "codegen/src/generated/memory.rs",
                "compare" => "codegen/src/generated/compare.rs",
                _ => "codegen/src/generated/vector.rs",
            },
            s,
        ));
    }
    out.push(("codegen/src/generated/mod.rs", root));
    out
}
