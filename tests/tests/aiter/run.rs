//! Objects, buffers and dispatches.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use wavesmith_isa::Target;
use wavesmith_loader::{Device, DevicePtr, Launch};
use wavesmith_sim::sanitize::{Finding, Kind, Sanitizer};
use wavesmith_sim::{Emulator, Options};

/// Where the objects are, or `None` and a visible word about it.
pub fn objects() -> Option<PathBuf> {
    let Some(dir) = std::env::var_os("WAVESMITH_AITER").map(PathBuf::from) else {
        eprintln!("SKIPPED: WAVESMITH_AITER names no directory of AITER's objects");
        return None;
    };
    let found = ["", "hsa", "aiter_meta/hsa"]
        .map(|below| dir.join(below))
        .into_iter()
        .find(|d| d.join("gfx942").is_dir());
    Some(found.unwrap_or_else(|| panic!("{}: no gfx942 in it", dir.display())))
}

/// An object for a target. `None`, and a visible word, when this set of objects lacks it.
pub fn object(target: Target, file: &str) -> Option<PathBuf> {
    let path = objects()?.join(target.name()).join(file);
    if !path.is_file() {
        eprintln!("MISSING: {}", path.display());
        return None;
    }
    Some(path)
}

/// How a case is run: plainly, or watched and then smaller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Plain,
    Sanitized,
}

impl Mode {
    pub const ALL: [Mode; 2] = [Mode::Plain, Mode::Sanitized];

    /// The size for this mode.
    pub fn pick<T>(self, plain: T, sanitized: T) -> T {
        match self {
            Mode::Plain => plain,
            Mode::Sanitized => sanitized,
        }
    }
}

/// A kernel argument segment.
pub struct Args([u8; 1024]);

impl Args {
    pub fn new() -> Args {
        Args([0; 1024])
    }

    fn put(mut self, at: usize, bytes: &[u8]) -> Args {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    pub fn ptr(self, at: usize, p: DevicePtr) -> Args {
        self.put(at, &p.0.to_le_bytes())
    }

    /// Pointers in successive slots.
    pub fn ptrs(self, at: usize, all: &[DevicePtr]) -> Args {
        let slots = all.iter().enumerate();
        slots.fold(self, |args, (i, p)| args.ptr(at + 16 * i, *p))
    }

    pub fn int(self, at: usize, v: usize) -> Args {
        let v = u32::try_from(v).expect("a 32-bit argument");
        self.put(at, &v.to_le_bytes())
    }

    /// Words in successive slots.
    pub fn ints(self, at: usize, all: &[usize]) -> Args {
        let slots = all.iter().enumerate();
        slots.fold(self, |args, (i, v)| args.int(at + 16 * i, *v))
    }

    pub fn float(self, at: usize, v: f32) -> Args {
        self.put(at, &v.to_le_bytes())
    }
}

/// One emulator with one case's buffers.
pub struct Run {
    gpu: Emulator,
    sanitizer: Option<Arc<Sanitizer>>,
    name: String,
    mode: Mode,
    started: Instant,
}

impl Run {
    pub fn new(target: Target, mode: Mode, name: &str) -> Run {
        let sanitizer = match mode {
            Mode::Plain => None,
            Mode::Sanitized => Some(Arc::new(Sanitizer::with_limit(10_000))),
        };
        let options = Options {
            sanitize: sanitizer.clone(),
            instruction_limit: Some(4_000_000_000),
            ..Options::default()
        };
        Run {
            gpu: Emulator::with_options(target, options),
            sanitizer,
            name: format!("{target} {name}"),
            mode,
            started: Instant::now(),
        }
    }

    /// A buffer with contents.
    pub fn input(&self, label: &str, bytes: &[u8]) -> DevicePtr {
        let p = self.gpu.alloc(bytes.len() as u64).expect("device memory");
        self.gpu.label(p, label);
        self.gpu.write(p, bytes).expect("a buffer just taken");
        p
    }

    /// A buffer of NaNs in every float type (FNUZ ones apart), so that what a kernel leaves out is seen.
    pub fn output(&self, label: &str, bytes: usize) -> DevicePtr {
        self.input(label, &vec![0xff; bytes])
    }

    /// A buffer that a kernel adds to.
    pub fn zeros(&self, label: &str, bytes: usize) -> DevicePtr {
        self.input(label, &vec![0; bytes])
    }

