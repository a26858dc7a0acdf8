//! A CUDA GPU through the driver API: context, memory, launches. Every `unsafe` block of this library but the compiler's and NVML's loader is in this folder.

mod caches;
pub(super) mod cublas;
mod driver;
mod flush;
mod gemm;
mod gemm_light;
mod graph;
mod host;
mod module;
mod nvml;
mod sequence;
mod stream;
mod tensor_map;
mod texture;
mod timer;

use cornerturn_base::caches::CacheLimits;
use cornerturn_base::error::{Error, NO_END, NoCuda, Result};
use cornerturn_base::facts::{DeviceFacts, datasheet_peak, slug};
use cornerturn_base::memory::Pages;
use cornerturn_base::occupancy::Capacity;
use cudarc::driver::sys::{
    CUarray, CUcontext, CUdevice, CUdevice_attribute_enum as Attribute, CUdeviceptr, CUmodule,
    CUstream,
};
use driver::{Driver, Failure, NOT_READY, OUT_OF_MEMORY, check, version_text};
pub(crate) use graph::CudaGraph;
pub(crate) use host::Started;
use nvml::Nvml;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
pub(crate) use stream::{CudaEvent, CudaStream};

/// How long one launch may take. Beyond it the kernel is taken for one that never ends.
const LONGEST_LAUNCH: Duration = Duration::from_secs(60);

/// One GPU with a context of its own, so that a fault here costs no other device handle its buffers.
pub struct CudaDevice {
    driver: Driver,
    device: CUdevice,
    version: c_int,
    bus_id: String,
    /// Opened once: to start it takes longer than many a measurement.
    nvml: Option<Nvml>,
    l2_bytes: usize,
    /// The most shared memory that one block may have, in bytes.
    pub(crate) shared_limit_bytes: u32,
    /// Whether managed pages move when they are touched, on either side; else the driver moves all of them at each
    /// launch, and the host must leave them alone meanwhile (CUDA C++ programming guide, unified memory).
    manages_on_demand: bool,
    pub(crate) cache_limits: CacheLimits,
    /// How often the context was built anew.
    life: AtomicU64,
    state: Mutex<State>,
}

/// What lives and dies with the context.
struct State {
    context: CUcontext,
    stream: CUstream,
    /// The stream of copies that go on while kernels run.
    copies: CUstream,
    /// The program's own.
    streams: Vec<CUstream>,
    /// Registered pages, by the address that kernels see.
    mapped: BTreeMap<CUdeviceptr, Pages>,
    /// Loaded modules by the hash of their PTX.
    modules: HashMap<String, CUmodule>,
    /// The buffer whose writing empties L2, and its size.
    flush: Option<(CUdeviceptr, usize)>,
    /// The arrays of textures by the handles of these.
    arrays: HashMap<u64, CUarray>,
    /// A launch never ended: the context cannot be used nor destroyed.
    hung: bool,
}

// SAFETY: the handles are pointers into the driver, which allows any thread to use them; the mutex orders their use.
unsafe impl Send for State {}

impl std::fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CudaDevice({})", self.bus_id)
    }
}

