//! Exit statuses: what each means and which one an error has.

use cornerturn::{Error, ErrorKind};
use std::fmt;
use std::io;
use std::process::ExitCode;

/// What an exit status other than 0 tells. The numbers are part of the command line's contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// The kernel did something wrong, or a check failed.
    Wrong = 1,
    /// Bad usage or input.
    Usage = 2,
    /// Right perhaps, but not supported here.
    Unsupported = 3,
    /// This machine lacks something.
    Lacks = 4,
}

impl Status {
    /// The name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wrong => "wrong",
            Self::Usage => "usage",
            Self::Unsupported => "unsupported",
            Self::Lacks => "lacks",
        }
    }
}

impl From<ErrorKind> for Status {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::KernelWrong => Self::Wrong,
            ErrorKind::BadUse => Self::Usage,
            ErrorKind::Unsupported => Self::Unsupported,
            ErrorKind::MachineLacks => Self::Lacks,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// An error of the runner itself: one clear sentence and its exit status.
#[derive(Debug)]
pub struct Failure {
    status: Status,
    message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// A check failed.
pub fn wrong(message: impl Into<String>) -> anyhow::Error {
    failure(Status::Wrong, message)
}

/// Bad usage or input.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    failure(Status::Usage, message)
}

/// Refuses to write where only the files are that this binary carries: they are its own, and go with it.
pub fn refuse_carried(why: &str) -> anyhow::Result<()> {
    match cornerturn::paths::is_carried() {
        true => Err(usage(format!(
            "this needs a clone of the project, as {why}: run it in one, or set CORNERTURN_HOME to one"
        ))),
        false => Ok(()),
    }
}

/// Right perhaps, but not supported here.
pub fn unsupported(message: impl Into<String>) -> anyhow::Error {
    failure(Status::Unsupported, message)
}

/// The machine lacks something.
pub fn lacks(message: impl Into<String>) -> anyhow::Error {
    failure(Status::Lacks, message)
}

fn failure(status: Status, message: impl Into<String>) -> anyhow::Error {
    Failure {
        status,
        message: message.into(),
    }
    .into()
}

/// The status of an error: that of the first cause that has one; a failed check where none has.
pub fn of(error: &anyhow::Error) -> Status {
    error
        .chain()
        .find_map(|cause| {
            let own = cause
                .downcast_ref::<Failure>()
                .map(|failure| failure.status);
            own.or_else(|| Some(cause.downcast_ref::<Error>()?.kind().into()))
                .or_else(|| is_lack(cause.downcast_ref()?).then_some(Status::Lacks))
        })
        .unwrap_or(Status::Wrong)
}

/// Whether the machine lacks what the system has refused: it would be refused to everybody's programs.
pub fn is_lack(error: &io::Error) -> bool {
    let lacking = [
        io::ErrorKind::PermissionDenied,
        io::ErrorKind::ReadOnlyFilesystem,
        io::ErrorKind::StorageFull,
        io::ErrorKind::QuotaExceeded,
        io::ErrorKind::OutOfMemory,
        // No process or thread can be started.
        io::ErrorKind::WouldBlock,
    ];
    lacking.contains(&error.kind())
}
