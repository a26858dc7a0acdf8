//! PTX into the driver, kernels onto the GPU, and what they take of it. Whether the arguments fit is checked before, in `launch`.

use super::driver::{Failure, check};
use super::{CudaDevice, State};
use crate::device::Prepared;
use crate::kernel::Kernel;
use cornerturn_base::error::{Error, NO_END, Result};
use cornerturn_base::occupancy::{ProposedBlock, Resources};
use cornerturn_base::ptx;
use cornerturn_base::shape::Dim3;
use cornerturn_emulator::Cluster;
use cudarc::driver::sys::{
    CUfunction, CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue_union__bindgen_ty_1,
    CUlaunchConfig, CUstream,
};
use std::ffi::{CString, c_int, c_uint, c_void};

/// Bytes of the log that the driver's PTX compiler may fill.
const LOG_BYTES: usize = 16 * 1024;
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
const MAX_DYNAMIC_SHARED: c_uint = 8;
/// `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`.
const NON_PORTABLE_CLUSTER: c_uint = 14;
/// `CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES`: what the kernel declares, and what the system keeps of a block is not in it.
const STATIC_SHARED: c_uint = 1;
/// `CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES`.
const LOCAL: c_uint = 3;
/// `CU_FUNC_ATTRIBUTE_NUM_REGS`.
const REGISTERS: c_uint = 4;
/// `CU_JIT_ERROR_LOG_BUFFER` and `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`.
const LOG_OPTIONS: [c_uint; 2] = [5, 6];

/// A launch whose arguments the driver can read: one pointer a parameter.
pub(super) struct Ready {
    function: CUfunction,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared_bytes: u32,
    cluster: Option<Cluster>,
    is_cooperative: bool,
    is_programmatic: bool,
    /// Whole words, so that each parameter starts aligned.
    parameters: Vec<Vec<u64>>,
}

impl Ready {
    /// What the launch asks for beside its shape.
    fn attributes(&self) -> Vec<CUlaunchAttribute> {
        // SAFETY: all bits zero is a value of the union's every member, and of the attribute's other fields.
        let none: CUlaunchAttribute = unsafe { std::mem::zeroed() };
        let mut attributes = Vec::new();
        if let Some(Cluster {
            blocks: [x, y, z], ..
        }) = self.cluster
        {
            let mut attribute = none;
            attribute.id = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            attribute.value.clusterDim = CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
            attributes.push(attribute);
        }
        if self.is_cooperative {
            let mut attribute = none;
            attribute.id = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
            attribute.value.cooperative = 1;
            attributes.push(attribute);
        }
        if self.is_programmatic {
            let mut attribute = none;
            attribute.id =
                CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
            attribute.value.programmaticStreamSerializationAllowed = 1;
            attributes.push(attribute);
        }
        attributes
    }
}

impl CudaDevice {
    /// Runs a prepared launch once and waits for it.
    ///
    /// # Errors
    /// [`Error::Fault`] where the kernel faults; the context is built anew then.
    pub(crate) fn launch(&self, kernel: &Kernel, prepared: &Prepared) -> Result<()> {
        let mut state = self.enter()?;
        let mut ready = self.ready(&mut state, kernel, prepared)?;
        self.with_l2(&mut state, prepared, |state| {
            let result = self
                .join_default(state)
                .and_then(|()| self.submit(state.stream, &mut ready))
                .and_then(|()| self.wait(state));
            self.settle_launch(state, kernel, result)
        })
    }

    /// Turns a failed launch into an error about the kernel.
    pub(super) fn settle_launch<T>(
        &self,
        state: &mut State,
        kernel: &Kernel,
        result: Result<T, Failure>,
    ) -> Result<T> {
        result.map_err(|failure| {
            if state.hung {
                return Error::Fault {
                    kernel: kernel.name().to_string(),
                    code: NO_END.to_string(),
                    reason: "it has run for 60 s and the GPU cannot stop it; restart the notebook's kernel or the \
                             program"
                        .to_string(),
                    located: Vec::new(),
                    same_input: false,
                };
            }
            if !failure.is_sticky() {
                return failure.into_error(&self.driver);
            }
            self.rebuild(state);
            let (code, reason) = self.driver.describe(failure.code);
            Error::Fault {
                kernel: kernel.name().to_string(),
                code,
                reason,
                located: Vec::new(),
                same_input: false,
            }
        })
    }

    /// Loads the kernel's module if need be, and lays the parameters out.
    pub(super) fn ready(
        &self,
        state: &mut State,
        kernel: &Kernel,
        prepared: &Prepared,
    ) -> Result<Ready> {
        let dynamic = prepared.dynamic_shared_bytes;
        let function = self.function_with(state, kernel, dynamic)?;
        if prepared
            .cluster
            .is_some_and(|cluster| cluster.is_non_portable)
        {
            // SAFETY: the function belongs to a loaded module of the current context.
            let code =
                unsafe { (self.driver.cuFuncSetAttribute)(function, NON_PORTABLE_CLUSTER, 1) };
            self.settle(state, check("cuFuncSetAttribute", code))?;
        }
        self.carve_out(state, function, prepared.caches.carveout_percent)?;
        Ok(Ready {
            function,
            grid: prepared.grid.array(),
            block: prepared.block.array(),
            dynamic_shared_bytes: dynamic,
            cluster: prepared.cluster,
            is_cooperative: prepared.is_cooperative,
            is_programmatic: prepared.is_programmatic,
            parameters: prepared
                .parameters
                .iter()
                .map(|bytes| words(bytes))
                .collect(),
        })
    }

