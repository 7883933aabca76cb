//! Dot products of CDNA3's pipes, bit for bit, each through a whole instruction
//! (`tests/data/mfma/README.md` says where they are from).

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use wavesmith_isa::Target;
use wavesmith_sim::MfmaMode;
use wavesmith_sim::mfma::{DotCase, dots};

struct Row {
    case: DotCase,
    /// `None`: any NaN.
    d: Option<u64>,
}

fn list(s: &str) -> Vec<u64> {
    s.split(',')
        .map(|x| u64::from_str_radix(x, 16).expect("hex"))
        .collect()
}

fn table(file: &str) -> BTreeMap<String, Vec<Row>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/data/mfma")
        .join(file);
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(&path).expect("the table"))
        .read_to_string(&mut text)
        .expect("gzip");
    let mut out: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let f: Vec<&str> = line.split('\t').collect();
        out.entry(f[0].to_owned()).or_default().push(Row {
            case: DotCase {
                a: list(f[1]),
                b: list(f[2]),
                c: list(f[3])[0],
            },
            d: (f[4] != "nan").then(|| list(f[4])[0]),
        });
    }
    out
}

fn is_nan(name: &str, bits: u64) -> bool {
    if name.starts_with("v_mfma_f64") {
        f64::from_bits(bits).is_nan()
    } else {
        f32::from_bits(bits as u32).is_nan()
    }
}

#[test]
fn every_dense_float_instruction_of_gfx942_to_the_bit() {
    let table = table("gfx942.tsv.gz");
    assert_eq!(table.len(), 27);
    let mut wrong = Vec::new();
    for (name, rows) in &table {
        assert_eq!(rows.len(), 300, "{name}");
        let cases: Vec<DotCase> = rows.iter().map(|r| r.case.clone()).collect();
        let got = dots(name, Target::Gfx942, &cases, MfmaMode::Exact).expect("known");
        let bad: Vec<usize> = (0..rows.len())
            .filter(|&i| match rows[i].d {
                None => !is_nan(name, got[i]),
                Some(d) => got[i] != d,
            })
            .collect();
        if let Some(&i) = bad.first() {
            wrong.push(format!(
                "{name}: {} of {}; first {i}: got {:x}, expected {:x?}, {:x?}",
                bad.len(),
                rows.len(),
                got[i],
                rows[i].d,
                rows[i].case
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
