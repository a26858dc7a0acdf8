//! Where in the host's source a call of the runtime stands, from the stack and the debug information of the program; and what the line there calls the pointer that is allocated.

use cornerturn_cuda::Place;
use std::backtrace::Backtrace;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};

/// Frames of the stack by which a call is told from another: the runtime's own and some of its callers.
const FRAMES: usize = 16;

type Stack = [usize; FRAMES];

unsafe extern "C" {
    /// Of glibc, `execinfo.h`: the return addresses of the calls under way.
    fn backtrace(buffer: *mut *mut c_void, size: c_int) -> c_int;
}

/// A call under way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Call {
    /// The function of the interface.
    pub name: Option<String>,
    /// The innermost line of the program's own source, if its debug information tells.
    pub place: Option<Place>,
}

static KNOWN: Mutex<Option<HashMap<Stack, Call>>> = Mutex::new(None);

/// The call that this thread is in. Debug information is read once for each stack of calls.
pub fn of_call() -> Call {
    let stack = stack();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(call) = known.get(&stack) {
        return call.clone();
    }
    let call = call_in(&Backtrace::force_capture().to_string());
    known.insert(stack, call.clone());
    call
}

fn stack() -> Stack {
    let mut frames = [std::ptr::null_mut::<c_void>(); FRAMES];
    // SAFETY: the buffer has as many entries as are asked for, and glibc writes no more.
    unsafe { backtrace(frames.as_mut_ptr(), FRAMES as c_int) };
    frames.map(|frame| frame as usize)
}

/// A function of a stack, and where it stands, if its debug information tells.
struct Frame<'t> {
    name: &'t str,
    place: Option<Place>,
}

/// The functions of a trace as the standard library writes it, the innermost first: `  3: main`, and below `at a.cu:12:5`.
fn frames(trace: &str) -> Vec<Frame<'_>> {
    let mut frames: Vec<Frame> = Vec::new();
    for line in trace.lines().map(str::trim) {
        match (line.strip_prefix("at "), frames.last_mut()) {
            (Some(at), Some(frame)) => frame.place = place_of(at),
            _ => frames.extend(
                line.split_once(": ")
                    .map(|(_, name)| Frame { name, place: None }),
            ),
        }
    }
    frames
}

/// `file:line:column`, or without the column.
fn place_of(at: &str) -> Option<Place> {
    let (rest, last) = at.rsplit_once(':')?;
    let (file, line) = match rest.rsplit_once(':') {
        Some((file, line)) if line.parse::<u32>().is_ok() => (file, line),
        _ => (rest, last),
    };
    let line = line.parse().ok()?;
    // What lies below the current folder is written from there on.
    let file = match file.strip_prefix("./").zip(std::env::current_dir().ok()) {
        Some((file, folder)) => folder.join(file).display().to_string(),
        None => file.to_string(),
    };
    Some(Place { file, line })
}

/// The first function of the interface in a trace, and the first line in a file of the program's: not of the toolkit, nor
/// of the system, nor of Rust. Of a launch it is not the kernel's own line, at which the functions stand that nvcc has
/// written for it: the last one of these is called as the kernel is.
fn call_in(trace: &str) -> Call {
    let frames = frames(trace);
    let is_call =
        |frame: &&Frame| frame.name.starts_with("cuda") || frame.name.starts_with("__cuda");
    let name = frames
        .iter()
        .find(is_call)
        .map(|frame| frame.name.to_string());
    let stub = frames
        .iter()
        .rposition(|frame| frame.name.contains("__device_stub_"));
    let own = frames.into_iter().skip(stub.map_or(0, |stub| stub + 2));
    let mut places = own.filter_map(|frame| frame.place);
    Call {
        name,
        place: places.find(|place| is_of_program(&place.file)),
    }
}

/// The folders of headers that come from elsewhere, and the files that nvcc and cargo write.
fn is_of_program(file: &str) -> bool {
    let foreign = [
        "/nvidia/cu13/include/",
        "/usr/include/",
        "/usr/lib/",
        "/rustc/",
        "/.cargo/",
    ];
    let ends = [".rs", ".stub.c", ".cudafe1.cpp", ".fatbin.c"];
    !foreign.iter().any(|part| file.contains(part)) && !ends.iter().any(|end| file.ends_with(end))
}

/// What the program calls the pointer that a line passes first to a call: `d_a` of `cudaMalloc((void **)&d_a, bytes)`.
pub fn variable(place: &Place, call: &str) -> Option<String> {
    let source = std::fs::read_to_string(&place.file).ok()?;
    let line = source.lines().nth(place.line.checked_sub(1)? as usize)?;
    named_in(line, call)
}

fn named_in(line: &str, call: &str) -> Option<String> {
    let (_, rest) = line.split_once(call)?;
    let argument = rest.split_once('(')?.1;
    let (_, from) = argument.split_once('&')?;
    let is_name = |c: char| c.is_alphanumeric() || "_.>[]-".contains(c);
    let name: String = from
        .trim_start()
        .chars()
        .take_while(|c| is_name(*c))
        .collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_line_of_the_program_is_found() {
        let trace = "   0: std::backtrace::capture\n             at /rustc/abc/std/src/backtrace.rs:331:13\n   1: cudaMalloc\n   \
                     2: cudaMalloc<float>\n             at /x/nvidia/cu13/include/cuda_runtime.h:670:3\n   \
                     3: main\n             at /home/a b/vector: add.cu:12:5\n   4: __libc_start_main\n";
        let call = call_in(trace);
        assert_eq!(call.name.unwrap(), "cudaMalloc");
        assert_eq!(call.place, place_of("/home/a b/vector: add.cu:12:5"));
        assert_eq!(call.place.unwrap().line, 12);
        let without_column = call_in("   1: main\n             at ./a.cu:7\n");
        assert_eq!(without_column.place.unwrap().line, 7);
        assert_eq!(call_in("   1: main\n"), Call::default());
    }

    #[test]
    fn a_launch_stands_where_the_kernel_is_called() {
        let trace = "   2: __cudaLaunchKernel\n   3: __device_stub__Z3onePi(int*)\n             at /a/p.cu:5:80\n   \
                     4: one(int*)\n             at /a/p.cu:5:35\n   5: main\n             at /a/p.cu:11:17\n";
        let call = call_in(trace);
        assert_eq!(call.name.unwrap(), "__cudaLaunchKernel");
        assert_eq!(call.place.unwrap().line, 11);
    }

    #[test]
    fn an_allocation_is_called_as_the_program_calls_it() {
        let name = |line| named_in(line, "cudaMalloc");
        assert_eq!(
            name("CHECK(cudaMalloc((void **)&d_a, bytes));").unwrap(),
            "d_a"
        );
        assert_eq!(
            name("cudaMalloc(&state->grid[0], 4);").unwrap(),
            "state->grid[0]"
        );
        assert_eq!(name("cudaMalloc(pointer, 4);"), None);
        assert_eq!(name("allocate(&x);"), None);
    }
}
