//! One search: the verified variants are timed in rounds on a GPU, the best on the whole matrix after another comparison. Which are timed how long is `halving`'s.

use super::halving::{self, Bench, Outcome};
use super::prepare::{Candidate, Wanted};
use crate::output;
use cornerturn::compile::Compiler;
use cornerturn::registry::sha256;
use cornerturn::timing::TimingOptions;
use cornerturn::tuning::{Search, Tried};
use cornerturn::{Clocks, RegisteredTask, Shape, TimingMode};
use std::time::{Duration, Instant};

/// What a search gave.
pub struct Searched {
    /// The search itself.
    pub search: Search,
    /// Its variants.
    pub tried: Vec<Tried>,
    /// The GPU's clocks at its end.
    pub clocks: Clocks,
    /// Variants that did something wrong.
    pub wrong: usize,
}

/// Compiles, verifies and times; what was found is kept where it is interrupted.
///
/// # Errors
/// As [`Wanted::compile`] and [`Wanted::verify`]; where the matrices do not fit into the device's memory.
pub fn search(
    wanted: &Wanted,
    shape: Shape,
    longest: Duration,
    commit: &str,
) -> anyhow::Result<Searched> {
    let started = Instant::now();
    let compiler = Compiler::open()?;
    let mut candidates = wanted.compile(&compiler)?;
    wanted.verify(&mut candidates)?;
    let task = RegisteredTask::new(wanted.device, wanted.entry, shape, 1)?;
    let mut stand = Stand::new(wanted, &task, &mut candidates);
    let left = longest.saturating_sub(started.elapsed());
    let count = stand.timed.len();
    let outcome = halving::halve(&mut stand, count, left)?;
    output::progress("");
    let clocks = stand.clocks.clone();
    let tried = stand.tried(&outcome);
    let (major, minor) = compiler.version()?;
    let search = Search {
        element: wanted.entry.element,
        rows: shape.rows,
        columns: shape.columns,
        date: cornerturn::record::today(),
        commit: commit.to_string(),
        tool: format!("cornerturn {}", env!("CARGO_PKG_VERSION")),
        source_sha256: sha256(wanted.registry.source(wanted.entry)?.as_bytes()),
        compiler: format!("NVRTC {major}.{minor}"),
        end: outcome.end,
        copy_us: outcome.reference_us,
    };
    let is_wrong = |candidate: &&Candidate| {
        candidate
            .kernel
            .as_ref()
            .is_err_and(|refusal| refusal.is_wrong)
    };
    Ok(Searched {
        search,
        tried,
        clocks,
        wrong: candidates.iter().filter(is_wrong).count(),
    })
}

/// The variants that can be timed, with the matrix.
struct Stand<'a> {
    wanted: &'a Wanted<'a>,
    task: &'a RegisteredTask,
    candidates: &'a mut [Candidate],
    /// Which of the candidates take part.
    timed: Vec<usize>,
    /// Which of those were compared on the whole matrix.
    admitted: Vec<bool>,
    clocks: Clocks,
}

impl<'a> Stand<'a> {
    fn new(
        wanted: &'a Wanted<'a>,
        task: &'a RegisteredTask,
        candidates: &'a mut [Candidate],
    ) -> Self {
        let can = |index: &usize| candidates[*index].kernel.is_ok();
        let timed: Vec<usize> = (0..candidates.len()).filter(can).collect();
        Self {
            admitted: vec![false; timed.len()],
            wanted,
            task,
            candidates,
            timed,
            clocks: Clocks::default(),
        }
    }

    /// Every candidate with its samples.
    fn tried(&self, outcome: &Outcome) -> Vec<Tried> {
        let problem = self.task.problem();
        let blank = |candidate: &Candidate| Tried {
            element: problem.element,
            rows: problem.shape.rows,
            columns: problem.shape.columns,
            variant: candidate.variant,
            rounds: 0,
            verified_here: false,
            refused: candidate
                .kernel
                .as_ref()
                .err()
                .map(|refusal| refusal.reason.clone()),
            samples_us: Vec::new(),
        };
        let mut tried: Vec<Tried> = self.candidates.iter().map(blank).collect();
        for (place, (samples_us, rounds)) in outcome.candidates.iter().enumerate() {
            let tried = &mut tried[self.timed[place]];
            tried.samples_us.clone_from(samples_us);
            (tried.rounds, tried.verified_here) = (*rounds, self.admitted[place]);
        }
        tried
    }
}

/// So many samples, whatever their spread.
fn exactly(samples: usize) -> TimingOptions {
    TimingOptions {
        least_samples: samples,
        most_samples: samples,
        longest: Duration::from_secs(10),
        warm_up: 1,
        ..TimingMode::Cold.into()
    }
}

impl Bench for Stand<'_> {
    fn reference(&mut self, samples: usize) -> anyhow::Result<Vec<f64>> {
        Ok(self.task.time_copy(exactly(samples))?.samples_us)
    }

    fn candidate(&mut self, index: usize, samples: usize) -> anyhow::Result<Vec<f64>> {
        let candidate = &self.candidates[self.timed[index]];
        let Ok(kernel) = &candidate.kernel else {
            return Ok(Vec::new());
        };
        let timing = self.task.time(&candidate.entry, kernel, exactly(samples))?;
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
        let shape = self.task.problem().shape;
        output::progress(&format!(
            "  timing at {shape}: round {round} of {rounds}, {alive} variants, at most {} s left",
            left.as_secs()
        ));
    }
}
