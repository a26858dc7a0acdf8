//! Surfaces on a device: texels in a buffer, which kernels read and write by `surf2Dread` and its like. What is allowed is `cornerturn_emulator::Surface`'s to say.

use crate::buffer::RawBuffer;
use crate::device::Device;
use crate::texture::Texels;
use cornerturn_base::error::{Error, Result};
use cornerturn_emulator::SurfaceLayout;
use std::sync::Arc;

/// A surface on a device: an argument for a parameter `cudaSurfaceObject_t`. A cheap handle; the surface goes with the
/// last one, and the buffer stays as long as somebody has it.
#[derive(Debug, Clone)]
pub struct Surface(Arc<Made>);

#[derive(Debug)]
struct Made {
    buffer: RawBuffer,
    texels: Texels,
    handle: u64,
}

impl Drop for Made {
    fn drop(&mut self) {
        self.buffer.device().free_surface(self.handle);
    }
}

impl Surface {
    /// What a kernel gets: valid as long as the surface lives, and no longer.
    pub fn handle(&self) -> u64 {
        self.0.handle
    }

    /// The buffer that its texels lie in, row after row.
    pub fn buffer(&self) -> &RawBuffer {
        &self.0.buffer
    }

    /// The same surface over another buffer.
    pub(crate) fn over(&self, twin: &RawBuffer) -> Result<Self> {
        twin.device().surface_over(twin, self.0.texels)
    }
}

impl Device {
    /// A surface over the start of a buffer: its texels row after row, and layer after layer. How a texture would read them
    /// says nothing here. On the emulator only: on a GPU a surface is an array, and lies over no buffer.
    ///
    /// # Errors
    /// [`Error::Texture`] with the rule of CUDA that is broken, where the buffer is too small, and on a GPU.
    pub fn surface_over(&self, buffer: &RawBuffer, texels: Texels) -> Result<Surface> {
        let fail = |reason: String| Error::Texture {
            name: buffer.name().to_string(),
            reason,
        };
        let layout = SurfaceLayout {
            name: buffer.name(),
            address: buffer.address(),
            texel_bytes: texels.format.bytes() * texels.channels,
            width: texels.width as u64,
            height: texels.height.map(|height| height as u64),
            layers: texels.layers.map(|layers| layers as u64),
        };
        let checked =
            cornerturn_emulator::Surface::new(&layout).map_err(|error| fail(error.to_string()))?;
        if checked.bytes() > buffer.bytes() as u64 {
            return Err(fail(format!(
                "has {} bytes, and the surface more",
                buffer.bytes()
            )));
        }
        let handle = self
            .make_surface(checked)
            .ok_or_else(|| fail("surfaces are made by the emulator only".to_string()))?;
        Ok(Surface(Arc::new(Made {
            buffer: buffer.clone(),
            texels,
            handle,
        })))
    }
}
