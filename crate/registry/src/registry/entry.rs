//! What the registry says of one kernel: where it lies, what it does, which matrices it takes and how it is launched. Reading the file is the registry's.

use crate::problem::{Arguments, Problem};
use cornerturn_base::element::ElementType;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::operation::Operation;
use cornerturn_base::shape::{Dim3, Shape};
use cornerturn_base::tensor_box::TensorBoxes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The most blocks of a grid in x, y and z (CUDA C++ Programming Guide, Technical Specifications per Compute Capability).
const MOST_BLOCKS: [u64; 3] = [2_147_483_647, 65_535, 65_535];

/// One kernel of the registry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelEntry {
    /// The name by which cells, records and commands know it.
    pub id: String,
    /// The CUDA C++, relative to the registry's folder; its PTX lies beside it. Kernels may share a file.
    pub file: PathBuf,
    /// The entry's name in the PTX.
    pub entry: String,
    /// The chapter that introduces it.
    pub chapter: String,
    /// What it does to a matrix.
    pub operation: Operation,
    /// The matrix's element type.
    pub element: ElementType,
    /// What its parameters are.
    #[serde(default)]
    pub arguments: Arguments,
    /// Columns and rows of the input that one block covers.
    pub tile: [u32; 2],
    /// Threads of a block, in x and y.
    pub block: [u32; 2],
    /// How blocks are counted.
    #[serde(default)]
    pub grid: Grid,
    /// Of a persistent grid: blocks for each multiprocessor of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks_per_multiprocessor: Option<u32>,
    /// What the input's columns and rows must be multiples of; other matrices are refused.
    #[serde(default = "any_shape")]
    pub multiple_of: [u32; 2],
    /// Why other matrices are refused, as the end of a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// The architecture that its PTX is for, such as `compute_75`.
    pub arch: String,
    /// Dynamic shared memory that a launch needs.
    #[serde(default)]
    pub dynamic_shared_bytes: u32,
    /// The boxes of the tensor maps that it takes in the place of the buffers; none for a kernel that takes buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor_maps: Option<TensorBoxes>,
    /// What the kernel claims of its counters, checked where every tile is full.
    #[serde(default)]
    pub claims: BTreeMap<String, f64>,
    /// Where its machine code for sm_90 has other memory instructions than its PTX.
    #[serde(default)]
    pub machine_code: Vec<MachineDifference>,
}

fn any_shape() -> [u32; 2] {
    [1, 1]
}

/// How the blocks of a kernel's grid are counted. A tile is [`KernelEntry::tile`], a matrix has
/// `ceil(columns / tile[0]) × ceil(rows / tile[1])` of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grid {
    /// A block a tile: columns of tiles in x, rows of tiles in y, the matrices of a batch in z. At most 65535 rows.
    #[default]
    Tiles,
    /// A block a tile, all in x, those of every matrix of a batch too: no limit that a matrix in memory reaches. Which
    /// tile a block takes is the kernel's affair.
    Linear,
    /// As many blocks as the device runs at a time, but no more than there are tiles, all in x. A block goes on to
    /// further tiles.
    Persistent,
}

impl Grid {
    /// The name, as in the registry.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tiles => "tiles",
            Self::Linear => "linear",
            Self::Persistent => "persistent",
        }
    }
}

/// A known difference between the memory instructions of PTX and machine code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineDifference {
    /// Space, direction and bytes of a thread, such as `shared load 8`.
    pub access: String,
    /// How many instructions of this kind the PTX has.
    pub ptx: u32,
    /// How many the machine code has.
    pub machine_code: u32,
    /// Why.
    pub because: String,
}

impl MachineDifference {
    /// Whether it is of the accesses that a column such as `shared_load_wavefronts` counts: then the PTX's count is not
    /// the hardware's.
    pub fn is_of(&self, column: &str) -> bool {
        let mut words = self.access.split(' ');
        let start = [words.next(), words.next()]
            .map(Option::unwrap_or_default)
            .join("_");
        column.starts_with(&start)
    }
}

impl KernelEntry {
    /// The grid that covers one matrix of `shape`; a persistent one as on the emulator.
    ///
    /// # Errors
    /// As [`KernelEntry::grid_on`].
    pub fn grid(&self, shape: Shape) -> Result<Dim3> {
        self.grid_on(shape, 1, cornerturn_emulator::MULTIPROCESSORS)
    }

