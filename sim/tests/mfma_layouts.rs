//! The formulas for the place of every element against the tables (`tests/data/mfma/README.md`).

use std::io::Read;
use std::path::Path;

use wavesmith_isa::Target;
use wavesmith_sim::mfma::shape::{Acc, Elem, Shape};

/// First and last register-relative bit, and lane.
type Bits = (usize, usize, usize);

fn shape(target: &str, name: &str) -> Shape {
    let target: Target = target.parse().expect("a target");
    let (name, format) = name.split_once("__").unwrap_or((name, ""));
    let shape = Shape::of(name, target).unwrap_or_else(|| panic!("{name} is not known"));
    let code = match format {
        "" => return shape,
        "fp8_split" => 0,
        "fp6" => 2,
        "fp4" => 4,
        other => panic!("{other}"),
    };
    shape.with_formats(code, code).expect("a format")
}

fn element(side: &wavesmith_sim::mfma::shape::Side, i: usize, k: usize) -> Bits {
    let place = side.place(i, k);
    let bits = side.elem.bits();
    let first = place.element * bits;
    // What `decode` goes by is the inverse.
    assert_eq!(side.k(place.element, place.lane / side.width), k);
    (first, first + bits - 1, place.lane)
}

/// Where the formulas put the element that a line is about. `k` is `3`, or `0..3#1`: the second of the two that are
/// stored of columns 0 to 3.
fn expected(s: &Shape, matrix: &str, block: usize, i: usize, j: usize, k: &str) -> Vec<Bits> {
    let stored =
        |side: &wavesmith_sim::mfma::shape::Side, k: usize| element(side, block * s.m + i, k);
    match matrix {
        "A" if !s.sparse => vec![stored(&s.side_a(), k.parse().expect("k"))],
        "B" => vec![element(&s.side_b(), block * s.n + j, k.parse().expect("k"))],
        "D" => {
            let (r, lane) = s.d(block, i, j);
            let bits = if s.acc == Acc::F64 { 64 } else { 32 };
            vec![(r * bits, r * bits + bits - 1, lane)]
        }
        "A" | "K" => {
            let (first, which) = match k.split_once('#') {
                Some((range, n)) => (range.split("..").next().expect("a range"), Some(n)),
                None => (k, None),
            };
            let pair = first.parse::<usize>().expect("k") / 4 * 2;
            let numbers = match which {
                Some(n) => vec![pair + n.parse::<usize>().expect("0 or 1")],
                None => vec![pair, pair + 1],
            };
            let side = s.side_a();
            let places = numbers.into_iter().map(|k| {
                if matrix == "A" {
                    return stored(&side, k);
                }
                let p = side.place(i, k);
                (2 * p.element, 2 * p.element + 1, p.lane)
            });
            // The calculator names both stored elements of a group of four at once.
            places
                .reduce(|x, y| (x.0.min(y.0), x.1.max(y.1), x.2))
                .into_iter()
                .collect()
        }
        "SCALE_A" | "SCALE_B" => {
            let row = if matrix == "SCALE_A" { i } else { j };
            let side = if matrix == "SCALE_A" {
                s.side_a()
            } else {
                s.side_b()
            };
            vec![(
                0,
                0,
                row + side.width * (k.parse::<usize>().expect("k") / 32),
            )]
        }
        other => panic!("{other}"),
    }
}

#[test]
fn every_element_of_every_instruction() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/mfma/layouts.tsv.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).expect("the table"))
        .read_to_string(&mut text)
        .expect("gzip");
    let (mut files, mut entries, mut wrong) = (0, 0, Vec::new());
    let mut now: Option<(Shape, &str)> = None;
    // FP6 elements that cross a register's border have two lines.
    let mut crossing: Option<Bits> = None;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            let (target, name) = title.split_once(' ').expect("target and name");
            now = Some((shape(target, name), title));
            files += 1;
            continue;
        }
        let (s, title) = now.expect("a title first");
        let f: Vec<&str> = line.split(',').collect();
        let number = |x: &str| x.parse::<usize>().unwrap_or(0);
        let want = expected(&s, f[0], number(f[1]), number(f[2]), number(f[3]), f[4]);
        let mut got = if f[0].starts_with("SCALE") {
            (0, 0, number(f[6]))
        } else {
            let r = 32 * number(f[5]);
            (r + number(f[7]), r + number(f[8]), number(f[6]))
        };
        if matches!(s.a, Elem::Fp6) && f[0] != "D" {
            match crossing.take() {
                Some(low) if f.get(9) == Some(&"1") => got = (low.0, got.1, got.2),
                _ if got.1 - got.0 < 5 && f.get(9) == Some(&"0") && got.1 % 32 == 31 => {
                    crossing = Some(got);
                    continue;
                }
                _ => {}
            }
        }
        entries += 1;
        if want != [got] && wrong.len() < 10 {
            wrong.push(format!("{title}: {line}: formula {want:?}, table {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(files, 72);
    assert!(entries > 100_000, "{entries}");
}
