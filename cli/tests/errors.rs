//! Bad input: one clear error on stderr, nothing on stdout, the right exit code, no output file.

mod common;

use common::{data, gemm, scratch, text, wavesmith};

/// Runs, and gives stderr with its line breaks and frame removed, so that wrapped messages can be searched.
fn refused(args: &[&str], exit: i32) -> String {
    let done = wavesmith(args).assert().code(exit).stdout("");
    let stderr = String::from_utf8(done.get_output().stderr.clone()).expect("UTF-8");
    let words: Vec<&str> = stderr.split_whitespace().filter(|w| *w != "│").collect();
    words.join(" ")
}

fn says(args: &[&str], parts: &[&str]) {
    let message = refused(args, 2);
    for part in parts {
        assert!(
            message.contains(part),
            "{args:?}: expected `{part}` in: {message}"
        );
    }
    assert_eq!(message.matches('×').count(), 1, "one error: {message}");
}

#[test]
fn unknown_kernel_names_the_nearest() {
    says(
        &["run", "gem"],
        &["unknown kernel `gem`", "did you mean `gemm`?"],
    );
    says(
        &["run", "flash"],
        &["unknown kernel `flash`", "wavesmith kernels"],
    );
    says(&["emit", "gem", "-o", "x.co"], &["unknown kernel `gem`"]);
}

#[test]
fn parameters_out_of_range() {
    for (option, value) in [
        ("-m", "0"),
        ("-n", "0"),
        ("-k", "0"),
        ("-m", "-3"),
        ("-k", "many"),
        ("--out", "f64"),
        ("--tile-k", "65"),
    ] {
        says(
            &["run", "gemm", option, value],
            &[
                &format!("`{}`", option.trim_start_matches('-')),
                value,
                "expected",
            ],
        );
    }
}

#[test]
fn lds_over_budget() {
    says(
        &["run", "gemm", "--tile-k", "256", "--target", "gfx942"],
        &["LDS over budget", "65536", "gfx942"],
    );
}

#[test]
fn objects_that_are_none() {
    let dir = scratch();
    let path = dir.path().join("text.co");
    std::fs::write(&path, "hello, I am no object").expect("written");
    for command in ["run", "dis", "info"] {
        says(&[command, text(&path)], &["not an ELF file", "text.co"]);
        says(&[command, "absent.co"], &["cannot read absent.co"]);
    }
}

#[test]
fn truncated_objects() {
    let dir = scratch();
    let whole = std::fs::read(gemm(&dir, "gfx950")).expect("emitted");
    let path = dir.path().join("cut.co");
    // Within the ELF header, the segments, and the section headers at the end.
    for length in [10, 63, 100, 2000, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).expect("written");
        for command in ["run", "dis", "info"] {
            says(&[command, text(&path)], &["cut.co: truncated"]);
        }
    }
}

#[test]
fn objects_for_another_gpu() {
    let dir = scratch();
    let path = gemm(&dir, "gfx950");
    says(
        &["run", text(&path), "--target", "gfx942"],
        &["is for gfx950", "gfx942"],
    );
    let mut bytes = std::fs::read(&path).expect("emitted");
    bytes[0x30] = 0x3f; // EF_AMDGPU_MACH of gfx90a
    std::fs::write(&path, bytes).expect("written");
    for command in ["run", "dis", "info"] {
        says(&[command, text(&path)], &["gfx90a", "gfx942 and gfx950"]);
    }
}

#[test]
fn foreign_objects_need_a_launch_file() {
    let path = data("loader/tests/data/triton_vecadd.gfx942.hsaco");
    says(
        &["run", text(&path)],
        &["without a launch file", "--launch"],
    );
    says(
        &["run", text(&path), "--launch", "absent.json"],
        &["cannot read absent.json"],
    );
    says(
        &["run", "gemm", "--launch", "absent.json"],
        &["--launch runs a code object"],
    );
}

#[test]
fn refused_source_shows_the_place() {
    let done = wavesmith(["asm", "-", "--target", "gfx942"])
        .write_stdin("s_nop 0\n  v_mov_b32 v0, v1, v2\ns_endpgm\n")
        .assert()
        .code(2)
        .stdout("");
    let stderr = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(stderr.contains("v_mov_b32 v0, v1, v2"), "{stderr}");
    assert!(stderr.contains("[stdin:2:"), "line and column: {stderr}");
    assert!(
        stderr.contains('┬') || stderr.contains('^') || stderr.contains('▲'),
        "a caret: {stderr}"
    );
}

#[test]
fn instructions_of_the_other_target() {
    let done = wavesmith(["asm", "-", "--target", "gfx942"])
        .write_stdin("v_mfma_f32_16x16x32_bf16 v[0:3], v[4:7], v[8:11], v[0:3]\n")
        .assert()
        .code(2);
    let stderr = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(stderr.contains("gfx942"), "{stderr}");
    says(
        &["info", "v_mfma_f32_16x16x32_bf16", "--target", "gfx942"],
        &["gfx942 has no", "gfx950"],
    );
}

#[test]
fn unknown_words() {
    says(
        &["info", "v_mov_b3"],
        &[
            "neither a file nor an instruction",
            "did you mean `v_mov_b32`?",
        ],
    );
    says(&["info", "--list", "zzz*"], &["no instruction matches"]);
    says(&["dis", "-", "--hex"], &["which target?"]);
    for args in [
        &["frobnicate"][..],
        &["run"],
        &["run", "gemm", "--target", "gfx90a"],
        &["run", "gemm", "--tolerance", "-1"],
        &["run", "gemm", "--tolerance", "nan"],
        &["run", "gemm", "--device", "cuda"],
        &["emit", "gemm", "-o", "x.co", "--abi", "4"],
    ] {
        refused(args, 2);
    }
}

#[test]
fn output_files_are_whole_or_absent() {
    let dir = scratch();
    let path = dir.path().join("absent/g.co");
    says(
        &["emit", "gemm", "-o", text(&path)],
        &["cannot write", "no directory"],
    );
    let path = dir.path().join("g.elf");
    says(
        &["emit", "gemm", "-o", text(&path)],
        &["cannot tell what to write", ".co, .s or .json"],
    );
    let path = dir.path().join("g.co");
    says(&["emit", "gemm", "-m", "0", "-o", text(&path)], &["`m`"]);
    assert_eq!(
        std::fs::read_dir(dir.path()).expect("listing").count(),
        0,
        "nothing was written"
    );
}

#[test]
fn errors_as_json() {
    let done = wavesmith(["run", "gem", "--json"])
        .assert()
        .code(2)
        .stdout("");
    let error: serde_json::Value =
        serde_json::from_slice(&done.get_output().stderr).expect("one JSON line");
    assert_eq!(error["schema"], "wavesmith.error/1");
    assert_eq!(error["exit"], 2);
    assert_eq!(error["help"], "did you mean `gemm`?");
}
