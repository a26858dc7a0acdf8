//! The works of the chapter on shared memory: sums of rows and columns, reads again and again, windows, and matrices that are turned.

use super::atomics::drawn;
use super::{distinct, with_few};
use crate::work::Work;

/// Side of the matrices that are summed, and of a tile.
const SIDE: usize = 32;

/// Sums of 32 numbers each, a multiple of `across` apart, in 32 × 32 matrices: exact, since all are small whole numbers.
fn sums(items: usize, what: &str, along: usize, across: usize) -> Work {
    with_few(items, 203, |items| {
        let numbers: Vec<f32> = (0..items * SIDE * SIDE).map(|i| drawn(i) as f32).collect();
        let sum = |line: usize| -> f32 {
            let first = line / SIDE * SIDE * SIDE + line % SIDE * across;
            (0..SIDE).map(|k| numbers[first + k * along]).sum()
        };
        let sums: Vec<f32> = (0..items * SIDE).map(sum).collect();
        Work::new(format!(
            "the sums of the {what} of {items} matrices of 32 × 32"
        ))
        .input("matrices", &numbers)
        .output("sums", &sums)
        .value(items as u32)
        .of(items)
    })
}

/// The sum of each row of so many 32 × 32 matrices, one after the other.
///
/// Kernels take `(const float* matrices, float* sums, unsigned items)`.
pub fn sums_of_rows(items: usize) -> Work {
    sums(items, "rows", 1, SIDE)
}

/// The sum of each column.
///
/// Kernels take the same.
pub fn column_sums(items: usize) -> Work {
    sums(items, "columns", SIDE, 1)
}

/// Threads of a block that reads, rounds, and reads in a round.
const READERS: usize = 256;
const ROUNDS: usize = 16;
const READS: usize = 16;
/// Elements at which a round may begin, and those behind the last one's beginning.
const BEGINNINGS: usize = 1024;
const BEHIND: usize = 512;

/// Every thread adds up 256 elements of so many words: in each of 16 rounds the 16 that lie 32 elements apart from one
/// that is `stride` from its neighbour's. All blocks read the same; each adds the number of the item.
fn reads(items: usize, stride: usize, words: usize) -> Work {
    with_few(items, 1000, |items| {
        let numbers: Vec<u32> = distinct((BEGINNINGS + BEHIND) * words);
        let element = |at: usize| {
            let parts = numbers[at * words..(at + 1) * words].iter();
            parts.fold(0_u32, |sum, word| sum.wrapping_add(*word))
        };
        let elements: Vec<u32> = (0..BEGINNINGS + BEHIND).map(element).collect();
        let of_thread = |thread: usize| {
            let mut sum = 0_u32;
            for round in 0..ROUNDS {
                let first = (thread * stride + round) % BEGINNINGS;
                let read = (0..READS).map(|k| elements[first + k * 32]);
                sum = read.fold(sum, u32::wrapping_add);
            }
            sum
        };
        let of_threads: Vec<u32> = (0..READERS).map(of_thread).collect();
        let result = |i: usize| of_threads[i % READERS].wrapping_add(i as u32);
        let results: Vec<u32> = (0..items).map(result).collect();
        let bytes = 4 * words;
        Work::new(format!(
            "{items} sums of 256 elements of {bytes} bytes, {stride} apart"
        ))
        .input("elements", &numbers)
        .output("sums", &results)
        .value(items as u32)
        .value(stride as u32)
        .of(items)
    })
}

/// Sums of elements of 4 bytes from shared memory.
///
/// Kernels take `(const unsigned* elements, unsigned* sums, unsigned items, unsigned stride)`.
pub fn reads_4(items: usize, stride: usize) -> Work {
    reads(items, stride, 1)
}

/// The same of 8 bytes.
pub fn reads_8(items: usize, stride: usize) -> Work {
    reads(items, stride, 2)
}

/// The same of 16 bytes.
pub fn reads_16(items: usize, stride: usize) -> Work {
    reads(items, stride, 4)
}

/// `y[i]` is the sum of `width` neighbours from `x[i]` on: exact, since all are small whole numbers.
///
/// Kernels take `(const float* x, float* y, unsigned items, unsigned width)`.
pub fn window(items: usize, width: usize) -> Work {
    with_few(items, 5000, |items| {
        let numbers: Vec<i32> = (0..items + width - 1).map(drawn).collect();
        let mut sum: i32 = numbers[..width].iter().sum();
        let mut y = vec![sum as f32];
        for (before, after) in numbers.iter().zip(&numbers[width..]) {
            sum += after - before;
            y.push(sum as f32);
        }
        let x: Vec<f32> = numbers.iter().map(|number| *number as f32).collect();
        let bytes = 4 * items as u64;
        Work::new(format!("{items} sums of {width} neighbours"))
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
            .value(width as u32)
            .moves(bytes, bytes)
    })
}

/// The transpose of a matrix of 32 rows and 32 columns for each item.
///
/// Kernels take `(const float* in, float* out, unsigned items)`.
pub fn turn(items: usize) -> Work {
    with_few(items, 203, |items| {
        let columns = SIDE * items;
        let matrix: Vec<f32> = distinct(SIDE * columns);
        let turned = |i: usize| matrix[i % SIDE * columns + i / SIDE];
        let turned: Vec<f32> = (0..SIDE * columns).map(turned).collect();
        Work::new(format!("the transpose of a matrix of 32 × {columns}"))
            .input("in", &matrix)
            .output("out", &turned)
            .value(items as u32)
            .of(items)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_runtime::{Device, Kernel};

    #[test]
    fn a_padded_column_takes_the_conflicts_from_the_rows() {
        let count = |id: &str, work: Work| {
            let kernel = Kernel::registered(id).unwrap();
            let run = work.run(&Device::emulator(), &kernel, 3, 256).unwrap();
            let loads = run.counters.shared_load_wavefronts / run.counters.shared_load_instructions;
            let stores =
                run.counters.shared_store_wavefronts / run.counters.shared_store_instructions;
            (loads, stores)
        };
        assert_eq!(count("row_sums_32", sums_of_rows(19)), (32, 1));
        assert_eq!(count("row_sums_33", sums_of_rows(19)), (1, 1));
        assert_eq!(count("column_sums_32", column_sums(19)), (1, 1));
        assert_eq!(count("column_sums_33", column_sums(19)), (1, 1));
    }
}
