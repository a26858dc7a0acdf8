//! Other products of a kind, small ones, and whether a kernel is right on them: sides that no tile divides, whole tiles, one row, one column.

use super::{MOST_COUNTED, Product};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html;
use cornerturn_base::product_shape::ProductShape;
use cornerturn_base::shape::Dim3;
use cornerturn_emulator::MULTIPROCESSORS;
use cornerturn_registry::product_problem::{ProductData, ProductProblem};
use cornerturn_registry::registry::{ProductEntry, Registry};
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::{self, LaunchOptions, LaunchReport};

/// What a kernel may execute on a smaller product whose grid was guessed, in warp instructions: one that does not suit it may
/// never end.
const SMALL_BUDGET: u64 = 1 << 25;

/// A grid of no more blocks is tried as it is.
const MOST_KEPT_BLOCKS: u64 = 1 << 10;

/// How a kernel is launched for another shape.
pub(super) enum Launches<'l> {
    /// As its entry says.
    Registered(&'l ProductEntry),
    /// As this grid lets guess.
    Guessed(Dim3),
}

/// A product on which a kernel is right, with what the checks found there.
pub(super) struct Right {
    pub(super) shape: ProductShape,
    pub(super) grid: Dim3,
    pub(super) report: LaunchReport,
}

/// A product on which it is wrong.
pub(super) struct Wrong {
    shape: ProductShape,
    grid: Dim3,
    error: Error,
}

impl Wrong {
    /// Whether a GPU would not come to the kernel's end.
    pub(super) fn is_fault(&self) -> bool {
        matches!(self.error, Error::Kernel { .. })
    }

    /// The error that says so of a kernel that is right on these.
    pub(super) fn into_error(self, kernel: &Kernel, right: &[String]) -> Error {
        let names: Vec<&str> = right.iter().map(String::as_str).collect();
        Error::WrongElsewhere {
            kernel: kernel.name().to_string(),
            right: html::list(&names),
            wrong: self.shape.to_string(),
            grid: self.grid,
            reason: Box::new(self.error),
            meant: None,
        }
    }
}

/// What came out of trying.
#[derive(Default)]
pub(super) struct Tried {
    /// First the one that no tile divides.
    pub(super) right: Vec<Right>,
    /// The first on which it is wrong, where that is the kernel's doing.
    pub(super) wrong: Option<Wrong>,
    /// The first on which no grid that was tried gives the right result, which may be the grid's doing.
    pub(super) unsure: Option<ProductShape>,
}

/// Tries the kernel on smaller products. A grid does not tell how it covers C: the ways in which it may are tried one by
/// one, until the kernel is right on all products of one. Where it is on none, what counts is the way in which it is right
/// on most.
pub(super) fn tried(
    problem: &ProductProblem,
    kernel: &Kernel,
    block: Dim3,
    launches: &Launches,
) -> Result<Tried> {
    let (ways, budget, is_known) = match launches {
        Launches::Registered(entry) => (vec![registered(entry, kernel)], None, true),
        Launches::Guessed(grid) => match launched_as_registered(problem, kernel, *grid) {
            Some(entry) => (vec![registered(&entry, kernel)], None, true),
            // A grid of two dimensions tells the sides of a tile.
            None => {
                let ways = guessed(problem, kernel, *grid);
                (ways, Some(SMALL_BUDGET), grid.y > 1)
            }
        },
    };
    let options = LaunchOptions {
        launch_budget: budget,
        ..LaunchOptions::checked()
    };
    let mut best = Tried::default();
    for way in ways {
        let mut tried = Tried::default();
        for (shape, grid) in way {
            match try_one(&problem.shaped(shape), kernel, (grid, block), &options)? {
                None => {}
                Some(Ok(report)) => tried.right.push(Right {
                    shape,
                    grid,
                    report,
                }),
                // Wrong twice and never right: the grid does not suit it, or nothing does.
                Some(Err(_)) if tried.wrong.is_some() && tried.right.is_empty() => break,
                Some(Err(error)) => {
                    tried.wrong.get_or_insert(Wrong { shape, grid, error });
                }
            }
        }
        if tried.wrong.is_none() && !tried.right.is_empty() {
            return Ok(tried);
        }
        if tried.right.len() > best.right.len() || best.wrong.is_none() {
            best = tried;
        }
    }
    if !is_known {
        best.unsure = best.wrong.take().map(|wrong| wrong.shape);
    }
    Ok(best)
}

