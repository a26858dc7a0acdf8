//! Files that nobody ever sees half of.

use std::path::Path;
use std::{fs, io};

/// Replaces a file by a whole new one: written beside its place, then renamed into it. Folders that lack are made; a
/// failed write leaves the old file, and nothing beside it.
///
/// # Errors
/// Those of the file system.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    written.inspect_err(|_| {
        // It may not even exist.
        let _ = fs::remove_file(&part);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_fails_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("cornerturn-files-{}", std::process::id()));
        let file = folder.join("new/file.txt");
        write_whole(&file, b"one").unwrap();
        write_whole(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        // A folder stands where the file should go.
        let taken = folder.join("taken");
        fs::create_dir_all(taken.join("inside")).unwrap();
        assert!(write_whole(&taken, b"three").is_err());
        let mut left: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["new", "taken"]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
