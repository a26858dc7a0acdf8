//! What a kernel for matrix products is asked: shape, layout, number types; what its factors hold, and how its result is judged. How a kernel is told and launched lives in `product`.

mod data;
mod explain;
mod judge;
mod parallel;
mod sums;

use cornerturn_base::error::{Error, Result};
use cornerturn_base::html::Wanted;
use cornerturn_base::number::NumberType;
use cornerturn_base::product_shape::{Layout, ProductShape};
pub use data::Factor;
pub use data::ProductData;
pub use judge::Accuracy;
pub use judge::Judge;
use std::fmt;
pub use sums::Sum;

/// A product of two matrices, C = A · B: of which shape, how the factors lie, in which numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProductProblem {
    /// The shape.
    pub shape: ProductShape,
    /// How the factors lie in memory.
    pub layout: Layout,
    /// The numbers of A and B.
    pub input: NumberType,
    /// The numbers of C.
    pub output: NumberType,
    /// The numbers in which products are added up.
    pub accumulate: NumberType,
}

impl ProductProblem {
    /// A product of float32 matrices *m* × *k* and *k* × *n*, neither transposed.
    pub const fn new(m: usize, n: usize, k: usize) -> Self {
        Self::of(ProductShape::new(m, n, k))
    }

    /// The same of a shape.
    pub const fn of(shape: ProductShape) -> Self {
        Self {
            shape,
            layout: Layout::Nn,
            input: NumberType::F32,
            output: NumberType::F32,
            accumulate: NumberType::F32,
        }
    }

    /// The same with factors that lie otherwise.
    pub const fn layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// The same of other numbers: whole ones are added up in s32 and give s32, all others in f32.
    pub const fn input(self, input: NumberType) -> Self {
        let whole = input.is_whole();
        let sum = if whole {
            NumberType::S32
        } else {
            NumberType::F32
        };
        Self {
            input,
            output: sum,
            accumulate: sum,
            ..self
        }
    }

    /// The same with a result of other numbers.
    pub const fn output(self, output: NumberType) -> Self {
        Self { output, ..self }
    }

    /// The same, added up in other numbers.
    pub const fn accumulate(self, accumulate: NumberType) -> Self {
        Self { accumulate, ..self }
    }

    /// The same of another shape.
    pub const fn shaped(self, shape: ProductShape) -> Self {
        Self { shape, ..self }
    }

    /// Bytes that must move between memory and the chip at least: each element of A and B read once, of C written once.
    pub fn bytes_moved(&self) -> u64 {
        let ProductShape { m, n, k } = self.shape;
        let bytes = |elements: usize, ty: NumberType| elements as u64 * ty.bytes() as u64;
        bytes(m * k, self.input) + bytes(k * n, self.input) + bytes(m * n, self.output)
    }

    /// What must be read and what must be written.
    pub fn wanted(&self) -> Wanted {
        let ProductShape { m, n, .. } = self.shape;
        let store_bytes = m as u64 * n as u64 * self.output.bytes() as u64;
        Wanted {
            load_bytes: self.bytes_moved().saturating_sub(store_bytes),
            store_bytes,
        }
    }

    /// Operations for each of these bytes.
    pub fn intensity(&self) -> f64 {
        self.shape.operations() as f64 / self.bytes_moved() as f64
    }

    /// 10¹² operations in a second, for a time in microseconds.
    pub fn tera_per_s(&self, us: f64) -> f64 {
        self.shape.operations() as f64 / us / 1e6
    }

    /// Refuses types that do not go together.
    pub(crate) fn check_types(&self) -> std::result::Result<(), String> {
        use NumberType::{Bf16, E4m3, E5m2, F16, F32, S8, S32, Tf32};
        let fits = match self.input {
            S8 => (self.output, self.accumulate) == (S32, S32),
            F32 | Tf32 | Bf16 | F16 | E4m3 | E5m2 => {
                matches!(self.output, F32 | F16 | Bf16) && matches!(self.accumulate, F32 | F16)
            }
            S32 => false,
        };
        match fits {
            true => Ok(()),
            false => Err(format!(
                "a product of {} with a result of {}, added up in {}, is none of ours: inputs are f32, tf32, bf16, f16, \
                 e4m3, e5m2 with results of f32, f16 or bf16, added up in f32 or f16, or s8 with a result of s32",
                self.input, self.output, self.accumulate
            )),
        }
    }

    /// Refuses what has no elements, or more than a kernel's parameters or memory can hold.
    pub fn check(&self) -> Result<()> {
        let fail = |reason: String| Err(self.refused(reason));
        self.check_types().map_err(|reason| self.refused(reason))?;
        let sides = self.shape.array();
        if sides.contains(&0) {
            return fail("each of m, n and k must be at least 1".to_string());
        }
        // An index of a kernel is a 32-bit number of elements, and a sum of so many products stays exact.
        if sides.iter().any(|&side| side > 1 << 20) {
            return fail("a side is at most 1048576".to_string());
        }
        let [m, n, k] = sides.map(|side| side as u64);
        if [m * k, k * n, m * n]
            .iter()
            .any(|&elements| elements >= 1 << 32)
        {
            return fail(
                "a matrix has 4294967296 elements or more, which 32-bit indices do not reach"
                    .to_string(),
            );
        }
        Ok(())
    }

    pub(crate) fn refused(&self, reason: String) -> Error {
        Error::ProductShape {
            shape: self.shape,
            reason,
        }
    }
}

impl fmt::Display for ProductProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            shape,
            layout,
            input,
            output,
            accumulate,
        } = self;
        write!(f, "product {shape} of {input}, {layout}")?;
        if (output, accumulate)
            != (
                &Self::new(1, 1, 1).input(*input).output,
                &Self::new(1, 1, 1).input(*input).accumulate,
            )
        {
            write!(f, ", added up in {accumulate} to {output}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_says_what_it_is_and_moves() {
        let problem = ProductProblem::new(3, 5, 7);
        assert_eq!(problem.to_string(), "product 3×5×7 of f32, nn");
        assert_eq!(problem.bytes_moved(), 4 * (21 + 35 + 15));
        assert_eq!(problem.tera_per_s(1e-6), 210.0);
        let half = problem
            .input(NumberType::F16)
            .output(NumberType::F16)
            .layout(Layout::Nt);
        assert_eq!(
            half.to_string(),
            "product 3×5×7 of f16, nt, added up in f32 to f16"
        );
        assert_eq!(half.bytes_moved(), 2 * (21 + 35 + 15));
        assert_eq!(problem.input(NumberType::S8).output, NumberType::S32);
    }

    #[test]
    fn what_no_kernel_takes_is_refused() {
        let good = ProductProblem::new(3, 5, 7);
        good.check().unwrap();
        for bad in [
            ProductProblem::new(0, 5, 7),
            ProductProblem::new(3, 5, usize::MAX),
            ProductProblem::new(1 << 17, 1 << 17, 1),
            good.input(NumberType::S32),
            good.input(NumberType::S8).output(NumberType::F32),
            good.output(NumberType::E4m3),
        ] {
            let error = bad.check().unwrap_err();
            assert!(matches!(error, Error::ProductShape { .. }), "{error}");
        }
    }
}
