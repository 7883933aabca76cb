//! Each command on right input.

mod common;

use common::{data, gemm, json, scratch, stdout, text, wavesmith};

const TARGETS: [&str; 2] = ["gfx942", "gfx950"];

#[test]
fn help_has_an_example() {
    for command in [
        "kernels", "emit", "run", "debug", "asm", "dis", "info", "selftest",
    ] {
        let help = stdout([command, "--help"]);
        assert!(
            help.contains("Example") && help.contains(&format!("wavesmith {command}")),
            "{help}"
        );
    }
}

#[test]
fn kernels() {
    assert!(stdout(["kernels"]).contains("gemm"));
    let list = json(["kernels"], "wavesmith.kernels/1");
    let gemm = &list["kernels"][0];
    assert_eq!(gemm["name"], "gemm");
    assert_eq!(gemm["targets"], serde_json::json!(TARGETS));
    assert!(
        gemm["parameters"]
            .as_array()
            .expect("a list")
            .iter()
            .any(|p| p["name"] == "tile-k")
    );
}

#[test]
fn run_by_name() {
    for target in TARGETS {
        for out in ["f32", "bf16"] {
            let args = [
                "run", "gemm", "-m", "130", "-n", "5", "-k", "67", "--target", target, "--out", out,
            ];
            let shown = stdout(args);
            for part in [
                "PASSED",
                "max error",
                "bound",
                "VGPR",
                "LDS",
                "instructions",
                "emulator wall time",
            ] {
                assert!(shown.contains(part), "{part}: {shown}");
            }
            let report = json(args, "wavesmith.run/1");
            assert_eq!(report["check"]["passed"], true);
            assert_eq!(report["check"]["elements"], 650);
            assert_eq!(report["parameters"]["out"], out);
            assert_eq!(report["target"], target);
            assert!(
                report["time"]["wave_instructions"]
                    .as_u64()
                    .expect("counted")
                    > 0
            );
        }
    }
}

#[test]
fn quiet_success_says_nothing_and_failure_something() {
    let small = ["run", "gemm", "-m", "16", "-n", "16", "-k", "64", "--quiet"];
    wavesmith(small).assert().success().stdout("").stderr("");
    let done = wavesmith(small).args(["--tolerance", "0"]).assert().code(1);
    let shown = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(
        shown.contains("FAILED") && shown.contains("--tolerance 0"),
        "{shown}"
    );
    let report = json(
        [
            "run",
            "gemm",
            "-m",
            "16",
            "-n",
            "16",
            "-k",
            "64",
            "--tolerance",
            "0",
        ],
        "wavesmith.run/1",
    );
    assert_eq!(report["check"]["passed"], false);
    assert!(report["check"]["wrong"].as_u64().expect("counted") > 0);
}

#[test]
fn run_from_the_file_alone_gives_the_same() {
    let dir = scratch();
    for target in TARGETS {
        let path = gemm(&dir, target);
        let shape = ["-m", "33", "-n", "65", "-k", "100", "--seed", "7"];
        let by_name: Vec<&str> = ["run", "gemm", "--target", target]
            .into_iter()
            .chain(shape)
            .collect();
        let by_file: Vec<&str> = ["run", text(&path)].into_iter().chain(shape).collect();
        let (a, b) = (
            json(by_name, "wavesmith.run/1"),
            json(by_file, "wavesmith.run/1"),
        );
        assert_eq!(a["check"]["max_error"], b["check"]["max_error"]);
        assert_eq!(a["kernel"], b["kernel"]);
        assert_eq!(a["check"]["passed"], true);
    }
}

#[test]
fn run_with_a_launch_file() {
    for target in TARGETS {
        let dir = data("sim/tests/data/cases/clang/int_ops");
        let (object, launch) = (
            dir.join(format!("int_ops.{target}.co")),
            dir.join("launch.json"),
        );
        let args = ["run", text(&object), "--launch", text(&launch)];
        assert!(stdout(args).contains("PASSED"));
        let report = json(args, "wavesmith.run.launch/1");
        assert_eq!(report["passed"], true);
        assert_eq!(report["kernel"]["name"], "int_ops");
    }
}

