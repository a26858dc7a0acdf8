//! How much memory this machine has left for this process, and memory asked for by its measure. What is put there is others' business.

use crate::error::{Error, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What stays free for everything else that the process does.
const RESERVE_BYTES: u64 = 64 << 20;

/// Below this nobody is asked: it is less than the reserve.
const SMALL_BYTES: usize = 1 << 20;

/// Refuses what needs more than there is free: the system would end the process without a word, or refuse the memory
/// where nothing can be said any more. Where the system does not tell, nothing is refused.
///
/// # Errors
/// [`Error::Memory`], with both figures.
pub fn check(what: &str, bytes: usize) -> Result<()> {
    if bytes < SMALL_BYTES {
        return Ok(());
    }
    match free_bytes() {
        // More than any vector may hold.
        None if isize::try_from(bytes).is_err() => Err(lacking(what, bytes, None)),
        Some(free) if bytes as u64 > free => Err(lacking(what, bytes, Some(free))),
        _ => Ok(()),
    }
}

/// So many zeros.
///
/// # Errors
/// As [`check`].
pub fn zeros(what: &str, bytes: usize) -> Result<Vec<u8>> {
    check(what, bytes)?;
    let mut zeros = Vec::new();
    zeros
        .try_reserve_exact(bytes)
        .map_err(|_| lacking(what, bytes, None))?;
    zeros.resize(bytes, 0);
    Ok(zeros)
}

/// Memory on whole pages of its own, for a driver that is to keep them where they are.
#[derive(Debug)]
pub struct Pages {
    memory: Vec<u8>,
    start: usize,
    bytes: usize,
}

/// Pages are no smaller on any system that CUDA runs on; where they are larger, neighbours share one.
const PAGE_BYTES: usize = 4096;

impl Pages {
    /// So many zeros.
    ///
    /// # Errors
    /// As [`check`].
    pub fn new(what: &str, bytes: usize) -> Result<Self> {
        let all = bytes
            .next_multiple_of(PAGE_BYTES)
            .saturating_add(PAGE_BYTES);
        let memory = zeros(what, all)?;
        let start = memory.as_ptr().align_offset(PAGE_BYTES);
        Ok(Self {
            memory,
            // An offset that cannot be told is the largest number; unaligned pages are pages still.
            start: start.min(PAGE_BYTES),
            bytes,
        })
    }

    /// What it holds.
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.bytes]
    }

    /// What it holds, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.bytes]
    }
}

/// Memory of the host that stays where it is for as long as anybody holds it.
pub trait HostBytes: Send {
    /// All of it.
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// The same, held by a program and by what is queued on a stream.
pub type SharedHost = Arc<Mutex<dyn HostBytes>>;

/// The memory. A panic elsewhere leaves it usable: it is bytes.
pub fn lock<T: ?Sized>(host: &Mutex<T>) -> MutexGuard<'_, T> {
    host.lock().unwrap_or_else(PoisonError::into_inner)
}

/// That `what` needs so many bytes of the host's memory, of which so many are free.
pub fn lacking(what: &str, bytes: usize, free: Option<u64>) -> Error {
    Error::Memory {
        what: what.to_string(),
        bytes,
        place: "memory",
        free,
    }
}

/// The bytes that this process may still take: what the machine, its control group and its limits leave, whichever is
/// least, without a reserve. `None` where the system does not tell.
pub fn free_bytes() -> Option<u64> {
    let free = system::free_bytes()?;
    Some(free.saturating_sub(RESERVE_BYTES))
}

/// Linux tells in files (proc(5), the kernel's documentation of control groups, version 2).
#[cfg(target_os = "linux")]
mod system {
    use std::fs;
    use std::path::Path;

    pub(super) fn free_bytes() -> Option<u64> {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let machine = kilobytes(&read("/proc/meminfo"), "MemAvailable:");
        let (limits, status) = (read("/proc/self/limits"), read("/proc/self/status"));
        let left = |limit, used| {
            let used = kilobytes(&status, used)?;
            Some(soft_limit(&limits, limit)?.saturating_sub(used))
        };
        let group = || {
            let groups = read("/proc/self/cgroup");
            let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
            left_in_group(Path::new("/sys/fs/cgroup"), own)
        };
        let all = [
            machine,
            left("Max address space", "VmSize:"),
            left("Max data size", "VmData:"),
            group(),
        ];
        all.into_iter().flatten().min()
    }

    /// The bytes of a line such as `MemAvailable:  123 kB`.
    fn kilobytes(text: &str, name: &str) -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let number: u64 = line.split_whitespace().next()?.parse().ok()?;
        number.checked_mul(1024)
    }

    /// The soft limit of a line such as `Max data size  unlimited  unlimited  bytes`; `None` where there is none.
    fn soft_limit(text: &str, name: &str) -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    }

    /// What the groups from `own` upwards leave: each limits all below it.
    fn left_in_group(root: &Path, own: &str) -> Option<u64> {
        let groups = root.join(own);
        let groups = groups
            .ancestors()
            .take_while(|group| group.starts_with(root));
        groups
            .filter_map(|group| {
                let read = |name: &str| fs::read_to_string(group.join(name)).ok();
                let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
                let most = number("memory.max")?;
                let used = number("memory.current")?;
                let files = read("memory.stat").unwrap_or_default();
                // What only caches files is given back first.
                let files = files
                    .lines()
                    .find_map(|line| line.strip_prefix("inactive_file "))
                    .and_then(|bytes| bytes.trim().parse().ok())
                    .unwrap_or(0);
                Some(most.saturating_sub(used.saturating_sub(files)))
            })
            .min()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_systems_tables_are_read() {
            let text = "MemFree:  5 kB\nMemAvailable:   1234 kB\n";
            assert_eq!(kilobytes(text, "MemAvailable:"), Some(1234 << 10));
            let limits = "Limit    Soft Limit   Hard Limit   Units\nMax data size    unlimited  \
                unlimited  bytes\nMax address space   4096   8192  bytes\n";
            assert_eq!(soft_limit(limits, "Max data size"), None);
            assert_eq!(soft_limit(limits, "Max address space"), Some(4096));
        }

        #[test]
        fn the_narrowest_group_counts() {
            let name = format!("cornerturn-groups-{}", std::process::id());
            let root = std::env::temp_dir().join(name);
            let own = root.join("user/kernel");
            fs::create_dir_all(&own).unwrap();
            fs::write(own.join("memory.max"), "max\n").unwrap();
            assert_eq!(left_in_group(&root, "user/kernel"), None);
            let outer = root.join("user");
            fs::write(outer.join("memory.max"), "1000\n").unwrap();
            fs::write(outer.join("memory.current"), "700\n").unwrap();
            fs::write(outer.join("memory.stat"), "anon 600\ninactive_file 50\n").unwrap();
            assert_eq!(left_in_group(&root, "user/kernel"), Some(350));
            fs::remove_dir_all(&root).unwrap();
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn free_bytes() -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_is_refused_with_both_figures() {
        let bytes = 1 << 50;
        let refused = zeros("a copy", bytes).unwrap_err();
        assert_eq!(refused.exit_code(), 4);
        let text = refused.to_string();
        assert!(text.contains(&bytes.to_string()), "{text}");
        #[cfg(target_os = "linux")]
        assert!(text.contains("are free"), "{text}");
        assert_eq!(zeros("a copy", 1 << 21).unwrap().len(), 1 << 21);
    }
}
