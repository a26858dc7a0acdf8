//! Verification: bitwise, against what the operation is by definition. The words for a mistake live in `mistake`.

mod recognise;
mod view;

use cornerturn_base::element::{Element, ElementType};
pub use cornerturn_base::mismatch::Mismatch;
pub use cornerturn_base::mistake::Mistake;
pub use cornerturn_base::operation::Operation;
use cornerturn_base::shape::Shape;
pub use view::{View, bits_of};

/// What the operation makes of a row-major input of `shape`. Elements that the input lacks are left out.
pub fn reference<T: Element>(operation: Operation, input: &[T], shape: Shape) -> Vec<T> {
    let elements = shape.elements().unwrap_or(0).min(input.len());
    if operation == Operation::Copy {
        return input[..elements].to_vec();
    }
    let mut output: Vec<T> = bytemuck::zeroed_vec(elements);
    // By blocks, so that a column's elements share cache lines.
    for first_row in (0..shape.rows).step_by(BLOCK) {
        for first_column in (0..shape.columns).step_by(BLOCK) {
            for row in first_row..(first_row + BLOCK).min(shape.rows) {
                for column in first_column..(first_column + BLOCK).min(shape.columns) {
                    let to = output.get_mut(column * shape.rows + row);
                    if let (Some(to), Some(from)) = (to, input.get(row * shape.columns + column)) {
                        *to = *from;
                    }
                }
            }
        }
    }
    output
}

/// Rows and columns of the blocks that the reference is made in.
const BLOCK: usize = 32;

/// Compares an output with what the operation makes of the input, bit by bit.
///
/// `input` is row-major of `shape`, `output` row-major of the operation's output shape.
///
/// # Errors
/// The first [`Mismatch`] in the output's order. A length that does not fit the shape counts as one too.
pub fn compare<T: Element>(
    operation: Operation,
    input: &[T],
    output: &[T],
    shape: Shape,
) -> Result<(), Box<Mismatch>> {
    let expected = reference(operation, input, shape);
    if bytemuck::cast_slice::<T, u8>(&expected) == bytemuck::cast_slice::<T, u8>(output)
        && Some(output.len()) == shape.elements()
    {
        return Ok(());
    }
    let bits = |elements: &[T], index: usize| {
        let element = elements.get(index)?;
        Some(bits_of(bytemuck::bytes_of(element)))
    };
    Err(Box::new(explain(&View {
        operation,
        shape,
        element: T::TYPE,
        input: &|index| bits(input, index),
        expected: &|index| bits(&expected, index),
        output: &|index| bits(output, index),
    })))
}

/// Whether these are the same bytes, looked at eight at a time: WebAssembly's comparison of slices goes byte by byte.
pub(crate) fn is_same(a: &[u8], b: &[u8]) -> bool {
    let ((a_words, a_rest), (b_words, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let differs = a_words.iter().zip(b_words).fold(0, |differs, (a, b)| {
        differs | (u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b))
    });
    a.len() == b.len() && differs == 0 && a_rest == b_rest
}

/// The first difference and the likely mistake, for an output that is known to differ.
pub fn explain(view: &View) -> Mismatch {
    let elements = view.shape.elements().unwrap_or(0);
    let columns = view.operation.output_shape(view.shape).columns.max(1);
    let poison = Some(view.poison());
    let mut wrong = Wrong::default();
    for index in 0..elements {
        let found = (view.output)(index);
        if (view.expected)(index) != found {
            wrong.add(index, found == poison);
        }
    }
    // An output that is too long differs right after its end.
    let first = wrong.first.unwrap_or(elements);
    let show =
        |bits: Option<u64>| bits.map_or("nothing".to_string(), |bits| show(view.element, bits));
    Mismatch {
        matrix: None,
        row: first / columns,
        column: first % columns,
        expected: show((view.expected)(first)),
        found: show((view.output)(first)),
        guess: wrong
            .first
            .and_then(|first| recognise::recognise(view, first, &wrong.written)),
        wrong: wrong.count,
        elements,
    }
}

/// The wrong elements of an output.
#[derive(Default)]
struct Wrong {
    first: Option<usize>,
    count: usize,
    /// The first of them that are not poison.
    written: Vec<usize>,
}

impl Wrong {
    fn add(&mut self, index: usize, is_poison: bool) {
        self.first.get_or_insert(index);
        self.count += 1;
        if !is_poison && self.written.len() < recognise::TRIALS {
            self.written.push(index);
        }
    }
}

/// A value and its bits.
pub(crate) fn show(element: ElementType, bits: u64) -> String {
    let digits = element.bytes() * 2;
    let value = match element {
        ElementType::F32 => format!("{:e}", f32::from_bits(bits as u32)),
        ElementType::F64 => format!("{:e}", f64::from_bits(bits)),
        ElementType::F16 => return format!("bits 0x{bits:0digits$x}"),
        ElementType::I32 => (bits as u32).cast_signed().to_string(),
        ElementType::I64 => bits.cast_signed().to_string(),
        _ => bits.to_string(),
    };
    format!("{value} (0x{bits:0digits$x})")
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn a_byte_that_differs_is_seen_wherever_it_is() {
        let bytes: Vec<u8> = (1..=21).collect();
        assert!(is_same(&bytes, &bytes) && is_same(&[], &[]));
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(!is_same(&bytes, &other), "{at}");
            assert!(!is_same(&bytes, &bytes[..at]), "{at}");
        }
    }
}
