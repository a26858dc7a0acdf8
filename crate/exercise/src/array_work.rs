//! The operations on arrays: what a kernel is given, drawn from a seed, and what it must leave behind. Placing it on a device is `cornerturn_measure::work`'s.

mod branches;
mod compared;
mod steps;
mod warps;

use super::input;
use super::seed::{Numbers, Seed};
use super::size::Size;
use cornerturn_base::element::ElementType;
use cornerturn_base::place::Place;
use cornerturn_base::shape::Shape;
use cornerturn_measure::work::Work;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// An operation on arrays of `items` items. Integers are `unsigned` and wrap at 2³². Where an item has a parameter, the
/// kernel takes it as its last argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrayWork {
    /// `y[i] = 3 * x[i] + add`.
    Affine,
    /// Within each whole piece of 256, `y[i] = x[(i * step) % 256]`; the rest stays in its place. `step` is odd.
    Permuted,
    /// `fields[f * items + i] = particles[6 * i + f]`: an array of structures of six floats becomes one of each field.
    Fields,
    /// `sums[r]` is the sum of row `r`, of 256 numbers.
    RowSums,
    /// `y[i] = x[i] + 2 * x[p]`, where `p` is the same place in the other piece of a pair of pieces of 256.
    Partners,
    /// `y[i]` is the third of the five numbers `x[i]`, `x[items + i]`, … when they are sorted; some of them are equal.
    Middle,
    /// `y[i] = x[i] * prime[(x[i] >> shift) % 64]`, of the first 64 primes.
    Lookup,
    /// `counts[(x[i] >> shift) % 512]` grows by 1. Numbers that lie near each other fall into few bins.
    Bins,
    /// `y[i]` is `x[i] ^ salt` mixed in one of two ways: groups of eight take turns.
    TwoWays,
    /// `y[i]` is the sum of `x[i - radius]` to `x[i + radius]`; what is outside counts as zero.
    Window,
    /// Within each piece of 256, `y[i]` is the sum of `x[i] ^ x[j]` over all `j`.
    Pairs,
    /// Within each piece of 256, `y[i]` is how far `x[i]` lies above the least of the piece. `x` lies in mapped memory.
    AboveLeast,
    /// Within each piece of 256, `y[i]` is the sum of the numbers up to `x[i]`, itself included.
    Scans,
    /// The softmax to the base 2 of rows of `columns` floats: whole numbers far from zero, near each other within a row.
    Softmax,
    /// `y[i] = (b[i - 1] + b[i]) + b[i + 1]`, where `b[i] = gain * x[i] + 17.3`, each operation rounded by itself; what `b`
    /// does not have counts as zero.
    ThreeSteps,
    /// The sums of pieces of 1024 numbers, in their order, each taken in by `h = h * 33 ^ sum`, from 5381 on.
    Checksum,
    /// `wrong[i]` is 0 where `found[i]` lies within `terms` roundings of `expected[i]`, `terms · 2⁻²⁴ · sizes[i]`, and 1 elsewhere.
    Compared,
}

/// Numbers of a piece whose order [`ArrayWork::Permuted`] changes, of a row of [`ArrayWork::RowSums`] and, at most, of
/// [`ArrayWork::Softmax`], of those that [`ArrayWork::Pairs`] pairs, of which [`ArrayWork::AboveLeast`] takes the least, and of
/// which [`ArrayWork::Scans`] makes running sums.
const PIECE: usize = 256;
/// Floats of a particle.
const FIELDS: usize = 6;
/// Numbers of which [`ArrayWork::Middle`] takes the third.
const FRAMES: usize = 5;
/// Entries of the table of [`ArrayWork::Lookup`].
const PRIMES: usize = 64;
/// Counts of [`ArrayWork::Bins`].
const BINS: usize = 512;
/// So many numbers in a row fall into so many bins that lie side by side.
const NEAR: (usize, u64) = (1024, 12);
/// Numbers whose sum [`ArrayWork::Checksum`] takes in at a time.
const PART: usize = 1024;

