//! Lines parsed and instructions printed per second, over a file of assembly lines: `textspeed FILE TARGET`.
use std::time::Instant;
use wavesmith_isa::{Target, decode::decode, text};

fn main() {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(target)) = (args.next(), args.next()) else {
        eprintln!("usage: textspeed FILE TARGET");
        std::process::exit(2);
    };
    let source = std::fs::read_to_string(path).expect("a readable file");
    let target: Target = target.parse().expect("gfx942 or gfx950");
    let lines: Vec<&str> = source
        .lines()
        .filter(|l| text::parse(l, target).is_ok())
        .collect();
    println!("{} lines of {}", lines.len(), source.lines().count());
    let words: Vec<_> = lines
        .iter()
        .filter_map(|l| text::encode_line(l, target).ok())
        .collect();
    for _ in 0..3 {
        let start = Instant::now();
        let mut sum = 0u64;
        for l in &lines {
            if let Ok(e) = text::encode_line(l, target) {
                sum = sum.wrapping_add(u64::from(e.words[0]));
            }
        }
        let parse = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let mut out = String::new();
        for w in &words {
            out.clear();
            if let Ok((i, _)) = decode(w.as_words(), target) {
                text::print(&i, target, &mut out);
            }
            sum = sum.wrapping_add(out.len() as u64);
        }
        let print = start.elapsed().as_secs_f64();
        println!(
            "text to bits {:.2} M/s, bits to text {:.2} M/s ({sum})",
            lines.len() as f64 / parse / 1e6,
            words.len() as f64 / print / 1e6
        );
    }
}
