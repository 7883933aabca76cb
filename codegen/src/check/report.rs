//! Findings, and how they are counted.

use std::collections::BTreeMap;

/// How grave it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Wrong by the manual, and by every stall that is known.
    Finding,
    /// Below the manual's count, but covered by a known stall; or not provable.
    Note,
    /// Right, but slower than it need be.
    Hint,
}

impl Severity {
    /// `finding`, `note`, `hint`.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Finding => "finding",
            Severity::Note => "note",
            Severity::Hint => "hint",
        }
    }
}

/// A rule with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rule {
    /// Id: that of `isa/spec/hazards.tsv` where there is one.
    pub id: &'static str,
    /// What it says.
    pub says: &'static str,
    /// Where it is from.
    pub source: &'static str,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Rule.
    pub rule: Rule,
    /// How grave.
    pub severity: Severity,
    /// Kernel or function.
    pub kernel: String,
    /// Index of the instruction at which it shows.
    pub at: usize,
    /// Its byte offset in the text.
    pub offset: u32,
    /// The instruction.
    pub text: String,
    /// The instruction that it depends on.
    pub cause: Option<(u32, String)>,
    /// Offsets of the blocks from cause to effect, where they are not in one block.
    pub path: Vec<u32>,
    /// What is required.
    pub required: String,
    /// What was found.
    pub found: String,
    /// What would put it right.
    pub fix: String,
}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions.
    pub instructions: usize,
    /// Blocks reached.
    pub blocks: usize,
    /// Waits.
    pub waits: usize,
    /// Nops.
    pub nops: usize,
}

/// Most findings kept of one rule in one program; more are only counted.
const KEPT: usize = 64;

/// What the checker says of a program.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Findings, notes and hints in the order of their place; of each rule the first few.
    pub findings: Vec<Finding>,
    /// How many there are of each rule, kept or not.
    pub totals: BTreeMap<(Severity, &'static str), usize>,
    /// How much was looked at.
    pub counts: Counts,
    /// Keep everything, for comparing reports.
    pub(crate) all: bool,
}

impl Report {
    /// How many of one severity, kept or not.
    pub fn count(&self, severity: Severity) -> usize {
        self.totals
            .iter()
            .filter(|(k, _)| k.0 == severity)
            .map(|(_, n)| n)
            .sum()
    }

    /// Counts one; `make` is only called while it is kept.
    pub(crate) fn add(&mut self, severity: Severity, rule: Rule, make: impl FnOnce() -> Finding) {
        let n = self.totals.entry((severity, rule.id)).or_default();
        *n += 1;
        if *n <= KEPT || self.all {
            self.findings.push(make());
        }
    }

    pub(crate) fn finish(&mut self) {
        self.findings.sort_by_key(|f| (f.at, f.severity));
    }
}
