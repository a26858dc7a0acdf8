//! Texture and surface objects. How a fetch reads them is the emulator's.

use crate::array::texel_of;
use crate::call::{Failure, Result, call, give, taken};
use crate::errors::CudaError;
use crate::types::{Resource, TextureDescription};
use cornerturn_cuda::{Driver, Texels, TextureObjectLayout};
use cornerturn_emulator::{AddressMode, Filter, Sampling};
use std::ffi::{c_int, c_ulonglong, c_void};

/// `cudaResourceType`.
const ARRAY: c_int = 0;
const LINEAR: c_int = 2;
const PITCHED: c_int = 3;

/// `cudaCreateTextureObject`.
///
/// # Safety
/// `texture` is null or there is room; the descriptions are null or whole.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaCreateTextureObject(
    texture: *mut c_ulonglong,
    resource: *const Resource,
    description: *const TextureDescription,
    view: *const c_void,
) -> CudaError {
    call(|driver| {
        // SAFETY: the caller's promise.
        let (resource, description) = unsafe { (taken(resource)?, taken(description)?) };
        if !view.is_null() {
            let message = "textures are what their memory is: the emulator has no views of another format (cudaResourceViewDesc)";
            return Err(Failure::new(CudaError::NOT_SUPPORTED, message));
        }
        let layout = layout(driver, &resource, sampling(&description)?)?;
        // SAFETY: the caller's promise.
        unsafe { give(texture, driver.make_texture(&layout)?) }
    })
}

fn sampling(description: &TextureDescription) -> Result<Sampling> {
    let address = |mode: c_int| {
        Ok(match mode {
            0 => AddressMode::Wrap,
            1 => AddressMode::Clamp,
            2 => AddressMode::Mirror,
            3 => AddressMode::Border,
            _ => return Err(Failure::from(CudaError::INVALID_VALUE)),
        })
    };
    let [x, y, _] = description.address_modes;
    let sampling = Sampling {
        filter: match description.filter {
            0 => Filter::Point,
            1 => Filter::Linear,
            _ => return Err(CudaError::INVALID_FILTER.into()),
        },
        address: [address(x)?, address(y)?],
        normalized_coordinates: description.is_normalized != 0,
        normalized_reads: description.read == 1,
    };
    let uses_border = sampling.address.contains(&AddressMode::Border);
    let is_gap = description.srgb != 0 || uses_border && description.border != [0.0; 4];
    match is_gap {
        true => Err(Failure::new(
            CudaError::NOT_SUPPORTED,
            "the emulator has no textures in sRGB or with a border other than zero",
        )),
        // Without coordinates from 0 to 1 nothing repeats: CUDA Runtime API, `cudaCreateTextureObject`.
        false => Ok(match sampling.normalized_coordinates {
            true => sampling,
            false => Sampling {
                address: sampling.address.map(|mode| match mode {
                    AddressMode::Border => AddressMode::Border,
                    _ => AddressMode::Clamp,
                }),
                ..sampling
            },
        }),
    }
}

fn layout(driver: &Driver, resource: &Resource, sampling: Sampling) -> Result<TextureObjectLayout> {
    match resource.kind {
        ARRAY => {
            // SAFETY: the kind says which of the union's fields it is; all of them are plain numbers.
            let array = driver.array(unsafe { resource.of.array } as u64)?;
            Ok(TextureObjectLayout {
                format: array.shape.format,
                channels: array.shape.channels,
                width: array.shape.width as u64,
                height: (array.shape.height > 0).then_some(array.shape.height as u64),
                texels: Texels::Array(array),
                sampling,
            })
        }
        LINEAR => {
            // SAFETY: as above.
            let linear = unsafe { resource.of.linear };
            let (format, channels) = texel_of(linear.channels)?;
            Ok(TextureObjectLayout {
                texels: Texels::Linear(linear.pointer as u64),
                format,
                channels,
                width: linear.bytes as u64 / u64::from(format.bytes() * channels),
                height: None,
                sampling,
            })
        }
        PITCHED => {
            // SAFETY: as above.
            let pitched = unsafe { resource.of.pitched };
            let (format, channels) = texel_of(pitched.channels)?;
            Ok(TextureObjectLayout {
                texels: Texels::Pitched(pitched.pointer as u64, pitched.pitch as u64),
                format,
                channels,
                width: pitched.width as u64,
                height: Some(pitched.height as u64),
                sampling,
            })
        }
        _ => Err(Failure::new(
            CudaError::NOT_SUPPORTED,
            "the emulator has no textures over mipmapped arrays",
        )),
    }
}

/// `cudaDestroyTextureObject`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDestroyTextureObject(texture: c_ulonglong) -> CudaError {
    call(|driver| match texture {
        0 => Ok(()),
        texture => Ok(driver.destroy_texture(texture)?),
    })
}

/// `cudaCreateSurfaceObject`.
///
/// # Safety
/// `surface` is null or there is room; `resource` is null or whole.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaCreateSurfaceObject(
    surface: *mut c_ulonglong,
    resource: *const Resource,
) -> CudaError {
    call(|driver| {
        // SAFETY: the caller's promise.
        let resource = unsafe { taken(resource) }?;
        if resource.kind != ARRAY {
            return Err(CudaError::INVALID_VALUE.into());
        }
        // SAFETY: the kind says that it is this field of the union.
        let array = driver.array(unsafe { resource.of.array } as u64)?;
        // SAFETY: the caller's promise.
        unsafe { give(surface, driver.make_surface(&array)?) }
    })
}

/// `cudaDestroySurfaceObject`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDestroySurfaceObject(surface: c_ulonglong) -> CudaError {
    call(|driver| match surface {
        0 => Ok(()),
        surface => Ok(driver.destroy_texture(surface)?),
    })
}
