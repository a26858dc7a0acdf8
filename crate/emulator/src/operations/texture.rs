//! Texture fetches: each lane's texels found, read and mixed. Where a coordinate leads is in `position`, what a texel is in `texel`, the mixing in `filter`.

mod filter;
mod position;
mod texel;

use crate::check::{Touch, TouchAct};
use crate::machine::inst::Inst;
use crate::machine::lanes::{Lanes, for_each_lane};
use crate::machine::world::{Recorded, World};
use crate::memory::faults::Fault;
use crate::memory::textures::Bound;
use crate::operations::texture::position::Footprint;
use crate::program::access::Strength;
use crate::program::kinds::{NO_SLOT, WARP, for_lanes};
use crate::program::texture::{Fetch, QUERY_WIDTH};
use crate::report::{Detail, FindingKind, Space};
use crate::texture::{TexelMemory, Texture};

const NO_TEXTURE: &str = "no texture has this handle: it was freed, or the argument is no texture";
const OTHER_DIMENSIONS: &str = "the texture has another number of dimensions, or layers, than the fetch (`tex1D`, `tex2D`, `tex2DLayered`)";
const BY_COORDINATES: &str =
    "a texture over linear memory is fetched by integers: `tex1Dfetch`, not `tex1D`";
const BY_INTEGERS: &str =
    "a 1D texture in an array is fetched by coordinates: `tex1D`, not `tex1Dfetch`, which gives 0";
const MEMORY_FREED: &str = "the memory that the texture lies over was freed";

/// The four texels of a footprint.
const TEXELS: usize = 4;

/// A warp's fetch: what each lane wants.
struct Warp<'w> {
    textures: [Option<&'w Texture>; WARP],
    footprints: [Footprint; WARP],
    mask: u32,
}

/// `tex` and `tld4`.
pub(crate) fn fetch(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let how = Fetch::of(inst.imm);
    let active = lanes.active;
    for warp in active.first..active.last {
        let mask = active.mask[warp];
        if mask == 0 {
            continue;
        }
        let wanted = wanted(lanes, world, inst, warp, mask);
        watch(&wanted, how, lanes, world, inst, warp);
        let mut results = [[0; WARP]; 4];
        for_lanes(wanted.mask, |lane| {
            if let Some(texture) = wanted.textures[lane] {
                let value = value(world, texture, &wanted.footprints[lane], how);
                (0..4).for_each(|channel| results[channel][lane] = value[channel]);
            }
        });
        for (d, row) in inst.d.iter().zip(&results) {
            if *d != NO_SLOT {
                let register = &mut lanes.words.registers[usize::from(*d)];
                for_lanes(mask, |lane| register[warp * WARP + lane] = row[lane]);
            }
        }
    }
}

/// `txq`.
pub(crate) fn query(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    let handles = lanes.longs.source(inst.s[0]).to_vec();
    let mut sizes = vec![0; handles.len()];
    for_each_lane(&active, |lane| match texture_of(world, handles[lane]) {
        Some(texture) if inst.imm == QUERY_WIDTH => sizes[lane] = texture.width,
        // As an H200 answers.
        Some(texture) if matches!(texture.memory, TexelMemory::Linear { .. }) => sizes[lane] = 0,
        Some(texture) => sizes[lane] = texture.height,
        None => wrong(
            world,
            lanes,
            inst,
            lane,
            (handles[lane], Space::Texture),
            NO_TEXTURE,
        ),
    });
    if inst.d[0] != NO_SLOT {
        let register = &mut lanes.words.registers[usize::from(inst.d[0])];
        for_each_lane(&active, |lane| register[lane] = sizes[lane]);
    }
}

fn texture_of<'w>(world: &World<'w>, handle: u64) -> Option<&'w Texture> {
    let textures: &'w [Bound] = &world.textures.bound;
    let at = textures.binary_search_by_key(&handle, |bound| bound.handle);
    Some(&textures[at.ok()?].texture)
}

