//! Asynchronous copies into other blocks of a cluster: what is under way, and who meets it. How far each has come is in `parcels`.

use crate::check::block::BlockShadow;
use crate::check::cells::{Actor, Manner};
use crate::check::cluster::{ClusterShadow, Deed, Remote};
use crate::check::found::{Race, Racer, note_from};
use crate::check::parcels::{Parcel, Sending};
use crate::check::{Touch, TouchAct};
use crate::program::kinds::{WARP, for_lanes};
use crate::program::space::in_block;
use crate::report::{Detail, FindingKind, Space};

impl ClusterShadow {
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
    pub(super) fn parcel_to_other(&self, remote: &Remote, bytes: u32) -> Option<Racer> {
        let known = &self.knows[remote.by].memory[remote.owner];
        let end = remote.offset + u64::from(bytes);
        let mut met = self.parcels[remote.owner].overlapping(remote.offset, end);
        met.find(|parcel| !parcel.is_known_by(known))
            .map(Parcel::racer)
    }

    /// A warp accesses its own block's memory: races with what others send there are noted.
    pub(super) fn own_of_parcels(&self, rank: usize, touch: &Touch, shadow: &mut BlockShadow) {
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
}

pub(super) fn note_pair(
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
        crosses_warps: false,
        left_out: None,
    };
    note_from(&mut shadow.races, shadow.block_races, race);
}
