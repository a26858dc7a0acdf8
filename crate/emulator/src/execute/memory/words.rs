//! Words of memory as the host holds them: global memory, which other threads use too, and a block's own.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Memory that words are loaded from.
pub(super) trait Load {
    fn load(&self, at: usize) -> u32;
    /// Loads the words from `first` on.
    fn load_run(&self, first: usize, out: &mut [u32]);
}

/// Memory that words are stored to.
pub(super) trait Store {
    fn store(&mut self, at: usize, value: u32);
    /// Stores one word after the other, from `first` on.
    fn store_run(&mut self, first: usize, values: &[u32]);
}

impl Load for [u32] {
    #[inline(always)]
    fn load(&self, at: usize) -> u32 {
        self[at]
    }

    #[inline(always)]
    fn load_run(&self, first: usize, out: &mut [u32]) {
        out.copy_from_slice(&self[first..first + out.len()]);
    }
}

impl Store for &mut [u32] {
    #[inline(always)]
    fn store(&mut self, at: usize, value: u32) {
        self[at] = value;
    }

    #[inline(always)]
    fn store_run(&mut self, first: usize, values: &[u32]) {
        self[first..first + values.len()].copy_from_slice(values);
    }
}

impl Load for [AtomicU32] {
    #[inline(always)]
    fn load(&self, at: usize) -> u32 {
        self[at].load(Relaxed)
    }

    #[inline(always)]
    fn load_run(&self, first: usize, out: &mut [u32]) {
        let words = &self[first..first + out.len()];
        run::load(words, out);
    }
}

impl Store for &[AtomicU32] {
    #[inline(always)]
    fn store(&mut self, at: usize, value: u32) {
        self[at].store(value, Relaxed);
    }

    #[inline(always)]
    fn store_run(&mut self, first: usize, values: &[u32]) {
        let words = &self[first..first + values.len()];
        run::store(words, values);
    }
}

/// Many atomic words in a row. The compiler moves them one by one, which is half of a transpose's time.
#[cfg(target_arch = "x86_64")]
mod run {
    use std::arch::asm;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use crate::execute::program::has_wide;

    /// Words before the first at a multiple of 16 bytes; all if four at a time cannot be.
    fn head(words: &[AtomicU32]) -> usize {
        let address = words.as_ptr() as usize;
        if has_wide() {
            ((16 - address % 16) % 16 / 4).min(words.len())
        } else {
            words.len()
        }
    }

    pub(super) fn load(words: &[AtomicU32], out: &mut [u32]) {
        let (before, words) = words.split_at(head(words));
        let (out_before, out) = out.split_at_mut(before.len());
        for (word, out) in before.iter().zip(out_before) {
            *out = word.load(Relaxed);
        }
        let (words, after) = words.as_chunks::<4>();
        let (out, out_after) = out.as_chunks_mut::<4>();
        for (words, out) in words.iter().zip(out) {
            // SAFETY: both are four words long. `words` is at a multiple of 16 bytes, where machines with AVX move
            // 16 bytes at once: to other threads these are four relaxed loads.
            unsafe {
                asm!(
                    "movaps {four}, [{from}]",
                    "movups [{to}], {four}",
                    four = out(xmm_reg) _,
                    from = in(reg) words.as_ptr(),
                    to = in(reg) out.as_mut_ptr(),
                    options(nostack, preserves_flags),
                );
            }
        }
        for (word, out) in after.iter().zip(out_after) {
            *out = word.load(Relaxed);
        }
    }

    pub(super) fn store(words: &[AtomicU32], values: &[u32]) {
        let (before, words) = words.split_at(head(words));
        let (values_before, values) = values.split_at(before.len());
        for (word, value) in before.iter().zip(values_before) {
            word.store(*value, Relaxed);
        }
        let (words, after) = words.as_chunks::<4>();
        let (values, values_after) = values.as_chunks::<4>();
        for (words, values) in words.iter().zip(values) {
            // SAFETY: as above, four relaxed stores; that `words` may be stored to says its type.
            unsafe {
                asm!(
                    "movups {four}, [{from}]",
                    "movaps [{to}], {four}",
                    four = out(xmm_reg) _,
                    from = in(reg) values.as_ptr(),
                    to = in(reg) words.as_ptr(),
                    options(nostack, preserves_flags),
                );
            }
        }
        for (word, value) in after.iter().zip(values_after) {
            word.store(*value, Relaxed);
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod run {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    pub(super) fn load(words: &[AtomicU32], out: &mut [u32]) {
        for (word, out) in words.iter().zip(out) {
            *out = word.load(Relaxed);
        }
    }

    pub(super) fn store(words: &[AtomicU32], values: &[u32]) {
        for (word, value) in words.iter().zip(values) {
            word.store(*value, Relaxed);
        }
    }
}
