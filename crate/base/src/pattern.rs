//! The bit patterns that fill a task's input: distinct where the element type allows it, never zero, never poison, never NaN.

use crate::cores::workers;
use crate::element::ElementType;
use crate::error::Result;

/// The byte that a poisoned buffer is filled with. No pattern holds an element of these bytes only.
pub const POISON_BYTE: u8 = 0xFF;

/// Odd, so that multiplying by it permutes the numbers below any power of two.
const SPREAD_32: u32 = 0x9E37_79B1;
const SPREAD_64: u64 = 0x9E37_79B9_7F4A_7C15;
/// Bytes that one thread makes or checks at a time: a piece of the L2 cache of a CPU core. In a page less, since a browser
/// runs a function's quicker code from the next call on.
const PIECE_BYTES: usize = if cfg!(target_family = "wasm") {
    1 << 16
} else {
    1 << 20
};

/// How far the pattern of 32-bit elements moves on with every 2³¹ indices: an odd part of that range, so that elements
/// whose indices differ by 2³¹ or 2³², as they do where an index was cut to 32 bits, are different.
const TURN: u32 = 0x1234_5677;

/// 2³¹ distinct finite floats, of magnitude 2⁻⁶³ to 2⁶⁵; then the same in another place.
fn bits32(index: u64) -> u32 {
    let turns = (index >> 31) as u32;
    narrow_bits32((index as u32).wrapping_add(turns.wrapping_mul(TURN)))
}

/// [`bits32`] below 2³¹.
fn narrow_bits32(index: u32) -> u32 {
    let magnitude = 0x2000_0000 + (index.wrapping_mul(SPREAD_32) & 0x3FFF_FFFF);
    magnitude | ((index & 0x4000_0000) << 1)
}

/// 2⁶² distinct finite doubles.
fn bits64(index: u64) -> u64 {
    0x2000_0000_0000_0000 + (index.wrapping_mul(SPREAD_64) & 0x3FFF_FFFF_FFFF_FFFF)
}

/// Well mixed bits of an index, for types too small to be distinct.
fn mixed(index: u64) -> u32 {
    let hash = (index as u32 ^ (index >> 32) as u32).wrapping_mul(SPREAD_32);
    (hash ^ (hash >> 15)).wrapping_mul(0x85EB_CA77) >> 15
}

/// 2¹⁵ different finite halves.
fn bits16(index: u64) -> u16 {
    let hash = mixed(index);
    (0x0400 + (hash & 0x3FFF) as u16) | (((hash & 0x4000) as u16) << 1)
}

/// From 1 to 253.
fn bits8(index: u64) -> u8 {
    (1 + (((mixed(index) & 0xFF) * 253) >> 8)) as u8
}

/// The bits of the element at a place of the pattern, in the low bits.
pub fn bits(element: ElementType, index: u64) -> u64 {
    match element.bytes() {
        1 => u64::from(bits8(index)),
        2 => u64::from(bits16(index)),
        4 => u64::from(bits32(index)),
        _ => bits64(index),
    }
}

/// Fills `out` with the elements at `first`, `first + stride`, … of the pattern.
///
/// `out` must start at an address that is a multiple of the element's size, as every `Vec` of elements does, and hold
/// whole elements; a rest is left as it is.
pub fn fill(element: ElementType, first: u64, stride: u64, out: &mut [u8]) {
    match element.bytes() {
        1 => each(bytemuck::cast_slice_mut(out), first, stride, bits8),
        2 => each(whole(out), first, stride, bits16),
        4 => {
            let last = stride
                .saturating_mul(out.len() as u64 / 4)
                .saturating_add(first);
            match u32::try_from(last) {
                // Faster, and enough for all but the largest matrices.
                Ok(last) if last < 1 << 31 => {
                    each(whole(out), first as u32, stride as u32, narrow_bits32);
                }
                _ => each(whole(out), first, stride, bits32),
            }
        }
        _ => each(whole(out), first, stride, bits64),
    }
}

/// The bytes as elements; none where they are not aligned or not whole.
fn whole<U: bytemuck::Pod>(bytes: &mut [u8]) -> &mut [U] {
    bytemuck::try_cast_slice_mut(bytes).unwrap_or_default()
}

/// An index type that wraps.
trait Index: Copy {
    fn next(self, stride: Self) -> Self;
}

impl Index for u32 {
    fn next(self, stride: Self) -> Self {
        self.wrapping_add(stride)
    }
}

impl Index for u64 {
    fn next(self, stride: Self) -> Self {
        self.wrapping_add(stride)
    }
}

fn each<U, I: Index>(out: &mut [U], mut index: I, stride: I, bits: impl Fn(I) -> U) {
    for element in out {
        *element = bits(index);
        index = index.next(stride);
    }
}

