//! Words of memory as the host holds them: global memory, which other threads use too, and a block's own.

use std::hint::black_box;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::machine::pattern::{RUN, RUNS};
use crate::program::kinds::WARP;

/// Lanes whose words change places at once.
pub(super) const BLOCK: usize = 8;

/// Exchanges rows and columns. Written out, and of what lies in memory: so the compiler makes vector instructions of it,
/// where else it moves word by word.
#[inline(always)]
pub(super) fn turned<const N: usize>(rows: &[[u32; N]; BLOCK]) -> [[u32; BLOCK]; N] {
    let r = black_box(rows);
    let mut out = [[0; BLOCK]; N];
    for k in 0..N {
        out[k] = [
            r[0][k], r[1][k], r[2][k], r[3][k], r[4][k], r[5][k], r[6][k], r[7][k],
        ];
    }
    out
}

/// Memory that words are loaded from.
pub(super) trait Load: Copy {
    fn load(&self, at: usize) -> u32;
    /// Loads the words from `first` on.
    fn load_run(&self, first: usize, out: &mut [u32]);
    /// So many words from `first` on.
    fn part(&self, first: usize, count: usize) -> Self;
}

/// Memory that words are stored to.
pub(super) trait Store {
    fn store(&mut self, at: usize, value: u32);
    /// Stores one word after the other, from `first` on.
    fn store_run(&mut self, first: usize, values: &[u32]);
    /// So many words from `first` on.
    fn part(&mut self, first: usize, count: usize) -> impl Store;
}

impl Load for &[u32] {
    #[inline(always)]
    fn load(&self, at: usize) -> u32 {
        self[at]
    }
    #[inline(always)]
    fn load_run(&self, first: usize, out: &mut [u32]) {
        copy(&self[first..first + out.len()], out);
    }
    #[inline(always)]
    fn part(&self, first: usize, count: usize) -> Self {
        &self[first..first + count]
    }
}

impl Store for &mut [u32] {
    #[inline(always)]
    fn store(&mut self, at: usize, value: u32) {
        self[at] = value;
    }
    #[inline(always)]
    fn store_run(&mut self, first: usize, values: &[u32]) {
        copy(values, &mut self[first..first + values.len()]);
    }
    #[inline(always)]
    fn part(&mut self, first: usize, count: usize) -> impl Store {
        &mut self[first..first + count]
    }
}

impl Load for &[AtomicU32] {
    #[inline(always)]
    fn load(&self, at: usize) -> u32 {
        self[at].load(Relaxed)
    }
    #[inline(always)]
    fn load_run(&self, first: usize, out: &mut [u32]) {
        let words = &self[first..first + out.len()];
        if out.len() <= 4 {
            for (word, out) in words.iter().zip(out) {
                *out = word.load(Relaxed);
            }
            return;
        }
        run::load(words, out);
    }
    #[inline(always)]
    fn part(&self, first: usize, count: usize) -> Self {
        &self[first..first + count]
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
    #[inline(always)]
    fn part(&mut self, first: usize, count: usize) -> impl Store {
        &self[first..first + count]
    }
}

/// Copies words, in whole rows where they are many: rows need no call.
#[inline(always)]
fn copy(from: &[u32], to: &mut [u32]) {
    let (from_rows, from) = from.as_chunks::<WARP>();
    let (to_rows, to) = to.as_chunks_mut::<WARP>();
    for (from, to) in from_rows.iter().zip(to_rows) {
        *to = *from;
    }
    if !to.is_empty() {
        to.copy_from_slice(from);
    }
}

/// Loads four words from each of `starts` on; false, and nothing done, if that cannot be done at once.
#[inline(always)]
pub(super) fn load_runs(
    words: &[AtomicU32],
    starts: &[u32; RUNS],
    out: &mut [[u32; RUN]; RUNS],
) -> bool {
    if !run::is_aligned(words, starts[0]) {
        return false;
    }
    for (start, out) in starts.iter().zip(out) {
        match words[*start as usize..].as_chunks::<RUN>().0.first() {
            Some(words) => run::load_four(words, out),
            None => return false,
        }
    }
    true
}

/// Stores four words from each of `starts` on; false, and nothing done, if that cannot be done at once.
#[inline(always)]
pub(super) fn store_runs(
    words: &[AtomicU32],
    starts: &[u32; RUNS],
    values: &[[u32; RUN]; RUNS],
) -> bool {
    if !run::is_aligned(words, starts[0]) {
        return false;
    }
    for (start, values) in starts.iter().zip(values) {
        match words[*start as usize..].as_chunks::<RUN>().0.first() {
            Some(words) => run::store_four(words, values),
            None => return false,
        }
    }
    true
}

/// Many atomic words in a row. The compiler moves them one by one, which is half of a transpose's time.
#[cfg(target_arch = "x86_64")]
mod run {
    use std::arch::asm;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use crate::machine::inst::has_wide;

    /// Words before the first at a multiple of 16 bytes; all if four at a time cannot be.
    fn head(words: &[AtomicU32]) -> usize {
        let address = words.as_ptr() as usize;
        if has_wide() {
            ((16 - address % 16) % 16 / 4).min(words.len())
        } else {
            words.len()
        }
    }

    /// Whether four words from `start` on are moved at once.
    pub(super) fn is_aligned(words: &[AtomicU32], start: u32) -> bool {
        let address = words.as_ptr().wrapping_add(start as usize) as usize;
        has_wide() && address.is_multiple_of(16)
    }

