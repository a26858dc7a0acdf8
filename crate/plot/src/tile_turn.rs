//! One block's tile: where it lies in `in` and in `out`, and how its elements turn on the way. Drawn from what the block accessed.

use super::Figure;
use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing};
use super::style::{BLUE, FULL, Form, Ink, LINE, MESH, SMALL, SOFT, ramp_at};
use cornerturn_base::shape::Shape;
use cornerturn_measure::task::Walk;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Pixels between what is read and what is written.
const GAP: f64 = 52.0;

/// Width of a matrix or a tile.
const fn panel(form: Form) -> f64 {
    (form.bars() - GAP) / 2.0
}

/// Height of what is written above a matrix or a tile, and below a tile: in two lines on a telephone.
const fn words_height(form: Form) -> f64 {
    match form {
        Form::Wide => 20.0,
        Form::Narrow => 20.0 + LINE_HEIGHT,
    }
}

/// The tallest matrix.
const MOST_HEIGHT: f64 = 170.0;
/// The most elements of a tile that a picture can show.
const MOST_ELEMENTS: usize = 64 * 64;

type Place = (usize, usize);

/// The tile that one block turns: above, where it is read from `in` and written to `out`; below, its elements, each row
/// of `in` in a colour that it keeps in `out`, and outlined what the first warp loads and stores first. From
/// [`Task::walk`](cornerturn_measure::Task::walk); only the walk's first block is drawn.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let small = Task::transpose(&Device::emulator(), 96, 128)?;
/// let walk = small.walk(&Kernel::registered("tiled")?, (4, 3), (32, 8), (2, 1))?;
/// let figure = plot::tile_turn("tiled: one block", &walk);
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
pub fn tile_turn(title: &str, walk: &Walk) -> Figure {
    let sides = Side::of(walk, false).zip(Side::of(walk, true));
    let Some((read, written)) = sides else {
        let reason = format!(
            "There is nothing to draw: a block's threads read and write 1 to {MOST_ELEMENTS} elements."
        );
        return Figure::nothing(title, &reason, "");
    };
    let sides = [read, written];
    let summary = summary(walk, &sides);
    Figure::new("", |form| draw(title, &summary, &sides, form))
}

fn draw(title: &str, summary: &str, sides: &[Side; 2], form: Form) -> String {
    let (panel, words) = (panel(form), words_height(form));
    let heading = Heading::new(title, summary, form.bars());
    let most = |length: fn(&Side) -> usize| sides.iter().map(length).max().unwrap_or(1) as f64;
    let matrices = Scale {
        form,
        top: heading.height() + 8.0 + words,
        unit: (panel / most(|side| side.matrix.columns))
            .min(MOST_HEIGHT / most(|side| side.matrix.rows)),
    };
    let tiles_top = matrices.top + most(|side| side.matrix.rows) * matrices.unit + 14.0 + words;
    let tiles = Scale {
        form,
        top: tiles_top,
        unit: (panel / most(|side| length(&side.columns)))
            .min(panel / most(|side| length(&side.rows))),
    };
    let height = tiles_top + most(|side| length(&side.rows)) * tiles.unit + words;
    drawing((form.bars(), height), title, summary, &mut |canvas| {
        canvas.heading(&heading);
        for (side, left) in sides.iter().zip([0.0, panel + GAP]) {
            side.draw_matrix(canvas, left, &matrices);
            side.draw_tile(canvas, left, &tiles);
        }
        draw_arrow(canvas, &matrices, "goes to");
        draw_arrow(canvas, &tiles, "turns");
    })
}

/// Where a row of panels begins, and the pixels of an element in it.
struct Scale {
    form: Form,
    top: f64,
    unit: f64,
}

