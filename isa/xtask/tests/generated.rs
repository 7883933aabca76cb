//! The checked-in tables are the ones `isa/spec` gives.

#[test]
fn generating_again_changes_nothing() {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["gen", "--check"])
        .output()
        .expect("xtask runs");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
}
