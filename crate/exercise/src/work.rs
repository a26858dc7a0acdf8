//! What a kernel of an exercise is asked to do: an operation on a matrix, one on arrays, or a product of matrices. Which there are is told by `matrix_work`, `array_work` and `product_work`.

use super::array_work::ArrayWork;
use super::matrix_work::MatrixWork;
use super::product_work::ProductWork;
use cornerturn_base::operation::Operation;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a kernel of an exercise does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "no such work: of a matrix there are copy, transpose, histogram, column_sum, row_sum; products are \
                 product, bf16_product, bias_relu; those on arrays are listed in crate/exercise/src/array_work.rs"
)]
pub enum Work {
    /// An operation on a matrix: the kernel takes `(const T* in, T* out, unsigned rows, unsigned columns)`.
    Matrix(MatrixWork),
    /// A product of two matrices.
    Product(ProductWork),
    /// An operation on arrays, each with parameters of its own.
    Arrays(ArrayWork),
}

impl Default for Work {
    fn default() -> Self {
        Self::Matrix(MatrixWork::default())
    }
}

impl Work {
    /// The name, as in exercises.toml.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Matrix(work) => work.name(),
            Self::Product(work) => work.name(),
            Self::Arrays(work) => work.name(),
        }
    }

    /// The matrix operation that it is, where it is one.
    pub const fn operation(self) -> Option<Operation> {
        match self {
            Self::Matrix(work) => work.operation(),
            Self::Product(_) | Self::Arrays(_) => None,
        }
    }

    /// The work on arrays that it is, where it is one.
    pub const fn on_arrays(self) -> Option<ArrayWork> {
        match self {
            Self::Matrix(_) | Self::Product(_) => None,
            Self::Arrays(work) => Some(work),
        }
    }

    /// Instructions that a thread needs for one item, or for one product of two numbers, about; budgets are many times as
    /// large.
    pub(super) const fn instructions_per_item(self) -> u64 {
        match self {
            Self::Matrix(_) => 16,
            Self::Product(_) => 8,
            Self::Arrays(work) => work.instructions_per_item(),
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
