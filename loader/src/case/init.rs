//! A buffer's first contents.

use super::file::{BufferSpec, Distribution, Init, wrong};
use super::{Case, CaseError, Dtype};

impl Case {
    /// The first contents of a buffer.
    ///
    /// # Errors
    /// [`CaseError::Field`] when `inputs_file` is missing or too short, or the buffer is larger than memory.
    pub fn contents(&self, buffer: &BufferSpec) -> Result<Vec<u8>, CaseError> {
        let size = usize::try_from(buffer.size).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| {
            wrong(
                format!("{}.size", buffer.name),
                "a size that fits memory".to_owned(),
                buffer.size,
            )
        })?;
        match (buffer.init, buffer.dtype) {
            (Init::Input, _) => {
                let inputs = self.companion("inputs_file", self.launch.inputs_file.as_ref())?;
                let part = slice(&inputs, buffer.input_offset, buffer.size).ok_or_else(|| {
                    let expected = format!(
                        "{} bytes within the {} of inputs_file",
                        buffer.size,
                        inputs.len()
                    );
                    wrong(
                        format!("{}.input_offset", buffer.name),
                        expected,
                        buffer.input_offset,
                    )
                })?;
                bytes.extend_from_slice(part);
            }
            (Init::Fill, None) => bytes.resize(size, buffer.fill as u8),
            (Init::Fill, Some(dtype)) => fill(&mut bytes, size, dtype, || buffer.fill),
            (Init::Random, dtype) => {
                let dtype = dtype.unwrap_or(Dtype::U8);
                let mut random = Random(buffer.seed);
                let (least, most) = dtype.range();
                let (low, high) = (buffer.low.unwrap_or(least), buffer.high.unwrap_or(most));
                match buffer.distribution {
                    Distribution::Bits => {
                        while bytes.len() < size {
                            bytes.extend(random.next().to_le_bytes());
                        }
                    }
                    Distribution::Uniform if dtype.is_float() => {
                        fill(&mut bytes, size, dtype, || {
                            low + (high - low) * random.unit()
                        });
                    }
                    Distribution::Uniform => {
                        fill(&mut bytes, size, dtype, || {
                            (low + (high - low + 1.0) * random.unit()).floor().min(high)
                        });
                    }
                    Distribution::Normal => {
                        fill(&mut bytes, size, dtype, || {
                            buffer.mean + buffer.std * random.normal()
                        });
                    }
                }
            }
        }
        bytes.truncate(size);
        Ok(bytes)
    }
}

/// Whole elements up to `size` bytes, zeros behind the last.
fn fill(bytes: &mut Vec<u8>, size: usize, dtype: Dtype, mut next: impl FnMut() -> f64) {
    while bytes.len() + dtype.size() <= size {
        dtype.push(next(), bytes);
    }
    bytes.resize(size, 0);
}

pub(super) fn slice(bytes: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(size).ok()?)?)
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same sequence for a seed on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// At least 0 and less than 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Mean 0 and variance 1 (Box and Muller).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}