impl Scale {
    /// A name in two parts: in one line, or on a telephone in two, the last at `bottom`.
    fn draw_words(&self, canvas: &mut Canvas<'_>, left: f64, bottom: f64, parts: [String; 2]) {
        let lines = match self.form {
            Form::Wide => vec![parts.join(" ")],
            Form::Narrow => parts.to_vec(),
        };
        for (line, text) in lines.iter().rev().enumerate() {
            let y = bottom - line as f64 * LINE_HEIGHT;
            canvas.text((left, y), text, SMALL, Anchor::Start, SOFT);
        }
    }
}

/// What the block does to one matrix.
struct Side {
    name: &'static str,
    matrix: Shape,
    rows: RangeInclusive<usize>,
    columns: RangeInclusive<usize>,
    /// The elements touched, by the row or the column that is one row of the input.
    bands: BTreeMap<usize, BTreeSet<usize>>,
    /// Whether a band goes down.
    is_upright: bool,
    /// What one instruction of the first warp touches first.
    first: BTreeSet<Place>,
    /// The grid of tiles, in elements: of a block that begins at a multiple of its size.
    tile: Option<Place>,
}

fn length(range: &RangeInclusive<usize>) -> usize {
    range.end() + 1 - range.start()
}

impl Side {
    /// `None` where nothing is accessed, or too much.
    fn of(walk: &Walk, is_store: bool) -> Option<Self> {
        let block = walk.blocks.first()?;
        let accesses = || {
            walk.global(is_store)
                .filter(|access| access.block == *block)
        };
        let places: BTreeSet<Place> = accesses().flat_map(|access| walk.places(access)).collect();
        let first = accesses().next()?;
        let bounds = |of: fn(&Place) -> usize| {
            let ends = (places.iter().map(of).min()?, places.iter().map(of).max()?);
            Some(ends.0..=ends.1)
        };
        let (rows, columns) = (bounds(|place| place.0)?, bounds(|place| place.1)?);
        if length(&rows).saturating_mul(length(&columns)) > MOST_ELEMENTS {
            return None;
        }
        let is_upright = is_store && walk.source((0, 1)) == (1, 0);
        let mut bands: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &(row, column) in &places {
            let (band, along) = if is_upright {
                (column, row)
            } else {
                (row, column)
            };
            bands.entry(band).or_default().insert(along);
        }
        let size = (length(&rows), length(&columns));
        let is_on_grid = rows.start() % size.0 == 0 && columns.start() % size.1 == 0;
        Some(Self {
            name: if is_store { "out" } else { "in" },
            matrix: if is_store { walk.output } else { walk.input },
            rows,
            columns,
            bands,
            is_upright,
            first: walk.places(first).collect(),
            tile: is_on_grid.then_some(size),
        })
    }

    /// `tile (2, 1)`, x first as in `blockIdx`, or the elements where it is on no grid.
    fn tile_name(&self) -> String {
        match self.tile {
            Some((rows, columns)) => {
                let (x, y) = (self.columns.start() / columns, self.rows.start() / rows);
                format!("tile ({x}, {y})")
            }
            None => format!(
                "elements from ({}, {})",
                self.rows.start(),
                self.columns.start()
            ),
        }
    }

    fn draw_matrix(&self, canvas: &mut Canvas<'_>, left: f64, scale: &Scale) {
        let Shape { rows, columns } = self.matrix;
        let place = |row: usize, column: usize| {
            (
                left + column as f64 * scale.unit,
                scale.top + row as f64 * scale.unit,
            )
        };
        let (right, bottom) = place(rows, columns);
        let name = format!("{}: {rows} × {columns}", self.name);
        scale.draw_words(
            canvas,
            left,
            scale.top - 6.0,
            [name + ",", self.tile_name()],
        );
        if let Some((tall, wide)) = self.tile.filter(|(r, c)| rows / r + columns / c <= 128) {
            for column in (wide..columns).step_by(wide) {
                let (x, top) = place(0, column);
                canvas.line((x, top), (x, bottom), MESH, 1.0);
            }
            for row in (tall..rows).step_by(tall) {
                let (_, y) = place(row, 0);
                canvas.line((left, y), (right, y), MESH, 1.0);
            }
        }
        let at = place(*self.rows.start(), *self.columns.start());
        let end = place(self.rows.end() + 1, self.columns.end() + 1);
        canvas.fill(at, (end.0 - at.0, end.1 - at.1), Ink::Rgb(BLUE, 1.0));
        canvas.outline(
            (left, scale.top),
            (right - left, bottom - scale.top),
            LINE,
            1.0,
        );
    }

