//! The operations on a matrix: the input, the result that is expected, what is wrong with another. Launching is `trial`'s.

use super::input;
use super::seed::Seed;
use cornerturn_base::element::ElementType;
use cornerturn_base::html::Wanted;
use cornerturn_base::operation::Operation;
use cornerturn_base::shape::Shape;
use cornerturn_measure::verify::{View, bits_of, explain};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An operation on a matrix `in` of `rows` × `columns`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatrixWork {
    /// `out` is `in`.
    #[default]
    Copy,
    /// `out` is the transpose of `in`.
    Transpose,
    /// `out[b]`, of 256, is how many elements of `in` are `b` modulo 256.
    Histogram,
    /// `out[c]` is the sum of column `c`, modulo 2³².
    ColumnSum,
    /// `out[r]` is the sum of row `r`, modulo 2³².
    RowSum,
}

/// Bins of a histogram.
const BINS: usize = 256;

impl MatrixWork {
    /// The name, as in exercises.toml.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Transpose => "transpose",
            Self::Histogram => "histogram",
            Self::ColumnSum => "column_sum",
            Self::RowSum => "row_sum",
        }
    }

    /// The matrix operation that it is, where it is one.
    pub const fn operation(self) -> Option<Operation> {
        match self {
            Self::Copy => Some(Operation::Copy),
            Self::Transpose => Some(Operation::Transpose),
            Self::Histogram | Self::ColumnSum | Self::RowSum => None,
        }
    }

    /// Whether elements are added up or counted.
    pub const fn is_sum(self) -> bool {
        self.operation().is_none()
    }

    /// Elements of the output.
    pub const fn output_elements(self, shape: Shape) -> usize {
        match self {
            Self::Copy | Self::Transpose => shape.rows * shape.columns,
            Self::Histogram => BINS,
            Self::ColumnSum => shape.columns,
            Self::RowSum => shape.rows,
        }
    }

    /// What must be read and written: the input once and the output once.
    pub(super) fn wanted(self, element: ElementType, shape: Shape) -> Wanted {
        let bytes = |elements: usize| (elements * element.bytes()) as u64;
        Wanted {
            load_bytes: bytes(shape.rows * shape.columns),
            store_bytes: bytes(self.output_elements(shape)),
        }
    }

    /// The input's bytes: different in every element, but for a histogram's, whose bins are filled unevenly.
    pub(super) fn input(self, element: ElementType, shape: Shape, seed: Seed) -> Vec<u8> {
        match self {
            Self::Histogram => input::uneven(shape, seed),
            _ => input::distinct(element, shape, seed),
        }
    }

    /// The output's bytes as they should be.
    pub(super) fn expected(self, element: ElementType, shape: Shape, input: &[u8]) -> Vec<u8> {
        let width = element.bytes();
        if let Some(operation) = self.operation() {
            let elements = 0..shape.rows * shape.columns;
            let sources = elements.map(|index| operation.source_of(index, shape) * width);
            return sources
                .flat_map(|at| &input[at..at + width])
                .copied()
                .collect();
        }
        let mut output = vec![0_u32; self.output_elements(shape)];
        for (index, bytes) in input.chunks_exact(4).enumerate() {
            let value = bits_of(bytes) as u32;
            let (at, add) = match self {
                Self::Histogram => (value as usize % BINS, 1),
                Self::ColumnSum => (index % shape.columns, value),
                _ => (index / shape.columns, value),
            };
            output[at] = output[at].wrapping_add(add);
        }
        output.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    /// What is wrong with an output that differs from what is expected.
    pub(super) fn explain(
        self,
        element: ElementType,
        shape: Shape,
        input: &[u8],
        expected: &[u8],
        found: &[u8],
    ) -> String {
        let width = element.bytes();
        let bits = |bytes: &[u8], index: usize| bytes.chunks_exact(width).nth(index).map(bits_of);
        match self.operation() {
            Some(operation) => explain(&View {
                operation,
                shape,
                element,
                input: &|index| bits(input, index),
                expected: &|index| bits(expected, index),
                output: &|index| bits(found, index),
            })
            .to_string(),
            None => self.explain_sum(shape, input, expected, found),
        }
    }

    fn explain_sum(self, shape: Shape, input: &[u8], expected: &[u8], found: &[u8]) -> String {
        let value = |bytes: &[u8], index: usize| {
            bytes
                .chunks_exact(4)
                .nth(index)
                .map_or(0, |bytes| bits_of(bytes) as u32)
        };
        let elements = expected.len() / 4;
        let wrong: Vec<usize> = (0..elements)
            .filter(|&i| value(expected, i) != value(found, i))
            .collect();
        let first = wrong.first().copied().unwrap_or(0);
        let is = value(found, first);
        let mut text = format!(
            "out[{first}], {} {first}: expected {}, found {is}; {} of {elements} elements are wrong",
            match self {
                Self::Histogram => "the count of bin",
                Self::ColumnSum => "the sum of column",
                _ => "the sum of row",
            },
            value(expected, first),
            wrong.len()
        );
        let (other, whose) = match self {
            Self::ColumnSum => (Self::RowSum, "row"),
            _ => (Self::ColumnSum, "column"),
        };
        let others = other.expected(ElementType::U32, shape, input);
        if is == u32::MAX {
            text.push_str(". It was never written (still poison)");
        } else if is == 0 {
            text.push_str(". It is zero: nothing was added to it");
        } else if self != Self::Histogram && first < others.len() / 4 && is == value(&others, first)
        {
            text.push_str(&format!(". It is the sum of {whose} {first}"));
        }
        text
    }
}

impl fmt::Display for MatrixWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape::new(37, 51);
    const SEED: Seed = Seed(3);

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks(4).map(|bytes| bits_of(bytes) as u32).collect()
    }

    #[test]
    fn sums_and_counts_are_right() {
        let expected = |work: MatrixWork| {
            let input = work.input(ElementType::U32, SHAPE, SEED);
            (
                words(&input),
                words(&work.expected(ElementType::U32, SHAPE, &input)),
            )
        };
        let (input, columns) = expected(MatrixWork::ColumnSum);
        let sum = |indices: &mut dyn Iterator<Item = usize>| {
            indices.fold(0_u32, |sum, index| sum.wrapping_add(input[index]))
        };
        assert_eq!(columns.len(), 51);
        assert_eq!(columns[50], sum(&mut (0..37).map(|row| row * 51 + 50)));
        let (_, rows) = expected(MatrixWork::RowSum);
        assert_eq!(rows.len(), 37);
        assert_eq!(rows[36], sum(&mut (36 * 51..37 * 51)));
        let (input, bins) = expected(MatrixWork::Histogram);
        assert_eq!(bins.iter().sum::<u32>(), 37 * 51);
        let three = input.iter().filter(|&&value| value % 256 == 3).count();
        assert_eq!(bins[3], three as u32);
    }

    #[test]
    fn a_sum_that_is_another_one_is_recognised() {
        let (work, element) = (MatrixWork::ColumnSum, ElementType::U32);
        let input = work.input(element, SHAPE, SEED);
        let expected = work.expected(element, SHAPE, &input);
        let rows = MatrixWork::RowSum.expected(element, SHAPE, &input);
        let mut found = expected.clone();
        found[..rows.len()].copy_from_slice(&rows);
        let text = work.explain(element, SHAPE, &input, &expected, &found);
        assert!(text.contains("It is the sum of row 0"), "{text}");
        found[..4].fill(0xFF);
        let text = work.explain(element, SHAPE, &input, &expected, &found);
        assert!(text.contains("never written"), "{text}");
        assert!(text.contains("37 of 51"), "{text}");
    }
}
