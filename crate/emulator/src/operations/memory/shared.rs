//! Requests to shared memory, the block's own and that of others in its cluster: passes through the banks, and lane after lane.

use crate::counters::Wavefronts;
use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::operations::memory::backing::Owned;
use crate::operations::memory::elements::Data;
use crate::operations::memory::request::{Request, Wrong};
use crate::operations::remote::Owner;
use crate::program::kinds::for_lanes;
use crate::program::space::RANK_SHIFT;
use crate::report::{Detail, FindingKind, Space};

impl Request<'_> {
    pub(super) fn shared(&self, lanes: &Lanes, world: &mut World, data: &mut Data, site: usize) {
        let is_plain = |lane: usize| self.addresses[lane] >> RANK_SHIFT == 0;
        let mut plain = true;
        for_lanes(self.mask, |lane| plain &= is_plain(lane));
        if !plain {
            return self.shared_of_cluster(lanes, world, data, site);
        }
        let bytes = self.shape.bytes();
        // Lanes that agree on an address save a pass through the banks in neither stores nor loads of matrices.
        let is_strict = self.is_store || self.shape.is_matrix_row();
        let wavefronts = Wavefronts::masked(&self.addresses, self.mask, bytes, is_strict);
        self.count(lanes, world, site, Space::Shared, |count| {
            count.requests += 1;
            count.wavefronts += u64::from(wavefronts.taken);
            count.bank_conflicts += u64::from(wavefronts.bank_conflicts());
        });
        let (access, conflicts) = (
            (site, lanes.first_warp + self.warp),
            wavefronts.bank_conflicts(),
        );
        world.weigh(access, (&self.addresses, self.mask), conflicts);
        self.watch(Space::Shared, lanes, world, data);
        for_lanes(self.mask, |lane| {
            let address = self.addresses[lane];
            if !address.is_multiple_of(u64::from(bytes)) {
                self.fault(
                    Wrong {
                        kind: FindingKind::Misaligned,
                        space: Space::Shared,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            } else if !world.has_shared(address, u64::from(bytes)) {
                self.fault(
                    Wrong {
                        kind: FindingKind::OutOfBounds,
                        space: Space::Shared,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            } else {
                let mut words = Owned(&mut world.shared);
                world.has_changed |= self.lane(&mut words, address as usize, lane, data);
            }
        });
    }

    /// The same where addresses may say whose memory they mean.
    #[cold]
    fn shared_of_cluster(&self, lanes: &Lanes, world: &mut World, data: &mut Data, site: usize) {
        let bytes = self.shape.bytes();
        let mut own = 0;
        for_lanes(self.mask, |lane| {
            let place = world.shared_place(self.addresses[lane]);
            own |= u32::from(!matches!(place, Ok((Owner::Other(_), _)))) << lane;
        });
        let is_strict = self.is_store || self.shape.is_matrix_row();
        // What goes to other blocks passes by the banks of this one.
        let wavefronts =
            (own != 0).then(|| Wavefronts::masked(&self.addresses, own, bytes, is_strict));
        self.count(lanes, world, site, Space::Shared, |count| {
            count.requests += 1;
            if let Some(wavefronts) = wavefronts {
                count.wavefronts += u64::from(wavefronts.taken);
                count.bank_conflicts += u64::from(wavefronts.bank_conflicts());
            }
        });
        let conflicts = wavefronts.map_or(0, Wavefronts::bank_conflicts);
        let access = (site, lanes.first_warp + self.warp);
        world.weigh(access, (&self.addresses, self.mask), conflicts);
        if world.check.is_some() {
            let strength = self.shape.strength;
            let touch = self.touch(Space::Shared, lanes, data);
            world.touch_shared(&touch, strength);
        }
        for_lanes(self.mask, |lane| {
            let address = self.addresses[lane];
            let found = match address.is_multiple_of(u64::from(bytes)) {
                true => world.shared_words(address, u64::from(bytes)),
                false => Err((FindingKind::Misaligned, Detail::None)),
            };
            match found {
                Ok(words) => {
                    let has_changed =
                        self.lane(&mut Owned(words), address as usize % 4, lane, data);
                    world.has_changed |= has_changed;
                }
                Err((kind, detail)) => {
                    world.detail = detail;
                    let space = Space::Shared;
                    let wrong = Wrong {
                        kind,
                        space,
                        lane,
                        address,
                    };
                    self.fault(wrong, lanes, world, data);
                }
            }
        });
    }
}
