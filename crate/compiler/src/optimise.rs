//! Makes registers of local objects, folds, removes what is computed twice or for nothing, and finds the space of each address.

mod accumulate;
mod address;
mod again;
mod behind;
mod carried;
mod clean;
mod compact;
mod contract;
mod copies;
mod distances;
mod divisions;
mod exits;
mod frontier;
mod groups;
mod hoist;
mod indexed;
mod into_ways;
mod iterations;
mod join;
mod masks;
mod merge;
mod multiples;
mod narrow;
mod natural;
mod number;
mod offsets;
mod order;
mod overlap;
mod overwritten;
mod partly;
mod parts;
mod past_ways;
mod products;
mod promote;
mod redundant;
mod remainders;
mod rewrite;
mod scales;
mod select;
mod signs;
mod simplify;
mod sink;
mod sixteen;
pub(crate) mod spaces;
mod split;
mod stored_back;
mod strides;
mod sums;
mod thread;
mod together;
mod trips;
mod unroll;
mod wholly;
mod widen;

use crate::ir::build::Builder;
use crate::lower::{Kernel, SymbolData};
use carried::Stage;
use hoist::When;
use sink::BeforeLoops;
use wholly::Loops;

/// Rounds in which objects become registers: one for each pointer to a pointer, and some more.
const ROUNDS: usize = 12;

