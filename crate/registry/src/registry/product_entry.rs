//! What the registry says of a kernel for matrix products: where it lies, which products it takes, how it is launched, what is measured. Reading the file is the registry's.

use super::{Grid, MachineDifference};
use crate::product_problem::ProductProblem;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::number::NumberType;
use cornerturn_base::product_shape::{Layout, ProductShape};
use cornerturn_base::shape::Dim3;
use cornerturn_base::tensor_box::ProductBoxes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The most blocks of a grid in x, y and z (CUDA C++ Programming Guide, Technical Specifications per Compute Capability).
const MOST_BLOCKS: [u64; 3] = [2_147_483_647, 65_535, 65_535];

/// The sides of the squares that are measured where an entry does not say, and shapes that no tile divides.
const USUAL: [ProductShape; 7] = [
    ProductShape::square(512),
    ProductShape::square(1024),
    ProductShape::square(2048),
    ProductShape::square(4096),
    ProductShape::square(8192),
    ProductShape::new(4095, 4097, 4001),
    ProductShape::new(8192, 1000, 512),
];

/// One kernel of the registry that multiplies matrices.
///
/// It takes `(const A* a, const B* b, C* c, unsigned m, unsigned n, unsigned k)`, tensor maps in the place of the pointers that have a
/// box. Rows lie one right after the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProductEntry {
    /// The name by which cells, records and commands know it; no other kernel has it.
    pub id: String,
    /// The CUDA C++, relative to the registry's folder; its PTX lies beside it. Kernels may share a file.
    pub file: PathBuf,
    /// The entry's name in the PTX.
    pub entry: String,
    /// The chapter that introduces it.
    pub chapter: String,
    /// The architecture that its PTX is for, such as `compute_75`.
    pub arch: String,
    /// The numbers of A and B.
    #[serde(default = "float")]
    pub input: NumberType,
    /// The numbers of C: s32 of whole inputs, else f32, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<NumberType>,
    /// The numbers in which products are added up: s32 of whole inputs, else f32, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accumulate: Option<NumberType>,
    /// How the factors lie.
    #[serde(default)]
    pub layout: Layout,
    /// Rows and columns of C that one block covers.
    pub tile: [u32; 2],
    /// How much of k one step of its loop takes: for checks and claims, which have some whole steps.
    #[serde(default = "one")]
    pub step: u32,
    /// Threads of a block, in x and y.
    pub block: [u32; 2],
    /// How blocks are counted: columns of tiles in x, rows of tiles in y.
    #[serde(default)]
    pub grid: Grid,
    /// Of a persistent grid: blocks for each multiprocessor of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks_per_multiprocessor: Option<u32>,
    /// Blocks of a cluster in x and y, if the kernel is compiled for clusters: the grid is a multiple of it.
    #[serde(default = "alone", skip_serializing_if = "is_alone")]
    pub cluster_blocks: [u32; 2],
    /// Blocks that share the k of a tile, in z.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub split_k: u32,
    /// Whether it adds to what is in C, which is then 0 before each launch that is verified. When it is timed, nobody fills C: that
    /// is no part of its time.
    #[serde(default)]
    pub adds_to_result: bool,
    /// Dynamic shared memory that a launch needs.
    #[serde(default)]
    pub dynamic_shared_bytes: u32,
    /// What m, n and k must be multiples of; other products are refused. A row's alignment is such a multiple too.
    #[serde(default = "any_shape")]
    pub multiple_of: [u32; 3],
    /// Why other products are refused, as the end of a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// The boxes of the tensor maps that it takes in the place of buffers.
    #[serde(default)]
    pub tensor_maps: ProductBoxes,
    /// What `cornerturn record products` measures; the usual shapes if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Vec<ProductShape>>,
    /// What the kernel claims of its counters, where every tile is full.
    #[serde(default)]
    pub claims: BTreeMap<String, f64>,
    /// The memory instructions that ptxas makes otherwise than the PTX has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machine_code: Vec<MachineDifference>,
}

fn float() -> NumberType {
    NumberType::F32
}

fn one() -> u32 {
    1
}

fn is_one(n: &u32) -> bool {
    *n == 1
}

fn alone() -> [u32; 2] {
    [1, 1]
}

fn is_alone(blocks: &[u32; 2]) -> bool {
    *blocks == alone()
}

fn any_shape() -> [u32; 3] {
    [1, 1, 1]
}

impl ProductEntry {
    /// What the kernel does with matrices of a shape.
    ///
    /// # Errors
    /// [`Error::ProductShape`] where it does not take them, with the reason.
    pub fn problem(&self, shape: ProductShape) -> Result<ProductProblem> {
        let problem = self.types().shaped(shape);
        let names = ["m", "n", "k"];
        let sides = shape.array().into_iter().zip(self.multiple_of).zip(names);
        let needs: Vec<_> = sides.collect();
        if needs
            .iter()
            .any(|((side, of), _)| !side.is_multiple_of(*of as usize))
        {
            let needs: Vec<String> = needs
                .iter()
                .filter(|((_, of), _)| *of > 1)
                .map(|((_, of), name)| format!("{name} is a multiple of {of}"))
                .collect();
            return Err(problem.refused(format!(
                "`{}` takes only products whose {}, because {}",
                self.id,
                needs.join(" and whose "),
                self.because
            )));
        }
        problem.check()?;
        Ok(problem)
    }

    /// A product of its number types and layout, of no shape yet.
    fn types(&self) -> ProductProblem {
        let problem = ProductProblem::new(1, 1, 1)
            .layout(self.layout)
            .input(self.input);
        problem
            .accumulate(self.accumulate.unwrap_or(problem.accumulate))
            .output(self.output.unwrap_or(problem.output))
    }

