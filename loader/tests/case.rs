//! `launch.json` cases: read, checked, run on a device of plain host code.

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use wavesmith_loader::case::{Case, CaseError, Compare, Dtype, compare};
use wavesmith_loader::object::{ObjectFile, write};
use wavesmith_loader::{Device, DeviceError, DevicePtr, DispatchReport, Launch, ModuleId, Target};

/// A device whose every kernel copies the buffer at argument 0 to that at 8, adding the number at 16 to each byte.
#[derive(Default)]
struct Host {
    memory: Mutex<BTreeMap<u64, Vec<u8>>>,
    modules: Mutex<Vec<ModuleId>>,
}

impl Device for Host {
    fn name(&self) -> String {
        "host".to_owned()
    }
    fn target(&self) -> Target {
        Target::Gfx942
    }
    fn alloc(&self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        let mut memory = self.memory.lock().expect("unpoisoned");
        let at = memory.last_key_value().map_or(0x1000, |(at, m)| {
            (at + m.len() as u64).next_multiple_of(256)
        });
        memory.insert(at, vec![0xcc; bytes as usize]);
        Ok(DevicePtr(at))
    }
    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        let gone = self.memory.lock().expect("unpoisoned").remove(&ptr.0);
        gone.map(drop).ok_or(DeviceError::BadPointer {
            what: "free",
            address: ptr.0,
            found: "nothing".to_owned(),
        })
    }
    fn write(&self, ptr: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError> {
        let mut memory = self.memory.lock().expect("unpoisoned");
        memory.get_mut(&ptr.0).expect("an allocation")[..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
    fn read(&self, ptr: DevicePtr, out: &mut [u8]) -> Result<(), DeviceError> {
        out.copy_from_slice(&self.memory.lock().expect("unpoisoned")[&ptr.0][..out.len()]);
        Ok(())
    }
    fn load(&self, object: &[u8]) -> Result<ModuleId, DeviceError> {
        ObjectFile::parse(object)?;
        self.modules.lock().expect("unpoisoned").push(ModuleId(7));
        Ok(ModuleId(7))
    }
    fn kernels(&self, _: ModuleId) -> Result<Vec<String>, DeviceError> {
        Ok(vec!["plain".to_owned()])
    }
    fn unload(&self, _: ModuleId) -> Result<(), DeviceError> {
        self.modules.lock().expect("unpoisoned").pop();
        Ok(())
    }
    fn dispatch(&self, launch: &Launch<'_>) -> Result<DispatchReport, DeviceError> {
        let word =
            |at: usize| u64::from_le_bytes(launch.kernarg[at..at + 8].try_into().expect("8 bytes"));
        let mut memory = self.memory.lock().expect("unpoisoned");
        let input = memory[&word(0)].clone();
        let output = memory.get_mut(&word(8)).expect("the output");
        for (o, i) in output.iter_mut().zip(input) {
            *o = i.wrapping_add(launch.kernarg[16]);
        }
        Ok(DispatchReport {
            elapsed: Duration::ZERO,
            workgroups: 1,
            waves: 4,
            instructions: None,
        })
    }
}

fn case_in(dir: &Path, json: &str) -> Result<Case, CaseError> {
    std::fs::write(dir.join("launch.json"), json).expect("a file");
    Case::read(&dir.join("launch.json"))
}

const GOOD: &str = r#"{"kernel": "plain", "code_object": {"gfx942": "k.co", "gfx942_other": "o.co"},
  "grid": [256, 1, 1], "block": [256, 1, 1], "inputs_file": "in.bin", "expected_file": "out.bin",
  "args": [{"offset": 0, "size": 8, "kind": "global_buffer", "buffer": "in"},
           {"offset": 8, "size": 8, "kind": "global_buffer", "buffer": "out"},
           {"offset": 16, "size": 4, "kind": "by_value", "value": 3}],
  "buffers": [{"name": "in", "size": 6, "init": "input", "input_offset": 2},
              {"name": "out", "size": 6, "init": "fill", "fill": 255, "expected_offset": 0, "compare": "exact"}],
  "exercises": "keys that are not known are passed over"}"#;

#[test]
fn a_case_is_run_and_compared() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("in.bin"), [9, 9, 10, 11, 12, 13, 14, 15]).expect("a file");
    std::fs::write(dir.path().join("out.bin"), [13, 14, 15, 16, 17, 18]).expect("a file");
    let case = case_in(dir.path(), GOOD).expect("a case");
    assert_eq!(
        case.object_path(Target::Gfx942).expect("one"),
        dir.path().join("k.co")
    );
    assert!(case.object_path(Target::Gfx950).is_err());
    assert_eq!(case.objects().len(), 2);

    let object = write(&common::object(Target::Gfx942)).expect("an object");
    let host = Host::default();
    let report = case.run(&host, &object).expect("a run");
    assert!(report.passed());
    assert_eq!(report.buffers[1].bytes, [13, 14, 15, 16, 17, 18]);
    assert_eq!(report.dispatch.waves, 4);

    let mut wrong = case.clone();
    wrong.launch.args[2].value = Some(4.into());
    let report = wrong.run(&host, &object).expect("a run");
    assert!(!report.passed());
    let comparison = report.buffers[1].comparison.expect("compared");
    assert_eq!((comparison.elements, comparison.wrong), (6, 6));
    let first = comparison.first.expect("a wrong byte");
    assert_eq!((first.offset, first.expected, first.found), (0, 13.0, 14.0));

    let mut missing = case.clone();
    missing.launch.kernel = Some("other".to_owned());
    assert!(
        missing
            .run(&host, &object)
            .expect_err("no such kernel")
            .to_string()
            .contains("it has plain")
    );
    let foreign = write(&common::object(Target::Gfx950)).expect("an object");
    let error = case
        .run(&host, &foreign)
        .expect_err("another chip")
        .to_string();
    assert_eq!(error, "the code object is for gfx950, the device is gfx942");

    assert!(
        host.memory.lock().expect("unpoisoned").is_empty(),
        "everything is given back"
    );
    assert!(
        host.modules.lock().expect("unpoisoned").is_empty(),
        "everything is given back"
    );
}

