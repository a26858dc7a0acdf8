//! How a linear filter mixes texels, bit for bit as an H200 does; weights come from `position`.
//!
//! Nothing of this is documented. It was fitted to fetches of random texels, and confirmed on others. Floats are cut to
//! a fixed point that hangs on the largest exponent of the texels that count, multiplied by their weights, summed
//! exactly and rounded, halves away from zero; 16-bit floats give a result of 16 bits. Integers that are read as
//! normalised floats are mixed as integers of 16 bits.

use crate::operations::texture::position::{WHOLE, Weights};
use crate::operations::texture::texel::half;
use crate::texture::{TexelFormat, Texture};

/// The NaN of a fetch of 16-bit floats.
const HALF_NAN: u32 = 0x7fff_e000;
const SINGLE_NAN: u32 = 0x7fff_ffff;

/// How a format is mixed.
struct Precision {
    /// Bits kept below the largest exponent.
    below: i32,
    /// Bits of the result.
    digits: i32,
    /// The least exponent of the result's last bit.
    last: i32,
    /// Whether what is smaller than the least normal number becomes 0.
    flushes: bool,
    nan: u32,
}

const SINGLE: Precision = Precision {
    below: 27,
    digits: 24,
    last: -149,
    flushes: true,
    nan: SINGLE_NAN,
};
const HALF: Precision = Precision {
    below: 14,
    digits: 11,
    last: -24,
    flushes: false,
    nan: HALF_NAN,
};

/// A channel that a fetch gathers from four texels: it comes through the filter, which knows one NaN of 16-bit floats.
pub(super) fn gathered(texture: &Texture, value: u32) -> u32 {
    match texture.format == TexelFormat::F16 && f32::from_bits(value).is_nan() {
        true => HALF_NAN,
        false => value,
    }
}

/// The four results of a fetch that mixes four texels.
pub(super) fn mixed(texture: &Texture, texels: &[[u32; 4]; 4], weights: &Weights) -> [u32; 4] {
    std::array::from_fn(|channel| {
        if channel >= texture.channels as usize {
            return 0;
        }
        let raw = texels.map(|texel| texel[channel]);
        match texture.format {
            TexelFormat::F32 => floats(raw.map(f32::from_bits), weights, &SINGLE),
            TexelFormat::F16 => floats(raw.map(|raw| half(raw as u16)), weights, &HALF),
            format => integers(raw.map(|raw| wide(format, raw)), weights, format).to_bits(),
        }
    })
}

/// An integer that is read as a normalised float, in 1/65535 or 1/32767.
fn wide(format: TexelFormat, raw: u32) -> i32 {
    match format {
        TexelFormat::U8 => raw as i32 * 257,
        TexelFormat::S16 => i32::from(raw as u16 as i16).max(-32767),
        _ => raw as i32,
    }
}

fn integers(texels: [i32; 4], weights: &Weights, format: TexelFormat) -> f32 {
    let products = texels.iter().zip(weights.parts);
    let sum: i32 = products.map(|(texel, part)| texel * part as i32).sum();
    let rounded = (sum + WHOLE as i32 / 2) >> 8;
    rounded as f32
        / if format == TexelFormat::S16 {
            32767.0
        } else {
            65535.0
        }
}

fn floats(texels: [f32; 4], weights: &Weights, precision: &Precision) -> u32 {
    let used = || {
        (0..4)
            .filter(|at| weights.is_used[*at])
            .map(|at| texels[at])
    };
    let (plus, minus) = (
        used().any(|texel| texel == f32::INFINITY),
        used().any(|texel| texel == f32::NEG_INFINITY),
    );
    if used().any(f32::is_nan) || plus && minus {
        return precision.nan;
    }
    if plus || minus {
        let infinity = if plus {
            f32::INFINITY
        } else {
            f32::NEG_INFINITY
        };
        return infinity.to_bits();
    }
    let counts = |at: &usize| weights.parts[*at] != 0 && texels[*at].is_normal();
    let exponents = (0..4).filter(counts).map(|at| exponent(texels[at]));
    let sum = exponents.max().map(|largest| {
        let last = largest - precision.below;
        let parts = (0..4)
            .filter(counts)
            .map(|at| i64::from(weights.parts[at]) * cut(texels[at], last));
        (parts.sum::<i64>(), last - 8)
    });
    match sum {
        Some((sum, last)) if sum != 0 => rounded(sum, last, precision),
        _ if used().all(f32::is_sign_negative) => (-0.0_f32).to_bits(),
        _ => 0,
    }
}

/// Of a normal number.
fn exponent(value: f32) -> i32 {
    (value.to_bits() >> 23 & 0xff) as i32 - 127
}

/// A normal number in units of 2^`last`, cut towards zero. `last` is at most 27 below its exponent.
fn cut(value: f32, last: i32) -> i64 {
    let digits = i64::from(value.to_bits() & 0x7f_ffff | 0x80_0000);
    let shift = exponent(value) - 23 - last;
    let magnitude = match shift {
        0.. => digits << shift.min(32),
        _ => digits >> (-shift).min(63),
    };
    if value.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    }
}

/// A sum in units of 2^`last` as the format has it, halves away from zero.
fn rounded(sum: i64, last: i32, precision: &Precision) -> u32 {
    let magnitude = sum.unsigned_abs();
    let length = 64 - magnitude.leading_zeros() as i32;
    let surplus = (length - precision.digits)
        .max(precision.last - last)
        .max(0);
    let kept = match surplus {
        0 => magnitude,
        64.. => 0,
        _ => (magnitude + (1 << (surplus - 1))) >> surplus,
    };
    let value = kept as f64 * 2.0_f64.powi(last + surplus);
    let value = match precision.flushes && value < f64::from(f32::MIN_POSITIVE) {
        true => 0.0,
        false => value as f32,
    };
    if sum < 0 {
        (-value).to_bits()
    } else {
        value.to_bits()
    }
}
