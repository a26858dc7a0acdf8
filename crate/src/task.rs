//! One operation on one matrix: poison, launch, verify, time, count. Each step's own rules live in its own file.

use crate::argument::Argument;
use crate::buffer::RawBuffer;
use crate::device::{Device, DeviceFacts};
use crate::element::{Element, ElementType};
use crate::error::{Error, Result};
use crate::html;
use crate::kernel::Kernel;
use crate::launch::{self, LaunchOptions, LaunchReport};
use crate::pattern;
use crate::plot;
use crate::shape::{Dim3, Shape};
use crate::timing::{Timing, TimingMode, TimingOptions};
use crate::traffic::{self, GbPerS};
use crate::verify::{Operation, View, bits_of, explain};
use cornerturn_emulator::{Counters, Site, Trace, TraceRequest};
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

/// The most accesses that a trace for a picture holds.
const MOST_TRACED: usize = 4096;

/// One operation on a matrix of distinct bit patterns, with a poisoned output. Kernels that a task runs take
/// `(const T* in, T* out, unsigned rows, unsigned columns)`, the shape being the input's.
pub struct Task<T = f32> {
    core: Core,
    element: PhantomData<fn() -> T>,
}

/// The part that does not depend on the element type at compile time.
struct Core {
    device: Device,
    operation: Operation,
    element: ElementType,
    shape: Shape,
    /// Input and output; made anew after a fault took them.
    buffers: Mutex<(RawBuffer, RawBuffer)>,
}

/// What one run showed.
#[derive(Clone)]
pub struct Run {
    /// The kernel's name.
    pub kernel: String,
    /// The device's name.
    pub device: String,
    /// What was asked of the kernel.
    pub operation: Operation,
    /// The element type.
    pub element: ElementType,
    /// The input's shape.
    pub shape: Shape,
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes that the operation must move: each element read once and written once.
    pub bytes_moved: u64,
    /// What the kernel did to memory, counted by the emulator.
    pub counters: Counters,
    /// The same by place in the kernel.
    pub sites: Vec<Site>,
    /// PTX instructions executed, by warps.
    pub warp_instructions: u64,
    /// The kernel's time with a cold cache; on a GPU only.
    pub timing: Option<Timing>,
    /// The time of the driver's device-to-device copy of the same bytes in the same run; on a GPU only.
    pub copy: Option<Timing>,
    /// What is known of the device.
    pub facts: DeviceFacts,
}

impl Task<f32> {
    /// Transposes a float32 matrix of `rows` × `columns`.
    ///
    /// # Errors
    /// [`Error::Shape`] for a shape without elements or beyond 32-bit sides; [`Error::Memory`] where the device has
    /// not enough memory.
    pub fn transpose(device: &Device, rows: usize, columns: usize) -> Result<Self> {
        Self::new(device, Operation::Transpose, Shape::new(rows, columns))
    }

    /// Copies a float32 matrix of `rows` × `columns`.
    ///
    /// # Errors
    /// As [`Task::transpose`].
    pub fn copy(device: &Device, rows: usize, columns: usize) -> Result<Self> {
        Self::new(device, Operation::Copy, Shape::new(rows, columns))
    }
}

impl<T: Element> Task<T> {
    /// Any operation on a matrix of any element type: `Task::<f64>::new(…)`.
    ///
    /// # Errors
    /// As [`Task::transpose`].
    pub fn new(device: &Device, operation: Operation, shape: Shape) -> Result<Self> {
        Ok(Self {
            core: Core::new(device, operation, T::TYPE, shape)?,
            element: PhantomData,
        })
    }

    /// Bytes that the operation must move: each element read once and written once.
    pub fn bytes_moved(&self) -> u64 {
        self.core.bytes_moved()
    }

    /// The input's shape.
    pub fn shape(&self) -> Shape {
        self.core.shape
    }

    /// The device that it runs on.
    pub fn device(&self) -> &Device {
        &self.core.device
    }

