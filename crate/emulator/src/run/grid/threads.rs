//! Blocks that do not wait for each other, handed out in order to several host threads.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::LaunchError;
use crate::report::Detail;
use crate::run::block::Ended;
use crate::run::grid::state::Grid;
use crate::run::grid::unit::Unit;
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
            all: self.units(),
            chunk: (self.units() / (workers as u64 * 8)).clamp(1, MOST_CHUNK),
        };
        std::thread::scope(|scope| {
            let handles: Vec<_> = (1..workers)
                // Where the system gives no thread, there are fewer.
                .map_while(|_| {
                    let thread = std::thread::Builder::new();
                    thread.spawn_scoped(scope, || self.worker(&rest)).ok()
                })
                .collect();
            let mut parts = self.worker(&rest)?;
            for handle in handles {
                match handle.join() {
                    Ok(part) => parts.extend(part?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(parts)
        })
    }

    /// One of the threads.
    fn worker(&self, rest: &Rest) -> Result<Vec<Part>, LaunchError> {
        let mut unit = self.unit()?;
        while let Some(mut numbers) = rest.take() {
            if numbers.any(|number| !self.run_alone(&mut unit, number)) {
                break;
            }
        }
        Ok(unit.parts().collect())
    }

    /// Runs a block, or a cluster of them, to its end, unless the launch is over before it; returns whether it ran.
    fn run_alone(&self, unit: &mut Unit, number: u64) -> bool {
        if self.is_over(self.shape.block_of(number, 0)) {
            return false;
        }
        self.enter_unit(unit, number);
        while let Ended::Waits { for_ever } = self.turn_of_unit(unit, &mut 0) {
            if for_ever {
                let detail = Detail::Waiting {
                    resident: None,
                    grid: None,
                };
                self.give_up(unit, detail);
                break;
            }
        }
        self.leave_unit(unit);
        true
    }
}