/// Calls `piece` for consecutive ranges of `0..bytes` on all cores, each with two buffers of that range's size that
/// start aligned for any element. Ranges start at multiples of the element size. The first error wins.
pub fn in_pieces(
    bytes: usize,
    piece: impl Fn(usize, &mut [u8], &mut [u8]) -> Result<()> + Sync,
) -> Result<()> {
    let pieces = bytes.div_ceil(PIECE_BYTES);
    let threads = workers(8).min(pieces);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || -> Result<()> {
        let words = PIECE_BYTES.min(bytes.next_multiple_of(8)) / 8;
        let (mut first, mut second) = (vec![0_u64; words], vec![0_u64; words]);
        loop {
            let offset = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed) * PIECE_BYTES;
            if offset >= bytes {
                return Ok(());
            }
            let length = PIECE_BYTES.min(bytes - offset);
            piece(
                offset,
                &mut bytemuck::cast_slice_mut(&mut first)[..length],
                &mut bytemuck::cast_slice_mut(&mut second)[..length],
            )?;
        }
    };
    if threads <= 1 {
        return work();
    }
    std::thread::scope(|scope| {
        // Where the system gives no thread, there is this one.
        let start = || std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..threads).map_while(|_| start()).collect();
        let mut result = work();
        for worker in workers {
            // A worker's panic is this thread's.
            let outcome = worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            result = result.and(outcome);
        }
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn wide_elements_are_distinct_finite_and_never_zero_or_poison() {
        let mut seen = HashSet::new();
        // The ends of the range and a middle part.
        let places = (0..50_000_u64)
            .chain((1 << 30) - 1000..(1 << 30) + 1000)
            .chain((1 << 31) - 1000..1 << 31);
        for index in places {
            let bits = bits32(index);
            assert!(f32::from_bits(bits).is_normal());
            assert_ne!(bits, u32::from_le_bytes([POISON_BYTE; 4]));
            assert!(seen.insert(bits), "index {index} repeats");
        }
        let wide: HashSet<u64> = (0..50_000).map(bits64).collect();
        assert_eq!(wide.len(), 50_000);
        assert!(wide.iter().all(|&bits| f64::from_bits(bits).is_normal()));
    }

    #[test]
    fn an_index_cut_to_32_bits_gives_another_element() {
        for element in ElementType::ALL {
            for cut in [1_u64 << 31, 1 << 32, 3 << 31, 1 << 33] {
                let same = (0..10_000_u64)
                    .map(|i| i * 858_989)
                    .filter(|&i| bits(element, i) == bits(element, i + cut));
                let most = if element.bytes() == 1 { 150 } else { 2 };
                let same = same.count();
                assert!(
                    same <= most,
                    "{element}, {cut}: {same} of 10000 are the same"
                );
            }
        }
    }

    #[test]
    fn fill_and_bits_agree_where_the_pattern_turns() {
        for element in ElementType::ALL {
            for first in [(1_u64 << 31) - 3, (1 << 32) - 30, (1 << 33) - 5] {
                let mut words = [0_u64; 8];
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
                fill(element, first, 1, bytes);
                for (i, chunk) in bytes.chunks(element.bytes()).enumerate() {
                    let mut wide = [0; 8];
                    wide[..chunk.len()].copy_from_slice(chunk);
                    let expected = bits(element, first + i as u64);
                    assert_eq!(u64::from_le_bytes(wide), expected, "{element} {first} {i}");
                }
            }
        }
    }

    #[test]
    fn narrow_elements_vary_along_rows_and_columns() {
        for index in 0..50_000 {
            assert!(!matches!(bits8(index), 0 | POISON_BYTE));
            assert!(!matches!(bits16(index), 0 | 0xFFFF));
        }
        // Neighbours along a row, a column of 4096, a tile.
        for stride in [1, 32, 33, 4096] {
            let differing = (0..10_000)
                .filter(|&i| bits8(i) != bits8(i + stride))
                .count();
            assert!(differing > 9_800, "stride {stride}: {differing}");
            let differing = (0..10_000)
                .filter(|&i| bits16(i) != bits16(i + stride))
                .count();
            assert!(differing > 9_990, "stride {stride}: {differing}");
        }
    }

    #[test]
    fn fill_and_bits_agree() {
        for element in ElementType::ALL {
            let mut words = [0_u64; 8];
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
            fill(element, (1 << 32) - 3, 7, bytes);
            for (i, chunk) in bytes.chunks(element.bytes()).enumerate() {
                let mut wide = [0; 8];
                wide[..chunk.len()].copy_from_slice(chunk);
                let expected = bits(element, (1 << 32) - 3 + 7 * i as u64);
                assert_eq!(u64::from_le_bytes(wide), expected, "{element} {i}");
            }
        }
    }

    #[test]
    fn pieces_cover_everything_once() {
        use std::sync::Mutex;
        for bytes in [0, 1, 8, PIECE_BYTES - 8, PIECE_BYTES, 3 * PIECE_BYTES + 24] {
            let ranges = Mutex::new(Vec::new());
            in_pieces(bytes, |offset, piece, _| {
                ranges.lock().unwrap().push((offset, piece.len()));
                Ok(())
            })
            .unwrap();
            let mut ranges = ranges.into_inner().unwrap();
            ranges.sort_unstable();
            let mut end = 0;
            for (offset, length) in ranges {
                assert_eq!(offset, end);
                end += length;
            }
            assert_eq!(end, bytes);
        }
    }
}
