//! Host code that follows a device pointer faults, because nothing lies there: what is said then. The process ends as it would have.

use std::sync::Mutex;

use crate::driver::Driver;
use crate::host;
use crate::memory::{holding, is_device};

/// What was done with the signal before.
static BEFORE: Mutex<Option<libc::sigaction>> = Mutex::new(None);

/// Watches for faults at device addresses from now on.
pub(crate) fn watch() {
    // SAFETY: structures of the C library that are plain numbers; zeros are an empty one.
    let (mut action, mut before): (libc::sigaction, libc::sigaction) =
        unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_fault as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
    let Ok(mut known) = BEFORE.try_lock() else {
        return;
    };
    // SAFETY: a handler of the right form that stays.
    if unsafe { libc::sigaction(libc::SIGSEGV, &action, &mut before) } == 0 {
        *known = Some(before);
    }
}

extern "C" fn on_fault(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: the system gives the handler a filled structure.
    let address = unsafe { (*info).si_addr() } as u64;
    if is_device(address) {
        tell(address);
    }
    // The instruction is tried again with what was there before, and faults again.
    let before = BEFORE.try_lock().ok().and_then(|before| *before);
    // SAFETY: what the system gave us, or the default.
    unsafe {
        match before {
            Some(before) => libc::sigaction(signal, &before, std::ptr::null_mut()),
            None => {
                libc::signal(signal, libc::SIG_DFL);
                0
            }
        };
    }
}

/// One line, and the report. It allocates, which a handler should not: what faulted is the program's own code, which holds
/// none of our locks, and at worst the process ends without the line.
fn tell(address: u64) {
    let Some(driver) = Driver::started() else {
        return;
    };
    let what = match driver.try_allocations() {
        Some(all) => match holding(&all, address, 1) {
            Some((found, offset)) => {
                format!("byte {offset} of `{}`, which is device memory", found.name)
            }
            None => "device memory that is not allocated".to_string(),
        },
        None => "device memory".to_string(),
    };
    let message = format!(
        "host code accesses {address:#x}, {what}: copy it to the host with cudaMemcpy, or allocate managed memory"
    );
    host::complain(&message);
    driver.note_finding("invalid_address", &message);
    driver.finish();
}
