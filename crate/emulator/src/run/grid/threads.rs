//! Blocks that do not wait for each other, handed out in order to several host threads.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::LaunchError;
use crate::run::block::Ended;
use crate::run::grid::{Grid, Seat};
use crate::run::outcome::Part;

/// Blocks handed out at a time: neighbours share cache lines.
const MOST_CHUNK: u64 = 16;

/// The blocks that are left.
struct Rest {
    /// The next one.
    next: AtomicU64,
    all: u64,
    /// So many are handed out at a time.
    chunk: u64,
}

impl Rest {
    fn take(&self) -> Option<std::ops::Range<u64>> {
        let first = self.next.fetch_add(self.chunk, Relaxed);
        (first < self.all).then(|| first..(first + self.chunk).min(self.all))
    }
}

impl Grid<'_> {
    /// All blocks, on so many threads.
    pub(super) fn on_threads(&self, workers: usize) -> Result<Vec<Part>, LaunchError> {
        let rest = Rest {
            next: AtomicU64::new(0),
            all: self.blocks,
            chunk: (self.blocks / (workers as u64 * 8)).clamp(1, MOST_CHUNK),
        };
        std::thread::scope(|scope| {
            let handles: Vec<_> = (1..workers)
                // Where the system gives no thread, there are fewer.
                .map_while(|_| {
                    let thread = std::thread::Builder::new();
                    thread.spawn_scoped(scope, || self.worker(&rest)).ok()
                })
                .collect();
            let mut parts = vec![self.worker(&rest)?];
            for handle in handles {
                match handle.join() {
                    Ok(part) => parts.push(part?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(parts)
        })
    }

    /// One of the threads.
    fn worker(&self, rest: &Rest) -> Result<Part, LaunchError> {
        let mut seat = self.seat()?;
        while let Some(mut blocks) = rest.take() {
            if blocks.any(|block| !self.run_alone(&mut seat, block)) {
                break;
            }
        }
        Ok(seat.part())
    }

    /// Runs a block to its end, unless the launch is over before it; returns whether it ran.
    fn run_alone(&self, seat: &mut Seat, block: u64) -> bool {
        if self.is_over(block) {
            return false;
        }
        let mut course = self.enter(seat, block);
        while let Ended::Waits { for_ever } = self.turn(seat, &mut course, 0) {
            if for_ever {
                self.give_up(seat, &mut course, None);
                break;
            }
        }
        self.leave(seat);
        true
    }
}
