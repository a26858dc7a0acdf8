//! Which bytes of global memory a launch reads and writes: a bit for each granule, shared by its host threads.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::memory::Buffer;
use crate::touched::{Bytes, Early, TouchedBuffer};

/// Where the bits of what is touched early begin.
const EARLY: usize = 2;

/// Granules of a word of bits.
const WORD: u64 = 64;

/// How bytes are touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) is_store: bool,
    /// In a programmatic dependent launch, maybe before the grid before has ended.
    pub(crate) is_early: bool,
}

/// What a launch has touched so far.
#[derive(Debug)]
pub(crate) struct Touches {
    /// log2 of the bytes of a granule.
    scale: u32,
    /// In the order of the launch's buffers.
    buffers: Vec<BufferBits>,
    /// Of a programmatic dependent launch: a thread has waited for the grid before; a block has kept the next one from
    /// beginning until it had.
    waits: AtomicBool,
    holds_next: AtomicBool,
}

#[derive(Debug)]
struct BufferBits {
    granules: u64,
    /// Made when first needed: what is read, and what is written; the same of what is touched early.
    bits: [OnceLock<Box<[AtomicU64]>>; 4],
}

impl Touches {
    /// Of a launch whose accesses are no narrower than a granule, in bytes.
    pub(crate) fn new(buffers: &[&Buffer], granule: u32) -> Self {
        let scale = granule.trailing_zeros();
        let bits = |buffer: &&Buffer| BufferBits {
            granules: (buffer.bytes as u64).div_ceil(1 << scale),
            bits: Default::default(),
        };
        Self {
            scale,
            buffers: buffers.iter().map(bits).collect(),
            waits: AtomicBool::new(false),
            holds_next: AtomicBool::new(false),
        }
    }

    /// Bytes of a buffer are read, or written.
    pub(crate) fn mark(&self, buffer: usize, offset: usize, bytes: usize, touch: Touch) {
        let Some(buffer) = self.buffers.get(buffer).filter(|_| bytes > 0) else {
            return;
        };
        let kind = usize::from(touch.is_store);
        self.mark_in(buffer, kind, offset, bytes);
        if touch.is_early {
            self.mark_in(buffer, EARLY + kind, offset, bytes);
        }
    }

    fn mark_in(&self, buffer: &BufferBits, kind: usize, offset: usize, bytes: usize) {
        let words = buffer.bits[kind].get_or_init(|| {
            let count = buffer.granules.div_ceil(WORD);
            (0..count).map(|_| AtomicU64::new(0)).collect()
        });
        let (mut at, last) = (
            offset as u64 >> self.scale,
            (offset + bytes - 1) as u64 >> self.scale,
        );
        while at <= last {
            let end = (at | (WORD - 1)).min(last);
            let mask = (u64::MAX >> (WORD - 1 - (end - at))) << (at % WORD);
            if let Some(word) = words.get((at / WORD) as usize)
                && word.load(Relaxed) & mask != mask
            {
                word.fetch_or(mask, Relaxed);
            }
            at = end + 1;
        }
    }

    /// A block of a programmatic dependent launch has ended: whether it waited for the grid before, and whether it kept the
    /// next one from beginning until it had.
    pub(crate) fn end_block(&self, waits: bool, holds_next: bool) {
        self.waits.fetch_or(waits, Relaxed);
        self.holds_next.fetch_or(holds_next, Relaxed);
    }

    /// What was touched of the launch's buffers.
    pub(crate) fn touched(&self, buffers: &[&Buffer]) -> Vec<TouchedBuffer> {
        self.of_kinds(buffers, 0)
    }

    /// What a programmatic dependent launch did before the grid before had ended, maybe.
    pub(crate) fn early(&self, buffers: &[&Buffer]) -> Early {
        Early {
            touched: self.of_kinds(buffers, EARLY),
            waits: self.waits.load(Relaxed),
            holds_next: self.holds_next.load(Relaxed),
        }
    }

    fn of_kinds(&self, buffers: &[&Buffer], first: usize) -> Vec<TouchedBuffer> {
        let pairs = self.buffers.iter().zip(buffers);
        let all = pairs.map(|(bits, buffer)| {
            let bytes = |kind: usize| {
                let words = bits.bits[first + kind].get().map_or(&[][..], |words| words);
                self.bytes(words, buffer.bytes as u64)
            };
            TouchedBuffer {
                name: buffer.name.clone(),
                base: buffer.base,
                read: bytes(0),
                written: bytes(1),
            }
        });
        all.filter(|touched| !touched.read.is_empty() || !touched.written.is_empty())
            .collect()
    }

    fn bytes(&self, words: &[AtomicU64], all: u64) -> Bytes {
        let mut bytes = Bytes::default();
        for (number, word) in words.iter().enumerate() {
            let mut left = word.load(Relaxed);
            while left != 0 {
                let first = left.trailing_zeros();
                let length = (left >> first).trailing_ones();
                let start = (number as u64 * WORD + u64::from(first)) << self.scale;
                let end = start + (u64::from(length) << self.scale);
                bytes.push(start..end.min(all));
                left &= left.checked_add(1 << first).unwrap_or(0);
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_become_the_bytes_that_were_marked() {
        let buffer = Buffer::new("a", 1 << 20, 1001).expect("memory");
        for granule in [1_u32, 2, 4] {
            let touches = Touches::new(&[&buffer], granule);
            let mut expected = vec![false; 1001];
            for (offset, bytes) in [(0, 4), (8, 4), (252, 300), (1000, 1), (640, 4), (252, 8)] {
                let touch = Touch {
                    is_store: true,
                    is_early: false,
                };
                touches.mark(0, offset, bytes, touch);
                let granule = granule as usize;
                let end = (offset + bytes).next_multiple_of(granule).min(1001);
                expected[offset / granule * granule..end].fill(true);
            }
            let found = touches.touched(&[&buffer]);
            assert!(found[0].read.is_empty());
            let mut marked = vec![false; 1001];
            for range in found[0].written.ranges() {
                marked[range.start as usize..range.end as usize].fill(true);
            }
            assert_eq!(marked, expected);
        }
    }
}
