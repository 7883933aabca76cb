//! A code object in memory: what ROCr's loader makes of it, for the emulator.

use super::consts::{
    PAGE, R_AMDGPU_ABS32, R_AMDGPU_ABS32_HI, R_AMDGPU_ABS32_LO, R_AMDGPU_ABS64, R_AMDGPU_RELATIVE64,
};
use super::error::ObjectError;
use super::read::ObjectFile;

const PT_LOAD: u32 = 1;

/// Largest image made: more than any GPU program has, and little enough not to hurt the host.
pub const MAX_IMAGE: u64 = 1 << 30;

/// A kernel's addresses once loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedKernel {
    /// Its name, without `.kd`.
    pub name: String,
    /// Its descriptor's address: what an AQL packet calls the kernel object.
    pub descriptor: u64,
    /// Its first instruction's address.
    pub entry: u64,
}

/// The memory a loaded object occupies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Device address of the first byte.
    pub base: u64,
    /// Its bytes, relocations applied.
    pub bytes: Vec<u8>,
    /// What to add to an address of the file to get a loaded one (wrapping).
    pub delta: u64,
    /// The kernels.
    pub kernels: Vec<LoadedKernel>,
}

/// Lays `object` out at `base`, as ROCr does: one zeroed range over all PT_LOAD segments, their file bytes copied in,
/// then the dynamic relocations.
///
/// # Errors
/// [`ObjectError::Malformed`]: no PT_LOAD, segments out of order or overlapping, an image over [`MAX_IMAGE`], `base` not
/// a multiple of 4096, a relocation of a kind the loader refuses, outside the image, or against an undefined symbol.
/// [`ObjectError::Truncated`]: a segment past the end of the file.
pub fn load_image(object: &ObjectFile<'_>, base: u64) -> Result<Image, ObjectError> {
    let malformed = |what: &str, offset, detail| ObjectError::Malformed {
        what: what.to_owned(),
        offset,
        detail,
    };
    if !base.is_multiple_of(PAGE) {
        return Err(malformed(
            "load address",
            base,
            "expected a multiple of 4096".to_owned(),
        ));
    }
    let segments: Vec<_> = object
        .segments
        .iter()
        .filter(|s| s.kind == PT_LOAD)
        .collect();
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
        return Err(malformed(
            "program headers",
            0,
            "expected at least one PT_LOAD segment, found none".to_owned(),
        ));
    };
    let origin = first.address;
    let size = last
        .address
        .checked_add(last.memory_size)
        .and_then(|end| end.checked_sub(origin));
    let size = size
        .filter(|size| *size <= MAX_IMAGE && base.checked_add(*size).is_some())
        .ok_or_else(|| {
            let detail = format!(
                "expected segments in rising order and at most {MAX_IMAGE:#x} bytes in memory"
            );
            malformed("PT_LOAD segment", last.offset, detail)
        })?;
    let mut bytes = vec![0; size as usize];
    let mut free_from = origin;
    for segment in segments {
        let data = object.segment_data(segment)?;
        let end = segment.address.checked_add(segment.memory_size);
        let at = segment
            .address
            .checked_sub(origin)
            .filter(|_| segment.address >= free_from);
        let room = at.and_then(|at| bytes.get_mut(at as usize..)?.get_mut(..data.len()));
        let (Some(end), Some(room)) = (
            end.filter(|_| segment.file_size <= segment.memory_size),
            room,
        ) else {
            let detail = format!(
                "it must lie behind {free_from:#x}, found {:#x}",
                segment.address
            );
            return Err(malformed("PT_LOAD segment", segment.offset, detail));
        };
        room.copy_from_slice(data);
        free_from = end;
    }
    let delta = base.wrapping_sub(origin);
    let kernels = object.kernels.iter().map(|k| LoadedKernel {
        name: k.name.clone(),
        descriptor: k.descriptor_address.wrapping_add(delta),
        entry: k.entry.wrapping_add(delta),
    });
    let mut image = Image {
        base,
        bytes,
        delta,
        kernels: kernels.collect(),
    };
    relocate(object, &mut image)?;
    Ok(image)
}

fn relocate(object: &ObjectFile<'_>, image: &mut Image) -> Result<(), ObjectError> {
    let size = image.bytes.len();
    for r in &object.relocations {
        let bad = |detail| ObjectError::Malformed {
            what: "relocation".to_owned(),
            offset: r.address,
            detail,
        };
        let symbol = || -> Result<u64, ObjectError> {
            let symbol = object
                .dynamic_symbols
                .get(r.symbol)
                .filter(|s| s.section != 0);
            let symbol = symbol
                .ok_or_else(|| bad(format!("symbol {} is not defined in the object", r.symbol)))?;
            Ok(symbol
                .value
                .wrapping_add(image.delta)
                .wrapping_add_signed(r.addend))
        };
        let (value, width) = match r.kind {
            R_AMDGPU_ABS64 => (symbol()?, 8),
            R_AMDGPU_ABS32 | R_AMDGPU_ABS32_LO => (symbol()? & 0xffff_ffff, 4),
            R_AMDGPU_ABS32_HI => (symbol()? >> 32, 4),
            R_AMDGPU_RELATIVE64 => (image.delta.wrapping_add_signed(r.addend), 8),
            other => {
                return Err(bad(format!(
                    "expected kind 1, 2, 3, 6 or 13, found {other}"
                )));
            }
        };
        let at = r.address.wrapping_add(image.delta).wrapping_sub(image.base);
        let place = usize::try_from(at)
            .ok()
            .and_then(|at| image.bytes.get_mut(at..at.checked_add(width)?));
        let place = place
            .ok_or_else(|| bad(format!("expected it inside the image of {:#x} bytes", size)))?;
        place.copy_from_slice(&value.to_le_bytes()[..width]);
    }
    Ok(())
}
