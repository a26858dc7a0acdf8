//! The files that this binary carries, so that it needs no clone: the kernels with all that is known of them, and the book's pages. Each of the two is unpacked once, into the user's folder for caches, where it is first needed.

use crate::pack::{Pack, PackError};
use crate::partial::Partial;
use cornerturn::{Error, Result, paths};
use cornerturn_basics::system::cache_folder;
use std::fs;
use std::path::PathBuf;

/// What the build gave in `CORNERTURN_PACK`, a folder with the two packs.
#[cfg(packed)]
const PACKS: Option<[&[u8]; 2]> = Some([
    include_bytes!(env!("CORNERTURN_PROJECT_PACK")),
    include_bytes!(env!("CORNERTURN_PAGES_PACK")),
]);
#[cfg(not(packed))]
const PACKS: Option<[&[u8]; 2]> = None;

/// Names the folder that they are unpacked below, in the place of the user's for caches.
const CACHE: &str = "CORNERTURN_CACHE";

/// Files that this binary carries.
#[derive(Debug, Clone, Copy)]
pub struct Carried {
    /// What they are, as the beginning of their folder's name.
    name: &'static str,
    /// One of them, without which the others are none.
    mark: &'static str,
    pack: Pack<'static>,
}

/// The kernels, their registry and exercises, and the records; nothing in a binary that was built for a clone.
pub fn project() -> Option<Carried> {
    PACKS.map(|[project, _]| Carried {
        name: "project",
        mark: paths::MARK,
        pack: Pack::new(project),
    })
}

/// The pages of the book.
pub fn pages() -> Option<Carried> {
    PACKS.map(|[_, pages]| Carried {
        name: "pages",
        mark: "index.html",
        pack: Pack::new(pages),
    })
}

/// Tells the library of them.
pub fn announce() {
    if PACKS.is_some() {
        paths::carry(|| match project() {
            Some(project) => project.folder(),
            None => Err(Error::NoFiles("this binary carries no files".to_string())),
        });
    }
}

impl Carried {
    /// The folder that has them, unpacked if they are not there yet.
    ///
    /// # Errors
    /// [`Error::NoFiles`], with the next step.
    pub fn folder(&self) -> Result<PathBuf> {
        let parent = parent()?;
        let folder = parent.join(format!("{}-{}", self.name, self.pack.name()));
        let is_there = || folder.join(self.mark).is_file();
        if is_there() {
            return Ok(folder);
        }
        let unwritable = |path: &PathBuf, source| {
            refused(PackError::Unwritable {
                path: path.clone(),
                source,
            })
        };
        fs::create_dir_all(&parent).map_err(|error| unwritable(&parent, error))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let partial = Partial::new(&parent, &name).map_err(|error| unwritable(&parent, error))?;
        self.pack.unpack(partial.path()).map_err(refused)?;
        partial
            .put_at(&folder, is_there)
            .map_err(|error| unwritable(&folder, error))?;
        Ok(folder)
    }

    /// Writes them into another folder.
    ///
    /// # Errors
    /// As [`Pack::unpack`].
    pub fn unpack(&self, into: &std::path::Path) -> std::result::Result<(), PackError> {
        self.pack.unpack(into)
    }
}

/// The folder that all are unpacked below.
fn parent() -> Result<PathBuf> {
    let named = std::env::var_os(CACHE).filter(|folder| !folder.is_empty());
    let folder = match named {
        Some(folder) => std::path::absolute(folder).ok(),
        None => cache_folder().map(|folder| folder.join("cornerturn")),
    };
    folder.ok_or_else(|| {
        let home = if cfg!(windows) { "LOCALAPPDATA" } else { "HOME" };
        Error::NoFiles(format!(
            "this program has to unpack its files, and knows no folder for that; set {CACHE} to one, or {home}"
        ))
    })
}

/// Says why the files are not there, and what to do.
fn refused(error: PackError) -> Error {
    Error::NoFiles(match error {
        PackError::Damaged => {
            format!(
                "this program is damaged: of the files that it carries, {error}; install it again"
            )
        }
        PackError::Unwritable { .. } => format!(
            "cannot unpack the files that this program carries: {error}; make that possible, or set {CACHE} to \
             another folder"
        ),
        PackError::Interrupted => "interrupted".to_string(),
    })
}
