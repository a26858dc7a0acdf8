//! What checked launches know of `wgmma`: who has come to it, what it reads of shared memory until somebody waits, and which registers nobody may touch.
//!
//! PTX ISA sections "wgmma.fence", "wgmma.commit_group", "wgmma.wait_group" and "Async proxy".
//!
//! Shared memory is read by the warpgroup as one: as soon as one of its warps has waited, all of it has been read. So it
//! is read, as far as the order of threads goes, by the first warp that waits, and the others learn of that.

use std::cell::Cell;

use crate::check::{Source, Touch, TouchAct};
use crate::machine::lanes::Lanes;
use crate::machine::pending::{Asked, Origin, Reading, WARPGROUP, Warpgroup};
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::operations::matrix::descriptor::UNIT_BYTES;
use crate::program::Path;
use crate::program::access::{SiteInfo, Strength, Wanted};
use crate::program::kinds::WARP;
use crate::program::matrix::GroupMultiply;
use crate::report::{Detail, FindingKind, MultiplyFault, Space};

/// What sets warpgroups apart from other objects by which warps order themselves.
const WARPGROUPS: u64 = 3 << 61;

/// A warpgroup of which one warp is so far ahead has lost the others.
const MOST_ASKED: usize = 1 << 12;

impl World<'_> {
    fn warpgroup(&mut self, warp: usize) -> &mut Warpgroup {
        let warpgroups = &mut self.pending.warpgroups;
        warpgroups.entry(warp / WARPGROUP).or_default()
    }

    // ---- all four warps ----

    /// A warp comes to a multiplication, or to another instruction of whole warpgroups: whether it is the first of its
    /// warpgroup to do so.
    pub(crate) fn meet_multiply(&mut self, warp: usize, asked: Asked) -> bool {
        let group = self.warpgroup(warp);
        let number = group.members[warp % WARPGROUP].reached;
        group.members[warp % WARPGROUP].reached += 1;
        let at = (number - group.first.min(number)) as usize;
        let before = group.asked.get(at).copied();
        if before.is_none() {
            group.asked.push_back(asked);
        }
        let least = group.members.iter().map(|member| member.reached).min();
        let is_lost = group.asked.len() > MOST_ASKED;
        while group.first < least.unwrap_or(0) || group.asked.len() > MOST_ASKED {
            group.asked.pop_front();
            group.first += 1;
        }
        if is_lost || before.is_some_and(|before| before != asked) {
            let fault = if is_lost {
                MultiplyFault::Missing { warps: 1 }
            } else {
                MultiplyFault::Different
            };
            self.broken_multiply(asked.place, (warp * WARP) as u32, fault);
        }
        before.is_none()
    }

    /// The block ends: multiplications to which not all warps of their warpgroup have come.
    pub(crate) fn finish_multiplies(&mut self) {
        for (number, group) in std::mem::take(&mut self.pending.warpgroups) {
            let Some(asked) = group.asked.front() else {
                continue;
            };
            let has_come = |member: &usize| group.members[*member].reached > group.first;
            let come: Vec<usize> = (0..WARPGROUP).filter(has_come).collect();
            let first = come.first().map_or(0, |member| number * WARPGROUP + member);
            let warps = come.len() as u32;
            let thread = (first * WARP) as u32;
            self.broken_multiply(asked.place, thread, MultiplyFault::Missing { warps });
        }
    }

    #[cold]
    pub(crate) fn broken_multiply(&mut self, place: u32, thread: u32, fault: MultiplyFault) {
        let kind = match fault {
            MultiplyFault::Unfenced | MultiplyFault::Unwaited { .. } => FindingKind::Race,
            _ => FindingKind::BarrierDivergence,
        };
        self.fault(Fault {
            kind,
            block: self.block,
            place,
            space: None,
            thread,
            address: None,
            access_bytes: 0,
            is_store: false,
            count: 1,
            detail: Detail::Multiply { fault },
        });
    }

    // ---- registers, in checked launches ----

    /// A warp executes `wgmma.fence`.
    pub(crate) fn fence_multiplies(&mut self, warp: usize) {
        if self.check.is_none() {
            return;
        }
        let member = &mut self.warpgroup(warp).members[warp % WARPGROUP];
        member.is_fenced = true;
        member.sums.clear();
    }

    /// A warp starts a multiplication whose registers are in the stage; gives the mark for those of its result.
    pub(crate) fn start_multiply(
        &mut self,
        lanes: &mut Lanes,
        warp: usize,
        multiply: &GroupMultiply,
        asked: &Asked,
    ) -> u32 {
        let digest = digest(&self.stage.warp(warp - lanes.first_warp)[..multiply.registers()]);
        let member = &mut self.warpgroup(warp).members[warp % WARPGROUP];
        // What a multiplication has left there is in order with the next.
        let goes_on = asked.adds && !multiply.a_in_registers && member.sums.contains(&digest);
        let is_unfenced = !member.is_fenced && !goes_on;
        member.is_fenced |= is_unfenced;
        let number = member.reached - 1;
        // Not committed and not waited for too long: it is not followed any more.
        let _ = member.queue.start(1, number);
        let thread = (warp * WARP) as u32;
        if is_unfenced {
            self.broken_multiply(asked.place, thread, MultiplyFault::Unfenced);
        }
        let unwaited = MultiplyFault::Unwaited {
            source: self.program.source(asked.place),
            ptx_line: self.program.ptx_line(asked.place),
        };
        let mark = lanes.undefined.begin(Fault {
            kind: FindingKind::Race,
            block: self.block,
            place: asked.place,
            space: None,
            thread,
            address: None,
            access_bytes: 0,
            is_store: false,
            count: 1,
            detail: Detail::Multiply { fault: unwaited },
        });
        let member = &mut self.warpgroup(warp).members[warp % WARPGROUP];
        member.marks.push((number, mark));
        mark
    }

    /// Takes note of the sums that a multiplication has left.
    pub(crate) fn note_sums(&mut self, first_warp: usize, warp: usize, registers: usize) {
        let digest = digest(&self.stage.warp(warp)[..registers]);
        let warp = first_warp + warp;
        self.warpgroup(warp).members[warp % WARPGROUP]
            .sums
            .push(digest);
    }

    // ---- shared memory, in checked launches ----

    /// A warpgroup starts to read these units of shared memory.
    pub(crate) fn begin_reading(&mut self, place: u32, thread: u32, mut units: Vec<u32>) {
        units.sort_unstable();
        let by = Origin {
            place,
            thread,
            early: 0,
        };
        let sites = &self.program.sites;
        // What copies have brought to shared memory needs no proxy fence.
        let last = Cell::new((place, true));
        let is_copy = |place: u32| {
            if last.get().0 != place {
                let is_here = |site: &SiteInfo| site.place == place && site.path != Path::Registers;
                last.set((place, sites.iter().any(is_here)));
            }
            last.get().1
        };
        if let Some(shadow) = &mut self.check {
            for source in sources(by, &units) {
                shadow.show_source(source, is_copy);
                shadow.start_source(source);
            }
        }
        let warp = thread as usize / WARP;
        let group = self.warpgroup(warp);
        let number = group.members[warp % WARPGROUP].reached - 1;
        group.readings.push(Reading { number, by, units });
    }

    /// A warp closes a group.
    pub(crate) fn commit_multiplies(&mut self, warp: usize) {
        if self.check.is_some() {
            let member = &mut self.warpgroup(warp).members[warp % WARPGROUP];
            let _ = member.queue.commit(1);
        }
    }

    /// A warp waits until at most so many of its groups are left.
    pub(crate) fn wait_for_multiplies(&mut self, lanes: &mut Lanes, warp: usize, groups: u32) {
        if self.check.is_none() {
            return;
        }
        let group = self.warpgroup(warp);
        let member = &mut group.members[warp % WARPGROUP];
        let due = member.queue.due(0, groups);
        let mut last = None;
        member.queue.take(1, due, |_, number| last = Some(*number));
        let Some(last) = last else {
            return;
        };
        member.is_fenced = false;
        member.marks.retain(|(number, mark)| {
            if *number <= last {
                lanes.undefined.settle(*mark);
            }
            *number > last
        });
        let (read, left): (Vec<Reading>, Vec<Reading>) = std::mem::take(&mut group.readings)
            .into_iter()
            .partition(|reading| reading.number <= last);
        group.readings = left;
        let object = WARPGROUPS | (warp / WARPGROUP) as u64;
        if let Some(shadow) = &mut self.check {
            shadow.acquire(warp, object);
        }
        if read.is_empty() {
            return;
        }
        for reading in &read {
            self.read_units(warp, reading);
        }
        if let Some(shadow) = &mut self.check {
            shadow.release(warp, object);
        }
    }

    /// What a multiplication reads has been read by now, as far as this warp knows.
    fn read_units(&mut self, warp: usize, reading: &Reading) {
        if let Some(shadow) = &mut self.check {
            sources(reading.by, &reading.units).for_each(|source| shadow.end_source(source));
        }
        let by = (reading.by.place, warp);
        let is_alone = self.cluster.is_none();
        for units in reading.units.chunks(WARP) {
            if let Some((shadow, around)) = self.shadow().filter(|_| is_alone)
                && shadow.take_units(by, units, UNIT_BYTES, &around)
            {
                continue;
            }
            let mut addresses = [0; WARP];
            for (address, unit) in addresses.iter_mut().zip(units) {
                *address = u64::from(*unit);
            }
            let touch = Touch {
                space: Space::Shared,
                place: reading.by.place,
                warp,
                mask: u32::MAX >> (WARP - units.len()),
                addresses: &addresses,
                bytes: UNIT_BYTES,
                act: TouchAct::Load,
                is_narrow: false,
                is_constant: false,
                wanted: Wanted::ALL,
                is_copy: true,
            };
            self.touch(&touch, Strength::Weak);
        }
    }
}

/// Sorted units as ranges, those side by side together.
fn sources(by: Origin, units: &[u32]) -> impl Iterator<Item = Source> {
    let runs = units.chunk_by(|unit, next| *next <= unit + UNIT_BYTES);
    runs.map(move |run| Source {
        space: Space::Shared,
        address: u64::from(run[0]),
        bytes: u64::from(run[run.len() - 1] + UNIT_BYTES - run[0]),
        place: by.place,
        thread: by.thread,
    })
}

/// A number by which the contents of registers are told apart: FNV-1a of each lane's, and of what that gives.
fn digest(rows: &[[u32; WARP]]) -> u64 {
    let mut lanes = [0x811c_9dc5_u32; WARP];
    for row in rows {
        for (digest, word) in lanes.iter_mut().zip(row) {
            *digest = (*digest ^ word).wrapping_mul(0x0100_0193);
        }
    }
    lanes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, word| {
        (digest ^ u64::from(*word)).wrapping_mul(0x0100_0000_01b3)
    })
}
