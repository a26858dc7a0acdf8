//! Makes registers of local objects, folds, removes what is computed twice or for nothing, and finds the space of each address.

mod access_groups;
mod address;
mod alias;
mod compact;
mod contract_fma;
mod dce;
mod dead_store_elimination;
mod demanded_bits;
mod demote_exit_values;
mod distances;
mod div_rem_pairs;
mod divide_by_constant;
mod dominance_frontier;
mod fold_exits;
mod gvn;
mod hoist_common;
mod if_convert;
mod index_set_split;
mod indexed;
mod infer_address_spaces;
mod iterations;
mod join_accesses;
mod jump_threading;
mod licm;
mod load_pre;
mod loop_clone;
mod loop_load_elimination;
mod mem2reg;
mod narrow_division;
mod narrow_registers;
mod natural_loops;
mod noop_store_elimination;
mod operand_rank;
mod product_uses;
mod push_into_predecessor;
mod reassociate;
mod rematerialise;
mod rewrite;
mod scalar_promotion;
mod separate_constant_offsets;
mod signs;
mod simplify;
mod simplify_cfg;
mod sink;
mod sink_address_scale;
mod sink_common;
mod sink_past_join;
mod slot_partition;
mod straight_line_strength_reduce;
mod strength_reduce_products;
mod trip_count;
mod unroll_full;
mod unroll_partial;
mod unroll_runtime;
mod vectorise_accesses;

use crate::ir::build::Builder;
use crate::lower::{Kernel, SymbolData};
use licm::When;
use loop_load_elimination::Stage;
use sink::BeforeLoops;
use unroll_full::Loops;

/// Rounds in which objects become registers: one for each pointer to a pointer, and some more.
const ROUNDS: usize = 12;

