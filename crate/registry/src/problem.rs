//! What a task is asked: which operation on which matrices, and from where each element of the result comes. How a kernel is told, launched and compared lives in `task`.

use cornerturn_base::element::ElementType;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html::Wanted;
use cornerturn_base::operation::Operation;
use cornerturn_base::pattern;
use cornerturn_base::shape::Shape;
use cornerturn_base::traffic;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a kernel's parameters are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// `(const T* in, T* out, unsigned rows, unsigned columns)`: one matrix, the shape being the input's. A kernel that
    /// takes tensor maps (`Kernel::with_tensor_maps`) gets maps of both in the place of the pointers.
    #[default]
    Matrix,
    /// `(T* matrix, unsigned side)`: one square matrix, which the result replaces.
    InPlace,
    /// `(const T* in, T* out, unsigned rows, unsigned columns, unsigned batches)`: matrices of one shape, one right
    /// after the other.
    Batch,
}

impl Arguments {
    /// The name, as in the registry.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Matrix => "matrix",
            Self::InPlace => "in_place",
            Self::Batch => "batch",
        }
    }
}

/// An operation on matrices of one shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is done to each matrix.
    pub operation: Operation,
    /// The element type.
    pub element: ElementType,
    /// What the kernel is told.
    pub arguments: Arguments,
    /// The shape of each input.
    pub shape: Shape,
    /// How many matrices there are, one right after the other.
    pub batches: usize,
}

impl Problem {
    /// An operation on one matrix.
    pub const fn new(operation: Operation, element: ElementType, shape: Shape) -> Self {
        Self {
            operation,
            element,
            arguments: Arguments::Matrix,
            shape,
            batches: 1,
        }
    }

    /// Whether the result replaces the input.
    pub fn is_in_place(&self) -> bool {
        self.arguments == Arguments::InPlace
    }

    /// Bytes that must move: each element read once and written once.
    pub fn bytes_moved(&self) -> u64 {
        traffic::bytes_moved(self.shape, self.element).saturating_mul(self.batches as u64)
    }

    /// What must be read and what must be written.
    pub fn wanted(&self) -> Wanted {
        let bytes = self.bytes_moved() / 2;
        Wanted {
            load_bytes: bytes,
            store_bytes: bytes,
        }
    }

    /// Elements of one matrix; `check` proved that the product fits.
    pub fn matrix_elements(&self) -> usize {
        self.shape.rows * self.shape.columns
    }

    /// Elements of all matrices; `check` proved that the product fits.
    pub fn elements(&self) -> usize {
        self.matrix_elements() * self.batches
    }

    /// Refuses what has no elements, or more than a kernel's parameters or memory can hold.
    pub fn check(&self) -> Result<()> {
        let Shape { rows, columns } = self.shape;
        let fail = |reason: &str| {
            Err(Error::Shape {
                rows,
                columns,
                reason: reason.to_string(),
            })
        };
        if rows == 0 || columns == 0 || self.batches == 0 {
            return fail(
                "it has no elements; both sides must be at least 1, and there must be a matrix",
            );
        }
        if [rows, columns, self.batches]
            .iter()
            .any(|&n| u32::try_from(n).is_err())
        {
            return fail(
                "a side or a batch does not fit in the kernels' 32-bit parameters; the most is 4294967295",
            );
        }
        let bytes = self.shape.elements().and_then(|elements| {
            elements
                .checked_mul(self.batches)?
                .checked_mul(self.element.bytes())
        });
        match bytes {
            Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
            _ => fail("it does not fit in memory's addresses"),
        }
    }

    /// Where in the input the element at `index` of the output comes from.
    pub(crate) fn source_of(&self, index: usize) -> usize {
        let inside = index % self.matrix_elements();
        index - inside + self.operation.source_of(inside, self.shape)
    }

    /// The output's elements from `first` on, as they should be.
    pub fn fill_expected(&self, first: usize, out: &mut [u8]) {
        let Shape { rows, columns } = self.shape;
        let straight = self.operation == Operation::Copy || rows == 1 || columns == 1;
        if straight {
            return pattern::fill(self.element, first as u64, 1, out);
        }
        // A row of the output is a column of the input: every `columns`-th element of the pattern.
        let width = self.element.bytes();
        let (mut index, mut rest) = (first, out);
        while !rest.is_empty() {
            let count = (rows - index % rows).min(rest.len() / width);
            let (row, after) = rest.split_at_mut(count * width);
            let source = self.source_of(index);
            pattern::fill(self.element, source as u64, columns as u64, row);
            index += count;
            rest = after;
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            operation,
            element,
            shape,
            batches,
            ..
        } = self;
        match self.arguments {
            Arguments::Matrix => write!(f, "{operation} of a {shape} matrix of {element}"),
            Arguments::InPlace => {
                write!(f, "{operation} in place of a {shape} matrix of {element}")
            }
            Arguments::Batch => write!(f, "{operation} of {batches} {shape} matrices of {element}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_is_right_far_beyond_32_bits() {
        let shape = Shape::new((1 << 17) - 1, (1 << 16) + 3);
        for element in [ElementType::U8, ElementType::F32, ElementType::F64] {
            let problem = Problem::new(Operation::Transpose, element, shape);
            problem.check().unwrap();
            let elements = problem.elements();
            assert!(elements > 1 << 33);
            assert_eq!(
                problem.bytes_moved(),
                (2 * elements * element.bytes()) as u64
            );
            // Across the end of a row of the output, and around 2³¹, 2³² and the end.
            for first in [shape.rows - 3, (1 << 31) - 3, (1 << 32) - 3, elements - 8] {
                let mut words = [0_u64; 8];
                let bytes = &mut bytemuck::cast_slice_mut(&mut words)[..8 * element.bytes()];
                problem.fill_expected(first, bytes);
                for (i, found) in bytes.chunks(element.bytes()).enumerate() {
                    let (row, column) = ((first + i) / shape.rows, (first + i) % shape.rows);
                    let source = column as u64 * shape.columns as u64 + row as u64;
                    let expected = pattern::bits(element, source).to_le_bytes();
                    assert_eq!(found, &expected[..element.bytes()], "{element} {first} {i}");
                }
            }
        }
    }

    #[test]
    fn a_batch_is_one_matrix_after_the_other() {
        let problem = Problem {
            arguments: Arguments::Batch,
            batches: 4,
            ..Problem::new(Operation::Transpose, ElementType::I32, Shape::new(2, 3))
        };
        let mut expected = [0_u32; 24];
        problem.fill_expected(0, bytemuck::cast_slice_mut(&mut expected));
        for (index, found) in expected.into_iter().enumerate() {
            let (matrix, row, column) = (index / 6, index % 6 / 2, index % 2);
            let source = matrix * 6 + column * 3 + row;
            let bits = pattern::bits(ElementType::I32, source as u64);
            assert_eq!(u64::from(found), bits, "{index}");
        }
        assert!(
            Problem {
                batches: 0,
                ..problem.clone()
            }
            .check()
            .is_err()
        );
        assert!(
            Problem {
                batches: usize::MAX,
                ..problem
            }
            .check()
            .is_err()
        );
    }
}
