//! What the emulator's checks and counters say of a product: of itself, or of a smaller one of the same kind, on which the kernel's result is right too.

use super::{MOST_CHECKED, MOST_COUNTED, Product};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::launch::{self, LaunchOptions, LaunchReport};
use crate::product_problem::{ProductData, ProductProblem};
use crate::product_shape::ProductShape;
use crate::registry::ProductEntry;
use crate::shape::Dim3;
use crate::task::{Checked, outcome};
use cornerturn_emulator::{Finding, MULTIPROCESSORS};

/// What a kernel may execute on a smaller product that was guessed, in warp instructions: a grid that does not suit it may never end.
const SMALL_BUDGET: u64 = 1 << 25;

/// How a kernel is launched for another shape.
pub(super) enum Launches<'l> {
    /// As its entry says.
    Registered(&'l ProductEntry),
    /// As this grid lets guess.
    Guessed(Dim3),
}

/// What checks have shown.
pub(super) struct CheckedProduct {
    pub(super) checked: Checked,
    pub(super) remarks: Vec<Finding>,
    /// The launch of a smaller product.
    smaller: Option<(ProductShape, LaunchReport)>,
}

impl CheckedProduct {
    /// Nobody asked.
    pub(super) fn unchecked() -> Self {
        Self {
            checked: Checked::NOBODY_ASKED,
            ..Self::not("")
        }
    }

    fn not(why: &'static str) -> Self {
        Self {
            checked: Checked::Not(why),
            remarks: Vec::new(),
            smaller: None,
        }
    }
}

/// A launch that was counted, and on which shape; on a GPU the emulator may have counted none.
pub(super) struct CountedProduct {
    pub(super) shape: Option<ProductShape>,
    pub(super) report: LaunchReport,
}

/// Runs the kernel with all checks: on the product, or on a smaller one of the same kind.
pub(super) fn checked(
    product: &Product,
    kernel: &Kernel,
    (grid, block): (Dim3, Dim3),
    launches: &Launches,
) -> Result<CheckedProduct> {
    if !kernel.is_emulated() {
        return Ok(CheckedProduct::not(
            "the emulator does not support this kernel yet",
        ));
    }
    let shape = product.problem.shape;
    if shape.multiply_adds() <= MOST_CHECKED {
        let report = product.check(kernel, grid, block);
        let (checked, remarks) = outcome(report, Checked::Here)?;
        return Ok(CheckedProduct {
            checked,
            remarks,
            smaller: None,
        });
    }
    for (shape, grid) in candidates(&product.problem, launches) {
        let problem = product.problem.shaped(shape);
        let found = match launches {
            Launches::Registered(_) => Some(check_registered(&problem, kernel, grid, block)?),
            Launches::Guessed(_) => check_guessed(&problem, kernel, grid, block)?,
        };
        let Some(report) = found else { continue };
        let what = problem.to_string();
        let place = Checked::SmallerWork { what, grid };
        let (checked, remarks) = outcome(report.clone().into_result(), place)?;
        return Ok(CheckedProduct {
            checked,
            remarks,
            smaller: Some((shape, report)),
        });
    }
    Ok(CheckedProduct::not(
        "that takes long on a product of this size, and on none of the smaller ones that were tried does this grid give the \
         right result",
    ))
}

/// The counters: of the launch itself, else of the smaller one that was checked, else of another launch on the emulator.
pub(super) fn counted(
    product: &Product,
    kernel: &Kernel,
    (grid, block): (Dim3, Dim3),
    checked: &CheckedProduct,
    report: LaunchReport,
) -> Result<CountedProduct> {
    let shape = product.problem.shape;
    if report.counters.is_some() {
        return Ok(CountedProduct {
            shape: Some(shape),
            report,
        });
    }
    if let Some((shape, report)) = &checked.smaller {
        return Ok(CountedProduct {
            shape: Some(*shape),
            report: report.clone(),
        });
    }
    if kernel.is_emulated() && shape.multiply_adds() <= MOST_COUNTED {
        return Ok(CountedProduct {
            shape: Some(shape),
            report: product.count(kernel, grid, block)?,
        });
    }
    Ok(CountedProduct {
        shape: None,
        report,
    })
}

