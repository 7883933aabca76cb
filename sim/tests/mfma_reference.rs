//! Every matrix instruction, run as an instruction, against naive loops over the layout tables. The values are small
//! integers and halves, so that any order of summation gives the same result.

mod common;
#[path = "common/layouts.rs"]
mod layouts;

use std::collections::HashMap;
use std::fmt::Write;

use layouts::{Image, Layout, layouts, read, write};
use wavesmith_isa::{Op, Target};
use wavesmith_loader::{Device, Launch};
use wavesmith_sim::{Emulator, MfmaMode, Options};

/// xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Value of a float of `e` exponent and `f` fraction bits, straight from the definition.
fn float(x: u64, e: u32, f: u32, bias: i32) -> f64 {
    let sign = if x >> (e + f) & 1 != 0 { -1.0 } else { 1.0 };
    let field = (x >> f & ((1 << e) - 1)) as i32;
    let fraction = (x & ((1 << f) - 1)) as f64 / f64::from(1 << f);
    let m = if field == 0 { fraction } else { 1.0 + fraction };
    sign * m * 2f64.powi(field.max(1) - bias)
}

/// Name, bits and value of an element type.
#[derive(Clone, Copy)]
struct Type {
    bits: u32,
    value: fn(u64) -> f64,
}

fn types(target: Target, name: &str) -> Type {
    let t = |bits, value| Type { bits, value };
    match (name, target) {
        ("f16", _) => t(16, |x| float(x, 5, 10, 15)),
        ("bf16", _) => t(16, |x| float(x, 8, 7, 127)),
        ("f32" | "xf32", _) => t(32, |x| f32::from_bits(x as u32).into()),
        ("f64", _) => t(64, f64::from_bits),
        ("i8", _) => t(8, |x| f64::from(x as u8 as i8)),
        ("fp8", Target::Gfx942) => t(8, |x| float(x, 4, 3, 8)),
        ("bf8", Target::Gfx942) => t(8, |x| float(x, 5, 2, 16)),
        ("fp8", _) => t(8, |x| float(x, 4, 3, 7)),
        ("bf8", _) => t(8, |x| float(x, 5, 2, 15)),
        ("fp6", _) => t(6, |x| float(x, 2, 3, 1)),
        ("bf6", _) => t(6, |x| float(x, 3, 2, 3)),
        ("fp4", _) => t(4, |x| float(x, 2, 1, 1)),
        other => panic!("{other:?}"),
    }
}

/// Patterns whose values are small multiples of a half (of i8: all).
fn patterns(t: Type, name: &str, random: &mut Random) -> Vec<u64> {
    match name {
        "f32" | "xf32" => (-6..=6)
            .map(|i| (i as f32 / 2.0).to_bits().into())
            .collect(),
        "f64" => (0..99)
            .map(|_| (random.below(2001) as f64 - 1000.0).to_bits())
            .collect(),
        "i8" => (0..256).collect(),
        _ => (0..1u64 << t.bits)
            .filter(|&x| {
                let v = (t.value)(x);
                v.abs() <= 3.0 && (v * 2.0).fract() == 0.0 && (v != 0.0 || x == 0)
            })
            .collect(),
    }
}

