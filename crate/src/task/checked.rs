//! What the emulator's checks say of a run whose result is right, and on which matrix they were made. How a launch is checked is the emulator's.

use super::arguments::arguments;
use super::core::Core;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::launch::{self, LaunchOptions, LaunchReport};
use crate::problem::Problem;
use crate::shape::{Dim3, Shape};
use cornerturn_emulator::Finding;
use std::fmt;

/// A run that moves no more is checked as it is launched: no reader waits for that.
pub(crate) const MOST_CHECKED_BYTES: u64 = 1 << 24;

/// A larger one is checked as it is launched only where no smaller matrix is found for it, and up to this.
const MOST_CHECKED_WHOLE_BYTES: u64 = 1 << 28;

/// What a kernel may execute on a smaller matrix, in warp instructions: a grid that does not suit it may never end.
const SMALL_BUDGET: u64 = 1 << 24;

/// A tile's side where the grid does not tell.
const USUAL_TILE: usize = 64;

/// Blocks of a smaller grid whose blocks go on to further tiles.
const FEW_BLOCKS: u32 = 3;

/// On which matrix a run was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// On its own.
    Here,
    /// On a smaller one, on which the kernel gives the right result too.
    Smaller {
        /// The matrix.
        shape: Shape,
        /// The blocks of its grid.
        grid: Dim3,
    },
    /// On a smaller work of the same kind, of which the kernel gives the right result too.
    SmallerWork {
        /// What it does.
        what: String,
        /// The blocks of its grid.
        grid: Dim3,
    },
    /// On none, and why.
    Not(&'static str),
}

impl Checked {
    /// A run without checks.
    pub(crate) const NOBODY_ASKED: Self = Self::Not("nobody asked for it");
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here => f.write_str("in this launch"),
            Self::Smaller { shape, grid } => write!(f, "on a {shape} matrix, grid {grid}"),
            Self::SmallerWork { what, grid } => write!(f, "on {what}, grid {grid}"),
            Self::Not(why) => write!(f, "not checked: {why}"),
        }
    }
}

impl Core {
    /// Runs the kernel once more with all checks: on the task's matrix, or on a smaller one of the same kind. Gives the
    /// remarks on it too.
    pub(super) fn checked(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
    ) -> Result<(Checked, Vec<Finding>)> {
        let not = |why| Ok((Checked::Not(why), Vec::new()));
        if !kernel.is_emulated() {
            return not("the emulator does not support this kernel yet");
        }
        let bytes = self.problem.bytes_moved();
        if bytes > MOST_CHECKED_BYTES {
            for (problem, grid) in smaller(&self.problem, grid) {
                let shape = problem.shape;
                if let Some(report) = check_smaller(kernel, problem, grid, block)? {
                    return outcome(report.into_result(), Checked::Smaller { shape, grid });
                }
            }
        }
        if bytes > MOST_CHECKED_WHOLE_BYTES {
            return not(
                "that takes long on a matrix of this size, and on none of the smaller ones that were tried does this grid give the right result",
            );
        }
        let report = self.emulate(kernel, grid, block, &LaunchOptions::checked());
        outcome(report, Checked::Here)
    }
}

/// What a checked launch in this place comes to: the remarks on it, or what was found wrong, as an error that says where.
pub(crate) fn outcome(
    report: Result<LaunchReport>,
    place: Checked,
) -> Result<(Checked, Vec<Finding>)> {
    match report {
        Ok(report) => Ok((place, report.remarks)),
        Err(Error::Kernel {
            kernel,
            findings,
            printed,
        }) => Err(Error::Checked {
            kernel,
            findings,
            place: place.to_string(),
            printed,
        }),
        Err(other) => Err(other),
    }
}

/// What the checks find on a smaller matrix, and what the kernel prints there; `None` where the kernel does not do its
/// work there, so that what they find need not hold for the task's own.
fn check_smaller(
    kernel: &Kernel,
    problem: Problem,
    grid: Dim3,
    block: Dim3,
) -> Result<Option<LaunchReport>> {
    let Ok(core) = Core::new(&Device::emulator(), problem) else {
        return Ok(None);
    };
    let (input, output) = core.buffers();
    let Ok(arguments) = arguments(&core.problem, kernel, &input, &output) else {
        return Ok(None);
    };
    let options = LaunchOptions {
        launch_budget: Some(SMALL_BUDGET),
        ..LaunchOptions::checked()
    };
    let report = match launch::run(&core.device, kernel, grid, block, &arguments, &options) {
        Ok(report) => report,
        Err(stopped @ Error::Interrupted { .. }) => return Err(stopped),
        Err(_) => return Ok(None),
    };
    let faulted = report.findings.iter().any(|found| found.kind.is_fatal());
    if faulted || core.compare(kernel.name(), &output).is_err() {
        return Ok(None);
    }
    Ok(Some(report))
}

