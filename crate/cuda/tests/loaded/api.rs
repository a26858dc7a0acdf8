//! Calls of the driver API through cudarc: memory, copies, modules, streams, graphs, textures, as programs use them.

use crate::{passes, report};
use cudarc::driver::result::DriverError;
use cudarc::driver::sys;
use std::ffi::{CString, c_void};
use std::mem::zeroed;
use std::ptr::null_mut;

/// Adds the constant `step`, and counts itself in `runs`.
const PTX: &str = include_str!("add.ptx");

fn start() {
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

fn allocate(bytes: usize) -> u64 {
    let mut address = 0;
    // SAFETY: a place for the address.
    unsafe { sys::cuMemAlloc_v2(&mut address, bytes).result().unwrap() };
    address
}

fn upload(values: &[u32]) -> u64 {
    let address = allocate(size_of_val(values));
    // SAFETY: as many bytes on both sides.
    unsafe {
        sys::cuMemcpyHtoD_v2(address, values.as_ptr().cast(), size_of_val(values))
            .result()
            .unwrap()
    };
    address
}

fn download(address: u64, count: usize) -> Vec<u32> {
    let mut values = vec![0; count];
    // SAFETY: as many bytes on both sides.
    unsafe {
        sys::cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), address, 4 * count)
            .result()
            .unwrap()
    };
    values
}

fn load(ptx: &str) -> sys::CUmodule {
    let (mut module, text) = (null_mut(), CString::new(ptx).unwrap());
    // SAFETY: text with a NUL at its end.
    unsafe {
        sys::cuModuleLoadData(&mut module, text.as_ptr().cast())
            .result()
            .unwrap()
    };
    module
}

fn function(module: sys::CUmodule, name: &str) -> sys::CUfunction {
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
fn add(
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
        let mut copy: sys::CUDA_MEMCPY2D = zeroed();
        copy.srcMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = device;
        (copy.srcPitch, copy.srcXInBytes, copy.srcY) = (32, 8, 1);
        copy.dstMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_HOST;
        copy.dstHost = part.as_mut_ptr().cast();
        (copy.dstPitch, copy.WidthInBytes, copy.Height) = (12, 12, 2);
        sys::cuMemcpy2D_v2(&copy).result().unwrap();
        assert_eq!(part, [10, 11, 12, 18, 19, 20]);
        // Slices of 4 rows of 4 words: the box 2 × 2 × 2 from (1, 1, 1).
        let mut copy: sys::CUDA_MEMCPY3D = zeroed();
        copy.srcMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_UNIFIED;
        copy.srcDevice = device;
        (copy.srcPitch, copy.srcHeight) = (16, 4);
        (copy.srcXInBytes, copy.srcY, copy.srcZ) = (4, 1, 1);
        copy.dstMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_HOST;
        let mut cube = [0_u32; 8];
        copy.dstHost = cube.as_mut_ptr().cast();
        (copy.dstPitch, copy.dstHeight) = (8, 2);
        (copy.WidthInBytes, copy.Height, copy.Depth) = (8, 2, 2);
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

#[test]
#[ignore = "run by `streams_order_events_time_and_graphs_repeat`"]
fn streams() {
    start();
    let add_step = function(load(PTX), "add_step");
    let values = upload(&[0; 32]);
    // SAFETY: handles that these calls gave.
    unsafe {
        let mut streams = [null_mut(); 2];
        for stream in &mut streams {
            sys::cuStreamCreate(stream, 1).result().unwrap();
        }
        let [first, second] = streams;
        let mut events = [null_mut(); 2];
        for event in &mut events {
            sys::cuEventCreate(event, 0).result().unwrap();
        }
        sys::cuEventRecord(events[0], first).result().unwrap();
        add(add_step, values, first, false).unwrap();
        sys::cuEventRecord(events[1], first).result().unwrap();
        sys::cuStreamWaitEvent(second, events[1], 0)
            .result()
            .unwrap();
        add(add_step, values, second, false).unwrap();
        sys::cuStreamSynchronize(second).result().unwrap();
        let mut ms = 0.0;
        sys::cuEventElapsedTime(&mut ms, events[0], events[1])
            .result()
            .unwrap();
        assert!(ms > 0.001 && ms < 1.0, "{ms}");
        // Capture: nothing runs, then three times all.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
        sys::cuStreamBeginCapture_v2(first, mode).result().unwrap();
        add(add_step, values, first, false).unwrap();
        sys::cuEventRecord(events[0], first).result().unwrap();
        sys::cuStreamWaitEvent(second, events[0], 0)
            .result()
            .unwrap();
        add(add_step, values, second, false).unwrap();
        sys::cuEventRecord(events[1], second).result().unwrap();
        sys::cuStreamWaitEvent(first, events[1], 0)
            .result()
            .unwrap();
        assert_eq!(
            sys::cuStreamSynchronize(first),
            sys::CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
        );
        let mut graph = null_mut();
        sys::cuStreamEndCapture(first, &mut graph).result().unwrap();
        assert_eq!(download(values, 32), [2 * 3; 32]);
        let mut count = 0;
        sys::cuGraphGetNodes(graph, null_mut(), &mut count)
            .result()
            .unwrap();
        assert_eq!(count, 2);
        let mut exec = null_mut();
        sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0)
            .result()
            .unwrap();
        for _ in 0..3 {
            sys::cuGraphLaunch(exec, first).result().unwrap();
        }
        assert_eq!(download(values, 32), [8 * 3; 32]);
        sys::cuGraphExecDestroy(exec).result().unwrap();
        sys::cuGraphDestroy(graph).result().unwrap();
        // Work that the first stream does not wait for.
        sys::cuStreamBeginCapture_v2(first, mode).result().unwrap();
        sys::cuEventRecord(events[0], first).result().unwrap();
        sys::cuStreamWaitEvent(second, events[0], 0)
            .result()
            .unwrap();
        add(add_step, values, second, false).unwrap();
        assert_eq!(
            sys::cuStreamEndCapture(first, &mut graph),
            sys::CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED
        );
        // Two streams, no event: a race.
        add(add_step, values, first, false).unwrap();
        add(add_step, values, second, false).unwrap();
        sys::cuCtxSynchronize().result().unwrap();
    }
}

#[test]
fn streams_order_events_time_and_graphs_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let variables = [
        ("CORNERTURN_REPORT", path.to_str().unwrap()),
        ("CORNERTURN_CHECK", "1"),
    ];
    passes("api::streams", &variables);
    let report = report(&path);
    let findings = report["findings"].as_array().unwrap();
    let races = findings.iter().filter(|one| one["kind"] == "race");
    let texts: Vec<&str> = races.map(|one| one["message"].as_str().unwrap()).collect();
    // In the values, and in the variable that counts.
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(
        texts.iter().any(|text| text.contains("`runs`")),
        "{texts:?}"
    );
    assert!(
        texts.iter().all(|text| text.contains("kernel `add_step`")),
        "{texts:?}"
    );
    let remarks = report["remarks"].as_array().unwrap();
    assert!(remarks.iter().any(|one| one["kind"] == "time"));
    assert!(
        remarks.iter().any(|one| one["kind"] == "leak"),
        "values are never freed"
    );
}