/// One instruction with modifiers, as a test needs it.
#[derive(Clone, Debug, Default)]
struct Variant {
    /// Text behind the operands.
    text: String,
    cbsz: u32,
    abid: u32,
    blgp: u32,
    /// f64: A, B, C negated.
    neg: [bool; 3],
    /// Bytes of the scale registers.
    bytes: Option<[u32; 2]>,
    /// C is an inline constant: its text and value.
    constant: Option<(&'static str, f64)>,
}

const FORMATS: [&str; 5] = ["fp8", "bf8", "fp6", "bf6", "fp4"];

fn variants(name: &str, blocks: usize, f8f6f4: bool) -> Vec<Variant> {
    let mut out = vec![Variant::default()];
    let with = |text: String, f: &dyn Fn(&mut Variant)| {
        let mut v = Variant {
            text,
            ..Variant::default()
        };
        f(&mut v);
        v
    };
    if f8f6f4 {
        out.clear();
        for (n, (cbsz, blgp)) in (0..25u32).map(|i| (i, (i / 5, i % 5))) {
            let mut text = String::new();
            let mut bytes = None;
            if name.contains("scale") {
                let b = [n % 4, n / 4 % 4];
                write!(text, " op_sel:[{},{},0]", b[0] & 1, b[1] & 1).expect("text");
                write!(text, " op_sel_hi:[{},{},0]", b[0] >> 1, b[1] >> 1).expect("text");
                bytes = Some(b);
            }
            write!(text, " cbsz:{cbsz} blgp:{blgp}").expect("text");
            out.push(with(text, &|v| {
                (v.cbsz, v.blgp, v.bytes) = (cbsz, blgp, bytes)
            }));
        }
        return out;
    }
    if name.starts_with("v_smfmac") {
        for abid in 1..4 {
            out.push(with(format!(" abid:{abid}"), &|v| v.abid = abid));
        }
        out.push(with(" cbsz:1 abid:1".into(), &|v| {
            (v.cbsz, v.abid) = (1, 1)
        }));
        return out;
    }
    out.push(Variant {
        constant: Some(("1.0", 1.0)),
        ..Variant::default()
    });
    if name.contains("_i32_") {
        out[1].constant = Some(("-7", -7.0));
    }
    for cbsz in 1..=blocks.ilog2() {
        for abid in [0, 1, (1 << cbsz) - 1] {
            let text = format!(" cbsz:{cbsz} abid:{abid}");
            out.push(with(text, &|v| (v.cbsz, v.abid) = (cbsz, abid)));
        }
    }
    if name.contains("f64") {
        for n in 1..8u32 {
            let neg = [n & 1, n >> 1 & 1, n >> 2];
            let text = format!(" neg:[{},{},{}]", neg[0], neg[1], neg[2]);
            out.push(with(text, &|v| v.neg = neg.map(|x| x != 0)));
        }
    } else {
        for blgp in 1..8 {
            out.push(with(format!(" blgp:{blgp}"), &|v| v.blgp = blgp));
        }
    }
    out
}

/// The lane that B's lane `l` is read from (CDNA3 ISA, BLGP).
fn b_lane(l: usize, blgp: u32) -> usize {
    match blgp {
        1 => l & 31,
        2 => l | 32,
        3 => (l + 16) & 63,
        4 => l & 15,
        5 => 16 | l & 15,
        6 => 32 | l & 15,
        7 => 48 | l & 15,
        _ => l,
    }
}

/// A kernel that loads `images` (one after another in memory) to their registers, runs `inst`, and stores D over the
/// buffer's start.
fn source(loads: &[(&str, usize, usize)], inst: &str, d: usize) -> String {
    let mut s = String::from(
        "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32_e32 v62, 2, v0\n",
    );
    let mut at = 0;
    for &(file, first, n) in loads {
        for r in first..first + n {
            writeln!(
                s,
                "v_add_u32_e32 v61, {at:#x}, v62\nglobal_load_dword v60, v61, s[4:5]"
            )
            .expect("text");
            s.push_str("s_waitcnt vmcnt(0)\n");
            match file {
                "a" => writeln!(s, "v_accvgpr_write_b32 a{r}, v60"),
                _ => writeln!(s, "v_mov_b32_e32 v{r}, v60"),
            }
            .expect("text");
            at += 256;
        }
    }
    s.push_str(inst);
    s.push_str("\ns_nop 15\ns_nop 15\n");
    for r in 0..d {
        writeln!(
            s,
            "v_accvgpr_read_b32 v60, a{r}\nv_add_u32_e32 v61, {:#x}, v62",
            256 * r
        )
        .expect("text");
        s.push_str("global_store_dword v61, v60, s[4:5]\n");
    }
    s.push_str("s_endpgm\n");
    s
}

fn run(gpu: &Emulator, source: &str, target: Target, input: &[&Image], d: usize) -> Image {
    let object = common::object(source, target, 0, 3);
    let module = gpu.load(&object).expect("loads");
    let bytes: Vec<u8> = input
        .iter()
        .flat_map(|i| i.iter().flatten())
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let buffer = gpu.alloc(bytes.len() as u64).expect("memory");
    gpu.write(buffer, &bytes).expect("written");
    let mut kernarg = buffer.0.to_le_bytes().to_vec();
    kernarg.extend([0; 8]);
    gpu.dispatch(&Launch {
        module,
        kernel: "k",
        grid: [64, 1, 1],
        block: [64, 1, 1],
        dynamic_lds: 0,
        kernarg: &kernarg,
    })
    .unwrap_or_else(|e| panic!("{e}\n{source}"));
    let mut out = vec![0; 256 * d];
    gpu.read(buffer, &mut out).expect("read");
    gpu.free(buffer).expect("freed");
    gpu.unload(module).expect("unloaded");
    let word = |c: &[u8]| u32::from_le_bytes([c[0], c[1], c[2], c[3]]);
    let words: Vec<u32> = out.chunks(4).map(word).collect();
    words
        .chunks(64)
        .map(|c| c.try_into().expect("64 lanes"))
        .collect()
}

struct Table<'a> {
    target: Target,
    name: &'a str,
    layout: [&'a Layout; 2],
    types: [&'a str; 2],
    /// m, n, k, blocks.
    dims: [usize; 4],
}

fn dims(name: &str) -> [usize; 4] {
    let part = |p: &&str| p.contains('x') && p.as_bytes()[0].is_ascii_digit();
    let mnk = name.split('_').find(part).expect("a shape");
    let mut d = mnk.split('x').map(|x| x.parse().expect("a number"));
    let blocks = name
        .split('_')
        .find_map(|p| p.strip_suffix('b')?.parse().ok())
        .unwrap_or(1);
    let mut next = || d.next().expect("three numbers");
    [next(), next(), next(), blocks]
}

/// Runs one variant and compares; the first difference.
fn check(t: &Table<'_>, v: &Variant, mode: MfmaMode, random: &mut Random) -> Result<(), String> {
    let [m, n, k, blocks] = t.dims;
    let sparse = t.name.starts_with("v_smfmac");
    let [ty_a, ty_b] = t.types.map(|n| types(t.target, n));
    let wide = t.name.contains("f64_");
    let integer = t.name.contains("_i32_");
    let d_words = m * n * blocks / 64 * if wide { 2 } else { 1 };
    let stored = if sparse { k / 2 } else { k };
    let words =
        |ty: Type, k: usize, rows: usize| (k * rows * blocks * ty.bits as usize).div_ceil(2048);
    let mut a: Image = vec![[0; 64]; words(ty_a, stored, m)];
    let mut b: Image = vec![[0; 64]; words(ty_b, k, n)];
    let mut c: Image = vec![[0; 64]; d_words];
    let (pa, pb) = (
        patterns(ty_a, t.types[0], random),
        patterns(ty_b, t.types[1], random),
    );
    for place in t.layout[0].a.values() {
        write(&mut a, place, pa[random.below(pa.len())]);
    }
    for place in t.layout[1].b.values() {
        write(&mut b, place, pb[random.below(pb.len())]);
    }
    for x in c.as_flattened_mut() {
        *x = match (integer, wide) {
            (true, _) => random.next() as u32,
            (_, true) => 0,
            _ => (random.below(33) as f32 - 16.0).to_bits(),
        };
    }
    let pairs: Vec<[f64; 64]> = (0..d_words / 2)
        .map(|_| std::array::from_fn(|_| random.below(33) as f64 - 16.0))
        .collect();
    if wide {
        for (r, row) in pairs.iter().enumerate() {
            for (l, x) in row.iter().enumerate() {
                c[2 * r][l] = x.to_bits() as u32;
                c[2 * r + 1][l] = (x.to_bits() >> 32) as u32;
            }
        }
    }
    // Two different columns of each four, in a set of the index register; the rest of it is noise.
    let index_bits = 2 * 64 * m * stored / (64 * 64);
    let set = if v.cbsz == 0 {
        v.abid as usize % (32 / index_bits.max(1)).max(1) * index_bits
    } else {
        0
    };
    let mut index: Image = vec![std::array::from_fn(|_| random.next() as u32)];
    let mut chosen: HashMap<(usize, usize), usize> = HashMap::new();
    if sparse {
        for i in 0..m {
            for pair in 0..stored / 2 {
                let first = random.below(3);
                let second = first + 1 + random.below(3 - first);
                for (k, x) in [(2 * pair, first), (2 * pair + 1, second)] {
                    let place = t.layout[0].index[&(i, k)]
                        .iter()
                        .map(|&(low, bits, lane)| (low + set, bits, lane))
                        .collect();
                    write(&mut index, &place, x as u64);
                    chosen.insert((i, k), 4 * pair + x);
                }
            }
        }
    }
    let scale = |random: &mut Random| -> Image {
        vec![std::array::from_fn(|_| {
            u32::from_le_bytes(std::array::from_fn(|_| 125 + random.below(5) as u8))
        })]
    };
    let scales = [scale(random), scale(random)];

    let last = 32 + d_words - 1;
    let reg = |file: &str, first: usize, n: usize| match n {
        1 => format!("{file}{first}"),
        _ => format!("{file}[{first}:{}]", first + n - 1),
    };
    let (ra, rb) = (reg("v", 2, a.len()), reg("v", 10, b.len()));
    let inst = if sparse {
        // D is C.
        format!(
            "{} {}, {ra}, {rb}, v18{}",
            t.name,
            reg("a", 0, d_words),
            v.text
        )
    } else {
        let rc = match v.constant {
            Some((text, _)) => text.to_owned(),
            None => format!("a[32:{last}]"),
        };
        let more = if v.bytes.is_some() { ", v19, v20" } else { "" };
        format!(
            "{} {}, {ra}, {rb}, {rc}{more}{}",
            t.name,
            reg("a", 0, d_words),
            v.text
        )
    };
    let c_at = if sparse { 0 } else { 32 };
    let loads = [
        ("v", 2, a.len()),
        ("v", 10, b.len()),
        ("v", 18, 1),
        ("v", 19, 1),
        ("v", 20, 1),
        ("a", c_at, d_words),
    ];
    let gpu = Emulator::with_options(
        t.target,
        Options {
            mfma: mode,
            threads: 1,
            ..Options::default()
        },
    );
    let input = [&a, &b, &index, &scales[0], &scales[1], &c];
    let got = run(
        &gpu,
        &source(&loads, &inst, d_words),
        t.target,
        &input,
        d_words,
    );

    let negate = |x: f64, i: usize| if v.neg[i] { -x } else { x };
    let blgp = if t.name.contains("f8f6f4") { 0 } else { v.blgp };
    // Every element once, scales included: [block][row or column][k].
    let scaled = |s: usize, x: f64, row: usize, k: usize| match v.bytes {
        None => x,
        Some(bytes) => {
            let lane = row + [m, n][s] * (k / 32);
            let byte = scales[s][0][lane] >> (8 * bytes[s]) & 0xff;
            x * 2f64.powi(byte as i32 - 127)
        }
    };
    let (mut va, mut vb) = (vec![0.0; blocks * m * stored], vec![0.0; blocks * n * k]);
    for (&(block, i, k), place) in &t.layout[0].a {
        let x = negate((ty_a.value)(read(&a, place, |l| l)), 0);
        va[(block * m + i) * stored + k] = scaled(0, x, i, k);
    }
    for (&(block, j, kk), place) in &t.layout[1].b {
        let x = negate((ty_b.value)(read(&b, place, |l| b_lane(l, blgp))), 1);
        vb[(block * n + j) * k + kk] = scaled(1, x, j, kk);
    }
    let columns: Vec<usize> = (0..m * stored)
        .map(|x| {
            *chosen
                .get(&(x / stored, x % stored))
                .unwrap_or(&(x % stored))
        })
        .collect();
    for ((block, i, j), place) in &t.layout[0].d {
        let (block, i, j) = (*block, *i, *j);
        let run = 1usize << v.cbsz;
        let from = if sparse || t.name.contains("f8f6f4") || v.cbsz == 0 {
            block
        } else {
            block / run * run + v.abid as usize
        };
        let mut sum = match v.constant {
            Some((_, x)) => x,
            None if integer => f64::from(read(&c, place, |l| l) as u32 as i32),
            None if wide => f64::from_bits(read(&c, place, |l| l)),
            None => f32::from_bits(read(&c, place, |l| l) as u32).into(),
        };
        sum = negate(sum, 2);
        for kk in 0..stored {
            let column = columns[i * stored + kk];
            sum += va[(from * m + i) * stored + kk] * vb[(block * n + j) * k + column];
        }
        let bits = read(&got, place, |l| l);
        let is = match (integer, wide) {
            (true, _) => f64::from(bits as u32 as i32),
            (_, true) => f64::from_bits(bits),
            _ => f32::from_bits(bits as u32).into(),
        };
        // Integers wrap.
        let want = if integer {
            f64::from(sum as i64 as i32)
        } else {
            sum
        };
        if is != want {
            return Err(format!(
                "{inst}: D[{block}][{i}][{j}] is {is}, expected {want}"
            ));
        }
    }
    Ok(())
}

#[test]
fn every_instruction_against_naive_loops() {
    let tables = layouts();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut instructions, mut runs, mut wrong) = (0, 0, Vec::new());
    for target in Target::ALL {
        let find = |name: &str| {
            ["gfx950", "gfx942"]
                .iter()
                .filter(|t| target == Target::Gfx950 || **t == "gfx942")
                .find_map(|t| tables.get(&((*t).to_owned(), name.to_owned())))
                .unwrap_or_else(|| panic!("no table of {name}"))
        };
        for info in Op::ALL.iter().map(|op| op.info()).filter(|i| i.on(target)) {
            let name = info.name;
            let matrix = name.starts_with("v_mfma_") || name.starts_with("v_smfmac_");
            if !matrix || name.contains("ld_scale") {
                continue;
            }
            instructions += 1;
            let f8f6f4 = name.ends_with("f8f6f4");
            for v in variants(name, dims(name)[3], f8f6f4) {
                let table = if f8f6f4 {
                    let file = |format: u32| {
                        let kind = ["fp8_split", "fp8_split", "fp6", "fp6", "fp4"][format as usize];
                        find(&format!("{}__{kind}", name.replace("scale_", "")))
                    };
                    Table {
                        target,
                        name,
                        layout: [file(v.cbsz), file(v.blgp)],
                        types: [FORMATS[v.cbsz as usize], FORMATS[v.blgp as usize]],
                        dims: dims(name),
                    }
                } else {
                    let mut types = name.rsplit('_');
                    let last = types.next().expect("a type");
                    let other = types.next().filter(|t| ["fp8", "bf8"].contains(t));
                    Table {
                        target,
                        name,
                        layout: [find(name); 2],
                        types: [other.unwrap_or(last), last],
                        dims: dims(name),
                    }
                };
                for mode in [MfmaMode::Exact, MfmaMode::Fast] {
                    runs += 1;
                    if let Err(e) = check(&table, &v, mode, &mut random) {
                        wrong.push(format!("{target} {mode:?}: {e}"));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {runs} runs are wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
    assert_eq!(instructions, 46 + 68, "instructions of both targets");
}
