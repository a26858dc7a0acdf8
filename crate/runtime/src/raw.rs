//! Launching any PTX with raw buffers and scalars, results and findings as data: what `cornerturn launch` and the page's playground stand on. Arguments as text are read in `spec`; the command line is the binary's.

mod buffers;
mod explained;
mod f16;
mod fill;
mod fit;
mod spec;
mod structs;
mod suggest;
mod texture;
mod values;

use crate::argument::Argument;
pub use crate::buffer::RawBuffer;
use crate::device::Device;
use crate::kernel::Kernel;
use crate::launch::{self, LaunchOptions, LaunchReport};
use crate::machine_code::{Compiled, MachineCode};
pub use buffers::{Filled, bytes_of, fill, find};
#[cfg(doc)]
use cornerturn_base::error::Error;
use cornerturn_base::error::Result;
use cornerturn_base::memory;
pub use cornerturn_base::pattern::POISON_BYTE;
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::{TimingMode, TimingOptions};
use cornerturn_emulator::advice::Explanation;
use cornerturn_emulator::{Counters, Finding, Headway, Printed, Site, Trace, TraceRequest};
use cornerturn_model::Observation;
pub use explained::explained;
pub use fill::Fill;
pub use fit::{check_arguments, check_shared};
pub use spec::{Position, Spec, parse_dimensions};
use std::sync::Arc;
pub use suggest::{needs_shared, suggest};
pub use texture::{TexelPlace, TextureSpec};
pub use values::first_values;

/// A launch of any kernel.
#[derive(Debug, Clone)]
pub struct RawLaunch {
    /// The kernel, with its dynamic shared memory.
    pub kernel: Kernel,
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// One for each parameter: [`Argument`]s from [`RawBuffer`]s, numbers or bytes.
    pub arguments: Vec<Argument>,
    /// Also look for what does not stop the kernel.
    pub check: bool,
    /// PTX instructions that one warp may execute before it counts as an endless loop; any number if `None`.
    pub budget: Option<u64>,
    /// Where the emulator keeps how far it is, for whoever watches.
    pub headway: Option<Arc<Headway>>,
    /// Its machine code, if the counters as compiled are wanted too.
    pub machine_code: Option<MachineCode>,
    /// Accesses to record, for pictures; those of the machine code where that is wanted.
    pub trace: Option<TraceRequest>,
    /// Whether to record what the model of time takes; not beside a trace or machine code.
    pub observe: bool,
    /// On a GPU, also time it; the buffers are put back for the run that counts.
    pub time: bool,
}

impl RawLaunch {
    /// The machine code. A page has no assembler, and its module no code for what one gives.
    fn assembled(&self) -> Option<&MachineCode> {
        self.machine_code
            .as_ref()
            .filter(|_| cfg!(feature = "driver"))
    }
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct RawReport {
    /// What the kernel did to memory, counted by the emulator on either device; `None` where a GPU ran what the emulator
    /// does not support yet.
    pub counters: Option<Counters>,
    /// The same as compiled, where that was asked for.
    pub compiled: Option<Compiled>,
    /// The PTX's by place in the kernel.
    pub sites: Vec<Site>,
    /// Why it is slow, as far as its counts say: accesses and branches by line, and the worst of them in sentences.
    pub why: Explanation,
    /// What it did wrong; on a GPU as the emulator found it for the same launch.
    pub findings: Vec<Finding>,
    /// What CUDA allows and is worth a remark; where checks were asked for.
    pub remarks: Vec<Finding>,
    /// Median time in milliseconds; on a GPU only, where it was asked for.
    pub ms: Option<f64>,
    /// PTX instructions executed, by warps.
    pub warp_instructions: u64,
    /// What the kernel printed.
    pub printed: Printed,
    /// The recorded accesses, where they were asked for.
    pub trace: Option<Trace>,
    /// What the model of time takes, where it was asked for.
    pub observation: Option<Arc<Observation>>,
    /// Whether the kernel comes to its end on a GPU: if not, it was not tried there.
    pub would_end: bool,
    /// The poisoned buffers of which a checked launch on the emulator left something unwritten.
    pub unwritten: Vec<Unwritten>,
}

/// What a kernel left unwritten of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritten {
    /// The buffer.
    pub name: String,
    /// Its elements that nobody has written.
    pub elements: usize,
    /// All its elements.
    pub of: usize,
    /// Index of the first that nobody has written.
    pub first: usize,
}

