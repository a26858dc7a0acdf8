//! The works of the chapter on registers: tables of a thread's own, sums that it holds, and what registers and memories yield at the best.

use super::{after_steps, distinct, with_smaller};
use crate::work::Work;

/// The multiplier with which words are mixed here: odd, so that nothing is lost.
const FACTOR: u32 = 739_982_445;
/// How often a thread's own table is read.
const READS: usize = 64;

fn mixed(x: u32) -> u32 {
    (x ^ (x >> 15)).wrapping_mul(FACTOR)
}

/// Each item has a table of so many words of its own, made from `x[i]`, and reads it 64 times: in read `k` the word with
/// the number `(i * spread + k) % words`. With a spread of 0 the lanes of a warp read the same word of their tables.
///
/// Kernels take `(const unsigned* x, unsigned* y, unsigned items, unsigned spread)`.
pub fn own(items: usize, words: usize, spread: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<u32> = distinct(items);
        let result = |(i, x): (usize, &u32)| {
            let table: Vec<u32> = (0..words as u32)
                .map(|k| mixed(x.wrapping_add(k)))
                .collect();
            (0..READS).fold(0, |sum, k| mixed(sum) ^ table[(i * spread + k) % words])
        };
        let y: Vec<u32> = x.iter().enumerate().map(result).collect();
        Work::new(format!("{items} tables of {words} words, spread {spread}"))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
            .value(spread as u32)
    })
}

/// Sums that a thread holds, and how often a number is added to all of them.
const HELD: u32 = 48;
const HELD_ROUNDS: usize = 32;

/// Each item holds 48 words, multiplies all of them and adds a number of `x` to them, 32 times; `y[i]` is what they come to.
///
/// Kernels take `(const unsigned* x, unsigned* y, unsigned items)`.
pub fn held(items: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<u32> = distinct(items);
        let scale = FACTOR.wrapping_pow(HELD_ROUNDS as u32);
        let result = |i: usize| {
            // All 48 have the same added to them: it needs to be summed only once.
            let added = (0..HELD_ROUNDS).fold(0_u32, |sum, round| {
                let number = x[(i + round * 65_536) % items];
                sum.wrapping_mul(FACTOR).wrapping_add(number)
            });
            let first = |k: u32| (x[i].wrapping_add(k) ^ (x[i] >> 15)).wrapping_mul(FACTOR);
            (0..HELD).fold(0_u32, |all, k| {
                let sum = first(k).wrapping_mul(scale).wrapping_add(added);
                all.wrapping_add(sum ^ k)
            })
        };
        let y: Vec<u32> = (0..items).map(result).collect();
        Work::new(format!("{items} times {HELD} sums"))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
    })
}

/// How often each float is multiplied and added to.
const MULTIPLY_ROUNDS: usize = 4096;
/// Floats that differ; the others repeat them.
const DIFFERENT: usize = 1021;
const MULTIPLIER: f32 = 0.999;
const ADDEND: f32 = -0.5;

/// `y[i]` is `x[i]` after 4096 times `x * factor + addend`, each rounded once.
///
/// Kernels take `(const float* x, float* y, unsigned items, float factor, float addend)`.
pub fn multiply_add(items: usize) -> Work {
    with_smaller(items, |items| {
        let x = |i: usize| (i % DIFFERENT + 1) as f32 * 1024.0;
        let last =
            |i: usize| (0..MULTIPLY_ROUNDS).fold(x(i), |now, _| now.mul_add(MULTIPLIER, ADDEND));
        let ends: Vec<f32> = (0..DIFFERENT).map(last).collect();
        let from: Vec<f32> = (0..items).map(x).collect();
        let to: Vec<f32> = (0..items).map(|i| ends[i % DIFFERENT]).collect();
        Work::new(format!("{items} floats, {MULTIPLY_ROUNDS} times x · a + b"))
            .input("x", &from)
            .output("y", &to)
            .value(items as u32)
            .value(MULTIPLIER)
            .value(ADDEND)
    })
}

/// Words in shared memory, and how far a thread goes on after each read.
const SHARED_WORDS: usize = 1024;
const SHARED_STEP: usize = 32;
/// How often a thread reads.
const SHARED_READS: usize = 4096;

/// `y[i]` is the sum of 4096 reads among 1024 words: of the 32 words whose number has the remainder of `i` by 32, each as
/// often as the others.
///
/// Kernels take `(const unsigned* x, unsigned* y, unsigned items, unsigned step)` in blocks of 1024 threads.
pub fn shared_sum(items: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<u32> = distinct(SHARED_WORDS);
        let times = (SHARED_READS * SHARED_STEP / SHARED_WORDS) as u32;
        let sum = |lane: usize| {
            let words = x[lane..].iter().step_by(SHARED_STEP);
            words
                .fold(0_u32, |sum, word| sum.wrapping_add(*word))
                .wrapping_mul(times)
        };
        let sums: Vec<u32> = (0..SHARED_STEP).map(sum).collect();
        let y: Vec<u32> = (0..items).map(|i| sums[i % SHARED_STEP]).collect();
        Work::new(format!(
            "{items} sums of {SHARED_READS} words of shared memory"
        ))
        .input("x", &x)
        .output("y", &y)
        .value(items as u32)
        .value(SHARED_STEP as u32)
    })
}

/// A chain of so many steps `x * 739982445 + 12345`, each of which needs the one before.
///
/// Kernels take `(const unsigned* from, unsigned* to, unsigned items, unsigned factor)`.
pub fn chain(items: usize) -> Work {
    let from = 2_654_435_761_u32;
    let step = (u64::from(FACTOR), 12_345);
    let to = after_steps(u64::from(from), items, step, 1 << 32);
    Work::new(format!("a chain of {items} steps"))
        .input("from", &[from])
        .output("to", &[to as u32])
        .value(items as u32)
        .value(FACTOR)
        .of(items)
}

/// Words from one word of a long ring to the next: 4 KiB.
const FAR: usize = 1024;

/// A walk once round a ring of so many words, each of which has the number of the next, and which lie 4 KiB apart: nothing
/// that is wanted was brought with something else.
///
/// Kernels take `(const unsigned* ring, unsigned* last, unsigned items)`.
pub fn walk_far(items: usize) -> Work {
    // A bit more than a third of the way, so that no order is seen, and without a divisor of the ring's length.
    let common = |mut a: usize, mut b: usize| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let stride = (items * 3 / 8..)
        .find(|stride| common(*stride, items) == 1)
        .unwrap_or(1);
    let mut ring = vec![0_u32; items * FAR];
    for word in 0..items {
        ring[word * FAR] = ((word + stride) % items * FAR) as u32;
    }
    Work::new(format!("a walk through {items} words, 4 KiB apart"))
        .input("ring", &ring)
        .output("last", &[0_u32])
        .value(items as u32)
        .moves(4 * items as u64, 0)
        .of(items)
}
