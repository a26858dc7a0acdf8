//! What blocks did to global memory, as far as other blocks race by it, and which bytes have been written.
//!
//! Blocks run in any order on any number of host threads, so what is kept does not depend on the order in which
//! they come: of each granule the two first blocks, by number, for each deed. Races are found when all are done.
//! Where blocks wait for each other they run on one thread, and each access is compared with the earlier ones.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::check::clocks::each;
use crate::check::order::Order;
use crate::check::segments::{Deed, SEGMENT, narrowed};
use crate::check::told::{ELSEWHERE, Entry, Pair, SATED, Told};
use crate::memory::Buffer;
use crate::memory::initialised::Initialised;

/// Segments of a page.
const PAGE: usize = 32;

/// What is known of neighbouring segments.
#[derive(Debug, Default)]
struct Page {
    /// A word for each segment: 0, [`ELSEWHERE`], or its first entry. Enough where blocks do not meet.
    words: OnceLock<Box<[AtomicU64; PAGE]>>,
    rest: Mutex<Rest>,
}

#[derive(Debug, Default)]
struct Rest {
    /// The segments that more than a word is known of.
    told: Option<Box<[Told; PAGE]>>,
    /// The values of granules that a block stored to, as a later block finds them. Not kept if the launch will be
    /// taken back where two blocks store.
    values: Option<Box<[u32; PAGE * SEGMENT]>>,
    /// What the words held before the launch, for the segments whose bits are set.
    saved: Option<Box<(u32, Vec<u32>)>>,
}

impl Page {
    fn rest(&self) -> MutexGuard<'_, Rest> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        let words = self
            .words
            .get_or_init(|| Box::new([const { AtomicU64::new(0) }; PAGE]));
        &words[at]
    }
}

#[derive(Debug)]
struct BufferShadow {
    base: u64,
    pages: Vec<Page>,
    before: Initialised,
    /// Bytes stored to by this launch, one bit each; empty if all have been written before.
    after: Vec<AtomicU32>,
}

/// The shadow of global memory during one launch.
#[derive(Debug)]
pub(crate) struct GridShadow {
    buffers: Vec<BufferShadow>,
    pub(super) granule: u32,
    /// Whether blocks run on several host threads, so that a race may change what they do from run to run.
    is_parallel: bool,
    /// Present if blocks may wait for each other.
    pub(super) order: Option<Mutex<Order>>,
}

impl GridShadow {
    /// Of a launch's buffers, whose knowledge of what is initialised it takes until [`GridShadow::give_back`].
    pub(crate) fn new(buffers: &[&Buffer], granule: u32, ordered: bool, is_parallel: bool) -> Self {
        let shadow = |buffer: &&Buffer| {
            let before = buffer.take_initialised();
            let words = if before == Initialised::All {
                0
            } else {
                buffer.bytes.div_ceil(32)
            };
            let pages = buffer.bytes.div_ceil(PAGE * SEGMENT * granule as usize);
            BufferShadow {
                base: buffer.base,
                pages: std::iter::repeat_with(Page::default).take(pages).collect(),
                before,
                after: std::iter::repeat_with(AtomicU32::default)
                    .take(words)
                    .collect(),
            }
        };
        Self {
            buffers: buffers.iter().map(shadow).collect(),
            granule,
            is_parallel,
            order: ordered.then(Mutex::default),
        }
    }

    /// Takes a segment down before a block first stores to it: if the launch may have to be taken back what it holds,
    /// else the values that earlier blocks have stored, if any did.
    pub(super) fn save(&self, index: usize, buffer: &Buffer, segment: u64) {
        let shadow = &self.buffers[index];
        if self.order.is_some() || self.is_parallel && shadow.before == Initialised::None {
            return;
        }
        let words = SEGMENT * self.granule as usize / 4;
        let offset =
            (segment * u64::from(self.granule) * SEGMENT as u64).saturating_sub(shadow.base);
        let at = offset as usize / (SEGMENT * self.granule as usize);
        let Some(page) = shadow.pages.get(at / PAGE) else {
            return;
        };
        if !self.is_parallel {
            let from = &buffer.words[offset as usize / 4..];
            page.keep_values(at % PAGE, from, self.granule);
            return;
        }
        let mut rest = page.rest();
        let (done, saved) = &mut **rest
            .saved
            .get_or_insert_with(|| Box::new((0, vec![0; PAGE * words])));
        let at = at % PAGE;
        if *done & (1 << at) == 0 {
            *done |= 1 << at;
            let from = &buffer.words[offset as usize / 4..];
            for (saved, word) in saved[at * words..][..words].iter_mut().zip(from) {
                *saved = word.load(Relaxed);
            }
        }
    }

