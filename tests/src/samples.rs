//! Random dwords and random instructions, the same in each run.

use std::io::Read as _;
use std::path::Path;
use wavesmith_isa::table::Format;
use wavesmith_isa::{Op, Target};

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence that `seed` decides.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }
    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// One of `0..n`; 0 when `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % (n.max(1) as u64)) as usize
    }
    /// Yes once in `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    /// One of a list that is not empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Encoding prefix and opcode of a row, and which bits of the first dword they are
/// (CDNA3 ISA, chapter "Instruction formats").
pub fn opcode_bits(op: Op) -> (u32, u32) {
    let info = op.info();
    let n = u32::from(info.opcode);
    // Prefix value, its width in bits, lowest bit of the opcode, bits of the opcode.
    let (prefix, width, at, bits) = match info.format {
        Format::SOP1 => (0x17d, 9, 8, 8),
        Format::SOP2 => (0b10, 2, 23, 7),
        Format::SOPC => (0x17e, 9, 16, 7),
        Format::SOPK => (0b1011, 4, 23, 5),
        Format::SOPP => (0x17f, 9, 16, 7),
        Format::SMEM => (0b11_0000, 6, 18, 8),
        Format::VOP1 | Format::VOP1_DPP | Format::VOP1_SDWA => (0x3f, 7, 9, 8),
        Format::VOP2 | Format::VOP2_DPP | Format::VOP2_SDWA => (0, 1, 25, 6),
        Format::VOPC | Format::VOPC_SDWA => (0x3e, 7, 17, 8),
        Format::VOP3A | Format::VOP3B => (0b11_0100, 6, 16, 10),
        Format::VOP3P | Format::VOP3P_MAI => (0x1a7, 9, 16, 7),
        Format::DS => (0b11_0110, 6, 17, 8),
        Format::FLAT | Format::GLOBAL | Format::SCRATCH => (0b11_0111, 6, 18, 7),
        Format::MUBUF => (0b11_1000, 6, 18, 7),
        Format::MTBUF => (0b11_1010, 6, 15, 4),
    };
    let mask = |bits: u32, at: u32| ((1u32 << bits) - 1) << at;
    let (mut word, mut known) = (
        prefix << (32 - width) | n << at,
        mask(width, 32 - width) | mask(bits, at),
    );
    let (more, also) = match info.format {
        Format::FLAT => (0, 3 << 14),
        Format::SCRATCH => (1 << 14, 3 << 14),
        Format::GLOBAL => (2 << 14, 3 << 14),
        Format::VOP1_DPP | Format::VOP2_DPP => (250, 0x1ff),
        Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA => (249, 0x1ff),
        _ => (0, 0),
    };
    word |= more;
    known |= also;
    (word, known)
}

/// One row of a corpus.
#[derive(Clone, Debug)]
pub struct Row {
    /// Assembly text.
    pub text: String,
    /// Its code.
    pub words: Vec<u32>,
}

/// A corpus of `tests/data/isa`.
///
/// # Panics
/// When the file is not there or not in its format.
pub fn corpus(target: Target) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data/isa")
        .join(format!("corpus_{target}.tsv.gz"));
    let file = std::fs::File::open(path).expect("the corpus is part of the project");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .expect("gzip");
    let rows = text.lines().filter(|l| !l.starts_with('#'));
    rows.map(|l| {
        let mut c = l.split('\t');
        Row {
            text: c.next().unwrap_or_default().to_owned(),
            words: from_hex(c.next().unwrap_or_default()),
        }
    })
    .collect()
}

/// Dwords from bytes in hexadecimal, in memory order.
///
/// # Panics
/// When it is not hexadecimal.
pub fn from_hex(hex: &str) -> Vec<u32> {
    let words = hex.as_bytes().chunks(8);
    words
        .map(|w| {
            let text = std::str::from_utf8(w).expect("ASCII");
            u32::from_str_radix(text, 16).expect("hex").swap_bytes()
        })
        .collect()
}

/// Bytes of dwords, in memory order.
pub fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Bytes in hexadecimal.
pub fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut s, b| {
        let _ = write!(s, "{b:02x}");
        s
    })
}

/// Dwords that may be an instruction: a quarter arbitrary, the rest near to one.
pub struct Words {
    random: Random,
    ops: Vec<Op>,
    rows: Vec<Row>,
}

impl Words {
    /// For a target.
    pub fn new(target: Target, seed: u64) -> Words {
        Words {
            random: Random::new(seed),
            ops: Op::ALL
                .into_iter()
                .filter(|o| o.info().on(target))
                .collect(),
            rows: corpus(target),
        }
    }

    /// The next four dwords.
    pub fn next_words(&mut self) -> [u32; 4] {
        let r = &mut self.random;
        let (a, b) = (r.bits(), r.bits());
        let mut w = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32];
        match r.below(8) {
            0 => {}
            1..=3 => {
                // An opcode, and all else by chance; fewer set bits make a better chance to be valid.
                let (bits, known) = opcode_bits(*r.pick(&self.ops));
                for _ in 0..r.below(4) {
                    let thin = r.bits();
                    w[0] &= thin as u32;
                    if r.one_in(2) {
                        w[1] &= (thin >> 32) as u32;
                    }
                }
                w[0] = w[0] & !known | bits;
            }
            _ => {
                // An instruction with some of its bits, or one of its bytes, changed.
                let row = r.pick(&self.rows);
                for (to, from) in w.iter_mut().zip(&row.words) {
                    *to = *from;
                }
                let dwords = row.words.len();
                for _ in 0..r.below(4) {
                    let (i, bit) = (r.below(dwords), r.below(32));
                    w[i] ^= 1 << bit;
                }
                if r.one_in(3) {
                    let (i, byte, value) = (r.below(dwords), r.below(4), r.bits() as u32 & 255);
                    w[i] = w[i] & !(255 << (8 * byte)) | value << (8 * byte);
                }
            }
        }
        w
    }
}
