//! What the corrected twins must compute, by the host's own arithmetic.

use super::catalogue::{Argument, Launch};
use crate::common::Number;

/// The expected bytes at the start of the result, from the arguments as they were before the launch. `words` is the
/// name of the reference, and a size of blocks where it needs one.
pub fn expected(words: &str, launch: &Launch) -> Vec<u8> {
    let (name, size) = match words.split_once(' ') {
        Some((name, size)) => (name, size.parse().unwrap()),
        None => (words, 0),
    };
    let given = Given(launch);
    (pointwise(name, size, &given))
        .or_else(|| neighbours(name, size, &given))
        .or_else(|| of_blocks(name, size, &given))
        .or_else(|| sums(name, &given))
        .or_else(|| matrices(name, &given))
        .or_else(|| special(name, size, &given))
        .unwrap_or_else(|| panic!("there is no reference {name}"))
}

/// The arguments of a launch, by position.
struct Given<'l>(&'l Launch);

impl Given<'_> {
    fn bytes(&self, at: usize) -> &[u8] {
        match &self.0.arguments[at] {
            Argument::Buffer { bytes, .. } | Argument::Scalar(bytes) => bytes,
        }
    }

    fn numbers<T: Number>(&self, at: usize) -> Vec<T> {
        self.bytes(at).chunks_exact(T::BYTES).map(T::get).collect()
    }

    /// The first argument as ints.
    fn ints(&self) -> Vec<i32> {
        self.numbers(0)
    }

    fn number(&self, at: usize) -> usize {
        self.numbers::<i32>(at)[0] as usize
    }
}

fn bytes<T: Number>(numbers: impl IntoIterator<Item = T>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    numbers
        .into_iter()
        .for_each(|number| number.put(&mut bytes));
    Some(bytes)
}

/// The elements of the first two arguments.
fn pairs(given: &Given) -> impl Iterator<Item = (u32, u32)> {
    let (first, second) = (given.numbers(0), given.numbers(1));
    first.into_iter().zip(second)
}

/// Each element from the element at its place.
fn pointwise(name: &str, size: usize, given: &Given) -> Option<Vec<u8>> {
    let ints = || given.ints().into_iter();
    match name {
        "copy" if size > 0 => bytes(ints().take(size)),
        "copy" => Some(given.bytes(0).to_vec()),
        "plus_one" => bytes(given.numbers::<f32>(0).iter().map(|value| value + 1.0)),
        "doubled" => bytes(ints().map(|value| 2 * value)),
        "remainders" => bytes(pairs(given).map(|(a, b)| a.checked_rem(b).unwrap_or(a))),
        "long_remainders" => bytes(pairs(given).map(|(a, b)| {
            let (a, b) = (i64::from(a) << 31, i64::from(b) << 30);
            (a / if b == 0 { 1 << 40 } else { b }) as u32
        })),
        "sum_and_own" => {
            let sum: i32 = ints().sum();
            bytes(ints().take(size).map(|own| sum + own))
        }
        "pairs_of_eights_exchanged" => {
            let values = given.ints();
            bytes((0..values.len()).map(|i| values[i ^ 8]))
        }
        "sixteenths_added" => {
            let values = given.ints();
            bytes((0..values.len()).map(|i| values[i / 16 * 16..][..16].iter().sum::<i32>()))
        }
        "most_frequent_digit" => bytes(ints().map(most_frequent_digit)),
        "bits_of_nibble" => bytes(
            given
                .bytes(0)
                .iter()
                .map(|byte| (byte & 15).count_ones() as u8),
        ),
        "block_added" => {
            let last = given.0.grid[0] as usize - 1;
            bytes(
                (0..)
                    .zip(ints())
                    .map(|(i, value)| value + last.min(i / size) as i32),
            )
        }
        _ => None,
    }
}

fn most_frequent_digit(value: i32) -> i32 {
    let mut count = [0; 10];
    let mut rest = value;
    while rest > 0 {
        count[(rest % 10) as usize] += 1;
        rest /= 10;
    }
    let most = count.iter().max().unwrap();
    count.iter().position(|times| times == most).unwrap() as i32
}

