//! A launch: checked, then run by the device's backend. What a backend does lives in `device`.

mod check;
pub mod headway;
mod host;
mod interrupt;
mod observe;
mod report;

use crate::argument::Argument;
use crate::buffer::RawBuffer;
use crate::device::{Backend, Device, HostAccess, Prepared};
use crate::kernel::Kernel;
use check::check_residence;
pub(crate) use check::prepare;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::{Timing, TimingOptions};
use cornerturn_emulator::streams::StreamId;
use cornerturn_emulator::{Arg, Headway, Launch, LaunchError, Options, Report, TraceRequest};
pub use host::Host;
pub use interrupt::INTERRUPT_FILE;
use interrupt::Watch;
pub use report::LaunchReport;
use std::collections::HashMap;
use std::sync::Arc;

/// What a warp of a rehearsal may execute, if it is its block's only one, and one of many; and the whole rehearsal. A GPU
/// does in seconds what the emulator does in hours, and what never ends there is never heard of again.
const REHEARSED_ALONE: u64 = 1 << 31;
const REHEARSED_AT_LEAST: u64 = 1 << 26;
const REHEARSED_TOGETHER: u64 = 1 << 36;

/// A launch on a GPU is rehearsed where its buffers are together no larger than this.
const REHEARSE_MOST_BYTES: usize = 1 << 30;

/// How the emulator runs a launch. The default runs fast; a GPU takes only the default.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// Also look for what does not stop the kernel, such as races and uninitialised reads.
    pub check: bool,
    /// Accesses to record, for pictures.
    pub trace: Option<TraceRequest>,
    /// Record what the model of time takes ([`LaunchReport::observation`]), in place of a trace of one's own. A GPU's
    /// rehearsal observes nothing.
    pub observe: bool,
    /// PTX instructions that one warp may execute before it counts as an endless loop; any number if `None`.
    pub instruction_budget: Option<u64>,
    /// PTX instructions that all warps may execute together; any number if `None`.
    pub launch_budget: Option<u64>,
    /// Where the emulator keeps how far it is.
    pub headway: Option<Arc<Headway>>,
    /// On a GPU, no rehearsal on the emulator, and no counters: for kernels that it has run before, where time counts.
    pub unrehearsed: bool,
}

impl LaunchOptions {
    /// Without a rehearsal.
    pub fn unrehearsed() -> Self {
        Self {
            unrehearsed: true,
            ..Self::default()
        }
    }

    /// With all checks.
    pub fn checked() -> Self {
        Self {
            check: true,
            ..Self::default()
        }
    }

    /// Observed for the model of time.
    pub fn observed() -> Self {
        Self {
            observe: true,
            ..Self::default()
        }
    }

    /// With so many instructions for a warp.
    pub fn budgeted(instructions: impl Into<Option<u64>>) -> Self {
        Self {
            instruction_budget: instructions.into(),
            ..Self::default()
        }
    }

    /// With a record of the accesses of these blocks and warps.
    pub fn traced(request: TraceRequest) -> Self {
        Self {
            trace: Some(request),
            ..Self::default()
        }
    }
}

impl Device {
    /// Runs a kernel once and waits for it. The arguments are checked against the kernel's parameters first.
    ///
    /// # Errors
    /// [`Error::Arguments`] and [`Error::Limit`] before anything runs; [`Error::Kernel`] (emulator) or
    /// [`Error::Fault`] (GPU) where the kernel does something wrong.
    #[track_caller]
    pub fn launch(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        arguments: &[Argument],
    ) -> Result<LaunchReport> {
        self.launch_with(kernel, grid, block, arguments, &LaunchOptions::default())
    }

    /// The same with checks or a trace.
    ///
    /// # Errors
    /// As [`Device::launch`]; [`Error::Usage`] where a GPU is asked for what only the emulator gives.
    #[track_caller]
    pub fn launch_with(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        arguments: &[Argument],
        options: &LaunchOptions,
    ) -> Result<LaunchReport> {
        let report = run(self, kernel, grid.into(), block.into(), arguments, options)?;
        // Who follows a warp wants to see how it came to what is wrong.
        let is_followed = (options.trace.as_ref()).is_some_and(|trace| trace.steps.is_some());
        match is_followed {
            true => Ok(report),
            false => report.into_result(),
        }
    }

