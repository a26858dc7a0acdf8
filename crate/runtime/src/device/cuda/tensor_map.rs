//! Tensor maps encoded by the driver. What a map describes, and whether that is allowed, is checked before, in `tensor_map`.

use super::driver::check;
use super::{CudaDevice, attribute_of};
use cornerturn_base::error::{Error, Result};
use cornerturn_emulator::{Fill, Swizzle, TENSOR_MAP_BYTES, TensorElement, TensorLayout};
use cudarc::driver::sys::{CUdevice_attribute_enum as Attribute, CUtensorMap};
use std::ffi::{c_int, c_uint};

/// The first compute capability whose GPUs have tensor maps: Hopper's.
const FIRST_MAJOR: c_int = 9;

impl CudaDevice {
    /// Whether the GPU has tensor maps, and why not.
    pub(crate) fn check_tensor_maps(&self) -> Result<()> {
        let attribute = |attribute| {
            attribute_of(&self.driver, self.device, attribute)
                .map_err(|failure| failure.into_error(&self.driver))
        };
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        if major >= FIRST_MAJOR {
            return Ok(());
        }
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Err(Error::NoTensorMaps {
            device: self
                .name()
                .map_err(|failure| failure.into_error(&self.driver))?,
            compute_capability: format!("{major}.{minor}"),
        })
    }

    /// The 128 bytes that a kernel on this GPU gets for a checked layout.
    pub(crate) fn encode_tensor_map(
        &self,
        layout: &TensorLayout,
    ) -> Result<[u8; TENSOR_MAP_BYTES]> {
        self.check_tensor_maps()?;
        let mut state = self.enter()?;
        let mut map = CUtensorMap { opaque: [0; 16] };
        // SAFETY: the map is writable and aligned as its type says. The lists have as many elements as the rank says,
        // the strides one fewer: `cornerturn_emulator::TensorMap::new` checked that for this layout. The address is
        // only written down; the last four are values of their enums (CUDA driver API, cuTensorMapEncodeTiled).
        let code = unsafe {
            (self.driver.cuTensorMapEncodeTiled)(
                (&raw mut map).cast(),
                data_type(layout.element),
                layout.lengths.len() as c_uint,
                std::ptr::with_exposed_provenance_mut(layout.address as usize),
                layout.lengths.as_ptr(),
                layout.strides.as_ptr(),
                layout.tile.as_ptr(),
                layout.element_strides.as_ptr(),
                NO_INTERLEAVE,
                swizzle(layout.swizzle),
                NO_PROMOTION,
                c_uint::from(layout.fill == Fill::Nan),
            )
        };
        self.settle(&mut state, check("cuTensorMapEncodeTiled", code))?;
        let mut bytes = [0; TENSOR_MAP_BYTES];
        for (piece, word) in bytes.chunks_exact_mut(8).zip(map.opaque) {
            piece.copy_from_slice(&word.to_le_bytes());
        }
        Ok(bytes)
    }
}

/// `CU_TENSOR_MAP_INTERLEAVE_NONE`.
const NO_INTERLEAVE: c_uint = 0;
/// `CU_TENSOR_MAP_L2_PROMOTION_NONE`.
const NO_PROMOTION: c_uint = 0;

/// `CUtensorMapDataType`.
fn data_type(element: TensorElement) -> c_uint {
    match element {
        TensorElement::U8 => 0,
        TensorElement::U16 => 1,
        TensorElement::U32 => 2,
        TensorElement::S32 => 3,
        TensorElement::U64 => 4,
        TensorElement::S64 => 5,
        TensorElement::F16 => 6,
        TensorElement::F32 => 7,
        TensorElement::F64 => 8,
        TensorElement::Bf16 => 9,
        TensorElement::F32Ftz => 10,
        TensorElement::Tf32 => 11,
        TensorElement::Tf32Ftz => 12,
    }
}

/// `CUtensorMapSwizzle`.
fn swizzle(swizzle: Swizzle) -> c_uint {
    match swizzle {
        Swizzle::None => 0,
        Swizzle::Bytes32 => 1,
        Swizzle::Bytes64 => 2,
        Swizzle::Bytes128 => 3,
    }
}
