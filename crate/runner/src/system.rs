//! What a process can do on each operating system: ask for others, become another, and whose it is. Names and places live in `cornerturn_basics`.

use std::process::{Command, Stdio};

/// Whether a process of this number runs, as far as the system tells.
pub fn runs(process: &str) -> bool {
    if cfg!(target_os = "linux") {
        return std::path::Path::new("/proc").join(process).exists();
    }
    if cfg!(not(unix)) {
        return false;
    }
    // No signal is sent: it is only asked whether one could be.
    let mut kill = Command::new("kill");
    kill.args(["-0", process]).stdin(Stdio::null());
    kill.stdout(Stdio::null()).stderr(Stdio::null());
    kill.status().is_ok_and(|status| status.success())
}

#[cfg(feature = "book")]
pub use unix::{become_program, give_back_freed_memory, is_root, keep_across_exec};

/// What the book and the notebooks need; Windows has it in its Subsystem for Linux.
#[cfg(all(feature = "book", unix))]
mod unix {
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};
    use std::fs::File;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    /// Becomes another program; returns only where that fails.
    pub fn become_program(command: &mut Command) -> std::io::Error {
        command.exec()
    }

    /// Whether this process may do everything.
    pub fn is_root() -> bool {
        nix::unistd::geteuid().is_root()
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
}

#[cfg(all(feature = "book", not(unix)))]
compile_error!(
    "the book and the notebooks need Unix: on Windows build them in WSL2, or build the rest with --no-default-features"
);

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn this_process_runs_and_one_that_was_waited_for_does_not() {
        assert!(runs(&std::process::id().to_string()));
        let mut child = Command::new("true").spawn().unwrap();
        let number = child.id().to_string();
        child.wait().unwrap();
        assert!(!runs(&number));
    }
}