    /// Poisons the output, launches the kernel, verifies the result bit by bit, times it (on a GPU, with a device
    /// copy of the same bytes in the same run) and has its counters counted by the emulator.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a wrong result, [`Error::Kernel`] or [`Error::Fault`] for a fault,
    /// [`Error::Impossible`] for a time that cannot be true; else as [`Device::launch`].
    pub fn run(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<Run> {
        self.core.run(kernel, grid.into(), block.into())
    }

    /// Poisons the output, launches the kernel once and verifies the result; neither times nor, on a GPU, counts.
    ///
    /// # Errors
    /// As [`Task::run`].
    pub fn verify(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<()> {
        self.core
            .verified(kernel, grid.into(), block.into())
            .map(drop)
    }

    /// Times single launches of a kernel, and refuses a time that cannot be true. Verify it first.
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; [`Error::Impossible`]; else as [`Device::launch`].
    pub fn time(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        options: impl Into<TimingOptions>,
    ) -> Result<Timing> {
        self.core
            .time(kernel, grid.into(), block.into(), &options.into())
    }

    /// Times the driver's device-to-device copy of the same bytes.
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; [`Error::Memory`] where two more matrices do not fit.
    pub fn time_copy(&self, options: impl Into<TimingOptions>) -> Result<Timing> {
        self.core.device.time_copy(self.bytes_moved() / 2, options)
    }

    /// Has the kernel's counters counted by the emulator, whatever the device.
    ///
    /// # Errors
    /// [`Error::Kernel`] for a fault; [`Error::Ptx`] where the emulator does not support the kernel yet.
    pub fn count(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<LaunchReport> {
        self.core
            .emulate(kernel, grid.into(), block.into(), &LaunchOptions::default())
    }

    /// Runs the kernel on the emulator with all its checks: races, uninitialised reads, divergent barriers.
    ///
    /// # Errors
    /// [`Error::Kernel`] with everything found; else as [`Task::count`].
    pub fn check(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<LaunchReport> {
        self.core
            .emulate(kernel, grid.into(), block.into(), &LaunchOptions::checked())
    }

    /// The memory accesses of one warp of one block, in order, from the emulator: `(block, warp)`, the block as
    /// `(x, y)`.
    ///
    /// # Errors
    /// As [`Task::count`]; [`Error::Limit`] where the launch has no such block or warp.
    pub fn trace(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        warp: impl Into<WarpOf>,
    ) -> Result<Trace> {
        self.core
            .trace(kernel, grid.into(), block.into(), warp.into())
    }

    /// The input, made again on the host.
    pub fn input(&self) -> Vec<T> {
        let mut elements = bytemuck::zeroed_vec(self.core.elements());
        pattern::fill(T::TYPE, 0, 1, bytemuck::cast_slice_mut(&mut elements));
        elements
    }

    /// The output as the last launch left it.
    ///
    /// # Errors
    /// [`Error::Buffer`] where a fault took it.
    pub fn output(&self) -> Result<Vec<T>> {
        let (_, output) = self.core.buffers();
        let mut elements = bytemuck::zeroed_vec(output.len());
        output.read_at(0, bytemuck::cast_slice_mut(&mut elements))?;
        Ok(elements)
    }
}

/// One warp of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarpOf {
    /// The block's index in the grid.
    pub block: Dim3,
    /// The warp's number in the block.
    pub warp: u32,
}

impl<B: Into<Dim3>> From<(B, u32)> for WarpOf {
    /// Indices that are not given are 0, not 1 as in dimensions.
    fn from((block, warp): (B, u32)) -> Self {
        Self {
            block: block.into(),
            warp,
        }
    }
}

impl Core {
    fn new(
        device: &Device,
        operation: Operation,
        element: ElementType,
        shape: Shape,
    ) -> Result<Self> {
        check_shape(shape, element)?;
        Ok(Self {
            buffers: Mutex::new(create_buffers(device, element, shape)?),
            device: device.clone(),
            operation,
            element,
            shape,
        })
    }

    /// `check_shape` proved at creation that the product fits.
    fn elements(&self) -> usize {
        self.shape.rows * self.shape.columns
    }

    fn bytes_moved(&self) -> u64 {
        traffic::bytes_moved(self.shape, self.element)
    }

    fn buffers(&self) -> (RawBuffer, RawBuffer) {
        self.buffers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The buffers, made anew where a fault took them.
    fn live_buffers(&self) -> Result<(RawBuffer, RawBuffer)> {
        let mut buffers = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        if buffers.0.is_lost() || buffers.1.is_lost() {
            *buffers = create_buffers(&self.device, self.element, self.shape)?;
        }
        Ok(buffers.clone())
    }

    fn arguments(&self, input: &RawBuffer, output: &RawBuffer) -> [Argument; 4] {
        let Shape { rows, columns } = self.shape;
        [
            input.into(),
            output.into(),
            (&rows).into(),
            (&columns).into(),
        ]
    }

    /// Poison, launch, verify. On the emulator the report holds the counters.
    fn verified(&self, kernel: &Kernel, grid: Dim3, block: Dim3) -> Result<LaunchReport> {
        let (input, output) = self.live_buffers()?;
        output.poison()?;
        let arguments = self.arguments(&input, &output);
        let report = self
            .device
            .launch(kernel, grid, block, &arguments)
            .map_err(|error| self.with_place(error, kernel, grid, block))?;
        self.compare(kernel, &output)?;
        Ok(report)
    }

    /// Says where a GPU's fault happened: the emulator runs the same launch on the same input.
    fn with_place(&self, error: Error, kernel: &Kernel, grid: Dim3, block: Dim3) -> Error {
        match error {
            Error::Fault {
                kernel: name,
                code,
                reason,
                located,
            } => {
                let located = match self.emulate(kernel, grid, block, &LaunchOptions::default()) {
                    Err(Error::Kernel { findings, .. }) => findings,
                    _ => located,
                };
                Error::Fault {
                    kernel: name,
                    code,
                    reason,
                    located,
                }
            }
            other => other,
        }
    }

    /// Compares the output with what the pattern says should be there.
    fn compare(&self, kernel: &Kernel, output: &RawBuffer) -> Result<()> {
        let width = self.element.bytes();
        let differs = std::sync::atomic::AtomicBool::new(false);
        pattern::in_pieces(output.bytes(), |offset, expected| {
            if differs.load(std::sync::atomic::Ordering::Relaxed) {
                return Ok(());
            }
            self.fill_expected(offset / width, expected);
            let mut words = vec![0_u64; expected.len().div_ceil(8)];
            let found = &mut bytemuck::cast_slice_mut(&mut words)[..expected.len()];
            output.read_at(offset, found)?;
            if *found != *expected {
                differs.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            Ok(())
        })?;
        if !differs.into_inner() {
            return Ok(());
        }
        let mut found = vec![0; output.bytes()];
        output.read_at(0, &mut found)?;
        let mismatch = explain(&View {
            operation: self.operation,
            shape: self.shape,
            element: self.element,
            input: &|index| {
                (index < self.elements()).then(|| pattern::bits(self.element, index as u64))
            },
            output: &|index| found.chunks_exact(width).nth(index).map(bits_of),
        });
        Err(Error::Mismatch {
            kernel: kernel.name().to_string(),
            rows: self.shape.rows,
            columns: self.shape.columns,
            mismatch: Box::new(mismatch),
        })
    }

    /// The output's elements from `first` on, as they should be.
    fn fill_expected(&self, first: usize, out: &mut [u8]) {
        let Shape { rows, columns } = self.shape;
        let straight = self.operation == Operation::Copy || rows == 1 || columns == 1;
        if straight {
            return pattern::fill(self.element, first as u64, 1, out);
        }
        // A row of the output is a column of the input: every `columns`-th element of the pattern.
        let width = self.element.bytes();
        let (mut index, mut rest) = (first, out);
        while !rest.is_empty() {
            let count = (rows - index % rows).min(rest.len() / width);
            let (row, after) = rest.split_at_mut(count * width);
            let source = self.operation.source_of(index, self.shape);
            pattern::fill(self.element, source as u64, columns as u64, row);
            index += count;
            rest = after;
        }
    }

    /// Runs the kernel on an emulator of its own, whatever the task's device.
    fn emulate(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        options: &LaunchOptions,
    ) -> Result<LaunchReport> {
        kernel.module()?;
        let emulator = Device::emulator();
        let (input, output) = create_buffers(&emulator, self.element, self.shape)?;
        let arguments = self.arguments(&input, &output);
        emulator.launch_with(kernel, grid, block, &arguments, options)
    }

    fn time(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        options: &TimingOptions,
    ) -> Result<Timing> {
        if !self.device.is_cuda() {
            return Err(Error::NoClock);
        }
        let (input, output) = self.live_buffers()?;
        let arguments = self.arguments(&input, &output);
        let timing = launch::time(&self.device, kernel, grid, block, &arguments, options)?;
        timing.check_possible(kernel.name(), self.bytes_moved(), self.device.facts())?;
        Ok(timing)
    }

    fn run(&self, kernel: &Kernel, grid: Dim3, block: Dim3) -> Result<Run> {
        let mut report = self.verified(kernel, grid, block)?;
        let cold = TimingOptions::from(TimingMode::Cold);
        let (timing, copy) = if self.device.is_cuda() {
            (
                Some(self.time(kernel, grid, block, &cold)?),
                Some(self.device.time_copy(self.bytes_moved() / 2, cold)?),
            )
        } else {
            (None, None)
        };
        let counters = match report.counters.take() {
            Some(counters) => counters,
            None => {
                report = self.emulate(kernel, grid, block, &LaunchOptions::default())?;
                // The emulator always counts.
                report.counters.take().unwrap_or_default()
            }
        };
        Ok(Run {
            kernel: kernel.name().to_string(),
            device: self.device.name().to_string(),
            operation: self.operation,
            element: self.element,
            shape: self.shape,
            grid,
            block,
            bytes_moved: self.bytes_moved(),
            counters,
            sites: report.sites,
            warp_instructions: report.warp_instructions,
            timing,
            copy,
            facts: self.device.facts().clone(),
        })
    }

    fn trace(&self, kernel: &Kernel, grid: Dim3, block: Dim3, warp: WarpOf) -> Result<Trace> {
        let place = warp.block.array();
        let warps = block.count().div_ceil(32);
        let outside = place
            .iter()
            .zip(grid.array())
            .any(|(at, blocks)| *at >= blocks);
        if outside || u64::from(warp.warp) >= warps {
            return Err(Error::Limit {
                kernel: kernel.name().to_string(),
                reason: format!(
                    "no warp {} in block {place:?}: the grid is {grid} blocks of {warps} warps, counted from 0",
                    warp.warp
                ),
            });
        }
        let request = TraceRequest {
            blocks: vec![place],
            warps: Some(vec![warp.warp]),
            max_accesses: MOST_TRACED,
        };
        let report = self.emulate(kernel, grid, block, &LaunchOptions::traced(request))?;
        Ok(report.trace.unwrap_or(Trace {
            accesses: Vec::new(),
            truncated: false,
        }))
    }
}

fn check_shape(shape: Shape, element: ElementType) -> Result<()> {
    let fail = |reason: &str| {
        Err(Error::Shape {
            rows: shape.rows,
            columns: shape.columns,
            reason: reason.to_string(),
        })
    };
    if shape.rows == 0 || shape.columns == 0 {
        return fail("it has no elements; both sides must be at least 1");
    }
    if u32::try_from(shape.rows).is_err() || u32::try_from(shape.columns).is_err() {
        return fail(
            "a side does not fit in the kernels' 32-bit parameters; the most is 4294967295",
        );
    }
    match shape
        .elements()
        .and_then(|elements| elements.checked_mul(element.bytes()))
    {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => fail("it does not fit in memory's addresses"),
    }
}

/// An input of distinct bit patterns and a poisoned output.
fn create_buffers(
    device: &Device,
    element: ElementType,
    shape: Shape,
) -> Result<(RawBuffer, RawBuffer)> {
    let elements = shape.rows * shape.columns;
    let input = RawBuffer::allocate(device, "input", element, elements)?;
    let output = RawBuffer::allocate(device, "output", element, elements)?;
    pattern::in_pieces(input.bytes(), |offset, piece| {
        pattern::fill(element, (offset / element.bytes()) as u64, 1, piece);
        input.write_at(offset, piece)
    })?;
    output.poison()?;
    Ok((input, output))
}

impl<T: Element> Task<T> {
    /// The input buffer on the device.
    pub fn input_buffer(&self) -> Result<RawBuffer> {
        Ok(self.core.live_buffers()?.0)
    }
}

impl<T> fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Core {
            device,
            operation,
            element,
            shape,
            ..
        } = &self.core;
        write!(
            f,
            "{operation} of a {shape} matrix of {element} on {}",
            device.name()
        )
    }
}

impl Run {
    /// The kernel's bandwidth; on a GPU only.
    pub fn gb_per_s(&self) -> Option<GbPerS> {
        self.timing
            .as_ref()
            .map(|timing| timing.gb_per_s(self.bytes_moved))
    }

    /// The bandwidth of the driver's copy of the same bytes in the same run; on a GPU only.
    pub fn copy_gb_per_s(&self) -> Option<GbPerS> {
        self.copy
            .as_ref()
            .map(|timing| timing.gb_per_s(self.bytes_moved))
    }

    /// Bytes that must move per byte that the sectors of global loads and stores carry.
    pub fn efficiency(&self) -> Option<f64> {
        traffic::efficiency(self.bytes_moved, &self.counters)
    }

    /// The line on bandwidth, where it was timed.
    pub fn bandwidth_line(&self) -> Option<String> {
        let (rate, copy) = (self.gb_per_s()?, self.copy_gb_per_s()?);
        let timing = self.timing.as_ref()?;
        let peak = self.facts.peak_gb_per_s;
        let mut line = format!(
            "{rate}, {:.0} % of the device copy ({copy}) and {:.0} % of the peak ({peak:.0} GB/s, {}); {timing}",
            rate.percent_of(copy),
            rate.percent_of(GbPerS(peak)),
            self.facts.peak_source,
        );
        if rate > copy {
            line.push_str(
                ". Faster than the driver's copy: that copy is no upper bound, and at small sizes its start weighs more",
            );
        }
        if !timing.clocks.throttle_reasons.is_empty() {
            line.push_str(". The GPU held its clocks back: ");
            line.push_str(&timing.clocks.throttle_reasons.join(", "));
        }
        Some(line)
    }

    /// Shows the verdict, the bandwidth where it was timed, and the counters in a notebook or page.
    pub fn evcxr_display(&self) {
        let mut html = html::paragraph("ct-verified", &format!("✓ {}", self.verified_line()));
        if let Some(line) = self.bandwidth_line() {
            html.push('\n');
            html.push_str(&html::paragraph("ct-bandwidth", &line));
        }
        let wanted = plot::Wanted {
            load_bytes: self.bytes_moved / 2,
            store_bytes: self.bytes_moved / 2,
        };
        html.push('\n');
        html.push_str(&plot::counters_table(&self.counters, Some(wanted)));
        html::show(&html);
    }

    fn verified_line(&self) -> String {
        format!(
            "{}: {} of {} {} verified bit by bit on {}, grid {}, block {}",
            self.kernel,
            self.operation,
            self.shape,
            self.element,
            self.device,
            self.grid,
            self.block
        )
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.verified_line())?;
        match self.bandwidth_line() {
            Some(line) => write!(f, "\n{line}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
