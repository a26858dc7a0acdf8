//! How far a long launch has come, told while it runs: on a terminal in a line that is written anew, elsewhere now and then.

use crate::output;
use cornerturn::emulator::Headway;
use cornerturn::launch::headway::told;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What ends sooner is not told of.
const SILENT: Duration = Duration::from_secs(1);

/// How often the line is written anew.
const INTERVAL: Duration = Duration::from_millis(500);

/// The same where it is no terminal, and every line stays; each next one comes after as long again.
const SILENT_IN_FILE: Duration = Duration::from_secs(8);

/// Tells of a launch until it is dropped.
pub struct Progress {
    headway: Arc<Headway>,
    /// Its end is the end of the telling.
    teller: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Tells of a launch of this grid.
    pub fn start(grid: [u32; 3]) -> Self {
        let headway = Arc::new(Headway::default());
        let (sender, receiver) = channel::<()>();
        let watched = Arc::clone(&headway);
        let blocks = grid.iter().map(|&side| u64::from(side)).product();
        let begin = Instant::now();
        let is_terminal = std::io::stderr().is_terminal();
        let tell = move || {
            let mut wait = if is_terminal { SILENT } else { SILENT_IN_FILE };
            while receiver.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let elapsed = begin.elapsed();
                let line = told(&watched, blocks, elapsed.as_secs());
                if is_terminal {
                    output::progress(&format!("  {line}; Ctrl-C ends it"));
                    wait = INTERVAL;
                } else {
                    output::step(line);
                    wait = elapsed;
                }
            }
            output::progress("");
        };
        // Where the system gives no thread, nothing is told.
        let teller = std::thread::Builder::new().spawn(tell);
        Self {
            headway,
            teller: teller.ok().map(|teller| (sender, teller)),
        }
    }

    /// Where the emulator keeps how far it is.
    pub fn headway(&self) -> Arc<Headway> {
        Arc::clone(&self.headway)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, teller)) = self.teller.take() {
            drop(sender);
            // It prints, and cannot fail.
            let _ = teller.join();
        }
    }
}
