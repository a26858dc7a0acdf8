//! What happened before what among the warps of a block, and how much each knows of other blocks: vector clocks, joined by barriers, fences and atomics.
//! Which accesses these order is the affair of `cells`.

use std::collections::HashMap;

use crate::check::partial::PartialMeets;

/// Most warps of a block.
pub(super) const WARPS: usize = 32;

/// A stamp for each warp of the block: of its intervals, the last that is known.
pub(super) type Stamps = [u32; WARPS];

/// What a warp knows to have happened.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// In its own block.
    seen: Stamps,
    /// Of that, what fences have made visible to other blocks, should a warp tell them.
    visible: Stamps,
    /// In other blocks: up to this release of theirs.
    acquired: u32,
}

impl Known {
    const NOTHING: Self = Self {
        seen: [0; WARPS],
        visible: [0; WARPS],
        acquired: 0,
    };

    fn join(&mut self, other: &Self) {
        join(&mut self.seen, &other.seen);
        join(&mut self.visible, &other.visible);
        self.acquired = self.acquired.max(other.acquired);
    }
}

/// Stamps are not taken back from block to block, so that what is left of an earlier block is told by its age;
/// beyond this one they start again.
const MOST_STAMP: u32 = 1 << 30;

/// The clocks of a block's warps. A warp's time is cut into intervals by what it does to order itself with others;
/// each interval has a stamp, and an access carries the stamp of its warp's interval.
#[derive(Debug)]
pub(crate) struct Clocks {
    warps: usize,
    now: u32,
    /// Stamps below it are of earlier blocks.
    start: u32,
    /// Each warp's interval.
    interval: Stamps,
    /// The order of the lanes of warps that have met in parts.
    partial: PartialMeets,
    /// For each warp, the last interval of each other warp that happened before its own.
    seen: Box<[Stamps; WARPS]>,
    /// For each warp: intervals up to this one of all other warps happened before its own.
    floor: Stamps,
    /// For each warp, what fences have made visible to other blocks of what it knows.
    visible: Box<[Stamps; WARPS]>,
    /// For each warp, the last release by other blocks that it knows of; and the last that any warp does.
    acquired: Stamps,
    last_acquired: u32,
    /// What each warp's last fence lets others see, with its next store by which it may tell them.
    fenced: Vec<Option<Known>>,
    /// What `bar.arrive` brought to each barrier.
    arrived: HashMap<u32, Known>,
    /// What has been released through each object: an address, the number of an mbarrier.
    objects: HashMap<u64, Known>,
    /// What each warp's relaxed loads have met, which its next fence lets it know.
    heard: Vec<Option<Known>>,
    /// The last release by other blocks that they have met, for each warp.
    heard_of_blocks: Stamps,
    /// Whether any of the last five holds something.
    has_told: bool,
    /// Whether the block has had a fence that other blocks may see, so that `visible` holds something.
    has_shown: bool,
}

impl Clocks {
    pub(super) fn new() -> Self {
        Self {
            warps: 0,
            now: 0,
            start: 1,
            interval: [0; WARPS],
            partial: PartialMeets::default(),
            seen: Box::new([[0; WARPS]; WARPS]),
            floor: [0; WARPS],
            visible: Box::new([[0; WARPS]; WARPS]),
            acquired: [0; WARPS],
            last_acquired: 0,
            fenced: vec![None; WARPS],
            arrived: HashMap::new(),
            objects: HashMap::new(),
            heard: vec![None; WARPS],
            heard_of_blocks: [0; WARPS],
            has_told: false,
            has_shown: false,
        }
    }

    /// A block of so many warps starts. Returns whether stamps start again: those kept elsewhere mean nothing then.
    pub(super) fn start(&mut self, warps: usize) -> bool {
        let again = self.now > MOST_STAMP;
        if again {
            self.now = 0;
        }
        self.now += 1;
        self.start = self.now;
        self.warps = warps.min(WARPS);
        self.interval = [self.now; WARPS];
        self.partial.forget(u32::MAX);
        self.seen[..self.warps].fill([self.now - 1; WARPS]);
        self.floor = [self.now - 1; WARPS];
        self.acquired = [0; WARPS];
        self.last_acquired = 0;
        if std::mem::take(&mut self.has_shown) {
            self.visible.fill([0; WARPS]);
        }
        if self.has_told {
            self.has_told = false;
            self.fenced.fill(None);
            self.heard.fill(None);
            self.heard_of_blocks = [0; WARPS];
            self.arrived.clear();
            self.objects.clear();
        }
        again
    }

