//! The stepper and the tracer, driven from a script.

use assert_cmd::Command;

const GEMM: [&str; 10] = [
    "gemm",
    "-m",
    "64",
    "-n",
    "64",
    "-k",
    "64",
    "--workgroup",
    "0",
    "--target=gfx942",
];

fn run(command: &str, more: &[&str], stdin: &str) -> String {
    let mut c = Command::cargo_bin("wavesmith").expect("the binary");
    c.arg(command).args(GEMM).args(more).write_stdin(stdin);
    let out = c.assert().success().get_output().stdout.clone();
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn steps_prints_and_quits() {
    let shown = run(
        "debug",
        &[],
        "step 2\nprint counters\nstep 2\nprint s14\nprint v0[5]\nwaves\nwave 1\nprint pc\nquit\n",
    );
    // Two scalar loads of the argument segment are outstanding, and only 0 proves them.
    assert!(shown.contains("lgkmcnt <= 2"), "{shown}");
    assert!(shown.contains("(s_waitcnt lgkmcnt(0))"), "{shown}");
    assert!(shown.contains("s14 = 0x40"), "{shown}");
    assert!(shown.contains("v0[5] = 0x5"), "{shown}");
    assert!(shown.contains("=> wave 0"), "{shown}");
    assert!(shown.contains("wave 1\n=> 0x0000"), "{shown}");
    assert!(shown.contains("pc = 0x0000"), "{shown}");
    assert!(!shown.contains("PASSED"), "{shown}");
}

#[test]
fn breakpoints_stop_every_wave_until_deleted() {
    let script = "list\ncontinue\ncontinue\ndelete 0x18\ncontinue\n";
    let shown = run("run", &["--break", "0x18"], script);
    let stops = shown.matches("=> 0x0018").count();
    // Once more for the listing.
    assert_eq!(stops, 4, "{shown}");
    assert!(shown.contains("workgroup 0,0,0 wave 2"), "{shown}");
    assert!(shown.contains("PASSED"), "{shown}");
}

#[test]
fn a_missing_answer_runs_on() {
    assert!(run("debug", &[], "").contains("PASSED"));
}

#[test]
fn traces_what_is_written() {
    let shown = run("run", &["--trace-regs"], "");
    let line = shown
        .lines()
        .find(|l| l.starts_with("0,0,0 w0 0x0000  s_load_dwordx4"))
        .expect("the first instruction");
    assert!(line.contains("s8=0x"), "{line}");
    assert!(shown.lines().any(|l| l.contains("scc=1")));
}

#[test]
fn text_and_json_do_not_mix() {
    for args in [&["run", "--trace-regs"][..], &["debug"]] {
        let mut c = Command::cargo_bin("wavesmith").expect("the binary");
        c.arg(args[0]).args(GEMM).args(&args[1..]).arg("--json");
        c.assert().code(2);
    }
}
