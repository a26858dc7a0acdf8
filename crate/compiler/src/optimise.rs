//! Makes registers of local objects, folds, removes what is computed twice or for nothing, and finds the space of each address.

mod accumulate;
mod clean;
mod compact;
mod contract;
mod groups;
mod hoist;
mod join;
mod merge;
mod number;
mod overlap;
mod overwritten;
mod promote;
mod redundant;
mod rewrite;
mod select;
mod simplify;
mod sink;
pub(crate) mod spaces;
mod together;
mod widen;

use crate::ir::build::Builder;
use crate::ir::{Block, Body, Loc};
use crate::lower::{Kernel, SymbolData};

/// Rounds in which objects become registers: one for each pointer to a pointer, and some more.
const ROUNDS: usize = 12;

pub(crate) fn optimise(kernel: &mut Kernel, symbols: &[SymbolData]) {
    let empty = Builder::new().body;
    let mut builder = Builder {
        body: std::mem::replace(&mut kernel.body, empty),
        at: Block(0),
        loc: Loc::default(),
        in_unrolled: false,
    };
    clean::blocks(&mut builder.body, false);
    clean::unused(&mut builder.body);
    compact::compact(&mut builder.body);
    for _ in 0..ROUNDS {
        let promoted = promote::promote(&mut builder);
        let simplified = simplify::simplify(&mut builder, symbols);
        clean::blocks(&mut builder.body, false);
        clean::unused(&mut builder.body);
        if !promoted && !simplified {
            break;
        }
    }
    compact::compact(&mut builder.body);
    let is_answered = spaces::find(&mut builder.body);
    simplify::simplify(&mut builder, symbols);
    if is_answered {
        clean::blocks(&mut builder.body, false);
        simplify::simplify(&mut builder, symbols);
        clean::unused(&mut builder.body);
    }
    number::mark_constant_loads(&mut builder.body, &kernel.params);
    number::number(&mut builder.body, &kernel.params);
    clean::unused(&mut builder.body);
    together::beginnings(&mut builder.body);
    merge::merge(&mut builder.body);
    together::together(&mut builder.body);
    clean::unused(&mut builder.body);
    sink::sink(&mut builder.body);
    if select::select(&mut builder.body) {
        simplify::simplify(&mut builder, symbols);
        number::number(&mut builder.body, &kernel.params);
    }
    hoist::hoist(&mut builder.body, &kernel.params);
    if accumulate::accumulate(&mut builder, &kernel.params) {
        promote::promote(&mut builder);
    }
    if redundant::redundant(&mut builder, &kernel.params) {
        promote::promote(&mut builder);
    }
    simplify::simplify(&mut builder, symbols);
    number::number(&mut builder.body, &kernel.params);
    clean::unused(&mut builder.body);
    sink::sink(&mut builder.body);
    overwritten::drop(&mut builder.body);
    widen::widen(&mut builder.body, symbols, &kernel.params);
    contract::contract(&mut builder.body);
    clean::unused(&mut builder.body);
    clean::blocks(&mut builder.body, true);
    kernel.body = std::mem::replace(&mut builder.body, empty_body());
}

fn empty_body() -> Body {
    Builder::new().body
}
