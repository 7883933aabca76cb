//! Matrix instructions: rates, and where every element lies, as a table in the terminal, as JSON, as a picture.

use std::fmt::Write as _;

use serde::Serialize;
use wavesmith_isa::facts::{self, Matrix, Unit};
use wavesmith_isa::matrix::{Acc, Shape, Side};
use wavesmith_isa::{Op, Target};

/// Rates of one instruction on one target (of f8f6f4: with one pair of formats).
#[derive(Serialize)]
pub struct Rates {
    target: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cbsz: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blgp: Option<u32>,
    a: &'static str,
    b: &'static str,
    cd: &'static str,
    unit: &'static str,
    passes: u32,
    issue_cycles: u32,
    slot_cycles: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    valu_coexec_cycles: Option<u32>,
    latency_to_same_c: u32,
    latency_to_valu: u32,
    latency_to_ab: u32,
    flops: u32,
    flops_per_clk_cu: u32,
    confidence: &'static str,
    source: &'static str,
}

fn rates_of(m: &Matrix) -> Rates {
    Rates {
        target: m.target.name(),
        cbsz: m.formats.map(|f| f.0),
        blgp: m.formats.map(|f| f.1),
        a: m.a,
        b: m.b,
        cd: m.cd,
        unit: match m.unit {
            Unit::Xdl => "xdl",
            Unit::Sgemm => "sgemm",
            Unit::Dgemm => "dgemm",
        },
        passes: m.passes,
        issue_cycles: m.issue_cycles,
        slot_cycles: m.slot_cycles,
        valu_coexec_cycles: m.valu_coexec_cycles,
        latency_to_same_c: m.to_same_c,
        latency_to_valu: m.to_valu,
        latency_to_ab: m.to_ab,
        flops: m.flops,
        flops_per_clk_cu: m.flops_per_clk_cu,
        confidence: m.confidence,
        source: m.source,
    }
}

impl Rates {
    /// For a person.
    pub fn line(&self) -> String {
        let formats = match (self.cbsz, self.blgp) {
            (Some(a), Some(b)) => format!(" cbsz:{a} blgp:{b}"),
            _ => String::new(),
        };
        format!(
            "{}{formats} ({}·{}): {} passes, issues every {} cycles, {} operations, {}/clk/CU; result to C after {} \
             cycles, to VALU {}, to A or B {} ({}, {})",
            self.target,
            self.a,
            self.b,
            self.passes,
            self.issue_cycles,
            self.flops,
            self.flops_per_clk_cu,
            self.latency_to_same_c,
            self.latency_to_valu,
            self.latency_to_ab,
            self.confidence,
            self.source
        )
    }
}

/// Rates on every target that is asked about.
pub fn rates(op: Op, targets: &[Target]) -> Vec<Rates> {
    targets
        .iter()
        .flat_map(|t| facts::matrix(op, *t))
        .map(rates_of)
        .collect()
}

/// One element: the columns of `timing/layouts`.
#[derive(Serialize)]
pub struct Entry {
    matrix: &'static str,
    block: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    i: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    j: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    k: Option<usize>,
    /// Register, counted from the operand's first.
    vgpr: usize,
    lane: usize,
    /// First bit in the register, and the last, which lies in the next register when it is smaller.
    bit_lo: usize,
    bit_hi: usize,
}

/// The layout of one instruction.
#[derive(Serialize)]
pub struct Layout {
    target: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    formats: Option<&'static str>,
    m: usize,
    n: usize,
    k: usize,
    blocks: usize,
    entries: Vec<Entry>,
}

/// One of A, B, D with what its cells hold: for each lane and register a list of elements.
struct Picture {
    name: &'static str,
    registers: usize,
    /// `[lane][register]`: what is there, as text.
    cells: Vec<Vec<String>>,
}

