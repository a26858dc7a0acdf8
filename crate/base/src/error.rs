//! Every error of the library, with its kind and exit status. The words of a kernel's findings live in the emulator.

use crate::html::MOST_PRINTED_LINES;
use crate::libraries::NO_DRIVER;
use crate::message::Message;
use crate::mismatch::{Mismatch, WrongElement};
use crate::product_mismatch::ProductMismatch;
use crate::product_shape::ProductShape;
use crate::shape::Dim3;
use cornerturn_emulator::streams::Unordered;
use cornerturn_emulator::{Finding, LoadError, Printed};
use std::fmt;
use std::path::{Path, PathBuf};

/// The code of a fault that the driver has no name for: the kernel does not end.
pub const NO_END: &str = "no end";

/// The library's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Who has to act on an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The kernel did something wrong: a fault, a finding, a wrong result.
    KernelWrong,
    /// Bad usage or input.
    BadUse,
    /// The input may be right, but this project does not support it yet.
    Unsupported,
    /// This machine lacks something.
    MachineLacks,
}

/// What can go wrong. Each message names the thing, the place and the next step.
///
/// ```
/// use cornerturn::prelude::*;
/// use cornerturn::ErrorKind;
///
/// let error = Kernel::registered("paded").unwrap_err();
/// assert_eq!((error.kind(), error.exit_code()), (ErrorKind::BadUse, 2));
/// assert!(error.to_string().contains("padded"), "{error}");
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The emulator stopped the kernel, or a check found something.
    #[error("{}{}", finding_lines(.kernel, .findings), printed_lines(.printed))]
    Kernel {
        /// The kernel's name.
        kernel: String,
        /// What it did, the first finding first; never empty.
        findings: Vec<Finding>,
        /// What it had printed.
        printed: Box<Printed>,
    },
    /// The checks found something in a kernel whose result is right.
    #[error("{}{}", checked_lines(.kernel, .findings, .place), printed_lines(.printed))]
    Checked {
        /// The kernel's name.
        kernel: String,
        /// What it did, the first finding first; never empty.
        findings: Vec<Finding>,
        /// On which matrix, as the end of a sentence.
        place: String,
        /// What it printed.
        printed: Box<Printed>,
    },
    /// Operations on streams touch the same bytes, and nothing says which comes first.
    #[error("{}", unordered_lines(.races))]
    Unordered {
        /// The pairs, by the first of the two; never empty.
        races: Vec<Unordered>,
    },
    /// The launch was stopped from outside.
    #[error("{kernel}: stopped by the interrupt; all variables are kept")]
    Interrupted {
        /// The kernel's name.
        kernel: String,
    },
    /// The GPU stopped the kernel.
    #[error("{}", fault_lines(.kernel, .code, .reason, .located, *.same_input))]
    Fault {
        /// The kernel's name.
        kernel: String,
        /// The driver's name of the error, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
        code: String,
        /// The driver's words.
        reason: String,
        /// What the emulator found when it ran the same launch, if it was run there.
        located: Vec<Finding>,
        /// Whether the emulator had the same input: a fault takes the GPU's memory with it.
        same_input: bool,
    },
    /// The output differs from the reference.
    #[error("{kernel}: wrong result for a {rows}×{columns} matrix: {mismatch}{}", printed_lines(.printed))]
    Mismatch {
        /// The kernel's name.
        kernel: String,
        /// Rows of the input.
        rows: usize,
        /// Columns of the input.
        columns: usize,
        /// The first difference.
        mismatch: Box<Mismatch>,
        /// What it printed.
        printed: Box<Printed>,
    },
    /// The result is right on what was asked, and wrong on others of the same kind.
    #[error("{}", elsewhere_lines(.kernel, .right, .wrong, *.grid, .reason, *.meant))]
    WrongElsewhere {
        /// The kernel's name.
        kernel: String,
        /// Where it is right: what was asked, and others that were tried.
        right: String,
        /// Where it is wrong.
        wrong: String,
        /// The grid there.
        grid: Dim3,
        /// How it is wrong there.
        reason: Box<Error>,
        /// The multiples that columns and rows seem to need, where it is wrong only on other ones.
        meant: Option<[usize; 2]>,
    },
    /// An array differs from the reference.
    #[error("{kernel}: wrong result, {what}: {wrong}{}", printed_lines(.printed))]
    WrongResult {
        /// The kernel's name.
        kernel: String,
        /// What it was asked to do.
        what: String,
        /// The first difference.
        wrong: Box<WrongElement>,
        /// What it printed.
        printed: Box<Printed>,
    },
    /// A product of matrices differs from the reference.
    #[error("{kernel}: wrong result, {problem}: {mismatch}{}", printed_lines(.printed))]
    WrongProduct {
        /// The kernel's name.
        kernel: String,
        /// What it was asked, and on which factors.
        problem: String,
        /// The first difference.
        mismatch: Box<ProductMismatch>,
        /// What it printed.
        printed: Box<Printed>,
    },
    /// The compiler refused the source.
    #[error("the CUDA C++ does not compile:\n{log}")]
    Compile {
        /// The compiler's log, with the lines of the source as given.
        log: String,
        /// The same as data, as far as it can be read.
        messages: Vec<Message>,
    },
    /// Our own compiler does not know what the source uses; the source may be right.
    #[error(
        "the CUDA C++ uses what Corner Turn's own compiler does not know yet:\n{log}\n\
         NVIDIA's compiler NVRTC knows it: {fix}"
    )]
    CompilerGap {
        /// What it does not know, with the lines of the source as given.
        log: String,
        /// How to get NVRTC.
        fix: String,
        /// What it does not know, and what else is wrong, as data.
        messages: Vec<Message>,
    },
    /// The PTX cannot be read: malformed, or an instruction that is not supported yet.
    #[error("{name}: {reason}")]
    Ptx {
        /// The kernel or the file.
        name: String,
        /// The place and the reason.
        reason: Box<LoadError>,
    },
    /// The driver refused PTX.
    #[error("{name}: the NVIDIA driver does not load this PTX ({code}){log}")]
    PtxRefused {
        /// The kernel.
        name: String,
        /// The driver's name of the error.
        code: String,
        /// The driver's log, on lines of its own, and the next step.
        log: String,
    },
    /// The kernel's source or PTX has no such entry, or not exactly one.
    #[error("{0}")]
    Entry(String),
    /// The arguments do not fit the kernel's parameters.
    #[error("{kernel}: {reason}")]
    Arguments {
        /// The kernel's name.
        kernel: String,
        /// Which argument, what is wrong with it, and the next step.
        reason: String,
    },
    /// The launch is over a limit.
    #[error("{kernel}: {reason}")]
    Limit {
        /// The kernel's name.
        kernel: String,
        /// The limit and the value that exceeds it.
        reason: String,
    },
    /// A buffer is used in a way that does not fit it.
    #[error("buffer `{name}`: {reason}")]
    Buffer {
        /// The buffer's name.
        name: String,
        /// What is wrong, and the next step.
        reason: String,
    },
    /// A matrix or a box that no tensor map can describe.
    #[error("a tensor map of buffer `{name}`: {reason}")]
    TensorMap {
        /// The buffer's name.
        name: String,
        /// The rule that is broken.
        reason: String,
    },
    /// A texture that CUDA does not allow, or that was lost.
    #[error("texture `{name}`: {reason}")]
    Texture {
        /// Its name, or that of the buffer that it lies over.
        name: String,
        /// The rule that is broken, with its limit.
        reason: String,
    },
    /// The GPU has no tensor maps.
    #[error(
        "{device} has compute capability {compute_capability}, and tensor maps need 9.0 (Hopper) or later; \
         run this on the emulator (CORNERTURN_DEVICE=emulator)"
    )]
    NoTensorMaps {
        /// The GPU's name.
        device: String,
        /// Its compute capability.
        compute_capability: String,
    },
    /// A shape that cannot be used.
    #[error("a {rows}×{columns} matrix: {reason}")]
    Shape {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A product that cannot be asked for, or not of this kernel.
    #[error("a product {shape}: {reason}")]
    ProductShape {
        /// Its shape.
        shape: ProductShape,
        /// What is wrong with it.
        reason: String,
    },
    /// The emulator was asked for time.
    #[error(
        "the emulator has no clock: it counts what a kernel does to memory, but only a GPU can time it; \
         run this on a machine with an NVIDIA GPU, or read `counters` instead"
    )]
    NoClock,
    /// A measurement that cannot be true.
    #[error("{0}")]
    Impossible(String),
    /// CUDA was asked for and is not there, or too old.
    #[error("{0}")]
    NoCuda(NoCuda),
    /// NVIDIA's compiler of CUDA C++, or its assembler, was asked for and is not there.
    #[error("{0}")]
    NoCompiler(String),
    /// The assembler or the disassembler refused what it was given.
    #[error("{name}: {tool} says: {reason}")]
    Assembler {
        /// The kernel.
        name: String,
        /// Which of them.
        tool: String,
        /// Its complaint.
        reason: String,
    },
    /// cuBLAS is not there.
    #[error("cuBLAS cannot be used: {0}")]
    NoCublas(String),
    /// A driver call failed.
    #[error("{call} failed: {code} ({reason})")]
    Driver {
        /// The call.
        call: &'static str,
        /// The driver's name of the error.
        code: String,
        /// The driver's words, and the next step where one is known.
        reason: String,
    },
    /// There is not enough memory.
    #[error("{what} needs {bytes} bytes of {place}, and {}", free_words(*.free))]
    Memory {
        /// What needs it.
        what: String,
        /// How many bytes.
        bytes: usize,
        /// Which memory.
        place: &'static str,
        /// How many are free, where that is known.
        free: Option<u64>,
    },
    /// An id that the registry does not hold.
    #[error("there is no kernel `{id}`{}; `cornerturn list` prints them", meant(.nearest))]
    UnknownKernel {
        /// The id asked for.
        id: String,
        /// The id that was likely meant.
        nearest: Option<String>,
    },
    /// An id that the workshop does not hold.
    #[error("there is no exercise `{id}`{}; `cornerturn exercise list` prints them", meant(.nearest))]
    UnknownExercise {
        /// The id asked for.
        id: String,
        /// The id that was likely meant.
        nearest: Option<String>,
    },
    /// Committed PTX that was not made from the source beside it.
    #[error("{}: {reason}; run `cargo cornerturn kernels` to compile and stamp it again", .file.display())]
    Stale {
        /// The PTX file.
        file: PathBuf,
        /// How it is stale.
        reason: String,
    },
    /// A file cannot be read, or is not what it should be.
    #[error("{}: {reason}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {reason}", .file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The files that the program carries cannot be used; with the next step.
    #[error("{0}")]
    NoFiles(String),
    /// Anything else that the caller got wrong.
    #[error("{0}")]
    Usage(String),
}

