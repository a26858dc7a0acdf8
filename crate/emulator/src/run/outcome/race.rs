//! From a race to the finding of it: how far its two threads are apart, and what the program says of the cause.

use crate::check::Race;
use crate::decode::DecodedEntry;
use crate::memory::Buffer;
use crate::memory::faults::Fault;
use crate::program::Program;
use crate::program::access::{AccessShape, AtomicOp, SiteInfo, Strength};
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
    } else if in_one_warp && !race.crosses_warps && by_registers(entry, race) {
        RaceScope::Lanes
    } else if later.block == earlier.block {
        RaceScope::Block
    } else {
        RaceScope::Grid
    };
    let access_bytes = access_bytes(entry, race);
    let address = match access_bytes > race.access_bytes {
        true => race.address & !u64::from(access_bytes - 1),
        false => race.address,
    };
    let fault = Fault {
        kind: FindingKind::Race,
        block: later.block,
        place: later.place,
        space: Some(race.space),
        thread: later.thread,
        address: Some(address),
        access_bytes,
        is_store: later.is_store,
        // Parts of one access are noted one by one.
        count: race
            .count
            .div_ceil(u64::from(access_bytes / race.access_bytes.max(1)).max(1)),
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
        path: (program.sites.iter())
            .find(|site| site.place == earlier.place && site.path != Path::Registers)
            .map_or(Path::Registers, |site| site.path),
    };
    Finding {
        other: is_known(program, race).then(|| Box::new(other)),
        ..finding(entry, shape, buffers, &fault)
    }
}

/// Whether it was noted who came earlier: a barrier between the two forgets it, and orders all but a load past the caches
/// that stores go through.
fn is_known(program: &Program, race: &Race) -> bool {
    let is_past_caches = |shape: &AccessShape| {
        let site = program.sites.get(shape.site as usize);
        shape.is_constant && site.is_some_and(|site| site.place == race.later.place)
    };
    let is_noted = |site: &SiteInfo| site.place == race.earlier.place;
    program.sites.iter().any(is_noted) || !program.accesses.iter().any(is_past_caches)
}

/// Bytes of the later access: what was noted may be a part of it only, as narrow as the narrowest access of the program.
fn access_bytes(entry: &DecodedEntry, race: &Race) -> u32 {
    let own = |site: &&SiteInfo| {
        let moves = matches!(site.path, Path::Registers | Path::Async);
        moves && site.place == race.later.place && site.space == race.space
    };
    let site = entry.program.sites.iter().find(own);
    let bytes = site.map_or(0, |site| site.access_bytes);
    match bytes.is_power_of_two() {
        true => bytes.max(race.access_bytes),
        false => race.access_bytes,
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
    let is_sent =
        |place: u32| site(place).is_none_or(|site| matches!(site.path, Path::Bulk | Path::Sent));
    let in_cluster = race.space == Space::Shared && shared_owner(race.address).0.is_some();
    let multiplies = |place: u32| site(place).is_some_and(|site| site.path == Path::Tensor);
    if let Some((place, mask)) = race.left_out.filter(|_| !race.crosses_warps) {
        let line = program.source(place).map_or(0, |source| source.line);
        RaceHint::LeftOut { mask, line }
    } else if in_cluster && places.into_iter().any(is_sent) {
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
    } else if tells(entry) && program.orders_blocks {
        RaceHint::Told { fenced: true }
    } else if let Some(hint) = in_one_line(entry, race) {
        hint
    } else if tells(entry) {
        RaceHint::Told { fenced: false }
    } else if is_update(entry, race) {
        RaceHint::Update
    } else {
        RaceHint::None
    }
}

/// Whether both are ordinary loads, stores or atomics.
fn by_registers(entry: &DecodedEntry, race: &Race) -> bool {
    let moved = |place: u32| {
        let mut sites = entry.program.sites.iter();
        sites.any(|site| site.place == place && site.path == Path::Registers)
    };
    moved(race.later.place) && moved(race.earlier.place)
}

/// The place of the load and that of the store, where there is one of each.
fn load_and_store(race: &Race) -> Option<(u32, u32)> {
    let (later, earlier) = (&race.later, &race.earlier);
    match (later.is_store, earlier.is_store) {
        (true, false) => Some((earlier.place, later.place)),
        (false, true) => Some((later.place, earlier.place)),
        _ => None,
    }
}

/// The operand by which an instruction addresses memory, as the program writes it.
fn operand(program: &Program, place: u32) -> Option<u64> {
    let mut operands = program.operands.iter();
    operands
        .find(|(at, _)| *at == place)
        .map(|(_, operand)| *operand)
}

/// What a load and a store of one line of the source are: of one element, which is updated, or of two.
fn in_one_line(entry: &DecodedEntry, race: &Race) -> Option<RaceHint> {
    let program = &entry.program;
    let (load, store) = load_and_store(race)?;
    let loaded = operand(program, load)?;
    let line = program.source(load)?;
    if program.source(store)? != line {
        return None;
    }
    // All stores of the line: of a loop that is unrolled it has many.
    let stores = program.sites.iter().filter(|site| site.is_store);
    let mut stores = stores.filter(|site| program.source(site.place).as_ref() == Some(&line));
    Some(
        match stores.any(|site| operand(program, site.place) == Some(loaded)) {
            true => RaceHint::Update,
            false => RaceHint::Exchange,
        },
    )
}

/// Whether blocks load an element and store to it afterwards, in further lines.
fn is_update(entry: &DecodedEntry, race: &Race) -> bool {
    let program = &entry.program;
    let is_across = race.later.block != race.earlier.block;
    load_and_store(race).is_some_and(|(load, store)| {
        let loaded = operand(program, load);
        let is_before = program.ptx_line(load) < program.ptx_line(store);
        is_across && is_before && loaded.is_some() && operand(program, store) == loaded
    })
}

/// Whether blocks may tell each other something in global memory.
fn tells(entry: &DecodedEntry) -> bool {
    let tells = |shape: &AccessShape| {
        let is_strong = shape.atomic.is_some() || shape.strength != Strength::Weak;
        is_strong && shape.space != Some(Space::Shared)
    };
    entry.program.accesses.iter().any(tells)
}
