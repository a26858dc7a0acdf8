//! Arrays: texels that lie in memory of which a program knows no address. How kernels fetch them is `texture`'s.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cornerturn_emulator::TexelFormat;

use crate::driver::Driver;
use crate::memory::Kind;
use crate::status::{Error, Result, Status};
use crate::table::new_handle;

/// What an array is asked for with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrayShape {
    /// Texels in x.
    pub width: usize,
    /// Texels in y; 0 for one dimension.
    pub height: usize,
    /// Slices, layers or faces; 0 for none.
    pub depth: usize,
    /// What a channel is.
    pub format: TexelFormat,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// Flags of the driver API: layers 1, surfaces 2, a cube 4.
    pub flags: u32,
}

impl ArrayShape {
    /// Its slices are layers.
    pub const LAYERED: u32 = 1;
    /// Its layers are faces of cubes.
    pub const CUBE: u32 = 4;

    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> usize {
        self.format.bytes() as usize * self.channels as usize
    }
}

/// An array.
#[derive(Debug)]
pub struct Array {
    /// Its handle.
    pub handle: u64,
    /// What it was asked for with.
    pub shape: ArrayShape,
    /// Where its texels lie: row after row, slice after slice.
    pub address: u64,
    /// Other levels of a mipmapped array, the next first.
    pub levels: Vec<Arc<Array>>,
    /// How often it was written.
    pub(crate) version: AtomicU64,
}

impl Array {
    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.shape.width * self.shape.texel_bytes()
    }

    /// Rows of a slice. The layers of an array of one dimension are its slices.
    pub fn rows(&self) -> usize {
        self.shape.height.max(1)
    }

    /// Bytes of all texels.
    pub fn bytes(&self) -> usize {
        self.row_bytes() * self.rows() * self.shape.depth.max(1)
    }

    /// Whether a box of bytes, rows and slices lies in it.
    pub(crate) fn holds(&self, offset: [usize; 3], extent: [usize; 3]) -> bool {
        let sizes = [self.row_bytes(), self.rows(), self.shape.depth.max(1)];
        let ends = offset.iter().zip(extent).zip(sizes);
        ends.into_iter().all(|((offset, extent), size)| {
            offset.checked_add(extent).is_some_and(|end| end <= size)
        })
    }
}

impl Driver {
    /// Makes an array with so many levels.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`] for a shape that no array has, [`Status::OUT_OF_MEMORY`].
    pub fn make_array(&self, shape: ArrayShape, levels: u32) -> Result<Arc<Array>> {
        let is_shape = matches!(shape.channels, 1 | 2 | 4)
            && shape.width > 0
            && (shape.height > 0 || shape.depth == 0 || shape.flags & ArrayShape::LAYERED != 0);
        if !is_shape || levels == 0 || levels > 32 {
            return Err(Error::new(
                Status::INVALID_VALUE,
                format!("no array has the shape {shape:?}"),
            ));
        }
        let mut smaller = Vec::new();
        let halved = |size: usize, level: u32| if size == 0 { 0 } else { (size >> level).max(1) };
        for level in (0..levels).rev() {
            let is_layered = shape.flags & ArrayShape::LAYERED != 0;
            let shape = ArrayShape {
                width: halved(shape.width, level),
                height: halved(shape.height, level),
                depth: match is_layered {
                    true => shape.depth,
                    false => halved(shape.depth, level),
                },
                ..shape
            };
            let bytes = [shape.height.max(1), shape.depth.max(1), shape.texel_bytes()]
                .into_iter()
                .try_fold(shape.width, usize::checked_mul)
                .ok_or(Status::OUT_OF_MEMORY)?;
            let array = Array {
                handle: new_handle(),
                shape,
                address: self.allocate(bytes, Kind::Array, None)?,
                levels: if level == 0 {
                    std::mem::take(&mut smaller)
                } else {
                    Vec::new()
                },
                version: AtomicU64::new(0),
            };
            let array = Arc::new(array);
            self.arrays.put(array.handle, array.clone());
            if level == 0 {
                return Ok(array);
            }
            smaller.insert(0, array);
        }
        Err(Status::INVALID_VALUE.into())
    }

    /// Frees an array with its levels.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`].
    pub fn destroy_array(&self, handle: u64) -> Result<()> {
        let array = self.arrays.remove(handle).ok_or(Status::INVALID_HANDLE)?;
        for level in &array.levels {
            self.destroy_array(level.handle)?;
        }
        self.free(array.address, &[Kind::Array])
    }

    /// The array of a handle.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`].
    pub fn array(&self, handle: u64) -> Result<Arc<Array>> {
        let array = self.arrays.get(handle);
        array.ok_or_else(|| Status::INVALID_HANDLE.into())
    }

    /// An array at this address was written: textures over it have to be read anew.
    pub(crate) fn array_written(&self, address: u64) {
        for (_, array) in self.arrays.all() {
            if array.address == address {
                array.version.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}
