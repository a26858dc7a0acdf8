//! One operation on one matrix: poison, launch, verify, time, count. How each step goes is in `core`, what is asked in `cornerturn_registry::problem`, what a run showed in `run`.

mod arguments;
mod checked;
mod core;
mod forms;
mod in_place_of_time;
mod order;
mod others;
mod registered;
mod run;
mod trace;
mod walk;
mod warp;

use self::core::Core;
pub use checked::{Checked, Others};
pub(crate) use checked::{MOST_CHECKED_BYTES, Verdict, outcome};
use cornerturn_base::element::{Element, ElementType};
#[cfg(doc)]
use cornerturn_base::error::Error;
use cornerturn_base::error::Result;
use cornerturn_base::operation::Operation;
use cornerturn_base::pattern;
use cornerturn_base::shape::{Dim3, Shape};
use cornerturn_base::timing::{Timing, TimingOptions};
use cornerturn_emulator::Trace;
pub use cornerturn_registry::problem::{Arguments, Problem};
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::{LaunchOptions, LaunchReport};
pub use order::{BlockOrder, Region};
pub use registered::RegisteredTask;
pub(crate) use run::counted;
pub use run::{Asked, Run};
use std::fmt;
use std::marker::PhantomData;
pub use trace::Accesses;
pub use walk::{Blocks, Sectors, Walk};
pub use warp::WarpOf;

/// One operation on a matrix of distinct bit patterns, with a poisoned output. Kernels that a task runs take
/// `(const T* in, T* out, unsigned rows, unsigned columns)`, the shape being the input's, unless the task says otherwise.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let task = Task::transpose(&device, 100, 70)?;
/// assert_eq!(task.bytes_moved(), 2 * 4 * 100 * 70);
/// let run = task.run(&Kernel::registered("padded")?, (3, 4), (32, 8))?;
/// assert_eq!(run.counters.shared_load_bank_conflicts, 0);
/// // A kernel that does something else is wrong at an element that the error names.
/// let copy = Kernel::registered("copy")?;
/// assert!(task.run(&copy, (3, 4), (32, 8)).is_err());
/// # Ok::<(), Error>(())
/// ```
pub struct Task<T = f32> {
    core: Core,
    element: PhantomData<fn() -> T>,
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

    /// Transposes a square float32 matrix in place: kernels take `(float* matrix, unsigned side)`.
    ///
    /// # Errors
    /// As [`Task::transpose`].
    pub fn transpose_in_place(device: &Device, side: usize) -> Result<Self> {
        Self::of(
            Problem {
                arguments: Arguments::InPlace,
                ..Problem::new(
                    Operation::Transpose,
                    ElementType::F32,
                    Shape::new(side, side),
                )
            },
            device,
        )
    }

    /// Transposes `batches` float32 matrices of `rows` × `columns`, one right after the other in memory: kernels take
    /// `(const float* in, float* out, unsigned rows, unsigned columns, unsigned batches)`.
    ///
    /// # Errors
    /// As [`Task::transpose`].
    pub fn transpose_batch(
        device: &Device,
        batches: usize,
        rows: usize,
        columns: usize,
    ) -> Result<Self> {
        let shape = Shape::new(rows, columns);
        Self::of(
            Problem {
                arguments: Arguments::Batch,
                batches,
                ..Problem::new(Operation::Transpose, ElementType::F32, shape)
            },
            device,
        )
    }
}

impl<T: Element> Task<T> {
    /// Any operation on a matrix of any element type: `Task::<f64>::new(…)`.
    ///
    /// # Errors
    /// As [`Task::transpose`].
    pub fn new(device: &Device, operation: Operation, shape: Shape) -> Result<Self> {
        Self::of(Problem::new(operation, T::TYPE, shape), device)
    }

    /// The problem's elements are `T`s.
    fn of(problem: Problem, device: &Device) -> Result<Self> {
        Ok(Self {
            core: Core::new(device, problem)?,
            element: PhantomData,
        })
    }

    /// Bytes that the operation must move: each element read once and written once.
    pub fn bytes_moved(&self) -> u64 {
        self.core.problem.bytes_moved()
    }

    /// The input's shape; of one matrix, where there are several.
    pub fn shape(&self) -> Shape {
        self.core.problem.shape
    }

    /// The device that it runs on.
    pub fn device(&self) -> &Device {
        &self.core.device
    }

    /// Poisons the output, launches the kernel, verifies the result bit by bit, times it (on a GPU, with a device
    /// copy of the same bytes in the same run) and has its counters counted by the emulator, which also runs it with all
    /// its checks: on this matrix where that is quick, else on a smaller one of the same kind ([`Run::checked`] says which),
    /// and on other small ones: not square, not of whole tiles, one row, one column ([`Run::others`]). On all of them the
    /// kernel has to be right, but for what it says not to be meant for ([`Kernel::for_multiples_of`]).
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a wrong result, [`Error::WrongElsewhere`] for one on another matrix, [`Error::Checked`] for what
    /// the checks find, [`Error::Kernel`] or [`Error::Fault`] for a fault,
    /// [`Error::Impossible`] for a time that cannot be true; else as [`Device::launch`].
    pub fn run(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<Run> {
        self.core.run(kernel, grid.into(), block.into(), true)
    }

    /// Poisons the output, launches the kernel once and verifies the result; neither times nor, on a GPU, counts, nor
    /// looks for what a right result hides, such as a race.
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
        self.core.time_copy(options)
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
    /// `x`, `(x, y)` or `[x, y, z]`.
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

    /// What some blocks do to memory, access by access, from the emulator, which runs the whole launch: a matrix of a few
    /// tiles is enough. `blocks` is one block, `(x, y)` or `[x, y, z]`, or the first ones in the order in which blocks
    /// start, `0..32`.
    ///
    /// # Errors
    /// As [`Task::count`]; [`Error::Limit`] where the launch has no such blocks, or they access more than a picture shows.
    pub fn walk(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        blocks: impl Into<Blocks>,
    ) -> Result<Walk> {
        self.core
            .walk(kernel, grid.into(), block.into(), blocks.into())
    }

    /// Where each block reads and writes, in the order in which blocks start, from the emulator;
    /// `plot::block_order` draws it. A matrix of a few hundred tiles makes a good picture.
    ///
    /// # Errors
    /// As [`Task::count`]; [`Error::Limit`] for a grid of more blocks than a picture shows.
    pub fn block_order(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<BlockOrder> {
        self.core.block_order(kernel, grid.into(), block.into())
    }

    /// The input, made again on the host.
    pub fn input(&self) -> Vec<T> {
        let mut elements = bytemuck::zeroed_vec(self.core.problem.elements());
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

impl<T> fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Core {
            device, problem, ..
        } = &self.core;
        write!(f, "{problem} on {}", device.name())
    }
}