fn entry(
    matrix: &'static str,
    block: usize,
    at: [Option<usize>; 3],
    first: usize,
    bits: usize,
    lane: usize,
) -> Entry {
    let [i, j, k] = at;
    Entry {
        matrix,
        block,
        i,
        j,
        k,
        vgpr: first / 32,
        lane,
        bit_lo: first % 32,
        bit_hi: (first + bits - 1) % 32,
    }
}

fn elements(s: &Shape) -> Vec<Entry> {
    let mut out = Vec::new();
    let mut side = |name: &'static str, side: &Side, width: usize, ks: usize, row: bool| {
        for b in 0..s.blocks {
            for x in 0..width {
                for k in 0..ks {
                    let p = side.place(b * width + x, k);
                    let bits = side.elem.bits();
                    let at = if row {
                        [Some(x), None, Some(k)]
                    } else {
                        [None, Some(x), Some(k)]
                    };
                    out.push(entry(name, b, at, p.element * bits, bits, p.lane));
                }
            }
        }
    };
    side("A", &s.side_a(), s.m, s.k_stored(), true);
    side("B", &s.side_b(), s.n, s.k, false);
    let bits = if s.acc == Acc::F64 { 64 } else { 32 };
    for b in 0..s.blocks {
        for i in 0..s.m {
            for j in 0..s.n {
                let (r, lane) = s.d(b, i, j);
                out.push(entry(
                    "D",
                    b,
                    [Some(i), Some(j), None],
                    r * bits,
                    bits,
                    lane,
                ));
            }
        }
    }
    if s.sparse {
        let a = s.side_a();
        for i in 0..s.m {
            for k in 0..s.k_stored() {
                let p = a.place(i, k);
                out.push(entry(
                    "K",
                    0,
                    [Some(i), None, Some(k)],
                    2 * p.element,
                    2,
                    p.lane,
                ));
            }
        }
    }
    out
}

/// Shapes to show: of f8f6f4 one for each width of element.
fn shapes(op: Op, target: Target) -> Vec<(Option<&'static str>, Shape)> {
    match Shape::of_op(op, target) {
        None => Vec::new(),
        Some(s) if s.f8f6f4 => [("fp8, bf8", 0), ("fp6, bf6", 2), ("fp4", 4)]
            .into_iter()
            .filter_map(|(name, code)| Some((Some(name), s.with_formats(code, code)?)))
            .collect(),
        Some(s) => vec![(None, s)],
    }
}

/// Every element of every operand, for JSON.
pub fn layouts(op: Op, targets: &[Target]) -> Vec<Layout> {
    let mut out = Vec::new();
    for target in targets.iter().filter(|t| op.info().on(**t)) {
        for (formats, s) in shapes(op, *target) {
            out.push(Layout {
                target: target.name(),
                formats,
                m: s.m,
                n: s.n,
                k: s.k,
                blocks: s.blocks,
                entries: elements(&s),
            });
        }
    }
    out
}

fn pictures(s: &Shape) -> Vec<Picture> {
    let mut out: Vec<Picture> = Vec::new();
    for e in elements(s) {
        if e.matrix == "K" {
            continue;
        }
        if out.last().is_none_or(|p| p.name != e.matrix) {
            out.push(Picture {
                name: e.matrix,
                registers: 0,
                cells: vec![Vec::new(); 64],
            });
        }
        let Some(p) = out.last_mut() else { continue };
        p.registers = p.registers.max(e.vgpr + 1);
        let row = &mut p.cells[e.lane];
        row.resize(row.len().max(e.vgpr + 1), String::new());
        let cell = &mut row[e.vgpr];
        if !cell.is_empty() {
            cell.push(' ');
        }
        let block = if s.blocks > 1 {
            format!("b{} ", e.block)
        } else {
            String::new()
        };
        let _ = match (e.i, e.j, e.k) {
            (Some(i), Some(j), None) => write!(cell, "{block}{i},{j}"),
            (x, y, k) => write!(cell, "{block}{},{}", x.or(y).unwrap_or(0), k.unwrap_or(0)),
        };
    }
    out
}

