//! Which tile of C each block of a launch takes, in which order, and what it reads for it, from the emulator. Pictures of it are `plot`'s.

use super::matrices::Matrices;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::product_shape::{Layout, ProductShape};
use cornerturn_base::shape::Dim3;
use cornerturn_emulator::{
    BlockReach, BulkCopy, Handover, HandoverKind, Space, Trace, TraceRequest,
};
use cornerturn_registry::product_problem::ProductProblem;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::{LaunchOptions, LaunchReport};
use std::ops::Range;

/// The most blocks of which a picture can be read.
const MOST_BLOCKS: u64 = 4096;
/// The most copies of all blocks together.
const MOST_COPIES: usize = 1 << 20;

/// The tiles of C that the blocks of a launch take, in the order in which they take them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileWalk {
    /// The product.
    pub shape: ProductShape,
    /// Bytes of an element of A and of B.
    pub input_bytes: usize,
    /// Blocks that run at a time.
    pub at_once: usize,
    /// By wave, then by block.
    pub tiles: Vec<WalkedTile>,
}

/// One tile: what a block reads for it, and so what it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkedTile {
    /// The block's number, x fastest.
    pub block: usize,
    /// Of a kernel whose blocks stay, which of its tiles it is; else which of the waves of so many blocks the block is in.
    pub wave: usize,
    /// Rows of A, and of C.
    pub rows: Range<usize>,
    /// Columns of B, and of C.
    pub columns: Range<usize>,
}

/// How much of A and B one wave asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaveReads {
    /// Tiles.
    pub tiles: usize,
    /// Different rows of A.
    pub rows: usize,
    /// Different columns of B.
    pub columns: usize,
    /// Bytes that the tiles need, each by itself.
    pub needed_bytes: u64,
    /// Bytes among these that are different.
    pub different_bytes: u64,
}

impl WaveReads {
    /// How often a byte is needed.
    pub fn times(&self) -> f64 {
        self.needed_bytes as f64 / self.different_bytes.max(1) as f64
    }
}

impl TileWalk {
    /// Launches a kernel on the emulator and looks which rows of A and columns of B each block reads. The matrices hold
    /// anything, and nothing is verified: one step of `k` tells the walk as well as many. `at_once` is how many blocks a GPU
    /// runs at a time.
    ///
    /// ```
    /// # use cornerturn::prelude::*;
    /// # fn main() -> Result<()> {
    /// let kernel = Kernel::registered("persistent_bf16")?;
    /// let bf16 = ProductProblem::new(512, 1024, 64).input(NumberType::Bf16).output(NumberType::Bf16);
    /// let walk = TileWalk::of(&kernel, &bf16, 4, 384, 4)?;
    /// assert_eq!(walk.tiles.len(), 16);
    /// assert_eq!((walk.tiles[1].rows.clone(), walk.tiles[1].columns.clone()), (128..256, 0..256));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Limit`] for more blocks than a picture shows; [`Error::Usage`] for factors that lie transposed, and for a kernel
    /// that reads none of a factor; else as [`Device::launch`].
    pub fn of(
        kernel: &Kernel,
        problem: &ProductProblem,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        at_once: usize,
    ) -> Result<Self> {
        let (grid, block) = (grid.into(), block.into());
        problem.check()?;
        if problem.layout != Layout::Nn {
            return Err(Error::Usage(format!(
                "a walk is followed through factors that lie row by row, and {problem} has others"
            )));
        }
        if grid.count() > MOST_BLOCKS {
            return Err(Error::Limit {
                kernel: kernel.name().to_string(),
                reason: format!(
                    "a picture shows at most {MOST_BLOCKS} blocks, and the grid is {grid}"
                ),
            });
        }
        let launch = Traced::new(kernel, problem, grid, block)?;
        let boxes = kernel.product_boxes();
        let tiles = match (boxes.a, boxes.b) {
            (Some(_), Some(_)) => launch.by_copies()?,
            _ => launch.by_loads()?,
        };
        if tiles.is_empty() {
            return Err(Error::Usage(format!(
                "{}: no block reads both factors",
                kernel.name()
            )));
        }
        let mut walk = Self {
            shape: problem.shape,
            input_bytes: problem.input.storage().bytes(),
            at_once: at_once.max(1),
            tiles,
        };
        walk.number_waves();
        Ok(walk)
    }

