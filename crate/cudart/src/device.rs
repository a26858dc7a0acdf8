//! Devices: which there are, what they are, which one calls mean, and waiting for it. What an H200 has is the driver's table.

use crate::call::{self, Result, ask, give};
use crate::errors::CudaError;
use crate::properties::DeviceProperties;
use cornerturn_cuda::{DEVICE_NAME, Driver};
use std::ffi::{CStr, c_char, c_int, c_uint};

/// A device by its number.
pub(crate) fn numbered(driver: &Driver, number: c_int) -> Result<u32> {
    let number = u32::try_from(number)
        .ok()
        .filter(|one| *one < driver.devices());
    number.ok_or_else(|| CudaError::INVALID_DEVICE.into())
}

/// `cudaGetDeviceCount`.
///
/// # Safety
/// `count` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDeviceCount(count: *mut c_int) -> CudaError {
    // SAFETY: the caller's promise.
    ask(|driver| unsafe { give(count, driver.devices().cast_signed()) })
}

/// `cudaGetDevice`.
///
/// # Safety
/// `device` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDevice(device: *mut c_int) -> CudaError {
    // SAFETY: the caller's promise.
    ask(|_| unsafe { give(device, call::device().cast_signed()) })
}

/// `cudaSetDevice`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaSetDevice(device: c_int) -> CudaError {
    ask(|driver| {
        let device = numbered(driver, device)?;
        call::set_device(device);
        Ok(driver.use_device(device).map(drop)?)
    })
}

/// `cudaInitDevice`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaInitDevice(device: c_int, _flags: c_uint, _how: c_uint) -> CudaError {
    ask(|driver| numbered(driver, device).map(drop))
}

/// `cudaSetDeviceFlags`: how the host waits, which it does not here.
#[unsafe(no_mangle)]
pub extern "C" fn cudaSetDeviceFlags(_flags: c_uint) -> CudaError {
    ask(|_| Ok(()))
}

/// `cudaGetDeviceFlags`.
///
/// # Safety
/// `flags` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDeviceFlags(flags: *mut c_uint) -> CudaError {
    // SAFETY: the caller's promise.
    ask(|_| unsafe { give(flags, 0) })
}

/// `cudaDeviceSynchronize`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSynchronize() -> CudaError {
    call::call(|driver| Ok(driver.synchronize()?))
}

/// `cudaDeviceReset`: all that the device holds is gone, and its error.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceReset() -> CudaError {
    ask(|driver| {
        driver.flush();
        Ok(driver.reset_primary(call::device())?)
    })
}

/// `cudaDeviceGetAttribute`.
///
/// # Safety
/// `value` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    device: c_int,
) -> CudaError {
    ask(|driver| {
        let device = numbered(driver, device)?;
        let number = u32::try_from(attribute).map_err(|_| CudaError::INVALID_VALUE)?;
        // SAFETY: the caller's promise.
        unsafe { give(value, driver.attribute(device, number)?) }
    })
}

/// `cudaGetDeviceProperties`.
///
/// # Safety
/// `properties` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDeviceProperties(
    properties: *mut DeviceProperties,
    device: c_int,
) -> CudaError {
    ask(|driver| {
        let device = numbered(driver, device)?;
        // SAFETY: the caller's promise.
        unsafe { give(properties, properties_of(driver, device)?) }
    })
}