#[test]
fn emit_writes_what_the_ending_says() {
    let dir = scratch();
    for abi in ["5", "6"] {
        let path = dir.path().join("g.co");
        let document = json(
            ["emit", "gemm", "--abi", abi, "-o", text(&path)],
            "wavesmith.emit/1",
        );
        assert_eq!(
            document["bytes"],
            std::fs::metadata(&path).expect("written").len()
        );
        let facts = json(["info", text(&path)], "wavesmith.info.object/1");
        assert_eq!(facts["abi"], format!("v{abi}"));
        assert_eq!(facts["kernels"][0], document["facts"]);
    }
    let listing = dir.path().join("g.s");
    stdout(["emit", "gemm", "-o", text(&listing)]);
    let listing = std::fs::read_to_string(listing).expect("written");
    assert!(listing.contains("v_mfma_f32_16x16x32_bf16") && listing.contains("s_endpgm"));
    let facts = dir.path().join("g.json");
    stdout(["emit", "gemm", "-o", text(&facts)]);
    let facts: serde_json::Value =
        serde_json::from_slice(&std::fs::read(facts).expect("written")).expect("JSON");
    assert_eq!(facts["schema"], "wavesmith.kernel/1");
}

/// Ours, AITER's, clang's, IREE's and Triton's objects.
#[test]
fn dis_then_asm_gives_the_same_bytes() {
    let dir = scratch();
    let mut objects: Vec<_> = TARGETS.iter().map(|t| gemm(&dir, t)).collect();
    for entry in std::fs::read_dir(data("loader/tests/data")).expect("objects") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "co" || e == "hsaco") {
            objects.push(path);
        }
    }
    assert!(objects.len() >= 8, "{objects:?}");
    for path in objects {
        let bytes = std::fs::read(&path).expect("an object");
        let object = wavesmith_loader::object::ObjectFile::parse(&bytes).expect("reads");
        let (_, code) = object.text().expect("has code");
        let listing = dir.path().join("k.s");
        stdout(["dis", text(&path), "-o", text(&listing)]);
        let target = object.platform.target.name();
        let done = wavesmith(["asm", text(&listing), "--target", target, "--format", "bin"])
            .assert()
            .success();
        assert!(done.get_output().stdout == code, "{}", path.display());
    }
}

#[test]
fn dis_shows_labels_offsets_and_encodings() {
    let path = data("loader/tests/data/clang_memops.gfx942.co");
    let listing = stdout(["dis", text(&path)]);
    assert!(listing.lines().any(|l| l == "memops:"), "{listing}");
    assert!(listing.contains("// 0000000"), "addresses");
    assert!(listing.contains(": BF810000"), "the encoding of s_endpgm");
    let document = json(["dis", text(&path)], "wavesmith.dis/1");
    let last = document["instructions"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|i| i["text"] == "s_endpgm");
    assert_eq!(last.expect("an end")["bytes"], "000081bf");
    assert!(
        document["symbols"]
            .as_array()
            .expect("a list")
            .iter()
            .any(|s| s["name"] == "memops")
    );
}

#[test]
fn hex_lines_both_ways() {
    let source = "s_nop 0\nv_add_f32_e32 v0, 1.0, v1\ns_waitcnt vmcnt(0)\n";
    let done = wavesmith(["asm", "-", "--target", "gfx950"])
        .write_stdin(source)
        .assert()
        .success();
    let hex = String::from_utf8(done.get_output().stdout.clone()).expect("text");
    assert_eq!(hex, "000080bf\nf2020002\n700f8cbf\n");
    let dis = ["dis", "-", "--hex", "--target", "gfx950"];
    wavesmith(dis)
        .write_stdin(hex)
        .assert()
        .success()
        .stdout(source);
    // What is no instruction stays a line of its own, and assembles back.
    wavesmith(dis)
        .write_stdin("ffffffff\n")
        .assert()
        .success()
        .stdout(".long 0xffffffff\n");
    let asm = json_of_stdin(&["asm", "-", "--target", "gfx950"], source);
    assert_eq!(asm["schema"], "wavesmith.asm/1");
    assert_eq!(asm["instructions"][1]["line"], 2);
}

