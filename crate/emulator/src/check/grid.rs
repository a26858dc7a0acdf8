//! What blocks did to global memory, as far as other blocks race by it, and which bytes have been written.
//!
//! Blocks run in any order on any number of host threads, so what is kept does not depend on the order in which
//! they come: of each granule the two first blocks, by number, for each deed. Races are found when all are done.
//! Where blocks wait for each other they run on one thread, and each access is compared with the earlier ones.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::check::Initialised;
use crate::check::cells::Actor;
use crate::check::clocks::each;
use crate::check::order::Order;
use crate::check::segments::{Actors, Deed, SEGMENT};
use crate::memory::Buffer;

/// Segments of a page.
const PAGE: usize = 32;

/// A deed of a phase of a block to granules of one segment.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) phase: u32,
    pub(super) deed: Deed,
    pub(super) mask: u32,
    pub(super) actors: Actors,
}

/// A pair of accesses by two blocks that nothing orders.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) address: u64,
    pub(super) later: Party,
    pub(super) earlier: Party,
}

/// One access of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Party {
    pub(super) phase: u32,
    pub(super) deed: Deed,
    pub(super) actor: Actor,
}

#[derive(Debug, Default)]
struct Shadow {
    first: Option<Entry>,
    more: Vec<Entry>,
    /// Granules to which not all blocks have stored the same value.
    differs: u32,
    /// Some granule was accessed by two phases, and not only loaded.
    suspect: bool,
}

#[derive(Debug, Default)]
struct Page {
    segments: [Shadow; PAGE],
    /// The value that the first block to tell has stored to each granule.
    values: Option<Box<[u32; PAGE * SEGMENT]>>,
    /// What the words held before the launch, for the segments whose bits are set.
    saved: Option<(u32, Box<[u32]>)>,
}

#[derive(Debug)]
struct BufferShadow {
    base: u64,
    pages: Vec<Mutex<Option<Box<Page>>>>,
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
                pages: std::iter::repeat_with(Mutex::default).take(pages).collect(),
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

    /// Saves what a segment holds before a block stores to it, if the launch may have to be taken back.
    pub(super) fn save(&self, index: usize, buffer: &Buffer, segment: u64) {
        let shadow = &self.buffers[index];
        if !self.is_parallel || shadow.before == Initialised::None {
            return;
        }
        let words = SEGMENT * self.granule as usize / 4;
        let offset =
            (segment * u64::from(self.granule) * SEGMENT as u64).saturating_sub(shadow.base);
        let at = offset as usize / (SEGMENT * self.granule as usize);
        let Some(page) = shadow.pages.get(at / PAGE) else {
            return;
        };
        let mut page = page.lock().unwrap_or_else(PoisonError::into_inner);
        let (done, saved) = page
            .get_or_insert_default()
            .saved
            .get_or_insert_with(|| (0, vec![0; PAGE * words].into_boxed_slice()));
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
        self.is_parallel
            && self.pages().any(|(_, _, page)| {
                let page = page.lock().unwrap_or_else(PoisonError::into_inner);
                page.as_ref()
                    .is_some_and(|page| page.segments.iter().any(|segment| segment.suspect))
            })
    }

    /// Takes the launch back: memory is as before, and so is what is known of it. Blocks will run in order.
    pub(crate) fn take_back(&mut self, buffers: &[&Buffer]) {
        self.is_parallel = false;
        let words = SEGMENT * self.granule as usize / 4;
        for (shadow, buffer) in self.buffers.iter_mut().zip(buffers) {
            for (number, page) in shadow.pages.iter_mut().enumerate() {
                let page = page
                    .get_mut()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take();
                let Some(page) = page else { continue };
                let first = number * PAGE * words;
                match page.saved {
                    Some((done, saved)) => {
                        for at in each(done) {
                            let saved = &saved[at * words..][..words];
                            buffer.restore(first + at * words, words, Some(saved));
                        }
                    }
                    None if shadow.before == Initialised::None => {
                        buffer.restore(first, PAGE * words, None);
                    }
                    None => {}
                }
            }
            shadow.after.iter().for_each(|word| word.store(0, Relaxed));
        }
    }

    fn pages(&self) -> impl Iterator<Item = (usize, usize, &Mutex<Option<Box<Page>>>)> {
        self.buffers
            .iter()
            .enumerate()
            .flat_map(|(buffer, shadow)| {
                let pages = shadow.pages.iter().enumerate();
                pages.map(move |(number, page)| (buffer, number, page))
            })
    }

    /// Tells the buffers what this launch has written.
    pub(crate) fn give_back(self, buffers: &[&Buffer]) {
        for (shadow, buffer) in self.buffers.into_iter().zip(buffers) {
            let mut state = shadow.before;
            state.merge(
                shadow.after.into_iter().map(AtomicU32::into_inner),
                buffer.bytes,
            );
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
        self.buffers[buffer].before == Initialised::All
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
        let mut page = page.lock().unwrap_or_else(PoisonError::into_inner);
        let page = page.get_or_insert_default();
        let at = index % PAGE;
        let mut races = Vec::new();
        if let Some(order) = &self.order {
            let order = order.lock().unwrap_or_else(PoisonError::into_inner);
            races = page.compare(at, &entry, &order, values, address, self.granule);
        }
        page.add(at, entry, values, self.order.is_some());
        races
    }

    fn mark(&self, shadow: &BufferShadow, offset: usize, mask: u32) {
        if shadow.after.is_empty() {
            return;
        }
        let granules_per_word = 32 / self.granule;
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
                let page = page.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(page) = page.as_deref() else {
                    continue;
                };
                for (index, segment) in page
                    .segments
                    .iter()
                    .enumerate()
                    .filter(|(_, segment)| segment.suspect)
                {
                    let bytes = u64::from(self.granule) * SEGMENT as u64;
                    let address = shadow.base + (number * PAGE + index) as u64 * bytes;
                    segment.races(address, self.granule, &mut races);
                }
            }
        }
        races
    }
}

