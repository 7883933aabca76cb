//! Bounded access to foreign bytes.

use super::super::error::ObjectError;

/// Bytes that are looked at only through checks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    /// `size` bytes at `offset`.
    pub(super) fn range(
        self,
        offset: u64,
        size: u64,
        what: impl FnOnce() -> String,
    ) -> Result<&'a [u8], ObjectError> {
        let inside = || {
            let start = usize::try_from(offset).ok()?;
            let end = start.checked_add(usize::try_from(size).ok()?)?;
            self.0.get(start..end)
        };
        inside().ok_or_else(|| ObjectError::Truncated {
            what: what(),
            offset,
            expected: size,
            found: (self.0.len() as u64).saturating_sub(offset),
        })
    }

    /// Four bytes at `at` as a number, zeros past the end.
    pub(super) fn u32_at(self, at: u64) -> u32 {
        u32::from_le_bytes(self.array_at(at))
    }

    /// Eight bytes at `at` as a number, zeros past the end.
    pub(super) fn u64_at(self, at: u64) -> u64 {
        u64::from_le_bytes(self.array_at(at))
    }

    /// The NUL-terminated string at `at`; empty past the end.
    pub(super) fn string(self, at: u64) -> String {
        let rest = usize::try_from(at)
            .ok()
            .and_then(|at| self.0.get(at..))
            .unwrap_or_default();
        let end = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
        String::from_utf8_lossy(&rest[..end]).into_owned()
    }

    fn array_at<const N: usize>(self, at: u64) -> [u8; N] {
        let byte = |i: usize| {
            usize::try_from(at)
                .ok()?
                .checked_add(i)
                .and_then(|at| self.0.get(at).copied())
        };
        std::array::from_fn(|i| byte(i).unwrap_or(0))
    }
}

pub(super) fn malformed(what: &str, offset: u64, detail: String) -> ObjectError {
    ObjectError::Malformed {
        what: what.to_owned(),
        offset,
        detail,
    }
}
