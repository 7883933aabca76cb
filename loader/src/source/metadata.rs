//! The `.amdgpu_metadata` block.

use rmpv::Value;

use super::assemble::{Assembler, Line, Origin, error_at};
use super::error::Problem;
use super::yaml;
use crate::metadata::{Metadata, MetadataError};

/// A block that was read.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) value: Value,
    pub(super) origin: Origin,
    /// Its lines, to point at keys in errors.
    pub(super) lines: Vec<(String, Origin)>,
}

impl Block {
    /// Where `key` stands for the kernel that is the `nth`, or the block's start.
    pub(super) fn place(&self, key: &str, nth: usize) -> (Origin, std::ops::Range<usize>) {
        if key.is_empty() {
            return (self.origin, 0..self.origin.len);
        }
        let has = |(text, _): &&(String, Origin)| {
            text.trim_start()
                .trim_start_matches("- ")
                .starts_with(&format!("{key}:"))
        };
        match self.lines.iter().filter(has).nth(nth) {
            Some((text, origin)) => {
                let at = text.find(key).unwrap_or(0);
                (*origin, at..text.trim_end().len())
            }
            None => (self.origin, 0..self.origin.len),
        }
    }
}

impl Assembler {
    pub(super) fn metadata_block(&mut self, origin: Origin, lines: &[Line<'_>]) {
        self.origin = origin;
        if self.metadata.is_some() {
            return self.not_here(
                ".amdgpu_metadata",
                0..origin.len,
                "there is one block already",
            );
        }
        let texts: Vec<&str> = lines.iter().map(|l| l.text.as_ref()).collect();
        let value = match yaml::parse(&texts) {
            Ok(value) => value,
            Err(e) => {
                let problem = Problem::expected(e.expected, &e.found);
                let place = lines.get(e.line).map_or(origin, |l| l.origin);
                let error = error_at(place, e.from..e.to, None, problem);
                self.push_error(error);
                return;
            }
        };
        let lines = lines
            .iter()
            .map(|l| (l.text.clone().into_owned(), l.origin))
            .collect();
        self.metadata = Some(Block {
            value,
            origin,
            lines,
        });
    }

    pub(super) fn metadata_error(&mut self, block: &Block, error: &MetadataError) {
        // `amdhsa.kernels`, or `amdhsa.kernels[0].args[1].offset`, of which the last key is looked for.
        let key = match error {
            MetadataError::WrongType { path, .. } => match path.rfind("].") {
                Some(at) => &path[at + 1..],
                None => path,
            },
            _ => "",
        };
        let nth = match error {
            MetadataError::WrongType { path, .. } | MetadataError::Missing { path, .. } => path
                .split_once('[')
                .and_then(|(_, rest)| rest.split_once(']')?.0.parse().ok())
                .unwrap_or(0),
            MetadataError::NotMessagePack { .. } => 0,
        };
        let (origin, span) = block.place(key, nth);
        let detail = error.to_string();
        let problem = Problem::Object { detail, help: None };
        let error = error_at(origin, span, None, problem);
        self.push_error(error);
    }
}

/// A metadata's text, where the text means the same metadata.
pub(super) fn text(metadata: &Metadata) -> Option<String> {
    let text = yaml::print(&metadata.to_value())?;
    let lines: Vec<&str> = text.lines().collect();
    let value = yaml::parse(&lines).ok()?;
    (Metadata::from_value(value).ok()? == *metadata).then_some(text)
}
