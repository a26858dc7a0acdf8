//! The mistakes that a wrong output can show, and their words. Recognising one lives in `verify`.

use std::fmt;

/// A mistake that an output shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// The element was never written.
    Unwritten,
    /// The element is zero, which no input element is.
    Zero,
    /// The output is the input as it was.
    Untransposed,
    /// The output of a copy is the transpose.
    Transposed,
    /// Written with the wrong leading dimension.
    OutputStride,
    /// Read with the wrong leading dimension.
    InputStride,
    /// The tiles stand where they should, but inside them nothing is transposed.
    TileNotTransposed {
        /// The tile's width.
        tile: usize,
    },
    /// The tiles are transposed inside, but stand where they were.
    TileNotMoved {
        /// The tile's width.
        tile: usize,
    },
    /// Everything is shifted by so many rows and columns of the input.
    Shifted {
        /// Rows too far down.
        rows: isize,
        /// Columns too far right.
        columns: isize,
    },
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwritten => f.write_str(
                "It was never written (still poison): does the grid cover the whole matrix, and do the guards at \
                 its edges let the last rows and columns through?",
            ),
            Self::Zero => f.write_str(
                "It is zero, which no input element is: was shared memory read before it was written, or a value \
                 never loaded?",
            ),
            Self::Untransposed => f.write_str(
                "The output is the input untransposed: swap row and column in one of the two indices",
            ),
            Self::Transposed => f.write_str("The output is the transpose, and a copy was asked for"),
            Self::OutputStride => f.write_str(
                "The output is written with the input's row length: its leading dimension is `rows`, not `columns`",
            ),
            Self::InputStride => f.write_str(
                "The input is read with the output's row length: its leading dimension is `columns`, not `rows`",
            ),
            Self::TileNotTransposed { tile } => write!(
                f,
                "Each {tile}×{tile} tile stands in the right place, but is not transposed inside: swap the indices \
                 of the tile at its read or its write"
            ),
            Self::TileNotMoved { tile } => write!(
                f,
                "Each {tile}×{tile} tile is transposed inside, but stands where it was: swap blockIdx.x and \
                 blockIdx.y for the output"
            ),
            Self::Shifted { rows, columns } => write!(
                f,
                "The element that stands there is {rows} rows and {columns} columns away in the input: a shifted \
                 tile, or an offset added twice or not at all"
            ),
        }
    }
}
