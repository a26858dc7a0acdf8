//! The device that kernels run on: one type, two backends in files of their own, and its memory as addresses. What is made of it lives above: typed memory in `buffer`, launches in `launch`.

mod calls;
#[cfg(feature = "driver")]
mod cuda;
#[cfg(not(feature = "driver"))]
#[path = "device/absent.rs"]
mod cuda;
mod emulated;
mod host;
mod order;
mod prepared;
mod queued;
mod watched;

use crate::compile;
use crate::kernel::Kernel;
pub use calls::{Captured, GeamCall, GemmCall, SequenceSpan, SequenceStep, Sequenced};
use cornerturn_base::caches::CacheLimits;
use cornerturn_base::error::{Error, Result};
pub use cornerturn_base::facts::{DeviceFacts, datasheet_peak};
use cornerturn_base::html;
use cornerturn_base::memory;
use cornerturn_base::occupancy::{Capacity, ProposedBlock, Resources};
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::{Timing, TimingOptions};
use cornerturn_emulator::streams::Order;
use cornerturn_emulator::{TENSOR_MAP_BYTES, TensorLayout, TextureLayout};
pub use cuda::cublas::Cublas;
pub(crate) use cuda::{CudaDevice, CudaEvent, CudaGraph, CudaStream};
pub(crate) use emulated::EmulatedDevice;
pub(crate) use host::Copying;
pub(crate) use order::{HostAccess, deed, in_order, touched};
pub(crate) use prepared::Prepared;
pub(crate) use queued::Queued;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
pub use watched::DeedKind;
pub(crate) use watched::{Span, Watched, Watching};

/// Which backend a device is.
#[derive(Debug)]
pub enum Backend {
    /// A GPU, by NVIDIA's driver. There is no value of it without the feature `driver`.
    Cuda(Box<CudaDevice>),
    /// The emulator.
    Emulated(EmulatedDevice),
}

/// A CUDA GPU, or the emulator in its place. A cheap handle: clones are the same device.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let twice = Kernel::cuda("__global__ void twice(float* x) { x[threadIdx.x] *= 2.0f; }")?;
/// let x = device.buffer("x", &[1.5_f32; 64])?;
/// let report = device.launch(&twice, 1, 64, args![x])?;
/// assert_eq!(x.read()?, [3.0; 64]);
/// assert_eq!(report.device, device.name());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    backend: Backend,
    facts: DeviceFacts,
    /// Which operation comes before which, since the program has streams.
    order: Mutex<Order>,
    /// What is watched for a timeline.
    watching: Mutex<Option<Watching>>,
    /// Why the emulator stands in for a GPU, ready to be put into a line; empty where it was asked for.
    why: String,
}

impl Device {
    /// The first CUDA GPU of this machine, else the emulator. `CORNERTURN_DEVICE=cuda` or `=emulator` forces one.
    ///
    /// # Errors
    /// [`Error::NoCuda`] where CUDA is forced and not there; [`Error::Usage`] for another value of the variable.
    pub fn open() -> Result<Self> {
        match std::env::var("CORNERTURN_DEVICE").as_deref() {
            Ok("cuda") => Self::cuda(),
            Ok("emulator") => Ok(Self::emulator()),
            Ok("") | Err(_) => Ok(Self::cuda().unwrap_or_else(|error| Self::in_place_of(&error))),
            Ok(other) => Err(Error::Usage(format!(
                "CORNERTURN_DEVICE={other}: it is `cuda`, `emulator` or unset (the GPU if there is one)"
            ))),
        }
    }

    /// The emulator.
    pub fn emulator() -> Self {
        Self::emulator_because(String::new())
    }

    fn in_place_of(error: &Error) -> Self {
        Self::emulator_because(match error {
            Error::NoCuda(reason) if reason.is_absent() => "no GPU on this machine; ".to_string(),
            other => format!("the GPU cannot be used: {other}; "),
        })
    }

    fn emulator_because(why: String) -> Self {
        Self(Arc::new(Inner {
            backend: Backend::Emulated(EmulatedDevice::new()),
            facts: DeviceFacts::emulator(),
            order: Mutex::default(),
            watching: Mutex::default(),
            why,
        }))
    }

    /// The first CUDA GPU.
    ///
    /// # Errors
    /// [`Error::NoCuda`], which says what is missing, where there is no driver, an old one, or no GPU.
    pub fn cuda() -> Result<Self> {
        let device = CudaDevice::open()?;
        let facts = device.facts()?;
        Ok(Self(Arc::new(Inner {
            backend: Backend::Cuda(Box::new(device)),
            facts,
            order: Mutex::default(),
            watching: Mutex::default(),
            why: String::new(),
        })))
    }

