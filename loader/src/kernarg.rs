//! The kernel argument segment: explicit arguments by position or name, hidden ones from the launch.
//!
//! Which arguments there are, where and how large comes from the kernel's metadata. Hidden arguments are code object
//! v5's (LLVM AMDGPU usage guide, "Code Object V5 Metadata"); those that need a runtime's own buffers (printf, hostcall,
//! heap, device enqueue) stay zero.

use thiserror::Error;

use crate::device::DevicePtr;
use crate::metadata::{Arg, KernelMetadata, ValueKind};

/// The parts of a launch that hidden arguments tell the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaunchShape {
    /// Grid size in work-items.
    pub grid: [u32; 3],
    /// Workgroup size in work-items.
    pub block: [u32; 3],
    /// LDS bytes added at dispatch.
    pub dynamic_lds: u32,
    /// Address of the queue, for kernels that ask.
    pub queue: u64,
    /// High half of the LDS aperture's address, for kernels that ask.
    pub shared_base: u32,
    /// High half of the scratch aperture's address, for kernels that ask.
    pub private_base: u32,
}

/// Why arguments do not fit their kernel.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KernargError {
    /// More arguments than the kernel takes.
    #[error("kernel `{kernel}` has no argument {index}: it takes {expected}")]
    NoIndex {
        /// The kernel.
        kernel: String,
        /// The position asked for, from 0.
        index: usize,
        /// How many there are.
        expected: usize,
    },
    /// No argument of that name.
    #[error("kernel `{kernel}` has no argument `{name}`; it takes {}", crate::object::list(.available))]
    NoName {
        /// The kernel.
        kernel: String,
        /// The name asked for.
        name: String,
        /// The names there are.
        available: Vec<String>,
    },
    /// A value of another size than the argument has.
    #[error("argument {argument} of kernel `{kernel}`: expected {expected} bytes, found {found}")]
    Size {
        /// The kernel.
        kernel: String,
        /// The argument's name or position.
        argument: String,
        /// Its size.
        expected: u64,
        /// The value's size.
        found: u64,
    },
    /// An argument beyond the segment that the metadata itself declares.
    #[error(
        "argument {argument} of kernel `{kernel}`: expected it within {expected} bytes, found it ends at {found}"
    )]
    Outside {
        /// The kernel.
        kernel: String,
        /// The argument's name or position.
        argument: String,
        /// The segment's size.
        expected: u64,
        /// The argument's end.
        found: u64,
    },
    /// A hidden value that does not fit its argument.
    #[error(
        "hidden argument {argument} of kernel `{kernel}`: {found} does not fit {expected} bytes"
    )]
    Value {
        /// The kernel.
        kernel: String,
        /// Its kind.
        argument: String,
        /// Its size in bytes.
        expected: u64,
        /// The value.
        found: u64,
    },
    /// Arguments that were not given.
    #[error("kernel `{kernel}`: arguments {} were not given", crate::object::list(.missing))]
    NotGiven {
        /// The kernel.
        kernel: String,
        /// Names or positions.
        missing: Vec<String>,
    },
}

/// Largest argument segment made. Hardware has no limit; HIP's is 4 KiB, and foreign metadata may say anything.
const MAX_SEGMENT: u64 = 1 << 20;

/// Builds one kernel's argument segment.
#[derive(Debug, Clone)]
pub struct KernargBuilder<'m> {
    kernel: &'m KernelMetadata,
    explicit: Vec<&'m Arg>,
    given: Vec<bool>,
    bytes: Vec<u8>,
    next: usize,
}

