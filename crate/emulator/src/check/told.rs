//! What blocks have told of one segment of global memory, and which of their accesses race.

use crate::check::cells::Actor;
use crate::check::clocks::each;
use crate::check::order::Order;
use crate::check::segments::{Actors, Deed, SEGMENT};

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

/// Whether two deeds race if nothing orders them.
fn conflict(a: Deed, b: Deed) -> bool {
    use Deed::{Load, Store, Strong, Swap};
    !matches!(
        (a, b),
        (Load, Load | Swap) | (Swap, Load) | (Strong | Swap, Strong | Swap)
    ) || (a, b) == (Store, Store)
}

// ---- an entry in one word ----
//
// From the highest bit: whether there is an entry; whether it stores; the logarithm of the granules of each thread
// (2 bits); whether further loads say nothing new; the phase (29 bits); the actor (30 bits).

/// The segment has no entry in its word, but is kept elsewhere.
pub(super) const ELSEWHERE: u64 = 1;
const HAS_ENTRY: u64 = 1 << 63;
const IS_STORE: u64 = 1 << 62;
const PER_THREAD: u32 = 60;
/// Two blocks have loaded all of the segment: more loads cannot add a race that these do not have.
pub(super) const SATED: u64 = 1 << 59;
const PHASE: u32 = 30;

impl Entry {
    /// The entry as a word, if it is that of a row of threads that weakly load or store the whole segment.
    #[inline]
    pub(super) fn packed(&self) -> Option<u64> {
        let Actors::Row(actor, per_thread) = self.actors else {
            return None;
        };
        let is_plain = self.mask == u32::MAX
            && matches!(self.deed, Deed::Load | Deed::Store)
            && matches!(per_thread, 1 | 2 | 4 | 8)
            && self.phase < 1 << (59 - PHASE)
            && !actor.is_strong();
        let store = if self.deed == Deed::Store {
            IS_STORE
        } else {
            0
        };
        is_plain.then(|| {
            HAS_ENTRY
                | store
                | u64::from(per_thread.trailing_zeros()) << PER_THREAD
                | u64::from(self.phase) << PHASE
                | u64::from(actor.bits())
        })
    }

    /// The entry in a word, if there is one.
    pub(super) fn unpacked(word: u64) -> Option<Self> {
        let field = |first: u32, bits: u32| (word >> first) as u32 & ((1 << bits) - 1);
        (word & HAS_ENTRY != 0).then(|| Self {
            phase: field(PHASE, 59 - PHASE),
            deed: if word & IS_STORE != 0 {
                Deed::Store
            } else {
                Deed::Load
            },
            mask: u32::MAX,
            actors: Actors::Row(Actor::from_bits(field(0, PHASE)), 1 << field(PER_THREAD, 2)),
        })
    }

    fn party(&self, granule: usize) -> Party {
        Party {
            phase: self.phase,
            deed: self.deed,
            actor: self.actors.at(self.mask, granule),
        }
    }
}

// ---- all entries of a segment ----

/// Entries of a segment that do not fit in a word.
#[derive(Debug, Default)]
pub(super) struct Told {
    entries: Vec<Entry>,
    /// The entry of the segment's word, if any, is among them.
    pub(super) has_word: bool,
    /// Granules to which not all blocks have stored the same value.
    differs: u32,
    /// Some granule was accessed by two phases, and not only loaded.
    pub(super) suspect: bool,
}

impl Told {
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
    /// kept. Returns whether further loads say nothing new.
    pub(super) fn add(&mut self, entry: Entry) -> bool {
        let (mut once, mut twice, mut loads) = (0, 0, 0);
        for old in &self.entries {
            let both = old.mask & entry.mask;
            self.suspect |= old.phase != entry.phase && both != 0 && conflict(old.deed, entry.deed);
            if old.deed == entry.deed {
                twice |= once & old.mask;
                once |= old.mask;
            }
            loads += u32::from(old.deed == Deed::Load && old.mask == u32::MAX);
        }
        if entry.mask & !twice != 0 {
            loads += u32::from(entry.deed == Deed::Load && entry.mask == u32::MAX);
            self.entries.push(entry);
        }
        loads >= 2
    }

    /// Adds an entry of blocks in order. Of each granule and deed the two last phases are kept.
    pub(super) fn add_in_order(&mut self, entry: Entry) {
        self.entries.push(entry);
        if self.entries.len() < 3 {
            return;
        }
        self.entries
            .sort_by_key(|entry| std::cmp::Reverse(entry.phase));
        let (mut once, mut twice) = ([0u32; 4], [0u32; 4]);
        self.entries.retain(|entry| {
            let deed = entry.deed as usize;
            let keep = entry.mask & !twice[deed] != 0;
            twice[deed] |= once[deed] & entry.mask;
            once[deed] |= entry.mask;
            keep
        });
    }

    /// Races of a new deed with those before it that do not happen before; `kept` are the values stored before.
    pub(super) fn compare(
        &self,
        new: &Entry,
        order: &Order,
        values: &[u32],
        kept: Option<&[u32]>,
        (address, granule_bytes): (u64, u32),
    ) -> Vec<Pair> {
        let mut races = Vec::new();
        let mut left = new.mask;
        for old in &self.entries {
            let mut both = old.mask & left;
            if both == 0 || !conflict(old.deed, new.deed) || order.is_ordered(old.phase, new.phase)
            {
                continue;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::cells::Manner;

    fn load(phase: u32, mask: u32, per_thread: i32) -> Entry {
        Entry {
            phase,
            deed: Deed::Load,
            mask,
            actors: Actors::Row(Actor::new(77, 96, Manner::Weak), per_thread),
        }
    }

    #[test]
    fn an_entry_in_a_word_comes_out_as_it_went_in() {
        for deed in [Deed::Load, Deed::Store] {
            for (phase, per_thread) in [(0, 1), (12_345, 2), ((1 << 29) - 1, 8)] {
                let entry = Entry {
                    deed,
                    ..load(phase, u32::MAX, per_thread)
                };
                let out = entry.packed().and_then(Entry::unpacked);
                let out = out.expect("a plain row of a whole segment");
                assert_eq!((out.phase, out.deed, out.mask), (phase, deed, u32::MAX));
                assert_eq!(out.actors, entry.actors);
            }
        }
        assert!(load(1 << 29, u32::MAX, 1).packed().is_none());
        assert!(load(3, u32::MAX - 1, 1).packed().is_none());
        assert!(load(3, u32::MAX, 3).packed().is_none());
        assert!(Entry::unpacked(ELSEWHERE | SATED).is_none());
    }

    #[test]
    fn two_loads_of_a_whole_segment_meet_whatever_store_comes_later() {
        let mut told = Told::default();
        assert!(!told.add(load(5, u32::MAX, 1)));
        assert!(!told.add(load(6, 0xff, 1)));
        assert!(told.add(load(7, u32::MAX, 1)));
        assert!(told.add(load(8, u32::MAX, 1)));
        assert!(!told.suspect && told.entries.len() == 3);
        told.add(Entry {
            deed: Deed::Store,
            ..load(7, 1 << 20, 1)
        });
        assert!(told.suspect);
    }
}
