//! The sanitizer's report, for a person and as JSON.

use serde::Serialize;
use wavesmith_sim::sanitize::{Finding, Place, Report};

use crate::failure::Failure;
use crate::output::Output;

/// A report as JSON.
#[derive(Serialize)]
pub struct Findings {
    /// Places at fault.
    places: u64,
    /// Occurrences in all.
    occurrences: u64,
    /// The first of them.
    findings: Vec<One>,
}

#[derive(Serialize)]
struct One {
    kind: &'static str,
    message: String,
    fix: String,
    count: u64,
    workgroup: [u32; 3],
    /// Bit i for lane i, in hexadecimal; absent where lanes play no part.
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<String>,
    at: Where,
    #[serde(skip_serializing_if = "Option::is_none")]
    earlier: Option<Where>,
}

#[derive(Serialize)]
struct Where {
    offset: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    instruction: String,
    wave: u32,
}

impl Where {
    fn of(p: &Place) -> Where {
        Where {
            offset: p.offset,
            label: p.label.clone(),
            instruction: p.text.clone(),
            wave: p.wave,
        }
    }
}

impl Findings {
    /// Of a report.
    pub fn of(report: &Report) -> Findings {
        let one = |f: &Finding| One {
            kind: f.kind.name(),
            message: f.message.clone(),
            fix: f.fix.clone(),
            count: f.count,
            workgroup: f.workgroup,
            lanes: (f.lanes != 0).then(|| format!("{:#x}", f.lanes)),
            at: Where::of(&f.at),
            earlier: f.earlier.as_ref().map(Where::of),
        };
        Findings {
            places: report.places,
            occurrences: report.occurrences,
            findings: report.findings.iter().map(one).collect(),
        }
    }
}

/// Writes findings; a clean report is a remark.
pub fn show(report: &Report, out: &mut Output) -> Result<(), Failure> {
    if report.is_clean() {
        return out.remark("  sanitizer     nothing found");
    }
    for f in &report.findings {
        out.line(f)?;
        out.line("")?;
    }
    let shown = report.findings.len() as u64;
    let more = match report.places - shown {
        0 => String::new(),
        n => format!("; {n} places not shown (--sanitize-limit)"),
    };
    let times = if report.occurrences == 1 {
        "time"
    } else {
        "times"
    };
    let places = if report.places == 1 {
        "place"
    } else {
        "places"
    };
    out.line(format!(
        "sanitizer: {} {places}, {} {times}{more}",
        report.places, report.occurrences
    ))
}

/// `3,5` or `3,5,0`.
pub fn parse_workgroup(text: &str) -> Result<[u32; 3], String> {
    let parts: Result<Vec<u32>, _> = text.split(',').map(|p| p.trim().parse()).collect();
    match parts.as_deref() {
        Ok([x]) => Ok([*x, 0, 0]),
        Ok([x, y]) => Ok([*x, *y, 0]),
        Ok([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err("expected one to three numbers, as in 3,5".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups() {
        assert_eq!(parse_workgroup("3,5"), Ok([3, 5, 0]));
        assert_eq!(parse_workgroup("7"), Ok([7, 0, 0]));
        assert!(parse_workgroup("3,x").is_err());
        assert!(parse_workgroup("1,2,3,4").is_err());
    }
}
