//! The works of the chapter on atomics: one counter, histograms, walks from word to word, and a sum.

use super::with_smaller;
use crate::work::Work;
use cornerturn_base::place::Place;

/// Keys repeat after so many: what a warp meets is the same in works of any multiple of it.
const PERIOD: usize = 1 << 20;

/// A permutation of the numbers below [`PERIOD`], without an order that one would see.
fn shuffled(number: usize) -> usize {
    let low = |x: u64| x & (PERIOD as u64 - 1);
    let x = low((number as u64).wrapping_mul(0x9E37_79B1));
    let x = low((x ^ x >> 11).wrapping_mul(0x85EB_CA6B));
    let x = low((x ^ x >> 9).wrapping_mul(0xC2B2_AE35));
    (x ^ x >> 10) as usize
}

/// `total` grows by how many of `numbers` are odd: about half of them, in no order.
///
/// Kernels take `(const unsigned* numbers, unsigned* total, unsigned items)`.
pub fn count(items: usize) -> Work {
    with_smaller(items, |items| {
        let numbers: Vec<u32> = (0..items).map(|i| shuffled(i) as u32 >> 7).collect();
        let odd = numbers.iter().filter(|number| *number % 2 == 1).count();
        Work::new(format!("how many of {items} numbers are odd"))
            .input("numbers", &numbers)
            .update("total", &[0_u32], &[odd as u32])
            .value(items as u32)
            .moves(4 * items as u64, 0)
            .of(items)
    })
}

/// `counts[key]` grows by 1 for each of so many keys below `bins`. They come in no order, and in 2²⁰ of them each key is
/// as often as the others where `bins` is a power of two.
///
/// Kernels take `(const unsigned* keys, unsigned* counts, unsigned items, unsigned bins)`.
pub fn histogram(items: usize, bins: usize) -> Work {
    counted(items, bins, "shuffled", |i, _| shuffled(i) * bins / PERIOD)
}

/// The same with keys in ascending order: neighbours are nearly always equal.
pub fn histogram_sorted(items: usize, bins: usize) -> Work {
    counted(items, bins, "sorted", |i, items| {
        // Below 2^32 · 2^20.
        (i as u64 * bins as u64 / items as u64) as usize
    })
}

/// The same with the keys 0, 1, 2 and so on in turn: neighbours are never equal but for one bin.
pub fn histogram_in_turn(items: usize, bins: usize) -> Work {
    counted(items, bins, "in turn", |i, _| i % bins)
}

fn counted(
    items: usize,
    bins: usize,
    order: &str,
    key: impl Fn(usize, usize) -> usize + Copy,
) -> Work {
    with_smaller(items, |items| {
        let keys: Vec<u32> = (0..items).map(|i| key(i, items) as u32).collect();
        let mut counts = vec![0_u32; bins];
        for key in &keys {
            counts[*key as usize] += 1;
        }
        Work::new(format!("{items} keys of {bins}, {order}"))
            .input("keys", &keys)
            .update("counts", &vec![0_u32; bins], &counts)
            .value(items as u32)
            .value(bins as u32)
            .moves(4 * items as u64, 0)
            .of(items)
    })
}

/// Words of the ring that a walk goes round.
const RING: usize = 1024;

/// A walk of so many steps through a ring of 1024 words, each of which has in its low half the number of the next: `last`
/// becomes the number of the word where it ends. A kernel may count in the high halves.
///
/// Kernels take `(unsigned* ring, unsigned* last, unsigned items)`.
pub fn walk(items: usize) -> Work {
    walk_over(items, Place::Device)
}

/// The same with the ring in a place.
pub(super) fn walk_over(items: usize, place: Place) -> Work {
    // An odd step that is no neighbour's goes through all words of a power of two.
    let ring: Vec<u32> = (0..RING).map(|at| ((at + 389) % RING) as u32).collect();
    let last = (0..items % RING).fold(0_u32, |at, _| ring[at as usize]);
    Work::new(format!("a walk of {items} steps through {RING} words"))
        .scratch("ring", &ring)
        .lying_in(place)
        .output("last", &[last])
        .value(items as u32)
        .of(items)
}