    /// Blocks that take one tile each are started in their order, so many at a time.
    fn number_waves(&mut self) {
        if self.tiles.iter().all(|tile| tile.wave == 0) {
            for tile in &mut self.tiles {
                tile.wave = tile.block / self.at_once;
            }
        }
        self.tiles.sort_by_key(|tile| (tile.wave, tile.block));
    }

    /// Waves.
    pub fn waves(&self) -> usize {
        self.tiles.last().map_or(0, |tile| tile.wave + 1)
    }

    /// What a wave reads, if there are so many.
    pub fn reads(&self, wave: usize) -> Option<WaveReads> {
        let ProductShape { m, n, k } = self.shape;
        let (mut rows, mut columns) = (vec![false; m], vec![false; n]);
        let (mut tiles, mut needed) = (0, 0);
        for tile in self.tiles.iter().filter(|tile| tile.wave == wave) {
            rows[tile.rows.clone()].fill(true);
            columns[tile.columns.clone()].fill(true);
            tiles += 1;
            needed += tile.rows.len() + tile.columns.len();
        }
        let [rows, columns] = [rows, columns].map(|side| side.iter().filter(|is| **is).count());
        let bytes = |lines: usize| (lines * k * self.input_bytes) as u64;
        (tiles > 0).then(|| WaveReads {
            tiles,
            rows,
            columns,
            needed_bytes: bytes(needed),
            different_bytes: bytes(rows + columns),
        })
    }
}

/// A launch that is followed.
struct Traced<'k> {
    kernel: &'k Kernel,
    problem: &'k ProductProblem,
    grid: Dim3,
    block: Dim3,
    emulator: Device,
    matrices: Matrices,
}

impl<'k> Traced<'k> {
    fn new(
        kernel: &'k Kernel,
        problem: &'k ProductProblem,
        grid: Dim3,
        block: Dim3,
    ) -> Result<Self> {
        kernel.module()?;
        let emulator = Device::emulator();
        Ok(Self {
            kernel,
            problem,
            grid,
            block,
            matrices: Matrices::new(&emulator, problem)?,
            emulator,
        })
    }

    fn launch(&self, request: TraceRequest) -> Result<LaunchReport> {
        let arguments = self.matrices.arguments(self.problem, self.kernel)?;
        let options = LaunchOptions::traced(request);
        self.emulator
            .launch_with(self.kernel, self.grid, self.block, &arguments, &options)
    }

    fn blocks(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        let [x, y, _] = self.grid.array();
        (0..self.grid.count() as u32).map(move |at| [at % x, at / x % y, at / x / y])
    }

    // ---- loads of threads ----

    /// From the bounds of what each block loads of either factor.
    fn by_loads(&self) -> Result<Vec<WalkedTile>> {
        let request = TraceRequest {
            max_blocks: self.grid.count() as usize,
            ..TraceRequest::default()
        };
        let report = self.launch(request)?;
        let ProductShape { n, k, .. } = self.problem.shape;
        let bytes = self.problem.input.storage().bytes() as u64;
        let blocks = report.trace.unwrap_or_default().blocks;
        let is_load = |site: usize| {
            let site = report.sites.get(site);
            site.is_some_and(|site| site.space == Space::Global && !site.is_store)
        };
        let tile = |(block, reach): (usize, &BlockReach)| {
            let within = |buffer: &cornerturn_runtime::buffer::RawBuffer| {
                let (start, len) = (buffer.address(), buffer.len() as u64);
                let mine = move |first: u64| first >= start && first < start + len * bytes;
                let reaches = || {
                    reach
                        .sites
                        .iter()
                        .filter(|r| is_load(r.site) && mine(r.first))
                };
                let first = reaches().map(|r| r.first).min()?;
                let end = reaches().map(|r| r.end).max()?;
                Some([(first - start) / bytes, (end - 1 - start) / bytes].map(|at| at as usize))
            };
            let [first_a, last_a] = within(self.matrices.a())?;
            let [first_b, last_b] = within(self.matrices.b())?;
            Some(WalkedTile {
                block,
                wave: 0,
                rows: first_a / k..last_a / k + 1,
                columns: first_b % n..last_b % n + 1,
            })
        };
        Ok(blocks.iter().enumerate().filter_map(tile).collect())
    }

