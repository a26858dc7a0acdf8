//! The steps of a task, for element types known at run time. What a cell calls is in `task`.

use super::arguments::arguments;
use super::checked::{Checked, Verdict};
use super::in_place_of_time;
use super::order::{self, BlockOrder};
use super::run::{Asked, Run, counted};
use super::warp::WarpOf;
use crate::geam::Geam;
use crate::record::CUBLAS_GEAM;
use crate::verify::{View, bits_of, explain, is_same};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_base::pattern;
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::{Timing, TimingMode, TimingOptions, rotated_sets};
use cornerturn_emulator::{Trace, TraceRequest};
use cornerturn_registry::problem::Problem;
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::buffer::RawBuffer;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::{self, LaunchOptions, LaunchReport};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The most accesses that a trace for a picture holds.
const MOST_TRACED: usize = 4096;

/// The part that does not depend on the element type at compile time.
pub(super) struct Core {
    pub(super) device: Device,
    pub(super) problem: Problem,
    /// Input and output, the same one for a task in place; made anew after a fault took them.
    pub(super) buffers: Mutex<(RawBuffer, RawBuffer)>,
}

impl Core {
    pub(super) fn new(device: &Device, problem: Problem) -> Result<Self> {
        problem.check()?;
        Ok(Self {
            buffers: Mutex::new(create_buffers(device, &problem)?),
            device: device.clone(),
            problem,
        })
    }