impl CudaDevice {
    /// Opens the first GPU.
    pub(crate) fn open() -> Result<Self> {
        let (driver, version) = Driver::open()?;
        let fail = |failure: Failure| failure.into_error(&driver);
        let mut count = 0;
        // SAFETY: `count` is writable.
        check("cuDeviceGetCount", unsafe {
            (driver.cuDeviceGetCount)(&mut count)
        })
        .map_err(fail)?;
        if count < 1 {
            return Err(Error::NoCuda(NoCuda::NoGpu));
        }
        let mut device = 0;
        // SAFETY: `device` is writable and ordinal 0 exists.
        check("cuDeviceGet", unsafe {
            (driver.cuDeviceGet)(&mut device, 0)
        })
        .map_err(fail)?;
        let mut bus_id = [0 as c_char; 32];
        // SAFETY: the buffer has the length given; the driver ends the text with NUL.
        check("cuDeviceGetPCIBusId", unsafe {
            (driver.cuDeviceGetPCIBusId)(bus_id.as_mut_ptr(), bus_id.len() as c_int, device)
        })
        .map_err(fail)?;
        let attribute = |attribute| attribute_of(&driver, device, attribute).map_err(fail);
        let l2_bytes = attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?;
        let shared = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let on_demand = Attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS;
        let manages_on_demand = attribute(on_demand)? != 0;
        let state = State::create(&driver, device).map_err(fail)?;
        let cache_limits = caches::limits(&driver, state.context, &attribute)?;
        Ok(Self {
            driver,
            device,
            version,
            nvml: Nvml::open(&text(&bus_id)),
            bus_id: text(&bus_id),
            l2_bytes: usize::try_from(l2_bytes).unwrap_or(0),
            shared_limit_bytes: u32::try_from(shared).unwrap_or(0),
            manages_on_demand,
            cache_limits,
            life: AtomicU64::new(0),
            state: Mutex::new(state),
        })
    }

    pub(crate) fn facts(&self) -> Result<DeviceFacts> {
        let fail = |failure: Failure| failure.into_error(&self.driver);
        let attribute =
            |attribute| attribute_of(&self.driver, self.device, attribute).map_err(fail);
        let name = self.name().map_err(fail)?;
        let mut memory_bytes = 0;
        // SAFETY: `memory_bytes` is writable.
        check("cuDeviceTotalMem", unsafe {
            (self.driver.cuDeviceTotalMem_v2)(&mut memory_bytes, self.device)
        })
        .map_err(fail)?;
        let (peak_gb_per_s, peak_source) = self.peak(&name);
        Ok(DeviceFacts {
            slug: slug(&name),
            name,
            compute_capability: format!(
                "{}.{}",
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?
            ),
            multiprocessors: u32::try_from(attribute(
                Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
            )?)
            .unwrap_or(0),
            memory_bytes: memory_bytes as u64,
            l2_bytes: self.l2_bytes as u64,
            peak_gb_per_s,
            peak_source,
            driver: self
                .nvml
                .as_ref()
                .map(Nvml::driver_version)
                .unwrap_or_default(),
            cuda_version: version_text(self.version),
        })
    }

