//! How many bytes the arrays of a work take on the host, told before they are made. What is in them is the other files'.

use super::caches::{PIECE_BYTES, own_pieces, read_pieces, ring_pieces, stream_pieces, tiles};
use super::constant_texture::picture;
use super::roofline::{CHANNEL, HEAD};
use cornerturn_registry::registry::WorkKind;

/// While a work is made, its elements lie there as numbers and as bytes, and those of a window are summed from a third
/// array: in half as many times its arrays.
const HALVES_WHILE_MADE: usize = 5;

/// The most items that it takes. The coordinates of a picture that is turned are multiplied by 65536 in 32 bits, which
/// ends above 32768 columns.
pub(super) fn most_items(kind: WorkKind) -> u32 {
    match kind {
        WorkKind::RotateArray | WorkKind::RotateTexture => 1 << 30,
        // What lies beyond the last item of a tile must have a number too.
        WorkKind::TensorF16 | WorkKind::TensorBf16 | WorkKind::TensorTf32 | WorkKind::TensorS8 => {
            1 << 30
        }
        WorkKind::Attention | WorkKind::Gemm => 1 << 30,
        _ => u32::MAX,
    }
}

/// Items that tiles of 32 rows are made of, where a work has such: a kernel does as much for a tile that is not full.
pub(super) fn tile_items(kind: WorkKind, parameter: u32) -> usize {
    match kind {
        WorkKind::Gemm => 32 * parameter.max(1) as usize,
        _ => 1,
    }
}

/// The bytes that the host has in use at most while it makes the work; `usize::MAX` where they cannot be told in one.
pub(super) fn making_bytes(kind: WorkKind, items: usize, parameter: u32) -> usize {
    let bytes = held_bytes(kind, items as u128, u128::from(parameter));
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    (bytes / 2).saturating_mul(HALVES_WHILE_MADE)
}

/// The bytes of what its arrays hold before and of what they must hold afterwards.
fn held_bytes(kind: WorkKind, items: u128, parameter: u128) -> u128 {
    let bytes_of = |items: u128, of: fn(usize, usize) -> usize| {
        (of(items as usize, parameter as usize) * PIECE_BYTES) as u128
    };
    match kind {
        WorkKind::Gather => 4 * items * (parameter + 1),
        WorkKind::Shift => 4 * (2 * items + 31),
        WorkKind::DriftAos => 48 * items,
        WorkKind::DriftSoa => 36 * items,
        WorkKind::Permute | WorkKind::Branch | WorkKind::LightBranch | WorkKind::Steps => 8 * items,
        WorkKind::CopyFrom | WorkKind::CopyTo | WorkKind::Increase => 8 * items,
        WorkKind::Own8 | WorkKind::Own32 | WorkKind::Held | WorkKind::MultiplyAdd => 8 * items,
        WorkKind::Sample => 8 + 8 * items,
        WorkKind::Count | WorkKind::Reread => 4 * items + 8,
        WorkKind::Histogram | WorkKind::HistogramSorted | WorkKind::HistogramInTurn => {
            4 * items + 8 * parameter
        }
        WorkKind::Sum => 4 * (items + items.div_ceil(1024)) + 16,
        WorkKind::Walk | WorkKind::WalkIn => 4100,
        WorkKind::SumsOfRows | WorkKind::ColumnSums => 4224 * items,
        WorkKind::Reads4 => 4 * items + 6144,
        WorkKind::Reads8 => 4 * items + 2 * 6144,
        WorkKind::Reads16 => 4 * items + 4 * 6144,
        WorkKind::Window => 4 * (2 * items + parameter - 1),
        WorkKind::Turn => 8192 * items,
        WorkKind::SharedSum => 4 * items + 4096,
        WorkKind::Chain => 8,
        WorkKind::WalkFar => 4096 * items + 4,
        // The ring lies on the device alone.
        WorkKind::Chase | WorkKind::ChasePages => 20,
        WorkKind::ChaseLines => 8 + 4 * parameter,
        WorkKind::Ring => bytes_of(items, ring_pieces) + 4 * items,
        WorkKind::RingOwn => {
            bytes_of(1, |_, kib| own_pieces(kib)) * items.div_ceil(1024) + 4 * items
        }
        WorkKind::ReadOnce => bytes_of(items, read_pieces) + 4 * items,
        WorkKind::Lookup => bytes_of(items, stream_pieces) + (64 * 16 + 4) * items,
        WorkKind::TurnTiles => {
            let (down, across) = tiles(items as usize, parameter as usize);
            8 * 1024 * (down * across) as u128
        }
        WorkKind::RowSums => 132 * items,
        WorkKind::BlockSums => 4 * (items + items.div_ceil(256)),
        WorkKind::BlockScans => 8 * items,
        WorkKind::Softmax => 8 * items * parameter,
        WorkKind::Polish => 8 * items,
        WorkKind::Compact => 4 * (3 * items + items.div_ceil(256)),
        WorkKind::Untouched => 4 * items,
        WorkKind::Scale | WorkKind::Offset | WorkKind::Clamp | WorkKind::ScaleOffsetClamp => {
            8 * items
        }
        WorkKind::Consume => 8 * items + 4096,
        WorkKind::Fmas | WorkKind::FmasHalf | WorkKind::Relu => 8 * items,
        WorkKind::FmasF64 => 16 * items,
        WorkKind::TensorF16 | WorkKind::TensorBf16 | WorkKind::TensorTf32 | WorkKind::TensorS8 => {
            2048 + 4 * items
        }
        WorkKind::VectorAdd => 12 * items,
        WorkKind::BatchNorm => 8 * (items + items.div_ceil(CHANNEL as u128)),
        WorkKind::Attention => {
            let head = HEAD as u128;
            4 * (items.next_multiple_of(head) + items + 2 * parameter * head)
        }
        WorkKind::Gemm => 4 * (items.next_multiple_of(parameter) + parameter * parameter + items),
        WorkKind::LookUpParameter => 5 * items,
        WorkKind::LookUpArray => 5 * items + 1024,
        WorkKind::RotateArray
        | WorkKind::RotateTexture
        | WorkKind::BlurArray
        | WorkKind::BlurTexture => {
            let shape = picture(items as usize);
            8 * shape.rows as u128 * shape.columns as u128
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::works::KindOfWork;

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
                let told = held_bytes(*kind, items as u128, u128::from(parameter));
                assert_eq!(
                    told,
                    work.held_bytes() as u128,
                    "{kind:?} {items} {parameter}"
                );
            }
        }
    }
}
