//! The space that a search for the fastest transpose walks through: what can be chosen, and how a choice becomes `#define` lines before `kernels/transpose/limit.cu`. What came of a choice lives in `mod`.

use super::{Choice, Subject};
use cornerturn_base::element::ElementType;
use cornerturn_base::shape::Shape;
use cornerturn_base::timing::TimingMode;
use cornerturn_base::traffic;
use cornerturn_registry::registry::{Grid, KernelEntry};
use cornerturn_runtime::compile::ARCH;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Bytes of the vector that a thread loads and stores at once.
const VECTOR_BYTES: u32 = 16;

/// Threads that a block may have, and static shared memory (CUDA C++ Programming Guide, Technical Specifications).
const MOST_THREADS: u32 = 1024;
const MOST_SHARED_BYTES: u32 = 48 << 10;

/// A transpose of matrices of one element type and shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transpose {
    /// The element type.
    pub element: ElementType,
    /// Rows of the input.
    pub rows: usize,
    /// Columns of the input.
    pub columns: usize,
}

impl Transpose {
    /// The input's shape.
    pub fn shape(&self) -> Shape {
        Shape::new(self.rows, self.columns)
    }
}

impl fmt::Display for Transpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.shape(), self.element)
    }
}

impl Subject for Transpose {
    type Variant = Variant;
    const EXPERIMENT: &'static str = "tune";
    const KERNEL: &'static str = "limit";
    const COMMAND: &'static str = "cornerturn tune";
    const REFERENCE: &'static str = "the driver's copy";
    const UNIT: &'static str = "GB/s";
    const MODE: TimingMode = TimingMode::Cold;

    fn impossible(&self) -> Option<String> {
        let shape = self.shape();
        let bytes = shape
            .elements()
            .and_then(|elements| elements.checked_mul(2 * size_of::<u64>()));
        let is_countable = bytes.is_some_and(|bytes| bytes > 0);
        (!is_countable).then(|| format!("{shape}, which is no shape of a matrix"))
    }

    fn variants(&self) -> Vec<Variant> {
        Space::of(self.element)
            .map(|space| space.variants())
            .unwrap_or_default()
    }

    fn rate(&self, us: f64) -> f64 {
        traffic::bytes_moved(self.shape(), self.element) as f64 / us / 1e3
    }

    fn options(&self) -> String {
        let Self {
            element,
            rows,
            columns,
        } = self;
        format!("--rows {rows} --columns {columns} --element {element}")
    }
}

/// In which order the blocks of a grid walk over the tiles of `in`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Along the rows of `out`: down the columns of `in`.
    AlongOut,
    /// The same in both halves of `out` by turns.
    Halves,
    /// Along the rows of `in`, as `blockIdx.x` would have it.
    AlongIn,
    /// Square after square of so many tiles each way.
    Squares(u32),
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlongOut => f.write_str("rows of out"),
            Self::Halves => f.write_str("both halves of out"),
            Self::AlongIn => f.write_str("rows of in"),
            Self::Squares(tiles) => write!(f, "squares of {tiles}"),
        }
    }
}

/// What the loads and stores of a kernel tell the caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hints {
    /// Nothing.
    None,
    /// That a line which is stored is not used again: `st.global.cs`.
    StreamStores,
    /// That neither a line which is loaded nor one which is stored is used again: `.cs` on both sides.
    Stream,
    /// That L2 should give up other lines first, on both sides: `evict_last`. Needs compute capability 8.0.
    Keep,
}

impl Hints {
    /// The values of the macros for loads and for stores.
    const fn codes(self) -> (u32, u32) {
        match self {
            Self::None => (0, 0),
            Self::StreamStores => (0, 1),
            Self::Stream => (1, 1),
            Self::Keep => (3, 3),
        }
    }
}

impl fmt::Display for Hints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no hints",
            Self::StreamStores => ".cs stores",
            Self::Stream => ".cs",
            Self::Keep => "evict_last",
        })
    }
}

/// One choice of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Rows and columns of the tile, in elements of `in`.
    pub tile: [u32; 2],
    /// 16-byte loads that each thread starts before it waits for the first.
    pub loads: u32,
    /// The order of the blocks.
    pub order: Order,
    /// What loads and stores tell the caches.
    pub hints: Hints,
}

