//! The space that a search for the fastest product of float32 matrices walks through: what can be chosen, and how a choice becomes `#define` lines before `kernels/gemm/ring.cu`. What came of a choice lives in `mod`.

use super::{Choice, Subject};
use cornerturn_base::product_shape::{Layout, ProductShape};
use cornerturn_base::timing::TimingMode;
use cornerturn_registry::product_problem::ProductProblem;
use cornerturn_registry::registry::{Grid, ProductEntry};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Shared memory of a multiprocessor of compute capability 9.0, the most that a block may have of it, and what each block's own
/// needs beside what it asks for (CUDA C++ Programming Guide, Technical Specifications; Hopper Tuning Guide).
const SHARED_BYTES: u32 = 228 << 10;
const MOST_SHARED_BYTES: u32 = 227 << 10;
const RESERVED_BYTES: u32 = 1 << 10;

/// Bytes of a float.
const FLOAT: u32 = 4;

/// A product of float32 matrices of one shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RingProduct {
    /// m, n, k.
    pub shape: ProductShape,
    /// How the factors lie.
    pub layout: Layout,
}

impl RingProduct {
    /// What is asked.
    pub fn problem(&self) -> ProductProblem {
        ProductProblem::of(self.shape).layout(self.layout)
    }
}

impl fmt::Display for RingProduct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.shape, self.layout)
    }
}

impl Subject for RingProduct {
    type Variant = Ring;
    const EXPERIMENT: &'static str = "tune-gemm";
    const KERNEL: &'static str = "sgemm_ring";
    const COMMAND: &'static str = "cornerturn tune gemm";
    const REFERENCE: &'static str = "cuBLAS";
    const UNIT: &'static str = "TFLOP/s";
    const MODE: TimingMode = TimingMode::Warm;

    fn impossible(&self) -> Option<String> {
        let refused = self.problem().check().err()?;
        Some(format!(
            "{}, which is no shape of a product: {refused}",
            self.shape
        ))
    }

    fn variants(&self) -> Vec<Ring> {
        space()
    }

    fn rate(&self, us: f64) -> f64 {
        self.problem().tera_per_s(us)
    }

    fn options(&self) -> String {
        let [m, n, k] = self.shape.array();
        format!("--shape {m}x{n}x{k} --layout {}", self.layout)
    }

    /// Behind its last `#else` are the kernels that are registered, which no variant has.
    fn tuned(source: &str) -> &str {
        source
            .rsplit_once("\n#else\n")
            .map_or(source, |(tuned, _)| tuned)
    }
}

/// How a block divides its tile of C among warps, lanes and registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RingTile {
    /// Rows of lanes of a warp; there are 32 divided by it columns.
    pub lanes: u32,
    /// Rows and columns of C that a thread has.
    pub thread: [u32; 2],
    /// Rows and columns of warps of a block.
    pub warps: [u32; 2],
    /// Blocks of a multiprocessor that the registers are shared among.
    pub blocks: u32,
}

impl RingTile {
    const fn new(lanes: u32, thread: [u32; 2], warps: [u32; 2], blocks: u32) -> Self {
        Self {
            lanes,
            thread,
            warps,
            blocks,
        }
    }

    /// Rows and columns of C.
    pub fn sides(&self) -> [u32; 2] {
        let lanes = [self.lanes, 32 / self.lanes.max(1)];
        [0, 1].map(|side| {
            lanes[side]
                .saturating_mul(self.thread[side])
                .saturating_mul(self.warps[side])
        })
    }

    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        let warps = self.warps[0].saturating_mul(self.warps[1]);
        warps.saturating_mul(32)
    }
}

impl fmt::Display for RingTile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([rows, columns], [m, n]) = (self.sides(), self.thread);
        let plural = if self.blocks == 1 { "" } else { "s" };
        write!(
            f,
            "{rows}×{columns} by {m}×{n}, {} block{plural}",
            self.blocks
        )
    }
}

/// The ring in shared memory through which k passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// How much of k a step takes.
    pub step: u32,
    /// Steps that the ring has place for.
    pub stages: u32,
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} stages of {}", self.stages, self.step)
    }
}

/// One choice of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ring {
    /// The tile, and who has which part of it.
    pub tile: RingTile,
    /// Steps of k.
    pub pipeline: Pipeline,
    /// Blocks of a cluster that share the k of a tile.
    pub split: u32,
    /// Rows of tiles of which neighbours run together.
    pub group: u32,
}

