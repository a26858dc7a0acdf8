//! Requests to a thread's local memory: spills, local arrays, frames of functions.

use crate::check::Unwritten;
use crate::counters;
use crate::machine::lanes::{Lanes, Returned};
use crate::machine::world::World;
use crate::machine::worst::needed_sectors;
use crate::memory::faults::Fault;
use crate::operations::memory::backing::Interleaved;
use crate::operations::memory::elements::Data;
use crate::operations::memory::request::{Request, Wrong};
use crate::program::kinds::{GROUP_WARPS, WARP, for_lanes};
use crate::program::space::local_owner;
use crate::report::{Detail, FindingKind, Space};

impl Request<'_> {
    pub(super) fn local(
        &self,
        lanes: &mut Lanes,
        world: &mut World,
        data: &mut Data,
        addresses: &[u64; WARP],
        mask: u32,
        site: usize,
    ) {
        let bytes = u64::from(self.shape.bytes());
        let (mut owners, mut offsets) = ([0; WARP], *addresses);
        for_lanes(mask, |lane| {
            owners[lane] = lanes.thread(self.warp * WARP + lane);
            // Parameters of calls lie in frames too, of which the program has no pointers.
            if !self.shape.uncounted {
                let limit = lanes.local_bytes();
                (owners[lane], offsets[lane]) = local_owner(addresses[lane], owners[lane], limit);
            }
        });
        let addresses = &offsets;
        if !self.shape.uncounted {
            let sectors = counters::local_sectors(addresses, mask, bytes as u32);
            let words = (bytes as u32).div_ceil(4);
            // Lanes at one offset have their words side by side, whatever the width.
            let needed = words * needed_sectors(mask.count_ones(), 4);
            let excess = sectors.saturating_sub(needed);
            self.count(lanes, world, site, Space::Local, |count| {
                // Each word of the lanes is a request of its own.
                count.requests += u64::from(words);
                count.sectors += u64::from(sectors);
                count.excess_sectors += u64::from(excess);
            });
            let access = (site, lanes.first_warp + self.warp);
            world.weigh(access, (addresses, mask), excess);
        }
        let stride = GROUP_WARPS * WARP;
        for_lanes(mask, |lane| {
            let address = addresses[lane];
            if let Some((kind, detail)) =
                self.wrong_local(lane, owners[lane], address, lanes, world)
            {
                world.detail = detail;
                let space = Space::Local;
                let wrong = Wrong {
                    kind,
                    space,
                    lane,
                    address,
                };
                return self.fault(wrong, lanes, world, data);
            }
            let mut words = Interleaved {
                words: &mut lanes.local,
                stride,
                lane: self.warp * WARP + lane,
            };
            world.has_changed |= self.lane(&mut words, address as usize, lane, data);
            if world.check.is_some() && !self.shape.uncounted {
                self.watch_local(lane, address, lanes, world);
            }
        });
    }

    /// What is wrong with a lane's access to local memory at an offset in that of a thread.
    #[inline(always)]
    fn wrong_local(
        &self,
        lane: usize,
        owner: u32,
        offset: u64,
        lanes: &Lanes,
        world: &World,
    ) -> Option<(FindingKind, Detail)> {
        let (at, bytes) = (self.warp * WARP + lane, u64::from(self.shape.bytes()));
        if owner != lanes.thread(at) {
            let detail = Detail::OtherLocal { thread: owner };
            return Some((FindingKind::InvalidAddress, detail));
        }
        if !offset.is_multiple_of(bytes) {
            return Some((FindingKind::Misaligned, Detail::None));
        }
        match offset.checked_add(bytes) {
            Some(end) if end <= lanes.local_bytes() => {
                let detail = self.dead_frame(at, end, lanes, world)?;
                Some((FindingKind::InvalidAddress, detail))
            }
            _ => Some((FindingKind::OutOfBounds, Detail::None)),
        }
    }

    /// What is wrong with an access to a lane's local memory up to `end`, if it lies in the frame of a function that
    /// has returned. Parameters of calls lie in frames too, of which the program has no pointers.
    #[inline(always)]
    fn dead_frame(&self, at: usize, end: u64, lanes: &Lanes, world: &World) -> Option<Detail> {
        if self.shape.uncounted || world.check.is_none() {
            return None;
        }
        let frame = &lanes.frame;
        let left = frame.left_at(end - 1, at);
        if left.is_none() && end <= frame.end.max(frame.tops[at]) {
            return None;
        }
        let program = world.program;
        let function = left.map(|function| match function {
            Returned::Called(number) => program.functions[number as usize].name.clone(),
            Returned::Inlined(number) => program.inlined[number as usize].clone(),
        });
        Some(Detail::DeadFrame { function })
    }

    #[cold]
    fn watch_local(&self, lane: usize, address: u64, lanes: &Lanes, world: &mut World) {
        let (group, bytes) = (lanes.first_warp / GROUP_WARPS, self.shape.bytes());
        let at = self.warp * WARP + lane;
        let Some(shadow) = &mut world.check else {
            return;
        };
        let (offset, is_store) = (address as usize, self.is_store);
        let (fresh, is_alone) = shadow.local(group, at, (offset, bytes as usize), is_store);
        if is_store {
            let (elements, bytes) = (self.shape.count as usize, self.shape.element as usize);
            shadow.keep_type((group, at), (offset, elements, bytes), self.shape.is_float);
        }
        let unwritten = Unwritten {
            bytes: fresh,
            is_alone,
        };
        if let Some(detail) = unwritten.mistake((bytes, self.shape.wanted), world.program) {
            world.fault(Fault {
                kind: FindingKind::Uninitialized,
                block: world.block,
                place: self.inst.place,
                space: Some(Space::Local),
                thread: (lanes.first_warp * WARP + at) as u32,
                address: Some(address),
                access_bytes: bytes,
                is_store: false,
                count: 1,
                detail,
            });
        }
    }
}
