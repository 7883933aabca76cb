//! Parameters by name, as the command line gives them.

use crate::KernelError;
use std::collections::BTreeMap;

/// One parameter a kernel takes.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Name in the field's spelling: `m`, `n`, `k`, `out` …
    pub name: &'static str,
    /// Default, as text.
    pub default: &'static str,
    /// What it means, with its legal values.
    pub help: &'static str,
}

/// Given values by name.
#[derive(Clone, Debug, Default)]
pub struct Params(BTreeMap<String, String>);

impl Params {
    /// Sets `name` to `value`.
    pub fn set(&mut self, name: &str, value: impl Into<String>) -> &mut Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// The value given for `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Refuses names that are not in `known`.
    ///
    /// # Errors
    /// [`KernelError::UnknownParam`].
    pub fn check(&self, kernel: &str, known: &[Param]) -> Result<(), KernelError> {
        match self
            .0
            .keys()
            .find(|k| !known.iter().any(|p| p.name == k.as_str()))
        {
            None => Ok(()),
            Some(name) => Err(KernelError::UnknownParam {
                kernel: kernel.to_owned(),
                name: name.clone(),
                known: known.iter().map(|p| p.name.to_owned()).collect(),
            }),
        }
    }

    /// The text for `name`, or its default.
    pub fn text<'a>(&'a self, name: &str, known: &'a [Param]) -> &'a str {
        self.get(name)
            .or_else(|| known.iter().find(|p| p.name == name).map(|p| p.default))
            .unwrap_or("")
    }

    /// A whole number from `min` to `max`.
    ///
    /// # Errors
    /// [`KernelError::BadParam`].
    pub fn number(
        &self,
        name: &str,
        known: &[Param],
        min: u64,
        max: u64,
    ) -> Result<u64, KernelError> {
        let text = self.text(name, known);
        match text.parse::<u64>() {
            Ok(v) if (min..=max).contains(&v) => Ok(v),
            _ => Err(KernelError::BadParam {
                name: name.to_owned(),
                found: text.to_owned(),
                expected: format!("a whole number from {min} to {max}"),
            }),
        }
    }
}
