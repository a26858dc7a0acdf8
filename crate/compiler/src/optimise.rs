//! Makes registers of local objects, folds, removes what is computed twice or for nothing, and finds the space of each address.
//!
//! `passes` is the table of passes, `pipeline` their order; each is the file of its name. What several of them share:
//!
//! ```text
//! addresses      address, alias, slot_partition, access_groups, join_accesses
//! the graph      analyses
//! loops          natural_loops, trip_count, loop_clone, demote_exit_values, iterations, indexed
//! values         rewrite, dominance_frontier, operand_rank, product_uses, signs, distances
//! ```

mod access_groups;
mod address;
mod alias;
mod analyses;
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
mod passes;
mod pipeline;
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
use crate::snapshot::{Facts, Inspect, LOWERED, Snapshot};
use passes::Context;
pub(crate) use passes::{Keeps, Pass};
use pipeline::Runner;
pub(crate) use pipeline::order;

/// False where what was relied on while the kernel was written does not hold: it must be written again without.
pub(crate) fn optimise(
    kernel: &mut Kernel,
    symbols: &[SymbolData],
    watcher: &mut Option<&mut dyn Inspect>,
) -> bool {
    let facts = Facts {
        params: &kernel.params,
        symbols,
        max_threads: kernel.max_threads,
        registers: rematerialise::registers(kernel),
    };
    let (name, body) = (&*kernel.name, &kernel.body);
    if let Some(watcher) = watcher {
        watcher.after(LOWERED, &Snapshot { name, facts, body });
    }
    let mut builder = Builder::new();
    std::mem::swap(&mut builder.body, &mut kernel.body);
    let mut runner = Runner {
        name: &kernel.name,
        builder: &mut builder,
        context: Context::new(facts),
        watcher,
    };
    let holds = runner.run();
    if holds {
        kernel.body = builder.body;
    }
    holds
}

/// All passes.
pub(crate) fn passes() -> &'static [&'static Pass] {
    passes::ALL
}

/// Runs one pass, which is told nothing by others.
pub(crate) fn run_one(pass: &'static Pass, builder: &mut Builder, facts: Facts<'_>) {
    pass.run(builder, &mut Context::new(facts));
}
