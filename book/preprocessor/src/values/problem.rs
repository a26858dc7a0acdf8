//! What can be wrong with a directive in prose, in words. What notices it is elsewhere.

use super::source::SourceError;
use crate::place::Place;
use std::fmt;

/// Something in prose that is not as it must be, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct ProseProblem {
    /// Where.
    pub place: Place,
    /// The words concerned, as written.
    pub written: String,
    /// What is wrong with them.
    pub error: ValueError,
}

impl fmt::Display for ProseProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`: {}", self.place, self.written, self.error)
    }
}

/// What is wrong with a directive, an expression, or a number in prose.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The expression is not written as it must be.
    #[error("{wanted} is wanted where it goes on with `{rest}`")]
    Syntax {
        /// What could stand there.
        wanted: &'static str,
        /// What stands there instead.
        rest: String,
    },
    /// Parentheses stand in parentheses more often than anyone can read.
    #[error("it is nested too deeply: write it in several values")]
    TooDeep,
    /// There is no such function.
    #[error("there is no function `{name}`; there are: {known}")]
    UnknownFunction {
        /// The name asked for.
        name: String,
        /// The functions that there are, with their arguments.
        known: String,
    },
    /// The function has no answer.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A division by zero, and the like.
    #[error("it gives no number: something is divided by zero, or too large")]
    NotFinite,
    /// What is behind the bar is no format.
    #[error(
        "`{0}` is no format; there are `.1`, `.2` … `.9`, `%`, `%.1` … `%.9`, `words`, or none"
    )]
    Format(String),
    /// Words can only be given for a number that is not negative.
    #[error("{0} cannot be written in words: take another format")]
    NoWords(f64),
    /// A statement is false.
    #[error("the sentence at this place no longer holds, as {0}: rewrite it, or record again")]
    DoesNotHold(String),
    /// A directive has no end.
    #[error("it has no `}}}}` in its paragraph: end it")]
    Unclosed,
    /// A directive has a name that nobody knows.
    #[error(
        "there is no such directive in a paragraph; there are `{{{{#value EXPRESSION | FORMAT}}}}`, \
         `{{{{#holds A < B}}}}`, `{{{{#typed TEXT | REASON}}}}`, and `\\{{{{#` to show it as it stands"
    )]
    UnknownDirective,
    /// A number that is typed on purpose has no text or no reason.
    #[error(
        "write `{{{{#typed TEXT | REASON}}}}`, such as `{{{{#typed 2000 GB/s | prediction}}}}`"
    )]
    Typed,
    /// A number that a record could own is typed by hand.
    #[error(
        "this number is typed by hand: take it from its record by `{{{{#value …}}}}`, or say why it is typed by \
         `{{{{#typed TEXT | REASON}}}}`, or by `<!-- typed: REASON -->` before the whole block"
    )]
    TypedByHand,
    /// A cell shows more than a reader takes in at once.
    #[error(
        "this cell shows {shown} lines of code, more than {most}: fold it by `rust cell folded`, or hide lines by `# `"
    )]
    LongCell {
        /// Its lines that are not hidden.
        shown: usize,
        /// As many as a cell may show.
        most: usize,
    },
}
