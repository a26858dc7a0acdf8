//! Which tile of the input each block takes, from where it reads: the order of blocks, which no counter sees. Other counts are `counted`'s.

use super::trial::Trial;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::launch::LaunchReport;
use cornerturn_emulator::{BlockReach, Space, TraceRequest};
use std::collections::BTreeMap;

/// Pairs of blocks that are neighbours in x and whose tiles lie in one row or in one column of tiles. A block's tile is
/// the one that holds the first element it reads; blocks that read nothing are in no pair.
///
/// # Errors
/// Those of a launch.
pub(super) fn neighbours_in_line(trial: &Trial, kernel: &Kernel) -> Result<u64> {
    let blocks = trial.exercise.grid(trial.shape).count();
    let request = TraceRequest {
        max_blocks: usize::try_from(blocks).unwrap_or(usize::MAX),
        ..TraceRequest::default()
    };
    let report = trial.traced(kernel, request)?;
    let tiles = tiles(trial, &report);
    let in_line = tiles.iter().filter(|&(&[x, y], tile)| {
        let next = tiles.get(&[x + 1, y]);
        next.is_some_and(|next| next.0 == tile.0 || next.1 == tile.1)
    });
    Ok(in_line.count() as u64)
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
        trial.shape.columns as u64,
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
    use crate::device::Device;
    use crate::exercise::Workshop;
    use crate::shape::Shape;

    #[test]
    fn a_diagonal_has_no_neighbours_in_line_and_rows_have_nothing_else() {
        let workshop = Workshop::load().unwrap();
        let exercise = workshop.get("diagonal").unwrap();
        let count = |id: &str, rows, columns| {
            let trial =
                Trial::new(exercise, &Device::emulator(), Shape::new(rows, columns)).unwrap();
            neighbours_in_line(&trial, &Kernel::registered(id).unwrap()).unwrap()
        };
        // 3 rows of 5 tiles, the last ones not whole: 4 pairs in each row.
        assert_eq!(count("padded", 70, 135), 12);
        assert_eq!(count("diagonal", 70, 135), 0);
        assert_eq!(count("diagonal", 135, 70), 0);
        // One row of tiles: there is no other row to go to.
        assert_eq!(count("diagonal", 32, 96), 2);
    }
}
