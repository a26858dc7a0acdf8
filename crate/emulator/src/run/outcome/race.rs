//! From a race to the finding of it: how far its two threads are apart, and what the program says of the cause.

use crate::check::Race;
use crate::decode::DecodedEntry;
use crate::memory::Buffer;
use crate::memory::faults::Fault;
use crate::program::access::{AccessShape, AtomicOp, SiteInfo};
use crate::program::space::shared_owner;
use crate::report::{Detail, Finding, FindingKind, OtherSite, Path, RaceHint, RaceScope, Space};
use crate::run::outcome::finding::finding;
use crate::run::preset::LaunchShape;

/// The finding of a race.
pub(super) fn racing(
    entry: &DecodedEntry,
    shape: &LaunchShape,
    buffers: &[&Buffer],
    race: &Race,
) -> Finding {
    let program = &entry.program;
    let (later, earlier) = (&race.later, &race.earlier);
    let in_one_warp = (later.block, later.thread / 32) == (earlier.block, earlier.thread / 32);
    let scope = if race.same_instruction {
        RaceScope::Instruction
    } else if race.crosses_proxies {
        RaceScope::Proxies
    } else if later.is_atomic && earlier.is_atomic && in_one_warp {
        RaceScope::Warp
    } else if later.block == earlier.block {
        RaceScope::Block
    } else {
        RaceScope::Grid
    };
    let fault = Fault {
        kind: FindingKind::Race,
        block: later.block,
        place: later.place,
        space: Some(race.space),
        thread: later.thread,
        address: Some(race.address),
        access_bytes: race.access_bytes,
        is_store: later.is_store,
        count: race.count,
        detail: Detail::Race {
            scope,
            is_atomic: later.is_atomic,
            other_is_atomic: earlier.is_atomic,
            hint: hint(entry, race),
        },
    };
    let other = OtherSite {
        source: program.source(earlier.place),
        ptx_line: program.ptx_line(earlier.place),
        block: shape.block_id(earlier.block),
        thread: shape.thread_id(earlier.thread),
        is_store: earlier.is_store,
        is_copy: (program.sites.iter())
            .any(|site| site.place == earlier.place && site.path != Path::Registers),
    };
    Finding {
        other: Some(Box::new(other)),
        ..finding(entry, shape, buffers, &fault)
    }
}

/// What the program says of the cause of a race.
fn hint(entry: &DecodedEntry, race: &Race) -> RaceHint {
    let program = &entry.program;
    let places = [race.later.place, race.earlier.place];
    // Of what threads share: a call loads its arguments, too.
    let site = |place: u32| {
        let shared = |site: &&SiteInfo| matches!(site.space, Space::Global | Space::Shared);
        let mut sites = program.sites.iter().filter(shared);
        sites.find(|site| site.place == place)
    };
    let is_constant = |shape: &AccessShape| {
        let site = program.sites.get(shape.site as usize);
        shape.is_constant && site.is_some_and(|site| places.contains(&site.place))
    };
    let swaps = |shape: &AccessShape| shape.atomic == Some(AtomicOp::CompareAndSwap);
    let fetches = |shape: &AccessShape| shape.space == Some(Space::Texture) && is_constant(shape);
    // `st.async` is no site either.
    let is_sent = |place: u32| site(place).is_none_or(|site| site.path == Path::Bulk);
    let in_cluster = race.space == Space::Shared && shared_owner(race.address).0.is_some();
    let multiplies = |place: u32| site(place).is_some_and(|site| site.path == Path::Tensor);
    if in_cluster && places.into_iter().any(is_sent) {
        RaceHint::Sent
    } else if multiplies(places[0]) {
        RaceHint::Multiply
    } else if multiplies(places[1]) {
        RaceHint::OtherMultiply
    } else if program.accesses.iter().any(fetches) {
        RaceHint::StaleTexture
    } else if program.accesses.iter().any(is_constant) {
        RaceHint::ReadOnlyLoad
    // The instructions of mbarriers are no sites of accesses.
    } else if race.space == Space::Shared && places.iter().all(|place| site(*place).is_none()) {
        RaceHint::Mbarrier
    // Nor is one of `free`.
    } else if race.space == Space::Global && race.later.is_store && site(places[0]).is_none() {
        RaceHint::Free
    } else if race.space == Space::Global && race.earlier.is_store && site(places[1]).is_none() {
        RaceHint::OtherFree
    } else if !program.orders_blocks && program.accesses.iter().any(swaps) {
        RaceHint::Unfenced
    } else {
        RaceHint::None
    }
}