/// What is missing for CUDA.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCuda {
    /// The driver's library is not installed.
    #[error("{NO_DRIVER}")]
    NoDriver,
    /// The driver is too old.
    #[error(
        "the NVIDIA driver serves CUDA {version}, and CUDA 12.1 is the oldest that this project runs on; \
         update the driver to version 530 or later, or use the emulator (`--device emulator`, CORNERTURN_DEVICE=emulator)"
    )]
    OldDriver {
        /// The CUDA version that it serves.
        version: String,
    },
    /// The driver lacks a call that every driver of its version has.
    #[error("the NVIDIA driver lacks the call {0}; install the driver again")]
    Symbol(&'static str),
    /// There is a driver, but no GPU.
    #[error(
        "the NVIDIA driver finds no GPU; check `nvidia-smi` and CUDA_VISIBLE_DEVICES, \
         or use the emulator (`--device emulator`, CORNERTURN_DEVICE=emulator)"
    )]
    NoGpu,
    /// The driver does not start.
    #[error("the NVIDIA driver does not start: {code} ({reason}); check `nvidia-smi`")]
    Refused {
        /// The driver's name of the error.
        code: String,
        /// The driver's words.
        reason: String,
    },
}

impl NoCuda {
    /// What is missing, without what to do about it: for those to whom the emulator is no help.
    pub fn fault(&self) -> String {
        let told = self.to_string();
        told.split(';').next().unwrap_or(&told).to_string()
    }

