//! Values that nobody may use: where they are now, and the findings that wait until somebody does. What uses a value is known to `run::follow`.

use crate::memory::faults::Fault;
use crate::program::kinds::{FileKind, GROUP_WARPS, Mask, Slot, WARP, for_lanes};
use crate::report::Detail;

/// Findings kept before those are dropped whose values are gone.
const MANY: usize = 1 << 12;
/// Findings kept at most: beyond, none waits.
const MOST: usize = 1 << 16;

/// A register.
pub(crate) type Place = (FileKind, Slot);

/// Lanes of a group.
const LANES: usize = GROUP_WARPS * WARP;

/// Of each lane of a group, one more than the number of the finding that its value waits for, or 0.
#[derive(Debug, Clone)]
pub(crate) struct Causes {
    /// The same in all lanes of a warp, as products of warpgroups have it, unless each lane has its own.
    warps: [u32; GROUP_WARPS],
    lanes: Option<Box<[u32; LANES]>>,
}

impl Causes {
    pub(crate) const NONE: Self = Self::of_warps([0; GROUP_WARPS]);

    const fn of_warps(warps: [u32; GROUP_WARPS]) -> Self {
        Self { warps, lanes: None }
    }

    /// Of all lanes or all warps, in order.
    fn values(&self) -> &[u32] {
        match &self.lanes {
            Some(lanes) => &lanes[..],
            None => &self.warps,
        }
    }

