//! Arrays and texture objects made by the driver. What is allowed is checked before, in `texture`.

use super::driver::{OUT_OF_MEMORY, check};
use super::{CudaDevice, State};
use cornerturn_base::error::{Error, Result};
use cornerturn_emulator::{AddressMode, Filter, TexelFormat, TexelMemory, TextureLayout};
use cudarc::driver::sys::{CUarray, CUdeviceptr};
use std::ffi::{c_int, c_uint, c_void};

/// `CUDA_ARRAY3D_TEXTURE_GATHER`: what `tex2Dgather` needs.
const GATHER: c_uint = 0x08;
/// The longest side of an array that allows it (`CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH`).
const MOST_GATHER: u64 = 32_768;
/// `CU_TRSF_READ_AS_INTEGER`.
const READ_AS_INTEGER: c_uint = 1;
/// `CU_TRSF_NORMALIZED_COORDINATES`.
const NORMALIZED_COORDINATES: c_uint = 2;
/// `CU_MEMORYTYPE_HOST` and `CU_MEMORYTYPE_ARRAY`.
const HOST: c_uint = 1;
const ARRAY: c_uint = 3;
/// `CU_RESOURCE_TYPE_ARRAY`, `…_LINEAR` and `…_PITCH2D`.
const RESOURCE_ARRAY: c_uint = 0;
const RESOURCE_LINEAR: c_uint = 2;
const RESOURCE_PITCHED: c_uint = 3;

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
pub(super) struct ArrayDescriptor {
    width: usize,
    height: usize,
    depth: usize,
    format: c_uint,
    channels: c_uint,
    flags: c_uint,
}

/// `CUDA_MEMCPY2D`, from the host to an array.
#[repr(C)]
pub(super) struct Copy2d {
    from_x_bytes: usize,
    from_y: usize,
    from_type: c_uint,
    from_host: *const c_void,
    from_device: CUdeviceptr,
    from_array: CUarray,
    from_pitch_bytes: usize,
    to_x_bytes: usize,
    to_y: usize,
    to_type: c_uint,
    to_host: *mut c_void,
    to_device: CUdeviceptr,
    to_array: CUarray,
    to_pitch_bytes: usize,
    width_bytes: usize,
    height: usize,
}

/// `CUDA_RESOURCE_DESC`, whose union has 32 integers of 32 bits and is aligned to 8 bytes.
#[repr(C)]
pub(super) struct Resource {
    kind: c_uint,
    words: [u64; 16],
    flags: c_uint,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Default)]
pub(super) struct Reading {
    address_modes: [c_uint; 3],
    filter: c_uint,
    flags: c_uint,
    anisotropy: c_uint,
    mipmap_filter: c_uint,
    mipmap_bias: f32,
    mipmap_least: f32,
    mipmap_most: f32,
    border: [f32; 4],
    reserved: [c_int; 12],
}

impl CudaDevice {
    /// The handle of a texture of a checked layout, and the life of the context in which it was made.
    pub(crate) fn make_texture(&self, layout: &TextureLayout) -> Result<(u64, u64)> {
        let mut state = self.enter()?;
        let array = match &layout.memory {
            TexelMemory::Array(texels) => Some(self.make_array(&mut state, layout, texels)?),
            _ => None,
        };
        let (resource, reading) = (resource(layout, array), reading(layout));
        let mut handle = 0;
        // SAFETY: the descriptors are laid out as the driver's structures, which the tests below compare with cudarc's;
        // a null view asks for the resource as it is; the array lives, and linear memory is a buffer that the caller
        // keeps alive. The context is current.
        let code = unsafe {
            (self.driver.cuTexObjectCreate)(
                &mut handle,
                (&raw const resource).cast(),
                (&raw const reading).cast(),
                std::ptr::null(),
            )
        };
        let made = self.settle(&mut state, check("cuTexObjectCreate", code));
        if let (Err(_), Some(array)) = (&made, array) {
            // SAFETY: nothing else knows the array. A failure here changes nothing of the error.
            unsafe { (self.driver.cuArrayDestroy)(array) };
        }
        made?;
        if let Some(array) = array {
            state.arrays.insert(handle, array);
        }
        Ok((handle, self.life()))
    }

    fn make_array(
        &self,
        state: &mut State,
        layout: &TextureLayout,
        texels: &[u8],
    ) -> Result<CUarray> {
        let height = layout.height.unwrap_or(0);
        let gathers = layout.height.is_some() && layout.width.max(height) <= MOST_GATHER;
        let descriptor = ArrayDescriptor {
            width: layout.width as usize,
            height: height as usize,
            depth: 0,
            format: format(layout.format),
            channels: layout.channels,
            flags: if gathers { GATHER } else { 0 },
        };
        let mut array: CUarray = std::ptr::null_mut();
        // SAFETY: the descriptor is laid out as the driver's, `array` is writable, the context is current.
        let code =
            unsafe { (self.driver.cuArray3DCreate_v2)(&mut array, (&raw const descriptor).cast()) };
        if code == OUT_OF_MEMORY {
            return Err(Error::Memory {
                free: None,
                what: format!("texture `{}`", layout.name),
                bytes: texels.len(),
                place: "GPU memory",
            });
        }
        self.settle(state, check("cuArray3DCreate", code))?;
        let rows = height.max(1) as usize;
        let row_bytes = texels.len() / rows;
        let copy = Copy2d {
            from_x_bytes: 0,
            from_y: 0,
            from_type: HOST,
            from_host: texels.as_ptr().cast(),
            from_device: 0,
            from_array: std::ptr::null_mut(),
            from_pitch_bytes: row_bytes,
            to_x_bytes: 0,
            to_y: 0,
            to_type: ARRAY,
            to_host: std::ptr::null_mut(),
            to_device: 0,
            to_array: array,
            to_pitch_bytes: 0,
            width_bytes: row_bytes,
            height: rows,
        };
        // SAFETY: the copy is laid out as the driver's; `texels` has `rows` rows of `row_bytes`, and so has the array:
        // `cornerturn_emulator::Texture::new` checked that for this layout.
        let code = unsafe { (self.driver.cuMemcpy2D_v2)((&raw const copy).cast()) };
        if let Err(error) = self.settle(state, check("cuMemcpy2D", code)) {
            // SAFETY: nothing else knows the array.
            unsafe { (self.driver.cuArrayDestroy)(array) };
            return Err(error);
        }
        Ok(array)
    }

