//! Surfaces: how their texels lie in memory, and where a place in one is. What reads and writes them is `operations::surface`.

use crate::texture::TextureError;

/// The most texels of a surface in x and y (`CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH` and `…_HEIGHT` of an H200).
const MOST_SIZE: [u64; 2] = [131_072, 65_536];
/// The most layers (`…_MAXIMUM_SURFACE2D_LAYERED_LAYERS`).
const MOST_LAYERS: u64 = 2_048;

/// Texels that kernels read and write by `surf2Dread`, `surf2Dwrite` and their like.
///
/// They lie in global memory row after row and layer after layer, without gaps: on a GPU they are an array, of which a
/// kernel knows no address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surface {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) row_bytes: u64,
    pub(crate) height: u64,
    pub(crate) layers: u64,
    pub(crate) is_2d: bool,
    pub(crate) is_layered: bool,
}

/// A surface as it is asked for.
#[derive(Debug, Clone, Copy)]
pub struct SurfaceLayout<'s> {
    /// What findings call it.
    pub name: &'s str,
    /// Of the first texel, in global memory.
    pub address: u64,
    /// Bytes of a texel: 1, 2, 4, 8 or 16.
    pub texel_bytes: u32,
    /// Texels in x.
    pub width: u64,
    /// Texels in y; `None` for a surface of one dimension.
    pub height: Option<u64>,
    /// Layers, or faces of a cube; `None` for a surface without.
    pub layers: Option<u64>,
}

impl Surface {
    /// Checks a layout by CUDA's rules for compute capability 9.0.
    ///
    /// # Errors
    /// The rule that is broken, with its limit.
    pub fn new(layout: &SurfaceLayout) -> Result<Self, TextureError> {
        if !matches!(layout.texel_bytes, 1 | 2 | 4 | 8 | 16) {
            return Err(TextureError::TexelBytes {
                bytes: layout.texel_bytes,
            });
        }
        let sizes = [
            (Some(layout.width), "x", MOST_SIZE[0]),
            (layout.height, "y", MOST_SIZE[1]),
            (layout.layers, "layers", MOST_LAYERS),
        ];
        for (size, axis, most) in sizes {
            if let Some(size) = size.filter(|size| *size == 0 || *size > most) {
                return Err(TextureError::Size {
                    kind: "surface",
                    axis,
                    size,
                    most,
                });
            }
        }
        Ok(Self {
            name: layout.name.to_string(),
            address: layout.address,
            row_bytes: layout.width * u64::from(layout.texel_bytes),
            height: layout.height.unwrap_or(1),
            layers: layout.layers.unwrap_or(1),
            is_2d: layout.height.is_some(),
            is_layered: layout.layers.is_some(),
        })
    }

    /// The name that it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of all its texels.
    pub fn bytes(&self) -> u64 {
        self.row_bytes * self.height * self.layers
    }
}
