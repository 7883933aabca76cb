//! What the tests and the worker say to each other: little-endian lengths, then bytes.

use std::io::{self, Read, Write};
use wavesmith_isa::Target;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Ask {
    /// Items are lines of text.
    Assemble = b'A',
    /// Items are code, of which the first instruction counts.
    Disassemble = b'D',
}

/// Marks of an answer: one for each item, then one for how the batch ended.
pub(super) const YES: u8 = b'+';
pub(super) const NO: u8 = b'-';
pub(super) const DONE: u8 = b'.';
pub(super) const CRASHED: u8 = b'!';

pub(super) fn put(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    out.write_all(bytes)
}

pub(super) fn get(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; number(from)?];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn number(from: &mut impl Read) -> io::Result<usize> {
    let mut n = [0; 4];
    from.read_exact(&mut n)?;
    Ok(u32::from_le_bytes(n) as usize)
}

pub(super) fn byte(from: &mut impl Read) -> io::Result<u8> {
    let mut b = [0];
    from.read_exact(&mut b)?;
    Ok(b[0])
}

pub(super) fn ask<'a>(
    out: &mut impl Write,
    what: Ask,
    target: Target,
    items: impl ExactSizeIterator<Item = &'a [u8]>,
) -> io::Result<()> {
    out.write_all(&[what as u8, target as u8])?;
    out.write_all(&(items.len() as u32).to_le_bytes())?;
    for item in items {
        put(out, item)?;
    }
    out.flush()
}

pub(super) type Asked = (Ask, Target, Vec<Vec<u8>>);

/// The next request; `None` when the other side has closed.
pub(super) fn asked(from: &mut impl Read) -> io::Result<Option<Asked>> {
    let mut head = [0; 2];
    if from.read(&mut head[..1])? == 0 {
        return Ok(None);
    }
    from.read_exact(&mut head[1..])?;
    let bad = || io::Error::new(io::ErrorKind::InvalidData, "not a request");
    let what = [Ask::Assemble, Ask::Disassemble]
        .into_iter()
        .find(|a| *a as u8 == head[0])
        .ok_or_else(bad)?;
    let target = Target::ALL
        .into_iter()
        .find(|t| *t as u8 == head[1])
        .ok_or_else(bad)?;
    let n = number(from)?;
    let items = (0..n).map(|_| get(from)).collect::<io::Result<_>>()?;
    Ok(Some((what, target, items)))
}
