//! Notices that a source of the pages changed, by looking. Builds nothing.

use crate::library::library_sources;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often sources are looked at, and how long they must rest before a build.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(400);
/// Watched below the project's root, with what the library is built from: what pages are made of.
const SOURCES: [&str; 6] = [
    "book.toml",
    "book/src",
    "book/theme",
    "book/results",
    "kernels",
    "crate/page/script",
];

/// The time and size of every source.
pub(crate) type Snapshot = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

pub(crate) fn snapshot(root: &Path) -> Snapshot {
    let mut files = Snapshot::new();
    let sources = SOURCES.iter().map(PathBuf::from);
    for source in sources.chain(library_sources(root)) {
        look(&root.join(source), &mut files);
    }
    files
}

fn look(path: &Path, files: &mut Snapshot) {
    // A file that vanishes while it is looked at is simply not there.
    let Ok(metadata) = fs::metadata(path) else {
        return;
    };
    if metadata.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            // Editors keep their own files beside the one they write.
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if !name.starts_with('.') && !name.ends_with('~') {
                look(&entry.path(), files);
            }
        }
    } else {
        files.insert(path.to_owned(), (metadata.modified().ok(), metadata.len()));
    }
}

pub(crate) fn first_change(old: &Snapshot, new: &Snapshot) -> Option<PathBuf> {
    let changed = new
        .iter()
        .find(|(path, state)| old.get(*path) != Some(state));
    let gone = || old.iter().find(|(path, _)| !new.contains_key(*path));
    changed.or_else(gone).map(|(path, _)| path.clone())
}

/// Waits until nothing changes between two looks: an editor may write several files.
pub(crate) fn settled(root: &Path, mut last: Snapshot) -> Snapshot {
    loop {
        std::thread::sleep(LOOK_EVERY / 4);
        let now = snapshot(root);
        if now == last {
            return now;
        }
        last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_new_changed_and_removed_sources() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let chapters = folder.path().join("book/src");
        fs::create_dir_all(&chapters).expect("a folder");
        let (one, two) = (chapters.join("one.md"), chapters.join("two.md"));
        fs::write(&one, "1").expect("a file");
        let before = snapshot(folder.path());
        assert_eq!(first_change(&before, &snapshot(folder.path())), None);
        fs::write(&two, "2").expect("a file");
        let added = snapshot(folder.path());
        assert_eq!(first_change(&before, &added), Some(two.clone()));
        fs::write(&two, "22").expect("a file");
        assert_eq!(
            first_change(&added, &snapshot(folder.path())),
            Some(two.clone())
        );
        fs::remove_file(&one).expect("a file");
        fs::write(&two, "2").expect("a file");
        assert!(first_change(&added, &snapshot(folder.path())).is_some());
    }
}
