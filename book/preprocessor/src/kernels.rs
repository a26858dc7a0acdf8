//! Reads the registry for what a chapter needs of a kernel: its id, its file, its source. What the
//! kernels claim and how they launch is the crate's affair; the exercises are read by `exercises`.

use crate::error::{Error, Place, Result};
use crate::exercises::Exercises;
use crate::lists::read_list;
use std::fs;
use std::path::{Path, PathBuf};

/// A kernel as a chapter shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Its id in the registry.
    pub id: String,
    /// Its file, relative to the project's root, with forward slashes.
    pub file: String,
    /// The CUDA C++ source, to the last byte.
    pub source: String,
    /// The name of its function, where the file holds other kernels' functions too.
    pub entry: Option<String>,
}

/// What chapters may place: the kernels of the registry `kernels/kernels.toml`, and the exercises.
#[derive(Clone, Debug)]
pub struct Registry {
    /// The exercises.
    pub exercises: Exercises,
    folder: PathBuf,
    /// The project's root.
    pub(crate) root: PathBuf,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    id: String,
    file: String,
    /// The name of the function.
    entry: String,
    /// The page that it belongs to, without `.md`.
    chapter: Option<String>,
    /// The whole entry, as text: part of the cache key of what uses the kernel.
    table: String,
}

impl Registry {
    /// Reads `kernels/kernels.toml` and `kernels/exercises` below `root`. A project without them has
    /// no kernels and no exercises.
    pub fn load(root: &Path) -> Result<Registry> {
        let folder = root.join("kernels");
        let path = folder.join("kernels.toml");
        let exercises = Exercises::load(root)?;
        if !path.exists() {
            return Ok(Registry {
                exercises,
                folder,
                root: root.to_owned(),
                entries: Vec::new(),
            });
        }
        let broken = |problem: String| Error::Registry {
            file: path.clone(),
            problem,
        };
        let mut entries = Vec::new();
        let mut tables = Vec::new();
        for key in ["kernel", "work", "product"] {
            let list = read_list(&path, &path, key)?;
            tables.extend(list.into_iter().map(|entry| (key, entry)));
        }
        for (key, entry) in tables {
            let field = |name: &str| {
                entry
                    .get(name)
                    .and_then(|value| value.as_str())
                    .map(str::to_owned)
                    .ok_or_else(|| {
                        broken(format!("a [[{key}]] has no `{name}`, or it is no string"))
                    })
            };
            let id = field("id")?;
            entries.push(Entry {
                file: field("file")?,
                // A registry that names no function is the library's to refuse.
                entry: field("entry").unwrap_or_else(|_| id.clone()),
                chapter: field("chapter").ok(),
                id,
                table: entry.to_string(),
            });
        }
        Ok(Registry {
            exercises,
            folder,
            root: root.to_owned(),
            entries,
        })
    }

    /// The kernel `id`, for the directive at `place`.
    pub fn kernel(&self, id: &str, place: Place) -> Result<Kernel> {
        let Some(entry) = self.entries.iter().find(|entry| entry.id == id) else {
            let known: Vec<_> = self.entries.iter().map(|entry| entry.id.as_str()).collect();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            return Err(Error::UnknownKernel {
                place,
                id: id.to_owned(),
                known,
            });
        };
        let path = self.folder.join(&entry.file);
        let source = fs::read_to_string(&path).map_err(|e| Error::Registry {
            file: PathBuf::from("kernels").join(&entry.file),
            problem: format!("the registry names this file for `{id}`, and it cannot be read: {e}"),
        })?;
        let is_shared = self
            .entries
            .iter()
            .any(|other| other.file == entry.file && other.entry != entry.entry);
        Ok(Kernel {
            id: id.to_owned(),
            file: format!("kernels/{}", entry.file),
            source,
            entry: is_shared.then(|| entry.entry.clone()),
        })
    }

    /// The ids of all kernels.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.id.as_str())
    }

    /// The page that the kernel `id` belongs to, without `.md`, if its entry names one.
    pub(crate) fn chapter_of(&self, id: &str) -> Option<&str> {
        let entry = self.entries.iter().find(|entry| entry.id == id)?;
        entry.chapter.as_deref()
    }

    /// Everything that an output may owe to the kernel `id`: its entry, its source, its PTX.
    pub(crate) fn fingerprint(&self, id: &str) -> Vec<Vec<u8>> {
        let Some(entry) = self.entries.iter().find(|entry| entry.id == id) else {
            return Vec::new();
        };
        let source = self.folder.join(&entry.file);
        // A missing file has its own error where it is used; here it only changes the key.
        let source_bytes = fs::read(&source).unwrap_or_default();
        let ptx_bytes = fs::read(source.with_extension("ptx")).unwrap_or_default();
        vec![entry.table.clone().into_bytes(), source_bytes, ptx_bytes]
    }
}
