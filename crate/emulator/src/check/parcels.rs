//! What blocks of a cluster send into each other's shared memory by asynchronous copies: who has waited for it. `cluster` says which accesses race with it.

use std::collections::BTreeMap;

use crate::check::cells::Actor;
use crate::check::clocks::{Clocks, Stamps, WARPS};
use crate::check::found::Racer;

/// A copy or store that another block sends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sending {
    /// Rank of the block that sends it, and of the one whose memory it goes to.
    pub(crate) by: usize,
    pub(crate) owner: usize,
    /// The instruction and the thread that started it.
    pub(crate) place: u32,
    pub(crate) thread: u32,
    /// In the owner's memory, the mbarrier too that counts it.
    pub(crate) start: u32,
    pub(crate) bytes: u32,
    pub(crate) barrier: u32,
    /// It adds to what is there: such ones do not race with each other.
    pub(crate) adds: bool,
}

/// One that has been sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parcel {
    pub(super) by: usize,
    pub(super) block: u64,
    pub(super) actor: Actor,
    start: u64,
    pub(super) bytes: u32,
    barrier: u32,
    adds: bool,
    /// It may come at any time.
    pub(super) is_under_way: bool,
    /// For each of the owner's warps that has waited for it since it came, the interval in which it did; else 0.
    learned: Stamps,
}

impl Parcel {
    pub(super) fn new(sending: &Sending, block: u64, actor: Actor) -> Self {
        Self {
            by: sending.by,
            block,
            actor,
            start: u64::from(sending.start),
            bytes: sending.bytes,
            barrier: sending.barrier,
            adds: sending.adds,
            is_under_way: true,
            learned: [0; WARPS],
        }
    }

    fn end(&self) -> u64 {
        self.start + u64::from(self.bytes)
    }

    pub(super) fn touches(&self, start: u64, end: u64) -> bool {
        self.start < end && start < self.end()
    }

    /// Whether what a warp of the owner does next comes after it: the warp has waited, or met one that has.
    pub(super) fn is_known_to(&self, warp: usize, clocks: &Clocks) -> bool {
        let mut learned = self.learned.iter().enumerate();
        !self.is_under_way
            && learned.any(|(other, stamp)| *stamp != 0 && clocks.ordered(warp, other, *stamp))
    }

    /// The same of another block, by what it knows of the owner's warps.
    pub(super) fn is_known_by(&self, known: &Stamps) -> bool {
        let mut learned = self.learned.iter().zip(known);
        !self.is_under_way && learned.any(|(stamp, known)| *stamp != 0 && known >= stamp)
    }

    pub(super) fn racer(&self) -> Racer {
        Racer {
            block: self.block,
            place: self.actor.place(),
            thread: self.actor.thread(),
            is_store: true,
            is_atomic: self.adds,
        }
    }
}

/// What has been sent into one block's memory.
#[derive(Debug, Default)]
pub(super) struct Parcels {
    /// By first address.
    at: BTreeMap<u64, Vec<Parcel>>,
    /// No parcel has more bytes.
    most_bytes: u64,
}

impl Parcels {
    pub(super) fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Those that touch the bytes from one address to another.
    pub(super) fn overlapping(&self, start: u64, end: u64) -> impl Iterator<Item = &Parcel> {
        let first = start.saturating_sub(self.most_bytes);
        let near = self.at.range(first..end.max(first)).flat_map(|(_, at)| at);
        near.filter(move |parcel| parcel.touches(start, end))
    }

    /// One is sent, by a block with this knowledge of the owner. Returns an earlier one with which it races.
    pub(super) fn send(&mut self, parcel: Parcel, known: &Stamps) -> Option<Racer> {
        let races = |old: &&Parcel| !(old.adds && parcel.adds || old.is_known_by(known));
        let race = self
            .overlapping(parcel.start, parcel.end())
            .find(races)
            .map(Parcel::racer);
        // Whoever knows of the new one knows of what it covers.
        for here in self
            .at
            .range_mut(parcel.start..parcel.end())
            .map(|(_, here)| here)
        {
            here.retain(|old| old.end() > parcel.end() || !old.is_known_by(known));
        }
        self.most_bytes = self.most_bytes.max(u64::from(parcel.bytes));
        self.at.entry(parcel.start).or_default().push(parcel);
        race
    }

    /// One has come.
    pub(super) fn land(&mut self, sending: &Sending) {
        let is_it = |parcel: &&mut Parcel| {
            parcel.is_under_way
                && (parcel.by, parcel.actor.thread(), parcel.barrier)
                    == (sending.by, sending.thread, sending.barrier)
        };
        let here = self.at.get_mut(&u64::from(sending.start));
        if let Some(parcel) = here.and_then(|here| here.iter_mut().find(is_it)) {
            parcel.is_under_way = false;
        }
    }

    /// A warp of the owner has waited at an mbarrier.
    pub(super) fn learn(&mut self, warp: usize, barrier: u32, clocks: &Clocks) {
        for parcel in self.at.values_mut().flatten() {
            if parcel.barrier == barrier && !parcel.is_under_way && parcel.learned[warp] == 0 {
                parcel.learned[warp] = clocks.interval(warp);
            }
        }
    }

    /// Those that nobody has waited for.
    pub(super) fn under_way(&self) -> impl Iterator<Item = (u64, &Parcel)> {
        let all = self.at.iter();
        all.flat_map(|(start, here)| here.iter().map(|parcel| (*start, parcel)))
            .filter(|(_, parcel)| parcel.is_under_way)
    }
}
