//! Loops of the PTX that lanes may leave at several places. There a GPU lets lanes meet again earlier than the emulator does.

use super::access::{Statement, statements_of_entry};
use std::collections::BTreeMap;

/// A loop with more than one way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loop {
    /// Its first and last line in the PTX.
    first: u32,
    last: u32,
    /// The line of a jump out of it that is not its last one.
    pub(super) exit: u32,
}

impl Loop {
    pub(super) fn holds(&self, ptx_line: u32) -> bool {
        (self.first..=self.last).contains(&ptx_line)
    }
}

/// The loops of an entry, as jumps backwards in the text close them, from which another jump leads out.
pub(super) fn with_exits(ptx: &str, entry: &str) -> Vec<Loop> {
    let statements = statements_of_entry(ptx, entry);
    let labels = labels(ptx);
    let jumps: Vec<(&Statement, u32)> = statements
        .iter()
        .filter(|statement| statement.opcode.starts_with("bra"))
        .filter_map(|jump| Some((jump, *labels.get(jump.operands.trim())?)))
        .collect();
    let backward = jumps.iter().filter(|(jump, to)| *to < jump.ptx_line);
    let with_exit = backward.filter_map(|&(back, first)| {
        let last = back.ptx_line;
        let leads_out = |(jump, to): &&(&Statement, u32)| {
            let is_inside = (first..last).contains(&jump.ptx_line);
            is_inside && jump.is_guarded && !(first..=last).contains(to)
        };
        let exit = jumps.iter().find(leads_out)?.0.ptx_line;
        Some(Loop { first, last, exit })
    });
    with_exit.collect()
}

/// The line of each label.
fn labels(ptx: &str) -> BTreeMap<&str, u32> {
    let lines = (1..).zip(ptx.lines());
    let labels = lines.filter_map(|(row, line)| Some((line.trim().strip_suffix(':')?, row)));
    labels.collect()
}
