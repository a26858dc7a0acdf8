//! Launches of kernels: how nvcc's code for `<<<…>>>` makes one, and the calls of the interface that do. What a kernel is, and its attributes, is in `function`.

use crate::call::{Result, call, give, taken};
use crate::errors::CudaError;
use crate::stream;
use crate::types::{Dim3, Handle, HostFunction, LaunchAttribute, LaunchConfig};
use crate::{last_error, registered};
use cornerturn_cuda::{Driver, Function, HostCall, KernelLaunch, Status, Work};
use cornerturn_emulator::Arg;
use std::cell::RefCell;
use std::ffi::{c_uint, c_void};
use std::sync::Arc;

/// What stands between `<<<` and `>>>`.
#[derive(Debug, Clone, Copy)]
struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared_bytes: usize,
    stream: Handle,
}

thread_local! {
    /// Configurations that were pushed and not popped: arguments of a launch may launch kernels themselves.
    static PUSHED: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// Numbers of `cudaLaunchAttributeID`.
const COOPERATIVE: i32 = 2;
const CLUSTER: i32 = 4;
const PROGRAMMATIC: i32 = 6;

/// Called before the arguments of a launch are evaluated. 0 is success.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaPushCallConfiguration(
    grid: Dim3,
    block: Dim3,
    shared_bytes: usize,
    stream: Handle,
) -> c_uint {
    let configuration = Configuration {
        grid,
        block,
        shared_bytes,
        stream,
    };
    PUSHED.with_borrow_mut(|pushed| pushed.push(configuration));
    0
}

/// Called by the host's function that stands for a kernel.
///
/// # Safety
/// Each pointer is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaPopCallConfiguration(
    grid: *mut Dim3,
    block: *mut Dim3,
    shared_bytes: *mut usize,
    stream: *mut Handle,
) -> CudaError {
    let Some(pushed) = PUSHED.with_borrow_mut(Vec::pop) else {
        return call(|_| Err(CudaError::MISSING_CONFIGURATION.into()));
    };
    // SAFETY: the caller's promise.
    let given = unsafe {
        give(grid, pushed.grid)
            .and_then(|()| give(block, pushed.block))
            .and_then(|()| give(shared_bytes, pushed.shared_bytes))
            .and_then(|()| give(stream, pushed.stream))
    };
    given.map_or_else(|failure| failure.error, |()| CudaError::SUCCESS)
}

/// Gives the handle of the kernel that a host's function stands for: that function itself.
///
/// # Safety
/// `kernel` is null or there is room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaGetKernel(
    kernel: *mut *const c_void,
    function: *const c_void,
) -> CudaError {
    // SAFETY: the caller's promise.
    let given = unsafe { give(kernel, function) };
    given.map_or_else(|failure| failure.error, |()| CudaError::SUCCESS)
}

/// A launch in the making.
struct Asked {
    configuration: Configuration,
    cluster: Option<[u32; 3]>,
    is_cooperative: bool,
    is_programmatic: bool,
}

impl From<Configuration> for Asked {
    fn from(configuration: Configuration) -> Self {
        Self {
            configuration,
            cluster: None,
            is_cooperative: false,
            is_programmatic: false,
        }
    }
}

impl Asked {
    /// Queues a kernel.
    ///
    /// # Safety
    /// `arguments` points to a pointer to each argument.
    unsafe fn launch(
        self,
        driver: &'static Driver,
        function: *const c_void,
        arguments: *const *const c_void,
    ) -> Result<()> {
        let kernel = registered::kernel(driver, function)?;
        kernel.check_supported()?;
        let Configuration {
            grid,
            block,
            shared_bytes,
            stream,
        } = self.configuration;
        check_sizes(driver, &kernel, (grid, block))?;
        // SAFETY: the caller's promise.
        let arguments = unsafe { collected(&kernel, arguments) }?;
        let launch = KernelLaunch {
            function: kernel,
            grid: grid.sizes(),
            block: block.sizes(),
            // What does not fit is more than any kernel may have, too.
            shared_bytes: u32::try_from(shared_bytes).unwrap_or(u32::MAX),
            arguments,
            cluster: self.cluster,
            is_cooperative: self.is_cooperative,
            is_programmatic: self.is_programmatic,
        };
        Ok(driver.submit(stream::handle(stream), Work::Kernel(launch))?)
    }

    /// With what the attributes ask for; those that are only hints change nothing.
    fn with(mut self, attributes: &[LaunchAttribute]) -> Self {
        for attribute in attributes {
            let [x, y, z] = [0, 1, 2].map(|at| attribute.value[at]);
            match attribute.id {
                COOPERATIVE => self.is_cooperative = x != 0,
                CLUSTER => self.cluster = Some([x, y, z]),
                PROGRAMMATIC => self.is_programmatic = x != 0,
                _ => {}
            }
        }
        self
    }
}