/// The attributes of a device, each where the structure has it.
fn properties_of(driver: &Driver, device: u32) -> Result<DeviceProperties> {
    let get = |number: u32| driver.attribute(device, number).unwrap_or_default();
    let bytes = |number: u32| get(number).max(0) as usize;
    // SAFETY: numbers and arrays of numbers, of which all bits 0 are zeros.
    let mut of: DeviceProperties = unsafe { std::mem::zeroed() };
    for (to, from) in of.name.iter_mut().zip(DEVICE_NAME.bytes()) {
        *to = from as c_char;
    }
    of.uuid = driver.uuid(device)?.map(|byte| byte as c_char);
    of.total_global_mem = driver.memory_bytes().1 as usize;
    of.shared_mem_per_block = bytes(8);
    of.regs_per_block = get(12);
    of.warp_size = get(10);
    of.mem_pitch = bytes(11);
    of.max_threads_per_block = get(1);
    of.max_threads_dim = [2, 3, 4].map(get);
    of.max_grid_size = [5, 6, 7].map(get);
    of.total_const_mem = bytes(9);
    (of.major, of.minor) = (get(75), get(76));
    (of.texture_alignment, of.texture_pitch_alignment) = (bytes(14), bytes(51));
    of.surface_alignment = bytes(30);
    of.multi_processor_count = get(16);
    (of.integrated, of.can_map_host_memory) = (get(18), get(19));
    (of.concurrent_kernels, of.ecc_enabled) = (get(31), get(32));
    (of.pci_bus_id, of.pci_device_id, of.pci_domain_id) = (get(33), get(34), get(50));
    (of.tcc_driver, of.async_engine_count) = (get(35), get(40));
    (of.unified_addressing, of.memory_bus_width) = (get(41), get(37));
    (of.l2_cache_size, of.persisting_l2_cache_max_size) = (get(38), get(108));
    of.max_threads_per_multi_processor = get(39);
    of.stream_priorities_supported = get(78);
    (of.global_l1_cache_supported, of.local_l1_cache_supported) = (get(79), get(80));
    of.shared_mem_per_multiprocessor = bytes(81);
    of.regs_per_multiprocessor = get(82);
    of.managed_memory = get(83);
    (of.is_multi_gpu_board, of.multi_gpu_board_group_id) = (get(84), get(85));
    of.host_native_atomic_supported = get(86);
    (of.pageable_memory_access, of.concurrent_managed_access) = (get(88), get(89));
    of.compute_preemption_supported = get(90);
    of.can_use_host_pointer_for_registered_mem = get(91);
    of.cooperative_launch = get(95);
    of.shared_mem_per_block_optin = bytes(97);
    of.host_register_supported = get(99);
    of.max_blocks_per_multi_processor = get(106);
    of.access_policy_max_window_size = get(109);
    of.reserved_shared_mem_per_block = bytes(111);
    (of.memory_pools_supported, of.cluster_launch) = (get(115), get(120));
    textures(&mut of, get);
    Ok(of)
}

/// The largest textures and surfaces.
fn textures(of: &mut DeviceProperties, get: impl Fn(u32) -> c_int + Copy) {
    of.max_texture_1d = get(21);
    of.max_texture_1d_mipmap = get(77);
    of.max_texture_2d = [22, 23].map(get);
    of.max_texture_2d_mipmap = [73, 74].map(get);
    of.max_texture_2d_linear = [70, 71, 72].map(get);
    of.max_texture_2d_gather = [45, 46].map(get);
    of.max_texture_3d = [24, 25, 26].map(get);
    of.max_texture_3d_alt = [47, 48, 49].map(get);
    of.max_texture_cubemap = get(52);
    of.max_texture_1d_layered = [42, 43].map(get);
    of.max_texture_2d_layered = [27, 28, 29].map(get);
    of.max_texture_cubemap_layered = [53, 54].map(get);
    of.max_surface_1d = get(55);
    of.max_surface_2d = [56, 57].map(get);
    of.max_surface_3d = [58, 59, 60].map(get);
    of.max_surface_1d_layered = [61, 62].map(get);
    of.max_surface_2d_layered = [63, 64, 65].map(get);
    of.max_surface_cubemap = get(66);
    of.max_surface_cubemap_layered = [67, 68].map(get);
}

/// `cudaChooseDevice`: all are the same.
///
/// # Safety
/// `device` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaChooseDevice(
    device: *mut c_int,
    _wanted: *const DeviceProperties,
) -> CudaError {
    // SAFETY: the caller's promise.
    ask(|_| unsafe { give(device, 0) })
}

/// `cudaDeviceGetPCIBusId`.
///
/// # Safety
/// There is room for so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetPCIBusId(
    text: *mut c_char,
    room: c_int,
    device: c_int,
) -> CudaError {
    ask(|driver| {
        let device = numbered(driver, device)?;
        let id = format!("0000:{:02X}:00.0\0", driver.attribute(device, 33)?);
        if text.is_null() || usize::try_from(room).is_ok_and(|room| room < id.len()) || room < 0 {
            return Err(CudaError::INVALID_VALUE.into());
        }
        // SAFETY: there is room for it.
        unsafe { id.as_ptr().cast::<c_char>().copy_to(text, id.len()) };
        Ok(())
    })
}

