//! Requests to global memory that are not whole warps in order: sectors, and lane after lane.

use crate::counters;
use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::machine::worst::needed_sectors;
use crate::operations::memory::backing::Shared;
use crate::operations::memory::elements::Data;
use crate::operations::memory::request::{Request, Wrong};
use crate::program::kinds::for_lanes;
use crate::report::{FindingKind, Space};

impl Request<'_> {
    pub(super) fn global(&self, lanes: &Lanes, world: &mut World, data: &mut Data, site: usize) {
        let sectors = counters::masked_sectors(&self.addresses, self.mask);
        let needed = needed_sectors(self.mask.count_ones(), self.shape.bytes());
        let excess = sectors.saturating_sub(needed);
        self.count(lanes, world, site, Space::Global, |count| {
            count.requests += 1;
            count.sectors += u64::from(sectors);
            count.excess_sectors += u64::from(excess);
        });
        let warp = lanes.first_warp + self.warp;
        world.weigh((site, warp), (&self.addresses, self.mask), excess);
        self.watch(Space::Global, lanes, world, data);
        if world.touches.is_some() {
            let (access, lanes) = (
                (site, lanes.first_warp + self.warp),
                (&self.addresses, self.mask),
            );
            world.mark(access, lanes, self.shape.bytes(), self.is_store);
        }
        self.global_lanes(lanes, world, data, site);
    }

    /// Lane by lane: some are idle, or something is wrong.
    fn global_lanes(&self, lanes: &Lanes, world: &mut World, data: &mut Data, site: usize) {
        let bytes = self.shape.bytes();
        for_lanes(self.mask, |lane| {
            let address = self.addresses[lane];
            if !address.is_multiple_of(u64::from(bytes)) {
                return self.fault(
                    Wrong {
                        kind: FindingKind::Misaligned,
                        space: Space::Global,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            }
            let found = world.find(site, address, bytes as usize);
            if found.is_some()
                && let Some((kind, detail)) = world.heap_fault(site, address, u64::from(bytes))
            {
                world.detail = detail;
                let space = Space::Global;
                let wrong = Wrong {
                    kind,
                    space,
                    lane,
                    address,
                };
                return self.fault(wrong, lanes, world, data);
            }
            match found {
                Some((buffer, offset)) => {
                    world.has_changed |= self.lane(&mut Shared(&buffer.words), offset, lane, data);
                }
                None => self.fault(
                    Wrong {
                        kind: FindingKind::OutOfBounds,
                        space: Space::Global,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                ),
            }
        });
    }
}
