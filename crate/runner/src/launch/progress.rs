//! How far a long launch has come, told on a terminal while it runs.

use crate::output;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What ends sooner is not told of.
const SILENT: Duration = Duration::from_secs(2);

/// How often the line is written anew.
const INTERVAL: Duration = Duration::from_millis(500);

/// Tells of a launch until it is dropped.
pub struct Progress {
    started: Arc<AtomicU64>,
    /// Its end is the end of the telling.
    teller: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Tells of a launch of this grid, where stderr is a terminal.
    pub fn start(grid: [u32; 3]) -> Self {
        let started = Arc::new(AtomicU64::new(0));
        let teller = std::io::stderr().is_terminal().then(|| {
            let (sender, receiver) = channel::<()>();
            let started = Arc::clone(&started);
            let blocks = grid.iter().map(|&side| u64::from(side)).product();
            let begin = Instant::now();
            let tell = move || {
                let mut wait = SILENT;
                while receiver.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                    let seconds = begin.elapsed().as_secs();
                    output::progress(&line(started.load(Ordering::Relaxed), blocks, seconds));
                    wait = INTERVAL;
                }
                output::progress("");
            };
            // Where the system gives no thread, nothing is told.
            let teller = std::thread::Builder::new().spawn(tell);
            teller.ok().map(|teller| (sender, teller))
        });
        Self {
            started,
            teller: teller.flatten(),
        }
    }

    /// Where the emulator keeps the number of blocks that it has started.
    pub fn started(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.started)
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

fn line(started: u64, blocks: u64, seconds: u64) -> String {
    let percent = u128::from(started) * 100 / u128::from(blocks.max(1));
    format!(
        "  running for {seconds} s: {started} of {blocks} blocks started ({percent} %); Ctrl-C ends it"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_how_far_it_is() {
        let expected = "  running for 7 s: 32 of 128 blocks started (25 %); Ctrl-C ends it";
        assert_eq!(line(32, 128, 7), expected);
        assert!(line(0, u64::MAX, 3).contains("(0 %)"));
    }
}