    /// Whether blocks met, so that the order in which they ran may have changed what they did.
    pub(crate) fn is_suspect(&self) -> bool {
        let mut pages = self.buffers.iter().flat_map(|shadow| &shadow.pages);
        self.is_parallel
            && pages.any(|page| {
                let rest = page.rest();
                let mut told = rest.told.iter().flat_map(|told| told.iter());
                told.any(|told| told.suspect)
            })
    }

    /// Takes the launch back: memory is as before, and so is what is known of it. Blocks will run in order.
    pub(crate) fn take_back(&mut self, buffers: &[&Buffer]) {
        self.is_parallel = false;
        let words = SEGMENT * self.granule as usize / 4;
        for (shadow, buffer) in self.buffers.iter_mut().zip(buffers) {
            for (number, page) in shadow.pages.iter_mut().enumerate() {
                let Page { words: told, rest } = std::mem::take(page);
                let first = number * PAGE * words;
                match rest
                    .into_inner()
                    .unwrap_or_else(PoisonError::into_inner)
                    .saved
                {
                    Some(saved) => {
                        let (done, saved) = *saved;
                        for at in each(done) {
                            let saved = &saved[at * words..][..words];
                            buffer.restore(first + at * words, words, Some(saved));
                        }
                    }
                    None if shadow.before == Initialised::None && told.get().is_some() => {
                        buffer.restore(first, PAGE * words, None);
                    }
                    None => {}
                }
            }
            shadow.after.iter().for_each(|word| word.store(0, Relaxed));
        }
    }

    /// Tells the buffers what this launch has written.
    pub(crate) fn give_back(self, buffers: &[&Buffer]) {
        for (shadow, buffer) in self.buffers.into_iter().zip(buffers) {
            let mut state = shadow.before;
            let after = shadow.after.into_iter().map(AtomicU32::into_inner);
            state.merge(after.collect(), buffer.bytes);
            buffer.put_initialised(state);
        }
    }

    /// Whether bytes of a buffer held something before the launch, or since an earlier block stored there if blocks
    /// run one after the other. (If they do not, and another block stores there, the launch is taken back.)
    #[inline]
    pub(super) fn is_initialised(&self, buffer: usize, offset: usize, bytes: usize) -> bool {
        let shadow = &self.buffers[buffer];
        shadow.before.covers(offset, bytes)
            || !self.is_parallel
                && (offset..offset + bytes).all(|at| {
                    shadow.before.covers(at, 1)
                        || shadow.after[at / 32].load(Relaxed) & (1 << (at % 32)) != 0
                })
    }

    /// Whether all of a buffer held something before the launch.
    #[inline(always)]
    pub(super) fn is_all_initialised(&self, buffer: usize) -> bool {
        matches!(self.buffers[buffer].before, Initialised::All)
    }

    /// Adds a deed; `values` are those stored. Returns its races if blocks are in order.
    pub(super) fn tell(
        &self,
        buffer: usize,
        segment: u64,
        entry: Entry,
        values: &[u32],
    ) -> Vec<Pair> {
        let shadow = &self.buffers[buffer];
        let address = segment * u64::from(self.granule) * SEGMENT as u64;
        let offset = address.saturating_sub(shadow.base) as usize;
        let index = offset / (SEGMENT * self.granule as usize);
        if entry.deed != Deed::Load {
            self.mark(shadow, offset, entry.mask);
        }
        let Some(page) = shadow.pages.get(index / PAGE) else {
            return Vec::new();
        };
        match &self.order {
            Some(order) => {
                let order = order.lock().unwrap_or_else(PoisonError::into_inner);
                let place = (address, self.granule);
                page.tell_in_order(index % PAGE, entry, values, &order, place)
            }
            None => {
                page.tell(index % PAGE, entry, values);
                Vec::new()
            }
        }
    }

