//! How often the machine code comes to its basic blocks, from the emulator's count of the PTX's. What is counted there is `compiled`'s.

use super::MachineCode;
use cornerturn_emulator::BlockRuns;
use std::collections::BTreeSet;

/// How often some basic blocks of the PTX ran, as [`BlockRuns`] has it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Runs {
    pub(super) warps: u64,
    pub(super) octets: u64,
    pub(super) lanes: u64,
}

/// The runs of a launch.
pub(super) struct Executions<'c> {
    pub(super) code: &'c MachineCode,
    pub(super) runs: &'c [BlockRuns],
}

impl Executions<'_> {
    /// Executions by warps, and their octets, of the basic blocks in which these instructions stand: from a line of PTX
    /// that stands in just the same blocks, and is not guarded there.
    pub(super) fn of(&self, instructions: &[usize]) -> Option<Runs> {
        let machine = &self.code.instructions;
        let blocks = |places: &mut dyn Iterator<Item = usize>| {
            let mut blocks: Vec<usize> = places.map(|at| machine[at].block).collect();
            blocks.sort_unstable();
            blocks
        };
        let wanted = blocks(&mut instructions.iter().copied());
        // The line of a spill is that of a value, wherever it is kept.
        let is_told = |at: &usize| machine[*at].tells_runs() && !self.code.strays.contains(at);
        let lines: BTreeSet<u32> = (0..machine.len())
            .filter(|at| wanted.contains(&machine[*at].block))
            .filter(is_told)
            .map(|at| machine[at].ptx_line)
            .collect();
        let same = lines.into_iter().filter(|line| {
            let mut of_line = (0..machine.len())
                .filter(|&at| machine[at].ptx_line == *line)
                .filter(is_told);
            let mut found = blocks(&mut of_line);
            found.dedup();
            let mut distinct = wanted.clone();
            distinct.dedup();
            found == distinct
        });
        same.filter_map(|line| self.of_line(line))
            .max_by_key(|runs| runs.warps)
    }

    /// Those of one line of the PTX; `None` where the emulator knows none there.
    pub(super) fn of_line(&self, ptx_line: u32) -> Option<Runs> {
        let of_line = self.runs.iter();
        let mut of_line = of_line
            .filter(|run| run.ptx_lines.contains(&ptx_line))
            .peekable();
        of_line.peek()?;
        Some(of_line.fold(Runs::default(), |sum, run| Runs {
            warps: sum.warps + run.warps,
            octets: sum.octets + run.octets,
            lanes: sum.lanes + run.lanes,
        }))
    }

    /// Whether all lanes that there are were active: as many for each warp as in the kernel's first basic block.
    pub(super) fn is_whole(&self, runs: &Runs) -> bool {
        let first = self.runs.iter().find(|run| run.warps > 0);
        first.is_some_and(|first| runs.lanes * first.warps >= first.lanes * runs.warps)
    }
}
