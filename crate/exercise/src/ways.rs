//! The ways past the counters of loads and stores by which a kernel can move data, and which of them a launch took. Bounds on what is counted are `bound`'s.

use super::asked::Way;
use super::data::Exercise;
use cornerturn_emulator::{Path, Site, Space};

impl Way {
    const ALL: [Self; 4] = [
        Self::GlobalAtomics,
        Self::SharedAtomics,
        Self::BulkCopies,
        Self::LocalMemory,
    ];

    /// Whether an access went this way.
    fn is_of(self, site: &Site) -> bool {
        let is_atomic = site.is_atomic && site.path != Path::Bulk;
        match self {
            Self::BulkCopies => site.path == Path::Bulk,
            Self::GlobalAtomics => is_atomic && site.space != Space::Shared,
            Self::SharedAtomics => is_atomic && site.space == Space::Shared,
            Self::LocalMemory => !is_atomic && site.space == Space::Local,
        }
    }

    /// What is asked for where an exercise does not allow it.
    fn claim(self) -> &'static str {
        match self {
            Self::GlobalAtomics => "no atomics on global memory",
            Self::SharedAtomics => "no atomics on shared memory",
            Self::BulkCopies => "no bulk copies",
            Self::LocalMemory => "no local memory",
        }
    }

    fn because(self) -> &'static str {
        match self {
            Self::GlobalAtomics | Self::SharedAtomics => {
                "an atomic moves data as well, but is in no counter of loads and stores; this exercise needs none"
            }
            Self::BulkCopies => {
                "a bulk copy passes by the load-store unit, whose counters are graded; this exercise needs none"
            }
            Self::LocalMemory => {
                "an array that is indexed by what is known only at run time lies in memory, not in registers; unroll \
                 its loop, so that every index is a constant"
            }
        }
    }
}

/// The first way that the exercise does not allow and that the launch took: what was asked for, why, and where.
pub(super) fn forbidden<'s>(
    exercise: &Exercise,
    sites: &'s [Site],
) -> Option<(&'static str, &'static str, &'s Site)> {
    let closed = Way::ALL
        .into_iter()
        .filter(|way| !exercise.allows.contains(way));
    closed
        .flat_map(|way| sites.iter().map(move |site| (way, site)))
        .find(|(way, site)| site.requests > 0 && way.is_of(site))
        .map(|(way, site)| (way.claim(), way.because(), site))
}
