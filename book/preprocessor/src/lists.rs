//! Reads a list of tables in a TOML file: the registry of kernels, the list of exercises. What a table says is theirs.

use crate::error::{Error, Result};
use std::fs;
use std::path::Path;

/// The tables of the list `key` in the TOML file at `path`; an error calls the file `file`.
pub(crate) fn read_list(path: &Path, file: &Path, key: &str) -> Result<Vec<toml::Value>> {
    let text = fs::read_to_string(path).map_err(Error::io(path))?;
    let mut table: toml::Table = text.parse().map_err(|e: toml::de::Error| Error::Registry {
        file: file.to_owned(),
        problem: e.to_string(),
    })?;
    Ok(match table.remove(key) {
        Some(toml::Value::Array(list)) => list,
        _ => Vec::new(),
    })
}
