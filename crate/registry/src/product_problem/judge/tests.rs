//! Right products pass and wrong ones are found, with their mistakes.

use super::*;
use cornerturn_base::product_mismatch::ProductMistake;
use cornerturn_base::product_shape::Layout;

/// C as its type has it, from an element's function.
fn result(problem: &ProductProblem, element: impl Fn(usize, usize) -> f64) -> Vec<u8> {
    let (shape, width) = (problem.shape, problem.output.bytes());
    let elements = (0..shape.m * shape.n).map(|i| element(i / shape.n, i % shape.n));
    elements
        .flat_map(|value| problem.output.encode(value).to_le_bytes()[..width].to_vec())
        .collect()
}

fn sum(judge: &Judge, row: usize, column: usize) -> f64 {
    let inputs = judge.inputs();
    (0..judge.problem.shape.k)
        .map(|p| inputs.value(Factor::A, row, p) * inputs.value(Factor::B, p, column))
        .sum()
}

#[test]
fn a_right_product_of_every_type_passes_and_one_wrong_element_does_not() {
    for (input, output) in [
        (NumberType::F32, NumberType::F32),
        (NumberType::Tf32, NumberType::F32),
        (NumberType::Bf16, NumberType::Bf16),
        (NumberType::F16, NumberType::F16),
        (NumberType::E4m3, NumberType::F32),
        (NumberType::S8, NumberType::S32),
    ] {
        let problem = ProductProblem::new(13, 29, 57).input(input).output(output);
        for data in [ProductData::Exact, ProductData::Random] {
            let judge = Judge::new(&problem, data).unwrap();
            let right = result(&problem, |row, column| sum(&judge, row, column));
            let near = judge.compare(&right).unwrap();
            assert_eq!(near.compared, 13 * 29);
            assert!(
                near.of_bound <= 1.0 && near.worst < 0.01,
                "{input} {near:?}"
            );
            let wrong = result(&problem, |row, column| {
                let all = sum(&judge, row, column);
                all + if (row, column) == (7, 11) { 40.0 } else { 0.0 }
            });
            let mismatch = judge.compare(&wrong).unwrap_err();
            assert_eq!((mismatch.row, mismatch.column, mismatch.wrong), (7, 11, 1));
        }
    }
}

#[test]
fn a_large_product_is_judged_by_vectors_and_by_samples() {
    // Just too large to be calculated again; of few rows, so that the test is quick.
    let problem = ProductProblem::new(5, 8191, 4099);
    for data in [ProductData::Exact, ProductData::Random] {
        let judge = Judge::new(&problem, data).unwrap();
        assert!(!judge.is_whole());
        let rows: Vec<usize> = (0..5).collect();
        let sums = of_rows(&problem, judge.inputs(), &rows);
        let right = result(&problem, |row, column| sums[row * 8191 + column].sum);
        judge.compare(&right).unwrap();
        let mut wrong = right.clone();
        wrong[4 * (3 * 8191 + 4000)..][..4].copy_from_slice(&[0xFF; 4]);
        let mismatch = judge.compare(&wrong).unwrap_err();
        assert_eq!((mismatch.row, mismatch.column), (3, 4000), "{mismatch}");
        assert_eq!(mismatch.guess, Some(ProductMistake::Unwritten));
    }
    let judge = Judge::new(&problem, ProductData::Exact).unwrap();
    let rows: Vec<usize> = (0..5).collect();
    let sums = of_rows(&problem, judge.inputs(), &rows);
    // One product less in one element.
    let wrong = result(&problem, |row, column| {
        sums[row * 8191 + column].sum + f64::from(u8::from((row, column) == (4, 17)))
    });
    let mismatch = judge.compare(&wrong).unwrap_err();
    assert_eq!((mismatch.row, mismatch.column), (4, 17));
    assert_eq!((mismatch.wrong, mismatch.of, mismatch.unit), (1, 5, "rows"));
}

#[test]
fn mistakes_are_recognised() {
    for layout in Layout::ALL {
        let problem = ProductProblem::new(37, 53, 71).layout(layout);
        let judge = Judge::new(&problem, ProductData::Exact).unwrap();
        let inputs = judge.inputs();
        let guess = |element: &dyn Fn(usize, usize) -> f64| {
            let mismatch = judge.compare(&result(&problem, element)).unwrap_err();
            mismatch
                .guess
                .unwrap_or_else(|| panic!("{layout}: {mismatch}"))
        };
        let part = |row: usize, column: usize, from: usize, to: usize| -> f64 {
            let product = |p| inputs.value(Factor::A, row, p) * inputs.value(Factor::B, p, column);
            (from..to).map(product).sum()
        };
        assert_eq!(
            guess(&|i, j| 2.0 * sum(&judge, i, j)),
            ProductMistake::Doubled
        );
        assert_eq!(
            guess(&|i, j| part(i, j, 0, 64)),
            ProductMistake::FirstProducts { added: 64, of: 71 }
        );
        assert_eq!(
            guess(&|i, j| part(i, j, 32, 71)),
            ProductMistake::WithoutFirst { missing: 32 }
        );
        assert_eq!(
            guess(&|i, j| if i >= 20 { 0.0 } else { sum(&judge, i, j) }),
            ProductMistake::Zero
        );
        assert_eq!(
            guess(&|i, j| sum(&judge, (i + 2).min(36), j)),
            ProductMistake::Shifted {
                rows: 2,
                columns: 0
            }
        );
        let turned = |i: usize, j: usize| {
            let index = i * 53 + j;
            sum(&judge, index % 37, index / 37)
        };
        assert_eq!(guess(&turned), ProductMistake::ResultTransposed);
        let is_a_transposed = layout.is_a_transposed();
        let a_turned = |i: usize, j: usize| -> f64 {
            let index = |p: usize| match is_a_transposed {
                true => i * 71 + p,
                false => p * 37 + i,
            };
            let product =
                |p| inputs.stored(Factor::A, index(p)).unwrap() * inputs.value(Factor::B, p, j);
            (0..71).map(product).sum()
        };
        assert_eq!(
            guess(&a_turned),
            ProductMistake::FactorTransposed {
                name: 'A',
                lies_transposed: is_a_transposed
            }
        );
    }
}

#[test]
fn the_bound_grows_with_the_sum_and_shrinks_with_the_bits() {
    let bound = |input: NumberType, k: usize| {
        let problem = ProductProblem::new(1, 1, k).input(input);
        let judge = Judge::new(&problem, ProductData::Random).unwrap();
        judge.bound(Sum {
            sum: 1.0,
            size: 100.0,
        })
    };
    assert!(bound(NumberType::F32, 64) < bound(NumberType::F32, 4096));
    assert!(bound(NumberType::F32, 64) < bound(NumberType::Bf16, 64));
    assert!(bound(NumberType::F32, 64) < 1e-3);
    assert_eq!(bound(NumberType::S8, 64), 0.0);
}
