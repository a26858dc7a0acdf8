//! The steps of a task, for element types known at run time. What a cell calls is in `mod`.

use super::{BlockOrder, Run, WarpOf, order};
use crate::argument::Argument;
use crate::buffer::RawBuffer;
use crate::device::Device;
use crate::element::ElementType;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::launch::{self, LaunchOptions, LaunchReport};
use crate::pattern;
use crate::shape::{Dim3, Shape};
use crate::timing::{Timing, TimingMode, TimingOptions};
use crate::traffic;
use crate::verify::{Operation, View, bits_of, explain};
use cornerturn_emulator::{Trace, TraceRequest};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The most accesses that a trace for a picture holds.
const MOST_TRACED: usize = 4096;

/// The part that does not depend on the element type at compile time.
pub(super) struct Core {
    pub(super) device: Device,
    pub(super) operation: Operation,
    pub(super) element: ElementType,
    pub(super) shape: Shape,
    /// Input and output; made anew after a fault took them.
    pub(super) buffers: Mutex<(RawBuffer, RawBuffer)>,
}

impl Core {
    pub(super) fn new(
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
    pub(super) fn elements(&self) -> usize {
        self.shape.rows * self.shape.columns
    }

    pub(super) fn bytes_moved(&self) -> u64 {
        traffic::bytes_moved(self.shape, self.element)
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
    pub(super) fn verified(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
    ) -> Result<LaunchReport> {
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

    /// Compares the output with what the pattern says should be there.
    fn compare(&self, kernel: &Kernel, output: &RawBuffer) -> Result<()> {
        let width = self.element.bytes();
        let differs = AtomicBool::new(false);
        pattern::in_pieces(output.bytes(), |offset, expected, found| {
            if differs.load(Ordering::Relaxed) {
                return Ok(());
            }
            self.fill_expected(offset / width, expected);
            output.read_at(offset, found)?;
            if found != expected {
                differs.store(true, Ordering::Relaxed);
            }
            Ok(())
        })?;
        if !differs.into_inner() {
            return Ok(());
        }
        let mut found = vec![0; output.bytes()];
        output.read_at(0, &mut found)?;
        let inside = |index: usize| (index < self.elements()).then_some(index);
        let bits = |index: usize| pattern::bits(self.element, index as u64);
        let mismatch = explain(&View {
            operation: self.operation,
            shape: self.shape,
            element: self.element,
            input: &|index| inside(index).map(bits),
            expected: &|index| {
                inside(index).map(|index| bits(self.operation.source_of(index, self.shape)))
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
    pub(super) fn emulate(
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
        let (input, output) = self.live_buffers()?;
        let arguments = self.arguments(&input, &output);
        let timing = launch::time(&self.device, kernel, grid, block, &arguments, options)?;
        timing.check_possible(kernel.name(), self.bytes_moved(), self.device.facts())?;
        Ok(timing)
    }

    pub(super) fn run(&self, kernel: &Kernel, grid: Dim3, block: Dim3) -> Result<Run> {
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
            max_blocks: 0,
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
        Ok(order::block_order(
            self.operation,
            self.shape,
            self.element,
            &report,
        ))
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
    pattern::in_pieces(input.bytes(), |offset, piece, _| {
        pattern::fill(element, (offset / element.bytes()) as u64, 1, piece);
        input.write_at(offset, piece)
    })?;
    output.poison()?;
    Ok((input, output))
}
