//! Where a request goes: to the state space that the instruction names, or that each address says. What happens there is in a file for each space.

use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::operations::memory::elements::Data;
use crate::operations::memory::request::Request;
use crate::program::kinds::for_lanes;
use crate::program::space::{WINDOW_BYTES, WINDOWS, window};
use crate::report::Space;

impl Request<'_> {
    #[inline(never)]
    pub(crate) fn run(&self, lanes: &mut Lanes, world: &mut World, data: &mut Data) {
        world.has_changed = !world.is_exact;
        if world.is_exact {
            self.note_spans(world);
        }
        match self.shape.space {
            Some(Space::Global) => self.global(lanes, world, data, self.shape.site as usize),
            Some(Space::Shared) => self.shared(lanes, world, data, self.shape.site as usize),
            Some(space) => self.elsewhere(space, lanes, world, data),
            None => self.generic(lanes, world, data),
        }
        world.changes += u64::from(self.is_store && world.has_changed);
        if world.is_exact {
            world.spans.changes += u64::from(self.is_store && world.has_changed);
        }
    }

    #[cold]
    fn note_spans(&self, world: &mut World) {
        let base = self.shape.space.map_or(0, window);
        let addresses = self.addresses.map(|address| address.wrapping_add(base));
        let (access, bytes) = (self.inst.aux, self.shape.bytes());
        let lanes = (&addresses, self.mask);
        world.spans.note(access, self.is_store, lanes, bytes);
    }

    #[inline(never)]
    fn elsewhere(&self, space: Space, lanes: &mut Lanes, world: &mut World, data: &mut Data) {
        match space {
            Space::Local => self.local(
                lanes,
                world,
                data,
                &self.addresses,
                self.mask,
                self.shape.site as usize,
            ),
            Space::Const => {
                let constants = world.constants;
                self.read_only((Space::Const, constants), self.mask, lanes, world, data);
            }
            _ => self.param(lanes, world, data),
        }
    }

    /// A generic access: each lane's address says which space it means.
    #[inline(never)]
    fn generic(&self, lanes: &mut Lanes, world: &mut World, data: &mut Data) {
        let mut masks = [0u32; 5];
        for_lanes(self.mask, |lane| {
            let window = self.addresses[lane].wrapping_sub(WINDOWS) / WINDOW_BYTES;
            masks[if window < 4 { window as usize + 1 } else { 0 }] |= 1 << lane;
        });
        let site = self.shape.site as usize;
        let part = |mask: u32, space: Space| {
            let base = window(space);
            Request {
                addresses: self.addresses.map(|address| address.wrapping_sub(base)),
                mask,
                ..*self
            }
        };
        if masks[0] != 0 {
            part(masks[0], Space::Global).global(lanes, world, data, site);
        }
        if masks[1] != 0 {
            part(masks[1], Space::Shared).shared(lanes, world, data, site + 1);
        }
        if masks[2] != 0 {
            let part = part(masks[2], Space::Local);
            part.local(lanes, world, data, &part.addresses, masks[2], site + 2);
        }
        if masks[3] != 0 {
            let (part, constants) = (part(masks[3], Space::Const), world.constants);
            part.read_only((Space::Const, constants), masks[3], lanes, world, data);
        }
        if masks[4] != 0 {
            part(masks[4], Space::Param).param(lanes, world, data);
        }
    }
}
