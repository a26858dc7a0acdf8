//! The first difference between a product of matrices and what it should be, and the mistakes that one can show. Finding them lives in `product_problem`.

use std::fmt;

/// The first difference between a product and what it should be.
#[derive(Debug, Clone, PartialEq)]
pub struct ProductMismatch {
    /// Row of C.
    pub row: usize,
    /// Column of C.
    pub column: usize,
    /// What should be there, and how near to it is near enough where that is not bit by bit.
    pub expected: String,
    /// What is there: value and bits.
    pub found: String,
    /// The likely mistake, where it can be recognised.
    pub guess: Option<ProductMistake>,
    /// How many are wrong of those that were looked at.
    pub wrong: usize,
    /// How many were looked at.
    pub of: usize,
    /// Of what: elements, or whole rows of a large product.
    pub unit: &'static str,
}

impl fmt::Display for ProductMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            row,
            column,
            expected,
            found,
            guess,
            wrong,
            of,
            unit,
        } = self;
        write!(
            f,
            "row {row}, column {column}: expected {expected}, found {found}; {wrong} of {of} {unit} are wrong"
        )?;
        match guess {
            Some(guess) => write!(f, ". {guess}"),
            None => Ok(()),
        }
    }
}

/// A mistake that a product shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProductMistake {
    /// The element was never written.
    Unwritten,
    /// The element is 0.
    Zero,
    /// The sum was added to what was there, or added twice.
    Doubled,
    /// Only the first so many of the products were added.
    FirstProducts {
        /// How many.
        added: usize,
        /// How many there are.
        of: usize,
    },
    /// The first so many of the products were left out.
    WithoutFirst {
        /// How many.
        missing: usize,
    },
    /// A factor was read as if it lay the other way round.
    FactorTransposed {
        /// `A` or `B`.
        name: char,
        /// Whether it lies transposed in truth.
        lies_transposed: bool,
    },
    /// A factor was read with a wrong leading dimension.
    LeadingDimension {
        /// `A` or `B`.
        name: char,
        /// What was taken.
        taken: usize,
        /// What it is.
        is: usize,
    },
    /// C was written transposed.
    ResultTransposed,
    /// What stands here belongs so many rows and columns further on.
    Shifted {
        /// Rows further down.
        rows: isize,
        /// Columns further right.
        columns: isize,
    },
}

impl fmt::Display for ProductMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwritten => f.write_str(
                "It was never written (still poison): does the grid cover all tiles of C, and do the guards at its edges \
                 let the last rows and columns through?",
            ),
            Self::Zero => f.write_str(
                "It is 0: was anything added up for it, or was shared memory read before it was written?",
            ),
            Self::Doubled => f.write_str(
                "It is twice the right sum: does every step of k begin where the last one ended, and does C begin at 0?",
            ),
            Self::FirstProducts { added, of } => write!(
                f,
                "It is the sum of the first {added} of {of} products: the loop over k ends too early, perhaps because the \
                 last tile is not whole"
            ),
            Self::WithoutFirst { missing } => write!(
                f,
                "The first {missing} products are missing from it: does the first tile of k take part, and are the sums set \
                 to 0 only once?"
            ),
            Self::FactorTransposed {
                name,
                lies_transposed,
            } => {
                let lies = if *lies_transposed {
                    "lies transposed and was read as if it did not"
                } else {
                    "was read as if it lay transposed"
                };
                write!(f, "{name} {lies}: swap row and column in its index")
            }
            Self::LeadingDimension { name, taken, is } => write!(
                f,
                "{name} was read with {taken} elements from row to row, and it has {is}"
            ),
            Self::ResultTransposed => f.write_str(
                "C was written transposed: its index is row · n + column",
            ),
            Self::Shifted { rows, columns } => write!(
                f,
                "What stands here belongs {rows} rows further down and {columns} columns further right"
            ),
        }
    }
}
