//! Blocks that do not wait for each other, handed out in order to several host threads.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;

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
    /// For each thread, one that it has not yet ended, and none before which it has any.
    open: Vec<AtomicU64>,
}

impl Rest {
    fn take(&self, worker: usize) -> Option<std::ops::Range<u64>> {
        self.come_to(worker, self.next.load(SeqCst));
        let first = self.next.fetch_add(self.chunk, SeqCst);
        (first < self.all).then(|| first..(first + self.chunk).min(self.all))
    }

    /// A thread has ended all that it has begun before this one.
    fn come_to(&self, worker: usize, number: u64) {
        self.open[worker].store(number, SeqCst);
    }

    /// Whether all before this one have ended.
    fn is_first(&self, number: u64) -> bool {
        self.open.iter().all(|open| open.load(SeqCst) >= number)
    }
}

impl Grid<'_> {
    /// All blocks, on so many threads.
    pub(super) fn on_threads(&self, workers: usize) -> Result<Vec<Part>, LaunchError> {
        let rest = Rest {
            next: AtomicU64::new(0),
            all: self.units(),
            chunk: (self.units() / (workers as u64 * 8)).clamp(1, MOST_CHUNK),
            open: (0..workers).map(|_| AtomicU64::new(0)).collect(),
        };
        std::thread::scope(|scope| {
            let rest = &rest;
            let handles: Vec<_> = (1..workers)
                // Where the system gives no thread, there are fewer.
                .map_while(|worker| {
                    let thread = std::thread::Builder::new();
                    let work = move || self.worker(worker, rest);
                    thread.spawn_scoped(scope, work).ok()
                })
                .collect();
            for missing in handles.len() + 1..workers {
                rest.come_to(missing, u64::MAX);
            }
            let mut parts = self.worker(0, rest)?;
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
    fn worker(&self, worker: usize, rest: &Rest) -> Result<Vec<Part>, LaunchError> {
        let unit = self.unit();
        let parts = unit.map(|mut unit| {
            while let Some(mut numbers) = rest.take(worker) {
                let runs = |number| {
                    rest.come_to(worker, number);
                    self.run_alone(&mut unit, number, rest)
                };
                if !numbers.all(runs) {
                    break;
                }
            }
            unit.parts().collect()
        });
        rest.come_to(worker, u64::MAX);
        parts
    }

    /// Runs a block, or a cluster of them, to its end, unless the launch is over before it; returns whether it ran.
    fn run_alone(&self, unit: &mut Unit, number: u64, rest: &Rest) -> bool {
        let last = self.last_after_found();
        if self.is_over(self.shape.block_of(number, 0))
            || last.is_some_and(|(first, last)| number > last && rest.is_first(first))
        {
            return false;
        }
        self.enter_unit(unit, number);
        loop {
            // What an earlier block stores without any order may be seen or not: it is waited for.
            let is_first = rest.is_first(number);
            match self.turn_of_unit(unit, &mut 0) {
                Ended::Waits { for_ever: true } => {
                    let detail = Detail::Waiting {
                        resident: None,
                        grid: None,
                    };
                    self.give_up(unit, detail);
                    break;
                }
                Ended::Endless if is_first => {
                    self.stop_rounds(unit);
                    break;
                }
                Ended::Waits { for_ever: false } | Ended::Endless => {}
                _ => break,
            }
        }
        self.leave_unit(unit);
        true
    }
}