/// Smaller matrices of the same kind, each with a grid that may suit it: several blocks each way, not square where the
/// task allows it, first not made of whole tiles, then of whole vectors, then of whole tiles.
fn smaller(problem: &Problem, grid: Dim3) -> Vec<(Problem, Dim3)> {
    let mut all = Vec::new();
    for form in forms(problem, grid) {
        let [across, down] = form.tile;
        let ragged = |blocks: usize, tile: usize| blocks * tile + tile / 2 + 1;
        let whole = |side: usize, of: usize| side / of * of;
        let (rows, columns) = (ragged(3, down), ragged(2, across));
        for (rows, columns) in [
            (rows, columns),
            (whole(rows, 4), whole(columns, 4)),
            (3 * down, 2 * across),
        ] {
            let small = Problem {
                shape: match problem.is_in_place() {
                    true => Shape::new(rows, rows),
                    false => Shape::new(rows, columns),
                },
                batches: problem.batches.min(2),
                ..problem.clone()
            };
            if small.bytes_moved() <= MOST_CHECKED_BYTES && small.check().is_ok() {
                let grid = (form.grid)(small.shape, form.tile, small.batches as u32);
                all.push((small, grid));
            }
        }
    }
    all
}

/// A way in which a grid may cover a matrix.
struct Form {
    /// Columns and rows of the input that a block covers.
    tile: [usize; 2],
    /// The blocks for a matrix of this shape, for such tiles, for so many matrices.
    grid: fn(Shape, [usize; 2], u32) -> Dim3,
}

/// The ways in which this grid may cover the task's matrices, the likeliest first.
fn forms(problem: &Problem, grid: Dim3) -> Vec<Form> {
    let Shape { rows, columns } = problem.shape;
    let [x, y, _] = grid.array().map(|blocks| blocks.max(1) as usize);
    let by_columns: fn(Shape, [usize; 2], u32) -> Dim3 = |shape, tile, batches| {
        let [across, down] = tiles(shape, tile);
        Dim3::from([across, down, batches])
    };
    let by_rows: fn(Shape, [usize; 2], u32) -> Dim3 = |shape, tile, batches| {
        let [across, down] = tiles(shape, tile);
        Dim3::from([down, across, batches])
    };
    let in_a_row: fn(Shape, [usize; 2], u32) -> Dim3 = |shape, tile, batches| {
        let [across, down] = tiles(shape, tile);
        Dim3::from([across * down * batches, 1, 1])
    };
    let few: fn(Shape, [usize; 2], u32) -> Dim3 = |_, _, _| Dim3::from([FEW_BLOCKS, 1, 1]);
    let mut forms = Vec::new();
    if y > 1 {
        let tile = [columns.div_ceil(x), rows.div_ceil(y)];
        forms.push(Form {
            tile,
            grid: by_columns,
        });
        let tile = [columns.div_ceil(y), rows.div_ceil(x)];
        forms.push(Form {
            tile,
            grid: by_rows,
        });
    } else {
        forms.push(Form {
            tile: [USUAL_TILE; 2],
            grid: few,
        });
        // Elements of a tile, and the sides that they are likely to have.
        let elements = rows.saturating_mul(columns).saturating_mul(problem.batches) / x;
        for across in [elements.isqrt(), 32, 64, 128, 16] {
            if across > 0 && elements.is_multiple_of(across) && elements > 0 {
                let tile = [across, elements / across];
                forms.push(Form {
                    tile,
                    grid: in_a_row,
                });
            }
        }
        forms.push(Form {
            tile: [columns.div_ceil(x), rows.min(USUAL_TILE)],
            grid: by_columns,
        });
        forms.push(Form {
            tile: [columns.min(USUAL_TILE), rows.div_ceil(x)],
            grid: by_rows,
        });
    }
    forms
}

/// Tiles across and down a matrix.
fn tiles(shape: Shape, tile: [usize; 2]) -> [u32; 2] {
    let count = |side: usize, tile: usize| side.div_ceil(tile.max(1)) as u32;
    [count(shape.columns, tile[0]), count(shape.rows, tile[1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;
    use crate::task::{RegisteredTask, Task};

    fn padded_without(barrier: &str) -> Kernel {
        let padded = Kernel::registered("padded").unwrap();
        let ptx = padded.ptx_text().replacen(barrier, "", 1);
        assert_ne!(ptx, padded.ptx_text());
        Kernel::ptx(&ptx, "padded").unwrap()
    }

    #[test]
    fn a_missing_barrier_is_found_behind_a_right_result() {
        let kernel = padded_without("bar.sync \t0;");
        for (side, place) in [
            (256, "in this launch"),
            (2048, "on a 113×81 matrix, grid 3×4"),
        ] {
            let task = Task::transpose(&Device::emulator(), side, side).unwrap();
            let grid = (side / 32, side / 32);
            task.verify(&kernel, grid, (32, 8)).unwrap();
            let error = task.run(&kernel, grid, (32, 8)).unwrap_err();
            assert_eq!(error.exit_code(), 1);
            let text = error.to_string();
            assert!(
                text.contains("race") && text.contains("padded.cu"),
                "{text}"
            );
            assert!(text.contains(place), "{text}");
        }
    }

    #[test]
    fn every_registered_kernel_is_checked_on_a_smaller_matrix() {
        let registry = Registry::load().unwrap();
        for entry in registry.kernels() {
            let [across, down] = entry.multiple_of.map(|n| n.max(1) as usize);
            let side = |of: usize| 3072_usize.next_multiple_of(of.max(64));
            let shape = Shape::new(side(across.max(down)), side(across.max(down)));
            let task = RegisteredTask::new(&Device::emulator(), entry, shape, 1).unwrap();
            let (grid, block) = task.launch_shape(entry).unwrap();
            let kernel = Kernel::committed(&registry, entry).unwrap();
            let checked = task.0.checked(&kernel, grid, block).unwrap().0;
            assert!(
                matches!(checked, Checked::Smaller { .. }),
                "{}: {checked}",
                entry.id
            );
        }
    }
}
