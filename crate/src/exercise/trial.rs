//! One launch of an answer on one matrix: buffers made ready, the launch bounded, the result held against what is expected. What follows from it is `grade`'s.

use super::data::{Exercise, Output};
use super::seed::Seed;
use crate::argument::Argument;
use crate::buffer::RawBuffer;
use crate::device::Device;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::launch::{LaunchOptions, LaunchReport};
use crate::raw;
use crate::shape::Shape;
use crate::timing::{Timing, TimingOptions};
use crate::verify::bits_of;
use cornerturn_emulator::TraceRequest;

/// The most rows and columns of the map of wrong elements.
const MAP: (usize, usize) = (16, 48);

/// A matrix for an exercise's kernels, on a device.
pub(super) struct Trial<'a> {
    pub(super) exercise: &'a Exercise,
    pub(super) shape: Shape,
    device: Device,
    /// What the input holds.
    given: Vec<u8>,
    pub(super) input: RawBuffer,
    pub(super) output: RawBuffer,
}

/// What is wrong with a result.
pub(super) struct WrongResult {
    pub(super) claim: String,
    pub(super) reason: String,
    /// A map of the wrong elements; empty where none helps.
    pub(super) map: String,
}

impl<'a> Trial<'a> {
    pub(super) fn new(
        exercise: &'a Exercise,
        device: &Device,
        shape: Shape,
        seed: Seed,
    ) -> Result<Self> {
        let Exercise { work, element, .. } = *exercise;
        let given = work.input(element, shape, seed);
        // Findings name them as the kernel's parameters are named.
        let input = device.raw_buffer("in", element, given.len() / element.bytes())?;
        let output = device.raw_buffer("out", element, work.output_elements(shape))?;
        Ok(Self {
            exercise,
            shape,
            device: device.clone(),
            given,
            input,
            output,
        })
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
        let elements = area(self.exercise.tile).div_ceil(area(self.exercise.block));
        512 + 128 * elements
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
        (1 << 16) + 16 * (self.given.len() / self.exercise.element.bytes()) as u64
    }

    fn bounded(&self) -> LaunchOptions {
        LaunchOptions {
            instruction_budget: Some(self.warp_budget()),
            launch_budget: Some((1 << 20) + 2 * self.warp_budget()),
            ..LaunchOptions::default()
        }
    }

    fn launch(&self, kernel: &Kernel, options: &LaunchOptions) -> Result<LaunchReport> {
        let (grid, block) = (self.exercise.grid(self.shape), self.exercise.block);
        self.prepare()?;
        // What an earlier launch has left in variables of the module would be an answer without work.
        let kernel = kernel.reset()?;
        self.device
            .launch_with(&kernel, grid, block, &self.arguments(), options)
    }

    /// Launches the kernel as a GPU does, and compares.
    pub(super) fn verify(&self, kernel: &Kernel) -> Result<Option<WrongResult>> {
        self.launch(kernel, &LaunchOptions::default())?;
        self.compare()
    }

    /// Times the kernel on a GPU.
    pub(super) fn time(&self, kernel: &Kernel, options: TimingOptions) -> Result<Timing> {
        let (grid, block) = (self.exercise.grid(self.shape), self.exercise.block);
        let timing = self
            .device
            .time(kernel, grid, block, &self.arguments(), options)?;
        timing.check_possible(kernel.name(), self.bytes_moved(), self.device.facts())?;
        Ok(timing)
    }

    pub(super) fn bytes_moved(&self) -> u64 {
        self.exercise
            .work
            .bytes_moved(self.exercise.element, self.shape)
    }

    /// What is wrong with the buffers after a launch, if anything.
    pub(super) fn compare(&self) -> Result<Option<WrongResult>> {
        let Exercise { work, element, .. } = *self.exercise;
        let shape = self.shape;
        let expected = work.expected(element, shape, &self.given);
        let found = raw::contents(&self.output)?;
        if expected != found {
            return Ok(Some(WrongResult {
                claim: format!("the result is right on {shape}"),
                reason: work.explain(element, shape, &self.given, &expected, &found),
                map: self.map(&expected, &found),
            }));
        }
        if self.exercise.in_place {
            return Ok(None);
        }
        let input = raw::contents(&self.input)?;
        let width = element.bytes();
        let changed = self.given.chunks(width).zip(input.chunks(width));
        let first = changed.into_iter().position(|(given, is)| given != is);
        Ok(first.map(|index| WrongResult {
            claim: format!("the input is left as it was on {shape}"),
            reason: format!(
                "the kernel wrote to `in`: row {}, column {} is not what it was before; `in` is only to be read",
                index / shape.columns,
                index % shape.columns
            ),
            map: String::new(),
        }))
    }

    fn prepare(&self) -> Result<()> {
        self.input.write_at(0, &self.given)?;
        if self.exercise.in_place {
            return self.output.write_at(0, &self.given);
        }
        match self.exercise.output {
            Output::Poisoned => self.output.poison(),
            Output::Zeroed => self.output.fill_byte(0),
        }
    }

    fn arguments(&self) -> Vec<Argument> {
        let Shape { rows, columns } = self.shape;
        let input = match self.exercise.in_place {
            true => &self.output,
            false => &self.input,
        };
        vec![
            input.into(),
            (&self.output).into(),
            (&rows).into(),
            (&columns).into(),
        ]
    }

    /// Which parts of the output are wrong.
    fn map(&self, expected: &[u8], found: &[u8]) -> String {
        let Some(operation) = self.exercise.work.operation() else {
            return String::new();
        };
        let width = self.exercise.element.bytes();
        let Shape { rows, columns } = operation.output_shape(self.shape);
        let step = (rows.div_ceil(MAP.0), columns.div_ceil(MAP.1));
        let poison = u64::MAX >> (64 - 8 * width);
        let cell = |row: usize, column: usize| {
            let (mut right, mut unwritten, mut wrong) = (0, 0, 0);
            for row in row..(row + step.0).min(rows) {
                for column in column..(column + step.1).min(columns) {
                    let at = (row * columns + column) * width;
                    let (expected, found) = (&expected[at..at + width], &found[at..at + width]);
                    match (expected == found, bits_of(found) == poison) {
                        (true, _) => right += 1,
                        (false, true) => unwritten += 1,
                        (false, false) => wrong += 1,
                    }
                }
            }
            match (right, unwritten, wrong) {
                (_, 0, 0) => '.',
                (0, _, 0) => '?',
                (0, ..) => '#',
                _ => '+',
            }
        };
        let mut map = format!(
            "the output, {rows} rows of {columns}; each sign is {} of {}: . right, # wrong, ? never written, + in part",
            plural(step.0, "row"),
            plural(step.1, "column"),
        );
        let lines = (0..rows).step_by(step.0);
        let line = |row: usize| {
            (0..columns)
                .step_by(step.1)
                .map(|column| cell(row, column))
                .collect()
        };
        let lines: Vec<String> = lines.map(line).collect();
        let mut signs = lines.iter().flat_map(|line| line.chars());
        // Where everything is wrong in the same way, the sentence has said it.
        let first = signs.next();
        if signs.all(|sign| Some(sign) == first) {
            return String::new();
        }
        for line in lines {
            map.push_str("\n  ");
            map.push_str(&line);
        }
        map
    }
}

fn plural(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
