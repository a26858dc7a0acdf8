//! A stand-in for NVIDIA's driver library, for the tests of what surrounds it: host memory in place of a GPU's, kernels known by name. It computes nothing that a GPU would, and no time.
//!
//! Entries: `fault` faults; `read_back` reads; any other transposes float32 as the registry's kernels do. After a fault it refuses new
//! contexts unless another one is alive and holds memory, as a real driver was seen to. Variables: `FAKE_VERSION`,
//! `FAKE_DEVICES`, `FAKE_MAJOR` (of the compute capability), `FAKE_MS` (what each event pair measures), `FAKE_LOG` (a file for the order of
//! resets, fills, launches, events and what is asked of the caches; arrays and textures; what is done on the program's streams), `FAKE_REBUILD=fails` (no context after a fault at all).

#![allow(non_snake_case, clippy::missing_safety_doc)]

use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{LazyLock, Mutex, MutexGuard};

const SUCCESS: c_uint = 0;
const INVALID_VALUE: c_uint = 1;
const OUT_OF_MEMORY: c_uint = 2;
const NO_DEVICE: c_uint = 100;
const UNSUPPORTED_PTX_VERSION: c_uint = 222;
const INVALID_PTX: c_uint = 218;
const NOT_READY: c_uint = 600;
const ILLEGAL_ADDRESS: c_uint = 700;
const CONTEXT_IS_DESTROYED: c_uint = 709;
const ALREADY_REGISTERED: c_uint = 712;
const STREAM_CAPTURE_UNSUPPORTED: c_uint = 900;

/// More than any array of the tests.
const LONGEST_SIDE: usize = 1 << 16;
/// As much as the GPU has.
const MEMORY_BYTES: usize = 256 << 20;

/// A driver's allocations begin at a multiple of 512 bytes.
#[derive(Clone, Copy)]
#[repr(C, align(512))]
struct Line([u8; 512]);

struct Memory {
    lines: Box<[Line]>,
    length: usize,
}

impl Memory {
    fn new(length: usize) -> Self {
        // One line more, so that no two allocations begin at one place.
        let lines = vec![Line([0xCD; 512]); length / 512 + 1].into_boxed_slice();
        Self { lines, length }
    }

    fn bytes(&mut self) -> &mut [u8] {
        let first = self.lines.as_mut_ptr().cast();
        unsafe { std::slice::from_raw_parts_mut(first, self.length) }
    }
}

#[derive(Default)]
struct State {
    /// The error that each context is in; 0 for none.
    contexts: HashMap<usize, c_uint>,
    created: usize,
    current: usize,
    /// The last fault's error, which stays with the process.
    fault: c_uint,
    /// Each buffer with its context.
    buffers: HashMap<u64, (Memory, usize)>,
    /// The entry's name, by function.
    functions: Vec<String>,
    /// The next query of the stream finds work there.
    busy: bool,
    /// Registered host memory: addresses and sizes.
    registered: Vec<(u64, usize)>,
    /// Bytes of L2 set aside for what persists.
    set_aside: usize,
    /// The library's own streams, made first in each context, are 1; the program's begin at 100; 0 is the legacy default one.
    own_streams: HashMap<usize, usize>,
    streams: HashSet<usize>,
    /// Where each event was recorded last.
    events: HashMap<usize, usize>,
    made_events: usize,
    /// The stream with which a capture began.
    capturing: Option<usize>,
    graphs: HashSet<usize>,
    /// Arrays and textures that are alive.
    arrays: HashSet<usize>,
    textures: HashSet<u64>,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);

