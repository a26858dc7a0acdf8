//! Tensor maps: how a matrix lies in a buffer and which box of it one bulk tensor copy moves, for either backend. How a map becomes bytes is the driver's affair or the emulator's.

use crate::buffer::{Buffer, RawBuffer};
use cornerturn_base::element::{Element, ElementType};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::shape::Shape;
use cornerturn_base::tensor_box::TensorBox;
use cornerturn_emulator::{TENSOR_MAP_BYTES, TensorElement, TensorLayout};

/// A matrix in a buffer, as the copy engine of a GPU from Hopper on (or the emulator) moves boxes of it: an argument
/// for a parameter of 128 bytes, aligned to 64, that the kernel declares `const __grid_constant__`.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let matrix = device.poisoned::<f32>("matrix", 64 * 96)?;
/// let map = TensorMap::new(&matrix, Shape::new(64, 96), TensorBox::new(32, 16))?;
/// assert_eq!(map.shape().columns, 96);
/// // A row of 97 floats is no multiple of 16 bytes.
/// let odd = device.poisoned::<f32>("odd", 64 * 97)?;
/// assert!(TensorMap::new(&odd, Shape::new(64, 97), TensorBox::new(32, 16)).is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TensorMap {
    buffer: RawBuffer,
    shape: Shape,
    tile: TensorBox,
    bytes: [u8; TENSOR_MAP_BYTES],
}

impl TensorMap {
    /// A map of the row-major matrix of `shape` that begins where the buffer does.
    ///
    /// # Errors
    /// [`Error::TensorMap`] for a shape or a box that no map can describe, or that the buffer is too small for;
    /// [`Error::NoTensorMaps`] on a GPU before Hopper.
    pub fn new<T: Element>(buffer: &Buffer<T>, shape: Shape, tile: TensorBox) -> Result<Self> {
        Self::of(buffer.raw(), shape, tile)
    }

    /// The same for a buffer whose element type is known at run time only.
    ///
    /// # Errors
    /// As [`TensorMap::new`].
    pub fn of(buffer: &RawBuffer, shape: Shape, tile: TensorBox) -> Result<Self> {
        let fail = |reason: String| Error::TensorMap {
            name: buffer.name().to_string(),
            reason,
        };
        buffer.check_alive()?;
        if shape.elements().is_none_or(|n| n > buffer.len()) {
            return Err(fail(format!(
                "a {shape} matrix does not fit in its {} elements",
                buffer.len()
            )));
        }
        let stride = shape.columns as u64 * buffer.element().bytes() as u64;
        if !stride.is_multiple_of(16) {
            return Err(fail(format!(
                "a row of {} elements has {stride} bytes, and the rows of a tensor map begin a multiple of 16 bytes apart",
                shape.columns
            )));
        }
        let layout = TensorLayout {
            element: tensor_element(buffer.element()),
            address: buffer.address(),
            lengths: &[shape.columns as u64, shape.rows as u64],
            strides: &[stride],
            tile: &[tile.columns, tile.rows],
            element_strides: &[1, 1],
            swizzle: tile.swizzle,
            fill: tile.fill,
        };
        // The emulator's rules are the driver's, and it names the one that is broken.
        let checked = cornerturn_emulator::TensorMap::new(&layout)
            .map_err(|error| fail(error.to_string()))?;
        Ok(Self {
            bytes: buffer.device().encode_tensor_map(&layout, &checked)?,
            buffer: buffer.clone(),
            shape,
            tile,
        })
    }

    /// The buffer that holds the matrix.
    pub fn buffer(&self) -> &RawBuffer {
        &self.buffer
    }

    /// The matrix's shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// What one copy moves.
    pub fn tile(&self) -> TensorBox {
        self.tile
    }

    /// What the kernel gets.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same map of another buffer, on its device.
    pub(crate) fn over(&self, buffer: &RawBuffer) -> Result<Self> {
        Self::of(buffer, self.shape, self.tile)
    }
}

fn tensor_element(element: ElementType) -> TensorElement {
    match element {
        ElementType::F16 => TensorElement::F16,
        ElementType::F32 => TensorElement::F32,
        ElementType::F64 => TensorElement::F64,
        ElementType::I32 => TensorElement::S32,
        ElementType::U32 => TensorElement::U32,
        ElementType::I64 => TensorElement::S64,
        ElementType::U64 => TensorElement::U64,
        ElementType::U8 => TensorElement::U8,
        ElementType::U16 => TensorElement::U16,
    }
}
