//! Where a tensor copy's tile lies in global and in shared memory: rows, edges, swizzle. PTX ISA section "Tensors".

use crate::tensor_map::{Fill, MOST_RANK, Swizzle, TensorElement, TensorMap};

/// A row of a tile: elements that follow each other in both memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    /// Offset in the tile of its first byte, before the swizzle.
    pub(crate) offset: u32,
    /// Address of its first element inside the tensor.
    pub(crate) address: u64,
    /// Elements before that, which lie outside the tensor.
    pub(crate) skipped: u32,
    /// Elements inside.
    pub(crate) inside: u32,
}

/// Calls `each` for every row of the tile at these coordinates.
pub(crate) fn for_rows(map: &TensorMap, at: &[i32; MOST_RANK], mut each: impl FnMut(Row)) {
    let (first, width) = (i64::from(at[0]), i64::from(map.tile[0]));
    let from = first.max(0);
    let to = (first + width).min(map.lengths[0] as i64);
    let pitch = map.pitch_bytes();
    let steps: [u32; MOST_RANK] = std::array::from_fn(|dimension| map.steps(dimension));
    let mut index = [0u32; MOST_RANK];
    let mut offset = 0;
    loop {
        let mut row = Row {
            offset,
            address: 0,
            skipped: 0,
            inside: 0,
        };
        if let Some(address) = row_address(map, at, &index)
            && from < to
        {
            row.address = address.wrapping_add(from as u64 * map.strides[0]);
            row.skipped = (from - first) as u32;
            row.inside = (to - from) as u32;
        }
        each(row);
        offset += pitch;
        // The next row: an odometer over the outer dimensions.
        let mut dimension = 1;
        loop {
            if dimension >= MOST_RANK {
                return;
            }
            index[dimension] += 1;
            if index[dimension] < steps[dimension] {
                break;
            }
            index[dimension] = 0;
            dimension += 1;
        }
    }
}

/// The address of element 0 of a row, if the row lies inside the tensor.
fn row_address(map: &TensorMap, at: &[i32; MOST_RANK], index: &[u32; MOST_RANK]) -> Option<u64> {
    let mut address = map.address;
    for dimension in 1..map.rank {
        let step = i64::from(index[dimension]) * i64::from(map.element_strides[dimension]);
        let coordinate = u64::try_from(i64::from(at[dimension]) + step).ok()?;
        if coordinate >= map.lengths[dimension] {
            return None;
        }
        address = address.wrapping_add(coordinate.wrapping_mul(map.strides[dimension]));
    }
    Some(address)
}

/// Moves 16-byte pieces between a row and the places that the swizzle gives them, from a shared memory address on.
pub(crate) fn for_pieces(
    swizzle: Swizzle,
    address: u32,
    bytes: u32,
    mut each: impl FnMut(u32, usize),
) {
    for at in (0..bytes).step_by(16) {
        each(swizzle.place(address + at), at as usize);
    }
}

/// Whether the swizzle leaves the pieces of so many bytes where they are together, though it exchanges their places.
pub(crate) fn stays(swizzle: Swizzle, address: u32, bytes: u32) -> bool {
    swizzle
        .span_bytes()
        .is_none_or(|span| address.is_multiple_of(span) && bytes.is_multiple_of(span))
}

/// What a load makes of elements on their way, as measured on an H200: only `TFLOAT32` changes them, and the
/// types with `FTZ` in their names keep subnormals. How it rounds a tie was not measured; this rounds to even.
pub(crate) fn convert(element: TensorElement, row: &mut [u8]) {
    if !matches!(element, TensorElement::Tf32 | TensorElement::Tf32Ftz) {
        return;
    }
    for word in row.chunks_exact_mut(4) {
        let bits = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let rounded = if f32::from_bits(bits).is_nan() {
            0x7fff_e000
        } else {
            bits.wrapping_add(0xfff + (bits >> 13 & 1)) & !0x1fff
        };
        word.copy_from_slice(&rounded.to_le_bytes());
    }
}

/// The bytes that stand for an element outside the tensor. NaN is this pattern for every type, as measured.
pub(crate) fn outside(map: &TensorMap) -> [u8; 8] {
    match map.fill {
        Fill::Zero => [0; 8],
        Fill::Nan => 0x7ff7_7ff7_7ff7_7ff7_u64.to_le_bytes(),
    }
}
