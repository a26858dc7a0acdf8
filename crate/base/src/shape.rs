//! The sizes of things: a matrix's shape and a launch's dimensions.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The shape of a row-major matrix.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let shape = Shape::new(3, 5);
/// assert_eq!(shape.elements(), Some(15));
/// assert_eq!(shape.transposed().to_string(), "5×3");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shape {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns: the length of one row, and its stride in elements.
    pub columns: usize,
}

impl Shape {
    /// A matrix of `rows` rows and `columns` columns.
    pub const fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns }
    }

    /// Number of elements; `None` where it does not fit in `usize`.
    pub const fn elements(self) -> Option<usize> {
        self.rows.checked_mul(self.columns)
    }

    /// The shape of the transpose.
    pub const fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}", self.rows, self.columns)
    }
}

/// Blocks of a grid or threads of a block, in x, y and z.
///
/// ```
/// use cornerturn::prelude::*;
///
/// assert_eq!(Dim3::from(64), Dim3::new(64, 1, 1));
/// assert_eq!(Dim3::from((32, 8)).count(), 256);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[u32; 3]", into = "[u32; 3]")]
pub struct Dim3 {
    /// Along x, which varies fastest.
    pub x: u32,
    /// Along y.
    pub y: u32,
    /// Along z.
    pub z: u32,
}

impl Dim3 {
    /// The three dimensions.
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Self { x, y, z }
    }

    /// How many blocks or threads that is.
    pub const fn count(self) -> u64 {
        // Two factors below 2^32 fit in 64 bits; the third may not.
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// As an array, x first.
    pub const fn array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.x, self.y, self.z) {
            (x, 1, 1) => write!(f, "{x}"),
            (x, y, 1) => write!(f, "{x}×{y}"),
            (x, y, z) => write!(f, "{x}×{y}×{z}"),
        }
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Self {
        Self { x, y, z }
    }
}

impl From<Dim3> for [u32; 3] {
    fn from(dim: Dim3) -> Self {
        dim.array()
    }
}

impl From<[u32; 2]> for Dim3 {
    fn from([x, y]: [u32; 2]) -> Self {
        Self { x, y, z: 1 }
    }
}

/// A dimension beyond 32 bits becomes `u32::MAX`, which every launch refuses as over the limit.
fn clamp(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A negative dimension becomes 0, which every launch refuses.
fn clamp_signed(n: i32) -> u32 {
    u32::try_from(n).unwrap_or(0)
}

macro_rules! dim3_from {
    ($type:ty, $convert:expr) => {
        impl From<$type> for Dim3 {
            fn from(x: $type) -> Self {
                Self::new($convert(x), 1, 1)
            }
        }
        impl From<($type, $type)> for Dim3 {
            fn from((x, y): ($type, $type)) -> Self {
                Self::new($convert(x), $convert(y), 1)
            }
        }
        impl From<($type, $type, $type)> for Dim3 {
            fn from((x, y, z): ($type, $type, $type)) -> Self {
                Self::new($convert(x), $convert(y), $convert(z))
            }
        }
    };
}

dim3_from!(u32, std::convert::identity);
dim3_from!(usize, clamp);
// Integer literals default to i32 where several conversions exist.
dim3_from!(i32, clamp_signed);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_come_from_the_forms_that_cells_write() {
        let (rows, columns) = (100_usize, 33_usize);
        let grid: Dim3 = (columns.div_ceil(32), rows.div_ceil(32)).into();
        assert_eq!(grid, Dim3::new(2, 4, 1));
        assert_eq!(Dim3::from((32, 8)), Dim3::new(32, 8, 1));
        assert_eq!(Dim3::from(7_u32), Dim3::new(7, 1, 1));
        assert_eq!(Dim3::from(-1).x, 0);
        assert_eq!(Dim3::from(usize::MAX).x, u32::MAX);
        assert_eq!(Dim3::new(u32::MAX, u32::MAX, u32::MAX).count(), u64::MAX);
    }

    #[test]
    fn display_leaves_out_ones_at_the_end() {
        assert_eq!(Dim3::new(128, 1, 1).to_string(), "128");
        assert_eq!(Dim3::new(128, 64, 1).to_string(), "128×64");
        assert_eq!(Dim3::new(1, 1, 3).to_string(), "1×1×3");
        assert_eq!(Shape::new(3, 5).transposed().to_string(), "5×3");
    }
}