/// What two variants may differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Factor {
    /// The tile's shape.
    Tile,
    /// The loads in flight of a thread.
    Loads,
    /// The order of the blocks.
    Order,
    /// The cache hints.
    Hints,
}

impl Factor {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Order, Self::Tile, Self::Loads, Self::Hints];
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tile => "tile",
            Self::Loads => "loads in flight",
            Self::Order => "block order",
            Self::Hints => "cache hints",
        })
    }
}

impl Variant {
    /// Threads of a block.
    pub fn threads(&self, element: ElementType) -> u32 {
        self.tile_bytes(element) / VECTOR_BYTES / self.loads.max(1)
    }

    /// Bytes of shared memory that the tile takes.
    pub fn tile_bytes(&self, element: ElementType) -> u32 {
        let elements = self.tile[0].saturating_mul(self.tile[1]);
        elements.saturating_mul(element.bytes() as u32)
    }

    /// Why no device can have it, in a sentence; `None` where one may.
    pub fn over_limits(&self, element: ElementType) -> Option<String> {
        let (threads, bytes) = (self.threads(element), self.tile_bytes(element));
        if !(1..=MOST_THREADS).contains(&threads) {
            return Some(format!(
                "a block of {threads} threads; CUDA has 1 to {MOST_THREADS}"
            ));
        }
        (bytes > MOST_SHARED_BYTES).then(|| {
            format!("a tile of {bytes} bytes; a block has at most {MOST_SHARED_BYTES} bytes of static shared memory")
        })
    }

    /// The registered kernel `kernel` as this variant: its tile, its block, its architecture.
    pub fn entry(&self, kernel: &KernelEntry) -> KernelEntry {
        let [rows, columns] = self.tile;
        KernelEntry {
            tile: [columns, rows],
            block: [self.threads(kernel.element), 1],
            grid: Grid::Linear,
            arch: match self.hints {
                Hints::Keep => kernel.arch.clone(),
                // Without policies the source is for any GPU that we serve.
                _ => ARCH.to_string(),
            },
            ..kernel.clone()
        }
    }

    /// The `#define` lines that make the kernel this variant.
    pub fn defines(&self, element: ElementType) -> String {
        let tile = match element {
            ElementType::F32 => "LIMIT".to_string(),
            other => format!("LIMIT_{}", other.name().to_ascii_uppercase()),
        };
        let (order, group) = match self.order {
            Order::AlongOut | Order::Halves => (0, 1),
            Order::AlongIn => (1, 1),
            Order::Squares(tiles) => (2, tiles),
        };
        let (load, store) = self.hints.codes();
        let macros = [
            (format!("{tile}_ROWS"), self.tile[0]),
            (format!("{tile}_COLUMNS"), self.tile[1]),
            (format!("{tile}_THREADS"), self.threads(element)),
            ("LIMIT_ORDER".to_string(), order),
            ("LIMIT_GROUP".to_string(), group),
            (
                "LIMIT_HALVES".to_string(),
                u32::from(self.order == Order::Halves),
            ),
            ("LIMIT_LOAD".to_string(), load),
            ("LIMIT_STORE".to_string(), store),
            ("LIMIT_ONLY".to_string(), element.bytes() as u32),
        ];
        macros
            .map(|(name, value)| format!("#define {name} {value}\n"))
            .concat()
    }
}

impl Choice for Variant {
    type Factor = Factor;
    const FACTORS: &'static [Factor] = &Factor::ALL;
    const ROWS: [&'static str; 2] = ["tile · loads", "in flight"];

    fn value(&self, factor: Factor) -> String {
        match factor {
            Factor::Tile => format!("{}×{}", self.tile[0], self.tile[1]),
            Factor::Loads => self.loads.to_string(),
            Factor::Order => self.order.to_string(),
            Factor::Hints => self.hints.to_string(),
        }
    }

    fn place(&self) -> [String; 3] {
        let [rows, columns] = self.tile;
        [
            format!("Cache hints: {}", self.hints),
            format!("{rows}×{columns} · {}", self.loads),
            self.order.to_string(),
        ]
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = self.tile;
        write!(
            f,
            "tile {rows}×{columns}, {} loads, {}, {}",
            self.loads, self.order, self.hints
        )
    }
}

/// All variants that a search tries: every combination of these values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// The element type that the tiles are for.
    pub element: ElementType,
    /// Tiles, rows and columns.
    pub tiles: Vec<[u32; 2]>,
    /// Loads in flight of a thread.
    pub loads: Vec<u32>,
    /// Orders of the blocks.
    pub orders: Vec<Order>,
    /// Cache hints.
    pub hints: Vec<Hints>,
}