    fn values_mut(&mut self) -> &mut [u32] {
        match &mut self.lanes {
            Some(lanes) => &mut lanes[..],
            None => &mut self.warps,
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        self.values().iter().all(|cause| *cause == 0)
    }

    /// That of one lane.
    pub(crate) fn of(&self, lane: usize) -> u32 {
        match &self.lanes {
            Some(lanes) => lanes[lane],
            None => self.warps[lane / WARP],
        }
    }

    /// Those of all lanes, one by one.
    pub(crate) fn lanes_mut(&mut self) -> &mut [u32; LANES] {
        let warps = self.warps;
        self.lanes
            .get_or_insert_with(|| Box::new(std::array::from_fn(|lane| warps[lane / WARP])))
    }

    /// The lanes of a mask get those of another.
    fn set(&mut self, mask: &Mask, others: &Self) {
        let by_warps = self.lanes.is_none() && others.lanes.is_none();
        if by_warps && mask.iter().all(|lanes| matches!(*lanes, 0 | u32::MAX)) {
            for (warp, _) in warps_of(mask) {
                self.warps[warp] = others.warps[warp];
            }
            return;
        }
        let causes = self.lanes_mut();
        for_group(mask, |lane| causes[lane] = others.of(lane));
    }

    /// Those of the lanes of a mask, with the lane of each: of a warp that has one cause only the first.
    fn for_each(&self, mask: &Mask, mut f: impl FnMut(u32, usize)) {
        match &self.lanes {
            Some(lanes) => for_group(mask, |lane| f(lanes[lane], lane)),
            None => warps_of(mask).for_each(|(warp, first)| f(self.warps[warp], first)),
        }
    }
}

/// Set in a cause that is the number of what is [under way](Undefined::begin), not of a finding that waits.
const UNDER_WAY: u32 = 1 << 31;

/// The undefined values of a group's registers.
#[derive(Debug, Default)]
pub(crate) struct Undefined {
    /// By register file and register.
    of: [Vec<Causes>; 3],
    /// How many registers wait for something.
    count: usize,
    /// Findings of those who use what an instruction has yet to finish; a place is used again when it has.
    under_way: Vec<Option<Fault>>,
    held: Vec<Held>,
    /// So many before some are dropped.
    limit: usize,
}

/// A finding that waits. Those that one value has been computed from are in a ring, and are told together.
#[derive(Debug)]
struct Held {
    fault: Option<Fault>,
    next: usize,
    /// Towards the one that stands for the ring.
    above: usize,
}

impl Undefined {
    /// Whether there are none.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.count) > 0 {
            self.of
                .iter_mut()
                .flatten()
                .for_each(|causes| *causes = Causes::NONE);
        }
        self.held.clear();
        self.under_way.clear();
    }

    /// An instruction starts whose results nobody may use before it is waited for: gives the mark for these.
    pub(crate) fn begin(&mut self, fault: Fault) -> u32 {
        let free = self.under_way.iter().position(Option::is_none);
        let at = free.unwrap_or(self.under_way.len());
        if at == self.under_way.len() {
            self.under_way.push(None);
        }
        self.under_way[at] = Some(fault);
        UNDER_WAY | at as u32
    }

    /// The lanes of a mask have a result of what is under way in their warps; of nothing where the mark is 0.
    pub(crate) fn mark(&mut self, place: Place, mask: &Mask, marks: &[u32; GROUP_WARPS]) {
        self.write(place, mask, &Causes::of_warps(*marks));
    }

    /// What was under way has been waited for.
    pub(crate) fn settle(&mut self, mark: u32) {
        if let Some(fault) = self.under_way.get_mut((mark & !UNDER_WAY) as usize) {
            *fault = None;
        }
        for causes in self.of.iter_mut().flatten() {
            let (mut before, mut others) = (0, 0);
            for cause in causes.values_mut() {
                before |= *cause;
                *cause = if *cause == mark { 0 } else { *cause };
                others |= *cause;
            }
            if before != 0 && others == 0 {
                *causes = Causes::NONE;
                self.count -= 1;
            }
        }
    }

    fn at(&self, (file, slot): Place) -> Option<&Causes> {
        self.of[file as usize].get(usize::from(slot))
    }

    /// The findings of what is under way, if the lanes of a mask use a register now: with a lane of each.
    pub(crate) fn disturbed(&self, place: Place, mask: &Mask) -> Vec<(Fault, usize)> {
        let mut found: Vec<(u32, usize)> = Vec::new();
        if let Some(causes) = self.at(place) {
            causes.for_each(mask, |cause, lane| {
                if cause & UNDER_WAY != 0 && found.iter().all(|(other, _)| *other != cause) {
                    found.push((cause, lane));
                }
            });
        }
        let fault = |(cause, lane): (u32, usize)| {
            let fault = self.under_way.get((cause & !UNDER_WAY) as usize)?;
            Some((fault.clone()?, lane))
        };
        found.into_iter().filter_map(fault).collect()
    }

    /// Where there are some.
    pub(crate) fn places(&self) -> Vec<Place> {
        let files = [FileKind::Preds, FileKind::Words, FileKind::Longs];
        let of_file = |file: FileKind| {
            let registers = (0..).zip(&self.of[file as usize]);
            registers
                .filter(|(_, causes)| !causes.is_none())
                .map(move |(slot, _)| (file, slot))
        };
        files.into_iter().flat_map(of_file).collect()
    }

    /// Whether all lanes of a mask have something in a register that waits.
    pub(crate) fn holds_all(&self, place: Place, mask: &Mask) -> bool {
        let mut all = true;
        for_group(mask, |lane| {
            all &= self.at(place).is_some_and(|causes| causes.of(lane) != 0)
        });
        all
    }

    /// What the lanes of a register wait for.
    pub(crate) fn causes(&self, place: Option<Place>) -> Causes {
        let causes = place.and_then(|place| self.at(place));
        causes.map_or(Causes::NONE, Causes::clone)
    }

    /// The lanes of a mask get new values.
    pub(crate) fn write(&mut self, place: Place, mask: &Mask, causes: &Causes) {
        let (file, slot) = (place.0 as usize, usize::from(place.1));
        let was_none = self.at(place).is_none_or(Causes::is_none);
        if was_none && causes.is_none() {
            return;
        }
        let registers = &mut self.of[file];
        if registers.len() <= slot {
            registers.resize(slot + 1, Causes::NONE);
        }
        let here = &mut registers[slot];
        here.set(mask, causes);
        let is_none = here.is_none();
        if is_none {
            *here = Causes::NONE;
        }
        self.count = self.count + usize::from(was_none) - usize::from(is_none);
    }

    /// The lanes of a mask get values in these registers whose use is a finding; gives it back if it cannot wait.
    pub(crate) fn hold(
        &mut self,
        fault: Fault,
        mask: &Mask,
        places: impl Iterator<Item = Place>,
    ) -> Option<Fault> {
        if self.held.len() >= self.limit.max(MANY) {
            self.drop_gone();
            self.limit = 2 * self.held.len();
        }
        if self.held.len() >= MOST {
            return Some(fault);
        }
        let (fault, own) = (Some(fault), self.held.len());
        self.held.push(Held {
            fault,
            next: own,
            above: own,
        });
        let causes = Causes::of_warps([own as u32 + 1; GROUP_WARPS]);
        places.for_each(|place| self.write(place, mask, &causes));
        None
    }

    /// A value has been computed from two: returns what it waits for, for neither of them if 0.
    pub(crate) fn join(&mut self, cause: u32, other: u32) -> u32 {
        // Whoever computes with what is under way has been told.
        if (cause | other) & UNDER_WAY != 0 {
            return if cause & UNDER_WAY != 0 { other } else { cause };
        }
        // Findings of one ring are told together, and never join another.
        let is_told = |cause: u32| cause == 0 || self.held[cause as usize - 1].fault.is_none();
        match (is_told(cause), is_told(other)) {
            (true, _) => return other,
            (_, true) => return cause,
            _ => {}
        }
        let (a, b) = (cause as usize - 1, other as usize - 1);
        let (first, second) = (self.top(a), self.top(b));
        if first != second {
            self.held[second].above = first;
            let next = self.held[a].next;
            self.held[a].next = std::mem::replace(&mut self.held[b].next, next);
        }
        cause
    }

    fn top(&mut self, mut at: usize) -> usize {
        while self.held[at].above != at {
            self.held[at].above = self.held[self.held[at].above].above;
            at = self.held[at].above;
        }
        at
    }

    /// The numbers of a ring.
    fn ring(&self, first: usize) -> impl Iterator<Item = usize> {
        let next = move |at: &usize| Some(self.held[*at].next).filter(|next| *next != first);
        std::iter::successors(Some(first), next)
    }

    /// The lanes of a mask use what is in a register: the findings that waited for it; those of variables that
    /// were never set only if the use is one of them, `unset`.
    pub(crate) fn used(&mut self, place: Place, mask: &Mask, unset: bool) -> Vec<Fault> {
        let Some(causes) = self.at(place) else {
            return Vec::new();
        };
        let mut firsts = Vec::new();
        causes.for_each(mask, |cause, _| {
            if cause & UNDER_WAY == 0 {
                firsts.extend(cause.checked_sub(1));
            }
        });
        firsts.dedup();
        let mut found = Vec::new();
        for first in firsts {
            // Told before, with its ring.
            if self.held[first as usize].fault.is_none() {
                continue;
            }
            let ring: Vec<usize> = self.ring(first as usize).collect();
            for at in ring {
                let told = |fault: &mut Fault| unset || fault.detail != Detail::Unset;
                found.extend(self.held[at].fault.take_if(told));
            }
        }
        found
    }

    /// Forgets the findings whose values nobody has any more.
    fn drop_gone(&mut self) {
        let mut numbers = vec![None; self.held.len()];
        let mut kept = Vec::new();
        for cause in self.of.iter().flatten().flat_map(Causes::values) {
            let Some(first) = waiting(*cause) else {
                continue;
            };
            if numbers[first].is_some() {
                continue;
            }
            let ring: Vec<usize> = self.ring(first).collect();
            let start = kept.len();
            for (at, member) in ring.iter().enumerate() {
                numbers[*member] = Some(start + at);
                kept.push(Held {
                    fault: self.held[*member].fault.take(),
                    next: start + (at + 1) % ring.len(),
                    above: start,
                });
            }
        }
        for cause in self.of.iter_mut().flatten().flat_map(Causes::values_mut) {
            if *cause & UNDER_WAY == 0 {
                let number = waiting(*cause).and_then(|at| numbers[at]);
                *cause = number.map_or(0, |number| number as u32 + 1);
            }
        }
        self.held = kept;
    }
}

/// The number of the finding that waits, if a cause is that of one.
fn waiting(cause: u32) -> Option<usize> {
    let is_waiting = cause & UNDER_WAY == 0;
    cause
        .checked_sub(1)
        .filter(|_| is_waiting)
        .map(|at| at as usize)
}

/// The warps of a mask, with the first lane of each.
fn warps_of(mask: &Mask) -> impl Iterator<Item = (usize, usize)> {
    let warps = mask.iter().enumerate().filter(|(_, lanes)| **lanes != 0);
    warps.map(|(warp, lanes)| (warp, warp * WARP + lanes.trailing_zeros() as usize))
}

fn for_group(mask: &Mask, mut f: impl FnMut(usize)) {
    for (warp, lanes) in mask.iter().enumerate() {
        for_lanes(*lanes, |lane| f(warp * WARP + lane));
    }
}