    pub(super) fn buffers(&self) -> (RawBuffer, RawBuffer) {
        self.buffers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The buffers, made anew where a fault took them.
    fn live_buffers(&self) -> Result<(RawBuffer, RawBuffer)> {
        let mut buffers = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        if buffers.0.is_lost() || buffers.1.is_lost() {
            *buffers = create_buffers(&self.device, &self.problem)?;
        }
        Ok(buffers.clone())
    }

    /// Launches the kernel on the buffers as they are.
    pub(super) fn launch(&self, kernel: &Kernel, grid: Dim3, block: Dim3) -> Result<LaunchReport> {
        let (input, output) = self.live_buffers()?;
        let arguments = arguments(&self.problem, kernel, &input, &output)?;
        self.device
            .launch(kernel, grid, block, &arguments)
            .map_err(|error| self.with_place(error, kernel, grid, block))
    }

    /// Poison, launch, verify. On the emulator the report holds the counters.
    pub(super) fn verified(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
    ) -> Result<LaunchReport> {
        let (_, output) = self.live_buffers()?;
        prepare_output(&self.problem, &output)?;
        let report = self.launch(kernel, grid, block)?;
        match self.compare(kernel.name(), &output) {
            Ok(()) => Ok(report),
            Err(error) => Err(error.with_printed(report.printed)),
        }
    }

    /// Says where a GPU's fault happened: the emulator runs the same launch on the same input.
    fn with_place(&self, error: Error, kernel: &Kernel, grid: Dim3, block: Dim3) -> Error {
        match error {
            Error::Fault {
                kernel: name,
                code,
                reason,
                located,
                same_input,
            } => {
                let found = self.emulate(kernel, grid, block, &LaunchOptions::default());
                let (located, same_input) = match found {
                    Err(Error::Kernel { findings, .. }) => (findings, true),
                    _ => (located, same_input),
                };
                Error::Fault {
                    kernel: name,
                    code,
                    reason,
                    located,
                    same_input,
                }
            }
            other => other,
        }
    }

    /// Poison, cuBLAS's transpose, verify.
    pub(super) fn verified_geam(&self, geam: &Geam) -> Result<()> {
        let (input, output) = self.live_buffers()?;
        prepare_output(&self.problem, &output)?;
        geam.run(&self.problem, &input, &output)?;
        self.compare(CUBLAS_GEAM, &output)
    }

    pub(super) fn time_geam(&self, geam: &Geam, options: &TimingOptions) -> Result<Timing> {
        let (input, output) = self.live_buffers()?;
        let timing = geam.time(&self.problem, &input, &output, options)?;
        self.check_possible(CUBLAS_GEAM, timing)
    }

    /// Compares the output of `kernel` with what the pattern says should be there.
    pub(super) fn compare(&self, kernel: &str, output: &RawBuffer) -> Result<()> {
        let width = self.problem.element.bytes();
        // Where the first byte is that differs.
        let differs = AtomicUsize::new(usize::MAX);
        pattern::in_pieces(output.bytes(), |offset, expected, found| {
            if differs.load(Ordering::Relaxed) < offset {
                return Ok(());
            }
            self.problem.fill_expected(offset / width, expected);
            output.read_at(offset, found)?;
            if !is_same(found, expected) {
                let same = found
                    .iter()
                    .zip(expected.iter())
                    .take_while(|(a, b)| a == b);
                differs.fetch_min(offset + same.count(), Ordering::Relaxed);
            }
            Ok(())
        })?;
        match differs.into_inner() {
            usize::MAX => Ok(()),
            byte => Err(self.mismatch(kernel, output, byte / width)?),
        }
    }

    /// What is wrong with the matrix that holds the output's element `wrong`.
    fn mismatch(&self, kernel: &str, output: &RawBuffer, wrong: usize) -> Result<Error> {
        let Problem {
            operation,
            element,
            shape,
            batches,
            ..
        } = self.problem;
        let (width, elements) = (element.bytes(), self.problem.matrix_elements());
        let matrix = wrong / elements;
        let first = matrix * elements;
        let mut found = memory::zeros("the comparison", elements * width)?;
        output.read_at(first * width, &mut found)?;
        let inside = |index: usize| (index < elements).then_some(index);
        let bits = |index: usize| pattern::bits(element, (first + index) as u64);
        let mut mismatch = explain(&View {
            operation,
            shape,
            element,
            input: &|index| inside(index).map(bits),
            expected: &|index| inside(index).map(|index| bits(operation.source_of(index, shape))),
            output: &|index| found.chunks_exact(width).nth(index).map(bits_of),
        });
        mismatch.matrix = (batches > 1).then_some(matrix);
        Ok(Error::Mismatch {
            kernel: kernel.to_string(),
            rows: shape.rows,
            columns: shape.columns,
            mismatch: Box::new(mismatch),
            printed: Box::default(),
        })
    }

    /// Runs the kernel on an emulator of its own, whatever the task's device.
    pub(super) fn emulate(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        options: &LaunchOptions,
    ) -> Result<LaunchReport> {
        self.emulate_on(
            &self.emulated_buffers(kernel)?,
            kernel,
            grid,
            block,
            options,
        )
    }

    /// Input and output on an emulator of their own, for a kernel that it supports.
    pub(super) fn emulated_buffers(&self, kernel: &Kernel) -> Result<(RawBuffer, RawBuffer)> {
        kernel.module()?;
        create_buffers(&Device::emulator(), &self.problem)
    }

    /// Runs the kernel on buffers of an emulator.
    pub(super) fn emulate_on(
        &self,
        (input, output): &(RawBuffer, RawBuffer),
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        options: &LaunchOptions,
    ) -> Result<LaunchReport> {
        let arguments = arguments(&self.problem, kernel, input, output)?;
        let emulator = input.device();
        emulator.launch_with(kernel, grid, block, &arguments, options)
    }

    pub(super) fn time(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        options: &TimingOptions,
    ) -> Result<Timing> {
        if !self.device.is_cuda() {
            return Err(Error::NoClock);
        }
        let sets = self.sets(kernel, options.mode)?;
        let timing = launch::time(&self.device, kernel, grid, block, &sets, options)?;
        self.check_possible(kernel.name(), timing)
    }

    /// The sets of arguments that take turns: one, or as many as L2 does not hold.
    fn sets(&self, kernel: &Kernel, mode: TimingMode) -> Result<Vec<Vec<Argument>>> {
        let (input, output) = self.live_buffers()?;
        let mut sets = vec![arguments(&self.problem, kernel, &input, &output)?];
        if mode == TimingMode::Rotated {
            let wanted = rotated_sets(self.problem.bytes_moved(), self.device.facts().l2_bytes);
            while sets.len() < wanted {
                // What the matrices hold makes no difference to the time, and the pattern would take a while.
                let (input, output) = allocate_buffers(&self.device, &self.problem)?;
                input.poison()?;
                output.poison()?;
                sets.push(arguments(&self.problem, kernel, &input, &output)?);
            }
        }
        Ok(sets)
    }

    /// The timing, unless it cannot be true.
    fn check_possible(&self, what: &str, timing: Timing) -> Result<Timing> {
        let bytes = self.problem.bytes_moved();
        timing.check_possible(what, bytes, self.device.facts())?;
        Ok(timing)
    }

    pub(super) fn time_copy(&self, options: impl Into<TimingOptions>) -> Result<Timing> {
        self.device
            .time_copy(self.problem.bytes_moved() / 2, options)
    }

    pub(super) fn run(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        is_checked: bool,
    ) -> Result<Run> {
        let report = self.verified(kernel, grid, block)?;
        let checked = match is_checked {
            true => self.checked(kernel, grid, block)?,
            false => Verdict::of((Checked::NOBODY_ASKED, Vec::new())),
        };
        let times = match self.device.is_cuda() {
            true => {
                let cold = TimingOptions::from(TimingMode::Cold);
                let timing = self.time(kernel, grid, block, &cold)?;
                Some((timing, self.time_copy(cold)?))
            }
            false => None,
        };
        let count = || self.emulate(kernel, grid, block, &LaunchOptions::default());
        let counted = counted(report, count)?;
        let asked = Asked::Matrices(self.problem.clone());
        let (device, shape) = (&self.device, (grid, block));
        let mut run = Run::new(kernel, device, asked, shape, checked, counted, times);
        if !self.device.is_cuda() {
            run.in_place_of_time = in_place_of_time::told(kernel, &self.problem, &run.counters);
        }
        Ok(run)
    }

    pub(super) fn trace(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        warp: WarpOf,
    ) -> Result<Trace> {
        let place = warp.block;
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
            ..TraceRequest::default()
        };
        let report = self.emulate(kernel, grid, block, &LaunchOptions::traced(request))?;
        Ok(report.trace.unwrap_or_default())
    }

