//! What memory held before a first pass wrote to it, in case the launch is taken back.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::check::clocks::each;
use crate::check::marks::SEGMENT;
use crate::memory::Buffer;

/// Words of a chunk: much larger than an entry, so that little is left over.
const CHUNK: usize = 1 << 16;
/// Chunks kept for the next launch: 64 MiB. New memory costs the host more time than what is written there.
const MOST_SPARE: usize = 256;

/// Chunks of earlier launches.
static SPARE: Mutex<Vec<Vec<u32>>> = Mutex::new(Vec::new());

fn spare() -> MutexGuard<'static, Vec<Vec<u32>>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}
/// Words of an entry beside those that it keeps: the buffer, the first word there (two), the granules whose words it
/// keeps, those that count.
const HEAD: usize = 5;

/// What one host thread's blocks overwrote.
///
/// A block notes what it will overwrite before it tells the others that it will. So the first of them to tell has noted
/// what the launch found there; the others withdraw.
#[derive(Debug, Default)]
pub(crate) struct Undo {
    chunks: Vec<Vec<u32>>,
    /// Where the last entry starts in the last chunk.
    last: usize,
}

impl Undo {
    /// Takes down the words of a segment, at an offset of the buffer, that these granules lie in.
    pub(super) fn note(
        &mut self,
        index: usize,
        buffer: &Buffer,
        offset: usize,
        mask: u32,
        granule: u32,
    ) {
        let per_word = 4 / granule;
        let words = SEGMENT / per_word as usize;
        let has_room = |chunk: &Vec<u32>| chunk.len() + HEAD + words <= CHUNK;
        if !self.chunks.last().is_some_and(has_room) {
            let chunk = spare().pop();
            self.chunks
                .push(chunk.unwrap_or_else(|| Vec::with_capacity(CHUNK)));
        }
        let Some(chunk) = self.chunks.last_mut() else {
            return;
        };
        let first = offset / 4;
        self.last = chunk.len();
        chunk.extend([
            index as u32,
            first as u32,
            (first as u64 >> 32) as u32,
            mask,
            mask,
        ]);
        let here = &buffer.words[first..(first + words).min(buffer.words.len())];
        if mask == u32::MAX && here.len() == words {
            chunk.extend(here.iter().map(|word| word.load(Relaxed)));
            return;
        }
        for word in words_of(mask, granule) {
            chunk.push(here.get(word).map_or(0, |word| word.load(Relaxed)));
        }
    }

    /// Of what was noted last, these granules were taken down by others before.
    pub(super) fn withdraw(&mut self, mask: u32) {
        if let Some(chunk) = self.chunks.last_mut() {
            chunk[self.last + 4] &= !mask;
        }
    }

    /// Puts everything back.
    pub(super) fn restore(&self, buffers: &[&Buffer], granule: u32) {
        for mut rest in self.chunks.iter().map(Vec::as_slice) {
            while let Some((head, kept)) = rest.split_at_checked(HEAD) {
                let first = head[1] as usize | (u64::from(head[2]) << 32) as usize;
                let words = &buffers[head[0] as usize].words;
                let mut count = 0;
                for (word, value) in words_of(head[3], granule).zip(kept) {
                    count += 1;
                    if let Some(place) = words.get(first + word) {
                        let field = field(head[4], word, granule);
                        place.store(place.load(Relaxed) & !field | value & field, Relaxed);
                    }
                }
                rest = &kept[count..];
            }
        }
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        if self.chunks.is_empty() {
            return;
        }
        let mut spare = spare();
        let room = MOST_SPARE.saturating_sub(spare.len());
        spare.extend(self.chunks.drain(..).take(room).map(|mut chunk| {
            chunk.clear();
            chunk
        }));
    }
}

/// The words of a segment that granules lie in.
fn words_of(mask: u32, granule: u32) -> impl Iterator<Item = usize> {
    let per_word = 4 / granule as usize;
    each(u32::MAX >> (32 - SEGMENT / per_word)).filter(move |word| {
        let here = mask >> (word * per_word);
        here & ((1 << per_word) - 1) != 0
    })
}

/// The bits of a word of a segment that belong to granules.
fn field(mask: u32, word: usize, granule: u32) -> u32 {
    let per_word = 4 / granule as usize;
    let bits = u32::MAX >> (32 - 8 * granule);
    (0..per_word)
        .filter(|index| mask & (1 << (word * per_word + index)) != 0)
        .fold(0, |field, index| {
            field | bits << (8 * granule as usize * index)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_overwritten_comes_back_but_for_what_was_withdrawn() {
        for granule in [1, 2, 4] {
            let bytes = 2 * SEGMENT * granule as usize;
            let buffer = Buffer::new("a", 1 << 20, bytes).expect("memory");
            let held: Vec<u8> = (0..bytes).map(|at| (at % 255) as u8 + 1).collect();
            buffer.write(0, &held);
            let mut undo = Undo::default();
            undo.note(0, &buffer, 0, 0b1010_0110, granule);
            undo.note(0, &buffer, bytes / 2, !0, granule);
            undo.withdraw(1 << 31);
            buffer.write(0, &vec![0; bytes]);
            undo.restore(&[&buffer], granule);
            let mut found = vec![0; bytes];
            buffer.read(0, &mut found);
            for (at, found) in found.into_iter().enumerate() {
                let index = at / granule as usize;
                let back = match index {
                    0..SEGMENT => 0b1010_0110 & (1u64 << index) != 0,
                    index => index + 1 < 2 * SEGMENT,
                };
                assert_eq!(found, if back { held[at] } else { 0 }, "{at} of {granule}");
            }
        }
    }
}
