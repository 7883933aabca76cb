//! Other spellings of an instruction's text: some that LLVM takes, some that it refuses.

use crate::samples::Random;

/// One of the spellings of a section of `tests/data/isa/spellings.txt`.
fn spelling(r: &mut Random, section: &str) -> &'static str {
    const ALL: &str = include_str!("../data/isa/spellings.txt");
    let mut lines = ALL
        .lines()
        .skip_while(|l| l.strip_prefix('[').and_then(|l| l.strip_suffix(']')) != Some(section))
        .skip(1)
        // A section ends where the next begins; `[vcc_lo,vcc_hi]` is a spelling.
        .take_while(|l| {
            !SECTIONS
                .iter()
                .any(|s| l.strip_prefix('[').and_then(|l| l.strip_suffix(']')) == Some(s))
        });
    let count = lines.clone().count();
    lines.nth(r.below(count)).unwrap_or_default()
}

const SECTIONS: [&str; 7] = [
    "named",
    "numbers",
    "messages",
    "hwregs",
    "counters",
    "indices",
    "modifiers",
];

/// A line taken apart: mnemonic, operands, modifiers.
#[derive(Clone, Debug)]
struct Line {
    mnemonic: String,
    operands: Vec<String>,
    modifiers: Vec<String>,
}

/// Splits at `mark` outside of brackets.
fn split(text: &str, mark: char) -> Vec<String> {
    let (mut depth, mut parts) = (0i32, vec![String::new()]);
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if c == mark && depth == 0 {
            parts.push(String::new());
        } else if let Some(p) = parts.last_mut() {
            p.push(c);
        }
    }
    parts
        .iter()
        .map(|p| p.trim().to_owned())
        .filter(|p| !p.is_empty())
        .collect()
}

impl Line {
    fn read(text: &str) -> Line {
        let (mnemonic, rest) = text.split_once(' ').unwrap_or((text, ""));
        let mut operands = split(rest, ',');
        let mut modifiers = Vec::new();
        // `s_waitcnt`'s operand has spaces of its own.
        if let Some(last) = operands.last_mut()
            && !mnemonic.starts_with("s_waitcnt")
        {
            let mut words = split(last, ' ');
            modifiers = words.split_off(1);
            if let Some(first) = words.pop() {
                *last = first;
            }
        }
        Line {
            mnemonic: mnemonic.to_owned(),
            operands,
            modifiers,
        }
    }

    fn write(&self, comma: &str, space: &str) -> String {
        let mut text = self.mnemonic.clone();
        if !self.operands.is_empty() {
            text += space;
            text += &self.operands.join(comma);
        }
        for m in &self.modifiers {
            text += space;
            text += m;
        }
        text
    }
}

/// File, first and last register of `v3`, `s[4:7]` …
fn register(text: &str) -> Option<(&str, u32, u32)> {
    let at = text.find(|c: char| c.is_ascii_digit() || c == '[')?;
    let (file, rest) = text.split_at(at);
    if !["v", "s", "a", "ttmp"].contains(&file) {
        return None;
    }
    let (first, last) = match rest.strip_prefix('[') {
        Some(r) => r.strip_suffix(']')?.split_once(':')?,
        None => (rest, rest),
    };
    Some((file, first.parse().ok()?, last.parse().ok()?))
}

fn integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(d) => (-1, d),
        None => (1, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(sign * value)
}

fn respell_register(r: &mut Random, text: &str) -> Option<String> {
    let (file, first, last) = register(text)?;
    let each: Vec<String> = (first..=last).map(|i| format!("{file}{i}")).collect();
    let f = file.to_uppercase();
    Some(match r.below(10) {
        0 => format!("{file}[{first}:{last}]"),
        1 if first == last => format!("{file}[{first}]"),
        1 => format!("{file}[{first}:{last}-0]"),
        2 => format!("[{}]", each.join(",")),
        3 => format!("[{}]", each.join(" , ")),
        4 => format!("{file}[ {first} : {last} ]"),
        5 => format!("{file}[{first:#x}:{last:#x}]"),
        6 => format!("{f}[{first}:{last}]"),
        7 => format!("{file}[{first}+0:{last}]"),
        8 => format!("{file}[{first}:{first}+{}]", last - first),
        _ => format!("{file}0{first}"),
    })
}

