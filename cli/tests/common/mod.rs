//! What the tests of the command share.

#![allow(dead_code)] // each test binary uses its own part

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// `wavesmith`, with these arguments.
pub fn wavesmith<A: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = A>) -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("wavesmith");
    command.env("NO_COLOR", "1").args(args);
    command
}

/// Its stdout, when it ends with 0.
pub fn stdout<A: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = A>) -> String {
    let done = wavesmith(args).assert().success();
    String::from_utf8(done.get_output().stdout.clone()).expect("UTF-8")
}

/// Its stdout as JSON of this schema, whatever it ends with.
pub fn json<A: AsRef<std::ffi::OsStr>>(
    args: impl IntoIterator<Item = A>,
    schema: &str,
) -> serde_json::Value {
    let done = wavesmith(args).arg("--json").assert();
    let value: serde_json::Value =
        serde_json::from_slice(&done.get_output().stdout).expect("one JSON document");
    assert_eq!(value["schema"], schema);
    value
}

/// A directory of its own.
pub fn scratch() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

/// A GEMM's object in a file.
pub fn gemm(dir: &TempDir, target: &str) -> PathBuf {
    let path = dir.path().join(format!("gemm.{target}.co"));
    wavesmith(["emit", "gemm", "--target", target, "--quiet", "-o"])
        .arg(&path)
        .assert()
        .success()
        .stdout("");
    path
}

/// A file of another crate's tests.
pub fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
