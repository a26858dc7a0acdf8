//! One search with its variants, the fastest first: the best, what is not told apart from it, each factor alone. Files are `tuning`'s.

use super::{Choice, SearchOf, Subject, TriedOf};

/// One search with its variants, the fastest first.
#[derive(Debug, Clone)]
pub struct FoundOf<'a, S: Subject> {
    /// The search.
    pub search: &'a SearchOf<S>,
    /// The variants that were timed, the fastest median first.
    pub timed: Vec<&'a TriedOf<S>>,
    /// Those that were not.
    pub refused: Vec<&'a TriedOf<S>>,
    /// The space's variants in their order.
    space: Vec<S::Variant>,
}

impl<'a, S: Subject> FoundOf<'a, S> {
    pub(super) fn new(
        search: &'a SearchOf<S>,
        tried: impl Iterator<Item = &'a TriedOf<S>>,
    ) -> Self {
        let (mut timed, refused): (Vec<_>, Vec<_>) =
            tried.partition(|tried| !tried.samples_us.is_empty());
        let median = |tried: &TriedOf<S>| {
            tried
                .timing()
                .map_or(f64::INFINITY, |timing| timing.median_us())
        };
        timed.sort_by(|a, b| median(a).total_cmp(&median(b)));
        Self {
            search,
            timed,
            refused,
            space: search.subject.variants(),
        }
    }

    /// The fastest that took part in the last round.
    pub fn best(&self) -> Option<&'a TriedOf<S>> {
        let last = self.timed.iter().map(|tried| tried.rounds).max()?;
        self.timed
            .iter()
            .find(|tried| tried.rounds == last)
            .copied()
    }

    /// The others that the samples do not tell apart from the best: their quartiles overlap its own.
    pub fn ties(&self) -> Vec<&'a TriedOf<S>> {
        let quartiles = |tried: &TriedOf<S>| tried.timing().map(|timing| timing.quartiles_us());
        let Some((best, (_, slow))) = self.best().and_then(|best| Some((best, quartiles(best)?)))
        else {
            return Vec::new();
        };
        let others = self
            .timed
            .iter()
            .filter(|tried| tried.variant != best.variant);
        others
            .filter(|tried| quartiles(tried).is_some_and(|(fast, _)| fast <= slow))
            .copied()
            .collect()
    }

    /// A variant's rate in per cent of the reference's.
    pub fn percent(&self, tried: &TriedOf<S>) -> Option<f64> {
        Some(100.0 * tried.rate()? / self.search.reference_rate()?)
    }

    /// The variants that differ from `from` in this factor alone, and `from` itself, in the space's order.
    pub fn alone(
        &self,
        from: &S::Variant,
        factor: <S::Variant as Choice>::Factor,
    ) -> Vec<&'a TriedOf<S>> {
        let mut alone: Vec<_> = self
            .timed
            .iter()
            .filter(|tried| {
                from.differs_in(&tried.variant)
                    .iter()
                    .all(|other| *other == factor)
            })
            .copied()
            .collect();
        alone.sort_by_key(|tried| self.place(&tried.variant));
        alone
    }

    /// A variant's place in the order of the search's space; those that are not of it come last.
    pub fn place(&self, variant: &S::Variant) -> usize {
        let place = self.space.iter().position(|other| other == variant);
        place.unwrap_or(usize::MAX)
    }
}