/// A block at least for so many items, says the length of `parts`.
const ITEMS_OF_PART: usize = 1024;

/// A whole number from −8 to 8 that is not 0, as if drawn by lot (the mixing function of SplitMix64).
pub(super) fn drawn(number: usize) -> i32 {
    let x = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    let lot = (x >> 60) as i32 - 8;
    lot + i32::from(lot >= 0)
}

/// The sum of whole numbers from −8 to 8 without 0, as floats. In no order are they summed so far from 0 that a float
/// would have to round, unless somebody sorts them: the result is exact.
///
/// `parts` has room for a float for each 1024 items, `ticket` is 0 and must be 0 again.
///
/// Kernels take `(const float* x, float* sum, float* parts, unsigned* ticket, unsigned items)`.
pub fn sum(items: usize) -> Work {
    let make = |items: usize| {
        let x: Vec<f32> = (0..items).map(|i| drawn(i) as f32).collect();
        let sum: i64 = (0..items).map(|i| i64::from(drawn(i))).sum();
        Work::new(format!("the sum of {items} floats"))
            .input("x", &x)
            .update("sum", &[0_f32], &[sum as f32])
            .scratch("parts", &vec![0_f32; items.div_ceil(ITEMS_OF_PART)])
            .update("ticket", &[0_u32], &[0_u32])
            .value(items as u32)
            .moves(4 * items as u64, 0)
            .of(items)
    };
    match items > FEW_OF_A_SUM {
        true => make(items).checked_on(make(FEW_OF_A_SUM)),
        false => make(items),
    }
}

/// A sum is checked on as many floats: some blocks' worth.
const FEW_OF_A_SUM: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_base::Error;
    use cornerturn_runtime::{Device, Kernel};

    #[test]
    fn the_last_block_needs_both_fences() {
        let whole = Kernel::registered("sum_last_block").unwrap();
        let (items, fence) = (100_000, "membar.gl;");
        let parts: Vec<&str> = whole.ptx_text().split(fence).collect();
        let [before, between, after] = parts[..] else {
            panic!("{} fences", parts.len() - 1);
        };
        let run = |text: &str| {
            let kernel = Kernel::ptx(text, "sum_last_block").unwrap();
            sum(items).run(&Device::emulator(), &kernel, 4, 256)
        };
        assert!(run(whole.ptx_text()).is_ok());
        let unfenced = [
            format!("{before}{between}{fence}{after}"),
            format!("{before}{between}{after}"),
        ];
        for text in unfenced {
            let error = run(&text).unwrap_err();
            assert!(matches!(error, Error::Checked { .. }), "{error}");
            assert!(error.to_string().contains("race"), "{error}");
        }
        // The second one alone: an atomic counts as if it ordered what follows, since so much correct code relies on it.
        assert!(run(&format!("{before}{fence}{between}{after}")).is_ok());
    }

    #[test]
    fn shuffled_keys_are_each_as_often() {
        let mut seen = vec![false; PERIOD];
        for number in 0..PERIOD {
            seen[shuffled(number)] = true;
        }
        assert!(seen.iter().all(|seen| *seen));
    }

    #[test]
    fn partial_sums_are_far_from_where_floats_round() {
        let items = 1 << 24;
        let (mut sum, mut widest) = (0_i64, 0_i64);
        for i in 0..items {
            sum += i64::from(drawn(i));
            widest = widest.max(sum.abs());
        }
        // A float has 24 bits: whole numbers are exact up to 2^24. A sixteenth of it leaves room for 2^28 numbers.
        assert!(sum != 0 && widest < 1 << 20, "{sum} {widest}");
    }
}
