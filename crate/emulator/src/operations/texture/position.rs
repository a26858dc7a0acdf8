//! Where a coordinate leads: which texels a fetch reads and with which weights, bit for bit as an H200 has it.
//!
//! CUDA C++ Programming Guide, "Texture Fetching", gives the formulas and says that weights are "9-bit fixed point with
//! 8 bits of fractional value". How coordinates are rounded to them is not written; it was found by fetching from ramps
//! on an H200: coordinates are cut to fixed point before they are multiplied by the size, and rounded to 1/256 of a
//! texel, halves up. Negative ones are cut downwards. The four weights of a bilinear fetch are rounded too: the product
//! of the two fractions first, the others are what is left of them, so that they sum to 256.

use crate::program::texture::Fetch;
use crate::texture::{AddressMode, Filter, TexelMemory, Texture};

/// The weight of a whole texel.
pub(super) const WHOLE: u32 = 256;

/// Texels of a fetch, first row first, `None` for those on the border; and their weights if it mixes them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Footprint {
    /// Only the first for a fetch of one texel; the others are `None` then.
    pub(super) texels: [Option<(u32, u32)>; 4],
    /// Those that the texture unit touches: for one on the border the nearest inside.
    pub(super) touched: [Option<(u32, u32)>; 4],
    pub(super) weights: Option<Weights>,
}

impl Footprint {
    /// The same texels of a layer; beyond the last it is the last.
    pub(super) fn move_to_layer(&mut self, texture: &Texture, layer: u32) {
        let rows = layer.min(texture.layers - 1) * texture.height;
        let both = self.texels.iter_mut().chain(&mut self.touched);
        both.flatten().for_each(|(_, y)| *y += rows);
    }
}

/// What each of four texels counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Weights {
    /// In 1/256.
    pub(super) parts: [u32; 4],
    /// Whether neither of its axes leaves it out: one whose rounded weight is 0 may still bring its NaN.
    pub(super) is_used: [bool; 4],
}

/// Where a lane's fetch reads: coordinates, or a direction, and a layer.
pub(super) fn footprint(texture: &Texture, how: Fetch, place: [u32; 3], layer: u32) -> Footprint {
    if texture.is_cube {
        let (face, place) = on_cube(place.map(f32::from_bits), texture.width);
        let [x, y] = place;
        let mut found = Footprint {
            texels: [Some((x, y)), None, None, None],
            touched: [Some((x, y)), None, None, None],
            weights: None,
        };
        found.move_to_layer(
            texture,
            layer.saturating_mul(6).min(texture.layers - 6) + face,
        );
        return found;
    }
    let mut found = in_layer(texture, how, [place[0], place[1]]);
    if how.is_layered {
        found.move_to_layer(texture, layer);
    }
    found
}

/// The face that a direction meets, and the texel there. CUDA C++ Programming Guide, "Cubemap Textures": the coordinate of
/// the largest size chooses the face, and divides the two others.
fn on_cube([x, y, z]: [f32; 3], side: u32) -> (u32, [u32; 2]) {
    let [wide, high, deep] = [x, y, z].map(f32::abs);
    let (face, along, across, down) = if wide >= high && wide >= deep {
        (u32::from(x < 0.0), wide, if x < 0.0 { z } else { -z }, -y)
    } else if high >= deep {
        (
            2 + u32::from(y < 0.0),
            high,
            x,
            if y < 0.0 { -z } else { z },
        )
    } else {
        (
            4 + u32::from(z < 0.0),
            deep,
            if z < 0.0 { -x } else { x },
            -y,
        )
    };
    let texel = |part: f32| {
        let at = (part / along + 1.0) / 2.0 * side as f32;
        (at.floor() as u32).min(side - 1)
    };
    (face, [texel(across), texel(down)])
}

/// Where a fetch reads that needs no layer, or in the first one.
fn in_layer(texture: &Texture, how: Fetch, place: [u32; 2]) -> Footprint {
    let sizes = [texture.width, texture.height];
    let axes = [0, 1].map(|axis| match axis < how.dimensions {
        true => Axis::of(texture, how, place[axis], (axis, sizes[axis])),
        false => Axis::ONLY,
    });
    let mixes = texture.sampling.filter == Filter::Linear && !how.by_texels;
    let texel = |x: usize, y: usize| Some((axes[0].texels[x]?, axes[1].texels[y]?));
    let touched = |x: usize, y: usize| Some((axes[0].touched[x]?, axes[1].touched[y]?));
    if !mixes && how.gathers.is_none() {
        return Footprint {
            texels: [texel(0, 0), None, None, None],
            touched: [touched(0, 0), None, None, None],
            weights: None,
        };
    }
    let [a, b] = axes.map(|axis| axis.fraction);
    let both = (a * b + WHOLE / 2) / WHOLE;
    let weights = Weights {
        parts: [WHOLE + both - a - b, a - both, b - both, both],
        is_used: [true, a != 0, b != 0, a != 0 && b != 0],
    };
    let is_read = |at: usize| how.gathers.is_some() || weights.is_used[at];
    let places = [(0, 0), (1, 0), (0, 1), (1, 1)];
    let read = |place: &dyn Fn(usize, usize) -> Option<(u32, u32)>| {
        let of = |at: usize| place(places[at].0, places[at].1).filter(|_| is_read(at));
        [of(0), of(1), of(2), of(3)]
    };
    Footprint {
        texels: read(&texel),
        touched: read(&touched),
        weights: Some(weights),
    }
}