/// Refuses a launch that no H200 can have, where it stands in the program.
fn check_sizes(driver: &Driver, kernel: &Function, (grid, block): (Dim3, Dim3)) -> Result<()> {
    let name = &kernel.name;
    let refused = |message: String| {
        let message = format!("`{name}` cannot be launched with {message}");
        Err(driver
            .misuse("limit", Status::INVALID_VALUE, message)
            .into())
    };
    // In the order of the attributes: blocks in x, y, z from number 2 on, grids from number 5 on.
    for (what, sizes, first) in [("a block", block.sizes(), 2), ("a grid", grid.sizes(), 5)] {
        for ((size, axis), attribute) in sizes.into_iter().zip(["x", "y", "z"]).zip(first..) {
            let most = driver.attribute(0, attribute)?;
            if size == 0 || i64::from(size) > i64::from(most) {
                let message =
                    format!("{what} of {size} in {axis}: it is 1 at least and {most} at most");
                return refused(message);
            }
        }
    }
    let threads: u64 = block.sizes().into_iter().map(u64::from).product();
    match threads > u64::from(kernel.max_threads) {
        true => refused(format!(
            "{threads} threads a block: {} are the most{}",
            kernel.max_threads,
            if kernel.max_threads < 1024 {
                " by its `__launch_bounds__`"
            } else {
                ""
            }
        )),
        false => Ok(()),
    }
}

/// The bytes of each argument.
///
/// # Safety
/// `arguments` points to as many pointers as the kernel has parameters, each to as many bytes as the parameter has.
pub(crate) unsafe fn collected(
    kernel: &Arc<Function>,
    arguments: *const *const c_void,
) -> Result<Vec<Arg>> {
    let one = |at: usize| {
        // SAFETY: the caller's promise.
        let argument = unsafe { taken(arguments.wrapping_add(at)) }?.cast::<u8>();
        if argument.is_null() {
            return Err(CudaError::INVALID_VALUE.into());
        }
        // SAFETY: the caller's promise.
        let bytes = unsafe { std::slice::from_raw_parts(argument, kernel.params[at].bytes) };
        Ok(Arg(bytes.to_vec()))
    };
    (0..kernel.params.len()).map(one).collect()
}

/// # Safety
/// `arguments` points to a pointer to each argument.
unsafe fn plainly(
    function: *const c_void,
    configuration: Configuration,
    arguments: *const *const c_void,
) -> CudaError {
    // SAFETY: the caller's promise.
    call(|driver| unsafe { Asked::from(configuration).launch(driver, function, arguments) })
}

/// What the code for `<<<…>>>` ends with. What it returns is dropped there, so that the program has to ask for it.
///
/// # Safety
/// `arguments` points to a pointer to each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaLaunchKernel(
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: Handle,
) -> CudaError {
    // SAFETY: the caller's promise.
    let error = unsafe { cudaLaunchKernel(function, grid, block, arguments, shared_bytes, stream) };
    last_error::dropped(error);
    error
}

/// `cudaLaunchKernel`.
///
/// # Safety
/// `arguments` points to a pointer to each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaLaunchKernel(
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: Handle,
) -> CudaError {
    let configuration = Configuration {
        grid,
        block,
        shared_bytes,
        stream,
    };
    // SAFETY: the caller's promise.
    unsafe { plainly(function, configuration, arguments) }
}

/// `cudaLaunchCooperativeKernel`.
///
/// # Safety
/// `arguments` points to a pointer to each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaLaunchCooperativeKernel(
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: Handle,
) -> CudaError {
    let configuration = Configuration {
        grid,
        block,
        shared_bytes,
        stream,
    };
    let asked = Asked {
        is_cooperative: true,
        ..Asked::from(configuration)
    };
    // SAFETY: the caller's promise.
    call(|driver| unsafe { asked.launch(driver, function, arguments) })
}

/// `cudaLaunchKernelExC`.
///
/// # Safety
/// `config` is null or whole, and `arguments` points to a pointer to each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaLaunchKernelExC(
    config: *const LaunchConfig,
    function: *const c_void,
    arguments: *const *const c_void,
) -> CudaError {
    call(|driver| {
        // SAFETY: the caller's promise.
        let config = unsafe { taken(config) }?;
        let attributes: &[LaunchAttribute] = match config.attributes.is_null() {
            true => &[],
            // SAFETY: the configuration says how many there are.
            false => unsafe {
                std::slice::from_raw_parts(config.attributes, config.attribute_count as usize)
            },
        };
        let asked = Asked::from(Configuration {
            grid: config.grid,
            block: config.block,
            shared_bytes: config.dynamic_shared_bytes,
            stream: config.stream,
        });
        // SAFETY: the caller's promise.
        unsafe { asked.with(attributes).launch(driver, function, arguments) }
    })
}

/// `cudaLaunchHostFunc`.
///
/// # Safety
/// `function` may be called with `data` when the stream comes to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaLaunchHostFunc(
    stream: Handle,
    function: Option<HostFunction>,
    data: *mut c_void,
) -> CudaError {
    call(|driver| {
        let function = function.ok_or(CudaError::INVALID_VALUE)?;
        let data = data as usize;
        // SAFETY: the caller's promise.
        let called = move || unsafe { function(data as *mut c_void) };
        let work = Work::Host(HostCall(Arc::new(called)));
        Ok(driver.submit(stream::handle(stream), work)?)
    })
}