impl<'m> KernargBuilder<'m> {
    /// An empty segment for `kernel`, all zero.
    ///
    /// # Errors
    /// [`KernargError::Outside`] when the metadata puts an argument past the segment's end, or the segment is over 1 MiB.
    pub fn new(kernel: &'m KernelMetadata) -> Result<KernargBuilder<'m>, KernargError> {
        let size = kernel.kernarg_segment_size;
        let outside = |argument: String, expected, found| KernargError::Outside {
            kernel: kernel.name.clone(),
            argument,
            expected,
            found,
        };
        if size > MAX_SEGMENT {
            return Err(outside("(segment)".to_owned(), MAX_SEGMENT, size));
        }
        for (i, arg) in kernel.args().iter().enumerate() {
            let end = arg.offset.saturating_add(arg.size);
            if end > size {
                return Err(outside(label(arg, i), size, end));
            }
        }
        let explicit: Vec<&Arg> = kernel
            .args()
            .iter()
            .filter(|a| !a.value_kind.is_hidden())
            .collect();
        let given = vec![false; explicit.len()];
        Ok(KernargBuilder {
            kernel,
            explicit,
            given,
            bytes: vec![0; size as usize],
            next: 0,
        })
    }

    /// How many arguments a caller gives.
    #[must_use]
    pub fn len(&self) -> usize {
        self.explicit.len()
    }

    /// Whether a caller gives none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.explicit.is_empty()
    }

    /// Sets argument `index` (hidden ones not counted) to these bytes.
    ///
    /// # Errors
    /// [`KernargError::NoIndex`], [`KernargError::Size`].
    pub fn set(&mut self, index: usize, value: &[u8]) -> Result<&mut Self, KernargError> {
        let kernel = &self.kernel.name;
        let (Some(arg), Some(given)) = (self.explicit.get(index), self.given.get_mut(index)) else {
            return Err(KernargError::NoIndex {
                kernel: kernel.clone(),
                index,
                expected: self.explicit.len(),
            });
        };
        if arg.size != value.len() as u64 {
            return Err(KernargError::Size {
                kernel: kernel.clone(),
                argument: label(arg, index),
                expected: arg.size,
                found: value.len() as u64,
            });
        }
        let at = arg.offset as usize;
        self.bytes[at..at + value.len()].copy_from_slice(value);
        *given = true;
        self.next = index + 1;
        Ok(self)
    }

    /// Sets the argument after the one set last.
    ///
    /// # Errors
    /// As [`KernargBuilder::set`].
    pub fn push(&mut self, value: &[u8]) -> Result<&mut Self, KernargError> {
        self.set(self.next, value)
    }

    /// Sets the next argument to an address.
    ///
    /// # Errors
    /// As [`KernargBuilder::set`].
    pub fn pointer(&mut self, ptr: DevicePtr) -> Result<&mut Self, KernargError> {
        self.push(&ptr.0.to_le_bytes())
    }

    /// Sets the next argument to a 32-bit number.
    ///
    /// # Errors
    /// As [`KernargBuilder::set`].
    pub fn u32(&mut self, value: u32) -> Result<&mut Self, KernargError> {
        self.push(&value.to_le_bytes())
    }

    /// Sets the next argument to an f32.
    ///
    /// # Errors
    /// As [`KernargBuilder::set`].
    pub fn f32(&mut self, value: f32) -> Result<&mut Self, KernargError> {
        self.push(&value.to_le_bytes())
    }

    /// Sets the argument of that name, the first one where several have it.
    ///
    /// # Errors
    /// [`KernargError::NoName`], [`KernargError::Size`].
    pub fn named(&mut self, name: &str, value: &[u8]) -> Result<&mut Self, KernargError> {
        match self
            .explicit
            .iter()
            .position(|a| a.name.as_deref() == Some(name))
        {
            Some(index) => self.set(index, value),
            None => Err(KernargError::NoName {
                kernel: self.kernel.name.clone(),
                name: name.to_owned(),
                available: self
                    .explicit
                    .iter()
                    .enumerate()
                    .map(|(i, a)| label(a, i))
                    .collect(),
            }),
        }
    }

    /// Leaves what was not given zero, as fits padding.
    pub fn zero_the_rest(&mut self) -> &mut Self {
        self.given.fill(true);
        self
    }

