//! One launch of an answer: buffers made ready, the launch bounded, the result held against what is expected. What follows from it is `grade`'s.

use super::arrays::Arrays;
use super::data::Exercise;
use super::given::{Given, WrongResult};
use super::matrix::Matrix;
use super::products::Products;
use super::seed::Seed;
use super::size::Size;
use super::work::Work;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html::Wanted;
use cornerturn_base::timing::{Timing, TimingOptions};
use cornerturn_emulator::TraceRequest;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::{LaunchOptions, LaunchReport};

/// What an exercise's kernels are given, on a device.
pub(super) struct Trial<'a> {
    pub(super) exercise: &'a Exercise,
    pub(super) size: Size,
    device: Device,
    pub(super) given: Box<dyn Given + 'a>,
}

impl<'a> Trial<'a> {
    pub(super) fn new(
        exercise: &'a Exercise,
        device: &Device,
        size: Size,
        seed: Seed,
    ) -> Result<Self> {
        let given: Box<dyn Given + 'a> = match (exercise.work, size) {
            (Work::Matrix(work), _) => {
                Box::new(Matrix::new(exercise, work, device, size.shape(), seed)?)
            }
            (Work::Product(work), Size::Product { shape, data }) => {
                Box::new(Products::new(work, size, (shape, data), device, seed)?)
            }
            (Work::Product(work), _) => {
                return Err(Error::Usage(format!(
                    "a `{work}` is of no {size}",
                    work = work.name()
                )));
            }
            (Work::Arrays(work), _) => Box::new(Arrays::new(work.of(size, seed), size, device)?),
        };
        Ok(Self {
            exercise,
            size,
            device: device.clone(),
            given,
        })
    }

    /// Where it is launched.
    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    /// Launches the kernel with all checks.
    ///
    /// It runs without them first, under a larger budget: a loop that never ends is found there at once and told with its
    /// line, and checks may make an instruction a thousand times as long.
    pub(super) fn checked(&self, kernel: &Kernel) -> Result<LaunchReport> {
        let launch_budget = Some((1 << 22) + 16 * self.warp_budget());
        let check = true;
        self.launch(
            kernel,
            &LaunchOptions {
                launch_budget,
                ..self.bounded()
            },
        )?;
        self.launch(
            kernel,
            &LaunchOptions {
                check,
                ..self.bounded()
            },
        )
    }

    /// The same where each block has its share of the work: a warp that does much more than its part of a tile ends the
    /// launch as an endless loop does.
    pub(super) fn counted(&self, kernel: &Kernel) -> Result<LaunchReport> {
        let options = LaunchOptions {
            instruction_budget: Some(self.share_budget()),
            ..self.bounded()
        };
        self.launch(kernel, &options)?;
        let check = true;
        self.launch(kernel, &LaunchOptions { check, ..options })
    }

    /// Instructions that one warp may execute for its part of one tile.
    pub(super) fn share_budget(&self) -> u64 {
        let area = |sides: [u32; 2]| u64::from(sides[0]) * u64::from(sides[1]);
        let items = area(self.exercise.tile).div_ceil(area(self.exercise.block));
        512 + 8 * self.instructions_per_item() * items
    }

    /// Launches the kernel and records accesses.
    pub(super) fn traced(&self, kernel: &Kernel, request: TraceRequest) -> Result<LaunchReport> {
        let trace = Some(request);
        self.launch(
            kernel,
            &LaunchOptions {
                trace,
                ..self.bounded()
            },
        )
    }

    /// Instructions that one warp may execute: enough for one thread that does all the work.
    pub(super) fn warp_budget(&self) -> u64 {
        (1 << 16) + self.instructions_per_item() * self.size.items() as u64
    }

    fn instructions_per_item(&self) -> u64 {
        self.exercise.work.instructions_per_item() * self.size.depth() as u64
    }

    fn bounded(&self) -> LaunchOptions {
        LaunchOptions {
            instruction_budget: Some(self.warp_budget()),
            launch_budget: Some((1 << 20) + 2 * self.warp_budget()),
            ..LaunchOptions::default()
        }
    }

    fn launch(&self, kernel: &Kernel, options: &LaunchOptions) -> Result<LaunchReport> {
        let (grid, block) = (self.exercise.grid(self.size), self.exercise.block);
        self.given.prepare()?;
        // What an earlier launch has left in variables of the module would be an answer without work.
        let kernel = kernel.reset()?;
        self.device
            .launch_with(&kernel, grid, block, &self.given.arguments(), options)
    }

    /// Launches the kernel as a GPU does, and compares.
    pub(super) fn verify(&self, kernel: &Kernel) -> Result<Option<WrongResult>> {
        self.launch(kernel, &LaunchOptions::default())?;
        self.given.compare()
    }

    /// Times the kernel on a GPU.
    pub(super) fn time(&self, kernel: &Kernel, options: TimingOptions) -> Result<Timing> {
        let (grid, block) = (self.exercise.grid(self.size), self.exercise.block);
        let timing = self
            .device
            .time(kernel, grid, block, &self.given.arguments(), options)?;
        timing.check_possible(kernel.name(), self.bytes_moved(), self.device.facts())?;
        Ok(timing)
    }

    pub(super) fn bytes_moved(&self) -> u64 {
        let Wanted {
            load_bytes,
            store_bytes,
        } = self.given.wanted();
        load_bytes + store_bytes
    }
}
