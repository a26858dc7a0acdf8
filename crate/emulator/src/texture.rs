//! Textures: what texels are, how they lie in memory, how a fetch samples them, and what CUDA refuses. What fetches is `operations::texture`.

mod error;

use std::sync::Arc;

pub use error::TextureError;

/// The most texels of a 1D texture in an array (`CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH` of an H200).
pub const MOST_WIDTH_1D: u64 = 131_072;
/// The most texels of a 2D texture in an array, in x and y (`…_TEXTURE2D_WIDTH`, `…_TEXTURE2D_HEIGHT`).
pub const MOST_SIZE_2D: [u64; 2] = [131_072, 65_536];
/// The most texels of a texture over linear memory (`…_TEXTURE1D_LINEAR_WIDTH`).
pub const MOST_WIDTH_LINEAR: u64 = 1 << 28;
/// The most texels of a texture over pitched memory, in x and y (`…_TEXTURE2D_LINEAR_WIDTH`, `…_HEIGHT`).
pub const MOST_SIZE_PITCHED: [u64; 2] = [131_072, 65_000];
/// The most texels of a texture with layers, in x and y (`…_TEXTURE2D_LAYERED_WIDTH`, `…_HEIGHT`).
pub const MOST_SIZE_LAYERED: [u64; 2] = [32_768, 32_768];
/// The most layers (`…_TEXTURE2D_LAYERED_LAYERS`).
pub const MOST_LAYERS: u64 = 2_048;
/// The longest row of pitched memory in bytes (`…_TEXTURE2D_LINEAR_PITCH`).
pub const MOST_PITCH_BYTES: u64 = 2_097_120;
/// Rows of pitched memory begin so many bytes apart, or a multiple (`…_TEXTURE_PITCH_ALIGNMENT`).
pub const PITCH_ALIGN_BYTES: u64 = 32;
/// A texture over linear or pitched memory begins at a multiple of this (`…_TEXTURE_ALIGNMENT`).
pub const BASE_ALIGN_BYTES: u64 = 512;

/// What one channel of a texel is in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TexelFormat {
    /// 8-bit unsigned integer.
    U8,
    /// 8-bit signed integer.
    S8,
    /// 16-bit unsigned integer.
    U16,
    /// 16-bit signed integer.
    S16,
    /// 32-bit unsigned integer.
    U32,
    /// 32-bit signed integer.
    S32,
    /// 16-bit float; a fetch gives it as `f32`.
    F16,
    /// 32-bit float.
    F32,
}

impl TexelFormat {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::U8,
        Self::S8,
        Self::U16,
        Self::S16,
        Self::U32,
        Self::S32,
        Self::F16,
        Self::F32,
    ];

    /// Bytes of one channel.
    pub fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 | Self::F16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32)
    }

    /// The name, as in the emulator's arguments and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::S8 => "i8",
            Self::U16 => "u16",
            Self::S16 => "i16",
            Self::U32 => "u32",
            Self::S32 => "i32",
            Self::F16 => "f16",
            Self::F32 => "f32",
        }
    }
}

/// Which texel, or which mixture of texels, a fetch gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Filter {
    /// The texel that the coordinate lies in.
    #[default]
    Point,
    /// The two (1D) or four (2D) nearest, weighted in steps of 1/256.
    Linear,
}

/// What a coordinate beyond the texture means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AddressMode {
    /// The texture repeats. Only with normalised coordinates.
    Wrap,
    /// The nearest texel inside.
    #[default]
    Clamp,
    /// The texture repeats, every other time reversed. Only with normalised coordinates.
    Mirror,
    /// Zero.
    Border,
}

/// How a fetch reads a texture: CUDA's `cudaTextureDesc`, as far as it is supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sampling {
    /// Nearest texel or linear filter.
    pub filter: Filter,
    /// Beyond the texture, in x and y.
    pub address: [AddressMode; 2],
    /// Coordinates go from 0 to 1 over the texture, not from 0 to its size.
    pub normalized_coordinates: bool,
    /// Integer texels of 8 or 16 bits become floats from 0 to 1, or -1 to 1 (`cudaReadModeNormalizedFloat`).
    pub normalized_reads: bool,
}

impl Sampling {
    /// The nearest texel; clamped, by coordinates in texels.
    pub fn point() -> Self {
        Self::default()
    }

    /// Mixed by a linear filter; clamped, by coordinates in texels.
    pub fn linear() -> Self {
        Self {
            filter: Filter::Linear,
            ..Self::default()
        }
    }

    /// With this address mode in x and y.
    pub fn beyond(self, mode: AddressMode) -> Self {
        Self {
            address: [mode; 2],
            ..self
        }
    }

    /// By coordinates from 0 to 1.
    pub fn normalized(self) -> Self {
        Self {
            normalized_coordinates: true,
            ..self
        }
    }

