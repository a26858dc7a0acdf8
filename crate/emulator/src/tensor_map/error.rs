//! Why a tensor map is refused.

use thiserror::Error;

use crate::tensor_map::TensorElement;

/// Why a tensor map is not one: the rules of `cuTensorMapEncodeTiled` (CUDA Driver API, "Tensor Map Object
/// Managment"), where the driver answers `CUDA_ERROR_INVALID_VALUE`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TensorMapError {
    /// No dimensions, or too many.
    #[error("a tensor map has 1 to 5 dimensions, not {rank}")]
    Rank {
        /// As many as were given.
        rank: usize,
    },
    /// A list that does not fit the number of dimensions.
    #[error("a tensor map of {rank} dimensions takes {expected} {what}, found {found}")]
    Count {
        /// What the list holds.
        what: &'static str,
        /// Dimensions of the tensor.
        rank: usize,
        /// The length needed.
        expected: usize,
        /// The length given.
        found: usize,
    },
    /// The global address.
    #[error("the tensor's address {address:#x} must be a multiple of 16")]
    Address {
        /// The address given.
        address: u64,
    },
    /// A dimension's length.
    #[error("dimension {dimension} has {length} elements; a tensor map takes 1 to 2^32")]
    Length {
        /// Number of the dimension, 0 for the innermost.
        dimension: usize,
        /// The length given.
        length: u64,
    },
    /// A stride.
    #[error(
        "the stride of dimension {dimension} is {stride} bytes; it must be a multiple of 16 below 2^40: pad the rows of the tensor"
    )]
    Stride {
        /// Number of the dimension, from 1: dimension 0 has none.
        dimension: usize,
        /// The stride given.
        stride: u64,
    },
    /// The box in a dimension.
    #[error("the box has {length} elements in dimension {dimension}; a tensor map takes 1 to 256")]
    Box {
        /// Number of the dimension.
        dimension: usize,
        /// The length given.
        length: u32,
    },
    /// The box's rows.
    #[error("the box's rows have {bytes} bytes; they must be a multiple of 16")]
    BoxRow {
        /// The bytes of a row.
        bytes: u64,
    },
    /// The box's rows under a swizzle.
    #[error(
        "the box's rows have {bytes} bytes; a swizzle over {span} bytes takes no more than that"
    )]
    SwizzledRow {
        /// The bytes of a row.
        bytes: u64,
        /// The most that the swizzle takes.
        span: u32,
    },
    /// A tile that does not fit shared memory.
    #[error("the tile has {bytes} bytes, more than the shared memory of a block, {most}")]
    TileBytes {
        /// The bytes of the tile.
        bytes: u64,
        /// The most.
        most: u64,
    },
    /// The element stride of a dimension.
    #[error("the element stride of dimension {dimension} is {stride}; a tensor map takes 1 to 8")]
    ElementStride {
        /// Number of the dimension.
        dimension: usize,
        /// The stride given.
        stride: u32,
    },
    /// Filling integers with NaN.
    #[error("only floating-point elements can be filled with NaN, not {element:?}")]
    Fill {
        /// The type given.
        element: TensorElement,
    },
}
