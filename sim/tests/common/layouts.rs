//! `tests/data/mfma/layouts.tsv.gz`, read without any of the emulator's own formulas.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// Where the bits of an element are: first bit (register × 32 + bit), count, lane; two pieces when it crosses registers.
pub type Place = Vec<(usize, usize, usize)>;

/// One instruction's tables.
#[derive(Default, Debug)]
pub struct Layout {
    /// A: block, row, k. Of SMFMAC: k counts stored columns.
    pub a: HashMap<(usize, usize, usize), Place>,
    /// B: block, column, k.
    pub b: HashMap<(usize, usize, usize), Place>,
    /// D: block, row, column.
    pub d: HashMap<(usize, usize, usize), Place>,
    /// SMFMAC's indices: row, stored column.
    pub index: HashMap<(usize, usize), Place>,
}

/// Every file: target and name.
pub fn layouts() -> HashMap<(String, String), Layout> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/mfma/layouts.tsv.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).expect("the table"))
        .read_to_string(&mut text)
        .expect("gzip");
    let mut out: HashMap<(String, String), Layout> = HashMap::new();
    let mut key = (String::new(), String::new());
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            let (target, name) = title.split_once(' ').expect("target and name");
            key = (target.to_owned(), name.to_owned());
            continue;
        }
        let to = out.entry(key.clone()).or_default();
        let f: Vec<&str> = line.split(',').collect();
        let n = |i: usize| f[i].parse::<usize>().unwrap_or(0);
        if f[0].starts_with("SCALE") {
            continue;
        }
        let (low, high, lane) = (32 * n(5) + n(7), 32 * n(5) + n(8), n(6));
        let bits = high - low + 1;
        let sparse_side = matches!(f[0], "A" | "K") && key.1.contains("smfmac");
        if !sparse_side {
            let (map, index) = match f[0] {
                "A" => (&mut to.a, (n(1), n(2), n(4))),
                "B" => (&mut to.b, (n(1), n(3), n(4))),
                _ => (&mut to.d, (n(1), n(2), n(3))),
            };
            map.entry(index).or_default().push((low, bits, lane));
            continue;
        }
        // `0..3#1` is one stored element; a plain k names both that its group of four has.
        let places: Vec<(usize, (usize, usize, usize))> = match f[4].split_once("..") {
            Some((first, rest)) => {
                let which: usize = rest
                    .split_once('#')
                    .expect("which")
                    .1
                    .parse()
                    .expect("0 or 1");
                let pair = first.parse::<usize>().expect("k") / 4 * 2;
                vec![(pair + which, (low, bits, lane))]
            }
            None if n(4) % 4 != 0 => continue,
            None => (0..2)
                .map(|w| (n(4) / 2 + w, (low + w * bits / 2, bits / 2, lane)))
                .collect(),
        };
        for (k, place) in places {
            if f[0] == "A" {
                to.a.entry((0, n(2), k)).or_default().push(place);
            } else {
                to.index.entry((n(2), k)).or_default().push(place);
            }
        }
    }
    out
}

/// Registers of a wave: `[register][lane]`.
pub type Image = Vec<[u32; 64]>;

/// Bits of an element.
pub fn read(image: &Image, place: &Place, lane_of: impl Fn(usize) -> usize) -> u64 {
    let (mut x, mut shift) = (0, 0);
    for &(low, bits, lane) in place {
        for n in 0..bits {
            let at = low + n;
            x |= u64::from(image[at / 32][lane_of(lane)] >> (at % 32) & 1) << shift;
            shift += 1;
        }
    }
    x
}

/// Sets the bits of an element.
pub fn write(image: &mut Image, place: &Place, value: u64) {
    let mut shift = 0;
    for &(low, bits, lane) in place {
        for n in 0..bits {
            let (word, bit) = ((low + n) / 32, (low + n) % 32);
            let x = (value >> shift & 1) as u32;
            image[word][lane] = image[word][lane] & !(1 << bit) | x << bit;
            shift += 1;
        }
    }
}