    /// Whether the machine simply has no GPU, rather than one that does not work.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::NoDriver | Self::NoGpu)
    }
}

impl Error {
    /// Who has to act on it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Kernel { .. }
            | Self::Checked { .. }
            | Self::Unordered { .. }
            | Self::Fault { .. }
            | Self::Mismatch { .. }
            | Self::WrongElsewhere { .. }
            | Self::WrongResult { .. }
            | Self::WrongProduct { .. } => ErrorKind::KernelWrong,
            Self::Impossible(_) => ErrorKind::KernelWrong,
            Self::CompilerGap { .. } => ErrorKind::Unsupported,
            Self::Ptx { reason, .. } if reason.is_gap() => ErrorKind::Unsupported,
            Self::Ptx { reason, .. } if matches!(**reason, LoadError::HostMemory { .. }) => {
                ErrorKind::MachineLacks
            }
            Self::NoClock
            | Self::NoCuda(_)
            | Self::NoCompiler(_)
            | Self::NoCublas(_)
            | Self::Driver { .. }
            | Self::NoTensorMaps { .. }
            | Self::Memory { .. }
            | Self::Unwritable { .. }
            | Self::NoFiles(_)
            | Self::PtxRefused { .. } => ErrorKind::MachineLacks,
            _ => ErrorKind::BadUse,
        }
    }

    /// The exit status of a program that fails with this error: 1 the kernel did something wrong, 2 bad usage or
    /// input, 3 unsupported, 4 the machine lacks something.
    pub fn exit_code(&self) -> i32 {
        match self.kind() {
            ErrorKind::KernelWrong => 1,
            ErrorKind::BadUse => 2,
            ErrorKind::Unsupported => 3,
            ErrorKind::MachineLacks => 4,
        }
    }

    /// The same with what the kernel printed, where the error is about a kernel that ran.
    pub fn with_printed(mut self, text: Printed) -> Self {
        if let Self::Kernel { printed, .. }
        | Self::Mismatch { printed, .. }
        | Self::WrongResult { printed, .. }
        | Self::WrongProduct { printed, .. } = &mut self
        {
            **printed = text;
        }
        self
    }

    /// That a file cannot be read, or is not what it should be.
    pub fn file(file: &Path, reason: impl ToString) -> Self {
        Self::File {
            file: file.to_path_buf(),
            reason: reason.to_string(),
        }
    }
}