    fn draw_tile(&self, canvas: &mut Canvas<'_>, left: f64, scale: &Scale) {
        let unit = scale.unit;
        let place = |(row, column): Place| {
            let x = left + (column - self.columns.start()) as f64 * unit;
            (x, scale.top + (row - self.rows.start()) as f64 * unit)
        };
        let of = format!("of {}", self.name);
        scale.draw_words(canvas, left, scale.top - 6.0, [self.tile_name(), of]);
        let last = self.bands.len().max(2) - 1;
        for (index, (&band, along)) in self.bands.iter().enumerate() {
            let ink = Ink::Rgb(ramp_at(index as f64 / last as f64), 1.0);
            for (from, to) in runs(along) {
                let long = (to + 1 - from) as f64 * unit;
                let (at, size) = match self.is_upright {
                    true => (place((from, band)), (unit - 0.5, long)),
                    false => (place((band, from)), (long, unit - 0.5)),
                };
                canvas.fill(at, size, ink);
            }
        }
        for &element in &self.first {
            canvas.outline(place(element), (unit, unit), FULL, 1.3);
        }
        self.draw_ends(canvas, left, scale);
    }

    /// The first and last row and column.
    fn draw_ends(&self, canvas: &mut Canvas<'_>, left: f64, scale: &Scale) {
        let (width, tiny) = (length(&self.columns) as f64 * scale.unit, scale.form.tiny());
        let y = scale.top + length(&self.rows) as f64 * scale.unit + 12.0;
        let text = format!("rows {}–{}", self.rows.start(), self.rows.end());
        canvas.text((left, y), &text, tiny, Anchor::Start, SOFT);
        let text = format!("columns {}–{}", self.columns.start(), self.columns.end());
        if scale.form.is_narrow() {
            canvas.text((left, y + 15.0), &text, tiny, Anchor::Start, SOFT);
        } else {
            let right = (left + width).max(left + 150.0);
            canvas.text((right, y), &text, tiny, Anchor::End, SOFT);
        }
    }
}

fn summary(walk: &Walk, sides: &[Side; 2]) -> String {
    let block = walk.blocks.first().map_or([0; 3], |block| *block);
    let what = |side: &Side| {
        format!(
            "rows {}–{} and columns {}–{} of {}",
            side.rows.start(),
            side.rows.end(),
            side.columns.start(),
            side.columns.end(),
            side.name
        )
    };
    format!(
        "block ({}, {}) reads {} and writes {}; each row of in has a colour, which it keeps; outlined: what the first \
         warp loads first, and stores first",
        block[0],
        block[1],
        what(&sides[0]),
        what(&sides[1])
    )
}

/// Runs of neighbours, as first and last.
fn runs(along: &BTreeSet<usize>) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &at in along {
        match runs.last_mut() {
            Some(run) if run.1 + 1 == at => run.1 = at,
            _ => runs.push((at, at)),
        }
    }
    runs
}

/// From the left panel to the right one.
fn draw_arrow(canvas: &mut Canvas<'_>, scale: &Scale, label: &str) {
    let panel = panel(scale.form);
    let (from, to, y) = (panel + 6.0, panel + GAP - 6.0, scale.top + 40.0);
    canvas.text(
        ((from + to) / 2.0, y - 7.0),
        label,
        scale.form.tiny(),
        Anchor::Middle,
        SOFT,
    );
    canvas.line((from, y), (to, y), FULL, 1.2);
    canvas.path(
        &[(to - 5.0, y - 4.0), (to, y), (to - 5.0, y + 4.0)],
        FULL,
        1.2,
    );
}