/// `cudaDeviceGetByPCIBusId`.
///
/// # Safety
/// `device` is null or there is room; `text` is ended by a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetByPCIBusId(
    device: *mut c_int,
    text: *const c_char,
) -> CudaError {
    ask(|driver| {
        if text.is_null() {
            return Err(CudaError::INVALID_VALUE.into());
        }
        // SAFETY: the caller's promise.
        let wanted = unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .to_uppercase();
        let bus = |device: &u32| driver.attribute(*device, 33).unwrap_or_default();
        let found = (0..driver.devices()).find(|one| {
            wanted.contains(&format!(":{:02X}:", bus(one)))
                || wanted.starts_with(&format!("{:02X}:", bus(one)))
        });
        // SAFETY: the caller's promise.
        unsafe {
            give(
                device,
                found.ok_or(CudaError::INVALID_DEVICE)?.cast_signed(),
            )
        }
    })
}

/// `cudaDeviceGetStreamPriorityRange`: as an H200's.
///
/// # Safety
/// Each pointer is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetStreamPriorityRange(
    least: *mut c_int,
    greatest: *mut c_int,
) -> CudaError {
    // SAFETY: the caller's promise.
    ask(|_| unsafe {
        give(least, 0)?;
        give(greatest, -5)
    })
}

/// `cudaDeviceGetCacheConfig`.
///
/// # Safety
/// `config` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetCacheConfig(config: *mut c_int) -> CudaError {
    // SAFETY: the caller's promise.
    ask(|_| unsafe { give(config, 0) })
}

/// `cudaDeviceSetCacheConfig`: a hint.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetCacheConfig(_config: c_int) -> CudaError {
    ask(|_| Ok(()))
}

/// What limits are without asking, by `cudaLimit`: stack of a thread, buffer of `printf`, heap of `malloc`, depth of launches
/// by kernels, such launches under way, granularity of L2, persisting part of L2.
const LIMITS: [usize; 7] = [1024, 1 << 20, 8 << 20, 2, 2048, 64, 0];

/// `cudaDeviceGetLimit`.
///
/// # Safety
/// `value` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetLimit(value: *mut usize, limit: c_int) -> CudaError {
    ask(|_| {
        let limit = usize::try_from(limit)
            .ok()
            .and_then(|limit| LIMITS.get(limit));
        // SAFETY: the caller's promise.
        unsafe { give(value, *limit.ok_or(CudaError::UNSUPPORTED_LIMIT)?) }
    })
}

/// `cudaDeviceSetLimit`: the emulator's own hold.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetLimit(limit: c_int, _value: usize) -> CudaError {
    ask(|_| match (0..LIMITS.len() as c_int).contains(&limit) {
        true => Ok(()),
        false => Err(CudaError::UNSUPPORTED_LIMIT.into()),
    })
}

/// `cudaCtxResetPersistingL2Cache`: there is no L2.
#[unsafe(no_mangle)]
pub extern "C" fn cudaCtxResetPersistingL2Cache() -> CudaError {
    ask(|_| Ok(()))
}

/// CUDA 13.0, which the headers that programs are compiled with are of.
const VERSION: c_int = 13_000;

/// `cudaDriverGetVersion`.
///
/// # Safety
/// `version` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDriverGetVersion(version: *mut c_int) -> CudaError {
    // SAFETY: the caller's promise.
    ask(|_| unsafe { give(version, VERSION) })
}

/// `cudaRuntimeGetVersion`.
///
/// # Safety
/// `version` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaRuntimeGetVersion(version: *mut c_int) -> CudaError {
    // SAFETY: the caller's promise.
    ask(|_| unsafe { give(version, VERSION) })
}

/// `cudaProfilerStart`: nobody profiles.
#[unsafe(no_mangle)]
pub extern "C" fn cudaProfilerStart() -> CudaError {
    CudaError::SUCCESS
}

/// `cudaProfilerStop`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaProfilerStop() -> CudaError {
    CudaError::SUCCESS
}