#[test]
#[ignore = "run by `many_threads_use_it_at_once`"]
fn threads() {
    start();
    let module = load(PTX) as usize;
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                start();
                let add_step = function(module as sys::CUmodule, "add_step");
                let mut stream = null_mut();
                // SAFETY: handles that these calls gave.
                unsafe { sys::cuStreamCreate(&mut stream, 0).result().unwrap() };
                for round in 0..100 {
                    let values = upload(&[thread; 32]);
                    add(add_step, values, stream, round % 2 == 0).unwrap();
                    // SAFETY: memory that `upload` gave.
                    unsafe { sys::cuStreamSynchronize(stream).result().unwrap() };
                    assert_eq!(download(values, 32), [thread + 3; 32]);
                    // SAFETY: the same.
                    unsafe { sys::cuMemFree_v2(values).result().unwrap() };
                }
            });
        }
    });
}

#[test]
fn many_threads_use_it_at_once() {
    passes("api::threads", &[]);
}

#[test]
#[ignore = "run by `several_devices_share_their_memory`"]
fn devices() {
    start();
    // SAFETY: handles that these calls gave.
    unsafe {
        let mut count = 0;
        sys::cuDeviceGetCount(&mut count).result().unwrap();
        assert_eq!(count, 2);
        let own = upload(&[1; 32]);
        let mut other = null_mut();
        sys::cuDevicePrimaryCtxRetain(&mut other, 1)
            .result()
            .unwrap();
        sys::cuCtxSetCurrent(other).result().unwrap();
        let theirs = allocate(128);
        sys::cuMemcpyPeer(theirs, other, own, null_mut(), 128)
            .result()
            .unwrap();
        let mut first = null_mut();
        sys::cuDevicePrimaryCtxRetain(&mut first, 0)
            .result()
            .unwrap();
        sys::cuCtxEnablePeerAccess(first, 0).result().unwrap();
        let again = sys::cuCtxEnablePeerAccess(first, 0);
        assert_eq!(again, sys::CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        add(function(load(PTX), "add_step"), own, null_mut(), false).unwrap();
        assert_eq!((download(own, 1), download(theirs, 1)), (vec![4], vec![1]));
        let mut missing = 0;
        assert_eq!(
            sys::cuDeviceGet(&mut missing, 2),
            sys::CUresult::CUDA_ERROR_INVALID_DEVICE
        );
    }
}

#[test]
fn several_devices_share_their_memory() {
    passes("api::devices", &[("CORNERTURN_DEVICES", "2")]);
}