    /// What a multiprocessor holds.
    pub(crate) fn capacity(&self) -> Result<Capacity> {
        let attribute = |attribute| {
            let value = attribute_of(&self.driver, self.device, attribute);
            let value = value.map_err(|failure| failure.into_error(&self.driver))?;
            Ok::<u32, Error>(u32::try_from(value).unwrap_or(0))
        };
        Ok(Capacity {
            warps: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)? / 32,
            blocks: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
            registers: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
            shared_bytes: attribute(
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
            )?,
        })
    }

    /// Whether all blocks of a launch may be asked to run together.
    pub(crate) fn launches_cooperatively(&self) -> Result<bool> {
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH;
        let value = attribute_of(&self.driver, self.device, attribute);
        Ok(value.map_err(|failure| failure.into_error(&self.driver))? != 0)
    }

    fn name(&self) -> Result<String, Failure> {
        let mut name = [0 as c_char; 256];
        // SAFETY: the buffer has the length given; the driver ends the text with NUL.
        check("cuDeviceGetName", unsafe {
            (self.driver.cuDeviceGetName)(name.as_mut_ptr(), name.len() as c_int, self.device)
        })?;
        Ok(text(&name))
    }

    /// The peak bandwidth in GB/s and where it comes from.
    fn peak(&self, name: &str) -> (f64, String) {
        if let Some((peak, source)) = datasheet_peak(name) {
            return (peak, source.to_string());
        }
        let attribute = |attribute| attribute_of(&self.driver, self.device, attribute).unwrap_or(0);
        let clock_khz = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
        let bus_bits = attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
        // Two transfers a clock.
        let peak = 2.0 * f64::from(clock_khz) * 1e3 * f64::from(bus_bits) / 8.0 / 1e9;
        (
            peak,
            "memory clock × bus width, no datasheet in the table".to_string(),
        )
    }

    /// Where the GPU is on the PCI bus, such as `0000:00:06.0`.
    pub(crate) fn bus_id(&self) -> &str {
        &self.bus_id
    }

    /// How often the context was built anew: buffers of an earlier life are lost.
    pub(crate) fn life(&self) -> u64 {
        self.life.load(Ordering::Acquire)
    }

    pub(crate) fn allocate(&self, name: &str, bytes: usize) -> Result<(u64, u64)> {
        let mut address = 0;
        let mut state = self.enter()?;
        // SAFETY: the context is current and `address` is writable.
        let code = unsafe { (self.driver.cuMemAlloc_v2)(&mut address, bytes) };
        if code == OUT_OF_MEMORY {
            return Err(Error::Memory {
                free: None,
                what: format!("buffer `{name}`"),
                bytes,
                place: "GPU memory",
            });
        }
        self.settle(&mut state, check("cuMemAlloc", code))?;
        Ok((address, self.life()))
    }

    pub(crate) fn free(&self, address: u64, life: u64) {
        // A lost buffer went with its context.
        let Ok(mut state) = self.enter() else { return };
        // What a stream still uses stays until it is done.
        let waited = self.wait_for_all(&mut state);
        let _ = self.settle(&mut state, waited);
        if life == self.life() && !state.hung {
            // SAFETY: the context that it was allocated in is current; only the last handle's drop comes here. A
            // failure cannot be answered in a drop, and the next call meets a sticky one again.
            unsafe { (self.driver.cuMemFree_v2)(address) };
        }
    }

    pub(crate) fn read(&self, address: u64, out: &mut [u8]) -> Result<()> {
        let mut state = self.enter()?;
        // SAFETY: `out` is writable for its length; the caller checked the range against the buffer.
        let code =
            unsafe { (self.driver.cuMemcpyDtoH_v2)(out.as_mut_ptr().cast(), address, out.len()) };
        self.settle(&mut state, check("cuMemcpyDtoH", code))
    }

    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        let mut state = self.enter()?;
        // SAFETY: `bytes` is readable for its length; the caller checked the range against the buffer.
        let code =
            unsafe { (self.driver.cuMemcpyHtoD_v2)(address, bytes.as_ptr().cast(), bytes.len()) };
        self.settle(&mut state, check("cuMemcpyHtoD", code))
    }

    pub(crate) fn fill(&self, address: u64, bytes: usize, byte: u8) -> Result<()> {
        let mut state = self.enter()?;
        let joined = self.join_default(&mut state);
        self.settle(&mut state, joined)?;
        // SAFETY: the caller checked the range against the buffer; the stream belongs to the current context.
        let code = unsafe { (self.driver.cuMemsetD8Async)(address, byte, bytes, state.stream) };
        let result = check("cuMemsetD8Async", code).and_then(|()| self.wait(&mut state));
        self.settle(&mut state, result)
    }

    /// The state with its context current on this thread.
    fn enter(&self) -> Result<MutexGuard<'_, State>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.hung {
            return Err(Error::Driver {
                call: "cuLaunchKernel",
                code: NO_END.to_string(),
                reason:
                    "an earlier kernel has not ended; restart the notebook's kernel or the program"
                        .to_string(),
            });
        }
        if state.context.is_null() {
            *state = State::create(&self.driver, self.device)
                .map_err(|failure| failure.into_error(&self.driver))?;
        }
        // SAFETY: the context is alive: `rebuild` puts null in the place of a destroyed one.
        let code = unsafe { (self.driver.cuCtxSetCurrent)(state.context) };
        self.settle(&mut state, check("cuCtxSetCurrent", code))?;
        Ok(state)
    }

    /// Turns a failure into an error; after one that the context does not survive, builds it anew.
    fn settle<T>(&self, state: &mut State, result: Result<T, Failure>) -> Result<T> {
        result.map_err(|failure| {
            if failure.is_sticky() {
                self.rebuild(state);
            }
            failure.into_error(&self.driver)
        })
    }

    fn rebuild(&self, state: &mut State) {
        self.life.fetch_add(1, Ordering::AcqRel);
        // SAFETY: nothing uses the context any more: its buffers are of an earlier life now, its modules and its
        // stream go with it. A lost context answers with its error here too, and is destroyed all the same.
        unsafe { (self.driver.cuCtxDestroy_v2)(state.context) };
        // Where no new one can be had, the next call tries again and says why.
        *state = State::create(&self.driver, self.device).unwrap_or_else(|_| State::none());
    }

    /// Waits for the stream's work. A kernel that does not end in time leaves the context unusable.
    fn wait(&self, state: &mut State) -> Result<(), Failure> {
        let started = Instant::now();
        loop {
            // SAFETY: the stream belongs to the current context.
            let code = unsafe { (self.driver.cuStreamQuery)(state.stream) };
            if code != NOT_READY {
                return check("cuStreamQuery", code);
            }
            let waited = started.elapsed();
            if waited > LONGEST_LAUNCH {
                state.hung = true;
                return Err(Failure {
                    call: "cuLaunchKernel",
                    code: NOT_READY,
                });
            }
            if waited > Duration::from_millis(2) {
                std::thread::sleep(Duration::from_micros(100));
            }
        }
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if state.hung {
            // Destruction would wait for the kernel that does not end. It may still write to mapped pages.
            std::mem::forget(std::mem::take(&mut state.mapped));
            return;
        }
        if !state.context.is_null() {
            // SAFETY: no handle is left that could use the context.
            unsafe { (self.driver.cuCtxDestroy_v2)(state.context) };
        }
    }
}

