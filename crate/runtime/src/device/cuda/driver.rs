//! The driver's calls that we use, looked up once. Results are integers here: a code that a newer driver adds must not become an invalid value of an enum, nor a missing symbol a panic.

use cornerturn_base::error::{Error, NoCuda, Result};
use cudarc::driver::sys::{
    CUarray, CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec,
    CUlaunchAttributeValue, CUlaunchConfig, CUmodule, CUstream, culib, is_culib_present,
};
use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_void};

/// `CUDA_SUCCESS`.
pub(super) const SUCCESS: c_uint = 0;
/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub(super) const OUT_OF_MEMORY: c_uint = 2;
/// `CUDA_ERROR_NOT_READY`: the stream still has work.
pub(super) const NOT_READY: c_uint = 600;

/// What a status of cuBLAS becomes as a code, so that none is taken for one of the driver.
pub(super) const CUBLAS: c_uint = 1 << 16;

/// The oldest driver that we serve, in `cuDriverGetVersion`'s form.
pub(super) const OLDEST_VERSION: c_int = 12010;

macro_rules! driver {
    ($($symbol:ident($($argument:ty),*);)*) => {
        /// Pointers to the driver's functions; each answers with a `CUresult` as an integer.
        #[allow(non_snake_case)]
        #[derive(Clone, Copy)]
        pub(super) struct Driver {
            $(pub(super) $symbol: unsafe extern "C" fn($($argument),*) -> c_uint,)*
        }

        impl Driver {
            fn load() -> Result<Self> {
                // SAFETY: the caller asked `is_culib_present`, so this does not panic.
                let library = unsafe { culib() };
                Ok(Self {$(
                    $symbol: {
                        let name = concat!(stringify!($symbol), "\0");
                        // SAFETY: the signature is the one of the CUDA driver API's manual; the library stays loaded
                        // for the life of the process, so the pointer may be copied out.
                        *unsafe {
                            library.get::<unsafe extern "C" fn($($argument),*) -> c_uint>(name.as_bytes())
                        }
                        .map_err(|_| Error::NoCuda(NoCuda::Symbol(stringify!($symbol))))?
                    },
                )*})
            }
        }
    };
}

driver! {
    cuInit(c_uint);
    cuDriverGetVersion(*mut c_int);
    cuGetErrorName(c_uint, *mut *const c_char);
    cuGetErrorString(c_uint, *mut *const c_char);
    cuDeviceGetCount(*mut c_int);
    cuDeviceGet(*mut CUdevice, c_int);
    cuDeviceGetName(*mut c_char, c_int, CUdevice);
    cuDeviceGetAttribute(*mut c_int, c_uint, CUdevice);
    cuDeviceTotalMem_v2(*mut usize, CUdevice);
    cuDeviceGetPCIBusId(*mut c_char, c_int, CUdevice);
    cuCtxCreate_v2(*mut CUcontext, c_uint, CUdevice);
    cuCtxDestroy_v2(CUcontext);
    cuCtxSetCurrent(CUcontext);
    cuCtxPopCurrent_v2(*mut CUcontext);
    cuCtxResetPersistingL2Cache();
    cuCtxSynchronize();
    cuCtxGetLimit(*mut usize, c_uint);
    cuCtxSetLimit(c_uint, usize);
    cuStreamSetAttribute(CUstream, c_uint, *const CUlaunchAttributeValue);
    cuStreamCreate(*mut CUstream, c_uint);
    cuStreamDestroy_v2(CUstream);
    cuStreamQuery(CUstream);
    cuStreamWaitEvent(CUstream, CUevent, c_uint);
    cuStreamBeginCapture_v2(CUstream, c_uint);
    cuStreamEndCapture(CUstream, *mut CUgraph);
    cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, u64);
    cuGraphLaunch(CUgraphExec, CUstream);
    cuGraphExecDestroy(CUgraphExec);
    cuGraphDestroy(CUgraph);
    cuEventCreate(*mut CUevent, c_uint);
    cuEventRecord(CUevent, CUstream);
    cuEventQuery(CUevent);
    cuEventElapsedTime(*mut f32, CUevent, CUevent);
    cuEventDestroy_v2(CUevent);
    cuMemAlloc_v2(*mut CUdeviceptr, usize);
    cuMemFree_v2(CUdeviceptr);
    cuMemcpyHtoD_v2(CUdeviceptr, *const c_void, usize);
    cuMemcpyDtoH_v2(*mut c_void, CUdeviceptr, usize);
    cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
    cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
    cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
    cuMemsetD8Async(CUdeviceptr, c_uchar, usize, CUstream);
    cuMemHostRegister_v2(*mut c_void, usize, c_uint);
    cuMemHostUnregister(*mut c_void);
    cuMemHostGetDevicePointer_v2(*mut CUdeviceptr, *mut c_void, c_uint);
    cuMemAllocManaged(*mut CUdeviceptr, usize, c_uint);
    cuMemPrefetchAsync(CUdeviceptr, usize, CUdevice, CUstream);
    cuMemAdvise(CUdeviceptr, usize, c_uint, CUdevice);
    cuArray3DCreate_v2(*mut CUarray, *const c_void);
    cuArrayDestroy(CUarray);
    cuMemcpy2D_v2(*const c_void);
    cuTexObjectCreate(*mut u64, *const c_void, *const c_void, *const c_void);
    cuTexObjectDestroy(u64);
    cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut c_uint, *mut *mut c_void);
    cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    cuFuncGetAttribute(*mut c_int, c_uint, CUfunction);
    cuFuncSetAttribute(CUfunction, c_uint, c_int);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, CUfunction, c_int, usize);
    cuOccupancyMaxPotentialBlockSize(*mut c_int, *mut c_int, CUfunction, *const c_void, usize, c_int);
    cuLaunchKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
        *mut *mut c_void, *mut *mut c_void
    );
    cuLaunchKernelEx(*const CUlaunchConfig, CUfunction, *mut *mut c_void, *mut *mut c_void);
    cuTensorMapEncodeTiled(
        *mut c_void, c_uint, c_uint, *mut c_void, *const u64, *const u64, *const u32, *const u32,
        c_uint, c_uint, c_uint, c_uint
    );
}