    /// Whether it is a GPU.
    pub fn is_cuda(&self) -> bool {
        matches!(self.0.backend, Backend::Cuda(_))
    }

    /// What is known of it.
    pub fn facts(&self) -> &DeviceFacts {
        &self.0.facts
    }

    /// The name that pages and records show.
    pub fn name(&self) -> &str {
        &self.0.facts.name
    }

    /// How many multiprocessors it has; the emulator takes itself for an H200.
    pub fn multiprocessors(&self) -> u32 {
        match self.0.facts.multiprocessors {
            0 => cornerturn_emulator::MULTIPROCESSORS,
            n => n,
        }
    }

    /// Times the driver's device-to-device copy of `bytes` bytes, which reads and writes them: `2 × bytes` move.
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; [`Error::Memory`] where two buffers of that size do not fit.
    pub fn time_copy(&self, bytes: u64, options: impl Into<TimingOptions>) -> Result<Timing> {
        match &self.0.backend {
            Backend::Emulated(_) => Err(Error::NoClock),
            Backend::Cuda(cuda) => cuda.time_copy(bytes, &options.into()),
        }
    }

    /// What a kernel takes of a multiprocessor in blocks of this shape, as the driver says. `None` on the emulator: PTX
    /// has no registers of the machine.
    ///
    /// # Errors
    /// [`Error::PtxRefused`], [`Error::Driver`].
    pub fn resources(&self, kernel: &Kernel, block: impl Into<Dim3>) -> Result<Option<Resources>> {
        match &self.0.backend {
            Backend::Emulated(_) => Ok(None),
            Backend::Cuda(cuda) => cuda.resources(kernel, block.into()).map(Some),
        }
    }

    /// Whether it has cooperative launches; the emulator has.
    ///
    /// # Errors
    /// What the driver answers.
    pub(crate) fn launches_cooperatively(&self) -> Result<bool> {
        match &self.0.backend {
            Backend::Emulated(_) => Ok(true),
            Backend::Cuda(cuda) => cuda.launches_cooperatively(),
        }
    }

    /// The block size that the driver proposes for a kernel, the one that keeps most of its threads resident: what
    /// `cudaOccupancyMaxPotentialBlockSize` answers. `None` on the emulator.
    ///
    /// # Errors
    /// As [`Device::resources`].
    pub fn proposed_block(&self, kernel: &Kernel) -> Result<Option<ProposedBlock>> {
        match &self.0.backend {
            Backend::Emulated(_) => Ok(None),
            Backend::Cuda(cuda) => cuda.proposed_block(kernel).map(Some),
        }
    }