    /// The first stamp of this block.
    #[inline(always)]
    pub(super) fn first(&self) -> u32 {
        self.start
    }

    /// The stamp of what a warp does now.
    #[inline(always)]
    pub(super) fn interval(&self, warp: usize) -> u32 {
        self.interval[warp]
    }

    /// Intervals up to this one, of any warp but `warp` itself, happened before what `warp` does now.
    #[inline(always)]
    pub(super) fn floor(&self, warp: usize) -> u32 {
        self.floor[warp]
    }

    /// Whether what `other` did in an interval happened before what `warp` does now.
    #[inline(always)]
    pub(super) fn ordered(&self, warp: usize, other: usize, interval: u32) -> bool {
        other == warp || interval <= self.seen[warp][other]
    }

    /// All that happened before what `warp` does next, its own accesses included.
    fn known(&self, warp: usize) -> Known {
        let mut seen = self.seen[warp];
        seen[warp] = self.interval[warp];
        Known {
            seen,
            visible: self.visible[warp],
            acquired: self.acquired[warp],
        }
    }

    /// All that happened before a warp's present interval, its own accesses included.
    pub(super) fn before(&self, warp: usize) -> Stamps {
        let mut known = self.seen[warp];
        known[warp] = self.interval[warp] - 1;
        known
    }

    /// The same with what it does now.
    pub(super) fn up_to_now(&self, warp: usize) -> Stamps {
        self.known(warp).seen
    }

    fn learn(&mut self, warp: usize, what: &Known) {
        join(&mut self.seen[warp], &what.seen);
        join(&mut self.visible[warp], &what.visible);
        self.acquired[warp] = self.acquired[warp].max(what.acquired);
        let others = (0..self.warps).filter(|other| *other != warp);
        let floor = others.map(|other| self.seen[warp][other]).min();
        self.floor[warp] = floor.unwrap_or(0);
    }

    fn next_interval(&mut self, warps: u32) {
        self.now += 1;
        self.partial.forget(warps);
        for warp in each(warps) {
            self.interval[warp] = self.now;
        }
    }

    /// All warps of the block.
    pub(super) fn all(&self) -> u32 {
        u32::MAX.checked_shr(32 - self.warps as u32).unwrap_or(0)
    }

    /// All warps of the block leave a barrier together: all before it is known to all.
    pub(super) fn barrier_of_all(&mut self, number: u32) {
        if self.has_told {
            self.arrived.remove(&number);
        }
        self.seen[..self.warps].fill([self.now; WARPS]);
        self.floor = [self.now; WARPS];
        self.acquired = [self.last_acquired; WARPS];
        if self.has_shown {
            let mut all = [0; WARPS];
            self.visible.iter().for_each(|one| join(&mut all, one));
            self.visible.fill(all);
        }
        self.now += 1;
        self.interval = [self.now; WARPS];
        self.partial.forget(u32::MAX);
    }

    /// The warps of a set, one bit each, leave a barrier together.
    pub(super) fn barrier(&mut self, number: u32, warps: u32) {
        let mut joined = self.arrived.remove(&number).unwrap_or(Known::NOTHING);
        for warp in each(warps) {
            joined.join(&self.known(warp));
        }
        for warp in each(warps) {
            self.learn(warp, &joined);
        }
        self.next_interval(warps);
    }

    /// The lanes of a warp meet.
    pub(super) fn meet(&mut self, warp: usize) {
        self.next_interval(1 << warp);
    }

    /// Some lanes of a warp meet, at a place of the program, and others do not.
    pub(super) fn meet_in_part(&mut self, warp: usize, place: u32, members: u32) {
        self.now += 1;
        let before = std::mem::replace(&mut self.interval[warp], self.now);
        self.partial
            .meet(warp, (before, self.now), (place, members));
    }

    /// Whether what the lane of an earlier thread did in an interval comes before what another of the same warp does now.
    #[inline(always)]
    pub(super) fn lanes_ordered(
        &self,
        warp: usize,
        interval: u32,
        earlier: u32,
        later: u32,
    ) -> bool {
        if self.partial.has_met(warp) {
            return self.partial.is_ordered(warp, interval, earlier, later);
        }
        interval < self.interval[warp]
    }

    /// The place and mask with which the lane of a thread last met only a part of its warp, if the other was left out of it.
    pub(super) fn left_out(&self, thread: u32, other: u32) -> Option<(u32, u32)> {
        let (place, mask) = self.partial.last(thread)?;
        (mask >> (other % WARPS as u32) & 1 == 0).then_some((place, mask))
    }

