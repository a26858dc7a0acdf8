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
pub use unix::{become_program, is_root};

/// What the book and the notebooks need; Windows has it in its Subsystem for Linux.
#[cfg(all(feature = "book", unix))]
mod unix {
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
