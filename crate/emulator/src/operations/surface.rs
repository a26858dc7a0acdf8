//! Reads and writes of surfaces: first each lane's place becomes an address, then its texel is moved.

use crate::check::{Touch, TouchAct};
use crate::machine::inst::Inst;
use crate::machine::lanes::{Lanes, for_each_lane};
use crate::machine::world::{Recorded, World};
use crate::memory::textures::BoundSurface;
use crate::operations::texture::wrong;
use crate::program::access::{AccessShape, Strength};
use crate::program::kinds::{NO_SLOT, WARP, for_lanes};
use crate::program::surface::{Beyond, SurfaceAccess};
use crate::report::Space;
use crate::surface::Surface;

const NO_SURFACE: &str = "no surface has this handle: it was freed, or the argument is no surface";
const OTHER_DIMENSIONS: &str = "the surface has another number of dimensions or layers than the function (`surf1Dread` and `surf2Dread`)";
const BEYOND: &str = "the place is beyond the surface, which ends the kernel; x counts bytes, as in `x * sizeof(float)`";
const MISALIGNED: &str =
    "x is no multiple of the texel's bytes; it counts bytes, as in `x * sizeof(float)`";
const MEMORY_FREED: &str = "the memory that the surface lies in was freed";

/// The address of a lane that reads zero or writes nothing: no buffer begins there.
const NOWHERE: u64 = 0;

fn surface_of<'w>(world: &World<'w>, handle: u64) -> Option<&'w Surface> {
    let surfaces: &'w [BoundSurface] = &world.textures.surfaces;
    let at = surfaces.binary_search_by_key(&handle, |bound| bound.handle);
    Some(&surfaces[at.ok()?].surface)
}

/// Where a texel lies: x, y and layer are integers with a sign.
fn address(
    surface: Option<&Surface>,
    how: SurfaceAccess,
    place: [u32; 3],
) -> Result<u64, &'static str> {
    let surface = surface.ok_or(NO_SURFACE)?;
    if surface.is_2d != how.is_2d || surface.is_layered != how.is_layered {
        return Err(OTHER_DIMENSIONS);
    }
    let bytes = i64::from(how.bytes);
    let [x, y, layer] = place.map(|place| i64::from(place.cast_signed()));
    if x % bytes != 0 {
        return Err(MISALIGNED);
    }
    let last = [
        surface.row_bytes as i64 - bytes,
        surface.height as i64 - 1,
        surface.layers as i64 - 1,
    ];
    let is_inside = [x, y, layer]
        .iter()
        .zip(last)
        .all(|(at, last)| (0..=last).contains(at));
    let [x, y, layer] = match how.beyond {
        _ if is_inside => [x, y, layer],
        Beyond::Trap => return Err(BEYOND),
        Beyond::Zero => return Ok(NOWHERE),
        Beyond::Clamp => [
            x.min(last[0]).max(0),
            y.min(last[1]).max(0),
            layer.min(last[2]).max(0),
        ],
    };
    let row = layer * surface.height as i64 + y;
    Ok(surface.address + row as u64 * surface.row_bytes + x as u64)
}

/// The addresses that the lanes' places mean.
pub(crate) fn place(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let how = SurfaceAccess::of(inst.imm);
    let active = lanes.active;
    let handles = lanes.longs.source(inst.s[0]).to_vec();
    let mut addresses = vec![NOWHERE; handles.len()];
    for_each_lane(&active, |at| {
        let coordinate = |slot: usize| lanes.words.source(inst.s[slot])[at];
        let y = if how.is_2d { coordinate(2) } else { 0 };
        let layer = if how.is_layered {
            coordinate(2 + usize::from(how.is_2d))
        } else {
            0
        };
        match address(
            surface_of(world, handles[at]),
            how,
            [coordinate(1), y, layer],
        ) {
            Ok(address) => addresses[at] = address,
            Err(rule) => wrong(world, lanes, inst, at, (handles[at], Space::Surface), rule),
        }
    });
    let register = &mut lanes.longs.registers[usize::from(inst.d[0])];
    for_each_lane(&active, |at| register[at] = addresses[at]);
}