    /// What a multiprocessor holds, as the driver says. `None` on the emulator.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn capacity(&self) -> Result<Option<Capacity>> {
        match &self.0.backend {
            Backend::Emulated(_) => Ok(None),
            Backend::Cuda(cuda) => cuda.capacity().map(Some),
        }
    }

    /// Whether both are one open device, so that what lies on one lies on the other.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The most shared memory that a block may have, where the device tells before a launch.
    pub(crate) fn shared_limit_bytes(&self) -> Option<u32> {
        match &self.0.backend {
            Backend::Emulated(_) => None,
            Backend::Cuda(cuda) => Some(cuda.shared_limit_bytes),
        }
    }

    /// What it allows kernels to ask of its caches; the emulator takes itself for an H200.
    pub fn cache_limits(&self) -> CacheLimits {
        match &self.0.backend {
            Backend::Emulated(_) => CacheLimits::H200,
            Backend::Cuda(cuda) => cuda.cache_limits,
        }
    }

    /// The order of what the program does on streams.
    pub(crate) fn order(&self) -> MutexGuard<'_, Order> {
        memory::lock(&self.0.order)
    }

    /// What it is made of.
    pub fn backend(&self) -> &Backend {
        &self.0.backend
    }

    /// Whether kernels on this device can take tensor maps: the emulator, and GPUs from Hopper on.
    ///
    /// # Errors
    /// [`Error::NoTensorMaps`], which says what it needs.
    pub fn check_tensor_maps(&self) -> Result<()> {
        match &self.0.backend {
            Backend::Emulated(_) => Ok(()),
            Backend::Cuda(cuda) => cuda.check_tensor_maps(),
        }
    }

    /// The bytes of a tensor map, of a layout that passed the emulator's checks.
    pub(crate) fn encode_tensor_map(
        &self,
        layout: &TensorLayout,
        checked: &cornerturn_emulator::TensorMap,
    ) -> Result<[u8; TENSOR_MAP_BYTES]> {
        match &self.0.backend {
            Backend::Emulated(_) => Ok(checked.encode()),
            Backend::Cuda(cuda) => cuda.encode_tensor_map(layout),
        }
    }

    /// The life of the memory: it grows by one when a fault takes all buffers with it.
    pub(crate) fn life(&self) -> u64 {
        match &self.0.backend {
            Backend::Emulated(_) => 0,
            Backend::Cuda(cuda) => cuda.life(),
        }
    }

    /// Refuses what is together more than the emulator can be given; a GPU's driver tells when it is asked.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn check_free(&self, what: &str, bytes: usize) -> Result<()> {
        match &self.0.backend {
            Backend::Emulated(_) => memory::check(what, bytes),
            Backend::Cuda(_) => Ok(()),
        }
    }

    /// The handle of a texture that passed the emulator's checks, and the life of the memory in which it was made.
    pub(crate) fn make_texture(
        &self,
        layout: &TextureLayout,
        checked: cornerturn_emulator::Texture,
    ) -> Result<(u64, u64)> {
        match &self.0.backend {
            Backend::Emulated(emulated) => Ok((emulated.make_texture(checked), 0)),
            Backend::Cuda(_) if layout.layers.is_some() => Err(Error::Texture {
                name: layout.name.to_string(),
                reason: "has layers, and those are made by the emulator only".to_string(),
            }),
            Backend::Cuda(cuda) => cuda.make_texture(layout),
        }
    }

    pub(crate) fn free_texture(&self, handle: u64, life: u64) {
        match &self.0.backend {
            Backend::Emulated(emulated) => emulated.free_texture(handle),
            Backend::Cuda(cuda) => cuda.free_texture(handle, life),
        }
    }

    /// The handle of a surface; none where the device makes none.
    pub(crate) fn make_surface(&self, checked: cornerturn_emulator::Surface) -> Option<u64> {
        match &self.0.backend {
            Backend::Emulated(emulated) => Some(emulated.make_surface(checked)),
            Backend::Cuda(_) => None,
        }
    }

    pub(crate) fn free_surface(&self, handle: u64) {
        if let Backend::Emulated(emulated) = &self.0.backend {
            emulated.free_surface(handle);
        }
    }

    /// Reads by a copy of the driver, wherever the bytes lie: no managed page moves.
    pub(crate) fn read(&self, address: u64, out: &mut [u8]) -> Result<()> {
        match &self.0.backend {
            Backend::Emulated(emulated) => emulated.read(address, out),
            Backend::Cuda(cuda) => cuda.read(address, out),
        }
    }

    pub(crate) fn fill(&self, address: u64, bytes: usize, byte: u8) -> Result<()> {
        match &self.0.backend {
            Backend::Emulated(emulated) => emulated.fill(address, bytes, byte),
            Backend::Cuda(cuda) => cuda.fill(address, bytes, byte),
        }
    }

    /// As [`Device::fill`], but the emulator's checks take the bytes for uninitialised.
    pub(crate) fn poison(&self, address: u64, bytes: usize, byte: u8) -> Result<()> {
        match &self.0.backend {
            Backend::Emulated(emulated) => emulated.poison(address, bytes, byte),
            Backend::Cuda(cuda) => cuda.fill(address, bytes, byte),
        }
    }

    /// Of poisoned elements, how many nobody has written and the first of them; a GPU does not know.
    pub(crate) fn unwritten(
        &self,
        address: u64,
        bytes: usize,
        element_bytes: usize,
    ) -> Result<Option<(usize, usize)>> {
        match &self.0.backend {
            Backend::Emulated(emulated) => emulated.unwritten(address, bytes, element_bytes),
            Backend::Cuda(_) => Ok(None),
        }
    }

    /// Shows the device as one line in a notebook or page.
    pub fn evcxr_display(&self) {
        let compiler = compile::compiler()
            .map_or_else(|error| error.to_string(), |compiler| compiler.to_string());
        let line = format!("{self}; kernels that are edited are compiled by {compiler}");
        html::show(&html::paragraph("ct-device", &line));
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.backend {
            Backend::Cuda(_) => write!(f, "{}", self.0.facts),
            Backend::Emulated(_) => {
                write!(f, "emulator: {}results and counters, no time", self.0.why)
            }
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}
