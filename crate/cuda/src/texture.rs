//! Texture and surface objects: what the emulator has of them. Texels of an array are a copy, made anew when the array has changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cornerturn_emulator::{
    Sampling, Surface, SurfaceLayout, TexelFormat, TexelMemory, Texture, TextureLayout,
};

use crate::array::{Array, ArrayShape};
use crate::driver::Driver;
use crate::host;
use crate::memory::memory_error;
use crate::status::{Error, Result, Status};

/// What a texture lies over.
#[derive(Debug, Clone)]
pub enum Texels {
    /// An array.
    Array(Arc<Array>),
    /// Texels one after the other at an address.
    Linear(u64),
    /// Rows at an address, so many bytes apart.
    Pitched(u64, u64),
}

/// A texture object as it is asked for. Sizes and format of an array are its own.
#[derive(Debug, Clone)]
pub struct Layout {
    /// What it lies over.
    pub texels: Texels,
    /// What a channel is.
    pub format: TexelFormat,
    /// Channels of a texel.
    pub channels: u32,
    /// Texels in x.
    pub width: u64,
    /// Texels in y, where it has two dimensions.
    pub height: Option<u64>,
    /// How fetches read it.
    pub sampling: Sampling,
}

/// A texture or surface that kernels know.
#[derive(Debug)]
pub struct BoundTexture {
    /// The array that it lies over, if it does.
    array: Option<Arc<Array>>,
    /// What it was asked for with; none of a surface.
    layout: Option<Layout>,
    /// The version of the array that it was made from.
    version: AtomicU64,
}

/// Whether there is a surface: then a launch may have written arrays.
static SURFACES: AtomicBool = AtomicBool::new(false);

impl Driver {
    /// Makes a texture object; its handle is what a kernel takes.
    ///
    /// # Errors
    /// [`Status::NOT_SUPPORTED`] for three dimensions; [`Status::INVALID_VALUE`] with CUDA's rule that it breaks.
    pub fn make_texture(&self, layout: &Layout) -> Result<u64> {
        self.context()?;
        let (texture, version) = self.texture(layout)?;
        let handle = self.memory_mut().bind_texture(texture);
        let array = match &layout.texels {
            Texels::Array(array) => Some(array.clone()),
            _ => None,
        };
        let bound = BoundTexture {
            array,
            layout: Some(layout.clone()),
            version: AtomicU64::new(version),
        };
        self.textures.put(handle, Arc::new(bound));
        Ok(handle)
    }

    /// The texture as the emulator has it, and the version of its array.
    fn texture(&self, layout: &Layout) -> Result<(Texture, u64)> {
        let mut made = TextureLayout {
            name: "texture",
            format: layout.format,
            channels: layout.channels,
            width: layout.width,
            height: layout.height,
            layers: None,
            is_cube: false,
            memory: TexelMemory::Linear { address: 0 },
            sampling: layout.sampling,
        };
        let mut version = 0;
        match &layout.texels {
            Texels::Linear(address) => made.memory = TexelMemory::Linear { address: *address },
            Texels::Pitched(address, pitch_bytes) => {
                made.memory = TexelMemory::Pitched {
                    address: *address,
                    pitch_bytes: *pitch_bytes,
                };
            }
            Texels::Array(array) => {
                let shape = array.shape;
                let is_layered = shape.flags & (ArrayShape::LAYERED | ArrayShape::CUBE) != 0;
                if shape.depth > 0 && !is_layered {
                    return Err(Error::new(
                        Status::NOT_SUPPORTED,
                        "the emulator has no textures of three dimensions yet",
                    ));
                }
                (made.format, made.channels) = (shape.format, shape.channels);
                made.width = shape.width as u64;
                made.height = (shape.height > 0).then_some(shape.height as u64);
                made.layers = is_layered.then_some(shape.depth as u64);
                made.is_cube = shape.flags & ArrayShape::CUBE != 0;
                version = array.version.load(Ordering::Relaxed);
                made.memory = TexelMemory::Array(self.texels(array)?.into());
            }
        }
        let texture = Texture::new(&made);
        let texture =
            texture.map_err(|error| Error::new(Status::INVALID_VALUE, error.to_string()))?;
        Ok((texture, version))
    }

    fn texels(&self, array: &Array) -> Result<Vec<u8>> {
        let all = self.allocations();
        let found = all.get(&array.address).ok_or(Status::INVALID_HANDLE)?;
        let mut texels = vec![0; array.bytes()];
        // SAFETY: the array's own pages, which are not given back while the allocations are held.
        unsafe { host::read(found.host, &mut texels) };
        Ok(texels)
    }

    /// Makes a surface object over an array.
    ///
    /// # Errors
    /// As [`Driver::make_texture`].
    pub fn make_surface(&self, array: &Arc<Array>) -> Result<u64> {
        self.context()?;
        let shape = array.shape;
        let is_layered = shape.flags & (ArrayShape::LAYERED | ArrayShape::CUBE) != 0;
        if shape.depth > 0 && !is_layered {
            let message = "the emulator has no surfaces of three dimensions yet";
            return Err(Error::new(Status::NOT_SUPPORTED, message));
        }
        let surface = Surface::new(&SurfaceLayout {
            name: "surface",
            address: array.address,
            texel_bytes: shape.texel_bytes() as u32,
            width: shape.width as u64,
            height: (shape.height > 0).then_some(shape.height as u64),
            layers: is_layered.then_some(shape.depth as u64),
        });
        let surface =
            surface.map_err(|error| Error::new(Status::INVALID_VALUE, error.to_string()))?;
        let handle = self.memory_mut().bind_surface(surface);
        SURFACES.store(true, Ordering::Relaxed);
        let bound = BoundTexture {
            array: Some(array.clone()),
            layout: None,
            version: AtomicU64::new(0),
        };
        self.textures.put(handle, Arc::new(bound));
        Ok(handle)
    }

    /// Takes a texture or surface object away.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`] for a handle that is none.
    pub fn destroy_texture(&self, handle: u64) -> Result<()> {
        let bound = self.textures.remove(handle).ok_or(Status::INVALID_VALUE)?;
        let mut memory = self.memory_mut();
        let gone = match bound.layout {
            Some(_) => memory.unbind_texture(handle),
            None => memory.unbind_surface(handle),
        };
        gone.map_err(memory_error)
    }

    /// What a texture object was asked for with.
    pub fn texture_layout(&self, handle: u64) -> Option<Layout> {
        self.textures.get(handle)?.layout.clone()
    }

    /// Reads the texels of arrays anew that have changed.
    pub(crate) fn refresh_textures(&self) -> Result<()> {
        for (handle, bound) in self.textures.all() {
            let (Some(array), Some(layout)) = (&bound.array, &bound.layout) else {
                continue;
            };
            let known = bound.version.load(Ordering::Relaxed);
            if array.version.load(Ordering::Relaxed) == known {
                continue;
            }
            let (texture, version) = self.texture(layout)?;
            let replaced = self.memory_mut().replace_texture(handle, texture);
            replaced.map_err(memory_error)?;
            bound.version.store(version, Ordering::Relaxed);
        }
        Ok(())
    }

    /// A kernel may have written to arrays by surfaces.
    pub(crate) fn arrays_changed(&self) {
        if !SURFACES.load(Ordering::Relaxed) {
            return;
        }
        for (_, bound) in self.textures.all() {
            if let (Some(array), None) = (&bound.array, &bound.layout) {
                array.version.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}
