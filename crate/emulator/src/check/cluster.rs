//! What the blocks of a cluster do to each other's shared memory, and what happened before what among them: at the cluster's barrier, and at mbarriers.
//!
//! Each block's own accesses are in its own shadow; here are those by others. A block knows of another up to certain
//! intervals of its warps. Two kinds of knowing are kept apart: a relaxed barrier says that a block has begun, or will not
//! end before, but nothing of what is in memory.

use std::collections::HashMap;

use crate::check::block::BlockShadow;
use crate::check::cells::{Actor, Manner};
use crate::check::clocks::{Stamps, WARPS, each};
use crate::check::found::{Race, Racer, note_from};
use crate::check::parcels::{Parcel, Parcels, Sending};
use crate::check::unwritten::Unwritten;
use crate::check::{Touch, TouchAct};
use crate::program::Program;
use crate::program::access::Strength;
use crate::program::kinds::{WARP, for_lanes};
use crate::program::space::in_block;
use crate::report::{ClusterFault, Detail, FindingKind, Space};
use crate::sorted::sort_by_key;

/// Of each block of the cluster, its warps' intervals up to which something is known.
type Known = Vec<Stamps>;

/// What a block, or whoever looks at an object, knows of the others.
#[derive(Debug, Clone, Default)]
struct Knowledge {
    /// What they have done to memory.
    memory: Known,
    /// How far they have come.
    course: Known,
}

impl Knowledge {
    fn of(blocks: usize) -> Self {
        Self {
            memory: vec![[0; WARPS]; blocks],
            course: vec![[0; WARPS]; blocks],
        }
    }

    fn join(&mut self, other: &Self) {
        join(&mut self.memory, &other.memory);
        join(&mut self.course, &other.course);
    }
}

fn join(into: &mut Known, other: &Known) {
    for (into, other) in into.iter_mut().flatten().zip(other.iter().flatten()) {
        *into = (*into).max(*other);
    }
}

/// An access to another block's shared memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Remote {
    /// Rank of the block that does it, and of the one whose memory it is.
    pub(crate) by: usize,
    pub(crate) owner: usize,
    pub(crate) lane: usize,
    /// In the owner's memory.
    pub(crate) offset: u64,
}

/// The last access of its kind by a block to a granule of another's.
#[derive(Debug, Clone, Copy)]
struct Deed {
    by: usize,
    block: u64,
    actor: Actor,
    stamp: u32,
    writes: bool,
    is_strong: bool,
    bytes: u32,
}

/// An access that nothing keeps from coming after the end of the block whose memory it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Late {
    pub(crate) block: u64,
    pub(crate) place: u32,
    pub(crate) thread: u32,
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) is_store: bool,
}

/// What is known of a cluster.
#[derive(Debug, Default)]
pub(crate) struct ClusterShadow {
    /// Of each block, what it knows of the others.
    knows: Vec<Knowledge>,
    /// What those tell that have arrived at the barrier in this phase, and what was told in the last.
    arrived: Knowledge,
    passed: Knowledge,
    /// What was told at mbarriers, by rank of their block and address.
    told: HashMap<(u32, u32), Knowledge>,
    /// By rank of the owner and granule.
    deeds: Vec<Vec<Vec<Deed>>>,
    /// By rank of the owner, what others send there by asynchronous copies.
    parcels: Vec<Parcels>,
    /// log2 of the bytes of a granule.
    shift: u32,
}

impl ClusterShadow {
    /// Of so many blocks that begin.
    pub(crate) fn new(blocks: usize) -> Self {
        Self {
            knows: vec![Knowledge::of(blocks); blocks],
            arrived: Knowledge::of(blocks),
            passed: Knowledge::of(blocks),
            deeds: vec![Vec::new(); blocks],
            parcels: (0..blocks).map(|_| Parcels::default()).collect(),
            ..Self::default()
        }
    }

    // ---- what orders blocks ----

    /// All that a warp of a block knows to have happened, its own accesses included.
    fn told_by(&self, rank: usize, warp: usize, shadow: &BlockShadow) -> Knowledge {
        let mut knowledge = self.knows[rank].clone();
        let own = shadow.clocks.up_to_now(warp);
        knowledge.memory[rank] = own;
        knowledge.course[rank] = own;
        knowledge
    }

