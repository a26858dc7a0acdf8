//! One memory instruction as one warp executes it, and what is noted of it: counts, the checks' view, faults. Where it goes is in `space`.

use crate::check::{Touch, TouchAct};
use crate::machine::inst::Inst;
use crate::machine::lanes::Lanes;
use crate::machine::world::{Recorded, SiteCount, World};
use crate::memory::faults::Fault;
use crate::operations::memory::backing::Words;
use crate::operations::memory::elements::Data;
use crate::program::access::AccessShape;
use crate::program::kinds::WARP;
use crate::program::space::address_bits;
use crate::report::{FindingKind, Space};

/// One memory instruction as one warp executes it.
pub(crate) struct Request<'r> {
    pub(super) inst: &'r Inst,
    pub(super) shape: &'r AccessShape,
    pub(super) addresses: [u64; WARP],
    pub(crate) mask: u32,
    /// Warp in the group.
    pub(super) warp: usize,
    pub(super) is_store: bool,
}

impl<'r> Request<'r> {
    pub(crate) fn new(
        lanes: &Lanes,
        inst: &'r Inst,
        shape: &'r AccessShape,
        warp: usize,
        mask: u32,
        is_store: bool,
    ) -> Self {
        let source = &lanes.longs.source(inst.s[0])[warp * WARP..][..WARP];
        let mut addresses = [0; WARP];
        for (address, base) in addresses.iter_mut().zip(source) {
            *address = base.wrapping_add(inst.imm);
        }
        Self::at(addresses, inst, shape, warp, mask, is_store)
    }

    /// An access that is a part of an instruction, at addresses of its own.
    pub(crate) fn at(
        mut addresses: [u64; WARP],
        inst: &'r Inst,
        shape: &'r AccessShape,
        warp: usize,
        mask: u32,
        is_store: bool,
    ) -> Self {
        let bits = address_bits(shape.space);
        addresses.iter_mut().for_each(|address| *address &= bits);
        Self {
            inst,
            shape,
            addresses,
            mask,
            warp,
            is_store,
        }
    }

    /// One lane's access at a byte offset that has been checked; whether it has left another value than was there.
    #[inline(always)]
    pub(super) fn lane(
        &self,
        words: &mut impl Words,
        offset: usize,
        lane: usize,
        data: &mut Data,
    ) -> bool {
        let mut has_changed = false;
        let bytes = self.shape.bytes();
        let at = offset / 4;
        if bytes < 4 {
            let (shift, field) = (8 * (offset as u32 & 3), (1u32 << (8 * bytes)) - 1);
            let old = (words.load(at) >> shift) & field;
            if self.is_store {
                has_changed = old != data[0][lane] & field;
                words.merge(at, field << shift, (data[0][lane] & field) << shift);
            } else {
                data[0][lane] = old;
            }
            return has_changed;
        }
        for (index, row) in data.iter_mut().enumerate().take(bytes as usize / 4) {
            let old = words.load(at + index);
            if self.is_store {
                has_changed |= old != row[lane];
                words.store(at + index, row[lane]);
            } else {
                row[lane] = old;
            }
        }
        has_changed
    }

    /// Shows the access to the launch's checks.
    #[inline(always)]
    pub(super) fn watch(&self, space: Space, lanes: &Lanes, world: &mut World, data: &Data) {
        if world.check.is_none() {
            return;
        }
        let touch = self.touch(space, lanes, data);
        let strength = self.shape.strength;
        world.touch(&touch, strength);
    }

    /// The access as the launch's checks see it.
    pub(super) fn touch<'t>(&'t self, space: Space, lanes: &Lanes, data: &'t Data) -> Touch<'t> {
        Touch {
            space,
            place: self.inst.place,
            warp: lanes.first_warp + self.warp,
            mask: self.mask,
            addresses: &self.addresses,
            bytes: self.shape.bytes(),
            act: if self.is_store {
                TouchAct::Store(data)
            } else {
                TouchAct::Load
            },
            is_narrow: self.shape.is_narrow,
            is_constant: self.shape.is_constant,
            wanted: self.shape.wanted,
            is_copy: false,
        }
    }

    #[inline(always)]
    pub(super) fn count(
        &self,
        lanes: &Lanes,
        world: &mut World,
        site: usize,
        space: Space,
        add: impl FnOnce(&mut SiteCount),
    ) {
        let count = &mut world.sites[site];
        count.executed += 1;
        add(count);
        if world.trace.is_some() {
            world.record(&Recorded {
                site,
                space,
                is_store: self.is_store,
                access_bytes: self.shape.bytes(),
                warp: lanes.first_warp + self.warp,
                mask: self.mask,
                addresses: &self.addresses,
            });
        }
    }

    /// One lane did something wrong: note it, and leave the access out (a load gives zero).
    #[cold]
    pub(super) fn fault(&self, wrong: Wrong, lanes: &Lanes, world: &mut World, data: &mut Data) {
        let Wrong {
            kind,
            space,
            lane,
            address,
        } = wrong;
        if !self.is_store {
            for row in data.iter_mut() {
                row[lane] = 0;
            }
        }
        let thread = ((lanes.first_warp + self.warp) * WARP + lane) as u32;
        let detail = std::mem::take(&mut world.detail);
        world.fault(Fault {
            kind,
            block: world.block,
            place: self.inst.place,
            space: Some(space),
            thread,
            address: Some(address),
            access_bytes: self.shape.bytes(),
            is_store: self.is_store,
            count: 1,
            detail,
        });
    }
}

/// What one lane did wrong.
pub(super) struct Wrong {
    pub(super) kind: FindingKind,
    pub(super) space: Space,
    pub(super) lane: usize,
    pub(super) address: u64,
}
