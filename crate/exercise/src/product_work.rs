//! The products that exercises ask for: in which numbers, and what is made of a sum before it is stored. What a check multiplies is `products`'.

use cornerturn_base::number::NumberType;
use cornerturn_base::product_shape::{Layout, ProductShape};
use cornerturn_registry::product_problem::{ProductProblem, Sum};
use serde::{Deserialize, Serialize};

/// A product of an *m* × *k* and a *k* × *n* matrix; the kernel takes `(a, b, c, m, n, k)`, a bias before `c` where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProductWork {
    /// Of floats. A lies *m* × *k*, B *k* × *n*.
    Product,
    /// Of bfloat16, as `unsigned short`, with a result of floats. A lies *m* × *k*, B *n* × *k*.
    Bf16Product,
    /// The same; to the sums of a column its element of `bias` is added, and what is negative becomes 0.
    BiasRelu,
}

impl ProductWork {
    /// The name, as in exercises.toml.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Bf16Product => "bf16_product",
            Self::BiasRelu => "bias_relu",
        }
    }

    /// The product of this shape.
    pub(super) const fn problem(self, shape: ProductShape) -> ProductProblem {
        let problem = ProductProblem::of(shape);
        match self {
            Self::Product => problem,
            Self::Bf16Product | Self::BiasRelu => {
                problem.input(NumberType::Bf16).layout(Layout::Nt)
            }
        }
    }

    /// Whether the kernel takes a bias, a float for each column.
    pub(super) const fn has_bias(self) -> bool {
        matches!(self, Self::BiasRelu)
    }

    /// What is stored where the products' sum is this one.
    pub(super) fn stored(self, sum: Sum, bias: f64) -> Sum {
        match self {
            Self::Product | Self::Bf16Product => sum,
            Self::BiasRelu => Sum {
                sum: (sum.sum + bias).max(0.0),
                size: sum.size + bias.abs(),
            },
        }
    }
}
