//! The ways past the counters of loads and stores by which a kernel can move data, and which of them a launch took. Bounds on what is counted are `bound`'s.

use super::asked::Way;
use super::data::Exercise;
use cornerturn_emulator::{Path, Site, Space};

/// What was asked for, why, and where the launch did not keep it, if the place is known.
pub(super) type Forbidden<'s> = (&'static str, &'static str, Option<&'s Site>);

impl Way {
    /// The way that an access went; `None` for what the counters of loads and stores see. Each kind of access is named
    /// here, so that one that is new to the emulator has to be given its place.
    fn of(site: &Site) -> Option<Self> {
        match (site.path, site.space, site.is_atomic) {
            (Path::Bulk, ..) => Some(Self::BulkCopies),
            (Path::Sent, ..) => Some(Self::AsyncStores),
            (Path::Registers, Space::Texture | Space::Surface, _) => Some(Self::Textures),
            (Path::Registers, Space::Shared, true) => Some(Self::SharedAtomics),
            (Path::Registers, _, true) => Some(Self::GlobalAtomics),
            (Path::Registers, Space::Local, false) => Some(Self::LocalMemory),
            (
                Path::Registers,
                Space::Global | Space::Shared | Space::Const | Space::Param,
                false,
            )
            | (Path::Async | Path::Tensor, ..) => None,
        }
    }

    /// What is asked for where an exercise does not allow it.
    fn claim(self) -> &'static str {
        match self {
            Self::GlobalAtomics => "no atomics on global memory",
            Self::SharedAtomics => "no atomics on shared memory",
            Self::BulkCopies => "no bulk copies and no bulk reductions",
            Self::AsyncStores => "no asynchronous stores",
            Self::Textures => "no textures and no surfaces",
            Self::Mbarriers => "no mbarriers",
            Self::LocalMemory => "no local memory",
        }
    }

    fn because(self) -> &'static str {
        match self {
            Self::GlobalAtomics | Self::SharedAtomics => {
                "an atomic moves data as well, but is in no counter of loads and stores; this exercise needs none"
            }
            Self::BulkCopies => {
                "a bulk copy passes by the load-store unit, whose counters are graded, and a bulk reduction is an atomic for \
                 each element; this exercise needs none"
            }
            Self::AsyncStores => {
                "what `st.async` and `red.async` send passes by the load-store unit, whose counters are graded; this exercise \
                 needs none"
            }
            Self::Textures => {
                "a texture or surface is read past the load-store unit, whose counters are graded; this exercise needs none"
            }
            Self::Mbarriers => {
                "an mbarrier lies in shared memory, but what it reads and writes there is in no counter; this exercise needs \
                 none, and `__syncthreads()` makes a block wait"
            }
            Self::LocalMemory => {
                "an array that is indexed by what is known only at run time lies in memory, not in registers; unroll \
                 its loop, so that every index is a constant"
            }
        }
    }
}

/// The first way that the exercise does not allow and that the launch took.
pub(super) fn forbidden<'s>(
    exercise: &Exercise,
    sites: &'s [Site],
    ptx: &str,
) -> Option<Forbidden<'s>> {
    let told = |way: Way, site| (way.claim(), way.because(), site);
    let is_closed = |way: &Way| !exercise.allows.contains(way);
    let taken = sites.iter().filter(|site| site.requests > 0);
    let mut ways = taken.filter_map(|site| Some((Way::of(site)?, site)));
    let by_site = ways.find(|(way, _)| is_closed(way));
    by_site
        .map(|(way, site)| told(way, Some(site)))
        .or_else(|| {
            let way = Way::Mbarriers;
            (is_closed(&way) && has_mbarrier(ptx)).then(|| told(way, None))
        })
}

/// Whether a kernel's PTX has an instruction on mbarriers, which are no sites of accesses. A comment is none.
fn has_mbarrier(ptx: &str) -> bool {
    let code = ptx
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let mut instructions = code.flat_map(|line| line.split([';', '{', '}', ':']));
    instructions.any(|text| {
        let text = text.trim();
        let bare = match text.strip_prefix('@') {
            Some(guarded) => guarded
                .split_once(char::is_whitespace)
                .map_or("", |it| it.1),
            None => text,
        };
        let bare = bare.trim_start();
        bare.starts_with("mbarrier.") || bare.starts_with("cp.async.mbarrier.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_mbarrier_is_found_where_it_is_an_instruction() {
        assert!(has_mbarrier("\tmbarrier.init.shared.b64 [%r1], 3;"));
        assert!(has_mbarrier(
            "{ mov.b32 %r1, 1; @!%p2 mbarrier.arrive.shared.b64 %rd1, [%r1]; }"
        ));
        assert!(has_mbarrier("cp.async.mbarrier.arrive.shared.b64 [%r1];"));
        assert!(!has_mbarrier(
            "// mbarrier.init\n\tbar.sync \t0; // mbarrier.arrive"
        ));
    }
}
