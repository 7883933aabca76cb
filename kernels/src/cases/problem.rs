//! A dispatch whose inputs are made here and whose results are computed here: nothing of it is in a file but the object.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rayon::prelude::*;
use serde_json::{Value, json};
use wavesmith_isa::Target;
use wavesmith_loader::case::{Case, CaseError, CaseReport, Comparison, Dtype, Mismatch};

use crate::random::SplitMix64;

/// What a row of an output holds in some of its columns; NaN where nothing may be written.
pub type RowReference = Box<dyn Fn(usize, &[usize]) -> Vec<f64> + Send + Sync>;

/// An output buffer and what must come out in it.
pub struct Output {
    /// Its name.
    pub name: &'static str,
    /// Its elements.
    pub dtype: Dtype,
    /// Elements of a row.
    pub width: usize,
    /// Elements in all, written or not.
    pub elements: usize,
    /// How many of them the whole grid writes.
    pub written: usize,
    /// Relative tolerance, on top of rounding the reference to `dtype`.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// The reference.
    pub reference: RowReference,
}

/// A byte no reference gives two or four of: an element made of it has not been written.
const UNWRITTEN: u8 = 0xff;

/// The dispatch.
#[derive(Default)]
pub struct Problem {
    /// The kernel.
    pub kernel: String,
    /// Grid in workgroups.
    pub groups: [u32; 3],
    /// Work-items of a workgroup.
    pub block: [u32; 3],
    /// LDS on top of the kernel's own.
    pub dynamic_lds: u32,
    args: Vec<Value>,
    buffers: Vec<Value>,
    inputs: Vec<u8>,
    end: usize,
    outputs: Vec<Output>,
}

impl Problem {
    /// An argument behind the last, at its natural alignment.
    fn arg(&mut self, size: usize, mut fields: Value) {
        let at = self.end.next_multiple_of(size);
        self.end = at + size;
        fields["offset"] = at.into();
        fields["size"] = size.into();
        self.args.push(fields);
    }

    /// The address of a buffer with these contents.
    pub fn input(&mut self, name: &str, bytes: &[u8]) {
        let at = self.inputs.len();
        self.inputs.extend(bytes);
        self.buffers.push(json!({
            "name": name, "size": bytes.len(), "init": "input", "input_offset": at
        }));
        self.arg(8, json!({ "kind": "global_buffer", "buffer": name }));
    }

    /// The address of a buffer to be written.
    pub fn output(&mut self, output: Output) {
        let size = output.elements * output.dtype.size();
        self.buffers
            .push(json!({ "name": output.name, "size": size, "fill": UNWRITTEN }));
        self.arg(8, json!({ "kind": "global_buffer", "buffer": output.name }));
        self.outputs.push(output);
    }

    /// A 32-bit integer.
    pub fn word(&mut self, value: usize) {
        self.arg(4, json!({ "kind": "by_value", "value": value }));
    }

    /// An f32.
    pub fn float(&mut self, value: f32) {
        self.arg(
            4,
            json!({ "kind": "by_value", "value": f64::from(value), "dtype": "f32" }),
        );
    }

    /// A null pointer.
    pub fn null(&mut self) {
        self.arg(8, json!({ "kind": "by_value", "value": 0 }));
    }

    /// The same as a case, and what judges its report.
    ///
    /// # Errors
    /// When the description contradicts itself.
    pub fn case(self) -> Result<(Case, Judge), CaseError> {
        let inputs = PathBuf::from("inputs");
        let grid: Vec<u32> = (0..3)
            .map(|i| self.groups[i].saturating_mul(self.block[i]))
            .collect();
        let document = json!({
            "kernel": self.kernel, "grid": grid, "block": self.block, "dynamic_lds": self.dynamic_lds,
            "args": self.args, "buffers": self.buffers, "inputs_file": inputs,
        });
        let case = Case::from_json(document, BTreeMap::from([(inputs, self.inputs)]))?;
        let judge = Judge {
            total: self.groups.iter().map(|n| u64::from(*n)).product(),
            outputs: self.outputs,
        };
        Ok((case, judge))
    }
}

/// Holds results against their references.
pub struct Judge {
    total: u64,
    outputs: Vec<Output>,
}

impl Judge {
    /// Compares what the workgroups that ran have written, and that they have written all they had to.
    #[must_use]
    pub fn judge(&self, report: &CaseReport) -> Comparison {
        let mut all = Comparison::default();
        for output in &self.outputs {
            let buffer = report.buffers.iter().find(|b| b.name == output.name);
            let bytes = buffer.map_or(&[][..], |b| &b.bytes);
            let row_bytes = output.width * output.dtype.size();
            let mut found = bytes
                .par_chunks(row_bytes)
                .enumerate()
                .map(|(row, bytes)| output.row(row, bytes))
                .reduce(Comparison::default, join);
            // Every workgroup of a grid that may run in part writes as much as the others.
            let due = output.written as u64 * report.dispatch.workgroups / self.total.max(1);
            let missing = (due as usize).abs_diff(found.elements);
            found.elements = found.elements.max(due as usize);
            found.wrong += missing;
            all = join(all, found);
        }
        all
    }
}

