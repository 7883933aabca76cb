//! A table of dot products through the matrix pipes.

use std::collections::BTreeMap;
use std::path::Path;

use wavesmith_isa::Target;
use wavesmith_sim::MfmaMode;
use wavesmith_sim::mfma::{DotCase, dots};

use super::Tally;
use crate::failure::Failure;
use crate::input;

/// A row that has been read: its case, what D must be (`None`: any NaN), and where it stands in the file.
struct Row {
    case: DotCase,
    d: Option<u64>,
    start: usize,
    len: usize,
}

pub fn checks(file: &Path, target: Target, show: usize) -> Result<Vec<Tally>, Failure> {
    let source = input::read_text(file)?;
    let name = input::name(file);
    let bad = |start: usize, len: usize, why: &str| {
        Failure::request(format!("{name}: {why}")).at(&name, &source, start, len, "this line")
    };
    let mut rows: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let columns: Vec<&str> = line.split('\t').collect();
        let [mnemonic, a, b, c, d] = columns.as_slice() else {
            let why = format!(
                "expected 5 columns (instruction, A, B, C, D), found {}",
                columns.len()
            );
            return Err(bad(start, line.len(), &why));
        };
        let numbers = |s: &str| {
            s.split(',')
                .map(|x| u64::from_str_radix(x.trim(), 16))
                .collect::<Result<Vec<u64>, _>>()
        };
        let one = |s: &str| u64::from_str_radix(s.trim(), 16);
        let row = (|| {
            Ok::<Row, std::num::ParseIntError>(Row {
                case: DotCase {
                    a: numbers(a)?,
                    b: numbers(b)?,
                    c: one(c)?,
                },
                d: if *d == "nan" { None } else { Some(one(d)?) },
                start,
                len: line.len(),
            })
        })()
        .map_err(|e| {
            bad(
                start,
                line.len(),
                &format!("expected hex bit patterns: {e}"),
            )
        })?;
        rows.entry(mnemonic).or_default().push(row);
    }
    let mut out = Vec::new();
    for (mnemonic, rows) in rows {
        let cases: Vec<DotCase> = rows.iter().map(|r| r.case.clone()).collect();
        let got = dots(mnemonic, target, &cases, MfmaMode::Exact)
            .map_err(|e| bad(rows[0].start, rows[0].len, &e.to_string()))?;
        let mut tally = Tally::new(format!("{mnemonic} {target}"));
        for (row, got) in rows.iter().zip(got) {
            let right = match row.d {
                Some(d) => d == got,
                None if mnemonic.starts_with("v_mfma_f64") => f64::from_bits(got).is_nan(),
                None => f32::from_bits(got as u32).is_nan(),
            };
            tally.count(right, show, || {
                let line = source[..row.start].matches('\n').count() + 1;
                let expected = row.d.map_or("NaN".to_owned(), |d| format!("{d:x}"));
                format!("{name}:{line}: expected {expected}, found {got:x}")
            });
        }
        out.push(tally);
    }
    Ok(out)
}