#[test]
fn a_wrong_description_is_named_by_its_field() {
    let dir = tempfile::tempdir().expect("a directory");
    let told = |from: &str, to: &str| {
        assert!(GOOD.contains(from), "{from}");
        case_in(dir.path(), &GOOD.replace(from, to))
            .expect_err(to)
            .to_string()
    };
    assert!(
        told(r#""grid": [256, 1, 1]"#, r#""grid": [256, 1]"#)
            .contains("launch.json, line 2, column")
    );
    assert!(told(r#""grid": [256, 1, 1],"#, "").contains("missing field `grid`"));
    assert_eq!(
        told(r#""buffer": "in""#, r#""buffer": "inn""#),
        "launch description, `args[0].buffer`: expected the name of one of `buffers`, found inn"
    );
    assert_eq!(
        told(r#""value": 3"#, r#""v": 3"#),
        "launch description, `args[2].value`: expected a value, found none"
    );
    assert_eq!(
        told(r#""init": "input""#, r#""init": "random""#),
        "launch description, `buffers[0].dtype`: expected one of f64 f32 f16 bf16 i64 u64 i32 u32 i16 u16 i8 u8, for \
         `random` and `close`, found none"
    );
    assert!(
        told(r#""offset": 16"#, r#""offset": 18446744073709551615"#).contains("`args[2].offset`")
    );
    let absent = Case::read(&dir.path().join("absent.json"))
        .expect_err("no file")
        .to_string();
    assert!(absent.contains("absent.json"), "{absent}");

    // Found only when it is run.
    let object = write(&common::object(Target::Gfx942)).expect("an object");
    let case = case_in(dir.path(), GOOD).expect("a case");
    let error = case
        .run(&Host::default(), &object)
        .expect_err("no in.bin")
        .to_string();
    assert!(error.contains("in.bin"), "{error}");
    std::fs::write(dir.path().join("in.bin"), [0; 7]).expect("a file");
    let error = case
        .run(&Host::default(), &object)
        .expect_err("a short in.bin")
        .to_string();
    assert_eq!(
        error,
        "launch description, `in.input_offset`: expected 6 bytes within the 7 of inputs_file, found 2"
    );
}

#[test]
fn values_take_the_bytes_of_their_type() {
    let dir = tempfile::tempdir().expect("a directory");
    let segment = |size: u64, rest: &str| {
        let json = format!(
            r#"{{"grid": [700, 3, 1], "block": [256, 1, 1], "dynamic_lds": 96,
                "args": [{{"offset": 4, "size": {size}, {rest}}}]}}"#
        );
        case_in(dir.path(), &json).and_then(|case| case.kernarg(None, &[]))
    };
    let value = |size, rest: &str| segment(size, rest).expect(rest)[4..].to_vec();
    assert_eq!(
        value(4, r#""kind": "by_value", "value": -2"#),
        (-2i32).to_le_bytes()
    );
    assert_eq!(
        value(4, r#""kind": "by_value", "value": 4294967295"#),
        u32::MAX.to_le_bytes()
    );
    assert_eq!(
        value(8, r#""kind": "by_value", "value": 18446744073709551615"#),
        u64::MAX.to_le_bytes()
    );
    assert_eq!(
        value(4, r#""kind": "by_value", "value": 0.5"#),
        0.5f32.to_le_bytes()
    );
    assert_eq!(
        value(8, r#""kind": "by_value", "value": 0.5"#),
        0.5f64.to_le_bytes()
    );
    assert_eq!(
        value(4, r#""kind": "by_value", "value": 2, "dtype": "f32""#),
        2f32.to_le_bytes()
    );
    assert_eq!(
        value(2, r#""kind": "by_value", "value": 1, "dtype": "bf16""#),
        [0x80, 0x3f]
    );
    assert_eq!(
        value(8, r#""kind": "by_value", "value": [1, -1], "dtype": "i32""#),
        [1, 0, 0, 0, 255, 255, 255, 255]
    );
    assert_eq!(
        value(4, r#""kind": "hidden_block_count_x""#),
        2u32.to_le_bytes()
    );
    assert_eq!(
        value(2, r#""kind": "hidden_remainder_x""#),
        188u16.to_le_bytes()
    );
    assert_eq!(value(2, r#""kind": "hidden_grid_dims""#), [2, 0]);
    assert_eq!(
        value(4, r#""kind": "hidden_dynamic_lds_size""#),
        96u32.to_le_bytes()
    );
    for (size, rest) in [
        (1, r#""value": 256"#),
        (4, r#""value": [1, 2, 3]"#),
        (4, r#""value": "1""#),
        (2, r#""value": 0.5"#),
    ] {
        assert!(
            segment(size, &format!(r#""kind": "by_value", {rest}"#)).is_err(),
            "{rest}"
        );
    }
}

#[test]
fn random_buffers_are_the_same_each_time_and_spread_as_asked() {
    let dir = tempfile::tempdir().expect("a directory");
    let contents = |rest: &str| {
        let json = format!(
            r#"{{"grid": [1, 1, 1], "block": [1, 1, 1],
                "buffers": [{{"name": "a", "size": 40001, "init": "random", {rest}}}]}}"#
        );
        let case = case_in(dir.path(), &json).expect("a case");
        case.contents(&case.launch.buffers[0]).expect("contents")
    };
    let numbers = |dtype: Dtype, bytes: &[u8]| -> Vec<f64> {
        bytes
            .chunks_exact(dtype.size())
            .filter_map(|b| dtype.read(b))
            .collect()
    };
    let normal = contents(r#""dtype": "f32", "seed": 5, "mean": 2, "std": 3"#);
    assert_eq!(normal.len(), 40001);
    assert_eq!(
        normal,
        contents(r#""dtype": "f32", "seed": 5, "mean": 2, "std": 3, "distribution": "normal""#)
    );
    assert_ne!(
        normal,
        contents(r#""dtype": "f32", "seed": 6, "mean": 2, "std": 3"#)
    );
    let n = numbers(Dtype::F32, &normal);
    let mean = n.iter().sum::<f64>() / n.len() as f64;
    let variance = n.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n.len() as f64;
    assert!(
        (mean - 2.0).abs() < 0.1 && (variance - 9.0).abs() < 0.5,
        "mean {mean}, variance {variance}"
    );

    let uniform = contents(r#""dtype": "bf16", "distribution": "uniform", "low": 1, "high": 2"#);
    assert!(
        numbers(Dtype::Bf16, &uniform)
            .iter()
            .all(|v| (1.0..=2.0).contains(v))
    );
    let bytes = contents(r#""dtype": "i8", "distribution": "uniform""#);
    for value in i8::MIN..=i8::MAX {
        assert!(bytes.contains(&(value as u8)), "{value} never comes");
    }
}

#[test]
fn close_means_within_both_tolerances() {
    let bytes = |values: &[f32]| {
        values
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let expected = bytes(&[1.0, 100.0, 0.0, f32::NAN, f32::INFINITY, -0.0]);
    let check = |found: &[f32], rtol, atol| {
        compare(
            &bytes(found),
            &expected,
            Compare::Close,
            Some(Dtype::F32),
            rtol,
            atol,
        )
    };
    let nan = f32::from_bits(0xffc0_0001);
    let good = check(&[1.01, 101.0, 0.001, nan, f32::INFINITY, 0.0], 0.01, 0.002);
    assert_eq!((good.elements, good.wrong), (6, 0));
    assert_eq!(good.max_error, 1.0);
    let bad = check(&[1.02, 101.1, 0.003, 0.0, f32::MAX, f32::NAN], 0.01, 0.002);
    assert_eq!(bad.wrong, 6);
    assert_eq!(bad.first.expect("the first").offset, 0);
    assert_eq!(
        compare(&[1, 2], &[1, 2, 3], Compare::Exact, None, 0.0, 0.0).wrong,
        1,
        "a missing byte is a wrong one"
    );
    let exact = compare(
        &bytes(&[0.0]),
        &bytes(&[-0.0]),
        Compare::Exact,
        Some(Dtype::F32),
        1.0,
        1.0,
    );
    assert_eq!(exact.wrong, 1, "exact is about bytes");
}
