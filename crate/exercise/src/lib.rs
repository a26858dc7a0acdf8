//! The workshop: exercises that are graded by what a kernel did, not by how long it took. Which exercises there are stands in `kernels/exercises`.
//!
//! `workshop` reads them, `data` is what one of them says; its file is cut into variants by marker lines. `grade` takes an answer
//! through the steps of a verdict; each launch of it is a `trial` of a `work`, on a `matrix`, on `arrays` or on the matrices of `products` whose `size`
//! and `input` are drawn from the check's `seed`. What was `counted` is held against each `bound`, which no data may pass by on other
//! `ways`, and `sketch` shows the access that missed one. `predict` grades numbers instead of kernels, some of them about what was `recorded`; `pipeline` what streams are given, `order` tells
//! which tile each block took, and `bench` times solutions.
//!
//! Cells do not name this package: `cornerturn::exercise` passes it on. A verdict counts sectors and wavefronts, and times
//! nothing but solutions; [`Question`], which checks itself in a notebook, is here too.
//!
//! ```
//! use cornerturn_exercise::Workshop;
//!
//! let workshop = Workshop::load()?;
//! let exercise = workshop.get("padding")?;
//! let verdict = exercise.check(&exercise.solution())?;
//! assert!(verdict.failure().is_none());
//! # Ok::<(), cornerturn_base::Error>(())
//! ```

// What is made ready for a GPU only, and what only its measurements use, stays where there is none.
#![cfg_attr(not(feature = "driver"), allow(dead_code))]
// A test may fail where it stands.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod array_work;
mod arrays;
mod asked;
mod bench;
mod bound;
mod counted;
mod data;
mod dependence;
mod entry;
mod given;
mod grade;
mod grading;
mod input;
mod matrix;
mod matrix_work;
mod order;
mod pipeline;
mod predict;
mod predicted;
mod product_shapes;
mod product_trace;
mod product_work;
mod products;
mod profile;
mod progress;
mod question;
mod recorded;
mod seal;
mod seed;
mod shapes;
mod size;
mod sketch;
mod terms;
mod traced;
mod trial;
mod verdict;
mod ways;
mod well_formed;
mod work;
mod workshop;

pub use array_work::ArrayWork;
pub use asked::{About, Bound, Way};
pub use bench::{Bench, EXPERIMENT, stale};
pub use cornerturn_basics::markers::{SOLUTION, STARTER};
pub use data::{
    Also, Answer, Cheat, Exercise, HINTS, Instruction, Kind, Output, Pipeline, ProductSizes, Wrong,
};
pub use matrix_work::MatrixWork;
pub use product_work::ProductWork;
pub use progress::{Entry, Progress, SCHEMA};
pub use question::{Answered, Question};
pub use seed::Seed;
pub use size::Size;
pub use terms::Terms;
pub use verdict::{Outcome, Step, Verdict};
pub use work::Work;
pub use workshop::Workshop;

use cornerturn_base::error::Result;

/// Grades a kernel or a pipeline in a cell: `let verdict = exercise::check("padding", source)?; verdict`.
///
/// # Errors
/// [`Error::UnknownExercise`](cornerturn_base::Error::UnknownExercise); else as [`Exercise::check`].
pub fn check(id: &str, source: &str) -> Result<Verdict> {
    Workshop::load()?.get(id)?.check(source)
}

/// Grades predicted numbers in a cell: `exercise::answer("strided", &[("stride_2", 8), ("stride_32", 32)])?`.
///
/// # Errors
/// As [`check`]; [`Error::Usage`](cornerturn_base::Error::Usage) for an exercise that asks for a kernel.
pub fn answer<N: Into<f64> + Copy>(id: &str, answers: &[(&str, N)]) -> Result<Verdict> {
    let workshop = Workshop::load()?;
    let given: Vec<(&str, f64)> = answers.iter().map(|&(name, n)| (name, n.into())).collect();
    workshop.get(id)?.answer(&given)
}
