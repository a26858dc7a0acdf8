//! The works of the chapter on caches: arrays that are read over and over, a table that is read while a stream passes, and a transpose for one row of threads.

use super::{distinct, with_smaller};
use crate::work::Work;

/// A piece: the 16 bytes that one access reads.
const WORDS: usize = 4;
pub(super) const PIECE_BYTES: usize = 16;
/// Pieces that a thread of [`ring`] reads, of [`ring_own`], of [`lookup`] from the stream, and of [`read_once`] at most.
const ROUNDS: usize = 128;
const OWN_ROUNDS: usize = 256;
const STREAM_ROUNDS: usize = 64;
const MOST_PIECES: usize = 64;
/// Threads of a block of [`ring_own`].
const OWN_BLOCK: usize = 1024;
/// Side of a tile of [`turn_tiles`].
const SIDE: usize = 32;

/// Distinct words, never zero. Quicker to make than the pattern of tasks: the arrays are large and there are many.
fn words(length: usize) -> Vec<u32> {
    let word = |i: usize| (i as u32 + 1).wrapping_mul(0x9E37_79B1);
    (0..length).map(word).collect()
}

/// The sum of each piece's words.
fn sums(words: &[u32]) -> Vec<u32> {
    let sum = |piece: &[u32]| {
        piece
            .iter()
            .fold(0, |sum: u32, word| sum.wrapping_add(*word))
    };
    words.chunks_exact(WORDS).map(sum).collect()
}

/// Adds `of(round, i, place)` to each element *i* in every round; places follow one another in a ring, through all rounds.
fn add_ring(y: &mut [u32], rounds: usize, length: usize, of: impl Fn(usize, usize, usize) -> u32) {
    for round in 0..rounds {
        let mut place = round * y.len() % length;
        for (i, sum) in y.iter_mut().enumerate() {
            *sum = sum.wrapping_add(of(round, i, place));
            place += 1;
            if place == length {
                place = 0;
            }
        }
    }
}

/// Pieces of so many bytes, and no more than are read.
fn pieces(bytes: usize, read: usize) -> usize {
    (bytes / PIECE_BYTES).min(read)
}

/// Pieces of the array of [`ring`].
pub(super) fn ring_pieces(items: usize, mib: usize) -> usize {
    pieces(mib << 20, items * ROUNDS)
}

/// Pieces that a block of [`ring_own`] has.
pub(super) fn own_pieces(kib: usize) -> usize {
    pieces(kib << 10, OWN_BLOCK * OWN_ROUNDS)
}

/// Pieces of the array of [`read_once`].
pub(super) fn read_pieces(items: usize, mib: usize) -> usize {
    pieces(mib << 20, items * MOST_PIECES)
}

/// Pieces of the table of [`lookup`].
pub(super) fn stream_pieces(items: usize, mib: usize) -> usize {
    pieces(mib << 20, items * STREAM_ROUNDS)
}

/// Tiles of the matrix of [`turn_tiles`], down and across.
pub(super) fn tiles(items: usize, across: usize) -> (usize, usize) {
    let tiles = (items / (SIDE * SIDE)).max(1);
    let across = across.min(tiles);
    (tiles / across, across)
}

/// `y[t]` is the sum of the words that thread *t* reads: 128 pieces of 16 bytes, piece `(t + k * items) % pieces` of `x` in
/// its turn *k*. `x` has so many MiB, or as much as is read if that is less. All threads together go through it in a ring.
///
/// Kernels take `(const uint4* x, unsigned* y, unsigned items, unsigned pieces)`.
pub fn ring(items: usize, mib: usize) -> Work {
    with_smaller(items, |items| {
        let pieces = ring_pieces(items, mib);
        let x = words(pieces * WORDS);
        let sums = sums(&x);
        let mut y = vec![0; items];
        add_ring(&mut y, ROUNDS, pieces, |_, _, place| sums[place]);
        let bytes = items * ROUNDS * PIECE_BYTES;
        Work::new(format!(
            "{items} threads read {} KiB over and over",
            pieces * PIECE_BYTES / 1024
        ))
        .input("x", &x)
        .output("y", &y)
        .value(items as u32)
        .value(pieces as u32)
        .moves(bytes as u64, 4 * items as u64)
    })
}

