//! Keeps what cells gave on this machine, by their keys and the device. Runs nothing; what a key
//! stands for is `keys`'.

use crate::error::{Error, Result};
use crate::hasher::Hasher;
use crate::keys::Key;
use crate::outcome::CellOutput;
use cornerturn_basics::hex;
use std::fs;
use std::path::{Path, PathBuf};

/// What one project's cells gave on one device.
pub(crate) struct Cache {
    folder: PathBuf,
    device_key: String,
}

impl Cache {
    /// The cache of the project at `root` for a device.
    pub(crate) fn of(root: &Path, device_key: &str) -> Cache {
        Cache {
            folder: root.join("target/book/cells"),
            device_key: device_key.to_owned(),
        }
    }

    /// What is stored under all of the keys, or nothing if one is missing: a session runs all of a
    /// chapter's cells or none. An entry that cannot be read counts as missing.
    pub(crate) fn load(&self, keys: &[Key]) -> Option<Vec<CellOutput>> {
        keys.iter()
            .map(|key| {
                let text = fs::read_to_string(self.file(key)).ok()?;
                serde_json::from_str(&text).ok()
            })
            .collect()
    }

    /// Stores what a cell gave.
    pub(crate) fn store(&self, key: &Key, output: &CellOutput) -> Result<()> {
        let path = self.file(key);
        let text = serde_json::to_string(output).map_err(|e| Error::Io {
            path: path.clone(),
            source: e.into(),
        })?;
        write_whole(&path, text.as_bytes())
    }

    fn file(&self, key: &Key) -> PathBuf {
        let mut hasher = Hasher::new();
        hasher
            .part(self.device_key.as_bytes())
            .part(key.whole.as_bytes());
        self.folder.join(format!("{}.json", hex(&hasher.finish())))
    }
}

/// Writes a file so that nobody ever sees half of it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    cornerturn_basics::write_whole(path, bytes).map_err(Error::io(path))
}
