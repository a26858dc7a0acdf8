//! Successive halving: all candidates are timed briefly, the better half for twice as long, and so on. It knows neither GPUs nor kernels; what a sample is, is the bench's.

use crate::turns;
use cornerturn::timing::Timing;
use cornerturn::tuning::End;
use cornerturn::{Clocks, TimingMode};
use std::time::{Duration, Instant};

/// Rounds end once so few candidates are left.
const FINALISTS: usize = 8;

/// Samples of each candidate in the first round; each further round takes twice as many.
const FIRST_SAMPLES: usize = 10;

/// Samples of each candidate in the last round, if it would not take more by then.
const LAST_SAMPLES: usize = 160;

/// Samples that are taken in one go, before the next candidate has its turn.
const TURN: usize = 10;

/// What can be timed.
pub trait Bench {
    /// Durations of the reference in microseconds.
    fn reference(&mut self, samples: usize) -> anyhow::Result<Vec<f64>>;

    /// Durations of a candidate in microseconds.
    fn candidate(&mut self, index: usize, samples: usize) -> anyhow::Result<Vec<f64>>;

    /// Looks closely at a candidate that may win; `false` takes it out.
    fn admit(&mut self, index: usize) -> anyhow::Result<bool>;

    /// Whether someone wants it to end now.
    fn is_interrupted(&self) -> bool;

    /// Told before each turn: the round, of how many, how many candidates it has, and the time that is left.
    fn progress(&mut self, round: usize, rounds: usize, alive: usize, left: Duration);
}

/// What was found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Samples of the reference.
    pub reference_us: Vec<f64>,
    /// Of each candidate: its samples, and the last round that it took part in to the end.
    pub candidates: Vec<(Vec<f64>, u32)>,
}

/// Halves `count` candidates until few are left or `longest` has passed.
pub fn halve(bench: &mut impl Bench, count: usize, longest: Duration) -> anyhow::Result<Outcome> {
    let rounds = rounds(count);
    let mut run = Run {
        bench,
        rounds: rounds.len(),
        started: Instant::now(),
        longest,
        outcome: Outcome {
            end: End::Finished,
            reference_us: Vec::new(),
            candidates: vec![(Vec::new(), 0); count],
        },
    };
    let mut alive: Vec<usize> = (0..count).collect();
    for (round, most) in rounds.into_iter().enumerate() {
        // The fastest stay; their order must not depend on their times, so that a search can be repeated.
        alive.truncate(most);
        alive.sort_unstable();
        if most <= 2 * FINALISTS && !run.admit(&mut alive)? {
            break;
        }
        if alive.is_empty() || !run.round(round, &alive)? {
            break;
        }
        let median = |index: &usize| median(&run.outcome.candidates[*index].0);
        alive.sort_by(|a, b| median(a).total_cmp(&median(b)).then(a.cmp(b)));
    }
    Ok(run.outcome)
}

/// How many candidates take part in each round.
fn rounds(count: usize) -> Vec<usize> {
    let mut rounds = vec![count];
    let mut alive = count;
    while alive > FINALISTS {
        alive = alive.div_ceil(2);
        rounds.push(alive);
    }
    rounds
}

fn median(samples_us: &[f64]) -> f64 {
    let timing = Timing {
        samples_us: samples_us.to_vec(),
        mode: TimingMode::Cold,
        clocks: Clocks::default(),
    };
    timing.median_us()
}

struct Run<'a, B> {
    bench: &'a mut B,
    rounds: usize,
    started: Instant,
    longest: Duration,
    outcome: Outcome,
}