/// The registry's entry of a kernel, or of the one that it is an edit of, if it was launched as that says.
fn launched_as_registered(
    problem: &ProductProblem,
    kernel: &Kernel,
    grid: Dim3,
) -> Option<ProductEntry> {
    let registry = Registry::load().ok()?;
    let entry = registry.product(kernel.registered_id()).ok()?;
    let (own, _) = entry.launch_shape(problem.shape, MULTIPROCESSORS).ok()?;
    (own == grid).then(|| entry.clone())
}

/// What the checks find on another product, or what is wrong with the kernel's work there; `None` where it cannot be
/// launched so.
fn try_one(
    problem: &ProductProblem,
    kernel: &Kernel,
    (grid, block): (Dim3, Dim3),
    options: &LaunchOptions,
) -> Result<Option<Result<LaunchReport>>> {
    let Ok(product) = Product::new(&Device::emulator(), *problem) else {
        return Ok(None);
    };
    let report = match launch(&product, kernel, grid, block, options) {
        Ok(report) => report,
        Err(stopped @ Error::Interrupted { .. }) => return Err(stopped),
        Err(_) => return Ok(None),
    };
    let faulted = report.findings.iter().any(|found| found.kind.is_fatal());
    let compared = product.compare(kernel.name(), ProductData::Exact);
    Ok(Some(match (faulted, compared) {
        (false, Ok(_)) => Ok(report),
        // What the checks found says more than a wrong element.
        (_, compared) => report
            .into_result()
            .and_then(|report| compared.map(|_| report)),
    }))
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

/// What m, n and k of the products are multiples of, in words; empty where the kernel is meant for all.
pub(super) fn only(kernel: &Kernel) -> String {
    match kernel.multiple_of() {
        [1, 1, 1] => String::new(),
        [m, n, k] => format!("m, n and k that are multiples of {m}, {n} and {k}"),
    }
}

/// A side that is a multiple of what the kernel is meant for.
fn rounded(shape: ProductShape, kernel: &Kernel) -> ProductShape {
    let [m, n, k] = kernel.multiple_of().map(|of| of.max(1) as usize);
    ProductShape::new(
        shape.m.next_multiple_of(m),
        shape.n.next_multiple_of(n),
        shape.k.next_multiple_of(k),
    )
}

/// Products that a registered kernel takes, with the grids that its entry says.
fn registered(entry: &ProductEntry, kernel: &Kernel) -> Vec<(ProductShape, Dim3)> {
    let [odd, ..] = entry.small_shapes()[..] else {
        return Vec::new();
    };
    let shapes = [
        odd,
        ProductShape { m: 1, ..odd },
        ProductShape { n: 1, ..odd },
    ];
    let mut all: Vec<(ProductShape, Dim3)> = Vec::new();
    for shape in shapes.map(|shape| rounded(shape, kernel)) {
        let Ok((grid, _)) = entry.launch_shape(shape, MULTIPROCESSORS) else {
            continue;
        };
        if all.iter().all(|(other, _)| *other != shape) {
            all.push((shape, grid));
        }
    }
    all
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

/// How many blocks cover C.
#[derive(Clone, Copy)]
enum Cover {
    /// Tiles of columns in x, of rows in y.
    ByColumns,
    /// Tiles of rows in x, of columns in y.
    ByRows,
    /// All tiles in x.
    InARow,
    /// As many blocks, whatever the product: they go on to further tiles, or have none.
    Always,
}

/// The ways in which this grid may cover C, the likeliest first: of each the products to try.
fn guessed(
    problem: &ProductProblem,
    kernel: &Kernel,
    grid: Dim3,
) -> Vec<Vec<(ProductShape, Dim3)>> {
    let ProductShape { m, n, .. } = problem.shape;
    let [x, y, _] = grid.array();
    let (across, down) = (x.max(1) as usize, y.max(1) as usize);
    let mut ways = Vec::new();
    if y == 1 && across > 1 {
        let covers =
            |[rows, columns]: &[usize; 2]| m.div_ceil(*rows) * n.div_ceil(*columns) == across;
        ways.extend(
            USUAL_TILES
                .into_iter()
                .filter(covers)
                .map(|tile| (tile, Cover::InARow)),
        );
        ways.push(([m.min(64), n.div_ceil(across)], Cover::InARow));
    } else {
        ways.push(([m.div_ceil(down), n.div_ceil(across)], Cover::ByColumns));
        ways.push(([m.div_ceil(across), n.div_ceil(down)], Cover::ByRows));
    }
    if grid.count() <= MOST_KEPT_BLOCKS {
        ways.push(([64, 64], Cover::Always));
    }
    let products = |(tile, cover)| covered(problem, kernel, grid, tile, cover);
    ways.into_iter().map(products).collect()
}

/// The products to try where a block covers such a tile: one that no tile divides; two of whole tiles, the second deep; one
/// row; one column.
fn covered(
    problem: &ProductProblem,
    kernel: &Kernel,
    grid: Dim3,
    [rows, columns]: [usize; 2],
    cover: Cover,
) -> Vec<(ProductShape, Dim3)> {
    let ragged = |tile: usize| tile + tile / 2 + 1;
    let odd = ProductShape::new(ragged(rows), ragged(columns), problem.shape.k.min(83));
    let shapes = [
        odd,
        ProductShape::new(2 * rows, 2 * columns, problem.shape.k.min(128)),
        ProductShape { m: 1, ..odd },
        ProductShape { n: 1, ..odd },
    ];
    let mut all: Vec<(ProductShape, Dim3)> = Vec::new();
    for shape in shapes.map(|shape| rounded(shape, kernel)) {
        let is_new = shape != problem.shape && all.iter().all(|(other, _)| *other != shape);
        if !is_new || shape.multiply_adds() > MOST_COUNTED {
            continue;
        }
        let [x, y] = [shape.n.div_ceil(columns), shape.m.div_ceil(rows)].map(|n| n as u32);
        let grid = match cover {
            Cover::ByColumns => Dim3::new(x, y, grid.z),
            Cover::ByRows => Dim3::new(y, x, grid.z),
            Cover::InARow => Dim3::new(x * y, 1, grid.z),
            Cover::Always => grid,
        };
        all.push((shape, grid));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_runtime::compile::{Compiler, CompilerKind};

    #[test]
    fn a_product_that_is_right_on_whole_tiles_only_is_refused_unless_it_says_so() {
        let registry = Registry::load().unwrap();
        let entry = registry.product("sgemm_tiled").unwrap();
        let source = registry.source(entry).unwrap();
        let without = source.replace("if (row < m && column < n)", "if (row < m)");
        assert_ne!(source, without);
        let compiler = Compiler::of(CompilerKind::CornerTurn).unwrap();
        let kernel = Kernel::cuda_by(&compiler, &without, "k.cu", "sgemm_tiled").unwrap();
        for (side, grid) in [(64, (2, 2)), (320, (10, 10))] {
            let problem = ProductProblem::new(side, side, side);
            let product = Product::new(&Device::emulator(), problem).unwrap();
            for error in [
                product.run(&kernel, grid, (32, 32)).unwrap_err(),
                product.run_registered(entry, &kernel).unwrap_err(),
            ] {
                let text = error.to_string();
                let right = format!("right on {side}×{side}×{side}");
                assert!(text.contains(&right) && text.contains("wrong on"), "{text}");
                assert_eq!(error.exit_code(), 1);
            }
            let meant = kernel.for_multiples_of([32, 32, 1]);
            let run = product.run(&meant, grid, (32, 32)).unwrap();
            let line = run.others.line().unwrap();
            assert!(line.contains("multiples of 32, 32 and 1"), "{line}");
        }
    }
}
