//! Moves whole warps' words between memory and registers, in runs where lanes lie side by side. Where they lie is the plan's affair.

use crate::machine::lanes::Column;
use crate::machine::pattern::Pattern;
use crate::machine::row::Row;
use crate::operations::memory::elements::Stored;
use crate::operations::memory::fast::plan::Plan;
use crate::operations::memory::fast::steps::{Chunks, Warps};
use crate::operations::memory::words::{BLOCK, Load, Store, turned};
use crate::program::kinds::{GROUP_WARPS, WARP};

impl<const GLOBAL: bool, const WORDS: usize> Plan<'_, GLOBAL, WORDS> {
    /// The row of a register of which all lanes load the same.
    #[inline(always)]
    pub(super) fn uniform<T: Stored>(&self, words: impl Load, register: usize) -> Row<T> {
        let per_register = size_of::<T>() / 4;
        let mut base = [T::default(); GROUP_WARPS];
        for (warp, base) in base.iter_mut().enumerate() {
            if self.done & (1 << warp) != 0 {
                *base = word(words, self.lowest[warp] + register * per_register);
            }
        }
        Row::uniform(base)
    }

    /// Loads `WORDS` words for each lane of these warps.
    #[inline(always)]
    pub(super) fn load<T: Stored>(
        &self,
        words: impl Load,
        warps: u32,
        pattern: &Pattern,
        out: &mut [Column<T>; 4],
    ) {
        let per_register = size_of::<T>() / 4;
        let registers = WORDS / per_register;
        let mut before: Option<usize> = None;
        for warp in Warps(warps) {
            let (first, at) = (self.lowest[warp], warp * WARP);
            // Warps that multiply by the same tile load the same of it.
            if let Some(before) = before.filter(|before| self.lowest[*before] == first) {
                for out in out.iter_mut().take(registers) {
                    out.copy_within(before * WARP..(before + 1) * WARP, at);
                }
                continue;
            }
            before = Some(warp);
            let words = words.part(first, pattern.length_words());
            if pattern.same >= 4 {
                for (register, out) in out.iter_mut().enumerate().take(registers) {
                    for lane in Chunks::of(pattern.same) {
                        let from = pattern.words[lane] as usize;
                        let value = word(words, from + register * per_register);
                        out[at + lane..][..pattern.same].fill(value);
                    }
                }
                continue;
            }
            if let (1, Some(out)) = (WORDS, T::as_words_mut(&mut out[0][at..at + WARP])) {
                if pattern.run < 4 {
                    for (out, from) in out.iter_mut().zip(pattern.words.iter()) {
                        *out = words.load(*from as usize);
                    }
                    continue;
                }
                for lane in Chunks::of(pattern.run) {
                    let from = pattern.words[lane] as usize;
                    words.load_run(from, &mut out[lane..][..pattern.run]);
                }
                continue;
            }
            let mut run = [[0u32; WORDS]; WARP];
            for lane in Chunks::of(pattern.run) {
                let from = pattern.words[lane] as usize;
                words.load_run(from, run[lane..][..pattern.run].as_flattened_mut());
            }
            if take_words_apart(&run, out, at) {
                continue;
            }
            take_apart::<T, WORDS, 0>(&run, out, at);
            take_apart::<T, WORDS, 1>(&run, out, at);
            take_apart::<T, WORDS, 2>(&run, out, at);
            take_apart::<T, WORDS, 3>(&run, out, at);
        }
    }

    /// Stores `WORDS` words for each lane of these warps.
    #[inline(always)]
    pub(super) fn store<T: Stored>(
        &self,
        mut words: impl Store,
        warps: u32,
        pattern: &Pattern,
        sources: &[&[T]; 4],
    ) {
        let per_register = size_of::<T>() / 4;
        let registers = WORDS / per_register;
        for warp in Warps(warps) {
            let (first, at) = (self.lowest[warp], warp * WARP);
            let mut words = words.part(first, pattern.length_words());
            if pattern.run < 4 {
                for (register, source) in sources.iter().enumerate().take(registers) {
                    let source = &source[at..at + WARP];
                    for (value, from) in source.iter().zip(pattern.words.iter()) {
                        put(&mut words, *from as usize + register * per_register, *value);
                    }
                }
                continue;
            }
            if let (1, Some(source)) = (WORDS, T::as_words(&sources[0][at..at + WARP])) {
                for lane in Chunks::of(pattern.run) {
                    let from = pattern.words[lane] as usize;
                    words.store_run(from, &source[lane..][..pattern.run]);
                }
                continue;
            }
            let mut run = [[0u32; WORDS]; WARP];
            put_together::<T, WORDS, 0>(&mut run, sources, at);
            put_together::<T, WORDS, 1>(&mut run, sources, at);
            put_together::<T, WORDS, 2>(&mut run, sources, at);
            put_together::<T, WORDS, 3>(&mut run, sources, at);
            for lane in Chunks::of(pattern.run) {
                let from = pattern.words[lane] as usize;
                words.store_run(from, run[lane..][..pattern.run].as_flattened());
            }
        }
    }
}

/// The register that starts at a word.
#[inline(always)]
fn word<T: Stored>(words: impl Load, at: usize) -> T {
    let high = if size_of::<T>() > 4 {
        words.load(at + 1)
    } else {
        0
    };
    T::joined(words.load(at), high)
}

/// Moves all registers of a vector load out of the words of each lane, if each is a word; else false.
#[inline(always)]
fn take_words_apart<T: Stored, const WORDS: usize>(
    run: &[[u32; WORDS]; WARP],
    out: &mut [Column<T>; 4],
    at: usize,
) -> bool {
    if size_of::<T>() != 4 {
        return false;
    }
    for (block, lanes) in run.as_chunks::<BLOCK>().0.iter().enumerate() {
        for (out, values) in out.iter_mut().zip(turned(lanes)) {
            let at = at + block * BLOCK;
            if let Some(out) = T::as_words_mut(&mut out[at..at + BLOCK]) {
                out.copy_from_slice(&values);
            }
        }
    }
    true
}

/// Moves register `REGISTER` of a vector load out of the words of each lane.
#[inline(always)]
fn take_apart<T: Stored, const WORDS: usize, const REGISTER: usize>(
    run: &[[u32; WORDS]; WARP],
    out: &mut [Column<T>; 4],
    at: usize,
) {
    let per_register = size_of::<T>() / 4;
    let first = REGISTER * per_register;
    if first < WORDS {
        for (out, words) in out[REGISTER][at..at + WARP].iter_mut().zip(run) {
            *out = T::joined(
                words[first],
                words[(first + per_register - 1).min(WORDS - 1)],
            );
        }
    }
}

/// Moves register `REGISTER` of a vector store into the words of each lane.
#[inline(always)]
fn put_together<T: Stored, const WORDS: usize, const REGISTER: usize>(
    run: &mut [[u32; WORDS]; WARP],
    sources: &[&[T]; 4],
    at: usize,
) {
    let per_register = size_of::<T>() / 4;
    let first = REGISTER * per_register;
    if first < WORDS {
        for (words, value) in run.iter_mut().zip(&sources[REGISTER][at..at + WARP]) {
            words[first] = value.low();
            if per_register > 1 && first + 1 < WORDS {
                words[first + 1] = value.high();
            }
        }
    }
}

/// Stores a register from a word on.
#[inline(always)]
fn put<T: Stored>(words: &mut impl Store, at: usize, value: T) {
    words.store(at, value.low());
    if size_of::<T>() > 4 {
        words.store(at + 1, value.high());
    }
}
