//! What only a record of accesses tells: how many loads a warp has on their way before it stores, how many words its constant loads ask for. Counters are `counted`'s.

use super::trial::Trial;
use cornerturn_base::error::Result;
use cornerturn_emulator::{Access, Space, TraceRequest};
use cornerturn_runtime::kernel::Kernel;
use std::collections::{BTreeMap, BTreeSet};

/// The most accesses that are looked at; a counted launch has fewer.
const MOST_ACCESSES: usize = 1 << 18;

/// What a record of all accesses of a launch tells.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Traced {
    /// Loads from global memory that come before a warp's first store to it: of the warp that has the fewest.
    pub(super) loads_before_a_store: u64,
    /// Different words that constant loads ask for, each warp's load by itself: they are served one after the other.
    pub(super) constant_words: u64,
}

impl Traced {
    /// Launches the kernel once more and looks at every access.
    ///
    /// # Errors
    /// Those of a launch.
    pub(super) fn of(trial: &Trial, kernel: &Kernel) -> Result<Self> {
        let [x, y, _] = trial.exercise.grid(trial.size).array();
        let request = TraceRequest {
            blocks: (0..y)
                .flat_map(|y| (0..x).map(move |x| [x, y, 0]))
                .collect(),
            max_accesses: MOST_ACCESSES,
            ..TraceRequest::default()
        };
        let report = trial.traced(kernel, request)?;
        let trace = report.trace.unwrap_or_default();
        Ok(Self {
            loads_before_a_store: loads_before_a_store(&trace.accesses),
            constant_words: trace.accesses.iter().map(constant_words).sum(),
        })
    }
}

fn loads_before_a_store(accesses: &[Access]) -> u64 {
    // By warp: the loads so far, and whether it has stored.
    let mut warps: BTreeMap<([u32; 3], u32), (u64, bool)> = BTreeMap::new();
    let is_global = |access: &&Access| access.space == Space::Global;
    for access in accesses.iter().filter(is_global) {
        let (loads, has_stored) = warps.entry((access.block, access.warp)).or_default();
        *has_stored |= access.is_store;
        *loads += u64::from(!*has_stored);
    }
    warps.values().map(|(loads, _)| *loads).min().unwrap_or(0)
}

/// Different words that one constant load asks for; 0 for another access.
pub(super) fn constant_words(access: &Access) -> u64 {
    if access.space != Space::Const {
        return 0;
    }
    let words: BTreeSet<u64> = access.addresses.iter().flatten().map(|at| at / 4).collect();
    words.len() as u64
}
