//! Calls of the driver API through cudarc: memory, copies, modules, as programs use them.

use crate::{passes, report};
use cudarc::driver::result::DriverError;
use cudarc::driver::sys;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;

/// Adds the constant `step`, and counts itself in `runs`.
pub const PTX: &str = include_str!("add.ptx");

pub fn start() {
    // SAFETY: the driver is started and a context made as its manual says; the same of all calls below.
    unsafe {
        sys::cuInit(0).result().unwrap();
        let mut context = null_mut();
        sys::cuDevicePrimaryCtxRetain(&mut context, 0)
            .result()
            .unwrap();
        sys::cuCtxSetCurrent(context).result().unwrap();
    }
}

pub fn allocate(bytes: usize) -> u64 {
    let mut address = 0;
    // SAFETY: a place for the address.
    unsafe { sys::cuMemAlloc_v2(&mut address, bytes).result().unwrap() };
    address
}

pub fn upload(values: &[u32]) -> u64 {
    let address = allocate(size_of_val(values));
    // SAFETY: as many bytes on both sides.
    unsafe {
        sys::cuMemcpyHtoD_v2(address, values.as_ptr().cast(), size_of_val(values))
            .result()
            .unwrap()
    };
    address
}

pub fn download(address: u64, count: usize) -> Vec<u32> {
    let mut values = vec![0; count];
    // SAFETY: as many bytes on both sides.
    unsafe {
        sys::cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), address, 4 * count)
            .result()
            .unwrap()
    };
    values
}

pub fn load(ptx: &str) -> sys::CUmodule {
    let (mut module, text) = (null_mut(), CString::new(ptx).unwrap());
    // SAFETY: text with a NUL at its end.
    unsafe {
        sys::cuModuleLoadData(&mut module, text.as_ptr().cast())
            .result()
            .unwrap()
    };
    module
}

pub fn function(module: sys::CUmodule, name: &str) -> sys::CUfunction {
    let (mut function, name) = (null_mut(), CString::new(name).unwrap());
    // SAFETY: a module that was loaded, and a name with a NUL at its end.
    unsafe {
        sys::cuModuleGetFunction(&mut function, module, name.as_ptr())
            .result()
            .unwrap()
    };
    function
}

/// Launches one block of 32 threads that add `step` to `values`, by pointers or in one buffer.
pub fn add(
    function: sys::CUfunction,
    values: u64,
    stream: sys::CUstream,
    packed: bool,
) -> Result<(), DriverError> {
    let (mut address, mut count) = (values, 32_u32);
    let mut params = [(&raw mut address).cast::<c_void>(), (&raw mut count).cast()];
    let mut buffer = [0_u8; 12];
    buffer[..8].copy_from_slice(&address.to_le_bytes());
    buffer[8..].copy_from_slice(&count.to_le_bytes());
    let mut bytes = buffer.len();
    let mut extra = [
        std::ptr::without_provenance_mut(1),
        buffer.as_mut_ptr().cast::<c_void>(),
        std::ptr::without_provenance_mut(2),
        (&raw mut bytes).cast(),
        null_mut(),
    ];
    let (params, extra) = match packed {
        true => (null_mut(), extra.as_mut_ptr()),
        false => (params.as_mut_ptr(), null_mut()),
    };
    // SAFETY: the parameters are those of the kernel.
    unsafe { sys::cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, params, extra).result() }
}

#[test]
#[ignore = "run by `kernels_variables_and_constants_work`"]
fn kernels() {
    start();
    let module = load(PTX);
    let add_step = function(module, "add_step");
    let values = upload(&[7; 32]);
    add(add_step, values, null_mut(), false).unwrap();
    add(add_step, values, null_mut(), true).unwrap();
    assert_eq!(download(values, 32), [7 + 2 * 3; 32]);
    let symbol = |name: &str| {
        let (mut address, mut bytes, name) = (0, 0, CString::new(name).unwrap());
        // SAFETY: a module that was loaded, and a name with a NUL at its end.
        unsafe {
            sys::cuModuleGetGlobal_v2(&mut address, &mut bytes, module, name.as_ptr()).result()
        }
        .map(|()| (address, bytes))
    };
    let (runs, bytes) = symbol("runs").unwrap();
    assert_eq!((download(runs, 1), bytes), (vec![2 * 32], 4));
    let (step, _) = symbol("step").unwrap();
    assert_eq!(download(step, 1), [3]);
    // SAFETY: 4 bytes of a constant.
    unsafe {
        sys::cuMemcpyHtoD_v2(step, (&raw const values).cast(), 4)
            .result()
            .unwrap()
    };
    let ten = 10_u32;
    // SAFETY: the same.
    unsafe {
        sys::cuMemcpyHtoD_v2(step, (&raw const ten).cast(), 4)
            .result()
            .unwrap()
    };
    add(add_step, values, null_mut(), false).unwrap();
    assert_eq!(download(values, 32), [7 + 2 * 3 + 10; 32]);
    assert_eq!(
        symbol("nothing").unwrap_err().0,
        sys::CUresult::CUDA_ERROR_NOT_FOUND
    );
    // A kernel of one module may use a variable of another.
    let other = load(PTX);
    add(function(other, "add_step"), runs, null_mut(), false).unwrap();
    // SAFETY: modules and memory that are there.
    unsafe {
        sys::cuCtxSynchronize();
        sys::cuModuleUnload(other);
    }
}

