//! Where the numbers of expressions come from, as an expression sees it. What is measured or counted, and how it is
//! found, is the program's that builds the book.

/// Answers the functions of expressions.
pub trait Source: Send + Sync {
    /// The functions that there are, each with its arguments: `gbps(KERNEL, SHAPE)`.
    fn signatures(&self) -> Vec<String>;

    /// What a function gives for its arguments, which are bare words; `None` where there is no such function.
    fn call(&self, function: &str, arguments: &[&str]) -> Option<Result<f64, SourceError>>;
}

/// Why a function has no answer: one sentence, with what is known and the next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);

/// A source without functions: expressions are arithmetic then.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSource;

impl Source for NoSource {
    fn signatures(&self) -> Vec<String> {
        Vec::new()
    }

    fn call(&self, _: &str, _: &[&str]) -> Option<Result<f64, SourceError>> {
        None
    }
}
