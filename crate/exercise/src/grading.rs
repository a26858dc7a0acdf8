//! A verdict while it grows, and the step that ends it. Which steps there are is `grade`'s and `predict`'s.

use super::data::{Exercise, Kind};
use super::sketch::Sketch;
use super::terms::Terms;
use super::verdict::{Outcome, Step, Verdict};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html::MOST_PRINTED_LINES;
use cornerturn_emulator::Printed;
use cornerturn_plot::Figure;

/// The longest source that is graded.
pub(super) const MOST_BYTES: usize = 1 << 20;

/// Why grading ends early.
pub(super) enum Stop {
    /// The answer is wrong.
    Failed(Box<Failure>),
    /// It cannot be graded here.
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The step that failed.
#[derive(Default)]
pub(super) struct Failure {
    pub(super) claim: String,
    pub(super) reason: String,
    pub(super) sketch: String,
    pub(super) picture: Option<Figure>,
    /// What the kernel printed in the launch that failed.
    pub(super) printed: Printed,
}

impl Failure {
    pub(super) fn new(claim: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            claim: claim.into(),
            reason: reason.into(),
            ..Self::default()
        }
    }

    pub(super) fn with(mut self, sketch: Sketch) -> Self {
        (self.sketch, self.picture) = (sketch.text, sketch.picture);
        self
    }

    pub(super) fn printing(self, printed: Printed) -> Self {
        Self { printed, ..self }
    }

    pub(super) fn stop<T>(self) -> Result<T, Stop> {
        Err(Stop::Failed(Box::new(self)))
    }
}

/// A verdict while it grows.
pub(super) struct Grading<'a> {
    pub(super) exercise: &'a Exercise,
    pub(super) terms: &'a Terms,
    /// Whether numbers were given in the fields of a page, where nobody sees a file, its lines or the names in it.
    pub(super) in_fields: bool,
    steps: Vec<Step>,
    /// What the kernel printed on the shown matrix.
    pub(super) printed: Printed,
}

impl<'a> Grading<'a> {
    pub(super) fn new(exercise: &'a Exercise, terms: &'a Terms) -> Self {
        Self {
            exercise,
            terms,
            in_fields: false,
            steps: Vec::new(),
            printed: Printed::default(),
        }
    }

    pub(super) fn passed(&mut self, claim: impl Into<String>) {
        self.steps.push(Step {
            claim: claim.into(),
            outcome: Outcome::Passed,
        });
    }

    pub(super) fn end(mut self, graded: Result<(), Stop>) -> Result<Verdict> {
        let id = &self.exercise.id;
        let failure = match graded {
            Ok(()) => None,
            Err(Stop::Failed(failure)) => Some(*failure),
            Err(Stop::Error(error)) => return Err(error),
        };
        let passed = failure.is_none();
        let failure = failure.unwrap_or_default();
        let mut next = self.exercise.solved.trim().to_string();
        let mut printed = self.printed;
        if !failure.printed.is_empty() {
            printed = failure.printed;
        }
        if !passed {
            next = format!("next: `cornerturn exercise hint {id}` gives a hint");
            self.steps.push(Step {
                claim: failure.claim,
                outcome: Outcome::Failed(failure.reason),
            });
        }
        Ok(Verdict {
            exercise: id.clone(),
            passed,
            is_starter: false,
            seed: (self.exercise.kind != Kind::Predict).then_some(self.terms.seed),
            steps: self.steps,
            sketch: failure.sketch,
            picture: failure.picture,
            printed: printed.shown(MOST_PRINTED_LINES),
            bandwidth: None,
            next,
        })
    }
}