fn json_of_stdin(args: &[&str], input: &str) -> serde_json::Value {
    let done = wavesmith(args)
        .arg("--json")
        .write_stdin(input)
        .assert()
        .success();
    serde_json::from_slice(&done.get_output().stdout).expect("JSON")
}

#[test]
fn info_about_instructions() {
    let row = json(["info", "v_add_f32"], "wavesmith.info.instruction/2");
    let rows = row["instructions"].as_array().expect("a list");
    assert!(
        rows.iter()
            .any(|r| r["mnemonic"] == "v_add_f32_e32" && r["format"] == "VOP2")
    );
    assert!(rows.iter().any(|r| r["mnemonic"] == "v_add_f32_dpp"));
    let field = |name: &str| {
        let row = rows.iter().find(|r| r["mnemonic"] == "v_add_f32_e32");
        let fields = row.expect("a row")["example"]["fields"].as_array().cloned();
        let found = fields
            .expect("fields")
            .into_iter()
            .find(|f| f["name"] == name);
        let found = found.expect(name);
        (found["low"].as_u64(), found["high"].as_u64())
    };
    assert_eq!(field("src0"), (Some(0), Some(8)));
    assert_eq!(field("vsrc1"), (Some(9), Some(16)));
    assert_eq!(field("vdst"), (Some(17), Some(24)));
    let load = stdout(["info", "buffer_load_dword"]);
    assert!(load.contains("31:24 soffset | 23 vdata:acc"), "{load}");
    let one = stdout(["info", "v_mfma_f32_16x16x32_bf16"]);
    assert!(one.contains("gfx950") && !one.contains("gfx942"), "{one}");
    let list = json(["info", "--list", "s_cbranch_*"], "wavesmith.info.list/1");
    assert!(
        list["mnemonics"]
            .as_array()
            .expect("a list")
            .iter()
            .any(|m| m == "s_cbranch_scc1")
    );
}

#[test]
fn selftests() {
    assert!(stdout(["selftest"]).contains("kernels on the emulator: 4/4"));
    let dir = scratch();
    let table = dir.path().join("t.tsv");
    std::fs::write(&table, "# asm\thex\ns_nop 0\t000080bf\nv_add_f32 v0, 1.0, v1\tf2020002\tv_add_f32_e32 v0, 1.0, v1\n")
        .expect("written");
    let right = stdout(["selftest", "isa", text(&table), "--target", "gfx942"]);
    assert!(
        right.contains("assemble gfx942: 2/2") && right.contains("disassemble gfx942: 2/2"),
        "{right}"
    );
    std::fs::write(&table, "s_nop 1\t000080bf\n").expect("written");
    let done = wavesmith(["selftest", "isa", text(&table), "--target", "gfx942"])
        .assert()
        .code(1);
    let shown = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(
        shown.contains("assemble gfx942: 0/1") && shown.contains("expected `s_nop 1`"),
        "{shown}"
    );
    let refusals = "# asm\tcategory\ns_nop v0\toperand\nv_add_f32 v0, s[0:1], v1\ttuple-size\n";
    std::fs::write(&table, refusals).expect("written");
    let right = stdout(["selftest", "isa", text(&table), "--target", "gfx942"]);
    assert_eq!(right, "refuse gfx942: 2/2\n");
    std::fs::write(&table, "s_nop 1\toperand\n").expect("written");
    wavesmith(["selftest", "isa", text(&table), "--target", "gfx942"])
        .assert()
        .code(1);
}

#[test]
fn selftest_of_dot_products() {
    let dir = scratch();
    let table = dir.path().join("m.tsv");
    let row = |d: &str| {
        format!("v_mfma_f32_32x32x2_f32\t3f800000,40000000\t40400000,3f800000\t3f800000\t{d}\n")
    };
    std::fs::write(&table, format!("# comment\n{}", row("40c00000"))).expect("written");
    let right = stdout(["selftest", "mfma", text(&table)]);
    assert!(
        right.contains("v_mfma_f32_32x32x2_f32 gfx942: 1/1"),
        "{right}"
    );
    std::fs::write(&table, row("40c00001")).expect("written");
    let done = wavesmith(["selftest", "mfma", text(&table)])
        .assert()
        .code(1);
    let shown = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(
        shown.contains("m.tsv:1: expected 40c00001, found 40c00000"),
        "{shown}"
    );
    std::fs::write(&table, "v_mfma_f32_9x9x9_f32\t0\t0\t0\t0\n").expect("written");
    wavesmith(["selftest", "mfma", text(&table)])
        .assert()
        .code(2);
}