/// Each element from others at a distance.
fn neighbours(name: &str, size: usize, given: &Given) -> Option<Vec<u8>> {
    if name == "doubles_added" {
        let doubles = given.numbers::<f64>(0);
        return bytes(doubles.windows(2).map(|pair| pair[0] + pair[1]));
    }
    if name == "reversed_floats" {
        return bytes(given.numbers::<f32>(0)[..size].iter().rev().copied());
    }
    let v = (given.bytes(0).len().is_multiple_of(4)).then(|| given.ints())?;
    let n = v.len();
    let at = |i: usize| v.get(i).copied().unwrap_or(0);
    let before = |i: usize| if i == 0 { 0 } else { v[i - 1] };
    match name {
        "with_left_neighbour" => bytes((0..n).map(|i| before(i) + v[i])),
        "with_both_neighbours" => bytes((0..n).map(|i| before(i) + v[i] + at(i + 1))),
        "thirds" => bytes((0..n).map(|i| (before(i) + v[i] + at(i + 1)) / 3)),
        "neighbours_added" => bytes((0..n - 1).map(|i| v[i] + v[i + 1])),
        "neighbours_added_but_last" => bytes((0..n - 1).map(|i| v[i] + v[i + 1]).chain([0])),
        "delayed_by_three" => bytes((0..n).map(|i| v[(i + n - 3) % n])),
        "ahead_by_three" => bytes((0..n).map(|i| v[(i + 3) % n])),
        "weighted" => {
            let weights = [1, 4, 6, 4, 1];
            bytes(
                v.windows(5)
                    .map(|five| five.iter().zip(weights).map(|(a, b)| a * b).sum::<i32>()),
            )
        }
        "pairs_summed" => bytes((0..n).map(|i| v[i] + v[i ^ 1])),
        "pairs_exchanged" => bytes((0..n).map(|i| v[i ^ 1])),
        "reversed_plus_one" => bytes(v.iter().rev().map(|value| value + 1)),
        "reversed" => bytes(
            v.chunks_exact(size)
                .flat_map(|part| part.iter().rev().copied()),
        ),
        "reversed_or_zero" => bytes((0..n).map(|i| at(i / size * size + size - 1 - i % size))),
        "reversed_alternating" => bytes(
            (0..n)
                .map(|i| n - 1 - i)
                .map(|i| if i % 2 == 0 { v[i] } else { -v[i] }),
        ),
        "first_reversed" => bytes((0..n).map(|i| if i < size { v[size - 1 - i] } else { v[i] })),
        "minus_first" => bytes((0..n).map(|i| v[i] - v[i / size * size])),
        _ => None,
    }
}

/// One element for each block of so many.
fn of_blocks(name: &str, size: usize, given: &Given) -> Option<Vec<u8>> {
    if size == 0 || !given.bytes(0).len().is_multiple_of(4) {
        return None;
    }
    let v = given.ints();
    // Other references' values may be too large to add.
    let sums = || -> Vec<i32> { v.chunks(size).map(|part| part.iter().sum()).collect() };
    match name {
        "block_sums" => bytes(sums()),
        "running_block_sums" => bytes(running(sums())),
        "odd_in_blocks" => bytes(
            v.chunks(size)
                .map(|part| part.iter().filter(|value| *value % 2 == 1).count() as i32),
        ),
        _ => None,
    }
}

fn running(values: Vec<i32>) -> impl Iterator<Item = i32> {
    values.into_iter().scan(0, |sum, value| {
        *sum += value;
        Some(*sum)
    })
}

/// Sums and counts.
fn sums(name: &str, given: &Given) -> Option<Vec<u8>> {
    let floats_of_four = |floats: &[f32]| {
        floats
            .chunks(4)
            .map(|four| four.iter().sum::<f32>())
            .collect::<Vec<f32>>()
    };
    match name {
        "sums_of_three" => {
            let floats = given.numbers::<f32>(0);
            return bytes(floats.chunks(3).map(|three| three.iter().sum::<f32>()));
        }
        "sums_of_four" => return bytes(floats_of_four(&given.numbers(0))),
        "sums_of_four_from_one" => {
            let floats = given.numbers::<f32>(0);
            return bytes(floats_of_four(&floats[1..97]));
        }
        "row_sums_of_four" => {
            let rows = given.numbers::<f32>(0);
            return bytes(
                rows.chunks(given.number(2))
                    .flat_map(|row| floats_of_four(&row[..32])),
            );
        }
        _ => {}
    }
    let v = (given.bytes(0).len().is_multiple_of(4)).then(|| given.ints())?;
    let n = v.len();
    let count =
        |holds: fn(&i32) -> bool| bytes([v.iter().filter(|value| holds(value)).count() as i32]);
    match name {
        "sum" => bytes([v.iter().sum::<i32>()]),
        "sum_of_not_thirteen" => bytes([v.iter().filter(|value| **value != 13).sum::<i32>()]),
        "number_of_elements" => count(|_| true),
        "number_of_odd" => count(|value| value % 2 == 1),
        "number_of_even" => count(|value| value % 2 == 0),
        "running_sums" => bytes(running(v)),
        "pairs_added" => {
            let value = |i: usize| v.get(i).copied().unwrap_or(0);
            bytes(
                (0..128)
                    .map(|i| i / 64 * 128 + i % 64)
                    .map(|i| value(i) + value(i + 64)),
            )
        }
        "sums_of_every_64th" => bytes(
            (0..64)
                .rev()
                .map(|i| v.iter().skip(i).step_by(64).sum::<i32>()),
        ),
        "sums_of_every_100th" => {
            bytes((0..100).map(|i| v.iter().skip(i).step_by(100).sum::<i32>()))
        }
        "sums_of_odd_from" => {
            let odd = |from: usize| {
                v[from..]
                    .iter()
                    .filter(|value| *value % 2 == 1)
                    .sum::<i32>()
            };
            bytes((0..32).map(odd))
        }
        "sums_from_the_end" => bytes((0..n).map(|i| v[i..].iter().sum::<i32>())),
        "window_sums" => bytes(v.iter().map(|value| 3 * value + 3)),
        _ => None,
    }
}