impl<B: Bench> Run<'_, B> {
    fn left(&self) -> Duration {
        self.longest.saturating_sub(self.started.elapsed())
    }

    /// Whether it has to end now; the outcome then says why.
    fn is_over(&mut self) -> bool {
        if self.bench.is_interrupted() {
            self.outcome.end = End::Interrupted;
        } else if self.left().is_zero() {
            self.outcome.end = End::TimeUp;
        } else {
            return false;
        }
        true
    }

    /// Takes out who is not admitted; `false` where it is over.
    fn admit(&mut self, alive: &mut Vec<usize>) -> anyhow::Result<bool> {
        let mut admitted = Vec::with_capacity(alive.len());
        for &index in alive.iter() {
            if self.is_over() {
                return Ok(false);
            }
            if self.bench.admit(index)? {
                admitted.push(index);
            } else {
                self.outcome.candidates[index] = (Vec::new(), 0);
            }
        }
        *alive = admitted;
        Ok(true)
    }

    /// One round, in which all take turns; `false` where it is over before its end.
    fn round(&mut self, round: usize, alive: &[usize]) -> anyhow::Result<bool> {
        // A round has an equal share of the time that is left, but at least one turn of everyone.
        let share = self.left() / (self.rounds - round).max(1) as u32;
        let started = Instant::now();
        let doubled = FIRST_SAMPLES << round.min(8);
        let samples = match round + 1 == self.rounds {
            true => doubled.max(LAST_SAMPLES),
            false => doubled,
        };
        let turns = samples.div_ceil(TURN);
        for turn in 0..turns {
            if turn > 0 && started.elapsed() >= share {
                break;
            }
            let left = self.left();
            self.bench
                .progress(round + 1, self.rounds, alive.len(), left);
            // The reference is one place beyond the candidates.
            for place in turns::shuffled(alive.len() + 1, turn) {
                let Some(&index) = alive.get(place) else {
                    let samples = self.bench.reference(TURN)?;
                    self.outcome.reference_us.extend(samples);
                    continue;
                };
                if self.is_over() {
                    return Ok(false);
                }
                let samples = self.bench.candidate(index, TURN)?;
                self.outcome.candidates[index].0.extend(samples);
            }
        }
        for &index in alive {
            self.outcome.candidates[index].1 = round as u32 + 1;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Candidates whose durations are known. What was asked is kept.
    struct Known {
        durations: Vec<f64>,
        refused: Vec<usize>,
        asked: Vec<usize>,
        interrupt_after: usize,
        sleep: Duration,
    }

    impl Known {
        fn new(count: usize) -> Self {
            Self {
                // The fastest stands in the middle.
                durations: (0..count)
                    .map(|i| 100.0 + i.abs_diff(count / 2) as f64)
                    .collect(),
                refused: Vec::new(),
                asked: Vec::new(),
                interrupt_after: usize::MAX,
                sleep: Duration::ZERO,
            }
        }
    }

    impl Bench for Known {
        fn reference(&mut self, samples: usize) -> anyhow::Result<Vec<f64>> {
            Ok(vec![90.0; samples])
        }

        fn candidate(&mut self, index: usize, samples: usize) -> anyhow::Result<Vec<f64>> {
            self.asked.push(index);
            std::thread::sleep(self.sleep);
            Ok(vec![self.durations[index]; samples])
        }

        fn admit(&mut self, index: usize) -> anyhow::Result<bool> {
            Ok(!self.refused.contains(&index))
        }

        fn is_interrupted(&self) -> bool {
            self.asked.len() >= self.interrupt_after
        }

        fn progress(&mut self, round: usize, rounds: usize, _: usize, _: Duration) {
            assert!((1..=rounds).contains(&round));
        }
    }

    const LONG: Duration = Duration::from_secs(1000);

    fn last_round(outcome: &Outcome) -> Vec<usize> {
        let last = outcome
            .candidates
            .iter()
            .map(|(_, round)| *round)
            .max()
            .unwrap_or(0);
        (0..outcome.candidates.len())
            .filter(|&i| outcome.candidates[i].1 == last)
            .collect()
    }

    #[test]
    fn the_fastest_stay_and_are_timed_longest() {
        let mut bench = Known::new(150);
        let outcome = halve(&mut bench, 150, LONG).unwrap();
        assert_eq!(outcome.end, End::Finished);
        assert_eq!(rounds(150), [150, 75, 38, 19, 10, 5]);
        assert_eq!(last_round(&outcome), [73, 74, 75, 76, 77]);
        assert_eq!(
            outcome.candidates[75].0.len(),
            10 + 20 + 40 + 80 + 160 + 320
        );
        assert_eq!(outcome.candidates[0], (vec![175.0; 10], 1));
        // The same every time.
        let mut again = Known::new(150);
        assert_eq!(halve(&mut again, 150, LONG).unwrap(), outcome);
        assert_eq!(again.asked, bench.asked);
    }

    #[test]
    fn few_candidates_have_one_round_and_none_have_none() {
        let outcome = halve(&mut Known::new(3), 3, LONG).unwrap();
        assert_eq!(last_round(&outcome), [0, 1, 2]);
        let outcome = halve(&mut Known::new(0), 0, LONG).unwrap();
        assert_eq!((outcome.candidates.len(), outcome.end), (0, End::Finished));
    }

    #[test]
    fn whoever_is_not_admitted_loses_its_samples() {
        let mut bench = Known::new(40);
        bench.refused = vec![20];
        let outcome = halve(&mut bench, 40, LONG).unwrap();
        assert_eq!(outcome.candidates[20], (Vec::new(), 0));
        assert!(!last_round(&outcome).contains(&20));
    }

    #[test]
    fn what_was_found_is_kept_when_it_ends_early() {
        let mut bench = Known::new(40);
        bench.interrupt_after = 45;
        let outcome = halve(&mut bench, 40, LONG).unwrap();
        assert_eq!(outcome.end, End::Interrupted);
        assert_eq!(bench.asked.len(), 45);
        assert!(
            outcome
                .candidates
                .iter()
                .all(|(samples, round)| samples.len() >= 10 && *round == 1)
        );
        let outcome = halve(&mut Known::new(40), 40, Duration::ZERO).unwrap();
        assert_eq!(outcome.end, End::TimeUp);
    }

    #[test]
    fn short_of_time_rounds_take_fewer_turns() {
        let mut bench = Known::new(16);
        bench.sleep = Duration::from_millis(2);
        let outcome = halve(&mut bench, 16, Duration::from_millis(200)).unwrap();
        let most = outcome
            .candidates
            .iter()
            .map(|(samples, _)| samples.len())
            .max()
            .unwrap();
        assert!((20..170).contains(&most), "{most}");
    }
}
