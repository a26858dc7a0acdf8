//! An input and an output as bits, whatever their element type: what a comparison looks at.

use cornerturn_base::element::ElementType;
use cornerturn_base::operation::Operation;
use cornerturn_base::pattern::POISON_BYTE;
use cornerturn_base::shape::Shape;

/// An input and an output, element by element, as bits. An element that is not there is `None`.
pub struct View<'a> {
    /// What was to be done.
    pub operation: Operation,
    /// Of the input.
    pub shape: Shape,
    /// Of input and output.
    pub element: ElementType,
    /// The input's element at an index.
    pub input: &'a dyn Fn(usize) -> Option<u64>,
    /// What the output should hold.
    pub expected: &'a dyn Fn(usize) -> Option<u64>,
    /// What the output holds.
    pub output: &'a dyn Fn(usize) -> Option<u64>,
}

impl View<'_> {
    /// The bits of an element that was never written.
    pub(crate) fn poison(&self) -> u64 {
        bits_of(&[POISON_BYTE; 8][..self.element.bytes()])
    }
}

/// Up to eight little-endian bytes as bits.
pub fn bits_of(bytes: &[u8]) -> u64 {
    let mut wide = [0; 8];
    let length = bytes.len().min(8);
    wide[..length].copy_from_slice(&bytes[..length]);
    u64::from_le_bytes(wide)
}