    /// Runs the only kernel of an object.
    pub fn dispatch(&self, object: &Path, groups: [usize; 3], block: u32, args: &Args) {
        let name = &self.name;
        let bytes = std::fs::read(object).unwrap_or_else(|e| panic!("{}: {e}", object.display()));
        let run = || {
            let module = self.gpu.load(&bytes)?;
            let kernels = self.gpu.kernels(module)?;
            let [kernel] = &kernels[..] else {
                panic!("{name}: kernels {kernels:?}");
            };
            let [x, y, z] = groups.map(|n| n as u32);
            self.gpu.dispatch(&Launch {
                module,
                kernel,
                grid: [x * block, y, z],
                block: [block, 1, 1],
                dynamic_lds: 0,
                kernarg: &args.0,
            })
        };
        run().unwrap_or_else(|e| panic!("{name}: {e}"));
    }

    pub fn bytes(&self, p: DevicePtr, n: usize) -> Vec<u8> {
        let mut out = vec![0; n];
        self.gpu.read(p, &mut out).expect("a buffer of ours");
        out
    }

    pub fn words(&self, p: DevicePtr, n: usize) -> Vec<u32> {
        let bytes = self.bytes(p, 4 * n);
        let words = bytes.as_chunks::<4>().0.iter();
        words.map(|b| u32::from_le_bytes(*b)).collect()
    }

    pub fn f32(&self, p: DevicePtr, n: usize) -> Vec<f64> {
        let words = self.words(p, n).into_iter();
        words.map(|w| f32::from_bits(w).into()).collect()
    }

    pub fn bf16(&self, p: DevicePtr, n: usize) -> Vec<f64> {
        let bytes = self.bytes(p, 2 * n);
        let halves = bytes.as_chunks::<2>().0.iter();
        halves
            .map(|b| f32::from_bits(u32::from(u16::from_le_bytes(*b)) << 16).into())
            .collect()
    }

    /// Holds every value to its own bound, `want` and bound by index; the sanitizer must have found nothing.
    pub fn compare(&self, what: &str, got: &[f64], want: impl Fn(usize) -> (f64, f64)) {
        let (mut worst, mut most, mut wrong, mut shown) = (0f64, 0f64, 0, String::new());
        for (i, got) in got.iter().enumerate() {
            let (want, bound) = want(i);
            let error = (got - want).abs();
            if error.is_nan() || error > bound {
                wrong += 1;
                if wrong <= 8 {
                    shown += &format!("\n  [{i}] {got}, expected {want} ± {bound:.2e}");
                }
            }
            worst = worst.max(error / bound);
            most = most.max(error);
        }
        let (name, mode, n) = (&self.name, self.mode, got.len());
        assert!(
            n > 0 && wrong == 0,
            "{name} {mode:?}, {what}: {wrong} of {n} wrong{shown}"
        );
        println!(
            "{name} {mode:?}, {what}: {n} values, largest error {most:.2e}, {worst:.3} of its bound"
        );
    }

    /// That the sanitizer has found nothing but `argued` (docs/src/sanitizer.md, "AITER's kernels"), and all of that: kinds,
    /// of hazards also the rule.
    pub fn finish(self, argued: &[&str]) {
        let (name, mode) = (&self.name, self.mode);
        if let Some(sanitizer) = &self.sanitizer {
            let report = sanitizer.report();
            let tag = |f: &Finding| {
                let rule = f
                    .message
                    .rsplit_once('(')
                    .filter(|_| f.kind == Kind::Hazard);
                let rule = rule.map_or(String::new(), |(_, r)| {
                    format!(" {}", r.trim_end_matches(')'))
                });
                format!("{}{rule}", f.kind)
            };
            let found: BTreeSet<String> = report.findings.iter().map(tag).collect();
            let argued: BTreeSet<String> = argued.iter().map(|a| (*a).to_owned()).collect();
            let shown: String = report
                .findings
                .iter()
                .filter(|f| !argued.contains(&tag(f)))
                .take(6)
                .map(|f| format!("{f}\n"))
                .collect();
            assert_eq!(found, argued, "{name}: {} places\n{shown}", report.places);
            assert_eq!(
                report.findings.len() as u64,
                report.places,
                "{name}: more than are kept"
            );
        }
        println!(
            "{name} {mode:?}: {:.2} s",
            self.started.elapsed().as_secs_f64()
        );
    }
}