fn state() -> MutexGuard<'static, State> {
    STATE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn variable(name: &str, default: usize) -> usize {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// The library's own streams.
const OWN: usize = 1;

/// Notes what is done on a stream, if it is one of the program's.
fn log_on(stream: usize, what: std::fmt::Arguments) {
    if stream != OWN {
        log(format_args!("{what} on {stream}"));
    }
}

/// Notes a call whose order matters.
fn log(call: std::fmt::Arguments) {
    use std::io::Write;
    let Ok(path) = std::env::var("FAKE_LOG") else {
        return;
    };
    let file = std::fs::File::options().create(true).append(true).open(path);
    if let Ok(mut file) = file {
        let _ = writeln!(file, "{call}");
    }
}

impl State {
    /// The error that every call in the current context answers with.
    fn trouble(&self) -> c_uint {
        self.contexts
            .get(&self.current)
            .copied()
            .unwrap_or(CONTEXT_IS_DESTROYED)
    }

    /// The bytes of a range that lies in one buffer of the current context.
    fn bytes(&mut self, address: u64, length: usize) -> Option<&mut [u8]> {
        let inside = |&(base, size): &(u64, usize)| {
            address >= base && address + length as u64 <= base + size as u64
        };
        if self.registered.iter().any(inside) {
            return Some(unsafe { std::slice::from_raw_parts_mut(address as *mut u8, length) });
        }
        let current = self.current;
        self.buffers
            .iter_mut()
            .filter(|(_, (_, context))| *context == current)
            .find_map(|(base, (memory, _))| {
                let start = usize::try_from(address.checked_sub(*base)?).ok()?;
                memory.bytes().get_mut(start..start.checked_add(length)?)
            })
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuInit(_flags: c_uint) -> c_uint {
    if variable("FAKE_DEVICES", 1) == 0 {
        NO_DEVICE
    } else {
        SUCCESS
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> c_uint {
    unsafe { *version = variable("FAKE_VERSION", 12_040) as c_int };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(code: c_uint, text: *mut *const c_char) -> c_uint {
    let name = match code {
        ILLEGAL_ADDRESS => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        UNSUPPORTED_PTX_VERSION => c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
        INVALID_PTX => c"CUDA_ERROR_INVALID_PTX",
        INVALID_VALUE => c"CUDA_ERROR_INVALID_VALUE",
        _ => return INVALID_VALUE,
    };
    unsafe { *text = name.as_ptr() };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(code: c_uint, text: *mut *const c_char) -> c_uint {
    unsafe { cuGetErrorName(code, text) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> c_uint {
    unsafe { *count = variable("FAKE_DEVICES", 1) as c_int };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> c_uint {
    unsafe { *device = ordinal };
    SUCCESS
}

unsafe fn write_text(to: *mut c_char, length: c_int, text: &CStr) -> c_uint {
    let bytes = text.to_bytes_with_nul();
    if bytes.len() > length as usize {
        return INVALID_VALUE;
    }
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), to, bytes.len()) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(
    name: *mut c_char,
    length: c_int,
    _device: c_int,
) -> c_uint {
    unsafe { write_text(name, length, c"Stand-in for a GPU") }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetPCIBusId(
    id: *mut c_char,
    length: c_int,
    _device: c_int,
) -> c_uint {
    unsafe { write_text(id, length, c"0000:00:00.0") }
}

/// 1 TB/s: 1 GHz × 4000 bits × 2 transfers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_uint,
    _device: c_int,
) -> c_uint {
    let found = match attribute {
        16 => 10,
        // Registers, blocks and shared memory of a multiprocessor, and what the system takes of it in a block.
        39 => 1536,
        81 => 100 << 10,
        82 => 65_536,
        106 => 16,
        111 => 1024,
        // L2 for what persists, and the longest window.
        108 => 3 << 20,
        109 => 128 << 20,
        36 => 1_000_000,
        37 => 4000,
        38 => 1 << 20,
        75 => variable("FAKE_MAJOR", 8) as c_int,
        76 => 6,
        89 => 1,
        95 => variable("FAKE_COOPERATIVE", 1) as c_int,
        97 => 100 << 10,
        _ => return INVALID_VALUE,
    };
    unsafe { *value = found };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, _device: c_int) -> c_uint {
    unsafe { *bytes = MEMORY_BYTES };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v2(
    context: *mut usize,
    _flags: c_uint,
    _device: c_int,
) -> c_uint {
    let mut state = state();
    let fails = std::env::var("FAKE_REBUILD").as_deref() == Ok("fails");
    if state.fault != SUCCESS && fails {
        return state.fault;
    }
    state.created += 1;
    let handle = 0x1000 * state.created;
    state.contexts.insert(handle, SUCCESS);
    state.current = handle;
    unsafe { *context = handle };
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxDestroy_v2(context: usize) -> c_uint {
    let mut state = state();
    // A second destruction would be the library's mistake: end, so that the test sees it.
    let Some(trouble) = state.contexts.remove(&context) else {
        eprintln!("a context was destroyed twice");
        std::process::abort();
    };
    state.buffers.retain(|_, (_, owner)| *owner != context);
    state.registered.clear();
    state.streams.clear();
    state.graphs.clear();
    state.capturing = None;
    state.arrays.clear();
    state.textures.clear();
    trouble
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCurrent(context: usize) -> c_uint {
    let mut state = state();
    state.current = context;
    if state.contexts.contains_key(&context) {
        SUCCESS
    } else {
        CONTEXT_IS_DESTROYED
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPopCurrent_v2(context: *mut usize) -> c_uint {
    let mut state = state();
    unsafe { *context = state.current };
    state.current = 0;
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxResetPersistingL2Cache() -> c_uint {
    let state = state();
    // It is no operation of a stream: with work under way it would come too early or too late.
    log(format_args!("reset{}", if state.busy { ", busy" } else { "" }));
    state.trouble()
}

/// Bytes of L2 that persisting accesses may keep: the one limit that is asked for.
const PERSISTING_LIMIT: c_uint = 6;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetLimit(value: *mut usize, limit: c_uint) -> c_uint {
    let state = state();
    if limit != PERSISTING_LIMIT {
        return INVALID_VALUE;
    }
    unsafe { *value = state.set_aside };
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetLimit(limit: c_uint, value: usize) -> c_uint {
    let mut state = state();
    if limit != PERSISTING_LIMIT {
        return INVALID_VALUE;
    }
    state.set_aside = value;
    log(format_args!("set aside {value}"));
    state.trouble()
}

/// The first words of an access policy window, as in `CUaccessPolicyWindow_st`.
#[repr(C)]
pub struct Window {
    base: u64,
    bytes: usize,
    hit_ratio: f32,
    hit: c_uint,
    miss: c_uint,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSetAttribute(
    _stream: usize,
    attribute: c_uint,
    window: *const Window,
) -> c_uint {
    let mut state = state();
    if attribute != 1 {
        return INVALID_VALUE;
    }
    let window = unsafe { &*window };
    if window.bytes != 0 && state.bytes(window.base, window.bytes).is_none() {
        return INVALID_VALUE;
    }
    log(format_args!(
        "window {} {} {} {}",
        window.bytes, window.hit_ratio, window.hit, window.miss
    ));
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(stream: *mut usize, flags: c_uint) -> c_uint {
    let mut state = state();
    let current = state.current;
    let own = state.own_streams.entry(current).or_default();
    *own += 1;
    if *own <= 2 {
        unsafe { *stream = OWN };
        return state.trouble();
    }
    let handle = 97 + *own;
    state.streams.insert(handle);
    unsafe { *stream = handle };
    log(format_args!("stream {handle}, flags {flags}"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamDestroy_v2(stream: usize) -> c_uint {
    let mut state = state();
    if !state.streams.remove(&stream) {
        eprintln!("a stream was destroyed twice, or after its context");
        std::process::abort();
    }
    log(format_args!("stream {stream} destroyed"));
    state.trouble()
}

/// Events that were never recorded would do nothing, which nobody means.
#[unsafe(no_mangle)]
pub extern "C" fn cuStreamWaitEvent(stream: usize, event: usize, _flags: c_uint) -> c_uint {
    let state = state();
    if !state.events.contains_key(&event) {
        return INVALID_VALUE;
    }
    log(format_args!("{stream} waits for {event}"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamBeginCapture_v2(stream: usize, mode: c_uint) -> c_uint {
    let mut state = state();
    if mode != 2 || state.capturing.is_some() {
        return INVALID_VALUE;
    }
    state.capturing = Some(stream);
    log(format_args!("begin capture on {stream}"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamEndCapture(stream: usize, graph: *mut usize) -> c_uint {
    let mut state = state();
    if state.capturing.take() != Some(stream) {
        return INVALID_VALUE;
    }
    state.created += 1;
    let handle = 0x1000 * state.created;
    state.graphs.insert(handle);
    unsafe { *graph = handle };
    log(format_args!("end capture on {stream}"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithFlags(
    executable: *mut usize,
    graph: usize,
    flags: u64,
) -> c_uint {
    let mut state = state();
    if !state.graphs.contains(&graph) || flags != 0 {
        return INVALID_VALUE;
    }
    state.graphs.insert(graph + 1);
    unsafe { *executable = graph + 1 };
    log(format_args!("instantiate"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphLaunch(executable: usize, stream: usize) -> c_uint {
    let mut state = state();
    if !state.graphs.contains(&executable) {
        return INVALID_VALUE;
    }
    state.busy = true;
    log(format_args!("graph on {stream}"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecDestroy(executable: usize) -> c_uint {
    cuGraphDestroy(executable)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphDestroy(graph: usize) -> c_uint {
    let mut state = state();
    if !state.graphs.remove(&graph) {
        eprintln!("a graph was destroyed twice, or after its context");
        std::process::abort();
    }
    log(format_args!("graph destroyed"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamQuery(_stream: usize) -> c_uint {
    let mut state = state();
    if std::mem::take(&mut state.busy) {
        return NOT_READY;
    }
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(event: *mut usize, _flags: c_uint) -> c_uint {
    let mut state = state();
    state.made_events += 1;
    unsafe { *event = state.made_events };
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventRecord(event: usize, stream: usize) -> c_uint {
    let mut state = state();
    state.events.insert(event, stream);
    match stream {
        OWN => log(format_args!("event")),
        _ => log(format_args!("record {event} on {stream}")),
    }
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime(ms: *mut f32, _start: usize, _end: usize) -> c_uint {
    let value = std::env::var("FAKE_MS")
        .ok()
        .and_then(|text| text.parse().ok());
    unsafe { *ms = value.unwrap_or(1.0) };
    state().trouble()
}

/// A copy is done at the second query.
#[unsafe(no_mangle)]
pub extern "C" fn cuEventQuery(event: usize) -> c_uint {
    let mut state = state();
    if state.capturing.is_some() {
        return STREAM_CAPTURE_UNSUPPORTED;
    }
    if std::mem::take(&mut state.busy) {
        return NOT_READY;
    }
    match state.events.get(&event) {
        Some(&OWN) => log(format_args!("copied")),
        Some(_) => log(format_args!("host waits for {event}")),
        None => return INVALID_VALUE,
    }
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSynchronize() -> c_uint {
    let mut state = state();
    state.busy = false;
    state.trouble()
}

/// Host memory has the same address on both sides.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostRegister_v2(memory: u64, bytes: usize, flags: c_uint) -> c_uint {
    let mut state = state();
    let overlaps = |&(base, size): &(u64, usize)| memory < base + size as u64 && base < memory + bytes as u64;
    if state.registered.iter().any(overlaps) {
        return ALREADY_REGISTERED;
    }
    if flags != 3 || bytes == 0 {
        return INVALID_VALUE;
    }
    state.registered.push((memory, bytes));
    log(format_args!("register {bytes}"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostUnregister(memory: u64) -> c_uint {
    let mut state = state();
    let Some(at) = state.registered.iter().position(|(base, _)| *base == memory) else {
        eprintln!("memory was unregistered that is not registered");
        std::process::abort();
    };
    let (_, bytes) = state.registered.remove(at);
    log(format_args!("unregister {bytes}"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostGetDevicePointer_v2(
    address: *mut u64,
    memory: u64,
    _flags: c_uint,
) -> c_uint {
    unsafe { *address = memory };
    state().trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocManaged(
    address: *mut u64,
    bytes: usize,
    flags: c_uint,
) -> c_uint {
    if flags != 1 {
        return INVALID_VALUE;
    }
    log(format_args!("managed {bytes}"));
    unsafe { cuMemAlloc_v2(address, bytes) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPrefetchAsync(
    address: u64,
    bytes: usize,
    to: c_int,
    _stream: usize,
) -> c_uint {
    let mut state = state();
    if state.bytes(address, bytes).is_none() {
        return INVALID_VALUE;
    }
    log(format_args!("prefetch {bytes} to {to}"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemAdvise(address: u64, bytes: usize, advice: c_uint, to: c_int) -> c_uint {
    let mut state = state();
    if state.bytes(address, bytes).is_none() {
        return INVALID_VALUE;
    }
    log(format_args!("advise {advice} for {to}"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const u8,
    length: usize,
    stream: usize,
) -> c_uint {
    log_on(stream, format_args!("{length} bytes up"));
    if state().capturing.is_some() {
        return SUCCESS;
    }
    let code = unsafe { cuMemcpyHtoD_v2(to, from, length) };
    state().busy = true;
    code
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut u8,
    from: u64,
    length: usize,
    stream: usize,
) -> c_uint {
    log_on(stream, format_args!("{length} bytes down"));
    if state().capturing.is_some() {
        return SUCCESS;
    }
    let code = unsafe { cuMemcpyDtoH_v2(to, from, length) };
    state().busy = true;
    code
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventDestroy_v2(_event: usize) -> c_uint {
    state().trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> c_uint {
    let mut state = state();
    let used: usize = state.buffers.values().map(|(memory, _)| memory.length).sum();
    if used + bytes > MEMORY_BYTES {
        return OUT_OF_MEMORY;
    }
    let memory = Memory::new(bytes);
    let (base, context) = (memory.lines.as_ptr().addr() as u64, state.current);
    unsafe { *address = base };
    state.buffers.insert(base, (memory, context));
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemFree_v2(address: u64) -> c_uint {
    let mut state = state();
    if state.buffers.remove(&address).is_none() {
        eprintln!("a buffer was freed twice, or after its context");
        std::process::abort();
    }
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoD_v2(to: u64, from: *const u8, length: usize) -> c_uint {
    let mut state = state();
    let Some(bytes) = state.bytes(to, length) else {
        return INVALID_VALUE;
    };
    bytes.copy_from_slice(unsafe { std::slice::from_raw_parts(from, length) });
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoH_v2(to: *mut u8, from: u64, length: usize) -> c_uint {
    let mut state = state();
    let Some(bytes) = state.bytes(from, length) else {
        return INVALID_VALUE;
    };
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, length) };
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoDAsync_v2(
    to: u64,
    from: u64,
    length: usize,
    stream: usize,
) -> c_uint {
    log_on(stream, format_args!("{length} bytes across"));
    let mut state = state();
    if state.capturing.is_some() {
        return SUCCESS;
    }
    let Some(bytes) = state.bytes(from, length).map(|bytes| bytes.to_vec()) else {
        return INVALID_VALUE;
    };
    let Some(target) = state.bytes(to, length) else {
        return INVALID_VALUE;
    };
    target.copy_from_slice(&bytes);
    state.busy = true;
    state.trouble()
}

#[cfg(not(incomplete))]
#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD8Async(address: u64, byte: u8, length: usize, stream: usize) -> c_uint {
    log_on(stream, format_args!("fill {byte}"));
    let mut state = state();
    if state.capturing.is_some() {
        return SUCCESS;
    }
    let Some(bytes) = state.bytes(address, length) else {
        return INVALID_VALUE;
    };
    // Only the library's own buffer for emptying the cache is so large, and nobody looks at it.
    if length < 64 << 20 {
        bytes.fill(byte);
    } else {
        log(format_args!("flush"));
    }
    state.trouble()
}

/// Width, height and depth come first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArray3DCreate_v2(
    array: *mut usize,
    descriptor: *const [usize; 3],
) -> c_uint {
    let mut state = state();
    let [width, height, depth] = unsafe { *descriptor };
    if width == 0 || width > LONGEST_SIDE || height > LONGEST_SIDE || depth != 0 {
        return INVALID_VALUE;
    }
    state.created += 1;
    let handle = 0x1000 * state.created;
    state.arrays.insert(handle);
    unsafe { *array = handle };
    log(format_args!("array {width} x {height}"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuArrayDestroy(array: usize) -> c_uint {
    let mut state = state();
    if !state.arrays.remove(&array) {
        eprintln!("an array was destroyed twice, or after its context");
        std::process::abort();
    }
    log(format_args!("array destroyed"));
    state.trouble()
}

/// Only from the host to an array: its last two words are the bytes of a row and the rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2D_v2(copy: *const [usize; 16]) -> c_uint {
    let state = state();
    let words = unsafe { *copy };
    if !state.arrays.contains(&words[12]) {
        return INVALID_VALUE;
    }
    log(format_args!("fill {} x {}", words[14], words[15]));
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectCreate(
    texture: *mut u64,
    resource: *const [u64; 2],
    _reading: *const c_void,
    _view: *const c_void,
) -> c_uint {
    let mut state = state();
    let [kind, over] = unsafe { *resource };
    let there = match kind as c_uint {
        0 => state.arrays.contains(&(over as usize)),
        2 | 3 => state.bytes(over, 1).is_some(),
        _ => false,
    };
    if !there {
        return INVALID_VALUE;
    }
    state.created += 1;
    let handle = state.created as u64;
    state.textures.insert(handle);
    unsafe { *texture = handle };
    log(format_args!("texture"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexObjectDestroy(texture: u64) -> c_uint {
    let mut state = state();
    if !state.textures.remove(&texture) {
        eprintln!("a texture was destroyed twice, or after its context");
        std::process::abort();
    }
    log(format_args!("texture destroyed"));
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut usize,
    image: *const c_char,
    options: c_uint,
    keys: *const c_uint,
    values: *const *mut c_void,
) -> c_uint {
    let ptx = unsafe { CStr::from_ptr(image) }.to_string_lossy();
    if ptx.contains(".version 99") {
        return UNSUPPORTED_PTX_VERSION;
    }
    unsafe { *module = 1 };
    if !ptx.contains("refused by the driver") {
        return state().trouble();
    }
    // CU_JIT_ERROR_LOG_BUFFER and its size.
    assert_eq!((options, unsafe { [*keys, *keys.add(1)] }), (2, [5, 6]));
    let (buffer, length) = unsafe { (*values, (*values.add(1)).addr()) };
    unsafe { write_text(buffer.cast(), length as c_int, c"ptxas: line 7; oops") };
    INVALID_PTX
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(
    function: *mut usize,
    _module: usize,
    name: *const c_char,
) -> c_uint {
    let name = unsafe { CStr::from_ptr(name) }
        .to_string_lossy()
        .into_owned();
    let mut state = state();
    state.functions.push(name);
    unsafe { *function = state.functions.len() };
    state.trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetAttribute(
    value: *mut c_int,
    attribute: c_uint,
    _function: usize,
) -> c_uint {
    // Bytes of shared and of local memory, registers.
    let answer = match attribute {
        1 => 4224,
        3 => 0,
        4 => 32,
        _ => return INVALID_VALUE,
    };
    unsafe { *value = answer };
    state().trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    _function: usize,
    threads: c_int,
    _dynamic_shared_bytes: usize,
) -> c_uint {
    unsafe { *blocks = 2048 / threads };
    state().trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxPotentialBlockSize(
    blocks: *mut c_int,
    threads: *mut c_int,
    _function: usize,
    _shared_of_block: usize,
    _dynamic_shared_bytes: usize,
    _limit: c_int,
) -> c_uint {
    unsafe { (*blocks, *threads) = (20, 768) };
    state().trouble()
}

#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetAttribute(
    _function: usize,
    attribute: c_uint,
    value: c_int,
) -> c_uint {
    // -1, the driver's own choice, is set before every launch.
    if attribute == 9 && value >= 0 {
        log(format_args!("carve-out {value}"));
    }
    state().trouble()
}

/// The address comes first, so that a launch finds it where a buffer's would be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTensorMapEncodeTiled(
    map: *mut u64,
    data_type: c_uint,
    rank: c_uint,
    address: u64,
    lengths: *const u64,
    strides: *const u64,
    tile: *const u32,
    element_strides: *const u32,
    interleave: c_uint,
    swizzle: c_uint,
    promotion: c_uint,
    fill: c_uint,
) -> c_uint {
    let columns = unsafe { *lengths };
    let right = (data_type, rank, interleave, promotion, fill) == (7, 2, 0, 0, 0)
        && swizzle < 4
        && unsafe { *strides } == 4 * columns
        && map.addr().is_multiple_of(64)
        && [0, 1].map(|i| unsafe { *element_strides.add(i) }) == [1, 1]
        && [0, 1].map(|i| unsafe { *tile.add(i) }) != [0, 0];
    if !right {
        return INVALID_VALUE;
    }
    unsafe { *map = address };
    state().trouble()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx(
    config: *const u8,
    function: usize,
    parameters: *const *const c_void,
    extra: usize,
) -> c_uint {
    // The attributes: an id, then from byte 8 on 64 bytes that hold its value.
    let (attributes, count) = unsafe {
        (config.add(40).cast::<*const u32>().read(), config.add(48).cast::<c_uint>().read())
    };
    for at in 0..count as usize {
        let (id, value) = unsafe { (*attributes.add(18 * at), *attributes.add(18 * at + 2)) };
        log(format_args!("attribute {id} {value}"));
    }
    let stream = unsafe { config.add(32).cast::<usize>().read() };
    unsafe { cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, extra) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: usize,
    gx: c_uint,
    _gy: c_uint,
    _gz: c_uint,
    bx: c_uint,
    _by: c_uint,
    _bz: c_uint,
    _shared: c_uint,
    stream: usize,
    parameters: *const *const c_void,
    _extra: usize,
) -> c_uint {
    let mut state = state();
    if state.trouble() != SUCCESS {
        return state.trouble();
    }
    state.busy = true;
    if state.functions[function - 1] == "fault" {
        let current = state.current;
        state.contexts.insert(current, ILLEGAL_ADDRESS);
        state.fault = ILLEGAL_ADDRESS;
        return SUCCESS;
    }
    let input = unsafe { *(*parameters).cast::<u64>() };
    match stream {
        OWN => log(format_args!("{} {input:x}", state.functions[function - 1])),
        _ => log_on(stream, format_args!("{}", state.functions[function - 1])),
    }
    if state.capturing.is_some() {
        return SUCCESS;
    }
    if state.functions[function - 1] == "read_back" {
        let bytes = 16 * gx as usize * bx as usize;
        return if state.bytes(input, bytes).is_some() { SUCCESS } else { INVALID_VALUE };
    }
    let (output, rows, columns) = unsafe {
        let word = |i: usize| *(*parameters.add(i)).cast::<u32>() as usize;
        let address = |i: usize| *(*parameters.add(i)).cast::<u64>();
        (address(1), word(2), word(3))
    };
    let Some(source) = state
        .bytes(input, 4 * rows * columns)
        .map(|bytes| bytes.to_vec())
    else {
        return INVALID_VALUE;
    };
    let Some(target) = state.bytes(output, 4 * rows * columns) else {
        return INVALID_VALUE;
    };
    for row in 0..rows {
        for column in 0..columns {
            let (from, to) = (4 * (row * columns + column), 4 * (column * rows + row));
            target[to..to + 4].copy_from_slice(&source[from..from + 4]);
        }
    }
    SUCCESS
}
