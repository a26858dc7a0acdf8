//! A line of a chapter's source, which errors and problems name.

use std::fmt;
use std::path::PathBuf;

/// A line of a chapter's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The chapter's file, relative to the project's root.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}