impl ArrayWork {
    /// The name, as in exercises.toml.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Affine => "affine",
            Self::Permuted => "permuted",
            Self::Fields => "fields",
            Self::RowSums => "row_sums",
            Self::Partners => "partners",
            Self::Middle => "middle",
            Self::Lookup => "lookup",
            Self::Bins => "bins",
            Self::TwoWays => "two_ways",
            Self::Window => "window",
            Self::Pairs => "pairs",
            Self::AboveLeast => "above_least",
            Self::Scans => "scans",
            Self::Softmax => "softmax",
            Self::ThreeSteps => "three_steps",
            Self::Checksum => "checksum",
            Self::Compared => "compared",
        }
    }

    /// The parameter's name and its values; `None` where there is none.
    pub(super) const fn parameter(self) -> Option<(&'static str, RangeInclusive<u32>)> {
        match self {
            Self::Affine => Some(("add", 1..=1_000_000)),
            Self::Permuted => Some(("step", 3..=31)),
            Self::Lookup => Some(("shift", 0..=26)),
            Self::Bins => Some(("shift", 0..=23)),
            Self::TwoWays => Some(("salt", 1..=1_000_000)),
            Self::Window => Some(("radius", 9..=16)),
            Self::Softmax => Some(("columns", 193..=256)),
            Self::ThreeSteps => Some(("gain", 3..=31)),
            Self::Compared => Some(("terms", 16..=4096)),
            Self::Fields
            | Self::RowSums
            | Self::Partners
            | Self::Middle
            | Self::Pairs
            | Self::AboveLeast
            | Self::Scans
            | Self::Checksum => None,
        }
    }

    /// Whether the parameter can have this value; 0 where there is none.
    pub(super) fn takes(self, value: u32) -> bool {
        match self.parameter() {
            None => value == 0,
            Some((_, values)) => {
                values.contains(&value) && (self != Self::Permuted || value % 2 == 1)
            }
        }
    }

    /// So many items, with this parameter or 0.
    pub(super) fn size(self, items: usize, value: u32) -> Size {
        let parameter = self.parameter().map(|(name, _)| (name, value));
        Size::Arrays { items, parameter }
    }

    /// So many items, with a parameter that is drawn.
    pub(super) fn drawn(self, items: usize, numbers: &mut Numbers) -> Size {
        let value = self.parameter().map_or(0, |(_, values)| {
            let drawn = numbers.within(*values.start() as usize, *values.end() as usize);
            // An odd one is in every range.
            drawn as u32 | u32::from(self == Self::Permuted)
        });
        self.size(items, value)
    }

    /// Words of the input that an item takes.
    pub(super) const fn words_per_item(self) -> usize {
        match self {
            Self::Fields => FIELDS,
            Self::RowSums | Self::Softmax => PIECE,
            Self::Middle => FRAMES,
            Self::Compared => 3,
            _ => 1,
        }
    }

    /// Instructions that a thread needs for one item, about.
    pub(super) const fn instructions_per_item(self) -> u64 {
        match self {
            Self::TwoWays => 256,
            Self::Pairs => 2048,
            Self::Middle | Self::Window | Self::Softmax => 64,
            _ => 16,
        }
    }

    /// The work of this size, its arrays drawn from the seed.
    pub(super) fn of(self, size: Size, seed: Seed) -> Work {
        let (items, parameter) = match size {
            Size::Arrays { items, parameter } => (items, parameter),
            Size::Matrix(_) | Size::Product { .. } => (size.items(), None),
        };
        let value = parameter.map_or(0, |(_, value)| value);
        let what = format!("`{}` of {size}", self.name());
        let work = match self {
            Self::Affine => affine(items, value, seed),
            Self::Permuted => permuted(items, value as usize, seed),
            Self::Fields => fields(items, seed),
            Self::RowSums => row_sums(items, seed),
            Self::Partners => partners(items, seed),
            Self::Middle => middle(items, seed),
            Self::Lookup => lookup(items, value, seed),
            Self::Bins => bins(items, value, seed),
            Self::TwoWays => branches::two_ways(items, value, seed),
            Self::Window => window(items, value as usize, seed),
            Self::Pairs => pairs(items, seed),
            Self::AboveLeast => above_least(items, seed),
            Self::Scans => warps::scans(items, seed),
            Self::Softmax => warps::softmax(items, value as usize, seed),
            Self::ThreeSteps => steps::three_steps(items, value, seed),
            Self::Checksum => checksum(items, seed),
            Self::Compared => compared::compared(items, value, seed),
        };
        let work = work(Work::new(what)).value(items as u32);
        match parameter {
            Some((_, value)) => work.value(value),
            None => work,
        }
    }
}

/// The arrays of a work, added to one without parameters.
type Arrays = Box<dyn FnOnce(Work) -> Work>;

/// Different numbers of which none tells another.
fn distinct(items: usize, seed: Seed) -> Vec<u32> {
    let bytes = input::distinct(ElementType::U32, Shape::new(1, items), seed);
    bytemuck::pod_collect_to_vec(&bytes)
}

/// From the array `x` to the array `y`.
fn x_to_y(x: Vec<u32>, y: Vec<u32>) -> Arrays {
    Box::new(move |work| work.input("x", &x).output("y", &y))
}

fn affine(items: usize, add: u32, seed: Seed) -> Arrays {
    let x = distinct(items, seed);
    let y = x.iter().map(|x| x.wrapping_mul(3).wrapping_add(add));
    let y = y.collect();
    x_to_y(x, y)
}

fn permuted(items: usize, step: usize, seed: Seed) -> Arrays {
    let x = distinct(items, seed);
    let whole = items / PIECE * PIECE;
    let from = |i: usize| match i < whole {
        true => i / PIECE * PIECE + i * step % PIECE,
        false => i,
    };
    let y = (0..items).map(|i| x[from(i)]).collect();
    x_to_y(x, y)
}

fn fields(items: usize, seed: Seed) -> Arrays {
    let numbers = distinct(FIELDS * items, seed);
    let particles: Vec<f32> = numbers.into_iter().map(f32::from_bits).collect();
    let field = |f: usize| particles.iter().skip(f).step_by(FIELDS);
    let fields: Vec<f32> = (0..FIELDS).flat_map(field).copied().collect();
    Box::new(move |work| {
        work.input("particles", &particles)
            .output("fields", &fields)
            .of(items)
    })
}

