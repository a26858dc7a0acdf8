//! What a kernel does to a matrix: the one place that says which element goes where.

use crate::shape::Shape;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a kernel does to a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Element (r, c) goes to (c, r).
    Transpose,
    /// Element (r, c) stays at (r, c).
    Copy,
}

impl Operation {
    /// The name, as in the registry.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transpose => "transpose",
            Self::Copy => "copy",
        }
    }

    /// The shape of the output for an input of `shape`.
    pub const fn output_shape(self, shape: Shape) -> Shape {
        match self {
            Self::Transpose => shape.transposed(),
            Self::Copy => shape,
        }
    }

    /// Where in the row-major input of `shape` the element at `index` of the row-major output comes from.
    ///
    /// `index` must lie in the output, which has at least one element.
    pub const fn source_of(self, index: usize, shape: Shape) -> usize {
        match self {
            Self::Copy => index,
            Self::Transpose => (index % shape.rows) * shape.columns + index / shape.rows,
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
