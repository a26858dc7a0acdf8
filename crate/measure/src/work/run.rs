//! The steps of a work's run: launch, verify, check, time, count. What a run shows is `task::Run`.

use super::Work;
use super::buffers::Placed;
use crate::task::{Asked, Checked, MOST_CHECKED_BYTES, Others, Run, Verdict, counted, outcome};
use cornerturn_base::caches::CacheSettings;
use cornerturn_base::element::Element;
use cornerturn_base::error::{Error, ErrorKind, Result};
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::{Timing, TimingMode, TimingOptions};
use cornerturn_emulator::{Finding, Trace};
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::{self, LaunchOptions, LaunchReport};
use cornerturn_runtime::machine_code::{Compiled, MachineCode};

impl Work {
    /// Launches the kernel on fresh arrays, verifies them bit by bit, has the emulator check the same launch (where it is not
    /// large) and that of a smaller work (where there is one, [`Work::checked_on`]), count it, and on a GPU times it, with a
    /// device copy of as many bytes in the same run.
    ///
    /// # Errors
    /// [`Error::WrongResult`]; [`Error::WrongElsewhere`] where the smaller work is not done; [`Error::Checked`] for what the checks find; else as [`Device::launch`].
    pub fn run(
        &self,
        device: &Device,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<Run> {
        self.run_as(device, kernel, (grid.into(), block.into()), true)
    }

    /// The same without the checks: a race stays hidden behind a right result.
    ///
    /// # Errors
    /// As [`Work::run`].
    pub fn run_unchecked(
        &self,
        device: &Device,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<Run> {
        self.run_as(device, kernel, (grid.into(), block.into()), false)
    }

    fn run_as(
        &self,
        device: &Device,
        kernel: &Kernel,
        (grid, block): (Dim3, Dim3),
        is_checked: bool,
    ) -> Result<Run> {
        let (report, placed) = self.verified(device, kernel, grid, block)?;
        let checked = match is_checked {
            true => self.checked(kernel, grid, block)?,
            false => Verdict::of((Checked::NOBODY_ASKED, Vec::new())),
        };
        let times = match device.is_cuda() {
            true => {
                let cold = TimingOptions::from(TimingMode::Cold);
                let ready = self.laid_out(device, kernel, (grid, block), placed);
                let copy = device.time_copy(self.bytes_moved() / 2, cold)?;
                Some((ready.time(cold)?, copy))
            }
            false => None,
        };
        let counted = counted(report, || self.count(kernel, grid, block))?;
        let asked = Asked::Arrays {
            what: self.what.clone(),
            items: self.items(),
            element: self.element(),
            wanted: self.wanted(),
        };
        Ok(Run::new(
            kernel,
            device,
            asked,
            (grid, block),
            checked,
            counted,
            times,
        ))
    }

    /// Launches the kernel once on fresh arrays and verifies them.
    ///
    /// # Errors
    /// As [`Work::run`].
    pub fn verify(
        &self,
        device: &Device,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<()> {
        self.verified(device, kernel, grid.into(), block.into())
            .map(drop)
    }

    /// The launch on fresh arrays, ready to be timed as often as one likes. Verify it first.
    ///
    /// # Errors
    /// [`Error::Memory`] where the device has not enough.
    pub fn ready(
        &self,
        device: &Device,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<Ready> {
        let placed = Placed::new(self, device)?;
        Ok(self.laid_out(device, kernel, (grid.into(), block.into()), placed))
    }

    /// The launch on fresh arrays, launched and verified once, ready to be timed. On a GPU it is not rehearsed: for kernels
    /// that the emulator has run before, on works too large to run there.
    ///
    /// # Errors
    /// As [`Work::verify`].
    pub fn ready_verified(
        &self,
        device: &Device,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<Ready> {
        let (grid, block) = (grid.into(), block.into());
        let placed = Placed::new(self, device)?;
        launch::unrehearsed(device, kernel, grid, block, &placed.arguments)?;
        placed.compare(self, kernel.name())?;
        Ok(self.laid_out(device, kernel, (grid, block), placed))
    }

    fn laid_out(
        &self,
        device: &Device,
        kernel: &Kernel,
        (grid, block): (Dim3, Dim3),
        placed: Placed,
    ) -> Ready {
        Ready {
            device: device.clone(),
            kernel: kernel.clone(),
            grid,
            block,
            sets: [placed.arguments],
            bytes_moved: self.bytes_moved(),
            least_bytes: self.bytes_moved().min(self.bytes()),
        }
    }

    /// Has the kernel's counters counted by the emulator, whatever the device.
    ///
    /// # Errors
    /// As [`Work::run`].
    pub fn count(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<LaunchReport> {
        self.emulate(kernel, grid.into(), block.into(), &LaunchOptions::default())
    }

    /// The counters of the PTX beside those of its machine code, from the emulator, whatever the device.
    ///
    /// # Errors
    /// As [`Work::run`].
    pub fn compiled(
        &self,
        code: &MachineCode,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<Compiled> {
        let options = LaunchOptions::traced(code.request());
        let report = self.emulate(&code.kernel, grid.into(), block.into(), &options)?;
        // The emulator always counts.
        Ok(code.count(&report).unwrap_or_default())
    }

    /// What some warps do to memory, access by access, from the emulator.
    ///
    /// # Errors
    /// As [`Work::run`].
    pub fn trace(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        request: cornerturn_emulator::TraceRequest,
    ) -> Result<Trace> {
        let options = LaunchOptions::traced(request);
        let report = self.emulate(kernel, grid.into(), block.into(), &options)?;
        Ok(report.trace.unwrap_or_default())
    }

    fn verified(
        &self,
        device: &Device,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
    ) -> Result<(LaunchReport, Placed)> {
        let placed = Placed::new(self, device)?;
        let report = device.launch(kernel, grid, block, &placed.arguments)?;
        match placed.compare(self, kernel.name()) {
            Ok(()) => Ok((report, placed)),
            Err(error) => Err(error.with_printed(report.printed)),
        }
    }

    /// Runs the kernel on the emulator, whatever the device, without a look at its result.
    ///
    /// # Errors
    /// [`Error::Kernel`] with everything found; else as [`Work::run`].
    pub fn emulate(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        options: &LaunchOptions,
    ) -> Result<LaunchReport> {
        kernel.module()?;
        let emulator = Device::emulator();
        let placed = Placed::new(self, &emulator)?;
        emulator.launch_with(kernel, grid, block, &placed.arguments, options)
    }

    /// Runs the kernel once more with all checks: here where the work is small, and on the smaller one, which it has to do
    /// too.
    fn checked(&self, kernel: &Kernel, grid: Dim3, block: Dim3) -> Result<Verdict> {
        if !kernel.is_emulated() {
            return Ok(Verdict::not(
                "the emulator does not support this kernel yet",
            ));
        }
        let here = match self.bytes_moved() > MOST_CHECKED_BYTES {
            true => None,
            false => Some(self.check_here(kernel, grid, block, Checked::Here)?),
        };
        let Some(smaller) = &self.smaller else {
            return Ok(here.map_or_else(
                || {
                    Verdict::not(
                        "that takes long on arrays of this size, and the work has no smaller one",
                    )
                },
                Verdict::of,
            ));
        };
        let fewer = smaller_grid(grid, self.items(), smaller.items(), kernel);
        // A window would be over too small an array.
        let kernel = &kernel.with_caches(CacheSettings::new());
        smaller
            .verify(&Device::emulator(), kernel, fewer, block)
            .map_err(|error| self.wrong_elsewhere(kernel, smaller, fewer, error))?;
        let what = smaller.what.clone();
        let place = Checked::SmallerWork {
            what: what.clone(),
            grid: fewer,
        };
        let there = smaller.check_here(kernel, fewer, block, place)?;
        Ok(match here {
            None => Verdict::of(there),
            Some(here) => Verdict {
                others: Others {
                    right: vec![(what, fewer)],
                    ..Others::default()
                },
                ..Verdict::of(here)
            },
        })
    }

    /// What is wrong with the kernel on the smaller work; it does this one.
    fn wrong_elsewhere(&self, kernel: &Kernel, smaller: &Self, grid: Dim3, error: Error) -> Error {
        match error.kind() {
            ErrorKind::KernelWrong => Error::WrongElsewhere {
                kernel: kernel.name().to_string(),
                right: self.what.clone(),
                wrong: smaller.what.clone(),
                grid,
                reason: Box::new(error),
                meant: None,
            },
            _ => error,
        }
    }

    fn check_here(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        place: Checked,
    ) -> Result<(Checked, Vec<Finding>)> {
        let report = self.emulate(kernel, grid, block, &LaunchOptions::checked());
        outcome(report, place)
    }
}

/// A launch whose arrays lie on the device. They keep whatever the launches before left in them.
#[derive(Debug)]
pub struct Ready {
    device: Device,
    kernel: Kernel,
    grid: Dim3,
    block: Dim3,
    sets: [Vec<Argument>; 1],
    bytes_moved: u64,
    /// What memory must move at least: no more than the arrays hold, however often they are read.
    least_bytes: u64,
}

impl Ready {
    /// Times single launches; refuses a time that cannot be true.
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; [`Error::Impossible`]; else as [`Device::launch`].
    pub fn time(&self, options: impl Into<TimingOptions>) -> Result<Timing> {
        let (device, kernel) = (&self.device, &self.kernel);
        let options = options.into();
        let timing = launch::time(device, kernel, self.grid, self.block, &self.sets, &options)?;
        timing.check_possible(kernel.name(), self.least_bytes, device.facts())?;
        Ok(timing)
    }

    /// The same arrays for a launch of another shape, or by another kernel of the same work. Verify it first.
    pub fn reshaped(&self, kernel: &Kernel, grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Self {
            device: self.device.clone(),
            kernel: kernel.clone(),
            grid: grid.into(),
            block: block.into(),
            sets: self.sets.clone(),
            bytes_moved: self.bytes_moved,
            least_bytes: self.least_bytes,
        }
    }

    /// What the launches so far left in the array of this name.
    ///
    /// # Errors
    /// [`Error::Usage`] where there is no such array, or one of other elements.
    pub fn left<T: Element>(&self, array: &str) -> Result<Vec<T>> {
        let mut buffers = self.sets[0].iter().flat_map(Argument::buffers);
        let found = buffers.find(|buffer| buffer.name() == array && buffer.element() == T::TYPE);
        let buffer = found.ok_or_else(|| {
            Error::Usage(format!("the work has no array `{array}` of {}", T::TYPE))
        })?;
        let mut elements: Vec<T> = bytemuck::zeroed_vec(buffer.len());
        buffer.read_at(0, bytemuck::cast_slice_mut(&mut elements))?;
        Ok(elements)
    }

    /// Bytes that must move.
    pub fn bytes_moved(&self) -> u64 {
        self.bytes_moved
    }
}

/// A grid for fewer results: as many times fewer blocks in *x*, but one cluster of the kernel at least.
fn smaller_grid(grid: Dim3, items: usize, fewer: usize, kernel: &Kernel) -> Dim3 {
    let [x, y, z] = grid.array();
    let cluster = u64::from(kernel.cluster_blocks()[0].max(1));
    let x = (u64::from(x) * fewer as u64).div_ceil(items.max(1) as u64);
    // No more than there were, which fitted.
    Dim3::from([x.max(1).next_multiple_of(cluster) as u32, y, z])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::works;
    use crate::works::{KindOfWork, RegisteredWork};
    use cornerturn_registry::registry::Registry;
    use cornerturn_runtime::compile::{Compiler, CompilerKind};

    #[test]
    fn every_registered_kernel_does_a_smaller_work_too() {
        let registry = Registry::load().unwrap();
        let mut tried = 0;
        for entry in registry.works() {
            let parameter = entry.claims.first().map_or(0, |claims| claims.parameter);
            let items = 1 << 15;
            if entry.work.making_bytes(items, parameter) > 1 << 24 {
                continue;
            }
            let work = entry.work(items, parameter).unwrap();
            if work.smaller.is_none() {
                continue;
            }
            let kernel = Kernel::committed(&registry, entry).unwrap();
            let (grid, block) = entry.launch_shape(items).unwrap();
            let verdict = work.checked(&kernel, grid, block);
            let verdict = verdict.unwrap_or_else(|error| panic!("{}: {error}", entry.id));
            let is_large = work.bytes_moved() > MOST_CHECKED_BYTES;
            assert_eq!(verdict.others.right.is_empty(), is_large, "{}", entry.id);
            tried += 1;
        }
        assert!(tried > 10, "{tried}");
    }

    #[test]
    fn a_missing_guard_is_noticed_where_the_blocks_are_full() {
        let source = "extern \"C\" __global__ void scale(const float* x, float* y, unsigned n)\n\
            { unsigned i = blockIdx.x * 256 + threadIdx.x; y[i] = 0.5f * x[i]; }";
        let compiler = Compiler::of(CompilerKind::CornerTurn).unwrap();
        let kernel = Kernel::cuda_by(&compiler, source, "k.cu", "scale").unwrap();
        let work = works::scale(1 << 15);
        let run = work.run(&Device::emulator(), &kernel, 128, 256);
        let text = run.unwrap_err().to_string();
        assert!(
            text.contains("of 32768 floats") && text.contains("of 5000 floats"),
            "{text}"
        );
        assert!(text.contains("out of bounds"), "{text}");
    }
}
