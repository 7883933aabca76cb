//! Dot products of CDNA3's pipes, bit for bit (`tests/data/mfma/README.md` says where they are from).

use wavesmith_sim::mfma::{HalfFormat, half_dot};

fn list(s: &str) -> Vec<u32> {
    s.split(',')
        .map(|x| u32::from_str_radix(x, 16).expect("hex"))
        .collect()
}

#[test]
fn halves_to_the_bit() {
    let text = include_str!("../../tests/data/mfma/gfx942_halves.tsv");
    let (mut rows, mut differ) = (0, Vec::new());
    for line in text.lines() {
        let f: Vec<&str> = line.split('\t').collect();
        let format = if f[0].ends_with("bf16") {
            HalfFormat::Bf16
        } else {
            HalfFormat::F16
        };
        let c = f32::from_bits(list(f[3])[0]);
        let got = half_dot(&list(f[1]), &list(f[2]), c, format);
        let right = if f[4] == "nan" {
            got.is_nan()
        } else {
            got.to_bits() == list(f[4])[0]
        };
        rows += 1;
        if !right {
            differ.push(format!("{line} got {:08x}", got.to_bits()));
        }
    }
    assert_eq!(rows, 3000);
    assert!(
        differ.is_empty(),
        "{} of {rows} differ:\n{}",
        differ.len(),
        differ[..differ.len().min(3)].join("\n")
    );
}
