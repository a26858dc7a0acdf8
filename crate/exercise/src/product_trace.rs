//! What only a traced launch of a product tells: how often barriers and shuffles were executed, and how far a block's loads are ahead of what it multiplies. Counters are `counted`'s.

use super::product_shapes::Shares;
use super::trial::Trial;
use cornerturn_base::error::Result;
use cornerturn_emulator::{Access, BlockRuns, Space, TraceRequest};
use cornerturn_runtime::kernel::Kernel;
use std::collections::{BTreeMap, BTreeSet};

/// The most accesses that are looked at; the first block of a counted product has fewer.
const MOST_ACCESSES: usize = 1 << 16;

/// How the instructions begin by which warps of a block wait for each other.
const BARRIERS: [&str; 3] = ["bar.", "barrier.", "mbarrier."];
/// Those among them that concern one warp.
const OF_WARPS: &str = "bar.warp.";

/// How the instructions begin by which lanes of a warp pass on numbers without memory.
const SHUFFLES: [&str; 3] = ["shfl.", "redux.", "movmatrix."];

/// What a traced launch of a product tells.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ProductTrace {
    /// Barriers of blocks: one that all warps of a block execute counts once.
    pub(super) barriers: u64,
    /// Shuffles, executed by warps, and what can take their place.
    pub(super) shuffles: u64,
    /// Steps that a warp of the first block multiplies after its last load from global memory: of the warp that has the
    /// fewest, to the nearest number.
    pub(super) steps_ahead: u64,
    /// Warps of the first block that load from shared memory at least half as often as the one that does so most.
    pub(super) multiplying_warps: u64,
}

impl ProductTrace {
    /// What it counts, as bounds name it.
    pub(super) const NAMES: [&str; 4] =
        ["barriers", "shuffles", "steps_ahead", "multiplying_warps"];

    /// Launches the kernel once more.
    ///
    /// # Errors
    /// Those of a launch.
    pub(super) fn of(trial: &Trial, kernel: &Kernel, shares: Shares) -> Result<Self> {
        let request = TraceRequest {
            blocks: vec![[0, 0, 0]],
            max_accesses: MOST_ACCESSES,
            wides: Some(Vec::new()),
            ..TraceRequest::default()
        };
        let trace = trial.traced(kernel, request)?.trace.unwrap_or_default();
        let loads = loads(&trace.accesses);
        let lines: Vec<&str> = kernel.ptx_text().lines().collect();
        let [x, y] = trial.exercise.block.map(u64::from);
        let warps = (x * y).div_ceil(32);
        let blocks = trial.exercise.grid(trial.size).count();
        Ok(Self {
            barriers: executed(&trace.runs, &lines, is_barrier).div_ceil(warps),
            shuffles: executed(&trace.runs, &lines, is_shuffle),
            steps_ahead: steps_ahead(&loads, shares.steps / blocks.max(1)),
            multiplying_warps: multiplying_warps(&loads),
        })
    }
}

fn is_shuffle(text: &str) -> bool {
    SHUFFLES.iter().any(|start| text.starts_with(start))
}

fn is_barrier(text: &str) -> bool {
    BARRIERS.iter().any(|start| text.starts_with(start)) && !text.starts_with(OF_WARPS)
}

/// Executions by warps of the instructions of this kind. Inline PTX may have several in a line.
fn executed(runs: &[BlockRuns], lines: &[&str], is_kind: impl Fn(&str) -> bool) -> u64 {
    let of_line = |line: &u32| {
        let text = (*line as usize).checked_sub(1).and_then(|at| lines.get(at));
        let instructions = text
            .copied()
            .unwrap_or_default()
            .split([';', '{', '}', ':']);
        let bare = instructions.map(|text| match text.trim().strip_prefix('@') {
            Some(guarded) => guarded
                .split_once(char::is_whitespace)
                .map_or("", |(_, rest)| rest)
                .trim(),
            None => text.trim(),
        });
        bare.filter(|text| is_kind(text)).count() as u64
    };
    let of_run = |run: &BlockRuns| {
        let lines: BTreeSet<u32> = run.ptx_lines.iter().copied().collect();
        run.warps * lines.iter().map(of_line).sum::<u64>()
    };
    runs.iter().map(of_run).sum()
}

/// Loads of a warp from shared memory: in all, and since its last load from global memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Loads {
    all: u64,
    since: u64,
}

fn loads(accesses: &[Access]) -> Vec<Loads> {
    let mut warps: BTreeMap<u32, Loads> = BTreeMap::new();
    for access in accesses.iter().filter(|access| !access.is_store) {
        let Loads { all, since } = warps.entry(access.warp).or_default();
        match access.space {
            Space::Shared => (*all, *since) = (*all + 1, *since + 1),
            Space::Global => *since = 0,
            _ => {}
        }
    }
    warps.into_values().collect()
}

fn steps_ahead(loads: &[Loads], steps: u64) -> u64 {
    let ahead = |loads: &Loads| (loads.since * steps + loads.all / 2).checked_div(loads.all);
    loads.iter().filter_map(ahead).min().unwrap_or(0)
}

fn multiplying_warps(loads: &[Loads]) -> u64 {
    let most = loads.iter().map(|loads| loads.all).max().unwrap_or(0);
    let busy = loads.iter().filter(|loads| 2 * loads.all >= most.max(1));
    busy.count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ahead_is_one_that_follows_on_the_last_load() {
        let access = |warp: u32, space: Space| Access {
            site: 0,
            block: [0, 0, 0],
            warp,
            order: 0,
            space,
            is_store: false,
            access_bytes: 4,
            addresses: [None; 32],
        };
        let steps = |warp: u32, order: &str| -> Vec<Access> {
            let space = |kind| match kind {
                'g' => Space::Global,
                _ => Space::Shared,
            };
            order
                .chars()
                .map(|kind| access(warp, space(kind)))
                .collect()
        };
        let one_after_the_other = loads(&steps(0, "gssgssgss"));
        assert_eq!(steps_ahead(&one_after_the_other, 3), 1);
        let ahead = loads(&steps(0, "ggssgssss"));
        assert_eq!(steps_ahead(&ahead, 3), 2);
        assert_eq!(steps_ahead(&[ahead, one_after_the_other].concat(), 3), 1);
        assert_eq!(steps_ahead(&[], 3), 0);
        let two = loads(&[steps(0, "gssss"), steps(1, "gs"), steps(2, "ss")].concat());
        assert_eq!(multiplying_warps(&two), 2);
    }

    #[test]
    fn barriers_are_found_behind_predicates_and_in_lines_of_several_instructions() {
        let run = |warps: u64, ptx_lines: &[u32]| BlockRuns {
            ptx_lines: ptx_lines.to_vec(),
            warps,
            ..BlockRuns::default()
        };
        let lines = [
            "\tbar.sync \t0;",
            "\t@%p1 bar.sync 1, 64; { bar.sync 2; }",
            "\tbar.warp.sync \t-1;",
            "again: mbarrier.try_wait.parity.shared.b64 done, [%r1], %r2;",
            "\tshfl.sync.idx.b32 \t%r1|%p1, %r2, %r3, 31, -1;",
        ];
        let runs = [run(3, &[1, 3]), run(5, &[2, 2, 5]), run(7, &[4, 9])];
        assert_eq!(executed(&runs, &lines, is_barrier), 3 + 10 + 7);
        assert_eq!(executed(&runs, &lines, is_shuffle), 5);
    }
}
