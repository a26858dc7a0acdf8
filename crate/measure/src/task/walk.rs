//! What some blocks of a launch do to memory, access by access, with the matrices that they walk over. Pictures of it are `plot`'s.

use super::core::Core;
use crate::verify::Operation;
use cornerturn_base::element::ElementType;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html::counted;
use cornerturn_base::shape::{Dim3, Shape};
use cornerturn_emulator::{Access, Path, Site, Space, TraceRequest};
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::LaunchOptions;
use std::collections::BTreeSet;
use std::ops::Range;

/// The most accesses of warps that a walk holds.
const MOST_ACCESSES: usize = 1 << 16;

/// What some blocks of a launch do to memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    /// What was asked of the kernel.
    pub operation: Operation,
    /// The element type.
    pub element: ElementType,
    /// The input's shape.
    pub input: Shape,
    /// The output's shape.
    pub output: Shape,
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// The blocks that were followed, as `blockIdx`.
    pub blocks: Vec<[u32; 3]>,
    /// Address of the input's first byte.
    pub input_start: u64,
    /// Address of the output's first byte.
    pub output_start: u64,
    /// One instruction of a warp each: block after block, then as executed.
    pub accesses: Vec<Access>,
    /// The kernel's access sites, to which the accesses refer.
    pub sites: Vec<Site>,
}

/// How many 32-byte sectors were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sectors {
    /// Summed over the requests of all warps.
    pub asked: u64,
    /// Each sector once, however often it was asked for.
    pub different: u64,
}

/// Which blocks of a launch to follow: one, `(x, y)` or `[x, y, z]`, or the first ones in the order in which blocks
/// start, `0..32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocks {
    /// One block, as `blockIdx`.
    One([u32; 3]),
    /// From this to that in the order in which blocks start: x fastest, then y, then z.
    InOrder(Range<u64>),
}

impl From<[u32; 3]> for Blocks {
    fn from(block: [u32; 3]) -> Self {
        Self::One(block)
    }
}

impl From<(u32, u32)> for Blocks {
    fn from((x, y): (u32, u32)) -> Self {
        Self::One([x, y, 0])
    }
}

impl From<Range<u64>> for Blocks {
    fn from(range: Range<u64>) -> Self {
        Self::InOrder(range)
    }
}

impl Blocks {
    /// The blocks of a grid; `None` where it has not all of them, or there are none.
    fn of(&self, grid: Dim3) -> Option<Vec<[u32; 3]>> {
        let sides = grid.array();
        match self {
            Self::One(block) => {
                let is_inside = block.iter().zip(sides).all(|(at, side)| *at < side);
                is_inside.then(|| vec![*block])
            }
            Self::InOrder(range) => {
                let is_inside = !range.is_empty() && range.end <= grid.count();
                // More blocks than accesses cannot be followed.
                let is_few = is_inside && range.end - range.start <= MOST_ACCESSES as u64;
                let [x, y, _] = sides.map(u64::from);
                let place = |at: u64| [at % x, at / x % y, at / x / y].map(|i| i as u32);
                is_few.then(|| range.clone().map(place).collect())
            }
        }
    }
}

impl Core {
    pub(super) fn walk(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        blocks: Blocks,
    ) -> Result<Walk> {
        let limit = |reason: String| Error::Limit {
            kernel: kernel.name().to_string(),
            reason,
        };
        let blocks = blocks.of(grid).ok_or_else(|| {
            limit(format!(
                "the blocks to follow are not all among the {grid} of the grid"
            ))
        })?;
        let request = TraceRequest {
            blocks: blocks.clone(),
            max_accesses: MOST_ACCESSES,
            ..TraceRequest::default()
        };
        let buffers = self.emulated_buffers(kernel)?;
        let options = LaunchOptions::traced(request);
        let report = self.emulate_on(&buffers, kernel, grid, block, &options)?;
        let trace = report.trace.unwrap_or_default();
        if trace.truncated {
            return Err(limit(format!(
                "{} memory more than {MOST_ACCESSES} times; follow fewer",
                counted(blocks.len() as u64, "block accesses", "blocks access")
            )));
        }
        Ok(Walk {
            operation: self.problem.operation,
            element: self.problem.element,
            input: self.problem.shape,
            output: self.problem.operation.output_shape(self.problem.shape),
            grid,
            block,
            blocks,
            input_start: buffers.0.address(),
            output_start: buffers.1.address(),
            accesses: trace.accesses,
            sites: report.sites,
        })
    }
}

impl Walk {
    /// The sectors that loads from global memory ask for.
    pub fn load_sectors(&self) -> Sectors {
        self.sectors(false)
    }

    /// The sectors that stores to global memory ask for.
    pub fn store_sectors(&self) -> Sectors {
        self.sectors(true)
    }

