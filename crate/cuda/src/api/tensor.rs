//! Tensor maps from the numbers of the driver's header.

use cornerturn_emulator::{
    Fill, Swizzle, TENSOR_MAP_BYTES, TensorElement, TensorLayout, TensorMap,
};

use crate::status::{Error, Result, Status};

/// `CUtensorMapDataType`, in its order.
const ELEMENTS: [TensorElement; 13] = [
    TensorElement::U8,
    TensorElement::U16,
    TensorElement::U32,
    TensorElement::S32,
    TensorElement::U64,
    TensorElement::S64,
    TensorElement::F16,
    TensorElement::F32,
    TensorElement::F64,
    TensorElement::Bf16,
    TensorElement::F32Ftz,
    TensorElement::Tf32,
    TensorElement::Tf32Ftz,
];

/// `CUtensorMapSwizzle`, in its order.
const SWIZZLES: [Swizzle; 4] = [
    Swizzle::None,
    Swizzle::Bytes32,
    Swizzle::Bytes64,
    Swizzle::Bytes128,
];

/// The bytes of a map, in the emulator's own form.
pub(super) fn encode(
    (element, swizzle, fill): (u32, u32, u32),
    address: u64,
    (lengths, strides): (Vec<u64>, Vec<u64>),
    (tile, element_strides): (Vec<u32>, Vec<u32>),
) -> Result<[u8; TENSOR_MAP_BYTES]> {
    let lacks = |what: &str, number: u32| {
        let message = format!("the {what} {number} of a tensor map is not supported");
        Error::new(Status::NOT_SUPPORTED, message)
    };
    let known = ELEMENTS.get(element as usize).copied();
    let map = TensorMap::new(&TensorLayout {
        element: known.ok_or_else(|| lacks("type", element))?,
        address,
        lengths: &lengths,
        strides: &strides,
        tile: &tile,
        element_strides: &element_strides,
        swizzle: (SWIZZLES.get(swizzle as usize).copied())
            .ok_or_else(|| lacks("swizzle", swizzle))?,
        fill: match fill {
            0 => Fill::Zero,
            1 => Fill::Nan,
            other => return Err(lacks("fill", other)),
        },
    });
    let map = map.map_err(|error| Error::new(Status::INVALID_VALUE, error.to_string()))?;
    Ok(map.encode())
}