fn respell_integer(r: &mut Random, text: &str) -> Option<String> {
    let v = integer(text)?;
    Some(match r.below(16) {
        0 => format!("{v}"),
        1 if v < 0 => format!("-{:#x}", -v),
        1 => format!("{v:#x}"),
        2 => format!("{v:#X}"),
        3 => format!("{:#x}", v as u32),
        4 => format!("{:#x}", v as u64),
        5 => format!("{:#x}", v as u16),
        6 => format!("{:#b}", v as u32),
        7 => format!("0{:o}", v as u32),
        8 => format!("({v})"),
        9 => format!("{v}+0"),
        10 => format!("{}-1", v + 1),
        11 => format!("~{}", !v),
        12 => format!("{v}.0"),
        13 => format!("2*{}+{}", v / 2, v % 2),
        14 => format!("{:x}h", v as u32),
        _ => format!("{v:#o}"),
    })
}

fn respell_other(r: &mut Random, text: &str) -> Option<String> {
    let swap = match text {
        "vcc" => "[vcc_lo,vcc_hi]",
        "exec" => "[exec_lo,exec_hi]",
        "src_scc" => "scc",
        "src_vccz" => "vccz",
        "src_execz" => "execz",
        _ => "",
    };
    if !swap.is_empty() && r.one_in(2) {
        return Some(swap.to_owned());
    }
    if let Some(x) = text.strip_prefix("-|").and_then(|t| t.strip_suffix('|')) {
        return Some(match r.below(4) {
            0 => format!("-abs({x})"),
            1 => format!("neg(abs({x}))"),
            2 => format!("neg(|{x}|)"),
            _ => format!("- | {x} |"),
        });
    }
    if let Some(x) = text.strip_prefix('|').and_then(|t| t.strip_suffix('|')) {
        return Some(if r.one_in(2) {
            format!("abs({x})")
        } else {
            format!("abs( {x} )")
        });
    }
    if let Some(x) = text.strip_prefix('-') {
        return Some(if r.one_in(2) {
            format!("neg({x})")
        } else {
            format!("- {x}")
        });
    }
    respell_field(r, text)
}

/// `hwreg(…)`, `sendmsg(…)`, counters, `gpr_idx(…)`.
fn respell_field(r: &mut Random, text: &str) -> Option<String> {
    let list = if text.starts_with("sendmsg(") {
        "messages"
    } else if text.starts_with("hwreg(") {
        "hwregs"
    } else if text.contains("cnt(") {
        "counters"
    } else if text.starts_with("gpr_idx(") {
        "indices"
    } else {
        return None;
    };
    Some(spelling(r, list).to_owned())
}

fn respell_modifier(r: &mut Random, text: &str) -> String {
    let Some((name, value)) = text.split_once(':') else {
        return match r.below(3) {
            0 => text.to_uppercase(),
            1 => format!("no{text}"),
            _ => format!("{text} {text}"),
        };
    };
    if let Some(v) = respell_integer(r, value) {
        return format!("{name}:{v}");
    }
    match r.below(7) {
        0 => format!("{name}: {value}"),
        1 => format!("{name} :{value}"),
        2 => format!("{name}:{}", value.replace(',', ", ")),
        3 => format!("{name}:{}", value.replace(']', ",0]")),
        4 => format!(
            "{name}:{}",
            value.replace("[1", "[0x1").replace(",0", ",0x0")
        ),
        5 => format!("{name}:{}", value.to_lowercase()),
        _ => match value.rfind(',') {
            Some(at) => format!("{name}:{}]", &value[..at]),
            None => format!("{name}:[{value}]"),
        },
    }
}

/// Another text, and what was changed; most often one thing, sometimes two.
pub fn variant(r: &mut Random, text: &str, others: &[String]) -> (String, &'static str) {
    let mut line = Line::read(text);
    let mut what = change(r, &mut line, others);
    if r.one_in(8) {
        change(r, &mut line, others);
        what = "two";
    }
    let plain = line.write(", ", " ");
    match r.below(12) {
        0 if what == "same" => (line.write(",", "  "), "spaces"),
        1 if what == "same" => (line.write(" ,\t", " \t"), "spaces"),
        2 if what == "same" => (format!("  {plain}  // note"), "comment"),
        3 if what == "same" => (format!("{plain} ; note"), "comment"),
        4 if what == "same" => (plain.replace(", ", " , "), "spaces"),
        5 if what == "same" => (line.write(" ", " "), "no commas"),
        6 if what == "same" => (plain.replacen(", ", ",", 1) + ",", "comma at the end"),
        7 if what == "same" => (plain.replace('[', "[ ").replace(']', " ]"), "spaces"),
        8 if what == "same" => (format!("{plain} /* note */"), "comment"),
        _ => (plain, what),
    }
}

