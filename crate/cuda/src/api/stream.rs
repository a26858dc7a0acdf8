//! Streams, events and capture.

use std::ffi::{c_int, c_uint};
use std::sync::Arc;

use super::{Handle, In, Out, driver, exports};
use crate::graph::NodeId;
use crate::status::{Result, Status};
use crate::stream::{LEGACY, PER_THREAD};
use crate::table::new_handle;
use crate::work::{HostCall, Work};

exports! {
    /// Makes a stream.
    fn cuStreamCreate(stream: Out<Handle>, flags: c_uint) {
        stream.check()?;
        stream.set(driver()?.make_stream(flags, 0)?.handle)
    }

    /// The same with a priority.
    fn cuStreamCreateWithPriority(stream: Out<Handle>, flags: c_uint, priority: c_int) {
        stream.check()?;
        stream.set(driver()?.make_stream(flags, priority)?.handle)
    }

    /// Destroys it.
    fn cuStreamDestroy_v2(stream: Handle) {
        driver()?.destroy_stream(stream)
    }

    /// Its priority.
    fn cuStreamGetPriority(stream: Handle, priority: Out<c_int>) {
        let stream = driver()?.stream(stream)?;
        priority.set(stream.map_or(0, |stream| stream.priority))
    }

    /// Its flags.
    fn cuStreamGetFlags(stream: Handle, flags: Out<c_uint>) {
        let stream = driver()?.stream(stream)?;
        flags.set(stream.map_or(0, |stream| stream.flags))
    }

    /// A number that no other stream has.
    fn cuStreamGetId(stream: Handle, id: Out<u64>) {
        let found = driver()?.stream(stream)?;
        id.set(found.map_or(LEGACY, |stream| stream.number + PER_THREAD))
    }

    /// Its context.
    fn cuStreamGetCtx(stream: Handle, context: Out<Handle>) {
        let driver = driver()?;
        let stream = driver.stream(stream)?;
        context.set(match stream {
            Some(stream) => stream.context,
            None => driver.context()?.handle,
        })
    }

    /// Its device.
    fn cuStreamGetDevice(stream: Handle, device: Out<c_int>) {
        let driver = driver()?;
        let stream = driver.stream(stream)?;
        let context = stream.and_then(|stream| driver.contexts.get(stream.context));
        device.set(match context {
            Some(context) => context.device as c_int,
            None => driver.context()?.device as c_int,
        })
    }

    /// Waits for it.
    fn cuStreamSynchronize(stream: Handle) {
        driver()?.synchronize_stream(stream)
    }

    /// Whether all is done: it is, and printed.
    fn cuStreamQuery(stream: Handle) {
        driver()?.synchronize_stream(stream)
    }

    /// What it is given from now on comes after an event.
    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) {
        driver()?.wait_event(stream, event)
    }

    /// Calls a function of the host.
    fn cuStreamAddCallback(stream: Handle, function: Option<extern "C" fn(Handle, c_uint, u64)>, data: u64, _flags: c_uint) {
        let function = function.ok_or(Status::INVALID_VALUE)?;
        let call = HostCall(Arc::new(move || function(stream, 0, data)));
        driver()?.submit(stream, Work::Host(call))
    }

    /// Attributes, such as windows of L2, change no result.
    fn cuStreamSetAttribute(stream: Handle, _attribute: c_uint, _value: In<u8>) {
        driver()?.stream(stream).map(drop)
    }

    /// None is set.
    fn cuStreamGetAttribute(stream: Handle, _attribute: c_uint, value: Out<[u64; 8]>) {
        driver()?.stream(stream)?;
        value.set([0; 8])
    }

    /// There is nothing to copy.
    fn cuStreamCopyAttributes(to: Handle, from: Handle) {
        let driver = driver()?;
        driver.stream(to)?;
        driver.stream(from).map(drop)
    }

    /// Makes an event.
    fn cuEventCreate(event: Out<Handle>, flags: c_uint) {
        event.check()?;
        if flags > 7 {
            return Err(Status::INVALID_VALUE.into());
        }
        event.set(driver()?.make_event(flags)?.handle)
    }

    /// Destroys it.
    fn cuEventDestroy_v2(event: Handle) {
        driver()?.destroy_event(event)
    }

    /// Records it.
    fn cuEventRecord(event: Handle, stream: Handle) {
        driver()?.record_event(event, stream)
    }

    /// The same.
    fn cuEventRecordWithFlags(event: Handle, stream: Handle, _flags: c_uint) {
        driver()?.record_event(event, stream)
    }

    /// Whether it is reached: it is.
    fn cuEventQuery(event: Handle) {
        driver()?.synchronize_event(event)
    }

    /// Waits for it.
    fn cuEventSynchronize(event: Handle) {
        driver()?.synchronize_event(event)
    }

    /// Milliseconds between two.
    fn cuEventElapsedTime(ms: Out<f32>, start: Handle, end: Handle) {
        ms.set(driver()?.elapsed_ms(start, end)?)
    }

    /// The same.
    fn cuEventElapsedTime_v2(ms: Out<f32>, start: Handle, end: Handle) {
        ms.set(driver()?.elapsed_ms(start, end)?)
    }

    /// Begins to capture a stream.
    fn cuStreamBeginCapture_v2(stream: Handle, mode: c_uint) {
        match mode {
            0..=2 => driver()?.begin_capture(stream, None),
            _ => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// The same into a graph that there is.
    fn cuStreamBeginCaptureToGraph(stream: Handle, graph: Handle, after: In<NodeId>, _data: In<u8>, count: usize, _mode: c_uint) {
        let driver = driver()?;
        let into = (driver.graph(graph)?, after.list(count)?);
        driver.begin_capture(stream, Some(into))
    }

    /// Ends it.
    fn cuStreamEndCapture(stream: Handle, graph: Out<Handle>) {
        let ended = driver()?.end_capture(stream);
        let handle = ended.as_ref().map_or(0, |graph| graph.handle);
        graph.set(handle)?;
        ended.map(drop)
    }

    /// Whether it is captured: 1 it is.
    fn cuStreamIsCapturing(stream: Handle, status: Out<c_uint>) {
        let driver = driver()?;
        driver.stream(stream)?;
        status.set(c_uint::from(driver.capture_of(stream).is_some()))
    }

    /// The same with the capture's number.
    fn cuStreamGetCaptureInfo(stream: Handle, status: Out<c_uint>, id: Out<u64>) {
        let found = driver()?.capture_of(stream);
        id.set_if_asked(found.as_ref().map_or(0, |(id, ..)| *id));
        status.set(c_uint::from(found.is_some()))
    }

    /// The same with its graph, and what the next node comes after.
    fn cuStreamGetCaptureInfo_v2(stream: Handle, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle>, after: Out<*const NodeId>, count: Out<usize>) {
        info(stream, (status, id, graph), (after, count))
    }

    /// The same; edges have no data.
    fn cuStreamGetCaptureInfo_v3(stream: Handle, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle>, after: Out<*const NodeId>, edges: Out<u64>, count: Out<usize>) {
        edges.set_if_asked(0);
        info(stream, (status, id, graph), (after, count))
    }

    /// Sets what the next node comes after, 1, or adds to it, 0.
    fn cuStreamUpdateCaptureDependencies(stream: Handle, nodes: In<NodeId>, count: usize, flags: c_uint) {
        driver()?.set_capture_after(stream, nodes.list(count)?, flags == 0)
    }

    /// The same.
    fn cuStreamUpdateCaptureDependencies_v2(stream: Handle, nodes: In<NodeId>, _edges: In<u8>, count: usize, flags: c_uint) {
        driver()?.set_capture_after(stream, nodes.list(count)?, flags == 0)
    }

    /// How a thread's captures take calls that cannot be captured: there is one way, and the mode is given back as it came.
    fn cuThreadExchangeStreamCaptureMode(mode: Out<c_uint>) {
        driver()?;
        mode.check()
    }

    /// Something that a graph keeps: its destructor is called when nobody uses it any more, which is never known.
    fn cuUserObjectCreate(object: Out<Handle>, _data: u64, _destructor: Option<extern "C" fn(u64)>, _count: c_uint, _flags: c_uint) {
        driver()?;
        object.set(new_handle())
    }
}

fn info(
    stream: Handle,
    (status, id, graph): (Out<c_uint>, Out<u64>, Out<Handle>),
    (after, count): (Out<*const NodeId>, Out<usize>),
) -> Result<()> {
    thread_local! {
        /// What was last given to this thread, which the driver says stays until the next call.
        static LAST: std::cell::RefCell<Vec<NodeId>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    let found = driver()?.capture_of(stream);
    status.set(c_uint::from(found.is_some()))?;
    let Some((number, made, nodes)) = found else {
        return Ok(());
    };
    id.set_if_asked(number);
    graph.set_if_asked(made.handle);
    count.set_if_asked(nodes.len());
    LAST.with_borrow_mut(|last| {
        *last = nodes;
        after.set_if_asked(last.as_ptr());
    });
    Ok(())
}
