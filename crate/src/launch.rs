//! A launch: its arguments checked against the kernel's parameters, then run by the device's backend. What a backend does lives in `device`.

use crate::argument::{Argument, Value, describe_type};
use crate::buffer::RawBuffer;
use crate::device::{Backend, Device};
use crate::error::{Error, Result};
use crate::html;
use crate::kernel::Kernel;
use crate::plot;
use crate::shape::Dim3;
use crate::timing::{Timing, TimingOptions};
use cornerturn_emulator::{
    Arg, Counters, Finding, Launch, LaunchError, Options, Report, Site, Trace, TraceRequest,
};
use std::collections::HashMap;
use std::fmt;

/// CUDA's limits of a launch (CUDA C++ programming guide, table of technical specifications).
const MOST_BLOCKS: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
const MOST_THREADS: [u32; 3] = [1024, 1024, 64];
const MOST_THREADS_OF_A_BLOCK: u64 = 1024;

/// After a fault on the GPU, the emulator looks for the place where the buffers are no larger than this.
const LOCATE_MOST_BYTES: usize = 256 << 20;

/// How the emulator runs a launch. The default runs fast; a GPU takes only the default.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// Also look for what does not stop the kernel, such as races and uninitialised reads.
    pub check: bool,
    /// Accesses to record, for pictures.
    pub trace: Option<TraceRequest>,
    /// PTX instructions that one warp may execute before it counts as an endless loop.
    pub instruction_budget: Option<u64>,
}

impl LaunchOptions {
    /// With all checks.
    pub fn checked() -> Self {
        Self {
            check: true,
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

/// A launch that fits the kernel and the device.
pub(crate) struct Prepared {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) dynamic_shared_bytes: u32,
    /// The bytes of each parameter.
    pub(crate) parameters: Vec<Vec<u8>>,
}

/// What a launch did. On a GPU there are no counters; [`Task::run`](crate::Task::run) and [`raw`](crate::raw) have them
/// counted by the emulator there too.
#[derive(Clone)]
pub struct LaunchReport {
    /// The kernel's name.
    pub kernel: String,
    /// The device's name.
    pub device: String,
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Dynamic shared memory of a block.
    pub dynamic_shared_bytes: u32,
    /// What the kernel did to memory.
    pub counters: Option<Counters>,
    /// The same by place in the kernel.
    pub sites: Vec<Site>,
    /// What it did wrong.
    pub findings: Vec<Finding>,
    /// The recorded accesses, where they were asked for.
    pub trace: Option<Trace>,
    /// PTX instructions executed, by warps.
    pub warp_instructions: u64,
    /// What the kernel printed.
    pub output: String,
}

impl LaunchReport {
    /// The report, or its findings as an error.
    pub(crate) fn into_result(self) -> Result<Self> {
        if self.findings.is_empty() {
            return Ok(self);
        }
        Err(Error::Kernel {
            kernel: self.kernel,
            findings: self.findings,
        })
    }

    fn new(device: &Device, kernel: &Kernel, prepared: &Prepared) -> Self {
        Self {
            kernel: kernel.name().to_string(),
            device: device.name().to_string(),
            grid: prepared.grid,
            block: prepared.block,
            dynamic_shared_bytes: prepared.dynamic_shared_bytes,
            counters: None,
            sites: Vec::new(),
            findings: Vec::new(),
            trace: None,
            warp_instructions: 0,
            output: String::new(),
        }
    }

    fn counted(mut self, report: Report) -> Self {
        self.counters = Some(report.counters);
        self.sites = report.sites;
        self.findings = report.findings;
        self.trace = report.trace;
        self.warp_instructions = report.warp_instructions;
        self.output = report.output;
        self
    }

    /// Shows the launch and its counters in a notebook or page.
    pub fn evcxr_display(&self) {
        let mut html = html::paragraph("ct-launch", &self.to_string());
        if let Some(counters) = &self.counters {
            html.push('\n');
            html.push_str(&plot::counters_table(counters, None));
        }
        html::show(&html);
    }
}

impl fmt::Display for LaunchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: grid {}, block {}, on {}",
            self.kernel, self.grid, self.block, self.device
        )?;
        if !self.output.is_empty() {
            write!(f, "\n{}", self.output)?;
        }
        Ok(())
    }
}

