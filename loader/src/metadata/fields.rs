//! Taking known keys out of a MessagePack map, and putting them back.

use rmpv::Value;

use super::MetadataError;

/// A map whose known keys are taken one by one.
pub(super) struct FieldReader {
    path: String,
    entries: Vec<(Value, Value)>,
}

impl FieldReader {
    pub(super) fn new(path: &str, value: Value) -> Result<FieldReader, MetadataError> {
        match value {
            Value::Map(entries) => {
                // The second of two would come back as the first once it is written.
                let mut seen = std::collections::HashSet::new();
                for (key, _) in &entries {
                    if key.as_str().is_some_and(|k| !seen.insert(k)) {
                        let path = if path.is_empty() { "(root)" } else { path };
                        return Err(wrong(path, "a map without the same key twice", key));
                    }
                }
                Ok(FieldReader {
                    path: path.to_owned(),
                    entries,
                })
            }
            other => Err(wrong(
                if path.is_empty() { "(root)" } else { path },
                "a map",
                &other,
            )),
        }
    }

    /// What was not taken.
    pub(super) fn rest(self) -> Vec<(Value, Value)> {
        self.entries
    }

    /// The error for a key that has to be there.
    pub(super) fn require<T>(
        &self,
        key: &str,
        expected: &'static str,
        value: Option<T>,
    ) -> Result<T, MetadataError> {
        value.ok_or_else(|| MetadataError::Missing {
            path: self.at(key),
            expected,
        })
    }

    pub(super) fn string(&mut self, key: &str) -> Result<Option<String>, MetadataError> {
        self.typed(key, "a string", string_of)
    }

    pub(super) fn integer(&mut self, key: &str) -> Result<Option<u64>, MetadataError> {
        self.typed(key, "an unsigned integer", |v| v.as_u64())
    }

    pub(super) fn boolean(&mut self, key: &str) -> Result<Option<bool>, MetadataError> {
        self.typed(key, "a boolean", |v| v.as_bool())
    }

    pub(super) fn integers(&mut self, key: &str) -> Result<Option<Vec<u64>>, MetadataError> {
        self.typed(key, "a list of unsigned integers", |v| {
            v.as_array()?.iter().map(Value::as_u64).collect()
        })
    }

    pub(super) fn strings(&mut self, key: &str) -> Result<Option<Vec<String>>, MetadataError> {
        self.typed(key, "a list of strings", |v| {
            v.as_array()?.iter().map(string_of).collect()
        })
    }

    /// A list of maps, each read by `read` with its own path.
    pub(super) fn list<T>(
        &mut self,
        key: &str,
        read: impl Fn(FieldReader) -> Result<T, MetadataError>,
    ) -> Result<Option<Vec<T>>, MetadataError> {
        let path = self.at(key);
        match self.take(key) {
            None => Ok(None),
            Some(Value::Array(items)) => {
                let item = |(i, v)| read(FieldReader::new(&format!("{path}[{i}]"), v)?);
                items
                    .into_iter()
                    .enumerate()
                    .map(item)
                    .collect::<Result<_, _>>()
                    .map(Some)
            }
            Some(other) => Err(wrong(&path, "a list", &other)),
        }
    }

    fn typed<T>(
        &mut self,
        key: &str,
        expected: &'static str,
        convert: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, MetadataError> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => convert(&value)
                .map(Some)
                .ok_or_else(|| wrong(&self.at(key), expected, &value)),
        }
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        let at = self
            .entries
            .iter()
            .position(|(k, _)| k.as_str() == Some(key))?;
        Some(self.entries.remove(at).1)
    }

    /// Kernel and argument keys begin with a dot, the note's own do not.
    fn at(&self, key: &str) -> String {
        format!("{}{key}", self.path)
    }
}

/// A map to which keys are added in any order.
pub(super) struct FieldWriter {
    entries: Vec<(Value, Value)>,
}

impl FieldWriter {
    pub(super) fn new(other: &[(Value, Value)]) -> FieldWriter {
        FieldWriter {
            entries: other.to_vec(),
        }
    }

    pub(super) fn put(&mut self, key: &str, value: Value) {
        self.entries.push((key.into(), value));
    }

    pub(super) fn put_some<T>(&mut self, key: &str, value: &Option<T>)
    where
        T: Clone + Into<Value>,
    {
        if let Some(value) = value {
            self.put(key, value.clone().into());
        }
    }

    /// LLVM keeps document maps sorted by key, so objects of one content have one encoding.
    pub(super) fn finish(mut self) -> Value {
        self.entries
            .sort_by(|(a, _), (b, _)| a.as_str().cmp(&b.as_str()));
        Value::Map(self.entries)
    }
}

pub(super) fn integers(values: &[u64]) -> Value {
    Value::Array(values.iter().map(|v| Value::from(*v)).collect())
}

pub(super) fn strings(values: &[String]) -> Value {
    Value::Array(values.iter().map(|v| Value::from(v.as_str())).collect())
}

fn string_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn wrong(path: &str, expected: &'static str, found: &Value) -> MetadataError {
    let mut found = found.to_string();
    if let Some((cut, _)) = found.char_indices().nth(60) {
        found.truncate(cut);
        found.push('…');
    }
    MetadataError::WrongType {
        path: path.to_owned(),
        expected,
        found,
    }
}
