//! The shape of a matrix product and how its factors lie in memory.

use crate::shape::Shape;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The shape of a product of matrices: C has *m* rows and *n* columns, and each of its elements is a sum of *k* products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "[usize; 3]", into = "[usize; 3]")]
pub struct ProductShape {
    /// Rows of A and of C.
    pub m: usize,
    /// Columns of B and of C.
    pub n: usize,
    /// Columns of A, rows of B.
    pub k: usize,
}

impl ProductShape {
    /// A product of *m* × *k* by *k* × *n*.
    pub const fn new(m: usize, n: usize, k: usize) -> Self {
        Self { m, n, k }
    }

    /// A product of square matrices.
    pub const fn square(side: usize) -> Self {
        Self::new(side, side, side)
    }

    /// m, n, k.
    pub const fn array(self) -> [usize; 3] {
        [self.m, self.n, self.k]
    }

    /// Products of two numbers, each with an addition: m · n · k.
    pub fn multiply_adds(self) -> u64 {
        let [m, n, k] = self.array().map(|side| side as u64);
        m.saturating_mul(n).saturating_mul(k)
    }

    /// Floating-point operations, or those on whole numbers: 2 · m · n · k.
    pub fn operations(self) -> u64 {
        self.multiply_adds().saturating_mul(2)
    }
}

impl From<[usize; 3]> for ProductShape {
    fn from([m, n, k]: [usize; 3]) -> Self {
        Self { m, n, k }
    }
}

impl From<ProductShape> for [usize; 3] {
    fn from(shape: ProductShape) -> Self {
        shape.array()
    }
}

impl fmt::Display for ProductShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { m, n, k } = self;
        write!(f, "{m}×{n}×{k}")
    }
}

impl FromStr for ProductShape {
    type Err = String;

    /// `4096x2048x512`: m, n, k; or one number, the side of all three matrices.
    fn from_str(text: &str) -> Result<Self, String> {
        let sides: Option<Vec<usize>> = text
            .split('x')
            .map(|side| side.parse().ok().filter(|&n: &usize| n > 0))
            .collect();
        match sides.as_deref() {
            Some(&[m, n, k]) => Ok(Self { m, n, k }),
            Some(&[side]) => Ok(Self::square(side)),
            _ => Err(format!(
                "`{text}` is no shape of a product; write MxNxK, such as 4096x2048x512, or one number"
            )),
        }
    }
}

/// How the factors of a product lie in memory: first A, then B, `n` as it is and `t` transposed, always row after row. C
/// is always *m* × *n*, row after row.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// A lies *m* × *k*, B *k* × *n*.
    #[default]
    Nn,
    /// A lies *m* × *k*, B *n* × *k*.
    Nt,
    /// A lies *k* × *m*, B *k* × *n*.
    Tn,
    /// A lies *k* × *m*, B *n* × *k*.
    Tt,
}

impl Layout {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Nn, Self::Nt, Self::Tn, Self::Tt];

    /// The name, as in the registry.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nn => "nn",
            Self::Nt => "nt",
            Self::Tn => "tn",
            Self::Tt => "tt",
        }
    }

    /// The layout of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.name() == name)
    }

    /// Whether A lies transposed.
    pub const fn is_a_transposed(self) -> bool {
        matches!(self, Self::Tn | Self::Tt)
    }

    /// Whether B lies transposed.
    pub const fn is_b_transposed(self) -> bool {
        matches!(self, Self::Nt | Self::Tt)
    }

    /// The matrix that lies in A's buffer.
    pub const fn a(self, shape: ProductShape) -> Shape {
        match self.is_a_transposed() {
            true => Shape::new(shape.k, shape.m),
            false => Shape::new(shape.m, shape.k),
        }
    }

    /// The matrix that lies in B's buffer.
    pub const fn b(self, shape: ProductShape) -> Shape {
        match self.is_b_transposed() {
            true => Shape::new(shape.n, shape.k),
            false => Shape::new(shape.k, shape.n),
        }
    }

    /// The matrix that lies in C's buffer.
    pub const fn c(self, shape: ProductShape) -> Shape {
        Shape::new(shape.m, shape.n)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_read_as_it_is_written() {
        let shape = ProductShape::new(3, 5, 7);
        assert_eq!("3x5x7".parse(), Ok(shape));
        assert_eq!("9".parse(), Ok(ProductShape::square(9)));
        assert_eq!(shape.to_string(), "3×5×7");
        assert_eq!(shape.operations(), 210);
        for wrong in ["", "3x5", "0x1x1", "3x5x7x9", "3 x 5 x 7", "-1"] {
            assert!(wrong.parse::<ProductShape>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_transposed_factor_lies_the_other_way() {
        let shape = ProductShape::new(3, 5, 7);
        let stored = |layout: Layout| [layout.a(shape), layout.b(shape), layout.c(shape)];
        let c = Shape::new(3, 5);
        assert_eq!(stored(Layout::Nn), [Shape::new(3, 7), Shape::new(7, 5), c]);
        assert_eq!(stored(Layout::Tt), [Shape::new(7, 3), Shape::new(5, 7), c]);
        assert_eq!(Layout::parse("tn"), Some(Layout::Tn));
    }
}
