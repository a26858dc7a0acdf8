//! What all calls of the runtime have in common: where they stand in the program, the device that they mean, and the last error of each host thread. What they do is the other files'.

use crate::errors::CudaError;
use crate::place;
use cornerturn_cuda::{Driver, set_place};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a call failed: what it returns, and a sentence where there is more to say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", .error.name())]
pub struct Failure {
    /// What the call returns.
    pub error: CudaError,
    /// A sentence without its full stop, or nothing.
    pub message: String,
}

/// What calls give.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// With a sentence.
    pub fn new(error: CudaError, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { error, message }
    }
}

impl From<CudaError> for Failure {
    fn from(error: CudaError) -> Self {
        Self::new(error, "")
    }
}

/// The numbers of the two interfaces are the same, where both have an error.
impl From<cornerturn_cuda::Error> for Failure {
    fn from(error: cornerturn_cuda::Error) -> Self {
        Self::new(CudaError(error.status.0.cast_signed()), error.message)
    }
}

impl From<cornerturn_cuda::Status> for Failure {
    fn from(status: cornerturn_cuda::Status) -> Self {
        cornerturn_cuda::Error::from(status).into()
    }
}

thread_local! {
    /// The name of the call that this thread is in, where it is known.
    static NAME: RefCell<Option<String>> = const { RefCell::new(None) };
    /// The last error of this thread, until somebody asks for it.
    static LAST: Cell<CudaError> = const { Cell::new(CudaError::SUCCESS) };
    /// The device that this thread has chosen.
    static DEVICE: Cell<u32> = const { Cell::new(0) };
}

/// A call: runs it in a context of the thread's device, and keeps its error as the thread's last.
pub(crate) fn call(run: impl FnOnce(&'static Driver) -> Result<()>) -> CudaError {
    keep(guarded(|| {
        let driver = Driver::start()?;
        locate(driver);
        if driver.context_even_failed().is_err() {
            driver.use_device(DEVICE.get())?;
        }
        run(driver)
    }))
}

/// The same where no context is needed or made: questions about devices and errors.
pub(crate) fn ask(run: impl FnOnce(&'static Driver) -> Result<()>) -> CudaError {
    keep(guarded(|| {
        let driver = Driver::start()?;
        locate(driver);
        run(driver)
    }))
}

/// Tells the driver where in the program the call stands, where that is asked for: to walk up the stack takes microseconds.
fn locate(driver: &Driver) {
    if driver.settings().check {
        let call = place::of_call();
        set_place(call.place);
        NAME.replace(call.name);
    }
}

/// No panic reaches the program.
fn guarded(run: impl FnOnce() -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let message = "a mistake of Corner Turn's own ended the call";
        Err(Failure::new(CudaError::UNKNOWN, message))
    })
}

fn keep(result: Result<()>) -> CudaError {
    let Err(failure) = result else {
        return CudaError::SUCCESS;
    };
    note(&failure);
    // Not yet done is an answer and no error: CUDA Runtime API, `cudaStreamQuery`.
    if failure.error != CudaError::NOT_READY {
        LAST.set(failure.error);
    }
    failure.error
}

/// Errors that a program makes itself: to get one is a finding. Others, such as too little memory, are the machine's, and
/// what a kernel has left is the kernel's finding.
const MISTAKES: [CudaError; 17] = [
    CudaError::INVALID_VALUE,
    CudaError::INVALID_CONFIGURATION,
    CudaError::INVALID_PITCH,
    CudaError::INVALID_SYMBOL,
    CudaError::INVALID_HOST_POINTER,
    CudaError::INVALID_DEVICE_POINTER,
    CudaError::INVALID_CHANNEL,
    CudaError::INVALID_DIRECTION,
    CudaError::INVALID_FILTER,
    CudaError::MISSING_CONFIGURATION,
    CudaError::INVALID_FUNCTION,
    CudaError::INVALID_HANDLE,
    CudaError::COOPERATIVE_TOO_LARGE,
    CudaError::CAPTURE_UNSUPPORTED,
    CudaError::CAPTURE_UNMATCHED,
    CudaError::CAPTURE_UNJOINED,
    CudaError::CAPTURE_IMPLICIT,
];

/// What the emulator or this runtime has not got: said at once, as the program may end without a report.
const GAPS: [CudaError; 2] = [CudaError::NOT_SUPPORTED, CudaError::INVALID_PTX];

/// Notes a mistake, unless the driver has done so with more to say.
fn note(failure: &Failure) {
    let Some(driver) = Driver::started() else {
        return complain(failure);
    };
    let name = NAME.with_borrow(|name| name.clone());
    let name = name.map_or_else(|| "a call".to_string(), |name| format!("`{name}`"));
    let words = match failure.message.as_str() {
        "" => failure.error.words(),
        message => message,
    };
    let message = format!("{name} fails with {}: {words}", failure.error.name());
    if GAPS.contains(&failure.error) {
        driver.note_finding("unsupported", &message);
        complain(failure);
    }
    let is_noted = || {
        driver
            .notes()
            .0
            .iter()
            .any(|note| note.message == failure.message)
    };
    if MISTAKES.contains(&failure.error) && !is_noted() {
        driver.note_finding("invalid_call", &message);
    }
}

/// One line on the standard error.
fn complain(failure: &Failure) {
    eprintln!("cornerturn: {failure}");
}

/// The device that calls of this thread mean.
pub(crate) fn device() -> u32 {
    DEVICE.get()
}

/// Chooses it.
pub(crate) fn set_device(device: u32) {
    DEVICE.set(device);
}

/// The last error of this thread, which stays.
pub(crate) fn last() -> CudaError {
    LAST.get()
}

/// The last error of this thread, which is forgotten.
pub(crate) fn take_last() -> CudaError {
    LAST.replace(CudaError::SUCCESS)
}

/// The error that a kernel has left in the thread's context: it stays until the device is reset.
pub(crate) fn sticky() -> Option<CudaError> {
    let context = Driver::started()?.context_even_failed().ok()?;
    let left = context.check().err()?;
    Some(Failure::from(left).error)
}

/// Writes a result where the program wants it.
///
/// # Safety
/// `to` is null, or there is room for it.
///
/// # Errors
/// `cudaErrorInvalidValue` for null.
pub(crate) unsafe fn give<T>(to: *mut T, value: T) -> Result<()> {
    if to.is_null() {
        return Err(CudaError::INVALID_VALUE.into());
    }
    // SAFETY: it is not null, and the caller says that there is room.
    unsafe { to.write(value) };
    Ok(())
}

/// Reads what the program has put there.
///
/// # Safety
/// `from` is null, or a value is there.
///
/// # Errors
/// `cudaErrorInvalidValue` for null.
pub(crate) unsafe fn taken<T: Copy>(from: *const T) -> Result<T> {
    if from.is_null() {
        return Err(CudaError::INVALID_VALUE.into());
    }
    // SAFETY: it is not null, and the caller says that a value is there.
    Ok(unsafe { from.read() })
}

/// Reads so many values.
///
/// # Safety
/// `from` points to so many.
///
/// # Errors
/// `cudaErrorInvalidValue` for null, unless there are none.
pub(crate) unsafe fn listed<T: Copy>(from: *const T, count: usize) -> Result<Vec<T>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if from.is_null() {
        return Err(CudaError::INVALID_VALUE.into());
    }
    // SAFETY: it is not null, and the caller says how many there are.
    Ok(unsafe { std::slice::from_raw_parts(from, count) }.to_vec())
}
