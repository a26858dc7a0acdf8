//! What blocks did to a buffer, by a bit for each granule: by this the first pass knows whether two of them may race,
//! and each pass what has been written. Who did it is in `told`.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use crate::check::segments::{DEED_KINDS, Deed};
use crate::memory::cache::prefetch;

/// The bits of a buffer.
#[derive(Debug)]
pub(super) struct Seen {
    /// Of each segment, the granules stored to (the upper half) and those loaded.
    weak: Vec<AtomicU64>,
    /// Of each segment, the granules written strongly (the upper half), and those written so but by compare-and-swaps.
    strong: OnceLock<Vec<AtomicU64>>,
    has_strong: AtomicBool,
    /// Of each segment, whether the launch has taken down what it held. A word each: host threads write to neighbours.
    kept: Vec<AtomicU32>,
}

fn words(count: usize) -> Vec<AtomicU64> {
    // Zeros from the system, which gives memory where it is used.
    vec![0; count].into_iter().map(AtomicU64::new).collect()
}

fn joined(upper: u32, lower: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(lower)
}

fn upper(word: u64) -> u32 {
    (word >> 32) as u32
}

impl Seen {
    /// Of so many segments, of which so many may be taken down.
    pub(super) fn new(segments: usize, kept: usize) -> Self {
        Self {
            weak: words(segments),
            strong: OnceLock::new(),
            has_strong: AtomicBool::new(false),
            kept: vec![0; kept].into_iter().map(AtomicU32::new).collect(),
        }
    }

    pub(super) fn segments(&self) -> usize {
        self.weak.len()
    }

    /// Soon a block will add what it does to a segment.
    #[inline(always)]
    pub(super) fn expect(&self, segment: usize) {
        prefetch(&self.weak, segment, true);
        prefetch(&self.kept, segment, true);
    }

    /// Adds all that a block did to the granules of a segment, by deed; returns whether it may race with what another
    /// block did. Of two blocks, the later one to come sees the other.
    #[inline(always)]
    pub(super) fn add(&self, segment: usize, deeds: &[u32; DEED_KINDS]) -> bool {
        let of = |deed: Deed| deeds[deed as usize];
        // A block must not meet itself. What races with a strong access or with a load races with a store; a narrow
        // access races with all that others do.
        let stores = of(Deed::Store) | of(Deed::Narrow) | of(Deed::Strong) & of(Deed::Load);
        let strong = of(Deed::Strong) & !stores;
        let swaps = of(Deed::Swap) & !stores;
        let loads = (of(Deed::Load) | of(Deed::Watch) & !(strong | swaps)) & !stores;
        let weak = &self.weak[segment];
        let mut met = 0;
        if stores | loads != 0 {
            let before = set(weak, joined(stores, loads));
            met |= stores & (upper(before) | before as u32) | loads & upper(before);
            if self.has_strong.load(SeqCst) {
                let before = self.strong()[segment].load(SeqCst);
                met |= stores & upper(before) | loads & before as u32;
            }
        }
        if strong | swaps != 0 {
            set(&self.strong()[segment], joined(strong | swaps, strong));
            self.has_strong.store(true, SeqCst);
            let weak = weak.load(SeqCst);
            met |= (strong | swaps) & upper(weak) | strong & weak as u32;
        }
        met != 0
    }

    fn strong(&self) -> &[AtomicU64] {
        self.strong.get_or_init(|| words(self.weak.len()))
    }

    /// Granules of a segment that have been written.
    #[inline(always)]
    pub(super) fn written(&self, segment: usize) -> u32 {
        let strong = self.strong.get();
        let strong = strong.map_or(0, |strong| upper(strong[segment].load(Relaxed)));
        upper(self.weak[segment].load(Relaxed)) | strong
    }

    /// The same of each segment.
    pub(super) fn all_written(&self) -> impl Iterator<Item = u32> {
        (0..self.weak.len()).map(|segment| self.written(segment))
    }

    /// Granules of a segment have been written; who else did so does not matter.
    pub(super) fn write(&self, segment: usize, mask: u32) {
        self.weak[segment].fetch_or(joined(mask, 0), Relaxed);
    }

    /// Whether it has been taken down what a segment held.
    #[inline(always)]
    pub(super) fn is_kept(&self, segment: usize) -> bool {
        self.kept[segment].load(Acquire) != 0
    }

    /// It has been; returns whether another block came first.
    #[inline(always)]
    pub(super) fn keep(&self, segment: usize) -> bool {
        self.kept[segment].swap(1, AcqRel) != 0
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
