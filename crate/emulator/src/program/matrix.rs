//! What matrix instructions are about: types of fragments, shapes of products, tiles in memory.

use crate::program::access::AccessShape;
use crate::report::Space;

/// Type of the elements of a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Factor {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
    F64,
    S8,
    U8,
    B1,
}

impl Factor {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "f16" => Factor::F16,
            "bf16" => Factor::Bf16,
            "tf32" => Factor::Tf32,
            "e4m3" => Factor::E4m3,
            "e5m2" => Factor::E5m2,
            "f64" => Factor::F64,
            "b1" => Factor::B1,
            "s8" => Factor::S8,
            "u8" => Factor::U8,
            _ => return None,
        })
    }

    pub(crate) fn bits(self) -> usize {
        match self {
            Factor::F16 | Factor::Bf16 => 16,
            Factor::Tf32 => 32,
            Factor::F64 => 64,
            Factor::S8 | Factor::U8 | Factor::E4m3 | Factor::E5m2 => 8,
            Factor::B1 => 1,
        }
    }

    /// Elements of a register.
    pub(crate) fn per_register(self) -> usize {
        (32 / self.bits()).max(1)
    }

    /// Elements along `k` that one register of all lanes holds: four lanes lie in that direction.
    pub(crate) fn depth(self) -> usize {
        4 * self.per_register()
    }
}

/// Type of the elements of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sum {
    F16,
    F32,
    F64,
    S32,
}

impl Sum {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "f16" => Sum::F16,
            "f32" => Sum::F32,
            "f64" => Sum::F64,
            "s32" => Sum::S32,
            _ => return None,
        })
    }

    /// Registers for 8×8 elements.
    pub(crate) fn registers(self) -> usize {
        if self == Sum::F16 { 1 } else { 2 }
    }

    pub(crate) fn bits(self) -> usize {
        match self {
            Sum::F16 => 16,
            Sum::F32 | Sum::S32 => 32,
            Sum::F64 => 64,
        }
    }
}

/// What a multiplication of the hardware works on: the first rows of its fragments in the stage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) c: usize,
    pub(crate) d: usize,
}

/// The same within the instruction's operands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Part {
    /// First registers of the factors.
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// First 8×8 elements of the sums.
    pub(crate) sum: usize,
    /// Adds to what an earlier part has summed.
    pub(crate) goes_on: bool,
}

/// `d = a × b + c` with 8 columns, once or several times.
#[derive(Debug, Clone)]
pub(crate) struct Multiply {
    pub(crate) a: Factor,
    pub(crate) b: Factor,
    pub(crate) c: Sum,
    pub(crate) d: Sum,
    pub(crate) rows: usize,
    pub(crate) depth: usize,
    /// Integer sums stop at the ends of their range.
    pub(crate) saturate: bool,
    pub(crate) steps: Vec<Step>,
}

/// A `wgmma.mma_async`: 64 rows, of which each warp of four has 16.
#[derive(Debug, Clone)]
pub(crate) struct GroupMultiply {
    pub(crate) a: Factor,
    pub(crate) b: Factor,
    pub(crate) sum: Sum,
    pub(crate) columns: usize,
    pub(crate) depth: usize,
    /// Integer sums stop at the ends of their range.
    pub(crate) saturate: bool,
    /// The factors' signs are turned.
    pub(crate) negates: [bool; 2],
    /// In shared memory, `k` does not run along the units of 16 bytes.
    pub(crate) transposes: [bool; 2],
    pub(crate) a_in_registers: bool,
    /// What it reads of shared memory.
    pub(crate) site: u32,
}

impl GroupMultiply {
    /// Registers of the sum.
    pub(crate) fn registers(&self) -> usize {
        self.columns / 8 * 2 * self.sum.registers()
    }
}

/// What the operations of matrix instructions refer to by number.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) multiplies: Vec<Multiply>,
    pub(crate) group_multiplies: Vec<GroupMultiply>,
    pub(crate) tiles: Vec<Tiles>,
    pub(crate) fragments: Vec<FragmentAccess>,
}

/// Eight lines across, of which lane `l` holds elements of line `l / 4`, and the first of the elements along them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) across: usize,
    pub(crate) along: usize,
}

/// A `wmma.load` or `wmma.store`.
#[derive(Debug, Clone)]
pub(crate) struct FragmentAccess {
    pub(crate) site: u32,
    pub(crate) space: Option<Space>,
    pub(crate) element_bytes: usize,
    /// Elements of one lane in a tile.
    pub(crate) per_lane: usize,
    /// The elements of a lane lie beside each other in memory.
    pub(crate) is_along: bool,
    /// As `ldmatrix` does, so many tiles at a time; 0 if not.
    pub(crate) by_rows: usize,
    pub(crate) tiles: Vec<Tile>,
    pub(crate) registers: usize,
}

/// An `ldmatrix` or `stmatrix`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tiles {
    pub(crate) shape: AccessShape,
    /// Matrices, 1, 2 or 4.
    pub(crate) count: usize,
    pub(crate) transposed: bool,
}