impl State {
    /// No context.
    fn none() -> Self {
        Self {
            context: std::ptr::null_mut(),
            stream: std::ptr::null_mut(),
            copies: std::ptr::null_mut(),
            streams: Vec::new(),
            mapped: BTreeMap::new(),
            modules: HashMap::new(),
            flush: None,
            arrays: HashMap::new(),
            hung: false,
        }
    }

    fn create(driver: &Driver, device: CUdevice) -> Result<Self, Failure> {
        let mut context = std::ptr::null_mut();
        let [mut stream, mut copies] = [std::ptr::null_mut(); 2];
        let mut popped = std::ptr::null_mut();
        // SAFETY: `context` is writable; 0 asks for default scheduling.
        check("cuCtxCreate", unsafe {
            (driver.cuCtxCreate_v2)(&mut context, 0, device)
        })?;
        let create = |stream: &mut CUstream| {
            // SAFETY: the new context is current and `stream` writable. 0 is a stream that waits for copies from the
            // host, which go on for a while after their call returns.
            check("cuStreamCreate", unsafe {
                (driver.cuStreamCreate)(stream, 0)
            })
        };
        let created = create(&mut stream).and_then(|()| create(&mut copies));
        if let Err(failure) = created {
            // SAFETY: nothing else knows the context.
            unsafe { (driver.cuCtxDestroy_v2)(context) };
            return Err(failure);
        }
        // SAFETY: `popped` is writable. The new context leaves the thread's stack again: `enter` makes it current.
        unsafe { (driver.cuCtxPopCurrent_v2)(&mut popped) };
        Ok(Self {
            context,
            stream,
            copies,
            ..Self::none()
        })
    }
}

fn attribute_of(driver: &Driver, device: CUdevice, attribute: Attribute) -> Result<c_int, Failure> {
    let mut value = 0;
    // SAFETY: `value` is writable and the device exists.
    check("cuDeviceGetAttribute", unsafe {
        (driver.cuDeviceGetAttribute)(&mut value, attribute as c_uint, device)
    })?;
    Ok(value)
}

/// The text of a NUL-terminated buffer.
fn text(buffer: &[c_char]) -> String {
    let bytes: Vec<u8> = buffer.iter().map(|&c| c as u8).collect();
    CStr::from_bytes_until_nul(&bytes)
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default()
}
