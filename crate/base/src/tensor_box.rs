//! The boxes in which tensor maps move matrices, as the registry writes them. A map of a buffer is in `tensor_map`.

pub use cornerturn_emulator::{Fill, Swizzle};
use serde::{Deserialize, Serialize};

/// The part of a matrix that one bulk tensor copy moves, and how it lies in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BoxText", into = "BoxText")]
pub struct TensorBox {
    /// Columns of the matrix, which follow each other in memory.
    pub columns: u32,
    /// Rows of the matrix.
    pub rows: u32,
    /// Order of the box's 16-byte pieces in shared memory.
    pub swizzle: Swizzle,
    /// What a load gives outside the matrix.
    pub fill: Fill,
}

impl TensorBox {
    /// A box of `columns` × `rows` elements, in order, zeros outside the matrix.
    pub const fn new(columns: u32, rows: u32) -> Self {
        Self {
            columns,
            rows,
            swizzle: Swizzle::None,
            fill: Fill::Zero,
        }
    }

    /// The same box with its 16-byte pieces in another order.
    pub const fn swizzled(self, swizzle: Swizzle) -> Self {
        Self { swizzle, ..self }
    }

    /// The same box with something else outside the matrix.
    pub const fn filled(self, fill: Fill) -> Self {
        Self { fill, ..self }
    }
}

/// A box as the registry writes it: `{ box = [32, 32], swizzle_bytes = 128 }`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoxText {
    /// Columns and rows.
    r#box: [u32; 2],
    /// 32, 64 or 128; 0 for none.
    #[serde(default)]
    swizzle_bytes: u32,
}

impl TryFrom<BoxText> for TensorBox {
    type Error = String;

    fn try_from(text: BoxText) -> std::result::Result<Self, String> {
        let swizzle = match text.swizzle_bytes {
            0 => Swizzle::None,
            32 => Swizzle::Bytes32,
            64 => Swizzle::Bytes64,
            128 => Swizzle::Bytes128,
            other => {
                return Err(format!(
                    "swizzle_bytes is 32, 64, 128 or 0 for none, not {other}"
                ));
            }
        };
        let [columns, rows] = text.r#box;
        Ok(Self::new(columns, rows).swizzled(swizzle))
    }
}

impl From<TensorBox> for BoxText {
    fn from(tile: TensorBox) -> Self {
        Self {
            r#box: [tile.columns, tile.rows],
            swizzle_bytes: tile.swizzle.span_bytes().unwrap_or(0),
        }
    }
}

/// The boxes in which a kernel that takes tensor maps moves its two matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TensorBoxes {
    /// Of the input.
    pub input: TensorBox,
    /// Of the output.
    pub output: TensorBox,
}

/// The boxes in which a kernel for matrix products moves those of its three matrices that it takes as tensor maps, each over
/// the matrix as it lies in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProductBoxes {
    /// Of A; `None` where the kernel takes a pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<TensorBox>,
    /// Of B.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<TensorBox>,
    /// Of C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<TensorBox>,
}