/// `suld`, behind its places.
pub(crate) fn read(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let shape = world.program.accesses[inst.aux as usize];
    let active = lanes.active;
    for warp in active.first..active.last {
        let moved = Moved::of(lanes, world, inst, warp, active.mask[warp]);
        moved.watch(lanes, world, inst, TouchAct::Load);
        let mut texels = [[0; 16]; WARP];
        for_lanes(moved.mask, |lane| {
            let bytes = &mut texels[lane][..moved.bytes as usize];
            if let Some((buffer, offset)) =
                world.find(shape.site as usize, moved.addresses[lane], bytes.len())
            {
                buffer.read(offset, bytes);
            }
        });
        let element = shape.element as usize;
        for (part, d) in inst.d.iter().enumerate().filter(|(_, d)| **d != NO_SLOT) {
            for_lanes(active.mask[warp], |lane| {
                let value = number(&texels[lane][part * element..(part + 1) * element]);
                let at = warp * WARP + lane;
                match shape.long {
                    true => lanes.longs.registers[usize::from(*d)][at] = value,
                    false => lanes.words.registers[usize::from(*d)][at] = value as u32,
                }
            });
        }
    }
}

/// `sust`, behind its places.
pub(crate) fn write(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let shape = world.program.accesses[inst.aux as usize];
    let active = lanes.active;
    for warp in active.first..active.last {
        let moved = Moved::of(lanes, world, inst, warp, active.mask[warp]);
        let (mut texels, mut words) = ([[0; 16]; WARP], [[0; WARP]; 4]);
        for_lanes(moved.mask, |lane| {
            texels[lane] = texel(lanes, inst, &shape, warp * WARP + lane);
            for (word, bytes) in words.iter_mut().zip(texels[lane].chunks(4)) {
                word[lane] = number(bytes) as u32;
            }
        });
        moved.watch(lanes, world, inst, TouchAct::Store(&words));
        for_lanes(moved.mask, |lane| {
            let bytes = &texels[lane][..moved.bytes as usize];
            if let Some((buffer, offset)) =
                world.find(shape.site as usize, moved.addresses[lane], bytes.len())
            {
                buffer.write(offset, bytes);
            }
        });
        world.changes += u64::from(moved.mask != 0);
    }
}

/// The bytes that a lane writes.
fn texel(lanes: &Lanes, inst: &Inst, shape: &AccessShape, at: usize) -> [u8; 16] {
    let mut bytes = [0; 16];
    let element = shape.element as usize;
    for part in 0..shape.count as usize {
        let slot = inst.s[1 + part];
        let value = match shape.long {
            true => lanes.longs.source(slot)[at],
            false => u64::from(lanes.words.source(slot)[at]),
        };
        bytes[part * element..(part + 1) * element]
            .copy_from_slice(&value.to_le_bytes()[..element]);
    }
    bytes
}

/// A number of these bytes, the least first.
fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The texels that a warp moves.
struct Moved {
    addresses: [u64; WARP],
    /// Lanes whose texel there is.
    mask: u32,
    bytes: u32,
    warp: usize,
}

impl Moved {
    fn of(lanes: &Lanes, world: &mut World, inst: &Inst, warp: usize, mask: u32) -> Self {
        let shape = world.program.accesses[inst.aux as usize];
        let mut moved = Self {
            addresses: [NOWHERE; WARP],
            mask: 0,
            bytes: shape.element * shape.count,
            warp,
        };
        let addresses = lanes.longs.source(inst.s[0]);
        for_lanes(mask, |lane| {
            let (at, address) = (warp * WARP + lane, addresses[warp * WARP + lane]);
            if address == NOWHERE {
                return;
            }
            if world
                .find(shape.site as usize, address, moved.bytes as usize)
                .is_none()
            {
                return wrong(
                    world,
                    lanes,
                    inst,
                    at,
                    (address, Space::Surface),
                    MEMORY_FREED,
                );
            }
            moved.addresses[lane] = address;
            moved.mask |= 1 << lane;
        });
        moved
    }

    /// Shows the access to the trace and to the launch's checks.
    fn watch(&self, lanes: &Lanes, world: &mut World, inst: &Inst, act: TouchAct) {
        let shape = world.program.accesses[inst.aux as usize];
        let (site, warp) = (shape.site as usize, lanes.first_warp + self.warp);
        let is_store = matches!(act, TouchAct::Store(_));
        if self.mask == 0 {
            return;
        }
        world.sites[site].executed += 1;
        world.sites[site].requests += 1;
        if world.trace.is_some() {
            world.record(&Recorded {
                site,
                space: Space::Surface,
                is_store,
                access_bytes: self.bytes,
                warp,
                mask: self.mask,
                addresses: &self.addresses,
            });
        }
        if world.touches.is_some() {
            world.mark(
                (site, warp),
                (&self.addresses, self.mask),
                self.bytes,
                is_store,
            );
        }
        if world.check.is_some() {
            let touch = Touch {
                space: Space::Global,
                place: inst.place,
                warp,
                mask: self.mask,
                addresses: &self.addresses,
                bytes: self.bytes,
                act,
                is_narrow: false,
                is_constant: false,
                wanted: shape.wanted,
                is_copy: false,
            };
            world.touch(&touch, Strength::Weak);
        }
    }
}
