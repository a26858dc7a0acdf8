//! A participant's progress file: read, changed under a lock, written whole. What stands in it is the library's, what is noted when the verbs'.

use crate::{exit, output};
pub use cornerturn::exercise::{Entry, Progress};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The file's name.
pub const FILE: &str = "progress.json";
/// What is locked while the file is changed: the file itself is replaced.
const LOCK: &str = ".progress.lock";
/// How long another process may take to write.
const LONGEST: Duration = Duration::from_secs(5);

/// The progress that is kept in a folder.
pub trait InFolder: Sized {
    /// What is noted in a folder, nothing where there is no file yet.
    ///
    /// # Errors
    /// A sentence that names the file.
    fn read(folder: &Path) -> Result<Self, String>;

    /// The same for a verb that only shows it: a file that cannot be read is told, and counts as none.
    fn read_or_tell(folder: &Path) -> Self;

    /// Changes what is noted of one exercise. What another process has written meanwhile stays.
    fn change(folder: &Path, id: &str, change: impl FnOnce(&mut Entry)) -> anyhow::Result<Entry>;
}

impl InFolder for Progress {
    fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join(FILE);
        let bytes = match cornerturn_basics::read_limited(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        };
        Self::parse(&String::from_utf8_lossy(&bytes))
            .map_err(|reason| format!("{} {reason}", path.display()))
    }

    fn read_or_tell(folder: &Path) -> Self {
        Self::read(folder).unwrap_or_else(|reason| {
            output::step(format!(
                "{reason}; nothing of it is shown, and the file is left as it is"
            ));
            Self::default()
        })
    }

    fn change(folder: &Path, id: &str, change: impl FnOnce(&mut Entry)) -> anyhow::Result<Entry> {
        let _lock = lock(folder)?;
        let mut progress = read_to_change(folder)?;
        progress.touch(now());
        let entry = progress.exercises.entry(id.to_string()).or_default();
        change(entry);
        let entry = entry.clone();
        output::write_whole(&folder.join(FILE), progress.to_text().as_bytes())?;
        Ok(entry)
    }
}

/// A damaged file is put aside, so that nothing of it is lost; one of another schema is refused.
fn read_to_change(folder: &Path) -> anyhow::Result<Progress> {
    let reason = match Progress::read(folder) {
        Ok(progress) => return Ok(progress),
        Err(reason) => reason,
    };
    if !reason.contains("is damaged") {
        return Err(exit::usage(reason));
    }
    let (from, to) = (folder.join(FILE), free_name(&folder.join(FILE), "damaged"));
    std::fs::rename(&from, &to)
        .map_err(|error| exit::lacks(format!("{reason}; it cannot be put aside: {error}")))?;
    output::step(format!(
        "{reason}; it was put aside as {}, and a new one is begun",
        to.display()
    ));
    Ok(Progress::default())
}

/// Waits until no other process changes the file. Where the file system knows no locks, it goes on without.
fn lock(folder: &Path) -> anyhow::Result<Option<File>> {
    let path = folder.join(LOCK);
    let file = File::create(&path)
        .map_err(|error| exit::lacks(format!("cannot write {}: {error}", path.display())))?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if start.elapsed() < LONGEST => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(exit::lacks(format!(
                    "another process has held {} for {} s; end it and try again",
                    path.display(),
                    LONGEST.as_secs()
                )));
            }
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// `NAME.WORD-1`, or the first number that is free.
pub fn free_name(path: &Path, word: &str) -> PathBuf {
    let name = |number: u32| {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{word}-{number}"));
        path.with_file_name(name)
    };
    let number = (1..).find(|&number| !name(number).exists());
    name(number.unwrap_or(u32::MAX))
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