    fn mark(&self, shadow: &BufferShadow, offset: usize, mask: u32) {
        if shadow.after.is_empty() {
            return;
        }
        let granules_per_word = 32 / self.granule;
        if mask == u32::MAX {
            let words = shadow.after.iter().skip(offset / 32);
            words
                .take(self.granule as usize)
                .for_each(|word| word.store(u32::MAX, Relaxed));
            return;
        }
        for word in 0..self.granule {
            let part = mask >> (word * granules_per_word);
            let mut bits = 0u32;
            for granule in 0..granules_per_word {
                if part & (1 << granule) != 0 {
                    bits |= ((1u32 << self.granule) - 1) << (granule * self.granule);
                }
            }
            if let Some(after) = shadow.after.get(offset / 32 + word as usize)
                && bits != 0
            {
                after.fetch_or(bits, Relaxed);
            }
        }
    }

    /// The races of a launch whose blocks do not wait for each other, in the order of addresses.
    pub(super) fn races(&self) -> Vec<Pair> {
        let mut races = Vec::new();
        if self.order.is_some() {
            return races;
        }
        for shadow in &self.buffers {
            for (number, page) in shadow.pages.iter().enumerate() {
                let rest = page.rest();
                let told = rest.told.iter().flat_map(|told| told.iter()).enumerate();
                for (index, told) in told.filter(|(_, told)| told.suspect) {
                    let bytes = u64::from(self.granule) * SEGMENT as u64;
                    let address = shadow.base + (number * PAGE + index) as u64 * bytes;
                    told.races(address, self.granule, &mut races);
                }
            }
        }
        races
    }
}

impl Page {
    /// Keeps the values of a segment, if a block has told of it.
    fn keep_values(&self, at: usize, words: &[AtomicU32], granule_bytes: u32) {
        if self.word(at).load(Relaxed) == 0 {
            return;
        }
        let mut rest = self.rest();
        let shift = granule_bytes.trailing_zeros();
        for (index, kept) in kept_of(&mut rest.values, at).iter_mut().enumerate() {
            if let Some(word) = words.get((index << shift) / 4) {
                *kept = narrowed(word.load(Relaxed), index, shift);
            }
        }
    }

    /// Adds an entry of blocks that do not wait for each other.
    fn tell(&self, at: usize, entry: Entry, values: &[u32]) {
        let word = self.word(at);
        let seen = match entry.packed() {
            Some(packed) => match word.compare_exchange(0, packed, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(seen) => seen,
            },
            None => word.load(Relaxed),
        };
        if entry.deed == Deed::Load && seen & SATED != 0 {
            return;
        }
        let mut rest = self.rest();
        let Rest {
            told, values: kept, ..
        } = &mut *rest;
        let told = &mut told.get_or_insert_default()[at];
        if !told.has_word {
            told.has_word = true;
            let first = word.compare_exchange(0, ELSEWHERE, Relaxed, Relaxed);
            if let Err(first) = first
                && let Some(first) = Entry::unpacked(first)
            {
                told.add(first);
            }
        }
        if entry.deed == Deed::Store
            && let Some(kept) = kept
        {
            told.note_values(&entry, values, &kept[at * SEGMENT..][..SEGMENT]);
        }
        if told.add(entry) {
            word.fetch_or(SATED, Relaxed);
        }
    }

    /// Adds an entry of blocks in order; returns its races with earlier ones.
    fn tell_in_order(
        &self,
        at: usize,
        entry: Entry,
        values: &[u32],
        order: &Order,
        place: (u64, u32),
    ) -> Vec<Pair> {
        let mut rest = self.rest();
        let Rest {
            told, values: kept, ..
        } = &mut *rest;
        let told = &mut told.get_or_insert_default()[at];
        let kept_here = kept.as_ref().map(|kept| &kept[at * SEGMENT..][..SEGMENT]);
        let races = told.compare(&entry, order, values, kept_here, place);
        if entry.deed == Deed::Store {
            let kept = kept_of(kept, at);
            each(entry.mask).for_each(|granule| kept[granule] = values[granule]);
        }
        told.add_in_order(entry);
        races
    }
}

/// The values kept of a segment.
fn kept_of(values: &mut Option<Box<[u32; PAGE * SEGMENT]>>, at: usize) -> &mut [u32] {
    let values = values.get_or_insert_with(|| Box::new([0; PAGE * SEGMENT]));
    &mut values[at * SEGMENT..][..SEGMENT]
}
