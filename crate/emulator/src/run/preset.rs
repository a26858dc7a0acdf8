//! Values set before the run: constants, parameters, special registers.

use crate::machine::lanes::{File, Registers, Word};
use crate::machine::row::Row;
use crate::program::Program;
use crate::program::kinds::{GROUP_WARPS, WARP};
use crate::program::preset::{Preset, Special};
use crate::program::space::{WORKSPACE, window};
use crate::report::Space;

/// The shape of a launch, as special registers show it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaunchShape {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    /// Blocks of a cluster, and whether the launch asks for clusters.
    pub(super) cluster: [u32; 3],
    pub(super) is_clustered: bool,
    pub(super) is_cooperative: bool,
    pub(super) dynamic_shared_bytes: u32,
    /// Bytes between two variables in shared memory, beside those of the program's own layout.
    pub(super) shared_gap: u32,
}

impl LaunchShape {
    pub(super) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// `threadIdx` of a thread of the block, x fastest.
    pub(super) fn thread_id(&self, thread: u32) -> [u32; 3] {
        position(u64::from(thread), self.block)
    }

    /// Blocks of a cluster.
    pub(super) fn cluster_blocks(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// Clusters of the grid in x, y, z.
    pub(super) fn clusters(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.grid[axis] / self.cluster[axis].max(1))
    }

    /// The rank of a block in its cluster.
    pub(super) fn rank_of(&self, block: u64) -> u32 {
        let (id, [x, y, _]) = (self.block_id(block), self.cluster);
        let at = |axis: usize| id[axis] % self.cluster[axis].max(1);
        at(0) + x * (at(1) + y * at(2))
    }

    /// The block of this rank in a cluster, both x fastest: its number in the grid.
    pub(super) fn block_of(&self, cluster: u64, rank: u32) -> u64 {
        let (first, within) = (
            position(cluster, self.clusters()),
            position(u64::from(rank), self.cluster),
        );
        let at = |axis: usize| {
            u64::from(first[axis]) * u64::from(self.cluster[axis]) + u64::from(within[axis])
        };
        let [x, y, _] = self.grid.map(u64::from);
        at(0) + x * (at(1) + y * at(2))
    }

    /// `blockIdx` of a block of the grid, x fastest.
    pub(super) fn block_id(&self, block: u64) -> [u32; 3] {
        position(block, self.grid)
    }
}

fn position(number: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [
        (number % x) as u32,
        (number / x % y) as u32,
        (number / x / y) as u32,
    ]
}

/// Multiprocessors that `%nsmid` shows, as many as an H200 has; blocks are dealt out to them in turn.
pub const MULTIPROCESSORS: u32 = 132;

/// Fills all presets of a group that starts at `first_warp`.
pub(super) fn fill_presets(
    program: &Program,
    shape: &LaunchShape,
    params: &[u32],
    first_warp: usize,
    words: &mut File<u32>,
    longs: &mut File<u64>,
) {
    let value = |preset: &Preset, lane: usize| -> u64 {
        match *preset {
            Preset::Bits(bits) => bits,
            Preset::Param {
                offset,
                bytes,
                signed,
            } => param(params, offset, bytes, signed),
            Preset::Special(special) => {
                special_value(program, shape, special, first_warp * WARP + lane)
            }
            Preset::Shared {
                variable,
                offset,
                generic,
            } => {
                let base = if generic { window(Space::Shared) } else { 0 };
                let gaps = u64::from(variable) * u64::from(shape.shared_gap);
                base.wrapping_add(offset).wrapping_add(gaps)
            }
            // The emitter has left none.
            Preset::DynamicShared { .. } => 0,
        }
    };
    words.presets = held(&program.word_presets, |preset, lane| {
        value(preset, lane) as u32
    });
    longs.presets = held(&program.long_presets, value);
}

/// Presets as rows, if they are any.
fn held<T: Word>(presets: &[Preset], value: impl Fn(&Preset, usize) -> T) -> Registers<T> {
    let lanes = GROUP_WARPS * WARP;
    let mut registers = Registers::new(presets.len(), lanes);
    for (index, preset) in presets.iter().enumerate() {
        let values: Vec<T> = (0..lanes).map(|lane| value(preset, lane)).collect();
        match Row::of(&values) {
            Some(row) => registers.set_row(index, row),
            None => registers[index].copy_from_slice(&values),
        }
    }
    registers
}