fn matrices(name: &str, given: &Given) -> Option<Vec<u8>> {
    let shape = || (given.number(2), given.number(3));
    match name {
        "transpose" => {
            let (v, (rows, columns)) = (given.numbers::<f32>(0), shape());
            bytes((0..rows * columns).map(|i| v[i % rows * columns + i / rows]))
        }
        "square_transpose" => {
            let (v, n) = (given.ints(), given.number(1));
            bytes((0..n * n).map(|i| v[i % n * n + i / n]))
        }
        "with_right_neighbour" => {
            let (v, (_, columns)) = (given.ints(), shape());
            let right = |i: usize| {
                if (i + 1).is_multiple_of(columns) {
                    0
                } else {
                    v[i + 1]
                }
            };
            bytes((0..v.len()).map(|i| v[i] + right(i)))
        }
        "sums_of_columns" => {
            let (v, (_, columns)) = (given.ints(), shape());
            bytes((0..columns).map(|x| v.iter().skip(x).step_by(columns).sum::<i32>()))
        }
        "product" => {
            let (a, b) = (given.numbers::<f32>(0), given.numbers::<f32>(1));
            let (m, n, k) = (given.number(3), given.number(4), given.number(5));
            let element = |row: usize, column: usize| {
                (0..k).fold(0f32, |sum, i| {
                    a[row * k + i].mul_add(b[i * n + column], sum)
                })
            };
            bytes((0..m * n).map(|at| element(at / n, at % n)))
        }
        _ => None,
    }
}

/// What fits nowhere else.
fn special(name: &str, size: usize, given: &Given) -> Option<Vec<u8>> {
    match name {
        "answer" => return bytes([42i32]),
        "first_of_65" => {
            let parts = given.ints();
            let firsts = parts.chunks_exact(65).flat_map(|part| &part[..64]);
            return bytes(firsts.copied());
        }
        "tenths" => return bytes([10i32; 32]),
        "count_of_fifty" => return bytes([0u32, 0, 50, 0]),
        "pairs_from_one" => return bytes([0].into_iter().chain((0..20i32).flat_map(|i| [i, -i]))),
        "packed_ints" => {
            let records = given.bytes(0).chunks_exact(5);
            return bytes(records.map(|record| i32::get(&record[1..])));
        }
        "histogram" => return histogram(size, given),
        _ => {}
    }
    let v = given.ints();
    let n = v.len();
    let three_modulo_seven = |i: &usize| v[*i] % 7 == 3;
    match name {
        "first_three_modulo_seven" => bytes([(0..n).find(three_modulo_seven).unwrap() as i32]),
        "last_three_modulo_seven" => bytes([(0..n).rfind(three_modulo_seven).unwrap() as i32]),
        "pairwise_sum_reversed" => {
            let other = given.numbers::<i32>(1);
            bytes((0..n).rev().map(|i| v[i] + other[i]))
        }
        "sorted" => {
            let mut keys = given.numbers::<u32>(0);
            keys.sort();
            bytes(keys)
        }
        "suffix_of_four" => {
            bytes((0..n).map(|i| (0..=i % 4).map(|k| v[63 - i] * k as i32).sum::<i32>()))
        }
        "steps_to_small" => bytes((0..n).map(|i| steps_to_small(v[63 - i]))),
        "lower_half_sums" => bytes((0..n).map(|i| match i {
            0 => v[..16].iter().sum(),
            1..16 => 0,
            _ => -v[i],
        })),
        "lower_half_reversed" => bytes((0..n).map(|i| if i < 16 { v[15 - i] } else { 2 * v[i] })),
        "passes_until_small" => {
            let halvings = v.iter().map(|value| value.max(&1).ilog2()).max().unwrap();
            bytes(vec![halvings as i32 + 1; n])
        }
        _ => None,
    }
}

/// How often each value modulo `bins` occurs, in bytes or unsigned ints.
fn histogram(bins: usize, given: &Given) -> Option<Vec<u8>> {
    let values: Vec<u32> = if bins == 256 {
        given.bytes(0).iter().map(|byte| u32::from(*byte)).collect()
    } else {
        given.numbers(0)
    };
    let mut counts = vec![0u32; bins];
    for value in values {
        counts[value as usize % bins] += 1;
    }
    bytes(counts)
}

fn steps_to_small(value: i32) -> i32 {
    let (mut value, mut steps) = (value, 0);
    while value >= 10 {
        value /= 2;
        steps += 1;
    }
    steps + value
}