/// Two neighbours on one axis, and the fraction of the second in 1/256.
#[derive(Debug, Clone, Copy)]
struct Axis {
    texels: [Option<u32>; 2],
    touched: [Option<u32>; 2],
    fraction: u32,
}

impl Axis {
    /// The second axis of a 1D texture.
    const ONLY: Self = Self {
        texels: [Some(0), Some(0)],
        touched: [Some(0), Some(0)],
        fraction: 0,
    };

    fn of(texture: &Texture, how: Fetch, place: u32, (axis, size): (usize, u32)) -> Self {
        let sampling = &texture.sampling;
        let is_linear = matches!(texture.memory, TexelMemory::Linear { .. });
        if how.by_texels {
            // Whatever the address mode, there is nothing beyond.
            let texel = i64::from(place as i32);
            let mut axis = Self::between([texel, texel], 0, size, AddressMode::Border);
            if is_linear {
                axis.touched = axis.texels;
            }
            return axis;
        }
        let mode = sampling.address[axis];
        let coordinate = f32::from_bits(place);
        let at = match sampling.normalized_coordinates {
            true => scaled(coordinate, size, mode, fraction_bits(texture)),
            false => (f64::from(finite(coordinate)) * 512.0).floor() as i64,
        };
        // Nothing changes beyond.
        let at = at.clamp(-(1 << 40), 1 << 40);
        if sampling.filter == Filter::Point && how.gathers.is_none() {
            return Self::between([at >> 9; 2], 0, size, mode);
        }
        // The first neighbour's centre is half a texel before.
        let rounded = ((at + 1) >> 1) - i64::from(WHOLE / 2);
        let first = rounded >> 8;
        Self::between([first, first + 1], (rounded & 0xff) as u32, size, mode)
    }

    fn between(numbers: [i64; 2], fraction: u32, size: u32, mode: AddressMode) -> Self {
        let inside = match mode {
            AddressMode::Border => AddressMode::Clamp,
            other => other,
        };
        Self {
            texels: numbers.map(|texel| addressed(texel, size, mode)),
            touched: numbers.map(|texel| addressed(texel, size, inside)),
            fraction,
        }
    }
}

/// What is not a number counts as 0, and so do subnormal numbers.
fn finite(coordinate: f32) -> f32 {
    match coordinate.is_nan() || coordinate.is_subnormal() {
        true => 0.0,
        false => coordinate,
    }
}

/// Bits of fraction to which a normalised coordinate is cut, by the texture's longer side. In the longest they leave
/// fewer than 8 for a texel.
fn fraction_bits(texture: &Texture) -> u32 {
    match texture.width.max(texture.height) {
        0..=0x2000 => 21,
        0x2001..=0x1_0000 => 22,
        _ => 23,
    }
}

/// A normalised coordinate in 1/512 of a texel.
fn scaled(coordinate: f32, size: u32, mode: AddressMode, bits: u32) -> i64 {
    let coordinate = f64::from(finite(coordinate));
    let one = (1_i64 << bits) as f64;
    let period = match mode {
        AddressMode::Wrap => 1,
        AddressMode::Mirror => 2,
        AddressMode::Clamp | AddressMode::Border => 0,
    };
    let cut = match period {
        0 => (coordinate.clamp(-4.0, 4.0) * one).floor() as i64,
        _ if coordinate.is_infinite() => 0,
        _ => {
            let within = (coordinate % f64::from(period) * one).floor() as i64;
            within.rem_euclid(i64::from(period) << bits)
        }
    };
    (cut * i64::from(size)) >> (bits - 9)
}

/// The texel of this number by the address mode, or none.
fn addressed(texel: i64, size: u32, mode: AddressMode) -> Option<u32> {
    let size = i64::from(size);
    let inside = match mode {
        AddressMode::Wrap => texel.rem_euclid(size),
        AddressMode::Clamp => texel.clamp(0, size - 1),
        AddressMode::Mirror => {
            let twice = texel.rem_euclid(2 * size);
            twice.min(2 * size - 1 - twice)
        }
        AddressMode::Border => texel,
    };
    (0..size).contains(&inside).then_some(inside as u32)
}