    /// Warps of a block arrive at the barrier.
    pub(crate) fn arrive(
        &mut self,
        rank: usize,
        warps: u32,
        is_relaxed: bool,
        shadow: &BlockShadow,
    ) {
        for warp in each(warps) {
            let told = self.told_by(rank, warp, shadow);
            if is_relaxed {
                join(&mut self.arrived.course, &told.course);
            } else {
                self.arrived.join(&told);
            }
        }
    }

    /// All blocks have arrived.
    pub(crate) fn complete(&mut self) {
        let next = Knowledge::of(self.knows.len());
        self.passed = std::mem::replace(&mut self.arrived, next);
    }

    /// A block goes on from the barrier.
    pub(crate) fn pass(&mut self, rank: usize) {
        self.knows[rank].join(&self.passed);
    }

    /// A warp of a block arrives at an mbarrier of another.
    pub(crate) fn release(
        &mut self,
        (rank, warp): (usize, usize),
        mbarrier: (u32, u32),
        shadow: &mut BlockShadow,
    ) {
        let told = self.told_by(rank, warp, shadow);
        let blocks = self.knows.len();
        let known = self
            .told
            .entry(mbarrier)
            .or_insert_with(|| Knowledge::of(blocks));
        known.join(&told);
        // What it does next is not among it.
        shadow.meet(warp);
    }

    /// A warp of a block has waited at an mbarrier of the block.
    pub(crate) fn acquire(
        &mut self,
        (rank, warp): (usize, usize),
        mbarrier: (u32, u32),
        shadow: &BlockShadow,
    ) {
        self.parcels[rank].learn(warp, mbarrier.1, &shadow.clocks);
        if let Some(told) = self.told.get(&mbarrier) {
            self.knows[rank].join(told);
        }
    }

    // ---- accesses ----

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

    /// What is wrong if nothing says that a block has begun whose memory is accessed.
    fn not_begun(&self, by: usize, owner: usize) -> Vec<(FindingKind, Detail)> {
        if self.knows[by].course[owner] != [0; WARPS] {
            return Vec::new();
        }
        let (rank, fault) = (owner as u32, ClusterFault::MayNotHaveBegun);
        let detail = Detail::OtherShared { rank, fault };
        vec![(FindingKind::InvalidAddress, detail)]
    }

    // ---- asynchronous copies into other blocks ----

    /// A copy into another block's memory starts: nobody may use that any more whom the sender does not know to have.
    pub(crate) fn send(
        &mut self,
        sending: &Sending,
        (shadow, owner): (&mut BlockShadow, &mut BlockShadow),
    ) -> Vec<(FindingKind, Detail)> {
        self.shift = shadow.shift;
        owner.settle();
        let actor = Actor::new(sending.place, sending.thread, Manner::Weak);
        let deed = Deed {
            by: sending.by,
            block: shadow.block,
            actor,
            stamp: 0,
            writes: true,
            is_strong: sending.adds,
            bytes: sending.bytes,
        };
        let known = &self.knows[sending.by].memory[sending.owner];
        let (start, bytes) = (u64::from(sending.start), u64::from(sending.bytes));
        let mut race = owner.reader_of(start, bytes).map(|racer| (racer, start));
        for at in start >> self.shift..(start + bytes) >> self.shift {
            let met = || {
                let bounds = (owner.clocks.first(), known.as_slice());
                let does = (true, sending.adds);
                let earlier = owner
                    .shared
                    .racing_from_outside(at as usize, bounds, does)?;
                Some(Racer {
                    block: owner.block,
                    place: earlier.actor.place(),
                    thread: earlier.actor.thread(),
                    is_store: earlier.is_store,
                    is_atomic: earlier.actor.is_strong(),
                })
            };
            race = race.or_else(|| {
                let racer = met().or_else(|| self.racing(sending.owner, at, &deed, shadow))?;
                Some((racer, at << self.shift))
            });
        }
        // What is on its way has not been forgotten.
        owner.give_shared(sending.start as usize..(start + bytes) as usize);
        let parcel = Parcel::new(sending, shadow.block, actor);
        let met = self.parcels[sending.owner].send(parcel, known);
        if let Some((earlier, address)) = race.or(met.map(|racer| (racer, start))) {
            let address = in_block(address, sending.owner as u32);
            let later = (parcel.racer(), sending.bytes);
            note_pair(shadow, address, later, earlier);
        }
        self.not_begun(sending.by, sending.owner)
    }

