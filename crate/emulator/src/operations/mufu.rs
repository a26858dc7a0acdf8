//! The special-function unit (`MUFU` in machine code), bit for bit as an H200 has it.
//!
//! It interpolates by squares: the upper bits of the argument choose a piece, the lower 17 are `x`, and the result is
//! `C0 + C1 x + C2 x²`, cut off. Oberman and Siu describe such a unit ("A high-performance area-efficient multifunction
//! interpolator", 2005). Its width, its squarer and the coefficients were found from the results of all inputs: they are the
//! only integers of their size that give them. `tests/h200/approximations.txt` has the hashes of what the hardware gives
//! for all 2^32 inputs of each instruction.
//!
//! Everything is on bits, since what goes in and comes out is cut and not rounded. There are no branches, so that loops over
//! lanes become vector instructions.

mod tables;

use crate::operations::rounding::NAN_BITS;
use tables::Piece;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;
const MANTISSA: u32 = 0x007f_ffff;
/// The bits of an argument within its piece.
const WITHIN: u32 = 0x0001_ffff;

/// The pieces of a function. All sums of theirs are whole numbers below 2^53, which a double holds.
struct Curve<const N: usize> {
    pieces: [[f64; 3]; N],
}

static RECIPROCAL: Curve<128> = Curve::new(&tables::RECIPROCAL, 13, 2023);
static RECIPROCAL_ROOT: Curve<128> = Curve::new(&tables::RECIPROCAL_ROOT, 14, (1 << 14) - 1);
static ROOT: Curve<128> = Curve::new(&tables::ROOT, 15, (1 << 15) - 1);
static POWER: Curve<64> = Curve::new(&tables::POWER, 13, 6114);
static LOGARITHM: Curve<64> = Curve::new(&tables::LOGARITHM, 12, 837);
static SINE: Curve<64> = Curve::new(&tables::SINE, 12, 0);
static TANGENT: Curve<64> = Curve::new(&tables::TANGENT, 15, 0);

/// Where the pieces of `tanh` are: for each exponent from -8 on the first of them, and the logarithm of their number.
const TANGENT_PIECES: [(u8, u8); 16] = {
    let logarithms = [0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3];
    let (mut pieces, mut first, mut at) = ([(0, 0); 16], 0, 0);
    while at < logarithms.len() {
        pieces[at] = (first, logarithms[at]);
        first += 1 << logarithms[at];
        at += 1;
    }
    pieces
};

impl<const N: usize> Curve<N> {
    /// `C0` counts in `2^shift`, and `bias` is added to all.
    const fn new(table: &[Piece], shift: u32, bias: i64) -> Self {
        let (mut pieces, mut at) = ([[0.0; 3]; N], 0);
        while at < table.len() {
            let [c0, c1, c2] = table[at];
            pieces[at] = [(((c0 as i64) << shift) + bias) as f64, c1 as f64, c2 as f64];
            at += 1;
        }
        Curve { pieces }
    }

    /// The sum in piece `piece` at `x`, whose square is `square`.
    #[inline(always)]
    fn at(&self, piece: u32, x: u32, square: u32) -> f64 {
        let [c0, c1, c2] = self.pieces[piece as usize % N];
        c0 + c1 * f64::from(x as i32) + c2 * f64::from(square as i32)
    }
}

/// The square of 17 bits in units of 2^19, from those products of two bits only that weigh as much.
#[inline(always)]
fn square(x: u32) -> u32 {
    let upper = x >> 9;
    let mut sum = (upper * upper) >> 1;
    let mut bit = 2;
    while bit < 9 {
        sum += (x >> (18 - bit)) & (x >> bit & 1).wrapping_neg();
        bit += 1;
    }
    sum
}

/// The bits of `value * 2^-scale`, cut off after 24 binary digits, for a value from 1 on and a result that is normal.
#[inline(always)]
fn cut(value: f64, scale: u32) -> u32 {
    ((value.to_bits() >> 29) as u32).wrapping_sub((1023 - 127u32).wrapping_add(scale) << 23)
}

/// Sign and magnitude of an operand; a subnormal is a zero.
#[inline(always)]
fn parts(a: f32) -> (u32, u32) {
    let (sign, magnitude) = (a.to_bits() & SIGN, a.to_bits() & !SIGN);
    (sign, pick(magnitude > MANTISSA, magnitude, 0))
}

#[inline(always)]
fn pick(condition: bool, yes: u32, no: u32) -> u32 {
    if condition { yes } else { no }
}

