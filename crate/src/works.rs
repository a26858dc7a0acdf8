//! The works of the book, by chapter: what each of its kernels on arrays is asked, written once for cells, tests and records.

mod atomics;
mod coalescing;
mod divergence;
mod machine_code;

use crate::element::Element;
use crate::error::{Error, Result};
use crate::pattern;
use crate::registry::{WorkEntry, WorkKind};
use crate::work::Work;
pub use atomics::{count, histogram, histogram_in_turn, histogram_sorted, sum, walk};
pub use coalescing::{drift_aos, drift_soa, gather, permute, shift};
pub use divergence::{branch, light_branch, steps};
pub use machine_code::row_sums;

impl WorkKind {
    /// The work with so many items and this parameter, 0 for a work that has none.
    ///
    /// # Errors
    /// [`Error::Usage`] where the work has a parameter and this is none of its values, or has none.
    pub fn work(self, items: usize, parameter: u32) -> Result<Work> {
        let known = self.parameters();
        if !known.contains(&parameter) {
            return Err(Error::Usage(format!(
                "`{}` takes a parameter from {} to {}, and this is {parameter}",
                self.name(),
                known.start(),
                known.end()
            )));
        }
        if items == 0 || u32::try_from(items).is_err() {
            return Err(Error::Usage(format!(
                "a work has 1 to 4294967295 items, and this has {items}"
            )));
        }
        let parameter = parameter as usize;
        Ok(match self {
            Self::Gather => gather(items, parameter),
            Self::Shift => shift(items, parameter),
            Self::Permute => permute(items),
            Self::DriftAos => drift_aos(items),
            Self::DriftSoa => drift_soa(items),
            Self::Branch => branch(items, parameter),
            Self::LightBranch => light_branch(items, parameter),
            Self::Steps => steps(items, parameter),
            Self::Count => count(items),
            Self::Histogram => histogram(items, parameter),
            Self::HistogramSorted => histogram_sorted(items, parameter),
            Self::HistogramInTurn => histogram_in_turn(items, parameter),
            Self::Walk => walk(items),
            Self::Sum => sum(items),
            Self::RowSums => row_sums(items),
        })
    }
}

impl WorkEntry {
    /// The work, with so many items.
    ///
    /// # Errors
    /// As [`WorkKind::work`].
    pub fn work(&self, items: usize, parameter: u32) -> Result<Work> {
        self.work.work(items, parameter)
    }
}

/// So many elements of the task's pattern: distinct where the type allows it, never zero, never poison.
pub fn distinct<T: Element>(length: usize) -> Vec<T> {
    let mut elements: Vec<T> = bytemuck::zeroed_vec(length);
    pattern::fill(T::TYPE, 0, 1, bytemuck::cast_slice_mut(&mut elements));
    elements
}

/// Results of a smaller work, on which a large one is checked: some blocks, and a last one that is not full.
const FEW_ITEMS: usize = 5000;

/// The work, with a smaller one of its kind for the checks.
fn with_smaller(items: usize, make: impl Fn(usize) -> Work) -> Work {
    match items > 4 * FEW_ITEMS {
        true => make(items).checked_on(make(FEW_ITEMS)),
        false => make(items),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_refuses_what_it_does_not_take() {
        for kind in WorkKind::ALL {
            let (first, last) = (*kind.parameters().start(), *kind.parameters().end());
            assert!(kind.work(33, first).is_ok() && kind.work(33, last).is_ok());
            assert!(kind.work(33, last + 1).is_err(), "{kind:?}");
            assert!(kind.work(0, first).is_err(), "{kind:?}");
        }
    }
}