#[test]
fn kernels_variables_and_constants_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    passes(
        "api::kernels",
        &[("CORNERTURN_REPORT", path.to_str().unwrap())],
    );
    let report = report(&path);
    let kernels = report["kernels"].as_array().unwrap();
    assert_eq!(kernels[0]["launches"], 3);
    assert_eq!(
        kernels[0]["counters"]["smsp__inst_executed_op_global_st.sum"],
        3
    );
    // The last launch reached beyond the variable of the other module.
    assert_eq!(kernels[1]["findings"][0]["buffer"], "runs");
}

#[test]
#[ignore = "run by `memory_is_copied_and_filled`"]
fn memory() {
    start();
    // SAFETY: sizes and pointers fit each other in all of these.
    unsafe {
        let values: Vec<u32> = (0..64).collect();
        let device = upload(&values);
        // A box of 3 × 2 words from row 1, column 2 of rows of 8, to the host.
        let mut part = [0_u32; 6];
        let copy = sys::CUDA_MEMCPY2D {
            srcXInBytes: 8,
            srcY: 1,
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
            srcHost: null_mut(),
            srcDevice: device,
            srcArray: null_mut(),
            srcPitch: 32,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            dstHost: part.as_mut_ptr().cast(),
            dstDevice: 0,
            dstArray: null_mut(),
            dstPitch: 12,
            WidthInBytes: 12,
            Height: 2,
        };
        sys::cuMemcpy2D_v2(&copy).result().unwrap();
        assert_eq!(part, [10, 11, 12, 18, 19, 20]);
        // Slices of 4 rows of 4 words: the box 2 × 2 × 2 from (1, 1, 1).
        let mut cube = [0_u32; 8];
        let copy = sys::CUDA_MEMCPY3D {
            srcXInBytes: 4,
            srcY: 1,
            srcZ: 1,
            srcLOD: 0,
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_UNIFIED,
            srcHost: null_mut(),
            srcDevice: device,
            srcArray: null_mut(),
            reserved0: null_mut(),
            srcPitch: 16,
            srcHeight: 4,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            dstHost: cube.as_mut_ptr().cast(),
            dstDevice: 0,
            dstArray: null_mut(),
            reserved1: null_mut(),
            dstPitch: 8,
            dstHeight: 2,
            WidthInBytes: 8,
            Height: 2,
            Depth: 2,
        };
        sys::cuMemcpy3D_v2(&copy).result().unwrap();
        assert_eq!(cube, [21, 22, 25, 26, 37, 38, 41, 42]);
        sys::cuMemsetD8_v2(device, 0xab, 5).result().unwrap();
        sys::cuMemsetD16_v2(device + 8, 0x1234, 3).result().unwrap();
        sys::cuMemsetD32_v2(device + 16, 9, 2).result().unwrap();
        sys::cuMemsetD2D32_v2(device + 32, 32, 1, 2, 2)
            .result()
            .unwrap();
        let found = download(device, 20);
        let expected = [0xabab_abab, 0xab, 0x1234_1234, 0x1234, 9, 9, 6, 7];
        assert_eq!(found[..8], expected);
        assert_eq!(found[8..], [1, 1, 10, 11, 12, 13, 14, 15, 1, 1, 18, 19]);
        // Managed and pinned memory: one address for both.
        let mut managed = 0;
        sys::cuMemAllocManaged(&mut managed, 128, 1)
            .result()
            .unwrap();
        let words = std::slice::from_raw_parts_mut(managed as *mut u32, 32);
        words.fill(5);
        let add_step = function(load(PTX), "add_step");
        add(add_step, managed, null_mut(), false).unwrap();
        sys::cuCtxSynchronize().result().unwrap();
        assert_eq!(words, [8; 32]);
        let mut pinned = null_mut();
        sys::cuMemHostAlloc(&mut pinned, 128, 2).result().unwrap();
        let words = std::slice::from_raw_parts_mut(pinned.cast::<u32>(), 32);
        words.fill(1);
        let mut mapped = 0;
        sys::cuMemHostGetDevicePointer_v2(&mut mapped, pinned, 0)
            .result()
            .unwrap();
        add(add_step, mapped, null_mut(), false).unwrap();
        assert_eq!(words, [4; 32]);
        // Registered memory has a device address of its own.
        let mut own = vec![2_u32; 32];
        sys::cuMemHostRegister_v2(own.as_mut_ptr().cast(), 128, 2)
            .result()
            .unwrap();
        sys::cuMemHostGetDevicePointer_v2(&mut mapped, own.as_mut_ptr().cast(), 0)
            .result()
            .unwrap();
        add(add_step, mapped, null_mut(), false).unwrap();
        sys::cuMemHostUnregister(own.as_mut_ptr().cast())
            .result()
            .unwrap();
        assert_eq!(own, [5; 32]);
        let mut kind = 0_u32;
        let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        sys::cuPointerGetAttribute((&raw mut kind).cast(), attribute, device)
            .result()
            .unwrap();
        assert_eq!(kind, 2);
        let host = &raw const kind as u64;
        let unknown = sys::cuPointerGetAttribute((&raw mut kind).cast(), attribute, host);
        assert_eq!(unknown, sys::CUresult::CUDA_ERROR_INVALID_VALUE);
        let (mut free, mut total) = (0, 0);
        sys::cuMemGetInfo_v2(&mut free, &mut total)
            .result()
            .unwrap();
        let mut too_large = 0;
        let refused = sys::cuMemAlloc_v2(&mut too_large, total + 1);
        assert_eq!(refused, sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY);
    }
}

#[test]
fn memory_is_copied_and_filled() {
    passes("api::memory", &[]);
    passes("api::memory", &[("CORNERTURN_CHECK", "1")]);
}
