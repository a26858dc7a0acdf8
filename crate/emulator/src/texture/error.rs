//! Why a texture is refused.

use thiserror::Error;

use crate::texture::{BASE_ALIGN_BYTES, MOST_PITCH_BYTES, PITCH_ALIGN_BYTES};

/// Why a texture is not one: the rules of `cuArrayCreate` and `cuTexObjectCreate` (CUDA Driver API, "Texture Object
/// Management"), and what CUDA does not refuse but ignores.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextureError {
    /// Texels of three channels, or none.
    #[error("a texel has 1, 2 or 4 channels, not {channels}")]
    Channels {
        /// As many as were given.
        channels: u32,
    },
    /// A texel of a surface that has no such size.
    #[error("a texel of a surface has 1, 2, 4, 8 or 16 bytes, not {bytes}")]
    TexelBytes {
        /// Those that were given.
        bytes: u32,
    },
    /// A size over the limit, or none.
    #[error("{size} texels in {axis}: a {kind} has 1 to {most} there")]
    Size {
        /// Which texture.
        kind: &'static str,
        /// The axis, `x` or `y`.
        axis: &'static str,
        /// The size given.
        size: u64,
        /// The largest allowed.
        most: u64,
    },
    /// Faces that are no squares, or not six for each cube.
    #[error("a cube has six faces, as layers, and each is a square")]
    NoCube,
    /// A linear filter over a cube, which mixes texels of several faces.
    #[error("a linear filter over a cube is not supported yet")]
    FiltersCube,
    /// Layers that lie in no array.
    #[error("a texture with layers lies in an array, and not over memory")]
    LayersLieInArray,
    /// A 2D texture over linear memory.
    #[error("a texture over linear memory is 1D; a 2D one lies in an array or in pitched memory")]
    LinearIs1d,
    /// A 1D texture over pitched memory.
    #[error("a texture over pitched memory is 2D; a 1D one lies in an array or in linear memory")]
    PitchedIs2d,
    /// Where it begins.
    #[error(
        "a texture over linear or pitched memory begins at a multiple of {BASE_ALIGN_BYTES} bytes, and {address:#x} is none"
    )]
    Base {
        /// The address given.
        address: u64,
    },
    /// More or fewer bytes than texels.
    #[error("its texels have {expected} bytes, and {found} were given")]
    Bytes {
        /// Bytes needed.
        expected: u64,
        /// Bytes given.
        found: u64,
    },
    /// The distance of two rows.
    #[error(
        "rows that begin {pitch_bytes} bytes apart: a row has {row_bytes}, and the pitch is a multiple of {PITCH_ALIGN_BYTES}, {MOST_PITCH_BYTES} at most"
    )]
    Pitch {
        /// The pitch given.
        pitch_bytes: u64,
        /// Bytes of a row's texels.
        row_bytes: u64,
    },
    /// Wrap or mirror with coordinates in texels.
    #[error(
        "the address modes wrap and mirror need normalised coordinates; with others CUDA clamps without a word"
    )]
    Repeats,
    /// 32-bit texels cannot become floats from 0 to 1.
    #[error("only integers of 8 or 16 bits can be read as normalised floats, not {format}")]
    NormalizedReads {
        /// What the texels are.
        format: &'static str,
    },
    /// A linear filter over integers.
    #[error(
        "a linear filter gives floats: {format} texels need point filtering, or, with 8 or 16 bits, to be read as normalised floats"
    )]
    FiltersIntegers {
        /// What the texels are.
        format: &'static str,
    },
    /// A linear filter over signed bytes.
    #[error(
        "a linear filter over i8 texels is not supported yet: how a GPU rounds there is not known; i16, u8, u16, f16 and f32 are"
    )]
    SignedBytes,
    /// Filter or normalised coordinates over linear memory.
    #[error(
        "a texture over linear memory is fetched by integer coordinates, without a filter; put the texels into an array"
    )]
    LinearMemory,
}
