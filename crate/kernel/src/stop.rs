//! Stopping a cell that runs: first the kernel in the emulator is asked to end, which keeps every variable; what does not hear that is ended.

use cornerturn_basics::notebook::INTERRUPT_FILE;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::PathBuf;
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// So long a cell has to end by itself.
const GRACE: Duration = Duration::from_millis(400);

/// What became of an interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// The cell was asked to stop.
    Asked,
    /// It was not running yet: its compilation was ended.
    Compiling,
    /// It did not stop when asked: its process was ended.
    Killed,
}

/// The cell that runs, and how to stop it.
#[derive(Default)]
pub struct Stop {
    state: Mutex<State>,
    process: OnceLock<Arc<Mutex<Child>>>,
}

#[derive(Default)]
struct State {
    /// Counts up with each cell.
    cell: u64,
    running: bool,
    interrupted: Option<Interrupted>,
}

impl Stop {
    /// The process in which cells run, whichever it is at the time.
    pub fn watch(&self, process: Arc<Mutex<Child>>) {
        // It is set once, when evcxr has started.
        let _ = self.process.set(process);
    }

    /// A cell begins.
    pub fn begin(&self) {
        let mut state = self.state();
        *state = State {
            cell: state.cell + 1,
            running: true,
            interrupted: None,
        };
        if let Some(file) = signal_file() {
            // It is there only after an interrupt.
            let _ = std::fs::remove_file(file);
        }
    }

    /// The cell has ended; whether it was interrupted.
    pub fn end(&self) -> Option<Interrupted> {
        let mut state = self.state();
        state.running = false;
        state.interrupted
    }

    /// Whether a cell runs.
    pub fn is_running(&self) -> bool {
        self.state().running
    }

    /// Stops the cell that runs, if one does.
    pub fn interrupt(self: &Arc<Self>) {
        let cell = {
            let mut state = self.state();
            if !state.running {
                return;
            }
            state.interrupted = Some(Interrupted::Asked);
            state.cell
        };
        if let Some(file) = signal_file() {
            // Without it, the cell is ended in a moment all the same.
            let _ = std::fs::write(file, "");
        }
        let stop = Arc::clone(self);
        thread::spawn(move || stop.insist(cell));
    }

    /// Ends a cell that goes on.
    fn insist(&self, cell: u64) {
        let start = Instant::now();
        while start.elapsed() < GRACE {
            thread::sleep(Duration::from_millis(10));
            if !self.runs(cell) {
                return;
            }
        }
        if let Some(compiler) = compiler() {
            self.mark(Interrupted::Compiling);
            // It may have ended meanwhile.
            let _ = kill(compiler, Signal::SIGTERM);
            return;
        }
        self.mark(Interrupted::Killed);
        if let Some(process) = self.process.get() {
            let _ = process
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .kill();
        }
    }

    fn runs(&self, cell: u64) -> bool {
        let state = self.state();
        state.running && state.cell == cell
    }

    fn mark(&self, how: Interrupted) {
        self.state().interrupted = Some(how);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file by which the library is asked to stop.
fn signal_file() -> Option<PathBuf> {
    std::env::var_os(INTERRUPT_FILE).map(PathBuf::from)
}

/// The cargo that this process has started, if one runs.
pub fn compiler() -> Option<Pid> {
    let own = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").ok()?;
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .find_map(|id| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
            // `id (name) state parent …`; a name may hold anything.
            let (before, after) = stat.rsplit_once(')')?;
            let parent = after.split_whitespace().nth(1)?;
            (before.ends_with("(cargo") && parent == own).then(|| Pid::from_raw(id))
        })
}
