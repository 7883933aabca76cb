//! An object's source: written, edited, assembled, run.

mod common;

use common::{data, gemm, json, scratch, stdout, text, wavesmith};

#[test]
fn an_object_comes_back_from_its_source() {
    let dir = scratch();
    for object in [
        gemm(&dir, "gfx942"),
        gemm(&dir, "gfx950"),
        data("loader/tests/data/aiter_topksoftmax.gfx942.co"),
        data("loader/tests/data/iree_vecadd.gfx950.hsaco"),
    ] {
        let (source, again) = (dir.path().join("k.s"), dir.path().join("k.co"));
        wavesmith([
            "dis",
            text(&object),
            "--format",
            "source",
            "-o",
            text(&source),
        ])
        .assert()
        .success();
        wavesmith(["asm", text(&source), "--format", "co", "-o", text(&again)])
            .assert()
            .success();
        let (before, after) = (std::fs::read(&object), std::fs::read(&again));
        assert!(
            before.expect("the object") == after.expect("the object again"),
            "{}",
            text(&object)
        );
    }
}

#[test]
fn an_edited_object_runs() {
    let dir = scratch();
    let case = data("sim/tests/data/cases/clang/lds_reduce");
    let launch = case.join("launch.json");
    let object = case.join("lds_reduce.gfx942.co");
    let source = stdout(["dis", text(&object), "--format", "source"]);
    let (first, rest) = source.split_once("\ts_endpgm\n").expect("an end");
    // More instructions, a label that they branch to, and the end moved behind both.
    let grown = "\ts_mov_b32 s20, 3\n.Lagain:\n\ts_sub_u32 s20, s20, 1\n\ts_cmp_lg_u32 s20, 0\n\ts_cbranch_scc1 .Lagain\n\ts_endpgm\n";
    let path = dir.path().join("grown.s");
    std::fs::write(&path, format!("{first}{grown}{rest}")).expect("a written file");
    let again = dir.path().join("grown.co");
    wavesmith(["asm", text(&path), "--format", "co", "-o", text(&again)])
        .assert()
        .success();
    let report = json(
        ["run", text(&again), "--launch", text(&launch)],
        "wavesmith.run.launch/1",
    );
    assert_eq!(report["passed"], true, "{report}");
}

#[test]
fn refusals_have_a_place_and_a_help() {
    let dir = scratch();
    let path = dir.path().join("k.s");
    let source = "\t.globl k\nk:\n\tv_mov_b32 v9, 0\n\t.amdhsa_kernel k\n\t\t.amdhsa_next_free_vgpr 8\n\t.end_amdhsa_kernel\n";
    std::fs::write(&path, source).expect("a written file");
    let done = wavesmith(["asm", text(&path), "--format", "co", "--target", "gfx942"])
        .assert()
        .code(2);
    let shown = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    for part in [
        ".amdhsa_next_free_vgpr 8",
        "v9 on line 3",
        "count-exceeded",
        "k.s:5",
        ".amdhsa_next_free_vgpr 10",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // Without -o nothing is written beside the message, and JSON needs a file for the object.
    assert!(done.get_output().stdout.is_empty());
    wavesmith(["asm", text(&path), "--format", "co", "--json"])
        .assert()
        .code(2);
    wavesmith(["dis", text(&path), "--format", "source"])
        .assert()
        .code(2);
}

#[test]
fn raw_code_may_have_directives() {
    let source = ".macro twice x\n \\x\n \\x\n.endm\n.set n, 3\nagain:\n twice \"s_nop n\"\n s_branch again\n";
    let done = wavesmith(["asm", "-", "--target", "gfx950", "--format", "bin"])
        .write_stdin(source)
        .assert()
        .success();
    let words = [0xbf80_0003u32, 0xbf80_0003, 0xbf82_fffd];
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    assert_eq!(done.get_output().stdout, bytes);
    wavesmith(["asm", "-", "--target", "gfx950", "--format", "bin"])
        .write_stdin(".rept 2\n s_nopp 0\n.endr\n")
        .assert()
        .code(2);
}

#[test]
fn selftest_objects() {
    let tests = data("loader/tests/data");
    let report = json(
        ["selftest", "objects", text(&tests)],
        "wavesmith.selftest/1",
    );
    assert_eq!(report["checks"][0]["passed"], 6);
    assert_eq!(report["checks"][0]["total"], 6);
    assert_eq!(report["checks"][1]["passed"], report["checks"][1]["total"]);
    assert!(stdout(["selftest", "objects", text(&tests)]).contains("6/6"));
    wavesmith(["selftest", "objects", "absent"])
        .assert()
        .code(2);
}