/// What two variants may differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RingFactor {
    /// The tile, and who has which part of it.
    Tile,
    /// Steps of k and stages.
    Pipeline,
    /// How many blocks share the k of a tile.
    Split,
    /// The order of the blocks.
    Group,
}

impl fmt::Display for RingFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tile => "tile",
            Self::Pipeline => "ring",
            Self::Split => "split of k",
            Self::Group => "block order",
        })
    }
}

impl Ring {
    /// Dynamic shared memory of a block: the ring, or where k is split the tile of sums, if that is larger.
    pub fn shared_bytes(&self, layout: Layout) -> u32 {
        let [rows, columns] = self.tile.sides();
        // A factor whose rows lie along k is turned on its way, into rows that are four floats longer.
        let pad = |is_turned: bool| if is_turned { 4 } else { 0 };
        let row = rows + pad(!layout.is_a_transposed()) + columns + pad(layout.is_b_transposed());
        let Pipeline { step, stages } = self.pipeline;
        let ring = row.saturating_mul(step).saturating_mul(stages);
        let sums = match self.split {
            1 => 0,
            _ => rows.saturating_mul(columns),
        };
        ring.max(sums).saturating_mul(FLOAT)
    }

    /// Why no device can have it, in a sentence; `None` where one may.
    pub fn over_limits(&self, layout: Layout) -> Option<String> {
        let (blocks, bytes) = (self.tile.blocks, self.shared_bytes(layout));
        if bytes > MOST_SHARED_BYTES {
            return Some(format!(
                "{bytes} bytes of shared memory; a block has at most {MOST_SHARED_BYTES}"
            ));
        }
        if (bytes + RESERVED_BYTES).saturating_mul(blocks) > SHARED_BYTES {
            return Some(format!(
                "{blocks} blocks with {bytes} bytes of shared memory each; a multiprocessor has {SHARED_BYTES}"
            ));
        }
        let [rows, columns] = self.tile.sides();
        let straight = [
            (rows, layout.is_a_transposed()),
            (columns, !layout.is_b_transposed()),
        ];
        let threads = self.tile.threads();
        let uneven =
            |(side, is_straight): &(u32, bool)| *is_straight && !threads.is_multiple_of(*side);
        straight.into_iter().find(uneven).map(|(side, _)| {
            format!("{threads} threads, which do not take whole rows of {side} floats")
        })
    }

    /// The registered kernel as this variant: its tile, its block, its shared memory.
    pub fn entry(&self, kernel: &ProductEntry, layout: Layout) -> ProductEntry {
        ProductEntry {
            layout,
            tile: self.tile.sides(),
            step: self.pipeline.step * self.split,
            block: [self.tile.threads(), 1],
            grid: Grid::Linear,
            split_k: self.split,
            dynamic_shared_bytes: self.shared_bytes(layout),
            ..kernel.clone()
        }
    }

    /// The `#define` lines that make the kernel this variant.
    pub fn defines(&self, layout: Layout) -> String {
        let macros = [
            ("LANES_M", self.tile.lanes),
            ("THREAD_M", self.tile.thread[0]),
            ("THREAD_N", self.tile.thread[1]),
            ("WARPS_M", self.tile.warps[0]),
            ("WARPS_N", self.tile.warps[1]),
            ("BLOCKS", self.tile.blocks),
            ("STEP", self.pipeline.step),
            ("STAGES", self.pipeline.stages),
            ("SPLIT", self.split),
            ("GROUP", self.group),
            ("TURNED_A", u32::from(layout.is_a_transposed())),
            ("TURNED_B", u32::from(layout.is_b_transposed())),
        ];
        macros
            .map(|(name, value)| format!("#define RING_{name} {value}\n"))
            .concat()
    }
}

impl fmt::Display for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            tile,
            pipeline,
            split,
            group,
        } = self;
        write!(
            f,
            "tile {tile}, {pipeline}, split {split}, groups of {group}"
        )
    }
}

