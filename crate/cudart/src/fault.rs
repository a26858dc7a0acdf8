//! Programs that end by a signal: the report is written before, with the line where host code faults. What a device pointer is that host code follows, the driver says. The process ends as it would have.

use crate::place;
use cornerturn_cuda::{Driver, Kind, Note, set_place};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

/// By which a program ends that goes wrong by itself, and what they are called.
const SIGNALS: [(libc::c_int, &str); 5] = [
    (libc::SIGSEGV, "a segmentation fault (SIGSEGV)"),
    (libc::SIGABRT, "abort() (SIGABRT)"),
    (libc::SIGFPE, "an arithmetic fault (SIGFPE)"),
    (libc::SIGBUS, "a bus error (SIGBUS)"),
    (libc::SIGILL, "an illegal instruction (SIGILL)"),
];

/// What the report may take. A handler that allocates waits for ever where the program ends within its allocator.
const MOST_SECONDS: libc::c_uint = 10;

/// What was done with each signal before: with the first one, the driver's handler.
static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

/// Watches from now on, before the driver's handler.
pub(crate) fn watch() {
    if BEFORE.get().is_some() {
        return;
    }
    let before = SIGNALS.map(|(signal, _)| handle(signal, on_signal as *const () as usize));
    // Two threads that load libraries at once would both know the same ones.
    let _ = BEFORE.set(before);
}

/// Handles a signal by a function; what was done before.
fn handle(signal: libc::c_int, function: usize) -> libc::sigaction {
    // SAFETY: structures of the C library that are plain numbers; zeros are an empty one.
    let (mut action, mut before): (libc::sigaction, libc::sigaction) =
        unsafe { std::mem::zeroed() };
    action.sa_sigaction = function;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
    // SAFETY: a handler of the right form that stays. Where it is refused, the empty structure means the default.
    unsafe { libc::sigaction(signal, &action, &mut before) };
    before
}

/// Puts back what was done with all signals before.
fn restore() {
    for ((signal, _), before) in SIGNALS.iter().zip(BEFORE.get().into_iter().flatten()) {
        // SAFETY: what the system gave us.
        unsafe { libc::sigaction(*signal, before, std::ptr::null_mut()) };
    }
}

extern "C" fn on_signal(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // The instruction, or `abort`, is tried again after this with what was there before. So is what faults in here.
    restore();
    LAST.store(signal, Ordering::Relaxed);
    handle(libc::SIGALRM, on_time_out as *const () as usize);
    // SAFETY: only asks for a signal.
    unsafe { libc::alarm(MOST_SECONDS) };
    // SAFETY: the system gives the handler a filled structure.
    let address = unsafe { (*info).si_addr() } as u64;
    // What is lost by a panic is the report.
    let _ = std::panic::catch_unwind(|| tell(signal, address));
    // SAFETY: takes the question back.
    unsafe { libc::alarm(0) };
}

/// The signal by which the program ends.
static LAST: AtomicI32 = AtomicI32::new(0);

/// The report takes too long: the process ends without it.
extern "C" fn on_time_out(
    _signal: libc::c_int,
    _info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    let last = LAST.load(Ordering::Relaxed);
    // SAFETY: the default action of the signal by which the program was about to end.
    unsafe {
        libc::signal(last, libc::SIG_DFL);
        libc::raise(last);
    }
}

fn tell(signal: libc::c_int, address: u64) {
    let Some(driver) = Driver::started() else {
        return;
    };
    if driver.settings().report.is_none() {
        return;
    }
    let place = place::of_call().place;
    set_place(place.clone());
    let found = driver.allocation(address);
    let is_device = found.is_some_and(|(allocation, _)| allocation.kind == Kind::Device);
    if signal == libc::SIGSEGV && is_device {
        // The driver's handler is next, and has more to say.
        return;
    }
    let name = SIGNALS.iter().find(|(known, _)| *known == signal);
    let name = name.map_or("a signal", |(_, name)| name);
    let message = format!("the program ends by {name}");
    driver.note_at(false, Note::new("signal", message, place));
    driver.finish();
}
