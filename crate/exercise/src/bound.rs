//! A bound on a counter, as exercises.toml asks for it, and whether a launch keeps it. The names of counters are `counted`'s.

use super::asked::Bound;
use super::counted::{Amount, Counted, number};

impl Bound {
    /// What is bounded.
    pub(super) fn amount(&self) -> Amount<'_> {
        Amount::new(&self.counter, self.per.as_deref())
    }

    pub(super) fn check(&self) -> Result<(), String> {
        self.amount().check()?;
        let limits = [self.at_most, self.at_least, self.equals];
        if limits.iter().all(Option::is_none)
            || limits.iter().flatten().any(|limit| !limit.is_finite())
        {
            return Err(format!(
                "the bound of `{}` needs at_most, at_least or equals",
                self.counter
            ));
        }
        if self.because.trim().is_empty() {
            return Err(format!(
                "the bound of `{}` does not say because",
                self.counter
            ));
        }
        Ok(())
    }

    /// What is asked for: "at most 1 shared load wavefront per shared load instruction".
    pub(super) fn words(&self) -> String {
        let mut limits = Vec::new();
        for (limit, words) in [
            (self.equals, "exactly"),
            (self.at_least, "at least"),
            (self.at_most, "at most"),
        ] {
            if let Some(limit) = limit {
                limits.push(format!("{words} {}", number(limit)));
            }
        }
        let is_one = [self.equals, self.at_least, self.at_most]
            .iter()
            .flatten()
            .all(|&n| n == 1.0);
        let words = self.amount().words();
        let (first, rest) = words
            .split_once(" per ")
            .map_or((words.as_str(), None), |(first, rest)| (first, Some(rest)));
        let first = if is_one {
            first.strip_suffix('s').unwrap_or(first)
        } else {
            first
        };
        let rest = rest.map_or(String::new(), |rest| format!(" per {rest}"));
        format!("{} {first}{rest}", limits.join(" and "))
    }

    /// Whether the launch keeps it, with the end of the sentence if it does not.
    pub(super) fn keeps(&self, counted: &Counted) -> Result<f64, String> {
        let amount = self.amount();
        let place = format!("on {}", counted.size);
        let Some(value) = amount.of(counted) else {
            return Err(format!("but no {} were counted {place}", amount.divisor()));
        };
        // Counters are whole numbers, and so are most limits: this is far below a step of any quotient.
        let near = value.abs().max(1.0) * 1e-12;
        let kept = self.at_most.is_none_or(|most| value <= most + near)
            && self.at_least.is_none_or(|least| value >= least - near)
            && self
                .equals
                .is_none_or(|equal| (value - equal).abs() <= near);
        match kept {
            true => Ok(value),
            false => Err(format!("but {} were counted {place}", number(value))),
        }
    }
}