impl fmt::Debug for LaunchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Runs a kernel once. Findings are data here; a GPU's fault is an error.
pub(crate) fn run(
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
            let counted = emulate(kernel, &prepared, &emulated.memory(), options)?;
            Ok(report.counted(counted))
        }
        Backend::Cuda(_) if options.check || options.trace.is_some() => Err(Error::Usage(
            "a GPU neither checks nor traces a kernel; use Device::emulator() for that".to_string(),
        )),
        Backend::Cuda(cuda) => match cuda.launch(kernel, &prepared) {
            Ok(()) => Ok(report),
            Err(fault) => Err(located(fault, kernel, &prepared, arguments)),
        },
    }
}

/// Times single launches.
pub(crate) fn time(
    device: &Device,
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
    arguments: &[Argument],
    options: &TimingOptions,
) -> Result<Timing> {
    match device.backend() {
        Backend::Emulated(_) => Err(Error::NoClock),
        Backend::Cuda(cuda) => {
            let prepared = prepare(device, kernel, grid, block, arguments)?;
            cuda.time(kernel, &prepared, options)
        }
    }
}

fn emulate(
    kernel: &Kernel,
    prepared: &Prepared,
    memory: &cornerturn_emulator::Memory,
    options: &LaunchOptions,
) -> Result<Report> {
    let defaults = Options::default();
    let options = Options {
        check: options.check,
        instruction_budget: options
            .instruction_budget
            .unwrap_or(defaults.instruction_budget),
        trace: options.trace.clone(),
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
    cornerturn_emulator::launch(kernel.module()?, memory, &launch, &options)
        .map_err(|error| refused(kernel, &error))
}

fn refused(kernel: &Kernel, error: &LaunchError) -> Error {
    Error::Arguments {
        kernel: kernel.name().to_string(),
        reason: error.to_string(),
    }
}

/// The arguments again, each buffer replaced by one of the same size on `target`; `copy` fills the new one.
pub(crate) fn mirror(
    arguments: &[Argument],
    target: &Device,
    copy: &dyn Fn(&RawBuffer, &RawBuffer) -> Result<()>,
) -> Result<Vec<Argument>> {
    let mut mirrored: HashMap<u64, RawBuffer> = HashMap::new();
    let mut result = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let Some(buffer) = argument.buffer() else {
            result.push(argument.clone());
            continue;
        };
        let twin = match mirrored.get(&buffer.address()) {
            Some(twin) => twin.clone(),
            None => {
                let twin = target.raw_buffer(buffer.name(), buffer.element(), buffer.len())?;
                copy(buffer, &twin)?;
                mirrored.insert(buffer.address(), twin.clone());
                twin
            }
        };
        result.push(Argument::from(&twin));
    }
    Ok(result)
}

/// Runs a faulted launch on the emulator, to say where it faults. The GPU's memory is lost by then, so the buffers
/// hold zeros; where the fault hangs on their contents, nothing may be found.
fn located(fault: Error, kernel: &Kernel, prepared: &Prepared, arguments: &[Argument]) -> Error {
    let Error::Fault {
        kernel: name,
        code,
        reason,
        located,
    } = fault
    else {
        return fault;
    };
    let bytes: usize = arguments
        .iter()
        .filter_map(Argument::buffer)
        .map(|b| b.bytes())
        .sum();
    let find = || -> Result<Vec<Finding>> {
        let emulator = Device::emulator();
        let twins = mirror(arguments, &emulator, &|_, twin| twin.fill_byte(0))?;
        let (grid, block) = (prepared.grid, prepared.block);
        Ok(run(
            &emulator,
            kernel,
            grid,
            block,
            &twins,
            &LaunchOptions::default(),
        )?
        .findings)
    };
    let located = if located.is_empty() && bytes <= LOCATE_MOST_BYTES {
        find().unwrap_or_default()
    } else {
        located
    };
    Error::Fault {
        kernel: name,
        code,
        reason,
        located,
    }
}