/// Whether two deeds race if nothing orders them.
fn conflict(a: Deed, b: Deed) -> bool {
    use Deed::{Load, Store, Strong, Swap};
    !matches!(
        (a, b),
        (Load, Load | Swap) | (Swap, Load) | (Strong | Swap, Strong | Swap)
    ) || (a, b) == (Store, Store)
}

impl Page {
    fn add(&mut self, at: usize, entry: Entry, values: &[u32], ordered: bool) {
        let segment = &mut self.segments[at];
        if entry.deed == Deed::Store {
            let stored = segment.stored();
            let page = self
                .values
                .get_or_insert_with(|| Box::new([0; PAGE * SEGMENT]));
            let page = &mut page[at * SEGMENT..][..SEGMENT];
            if entry.mask == u32::MAX && stored == 0 {
                page.copy_from_slice(values);
            } else {
                for granule in each(entry.mask) {
                    if stored & (1 << granule) == 0 || ordered {
                        page[granule] = values[granule];
                    } else if page[granule] != values[granule] {
                        segment.differs |= 1 << granule;
                    }
                }
            }
        }
        segment.add(entry, ordered);
    }

    /// Races of a new deed with those before it that do not happen before.
    fn compare(
        &self,
        at: usize,
        new: &Entry,
        order: &Order,
        values: &[u32],
        address: u64,
        granule_bytes: u32,
    ) -> Vec<Pair> {
        let mut races = Vec::new();
        let mut left = new.mask;
        for old in self.segments[at].entries() {
            let mut both = old.mask & left;
            if both == 0 || !conflict(old.deed, new.deed) || order.is_ordered(old.phase, new.phase)
            {
                continue;
            }
            if old.deed == Deed::Store
                && new.deed == Deed::Store
                && let Some(stored) = &self.values
            {
                for granule in each(both) {
                    if stored[at * SEGMENT + granule] == values[granule] {
                        both &= !(1 << granule);
                    }
                }
            }
            left &= !both;
            races.extend(each(both).map(|granule| Pair {
                address: address + granule as u64 * u64::from(granule_bytes),
                later: new.party(granule),
                earlier: old.party(granule),
            }));
        }
        races
    }
}

impl Entry {
    fn party(&self, granule: usize) -> Party {
        Party {
            phase: self.phase,
            deed: self.deed,
            actor: self.actors.at(self.mask, granule),
        }
    }
}

impl Shadow {
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.first.iter().chain(&self.more)
    }

    /// Granules that some block has stored to.
    fn stored(&self) -> u32 {
        self.entries()
            .filter(|entry| entry.deed == Deed::Store)
            .fold(0, |mask, entry| mask | entry.mask)
    }

    fn add(&mut self, entry: Entry, ordered: bool) {
        let Some(first) = &self.first else {
            self.first = Some(entry);
            return;
        };
        let meets = |old: &Entry| {
            old.phase != entry.phase && old.mask & entry.mask != 0 && conflict(old.deed, entry.deed)
        };
        self.suspect |= meets(first) || self.more.iter().any(meets);
        self.more.push(entry);
        if self.more.len() > 1 {
            self.forget(ordered);
        }
    }

    /// Of each granule and deed keeps the two first phases, or the two last ones of blocks in order.
    fn forget(&mut self, ordered: bool) {
        let mut entries: Vec<Entry> = self
            .first
            .take()
            .into_iter()
            .chain(self.more.drain(..))
            .collect();
        entries.sort_by_key(|entry| {
            if ordered {
                u32::MAX - entry.phase
            } else {
                entry.phase
            }
        });
        let (mut once, mut twice) = ([0u32; 4], [0u32; 4]);
        entries.retain(|entry| {
            let deed = entry.deed as usize;
            let keep = entry.mask & !twice[deed] != 0;
            twice[deed] |= once[deed] & entry.mask;
            once[deed] |= entry.mask;
            keep
        });
        let mut entries = entries.into_iter();
        self.first = entries.next();
        self.more.extend(entries);
    }

    fn races(&self, address: u64, granule_bytes: u32, races: &mut Vec<Pair>) {
        for granule in 0..SEGMENT {
            let bit = 1 << granule;
            let mut parties: Vec<Party> = self
                .entries()
                .filter(|entry| entry.mask & bit != 0)
                .map(|entry| entry.party(granule))
                .collect();
            parties.sort_by_key(|party| (party.phase, party.deed));
            let races_with = |a: &Party, b: &Party| {
                a.phase != b.phase
                    && conflict(a.deed, b.deed)
                    && (a.deed != b.deed || self.differs & bit != 0)
            };
            let pair = parties.iter().enumerate().find_map(|(at, later)| {
                let earlier = parties[..at]
                    .iter()
                    .find(|earlier| races_with(earlier, later))?;
                Some((*later, *earlier))
            });
            if let Some((later, earlier)) = pair {
                let address = address + granule as u64 * u64::from(granule_bytes);
                races.push(Pair {
                    address,
                    later,
                    earlier,
                });
            }
        }
    }
}