    /// Queues one launch.
    pub(super) fn submit(&self, stream: CUstream, ready: &mut Ready) -> Result<(), Failure> {
        let mut pointers: Vec<*mut c_void> = ready
            .parameters
            .iter_mut()
            .map(|words| words.as_mut_ptr().cast())
            .collect();
        let ([gx, gy, gz], [bx, by, bz]) = (ready.grid, ready.block);
        let attributes = ready.attributes();
        if !attributes.is_empty() {
            return self.submit_with(stream, ready, attributes, pointers.as_mut_ptr());
        }
        // SAFETY: the function and the stream belong to the current context. `prepare` made one block of bytes for
        // each parameter of the kernel's PTX, with that parameter's size; the driver copies them before it returns.
        // What the kernel does with the addresses is its own: a wrong one faults in the GPU, not here.
        let code = unsafe {
            (self.driver.cuLaunchKernel)(
                ready.function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                ready.dynamic_shared_bytes,
                stream,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check("cuLaunchKernel", code)
    }

    /// Queues one launch with attributes.
    fn submit_with(
        &self,
        stream: CUstream,
        ready: &Ready,
        mut attributes: Vec<CUlaunchAttribute>,
        parameters: *mut *mut c_void,
    ) -> Result<(), Failure> {
        let ([gx, gy, gz], [bx, by, bz]) = (ready.grid, ready.block);
        let config = CUlaunchConfig {
            gridDimX: gx,
            gridDimY: gy,
            gridDimZ: gz,
            blockDimX: bx,
            blockDimY: by,
            blockDimZ: bz,
            sharedMemBytes: ready.dynamic_shared_bytes,
            hStream: stream,
            attrs: attributes.as_mut_ptr(),
            numAttrs: attributes.len() as c_uint,
        };
        // SAFETY: as in `submit`; the configuration and its attributes live until the call returns.
        let code = unsafe {
            (self.driver.cuLaunchKernelEx)(
                &config,
                ready.function,
                parameters,
                std::ptr::null_mut(),
            )
        };
        check("cuLaunchKernelEx", code)
    }

    /// What the kernel takes of a multiprocessor, in blocks of `block`.
    pub(crate) fn resources(&self, kernel: &Kernel, block: Dim3) -> Result<Resources> {
        let mut state = self.enter()?;
        let dynamic = kernel.dynamic_shared_bytes();
        let function = self.function_with(&mut state, kernel, dynamic)?;
        let attribute = |state: &mut State, attribute: c_uint| {
            let mut value = 0;
            // SAFETY: `value` is writable and the function belongs to a loaded module of the current context.
            let code = unsafe { (self.driver.cuFuncGetAttribute)(&mut value, attribute, function) };
            self.settle(state, check("cuFuncGetAttribute", code))?;
            Ok::<u32, Error>(u32::try_from(value).unwrap_or(0))
        };
        let threads = c_int::try_from(block.count()).unwrap_or(c_int::MAX);
        let mut blocks = 0;
        // SAFETY: `blocks` is writable, the function as above; any number of threads may be asked for.
        let code = unsafe {
            (self.driver.cuOccupancyMaxActiveBlocksPerMultiprocessor)(
                &mut blocks,
                function,
                threads,
                dynamic as usize,
            )
        };
        let call = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
        self.settle(&mut state, check(call, code))?;
        Ok(Resources {
            registers_per_thread: attribute(&mut state, REGISTERS)?,
            local_bytes_per_thread: attribute(&mut state, LOCAL)?,
            static_shared_bytes: attribute(&mut state, STATIC_SHARED)?,
            dynamic_shared_bytes: dynamic,
            blocks_per_multiprocessor: u32::try_from(blocks).unwrap_or(0),
        })
    }

    /// The block with which most of the kernel's threads are resident, as the driver proposes it.
    pub(crate) fn proposed_block(&self, kernel: &Kernel) -> Result<ProposedBlock> {
        let mut state = self.enter()?;
        let dynamic = kernel.dynamic_shared_bytes();
        let function = self.function_with(&mut state, kernel, dynamic)?;
        let (mut blocks, mut threads) = (0, 0);
        // SAFETY: both numbers are writable, the function belongs to a loaded module of the current context. The null
        // pointer stands for a function from the block's size to its shared memory: there is none, the bytes that
        // follow hold for every size. 0 asks for no limit of the size.
        let code = unsafe {
            (self.driver.cuOccupancyMaxPotentialBlockSize)(
                &mut blocks,
                &mut threads,
                function,
                std::ptr::null(),
                dynamic as usize,
                0,
            )
        };
        self.settle(&mut state, check("cuOccupancyMaxPotentialBlockSize", code))?;
        Ok(ProposedBlock {
            threads: u32::try_from(threads).unwrap_or(0),
            blocks: u32::try_from(blocks).unwrap_or(0),
        })
    }

    /// The kernel's function, allowed so much dynamic shared memory.
    fn function_with(
        &self,
        state: &mut State,
        kernel: &Kernel,
        dynamic: u32,
    ) -> Result<CUfunction> {
        let function = self.function(state, kernel)?;
        // More than 48 KiB of shared memory in all have to be asked for; to ask for less does no harm.
        if dynamic > 0 {
            // SAFETY: the function belongs to a loaded module of the current context.
            let code = unsafe {
                (self.driver.cuFuncSetAttribute)(function, MAX_DYNAMIC_SHARED, dynamic as c_int)
            };
            self.settle(state, check("cuFuncSetAttribute", code))?;
        }
        Ok(function)
    }

    fn function(&self, state: &mut State, kernel: &Kernel) -> Result<CUfunction> {
        let module = match state.modules.get(kernel.ptx_sha256()) {
            Some(&module) => module,
            None => {
                let module = self.load(state, kernel)?;
                state
                    .modules
                    .insert(kernel.ptx_sha256().to_string(), module);
                module
            }
        };
        let entry = CString::new(kernel.entry()).map_err(|_| {
            Error::Entry(format!("the entry name {:?} holds a NUL", kernel.entry()))
        })?;
        let mut function = std::ptr::null_mut();
        // SAFETY: the module is loaded in the current context; the name is NUL-terminated.
        let code =
            unsafe { (self.driver.cuModuleGetFunction)(&mut function, module, entry.as_ptr()) };
        self.settle(state, check("cuModuleGetFunction", code))?;
        Ok(function)
    }

    fn load(&self, state: &mut State, kernel: &Kernel) -> Result<cudarc::driver::sys::CUmodule> {
        let ptx = CString::new(kernel.ptx_text())
            .map_err(|_| Error::Usage(format!("{}: the PTX holds a NUL", kernel.name())))?;
        let mut log = vec![0_u8; LOG_BYTES];
        let mut options = LOG_OPTIONS;
        // The second value is the size itself, in the pointer's place (CUDA driver API, CUjit_option).
        let mut values: [*mut c_void; 2] = [
            log.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(LOG_BYTES),
        ];
        let mut module = std::ptr::null_mut();
        // SAFETY: the PTX is NUL-terminated; `options` and `values` have two entries each, and `log` has the length
        // that the second value gives.
        let code = unsafe {
            (self.driver.cuModuleLoadDataEx)(
                &mut module,
                ptx.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        let Err(failure) = check("cuModuleLoadDataEx", code) else {
            return Ok(module);
        };
        if failure.is_sticky() {
            return self.settle(state, Err(failure));
        }
        let (code, reason) = self.driver.describe(failure.code);
        let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
        let log = String::from_utf8_lossy(&log[..end]);
        Err(Error::PtxRefused {
            name: kernel.name().to_string(),
            code,
            log: refusal(
                failure.code,
                &reason,
                log.trim(),
                kernel.ptx_text(),
                self.version,
            ),
        })
    }
}

/// The driver's log and what to do about it.
fn refusal(code: c_uint, reason: &str, log: &str, text: &str, version: c_int) -> String {
    let line = |name: &str| ptx::directive(text, name).unwrap_or("?");
    let advice = match code {
        // CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        222 => format!(
            "the PTX is version {}, newer than this driver reads (CUDA {}); lower its `.version` line or update the \
             driver",
            line(".version"),
            super::version_text(version)
        ),
        // CUDA_ERROR_NO_BINARY_FOR_GPU
        209 => format!("the PTX is for {}, which this GPU is not", line(".target")),
        _ => reason.to_string(),
    };
    if log.is_empty() {
        format!(": {advice}")
    } else {
        format!(": {advice}\n{log}")
    }
}

/// The bytes as whole words, zeros at the end.
fn words(bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks(8)
        .map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_versions() {
        let text = refusal(222, "", "", ".version 9.0\n.target sm_75\n", 12040);
        assert!(text.contains("9.0") && text.contains("CUDA 12.4"), "{text}");
        let text = refusal(
            218,
            "a PTX JIT compilation failed",
            "line 3: oops",
            "",
            12040,
        );
        assert!(
            text.contains("JIT") && text.contains("line 3: oops"),
            "{text}"
        );
    }

    #[test]
    fn parameters_become_whole_words() {
        assert_eq!(words(&[1, 2, 3]), [0x0003_0201]);
        assert_eq!(words(&[0, 0, 0, 0, 0, 0, 0, 0, 9]), [0, 9]);
    }
}
