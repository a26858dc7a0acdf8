//! Other matrices of a task's kind, small ones, and whether a kernel is right on them: square and not, of whole tiles and not, one row, one column.

use super::arguments::arguments;
use super::checked::MOST_CHECKED_BYTES;
use super::core::Core;
use super::forms::{Form, forms, known};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::mistake::Mistake;
use cornerturn_base::shape::{Dim3, Shape};
use cornerturn_registry::problem::Problem;
use cornerturn_registry::registry::{KernelEntry, Registry};
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::{self, LaunchOptions, LaunchReport};

/// What a kernel may execute on one of them, in warp instructions: a grid that does not suit it may never end.
const SMALL_BUDGET: u64 = 1 << 24;

/// A matrix on which a kernel is right, with what the checks found there.
pub(super) struct Right {
    pub(super) shape: Shape,
    pub(super) grid: Dim3,
    pub(super) report: LaunchReport,
}

/// A matrix on which it is wrong.
pub(super) struct Wrong {
    pub(super) shape: Shape,
    pub(super) grid: Dim3,
    pub(super) error: Error,
    /// Columns and rows of the tiles, where the kernel is wrong only on what is not made of whole ones.
    pub(super) meant: Option<[usize; 2]>,
}

/// What came out of trying.
#[derive(Default)]
pub(super) struct Tried {
    /// First the one that no tile divides.
    pub(super) right: Vec<Right>,
    /// The first on which it is wrong, where that is the kernel's doing.
    pub(super) wrong: Option<Wrong>,
    /// The first on which no grid that was tried gives the right result, which may be the grid's doing.
    pub(super) unsure: Option<Shape>,
}

/// Tries the kernel on other matrices. A launch does not tell how its grid covers a matrix: the ways in which it may are
/// tried one by one, until the kernel is right on all matrices of one. Where it is on none, what counts is the way in
/// which it is right on most.
pub(super) fn tried(problem: &Problem, kernel: &Kernel, grid: Dim3, block: Dim3) -> Result<Tried> {
    // A grid of two dimensions tells the sides of a tile.
    let is_told = grid.y > 1;
    let entry = match is_told {
        true => None,
        false => entry(kernel),
    };
    if let Some(form) = entry.and_then(|entry| known(problem, &entry, grid)) {
        return try_form(problem, kernel, &form, block);
    }
    let mut best = Tried::default();
    for form in forms(problem, grid) {
        let tried = try_form(problem, kernel, &form, block)?;
        if tried.wrong.is_none() && !tried.right.is_empty() {
            return Ok(tried);
        }
        if tried.right.len() > best.right.len() || best.wrong.is_none() {
            best = tried;
        }
    }
    if !is_told {
        best.unsure = best.wrong.take().map(|wrong| wrong.shape);
    }
    Ok(best)
}

/// The registry's entry of a kernel, or of the one that it is an edit of.
fn entry(kernel: &Kernel) -> Option<KernelEntry> {
    let registry = Registry::load().ok()?;
    registry.get(kernel.registered_id()).ok().cloned()
}

/// Tries the kernel on all matrices of a form; where it is wrong on a square one of whole tiles, on no further.
fn try_form(problem: &Problem, kernel: &Kernel, form: &Form, block: Dim3) -> Result<Tried> {
    let shapes = shapes(problem, form.tile, steps(kernel));
    let mut tried = Tried::default();
    for (i, shape) in shapes.iter().copied().enumerate() {
        let small = Problem {
            shape,
            batches: problem.batches.min(2),
            ..problem.clone()
        };
        if small.bytes_moved() > MOST_CHECKED_BYTES || small.check().is_err() {
            continue;
        }
        let grid = form.grid(shape, small.batches);
        match try_one(kernel, small, grid, block)? {
            None => {}
            Some(Ok(report)) => tried.right.push(Right {
                shape,
                grid,
                report,
            }),
            Some(Err(error)) => {
                tried.wrong.get_or_insert(Wrong {
                    shape,
                    grid,
                    error,
                    meant: None,
                });
                if i == 0 {
                    break;
                }
            }
        }
    }
    let [across, down] = form.tile;
    let is_whole =
        |shape: Shape| shape.columns.is_multiple_of(across) && shape.rows.is_multiple_of(down);
    let whole = shapes.iter().filter(|shape| is_whole(**shape)).count();
    let right = tried.right.iter().filter(|right| is_whole(right.shape));
    if right.count() == whole
        && let Some(wrong) = &mut tried.wrong
    {
        wrong.meant = Some(form.tile);
    }
    if tried.right.len() > 1 {
        tried.right.rotate_left(1);
    }
    Ok(tried)
}

/// Columns and rows come in such steps.
fn steps(kernel: &Kernel) -> [usize; 2] {
    let [columns, rows, _] = kernel.multiple_of();
    [columns as usize, rows as usize]
}

/// The shapes to try: a square of whole tiles, which every way to cover a matrix suits; then none that tiles divide, not
/// square; whole tiles, not square; one row; one column. Of a task in place all are square.
fn shapes(problem: &Problem, [across, down]: [usize; 2], steps: [usize; 2]) -> Vec<Shape> {
    let ragged = |tiles: usize, tile: usize| tiles * tile + tile / 2 + 1;
    let side = 3 * across.max(down);
    let mut shapes = vec![
        Shape::new(side, side),
        Shape::new(ragged(3, down), ragged(2, across)),
        Shape::new(3 * down, 2 * across),
        Shape::new(1, ragged(2, across)),
        Shape::new(ragged(3, down), 1),
    ];
    for shape in &mut shapes {
        shape.columns = shape.columns.next_multiple_of(steps[0].max(1));
        shape.rows = shape.rows.next_multiple_of(steps[1].max(1));
        if problem.is_in_place() {
            shape.columns = shape.rows;
        }
    }
    let mut different: Vec<Shape> = Vec::new();
    for shape in shapes {
        if shape != problem.shape && !different.contains(&shape) {
            different.push(shape);
        }
    }
    different
}

/// What the sides of the matrices are multiples of, in words; empty where the kernel is meant for all.
pub(super) fn only(problem: &Problem, kernel: &Kernel) -> String {
    match (steps(kernel), problem.is_in_place()) {
        ([1, 1], _) => String::new(),
        ([_, rows], true) => format!("sides that are multiples of {rows}"),
        ([columns, rows], false) => {
            format!("columns that are multiples of {columns} and rows of {rows}")
        }
    }
}

/// What the checks find on another matrix, or what is wrong with the kernel's work there; `None` where it cannot be
/// launched so.
fn try_one(
    kernel: &Kernel,
    problem: Problem,
    grid: Dim3,
    block: Dim3,
) -> Result<Option<Result<LaunchReport>>> {
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
    let compared = core.compare(kernel.name(), &output);
    Ok(Some(match (faulted, compared) {
        (false, Ok(())) => Ok(report),
        (_, Err(error)) if is_recognised(&error) => Err(error),
        // What the checks found says more than a wrong element.
        (_, compared) => report
            .into_result()
            .and_then(|report| compared.map(|()| report)),
    }))
}

/// Whether the mistake shows in the result.
fn is_recognised(error: &Error) -> bool {
    let unwritten = Some(Mistake::Unwritten);
    matches!(error, Error::Mismatch { mismatch, .. } if mismatch.guess.is_some() && mismatch.guess != unwritten)
}