    pub(super) fn block_order(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
    ) -> Result<BlockOrder> {
        let request = TraceRequest {
            max_blocks: order::check_count(kernel, grid)?,
            ..TraceRequest::default()
        };
        let report = self.emulate(kernel, grid, block, &LaunchOptions::traced(request))?;
        Ok(order::block_order(&self.problem, &report))
    }
}

/// Input and output; one buffer for both in place.
fn allocate_buffers(device: &Device, problem: &Problem) -> Result<(RawBuffer, RawBuffer)> {
    let matrices = if problem.is_in_place() { 1 } else { 2 };
    let bytes = problem.elements().saturating_mul(problem.element.bytes());
    device.check_free("the task", bytes.saturating_mul(matrices))?;
    let create = |name| RawBuffer::allocate(device, name, problem.element, problem.elements());
    if problem.is_in_place() {
        let matrix = create("matrix")?;
        return Ok((matrix.clone(), matrix));
    }
    Ok((create("input")?, create("output")?))
}

/// An input of distinct bit patterns and an output ready for a kernel.
fn create_buffers(device: &Device, problem: &Problem) -> Result<(RawBuffer, RawBuffer)> {
    let buffers = allocate_buffers(device, problem)?;
    fill_input(&buffers.0)?;
    if !problem.is_in_place() {
        buffers.1.poison()?;
    }
    Ok(buffers)
}

/// Makes the output ready for a kernel whose result is to be checked: poison, or the input where that is replaced.
fn prepare_output(problem: &Problem, output: &RawBuffer) -> Result<()> {
    if problem.is_in_place() {
        fill_input(output)
    } else {
        output.poison()
    }
}

fn fill_input(input: &RawBuffer) -> Result<()> {
    let element = input.element();
    pattern::in_pieces(input.bytes(), |offset, piece, _| {
        pattern::fill(element, (offset / element.bytes()) as u64, 1, piece);
        input.write_at(offset, piece)
    })
}
