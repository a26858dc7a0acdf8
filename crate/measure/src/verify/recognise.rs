//! Recognising the likely mistake behind a wrong output. Each is an idea of which input element stands where, tried on the wrong elements.

use super::view::View;
use cornerturn_base::mistake::Mistake;
use cornerturn_base::operation::Operation;

/// How many wrong elements an idea has to explain.
pub(crate) const TRIALS: usize = 64;
/// Tile widths that are tried.
const TILES: [usize; 4] = [32, 16, 64, 8];
/// How far from its place an element is looked for.
const FARTHEST: isize = 64;

/// The likely mistake behind a wrong output: `first` is its first wrong element, `written` are the first wrong ones
/// that are not poison.
pub(crate) fn recognise(view: &View, first: usize, written: &[usize]) -> Option<Mistake> {
    let found = (view.output)(first)?;
    if found == view.poison() {
        return Some(Mistake::Unwritten);
    }
    let explains = |mistake: &Mistake| {
        written.iter().all(|&index| {
            let is_found = |source: usize| (view.input)(source) == (view.output)(index);
            source(*mistake, view, index).is_some_and(is_found)
                || overlapping(*mistake, view, index).any(is_found)
        })
    };
    ideas(view.operation).find(explains).or_else(|| {
        (found == 0)
            .then_some(Mistake::Zero)
            .or_else(|| shift(view, first, found).filter(explains))
    })
}

fn ideas(operation: Operation) -> impl Iterator<Item = Mistake> {
    let whole: &[Mistake] = match operation {
        Operation::Transpose => &[
            Mistake::Untransposed,
            Mistake::OutputStride,
            Mistake::InputStride,
        ],
        Operation::Copy => &[
            Mistake::Transposed,
            Mistake::OutputStride,
            Mistake::InputStride,
        ],
    };
    let tiles: &[usize] = if operation == Operation::Transpose {
        &TILES
    } else {
        &[]
    };
    let inside = tiles.iter().flat_map(|&tile| {
        [
            Mistake::TileNotTransposed { tile },
            Mistake::TileNotMoved { tile },
        ]
    });
    whole.iter().copied().chain(inside)
}

/// Which input element stands at `index` of the output if the mistake was made. `None` where none does.
fn source(mistake: Mistake, view: &View, index: usize) -> Option<usize> {
    let (rows, columns) = (view.shape.rows, view.shape.columns);
    let output = view.operation.output_shape(view.shape);
    let (x, y) = (index / output.columns, index % output.columns);
    // The input's row and column that belong there.
    let (row, column) = match view.operation {
        Operation::Transpose => (y, x),
        Operation::Copy => (x, y),
    };
    let at = |row: usize, column: usize| {
        (row < rows && column < columns).then(|| row * columns + column)
    };
    match mistake {
        Mistake::Unwritten | Mistake::Zero => None,
        Mistake::Untransposed => Some(index),
        Mistake::Transposed => at(index % rows, index / rows),
        Mistake::OutputStride => match view.operation {
            Operation::Transpose => at(index % columns, index / columns),
            Operation::Copy => at(index / rows, index % rows),
        },
        Mistake::InputStride => Some(row * rows + column),
        Mistake::TileNotTransposed { tile } => at(
            row / tile * tile + column % tile,
            column / tile * tile + row % tile,
        ),
        Mistake::TileNotMoved { tile } => at(
            column / tile * tile + row % tile,
            row / tile * tile + column % tile,
        ),
        Mistake::Shifted { rows, columns } => at(
            row.checked_add_signed(rows)?,
            column.checked_add_signed(columns)?,
        ),
    }
}

/// The other input elements that the mistake puts at `index` of the output: rows that are written too close to each other
/// overlap.
fn overlapping(mistake: Mistake, view: &View, index: usize) -> impl Iterator<Item = usize> {
    let columns = view.shape.columns;
    let output = view.operation.output_shape(view.shape);
    // The length that rows of the output are given.
    let pitch = match view.operation {
        Operation::Transpose => columns,
        Operation::Copy => view.shape.rows,
    };
    let many = match mistake {
        Mistake::OutputStride => output.columns / pitch.max(1),
        _ => 0,
    };
    (1..=many).filter_map(move |before| {
        let x = (index / pitch).checked_sub(before)?;
        let y = index % pitch + before * pitch;
        let source = match view.operation {
            Operation::Transpose => y * columns + x,
            Operation::Copy => x * columns + y,
        };
        (y < output.columns && x < output.rows).then_some(source)
    })
}

/// How far away the found element belongs, looked for around its place.
fn shift(view: &View, index: usize, found: u64) -> Option<Mistake> {
    let near = -FARTHEST..=FARTHEST;
    near.clone()
        .flat_map(|rows| near.clone().map(move |columns| (rows, columns)))
        .filter(|&(rows, columns)| {
            let shifted = Mistake::Shifted { rows, columns };
            source(shifted, view, index).is_some_and(|at| (view.input)(at) == Some(found))
        })
        .min_by_key(|(rows, columns)| rows.abs() + columns.abs())
        .map(|(rows, columns)| Mistake::Shifted { rows, columns })
}