    /// The grid that covers `batches` matrices of `shape` on a device with so many multiprocessors.
    ///
    /// # Errors
    /// [`Error::Shape`] where the kernel does not take such a matrix, or where a dimension needs more blocks than a grid
    /// may have.
    pub fn grid_on(&self, shape: Shape, batches: usize, multiprocessors: u32) -> Result<Dim3> {
        self.check_matrices(shape, batches)?;
        let across = shape.columns.div_ceil(self.tile[0] as usize) as u64;
        let down = shape.rows.div_ceil(self.tile[1] as usize) as u64;
        let tiles = across.saturating_mul(down).saturating_mul(batches as u64);
        let dims = match self.grid {
            Grid::Tiles => [across, down, batches as u64],
            Grid::Linear => [tiles, 1, 1],
            Grid::Persistent => {
                let resident = u64::from(self.blocks_per_multiprocessor.unwrap_or(1))
                    * u64::from(multiprocessors);
                [tiles.min(resident), 1, 1]
            }
        };
        if dims.iter().zip(MOST_BLOCKS).any(|(&n, most)| n > most) {
            let [x, y, z] = MOST_BLOCKS;
            return Err(self.refuse(
                shape,
                format!(
                    "`{}` would need a grid over CUDA's limits ({x} × {y} × {z} blocks) for it",
                    self.id
                ),
            ));
        }
        // Each is at most 2³¹ − 1.
        Ok(Dim3::from(dims.map(|n| n as u32)))
    }

    /// The block's dimensions.
    pub fn block(&self) -> Dim3 {
        self.block.into()
    }

    /// What the kernel does with `batches` matrices of `shape`.
    ///
    /// # Errors
    /// [`Error::Shape`] where it does not take them, with the reason.
    pub fn problem(&self, shape: Shape, batches: usize) -> Result<Problem> {
        self.check_matrices(shape, batches)?;
        Ok(Problem {
            operation: self.operation,
            element: self.element,
            arguments: self.arguments,
            shape,
            batches,
        })
    }

    fn check_matrices(&self, shape: Shape, batches: usize) -> Result<()> {
        let id = &self.id;
        let sides = [
            (shape.columns, self.multiple_of[0], "columns"),
            (shape.rows, self.multiple_of[1], "rows"),
        ];
        let divides = |(side, of, _): &(usize, u32, &str)| side.is_multiple_of(*of as usize);
        if !sides.iter().all(divides) {
            let needs: Vec<String> = sides
                .iter()
                .filter(|(_, of, _)| *of > 1)
                .map(|(_, of, name)| format!("{name} are a multiple of {of}"))
                .collect();
            let (needs, because) = (needs.join(" and whose "), &self.because);
            let reason = format!("`{id}` takes only matrices whose {needs}, because {because}");
            return Err(self.refuse(shape, reason));
        }
        if self.arguments == Arguments::InPlace && shape.rows != shape.columns {
            let reason = format!("`{id}` works in place, which only a square matrix allows");
            return Err(self.refuse(shape, reason));
        }
        if self.arguments != Arguments::Batch && batches != 1 {
            let reason = format!("`{id}` takes one matrix, and there are {batches}");
            return Err(self.refuse(shape, reason));
        }
        Ok(())
    }

    fn refuse(&self, shape: Shape, reason: String) -> Error {
        Error::Shape {
            rows: shape.rows,
            columns: shape.columns,
            reason,
        }
    }

    /// What is wrong with the entry by itself.
    pub(super) fn check(&self) -> std::result::Result<(), String> {
        if self.tile.contains(&0) || self.block.contains(&0) || self.multiple_of.contains(&0) {
            return Err("tile, block and multiple_of must not be 0".to_string());
        }
        if self.block[0].saturating_mul(self.block[1]) > 1024 {
            return Err("a block has at most 1024 threads".to_string());
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
        if self.tensor_maps.is_some() && self.arguments != Arguments::Matrix {
            return Err("tensor maps take the place of one matrix in and one out".to_string());
        }
        if self.arguments == Arguments::InPlace && self.operation != Operation::Transpose {
            return Err("only a transpose works in place".to_string());
        }
        Ok(())
    }
}
