//! Lines to bits and instructions to text per second, on the rows of the corpora that come from AITER's objects.
//! `benches/against-llvm.sh` holds the same work against LLVM's tools.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;
use wavesmith_isa::{Inst, Target, text};

fn rows(target: Target) -> Vec<String> {
    let path = format!("../tests/data/isa/corpus_{target}.tsv.gz");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).expect("corpus"))
        .read_to_string(&mut text)
        .expect("gzip");
    text.lines()
        .filter(|l| l.split('\t').nth(3) == Some("aiter"))
        .filter_map(|l| l.split('\t').next().map(str::to_owned))
        .collect()
}

fn run(c: &mut Criterion) {
    for target in Target::ALL {
        let lines = rows(target);
        let insts: Vec<Inst> = lines
            .iter()
            .filter_map(|l| text::parse(l, target).ok())
            .collect();
        assert_eq!(lines.len(), insts.len());
        let mut g = c.benchmark_group(format!("text/{target}"));
        g.throughput(Throughput::Elements(lines.len() as u64));
        g.bench_function("text to bits", |b| {
            b.iter(|| {
                for l in &lines {
                    let _ = black_box(text::encode_line(black_box(l), target));
                }
            });
        });
        let mut out = String::new();
        g.bench_function("instruction to text", |b| {
            b.iter(|| {
                for i in &insts {
                    out.clear();
                    text::print(black_box(i), target, &mut out);
                    black_box(&out);
                }
            });
        });
        g.finish();
    }
}

criterion_group!(benches, run);
criterion_main!(benches);
