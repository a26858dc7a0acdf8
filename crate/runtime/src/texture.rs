//! Textures on a device: texels in an array of their own or in a buffer, and how a fetch reads them. What is allowed is `cornerturn_emulator::Texture`'s to say, how one is made the backend's.

use crate::buffer::{Buffer, RawBuffer};
use crate::device::Device;
use cornerturn_base::element::{Element, ElementType};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_base::shape::Shape;
use cornerturn_emulator::{Sampling, TexelFormat, TexelMemory, TextureLayout};
use std::sync::Arc;

/// What a texel is in Rust: a channel, or an array of two or four.
pub trait Texel: bytemuck::Pod {
    /// Of each channel.
    const FORMAT: TexelFormat;
    /// 1, 2 or 4.
    const CHANNELS: u32;
}

macro_rules! texels {
    ($($channel:ty => $format:ident),*) => {$(
        impl Texel for $channel {
            const FORMAT: TexelFormat = TexelFormat::$format;
            const CHANNELS: u32 = 1;
        }
        impl Texel for [$channel; 2] {
            const FORMAT: TexelFormat = TexelFormat::$format;
            const CHANNELS: u32 = 2;
        }
        impl Texel for [$channel; 4] {
            const FORMAT: TexelFormat = TexelFormat::$format;
            const CHANNELS: u32 = 4;
        }
    )*};
}

texels!(u8 => U8, i8 => S8, u16 => U16, i16 => S16, u32 => U32, i32 => S32, f32 => F32);

/// What the texels of a texture are and how many, and how they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Texels {
    /// Of each channel.
    pub format: TexelFormat,
    /// 1, 2 or 4.
    pub channels: u32,
    /// Texels in x.
    pub width: usize,
    /// Texels in y; `None` for a 1D texture.
    pub height: Option<usize>,
    /// Layers; `None` for a texture without.
    pub layers: Option<usize>,
    /// Whether each six layers are the faces of a cube.
    pub is_cube: bool,
    /// How they are read.
    pub sampling: Sampling,
}

/// A texture on a device: an argument for a parameter `cudaTextureObject_t`. A cheap handle; the texture goes with the
/// last one, and its array with it.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let image = device.texture_2d("image", &[0.0_f32, 1.0, 2.0, 3.0], Shape::new(2, 2), Sampling::linear())?;
/// let kernel = Kernel::cuda(
///     "__global__ void middle(cudaTextureObject_t image, float* out) { *out = tex2D<float>(image, 1.0f, 1.0f); }",
/// )?;
/// let out = device.poisoned::<f32>("out", 1)?;
/// device.launch(&kernel, 1, 1, args![image, out])?;
/// assert_eq!(out.read()?, [1.5]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Texture(Arc<Made>);

#[derive(Debug)]
struct Made {
    device: Device,
    name: String,
    texels: Texels,
    source: Source,
    handle: u64,
    /// The life of the device's context in which it was made.
    life: u64,
}

/// Where the texels lie.
#[derive(Debug, Clone)]
enum Source {
    /// In an array, which holds these bytes.
    Array(Arc<[u8]>),
    Buffer(RawBuffer),
}

impl Drop for Made {
    fn drop(&mut self) {
        self.device.free_texture(self.handle, self.life);
    }
}

impl Texture {
    fn make(device: &Device, name: &str, texels: Texels, source: Source) -> Result<Self> {
        let row_bytes = texels.width as u64 * u64::from(texels.format.bytes() * texels.channels);
        let memory = match (&source, texels.height) {
            (Source::Array(bytes), _) => TexelMemory::Array(Arc::clone(bytes)),
            (Source::Buffer(buffer), None) => TexelMemory::Linear {
                address: buffer.address(),
            },
            (Source::Buffer(buffer), Some(_)) => TexelMemory::Pitched {
                address: buffer.address(),
                pitch_bytes: row_bytes,
            },
        };
        let layout = TextureLayout {
            name,
            format: texels.format,
            channels: texels.channels,
            width: texels.width as u64,
            height: texels.height.map(|height| height as u64),
            layers: texels.layers.map(|layers| layers as u64),
            is_cube: texels.is_cube,
            memory,
            sampling: texels.sampling,
        };
        // The emulator's rules are CUDA's, and it names the one that is broken.
        let checked =
            cornerturn_emulator::Texture::new(&layout).map_err(|error| Error::Texture {
                name: name.to_string(),
                reason: error.to_string(),
            })?;
        let (handle, life) = device.make_texture(&layout, checked)?;
        Ok(Self(Arc::new(Made {
            device: device.clone(),
            name: name.to_string(),
            texels,
            source,
            handle,
            life,
        })))
    }

    /// The name given at its creation, which findings use.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What its texels are, and how they are read.
    pub fn texels(&self) -> Texels {
        self.0.texels
    }

    /// The device that it lives on.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// What a kernel gets: valid as long as the texture lives, and no longer.
    pub fn handle(&self) -> u64 {
        self.0.handle
    }

    /// The buffer that it lies over, if it does.
    pub fn buffer(&self) -> Option<&RawBuffer> {
        match &self.0.source {
            Source::Array(_) => None,
            Source::Buffer(buffer) => Some(buffer),
        }
    }