/// False where what was relied on while the kernel was written does not hold: it must be written again without.
pub(crate) fn optimise(kernel: &mut Kernel, symbols: &[SymbolData]) -> bool {
    let mut builder = Builder::new();
    std::mem::swap(&mut builder.body, &mut kernel.body);
    clean::blocks(&mut builder.body, false);
    clean::unused(&mut builder.body);
    // What is unrolled here counts as a loop in a loop below.
    let mut has_inner = false;
    for round in 0..ROUNDS {
        let Some(promoted) = promote::promote(&mut builder) else {
            return false;
        };
        if promoted {
            clean::unused(&mut builder.body);
        }
        if round == 0 {
            compact::compact(&mut builder.body);
        }
        let mut simplified = simplify::simplify(&mut builder, symbols);
        if wholly::wholly(&mut builder.body, Loops::First) {
            simplify::simplify(&mut builder, symbols);
            simplified = true;
            has_inner = true;
        }
        if !promoted && !simplified {
            break;
        }
        if simplified {
            clean::blocks(&mut builder.body, false);
            clean::unused(&mut builder.body);
        } else if !clean::has_slots(&builder.body) {
            break;
        }
    }
    if !builder.body.relied_on.is_empty() {
        return false;
    }
    if !clean::has_slots(&builder.body) {
        builder.body.slots.clear();
    }
    let is_answered = spaces::find(&mut builder.body);
    simplify::simplify(&mut builder, symbols);
    if is_answered {
        clean::blocks(&mut builder.body, false);
        simplify::simplify(&mut builder, symbols);
        clean::unused(&mut builder.body);
    }
    number::mark_constant_loads(&mut builder.body, &kernel.params, symbols);
    number::number_first(&mut builder.body, &kernel.params);
    stored_back::drop_unread(&mut builder.body, symbols);
    clean::unused(&mut builder.body);
    run_both_ways(&mut builder, kernel, symbols);
    thread::thread(&mut builder);
    together::beginnings(&mut builder.body);
    merge::merge(&mut builder.body);
    together::together(&mut builder.body);
    clean::unused(&mut builder.body);
    select::select(&mut builder.body, select::Ways::Conditions);
    exits::exits(&mut builder.body);
    stored_back::drop(&mut builder.body, &kernel.params);
    sink::sink(&mut builder.body, BeforeLoops::Stay);
    run_both_ways(&mut builder, kernel, symbols);
    hoist::hoist(&mut builder.body, &kernel.params, When::Before);
    if accumulate::accumulate(&mut builder, &kernel.params) {
        promote::promote(&mut builder);
    }
    if redundant::redundant(&mut builder, &kernel.params) {
        promote::promote(&mut builder);
    }
    carried::carried(&mut builder, &kernel.params, Stage::Before);
    clean::unused(&mut builder.body);
    let is_split = !has_inner && split::split(&mut builder.body);
    let is_unrolled = unroll_over_constants(&mut builder, kernel, symbols);
    let rests = unroll::unroll(&mut builder.body, kernel.max_threads);
    if is_unrolled || rests.is_some() {
        clean::blocks(&mut builder.body, false);
        hoist::hoist(&mut builder.body, &kernel.params, When::Behind);
        // Indices of the iterations are then told from each other.
        simplify::simplify(&mut builder, symbols);
        number::number(&mut builder.body, &kernel.params);
        if has_inner && redundant::redundant(&mut builder, &kernel.params) {
            promote::promote(&mut builder);
        }
    }
    simplify::simplify(&mut builder, symbols);
    number::number(&mut builder.body, &kernel.params);
    let rests = rests.unwrap_or_default();
    carried::carried(&mut builder, &kernel.params, Stage::Behind(&rests));
    clean::unused(&mut builder.body);
    stored_back::drop(&mut builder.body, &kernel.params);
    if masks::masks(&mut builder.body) {
        number::number_arithmetic(&mut builder.body);
        clean::unused(&mut builder.body);
    }
    sink::sink(&mut builder.body, BeforeLoops::Move);
    let before = past_ways::past_ways(&mut builder.body);
    if before.is_some() {
        sink::sink(&mut builder.body, BeforeLoops::Move);
    }
    overwritten::drop(&mut builder.body);
    widen::widen(&mut builder.body, symbols, &kernel.params);
    offsets::offsets(&mut builder.body);
    if sums::sums(&mut builder.body) {
        clean::unused(&mut builder.body);
    }
    into_ways::into_ways(&mut builder.body, is_split);
    remainders::remainders(&mut builder.body);
    divisions::divisions(&mut builder.body);
    narrow::narrow(&mut builder.body);
    multiples::multiples(&mut builder.body);
    contract::contract(&mut builder.body, before);
    let between = strides::strides(&mut builder.body);
    scales::scales(&mut builder.body, &between);
    hoist::hoist_asm(&mut builder.body);
    sixteen::sixteen(&mut builder);
    clean::unused(&mut builder.body);
    if again::again(&mut builder.body, again::registers(kernel)) {
        clean::unused(&mut builder.body);
    }
    clean::blocks(&mut builder.body, true);
    kernel.body = builder.body;
    true
}

/// Unrolls the loops over constants that were left, now that it is known how small they are: wholly, else in part.
fn unroll_over_constants(builder: &mut Builder, kernel: &Kernel, symbols: &[SymbolData]) -> bool {
    let is_whole = wholly::wholly(&mut builder.body, Loops::All);
    if is_whole {
        promote::promote(builder);
        tidy(builder, kernel, symbols);
    }
    let is_in_part = partly::partly(&mut builder.body);
    if is_in_part {
        tidy(builder, kernel, symbols);
    }
    is_whole || is_in_part
}

/// Folds and finds again what copies of iterations have in common.
fn tidy(builder: &mut Builder, kernel: &Kernel, symbols: &[SymbolData]) {
    clean::blocks(&mut builder.body, false);
    simplify::simplify(builder, symbols);
    number::number(&mut builder.body, &kernel.params);
    hoist::hoist(&mut builder.body, &kernel.params, When::Before);
    clean::unused(&mut builder.body);
}

/// Runs short ways whether or not they are taken.
fn run_both_ways(builder: &mut Builder, kernel: &Kernel, symbols: &[SymbolData]) {
    if select::select(&mut builder.body, select::Ways::All) {
        simplify::simplify(builder, symbols);
        number::number(&mut builder.body, &kernel.params);
    }
}