fn row_sums(rows: usize, seed: Seed) -> Arrays {
    let x = distinct(PIECE * rows, seed);
    let sums: Vec<u32> = x.chunks(PIECE).map(sum).collect();
    Box::new(move |work| work.input("x", &x).output("sums", &sums))
}

fn sum(numbers: &[u32]) -> u32 {
    numbers.iter().fold(0, |sum, x| sum.wrapping_add(*x))
}

fn partners(items: usize, seed: Seed) -> Arrays {
    let x = distinct(items, seed);
    // The last piece of an odd number has no partner, and no exercise has one.
    let partner = |i: usize| x.get(i ^ PIECE).copied().unwrap_or(0);
    let y = (0..items).map(|i| x[i].wrapping_add(partner(i).wrapping_mul(2)));
    let y = y.collect();
    x_to_y(x, y)
}

fn middle(items: usize, seed: Seed) -> Arrays {
    let mut x = distinct(FRAMES * items, seed);
    let mut numbers = seed.numbers("equal numbers");
    for i in 0..items {
        // Of every other item, some of the five are equal.
        for frame in 1..FRAMES {
            let before = numbers.within(0, 2 * frame - 1);
            if before < frame && numbers.next().is_multiple_of(2) {
                x[frame * items + i] = x[before * items + i];
            }
        }
    }
    let middle = |i: usize| {
        let mut five: Vec<u32> = x.iter().skip(i).step_by(items).copied().collect();
        five.sort_unstable();
        five[FRAMES / 2]
    };
    let y = (0..items).map(middle).collect();
    x_to_y(x, y)
}

/// The first of the prime numbers.
fn primes() -> Vec<u32> {
    let is_prime = |n: &u32| (2..*n).all(|d| !n.is_multiple_of(d));
    (2..).filter(is_prime).take(PRIMES).collect()
}

fn lookup(items: usize, shift: u32, seed: Seed) -> Arrays {
    let (x, primes) = (distinct(items, seed), primes());
    let prime = |x: u32| primes[(x >> shift) as usize % PRIMES];
    let y = x.iter().map(|x| x.wrapping_mul(prime(*x))).collect();
    x_to_y(x, y)
}

fn bins(items: usize, shift: u32, seed: Seed) -> Arrays {
    let mut numbers = seed.numbers("bins");
    let mut x = Vec::with_capacity(items);
    let mut first = 0;
    for i in 0..items {
        if i % NEAR.0 == 0 {
            first = numbers.next();
        }
        let key = (first + numbers.next() % NEAR.1) % BINS as u64;
        // What is below and above the key tells nothing.
        let field = (BINS as u64 - 1) << shift;
        x.push(((numbers.next() & !field) | (key << shift)) as u32);
    }
    let mut counts = vec![0_u32; BINS];
    for x in &x {
        counts[(x >> shift) as usize % BINS] += 1;
    }
    Box::new(move |work| {
        work.input("x", &x)
            .update("counts", &[0_u32; BINS], &counts)
            .moves(4 * items as u64, 4 * BINS as u64)
            .of(items)
    })
}

fn window(items: usize, radius: usize, seed: Seed) -> Arrays {
    let x = distinct(items, seed);
    let around = |i: usize| sum(&x[i.saturating_sub(radius)..(i + radius + 1).min(items)]);
    let y = (0..items).map(around).collect();
    x_to_y(x, y)
}

fn pairs(items: usize, seed: Seed) -> Arrays {
    let x = distinct(items, seed);
    let paired = |piece: &[u32]| {
        let with_all = |one: &u32| {
            let pairs = piece.iter().map(|other| one ^ other);
            pairs.fold(0_u32, u32::wrapping_add)
        };
        piece.iter().map(with_all).collect::<Vec<u32>>()
    };
    let y = x.chunks(PIECE).flat_map(paired).collect();
    x_to_y(x, y)
}

fn above_least(items: usize, seed: Seed) -> Arrays {
    let x = distinct(items, seed);
    let above = |piece: &[u32]| {
        let least = piece.iter().copied().min().unwrap_or_default();
        piece.iter().map(move |x| x - least).collect::<Vec<u32>>()
    };
    let y: Vec<u32> = x.chunks(PIECE).flat_map(above).collect();
    Box::new(move |work| {
        let work = work.input("x", &x).lying_in(Place::Mapped);
        work.output("y", &y)
    })
}

fn checksum(items: usize, seed: Seed) -> Arrays {
    let x = distinct(items, seed);
    let sums = x.chunks(PART).map(sum);
    let checksum = sums.fold(5381_u32, |h, sum| h.wrapping_mul(33) ^ sum);
    let parts = distinct(items.div_ceil(PART), Seed(!seed.0));
    Box::new(move |work| {
        work.input("x", &x)
            .output("checksum", &[checksum])
            .scratch("parts", &parts)
            .update("ticket", &[0_u32], &[0_u32])
            .moves(4 * items as u64, 4)
            .of(items)
    })
}

#[cfg(test)]
mod tests;
