//! Decodes and encodes per second, over the whole gfx950 corpus (every op, worst case for the caches) and over
//! the instructions of a GEMM's inner loop.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;
use wavesmith_isa::{Inst, Target, decode::decode, encode::encode};

const T: Target = Target::Gfx950;

fn corpus() -> Vec<(String, Vec<u32>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/isa/corpus_gfx950.tsv.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).expect("corpus"))
        .read_to_string(&mut text)
        .expect("gzip");
    text.lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| {
            let mut c = l.split('\t');
            let name = c.next().expect("assembly").to_owned();
            let hex = c.next().expect("bytes");
            let words = (0..hex.len() / 8)
                .map(|i| {
                    u32::from_str_radix(&hex[8 * i..8 * i + 8], 16)
                        .expect("hex")
                        .swap_bytes()
                })
                .collect();
            (name, words)
        })
        .collect()
}

fn run(c: &mut Criterion) {
    let rows = corpus();
    let hot = [
        "v_mfma_f32_16x16x32_bf16",
        "ds_read_b128",
        "buffer_load_dword ",
        "v_add_f32",
        "s_waitcnt",
        "s_add_u32",
        "v_pk_mul_f32",
    ];
    let mut inner: Vec<&(String, Vec<u32>)> = hot
        .iter()
        .flat_map(|h| rows.iter().filter(move |r| r.0.starts_with(h)).take(40))
        .collect();
    // Not sorted by mnemonic: a branch predictor must not see one format at a time. The step is a constant, so
    // that every run measures the same order.
    let n = inner.len();
    inner = (0..n).map(|i| inner[i * 101 % n]).collect();
    let every: Vec<&(String, Vec<u32>)> = rows.iter().collect();
    for (name, set) in [("inner_loop", inner), ("every_op", every)] {
        let code: Vec<u32> = set.iter().flat_map(|r| r.1.iter().copied()).collect();
        let insts: Vec<Inst> = set
            .iter()
            .map(|r| decode(&r.1, T).expect("corpus").0)
            .collect();
        let mut g = c.benchmark_group(name);
        g.throughput(Throughput::Elements(insts.len() as u64));
        g.bench_function("decode", |b| {
            b.iter(|| {
                let mut at = 0;
                let mut sum = 0u64;
                while at < code.len() {
                    let (inst, used) = decode(&code[at..], T).expect("corpus");
                    sum = sum.wrapping_add(u64::from(black_box(&inst).ops[1].code()));
                    at += used;
                }
                sum
            });
        });
        g.bench_function("encode", |b| {
            b.iter(|| {
                let mut sum = 0u32;
                for i in &insts {
                    let e = encode(i, T).expect("corpus");
                    sum ^= black_box(&e).words[0];
                }
                sum
            });
        });
        g.finish();
    }
}

criterion_group! {
    name = codec;
    config = Criterion::default().measurement_time(std::time::Duration::from_secs(2)).warm_up_time(std::time::Duration::from_millis(500));
    targets = run
}
criterion_main!(codec);