/// The exponent of a magnitude, modulo 2^32.
#[inline(always)]
fn exponent(magnitude: u32) -> u32 {
    (magnitude >> 23).wrapping_sub(127)
}

/// `MUFU.RCP`
#[inline(always)]
pub(crate) fn reciprocal(a: f32) -> f32 {
    let (sign, magnitude) = parts(a);
    let x = magnitude & 0xffff;
    let sum = RECIPROCAL.at(magnitude >> 16, x, square(x << 1));
    let result = cut(sum, exponent(magnitude).wrapping_add(39));
    // Beyond 2^126 the result would be subnormal.
    let result = pick(magnitude > 0x7e80_0000, 0, result);
    let result = pick(magnitude == 0, INFINITY, result);
    f32::from_bits(pick(magnitude > INFINITY, NAN_BITS, sign | result))
}

/// `MUFU.RSQ`
#[inline(always)]
pub(crate) fn reciprocal_root(a: f32) -> f32 {
    let (sign, magnitude) = parts(a);
    let half = (exponent(magnitude) as i32 >> 1) as u32;
    let x = magnitude & WITHIN;
    let sum = RECIPROCAL_ROOT.at(magnitude >> 17, x, square(x));
    let result = cut(sum, half.wrapping_add(40));
    // A power of 4: the table is a little too small for it.
    let result = pick(
        magnitude & 0x00ff_ffff == 0x0080_0000,
        127u32.wrapping_sub(half) << 23,
        result,
    );
    let result = pick(magnitude == INFINITY, 0, result);
    let result = pick(magnitude > INFINITY || sign != 0, NAN_BITS, result);
    f32::from_bits(pick(magnitude == 0, sign | INFINITY, result))
}

/// `MUFU.SQRT`
#[inline(always)]
pub(crate) fn root(a: f32) -> f32 {
    let (sign, magnitude) = parts(a);
    let half = (exponent(magnitude) as i32 >> 1) as u32;
    let x = magnitude & WITHIN;
    let sum = ROOT.at(magnitude >> 17, x, square(x));
    let result = cut(sum, 40u32.wrapping_sub(half));
    let result = pick(magnitude == INFINITY, INFINITY, result);
    let result = pick(magnitude > INFINITY || sign != 0, NAN_BITS, result);
    f32::from_bits(pick(magnitude == 0, sign, result))
}

/// `MUFU.EX2`
#[inline(always)]
pub(crate) fn power_of_two(a: f32) -> f32 {
    let (sign, magnitude) = parts(a);
    let significand = (magnitude & MANTISSA) | 0x0080_0000;
    // Cut to 23 binary places. The fraction of a negative number is complemented bit by bit, unless it is 0.
    let shift = 7u32.wrapping_sub(exponent(magnitude)).min(31);
    let fixed = (significand << 7) >> shift;
    let fraction = fixed & MANTISSA;
    let is_negative = pick(sign != 0, u32::MAX, 0);
    let complement = pick(fraction != 0, is_negative, 0);
    let whole = ((fixed >> 23) ^ is_negative)
        .wrapping_sub(is_negative)
        .wrapping_add(complement);
    let fraction = (fraction ^ complement) & MANTISSA;
    let x = fraction & WITHIN;
    let sum = POWER.at(fraction >> 17, x, square(x));
    let result = cut(sum, 38u32.wrapping_sub(whole));
    let result = pick((whole as i32) < -126, 0, result);
    let too_large = pick(sign != 0, 0, INFINITY);
    let result = pick(magnitude >= 0x4300_0000, too_large, result);
    f32::from_bits(pick(magnitude > INFINITY, NAN_BITS, result))
}

/// `MUFU.LG2`
#[inline(always)]
pub(crate) fn logarithm(a: f32) -> f32 {
    let (sign, magnitude) = parts(a);
    let x = magnitude & WITHIN;
    let sum = LOGARITHM.at(magnitude >> 17 & 63, x, square(x));
    // 36 binary places. A negative number is complemented bit by bit.
    let value = (sum * 0.25).floor() + f64::from(exponent(magnitude) as i32) * (1u64 << 36) as f64;
    let is_negative = value < 0.0;
    let value = if is_negative { -1.0 - value } else { value };
    let result = cut(value, 36) | pick(is_negative, SIGN, 0);
    let result = pick(magnitude == ONE, 0, result);
    let result = pick(magnitude == INFINITY, INFINITY, result);
    let result = pick(magnitude > INFINITY || sign != 0, NAN_BITS, result);
    f32::from_bits(pick(magnitude == 0, SIGN | INFINITY, result))
}