/// Updates the presets that differ from block to block.
pub(super) fn enter_block(
    program: &Program,
    shape: &LaunchShape,
    number: u64,
    words: &mut File<u32>,
    longs: &mut File<u64>,
) {
    let (block, cluster) = (shape.block_id(number), shape.cluster);
    let within: [u32; 3] = std::array::from_fn(|axis| block[axis] % cluster[axis].max(1));
    let value = |preset: &Preset| match preset {
        Preset::Special(Special::Ctaid(axis)) => Some(block[usize::from(*axis)]),
        Preset::Special(Special::SmId) => Some((number % u64::from(MULTIPROCESSORS)) as u32),
        Preset::Special(Special::ClusterId(axis)) => {
            Some(block[usize::from(*axis)] / cluster[usize::from(*axis)].max(1))
        }
        Preset::Special(Special::ClusterCtaid(axis)) => Some(within[usize::from(*axis)]),
        Preset::Special(Special::ClusterRank) => Some(shape.rank_of(number)),
        _ => None,
    };
    for (index, preset) in program.word_presets.iter().enumerate() {
        if let Some(value) = value(preset) {
            words.presets.set_row(index, Row::constant(value));
        }
    }
    for (index, preset) in program.long_presets.iter().enumerate() {
        if let Some(value) = value(preset) {
            longs
                .presets
                .set_row(index, Row::constant(u64::from(value)));
        }
    }
}

/// Little-endian bytes of the parameters as a number; `bytes` is 1, 2, 4 or 8 and `offset` a multiple of it.
fn param(params: &[u32], offset: u32, bytes: u32, signed: bool) -> u64 {
    let word = |at: u32| params.get(at as usize).copied().unwrap_or(0);
    let low = u64::from(word(offset / 4)) >> (8 * (offset % 4));
    let bits = if bytes == 8 {
        low | u64::from(word(offset / 4 + 1)) << 32
    } else {
        low
    };
    let shift = 64 - 8 * bytes;
    if signed {
        (((bits << shift) as i64) >> shift) as u64
    } else {
        (bits << shift) >> shift
    }
}

fn special_value(program: &Program, shape: &LaunchShape, special: Special, thread: usize) -> u64 {
    let lane = (thread % WARP) as u32;
    let id = shape.thread_id(thread as u32);
    let value = match special {
        Special::Tid(axis) => id[usize::from(axis)],
        Special::Ntid(axis) => shape.block[usize::from(axis)],
        Special::Nctaid(axis) => shape.grid[usize::from(axis)],
        Special::ClusterCount(axis) => shape.clusters()[usize::from(axis)],
        Special::ClusterNctaid(axis) => shape.cluster[usize::from(axis)],
        Special::ClusterSize => shape.cluster_blocks(),
        Special::IsExplicitCluster => u32::from(shape.is_clustered),
        Special::LaneId => lane,
        Special::WarpId => (thread / WARP) as u32,
        Special::WarpCount => shape.threads().div_ceil(WARP as u32),
        Special::LanemaskEq => 1 << lane,
        Special::LanemaskLt => (1 << lane) - 1,
        Special::LanemaskLe => (1 << lane) | ((1 << lane) - 1),
        Special::LanemaskGe => !((1u32 << lane) - 1),
        Special::LanemaskGt => !((1u32 << lane) | ((1 << lane) - 1)),
        Special::SmCount => MULTIPROCESSORS,
        Special::GridId => 1,
        Special::Workspace { .. } if !shape.is_cooperative => 0,
        Special::Workspace { high: true } => (WORKSPACE >> 32) as u32,
        Special::Workspace { high: false } => WORKSPACE as u32,
        Special::DynamicShared => shape.dynamic_shared_bytes,
        Special::TotalShared => program
            .static_shared_bytes
            .saturating_add(shape.dynamic_shared_bytes),
        // Set as a block starts.
        Special::Ctaid(_)
        | Special::SmId
        | Special::ClusterId(_)
        | Special::ClusterCtaid(_)
        | Special::ClusterRank => 0,
    };
    u64::from(value)
}
