//! Which tile of the input each block takes, from where it reads, and which blocks take none: what no counter sees. Other counts are `counted`'s.

use super::trial::Trial;
use cornerturn_base::error::Result;
use cornerturn_emulator::{BlockReach, Space, TraceRequest};
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::LaunchReport;
use std::collections::BTreeMap;

/// The fewest rows of tiles between the tiles of two blocks that follow each other.
const APART: u64 = 2;

/// Pairs of blocks that are neighbours in x and whose tiles are near each other: in one column of tiles, or fewer than
/// two rows of tiles apart, where the first row follows the last. A block's tile is the one that holds the first element
/// it reads; blocks that read nothing are in no pair.
///
/// # Errors
/// Those of a launch.
pub(super) fn near_neighbours(trial: &Trial, kernel: &Kernel) -> Result<u64> {
    let report = reaches(trial, kernel)?;
    let tiles = tiles(trial, &report);
    let rows = u64::from(trial.exercise.grid(trial.size).y);
    let near = tiles.iter().filter(|&(&[x, y], tile)| {
        let next = tiles.get(&[x + 1, y]);
        next.is_some_and(|next| {
            let apart = next.0.abs_diff(tile.0);
            apart.min(rows.saturating_sub(apart)) < APART || next.1 == tile.1
        })
    });
    Ok(near.count() as u64)
}

/// Blocks that touch no global memory at all, so that others have their share.
///
/// # Errors
/// Those of a launch.
pub(super) fn idle_blocks(trial: &Trial, kernel: &Kernel) -> Result<u64> {
    let report = reaches(trial, kernel)?;
    let blocks = report.trace.as_ref().map_or(&[][..], |trace| &trace.blocks);
    let busy = blocks.iter().filter(|block| !block.sites.is_empty());
    let all = trial.exercise.grid(trial.size).count();
    Ok(all.saturating_sub(busy.count() as u64))
}

/// A launch with a record of where each block reaches.
fn reaches(trial: &Trial, kernel: &Kernel) -> Result<LaunchReport> {
    let blocks = trial.exercise.grid(trial.size).count();
    let request = TraceRequest {
        max_blocks: usize::try_from(blocks).unwrap_or(usize::MAX),
        ..TraceRequest::default()
    };
    trial.traced(kernel, request)
}

/// The row and the column of each block's tile, by the block's x and y.
fn tiles(trial: &Trial, report: &LaunchReport) -> BTreeMap<[u32; 2], (u64, u64)> {
    let blocks = report.trace.as_ref().map_or(&[][..], |trace| &trace.blocks);
    let is_load = |site: usize| {
        let site = report.sites.get(site);
        site.is_some_and(|site| site.space == Space::Global && !site.is_store)
    };
    let first = |block: &BlockReach| {
        let loads = block.sites.iter().filter(|reach| is_load(reach.site));
        Some((block.block, loads.map(|reach| reach.first).min()?))
    };
    let firsts: Vec<([u32; 3], u64)> = blocks.iter().filter_map(first).collect();
    // A kernel that is right reads element 0.
    let start = firsts.iter().map(|(_, first)| *first).min().unwrap_or(0);
    let (columns, bytes) = (
        trial.size.shape().columns as u64,
        trial.exercise.element.bytes() as u64,
    );
    let [across, down] = trial.exercise.tile.map(u64::from);
    let tile = |([x, y, _], first): ([u32; 3], u64)| {
        let element = (first - start) / bytes;
        (
            [x, y],
            (element / columns / down, element % columns / across),
        )
    };
    firsts.into_iter().map(tile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workshop;
    use crate::seed::Seed;
    use crate::size::Size;
    use cornerturn_base::shape::Shape;
    use cornerturn_runtime::device::Device;

    #[test]
    fn rows_and_the_plain_diagonal_have_near_neighbours_and_two_rows_on_none() {
        let workshop = Workshop::load().unwrap();
        let exercise = workshop.get("diagonal").unwrap();
        let trial = |rows, columns| {
            let size = Size::Matrix(Shape::new(rows, columns));
            Trial::new(exercise, &Device::emulator(), size, Seed(1)).unwrap()
        };
        let registered = |id: &str, rows, columns| {
            let kernel = Kernel::registered(id).unwrap();
            near_neighbours(&trial(rows, columns), &kernel).unwrap()
        };
        // 3 rows of 5 tiles, the last ones not whole: 4 pairs in each row.
        assert_eq!(registered("padded", 70, 135), 12);
        assert_eq!(registered("diagonal", 70, 135), 12);
        // One row of tiles: there is no other row to go to.
        assert_eq!(registered("diagonal", 32, 96), 2);
    }
}
