//! The device a run takes, and what it tells about time.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde::Serialize;
use wavesmith_isa::Target;
use wavesmith_loader::DispatchReport;
use wavesmith_sim::debug::{SharedDebugger, TraceSink};
use wavesmith_sim::sanitize::Sanitizer;
use wavesmith_sim::{Emulator, MfmaMode, Options};

use crate::debugger::Stepper;
use crate::failure::Failure;
use crate::output::grouped;
use crate::progress::Progress;

/// Options of commands that run something.
#[derive(clap::Args, Debug)]
pub struct DeviceArgs {
    /// Where to run
    #[arg(long, value_enum, default_value_t = Kind::Emu)]
    device: Kind,
    /// How the emulator does matrix instructions
    #[arg(long, value_enum, default_value_t = Mfma::Exact)]
    mfma: Mfma,
    /// Check every step: waits, uninitialised reads, bounds, LDS races, barriers; exit code 1 on a finding
    #[arg(long)]
    sanitize: bool,
    /// Findings to show
    #[arg(long, value_name = "N", default_value_t = wavesmith_sim::sanitize::DEFAULT_LIMIT)]
    sanitize_limit: usize,
    /// Run only this workgroup of the grid, as in 3,5
    #[arg(long, value_name = "X,Y,Z", value_parser = crate::sanitize::parse_workgroup)]
    pub workgroup: Option<[u32; 3]>,
    /// Write every instruction and the registers it has written; one thread
    #[arg(long)]
    trace_regs: bool,
    /// Stop at a label (L_0040) or an offset (0x40) and take the commands of `wavesmith debug`; one thread
    #[arg(long = "break", value_name = "LABEL|OFFSET")]
    break_at: Vec<String>,
    /// Stop at the first instruction: `wavesmith debug`.
    #[arg(skip)]
    pub step: std::cell::Cell<bool>,
    /// Threads of the emulator; 0 for one a core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Kind {
    /// The emulator
    Emu,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Mfma {
    /// As the hardware rounds
    Exact,
    /// As the host's vector units round, faster
    Fast,
}

impl DeviceArgs {
    /// Whether the run itself writes to stdout, so that nothing else may.
    pub fn watched(&self) -> bool {
        self.step.get() || self.trace_regs || !self.break_at.is_empty()
    }

    /// The device, for this target.
    pub fn open(&self, target: Target, progress: &Progress) -> Result<Emulator, Failure> {
        match self.device {
            Kind::Emu => {
                let step = self.step.get();
                let stepper = step || !self.break_at.is_empty();
                let debug = stepper.then(|| {
                    let at_once = step && self.break_at.is_empty();
                    let stepper = Stepper::new(self.break_at.clone(), at_once);
                    Arc::new(Mutex::new(stepper)) as SharedDebugger
                });
                let trace = self.trace_regs.then(|| {
                    // A reader that has gone away wants no more lines.
                    Arc::new(|line: &str| drop(writeln!(std::io::stdout(), "{line}"))) as TraceSink
                });
                let alone = debug.is_some() || trace.is_some();
                let options = Options {
                    mfma: match self.mfma {
                        Mfma::Exact => MfmaMode::Exact,
                        Mfma::Fast => MfmaMode::Fast,
                    },
                    threads: if alone { 1 } else { self.threads },
                    debug,
                    trace,
                    workgroups: self.workgroup.into_iter().collect(),
                    sanitize: self
                        .sanitize
                        .then(|| Arc::new(Sanitizer::with_limit(self.sanitize_limit))),
                    progress: Some(progress.listener()),
                    ..Options::default()
                };
                Ok(Emulator::with_options(target, options))
            }
        }
    }
}

/// Time of a dispatch. On the emulator it says how fast the emulator is, and nothing about a GPU.
#[derive(Serialize)]
pub struct Timing {
    what: &'static str,
    seconds: f64,
    workgroups: u64,
    waves: u64,
    wave_instructions: Option<u64>,
    wave_instructions_per_second: Option<f64>,
    flops_per_second: Option<f64>,
}

impl Timing {
    /// Of a dispatch that does `flops` useful floating-point operations.
    pub fn of(report: &DispatchReport, flops: Option<f64>) -> Timing {
        let seconds = report.elapsed.as_secs_f64();
        let rate = |n: f64| (seconds > 0.0).then(|| n / seconds);
        Timing {
            what: "emulator wall time",
            seconds,
            workgroups: report.workgroups,
            waves: report.waves,
            wave_instructions: report.instructions,
            wave_instructions_per_second: report.instructions.and_then(|n| rate(n as f64)),
            flops_per_second: flops.and_then(rate),
        }
    }

    /// For a person.
    pub fn lines(&self) -> Vec<String> {
        let mut first = format!(
            "time          {:.3} s of emulator wall time (not a GPU's)",
            self.seconds
        );
        if let Some(flops) = self.flops_per_second {
            first.push_str(&format!(", {:.2} GFLOP/s", flops / 1e9));
        }
        let mut lines = vec![first];
        let (groups, waves) = (grouped(self.workgroups), grouped(self.waves));
        let mut second = format!("              {groups} workgroups, {waves} waves");
        if let (Some(n), Some(rate)) = (self.wave_instructions, self.wave_instructions_per_second) {
            let (n, rate) = (grouped(n), rate / 1e6);
            second.push_str(&format!(", {n} wave instructions, {rate:.1} M/s"));
        }
        lines.push(second);
        lines
    }
}