    /// Integers of 8 or 16 bits become floats.
    pub fn as_floats(self) -> Self {
        Self {
            normalized_reads: true,
            ..self
        }
    }
}

/// Where texels lie.
#[derive(Debug, Clone)]
pub enum TexelMemory {
    /// A CUDA array: its texels row by row, without gaps. Kernels cannot write it.
    Array(Arc<[u8]>),
    /// Global memory from this address on: 1D, for integer coordinates and without a filter.
    Linear {
        /// Of the first texel.
        address: u64,
    },
    /// Rows in global memory.
    Pitched {
        /// Of the first texel.
        address: u64,
        /// Bytes from one row to the next.
        pitch_bytes: u64,
    },
}

/// A texture that CUDA allows.
#[derive(Debug, Clone)]
pub struct Texture {
    pub(crate) name: String,
    pub(crate) format: TexelFormat,
    pub(crate) channels: u32,
    pub(crate) width: u32,
    /// 1 if it is 1D.
    pub(crate) height: u32,
    pub(crate) is_2d: bool,
    /// 1 if it has none.
    pub(crate) layers: u32,
    pub(crate) is_layered: bool,
    pub(crate) is_cube: bool,
    pub(crate) memory: TexelMemory,
    pub(crate) sampling: Sampling,
}

/// A texture as it is asked for.
#[derive(Debug, Clone)]
pub struct TextureLayout<'t> {
    /// What findings call it.
    pub name: &'t str,
    /// Of each channel.
    pub format: TexelFormat,
    /// Of each texel: 1, 2 or 4.
    pub channels: u32,
    /// Texels in x.
    pub width: u64,
    /// Texels in y; `None` for a 1D texture.
    pub height: Option<u64>,
    /// Layers, one behind the other in an array; `None` for a texture without.
    pub layers: Option<u64>,
    /// Whether each six layers are the faces of a cube, which directions lead to: of one for `texCubemap`, else of several
    /// for `texCubemapLayered`.
    pub is_cube: bool,
    /// Where they lie.
    pub memory: TexelMemory,
    /// How they are read.
    pub sampling: Sampling,
}

impl Texture {
    /// Checks a layout by CUDA's rules for compute capability 9.0.
    ///
    /// # Errors
    /// The rule that is broken, with its limit.
    pub fn new(layout: &TextureLayout) -> Result<Self, TextureError> {
        check_size(layout)?;
        check_cube(layout)?;
        check_memory(layout)?;
        check_sampling(layout)?;
        Ok(Self {
            name: layout.name.to_string(),
            format: layout.format,
            channels: layout.channels,
            // No limit of a size is above 2^28.
            width: layout.width as u32,
            height: layout.height.unwrap_or(1) as u32,
            is_2d: layout.height.is_some(),
            layers: layout.layers.unwrap_or(1) as u32,
            // Six layers are one cube, and a fetch does not say which.
            is_layered: layout
                .layers
                .is_some_and(|layers| !layout.is_cube || layers > 6),
            is_cube: layout.is_cube,
            memory: layout.memory.clone(),
            sampling: layout.sampling,
        })
    }

    /// The name that it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of one texel.
    pub(crate) fn texel_bytes(&self) -> u32 {
        self.format.bytes() * self.channels
    }

    /// Where a texel lies behind the first one, in bytes. The rows of a layer follow on those of the one before.
    pub(crate) fn offset(&self, x: u32, y: u32) -> u64 {
        let bytes = u64::from(self.texel_bytes());
        let pitch = match self.memory {
            TexelMemory::Pitched { pitch_bytes, .. } => pitch_bytes,
            _ => u64::from(self.width) * bytes,
        };
        u64::from(y) * pitch + u64::from(x) * bytes
    }

    /// The address of a texel, if it lies in global memory.
    pub(crate) fn address(&self, x: u32, y: u32) -> Option<u64> {
        match self.memory {
            TexelMemory::Array(_) => None,
            TexelMemory::Linear { address } | TexelMemory::Pitched { address, .. } => {
                Some(address + self.offset(x, y))
            }
        }
    }

    /// A number for the 32-byte sector that a texel lies in. Those of an array have 16 bytes of two rows.
    pub(crate) fn sector(&self, x: u32, y: u32) -> u64 {
        match self.address(x, y) {
            None => (u64::from(y / 2) << 32) | (u64::from(x) * u64::from(self.texel_bytes()) / 16),
            Some(address) => address / 32,
        }
    }

    /// Lanes that the texture unit takes together: four, eight of small texels of linear memory.
    pub(crate) fn lanes_per_request(&self) -> usize {
        match self.memory {
            TexelMemory::Linear { .. } if self.texel_bytes() <= 4 => 8,
            _ => 4,
        }
    }
}

