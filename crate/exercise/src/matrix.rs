//! The matrix of an exercise on a device: its buffers, made ready and compared, and a map of what is wrong. What they hold is `matrix_work`'s.

use super::data::{Exercise, Output};
use super::given::{Given, WrongResult};
use super::matrix_work::MatrixWork;
use super::seed::Seed;
use cornerturn_base::error::Result;
use cornerturn_base::html::Wanted;
use cornerturn_base::shape::Shape;
use cornerturn_measure::verify::bits_of;
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::buffer::RawBuffer;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::raw;

/// The most rows and columns of the map of wrong elements.
const MAP: (usize, usize) = (16, 48);

/// A matrix for an exercise's kernels, on a device.
pub(super) struct Matrix<'a> {
    exercise: &'a Exercise,
    work: MatrixWork,
    shape: Shape,
    /// What the input holds.
    given: Vec<u8>,
    input: RawBuffer,
    output: RawBuffer,
}

impl<'a> Matrix<'a> {
    pub(super) fn new(
        exercise: &'a Exercise,
        work: MatrixWork,
        device: &Device,
        shape: Shape,
        seed: Seed,
    ) -> Result<Self> {
        let element = exercise.element;
        let given = work.input(element, shape, seed);
        // Findings name them as the kernel's parameters are named.
        let input = device.raw_buffer("in", element, given.len() / element.bytes())?;
        let output = device.raw_buffer("out", element, work.output_elements(shape))?;
        Ok(Self {
            exercise,
            work,
            shape,
            given,
            input,
            output,
        })
    }

    /// Which parts of the output are wrong.
    fn map(&self, expected: &[u8], found: &[u8]) -> String {
        let Some(operation) = self.work.operation() else {
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

impl Given for Matrix<'_> {
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

    fn compare(&self) -> Result<Option<WrongResult>> {
        let (work, element, shape) = (self.work, self.exercise.element, self.shape);
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

    fn wanted(&self) -> Wanted {
        self.work.wanted(self.exercise.element, self.shape)
    }

    fn buffers(&self) -> Vec<&RawBuffer> {
        vec![&self.input, &self.output]
    }
}

fn plural(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
