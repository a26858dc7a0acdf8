//! The works of the book by their names, and what parameters they take. What each of them is, is said in `works`.

use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// The enum, its names in the registry and the values of its parameters: 0 alone for a work that has none.
macro_rules! kinds {
    ($($kind:ident $name:literal $parameters:expr, $doc:literal;)*) => {
        /// A work of the book by its name in the registry. Each is a function of that name in [`works`](crate::works).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum WorkKind {
            $(#[doc = $doc] #[serde(rename = $name)] $kind,)*
        }

        impl WorkKind {
            /// All of them, in the order of the chapters.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The name, as in the registry.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// The values that its parameter may have; only 0 for a work without one.
            pub const fn parameters(self) -> RangeInclusive<u32> {
                match self {
                    $(Self::$kind => $parameters,)*
                }
            }
        }
    };
}

kinds! {
    Gather "gather" 1..=1024, "Reads with a stride, the parameter.";
    Shift "shift" 0..=31, "Reads from an offset on, the parameter.";
    Permute "permute" 0..=0, "Reads permuted within a line.";
    DriftAos "drift_aos" 0..=0, "Particles as an array of structures.";
    DriftSoa "drift_soa" 0..=0, "Particles as a structure of arrays.";
    Branch "branch" 1..=256, "Two long branches; so many threads side by side take the same one.";
    LightBranch "light_branch" 1..=256, "Two branches of one operation; the same.";
    Steps "steps" 0..=2, "A loop whose length depends on the number; the order in which the numbers lie.";
    Count "count" 0..=0, "How many numbers are odd.";
    Histogram "histogram" 1..=1 << 20, "A histogram with so many bins.";
    HistogramSorted "histogram_sorted" 1..=1 << 20, "The same, of sorted numbers.";
    HistogramInTurn "histogram_in_turn" 1..=1 << 20, "The same, of numbers that meet the bins in turn.";
    Walk "walk" 0..=0, "A chain of atomics, each of which needs the one before.";
    Sum "sum" 0..=0, "A sum of floats that are whole numbers.";
    RowSums "row_sums" 0..=0, "The sum of each row of 32 floats.";
}
