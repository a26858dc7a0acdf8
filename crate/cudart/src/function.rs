//! Kernels: their attributes, names, parameters, and how many blocks run together. How they are launched is in `launch`.

use crate::call::{Result, call, give};
use crate::errors::CudaError;
use crate::registered;
use crate::types::FunctionAttributes;
use cornerturn_cuda::{Function, FunctionAttribute};
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// `cudaFuncGetAttributes`.
///
/// # Safety
/// `attributes` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaFuncGetAttributes(
    attributes: *mut FunctionAttributes,
    function: *const c_void,
) -> CudaError {
    call(|driver| {
        let kernel = registered::kernel(driver, function)?;
        // SAFETY: the caller's promise.
        unsafe { give(attributes, attributes_of(&kernel)) }
    })
}

fn attributes_of(kernel: &Function) -> FunctionAttributes {
    use FunctionAttribute as A;
    let get = |attribute| kernel.attribute(attribute);
    let bytes = |attribute| usize::try_from(get(attribute)).unwrap_or_default();
    let mut rest = [0; 23];
    // In the header's order: carveout, whether a cluster must be given, its sizes.
    let known = [
        A::PreferredSharedMemoryCarveout,
        A::ClusterSizeMustBeSet,
        A::RequiredClusterWidth,
        A::RequiredClusterHeight,
        A::RequiredClusterDepth,
    ];
    for (value, attribute) in rest.iter_mut().zip(known) {
        *value = get(attribute);
    }
    FunctionAttributes {
        shared_bytes: bytes(A::SharedSizeBytes),
        const_bytes: bytes(A::ConstSizeBytes),
        local_bytes: bytes(A::LocalSizeBytes),
        most_threads: get(A::MaxThreadsPerBlock),
        registers: get(A::NumRegs),
        ptx_version: get(A::PtxVersion),
        binary_version: get(A::BinaryVersion),
        cache_mode: get(A::CacheModeCa),
        most_dynamic_bytes: get(A::MaxDynamicSharedSizeBytes),
        rest,
    }
}

/// `cudaFuncSetAttribute`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetAttribute(
    function: *const c_void,
    attribute: c_int,
    value: c_int,
) -> CudaError {
    call(|driver| {
        let kernel = registered::kernel(driver, function)?;
        let attribute = u32::try_from(attribute)
            .ok()
            .and_then(FunctionAttribute::of);
        let attribute = attribute.ok_or(CudaError::INVALID_VALUE)?;
        Ok(kernel.set_attribute(attribute, value)?)
    })
}

/// `cudaKernelSetAttributeForDevice`: of all devices.
#[unsafe(no_mangle)]
pub extern "C" fn cudaKernelSetAttributeForDevice(
    function: *const c_void,
    attribute: c_int,
    value: c_int,
    _device: c_int,
) -> CudaError {
    cudaFuncSetAttribute(function, attribute, value)
}

/// `cudaFuncSetCacheConfig`: a hint.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetCacheConfig(function: *const c_void, _config: c_int) -> CudaError {
    call(|driver| registered::kernel(driver, function).map(drop))
}

/// Names that were asked for: they stay as long as the program.
static NAMES: Mutex<Vec<CString>> = Mutex::new(Vec::new());

/// `cudaFuncGetName`.
///
/// # Safety
/// `name` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaFuncGetName(
    name: *mut *const c_char,
    function: *const c_void,
) -> CudaError {
    call(|driver| {
        let kernel = registered::kernel(driver, function)?;
        let own = CString::new(kernel.name.clone()).map_err(|_| CudaError::UNKNOWN)?;
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        if !names.contains(&own) {
            names.push(own.clone());
        }
        let kept = names.iter().find(|kept| **kept == own);
        // SAFETY: the caller's promise. A CString does not move its bytes when the list grows.
        unsafe { give(name, kept.map_or(std::ptr::null(), |kept| kept.as_ptr())) }
    })
}

/// `cudaFuncGetParamInfo`.
///
/// # Safety
/// The pointers are null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaFuncGetParamInfo(
    function: *const c_void,
    index: usize,
    offset: *mut usize,
    bytes: *mut usize,
) -> CudaError {
    call(|driver| {
        let kernel = registered::kernel(driver, function)?;
        let param = kernel.params.get(index).zip(kernel.offsets.get(index));
        let (param, at) = param.ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the caller's promise.
        unsafe {
            give(offset, *at)?;
            match bytes.is_null() {
                true => Ok(()),
                false => give(bytes, param.bytes),
            }
        }
    })
}

/// `cudaOccupancyMaxActiveBlocksPerMultiprocessor`.
///
/// # Safety
/// `blocks` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    function: *const c_void,
    block_threads: c_int,
    dynamic_shared_bytes: usize,
) -> CudaError {
    // SAFETY: the caller's promise.
    call(|driver| unsafe {
        let kernel = registered::kernel(driver, function)?;
        give(
            blocks,
            resident(&kernel, block_threads, dynamic_shared_bytes)?,
        )
    })
}

/// `cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags`; the flag concerns caches.
///
/// # Safety
/// `blocks` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut c_int,
    function: *const c_void,
    block_threads: c_int,
    dynamic_shared_bytes: usize,
    _flags: c_uint,
) -> CudaError {
    // SAFETY: the caller's promise.
    unsafe {
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            blocks,
            function,
            block_threads,
            dynamic_shared_bytes,
        )
    }
}

fn resident(kernel: &Arc<Function>, threads: c_int, shared_bytes: usize) -> Result<c_int> {
    let threads = u32::try_from(threads).ok().filter(|threads| *threads > 0);
    let threads = threads.ok_or(CudaError::INVALID_VALUE)?;
    kernel.check_supported()?;
    let shared_bytes = u32::try_from(shared_bytes).unwrap_or(u32::MAX / 2);
    Ok(kernel
        .blocks_per_multiprocessor(threads, shared_bytes)
        .cast_signed())
}

/// `cudaOccupancyAvailableDynamicSMemPerBlock`: what each of so many blocks may have, so that they run together.
///
/// # Safety
/// `bytes` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaOccupancyAvailableDynamicSMemPerBlock(
    bytes: *mut usize,
    function: *const c_void,
    blocks: c_int,
    block_threads: c_int,
) -> CudaError {
    call(|driver| {
        let kernel = registered::kernel(driver, function)?;
        let fits = |bytes: &usize| matches!(resident(&kernel, block_threads, *bytes), Ok(found) if found >= blocks);
        // Shared memory is given out in steps of 1 KiB: CUDA C++ Programming Guide, *Compute Capability 9.0*.
        let most = (0..=227_usize)
            .rev()
            .map(|kibibytes| kibibytes << 10)
            .find(fits);
        // SAFETY: the caller's promise.
        unsafe { give(bytes, most.ok_or(CudaError::INVALID_VALUE)?) }
    })
}