    /// It has come.
    pub(crate) fn land(&mut self, sending: &Sending) {
        self.parcels[sending.owner].land(sending);
    }

    /// What has been sent to where a block accesses another's memory, of which nothing says that it has come.
    fn parcel_to_other(&self, remote: &Remote, bytes: u32) -> Option<Racer> {
        let known = &self.knows[remote.by].memory[remote.owner];
        let end = remote.offset + u64::from(bytes);
        let mut met = self.parcels[remote.owner].overlapping(remote.offset, end);
        met.find(|parcel| !parcel.is_known_by(known))
            .map(Parcel::racer)
    }

    /// A warp accesses its own block's memory: races with what others send there are noted.
    fn own_of_parcels(&self, rank: usize, touch: &Touch, shadow: &mut BlockShadow) {
        let bytes = u64::from(touch.bytes);
        let (mut lowest, mut highest) = (u64::MAX, 0);
        for_lanes(touch.mask, |lane| {
            lowest = lowest.min(touch.addresses[lane]);
            highest = highest.max(touch.addresses[lane] + bytes);
        });
        let near = self.parcels[rank].overlapping(lowest, highest);
        let unknown: Vec<&Parcel> = near
            .filter(|parcel| !parcel.is_known_to(touch.warp, &shadow.clocks))
            .collect();
        if unknown.is_empty() {
            return;
        }
        for_lanes(touch.mask, |lane| {
            let start = touch.addresses[lane];
            let met = unknown
                .iter()
                .find(|parcel| parcel.touches(start, start + bytes));
            if let Some(parcel) = met {
                let later = Racer {
                    block: shadow.block,
                    place: touch.place,
                    thread: (touch.warp * WARP + lane) as u32,
                    is_store: !matches!(touch.act, TouchAct::Load),
                    is_atomic: matches!(touch.act, TouchAct::Atomic { .. }),
                };
                let address = in_block(start, rank as u32);
                note_pair(shadow, address, (later, touch.bytes), parcel.racer());
            }
        });
    }

    // ---- a block's own accesses, and its end ----

    /// A warp accesses its own block's memory: races with what others did there are noted.
    pub(crate) fn own(&mut self, rank: usize, touch: &Touch, shadow: &mut BlockShadow) {
        if !self.parcels[rank].is_empty() {
            self.own_of_parcels(rank, touch, shadow);
        }
        if self.deeds[rank].is_empty() {
            return;
        }
        let writes = !matches!(touch.act, TouchAct::Load);
        let is_strong = matches!(touch.act, TouchAct::Atomic { .. });
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
    fn racing(
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

    /// A block ends: the accesses of others to its memory that it does not know to be over.
    pub(crate) fn end(&mut self, rank: usize) -> Vec<Late> {
        let course = &self.knows[rank].course;
        let mut late: Vec<Late> = Vec::new();
        for (granule, deeds) in self.deeds[rank].iter().enumerate() {
            let is_over = |deed: &&Deed| deed.stamp <= course[deed.by][deed.actor.warp()];
            for deed in deeds.iter().filter(|deed| !is_over(deed)) {
                late.push(Late {
                    block: deed.block,
                    place: deed.actor.place(),
                    thread: deed.actor.thread(),
                    address: in_block((granule as u64) << self.shift, rank as u32),
                    bytes: deed.bytes,
                    is_store: deed.writes,
                });
            }
        }
        for (start, parcel) in self.parcels[rank].under_way() {
            late.push(Late {
                block: parcel.block,
                place: parcel.actor.place(),
                thread: parcel.actor.thread(),
                address: in_block(start, rank as u32),
                bytes: parcel.bytes,
                is_store: true,
            });
        }
        sort_by_key(&mut late, |late| {
            (late.block, late.place, late.thread, late.address)
        });
        late
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

fn note_pair(
    shadow: &mut BlockShadow,
    address: u64,
    (later, access_bytes): (Racer, u32),
    earlier: Racer,
) {
    let race = Race {
        space: Space::Shared,
        address,
        access_bytes,
        count: 1,
        later,
        earlier,
        same_instruction: false,
        crosses_proxies: false,
    };
    note_from(&mut shadow.races, shadow.block_races, race);
}
