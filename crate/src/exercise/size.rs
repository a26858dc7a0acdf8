//! How much a launch of an exercise is given: a matrix of a shape, or so many items with a parameter. Drawing them is `shapes`'.

use crate::shape::Shape;
use std::fmt;

/// How much a launch of an exercise is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// A matrix.
    Matrix(Shape),
    /// Arrays.
    Arrays {
        /// How many items the work has.
        items: usize,
        /// The name and the value of its parameter, if it has one.
        parameter: Option<(&'static str, u32)>,
    },
}

impl Size {
    /// Elements of the matrix, or items.
    pub const fn items(self) -> usize {
        match self {
            Self::Matrix(Shape { rows, columns }) => rows.saturating_mul(columns),
            Self::Arrays { items, .. } => items,
        }
    }

    /// The matrix, or the items as one row of it.
    pub const fn shape(self) -> Shape {
        match self {
            Self::Matrix(shape) => shape,
            Self::Arrays { items, .. } => Shape::new(1, items),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matrix(shape) => shape.fmt(f),
            Self::Arrays { items: 1, .. } => f.write_str("1 item"),
            Self::Arrays { items, .. } => write!(f, "{items} items"),
        }?;
        match self {
            Self::Arrays {
                parameter: Some((name, value)),
                ..
            } => write!(f, " (`{name}` {value})"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_said_in_words() {
        let arrays = |items, parameter| Size::Arrays { items, parameter }.to_string();
        assert_eq!(arrays(1, None), "1 item");
        assert_eq!(arrays(5000, Some(("step", 7))), "5000 items (`step` 7)");
        assert_eq!(Size::Matrix(Shape::new(3, 5)).to_string(), "3×5");
    }
}