/// The message: a notebook shows an error that a cell returns by its `Debug` form.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn meant(nearest: &Option<String>) -> String {
    match nearest {
        Some(nearest) => format!(", did you mean `{nearest}`?"),
        None => String::new(),
    }
}

fn free_words(free: Option<u64>) -> String {
    match free {
        Some(free) => format!("{free} are free; take a smaller size, or end other programs"),
        None => "there are not so many free".to_string(),
    }
}

fn finding_lines(kernel: &str, findings: &[Finding]) -> String {
    let mut text = match findings {
        [] => return format!("{kernel}: stopped"),
        [one] => return one.message(),
        many => format!("{kernel}: {} findings:", many.len()),
    };
    for finding in findings {
        text.push_str("\n  ");
        text.push_str(&finding.message());
    }
    text
}

/// So many pairs are shown.
const MOST_RACES: usize = 4;

fn unordered_lines(races: &[Unordered]) -> String {
    let mut text = match races.len() {
        1 => "a race between streams: ".to_string(),
        many => format!("{many} races between streams:"),
    };
    for race in races.iter().take(MOST_RACES) {
        if races.len() > 1 {
            text.push_str("\n  ");
        }
        text.push_str(&race.to_string());
    }
    if races.len() > MOST_RACES {
        text.push_str(&format!("\n  … and {} more", races.len() - MOST_RACES));
    }
    text
}

fn checked_lines(kernel: &str, findings: &[Finding], place: &str) -> String {
    let lines = finding_lines(kernel, findings);
    format!(
        "{lines}\nThe result is right as the emulator ran the threads; nothing makes a GPU run them so. Found {place}."
    )
}

/// Right here, wrong there, and how.
fn elsewhere_lines(
    kernel: &str,
    right: &str,
    wrong: &str,
    grid: Dim3,
    reason: &Error,
    meant: Option<[usize; 2]>,
) -> String {
    let reason = match reason {
        Error::Mismatch { mismatch, .. } => mismatch.to_string(),
        Error::Kernel { findings, .. } => finding_lines(kernel, findings),
        Error::WrongProduct { mismatch, .. } => mismatch.to_string(),
        other => other.to_string(),
    };
    let right = match right {
        "" => String::new(),
        right => format!("right on {right}, "),
    };
    let mut text = format!("{kernel}: {right}wrong on {wrong}, grid {grid}: {reason}");
    if let Some([columns, rows]) = meant {
        text.push_str(&format!(
            "\nIf the kernel is meant for whole tiles only, say so: `.for_multiples_of([{columns}, {rows}])`, columns and rows."
        ));
    }
    text
}

/// What a kernel printed, as lines below those before; empty where it printed nothing.
pub fn printed_lines(printed: &Printed) -> String {
    if printed.is_empty() {
        return String::new();
    }
    let lines = printed.shown(MOST_PRINTED_LINES);
    format!("\nthe kernel printed:\n{}", lines.trim_end())
}

fn fault_lines(
    kernel: &str,
    code: &str,
    reason: &str,
    located: &[Finding],
    same_input: bool,
) -> String {
    let mut text = format!("{kernel}: the GPU stopped the kernel: {code} ({reason})");
    if located.is_empty() {
        text.push_str(
            "\nThe driver does not say where: run it with CORNERTURN_DEVICE=emulator, which names line, thread and \
             address.",
        );
    } else {
        text.push_str("\nThe emulator, given the same launch, says where");
        text.push_str(if same_input {
            ":"
        } else {
            " (buffers zeroed: the fault took their contents):"
        });
        for finding in located {
            text.push_str("\n  ");
            text.push_str(&finding.message());
        }
    }
    if code != NO_END {
        text.push_str("\nEarlier buffers are lost; the device works on.");
    }
    text
}
