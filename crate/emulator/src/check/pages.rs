//! What blocks in order have told of a buffer, by pages: who did what, and the values that they stored.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::check::clocks::each;
use crate::check::marks::SEGMENT;
use crate::check::order::Acquired;
use crate::check::segments::{Deed, narrowed};
use crate::check::told::{Entry, Pair, Told};

/// Segments of a page.
pub(super) const PAGE: usize = 32;

/// What is known of neighbouring segments.
#[derive(Debug, Default)]
pub(super) struct Page(Mutex<Content>);

#[derive(Debug, Default)]
struct Content {
    told: Option<Box<[Told; PAGE]>>,
    /// The values of granules that a block stored to, as a later block finds them.
    values: Option<Box<[u32; PAGE * SEGMENT]>>,
}

impl Page {
    fn content(&self) -> MutexGuard<'_, Content> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the values of granules of a segment, if a block has told of it.
    pub(super) fn keep_values(
        &self,
        at: usize,
        mask: u32,
        words: &[AtomicU32],
        granule_bytes: u32,
    ) {
        let mut content = self.content();
        if content.told.as_ref().is_none_or(|told| told[at].is_empty()) {
            return;
        }
        let shift = granule_bytes.trailing_zeros();
        let kept = kept_of(&mut content.values, at);
        for index in each(mask) {
            if let Some(word) = words.get((index << shift) / 4) {
                kept[index] = narrowed(word.load(Relaxed), index, shift);
            }
        }
    }

    /// Adds an entry of blocks that do not wait for each other.
    pub(super) fn tell(&self, at: usize, entry: Entry, values: &[u32]) {
        let mut content = self.content();
        let Content { told, values: kept } = &mut *content;
        let told = &mut told.get_or_insert_default()[at];
        if entry.deed == Deed::Store
            && let Some(kept) = kept
        {
            told.note_values(&entry, values, &kept[at * SEGMENT..][..SEGMENT]);
        }
        told.add(entry);
    }

    /// Adds an entry of blocks that may wait for each other; returns its races with earlier ones.
    pub(super) fn tell_in_order(
        &self,
        at: usize,
        entry: Entry,
        values: &[u32],
        acquired: Acquired,
        place: (u64, u32),
    ) -> Vec<Pair> {
        let mut content = self.content();
        let Content { told, values: kept } = &mut *content;
        let told = &mut told.get_or_insert_default()[at];
        let kept_here = kept.as_ref().map(|kept| &kept[at * SEGMENT..][..SEGMENT]);
        let races = told.compare(&entry, acquired, values, kept_here, place);
        if entry.deed == Deed::Store {
            let kept = kept_of(kept, at);
            each(entry.mask).for_each(|granule| kept[granule] = values[granule]);
        }
        told.add_in_order(entry);
        races
    }

    /// The races of blocks that do not wait for each other, where the page starts at an address.
    pub(super) fn races(&self, address: u64, granule_bytes: u32, races: &mut Vec<Pair>) {
        let content = self.content();
        let told = content.told.iter().flat_map(|told| told.iter()).enumerate();
        for (index, told) in told.filter(|(_, told)| told.suspect) {
            let segment = (index * SEGMENT) as u64 * u64::from(granule_bytes);
            told.races(address + segment, granule_bytes, races);
        }
    }
}

/// The values kept of a segment.
fn kept_of(values: &mut Option<Box<[u32; PAGE * SEGMENT]>>, at: usize) -> &mut [u32] {
    let values = values.get_or_insert_with(|| Box::new([0; PAGE * SEGMENT]));
    &mut values[at * SEGMENT..][..SEGMENT]
}
