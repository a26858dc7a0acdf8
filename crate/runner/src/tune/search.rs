//! One search: the verified variants are timed in rounds on a GPU, the best on the whole matrix after another comparison. Which are timed how long is `halving`'s.

use super::halving::{self, Bench, Outcome};
use super::prepare::{Candidate, Wanted};
use super::subject::Tuned;
use crate::output;
use cornerturn::Clocks;
use cornerturn::compile::Compiler;
use cornerturn::timing::TimingOptions;
use cornerturn::tuning::{SearchOf, TriedOf};
use std::time::Duration;

/// What a search gave.
pub struct Searched<S: Tuned> {
    /// The search itself.
    pub search: SearchOf<S>,
    /// Its variants.
    pub tried: Vec<TriedOf<S>>,
    /// The GPU's clocks at its end.
    pub clocks: Clocks,
}

/// Times the candidates that are right at small shapes; what was found is kept where it is interrupted.
///
/// # Errors
/// Where the matrices do not fit into the device's memory; where the device fails.
pub fn search<S: Tuned>(
    wanted: &Wanted<S>,
    candidates: &mut [Candidate<S>],
    subject: S,
    longest: Duration,
    (commit, compiler): (&str, &Compiler),
) -> anyhow::Result<Searched<S>> {
    let task = subject.task(wanted.device, &wanted.entry)?;
    let mut stand = Stand::new(wanted, subject, &task, candidates);
    let count = stand.timed.len();
    let outcome = halving::halve(&mut stand, count, longest)?;
    output::progress("");
    let clocks = stand.clocks.clone();
    let tried = stand.tried(&outcome);
    let source = wanted.registry.source(S::code(&wanted.entry))?;
    let search = SearchOf {
        subject,
        date: cornerturn::record::today(),
        commit: commit.to_string(),
        tool: format!("cornerturn {}", env!("CARGO_PKG_VERSION")),
        source_sha256: S::source_sha256(&source),
        compiler: compiler.info()?.to_string(),
        end: outcome.end,
        library: S::library(&task),
        reference_us: outcome.reference_us,
    };
    Ok(Searched {
        search,
        tried,
        clocks,
    })
}

/// The variants that can be timed, with the matrix.
struct Stand<'a, S: Tuned> {
    wanted: &'a Wanted<'a, S>,
    subject: S,
    task: &'a S::Task,
    candidates: &'a mut [Candidate<S>],
    /// Which of the candidates take part.
    timed: Vec<usize>,
    /// Which of those were compared on the whole matrix.
    admitted: Vec<bool>,
    clocks: Clocks,
}

impl<'a, S: Tuned> Stand<'a, S> {
    fn new(
        wanted: &'a Wanted<'a, S>,
        subject: S,
        task: &'a S::Task,
        candidates: &'a mut [Candidate<S>],
    ) -> Self {
        let can = |index: &usize| candidates[*index].kernel.is_ok();
        let timed: Vec<usize> = (0..candidates.len()).filter(can).collect();
        Self {
            admitted: vec![false; timed.len()],
            wanted,
            subject,
            task,
            candidates,
            timed,
            clocks: Clocks::default(),
        }
    }

    /// Every candidate with its samples.
    fn tried(&self, outcome: &Outcome) -> Vec<TriedOf<S>> {
        let blank = |candidate: &Candidate<S>| TriedOf {
            subject: self.subject,
            variant: candidate.variant,
            registers_per_thread: candidate.resources.map(|(registers, _)| registers),
            local_bytes_per_thread: candidate.resources.map(|(_, local)| local),
            rounds: 0,
            verified_here: false,
            refused: candidate
                .kernel
                .as_ref()
                .err()
                .map(|refusal| refusal.reason.clone()),
            samples_us: Vec::new(),
        };
        let mut tried: Vec<TriedOf<S>> = self.candidates.iter().map(blank).collect();
        for (place, (samples_us, rounds)) in outcome.candidates.iter().enumerate() {
            let tried = &mut tried[self.timed[place]];
            tried.samples_us.clone_from(samples_us);
            (tried.rounds, tried.verified_here) = (*rounds, self.admitted[place]);
        }
        tried
    }
}

/// So many samples, whatever their spread.
fn exactly<S: Tuned>(samples: usize) -> TimingOptions {
    TimingOptions {
        least_samples: samples,
        most_samples: samples,
        longest: Duration::from_secs(10),
        warm_up: 1,
        ..S::MODE.into()
    }
}

impl<S: Tuned> Bench for Stand<'_, S> {
    fn reference(&mut self, samples: usize) -> anyhow::Result<Vec<f64>> {
        let timing = S::reference(self.task, exactly::<S>(samples))?;
        Ok(timing.map_or(Vec::new(), |timing| timing.samples_us))
    }

    fn candidate(&mut self, index: usize, samples: usize) -> anyhow::Result<Vec<f64>> {
        let candidate = &self.candidates[self.timed[index]];
        let Ok(kernel) = &candidate.kernel else {
            return Ok(Vec::new());
        };
        let options = exactly::<S>(samples);
        let timing = S::time(self.task, &candidate.entry, kernel, options)?;
        self.clocks = timing.clocks;
        Ok(timing.samples_us)
    }

    fn admit(&mut self, index: usize) -> anyhow::Result<bool> {
        if !self.admitted[index] {
            let candidate = &mut self.candidates[self.timed[index]];
            candidate.verify(self.task)?;
            self.admitted[index] = candidate.kernel.is_ok();
        }
        Ok(self.admitted[index])
    }

    fn is_interrupted(&self) -> bool {
        self.wanted.is_interrupted()
    }

    fn progress(&mut self, round: usize, rounds: usize, alive: usize, left: Duration) {
        let subject = self.subject;
        output::progress(&format!(
            "  timing at {subject}: round {round} of {rounds}, {alive} variants, at most {} s left",
            left.as_secs()
        ));
    }
}