    /// Only for words at a multiple of 16 bytes, on machines with AVX.
    #[inline(always)]
    pub(super) fn load_four(words: &[AtomicU32; 4], out: &mut [u32; 4]) {
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

    /// Only for words at a multiple of 16 bytes, on machines with AVX.
    #[inline(always)]
    pub(super) fn store_four(words: &[AtomicU32; 4], values: &[u32; 4]) {
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

    pub(super) fn load(words: &[AtomicU32], out: &mut [u32]) {
        let (before, words) = words.split_at(head(words));
        let (out_before, out) = out.split_at_mut(before.len());
        for (word, out) in before.iter().zip(out_before) {
            *out = word.load(Relaxed);
        }
        let (rows, words) = words.as_chunks::<32>();
        let (out_rows, out) = out.as_chunks_mut::<32>();
        for (words, out) in rows.iter().zip(out_rows) {
            // SAFETY: both are 32 words long; otherwise as above.
            unsafe {
                asm!(
                    "movaps {a}, [{from}]",
                    "movaps {b}, [{from} + 16]",
                    "movaps {c}, [{from} + 32]",
                    "movaps {d}, [{from} + 48]",
                    "movups [{to}], {a}",
                    "movups [{to} + 16], {b}",
                    "movups [{to} + 32], {c}",
                    "movups [{to} + 48], {d}",
                    "movaps {a}, [{from} + 64]",
                    "movaps {b}, [{from} + 80]",
                    "movaps {c}, [{from} + 96]",
                    "movaps {d}, [{from} + 112]",
                    "movups [{to} + 64], {a}",
                    "movups [{to} + 80], {b}",
                    "movups [{to} + 96], {c}",
                    "movups [{to} + 112], {d}",
                    a = out(xmm_reg) _,
                    b = out(xmm_reg) _,
                    c = out(xmm_reg) _,
                    d = out(xmm_reg) _,
                    from = in(reg) words.as_ptr(),
                    to = in(reg) out.as_mut_ptr(),
                    options(nostack, preserves_flags),
                );
            }
        }
        let (words, after) = words.as_chunks::<4>();
        let (out, out_after) = out.as_chunks_mut::<4>();
        for (words, out) in words.iter().zip(out) {
            load_four(words, out);
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
        let (rows, words) = words.as_chunks::<32>();
        let (values_rows, values) = values.as_chunks::<32>();
        for (words, values) in rows.iter().zip(values_rows) {
            // SAFETY: both are 32 words long; otherwise as above.
            unsafe {
                asm!(
                    "movups {a}, [{from}]",
                    "movups {b}, [{from} + 16]",
                    "movups {c}, [{from} + 32]",
                    "movups {d}, [{from} + 48]",
                    "movaps [{to}], {a}",
                    "movaps [{to} + 16], {b}",
                    "movaps [{to} + 32], {c}",
                    "movaps [{to} + 48], {d}",
                    "movups {a}, [{from} + 64]",
                    "movups {b}, [{from} + 80]",
                    "movups {c}, [{from} + 96]",
                    "movups {d}, [{from} + 112]",
                    "movaps [{to} + 64], {a}",
                    "movaps [{to} + 80], {b}",
                    "movaps [{to} + 96], {c}",
                    "movaps [{to} + 112], {d}",
                    a = out(xmm_reg) _,
                    b = out(xmm_reg) _,
                    c = out(xmm_reg) _,
                    d = out(xmm_reg) _,
                    from = in(reg) values.as_ptr(),
                    to = in(reg) words.as_ptr(),
                    options(nostack, preserves_flags),
                );
            }
        }
        let (words, after) = words.as_chunks::<4>();
        let (values, values_after) = values.as_chunks::<4>();
        for (words, values) in words.iter().zip(values) {
            store_four(words, values);
        }
        for (word, value) in after.iter().zip(values_after) {
            word.store(*value, Relaxed);
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod run {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    pub(super) fn is_aligned(_words: &[AtomicU32], _start: u32) -> bool {
        false
    }

    #[inline(always)]
    pub(super) fn load_four(words: &[AtomicU32; 4], out: &mut [u32; 4]) {
        // Written out: made small, a loop stays one.
        let [a, b, c, d] = words;
        *out = [
            a.load(Relaxed),
            b.load(Relaxed),
            c.load(Relaxed),
            d.load(Relaxed),
        ];
    }

    #[inline(always)]
    pub(super) fn store_four(words: &[AtomicU32; 4], values: &[u32; 4]) {
        let [a, b, c, d] = words;
        a.store(values[0], Relaxed);
        b.store(values[1], Relaxed);
        c.store(values[2], Relaxed);
        d.store(values[3], Relaxed);
    }

    pub(super) fn load(words: &[AtomicU32], out: &mut [u32]) {
        let ((words, after), (out, out_after)) = (words.as_chunks(), out.as_chunks_mut());
        for (words, out) in words.iter().zip(out) {
            load_four(words, out);
        }
        for (word, out) in after.iter().zip(out_after) {
            *out = word.load(Relaxed);
        }
    }

    pub(super) fn store(words: &[AtomicU32], values: &[u32]) {
        let ((words, after), (values, values_after)) = (words.as_chunks(), values.as_chunks());
        for (words, values) in words.iter().zip(values) {
            store_four(words, values);
        }
        for (word, value) in after.iter().zip(values_after) {
            word.store(*value, Relaxed);
        }
    }
}