    /// Warps come to a barrier without waiting there.
    pub(super) fn arrive(&mut self, number: u32, warps: u32) {
        self.has_told = true;
        for warp in each(warps) {
            let known = self.known(warp);
            let arrived = self.arrived.entry(number).or_insert(Known::NOTHING);
            arrived.join(&known);
        }
        self.next_interval(warps);
    }

    /// A warp executes a fence: what it did before may be told to others by what it stores after, to those of other
    /// blocks too if the fence is wide.
    pub(super) fn fence(&mut self, warp: usize, is_wide: bool) {
        self.has_told = true;
        if let Some(heard) = self.heard[warp].take() {
            self.learn(warp, &heard);
        }
        if is_wide {
            self.acquire_from_blocks(warp, self.heard_of_blocks[warp]);
            self.has_shown = true;
            self.visible[warp] = self.known(warp).seen;
        }
        self.fenced[warp] = Some(self.known(warp));
        self.next_interval(1 << warp);
    }

    /// Whether a strong store of the warp tells others of what it did before.
    #[inline(always)]
    pub(super) fn has_fenced(&self, warp: usize) -> bool {
        self.fenced[warp].is_some()
    }

    /// Whether a strong load may learn anything.
    #[inline(always)]
    pub(super) fn has_objects(&self) -> bool {
        !self.objects.is_empty()
    }

    /// A strong store (volatile, relaxed, atomic) through which others may learn what happened before the last fence; and,
    /// if it is an atomic that `links`, what was told there before.
    pub(super) fn tell(&mut self, warp: usize, object: u64, links: bool) {
        if !links {
            self.objects.remove(&object);
        }
        if let Some(fenced) = self.fenced[warp] {
            let told = self.objects.entry(object).or_insert(Known::NOTHING);
            told.join(&fenced);
        }
    }

    /// All that a warp did so far may be learned through an object (an mbarrier's arrival, a releasing store).
    pub(super) fn release(&mut self, warp: usize, object: u64) {
        self.has_told = true;
        let known = self.known(warp);
        let told = self.objects.entry(object).or_insert(Known::NOTHING);
        told.join(&known);
        self.next_interval(1 << warp);
    }

    /// A warp has loaded from an object in a way that does not order what follows, until it executes a fence.
    pub(super) fn hear(&mut self, warp: usize, object: u64) {
        if let Some(told) = self.objects.get(&object) {
            self.heard[warp].get_or_insert(Known::NOTHING).join(told);
        }
    }

    /// A warp learns what was released through an object.
    pub(super) fn acquire(&mut self, warp: usize, object: u64) {
        if let Some(told) = self.objects.get(&object).copied() {
            self.learn(warp, &told);
        }
    }

    // ---- what is known of other blocks, and what they may know ----

    /// For each warp of the block, up to which interval other blocks may see what it did, should this warp tell them.
    pub(super) fn visible(&self, warp: usize) -> &[u32] {
        &self.visible[warp][..self.warps]
    }

    /// For each warp, the last release by other blocks that it knows of.
    pub(super) fn acquired(&self) -> &Stamps {
        &self.acquired
    }

    /// A warp learns of all releases by other blocks up to this one.
    pub(super) fn acquire_from_blocks(&mut self, warp: usize, release: u32) {
        self.acquired[warp] = self.acquired[warp].max(release);
        self.last_acquired = self.last_acquired.max(release);
    }

    /// A warp reads what tells of the releases up to this one: now if it `acquires`, else at its next fence that other
    /// blocks see.
    pub(super) fn hear_of_blocks(&mut self, warp: usize, release: u32, acquires: bool) {
        if acquires {
            self.acquire_from_blocks(warp, release);
        } else {
            self.has_told = true;
            self.heard_of_blocks[warp] = self.heard_of_blocks[warp].max(release);
        }
    }

    /// The last release by other blocks that a warp knew of at its last fence.
    pub(super) fn fenced_acquired(&self, warp: usize) -> u32 {
        self.fenced[warp].map_or(0, |fenced| fenced.acquired)
    }

    /// Whether warps that learn from each other may learn of other blocks.
    pub(super) fn may_learn_of_blocks(&self) -> bool {
        let acquired = &self.acquired[..self.warps];
        acquired.iter().any(|last| *last != self.last_acquired)
    }
}

fn join(into: &mut Stamps, other: &Stamps) {
    for (into, other) in into.iter_mut().zip(other) {
        *into = (*into).max(*other);
    }
}

/// The numbers of the bits that are set.
pub(super) fn each(bits: u32) -> impl Iterator<Item = usize> {
    (0..WARPS).filter(move |bit| bits & (1 << bit) != 0)
}
