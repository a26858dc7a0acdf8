//! How often each line was executed, from how often each basic block was.

use std::collections::HashMap;

use crate::machine::world::Executions;
use crate::program::{BasicBlock, Program};
use crate::report::{LineCount, SourceLine};
use crate::run::outcome::part::Part;

/// The lines of a program's instructions with their executions, in the order of the PTX.
pub(super) fn counted_lines(program: &Program, sum: &Part) -> Vec<LineCount> {
    let mut lines = Lines::default();
    for (block, Executions { warps, lanes }) in program.blocks.iter().zip(&sum.block_runs) {
        if *warps == 0 || block.weight == 0 {
            continue;
        }
        for (place, weight) in weights(block) {
            if let Some(line) = lines.of(program, place) {
                line.issued += weight * warps;
                line.lanes += weight * lanes;
            }
        }
        if let Some(place) = block.branch
            && let Some(line) = lines.of(program, place)
        {
            let split = sum.splits.get(place as usize).copied();
            line.branch.executed += warps;
            line.branch.split += split.unwrap_or(0);
        }
    }
    lines.list
}

/// The places of a block's instructions and how many each counts as: one, while there are any. A call has places for what it
/// passes, which are no instructions; what follows it in its block goes to the last place.
fn weights(block: &BasicBlock) -> impl Iterator<Item = (u32, u64)> {
    let (first, last) = block.places;
    let mut left = u64::from(block.weight);
    (first..=last).map(move |place| {
        let weight = match place == last {
            true => left,
            false => left.min(1),
        };
        left -= weight;
        (place, weight)
    })
}

/// The lines so far, and where each of them is.
#[derive(Default)]
struct Lines {
    list: Vec<LineCount>,
    known: HashMap<Result<SourceLine, u32>, usize>,
}

impl Lines {
    /// The line of a place: of CUDA C++ if it is known, else of the PTX; none if it has neither.
    fn of(&mut self, program: &Program, place: u32) -> Option<&mut LineCount> {
        let ptx_line = program.ptx_line(place);
        if ptx_line == 0 {
            return None;
        }
        let source = program.source(place);
        let key = source.clone().ok_or(ptx_line);
        let list = &mut self.list;
        let at = *self.known.entry(key).or_insert_with(|| {
            list.push(LineCount {
                source,
                ptx_line,
                ..LineCount::default()
            });
            list.len() - 1
        });
        list.get_mut(at)
    }
}