/// `wavesmith dis … | head -1`: the reader goes away, and that is no error.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let path = data("loader/tests/data/aiter_dq_shuffle.gfx950.co");
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("wavesmith"))
        .args(["dis", text(&path), "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut pipe = child.stdout.take().expect("a pipe");
    pipe.read_exact(&mut [0; 1]).expect("a first byte");
    drop(pipe);
    let done = child.wait_with_output().expect("ends");
    assert!(done.status.success(), "{done:?}");
    assert!(done.stderr.is_empty(), "{done:?}");
}

#[test]
fn info_about_matrix_instructions() {
    let name = "v_mfma_f32_16x16x32_bf16";
    let document = json(
        ["info", name, "--target", "gfx950"],
        "wavesmith.info.instruction/2",
    );
    let row = &document["instructions"][0];
    assert_eq!(row["rates"][0]["passes"], 4);
    assert_eq!(row["rates"][0]["flops_per_clk_cu"], 4096);
    // 16·32 elements of A and of B, 16·16 of D, each with its lane and register.
    let entries = row["layouts"][0]["entries"].as_array().expect("entries");
    assert_eq!(entries.len(), 512 + 512 + 256);
    let last = &entries[entries.len() - 1];
    assert_eq!(
        (
            &last["matrix"],
            last["vgpr"].as_u64(),
            last["lane"].as_u64()
        ),
        (&"D".into(), Some(3), Some(63))
    );
    let ids: Vec<&str> = row["hazards"]
        .as_array()
        .expect("hazards")
        .iter()
        .filter(|h| h["side"] == "first")
        .filter_map(|h| h["id"].as_str())
        .collect();
    assert!(
        ids.contains(&"X4e") && !ids.contains(&"X8e") && !ids.contains(&"S4d"),
        "{ids:?}"
    );
    let picture = stdout(["info", name, "--svg", "-"]);
    assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
    assert_eq!(picture.matches("<rect x=").count(), 64 * (4 + 4 + 4));
}

#[test]
fn run_with_the_sanitizer() {
    let args = [
        "run",
        "gemm",
        "-m",
        "130",
        "-n",
        "129",
        "-k",
        "67",
        "--sanitize",
        "--target",
        "gfx950",
    ];
    let report = json(args, "wavesmith.run/1");
    assert_eq!(report["sanitizer"]["places"], 0);
    assert_eq!(report["check"]["passed"], true);
    assert!(stdout(args).contains("nothing found"));
}

#[test]
fn run_one_workgroup() {
    let args = [
        "run",
        "gemm",
        "-m",
        "300",
        "-n",
        "300",
        "-k",
        "64",
        "--workgroup",
        "1,0",
    ];
    assert_eq!(json(args, "wavesmith.run/1")["time"]["workgroups"], 1);
}

#[test]
fn text_of_llvm_alone() {
    // A scaled matrix instruction as AITER has them: bits 13 and 14 of its first dword are set, which LLVM prints nothing for.
    let hex = "0060acd3152702002c0cadd300d9b28c\n";
    let llvm = "v_mfma_scale_f32_16x16x128_f8f6f4 v[44:47], a[0:3], v[108:111], v[44:47], v21, v19 op_sel_hi:[0,0,0] cbsz:4 blgp:4";
    let ours = format!("{llvm} scale_raw:3\n");
    let dis = ["dis", "-", "--hex", "--target", "gfx950"];
    let put = |args: &[&str], input: &str, output: String| {
        wavesmith(args)
            .write_stdin(input.to_owned())
            .assert()
            .success()
            .stdout(output);
    };
    put(&dis, hex, ours.clone());
    put(&["asm", "-", "--target", "gfx950"], &ours, hex.to_owned());
    put(
        &["dis", "-", "--hex", "--llvm", "--target", "gfx950"],
        hex,
        format!("{llvm}\n"),
    );
}