impl Choice for Ring {
    type Factor = RingFactor;
    const FACTORS: &'static [RingFactor] = &[
        RingFactor::Tile,
        RingFactor::Pipeline,
        RingFactor::Split,
        RingFactor::Group,
    ];
    const ROWS: [&'static str; 2] = ["tile · thread", "· blocks"];

    fn value(&self, factor: RingFactor) -> String {
        match factor {
            RingFactor::Tile => self.tile.to_string(),
            RingFactor::Pipeline => self.pipeline.to_string(),
            RingFactor::Split => self.split.to_string(),
            RingFactor::Group => self.group.to_string(),
        }
    }

    fn place(&self) -> [String; 3] {
        let ([rows, columns], [m, n]) = (self.tile.sides(), self.tile.thread);
        [
            format!("Split of k: {}, groups of {}", self.split, self.group),
            format!("{rows}×{columns} · {m}×{n} · {}", self.tile.blocks),
            self.pipeline.to_string(),
        ]
    }
}

/// The tiles of the space.
const TILES: [RingTile; 12] = [
    RingTile::new(4, [16, 8], [2, 4], 1),
    RingTile::new(4, [16, 8], [4, 2], 1),
    RingTile::new(8, [8, 16], [2, 2], 2),
    RingTile::new(4, [16, 8], [2, 2], 2),
    RingTile::new(8, [12, 8], [2, 4], 1),
    RingTile::new(8, [12, 8], [1, 4], 2),
    RingTile::new(8, [8, 8], [2, 2], 3),
    RingTile::new(8, [8, 8], [2, 2], 4),
    RingTile::new(8, [8, 8], [1, 4], 3),
    RingTile::new(8, [8, 8], [1, 4], 4),
    RingTile::new(8, [8, 8], [1, 2], 6),
    RingTile::new(8, [8, 8], [1, 2], 8),
];

/// The rings of the space.
const PIPELINES: [Pipeline; 3] = [
    Pipeline { step: 8, stages: 5 },
    Pipeline {
        step: 16,
        stages: 3,
    },
    Pipeline {
        step: 16,
        stages: 4,
    },
];

/// The splits of the space, and the groups; those that are not split are tried in each.
const SPLITS: [u32; 5] = [1, 2, 3, 4, 6];
const GROUPS: [u32; 2] = [8, 2];

/// Every variant that a search tries, always in the same order: all tiles, rings and splits; of those that are not split all
/// groups too.
fn space() -> Vec<Ring> {
    let mut variants = Vec::new();
    for split in SPLITS {
        let groups = if split == 1 {
            &GROUPS[..]
        } else {
            &GROUPS[..1]
        };
        for &group in groups {
            for tile in TILES {
                for pipeline in PIPELINES {
                    variants.push(Ring {
                        tile,
                        pipeline,
                        split,
                        group,
                    });
                }
            }
        }
    }
    variants
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_registry::registry::Registry;

    #[test]
    fn the_space_is_small_and_has_nothing_twice() {
        let variants = space();
        assert!((100..=300).contains(&variants.len()), "{}", variants.len());
        for (i, variant) in variants.iter().enumerate() {
            assert!(!variants[..i].contains(variant), "{variant} is there twice");
            let text = serde_json::to_string(variant).unwrap();
            assert_eq!(serde_json::from_str::<Ring>(&text).unwrap(), *variant);
        }
        let taken = |layout| {
            let taken = variants.iter().filter(|v| v.over_limits(layout).is_none());
            taken.count()
        };
        for layout in Layout::ALL {
            assert!(taken(layout) > variants.len() / 2, "{layout}");
        }
    }

    #[test]
    fn the_registered_kernel_is_a_variant_of_the_space() {
        let registry = Registry::load().unwrap();
        let kernel = registry.product(RingProduct::KERNEL).unwrap();
        let own = Ring {
            tile: TILES[0],
            pipeline: PIPELINES[2],
            split: 1,
            group: 8,
        };
        assert_eq!(own.entry(kernel, Layout::Nn), *kernel);
        assert!(own.over_limits(Layout::Nn).is_none());
        let words = "tile 128×256 by 16×8, 1 block, 4 stages of 16, split 1, groups of 8";
        assert_eq!(own.to_string(), words);
        let defines = own.defines(Layout::Tn);
        for line in ["#define RING_WARPS_N 4\n", "#define RING_TURNED_A 1\n"] {
            assert!(defines.contains(line), "{defines}");
        }
        let large = Ring {
            pipeline: Pipeline {
                step: 32,
                stages: 6,
            },
            ..own
        };
        assert!(large.over_limits(Layout::Nn).unwrap().contains("232448"));
    }
}
