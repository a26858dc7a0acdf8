//! Requests to what cannot be stored to: constants, and parameters of the kernel. Parameters of called functions are passed on to `local`.

use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::machine::worst::different;
use crate::operations::memory::backing::Constant;
use crate::operations::memory::elements::Data;
use crate::operations::memory::request::{Request, Wrong};
use crate::program::kinds::for_lanes;
use crate::program::space::FRAME;
use crate::report::{FindingKind, Space};

impl Request<'_> {
    /// Parameters of the kernel are constants; those of a called function lie in the caller's local memory.
    pub(super) fn param(&self, lanes: &mut Lanes, world: &mut World, data: &mut Data) {
        let (mask, addresses) = (self.mask, &self.addresses);
        let mut frames = 0;
        for_lanes(mask, |lane| {
            if addresses[lane] & FRAME != 0 {
                frames |= 1 << lane;
            }
        });
        if frames != 0 {
            let framed = addresses.map(|address| address & !FRAME);
            self.local(
                lanes,
                world,
                data,
                &framed,
                frames,
                self.shape.site as usize,
            );
        }
        if mask & !frames != 0 {
            let params = world.params;
            self.read_only((Space::Param, params), mask & !frames, lanes, world, data);
        }
    }

    pub(super) fn read_only(
        &self,
        (space, words): (Space, &[u32]),
        mask: u32,
        lanes: &Lanes,
        world: &mut World,
        data: &mut Data,
    ) {
        let bytes = u64::from(self.shape.bytes());
        self.count(lanes, world, self.shape.site as usize, space, |count| {
            count.requests += 1
        });
        let addresses = different(&self.addresses, mask);
        world.sites[self.shape.site as usize].addresses += u64::from(addresses);
        let access = (self.shape.site as usize, lanes.first_warp + self.warp);
        let excess = addresses.saturating_sub(1);
        world.weigh(access, (&self.addresses, mask), excess);
        for_lanes(mask, |lane| {
            let address = self.addresses[lane];
            if self.is_store {
                self.fault(
                    Wrong {
                        kind: FindingKind::InvalidAddress,
                        space,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            } else if !address.is_multiple_of(bytes) {
                self.fault(
                    Wrong {
                        kind: FindingKind::Misaligned,
                        space,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            } else if address
                .checked_add(bytes)
                .is_none_or(|end| end > words.len() as u64 * 4)
            {
                self.fault(
                    Wrong {
                        kind: FindingKind::OutOfBounds,
                        space,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            } else {
                self.lane(&mut Constant(words), address as usize, lane, data);
            }
        });
    }
}