fn join(a: Comparison, b: Comparison) -> Comparison {
    Comparison {
        elements: a.elements + b.elements,
        wrong: a.wrong + b.wrong,
        max_error: a.max_error.max(b.max_error),
        first: a.first.or(b.first),
    }
}

impl Output {
    fn row(&self, row: usize, bytes: &[u8]) -> Comparison {
        let size = self.dtype.size();
        let written = |e: &[u8]| e.iter().any(|b| *b != UNWRITTEN);
        let elements = bytes.chunks_exact(size).enumerate();
        let columns: Vec<usize> = elements.filter(|e| written(e.1)).map(|e| e.0).collect();
        let mut result = Comparison::default();
        if columns.is_empty() {
            return result;
        }
        for (c, want) in columns.iter().zip((self.reference)(row, &columns)) {
            let found = self.dtype.read(&bytes[c * size..]).unwrap_or(f64::NAN);
            let mut rounded = Vec::new();
            self.dtype.push(want, &mut rounded);
            let want = self.dtype.read(&rounded).unwrap_or(f64::NAN);
            let error = (found - want).abs();
            result.elements += 1;
            if error.is_finite() {
                result.max_error = result.max_error.max(error);
            }
            // A NaN on either side is no match: it compares false.
            let right = error <= self.atol + self.rtol * want.abs();
            if !right {
                result.wrong += 1;
                result.first.get_or_insert(Mismatch {
                    offset: (row * self.width + c) * size,
                    expected: want,
                    found,
                });
            }
        }
        result
    }
}

/// `n` whole numbers from `-limit` to `limit`: sums of their products are exact in f32, in any order.
pub fn whole(n: usize, seed: u64, limit: u64) -> Vec<f64> {
    let mut r = SplitMix64(seed);
    (0..n)
        .map(|_| (r.next_u64() % (2 * limit + 1)) as f64 - limit as f64)
        .collect()
}

/// `n` values from -1 to 1 in steps of 1/64, which every 16-bit format holds.
pub fn fractions(n: usize, seed: u64) -> Vec<f64> {
    whole(n, seed, 64).iter().map(|v| v / 64.0).collect()
}

/// How elements are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Storage {
    /// A type of the host.
    Host(Dtype),
    /// Sign, 4 exponent bits with this bias, 3 fraction bits.
    Fp8(i32),
    /// Sign, 2 exponent bits, 1 fraction bit; two in a byte, the first in the low half.
    Fp4,
}

impl Storage {
    /// The 8-bit float that the target's matrix instructions take.
    pub fn fp8(target: Target) -> Storage {
        // OCP E4M3 where the scaled instructions are, E4M3 FNUZ before.
        Storage::Fp8(match target {
            Target::Gfx942 => 8,
            Target::Gfx950 => 7,
        })
    }

    /// Values that the format holds exactly, as bytes.
    pub fn bytes(self, values: &[f64]) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Storage::Host(dtype) => values.iter().for_each(|v| dtype.push(*v, &mut out)),
            Storage::Fp8(bias) => out.extend(values.iter().map(|v| narrow(*v, 4, 3, bias))),
            Storage::Fp4 => {
                let code = |v: f64| narrow(v, 2, 1, 1);
                out.extend(values.chunks(2).map(|p| code(p[0]) | code(p[1]) << 4));
            }
        }
        out
    }
}

/// A normal number, or zero, that the format holds exactly.
fn narrow(v: f64, exponent_bits: u32, fraction_bits: u32, bias: i32) -> u8 {
    if v == 0.0 {
        return 0;
    }
    let exponent = v.abs().log2().floor() as i32;
    let fraction = (v.abs() / f64::from(exponent).exp2() - 1.0) * f64::from(1 << fraction_bits);
    let sign = u8::from(v < 0.0) << (exponent_bits + fraction_bits);
    sign | ((exponent + bias) as u8) << fraction_bits | fraction as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_floats() {
        // OCP OFP8 and MX: 1.0 is 0x38 in E4M3, 0x2 in E2M1; FNUZ has a bias of 8.
        assert_eq!(Storage::Fp8(7).bytes(&[1.0, -3.0, 0.0]), [0x38, 0xc4, 0]);
        assert_eq!(Storage::Fp8(8).bytes(&[1.0, -3.0, 0.0]), [0x40, 0xcc, 0]);
        assert_eq!(Storage::Fp4.bytes(&[1.0, -3.0, 4.0, 0.0]), [0xd2, 0x06]);
    }
}