fn span(list: &[usize]) -> String {
    match list {
        [one] => one.to_string(),
        [first, .., last] if last - first + 1 == list.len() => format!("{first}–{last}"),
        list => list
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// The layout in lines: for every group of lanes what each register holds.
pub fn table(op: Op, target: Target) -> Vec<String> {
    let mut out = Vec::new();
    for (formats, s) in shapes(op, target) {
        let with = formats.map(|f| format!(", {f}")).unwrap_or_default();
        out.push(format!(
            "layout on {target}{with}: D[{m}×{n}] = A[{m}×{k}] · B[{k}×{n}] + C{b}",
            m = s.m,
            n = s.n,
            k = s.k,
            b = if s.blocks > 1 {
                format!(", {} blocks", s.blocks)
            } else {
                String::new()
            }
        ));
        for (name, side, letter) in [("A", s.side_a(), "i"), ("B", s.side_b(), "j")] {
            lines_of_side(&mut out, &s, name, &side, letter);
        }
        lines_of_result(&mut out, &s);
        if s.sparse {
            out.push(format!(
                "  index: 2 bits an element of A, element e of a lane at bits 2e+1..2e of the set; {} bits a set",
                s.index_bits()
            ));
        }
        if s.scaled {
            out.push("  scales: a byte (E8M0) for 32 values of k; lane = row + rows · (k / 32), byte by op_sel_hi, op_sel".into());
        }
    }
    out
}

fn lines_of_side(out: &mut Vec<String>, s: &Shape, name: &str, side: &Side, letter: &str) {
    let bits = side.elem.bits();
    let packed = if s.sparse && name == "A" {
        " (k counts stored columns)"
    } else {
        ""
    };
    out.push(format!(
        "  {name}: {:?}, {} elements a lane{packed}",
        side.elem, side.per_lane
    ));
    for g in 0..side.groups() {
        let lanes = g * side.width..(g + 1) * side.width;
        let of_block = if s.blocks > 1 {
            format!(
                "{letter} = lane % {}, block = lane / {0} % {}",
                side.width / s.blocks,
                s.blocks
            )
        } else {
            format!("{letter} = lane % {}", side.width)
        };
        let mut cells = Vec::new();
        let registers = (side.per_lane * bits).div_ceil(32);
        for r in 0..registers {
            // Elements that start in this register.
            let ks: Vec<usize> = (0..side.per_lane)
                .filter(|e| e * bits / 32 == r)
                .map(|e| side.k(e, g))
                .collect();
            if !ks.is_empty() {
                cells.push(format!("v{r}: k {}", span(&ks)));
            }
        }
        out.push(format!(
            "    lanes {:>2}–{:<2} {of_block}; {}",
            lanes.start,
            lanes.end - 1,
            cells.join(", ")
        ));
    }
}

fn lines_of_result(out: &mut Vec<String>, s: &Shape) {
    let pair = s.acc == Acc::F64;
    out.push(format!("  C, D: {:?}, {} registers", s.acc, s.d_dwords()));
    let mut rows = vec![Vec::new(); 64];
    for b in 0..s.blocks {
        for i in 0..s.m {
            for j in 0..s.n {
                let (r, lane) = s.d(b, i, j);
                rows[lane].push((r, b, i, j));
            }
        }
    }
    // Lanes next to each other that differ only in j make one line.
    let mut lane = 0;
    while lane < 64 {
        rows[lane].sort_unstable();
        let key = |row: &[(usize, usize, usize, usize)]| -> Vec<(usize, usize, usize)> {
            row.iter().map(|(r, b, i, _)| (*r, *b, *i)).collect()
        };
        let this = key(&rows[lane]);
        let mut end = lane + 1;
        while end < 64 {
            rows[end].sort_unstable();
            if key(&rows[end]) != this {
                break;
            }
            end += 1;
        }
        let first_j = rows[lane].first().map_or(0, |x| x.3);
        let j = match (end - lane, first_j) {
            (1, j) => format!("j = {j}"),
            (_, 0) if lane == 0 => "j = lane".to_owned(),
            (_, 0) => format!("j = lane - {lane}"),
            (_, j) => format!("j from {j}"),
        };
        let cells: Vec<String> = this
            .iter()
            .map(|(r, b, i)| {
                let register = if pair {
                    format!("v{}–{}", 2 * r, 2 * r + 1)
                } else {
                    format!("v{r}")
                };
                let block = if s.blocks > 1 {
                    format!("b{b} ")
                } else {
                    String::new()
                };
                format!("{register}: {block}i {i}")
            })
            .collect();
        out.push(format!(
            "    lanes {:>2}–{:<2} {j}; {}",
            lane,
            end - 1,
            cells.join(", ")
        ));
        lane = end;
    }
}

/// The layout as SVG: lanes down, registers across, A, B and D side by side.
pub fn svg(op: Op, target: Target) -> Option<String> {
    let (formats, s) = shapes(op, target).into_iter().next()?;
    let pictures = pictures(&s);
    const ROW: usize = 15;
    const TOP: usize = 64;
    const CHARACTER: f64 = 5.6;
    let mut body = String::new();
    let mut x = 44.0;
    for p in &pictures {
        let longest = p.cells.iter().flatten().map(String::len).max().unwrap_or(0);
        let width = (longest as f64 * CHARACTER + 8.0).max(26.0);
        let what = if p.name == "D" {
            "C and D: i,j"
        } else if p.name == "A" {
            "A: i,k"
        } else {
            "B: j,k"
        };
        let _ = writeln!(body, "<text x='{x}' y='40' class='h'>{what}</text>");
        for r in 0..p.registers {
            let cx = x + r as f64 * width;
            let _ = writeln!(
                body,
                "<text x='{}' y='57' class='r'>v{r}</text>",
                cx + width / 2.0
            );
            for (lane, row) in p.cells.iter().enumerate() {
                let text = row.get(r).map_or("", String::as_str);
                let y = TOP + lane * ROW;
                // Neighbouring groups of sixteen lanes differ in shade.
                let fill = if lane / 16 % 2 == 0 {
                    "#eef3fb"
                } else {
                    "#dbe6f6"
                };
                let _ = writeln!(
                    body,
                    "<rect x='{cx:.1}' y='{y}' width='{width:.1}' height='{ROW}' fill='{fill}'/><text x='{:.1}' y='{}' class='c'>{text}</text>",
                    cx + width / 2.0,
                    y + 11
                );
            }
        }
        x += p.registers as f64 * width + 26.0;
    }
    for lane in 0..64 {
        let _ = writeln!(
            body,
            "<text x='36' y='{}' class='l'>{lane}</text>",
            TOP + lane * ROW + 11
        );
    }
    let height = TOP + 64 * ROW + 16;
    let with = formats.map(|f| format!(" ({f})")).unwrap_or_default();
    Some(format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{x:.0}' height='{height}' viewBox='0 0 {x:.0} {height}'>\n\
         <style>text{{font-family:ui-monospace,DejaVu Sans Mono,monospace;font-size:9px;fill:#16202e}}\
         .t{{font-size:14px;font-weight:bold}}.h{{font-size:11px;font-weight:bold}}.c,.r{{text-anchor:middle}}.l{{text-anchor:end;fill:#5a6b80}}\
         rect{{stroke:#fff;stroke-width:1}}</style>\n\
         <rect width='100%' height='100%' style='fill:#fff;stroke:none'/>\n\
         <text x='12' y='20' class='t'>{}{with} on {target}: one row a lane, one column a register</text>\n{body}</svg>\n",
        op.info().name
    ))
}
