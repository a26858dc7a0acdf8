//! How a launch in the emulator is stopped from outside: by a file that appears. Who writes it is the notebooks' kernel. Whoever waits there for a long launch is told how far it is.

use crate::launch::headway;
use cornerturn_base::error::{Error, Result};
use cornerturn_emulator::Headway;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Names the file in the environment. Each cell links a copy of the library of its own, so that nothing in memory would
/// reach all of them.
pub use cornerturn_basics::notebook::INTERRUPT_FILE;

/// How often it is looked for: a reader who stops a kernel does not notice.
const EVERY: Duration = Duration::from_millis(20);

/// So long a launch runs before anything is told of it; it is told again after as long again.
const SILENT: Duration = Duration::from_secs(8);

/// Looks for the file as long as a launch runs.
pub(super) struct Watch {
    /// Set when the file is there.
    pub(super) stop: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Watch {
    /// Starts to look; `None` where nothing in the environment names a file.
    pub(super) fn start(kernel: &str, blocks: u64, headway: &Arc<Headway>) -> Option<Self> {
        let file = std::env::var_os(INTERRUPT_FILE)?;
        Some(Self::of(Path::new(&file), kernel, blocks, headway))
    }

    fn of(file: &Path, kernel: &str, blocks: u64, headway: &Arc<Headway>) -> Self {
        let (stop, ended) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let (file, set, end) = (file.to_path_buf(), Arc::clone(&stop), Arc::clone(&ended));
        let (kernel, headway) = (kernel.to_string(), Arc::clone(headway));
        let thread = thread::spawn(move || {
            let (begin, mut silent) = (Instant::now(), SILENT);
            while !end.load(Ordering::Relaxed) {
                if file.exists() {
                    return set.store(true, Ordering::Relaxed);
                }
                if begin.elapsed() >= silent {
                    let how_far = headway::told(&headway, blocks, begin.elapsed().as_secs());
                    eprintln!(
                        "`{kernel}` is {how_far}; *Interrupt the kernel* ends it and keeps all variables"
                    );
                    silent *= 2;
                }
                thread::park_timeout(EVERY);
            }
        });
        Self {
            stop,
            ended,
            thread,
        }
    }

    /// Ends it.
    ///
    /// # Errors
    /// [`Error::Interrupted`] where the file has come.
    pub(super) fn end(self, kernel: &str) -> Result<()> {
        self.ended.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        // It cannot panic.
        let _ = self.thread.join();
        match self.stop.load(Ordering::Relaxed) {
            false => Ok(()),
            true => Err(Error::Interrupted {
                kernel: kernel.to_string(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_comes_stops_a_kernel_without_an_end() {
        let file =
            std::env::temp_dir().join(format!("cornerturn-interrupt-{}", std::process::id()));
        let headway = Arc::default();
        let watch = Watch::of(&file, "loop", 1, &headway);
        thread::sleep(2 * EVERY);
        assert!(!watch.stop.load(Ordering::Relaxed));
        watch.end("loop").unwrap();
        let watch = Watch::of(&file, "endless", 1, &headway);
        std::fs::write(&file, "").unwrap();
        let start = std::time::Instant::now();
        let endless = crate::Kernel::ptx(
            // Not a loop that comes back to where it was, of which the emulator knows that it never ends.
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry endless() {\n.reg .b64 %i; .reg .pred %p;\n\
             mov.u64 %i, 0;\n$L: add.u64 %i, %i, 1; setp.ne.u64 %p, %i, 0;\n@%p bra $L;\nret;\n}",
            "endless",
        )
        .unwrap();
        let stop = Some(Arc::clone(&watch.stop));
        let options = cornerturn_emulator::Options {
            stop,
            ..Default::default()
        };
        let job = cornerturn_emulator::Launch {
            entry: "endless",
            grid: [1; 3],
            block: [32, 1, 1],
            dynamic_shared_bytes: 0,
            args: &[],
        };
        let memory = cornerturn_emulator::Memory::new();
        cornerturn_emulator::launch(endless.module().unwrap(), &memory, &job, &options).unwrap();
        assert!(
            start.elapsed() < Duration::from_millis(500),
            "{:?}",
            start.elapsed()
        );
        assert!(matches!(
            watch.end("endless"),
            Err(Error::Interrupted { .. })
        ));
        std::fs::remove_file(&file).unwrap();
    }
}
