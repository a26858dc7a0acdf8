//! How much a launch of an exercise is given: a matrix of a shape, so many items with a parameter, or a product of a shape. Drawing them is `shapes`'.

use cornerturn_base::product_shape::ProductShape;
use cornerturn_base::shape::Shape;
use cornerturn_registry::product_problem::ProductData;
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
    /// A product.
    Product {
        /// The shape.
        shape: ProductShape,
        /// What the factors hold.
        data: ProductData,
    },
}

impl Size {
    /// The product of *m*, *n* and *k*.
    pub(super) const fn product([m, n, k]: [usize; 3], data: ProductData) -> Self {
        let shape = ProductShape::new(m, n, k);
        Self::Product { shape, data }
    }

    /// Elements of the matrix, or of a product's result, or items.
    pub const fn items(self) -> usize {
        let Shape { rows, columns } = self.shape();
        rows.saturating_mul(columns)
    }

    /// The matrix, or a product's result, or the items as one row.
    pub const fn shape(self) -> Shape {
        match self {
            Self::Matrix(shape) => shape,
            Self::Arrays { items, .. } => Shape::new(1, items),
            Self::Product { shape, .. } => Shape::new(shape.m, shape.n),
        }
    }

    /// Steps that an item takes: of a product's element *k*, of others one.
    pub const fn depth(self) -> usize {
        match self {
            Self::Matrix(_) | Self::Arrays { .. } => 1,
            Self::Product { shape, .. } => shape.k,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matrix(shape) => shape.fmt(f),
            Self::Arrays { items: 1, .. } => f.write_str("1 item"),
            Self::Arrays { items, .. } => write!(f, "{items} items"),
            Self::Product { shape, .. } => shape.fmt(f),
        }?;
        match self {
            Self::Arrays {
                parameter: Some((name, value)),
                ..
            } => write!(f, " (`{name}` {value})"),
            Self::Product {
                data: ProductData::Random,
                ..
            } => f.write_str(" (fractions)"),
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
        let product = |data| Size::product([3, 5, 7], data);
        assert_eq!(product(ProductData::Exact).to_string(), "3×5×7");
        assert_eq!(
            product(ProductData::Random).to_string(),
            "3×5×7 (fractions)"
        );
        assert_eq!(product(ProductData::Exact).items(), 15);
    }
}
