//! What blocks did to a page of global memory, by a bit for each granule: by this the first pass knows whether two of
//! them may race. Who did it is in `told`.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use crate::check::segments::{DEED_KINDS, Deed};

/// Segments of a page.
pub(super) const PAGE: usize = 32;

/// The bits of a page.
#[derive(Debug)]
pub(super) struct Seen {
    /// Segments of which the launch has taken down what they held, one bit each.
    kept: AtomicU32,
    /// Of each segment, the granules stored to (the upper half) and those loaded.
    weak: [AtomicU64; PAGE],
    /// The same of those written strongly (the upper half), and those written so but by compare-and-swaps.
    strong: OnceLock<Box<[AtomicU64; PAGE]>>,
    has_strong: AtomicBool,
}

impl Default for Seen {
    fn default() -> Self {
        Self {
            kept: AtomicU32::new(0),
            weak: zeros(),
            strong: OnceLock::new(),
            has_strong: AtomicBool::new(false),
        }
    }
}

fn zeros() -> [AtomicU64; PAGE] {
    [const { AtomicU64::new(0) }; PAGE]
}

fn joined(upper: u32, lower: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(lower)
}

fn upper(word: u64) -> u32 {
    (word >> 32) as u32
}

impl Seen {
    /// Adds all that a block did to the granules of a segment, by deed; returns whether it may race with what another
    /// block did. Of two blocks, the later one to come sees the other.
    #[inline(always)]
    pub(super) fn add(&self, at: usize, deeds: &[u32; DEED_KINDS]) -> bool {
        let of = |deed: Deed| deeds[deed as usize];
        // A block must not meet itself. What races with a strong access or with a load races with a store; a narrow
        // access races with all that others do.
        let stores = of(Deed::Store) | of(Deed::Narrow) | of(Deed::Strong) & of(Deed::Load);
        let strong = of(Deed::Strong) & !stores;
        let swaps = of(Deed::Swap) & !stores;
        let loads = (of(Deed::Load) | of(Deed::Watch) & !(strong | swaps)) & !stores;
        let mut met = 0;
        if stores | loads != 0 {
            let before = set(&self.weak[at], joined(stores, loads));
            met |= stores & (upper(before) | before as u32) | loads & upper(before);
            if self.has_strong.load(SeqCst) {
                let before = self.strong()[at].load(SeqCst);
                met |= stores & upper(before) | loads & before as u32;
            }
        }
        if strong | swaps != 0 {
            set(&self.strong()[at], joined(strong | swaps, strong));
            self.has_strong.store(true, SeqCst);
            let weak = self.weak[at].load(SeqCst);
            met |= (strong | swaps) & upper(weak) | strong & weak as u32;
        }
        met != 0
    }

    fn strong(&self) -> &[AtomicU64; PAGE] {
        self.strong.get_or_init(|| Box::new(zeros()))
    }

    /// Granules of a segment that have been written.
    #[inline(always)]
    pub(super) fn written(&self, at: usize) -> u32 {
        let strong = self.strong.get();
        let strong = strong.map_or(0, |strong| upper(strong[at].load(Relaxed)));
        upper(self.weak[at].load(Relaxed)) | strong
    }

    /// Granules of a segment have been written; who else did so does not matter.
    pub(super) fn write(&self, at: usize, mask: u32) {
        self.weak[at].fetch_or(joined(mask, 0), Relaxed);
    }

    /// Whether it has been taken down what a segment held.
    #[inline(always)]
    pub(super) fn is_kept(&self, at: usize) -> bool {
        self.kept.load(Acquire) & (1 << at) != 0
    }

    /// It has been; returns whether another block came first.
    #[inline(always)]
    pub(super) fn keep(&self, at: usize) -> bool {
        self.kept.fetch_or(1 << at, AcqRel) & (1 << at) != 0
    }
}

/// Sets bits; returns what was there.
#[inline(always)]
fn set(word: &AtomicU64, bits: u64) -> u64 {
    let before = word.load(SeqCst);
    if before & bits == bits {
        return before;
    }
    word.fetch_or(bits, SeqCst)
}
