//! Verification: what passes, what does not, and the mistakes that are recognised.

use cornerturn::Shape;
use cornerturn::pattern::POISON_BYTE;

use cornerturn::verify::{Mistake, Operation, compare, reference};
use proptest::prelude::*;

/// Distinct bit patterns, none zero, as a task has them.
fn input(shape: Shape) -> Vec<f32> {
    let mut elements = vec![0.0; shape.rows * shape.columns];
    let element = cornerturn::ElementType::F32;
    cornerturn::pattern::fill(element, 0, 1, bytemuck::cast_slice_mut(&mut elements));
    elements
}

fn guess(shape: Shape, output: &[f32]) -> Option<Mistake> {
    compare(Operation::Transpose, &input(shape), output, shape)
        .unwrap_err()
        .guess
}

/// An output made element by element: `from(row, column)` names the input element that lands at that place of the
/// output, or nothing for poison.
fn made(shape: Shape, from: impl Fn(usize, usize) -> Option<(usize, usize)>) -> Vec<f32> {
    let input = input(shape);
    let mut output = Vec::new();
    for row in 0..shape.columns {
        for column in 0..shape.rows {
            let source = from(row, column).and_then(|(r, c)| {
                (c < shape.columns)
                    .then(|| input.get(r * shape.columns + c))
                    .flatten()
            });
            output.push(
                source
                    .copied()
                    .unwrap_or(f32::from_bits(u32::from_le_bytes([POISON_BYTE; 4]))),
            );
        }
    }
    output
}

#[test]
fn a_right_transpose_passes_and_one_wrong_bit_does_not() {
    let shape = Shape::new(33, 65);
    let input = input(shape);
    let mut output = reference(Operation::Transpose, &input, shape);
    assert_eq!(output[3 * 33 + 7].to_bits(), input[7 * 65 + 3].to_bits());
    assert!(compare(Operation::Transpose, &input, &output, shape).is_ok());
    output[3 * 33 + 7] = f32::from_bits(output[3 * 33 + 7].to_bits() ^ 1);
    let mismatch = compare(Operation::Transpose, &input, &output, shape).unwrap_err();
    assert_eq!((mismatch.row, mismatch.column, mismatch.wrong), (3, 7, 1));
    assert_eq!(mismatch.elements, 33 * 65);
    assert_eq!(mismatch.guess, None);
}

#[test]
fn nan_and_negative_zero_are_compared_by_their_bits() {
    let shape = Shape::new(1, 2);
    let nan = f32::from_bits(0x7FC0_1234);
    assert!(compare(Operation::Copy, &[nan, 0.0], &[nan, 0.0], shape).is_ok());
    assert!(compare(Operation::Copy, &[nan, 0.0], &[nan, -0.0], shape).is_err());
    let other = f32::from_bits(0x7FC0_1235);
    assert!(compare(Operation::Copy, &[nan, 0.0], &[other, 0.0], shape).is_err());
}

#[test]
fn a_wrong_length_is_a_mismatch() {
    let shape = Shape::new(2, 3);
    let input = input(shape);
    let right = reference(Operation::Transpose, &input, shape);
    let short = compare(Operation::Transpose, &input, &right[..5], shape).unwrap_err();
    assert_eq!(
        (short.row, short.column, short.found.as_str()),
        (2, 1, "nothing")
    );
    let mut long = right;
    long.push(1.0);
    let long = compare(Operation::Transpose, &input, &long, shape).unwrap_err();
    assert_eq!(
        (long.row, long.column, long.expected.as_str()),
        (3, 0, "nothing")
    );
}

