//! Does one half of an assembler's work many times, for timing from outside: `textspeed FILE TARGET parse|print ROUNDS`.
//! `parse` turns every line into bits, `print` turns the bits into text again. Prints how many instructions that were.

use wavesmith_isa::{Target, decode::decode, text};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, target, what, rounds] = args.as_slice() else {
        eprintln!("usage: textspeed FILE TARGET parse|print ROUNDS");
        std::process::exit(2);
    };
    let source = std::fs::read_to_string(path).expect("a readable file");
    let target: Target = target.parse().expect("gfx942 or gfx950");
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let lines: Vec<&str> = source.lines().collect();
    let mut done = 0u64;
    if what == "parse" {
        for _ in 0..rounds {
            for l in &lines {
                done += u64::from(text::encode_line(l, target).is_ok());
            }
        }
    } else {
        let bits: Vec<_> = lines
            .iter()
            .filter_map(|l| text::encode_line(l, target).ok())
            .collect();
        let mut out = String::new();
        for _ in 0..rounds {
            for b in &bits {
                out.clear();
                if let Ok((inst, _)) = decode(b.as_words(), target) {
                    text::print(&inst, target, &mut out);
                    done += 1;
                }
            }
        }
    }
    println!("{done}");
}
