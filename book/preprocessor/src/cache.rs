//! Keeps what cells gave, by the hash of everything that it depends on: the chapter's cells so far,
//! the kernels and records that the chapter names, the crate, the device. Runs nothing.

use crate::chapter::{Chapter, Item, Runnable};
use crate::error::{Error, Result};
use crate::kernels::Registry;
use crate::outcome::CellOutput;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// Part of every key: raise it when the way cells are run, or what is kept of them, changes.
const FORMAT: &str = "cells 1";

/// The stored outputs of one project's cells.
pub(crate) struct Cache {
    root: PathBuf,
    folder: PathBuf,
    /// The hash of all that every chapter's cells depend on.
    common: [u8; 32],
}

/// Hashes parts so that no two lists of parts collide by concatenation.
struct Hasher(Sha256);

impl Hasher {
    fn new() -> Self {
        Hasher(Sha256::new())
    }

    fn part(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// A file, or every file of a folder, with its path. What is not there is hashed as absent.
    fn path(&mut self, root: &Path, relative: &Path) -> Result<&mut Self> {
        let path = root.join(relative);
        if path.is_dir() {
            for entry in sorted_entries(&path)? {
                self.path(root, &relative.join(entry))?;
            }
        } else if path.is_file() {
            self.part(relative.to_string_lossy().as_bytes());
            self.part(&fs::read(&path).map_err(Error::io(&path))?);
        } else {
            self.part(relative.to_string_lossy().as_bytes())
                .part(b"absent");
        }
        Ok(self)
    }

    fn finish(&self) -> [u8; 32] {
        self.0.clone().finalize().into()
    }
}

/// The names in a folder, in order.
fn sorted_entries(folder: &Path) -> Result<Vec<std::ffi::OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
        names.push(entry.map_err(Error::io(folder))?.file_name());
    }
    names.sort();
    Ok(names)
}

impl Cache {
    /// Opens the cache of the project at `root` for a device.
    pub(crate) fn open(root: &Path, device_key: &str) -> Result<Cache> {
        let mut hasher = Hasher::new();
        hasher
            .part(FORMAT.as_bytes())
            .part(env!("CARGO_PKG_VERSION").as_bytes());
        hasher.part(device_key.as_bytes());
        for path in [
            "crate/src",
            "crate/Cargo.toml",
            "crate/emulator/src",
            "crate/emulator/Cargo.toml",
            "Cargo.toml",
            "Cargo.lock",
        ] {
            hasher.path(root, Path::new(path))?;
        }
        Ok(Cache {
            root: root.to_owned(),
            folder: root.join("target/book/cells"),
            common: hasher.finish(),
        })
    }

    /// One key for each of the chapter's cells, in order.
    pub(crate) fn keys(&self, chapter: &Chapter, registry: &Registry) -> Result<Vec<String>> {
        let cells = chapter.runnables();
        let mut hasher = Hasher::new();
        hasher.part(&self.common);
        for id in kernels_named(chapter, &cells, registry) {
            hasher.part(id.as_bytes());
            for part in registry.fingerprint(&id) {
                hasher.part(&part);
            }
        }
        for record in records_named(&self.root, &cells)? {
            hasher.path(&self.root, &record)?;
        }
        Ok(cells
            .iter()
            .map(|cell| {
                hasher
                    .part(cell.source.as_bytes())
                    .part(&[u8::from(cell.expects_error)]);
                hex(&hasher.finish())
            })
            .collect())
    }

    /// What is stored under all of the keys, or nothing if one is missing: a session runs all of a
    /// chapter's cells or none. An entry that cannot be read counts as missing.
    pub(crate) fn load(&self, keys: &[String]) -> Option<Vec<CellOutput>> {
        keys.iter()
            .map(|key| {
                let text = fs::read_to_string(self.file(key)).ok()?;
                serde_json::from_str(&text).ok()
            })
            .collect()
    }

    /// Stores what a cell gave.
    pub(crate) fn store(&self, key: &str, output: &CellOutput) -> Result<()> {
        let path = self.file(key);
        let text = serde_json::to_string(output).map_err(|e| Error::Io {
            path: path.clone(),
            source: e.into(),
        })?;
        write_atomically(&path, text.as_bytes())
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}

/// The kernels that a chapter's outputs may depend on: those it places, those whose id it quotes,
/// and all of them where it reads the registry.
fn kernels_named(chapter: &Chapter, cells: &[Runnable], registry: &Registry) -> Vec<String> {
    let placed = |id: &str| {
        chapter
            .items
            .iter()
            .any(|item| matches!(item, Item::Kernel(k) if k.kernel.id == id))
    };
    let quoted = |id: &str| {
        let quoted = format!("\"{id}\"");
        cells.iter().any(|cell| cell.source.contains(&quoted))
    };
    let all = cells.iter().any(|cell| cell.source.contains("Registry"));
    let ids = registry.ids().filter(|id| all || placed(id) || quoted(id));
    ids.map(str::to_owned).collect()
}

/// The files of `book/results` that cells may read: none without a `Record`, those whose name is
/// quoted, or all of them where the names are not to be seen.
fn records_named(root: &Path, cells: &[Runnable]) -> Result<Vec<PathBuf>> {
    if !cells.iter().any(|cell| cell.source.contains("Record")) {
        return Ok(Vec::new());
    }
    let relative = Path::new("book/results");
    let mut all = Vec::new();
    if root.join(relative).is_dir() {
        files_below(root, relative, &mut all)?;
    }
    let named: Vec<_> = all
        .iter()
        .filter(|path| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let quoted = format!("\"{stem}\"");
            cells.iter().any(|cell| cell.source.contains(&quoted))
        })
        .cloned()
        .collect();
    Ok(if named.is_empty() { all } else { named })
}

fn files_below(root: &Path, relative: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for name in sorted_entries(&root.join(relative))? {
        let relative = relative.join(name);
        if root.join(&relative).is_dir() {
            files_below(root, &relative, files)?;
        } else {
            files.push(relative);
        }
    }
    Ok(())
}

/// Writes a file so that nobody ever sees half of it.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let scratch = folder.join(format!(".{name}.{}", std::process::id()));
    fs::write(&scratch, bytes).map_err(Error::io(&scratch))?;
    fs::rename(&scratch, path).map_err(Error::io(path))
}

/// Hexadecimal digits of a hash.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
