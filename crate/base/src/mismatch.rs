//! The first difference between an output and what it should be. Finding it lives in `verify`.

use crate::mistake::Mistake;
use std::fmt;

/// The first difference between an output and what it should be.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// Which matrix of a batch, counted from 0; `None` where there is one only.
    pub matrix: Option<usize>,
    /// Row in the output.
    pub row: usize,
    /// Column in the output.
    pub column: usize,
    /// What should be there: value and bits.
    pub expected: String,
    /// What is there: value and bits.
    pub found: String,
    /// The likely mistake, where it can be recognised.
    pub guess: Option<Mistake>,
    /// How many elements of this matrix are wrong.
    pub wrong: usize,
    /// How many it has.
    pub elements: usize,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(matrix) = self.matrix {
            write!(f, "matrix {matrix} of the batch, ")?;
        }
        write!(
            f,
            "output row {}, column {}: expected {}, found {}; {} of {} elements are wrong",
            self.row, self.column, self.expected, self.found, self.wrong, self.elements
        )?;
        match &self.guess {
            Some(guess) => write!(f, ". {guess}"),
            None => Ok(()),
        }
    }
}

/// The first wrong element of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct WrongElement {
    /// The array's name.
    pub array: String,
    /// Where in it the element is.
    pub index: usize,
    /// What should be there: value and bits.
    pub expected: String,
    /// What is there: value and bits.
    pub found: String,
    /// How many elements of this array are wrong.
    pub wrong: usize,
    /// How many it has.
    pub elements: usize,
    /// The likely mistake as a sentence, where it can be recognised; else empty.
    pub hint: &'static str,
}

impl fmt::Display for WrongElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            array,
            index,
            expected,
            found,
            wrong,
            elements,
            hint,
        } = self;
        write!(
            f,
            "`{array}`[{index}] should be {expected} and is {found}; {wrong} of {elements} elements are wrong"
        )?;
        if !hint.is_empty() {
            write!(f, ". {hint}")?;
        }
        Ok(())
    }
}