    /// The grid for a shape on a device with so many multiprocessors, and the block.
    ///
    /// # Errors
    /// [`Error::ProductShape`] where the kernel does not take the product, or a dimension needs more blocks than a grid may
    /// have.
    pub fn launch_shape(&self, shape: ProductShape, multiprocessors: u32) -> Result<(Dim3, Dim3)> {
        let problem = self.problem(shape)?;
        let [down, across] = [(shape.m, self.tile[0]), (shape.n, self.tile[1])]
            .map(|(side, tile)| side.div_ceil(tile as usize) as u64);
        let [x, y] = self.cluster_blocks.map(u64::from);
        // Sides are at most 2²⁰, so that no product here overflows.
        let (across, down) = (across.next_multiple_of(x), down.next_multiple_of(y));
        let (tiles, cluster, parts) = (across * down, x * y, u64::from(self.split_k));
        let dims = match self.grid {
            Grid::Tiles => [across, down, parts],
            Grid::Linear => [tiles.next_multiple_of(cluster), 1, parts],
            Grid::Persistent => {
                let resident = u64::from(self.blocks_per_multiprocessor.unwrap_or(1))
                    * u64::from(multiprocessors);
                let resident = (resident / cluster * cluster).max(cluster);
                [tiles.next_multiple_of(cluster).min(resident), 1, parts]
            }
        };
        if dims.iter().zip(MOST_BLOCKS).any(|(&n, most)| n > most) {
            let [x, y, z] = MOST_BLOCKS;
            return Err(problem.refused(format!(
                "`{}` would need a grid over CUDA's limits ({x} × {y} × {z} blocks) for it",
                self.id
            )));
        }
        // Each is at most 2³¹ − 1.
        Ok((Dim3::from(dims.map(|n| n as u32)), Dim3::from(self.block)))
    }

    /// What is measured: the entry's own shapes, else the usual ones that it takes.
    pub fn measured(&self) -> Vec<ProductShape> {
        match &self.measured {
            Some(shapes) => shapes.clone(),
            None => USUAL
                .into_iter()
                .filter(|shape| self.problem(*shape).is_ok())
                .collect(),
        }
    }

    /// The shape on which claims are checked: 2 × 3 whole tiles, more where they are small, and some whole steps of k.
    pub fn claimed_shape(&self) -> ProductShape {
        let whole = |least: usize, side: usize, tile: u32, of: u32, blocks: u32| {
            let unit = lcm(tile as usize, of as usize) * blocks as usize;
            least.max(side * tile as usize).next_multiple_of(unit)
        };
        let [rows, columns] = self.tile;
        let [of_m, of_n, of_k] = self.multiple_of;
        let [x, y] = self.cluster_blocks;
        ProductShape {
            m: whole(64, 2, rows, of_m, y),
            n: whole(96, 3, columns, of_n, x),
            k: whole(64, 2 * self.split_k as usize, self.step, of_k, self.split_k),
        }
    }

    /// Small shapes on which the kernel is checked: first one that no tile divides, if it takes such.
    pub fn small_shapes(&self) -> Vec<ProductShape> {
        let ragged = |blocks: u32, tile: u32, of: u32| {
            let side = (blocks * tile + tile / 2 + 1) as usize;
            side.next_multiple_of(of as usize)
        };
        let [rows, columns] = self.tile;
        let [of_m, of_n, of_k] = self.multiple_of;
        let odd = ProductShape {
            m: ragged(1, rows, of_m),
            n: ragged(1, columns, of_n),
            k: ragged(2 * self.split_k, self.step.max(16), of_k),
        };
        vec![odd, self.claimed_shape()]
    }

    /// What is wrong with the entry by itself.
    pub(super) fn check(&self) -> std::result::Result<(), String> {
        let numbers = [
            &self.tile[..],
            &self.block,
            &self.multiple_of,
            &self.cluster_blocks,
            &[self.step, self.split_k],
        ];
        if numbers.concat().contains(&0) {
            return Err(
                "tile, step, block, multiple_of, cluster_blocks and split_k must not be 0"
                    .to_string(),
            );
        }
        // What no kernel has, so that no shape made of them overflows.
        if numbers.concat().iter().any(|n| *n > 4096) {
            return Err(
                "tile, step, block, multiple_of, cluster_blocks and split_k are at most 4096"
                    .to_string(),
            );
        }
        if self.block[0] * self.block[1] > 1024 {
            return Err("a block has at most 1024 threads".to_string());
        }
        if self.cluster_blocks[0] * self.cluster_blocks[1] > 16 {
            return Err("a cluster has at most 16 blocks".to_string());
        }
        if (self.multiple_of == any_shape()) != self.because.is_empty() {
            return Err("multiple_of and because go together".to_string());
        }
        match (self.grid, self.blocks_per_multiprocessor) {
            (Grid::Persistent, Some(1..=32)) | (Grid::Tiles | Grid::Linear, None) => {}
            (Grid::Persistent, _) => {
                return Err(
                    "a persistent grid needs blocks_per_multiprocessor, 1 to 32".to_string()
                );
            }
            _ => return Err("only a persistent grid has blocks_per_multiprocessor".to_string()),
        }
        if let Some(measured) = &self.measured {
            for shape in measured {
                self.problem(*shape)
                    .map_err(|error: Error| error.to_string())?;
            }
        }
        self.types().check_types()
    }
}

fn lcm(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x.max(1) * b
}