#[test]
fn the_usual_mistakes_are_recognised() {
    for shape in [Shape::new(64, 96), Shape::new(100, 70), Shape::new(33, 65)] {
        let (rows, columns) = (shape.rows, shape.columns);
        assert_eq!(
            guess(shape, &input(shape)),
            Some(Mistake::Untransposed),
            "{shape}"
        );
        let nothing = made(shape, |_, _| None);
        assert_eq!(guess(shape, &nothing), Some(Mistake::Unwritten), "{shape}");
        let last_row = made(shape, |r, c| (c + 1 < rows).then_some((c, r)));
        assert_eq!(guess(shape, &last_row), Some(Mistake::Unwritten), "{shape}");
        let zeros = vec![0.0; rows * columns];
        assert_eq!(guess(shape, &zeros), Some(Mistake::Zero), "{shape}");
        let shifted = made(shape, |r, c| Some(((c + 1).min(rows - 1), r)));
        let one_down = Mistake::Shifted {
            rows: 1,
            columns: 0,
        };
        assert_eq!(guess(shape, &shifted), Some(one_down), "{shape}");
        // in[row * rows + column] in place of in[row * columns + column]
        let input_stride = made(shape, |r, c| {
            let at = c * rows + r;
            Some((at / columns, at % columns))
        });
        assert_eq!(
            guess(shape, &input_stride),
            Some(Mistake::InputStride),
            "{shape}"
        );
        // out[column * columns + row] in place of out[column * rows + row]
        let output_stride = made(shape, |r, c| {
            let at = r * rows + c;
            (at % columns < rows).then_some((at % columns, at / columns))
        });
        let guess = guess(shape, &output_stride);
        let unwritten_first = rows < columns;
        let expected = if unwritten_first {
            Mistake::Unwritten
        } else {
            Mistake::OutputStride
        };
        assert_eq!(guess, Some(expected), "{shape}");
    }
}

#[test]
fn tile_mistakes_are_recognised_with_the_tiles_width() {
    let shape = Shape::new(96, 128);
    for tile in [8, 16, 32] {
        let inside = made(shape, |r, c| {
            Some((c / tile * tile + r % tile, r / tile * tile + c % tile))
        });
        assert_eq!(
            guess(shape, &inside),
            Some(Mistake::TileNotTransposed { tile })
        );
    }
    let square = Shape::new(96, 96);
    let not_moved = made(square, |r, c| {
        Some((r / 32 * 32 + c % 32, c / 32 * 32 + r % 32))
    });
    assert_eq!(
        guess(square, &not_moved),
        Some(Mistake::TileNotMoved { tile: 32 })
    );
}

#[test]
fn a_message_names_place_values_and_mistake() {
    let shape = Shape::new(3, 5);
    let output = made(shape, |r, c| ((r, c) != (4, 1)).then_some((c, r)));
    let mismatch = compare(Operation::Transpose, &input(shape), &output, shape).unwrap_err();
    let text = mismatch.to_string();
    assert!(text.contains("row 4, column 1"), "{text}");
    assert!(
        text.contains("0xffffffff") && text.contains("1 of 15"),
        "{text}"
    );
    assert!(text.contains("never written"), "{text}");
}

proptest! {
    #[test]
    fn transposing_twice_gives_the_input(rows in 1_usize..80, columns in 1_usize..80) {
        let shape = Shape::new(rows, columns);
        let input = input(shape);
        let once = reference(Operation::Transpose, &input, shape);
        let twice = reference(Operation::Transpose, &once, shape.transposed());
        prop_assert_eq!(bytemuck::cast_slice::<f32, u32>(&twice), bytemuck::cast_slice::<f32, u32>(&input));
        for (index, element) in once.iter().enumerate() {
            let source = Operation::Transpose.source_of(index, shape);
            prop_assert_eq!(element.to_bits(), input[source].to_bits());
        }
    }

    #[test]
    fn any_single_wrong_element_is_found(
        rows in 1_usize..60, columns in 1_usize..60, at in any::<prop::sample::Index>(), bit in 0_u32..32,
    ) {
        let shape = Shape::new(rows, columns);
        let input = input(shape);
        let mut output = reference(Operation::Transpose, &input, shape);
        let at = at.index(output.len());
        output[at] = f32::from_bits(output[at].to_bits() ^ (1 << bit));
        let mismatch = compare(Operation::Transpose, &input, &output, shape).unwrap_err();
        prop_assert_eq!(mismatch.row * rows + mismatch.column, at);
        prop_assert_eq!(mismatch.wrong, 1);
    }

    #[test]
    fn bytes_and_doubles_are_compared_too(rows in 1_usize..40, columns in 2_usize..40) {
        let shape = Shape::new(rows, columns);
        let bytes: Vec<u8> = (0..rows * columns).map(|i| (i % 251) as u8 + 1).collect();
        let doubles: Vec<f64> = bytes.iter().map(|&b| f64::from(b) / 7.0).collect();
        prop_assert!(compare(Operation::Copy, &bytes, &bytes, shape).is_ok());
        let mut wrong = reference(Operation::Transpose, &doubles, shape);
        prop_assert!(compare(Operation::Transpose, &doubles, &wrong, shape).is_ok());
        *wrong.last_mut().unwrap() = -1.0;
        prop_assert!(compare(Operation::Transpose, &doubles, &wrong, shape).is_err());
    }
}
