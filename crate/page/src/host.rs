//! What the engine asks of the page's script while it answers: to be told how far a launch is, and to take a source to the compiler, which is another module. Outside of a page there is no script: nobody is told, and the compiler is here.

use cornerturn::compile::Ask;

#[cfg(target_family = "wasm")]
mod script {
    use crate::room;
    use std::cell::Cell;

    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        safe fn progress(done: u32, total: u32, instructions: u32) -> u32;
        /// Takes these bytes to the compiler, and puts its answer into a room; 0 while it is not loaded.
        safe fn compile(request: *const u8, bytes: usize) -> u32;
    }

    thread_local! {
        static IS_MISSED: Cell<bool> = const { Cell::new(false) };
    }

    pub(super) fn tell(done: u64, total: u64, instructions: u64) -> bool {
        let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        progress(number(done), number(total), number(instructions)) != 0
    }

    pub(super) fn ask_compiler(request: &[u8]) -> Option<Vec<u8>> {
        match compile(request.as_ptr(), request.len()) {
            0 => {
                IS_MISSED.set(true);
                None
            }
            _ => Some(room::taken()),
        }
    }

    pub(super) fn misses_compiler() -> bool {
        IS_MISSED.take()
    }
}

/// Who is told how far a launch is, and says whether it goes on.
pub(crate) fn progress() -> Option<fn(u64, u64, u64) -> bool> {
    #[cfg(target_family = "wasm")]
    return Some(script::tell);
    #[cfg(not(target_family = "wasm"))]
    None
}

/// How the compiler is asked.
pub(crate) fn compiler() -> Option<Ask> {
    #[cfg(target_family = "wasm")]
    return Some(script::ask_compiler);
    #[cfg(not(target_family = "wasm"))]
    None
}

/// Whether the compiler was asked in vain since this was called last.
pub(crate) fn misses_compiler() -> bool {
    #[cfg(target_family = "wasm")]
    return script::misses_compiler();
    #[cfg(not(target_family = "wasm"))]
    false
}
