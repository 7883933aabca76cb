//! Faulty kernels and their corrected twins: every file under `tests/data/zoo`.
//!
//! A file starts with `; key value …` lines (`lds`, `block`, `grid`, `words`, `dynamic-lds`, `target`), then has the
//! faulty kernel, a line `=== fixed`, and the corrected one. A faulty instruction ends in `; BAD kind`, and in
//! `; BAD kind EARLIER name` when the finding names an earlier access, which ends in `; IS name`. What is found must be
//! what the file says, no more and no less, in place and kind; of the corrected one nothing may be found.

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use common::{launch, object};
use wavesmith_isa::Target;
use wavesmith_isa::text::{SourceInst, assemble};
use wavesmith_sim::sanitize::{Kind, Report, Sanitizer};
use wavesmith_sim::{Emulator, Options};

struct Entry {
    lds: u32,
    block: u32,
    grid: u32,
    words: usize,
    targets: Vec<Target>,
    faulty: String,
    fixed: String,
}

/// Kind, place, earlier place.
type Expected = BTreeSet<(String, u64, Option<u64>)>;

fn read(path: &Path) -> Entry {
    let text = std::fs::read_to_string(path).expect("a file of the zoo");
    let (faulty, fixed) = text.split_once("=== fixed\n").expect("=== fixed");
    let mut e = Entry {
        lds: 0,
        block: 64,
        grid: 64,
        words: 1024,
        targets: Target::ALL.to_vec(),
        faulty: faulty.to_owned(),
        fixed: fixed.to_owned(),
    };
    for line in text.lines().map_while(|l| l.strip_prefix("; ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["lds", n] => e.lds = n.parse().expect("a number, or a target"),
            ["block", n] => {
                (e.block, e.grid) = (
                    n.parse().expect("a number, or a target"),
                    n.parse().expect("a number, or a target"),
                )
            }
            ["grid", n] => e.grid = n.parse().expect("a number, or a target"),
            ["words", n] => e.words = n.parse().expect("a number, or a target"),
            ["target", t] => e.targets = vec![t.parse().expect("a number, or a target")],
            _ => {}
        }
    }
    e
}

/// Byte offset of the instruction on each line.
fn offsets(source: &str, target: Target) -> Vec<(usize, u64)> {
    let insts = assemble(source, target).unwrap_or_else(|e| panic!("{e:?}"));
    insts
        .iter()
        .map(|i| match i {
            SourceInst::Inst { line, offset, .. } | SourceInst::Raw { line, offset, .. } => {
                (*line, *offset as u64)
            }
        })
        .collect()
}

fn expected(source: &str, target: Target) -> Expected {
    let offsets = offsets(source, target);
    let at = |line: usize| {
        let found = offsets.iter().find(|(l, _)| *l == line);
        found
            .unwrap_or_else(|| panic!("no instruction on line {line}"))
            .1
    };
    let lines = || source.lines().zip(1..);
    let named = |name: &str| {
        let ends = |l: &str| {
            l.split(';')
                .any(|part| part.trim().strip_prefix("IS ") == Some(name))
        };
        let found = lines().find(|(l, _)| ends(l));
        at(found.unwrap_or_else(|| panic!("no IS {name}")).1)
    };
    let mut out = Expected::new();
    for (line, n) in lines() {
        for one in line
            .split(';')
            .filter_map(|s| s.trim().strip_prefix("BAD "))
        {
            let mut parts = one.split(" EARLIER ");
            let kind = parts.next().unwrap_or_default().trim();
            assert!(Kind::ALL.iter().any(|k| k.name() == kind), "{kind}");
            let earlier = parts.next().map(|name| named(name.trim()));
            out.insert((kind.to_owned(), at(n), earlier));
        }
    }
    out
}

fn run(source: &str, e: &Entry, target: Target) -> Report {
    let sanitizer = Arc::new(Sanitizer::with_limit(100));
    let options = Options {
        sanitize: Some(sanitizer.clone()),
        threads: 1,
        ..Options::default()
    };
    let gpu = Emulator::with_options(target, options);
    let object = object(source, target, e.lds, 3);
    if let Err(error) = launch(&gpu, &object, e.words, e.grid, e.block) {
        panic!("{error}");
    }
    sanitizer.report()
}

fn show(r: &Report) -> String {
    r.findings.iter().map(|f| format!("{f}\n")).collect()
}

#[test]
fn every_fault_is_found_and_every_twin_is_silent() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/zoo");
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    files.sort();
    let mut wrong = String::new();
    for path in &files {
        let name = path.file_stem().unwrap().to_string_lossy();
        let e = read(path);
        for target in &e.targets {
            let want = expected(&e.faulty, *target);
            assert!(!want.is_empty(), "{name} expects nothing");
            let report = run(&e.faulty, &e, *target);
            let found: Expected = report
                .findings
                .iter()
                .map(|f| {
                    let earlier = f.earlier.as_ref().map(|p| p.offset);
                    (f.kind.name().to_owned(), f.at.offset, earlier)
                })
                .collect();
            if found != want {
                wrong += &format!(
                    "{name} {target}: expected {want:x?}\nfound {found:x?}\n{}\n",
                    show(&report)
                );
            }
            let report = run(&e.fixed, &e, *target);
            if !report.is_clean() {
                wrong += &format!("{name} {target}, fixed:\n{}\n", show(&report));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(files.len() >= 40, "{} pairs", files.len());
}

#[test]
fn findings_name_lane_and_allocation_and_keep_to_the_limit() {
    let source = "s_load_dword s4, s[0:1], 0x100\ns_waitcnt lgkmcnt(0)\n\
                  v_add_u32_e32 v1, v7, v8\nv_add_u32_e32 v1, v9, v9\ns_endpgm";
    let sanitizer = Arc::new(Sanitizer::with_limit(2));
    let options = Options {
        sanitize: Some(sanitizer.clone()),
        ..Options::default()
    };
    let gpu = Emulator::with_options(Target::Gfx950, options);
    launch(&gpu, &object(source, Target::Gfx950, 0, 3), 1, 128, 64).unwrap();
    let report = sanitizer.report();
    assert_eq!(report.findings.len(), 2);
    // v7 and v8 are one finding: one instruction, one kind.
    assert_eq!((report.places, report.occurrences), (3, 6));
    let bounds = &report.findings[0];
    assert_eq!(bounds.kind, Kind::OutOfBounds);
    assert!(
        bounds.message.contains("(kernel arguments)"),
        "{}",
        bounds.message
    );
    let uninit = &report.findings[1];
    assert_eq!((uninit.lanes, uninit.count), (u64::MAX, 2));
    assert!(uninit.to_string().contains("lanes 0-63"), "{uninit}");
}