    /// Times single launches of a kernel by CUDA events, by default with a cold cache. The buffers keep whatever
    /// the launches leave in them.
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; else as [`Device::launch`].
    pub fn time(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        arguments: &[Argument],
        options: impl Into<TimingOptions>,
    ) -> Result<Timing> {
        let (grid, block) = (grid.into(), block.into());
        if self.is_cuda() {
            rehearsed(self, kernel, grid, block, arguments)?;
        }
        let sets = [arguments.to_vec()];
        time(self, kernel, grid, block, &sets, &options.into())
    }
}

/// Runs a kernel once. Findings are data here; a GPU's fault is an error.
#[track_caller]
pub fn run(
    device: &Device,
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
    arguments: &[Argument],
    options: &LaunchOptions,
) -> Result<LaunchReport> {
    let prepared = prepare(device, kernel, grid, block, arguments)?;
    let report = LaunchReport::new(device, kernel, &prepared);
    match device.backend() {
        Backend::Emulated(emulated) => {
            let has_streams = device.order().is_needed();
            let mut counted = emulate(kernel, &prepared, &emulated.memory(), options, has_streams)?;
            let observation = match options.observe {
                true => Some(observe::observation(
                    kernel,
                    &prepared,
                    arguments,
                    &mut counted,
                )?),
                false => None,
            };
            let what = format!("kernel `{}`", kernel.name());
            let touched = std::mem::take(&mut counted.touched);
            device.take_turn(&what, HostAccess::Waited, || touched)?;
            Ok(LaunchReport {
                observation: observation.map(Arc::new),
                ..report.counted(counted, kernel.source())
            })
        }
        Backend::Cuda(_) if options.check || options.trace.is_some() => Err(Error::Usage(
            "a GPU neither checks nor traces a kernel; use Device::emulator() for that".to_string(),
        )),
        Backend::Cuda(cuda) => {
            let rehearsed = match options.unrehearsed {
                true => None,
                false => rehearse(kernel, &prepared, arguments)?,
            };
            let report = match rehearsed {
                Some(rehearsed) => report.counted(rehearsed, kernel.source()),
                None => report,
            };
            if report.findings.is_empty() {
                cuda.launch(kernel, &prepared)?;
                device.order().synchronize_stream(StreamId::DEFAULT);
            }
            Ok(report)
        }
    }
}

/// Runs a GPU's launch on the emulator first, on a copy of its buffers.
///
/// A fault on a GPU costs the whole process its use of it: the driver makes no new context (seen on an H200, driver
/// 580). So a kernel that does something wrong is kept from the GPU, with a better message than the driver has.
/// `None` where the buffers are too large to copy or the emulator does not know an instruction: no rehearsal then.
pub(crate) fn rehearse(
    kernel: &Kernel,
    prepared: &Prepared,
    arguments: &[Argument],
) -> Result<Option<Report>> {
    let buffers = arguments.iter().flat_map(Argument::buffers);
    let bytes: usize = buffers.map(RawBuffer::bytes).sum();
    if bytes > REHEARSE_MOST_BYTES || !is_emulated(kernel, prepared.grid, prepared.block) {
        return Ok(None);
    }
    let emulator = Device::emulator();
    let twins = mirror(arguments, &emulator, &|buffer, twin| {
        let mut contents = memory::zeros("a copy of a buffer", buffer.bytes())?;
        buffer.copy_out(&mut contents)?;
        twin.write_at(0, &contents)
    })?;
    let twin = prepare(&emulator, kernel, prepared.grid, prepared.block, &twins)?;
    let Backend::Emulated(emulated) = emulator.backend() else {
        return Ok(None);
    };
    let warps = prepared.block.count().div_ceil(32).max(1);
    let options = LaunchOptions {
        instruction_budget: Some((REHEARSED_ALONE / warps).max(REHEARSED_AT_LEAST)),
        launch_budget: Some(REHEARSED_TOGETHER),
        ..LaunchOptions::default()
    };
    emulate(kernel, &twin, &emulated.memory(), &options, false).map(Some)
}

/// Whether the emulator runs the launch: it knows all instructions, and has room for a cooperative grid.
pub(crate) fn is_emulated(kernel: &Kernel, grid: Dim3, block: Dim3) -> bool {
    let fits = || check_residence(&Device::emulator(), kernel, grid, block).is_ok();
    kernel.is_emulated() && fits()
}

/// Runs a launch on the GPU without a rehearsal.
pub fn unrehearsed(
    device: &Device,
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
    arguments: &[Argument],
) -> Result<()> {
    match device.backend() {
        Backend::Emulated(_) => Ok(()),
        Backend::Cuda(cuda) => {
            cuda.launch(kernel, &prepare(device, kernel, grid, block, arguments)?)
        }
    }
}

