//! What the program around this library wants of every launch in the emulator: to be told how far it is, and a budget. A page asks for both; others for neither.

use std::cell::Cell;

/// What is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Host {
    /// Told now and then how many blocks were started, of how many, and how many instructions of warps were executed; false
    /// ends the launch.
    pub progress: Option<fn(u64, u64, u64) -> bool>,
    /// PTX instructions that all warps of a launch may execute together where the launch does not say.
    pub launch_budget: Option<u64>,
}

thread_local! {
    static HOST: Cell<Host> = const { Cell::new(Host { progress: None, launch_budget: None }) };
}

impl Host {
    /// From now on this is wanted of the launches of this thread.
    pub fn enter(self) {
        HOST.set(self);
    }

    pub(super) fn get() -> Self {
        HOST.get()
    }
}
