//! Who loaded strongly from each granule last, and who has done so since the last strong store there.

use std::collections::HashMap;

use crate::check::cells::Actor;

/// A load with the stamp of its interval.
type Load = (u32, Actor);

#[derive(Debug, Default)]
struct Watched {
    last: Load,
    /// The last of each warp since the last strong store, of those that observe.
    since: Vec<Load>,
}

/// The granules that have been loaded from strongly, by the numbers of their cells.
#[derive(Debug, Default)]
pub(super) struct Watchers(HashMap<usize, Watched>);

impl Watchers {
    /// A block starts.
    pub(super) fn start(&mut self) {
        if !self.0.is_empty() {
            self.0.clear();
        }
    }

    /// Notes a strong load; `observes` if the program has a use for what it brings.
    pub(super) fn note(&mut self, at: usize, load: Load, observes: bool) {
        let watched = self.0.entry(at).or_default();
        watched.last = load;
        if observes {
            let same_warp = |other: &&mut Load| other.1.warp() == load.1.warp();
            match watched.since.iter_mut().find(same_warp) {
                Some(other) => *other = load,
                None => watched.since.push(load),
            }
        }
    }

    /// A strong store: nobody has observed it yet.
    #[inline(always)]
    pub(super) fn overwrite(&mut self, at: usize) {
        if !self.0.is_empty()
            && let Some(watched) = self.0.get_mut(&at)
        {
            watched.since.clear();
        }
    }

    /// The last strong load.
    #[inline(always)]
    pub(super) fn last(&self, at: usize) -> Option<Load> {
        if self.0.is_empty() {
            return None;
        }
        self.found(at).map(|watched| watched.last)
    }

    #[inline(never)]
    fn found(&self, at: usize) -> Option<&Watched> {
        self.0.get(&at)
    }

    /// Those that have observed the last strong store.
    pub(super) fn observers(&self, at: usize) -> &[Load] {
        self.found(at).map_or(&[], |watched| &watched.since)
    }
}
