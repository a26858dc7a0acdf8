//! The sums of a product in float64: some rows or some columns of C. For whole numbers they are exact.

use super::ProductProblem;
use super::data::{Factor, Inputs};
use super::parallel::in_ranges;

/// An element of C: the sum of its products, and the sum of their sizes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sum {
    /// Of the products.
    pub sum: f64,
    /// Of the products' absolute values: what a bound of the rounding is relative to.
    pub size: f64,
}

/// Columns that are summed up together.
const ACROSS: usize = 128;

/// These rows of C, row after row.
pub(super) fn of_rows(problem: &ProductProblem, inputs: &Inputs, rows: &[usize]) -> Vec<Sum> {
    let (n, k) = (problem.shape.n, problem.shape.k);
    let mut a = vec![0.0; rows.len() * k];
    for (row, line) in rows.iter().zip(a.chunks_exact_mut(k)) {
        inputs.fill_row(Factor::A, *row, 0, line);
    }
    let strips = in_ranges(n, ACROSS, |range| {
        let across = range.len();
        let mut strip = vec![(0.0, 0.0); rows.len() * across];
        let mut b = vec![0.0; across];
        for p in 0..k {
            inputs.fill_row(Factor::B, p, range.start, &mut b);
            for (row, sums) in strip.chunks_exact_mut(across).enumerate() {
                let factor = a[row * k + p];
                for ((sum, size), b) in sums.iter_mut().zip(&b) {
                    let product = factor * b;
                    *sum += product;
                    *size += product.abs();
                }
            }
        }
        (range, strip)
    });
    let mut sums = vec![Sum::default(); rows.len() * n];
    for (range, strip) in strips {
        for (row, from) in strip.chunks_exact(range.len()).enumerate() {
            let to = &mut sums[row * n..][range.clone()];
            for (to, &(sum, size)) in to.iter_mut().zip(from) {
                *to = Sum { sum, size };
            }
        }
    }
    sums
}

/// These columns of C, column after column.
pub(super) fn of_columns(problem: &ProductProblem, inputs: &Inputs, columns: &[usize]) -> Vec<Sum> {
    let (m, k) = (problem.shape.m, problem.shape.k);
    let mut b = vec![0.0; columns.len() * k];
    for (column, line) in columns.iter().zip(b.chunks_exact_mut(k)) {
        for (p, value) in line.iter_mut().enumerate() {
            *value = inputs.value(Factor::B, p, *column);
        }
    }
    let strips = in_ranges(m, 16, |range| {
        let mut a = vec![0.0; k];
        let mut strip = Vec::with_capacity(range.len() * columns.len());
        for row in range {
            inputs.fill_row(Factor::A, row, 0, &mut a);
            for b in b.chunks_exact(k) {
                let mut all = Sum::default();
                for (a, b) in a.iter().zip(b) {
                    let product = a * b;
                    all.sum += product;
                    all.size += product.abs();
                }
                strip.push(all);
            }
        }
        strip
    });
    let rows: Vec<Sum> = strips.concat();
    let of = |column: usize| (0..m).map(move |row| (row, column));
    let places = (0..columns.len()).flat_map(of);
    places
        .map(|(row, column)| rows[row * columns.len() + column])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::product_problem::ProductData;

    #[test]
    fn rows_and_columns_agree_with_the_definition() {
        let problem = ProductProblem::new(19, 301, 23);
        let inputs = Inputs::new(&problem, ProductData::Exact, 0).unwrap();
        let sum = |row: usize, column: usize| {
            let products = (0..23)
                .map(|p| inputs.value(Factor::A, row, p) * inputs.value(Factor::B, p, column));
            let products: Vec<f64> = products.collect();
            Sum {
                sum: products.iter().sum(),
                size: products.iter().map(|product| product.abs()).sum(),
            }
        };
        let rows = of_rows(&problem, &inputs, &[18, 3]);
        assert_eq!((rows[300], rows[301 + 130]), (sum(18, 300), sum(3, 130)));
        let columns = of_columns(&problem, &inputs, &[299, 0]);
        assert_eq!((columns[17], columns[19 + 2]), (sum(17, 299), sum(2, 0)));
        assert_ne!(rows[0].sum.abs(), rows[0].size);
    }
}
