//! The errors of the runtime API: number, name and words of each that our runtime gives. Which call gives which is the calls' business.

use cornerturn_cuda::Status;
use std::ffi::c_char;

/// An error of the runtime API, by its number in `driver_types.h`; 0 is success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CudaError(pub i32);

macro_rules! errors {
    ($($constant:ident = $number:literal $name:literal $($words:literal)?)*) => {
        impl CudaError {
            $(#[doc = concat!("`", $name, "`.")] pub const $constant: Self = Self($number);)*
        }

        /// Number, name and, where the driver API has no such number, words; each ended by a zero byte. In the order of the
        /// numbers.
        const TABLE: &[(i32, &str, &str)] = &[
            $(($number, concat!($name, "\0"), concat!($($words, "\0")?)),)*
        ];
    };
}

// CUDA Runtime API, "Data types used by CUDA Runtime": `cudaError`. From 98 on the numbers are the driver API's.
errors! {
    SUCCESS = 0 "cudaSuccess"
    INVALID_VALUE = 1 "cudaErrorInvalidValue"
    MEMORY_ALLOCATION = 2 "cudaErrorMemoryAllocation"
    INITIALIZATION = 3 "cudaErrorInitializationError"
    UNLOADING = 4 "cudaErrorCudartUnloading"
    INVALID_CONFIGURATION = 9 "cudaErrorInvalidConfiguration" "invalid configuration argument"
    INVALID_PITCH = 12 "cudaErrorInvalidPitchValue" "invalid pitch argument"
    INVALID_SYMBOL = 13 "cudaErrorInvalidSymbol" "invalid device symbol"
    INVALID_HOST_POINTER = 16 "cudaErrorInvalidHostPointer" "invalid host pointer"
    INVALID_DEVICE_POINTER = 17 "cudaErrorInvalidDevicePointer" "invalid device pointer"
    INVALID_TEXTURE = 18 "cudaErrorInvalidTexture" "invalid texture reference"
    INVALID_CHANNEL = 20 "cudaErrorInvalidChannelDescriptor" "invalid channel descriptor"
    INVALID_DIRECTION = 21 "cudaErrorInvalidMemcpyDirection" "invalid copy direction for memcpy"
    INVALID_FILTER = 26 "cudaErrorInvalidFilterSetting" "linear filtering not supported for non-float type"
    INVALID_NORM = 27 "cudaErrorInvalidNormSetting" "read as normalized float not supported for data type"
    INVALID_SURFACE = 37 "cudaErrorInvalidSurface" "invalid surface reference"
    MISSING_CONFIGURATION = 52 "cudaErrorMissingConfiguration" "__global__ function call is not configured"
    INVALID_FUNCTION = 98 "cudaErrorInvalidDeviceFunction" "invalid device function"
    NO_DEVICE = 100 "cudaErrorNoDevice"
    INVALID_DEVICE = 101 "cudaErrorInvalidDevice"
    INVALID_IMAGE = 200 "cudaErrorInvalidKernelImage"
    DEVICE_UNINITIALIZED = 201 "cudaErrorDeviceUninitialized"
    NO_IMAGE = 209 "cudaErrorNoKernelImageForDevice"
    UNSUPPORTED_LIMIT = 215 "cudaErrorUnsupportedLimit" "limit is not supported on this architecture"
    PEER_UNSUPPORTED = 217 "cudaErrorPeerAccessUnsupported"
    INVALID_PTX = 218 "cudaErrorInvalidPtx"
    UNSUPPORTED_PTX = 222 "cudaErrorUnsupportedPtxVersion" "the provided PTX was compiled with an unsupported toolchain."
    INVALID_SOURCE = 300 "cudaErrorInvalidSource"
    FILE_NOT_FOUND = 301 "cudaErrorFileNotFound"
    OPERATING_SYSTEM = 304 "cudaErrorOperatingSystem"
    INVALID_HANDLE = 400 "cudaErrorInvalidResourceHandle"
    ILLEGAL_STATE = 401 "cudaErrorIllegalState"
    SYMBOL_NOT_FOUND = 500 "cudaErrorSymbolNotFound"
    NOT_READY = 600 "cudaErrorNotReady"
    ILLEGAL_ADDRESS = 700 "cudaErrorIllegalAddress"
    OUT_OF_RESOURCES = 701 "cudaErrorLaunchOutOfResources"
    LAUNCH_TIMEOUT = 702 "cudaErrorLaunchTimeout"
    PEER_ENABLED = 704 "cudaErrorPeerAccessAlreadyEnabled"
    PEER_NOT_ENABLED = 705 "cudaErrorPeerAccessNotEnabled"
    SET_ON_ACTIVE = 708 "cudaErrorSetOnActiveProcess"
    CONTEXT_DESTROYED = 709 "cudaErrorContextIsDestroyed"
    ASSERT = 710 "cudaErrorAssert"
    HOST_REGISTERED = 712 "cudaErrorHostMemoryAlreadyRegistered"
    HOST_NOT_REGISTERED = 713 "cudaErrorHostMemoryNotRegistered"
    HARDWARE_STACK = 714 "cudaErrorHardwareStackError"
    ILLEGAL_INSTRUCTION = 715 "cudaErrorIllegalInstruction"
    MISALIGNED = 716 "cudaErrorMisalignedAddress"
    INVALID_ADDRESS_SPACE = 717 "cudaErrorInvalidAddressSpace"
    LAUNCH_FAILURE = 719 "cudaErrorLaunchFailure"
    COOPERATIVE_TOO_LARGE = 720 "cudaErrorCooperativeLaunchTooLarge"
    NOT_PERMITTED = 800 "cudaErrorNotPermitted"
    NOT_SUPPORTED = 801 "cudaErrorNotSupported"
    CAPTURE_UNSUPPORTED = 900 "cudaErrorStreamCaptureUnsupported"
    CAPTURE_INVALIDATED = 901 "cudaErrorStreamCaptureInvalidated"
    CAPTURE_MERGE = 902 "cudaErrorStreamCaptureMerge"
    CAPTURE_UNMATCHED = 903 "cudaErrorStreamCaptureUnmatched"
    CAPTURE_UNJOINED = 904 "cudaErrorStreamCaptureUnjoined"
    CAPTURE_ISOLATION = 905 "cudaErrorStreamCaptureIsolation" "dependency created on uncaptured work in another stream"
    CAPTURE_IMPLICIT = 906 "cudaErrorStreamCaptureImplicit"
    CAPTURED_EVENT = 907 "cudaErrorCapturedEvent"
    CAPTURE_WRONG_THREAD = 908 "cudaErrorStreamCaptureWrongThread" "attempt to terminate a thread-local capture sequence from another thread"
    GRAPH_UPDATE = 910 "cudaErrorGraphExecUpdateFailure"
    INVALID_CLUSTER = 912 "cudaErrorInvalidClusterSize" "a kernel launch error has occurred due to cluster misconfiguration"
    UNKNOWN = 999 "cudaErrorUnknown"
}

/// What is said of a number that is none of them.
const UNRECOGNIZED: &str = "unrecognized error code\0";

impl CudaError {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.entry().0.trim_end_matches('\0')
    }

    /// Its words.
    pub fn words(self) -> &'static str {
        self.entry().1.trim_end_matches('\0')
    }

    /// Its name as C has it.
    pub(crate) fn name_c(self) -> *const c_char {
        self.entry().0.as_ptr().cast()
    }

    /// Its words as C has them.
    pub(crate) fn words_c(self) -> *const c_char {
        self.entry().1.as_ptr().cast()
    }

    /// Name and words with their zero bytes.
    fn entry(self) -> (&'static str, &'static str) {
        let Ok(at) = TABLE.binary_search_by_key(&self.0, |entry| entry.0) else {
            return (UNRECOGNIZED, UNRECOGNIZED);
        };
        let (number, name, words) = TABLE[at];
        let of_driver = Status(number.cast_unsigned()).for_c();
        match of_driver {
            Some((_, words)) => (name, words),
            None => (name, words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_a_name_and_words() {
        for (number, name, _) in TABLE {
            let found = CudaError(*number);
            assert_eq!(format!("{}\0", found.name()), *name);
            assert!(!found.words().is_empty(), "{name}");
            // SAFETY: both are ended by a zero byte.
            let words = unsafe { std::ffi::CStr::from_ptr(found.words_c()) };
            assert_eq!(words.to_str(), Ok(found.words()));
        }
        assert_eq!(CudaError::SUCCESS.words(), "no error");
        assert_eq!(CudaError(12345).name(), "unrecognized error code");
    }
}
