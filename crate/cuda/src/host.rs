//! Memory of this process: pages mapped and given back, copies by address, the C library's output. What lies there is for others.

use std::io;
use std::sync::atomic::AtomicU32;

/// Bytes of a page.
pub const PAGE_BYTES: usize = 4096;

/// Pages of this process, zero at first; they are given back when this is dropped.
#[derive(Debug)]
pub struct Mapping {
    address: usize,
    bytes: usize,
}

impl Mapping {
    /// Pages for at least so many bytes, anywhere.
    ///
    /// # Errors
    /// The system's, where it has not the memory.
    pub fn new(bytes: usize) -> io::Result<Self> {
        Self::map(0, bytes, 0)
    }

    /// Pages for at least so many bytes that begin at an address, a multiple of the page.
    ///
    /// # Errors
    /// The system's, where it has not the memory or something lies there.
    pub fn at(address: u64, bytes: usize) -> io::Result<Self> {
        let mapping = Self::map(address as usize, bytes, libc::MAP_FIXED_NOREPLACE)?;
        match mapping.address == address as usize {
            true => Ok(mapping),
            // A kernel before 4.17 takes the address for a wish.
            false => Err(io::ErrorKind::AddrInUse.into()),
        }
    }

    fn map(address: usize, bytes: usize, flags: libc::c_int) -> io::Result<Self> {
        let bytes = bytes
            .max(1)
            .checked_next_multiple_of(PAGE_BYTES)
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a private anonymous mapping that replaces none: no memory that Rust knows changes.
        let mapped = unsafe { libc::mmap(address as *mut _, bytes, protection, flags, -1, 0) };
        match mapped == libc::MAP_FAILED {
            true => Err(io::Error::last_os_error()),
            false => Ok(Self {
                address: mapped as usize,
                bytes,
            }),
        }
    }

    /// Where it begins.
    pub fn address(&self) -> usize {
        self.address
    }

    /// The pages as words.
    ///
    /// # Safety
    /// Nobody may use them when the mapping is gone.
    pub unsafe fn words(&self) -> &'static [AtomicU32] {
        // SAFETY: the pages are mapped, aligned, and readable and writable; the caller lets go of them in time.
        unsafe { words_at(self.address, self.bytes) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the pages are ours, and whoever took their words has let go of them.
        unsafe {
            libc::munmap(self.address as *mut _, self.bytes);
        }
    }
}

/// Words at an address of this process.
///
/// # Safety
/// So many bytes there must be readable and writable and begin at a multiple of 4, as long as anybody uses the words.
pub unsafe fn words_at(address: usize, bytes: usize) -> &'static [AtomicU32] {
    // SAFETY: the caller's promise. Atomics allow that others, such as C code, write there as well.
    unsafe { std::slice::from_raw_parts(address as *const AtomicU32, bytes / 4) }
}

/// Copies bytes of this process; the ranges may overlap.
///
/// # Safety
/// So many bytes must be readable at `from` and writable at `to`.
pub unsafe fn copy(to: usize, from: usize, bytes: usize) {
    // SAFETY: the caller's promise. It is the C library that copies: that a kernel stores there in the meantime, which CUDA
    // leaves undefined, is no data race of Rust's.
    unsafe {
        libc::memmove(to as *mut _, from as *const _, bytes);
    }
}

/// Fills memory of this process with a pattern of 1, 2 or 4 bytes.
///
/// # Safety
/// So many bytes must be writable at `to`.
pub unsafe fn fill(to: usize, bytes: usize, pattern: &[u8]) {
    let first = pattern.first().copied().unwrap_or_default();
    if pattern.iter().all(|byte| *byte == first) {
        // SAFETY: the caller's promise.
        unsafe {
            libc::memset(to as *mut _, first.into(), bytes);
        }
        return;
    }
    // What is filled already is copied behind itself, in parts that stay in a cache.
    let mut done = pattern.len().min(bytes);
    // SAFETY: the first bytes of a range that the caller lets us write.
    unsafe { copy(to, pattern.as_ptr() as usize, done) };
    let mut part = done;
    while done < bytes {
        let next = part.min(bytes - done);
        // SAFETY: both lie in that range, the source in what is filled: its length is a multiple of the pattern's.
        unsafe { copy(to + done, to, next) };
        done += next;
        part = (2 * part).min(1 << 16);
    }
}

/// Reads bytes of this process.
///
/// # Safety
/// So many bytes must be readable at `from`.
pub unsafe fn read(from: usize, out: &mut [u8]) {
    // SAFETY: the caller's promise, and a slice of our own.
    unsafe { copy(out.as_mut_ptr() as usize, from, out.len()) };
}

/// Bytes that this machine can still give, at most: what the system says is available.
pub fn available_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| {
        line.trim()
            .trim_end_matches("kB")
            .trim()
            .parse::<u64>()
            .ok()
    });
    let limit = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ];
    let limits = limit.iter().filter_map(|path| {
        let text = std::fs::read_to_string(path).ok()?;
        text.trim().parse::<u64>().ok()
    });
    let all = kib.map(|kib| kib << 10);
    all.into_iter().chain(limits).min().unwrap_or(4 << 30)
}

unsafe extern "C" {
    #[link_name = "stdout"]
    static STDOUT: *mut libc::FILE;
}

/// Prints to the C library's stdout, so that a program's own output keeps its place.
pub fn print(text: &str) {
    // SAFETY: the C library's own stream, and bytes of ours.
    unsafe {
        libc::fwrite(text.as_ptr().cast(), 1, text.len(), STDOUT);
    }
}

/// One line on stderr, past all buffers.
pub fn complain(line: &str) {
    let text = format!("cornerturn: {line}\n");
    // SAFETY: bytes of ours; that nobody reads them is no error of the program's.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn pages_are_mapped_and_filled() {
        let mapping = Mapping::new(10_000).unwrap();
        // SAFETY: the mapping outlives the words.
        let words = unsafe { mapping.words() };
        assert_eq!(words.len(), 3 * PAGE_BYTES / 4);
        for (pattern, bytes, expected) in [
            (&[1, 2, 3, 4][..], 9_999, [0x0403_0201, 0x0003_0201]),
            (&[5, 6], 10_000, [0x0605_0605, 0x0605_0605]),
            (&[0, 0, 0, 0], 10_000, [0, 0]),
        ] {
            // SAFETY: within the mapping.
            unsafe { fill(mapping.address(), bytes, pattern) };
            let found = [0, 2499].map(|at| words[at].load(Relaxed));
            assert_eq!(
                found.map(|word| word & 0x00ff_ffff),
                expected.map(|word| word & 0x00ff_ffff)
            );
        }
        assert!(Mapping::at(mapping.address() as u64, 1).is_err());
        assert!(Mapping::new(usize::MAX).is_err());
        let at = Mapping::at(0x7801_0000_0000, 1).unwrap();
        assert_eq!(at.address(), 0x7801_0000_0000);
    }
}