/// Checks a launch against the kernel and the device, and lays its parameters out.
pub(crate) fn prepare(
    device: &Device,
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
    arguments: &[Argument],
) -> Result<Prepared> {
    check_limits(device, kernel, grid, block)?;
    let params = kernel.params();
    let fail = |reason| Error::Arguments {
        kernel: kernel.name().to_string(),
        reason,
    };
    if arguments.len() != params.len() {
        return Err(fail(format!(
            "takes {} arguments{}, and {} were given",
            params.len(),
            parameter_names(kernel),
            arguments.len()
        )));
    }
    let mut parameters = Vec::with_capacity(params.len());
    for (i, (argument, param)) in arguments.iter().zip(params).enumerate() {
        let place = || {
            let declared = kernel.declared().and_then(|declared| declared.get(i));
            let name = declared.map_or(&param.name, |declared| &declared.name);
            format!("argument {} (`{name}`) is {}", i + 1, argument.describe())
        };
        check_declared(kernel, i, argument).map_err(|why| fail(format!("{}: {why}", place())))?;
        if let Some(buffer) = argument.buffer() {
            buffer.check_alive()?;
            if !buffer.device().is_same(device) {
                let why = "it lives on another device; create it on the one that launches";
                return Err(fail(format!("{}: {why}", place())));
            }
        }
        let bytes = argument
            .pack(param)
            .map_err(|why| fail(format!("{}: {why}", place())))?;
        parameters.push(bytes);
    }
    Ok(Prepared {
        grid,
        block,
        dynamic_shared_bytes: kernel.dynamic_shared_bytes(),
        parameters,
    })
}

/// What PTX does not keep: which 64-bit parameters are pointers, and to what.
fn check_declared(kernel: &Kernel, i: usize, argument: &Argument) -> Result<(), String> {
    let Some(declared) = kernel.declared().and_then(|declared| declared.get(i)) else {
        return Ok(());
    };
    match (&argument.0, declared.pointer) {
        (Value::Buffer(buffer), true) => match declared.element {
            Some(element) if element != buffer.element() => {
                Err(format!("the kernel takes a pointer to {element}"))
            }
            _ => Ok(()),
        },
        (Value::Buffer(_), false) => {
            Err("the kernel takes a value here, not a pointer".to_string())
        }
        (Value::Integer { .. } | Value::Float { .. }, true) => {
            Err("the kernel takes a pointer here; give it a buffer".to_string())
        }
        _ => Ok(()),
    }
}

fn parameter_names(kernel: &Kernel) -> String {
    let names: Vec<String> = match kernel.declared() {
        Some(declared) => declared
            .iter()
            .map(|parameter| parameter.name.clone())
            .collect(),
        None => kernel.params().iter().map(describe_type).collect(),
    };
    if names.is_empty() {
        String::new()
    } else {
        format!(" ({})", names.join(", "))
    }
}

fn check_limits(device: &Device, kernel: &Kernel, grid: Dim3, block: Dim3) -> Result<()> {
    let fail = |reason| {
        Err(Error::Limit {
            kernel: kernel.name().to_string(),
            reason,
        })
    };
    let over = |dims: Dim3, most: [u32; 3]| {
        let axes = ["x", "y", "z"]
            .iter()
            .zip(dims.array().into_iter().zip(most));
        axes.filter(|(_, (n, most))| *n == 0 || n > most)
            .map(|(axis, (n, most))| (*axis, n, most))
            .next()
    };
    if let Some((axis, n, most)) = over(grid, MOST_BLOCKS) {
        return fail(format!(
            "the grid has {n} blocks in {axis}; CUDA allows 1 to {most}"
        ));
    }
    if let Some((axis, n, most)) = over(block, MOST_THREADS) {
        return fail(format!(
            "the block has {n} threads in {axis}; CUDA allows 1 to {most}"
        ));
    }
    if block.count() > MOST_THREADS_OF_A_BLOCK {
        return fail(format!(
            "the block {block} has {} threads; CUDA allows {MOST_THREADS_OF_A_BLOCK}",
            block.count()
        ));
    }
    let entry = kernel
        .module()
        .ok()
        .and_then(|module| module.entry(kernel.entry()).ok());
    let Some(entry) = entry else { return Ok(()) };
    if let Some(most) = entry.max_threads()
        && block.count() > u64::from(most)
    {
        return fail(format!(
            "the block {block} has {} threads, and the kernel was compiled for at most {most} \
             (__launch_bounds__)",
            block.count()
        ));
    }
    let dynamic = kernel.dynamic_shared_bytes();
    if entry.uses_dynamic_shared() && dynamic == 0 {
        return fail(
            "uses `extern __shared__` memory, whose size the launch gives; write \
             kernel.with_dynamic_shared_bytes(…)"
                .to_string(),
        );
    }
    let shared = u64::from(entry.static_shared_bytes()) + u64::from(dynamic);
    match device.shared_limit_bytes() {
        Some(most) if shared > u64::from(most) => fail(format!(
            "a block needs {shared} bytes of shared memory, and this GPU has {most} for one"
        )),
        _ => Ok(()),
    }
}
