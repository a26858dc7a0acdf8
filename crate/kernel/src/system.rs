//! What the kernel's process asks of Unix: to become another program, to keep a file open across that, and to give memory back.

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Becomes another program; returns only where that fails.
pub fn become_program(command: &mut Command) -> std::io::Error {
    command.exec()
}

/// Leaves a file open in the program that this process becomes.
pub fn keep_across_exec(file: &File) -> std::io::Result<()> {
    fcntl(file, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(())
}

/// Gives back to the system what this process has freed; the C library would keep it. Elsewhere than on Linux with
/// glibc it does nothing.
pub fn give_back_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: glibc declares it so. It takes no pointer, and its manual says that it may be called at any time
        // from any thread.
        unsafe extern "C" {
            safe fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        malloc_trim(0);
    }
}
