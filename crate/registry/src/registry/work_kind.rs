//! The works of the book by their names, and what parameters they take. What each of them is, is said in `works`.

use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// The enum, its names in the registry and the values of its parameters: 0 alone for a work that has none.
macro_rules! kinds {
    ($($kind:ident $name:literal $parameters:expr, $doc:literal;)*) => {
        /// A work of the book by its name in the registry. Each is a function of that name in `cornerturn::works`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum WorkKind {
            $(#[doc = $doc] #[serde(rename = $name)] $kind,)*
        }

        impl WorkKind {
            /// All of them, in the order of the chapters.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The name, as in the registry.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// The values that its parameter may have; only 0 for a work without one.
            pub const fn parameters(self) -> RangeInclusive<u32> {
                match self {
                    $(Self::$kind => $parameters,)*
                }
            }
        }
    };
}

kinds! {
    Gather "gather" 1..=1024, "Reads with a stride, the parameter.";
    Shift "shift" 0..=31, "Reads from an offset on, the parameter.";
    Permute "permute" 0..=0, "Reads permuted within a line.";
    DriftAos "drift_aos" 0..=0, "Particles as an array of structures.";
    DriftSoa "drift_soa" 0..=0, "Particles as a structure of arrays.";
    Branch "branch" 1..=256, "Two long branches; so many threads side by side take the same one.";
    LightBranch "light_branch" 1..=256, "Two branches of one operation; the same.";
    Steps "steps" 0..=2, "A loop whose length depends on the number; the order in which the numbers lie.";
    Count "count" 0..=0, "How many numbers are odd.";
    Histogram "histogram" 1..=1 << 20, "A histogram with so many bins.";
    HistogramSorted "histogram_sorted" 1..=1 << 20, "The same, of sorted numbers.";
    HistogramInTurn "histogram_in_turn" 1..=1 << 20, "The same, of numbers that meet the bins in turn.";
    Walk "walk" 0..=0, "A chain of atomics, each of which needs the one before.";
    Sum "sum" 0..=0, "A sum of floats that are whole numbers.";
    SumsOfRows "sums_of_rows" 0..=0, "The sums of the rows of small matrices.";
    ColumnSums "column_sums" 0..=0, "The sums of their columns.";
    Reads4 "reads_4" 0..=64, "Many reads of 4 bytes from shared memory; neighbours are so many elements apart.";
    Reads8 "reads_8" 0..=64, "The same of 8 bytes.";
    Reads16 "reads_16" 0..=64, "The same of 16 bytes.";
    Window "window" 1..=128, "Sums of so many neighbours.";
    Turn "turn" 0..=0, "The transpose of a matrix of 32 rows.";
    CopyFrom "copy_from" 0..=2, "A copy from a place: 0 device memory, 1 mapped, 2 managed.";
    CopyTo "copy_to" 0..=2, "A copy to a place.";
    Increase "increase" 0..=2, "One more for each number of an array in a place.";
    WalkIn "walk_in" 0..=2, "A chain of loads through a ring in a place.";
    Own8 "own_8" 0..=31, "A table of 8 words for each item; how far apart the lanes read.";
    Own32 "own_32" 0..=31, "The same with 32 words.";
    Held "held" 0..=0, "48 sums for each item.";
    MultiplyAdd "multiply_add" 0..=0, "Multiplications and additions, many for each float.";
    SharedSum "shared_sum" 0..=0, "Reads of shared memory, many for each sum.";
    Chain "chain" 0..=0, "A chain of multiplications and additions.";
    WalkFar "walk_far" 0..=0, "A walk from word to word of global memory, far apart.";
    Chase "chase" 1..=1 << 27, "A walk round a ring of so many lines.";
    ChasePages "chase_pages" 1..=1 << 16, "A walk round a ring with a line in each of so many pages.";
    ChaseLines "chase_lines" 1..=1 << 20, "A walk round a ring of so many lines, each with its own clock.";
    Reread "reread" 1..=1 << 12, "A sum of floats, each read so many times.";
    Ring "ring" 1..=1024, "Reads so many MiB over and over.";
    RingOwn "ring_own" 1..=1024, "Each block reads so many KiB of its own over and over.";
    ReadOnce "read_once" 1..=1024, "Reads so many MiB once.";
    Lookup "lookup" 1..=1024, "A stream passes a table of so many MiB.";
    TurnTiles "turn_tiles" 1..=1024, "A transpose of a matrix so many tiles across.";
    RowSums "row_sums" 0..=0, "The sum of each row of 32 floats.";
    LookUpParameter "look_up_parameter" 1..=32, "Entries of a table among the parameters; so many are different in a warp.";
    LookUpArray "look_up_array" 1..=32, "The same, of a table in an array.";
    RotateArray "rotate_array" 0..=90, "A picture turned by so many degrees.";
    RotateTexture "rotate_texture" 0..=90, "The same from a texture.";
    BlurArray "blur_array" 0..=0, "Each pixel of a picture with its eight neighbours.";
    BlurTexture "blur_texture" 0..=0, "The same from a texture.";
    Sample "sample" 0..=0, "A row of two texels by a linear filter.";
    Fmas "fmas" 0..=4096, "So many multiplications and additions for each float.";
    FmasF64 "fmas_f64" 0..=4096, "The same for each double.";
    FmasHalf "fmas_half" 0..=4096, "The same for two halves at a time.";
    TensorF16 "tensor_f16" 1..=1024, "Products of halves by tensor cores, so many times added up.";
    TensorBf16 "tensor_bf16" 1..=1024, "The same of bfloat16.";
    TensorTf32 "tensor_tf32" 1..=1024, "The same of tf32.";
    TensorS8 "tensor_s8" 1..=1024, "The same of whole numbers of 8 bits.";
    VectorAdd "vector_add" 0..=0, "The sum of two vectors.";
    Relu "relu" 0..=0, "Negative floats become 0.";
    BatchNorm "batch_norm" 0..=0, "Channels of 4096 floats, normalised.";
    Attention "attention" 1..=1024, "One head of attention to so many keys.";
    Gemm "gemm" 1..=2048, "A product of matrices, so many columns across.";
    BlockSums "block_sums" 0..=0, "Sums of 256 floats each.";
    BlockScans "block_scans" 0..=0, "Running sums of 256 numbers each.";
    Softmax "softmax" 1..=1 << 16, "The softmax of rows of so many floats.";
    Compact "compact" 0..=0, "The odd ones of 256 numbers each, side by side.";
    Polish "polish" 0..=1 << 14, "Each number after so many steps of a generator.";
    Untouched "untouched" 0..=0, "Numbers that stay as they are.";
    Scale "scale" 0..=0, "Half of each float.";
    Offset "offset" 0..=0, "A quarter more than each float.";
    Clamp "clamp" 0..=0, "Each float, brought between two bounds.";
    ScaleOffsetClamp "scale_offset_clamp" 0..=0, "The three one after the other.";
    Consume "consume" 0..=0, "Each float times an entry of a table of 1024.";
}