fn change(r: &mut Random, line: &mut Line, others: &[String]) -> &'static str {
    let (n, m) = (line.operands.len(), line.modifiers.len());
    let kind = r.below(22);
    if n == 0 && kind != 1 && kind < 15 {
        return "same";
    }
    let i = r.below(n);
    match kind {
        0 => "same",
        1 => {
            let base = ["_e32", "_e64", "_sdwa", "_dpp"]
                .iter()
                .find_map(|s| line.mnemonic.strip_suffix(s))
                .unwrap_or(&line.mnemonic)
                .to_owned();
            line.mnemonic = match r.below(9) {
                0..=2 => base,
                3 => base + "_e32",
                4 | 5 => base + "_e64",
                6 => base + "_sdwa",
                7 => base + "_dpp",
                _ => base.to_uppercase(),
            };
            "suffix"
        }
        2..=4 => match respell_register(r, &line.operands[i]) {
            Some(t) => {
                line.operands[i] = t;
                "register"
            }
            None => "same",
        },
        5 | 6 => match respell_integer(r, &line.operands[i]) {
            Some(t) => {
                line.operands[i] = t;
                "integer"
            }
            None => "same",
        },
        7 => match respell_other(r, &line.operands[i]) {
            Some(t) => {
                line.operands[i] = t;
                "other"
            }
            None => "same",
        },
        8 | 9 => {
            line.operands[i] = spelling(r, "numbers").to_owned();
            "number"
        }
        10 => {
            line.operands[i] = spelling(r, "named").to_owned();
            "named"
        }
        11 => {
            let o = Line::read(r.pick::<String>(others)).operands;
            if o.is_empty() {
                return "same";
            }
            line.operands[i] = r.pick(&o).clone();
            "operand of another"
        }
        12 => {
            let o = &line.operands[i];
            line.operands[i] = match r.below(7) {
                0 => format!("-{o}"),
                1 => format!("|{o}|"),
                2 => format!("neg({o})"),
                3 => format!("abs({o})"),
                4 => format!("sext({o})"),
                5 => format!("-|{o}|"),
                _ => format!("--{o}"),
            };
            "source modifier"
        }
        13 => {
            line.operands.remove(i);
            "operand gone"
        }
        14 => {
            let j = r.below(n);
            match r.below(3) {
                0 => line.operands.insert(j, line.operands[i].clone()),
                _ => line.operands.swap(i, j),
            }
            "operands"
        }
        15 | 16 if m > 0 => {
            let j = r.below(m);
            line.modifiers[j] = respell_modifier(r, &line.modifiers[j]);
            "modifier"
        }
        17 if m > 0 => {
            let j = r.below(m);
            match r.below(3) {
                0 => {
                    line.modifiers.remove(j);
                    "modifier gone"
                }
                1 => {
                    let k = r.below(m);
                    line.modifiers.swap(j, k);
                    "modifiers swapped"
                }
                _ => {
                    line.modifiers.push(line.modifiers[j].clone());
                    "modifier twice"
                }
            }
        }
        18 if m > 0 => {
            line.modifiers.shuffle_with(r);
            "modifiers swapped"
        }
        19 => {
            let o = Line::read(r.pick::<String>(others)).modifiers;
            if o.is_empty() {
                return "same";
            }
            line.modifiers.push(r.pick(&o).clone());
            "modifier of another"
        }
        15..=18 | 20 | 21 => {
            line.modifiers.push(spelling(r, "modifiers").to_owned());
            "modifier more"
        }
        _ => "same",
    }
}

trait Shuffle {
    fn shuffle_with(&mut self, r: &mut Random);
}

impl Shuffle for Vec<String> {
    fn shuffle_with(&mut self, r: &mut Random) {
        for i in (1..self.len()).rev() {
            self.swap(i, r.below(i + 1));
        }
    }
}
