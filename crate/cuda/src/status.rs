//! The results of calls: the codes of the CUDA driver API with their names and what they mean in a few words, and errors that carry a sentence. Which call gives which is for others.

use std::fmt;

/// A result of the driver API: `CUresult` of its header.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub u32);

macro_rules! statuses {
    ($($code:literal $name:ident $full:literal $words:literal;)*) => {
        impl Status {
            $(#[doc = concat!("`", $full, "`: ", $words, ".")] pub const $name: Self = Self($code);)*

            /// The name in the header, and a NUL.
            fn known(self) -> Option<(&'static str, &'static str)> {
                match self.0 {
                    $($code => Some((concat!($full, "\0"), concat!($words, "\0"))),)*
                    _ => None,
                }
            }
        }
    };
}

statuses! {
    0 SUCCESS "CUDA_SUCCESS" "no error";
    1 INVALID_VALUE "CUDA_ERROR_INVALID_VALUE" "invalid argument";
    2 OUT_OF_MEMORY "CUDA_ERROR_OUT_OF_MEMORY" "out of memory";
    3 NOT_INITIALIZED "CUDA_ERROR_NOT_INITIALIZED" "initialization error";
    4 DEINITIALIZED "CUDA_ERROR_DEINITIALIZED" "driver shutting down";
    34 STUB_LIBRARY "CUDA_ERROR_STUB_LIBRARY" "CUDA driver is a stub library";
    100 NO_DEVICE "CUDA_ERROR_NO_DEVICE" "no CUDA-capable device is detected";
    101 INVALID_DEVICE "CUDA_ERROR_INVALID_DEVICE" "invalid device ordinal";
    200 INVALID_IMAGE "CUDA_ERROR_INVALID_IMAGE" "device kernel image is invalid";
    201 INVALID_CONTEXT "CUDA_ERROR_INVALID_CONTEXT" "invalid device context";
    209 NO_BINARY_FOR_GPU "CUDA_ERROR_NO_BINARY_FOR_GPU" "no kernel image is available for execution on the device";
    217 PEER_ACCESS_UNSUPPORTED "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED" "peer access is not supported between these two devices";
    218 INVALID_PTX "CUDA_ERROR_INVALID_PTX" "a PTX JIT compilation failed";
    222 UNSUPPORTED_PTX_VERSION "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" "the provided PTX was compiled with an unsupported toolchain";
    300 INVALID_SOURCE "CUDA_ERROR_INVALID_SOURCE" "device kernel image is invalid";
    301 FILE_NOT_FOUND "CUDA_ERROR_FILE_NOT_FOUND" "file not found";
    302 SHARED_OBJECT_SYMBOL_NOT_FOUND "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND" "shared object symbol not found";
    304 OPERATING_SYSTEM "CUDA_ERROR_OPERATING_SYSTEM" "OS call failed or operation not supported on this OS";
    400 INVALID_HANDLE "CUDA_ERROR_INVALID_HANDLE" "invalid resource handle";
    401 ILLEGAL_STATE "CUDA_ERROR_ILLEGAL_STATE" "the operation cannot be performed in the present state";
    500 NOT_FOUND "CUDA_ERROR_NOT_FOUND" "named symbol not found";
    600 NOT_READY "CUDA_ERROR_NOT_READY" "device not ready";
    700 ILLEGAL_ADDRESS "CUDA_ERROR_ILLEGAL_ADDRESS" "an illegal memory access was encountered";
    701 LAUNCH_OUT_OF_RESOURCES "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" "too many resources requested for launch";
    702 LAUNCH_TIMEOUT "CUDA_ERROR_LAUNCH_TIMEOUT" "the launch timed out and was terminated";
    704 PEER_ACCESS_ALREADY_ENABLED "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED" "peer access is already enabled";
    705 PEER_ACCESS_NOT_ENABLED "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED" "peer access has not been enabled";
    708 PRIMARY_CONTEXT_ACTIVE "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE" "the primary context is active";
    709 CONTEXT_IS_DESTROYED "CUDA_ERROR_CONTEXT_IS_DESTROYED" "context is destroyed";
    710 ASSERT "CUDA_ERROR_ASSERT" "device-side assert triggered";
    712 HOST_MEMORY_ALREADY_REGISTERED "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" "part or all of the requested memory range is already mapped";
    713 HOST_MEMORY_NOT_REGISTERED "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED" "pointer does not correspond to a registered memory region";
    714 HARDWARE_STACK_ERROR "CUDA_ERROR_HARDWARE_STACK_ERROR" "hardware stack error";
    715 ILLEGAL_INSTRUCTION "CUDA_ERROR_ILLEGAL_INSTRUCTION" "an illegal instruction was encountered";
    716 MISALIGNED_ADDRESS "CUDA_ERROR_MISALIGNED_ADDRESS" "misaligned address";
    717 INVALID_ADDRESS_SPACE "CUDA_ERROR_INVALID_ADDRESS_SPACE" "operation not supported on global/shared address space";
    718 INVALID_PC "CUDA_ERROR_INVALID_PC" "invalid program counter";
    719 LAUNCH_FAILED "CUDA_ERROR_LAUNCH_FAILED" "unspecified launch failure";
    720 COOPERATIVE_LAUNCH_TOO_LARGE "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" "too many blocks in cooperative launch";
    800 NOT_PERMITTED "CUDA_ERROR_NOT_PERMITTED" "operation not permitted";
    801 NOT_SUPPORTED "CUDA_ERROR_NOT_SUPPORTED" "operation not supported";
    900 STREAM_CAPTURE_UNSUPPORTED "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" "operation not permitted when stream is capturing";
    901 STREAM_CAPTURE_INVALIDATED "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" "operation failed due to a previous error during capture";
    902 STREAM_CAPTURE_MERGE "CUDA_ERROR_STREAM_CAPTURE_MERGE" "operation would result in a merge of separate capture sequences";
    903 STREAM_CAPTURE_UNMATCHED "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED" "capture was not ended in the same stream as it began";
    904 STREAM_CAPTURE_UNJOINED "CUDA_ERROR_STREAM_CAPTURE_UNJOINED" "capturing stream has unjoined work";
    906 STREAM_CAPTURE_IMPLICIT "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT" "operation would make the legacy stream depend on a capturing blocking stream";
    907 CAPTURED_EVENT "CUDA_ERROR_CAPTURED_EVENT" "operation not permitted on an event last recorded in a capturing stream";
    910 GRAPH_EXEC_UPDATE_FAILURE "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE" "the graph update was not performed because it included changes which violated constraints";
    999 UNKNOWN "CUDA_ERROR_UNKNOWN" "unknown error";
}

impl Status {
    /// The name in the header, such as `CUDA_ERROR_INVALID_VALUE`; `None` for a number that is no code.
    pub fn name(self) -> Option<&'static str> {
        self.known().map(|(name, _)| name.trim_end_matches('\0'))
    }

    /// What it means, in a few words without a full stop.
    pub fn words(self) -> Option<&'static str> {
        self.known().map(|(_, words)| words.trim_end_matches('\0'))
    }

    /// Name and words, each with a NUL at its end, for C.
    pub fn for_c(self) -> Option<(&'static str, &'static str)> {
        self.known()
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUDA error {}", self.0),
        }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a call failed: what it returns, and a sentence where the code alone does not say what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{status}{}", said(message))]
pub struct Error {
    /// What the call returns.
    pub status: Status,
    /// A sentence without its full stop, or nothing.
    pub message: String,
}

fn said(message: &str) -> String {
    match message {
        "" => String::new(),
        message => format!(": {message}"),
    }
}

impl Error {
    /// With a sentence.
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { status, message }
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        Self::new(status, "")
    }
}

/// What calls give.
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_names_and_words() {
        assert_eq!(
            Status::OUT_OF_MEMORY.to_string(),
            "CUDA_ERROR_OUT_OF_MEMORY"
        );
        assert_eq!(Status(12345).to_string(), "CUDA error 12345");
        assert_eq!(Status(12345).words(), None);
        let (name, words) = Status::SUCCESS.for_c().unwrap();
        assert_eq!((name, words), ("CUDA_SUCCESS\0", "no error\0"));
        let error = Error::new(Status::NOT_FOUND, "no kernel `f`");
        assert_eq!(error.to_string(), "CUDA_ERROR_NOT_FOUND: no kernel `f`");
    }
}