    pub(crate) fn check_alive(&self) -> Result<()> {
        if self.0.life == self.0.device.life() {
            return Ok(());
        }
        Err(Error::Texture {
            name: self.0.name.clone(),
            reason: "was lost when a kernel's fault took the GPU's memory with it; create it again"
                .to_string(),
        })
    }

    /// The same texture on another device; `twin` gives the buffer in place of the one that it lies over.
    pub(crate) fn on(
        &self,
        device: &Device,
        twin: impl FnOnce(&RawBuffer) -> Result<RawBuffer>,
    ) -> Result<Self> {
        let source = match &self.0.source {
            Source::Array(bytes) => Source::Array(Arc::clone(bytes)),
            Source::Buffer(buffer) => Source::Buffer(twin(buffer)?),
        };
        Self::make(device, &self.0.name, self.0.texels, source)
    }
}

impl Device {
    /// A 1D texture in an array of its own.
    ///
    /// # Errors
    /// [`Error::Texture`] with the rule of CUDA that is broken and its limit; [`Error::Memory`].
    pub fn texture_1d<T: Texel>(
        &self,
        name: &str,
        texels: &[T],
        sampling: Sampling,
    ) -> Result<Texture> {
        let shape = Texels {
            format: T::FORMAT,
            channels: T::CHANNELS,
            width: texels.len(),
            height: None,
            layers: None,
            is_cube: false,
            sampling,
        };
        self.raw_texture(name, bytemuck::cast_slice(texels), shape)
    }

    /// A 2D texture in an array of its own: row after row, `shape.columns` texels in x and `shape.rows` in y.
    ///
    /// # Errors
    /// As [`Device::texture_1d`].
    pub fn texture_2d<T: Texel>(
        &self,
        name: &str,
        texels: &[T],
        shape: Shape,
        sampling: Sampling,
    ) -> Result<Texture> {
        let shape = Texels {
            format: T::FORMAT,
            channels: T::CHANNELS,
            width: shape.columns,
            height: Some(shape.rows),
            layers: None,
            is_cube: false,
            sampling,
        };
        self.raw_texture(name, bytemuck::cast_slice(texels), shape)
    }

    /// A texture in an array of its own, of texels whose type is known at run time only.
    ///
    /// # Errors
    /// As [`Device::texture_1d`].
    pub fn raw_texture(&self, name: &str, texels: &[u8], shape: Texels) -> Result<Texture> {
        self.check_free(&format!("texture `{name}`"), texels.len())?;
        let mut bytes = memory::zeros("a texture", texels.len())?;
        bytes.copy_from_slice(texels);
        Texture::make(self, name, shape, Source::Array(Arc::from(bytes)))
    }

    /// A 1D texture over a buffer of texels whose type is known at run time only.
    pub(crate) fn raw_texture_over(&self, buffer: &RawBuffer, texels: Texels) -> Result<Texture> {
        Texture::make(self, buffer.name(), texels, Source::Buffer(buffer.clone()))
    }

    /// A 1D texture over a buffer's memory, for `tex1Dfetch`. A kernel that fetches from it must not write the buffer:
    /// the caches of textures do not see it.
    ///
    /// # Errors
    /// As [`Device::texture_1d`].
    pub fn texture_over<T: Element>(
        &self,
        buffer: &Buffer<T>,
        sampling: Sampling,
    ) -> Result<Texture> {
        self.over(buffer.raw(), buffer.len(), None, sampling)
    }

    /// A 2D texture over a row-major matrix at the start of a buffer. Its rows must be a multiple of 32 bytes long.
    ///
    /// # Errors
    /// As [`Device::texture_1d`], and where the buffer is too small.
    pub fn texture_over_rows<T: Element>(
        &self,
        buffer: &Buffer<T>,
        shape: Shape,
        sampling: Sampling,
    ) -> Result<Texture> {
        self.over(buffer.raw(), shape.columns, Some(shape.rows), sampling)
    }

    fn over(
        &self,
        buffer: &RawBuffer,
        width: usize,
        height: Option<usize>,
        sampling: Sampling,
    ) -> Result<Texture> {
        let fail = |reason: String| Error::Texture {
            name: buffer.name().to_string(),
            reason,
        };
        buffer.check_alive()?;
        let format = format_of(buffer.element())
            .ok_or_else(|| fail(format!("texels have no channels of {}", buffer.element())))?;
        if width
            .checked_mul(height.unwrap_or(1))
            .is_none_or(|texels| texels > buffer.len())
        {
            return Err(fail(format!(
                "has {} elements, and the texture more",
                buffer.len()
            )));
        }
        let texels = Texels {
            format,
            channels: 1,
            width,
            height,
            layers: None,
            is_cube: false,
            sampling,
        };
        Texture::make(self, buffer.name(), texels, Source::Buffer(buffer.clone()))
    }
}

/// The channel that holds an element, if there is one.
fn format_of(element: ElementType) -> Option<TexelFormat> {
    Some(match element {
        ElementType::U8 => TexelFormat::U8,
        ElementType::U16 => TexelFormat::U16,
        ElementType::U32 => TexelFormat::U32,
        ElementType::I32 => TexelFormat::S32,
        ElementType::F16 => TexelFormat::F16,
        ElementType::F32 => TexelFormat::F32,
        ElementType::F64 | ElementType::I64 | ElementType::U64 => return None,
    })
}
