//! Calls of the driver API through cudarc: streams, events, graphs, threads, several devices.

use crate::api::{PTX, add, allocate, download, function, load, start, upload};
use crate::{passes, report};
use cudarc::driver::sys;
use std::ptr::null_mut;

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
        sys::cuStreamSynchronize(first).result().unwrap();
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
    passes("order::streams", &variables);
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
    passes("order::threads", &[]);
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
    passes("order::devices", &[("CORNERTURN_DEVICES", "2")]);
}
