//! What memory held before a first pass wrote to it, in case the launch is taken back.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::check::marks::SEGMENT;
use crate::memory::Buffer;

/// Words of a chunk: much larger than an entry, so that little is left over.
const CHUNK: usize = 1 << 16;
/// Chunks kept for the next launch: 64 MiB. New memory costs the host more time than what is written there.
const MOST_SPARE: usize = 256;
/// Words of an entry beside a segment's own: the buffer, and the segment's number there (two).
const HEAD: usize = 3;

/// Chunks of earlier launches.
static SPARE: Mutex<Vec<Vec<u32>>> = Mutex::new(Vec::new());

fn spare() -> MutexGuard<'static, Vec<Vec<u32>>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What one host thread's blocks overwrote, by segments.
///
/// A block takes down a segment before it writes there, and then tells that it has, unless another one told first: that
/// one's words are what the launch found there, since nobody writes before it has told.
#[derive(Debug)]
pub(crate) struct Undo {
    chunks: Vec<Vec<u32>>,
    /// Words of a segment.
    words: usize,
}

impl Undo {
    pub(super) fn new(granule: u32) -> Self {
        Self {
            chunks: Vec::new(),
            words: SEGMENT * granule as usize / 4,
        }
    }

    /// Takes down the words of a segment of a buffer.
    pub(super) fn note(&mut self, index: usize, buffer: &Buffer, segment: usize) {
        let first = segment * self.words;
        let words = &buffer.words[first..(first + self.words).min(buffer.words.len())];
        let length = self.words;
        let chunk = self.chunk();
        chunk.extend([index as u32, segment as u32, (segment as u64 >> 32) as u32]);
        let end = chunk.len() + length;
        chunk.extend(words.iter().map(|word| word.load(Relaxed)));
        chunk.resize(end, 0);
    }

    /// The last chunk, with room for an entry.
    fn chunk(&mut self) -> &mut Vec<u32> {
        let has_room = |chunk: &Vec<u32>| chunk.len() + HEAD + self.words <= CHUNK;
        if !self.chunks.last().is_some_and(has_room) {
            let chunk = spare().pop();
            self.chunks
                .push(chunk.unwrap_or_else(|| Vec::with_capacity(CHUNK)));
        }
        let last = self.chunks.len() - 1;
        &mut self.chunks[last]
    }

    /// Another block was first to take down the last segment.
    pub(super) fn withdraw(&mut self) {
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.truncate(chunk.len() - HEAD - self.words);
        }
    }

    /// Puts everything back.
    pub(super) fn restore(&self, buffers: &[&Buffer]) {
        let length = HEAD + self.words;
        let entries = self.chunks.iter();
        for entry in entries.flat_map(|chunk| chunk.chunks_exact(length)) {
            let (head, kept) = entry.split_at(HEAD);
            let segment = head[1] as usize | (u64::from(head[2]) << 32) as usize;
            let words = &buffers[head[0] as usize].words[segment * self.words..];
            for (word, kept) in words.iter().zip(kept) {
                word.store(*kept, Relaxed);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_overwritten_comes_back_but_for_what_was_withdrawn() {
        for granule in [1, 2, 4] {
            let segment = SEGMENT * granule as usize;
            // The last segment is cut off by the buffer's end.
            let bytes = 3 * segment - 4;
            let buffer = Buffer::new("a", 1 << 20, bytes).expect("memory");
            let held: Vec<u8> = (0..bytes).map(|at| (at % 255) as u8 + 1).collect();
            buffer.write(0, &held);
            let mut undo = Undo::new(granule);
            undo.note(0, &buffer, 0);
            undo.note(0, &buffer, 1);
            undo.withdraw();
            undo.note(0, &buffer, 2);
            buffer.write(0, &vec![0; bytes]);
            undo.restore(&[&buffer]);
            let mut found = vec![0; bytes];
            buffer.read(0, &mut found);
            for (at, found) in found.into_iter().enumerate() {
                let back = at / segment != 1;
                assert_eq!(found, if back { held[at] } else { 0 }, "{at} of {granule}");
            }
        }
    }
}
