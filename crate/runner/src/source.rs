//! The options `-I` and `-D`, for the verbs that compile a user's own file of CUDA C++.

use cornerturn::compile::SourceFile;
use std::path::{Path, PathBuf};

/// What is said of a file beside it.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Look in this folder too for the files that are included; may be repeated. What is included in quotation marks is looked for beside the file first
    #[arg(long = "include", short = 'I', value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// Define a macro before the first line, as 1 where no value is given; may be repeated
    #[arg(long = "define", short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    defines: Vec<(String, String)>,
}

impl Options {
    /// A file with them.
    pub fn of(&self, path: &Path) -> SourceFile {
        SourceFile {
            path: path.to_path_buf(),
            folders: self.folders.clone(),
            defines: self.defines.clone(),
        }
    }
}

/// `NAME=VALUE`, or `NAME` for `NAME=1`.
fn definition(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let is_name = name
        .chars()
        .enumerate()
        .all(|(at, c)| c == '_' || c.is_ascii_alphabetic() || (at > 0 && c.is_ascii_digit()));
    match is_name && !name.is_empty() && !value.contains(['\n', '\r', '\0']) {
        true => Ok((name.to_string(), value.to_string())),
        false => Err(format!("`{text}` is not NAME or NAME=VALUE in one line")),
    }
}
