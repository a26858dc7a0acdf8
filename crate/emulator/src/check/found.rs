//! Races as they are found: two accesses each, one for each pair of instructions and block.

use crate::program::kinds::WARP;
use crate::report::Space;
use crate::sorted::sort_by_key;

/// A race while the run goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Race {
    pub(crate) space: Space,
    pub(crate) address: u64,
    pub(crate) access_bytes: u32,
    pub(crate) count: u64,
    /// The access that came later.
    pub(crate) later: Racer,
    pub(crate) earlier: Racer,
    /// Both are lanes of one warp in one instruction.
    pub(crate) same_instruction: bool,
    /// They are ordered, but for the want of a proxy fence.
    pub(crate) crosses_proxies: bool,
    /// Of all that were noted as this one, some are of two warps.
    pub(crate) crosses_warps: bool,
    /// Place and mask of the `__syncwarp()` by which the later thread has met others of its warp, but not the earlier one.
    pub(crate) left_out: Option<(u32, u32)>,
}

/// One access of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Racer {
    pub(crate) block: u64,
    pub(crate) place: u32,
    pub(crate) thread: u32,
    pub(crate) is_store: bool,
    pub(crate) is_atomic: bool,
}

impl Race {
    /// What makes two races the same one; `line` gives the places of one line of source the same number.
    fn key(&self, line: impl Fn(u32) -> u32) -> (Space, bool, bool, bool, u32, u32, bool, bool) {
        let across = self.later.block != self.earlier.block;
        (
            self.space,
            across,
            self.same_instruction,
            self.crosses_proxies,
            line(self.later.place),
            line(self.earlier.place),
            self.later.is_store,
            self.earlier.is_store,
        )
    }

    /// Whether the two are of different warps, as they are noted.
    fn is_across(&self) -> bool {
        let warp = |racer: &Racer| (racer.block, racer.thread / WARP as u32);
        warp(&self.later) != warp(&self.earlier)
    }

    fn rank(&self) -> (u64, u64, u32, u32, u64) {
        (
            self.later.block,
            self.earlier.block,
            self.later.thread,
            self.earlier.thread,
            self.address,
        )
    }
}

/// Adds a race to those of its block.
pub(super) fn note(races: &mut Vec<Race>, mut race: Race) {
    race.crosses_warps |= race.is_across();
    match races
        .iter_mut()
        .find(|other| other.key(|place| place) == race.key(|place| place))
    {
        Some(other) => {
            let count = other.count + race.count;
            let crosses_warps = other.crosses_warps | race.crosses_warps;
            if race.rank() < other.rank() {
                *other = race;
            }
            other.count = count;
            other.crosses_warps = crosses_warps;
        }
        None => races.push(race),
    }
}

/// The same where the races of earlier blocks come before index `first`.
pub(super) fn note_from(races: &mut Vec<Race>, first: usize, race: Race) {
    let mut block = races.split_off(first);
    note(&mut block, race);
    races.append(&mut block);
}

/// Merges the races of each pair of lines, whatever the blocks; the first is kept as the example.
pub(crate) fn merge_races(races: &mut Vec<Race>, line: impl Fn(u32) -> u32) {
    sort_by_key(races, |race| (race.key(&line), race.rank()));
    races.dedup_by(|later, first| {
        let same = later.key(&line) == first.key(&line);
        if same {
            first.count += later.count;
            first.crosses_warps |= later.crosses_warps;
        }
        same
    });
}