fn check_size(layout: &TextureLayout) -> Result<(), TextureError> {
    if !matches!(layout.channels, 1 | 2 | 4) {
        return Err(TextureError::Channels {
            channels: layout.channels,
        });
    }
    if let Some(layers) = layout
        .layers
        .filter(|layers| !(1..=MOST_LAYERS).contains(layers))
    {
        return Err(TextureError::Size {
            kind: "texture with layers",
            axis: "layers",
            size: layers,
            most: MOST_LAYERS,
        });
    }
    let (kind, limits): (_, &[u64]) = match (&layout.memory, layout.height) {
        (TexelMemory::Array(_), _) if layout.layers.is_some() => {
            ("texture with layers", &MOST_SIZE_LAYERED)
        }
        _ if layout.layers.is_some() => return Err(TextureError::LayersLieInArray),
        (TexelMemory::Array(_), None) => ("1D texture", &[MOST_WIDTH_1D]),
        (TexelMemory::Array(_), Some(_)) => ("2D texture", &MOST_SIZE_2D),
        (TexelMemory::Linear { .. }, None) => {
            ("1D texture over linear memory", &[MOST_WIDTH_LINEAR])
        }
        (TexelMemory::Pitched { .. }, Some(_)) => {
            ("2D texture over pitched memory", &MOST_SIZE_PITCHED)
        }
        (TexelMemory::Linear { .. }, Some(_)) => return Err(TextureError::LinearIs1d),
        (TexelMemory::Pitched { .. }, None) => return Err(TextureError::PitchedIs2d),
    };
    let sizes = [Some(layout.width), layout.height];
    for ((size, most), axis) in sizes.into_iter().flatten().zip(limits).zip(["x", "y"]) {
        if size == 0 || size > *most {
            return Err(TextureError::Size {
                kind,
                axis,
                size,
                most: *most,
            });
        }
    }
    Ok(())
}

/// What makes a cube of layers.
fn check_cube(layout: &TextureLayout) -> Result<(), TextureError> {
    let is_square = layout.height == Some(layout.width);
    let has_faces = layout.layers.is_some_and(|layers| layers.is_multiple_of(6));
    match layout.is_cube {
        true if !is_square || !has_faces => Err(TextureError::NoCube),
        true if layout.sampling.filter == Filter::Linear => Err(TextureError::FiltersCube),
        _ => Ok(()),
    }
}

fn check_memory(layout: &TextureLayout) -> Result<(), TextureError> {
    let row_bytes = layout.width * u64::from(layout.format.bytes() * layout.channels);
    let align = |address: u64| match address.is_multiple_of(BASE_ALIGN_BYTES) {
        true => Ok(()),
        false => Err(TextureError::Base { address }),
    };
    match &layout.memory {
        TexelMemory::Array(texels) => {
            let rows = layout.height.unwrap_or(1) * layout.layers.unwrap_or(1);
            let expected = row_bytes * rows;
            if texels.len() as u64 != expected {
                return Err(TextureError::Bytes {
                    expected,
                    found: texels.len() as u64,
                });
            }
            Ok(())
        }
        TexelMemory::Linear { address } => align(*address),
        TexelMemory::Pitched {
            address,
            pitch_bytes,
        } => {
            align(*address)?;
            let fits = *pitch_bytes >= row_bytes && *pitch_bytes <= MOST_PITCH_BYTES;
            if !fits || !pitch_bytes.is_multiple_of(PITCH_ALIGN_BYTES) {
                return Err(TextureError::Pitch {
                    pitch_bytes: *pitch_bytes,
                    row_bytes,
                });
            }
            Ok(())
        }
    }
}

fn check_sampling(layout: &TextureLayout) -> Result<(), TextureError> {
    let sampling = layout.sampling;
    let repeats = |mode: &AddressMode| matches!(mode, AddressMode::Wrap | AddressMode::Mirror);
    let axes = 1 + usize::from(layout.height.is_some());
    if !sampling.normalized_coordinates && sampling.address[..axes].iter().any(repeats) {
        return Err(TextureError::Repeats);
    }
    if sampling.normalized_reads && layout.format.bytes() == 4 {
        return Err(TextureError::NormalizedReads {
            format: layout.format.name(),
        });
    }
    let gives_floats = layout.format.is_float() || sampling.normalized_reads;
    if sampling.filter == Filter::Linear && !gives_floats {
        return Err(TextureError::FiltersIntegers {
            format: layout.format.name(),
        });
    }
    if sampling.filter == Filter::Linear && layout.format == TexelFormat::S8 {
        return Err(TextureError::SignedBytes);
    }
    let is_linear = matches!(layout.memory, TexelMemory::Linear { .. });
    if is_linear && (sampling.filter == Filter::Linear || sampling.normalized_coordinates) {
        return Err(TextureError::LinearMemory);
    }
    Ok(())
}