    // ---- tensor copies ----

    /// From the boxes that each block's threads have the copy engine bring. A block's next tile begins where `k` does again: of A it
    /// has one box brought for each step.
    fn by_copies(&self) -> Result<Vec<WalkedTile>> {
        let trace = self.trace_of(self.blocks().collect(), Some(self.producers()?))?;
        let ranks = trace.handovers.iter().map(|handover| handover.rank + 1);
        let cluster = ranks.max().unwrap_or(1) as usize;
        let mut walks: Vec<BlockCopies> = Vec::new();
        for block in self.blocks() {
            let mine = trace.handovers.iter().filter(|copy| copy.block == block);
            walks.push(self.copies_of(mine));
        }
        let mut tiles = Vec::new();
        for (number, walk) in walks.iter().enumerate() {
            let first = number / cluster * cluster;
            let neighbours = &walks[first..walks.len().min(first + cluster)];
            let columns = neighbours.iter().flat_map(|other| &other.columns);
            for (wave, rows) in walk.rows.iter().enumerate() {
                let is_here = |copied: &&Copied| {
                    copied.turn == wave && copied.blocks >> (number - first) & 1 == 1
                };
                let mine = || columns.clone().filter(is_here);
                let start = mine().map(|copied| copied.columns.start).min();
                let end = mine().map(|copied| copied.columns.end).max();
                if let (Some(start), Some(end)) = (start, end)
                    && start < end
                    && !rows.is_empty()
                {
                    tiles.push(WalkedTile {
                        block: number,
                        wave,
                        rows: rows.clone(),
                        columns: start..end,
                    });
                }
            }
        }
        Ok(tiles)
    }

    fn trace_of(&self, blocks: Vec<[u32; 3]>, warps: Option<Vec<u32>>) -> Result<Trace> {
        let request = TraceRequest {
            blocks,
            warps,
            max_accesses: MOST_COPIES,
            ..TraceRequest::default()
        };
        let trace = self.launch(request)?.trace.unwrap_or_default();
        if trace.truncated {
            return Err(Error::Limit {
                kernel: self.kernel.name().to_string(),
                reason: format!("its blocks start more than {MOST_COPIES} copies; follow fewer"),
            });
        }
        Ok(trace)
    }

    /// The warps that have boxes of factors brought, found on a product of one step.
    fn producers(&self) -> Result<Vec<u32>> {
        let small = self.problem.shaped(ProductShape::new(256, 256, 64));
        let launch = Traced::new(self.kernel, &small, self.grid, self.block)?;
        let trace = launch.trace_of(launch.blocks().take(1).collect(), None)?;
        let mut warps: Vec<u32> = loads(trace.handovers.iter())
            .map(|(warp, _)| warp)
            .collect();
        warps.sort_unstable();
        warps.dedup();
        Ok(warps)
    }

    /// What one block has brought.
    fn copies_of<'t>(&self, handovers: impl Iterator<Item = &'t Handover>) -> BlockCopies {
        let ProductShape { m, n, .. } = self.problem.shape;
        let boxes = self.kernel.product_boxes();
        let (mut found, mut before) = (BlockCopies::default(), None);
        for handover in handovers {
            let HandoverKind::Copy(copy) = &handover.what else {
                continue;
            };
            let [x, y] = [copy.at[0].max(0), copy.at[1].max(0)].map(|at| at as usize);
            if copy.global == self.matrices.a().address() {
                let tall = boxes.a.map_or(0, |tile| tile.rows as usize);
                let rows = y.min(m)..(y + tall).min(m);
                match found.rows.last_mut().filter(|_| before < Some(x)) {
                    Some(last) => *last = last.start.min(rows.start)..last.end.max(rows.end),
                    None => found.rows.push(rows),
                }
                before = Some(x);
            } else if copy.global == self.matrices.b().address() {
                let wide = boxes.b.map_or(0, |tile| tile.columns as usize);
                let blocks = if copy.blocks == 0 {
                    1 << handover.rank
                } else {
                    copy.blocks
                };
                found.columns.push(Copied {
                    turn: found.rows.len().saturating_sub(1),
                    blocks,
                    columns: x.min(n)..(x + wide).min(n),
                });
            }
        }
        found
    }
}

