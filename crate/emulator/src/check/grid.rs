//! What blocks did to global memory, as far as other blocks race by it, and which bytes have been written.
//!
//! Blocks run in any order on any number of host threads. A first pass only finds out whether any of them meet, by a
//! bit for each granule and kind of deed. If they do, the launch is taken back and blocks run in order: then all that
//! they do is compared, and what is found does not depend on chance. Where blocks wait for each other they run in order
//! at once, and each access is compared with the earlier ones.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::check::clocks::each;
use crate::check::marks::SEGMENT;
use crate::check::order::Order;
use crate::check::segments::{Deed, narrowed};
use crate::check::told::{Entry, Pair, Told};
use crate::check::undo::Undo;
use crate::memory::Buffer;
use crate::memory::initialised::Initialised;

/// Segments of a page.
const PAGE: usize = 32;

/// What is known of neighbouring segments.
#[derive(Debug, Default)]
struct Page {
    /// Of each segment, what the first pass saw.
    seen: OnceLock<Box<[Seen; PAGE]>>,
    rest: Mutex<Rest>,
}

/// Of a segment's granules, those that blocks have written: weakly (the upper half) and strongly; and those that they
/// have loaded (the upper half) and written strongly in other ways than by compare-and-swaps.
#[derive(Debug, Default)]
struct Seen {
    written: AtomicU64,
    others: AtomicU64,
}

impl Seen {
    /// Adds a deed of a block, which tells each deed to a granule once. Of two that race, one sees the other.
    #[inline(always)]
    fn add(&self, deed: Deed, mask: u32) -> Met {
        let (low, high) = (u64::from(mask), u64::from(mask) << 32);
        let upper = |word: u64| (word >> 32) as u32;
        let (written, racing);
        match deed {
            Deed::Load | Deed::Watch => {
                let strong = self.others.fetch_or(high, SeqCst) as u32;
                written = self.written.load(SeqCst);
                racing = upper(written) | strong;
            }
            // A narrow one races with all that others do.
            Deed::Store | Deed::Narrow => {
                written = self.written.fetch_or(high, SeqCst);
                racing = upper(written) | written as u32 | upper(self.others.load(SeqCst));
            }
            Deed::Strong => {
                written = self.written.fetch_or(low, SeqCst);
                racing = upper(written) | upper(self.others.fetch_or(low, SeqCst));
            }
            Deed::Swap => {
                written = self.written.fetch_or(low, SeqCst);
                racing = upper(written);
            }
        }
        Met {
            racing: racing & mask,
            written: (upper(written) | written as u32) & mask,
        }
    }
}

/// What a deed met.
struct Met {
    /// Granules where it may race with what another block did.
    racing: u32,
    /// Granules that have been written.
    written: u32,
}

#[derive(Debug, Default)]
struct Rest {
    told: Option<Box<[Told; PAGE]>>,
    /// The values of granules that a block stored to, as a later block finds them.
    values: Option<Box<[u32; PAGE * SEGMENT]>>,
}

impl Page {
    fn rest(&self) -> MutexGuard<'_, Rest> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline(always)]
    fn seen(&self, at: usize) -> &Seen {
        let seen = self
            .seen
            .get_or_init(|| Box::new(std::array::from_fn(|_| Seen::default())));
        &seen[at]
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
    /// Whether this pass only finds out if blocks meet.
    is_first: bool,
    /// Blocks met: the launch has to be taken back.
    suspect: AtomicBool,
    /// What the first pass overwrote.
    undo: Mutex<Vec<Undo>>,
    /// Present if blocks may wait for each other.
    pub(super) order: Option<Mutex<Order>>,
}

impl GridShadow {
    /// Of a launch's buffers, whose knowledge of what is initialised it takes until [`GridShadow::give_back`]. If the
    /// launch can be taken back, there are two passes.
    pub(crate) fn new(buffers: &[&Buffer], granule: u32, ordered: bool, may_repeat: bool) -> Self {
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
            is_first: may_repeat && !ordered,
            suspect: AtomicBool::new(false),
            undo: Mutex::default(),
            order: ordered.then(Mutex::default),
        }
    }

    /// Whether this pass only finds out if blocks meet.
    #[inline(always)]
    pub(super) fn is_first(&self) -> bool {
        self.is_first
    }

    /// The index of a segment within its buffer, and its offset there in bytes.
    #[inline(always)]
    fn place(&self, shadow: &BufferShadow, segment: u64) -> (usize, usize) {
        let bytes = SEGMENT * self.granule as usize;
        let offset = (segment * bytes as u64).saturating_sub(shadow.base) as usize;
        (offset / bytes, offset)
    }

