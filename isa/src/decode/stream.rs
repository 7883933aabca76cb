//! Code as bytes, one instruction after the other.

use super::{DecodeError, decode};
use crate::{Inst, Target};

/// One step through a piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Byte offset of the instruction.
    pub offset: usize,
    /// Dwords it takes.
    pub words: usize,
    /// The instruction; or the dword, where there is none (data, padding, an unknown instruction).
    pub inst: Result<Inst, u32>,
}

/// Goes through `code` from its first byte. A dword that is no instruction is passed over alone. A rest of
/// fewer than four bytes ends the walk.
pub fn decode_bytes(code: &[u8], target: Target) -> impl Iterator<Item = Decoded> + '_ {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let rest = code.get(offset..)?;
        let mut words = [0u32; 4];
        let mut have = 0;
        for (w, b) in words.iter_mut().zip(rest.chunks_exact(4)) {
            *w = b
                .iter()
                .rev()
                .fold(0, |acc, &byte| acc << 8 | u32::from(byte));
            have += 1;
        }
        let first = *words[..have].first()?;
        let (inst, used) = match decode(&words[..have], target) {
            Ok((inst, used)) => (Ok(inst), used),
            Err(
                DecodeError::Truncated { .. }
                | DecodeError::UnknownOpcode { .. }
                | DecodeError::ReservedBits { .. }
                | DecodeError::NoSuchForm { .. }
                | DecodeError::BadOperand { .. },
            ) => (Err(first), 1),
        };
        let step = Decoded {
            offset,
            words: used,
            inst,
        };
        offset += used * 4;
        Some(step)
    })
}