/// What the lanes of a warp want; those whose fetch is wrong are left out.
fn wanted<'w>(
    lanes: &Lanes,
    world: &mut World<'w>,
    inst: &Inst,
    warp: usize,
    mask: u32,
) -> Warp<'w> {
    let how = Fetch::of(inst.imm);
    let mut wanted = Warp {
        textures: [None; WARP],
        footprints: [Footprint::default(); WARP],
        mask: 0,
    };
    let handles = lanes.longs.source(inst.s[0]);
    let mut last = None;
    for_lanes(mask, |lane| {
        let at = warp * WARP + lane;
        let handle = handles[at];
        let texture = match last {
            Some((known, texture)) if known == handle => Some(texture),
            _ => texture_of(world, handle),
        };
        let texture = match checked(texture, how) {
            Ok(texture) => texture,
            Err(rule) => return wrong(world, lanes, inst, at, (handle, Space::Texture), rule),
        };
        last = Some((handle, texture));
        let coordinate = |axis: usize| lanes.words.source(inst.s[1 + axis])[at];
        let mut place = [0; 3];
        (0..how.dimensions).for_each(|axis| place[axis] = coordinate(axis));
        let layer = match how.is_layered {
            true => coordinate(how.dimensions),
            false => 0,
        };
        let footprint = position::footprint(texture, how, place, layer);
        if !has_memory(world, inst, texture, &footprint) {
            return wrong(
                world,
                lanes,
                inst,
                at,
                (handle, Space::Texture),
                MEMORY_FREED,
            );
        }
        wanted.textures[lane] = Some(texture);
        wanted.footprints[lane] = footprint;
        wanted.mask |= 1 << lane;
    });
    wanted
}

fn checked(texture: Option<&Texture>, how: Fetch) -> Result<&Texture, &'static str> {
    let texture = texture.ok_or(NO_TEXTURE)?;
    let is_alike = texture.is_2d == (how.dimensions >= 2)
        && texture.is_cube == (how.dimensions == 3)
        && texture.is_layered == how.is_layered;
    if !is_alike {
        return Err(OTHER_DIMENSIONS);
    }
    let is_linear = matches!(texture.memory, TexelMemory::Linear { .. });
    if is_linear && !how.by_texels {
        return Err(BY_COORDINATES);
    }
    if !is_linear && how.by_texels && how.dimensions == 1 {
        return Err(BY_INTEGERS);
    }
    Ok(texture)
}

/// Whether the texels that a lane wants lie in memory that there still is.
fn has_memory(world: &mut World, inst: &Inst, texture: &Texture, footprint: &Footprint) -> bool {
    let site = world.program.accesses[inst.aux as usize].site as usize;
    let bytes = texture.texel_bytes() as usize;
    let mut texels = footprint.texels.iter().flatten();
    texels.all(|(x, y)| match texture.address(*x, *y) {
        Some(address) => world.find(site, address, bytes).is_some(),
        None => true,
    })
}

/// The four results of a lane.
fn value(world: &mut World, texture: &Texture, footprint: &Footprint, how: Fetch) -> [u32; 4] {
    if let Some(channel) = how.gathers {
        let order = [2, 3, 1, 0];
        let texels = order.map(|at| texel::converted(world, texture, footprint.texels[at]));
        return texels.map(|texel| filter::gathered(texture, texel[channel]));
    }
    match &footprint.weights {
        None => texel::converted(world, texture, footprint.texels[0]),
        Some(weights) => {
            let texels = footprint
                .texels
                .map(|texel| texel::raw(world, texture, texel));
            filter::mixed(texture, &texels, weights)
        }
    }
}