/// The same with 256 pieces a thread, and each block of 1024 threads has so many KiB of its own.
///
/// Kernels take `(const uint4* x, unsigned* y, unsigned items, unsigned pieces)`, with pieces of one block.
pub fn ring_own(items: usize, kib: usize) -> Work {
    with_smaller(items, |items| {
        let pieces = own_pieces(kib);
        let x = words(items.div_ceil(OWN_BLOCK) * pieces * WORDS);
        let sums = sums(&x);
        let mut y = vec![0_u32; items];
        for (i, sum) in y.iter_mut().enumerate() {
            let own = &sums[i / OWN_BLOCK * pieces..][..pieces];
            let mut place = i % OWN_BLOCK % pieces;
            for _ in 0..OWN_ROUNDS {
                *sum = sum.wrapping_add(own[place]);
                place += OWN_BLOCK % pieces;
                if place >= pieces {
                    place -= pieces;
                }
            }
        }
        let bytes = items * OWN_ROUNDS * PIECE_BYTES;
        Work::new(format!(
            "{items} threads, each block of {OWN_BLOCK} reads {kib} KiB of its own over and over"
        ))
        .input("x", &x)
        .output("y", &y)
        .value(items as u32)
        .value(pieces as u32)
        .moves(bytes as u64, 4 * items as u64)
    })
}

/// `y[t]` is the sum of the words in the pieces `t`, `t + items`, … of `x`, which has so many MiB, or 64 pieces a thread if
/// that is less.
///
/// Kernels take `(const uint4* x, unsigned* y, unsigned items, unsigned pieces)`.
pub fn read_once(items: usize, mib: usize) -> Work {
    with_smaller(items, |items| {
        let pieces = read_pieces(items, mib);
        let x = words(pieces * WORDS);
        let mut y = vec![0_u32; items];
        for (piece, sum) in sums(&x).into_iter().enumerate() {
            let own = &mut y[piece % items];
            *own = own.wrapping_add(sum);
        }
        let bytes = pieces * PIECE_BYTES;
        Work::new(format!("{items} threads read {} KiB once", bytes / 1024))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
            .value(pieces as u32)
            .moves(bytes as u64, 4 * items as u64)
    })
}

/// A stream passes a table: in its turn *k* of 64, thread *t* reads piece `t + k * items` of `x` and piece
/// `(t + k * items) % pieces` of `table`, and `y[t]` is the sum of their words' exclusive ors. The table has so many MiB, or
/// as much as is read if that is less.
///
/// Kernels take `(const uint4* x, const uint4* table, unsigned* y, unsigned items, unsigned pieces)`.
pub fn lookup(items: usize, mib: usize) -> Work {
    with_smaller(items, |items| {
        let pieces = stream_pieces(items, mib);
        let x = words(items * STREAM_ROUNDS * WORDS);
        let table: Vec<u32> = distinct(pieces * WORDS);
        let mut y = vec![0; items];
        add_ring(&mut y, STREAM_ROUNDS, pieces, |round, i, place| {
            let passing = &x[(round * items + i) * WORDS..][..WORDS];
            let looked_up = &table[place * WORDS..][..WORDS];
            let pairs = passing.iter().zip(looked_up);
            pairs.fold(0, |sum: u32, (a, b)| sum.wrapping_add(a ^ b))
        });
        let bytes = 2 * items * STREAM_ROUNDS * PIECE_BYTES;
        Work::new(format!(
            "{} KiB pass a table of {} KiB",
            bytes / 2048,
            pieces * PIECE_BYTES / 1024
        ))
        .input("x", &x)
        .input("table", &table)
        .output("y", &y)
        .value(items as u32)
        .value(pieces as u32)
        .moves(bytes as u64, 4 * items as u64)
    })
}

/// The transpose of a matrix of floats whose rows have so many tiles of 32 × 32, and which has as many whole rows of tiles
/// as there are items for; one tile at least.
///
/// Kernels take `(const float* in, float* out, unsigned rows, unsigned columns)`.
pub fn turn_tiles(items: usize, across: usize) -> Work {
    with_smaller(items, |items| {
        let (down, across) = tiles(items, across);
        let (rows, columns) = (down * SIDE, across * SIDE);
        let input: Vec<f32> = distinct(rows * columns);
        let turned = |i: usize| input[i % rows * columns + i / rows];
        let output: Vec<f32> = (0..rows * columns).map(turned).collect();
        Work::new(format!("a {rows} × {columns} matrix of floats turned"))
            .input("in", &input)
            .output("out", &output)
            .value(rows as u32)
            .value(columns as u32)
            .of(items)
    })
}