/// `MUFU.SIN` of a number of turns.
#[inline(always)]
pub(crate) fn sine_of_turns(turns: f32) -> f32 {
    let (sign, magnitude) = parts(turns);
    quadrants(sign, magnitude, 0)
}

/// `MUFU.COS` of a number of turns.
#[inline(always)]
pub(crate) fn cosine_of_turns(turns: f32) -> f32 {
    quadrants(0, parts(turns).1, 1)
}

/// The sine, `ahead` quadrants farther, in fixed point with 25 binary places.
#[inline(always)]
fn quadrants(sign: u32, magnitude: u32, ahead: u32) -> f32 {
    let significand = (magnitude & MANTISSA) | 0x0080_0000;
    let left = exponent(magnitude).wrapping_add(2);
    let fixed = pick(
        left as i32 >= 0,
        significand << left.min(31),
        significand >> left.wrapping_neg().min(31),
    );
    let quadrant = (fixed >> 23).wrapping_add(ahead);
    // Falling quadrants count down, bit by bit; the lower half turn is negative.
    let fraction = (fixed ^ (quadrant & 1).wrapping_neg()) & MANTISSA;
    let sign = sign ^ (quadrant & 2) << 30;
    let x = fraction & WITHIN;
    let sum = SINE.at(fraction >> 17, x, square(x));
    let result = sign | pick(sum == 0.0, 0, cut(sum, 37));
    f32::from_bits(pick(magnitude >= INFINITY, NAN_BITS, result))
}

/// `MUFU.TANH`
#[inline(always)]
pub(crate) fn hyperbolic_tangent(a: f32) -> f32 {
    let (sign, magnitude) = (a.to_bits() & SIGN, a.to_bits() & !SIGN);
    let (first, logarithm) = TANGENT_PIECES[((magnitude >> 23).wrapping_sub(119) & 15) as usize];
    let (first, logarithm) = (u32::from(first), u32::from(logarithm));
    let piece = first + ((magnitude & MANTISSA) >> (23 - logarithm));
    let x = magnitude >> (6 - logarithm) & WITHIN;
    let result = cut(TANGENT.at(piece, x, square(x)), 39);
    // Below 2^-8 it is its argument, subnormals as well; from 8 on it is 1.
    let result = pick(magnitude < 0x3b80_0000, magnitude, result);
    let result = pick(magnitude >= 0x4100_0000, ONE, result);
    f32::from_bits(pick(magnitude > INFINITY, NAN_BITS, sign | result))
}

/// `MUFU.RCP64H`: the upper halves of a double and of its reciprocal.
pub(crate) fn reciprocal_upper(a: u32) -> u32 {
    let (sign, magnitude) = (a & SIGN, a & !SIGN);
    match magnitude {
        0x7ff0_0001.. => NAN_BITS,
        0x7ff0_0000 => sign,
        0..0x0010_0000 => sign | 0x7ff0_0000,
        _ => {
            let single = ONE | (magnitude & 0x000f_ffff) << 3;
            let result = reciprocal(f32::from_bits(single)).to_bits();
            let exponent = (result >> 23) + 1023 + 1023 - 127;
            match exponent.saturating_sub(magnitude >> 20) {
                0 => sign,
                exponent => sign | exponent << 20 | (result & MANTISSA) >> 3,
            }
        }
    }
}

/// `MUFU.RSQ64H`: the upper halves of a double and of its root's reciprocal.
pub(crate) fn reciprocal_root_upper(a: u32) -> u32 {
    let (sign, magnitude) = (a & SIGN, a & !SIGN);
    match magnitude {
        0x7ff0_0001.. => NAN_BITS,
        0..0x0010_0000 => sign | 0x7ff0_0000,
        _ if sign != 0 => NAN_BITS,
        0x7ff0_0000 => 0,
        _ => {
            // The exponent's lowest bit says whether the root is of [1, 2) or [2, 4).
            let (exponent, even) = (magnitude >> 20, magnitude >> 20 & 1);
            let single = (128 - even) << 23 | (magnitude & 0x000f_ffff) << 3;
            let result = reciprocal_root(f32::from_bits(single)).to_bits();
            let exponent = (result >> 23) + 1023 - 127 + 512 - (exponent + even) / 2;
            exponent << 20 | (result & MANTISSA) >> 3
        }
    }
}
