//! How many bytes the arrays of a work take on the host, told before they are made. What is in them is the other files'.

use super::caches::{PIECE_BYTES, own_pieces, read_pieces, ring_pieces, stream_pieces, tiles};
use super::constant_texture::picture;
use super::roofline::{CHANNEL, HEAD};
use crate::registry::WorkKind;

/// While a work is made, its elements lie there as numbers and as bytes, and those of a window are summed from a third
/// array: in half as many times its arrays.
const HALVES_WHILE_MADE: usize = 5;

impl WorkKind {
    /// The most items that it takes. The coordinates of a picture that is turned are multiplied by 65536 in 32 bits, which
    /// ends above 32768 columns.
    pub(super) fn most_items(self) -> u32 {
        match self {
            Self::RotateArray | Self::RotateTexture => 1 << 30,
            // What lies beyond the last item of a tile must have a number too.
            Self::TensorF16 | Self::TensorBf16 | Self::TensorTf32 | Self::TensorS8 => 1 << 30,
            Self::Attention | Self::Gemm => 1 << 30,
            _ => u32::MAX,
        }
    }

    /// Items that tiles of 32 rows are made of, where a work has such: a kernel does as much for a tile that is not full.
    pub(crate) fn tile_items(self, parameter: u32) -> usize {
        match self {
            Self::Gemm => 32 * parameter.max(1) as usize,
            _ => 1,
        }
    }

    /// The bytes that the host has in use at most while it makes the work; `usize::MAX` where they cannot be told in one.
    pub fn making_bytes(self, items: usize, parameter: u32) -> usize {
        let bytes = self.held_bytes(items as u128, u128::from(parameter));
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        (bytes / 2).saturating_mul(HALVES_WHILE_MADE)
    }

    /// The bytes of what its arrays hold before and of what they must hold afterwards.
    fn held_bytes(self, items: u128, parameter: u128) -> u128 {
        let bytes_of = |items: u128, of: fn(usize, usize) -> usize| {
            (of(items as usize, parameter as usize) * PIECE_BYTES) as u128
        };
        match self {
            Self::Gather => 4 * items * (parameter + 1),
            Self::Shift => 4 * (2 * items + 31),
            Self::DriftAos => 48 * items,
            Self::DriftSoa => 36 * items,
            Self::Permute | Self::Branch | Self::LightBranch | Self::Steps => 8 * items,
            Self::CopyFrom | Self::CopyTo | Self::Increase => 8 * items,
            Self::Own8 | Self::Own32 | Self::Held | Self::MultiplyAdd => 8 * items,
            Self::Sample => 8 + 8 * items,
            Self::Count | Self::Reread => 4 * items + 8,
            Self::Histogram | Self::HistogramSorted | Self::HistogramInTurn => {
                4 * items + 8 * parameter
            }
            Self::Sum => 4 * (items + items.div_ceil(1024)) + 16,
            Self::Walk | Self::WalkIn => 4100,
            Self::SumsOfRows | Self::ColumnSums => 4224 * items,
            Self::Reads4 => 4 * items + 6144,
            Self::Reads8 => 4 * items + 2 * 6144,
            Self::Reads16 => 4 * items + 4 * 6144,
            Self::Window => 4 * (2 * items + parameter - 1),
            Self::Turn => 8192 * items,
            Self::SharedSum => 4 * items + 4096,
            Self::Chain => 8,
            Self::WalkFar => 4096 * items + 4,
            // The ring lies on the device alone.
            Self::Chase | Self::ChasePages => 20,
            Self::ChaseLines => 8 + 4 * parameter,
            Self::Ring => bytes_of(items, ring_pieces) + 4 * items,
            Self::RingOwn => {
                bytes_of(1, |_, kib| own_pieces(kib)) * items.div_ceil(1024) + 4 * items
            }
            Self::ReadOnce => bytes_of(items, read_pieces) + 4 * items,
            Self::Lookup => bytes_of(items, stream_pieces) + (64 * 16 + 4) * items,
            Self::TurnTiles => {
                let (down, across) = tiles(items as usize, parameter as usize);
                8 * 1024 * (down * across) as u128
            }
            Self::RowSums => 132 * items,
            Self::BlockSums => 4 * (items + items.div_ceil(256)),
            Self::BlockScans => 8 * items,
            Self::Softmax => 8 * items * parameter,
            Self::Polish => 8 * items,
            Self::Compact => 4 * (3 * items + items.div_ceil(256)),
            Self::Untouched => 4 * items,
            Self::Scale | Self::Offset | Self::Clamp | Self::ScaleOffsetClamp => 8 * items,
            Self::Consume => 8 * items + 4096,
            Self::Fmas | Self::FmasHalf | Self::Relu => 8 * items,
            Self::FmasF64 => 16 * items,
            Self::TensorF16 | Self::TensorBf16 | Self::TensorTf32 | Self::TensorS8 => {
                2048 + 4 * items
            }
            Self::VectorAdd => 12 * items,
            Self::BatchNorm => 8 * (items + items.div_ceil(CHANNEL as u128)),
            Self::Attention => {
                let head = HEAD as u128;
                4 * (items.next_multiple_of(head) + items + 2 * parameter * head)
            }
            Self::Gemm => 4 * (items.next_multiple_of(parameter) + parameter * parameter + items),
            Self::LookUpParameter => 5 * items,
            Self::LookUpArray => 5 * items + 1024,
            Self::RotateArray | Self::RotateTexture | Self::BlurArray | Self::BlurTexture => {
                let shape = picture(items as usize);
                8 * shape.rows as u128 * shape.columns as u128
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_work_takes_is_told_before_it_is_made() {
        for kind in WorkKind::ALL {
            let (first, last) = (*kind.parameters().start(), *kind.parameters().end());
            for (items, parameter) in [
                (1, first),
                (33, last.min(700)),
                (5003, first.max(2).min(last)),
            ] {
                let work = kind.work(items, parameter).unwrap();
                let told = kind.held_bytes(items as u128, u128::from(parameter));
                assert_eq!(
                    told,
                    work.held_bytes() as u128,
                    "{kind:?} {items} {parameter}"
                );
            }
        }
    }
}
