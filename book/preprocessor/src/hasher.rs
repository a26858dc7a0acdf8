//! Hashes of parts and files, the same whichever machine makes them. What is hashed is `keys`' and `library`'s.

use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// Hashes parts so that no two lists of parts collide by concatenation.
pub(crate) struct Hasher(Sha256);

impl Hasher {
    pub(crate) fn new() -> Self {
        Hasher(Sha256::new())
    }

    pub(crate) fn part(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// A file with its path. What is not there is hashed as absent.
    pub(crate) fn path(&mut self, root: &Path, relative: &Path) -> Result<&mut Self> {
        let path = root.join(relative);
        self.part(relative.to_string_lossy().as_bytes());
        Ok(if path.is_file() {
            self.part(&fs::read(&path).map_err(Error::io(&path))?)
        } else {
            self.part(b"absent")
        })
    }

    pub(crate) fn finish(&self) -> [u8; 32] {
        self.0.clone().finalize().into()
    }
}

/// The files below a folder of the project, in order, relative to the root; none if it is not there.
pub(crate) fn files_below(root: &Path, relative: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let folder = root.join(relative);
    if !folder.is_dir() {
        return Ok(());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(Error::io(&folder))? {
        names.push(entry.map_err(Error::io(&folder))?.file_name());
    }
    names.sort();
    for name in names {
        let relative = relative.join(name);
        if root.join(&relative).is_dir() {
            files_below(root, &relative, files)?;
        } else {
            files.push(relative);
        }
    }
    Ok(())
}
