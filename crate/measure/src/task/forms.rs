//! The ways in which the grid of a launch may cover a task's matrices: what a launch tells is a number of blocks, not what each of them does.

use cornerturn_base::shape::{Dim3, Shape};
use cornerturn_emulator::MULTIPROCESSORS;
use cornerturn_registry::problem::Problem;
use cornerturn_registry::registry::{Grid, KernelEntry};

/// A tile's side where the grid does not tell.
const USUAL_TILE: usize = 64;

/// Blocks of a smaller grid whose blocks go on to further tiles.
const FEW_BLOCKS: u32 = 3;

/// A grid of no more blocks is tried as it is: blocks without an element end soon.
const MOST_KEPT_BLOCKS: u64 = 1 << 14;

/// A way in which a grid may cover a matrix.
pub(super) struct Form {
    /// Columns and rows of the input that a block covers.
    pub(super) tile: [usize; 2],
    cover: Cover,
}

/// How many blocks cover a matrix.
#[derive(Clone, Copy)]
enum Cover {
    /// Tiles across in x, tiles down in y, matrices in z.
    ByColumns,
    /// Tiles down in x, tiles across in y, matrices in z.
    ByRows,
    /// All tiles in x.
    InARow,
    /// As many blocks, whatever the matrix: they go on to further tiles, or have none.
    Always(Dim3),
}

impl Form {
    /// The blocks for so many matrices of a shape.
    pub(super) fn grid(&self, shape: Shape, matrices: usize) -> Dim3 {
        let count = |side: usize, tile: usize| side.div_ceil(tile.max(1)) as u32;
        let across = count(shape.columns, self.tile[0]);
        let down = count(shape.rows, self.tile[1]);
        let matrices = matrices as u32;
        match self.cover {
            Cover::ByColumns => Dim3::new(across, down, matrices),
            Cover::ByRows => Dim3::new(down, across, matrices),
            Cover::InARow => Dim3::new(across * down * matrices, 1, 1),
            Cover::Always(grid) => grid,
        }
    }
}

/// The way in which a registered kernel covers matrices, if it was launched so.
pub(super) fn known(problem: &Problem, entry: &KernelEntry, grid: Dim3) -> Option<Form> {
    let own = entry.grid_on(problem.shape, problem.batches, MULTIPROCESSORS);
    let cover = match entry.grid {
        Grid::Persistent => Cover::Always(Dim3::new(FEW_BLOCKS, 1, 1)),
        _ if own.is_ok_and(|own| own != grid) => return None,
        Grid::Tiles => Cover::ByColumns,
        Grid::Linear => Cover::InARow,
    };
    Some(Form {
        tile: entry.tile.map(|side| side.max(1) as usize),
        cover,
    })
}

/// The ways in which this grid may cover the task's matrices, the likeliest first.
pub(super) fn forms(problem: &Problem, grid: Dim3) -> Vec<Form> {
    let Shape { rows, columns } = problem.shape;
    let [x, y, _] = grid.array().map(|blocks| blocks.max(1) as usize);
    let form = |across: usize, down: usize, cover| Form {
        tile: [across.max(1), down.max(1)],
        cover,
    };
    let mut forms = match y > 1 {
        true => vec![
            form(columns.div_ceil(x), rows.div_ceil(y), Cover::ByColumns),
            form(columns.div_ceil(y), rows.div_ceil(x), Cover::ByRows),
        ],
        false => in_one_dimension(problem, x),
    };
    if grid.count() <= MOST_KEPT_BLOCKS {
        forms.push(form(USUAL_TILE, USUAL_TILE, Cover::Always(grid)));
    }
    forms
}

/// The ways in which a row of blocks may cover matrices.
fn in_one_dimension(problem: &Problem, blocks: usize) -> Vec<Form> {
    let Shape { rows, columns } = problem.shape;
    let form = |across: usize, down: usize, cover| Form {
        tile: [across.max(1), down.max(1)],
        cover,
    };
    let few = Cover::Always(Dim3::new(FEW_BLOCKS, 1, 1));
    let mut forms = vec![form(USUAL_TILE, USUAL_TILE, few)];
    // Elements of a tile, and the sides that they are likely to have: a square's first.
    let elements = rows.saturating_mul(columns).saturating_mul(problem.batches) / blocks;
    let sides = [
        elements.isqrt(),
        32,
        64,
        128,
        16,
        256,
        8,
        512,
        4,
        1024,
        2,
        1,
    ];
    for across in sides {
        if across > 0 && elements >= across && elements.is_multiple_of(across) {
            forms.push(form(across, elements / across, Cover::InARow));
        }
    }
    forms.push(form(
        columns.div_ceil(blocks),
        rows.min(USUAL_TILE),
        Cover::ByColumns,
    ));
    forms.push(form(
        columns.min(USUAL_TILE),
        rows.div_ceil(blocks),
        Cover::ByRows,
    ));
    forms
}
