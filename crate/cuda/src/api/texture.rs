//! Arrays, texture and surface objects, tensor maps.

use std::ffi::{c_int, c_uint};
use std::sync::Arc;

use cornerturn_emulator::{AddressMode, Filter, Sampling, TexelFormat};

use super::structs::{Array3dDescriptor, ArrayDescriptor, ResourceDescriptor, TextureDescriptor};
use super::{Handle, In, Out, driver, exports};
use crate::array::{Array, ArrayShape};
use crate::status::{Error, Result, Status};
use crate::texture::{Layout, Texels};

/// `CUarray_format` of what the emulator has.
const FORMATS: [(u32, TexelFormat); 8] = [
    (0x01, TexelFormat::U8),
    (0x02, TexelFormat::U16),
    (0x03, TexelFormat::U32),
    (0x08, TexelFormat::S8),
    (0x09, TexelFormat::S16),
    (0x0a, TexelFormat::S32),
    (0x10, TexelFormat::F16),
    (0x20, TexelFormat::F32),
];

exports! {
    /// Makes an array of one or two dimensions.
    fn cuArrayCreate_v2(array: Out<Handle>, shape: In<ArrayDescriptor>) {
        array.check()?;
        let shape = shape.get()?;
        let flags = 0;
        let (format, channels) = (format(shape.format)?, shape.channels);
        let shape = ArrayShape { width: shape.width, height: shape.height, depth: 0, format, channels, flags };
        array.set(driver()?.make_array(shape, 1)?.handle)
    }

    /// Makes an array of up to three dimensions, or with layers.
    fn cuArray3DCreate_v2(array: Out<Handle>, shape: In<Array3dDescriptor>) {
        array.check()?;
        array.set(driver()?.make_array(shape_of(&shape.get()?)?, 1)?.handle)
    }

    /// What it was made with.
    fn cuArrayGetDescriptor_v2(shape: Out<ArrayDescriptor>, array: Handle) {
        let of = driver()?.array(array)?.shape;
        shape.set(ArrayDescriptor { width: of.width, height: of.height, format: number(of.format), channels: of.channels })
    }

    /// The same with depth and flags.
    fn cuArray3DGetDescriptor_v2(shape: Out<Array3dDescriptor>, array: Handle) {
        let of = driver()?.array(array)?.shape;
        shape.set(Array3dDescriptor {
            width: of.width,
            height: of.height,
            depth: of.depth,
            format: number(of.format),
            channels: of.channels,
            flags: of.flags,
        })
    }

    /// Frees it.
    fn cuArrayDestroy(array: Handle) {
        driver()?.destroy_array(array)
    }

    /// Makes an array with levels.
    fn cuMipmappedArrayCreate(array: Out<Handle>, shape: In<Array3dDescriptor>, levels: c_uint) {
        array.check()?;
        array.set(driver()?.make_array(shape_of(&shape.get()?)?, levels)?.handle)
    }

    /// Frees it.
    fn cuMipmappedArrayDestroy(array: Handle) {
        driver()?.destroy_array(array)
    }

    /// One of its levels.
    fn cuMipmappedArrayGetLevel(level: Out<Handle>, array: Handle, number: c_uint) {
        let array = driver()?.array(array)?;
        let found = match number.checked_sub(1) {
            None => Some(&array),
            Some(next) => array.levels.get(next as usize),
        };
        level.set(found.ok_or(Status::INVALID_VALUE)?.handle)
    }

    /// Makes a texture object.
    fn cuTexObjectCreate(texture: Out<Handle>, resource: In<ResourceDescriptor>, descriptor: In<TextureDescriptor>, view: In<u8>) {
        texture.check()?;
        if view.get_if_given().is_some() {
            return Err(Error::new(Status::NOT_SUPPORTED, "views of a texture's texels are not supported yet"));
        }
        texture.set(driver()?.make_texture(&layout(&resource.get()?, &descriptor.get()?)?)?)
    }

    /// Takes it away.
    fn cuTexObjectDestroy(texture: Handle) {
        driver()?.destroy_texture(texture)
    }

    /// Makes a surface object.
    fn cuSurfObjectCreate(surface: Out<Handle>, resource: In<ResourceDescriptor>) {
        surface.check()?;
        let resource = resource.get()?;
        match resource.kind {
            0 => {
                let driver = driver()?;
                surface.set(driver.make_surface(&driver.array(resource.words[0])?)?)
            }
            _ => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// Takes it away.
    fn cuSurfObjectDestroy(surface: Handle) {
        driver()?.destroy_texture(surface)
    }

    /// Sparse arrays: there are none.
    fn cuArrayGetPlane(_plane: Out<Handle>, _array: Handle, _index: c_uint) {
        Err(Status::NOT_SUPPORTED.into())
    }

    /// Graphics: there are none.
    fn cuGraphicsUnregisterResource(_resource: Handle) {
        Err(Status::NOT_SUPPORTED.into())
    }

    /// Unused: which device draws.
    fn cuGLGetDevices_v2(count: Out<c_uint>, _devices: Out<c_int>, _room: c_uint, _which: c_uint) {
        count.set_if_asked(0);
        Err(Status::NO_DEVICE.into())
    }

    /// Makes a tensor map of a tiled tensor.
    fn cuTensorMapEncodeTiled(map: Out<[u8; 128]>, element: c_uint, rank: c_uint, address: u64, sizes: In<u64>, strides: In<u64>, tile: In<u32>, steps: In<u32>, interleave: c_uint, swizzle: c_uint, _promotion: c_uint, fill: c_uint) {
        let rank = rank as usize;
        if !(1..=5).contains(&rank) || interleave != 0 {
            return Err(Status::INVALID_VALUE.into());
        }
        let sizes = (sizes.list(rank)?, strides.list(rank - 1)?);
        let tile = (tile.list(rank)?, steps.list(rank)?);
        map.set(super::tensor::encode((element, swizzle, fill), address, sizes, tile)?)
    }
}

fn format(number: u32) -> Result<TexelFormat> {
    let found = FORMATS.iter().find(|(known, _)| *known == number);
    found.map(|(_, format)| *format).ok_or_else(|| {
        let message = format!("the array format {number:#x} is not supported yet");
        Error::new(Status::NOT_SUPPORTED, message)
    })
}

fn number(format: TexelFormat) -> u32 {
    let found = FORMATS.iter().find(|(_, known)| *known == format);
    found.map_or(0, |(number, _)| *number)
}

fn shape_of(shape: &Array3dDescriptor) -> Result<ArrayShape> {
    Ok(ArrayShape {
        width: shape.width,
        height: shape.height,
        depth: shape.depth,
        format: format(shape.format)?,
        channels: shape.channels,
        flags: shape.flags,
    })
}

/// The low half of a word.
fn low(word: u64) -> u32 {
    word as u32
}

/// The high half.
fn high(word: u64) -> u32 {
    (word >> 32) as u32
}

fn layout(resource: &ResourceDescriptor, descriptor: &TextureDescriptor) -> Result<Layout> {
    let words = &resource.words;
    let (texels, format, channels, width, height) = match resource.kind {
        0 | 1 => {
            let array: Arc<Array> = driver()?.array(words[0])?;
            let shape = array.shape;
            let height = (shape.height > 0).then_some(shape.height as u64);
            (
                Texels::Array(array),
                shape.format,
                shape.channels,
                shape.width as u64,
                height,
            )
        }
        2 => {
            let (format, channels) = (format(low(words[1]))?, high(words[1]));
            let texel = u64::from(format.bytes()) * u64::from(channels);
            let width = words[2].checked_div(texel).ok_or(Status::INVALID_VALUE)?;
            (Texels::Linear(words[0]), format, channels, width, None)
        }
        3 => {
            let (format, channels) = (format(low(words[1]))?, high(words[1]));
            let texels = Texels::Pitched(words[0], words[4]);
            (texels, format, channels, words[2], Some(words[3]))
        }
        _ => return Err(Status::INVALID_VALUE.into()),
    };
    let mode = |mode: u32| {
        Ok(match mode {
            0 => AddressMode::Wrap,
            1 => AddressMode::Clamp,
            2 => AddressMode::Mirror,
            3 => AddressMode::Border,
            _ => return Err(Error::from(Status::INVALID_VALUE)),
        })
    };
    let [x, y, _] = descriptor.address_modes;
    let normalized_coordinates = descriptor.flags & 2 != 0;
    let repeats = |mode: AddressMode| match mode {
        // CUDA C++ Programming Guide, "Texture Object API": without normalised coordinates, they are those of clamp.
        AddressMode::Wrap | AddressMode::Mirror if !normalized_coordinates => AddressMode::Clamp,
        mode => mode,
    };
    let is_small = !format.is_float() && format.bytes() < 4;
    let sampling = Sampling {
        filter: match descriptor.filter_mode {
            0 => Filter::Point,
            1 => Filter::Linear,
            _ => return Err(Status::INVALID_VALUE.into()),
        },
        address: [repeats(mode(x)?), repeats(mode(y)?)],
        normalized_coordinates,
        normalized_reads: is_small && descriptor.flags & 1 == 0,
    };
    Ok(Layout {
        texels,
        format,
        channels,
        width,
        height,
        sampling,
    })
}
