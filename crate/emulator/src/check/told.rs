//! What blocks have told of one segment of global memory, and which of their accesses race.

use crate::check::cells::Actor;
use crate::check::clocks::each;
use crate::check::marks::SEGMENT;
use crate::check::model::{conflict, may_have_observed};
use crate::check::order::Acquired;
use crate::check::segments::{Actors, DEED_KINDS, Deed, Times};

/// A deed of a phase of a block to granules of one segment.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) phase: u32,
    pub(super) deed: Deed,
    pub(super) mask: u32,
    pub(super) actors: Actors,
    pub(super) times: Times,
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

impl Entry {
    fn party(&self, granule: usize) -> Party {
        Party {
            phase: self.phase,
            deed: self.deed,
            actor: self.actors.at(self.mask, granule),
        }
    }
}

/// Entries of a segment.
#[derive(Debug, Default)]
pub(super) struct Told {
    entries: Vec<Entry>,
    /// Granules to which not all blocks have stored the same value.
    differs: u32,
    /// Some granule was accessed by two phases, and not only loaded.
    pub(super) suspect: bool,
}

impl Told {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Granules that some block has stored to.
    fn stored(&self) -> u32 {
        self.entries
            .iter()
            .filter(|entry| entry.deed == Deed::Store)
            .fold(0, |mask, entry| mask | entry.mask)
    }

    /// Notes the values of a store; `kept` are those that earlier blocks have left.
    pub(super) fn note_values(&mut self, entry: &Entry, values: &[u32], kept: &[u32]) {
        for granule in each(entry.mask & self.stored()) {
            self.differs |= u32::from(kept[granule] != values[granule]) << granule;
        }
    }

    /// Adds an entry of blocks that do not wait for each other. Of each granule and deed the two first to come are
    /// kept.
    pub(super) fn add(&mut self, entry: Entry) {
        let (mut once, mut twice) = (0, 0);
        for old in &self.entries {
            let both = old.mask & entry.mask;
            self.suspect |= old.phase != entry.phase && both != 0 && conflict(old.deed, entry.deed);
            if old.deed == entry.deed {
                twice |= once & old.mask;
                once |= old.mask;
            }
        }
        if entry.mask & !twice != 0 {
            self.entries.push(entry);
        }
    }

    /// Adds an entry of blocks in order. Of each granule and deed the two last phases are kept.
    pub(super) fn add_in_order(&mut self, entry: Entry) {
        self.entries.push(entry);
        if self.entries.len() < 3 {
            return;
        }
        self.entries
            .sort_by_key(|entry| std::cmp::Reverse(entry.phase));
        let (mut once, mut twice) = ([0u32; DEED_KINDS], [0u32; DEED_KINDS]);
        self.entries.retain(|entry| {
            let deed = entry.deed as usize;
            let keep = entry.mask & !twice[deed] != 0;
            twice[deed] |= once[deed] & entry.mask;
            once[deed] |= entry.mask;
            keep
        });
    }

    /// Races of a new deed with those before it that do not happen before, as far as its warps have acquired them;
    /// `kept` are the values stored before.
    pub(super) fn compare(
        &self,
        new: &Entry,
        acquired: Acquired,
        values: &[u32],
        kept: Option<&[u32]>,
        (address, granule_bytes): (u64, u32),
    ) -> Vec<Pair> {
        let mut races = Vec::new();
        let mut left = new.mask;
        for old in &self.entries {
            let mut both = old.mask & left;
            let block = acquired.order.block(old.phase);
            if both == 0
                || !conflict(old.deed, new.deed)
                || block == acquired.order.block(new.phase)
            {
                continue;
            }
            for granule in each(both) {
                let earlier = (old.actors.at(old.mask, granule), old.times.at(granule));
                let later = new.actors.at(new.mask, granule);
                if acquired.is_ordered(block, earlier, later)
                    || self.has_observed((old, new), granule, acquired)
                {
                    both &= !(1 << granule);
                }
            }
            if old.deed == Deed::Store
                && new.deed == Deed::Store
                && let Some(kept) = kept
            {
                for granule in each(both) {
                    if kept[granule] == values[granule] {
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

    /// Whether a weak deed comes behind a strong write of a granule by another block, which an operation has observed
    /// that comes before the deed in base causality order. Every block tells what it did before the next strong access of
    /// any, so that who has a later phase has observed it.
    fn has_observed(
        &self,
        (old, new): (&Entry, &Entry),
        granule: usize,
        acquired: Acquired,
    ) -> bool {
        use Deed::{Strong, Swap, Watch};
        if !matches!(old.deed, Strong | Swap) || !new.deed.is_weak() {
            return false;
        }
        let later = new.actors.at(new.mask, granule);
        let block = acquired.order.block(new.phase);
        self.entries.iter().any(|entry| {
            let is_observer = matches!(entry.deed, Strong | Swap | Watch)
                && entry.phase > old.phase
                && entry.mask & (1 << granule) != 0;
            if !is_observer {
                return false;
            }
            let (observer, stamp) = (
                entry.actors.at(entry.mask, granule),
                entry.times.at(granule),
            );
            let by = acquired.order.block(entry.phase);
            let comes_before = || match by == block {
                true => acquired.is_ordered_within((observer, stamp), later),
                false => acquired.is_ordered(by, (observer, stamp), later),
            };
            may_have_observed(acquired.observation, observer.place(), later.place())
                && comes_before()
        })
    }

    /// The first race of each granule.
    pub(super) fn races(&self, address: u64, granule_bytes: u32, races: &mut Vec<Pair>) {
        for granule in 0..SEGMENT {
            let bit = 1 << granule;
            let mut parties: Vec<Party> = self
                .entries
                .iter()
                .filter(|entry| entry.mask & bit != 0)
                .map(|entry| entry.party(granule))
                .collect();
            parties.sort_by_key(|party| (party.phase, party.deed));
            let races_with = |a: &Party, b: &Party| {
                a.phase != b.phase
                    && conflict(a.deed, b.deed)
                    && ((a.deed, b.deed) != (Deed::Store, Deed::Store) || self.differs & bit != 0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::cells::Manner;

    #[test]
    fn two_loads_of_a_segment_meet_whatever_store_comes_later() {
        let load = |phase: u32| Entry {
            phase,
            deed: Deed::Load,
            mask: u32::MAX,
            actors: Actors::Row(Actor::new(77, 96, Manner::Weak), 1),
            times: Times::One(1),
        };
        let mut told = Told::default();
        for phase in 5..9 {
            told.add(load(phase));
        }
        assert!(!told.suspect && told.entries.len() == 2);
        told.add(Entry {
            deed: Deed::Store,
            mask: 1 << 20,
            ..load(7)
        });
        assert!(told.suspect);
    }
}