/// Runs it once on the device that the buffers live on, or on `device` where there are none.
///
/// On a GPU the emulator first runs the same launch on copies of the buffers, which gives the counters; a launch that
/// it stops is not tried on the GPU. What the emulator does not support yet runs on the GPU alone, uncounted, unless
/// checks are asked for.
///
/// # Errors
/// As [`Device::launch`], but what the emulator finds is in the report.
pub fn run(device: &Device, raw: &RawLaunch) -> Result<RawReport> {
    let counted = emulate(device, raw)?;
    // Where the emulator lacks something, nobody knows; the GPU's own limit holds then.
    let would_end = counted.as_ref().is_none_or(|counted| counted.would_end);
    let ms = if device.is_cuda() && would_end {
        run_on_gpu(device, raw)?
    } else {
        None
    };
    // A launch that was cut short has findings that say why.
    let unwritten = match &counted {
        Some(counted) if raw.check && counted.findings.is_empty() => left_unwritten(raw)?,
        _ => Vec::new(),
    };
    let counted = counted.map_or_else(RawReport::default, |counted| RawReport {
        compiled: raw.assembled().and_then(|code| code.count(&counted)),
        counters: counted.counters,
        sites: counted.sites,
        why: counted.why,
        findings: counted.findings,
        remarks: counted.remarks,
        warp_instructions: counted.warp_instructions,
        printed: counted.printed,
        trace: counted.trace,
        observation: counted.observation,
        ..RawReport::default()
    });
    Ok(RawReport {
        ms,
        would_end,
        unwritten,
        ..counted
    })
}

fn left_unwritten(raw: &RawLaunch) -> Result<Vec<Unwritten>> {
    let mut left = Vec::new();
    for buffer in raw.arguments.iter().flat_map(Argument::buffers) {
        if let Some((elements, first)) = buffer.unwritten()? {
            left.push(Unwritten {
                name: buffer.name().to_string(),
                elements,
                of: buffer.len(),
                first,
            });
        }
    }
    Ok(left)
}

/// Runs it on the emulator, on copies of a GPU's buffers; `None` where the emulator does not support the kernel yet and
/// a GPU can do without.
fn emulate(device: &Device, raw: &RawLaunch) -> Result<Option<LaunchReport>> {
    let (kernel, grid, block) = (&raw.kernel, raw.grid, raw.block);
    let options = LaunchOptions {
        check: raw.check,
        headway: raw.headway.clone(),
        trace: match raw.assembled() {
            Some(code) => Some(code.request()),
            None => raw.trace.clone(),
        },
        observe: raw.observe && raw.trace.is_none() && raw.assembled().is_none(),
        ..LaunchOptions::budgeted(raw.budget)
    };
    if !device.is_cuda() {
        return launch::run(device, kernel, grid, block, &raw.arguments, &options).map(Some);
    }
    // Checked here too, so that the errors name the caller's own buffers.
    launch::prepare(device, kernel, grid, block, &raw.arguments)?;
    if !raw.check && !launch::is_emulated(kernel, grid, block) {
        return Ok(None);
    }
    let emulator = Device::emulator();
    let twins = launch::mirror(&raw.arguments, &emulator, &copy)?;
    launch::run(&emulator, kernel, grid, block, &twins, &options).map(Some)
}

/// Runs it on the GPU, after timing it where that was asked for; the median in milliseconds.
fn run_on_gpu(device: &Device, raw: &RawLaunch) -> Result<Option<f64>> {
    let (kernel, grid, block) = (&raw.kernel, raw.grid, raw.block);
    let mut ms = None;
    if raw.time {
        let before = save(&raw.arguments)?;
        let options = TimingOptions::from(TimingMode::Cold);
        let timing = launch::time(
            device,
            kernel,
            grid,
            block,
            std::slice::from_ref(&raw.arguments),
            &options,
        )?;
        ms = Some(timing.median_us() / 1e3);
        restore(&before)?;
    }
    launch::unrehearsed(device, kernel, grid, block, &raw.arguments)?;
    Ok(ms)
}

fn copy(from: &RawBuffer, to: &RawBuffer) -> Result<()> {
    let bytes = contents(from)?;
    to.write_at(0, &bytes)
}

/// A buffer's bytes.
///
/// # Errors
/// [`Error::Memory`] where the host has not room for them; [`Error::Buffer`] where a fault took them.
pub fn contents(buffer: &RawBuffer) -> Result<Vec<u8>> {
    let what = format!("a copy of buffer `{}`", buffer.name());
    let mut bytes = memory::zeros(&what, buffer.bytes())?;
    buffer.read_at(0, &mut bytes)?;
    Ok(bytes)
}

fn save(arguments: &[Argument]) -> Result<Vec<(RawBuffer, Vec<u8>)>> {
    let buffers = arguments.iter().flat_map(Argument::buffers);
    buffers
        .map(|buffer| Ok((buffer.clone(), contents(buffer)?)))
        .collect()
}

fn restore(saved: &[(RawBuffer, Vec<u8>)]) -> Result<()> {
    saved
        .iter()
        .try_for_each(|(buffer, bytes)| buffer.write_at(0, bytes))
}