/// A call that did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) call: &'static str,
    pub(super) code: c_uint,
}

/// Whether a call succeeded.
pub(super) fn check(call: &'static str, code: c_uint) -> Result<(), Failure> {
    if code == SUCCESS {
        Ok(())
    } else {
        Err(Failure { call, code })
    }
}

impl Failure {
    /// Whether the context is lost: every later call in it answers with an error too (CUDA driver API, CUresult).
    pub(super) fn is_sticky(self) -> bool {
        matches!(
            self.code,
            // ECC, NVLink, contained errors
            214 | 220 | 721
            // illegal address, launch timeout, context destroyed, assert
            | 700 | 702 | 709 | 710
            // stack error, illegal instruction, misaligned address, address space, program counter, launch failure
            | 714
                ..=719
            // unknown
            | 999
        )
    }

    pub(super) fn into_error(self, driver: &Driver) -> Error {
        let (code, mut reason) = driver.describe(self.code);
        if self.is_sticky() {
            reason.push_str(if self.call == "cuCtxCreate" {
                "; after a fault this driver makes no new context: restart the notebook's kernel or the program"
            } else {
                "; the GPU's context was built anew, earlier buffers are lost"
            });
        }
        Error::Driver {
            call: self.call,
            code,
            reason,
        }
    }
}

impl Driver {
    /// Opens the driver, initialises it and checks its version before any other call.
    ///
    /// # Errors
    /// [`Error::NoCuda`] with what is missing.
    pub(super) fn open() -> Result<(Self, c_int)> {
        // SAFETY: it tries to load the library, nothing else.
        if !unsafe { is_culib_present() } {
            return Err(Error::NoCuda(NoCuda::NoDriver));
        }
        let driver = Self::load()?;
        let mut version = 0;
        // SAFETY: `version` is writable; this call is allowed before cuInit.
        let code = unsafe { (driver.cuDriverGetVersion)(&mut version) };
        if code != SUCCESS {
            return Err(driver.refused(code));
        }
        if version < OLDEST_VERSION {
            return Err(Error::NoCuda(NoCuda::OldDriver {
                version: version_text(version),
            }));
        }
        // SAFETY: flags must be 0.
        let code = unsafe { (driver.cuInit)(0) };
        match code {
            SUCCESS => Ok((driver, version)),
            // CUDA_ERROR_NO_DEVICE
            100 => Err(Error::NoCuda(NoCuda::NoGpu)),
            _ => Err(driver.refused(code)),
        }
    }

    fn refused(&self, code: c_uint) -> Error {
        let (name, reason) = self.describe(code);
        Error::NoCuda(NoCuda::Refused { code: name, reason })
    }

    /// The driver's name and words for a code.
    pub(super) fn describe(&self, code: c_uint) -> (String, String) {
        if let Some(status) = code.checked_sub(CUBLAS) {
            let reason = "cublasStatus_t in cuBLAS's manual says what it means".to_string();
            return (format!("cuBLAS status {status}"), reason);
        }
        let text = |function: unsafe extern "C" fn(c_uint, *mut *const c_char) -> c_uint| {
            let mut text = std::ptr::null();
            // SAFETY: `text` is writable.
            if unsafe { function(code, &mut text) } != SUCCESS || text.is_null() {
                return None;
            }
            // SAFETY: on success it points to a static NUL-terminated string of the driver.
            let text = unsafe { CStr::from_ptr(text) };
            Some(text.to_string_lossy().into_owned())
        };
        (
            text(self.cuGetErrorName).unwrap_or_else(|| format!("CUDA error {code}")),
            text(self.cuGetErrorString).unwrap_or_else(|| "no description".to_string()),
        )
    }
}

/// `12040` → `12.4`.
pub(super) fn version_text(version: c_int) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}
