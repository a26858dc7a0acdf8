//! The works of the book, by chapter: what each of its kernels on arrays is asked, written once for cells, tests and records.

mod coalescing;
mod divergence;

use crate::element::Element;
use crate::error::{Error, Result};
use crate::pattern;
use crate::work::Work;
pub use coalescing::{drift_aos, drift_soa, gather, permute, shift};
pub use divergence::{branch, light_branch, steps};
use serde::{Deserialize, Serialize};

/// A work of the book by its name in the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkKind {
    /// [`gather`]; the parameter is the stride.
    Gather,
    /// [`shift`]; the parameter is the offset.
    Shift,
    /// [`permute`].
    Permute,
    /// [`drift_aos`].
    DriftAos,
    /// [`drift_soa`].
    DriftSoa,
    /// [`branch`]; the parameter is how many threads take the same way.
    Branch,
    /// [`light_branch`]; the same.
    LightBranch,
    /// [`steps`]; the parameter is the order.
    Steps,
}

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
        Ok(match self {
            Self::Gather => gather(items, parameter as usize),
            Self::Shift => shift(items, parameter as usize),
            Self::Permute => permute(items),
            Self::DriftAos => drift_aos(items),
            Self::DriftSoa => drift_soa(items),
            Self::Branch => branch(items, parameter as usize),
            Self::LightBranch => light_branch(items, parameter as usize),
            Self::Steps => steps(items, parameter as usize),
        })
    }

    /// The name, as in the registry.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::Shift => "shift",
            Self::Permute => "permute",
            Self::DriftAos => "drift_aos",
            Self::DriftSoa => "drift_soa",
            Self::Branch => "branch",
            Self::LightBranch => "light_branch",
            Self::Steps => "steps",
        }
    }

    /// The values that its parameter may have; only 0 for a work without one.
    pub fn parameters(self) -> std::ops::RangeInclusive<u32> {
        match self {
            Self::Gather => 1..=1024,
            Self::Shift => 0..=31,
            Self::Branch | Self::LightBranch => 1..=256,
            Self::Steps => 0..=2,
            Self::Permute | Self::DriftAos | Self::DriftSoa => 0..=0,
        }
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

    const ALL: [WorkKind; 8] = [
        WorkKind::Gather,
        WorkKind::Shift,
        WorkKind::Permute,
        WorkKind::DriftAos,
        WorkKind::DriftSoa,
        WorkKind::Branch,
        WorkKind::LightBranch,
        WorkKind::Steps,
    ];

    #[test]
    fn a_work_refuses_what_it_does_not_take() {
        for kind in ALL {
            let (first, last) = (*kind.parameters().start(), *kind.parameters().end());
            assert!(kind.work(33, first).is_ok() && kind.work(33, last).is_ok());
            assert!(kind.work(33, last + 1).is_err(), "{kind:?}");
            assert!(kind.work(0, first).is_err(), "{kind:?}");
        }
    }
}
