//! What lies behind each state space, as one lane at a time accesses it. Runs of words for whole warps are in `words`.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Words of some memory.
pub(super) trait Words {
    fn load(&self, at: usize) -> u32;
    fn store(&mut self, at: usize, value: u32);
    /// Stores the bits of `value` that are set in `field`.
    fn merge(&mut self, at: usize, field: u32, value: u32);
}

/// Memory that other threads use too.
pub(super) struct Shared<'w>(pub(super) &'w [AtomicU32]);

impl Words for Shared<'_> {
    #[inline(always)]
    fn load(&self, at: usize) -> u32 {
        self.0[at].load(Relaxed)
    }
    #[inline(always)]
    fn store(&mut self, at: usize, value: u32) {
        self.0[at].store(value, Relaxed);
    }
    #[inline(always)]
    fn merge(&mut self, at: usize, field: u32, value: u32) {
        // Another thread may store the other bytes of this word.
        let _ = self.0[at].fetch_update(Relaxed, Relaxed, |old| Some((old & !field) | value));
    }
}

/// Memory of this worker's block.
pub(super) struct Owned<'w>(pub(super) &'w mut [u32]);

impl Words for Owned<'_> {
    #[inline(always)]
    fn load(&self, at: usize) -> u32 {
        self.0[at]
    }
    #[inline(always)]
    fn store(&mut self, at: usize, value: u32) {
        self.0[at] = value;
    }
    #[inline(always)]
    fn merge(&mut self, at: usize, field: u32, value: u32) {
        self.0[at] = (self.0[at] & !field) | value;
    }
}

/// One lane's part of a group's local memory.
pub(super) struct Interleaved<'w> {
    pub(super) words: &'w mut [u32],
    pub(super) stride: usize,
    pub(super) lane: usize,
}

impl Words for Interleaved<'_> {
    fn load(&self, at: usize) -> u32 {
        self.words[at * self.stride + self.lane]
    }
    fn store(&mut self, at: usize, value: u32) {
        self.words[at * self.stride + self.lane] = value;
    }
    fn merge(&mut self, at: usize, field: u32, value: u32) {
        let word = &mut self.words[at * self.stride + self.lane];
        *word = (*word & !field) | value;
    }
}

/// Memory that cannot be stored to; the caller has checked that nothing is.
pub(super) struct Constant<'w>(pub(super) &'w [u32]);

impl Words for Constant<'_> {
    fn load(&self, at: usize) -> u32 {
        self.0[at]
    }
    fn store(&mut self, _at: usize, _value: u32) {}
    fn merge(&mut self, _at: usize, _field: u32, _value: u32) {}
}