/// What one block has brought.
#[derive(Default)]
struct BlockCopies {
    /// The rows of A of each of its tiles.
    rows: Vec<Range<usize>>,
    columns: Vec<Copied>,
}

/// A box of B.
struct Copied {
    /// For which of the block's tiles.
    turn: usize,
    /// To which blocks of the cluster, a bit each.
    blocks: u32,
    columns: Range<usize>,
}

fn loads<'t>(
    handovers: impl Iterator<Item = &'t Handover>,
) -> impl Iterator<Item = (u32, BulkCopy)> {
    handovers.filter_map(|handover| match handover.what {
        HandoverKind::Copy(copy) if !copy.is_store => Some((handover.warp, copy)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_base::NumberType;

    fn walk(id: &str, shape: [usize; 3], grid: u32, block: u32, at_once: usize) -> TileWalk {
        let kernel = Kernel::registered(id).unwrap();
        let (input, output) = match id.starts_with("sgemm") {
            true => (NumberType::F32, NumberType::F32),
            false => (NumberType::Bf16, NumberType::Bf16),
        };
        let problem = ProductProblem::new(shape[0], shape[1], shape[2]);
        let problem = problem.input(input).output(output);
        TileWalk::of(&kernel, &problem, grid, block, at_once).unwrap()
    }

    /// Every element of C is in one tile.
    fn assert_covers(walk: &TileWalk) {
        let mut times = vec![0; walk.shape.m * walk.shape.n];
        for tile in &walk.tiles {
            for row in tile.rows.clone() {
                for column in tile.columns.clone() {
                    times[row * walk.shape.n + column] += 1;
                }
            }
        }
        assert!(times.iter().all(|times| *times == 1), "{walk:?}");
    }

    #[test]
    fn tiles_cover_c_whether_blocks_stay_or_not() {
        let persistent = walk("persistent_bf16", [600, 776, 136], 4, 384, 4);
        assert_covers(&persistent);
        // 3 × 4 tiles of clusters, two clusters at a time; of the last row's second blocks nothing is inside.
        assert_eq!(persistent.waves(), 6);
        assert_eq!(persistent.tiles.len(), 20);
        let mma = walk("mma_bf16", [300, 520, 72], 9, 256, 4);
        assert_covers(&mma);
        assert_eq!((mma.waves(), mma.tiles.len()), (3, 9));
        let ring = walk("sgemm_ring", [200, 300, 20], 4, 256, 3);
        assert_covers(&ring);
        assert_eq!(ring.waves(), 2);
    }

    #[test]
    fn a_wave_needs_a_row_or_column_once_for_each_tile_that_has_it() {
        let walk = walk("mma_bf16", [256, 512, 64], 4, 256, 4);
        let reads = walk.reads(0).unwrap();
        assert_eq!((reads.tiles, reads.rows, reads.columns), (4, 256, 512));
        assert_eq!(reads.needed_bytes, 4 * (128 + 256) * 64 * 2);
        assert_eq!(reads.different_bytes, (256 + 512) * 64 * 2);
        assert_eq!(reads.times(), 2.0);
        assert_eq!(walk.reads(1), None);
    }

    #[test]
    fn what_no_picture_shows_is_refused() {
        let kernel = Kernel::registered("mma_bf16").unwrap();
        let bf16 = ProductProblem::new(256, 512, 64).input(NumberType::Bf16);
        let bf16 = bf16.output(NumberType::Bf16);
        let many = TileWalk::of(&kernel, &bf16, 5000, 256, 132);
        assert!(many.is_err_and(|e| e.to_string().contains("at most 4096 blocks")));
        let turned = bf16.layout(Layout::Nt);
        let turned = TileWalk::of(&kernel, &turned, 4, 256, 132);
        assert!(turned.is_err_and(|e| e.to_string().contains("row by row")));
    }
}
