//! Accesses to the shared memory of other blocks of a cluster, and to one's own where others have been: races among them. Asynchronous copies are in `sent`.

use crate::check::block::BlockShadow;
use crate::check::cells::{Actor, Manner};
use crate::check::clocks::WARPS;
use crate::check::cluster::{ClusterShadow, Deed, Remote};
use crate::check::found::Racer;
use crate::check::sent::note_pair;
use crate::check::unwritten::Unwritten;
use crate::check::{Touch, TouchAct};
use crate::program::Program;
use crate::program::access::Strength;
use crate::program::kinds::{WARP, for_lanes};
use crate::program::space::in_block;
use crate::report::{ClusterFault, Detail, FindingKind};

impl ClusterShadow {
    /// A lane accesses another block's memory: what is wrong with that. Races are noted where it runs.
    pub(crate) fn other(
        &mut self,
        remote: &Remote,
        touch: &Touch,
        strength: Strength,
        (shadow, owner): (&mut BlockShadow, &mut BlockShadow),
        program: &Program,
    ) -> Vec<(FindingKind, Detail)> {
        self.shift = shadow.shift;
        let rank = remote.owner as u32;
        let mut found = self.not_begun(remote.by, remote.owner);
        owner.settle();
        let (reads, writes) = match touch.act {
            TouchAct::Load => (true, false),
            TouchAct::Atomic { reads, .. } => (reads, true),
            TouchAct::Store(_) | TouchAct::Begin => (false, true),
        };
        let is_atomic = matches!(touch.act, TouchAct::Atomic { .. });
        let is_strong = is_atomic || strength != Strength::Weak;
        let thread = (touch.warp * WARP + remote.lane) as u32;
        let manner = if is_strong {
            Manner::Strong
        } else {
            Manner::Weak
        };
        let deed = Deed {
            by: remote.by,
            block: shadow.block,
            actor: Actor::new(touch.place, thread, manner),
            stamp: shadow.clocks.interval(touch.warp),
            writes,
            is_strong,
            bytes: touch.bytes,
        };
        let (mut race, mut fresh) = (None, 0);
        let first = remote.offset >> self.shift;
        for index in 0..(touch.bytes >> self.shift) as usize {
            let at = first as usize + index;
            let is_written = owner.shared_marks.is_written(at);
            fresh |= owner.granule_bytes(index, reads && !is_written);
            let known = &self.knows[remote.by].memory[remote.owner];
            let met = owner.shared.racing_from_outside(
                at,
                (owner.clocks.first(), known),
                (writes, is_strong),
            );
            let met = met.map(|earlier| Racer {
                block: owner.block,
                place: earlier.actor.place(),
                thread: earlier.actor.thread(),
                is_store: earlier.is_store,
                is_atomic: earlier.actor.is_strong(),
            });
            race = race
                .or(met)
                .or_else(|| self.racing(remote.owner, at as u64, &deed, shadow))
                .or_else(|| self.parcel_to_other(remote, touch.bytes));
            self.note((remote.owner, at), deed);
            if writes {
                owner.shared_marks.give(at..at + 1);
            }
        }
        if let Some(earlier) = race {
            let address = in_block(remote.offset, rank);
            note_race(shadow, touch, (address, thread), (&deed, earlier));
        }
        let unwritten = Unwritten {
            bytes: fresh,
            is_alone: true,
        };
        if let Some(detail) = unwritten.mistake((touch.bytes, touch.wanted), program) {
            found.push((FindingKind::Uninitialized, detail));
        }
        found
    }

    /// A warp accesses its own block's memory: races with what others did there are noted.
    pub(crate) fn own(
        &mut self,
        rank: usize,
        (touch, strength): (&Touch, Strength),
        shadow: &mut BlockShadow,
    ) {
        if !self.parcels[rank].is_empty() {
            self.own_of_parcels(rank, touch, shadow);
        }
        if self.deeds[rank].is_empty() {
            return;
        }
        let writes = !matches!(touch.act, TouchAct::Load);
        let is_atomic = matches!(touch.act, TouchAct::Atomic { .. });
        let is_strong = is_atomic || strength != Strength::Weak;
        for_lanes(touch.mask, |lane| {
            let thread = (touch.warp * WARP + lane) as u32;
            let deed = Deed {
                by: rank,
                block: shadow.block,
                actor: Actor::new(touch.place, thread, Manner::Weak),
                stamp: 0,
                writes,
                is_strong,
                bytes: touch.bytes,
            };
            let first = touch.addresses[lane] >> self.shift;
            let mut granules = first..first + u64::from(touch.bytes >> self.shift);
            let race = granules.find_map(|at| self.racing(rank, at, &deed, shadow));
            if let Some(earlier) = race {
                let address = in_block(touch.addresses[lane], rank as u32);
                note_race(shadow, touch, (address, thread), (&deed, earlier));
            }
        });
    }

    /// An earlier access by a block that is not the owner, with which one races.
    pub(super) fn racing(
        &self,
        owner: usize,
        granule: u64,
        deed: &Deed,
        shadow: &BlockShadow,
    ) -> Option<Racer> {
        let earlier = self.deeds[owner].get(granule as usize)?;
        let meets = |old: &&Deed| (old.writes || deed.writes) && !(old.is_strong && deed.is_strong);
        let is_ordered = |old: &Deed| {
            let (warp, own) = (old.actor.warp(), deed.actor.warp());
            match old.by == deed.by {
                true => warp == own || shadow.clocks.ordered(own, warp, old.stamp),
                false => old.stamp <= self.knows[deed.by].memory[old.by][warp],
            }
        };
        let mut met = earlier.iter().filter(meets);
        met.find(|old| !is_ordered(old)).map(|old| Racer {
            block: old.block,
            place: old.actor.place(),
            thread: old.actor.thread(),
            is_store: old.writes,
            is_atomic: old.is_strong,
        })
    }

    /// Notes an access in the place of the last one of its kind.
    fn note(&mut self, (owner, granule): (usize, usize), deed: Deed) {
        let granules = &mut self.deeds[owner];
        if granules.len() <= granule {
            granules.resize_with(granule + 1, Vec::new);
        }
        let deeds = &mut granules[granule];
        let is_alike = |old: &&mut Deed| {
            (old.by, old.writes, old.is_strong) == (deed.by, deed.writes, deed.is_strong)
        };
        match deeds.iter_mut().find(is_alike) {
            Some(old) => *old = deed,
            None => deeds.push(deed),
        }
    }

    /// What is wrong if nothing says that a block has begun whose memory is accessed.
    pub(super) fn not_begun(&self, by: usize, owner: usize) -> Vec<(FindingKind, Detail)> {
        if self.knows[by].course[owner] != [0; WARPS] {
            return Vec::new();
        }
        let (rank, fault) = (owner as u32, ClusterFault::MayNotHaveBegun);
        let detail = Detail::OtherShared { rank, fault };
        vec![(FindingKind::InvalidAddress, detail)]
    }
}

fn note_race(
    shadow: &mut BlockShadow,
    touch: &Touch,
    (address, thread): (u64, u32),
    (deed, earlier): (&Deed, Racer),
) {
    let later = Racer {
        block: deed.block,
        place: touch.place,
        thread,
        is_store: deed.writes,
        is_atomic: deed.is_strong,
    };
    note_pair(shadow, address, (later, touch.bytes), earlier);
}
