//! Where host code faults that follows a device pointer: the driver says what it is, and this says where in the program.

use crate::place;
use cornerturn_cuda::{Driver, Kind, set_place};
use std::sync::OnceLock;

/// What was done with the signal before: the driver's handler.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// Watches for faults from now on, before the driver's handler.
pub(crate) fn watch() {
    if BEFORE.get().is_some() {
        return;
    }
    // SAFETY: structures of the C library that are plain numbers; zeros are an empty one.
    let (mut action, mut before): (libc::sigaction, libc::sigaction) =
        unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_fault as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
    // SAFETY: a handler of the right form that stays.
    if unsafe { libc::sigaction(libc::SIGSEGV, &action, &mut before) } == 0 {
        // Two threads that load libraries at once would both know the same one.
        let _ = BEFORE.set(before);
    }
}

extern "C" fn on_fault(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: the system gives the handler a filled structure.
    let address = unsafe { (*info).si_addr() } as u64;
    // To walk up the stack allocates, which a handler should not: what faulted here is the program's own code at a pointer of
    // the driver's, which holds no lock of an allocator.
    let found = Driver::started().and_then(|driver| driver.allocation(address));
    if found.is_some_and(|(allocation, _)| allocation.kind == Kind::Device) {
        set_place(place::of_call().place);
    }
    // The instruction is tried again with the driver's handler, and faults again.
    if let Some(before) = BEFORE.get() {
        // SAFETY: what the system gave us.
        unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
    }
}