    fn sectors(&self, is_store: bool) -> Sectors {
        let mut different = BTreeSet::new();
        let mut asked = 0;
        for access in self.global(is_store) {
            let lanes = access.addresses.iter().flatten();
            let last = u64::from(access.access_bytes.max(1)) - 1;
            let sectors: BTreeSet<u64> = lanes
                .flat_map(|address| address / 32..=(address + last) / 32)
                .collect();
            asked += sectors.len() as u64;
            different.extend(sectors);
        }
        Sectors {
            asked,
            different: different.len() as u64,
        }
    }

    /// Loads or stores of threads in global memory; what the copy engine moves is not among them.
    pub fn global(&self, is_store: bool) -> impl Iterator<Item = &Access> {
        let wanted = move |access: &&Access| {
            access.space == Space::Global && access.is_store == is_store && !self.is_bulk(access)
        };
        self.accesses.iter().filter(wanted)
    }

    /// Whether an access is the copy engine's.
    pub fn is_bulk(&self, access: &Access) -> bool {
        let site = self.sites.get(access.site);
        site.is_some_and(|site| site.path == Path::Bulk)
    }

    /// Row and column of the element at an address of the input, or of the output for a store.
    pub fn place(&self, address: u64, is_store: bool) -> Option<(usize, usize)> {
        let (start, matrix) = match is_store {
            false => (self.input_start, self.input),
            true => (self.output_start, self.output),
        };
        let bytes = self.element.bytes() as u64;
        let index = usize::try_from(address.checked_sub(start)? / bytes).ok()?;
        let (row, column) = (index / matrix.columns, index % matrix.columns);
        (row < matrix.rows).then_some((row, column))
    }

    /// Rows and columns of all elements that a global access touches, lane by lane.
    pub fn places<'a>(&'a self, access: &'a Access) -> impl Iterator<Item = (usize, usize)> + 'a {
        let bytes = self.element.bytes() as u64;
        let elements = u64::from(access.access_bytes) / bytes;
        let lanes = access.addresses.iter().flatten();
        lanes
            .flat_map(move |address| (0..elements).map(move |i| address + i * bytes))
            .filter_map(|address| self.place(address, access.is_store))
    }

    /// Where the element of the output's `row` and `column` comes from.
    pub fn source(&self, (row, column): (usize, usize)) -> (usize, usize) {
        match self.operation {
            Operation::Transpose => (column, row),
            Operation::Copy => (row, column),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;
    use cornerturn_runtime::Device;

    fn task() -> Task {
        Task::transpose(&Device::emulator(), 64, 96).unwrap()
    }

    #[test]
    fn a_block_of_a_tile_reads_it_and_writes_it_transposed() {
        let kernel = Kernel::registered("padded").unwrap();
        let walk = task().walk(&kernel, (3, 2), (32, 8), (2, 1)).unwrap();
        let side = |is_store| {
            let accesses = walk.global(is_store);
            accesses
                .flat_map(|access| walk.places(access))
                .collect::<BTreeSet<_>>()
        };
        let tile = |rows: Range<usize>, columns: Range<usize>| {
            let row = move |row| columns.clone().map(move |column| (row, column));
            rows.flat_map(row).collect::<BTreeSet<_>>()
        };
        assert_eq!(side(false), tile(32..64, 64..96));
        assert_eq!(side(true), tile(64..96, 32..64));
        assert_eq!(walk.source((65, 40)), (40, 65));
        let all = Sectors {
            asked: 128,
            different: 128,
        };
        assert_eq!((walk.load_sectors(), walk.store_sectors()), (all, all));
    }

    #[test]
    fn sectors_that_several_requests_ask_for_are_told_apart() {
        let kernel = Kernel::registered("naive_read").unwrap();
        let walk = task().walk(&kernel, (3, 2), (32, 32), (0, 0)).unwrap();
        let stores = walk.store_sectors();
        assert_eq!((stores.asked, stores.different), (1024, 128));
    }

    #[test]
    fn blocks_are_followed_in_the_order_in_which_they_start() {
        let kernel = Kernel::registered("padded").unwrap();
        let walk = task().walk(&kernel, (3, 2), (32, 8), 2..4).unwrap();
        assert_eq!(walk.blocks, [[2, 0, 0], [0, 1, 0]]);
        assert_eq!(
            walk.accesses.first().map(|access| access.block),
            Some([2, 0, 0])
        );
        assert_eq!(
            walk.accesses.last().map(|access| access.block),
            Some([0, 1, 0])
        );
        for outside in [Blocks::from((3, 0)), Blocks::from(5..7), Blocks::from(2..2)] {
            let refused = task().walk(&kernel, (3, 2), (32, 8), outside);
            assert!(refused.is_err_and(|e| e.to_string().contains("not all among")));
        }
    }
}