/// A registered kernel does its work on every shape that its entry takes.
fn check_registered(
    problem: &ProductProblem,
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
) -> Result<LaunchReport> {
    let product = Product::new(&Device::emulator(), *problem)?;
    let report = launch(&product, kernel, grid, block, &LaunchOptions::checked())?;
    if !report.findings.iter().any(|found| found.kind.is_fatal()) {
        product.compare(kernel.name(), ProductData::Exact)?;
    }
    Ok(report)
}

/// What the checks find on a smaller product; `None` where the kernel does not do its work there, so that what they find need
/// not hold for the one that was asked for.
fn check_guessed(
    problem: &ProductProblem,
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
) -> Result<Option<LaunchReport>> {
    let Ok(product) = Product::new(&Device::emulator(), *problem) else {
        return Ok(None);
    };
    let options = LaunchOptions {
        launch_budget: Some(SMALL_BUDGET),
        ..LaunchOptions::checked()
    };
    let report = match launch(&product, kernel, grid, block, &options) {
        Ok(report) => report,
        Err(stopped @ Error::Interrupted { .. }) => return Err(stopped),
        Err(_) => return Ok(None),
    };
    let faulted = report.findings.iter().any(|found| found.kind.is_fatal());
    if faulted || product.compare(kernel.name(), ProductData::Exact).is_err() {
        return Ok(None);
    }
    Ok(Some(report))
}

fn launch(
    product: &Product,
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
    options: &LaunchOptions,
) -> Result<LaunchReport> {
    let data = ProductData::Exact;
    product
        .matrices
        .make_ready(product.judge(data), data, kernel)?;
    let arguments = product.matrices.arguments(&product.problem, kernel)?;
    launch::run(&product.device, kernel, grid, block, &arguments, options)
}

/// Smaller products of the same kind with grids that may suit them, those that no tile divides first.
fn candidates(problem: &ProductProblem, launches: &Launches) -> Vec<(ProductShape, Dim3)> {
    match launches {
        Launches::Registered(entry) => {
            let launched =
                |shape| Some((shape, entry.launch_shape(shape, MULTIPROCESSORS).ok()?.0));
            entry
                .small_shapes()
                .into_iter()
                .filter_map(launched)
                .collect()
        }
        Launches::Guessed(grid) => guessed(problem, *grid),
    }
}

/// Tiles that kernels with all blocks in x have, rows and columns.
const USUAL_TILES: [[usize; 2]; 7] = [
    [128, 128],
    [128, 256],
    [256, 128],
    [64, 64],
    [32, 32],
    [64, 128],
    [128, 64],
];

fn guessed(problem: &ProductProblem, grid: Dim3) -> Vec<(ProductShape, Dim3)> {
    let ProductShape { m, n, k } = problem.shape;
    let [x, y, z] = grid.array();
    let (across, down) = (x.max(1) as usize, y.max(1) as usize);
    let is_in_a_row = y == 1 && across > 1;
    let tiles = match is_in_a_row {
        true => {
            let covers =
                |[rows, columns]: &[usize; 2]| m.div_ceil(*rows) * n.div_ceil(*columns) == across;
            let mut tiles: Vec<_> = USUAL_TILES.into_iter().filter(covers).collect();
            tiles.push([m.min(64), n.div_ceil(across)]);
            tiles
        }
        // Grids of the other orientation too: rows in x.
        false => vec![
            [m.div_ceil(down), n.div_ceil(across)],
            [m.div_ceil(across), n.div_ceil(down)],
        ],
    };
    let mut all = Vec::new();
    for (i, [rows, columns]) in tiles.into_iter().enumerate() {
        let ragged = |tile: usize| tile + tile / 2 + 1;
        let even = |side: usize| side.next_multiple_of(8);
        for shape in [
            ProductShape::new(ragged(rows), ragged(columns), 83),
            ProductShape::new(even(ragged(rows)), even(ragged(columns)), 88),
            ProductShape::new(2 * rows, 2 * columns, 128),
            ProductShape::new(2 * rows, 2 * columns, 512),
        ] {
            let [x, y] = [shape.n.div_ceil(columns), shape.m.div_ceil(rows)].map(|n| n as u32);
            let grid = match (is_in_a_row, i) {
                (true, _) => [x * y, 1, z],
                (false, 0) => [x, y, z],
                (false, _) => [y, x, z],
            };
            if shape.multiply_adds() <= MOST_COUNTED && shape.k <= k {
                all.push((shape, Dim3::from(grid)));
            }
        }
    }
    all
}