    /// A block is about to write to granules of a segment for the first time by a deed. The first pass takes down what
    /// they hold and tells; a later one keeps the values that earlier blocks have stored, if any did.
    pub(super) fn claim(
        &self,
        (index, buffer): (usize, &Buffer),
        segment: u64,
        (deed, mask): (Deed, u32),
        undo: &mut Undo,
    ) {
        let shadow = &self.buffers[index];
        let (at, offset) = self.place(shadow, segment);
        let Some(page) = shadow.pages.get(at / PAGE) else {
            return;
        };
        if self.is_first {
            let is_kept = shadow.before != Initialised::None;
            if is_kept {
                undo.note(index, buffer, offset, mask, self.granule);
            }
            self.mark(shadow, offset, mask);
            let met = page.seen(at % PAGE).add(deed, mask);
            self.meet(met.racing);
            if is_kept && met.written != 0 {
                undo.withdraw(met.written);
            }
        } else if self.order.is_none() {
            page.keep_values(at % PAGE, mask, &buffer.words[offset / 4..], self.granule);
        }
    }

    /// A block of the first pass has loaded from granules of a segment.
    #[inline(always)]
    pub(super) fn see_loads(&self, index: usize, segment: u64, mask: u32) {
        let shadow = &self.buffers[index];
        let (at, _) = self.place(shadow, segment);
        if let Some(page) = shadow.pages.get(at / PAGE) {
            self.meet(page.seen(at % PAGE).add(Deed::Load, mask).racing);
        }
    }

    #[inline(always)]
    fn meet(&self, racing: u32) {
        if racing != 0 {
            self.suspect.store(true, Relaxed);
        }
    }

    /// A host thread has run its blocks; this is what they overwrote.
    pub(super) fn keep(&self, undo: Undo) {
        let mut all = self.undo.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(undo);
    }

    /// Whether blocks met, so that the order in which they ran may have changed what they did.
    pub(crate) fn is_suspect(&self) -> bool {
        self.is_first && self.suspect.load(Relaxed)
    }

    /// Takes the launch back: memory is as before, and so is what is known of it. Blocks will run in order.
    pub(crate) fn take_back(&mut self, buffers: &[&Buffer]) {
        self.is_first = false;
        let undo = self.undo.get_mut().unwrap_or_else(PoisonError::into_inner);
        for undo in undo.drain(..) {
            undo.restore(buffers, self.granule);
        }
        let words = SEGMENT * self.granule as usize / 4;
        for (shadow, buffer) in self.buffers.iter_mut().zip(buffers) {
            for (number, page) in shadow.pages.iter_mut().enumerate() {
                let seen = std::mem::take(page).seen;
                if shadow.before == Initialised::None && seen.get().is_some() {
                    buffer.restore(number * PAGE * words, PAGE * words);
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
    /// run one after the other. (If another block stores there in the first pass, the launch is taken back.)
    #[inline]
    pub(super) fn is_initialised(&self, buffer: usize, offset: usize, bytes: usize) -> bool {
        let shadow = &self.buffers[buffer];
        shadow.before.covers(offset, bytes)
            || !self.is_first
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
        let (index, offset) = self.place(shadow, segment);
        let address = shadow.base + offset as u64;
        if entry.deed.writes() {
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

    #[inline(always)]
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
    /// Keeps the values of granules of a segment, if a block has told of it.
    fn keep_values(&self, at: usize, mask: u32, words: &[AtomicU32], granule_bytes: u32) {
        let mut rest = self.rest();
        if rest.told.as_ref().is_none_or(|told| told[at].is_empty()) {
            return;
        }
        let shift = granule_bytes.trailing_zeros();
        let kept = kept_of(&mut rest.values, at);
        for index in each(mask) {
            if let Some(word) = words.get((index << shift) / 4) {
                kept[index] = narrowed(word.load(Relaxed), index, shift);
            }
        }
    }

    /// Adds an entry of blocks that do not wait for each other.
    fn tell(&self, at: usize, entry: Entry, values: &[u32]) {
        let mut rest = self.rest();
        let Rest { told, values: kept } = &mut *rest;
        let told = &mut told.get_or_insert_default()[at];
        if entry.deed == Deed::Store
            && let Some(kept) = kept
        {
            told.note_values(&entry, values, &kept[at * SEGMENT..][..SEGMENT]);
        }
        told.add(entry);
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
        let Rest { told, values: kept } = &mut *rest;
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
