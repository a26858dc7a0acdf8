//! The calls that ask for errors, and the remark on an error of a launch that nobody has asked for. How an error becomes a thread's last is in `call`.

use crate::call;
use crate::errors::CudaError;
use cornerturn_cuda::{Driver, Note, here};
use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Errors of launches by `<<<…>>>`, which drops what they return, until somebody asks.
static UNASKED: Mutex<Vec<Note>> = Mutex::new(Vec::new());

/// So many are remembered.
const MOST_UNASKED: usize = 100;

fn unasked() -> MutexGuard<'static, Vec<Note>> {
    UNASKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A launch by `<<<…>>>` has given this.
pub(crate) fn dropped(error: CudaError) {
    let mut unasked = unasked();
    if error == CudaError::SUCCESS || unasked.len() == MOST_UNASKED {
        return;
    }
    let message = format!(
        "the launch fails with {} ({}), which was never asked for: `<<<…>>>` returns nothing, so call cudaGetLastError() behind it",
        error.name(),
        error.words()
    );
    unasked.push(Note::new("unchecked", message, here()));
}

/// Somebody has asked.
fn asked() {
    unasked().clear();
}

/// Notes what nobody has asked for when the process ends: before the driver reports, which has begun to watch earlier.
pub(crate) fn watch_exit() {
    static WATCHING: OnceLock<()> = OnceLock::new();
    extern "C" fn at_exit() {
        // A panic must not leave a C function; what is lost is a remark.
        let _ = std::panic::catch_unwind(|| {
            let driver = Driver::started()?;
            for note in std::mem::take(&mut *unasked()) {
                driver.note_at(false, note);
            }
            Some(())
        });
    }
    WATCHING.get_or_init(|| {
        // SAFETY: a function that stays, and does not unwind.
        unsafe { libc::atexit(at_exit) };
    });
}

/// `cudaGetLastError`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> CudaError {
    asked();
    match call::sticky() {
        // What a kernel has left cannot be forgotten.
        Some(error) => error,
        None => call::take_last(),
    }
}

/// `cudaPeekAtLastError`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> CudaError {
    asked();
    call::sticky().unwrap_or_else(call::last)
}

/// `cudaGetErrorString`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(error: CudaError) -> *const c_char {
    error.words_c()
}

/// `cudaGetErrorName`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(error: CudaError) -> *const c_char {
    error.name_c()
}
