//! A folder that is filled aside, and put in its place when it is whole: nobody sees half of it, and what a killed process has left goes away.

use crate::system;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A folder that goes away again unless it is put in its place.
pub struct Partial(PathBuf);

impl Partial {
    /// A new one in `parent`, for a folder of that name.
    pub fn new(parent: &Path, name: &str) -> io::Result<Self> {
        remove_leftovers(parent, name);
        let path = parent.join(format!("{name}.partial-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Puts it at `folder`, which is replaced; unless `is_there`, as another process was faster.
    pub fn put_at(self, folder: &Path, is_there: impl Fn() -> bool) -> io::Result<()> {
        if is_there() {
            return Ok(());
        }
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        match fs::rename(&self.0, folder) {
            // It came just now.
            Err(_) if is_there() => Ok(()),
            done => done,
        }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Gone already after a rename; if it cannot be removed, the next one of its name does it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes what killed processes have left.
fn remove_leftovers(parent: &Path, name: &str) {
    let prefix = format!("{name}.partial-");
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let Some(process) = file.to_str().and_then(|name| name.strip_prefix(&prefix)) else {
            continue;
        };
        if is_abandoned(process, &entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether nobody fills a folder any more. Where the system does not tell which processes run, an hour is enough.
fn is_abandoned(process: &str, folder: &Path) -> bool {
    if cfg!(unix) {
        return !system::runs(process);
    }
    let modified = fs::metadata(folder).and_then(|data| data.modified());
    let age = modified.ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age > Duration::from_secs(3600))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_comes_whole_or_not_at_all() {
        let parent =
            std::env::temp_dir().join(format!("cornerturn-partial-{}", std::process::id()));
        let folder = parent.join("ä b");
        let fill = || {
            let partial = Partial::new(&parent, "ä b").unwrap();
            fs::write(partial.path().join("file"), "text").unwrap();
            partial
        };
        drop(fill());
        assert!(!folder.exists());
        fill().put_at(&folder, || folder.exists()).unwrap();
        fill().put_at(&folder, || folder.exists()).unwrap();
        fill().put_at(&folder, || false).unwrap();
        let names = || fs::read_dir(&parent).unwrap().count();
        assert_eq!((names(), folder.join("file").is_file()), (1, true));
        if cfg!(unix) {
            let mut ended = std::process::Command::new("true").spawn().unwrap();
            ended.wait().unwrap();
            fs::create_dir(parent.join(format!("ä b.partial-{}", ended.id()))).unwrap();
            drop(fill());
            assert_eq!(names(), 1);
        }
        fs::remove_dir_all(&parent).unwrap();
    }
}
