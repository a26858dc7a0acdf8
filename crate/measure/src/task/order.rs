//! The order in which a launch's blocks come to the matrix: which part of it each reads and writes. Drawing it is `plot`'s.

use cornerturn_base::element::ElementType;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::shape::{Dim3, Shape};
use cornerturn_emulator::{Reach, Space};
use cornerturn_registry::problem::Problem;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::LaunchReport;
use std::ops::Range;

/// The most blocks of which a picture can be read.
const MOST_BLOCKS: u64 = 1024;

/// What each block of a launch reads and writes, in the order in which blocks start: x fastest, then y, then z.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockOrder {
    /// The input's shape.
    pub input: Shape,
    /// The output's shape.
    pub output: Shape,
    /// The part of the input that each block reads; `None` for a block that reads nothing.
    pub reads: Vec<Option<Region>>,
    /// The part of the output that each block writes; `None` for a block that writes nothing.
    pub writes: Vec<Option<Region>>,
}

/// A rectangle of a matrix, in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its rows.
    pub rows: Range<usize>,
    /// Its columns.
    pub columns: Range<usize>,
}

/// The number of blocks, where it is one that a picture can show.
pub(super) fn check_count(kernel: &Kernel, grid: Dim3) -> Result<usize> {
    match usize::try_from(grid.count()) {
        Ok(count) if grid.count() <= MOST_BLOCKS => Ok(count),
        _ => Err(Error::Limit {
            kernel: kernel.name().to_string(),
            reason: format!(
                "a picture shows the order of at most {MOST_BLOCKS} blocks, and the grid is {grid}; \
                 take a smaller matrix"
            ),
        }),
    }
}

/// Reads the order from a report whose trace holds every block.
///
/// Input and output begin at the lowest address read and written: a kernel that does its work touches element 0.
pub(super) fn block_order(problem: &Problem, report: &LaunchReport) -> BlockOrder {
    let (input, element) = (problem.shape, problem.element);
    let output = problem.operation.output_shape(input);
    let blocks = report.trace.as_ref().map_or(&[][..], |trace| &trace.blocks);
    let side = |is_store: bool, matrix: Shape| {
        let on_side = |reach: &&Reach| {
            let site = report.sites.get(reach.site);
            site.is_some_and(|site| site.space == Space::Global && site.is_store == is_store)
        };
        let reaches: Vec<Option<Range<u64>>> = blocks
            .iter()
            .map(|block| {
                let mine = || block.sites.iter().filter(on_side);
                let first = mine().map(|reach| reach.first).min()?;
                Some(first..mine().map(|reach| reach.end).max()?)
            })
            .collect();
        let lowest = reaches.iter().flatten().map(|reach| reach.start).min();
        let start = lowest.unwrap_or(0);
        let region = |reach: Range<u64>| region(reach, start, matrix, element);
        reaches.into_iter().map(|r| r.map(region)).collect()
    };
    BlockOrder {
        input,
        output,
        reads: side(false, input),
        writes: side(true, output),
    }
}

/// The rectangle whose first and last element lie at a reach's ends.
fn region(reach: Range<u64>, start: u64, matrix: Shape, element: ElementType) -> Region {
    let index = |address: u64| ((address - start) / element.bytes() as u64) as usize;
    let (first, last) = (index(reach.start), index(reach.end.saturating_sub(1)));
    let place = |index: usize| (index / matrix.columns, index % matrix.columns);
    let ((top, a), (bottom, b)) = (place(first), place(last));
    Region {
        rows: top..bottom + 1,
        columns: a.min(b)..a.max(b) + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;
    use cornerturn_runtime::Device;

    #[test]
    fn blocks_read_tiles_in_row_order_and_write_them_transposed() {
        let task = Task::transpose(&Device::emulator(), 70, 96).unwrap();
        let kernel = Kernel::registered("padded").unwrap();
        let order = task.block_order(&kernel, (3, 3), (32, 8)).unwrap();
        assert_eq!(
            (order.input, order.output),
            (Shape::new(70, 96), Shape::new(96, 70))
        );
        let region = |rows, columns| Some(Region { rows, columns });
        assert_eq!(order.reads[1], region(0..32, 32..64));
        assert_eq!(order.writes[1], region(32..64, 0..32));
        assert_eq!(order.reads[8], region(64..70, 64..96), "an edge");
        assert_eq!(order.writes[8], region(64..96, 64..70));
        let many = task.block_order(&kernel, (2000, 1), (32, 8));
        assert!(many.is_err_and(|e| e.to_string().contains("at most 1024 blocks")));
    }
}
