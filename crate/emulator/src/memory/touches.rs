//! Which bytes of global memory a launch reads and writes: a bit for each granule, shared by its host threads.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::memory::Buffer;
use crate::touched::{Bytes, TouchedBuffer};

/// Granules of a word of bits.
const WORD: u64 = 64;

/// What a launch has touched so far.
#[derive(Debug)]
pub(crate) struct Touches {
    /// log2 of the bytes of a granule.
    scale: u32,
    /// In the order of the launch's buffers.
    buffers: Vec<BufferBits>,
}

#[derive(Debug)]
struct BufferBits {
    granules: u64,
    /// Made when first needed: what is read, and what is written.
    bits: [OnceLock<Box<[AtomicU64]>>; 2],
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
        }
    }

    /// Bytes of a buffer are read, or written.
    pub(crate) fn mark(&self, buffer: usize, offset: usize, bytes: usize, is_store: bool) {
        let Some(buffer) = self.buffers.get(buffer).filter(|_| bytes > 0) else {
            return;
        };
        let words = buffer.bits[usize::from(is_store)].get_or_init(|| {
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

    /// What was touched of the launch's buffers.
    pub(crate) fn touched(&self, buffers: &[&Buffer]) -> Vec<TouchedBuffer> {
        let pairs = self.buffers.iter().zip(buffers);
        let all = pairs.map(|(bits, buffer)| {
            let bytes = |kind: usize| {
                let words = bits.bits[kind].get().map_or(&[][..], |words| words);
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
                touches.mark(0, offset, bytes, true);
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
