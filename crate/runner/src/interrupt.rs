//! Ctrl-C and a polite kill, for verbs that clean up or serve until then. Those that do something else with it set a handler of their own.

use crate::exit;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

static INTERRUPTED: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

/// From now on an interrupt does not end this process, but is told by the functions below.
///
/// # Errors
/// Where the system does not tell of it.
pub fn watch() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        *interrupted() = true;
        CHANGED.notify_all();
    })
    .map_err(|error| exit::lacks(format!("cannot wait for Ctrl-C: {error}")))
}

/// Whether there was one since [`watch`].
pub fn came() -> bool {
    *interrupted()
}

/// Waits for one.
pub fn wait() {
    let came = CHANGED.wait_while(interrupted(), |came| !*came);
    drop(came.unwrap_or_else(PoisonError::into_inner));
}

fn interrupted() -> MutexGuard<'static, bool> {
    INTERRUPTED.lock().unwrap_or_else(PoisonError::into_inner)
}