/// Refuses what the rehearsal finds to be wrong.
pub(crate) fn rehearsed(
    device: &Device,
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
    arguments: &[Argument],
) -> Result<()> {
    let prepared = prepare(device, kernel, grid, block, arguments)?;
    match rehearse(kernel, &prepared, arguments)? {
        Some(report) if !report.findings.is_empty() => Err(Error::Kernel {
            kernel: kernel.name().to_string(),
            findings: report.findings,
            printed: Box::new(report.printed),
        }),
        _ => Ok(()),
    }
}

/// Times single launches, with each of these sets of arguments in turn.
pub fn time(
    device: &Device,
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
    arguments: &[Vec<Argument>],
    options: &TimingOptions,
) -> Result<Timing> {
    let Backend::Cuda(cuda) = device.backend() else {
        return Err(Error::NoClock);
    };
    options.mode.check_sets(arguments.len())?;
    if arguments.len() > 1 && kernel.caches().window.is_some() {
        return Err(Error::Usage(format!(
            "{}: a window over L2 lies on one buffer, and the mode `{}` has several in turn; choose another mode",
            kernel.name(),
            options.mode
        )));
    }
    let prepared = arguments
        .iter()
        .map(|arguments| prepare(device, kernel, grid, block, arguments))
        .collect::<Result<Vec<Prepared>>>()?;
    cuda.time(kernel, &prepared, options)
}

/// Runs a launch on the emulator; `touched` asks which bytes it reads and writes.
pub(crate) fn emulate(
    kernel: &Kernel,
    prepared: &Prepared,
    memory: &cornerturn_emulator::Memory,
    options: &LaunchOptions,
    touched: bool,
) -> Result<Report> {
    let (module, defaults) = (kernel.module()?, Options::default());
    let headway = options.headway.clone().unwrap_or_default();
    let watch = Watch::start(kernel.name(), prepared.grid.count(), &headway);
    let host = Host::get();
    let options = Options {
        check: options.check,
        instruction_budget: options
            .instruction_budget
            .unwrap_or(defaults.instruction_budget),
        launch_budget: options
            .launch_budget
            .or(host.launch_budget)
            .unwrap_or(defaults.launch_budget),
        cluster: prepared.cluster,
        cooperative: prepared.is_cooperative,
        programmatic: prepared.is_programmatic,
        trace: match options.observe {
            true => Some(observe::request(kernel, prepared)?),
            false => options.trace.clone(),
        },
        touched,
        stop: watch.as_ref().map(|watch| Arc::clone(&watch.stop)),
        headway: Some(headway),
        progress: host.progress,
        ..defaults
    };
    let args: Vec<Arg> = prepared.parameters.iter().cloned().map(Arg).collect();
    let launch = Launch {
        entry: kernel.entry(),
        grid: prepared.grid.array(),
        block: prepared.block.array(),
        dynamic_shared_bytes: prepared.dynamic_shared_bytes,
        args: &args,
    };
    let report = cornerturn_emulator::launch(module, memory, &launch, &options);
    if let Some(watch) = watch {
        watch.end(kernel.name())?;
    }
    report.map_err(|error| refused(kernel, &error))
}

fn refused(kernel: &Kernel, error: &LaunchError) -> Error {
    match error {
        LaunchError::HostMemory { bytes, .. } => memory::lacking(
            &format!("one block of {}", kernel.name()),
            usize::try_from(*bytes).unwrap_or(usize::MAX),
            memory::free_bytes(),
        ),
        other => Error::Arguments {
            kernel: kernel.name().to_string(),
            reason: other.to_string(),
        },
    }
}

/// The arguments again, each buffer replaced by one of the same size on `target`; `copy` fills the new one.
pub(crate) fn mirror(
    arguments: &[Argument],
    target: &Device,
    copy: &dyn Fn(&RawBuffer, &RawBuffer) -> Result<()>,
) -> Result<Vec<Argument>> {
    let mut mirrored: HashMap<u64, RawBuffer> = HashMap::new();
    let mut twin = |buffer: &RawBuffer| match mirrored.get(&buffer.address()) {
        Some(twin) => Ok(twin.clone()),
        None => {
            let twin = target.raw_buffer(buffer.name(), buffer.element(), buffer.len())?;
            copy(buffer, &twin)?;
            mirrored.insert(buffer.address(), twin.clone());
            Ok(twin)
        }
    };
    arguments
        .iter()
        .map(|argument| argument.over(target, &mut twin))
        .collect()
}
