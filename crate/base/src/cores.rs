//! How many threads of this library share a work. What they do is told where they are started.

/// As many as there are cores, `most` at most. One where the library is built without the driver, for a page: it is known
/// then while compiling, and no code of threads stays.
pub fn workers(most: usize) -> usize {
    if cfg!(not(feature = "driver")) {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, |cores| cores.get().min(most))
}