/// False where what was relied on while the kernel was written does not hold: it must be written again without.
pub(crate) fn optimise(kernel: &mut Kernel, symbols: &[SymbolData]) -> bool {
    let mut builder = Builder::new();
    std::mem::swap(&mut builder.body, &mut kernel.body);
    simplify_cfg::run(&mut builder.body, false);
    dce::run(&mut builder.body);
    // What is unrolled here counts as a loop in a loop below.
    let mut has_inner = false;
    for round in 0..ROUNDS {
        let Some(promoted) = mem2reg::run(&mut builder) else {
            return false;
        };
        if promoted {
            dce::run(&mut builder.body);
        }
        if round == 0 {
            compact::run(&mut builder.body);
        }
        let mut simplified = simplify::run(&mut builder, symbols);
        if unroll_full::run(&mut builder.body, Loops::First) {
            simplify::run(&mut builder, symbols);
            simplified = true;
            has_inner = true;
        }
        if !promoted && !simplified {
            break;
        }
        if simplified {
            simplify_cfg::run(&mut builder.body, false);
            dce::run(&mut builder.body);
        } else if !dce::has_slots(&builder.body) {
            break;
        }
    }
    if !builder.body.relied_on.is_empty() {
        return false;
    }
    if !dce::has_slots(&builder.body) {
        builder.body.slots.clear();
    }
    let is_answered = infer_address_spaces::run(&mut builder.body);
    simplify::run(&mut builder, symbols);
    if is_answered {
        simplify_cfg::run(&mut builder.body, false);
        simplify::run(&mut builder, symbols);
        dce::run(&mut builder.body);
    }
    gvn::mark_constant_loads(&mut builder.body, &kernel.params, symbols);
    gvn::number_first(&mut builder.body, &kernel.params);
    noop_store_elimination::drop_unread(&mut builder.body, symbols);
    dce::run(&mut builder.body);
    run_both_ways(&mut builder, kernel, symbols);
    jump_threading::run(&mut builder);
    hoist_common::beginnings(&mut builder.body);
    sink_common::run(&mut builder.body);
    hoist_common::run(&mut builder.body);
    dce::run(&mut builder.body);
    if_convert::run(&mut builder.body, if_convert::Ways::Conditions);
    fold_exits::run(&mut builder.body);
    noop_store_elimination::run(&mut builder.body, &kernel.params);
    sink::run(&mut builder.body, BeforeLoops::Stay);
    run_both_ways(&mut builder, kernel, symbols);
    licm::run(&mut builder.body, &kernel.params, When::Before);
    if scalar_promotion::run(&mut builder, &kernel.params) {
        mem2reg::run(&mut builder);
    }
    if load_pre::run(&mut builder, &kernel.params) {
        mem2reg::run(&mut builder);
    }
    loop_load_elimination::run(&mut builder, &kernel.params, Stage::Before);
    dce::run(&mut builder.body);
    let is_split = !has_inner && index_set_split::run(&mut builder.body);
    let is_unrolled = unroll_over_constants(&mut builder, kernel, symbols);
    let rests = unroll_runtime::run(&mut builder.body, kernel.max_threads);
    if is_unrolled || rests.is_some() {
        simplify_cfg::run(&mut builder.body, false);
        licm::run(&mut builder.body, &kernel.params, When::Behind);
        // Indices of the iterations are then told from each other.
        simplify::run(&mut builder, symbols);
        gvn::run(&mut builder.body, &kernel.params);
        if has_inner && load_pre::run(&mut builder, &kernel.params) {
            mem2reg::run(&mut builder);
        }
    }
    simplify::run(&mut builder, symbols);
    gvn::run(&mut builder.body, &kernel.params);
    let rests = rests.unwrap_or_default();
    loop_load_elimination::run(&mut builder, &kernel.params, Stage::Behind(&rests));
    dce::run(&mut builder.body);
    noop_store_elimination::run(&mut builder.body, &kernel.params);
    if demanded_bits::run(&mut builder.body) {
        gvn::number_arithmetic(&mut builder.body);
        dce::run(&mut builder.body);
    }
    sink::run(&mut builder.body, BeforeLoops::Move);
    let before = sink_past_join::run(&mut builder.body);
    if before.is_some() {
        sink::run(&mut builder.body, BeforeLoops::Move);
    }
    dead_store_elimination::run(&mut builder.body);
    vectorise_accesses::run(&mut builder.body, symbols, &kernel.params);
    separate_constant_offsets::run(&mut builder.body);
    if reassociate::run(&mut builder.body) {
        dce::run(&mut builder.body);
    }
    push_into_predecessor::run(&mut builder.body, is_split);
    div_rem_pairs::run(&mut builder.body);
    divide_by_constant::run(&mut builder.body);
    narrow_division::run(&mut builder.body);
    strength_reduce_products::run(&mut builder.body);
    contract_fma::run(&mut builder.body, before);
    let between = straight_line_strength_reduce::run(&mut builder.body);
    sink_address_scale::run(&mut builder.body, &between);
    licm::hoist_asm(&mut builder.body);
    narrow_registers::run(&mut builder);
    dce::run(&mut builder.body);
    if rematerialise::run(&mut builder.body, rematerialise::registers(kernel)) {
        dce::run(&mut builder.body);
    }
    simplify_cfg::run(&mut builder.body, true);
    kernel.body = builder.body;
    true
}

/// Unrolls the loops over constants that were left, now that it is known how small they are: wholly, else in part.
fn unroll_over_constants(builder: &mut Builder, kernel: &Kernel, symbols: &[SymbolData]) -> bool {
    let is_whole = unroll_full::run(&mut builder.body, Loops::All);
    if is_whole {
        mem2reg::run(builder);
        tidy(builder, kernel, symbols);
    }
    let is_in_part = unroll_partial::run(&mut builder.body);
    if is_in_part {
        tidy(builder, kernel, symbols);
    }
    is_whole || is_in_part
}

/// Folds and finds again what copies of iterations have in common.
fn tidy(builder: &mut Builder, kernel: &Kernel, symbols: &[SymbolData]) {
    simplify_cfg::run(&mut builder.body, false);
    simplify::run(builder, symbols);
    gvn::run(&mut builder.body, &kernel.params);
    licm::run(&mut builder.body, &kernel.params, When::Before);
    dce::run(&mut builder.body);
}

/// Runs short ways whether or not they are taken.
fn run_both_ways(builder: &mut Builder, kernel: &Kernel, symbols: &[SymbolData]) {
    if if_convert::run(&mut builder.body, if_convert::Ways::All) {
        simplify::run(builder, symbols);
        gvn::run(&mut builder.body, &kernel.params);
    }
}
