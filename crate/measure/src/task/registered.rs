//! A task as the registry describes it: element type, arguments and launch shape are those of an entry. For programs that run kernels by their ids; a cell uses `Task` and shows the launch shape.

use super::core::Core;
use super::order::BlockOrder;
use super::run::Run;
use crate::geam::Geam;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::shape::{Dim3, Shape};
use cornerturn_base::timing::{Timing, TimingOptions};
use cornerturn_emulator::Counters;
use cornerturn_registry::problem::Problem;
use cornerturn_registry::registry::{KernelEntry, Registry};
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::{LaunchOptions, LaunchReport};

/// A task for registered kernels that are asked for the same: one operation, one element type, the same arguments.
pub struct RegisteredTask(pub(super) Core);

impl RegisteredTask {
    /// What `entry` does, on `batches` matrices of `shape`; 1 for a kernel that takes one matrix.
    ///
    /// # Errors
    /// [`Error::Shape`] for matrices that the kernel does not take, or that have no elements or too many;
    /// [`Error::Memory`] where the device has not enough memory.
    pub fn new(device: &Device, entry: &KernelEntry, shape: Shape, batches: usize) -> Result<Self> {
        Core::new(device, entry.problem(shape, batches)?).map(Self)
    }

    /// What is asked of the kernels.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// The device that it runs on.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// The grid and the block of a kernel for this task.
    ///
    /// # Errors
    /// [`Error::Shape`] where the kernel does not take these matrices; [`Error::Usage`] where it does something else.
    pub fn launch_shape(&self, entry: &KernelEntry) -> Result<(Dim3, Dim3)> {
        let Problem { shape, batches, .. } = self.0.problem;
        if entry.problem(shape, batches)? != self.0.problem {
            return Err(Error::Usage(format!(
                "`{}` cannot do this task, which is: {}",
                entry.id, self.0.problem
            )));
        }
        let multiprocessors = self.0.device.multiprocessors();
        Ok((
            entry.grid_on(shape, batches, multiprocessors)?,
            entry.block(),
        ))
    }

    /// As [`Task::run`](super::Task::run).
    ///
    /// # Errors
    /// As [`Task::run`](super::Task::run) and [`RegisteredTask::launch_shape`].
    pub fn run(&self, entry: &KernelEntry, kernel: &Kernel) -> Result<Run> {
        let (grid, block) = self.launch_shape(entry)?;
        self.0.run(kernel, grid, block, true)
    }

    /// The same without the checks: a race stays hidden behind a right result.
    ///
    /// # Errors
    /// As [`RegisteredTask::run`].
    pub fn run_unchecked(&self, entry: &KernelEntry, kernel: &Kernel) -> Result<Run> {
        let (grid, block) = self.launch_shape(entry)?;
        self.0.run(kernel, grid, block, false)
    }

    /// Runs the kernel on the emulator, whatever the device, without a look at its result.
    ///
    /// # Errors
    /// As [`Task::check`](super::Task::check) and [`RegisteredTask::launch_shape`].
    pub fn emulate(
        &self,
        entry: &KernelEntry,
        kernel: &Kernel,
        options: &LaunchOptions,
    ) -> Result<LaunchReport> {
        let (grid, block) = self.launch_shape(entry)?;
        self.0.emulate(kernel, grid, block, options)
    }

    /// As [`Task::block_order`](super::Task::block_order).
    ///
    /// # Errors
    /// As [`Task::block_order`](super::Task::block_order) and [`RegisteredTask::launch_shape`].
    pub fn block_order(&self, entry: &KernelEntry, kernel: &Kernel) -> Result<BlockOrder> {
        let (grid, block) = self.launch_shape(entry)?;
        self.0.block_order(kernel, grid, block)
    }

    /// As [`Task::verify`](super::Task::verify).
    ///
    /// # Errors
    /// As [`RegisteredTask::run`].
    pub fn verify(&self, entry: &KernelEntry, kernel: &Kernel) -> Result<()> {
        let (grid, block) = self.launch_shape(entry)?;
        self.0.verified(kernel, grid, block).map(drop)
    }

    /// As [`Task::time`](super::Task::time).
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; else as [`RegisteredTask::run`].
    pub fn time(
        &self,
        entry: &KernelEntry,
        kernel: &Kernel,
        options: impl Into<TimingOptions>,
    ) -> Result<Timing> {
        let (grid, block) = self.launch_shape(entry)?;
        self.0.time(kernel, grid, block, &options.into())
    }

    /// As [`Task::time_copy`](super::Task::time_copy).
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; [`Error::Memory`] where as much memory again is not free.
    pub fn time_copy(&self, options: impl Into<TimingOptions>) -> Result<Timing> {
        self.0.time_copy(options)
    }

    /// Has cuBLAS do the task once, and verifies the result like a kernel's.
    ///
    /// # Errors
    /// [`Error::Usage`] where it cannot do the task; [`Error::Mismatch`]; [`Error::Driver`].
    pub fn verify_geam(&self, geam: &Geam) -> Result<()> {
        self.0.verified_geam(geam)
    }

    /// Times cuBLAS at the task as a kernel is timed.
    ///
    /// # Errors
    /// As [`RegisteredTask::verify_geam`].
    pub fn time_geam(&self, geam: &Geam, options: impl Into<TimingOptions>) -> Result<Timing> {
        self.0.time_geam(geam, &options.into())
    }

    /// Launches the kernel once, without a look at its result.
    ///
    /// # Errors
    /// As [`Device::launch`] and [`RegisteredTask::launch_shape`].
    pub fn launch(&self, entry: &KernelEntry, kernel: &Kernel) -> Result<LaunchReport> {
        let (grid, block) = self.launch_shape(entry)?;
        self.0.launch(kernel, grid, block)
    }
}

impl Run {
    /// The run of a registered kernel on a matrix of `rows` × `columns`, launched as the registry says.
    ///
    /// # Errors
    /// As [`RegisteredTask::new`] and [`RegisteredTask::run`]; [`Error::Usage`] for an id that is not registered.
    pub fn registered(device: &Device, id: &str, rows: usize, columns: usize) -> Result<Self> {
        let registry = Registry::load()?;
        let entry = registry.get(id)?;
        let task = RegisteredTask::new(device, entry, Shape::new(rows, columns), 1)?;
        task.run(entry, &Kernel::registered(id)?)
    }

    /// What a registered kernel does to memory on a matrix of `rows` × `columns`, counted by the emulator.
    ///
    /// # Errors
    /// As [`Run::registered`].
    pub fn count(id: &str, rows: usize, columns: usize) -> Result<Counters> {
        let run = Self::registered(&Device::emulator(), id, rows, columns)?;
        Ok(run.counters)
    }
}
