//! Files as text, as tables and written whole, with errors that name them. How they are read and written safely lives in the package of basics.

use crate::error::{Error, Result};
use crate::given;
use serde::de::DeserializeOwned;
use std::path::Path;

/// The text of a file, with an error that names it.
///
/// # Errors
/// [`Error::File`] where it cannot be read or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    if let Some(root) = given::root()
        && path.starts_with(root)
    {
        return given::text(path).ok_or_else(|| Error::file(path, "was not given"));
    }
    let bytes = cornerturn_basics::read_limited(path).map_err(|error| Error::file(path, error))?;
    String::from_utf8(bytes).map_err(|error| {
        Error::file(
            path,
            format!(
                "is not UTF-8 text (byte {})",
                error.utf8_error().valid_up_to()
            ),
        )
    })
}

/// What a TOML file holds.
pub fn read_table<T: DeserializeOwned>(path: &Path) -> Result<T> {
    read_table_text(path)?.parse(path)
}

/// The text of a TOML file. Among files that were given, the same as JSON lies in its place, so that a page's module needs
/// no parser of TOML.
pub fn read_table_text(path: &Path) -> Result<TableText> {
    match given::text(&path.with_extension("json")) {
        Some(text) => Ok(TableText::Json(text)),
        None => read_text(path).map(TableText::Toml),
    }
}

/// The text of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableText {
    /// As JSON: one of the files that were given.
    Json(String),
    /// As TOML, from a disk.
    Toml(String),
}

impl TableText {
    /// What it holds; errors name the file.
    pub fn parse<T: DeserializeOwned>(&self, path: &Path) -> Result<T> {
        match self {
            Self::Json(text) => read_json(text).map_err(|error| Error::file(path, error)),
            #[cfg(feature = "driver")]
            Self::Toml(text) => toml::from_str(text).map_err(|error| Error::file(path, error)),
            #[cfg(not(feature = "driver"))]
            Self::Toml(_) => Err(Error::file(path, "was not given")),
        }
    }
}

/// What a text of JSON holds. By way of a tree, so that there is one parser and not one for each type: a page's module has
/// to be small.
pub fn read_json<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_value(serde_json::from_str(text)?)
}

/// Replaces a file by a whole new one: it is either the old one or the new one, never half of one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    cornerturn_basics::write_whole(path, bytes).map_err(|error| Error::Unwritable {
        file: path.to_path_buf(),
        reason: error.to_string(),
    })
}