    pub(crate) fn free_texture(&self, handle: u64, life: u64) {
        // A lost texture went with its context.
        let Ok(mut state) = self.enter() else { return };
        let waited = self.wait_for_all(&mut state);
        let _ = self.settle(&mut state, waited);
        if life != self.life() || state.hung {
            return;
        }
        // SAFETY: the context that it was made in is current; only the last handle's drop comes here, after every launch
        // and every stream has been waited for. A failure cannot be answered in a drop.
        unsafe { (self.driver.cuTexObjectDestroy)(handle) };
        if let Some(array) = state.arrays.remove(&handle) {
            // SAFETY: its only texture was destroyed.
            unsafe { (self.driver.cuArrayDestroy)(array) };
        }
    }
}

fn resource(layout: &TextureLayout, array: Option<CUarray>) -> Resource {
    let mut words = [0; 16];
    let channels = u64::from(format(layout.format)) | u64::from(layout.channels) << 32;
    let texel_bytes = u64::from(layout.format.bytes() * layout.channels);
    let kind = match layout.memory {
        TexelMemory::Array(_) => {
            words[0] = array.map_or(0, |array| array.expose_provenance() as u64);
            RESOURCE_ARRAY
        }
        TexelMemory::Linear { address } => {
            words[..3].copy_from_slice(&[address, channels, layout.width * texel_bytes]);
            RESOURCE_LINEAR
        }
        TexelMemory::Pitched {
            address,
            pitch_bytes,
        } => {
            let height = layout.height.unwrap_or(1);
            words[..5].copy_from_slice(&[address, channels, layout.width, height, pitch_bytes]);
            RESOURCE_PITCHED
        }
    };
    Resource {
        kind,
        words,
        flags: 0,
    }
}

fn reading(layout: &TextureLayout) -> Reading {
    let sampling = layout.sampling;
    let mode = |mode| match mode {
        AddressMode::Wrap => 0,
        AddressMode::Clamp => 1,
        AddressMode::Mirror => 2,
        AddressMode::Border => 3,
    };
    let [x, y] = sampling.address;
    // An H200 mixes in the border of an axis that a 1D texture does not have.
    let y = if layout.height.is_some() {
        y
    } else {
        AddressMode::Clamp
    };
    let gives_integers = !layout.format.is_float() && !sampling.normalized_reads;
    Reading {
        address_modes: [mode(x), mode(y), mode(AddressMode::Clamp)],
        filter: c_uint::from(sampling.filter == Filter::Linear),
        flags: c_uint::from(gives_integers) * READ_AS_INTEGER
            + c_uint::from(sampling.normalized_coordinates) * NORMALIZED_COORDINATES,
        ..Reading::default()
    }
}

/// `CUarray_format`.
fn format(format: TexelFormat) -> c_uint {
    match format {
        TexelFormat::U8 => 0x01,
        TexelFormat::U16 => 0x02,
        TexelFormat::U32 => 0x03,
        TexelFormat::S8 => 0x08,
        TexelFormat::S16 => 0x09,
        TexelFormat::S32 => 0x0a,
        TexelFormat::F16 => 0x10,
        TexelFormat::F32 => 0x20,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys;
    use std::mem::{align_of, offset_of, size_of};

    #[test]
    fn descriptors_are_laid_out_as_the_drivers() {
        assert_eq!(
            size_of::<ArrayDescriptor>(),
            size_of::<sys::CUDA_ARRAY3D_DESCRIPTOR>()
        );
        assert_eq!(size_of::<Copy2d>(), size_of::<sys::CUDA_MEMCPY2D>());
        assert_eq!(
            offset_of!(Copy2d, to_array),
            offset_of!(sys::CUDA_MEMCPY2D, dstArray)
        );
        assert_eq!(size_of::<Resource>(), size_of::<sys::CUDA_RESOURCE_DESC>());
        assert_eq!(
            align_of::<Resource>(),
            align_of::<sys::CUDA_RESOURCE_DESC>()
        );
        assert_eq!(
            offset_of!(Resource, words),
            offset_of!(sys::CUDA_RESOURCE_DESC, res)
        );
        assert_eq!(size_of::<Reading>(), size_of::<sys::CUDA_TEXTURE_DESC>());
        assert_eq!(
            offset_of!(Reading, border),
            offset_of!(sys::CUDA_TEXTURE_DESC, borderColor)
        );
    }
}