    /// Fills the hidden arguments and gives the segment.
    ///
    /// # Errors
    /// [`KernargError::NotGiven`], [`KernargError::Value`].
    pub fn finish(&self, shape: &LaunchShape) -> Result<Vec<u8>, KernargError> {
        let missing: Vec<String> = (self.explicit.iter().enumerate().zip(&self.given))
            .filter(|(_, given)| !**given)
            .map(|((i, arg), _)| label(arg, i))
            .collect();
        if !missing.is_empty() {
            return Err(KernargError::NotGiven {
                kernel: self.kernel.name.clone(),
                missing,
            });
        }
        let mut bytes = self.bytes.clone();
        fill_hidden(self.kernel, &mut bytes, shape)?;
        Ok(bytes)
    }
}

/// Fills the hidden arguments of a segment whose explicit ones are there, such as one read from a file.
///
/// # Errors
/// [`KernargError::Outside`] when `bytes` is shorter than the arguments reach, [`KernargError::Value`].
pub fn fill_hidden(
    kernel: &KernelMetadata,
    bytes: &mut [u8],
    shape: &LaunchShape,
) -> Result<(), KernargError> {
    let size = bytes.len() as u64;
    for (i, arg) in kernel.args().iter().enumerate() {
        let Some(value) = shape.hidden(&arg.value_kind) else {
            continue;
        };
        if arg.size < 8 && value >> (8 * arg.size) != 0 {
            return Err(KernargError::Value {
                kernel: kernel.name.clone(),
                argument: arg.value_kind.to_string(),
                expected: arg.size,
                found: value,
            });
        }
        let end = arg.offset.saturating_add(arg.size);
        let room = (end <= size).then(|| &mut bytes[arg.offset as usize..end as usize]);
        let room = room.ok_or_else(|| KernargError::Outside {
            kernel: kernel.name.clone(),
            argument: label(arg, i),
            expected: size,
            found: end,
        })?;
        room.fill(0);
        let used = room.len().min(8);
        room[..used].copy_from_slice(&value.to_le_bytes()[..used]);
    }
    Ok(())
}

impl LaunchShape {
    /// The dimensions the grid really has.
    #[must_use]
    pub fn dimensions(&self) -> u32 {
        match self.grid {
            [_, y, z] if z <= 1 && y <= 1 => 1,
            [_, _, z] if z <= 1 => 2,
            _ => 3,
        }
    }

    /// A hidden argument's value; `None` for one that is not hidden or that only a runtime could fill.
    fn hidden(&self, kind: &ValueKind) -> Option<u64> {
        let block = |i: usize| self.block[i].max(1);
        // The count is of whole workgroups; a partial one at the edge shows only in the remainder.
        let count = |i: usize| Some(u64::from(self.grid[i] / block(i)));
        let size = |i: usize| Some(u64::from(self.block[i]));
        let remainder = |i: usize| Some(u64::from(self.grid[i] % block(i)));
        match kind {
            ValueKind::HiddenBlockCountX => count(0),
            ValueKind::HiddenBlockCountY => count(1),
            ValueKind::HiddenBlockCountZ => count(2),
            ValueKind::HiddenGroupSizeX => size(0),
            ValueKind::HiddenGroupSizeY => size(1),
            ValueKind::HiddenGroupSizeZ => size(2),
            ValueKind::HiddenRemainderX => remainder(0),
            ValueKind::HiddenRemainderY => remainder(1),
            ValueKind::HiddenRemainderZ => remainder(2),
            ValueKind::HiddenGlobalOffsetX
            | ValueKind::HiddenGlobalOffsetY
            | ValueKind::HiddenGlobalOffsetZ => Some(0),
            ValueKind::HiddenGridDims => Some(self.dimensions().into()),
            ValueKind::HiddenDynamicLdsSize => Some(self.dynamic_lds.into()),
            ValueKind::HiddenQueuePtr => Some(self.queue),
            ValueKind::HiddenSharedBase => Some(self.shared_base.into()),
            ValueKind::HiddenPrivateBase => Some(self.private_base.into()),
            _ => None,
        }
    }
}

fn label(arg: &Arg, index: usize) -> String {
    match &arg.name {
        Some(name) => format!("{index} `{name}`"),
        None if arg.value_kind.is_hidden() => arg.value_kind.to_string(),
        None => index.to_string(),
    }
}