/// The orders of every space.
const ORDERS: [Order; 5] = [
    Order::AlongOut,
    Order::Halves,
    Order::AlongIn,
    Order::Squares(8),
    Order::Squares(32),
];

/// The hints of every space.
const HINTS: [Hints; 4] = [Hints::None, Hints::StreamStores, Hints::Stream, Hints::Keep];

impl Space {
    /// The space for elements of a type.
    ///
    /// `None` for a type that the kernel is not written for.
    pub fn of(element: ElementType) -> Option<Self> {
        let (tiles, loads): (&[[u32; 2]], &[u32]) = match element {
            ElementType::F32 => (&[[32, 64], [64, 64], [64, 128], [128, 64]], &[4, 8]),
            ElementType::F64 => (&[[32, 32], [64, 32], [32, 64], [64, 64]], &[2, 4]),
            ElementType::U16 => (&[[64, 64], [64, 128], [128, 64], [128, 128]], &[8, 16]),
            ElementType::U8 => (&[[128, 128], [256, 128], [128, 256]], &[16]),
            _ => return None,
        };
        Some(Self {
            element,
            tiles: tiles.to_vec(),
            loads: loads.to_vec(),
            orders: ORDERS.to_vec(),
            hints: HINTS.to_vec(),
        })
    }

    /// Every combination, always in the same order.
    pub fn variants(&self) -> Vec<Variant> {
        let mut variants = Vec::new();
        for &hints in &self.hints {
            for &order in &self.orders {
                for &tile in &self.tiles {
                    for &loads in &self.loads {
                        variants.push(Variant {
                            tile,
                            loads,
                            order,
                            hints,
                        });
                    }
                }
            }
        }
        variants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_space_is_small_and_fits_a_block() {
        for element in [
            ElementType::F32,
            ElementType::F64,
            ElementType::U16,
            ElementType::U8,
        ] {
            let space = Space::of(element).unwrap();
            let variants = space.variants();
            assert!(
                (2..=160).contains(&variants.len()),
                "{element}: {}",
                variants.len()
            );
            for (i, variant) in variants.iter().enumerate() {
                assert!(!variants[..i].contains(variant), "{variant} is there twice");
                let threads = variant.threads(element);
                assert!(
                    threads.is_multiple_of(32) && threads > 0,
                    "{element} {variant}: {threads}"
                );
                // A thread loads whole patches: as many vectors as a vector has elements.
                let patch = VECTOR_BYTES / element.bytes() as u32;
                assert!(variant.loads.is_multiple_of(patch), "{element} {variant}");
            }
        }
        assert_eq!(Space::of(ElementType::I64), None);
    }

    #[test]
    fn a_variant_names_its_macros_and_its_launch() {
        let variant = Variant {
            tile: [64, 128],
            loads: 8,
            order: Order::Squares(16),
            hints: Hints::Stream,
        };
        assert_eq!(variant.threads(ElementType::F32), 256);
        let defines = variant.defines(ElementType::F32);
        for line in [
            "#define LIMIT_COLUMNS 128\n",
            "#define LIMIT_GROUP 16\n",
            "#define LIMIT_LOAD 1\n",
        ] {
            assert!(defines.contains(line), "{defines}");
        }
        let halves = Variant {
            order: Order::Halves,
            ..variant
        };
        assert!(defines.contains("#define LIMIT_HALVES 0\n"), "{defines}");
        let defines = halves.defines(ElementType::F32);
        assert!(defines.contains("#define LIMIT_HALVES 1\n"), "{defines}");
        let other = Variant {
            order: Order::AlongIn,
            loads: 4,
            ..variant
        };
        assert_eq!(variant.differs_in(&other), [Factor::Order, Factor::Loads]);
        assert_eq!(
            variant.to_string(),
            "tile 64×128, 8 loads, squares of 16, .cs"
        );
    }
}
