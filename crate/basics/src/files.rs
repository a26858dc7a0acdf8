//! Files that a user names: written so that nobody ever sees half of one, read so that none takes all the memory.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The most that is read of one file.
pub const MOST_FILE_BYTES: u64 = 256 << 20;

/// The most links that lead to one file, as in Linux.
const MOST_LINKS: usize = 40;

/// How many files were begun.
static PARTS: AtomicU64 = AtomicU64::new(0);

/// Replaces a file by a whole new one: written beside its place, then renamed into it. Folders that lack are made; a
/// failed write leaves the old file, and nothing beside it. Links are followed and stay; what is no regular file, such
/// as a device or a pipe, is written into.
///
/// # Errors
/// Those of the file system.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let Place { path, is_open } = place(path)?;
    let old = match fs::metadata(&path) {
        Ok(old) if is_open || !(old.is_file() || old.is_dir()) => {
            let mut file = OpenOptions::new().append(is_open).write(true).open(&path)?;
            return file.write_all(bytes);
        }
        Ok(old) if old.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    // Another thread may be writing the same file.
    let number = PARTS.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}-{number}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = fs::write(&part, bytes)
        .and_then(|()| match &old {
            // Who could read the old file can read the new one, and nobody else.
            Some(old) => fs::set_permissions(&part, old.permissions()),
            None => Ok(()),
        })
        .and_then(|()| fs::rename(&part, &path));
    written.inspect_err(|_| {
        // It may not even exist.
        let _ = fs::remove_file(&part);
    })
}

/// Where a path leads.
struct Place {
    path: PathBuf,
    /// It names a file that this process has open, such as `/dev/stdout`: what was written there stays.
    is_open: bool,
}

/// Follows links, to a file that may not exist yet.
fn place(path: &Path) -> io::Result<Place> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name())
            && let Ok(folder) = folder.canonicalize()
            && folder.starts_with("/proc")
        {
            let path = folder.join(name);
            return Ok(Place {
                path,
                is_open: true,
            });
        }
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => {
                return Ok(Place {
                    path,
                    is_open: false,
                });
            }
        }
    }
    Err(io::Error::other("too many links lead from one to the next"))
}

/// A file's bytes. Devices are refused, and so is what holds more than [`MOST_FILE_BYTES`]; a pipe may be read.
///
/// # Errors
/// Those of the file system, and [`io::ErrorKind::InvalidInput`] for what is refused.
pub fn read_limited(path: &Path) -> io::Result<Vec<u8>> {
    let refused = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() && !is_pipe(metadata.file_type()) {
        return Err(refused("is a device, and no file".to_string()));
    }
    let too_large = || {
        refused(format!(
            "holds more than {} MiB, the most that is read of one file",
            MOST_FILE_BYTES >> 20
        ))
    };
    if metadata.len() > MOST_FILE_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // Files of the system say that they are empty, and a file may grow.
    File::open(path)?
        .take(MOST_FILE_BYTES + 1)
        .read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST_FILE_BYTES {
        true => Err(too_large()),
        false => Ok(bytes),
    }
}

#[cfg(unix)]
fn is_pipe(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_kind: FileType) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for a test, which goes with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("cornerturn-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }

        fn names(&self) -> Vec<std::ffi::OsString> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn threads_that_write_the_same_file_leave_one_whole() {
        let folder = std::env::temp_dir().join(format!("cornerturn-same-{}", std::process::id()));
        let file = folder.join("file");
        std::thread::scope(|scope| {
            for byte in 0..8_u8 {
                let file = &file;
                scope.spawn(move || {
                    for _ in 0..50 {
                        write_whole(file, &[byte; 4096]).unwrap();
                    }
                });
            }
        });
        let bytes = fs::read(&file).unwrap();
        assert_eq!(bytes.len(), 4096);
        assert!(bytes.iter().all(|byte| *byte == bytes[0]));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no part is left");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_write_that_fails_leaves_nothing_behind() {
        let folder = Folder::new("files");
        let file = folder.0.join("new/file.txt");
        write_whole(&file, b"one").unwrap();
        write_whole(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        // A folder stands where the file should go.
        let taken = folder.0.join("taken");
        fs::create_dir_all(taken.join("inside")).unwrap();
        assert!(write_whole(&taken, b"three").is_err());
        assert_eq!(folder.names(), ["new", "taken"]);
    }

    #[test]
    fn a_file_larger_than_the_limit_is_refused_before_it_is_read() {
        let folder = Folder::new("large");
        let file = folder.0.join("sparse");
        File::create(&file)
            .and_then(|file| file.set_len(MOST_FILE_BYTES + 1))
            .unwrap();
        let error = read_limited(&file).unwrap_err();
        assert!(error.to_string().contains("256 MiB"), "{error}");
        assert!(read_limited(&folder.0).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_lead_to_what_is_written() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new("links");
        let path = |name: &str| folder.0.join(name);
        fs::write(path("file"), "old").unwrap();
        fs::set_permissions(path("file"), fs::Permissions::from_mode(0o600)).unwrap();
        symlink("file", path("near")).unwrap();
        symlink(path("near"), path("far")).unwrap();
        symlink("missing", path("dangling")).unwrap();
        symlink("round", path("round")).unwrap();
        write_whole(&path("far"), b"new").unwrap();
        write_whole(&path("dangling"), b"made").unwrap();
        assert!(write_whole(&path("round"), b"never").is_err());
        for (name, bytes) in [("file", "new"), ("missing", "made")] {
            assert_eq!(fs::read_to_string(path(name)).unwrap(), bytes);
            assert!(path(name).symlink_metadata().unwrap().is_file());
        }
        let mode = path("file").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        for name in ["near", "far", "dangling", "round"] {
            assert!(path(name).symlink_metadata().unwrap().is_symlink());
        }
        assert_eq!(folder.names().len(), 6);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_is_written_into_and_a_device_is_not_read() {
        use std::os::unix::fs::FileTypeExt;
        let folder = Folder::new("pipe");
        let pipe = folder.0.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || read_limited(&pipe).unwrap()
        });
        write_whole(&pipe, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo());
        write_whole(Path::new("/dev/null"), b"gone").unwrap();
        let null = fs::metadata("/dev/null").unwrap();
        assert!(null.file_type().is_char_device());
        for device in ["/dev/zero", "/dev/null"] {
            let error = read_limited(Path::new(device)).unwrap_err();
            assert!(error.to_string().contains("device"), "{error}");
        }
    }
}
