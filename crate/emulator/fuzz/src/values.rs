//! The kinds of register that kernels are made of, and the numbers that are hard for each.

use crate::choices::Random;

/// What a register holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// 16-bit integer.
    Int16,
    /// 32-bit integer.
    Int32,
    /// 64-bit integer.
    Int64,
    /// `f16`
    Half,
    /// `bf16`
    Brain,
    /// `f16x2`
    Halves,
    /// `bf16x2`
    Brains,
    /// `f32`
    Single,
    /// `f64`
    Double,
    /// Predicate.
    Pred,
    /// 32-bit integer that is an amount, a position or a length: mostly small.
    Amount,
}

/// The classes whose registers are loaded when a kernel starts, in the order of the input.
pub const LOADED: [Class; 9] = [
    Class::Int16,
    Class::Int32,
    Class::Int64,
    Class::Half,
    Class::Brain,
    Class::Halves,
    Class::Brains,
    Class::Single,
    Class::Double,
];

impl Class {
    /// Width of its registers; predicates are stored as 32 bits.
    pub const fn bits(self) -> u32 {
        match self {
            Class::Int16 | Class::Half | Class::Brain => 16,
            Class::Int64 | Class::Double => 64,
            _ => 32,
        }
    }

    /// Start of the names of its registers.
    pub fn prefix(self) -> &'static str {
        match self {
            Class::Int16 => "%h",
            Class::Int32 | Class::Amount => "%r",
            Class::Int64 => "%rd",
            Class::Half => "%e",
            Class::Brain => "%b",
            Class::Halves => "%x",
            Class::Brains => "%y",
            Class::Single => "%f",
            Class::Double => "%fd",
            Class::Pred => "%p",
        }
    }

    /// Bits of this class, more often than not at an edge.
    pub fn value(self, random: &mut Random) -> u64 {
        match self {
            Class::Int16 => integer(random, 16),
            Class::Int32 | Class::Pred => integer(random, 32),
            Class::Int64 => integer(random, 64),
            Class::Amount => random.below(70),
            Class::Half => float(random, 5, 10),
            Class::Brain => float(random, 8, 7),
            Class::Halves => float(random, 5, 10) | float(random, 5, 10) << 16,
            Class::Brains => float(random, 8, 7) | float(random, 8, 7) << 16,
            Class::Single => float(random, 8, 23),
            Class::Double => float(random, 11, 52),
        }
    }
}

fn ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn integer(random: &mut Random, bits: u32) -> u64 {
    let power = 1u64 << random.below(u64::from(bits));
    let value = match random.below(8) {
        0 => [0, 1, u64::MAX, ones(bits) >> 1, 1 << (bits - 1)][random.below(5) as usize],
        1 => power.wrapping_add(random.below(3)).wrapping_sub(1),
        2 => power.wrapping_neg().wrapping_add(random.below(3)),
        3 => random.below(70),
        // Bytes at their edges, for what works on parts of a word.
        4 => (0..8).fold(0, |long, _| {
            long << 8 | [0, 1, 0x7f, 0x80, 0xff][random.below(5) as usize]
        }),
        _ => random.long(),
    };
    value & ones(bits)
}

fn float(random: &mut Random, exponent_bits: u32, mantissa_bits: u32) -> u64 {
    let (most, bias) = (ones(exponent_bits), ones(exponent_bits) >> 1);
    let sign = random.below(2) << (exponent_bits + mantissa_bits);
    let few = random.below(u64::from(mantissa_bits) + 1) as u32;
    // Few bits set at either end, or any: sums cancel, products tie.
    let mantissa = match random.below(6) {
        0 => 0,
        1 => ones(mantissa_bits),
        2 => 1 << few.min(mantissa_bits - 1),
        3 => ones(mantissa_bits) ^ (1 << few.min(mantissa_bits - 1)),
        _ => random.long() & ones(mantissa_bits),
    };
    let near = |random: &mut Random, centre: u64, spread: u64| {
        (centre + random.below(2 * spread + 1))
            .saturating_sub(spread)
            .min(most)
    };
    let exponent = match random.below(12) {
        0 => 0,
        1 => most,
        2 => near(random, 1, 2),
        3 => near(random, most, 3),
        // Near the ends of the integer types and of the other formats.
        4 => {
            let end = [15, 31, 63][random.below(3) as usize];
            near(random, bias + end, 2)
        }
        5 => {
            let end = [14, 24, 126][random.below(3) as usize];
            near(random, bias.saturating_sub(end), 2)
        }
        6 => near(random, bias, u64::from(mantissa_bits)),
        7 | 8 => near(random, bias, 4),
        _ => random.below(most + 1),
    };
    sign | exponent << mantissa_bits | mantissa
}