/// Counts a warp's fetch, and shows it to the trace and, if it reads global memory, to the launch's checks.
fn watch(wanted: &Warp, how: Fetch, lanes: &Lanes, world: &mut World, inst: &Inst, warp: usize) {
    let shape = world.program.accesses[inst.aux as usize];
    let count = &mut world.sites[shape.site as usize];
    count.executed += 1;
    let (requests, sectors) = counted(wanted);
    count.requests += u64::from(requests);
    count.sectors += u64::from(sectors);
    let first = lanes.first_warp + warp;
    for texel in 0..TEXELS {
        let (mut places, mut mask, mut in_memory) = ([0; WARP], 0, 0);
        let mut bytes = 1;
        for_lanes(wanted.mask, |lane| {
            let Some(texture) = wanted.textures[lane] else {
                return;
            };
            let Some((x, y)) = wanted.footprints[lane].texels[texel] else {
                return;
            };
            mask |= 1 << lane;
            bytes = texture.texel_bytes();
            places[lane] = texture.offset(x, y);
            if let Some(address) = texture.address(x, y) {
                in_memory |= 1 << lane;
                places[lane] = address;
            }
        });
        if mask != 0 && world.trace.is_some() {
            world.record(&Recorded {
                site: shape.site as usize,
                space: Space::Texture,
                is_store: false,
                access_bytes: bytes,
                warp: first,
                mask,
                addresses: &places,
            });
        }
        if in_memory != 0 && world.touches.is_some() {
            world.mark(
                (shape.site as usize, first),
                (&places, in_memory),
                bytes,
                false,
            );
        }
        if in_memory != 0 && world.check.is_some() {
            let touch = Touch {
                space: Space::Global,
                place: inst.place,
                warp: first,
                mask: in_memory,
                addresses: &places,
                bytes,
                act: TouchAct::Load,
                is_narrow: false,
                is_constant: true,
                wanted: shape.wanted,
                is_copy: false,
            };
            world.touch(&touch, Strength::Weak);
        }
        if how.gathers.is_none() && wanted.all_are_single() {
            break;
        }
    }
}

impl Warp<'_> {
    /// Whether no lane wants more than one texel.
    fn all_are_single(&self) -> bool {
        let mut single = true;
        for_lanes(self.mask, |lane| {
            single &= self.footprints[lane].texels[1..]
                .iter()
                .all(Option::is_none);
        });
        single
    }
}

/// Requests and sectors of a warp's fetch: each four or eight lanes of which one is active are a request, and the sectors
/// that they touch are counted for each request by itself. Measured on an H200: `tests/h200/textures.csv`.
fn counted(wanted: &Warp) -> (u32, u32) {
    let (mut requests, mut sectors) = (0, 0);
    let per_request = wanted.textures.iter().flatten().next();
    let per_request = per_request.map_or(4, |texture| texture.lanes_per_request());
    for first in (0..WARP).step_by(per_request) {
        let mut touched = [0u64; 8 * TEXELS];
        let (mut count, mut is_active) = (0, false);
        for lane in (first..first + per_request).filter(|lane| wanted.mask >> lane & 1 != 0) {
            is_active = true;
            let Some(texture) = wanted.textures[lane] else {
                continue;
            };
            for (x, y) in wanted.footprints[lane].touched.iter().flatten() {
                touched[count] = texture.sector(*x, *y);
                count += 1;
            }
        }
        requests += u32::from(is_active);
        let touched = &mut touched[..count];
        touched.sort_unstable();
        let repeats = touched.windows(2).filter(|pair| pair[0] == pair[1]).count();
        sectors += (count - repeats) as u32;
    }
    (requests, sectors)
}

/// A fault of a thread that names a texture or a surface by its handle.
#[cold]
pub(super) fn wrong(
    world: &mut World,
    lanes: &Lanes,
    inst: &Inst,
    at: usize,
    (handle, space): (u64, Space),
    rule: &'static str,
) {
    world.fault(Fault {
        kind: FindingKind::InvalidAddress,
        block: world.block,
        place: inst.place,
        space: Some(space),
        thread: (lanes.first_warp * WARP + at) as u32,
        address: Some(handle),
        access_bytes: 0,
        is_store: false,
        count: 1,
        detail: Detail::Rule { rule },
    });
}
