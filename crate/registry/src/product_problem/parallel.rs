//! Work on all cores, in ranges of a count.

use cornerturn_base::cores::workers;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `work` gives for consecutive ranges of `0..count` of so many at most, in their order.
pub(super) fn in_ranges<T: Send>(
    count: usize,
    of: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    let of = of.max(1);
    let ranges = count.div_ceil(of);
    let range = |i: usize| i * of..count.min((i + 1) * of);
    let threads = workers(16).min(ranges);
    if threads <= 1 {
        return (0..ranges).map(|i| work(range(i))).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(ranges));
    let run = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= ranges {
                return;
            }
            let result = work(range(i));
            done.lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .push((i, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where the system gives no thread, there is this one.
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    let mut done = done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_in_their_order_and_cover_all() {
        let ranges = in_ranges(1001, 7, |range| range);
        assert_eq!(ranges.len(), 143);
        let all: Vec<usize> = ranges.into_iter().flatten().collect();
        assert_eq!(all, (0..1001).collect::<Vec<_>>());
        assert!(in_ranges(0, 7, |range| range).is_empty());
    }
}
