//! The order in which blocks walk over the tiles of C: those of the first wave, and the rows of A and columns of B that they need. What was walked is `product::walk`'s.

use super::Figure;
use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::style::{
    BLUE, Form, GREEN, Ink, LINE, MESH, PURPLE, SMALL, SOFT, VERMILLION, counted, number,
};
use cornerturn_measure::product::{TileWalk, WalkedTile};

const GAP: f64 = 26.0;
const MOST_HEIGHT: f64 = 300.0;
/// Thickness of the rows of A and columns of B beside C, and what lies between.
const STRIP: f64 = 9.0;
const APART: f64 = 3.0;
/// Colours of waves; those further on are paler.
const WAVES: [[u8; 3]; 4] = [VERMILLION, BLUE, GREEN, PURPLE];

/// The tiles of C wave by wave, one picture for each walk, with the rows of A (left) and the columns of B (above) that the first wave
/// needs.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let bf16 = ProductProblem::new(1024, 1024, 64).input(NumberType::Bf16).output(NumberType::Bf16);
/// let walk = TileWalk::of(&Kernel::registered("persistent_bf16")?, &bf16, 8, 384, 8)?;
/// let figure = plot::tile_walk("C of 1024 × 1024, eight blocks", &[("groups of rows", &walk)]);
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
pub fn tile_walk(title: &str, walks: &[(&str, &TileWalk)]) -> Figure {
    let panels: Option<Vec<Panel<'_>>> = walks.iter().map(Panel::new).collect();
    let Some(panels) = panels.filter(|panels| !panels.is_empty()) else {
        return Figure::nothing(
            title,
            "There is nothing to draw: no block takes a tile.",
            "",
        );
    };
    let summary = "colour: the wave in which a tile is taken; beside C, the rows of A and the columns of B that the first wave needs";
    let told: Vec<String> = panels.iter().map(|panel| panel.words.clone()).collect();
    let described = format!("{summary}. {}", told.join("; "));
    Figure::of_lanes("", |form| {
        let heading = Heading::new(title, summary, form.lanes());
        let grid = Grid::new(&panels, form, heading.height() + 6.0);
        let size = (form.lanes(), grid.bottom);
        drawing(size, title, &described, &mut |canvas| {
            canvas.heading(&heading);
            for (panel, at) in panels.iter().zip(&grid.places) {
                panel.draw(canvas, *at, &grid);
            }
        })
    })
}

struct Panel<'w> {
    name: &'w str,
    walk: &'w TileWalk,
    /// What the first wave needs, in words.
    words: String,
}

impl<'w> Panel<'w> {
    fn new((name, walk): &(&'w str, &'w TileWalk)) -> Option<Self> {
        let reads = walk.reads(0)?;
        let shape = walk.shape;
        let is_whole = shape.m > 0 && shape.n > 0;
        let words = format!(
            "{} of {}: {} rows of A and {} columns of B; each is needed {} times",
            counted(reads.tiles as u64, "tile", "tiles"),
            counted(walk.waves() as u64, "wave", "waves"),
            reads.rows,
            reads.columns,
            number(reads.times(), 1),
        );
        is_whole.then_some(Self { name, walk, words })
    }

    fn first(&self) -> impl Iterator<Item = &WalkedTile> {
        self.walk.tiles.iter().filter(|tile| tile.wave == 0)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, at: (f64, f64), grid: &Grid) {
        let (left, top) = (at.0 + STRIP + APART, at.1 + grid.head + STRIP + APART);
        canvas.text(
            (at.0, at.1 + 13.0),
            self.name,
            SMALL,
            Anchor::Start,
            super::style::FULL,
        );
        let lines = small_lines(&self.words, grid.room);
        canvas.lines((at.0, at.1 + 15.0), &lines);
        let scale = grid.scale;
        let (wide, tall) = (
            self.walk.shape.n as f64 * scale,
            self.walk.shape.m as f64 * scale,
        );
        for tile in &self.walk.tiles {
            let (x, y) = (
                left + tile.columns.start as f64 * scale,
                top + tile.rows.start as f64 * scale,
            );
            let size = (
                tile.columns.len() as f64 * scale,
                tile.rows.len() as f64 * scale,
            );
            let gap = if size.0.min(size.1) > 4.0 { 0.6 } else { 0.0 };
            let alpha = if tile.wave == 0 { 1.0 } else { 0.35 };
            let rgb = WAVES[tile.wave % WAVES.len()];
            canvas.fill((x, y), (size.0 - gap, size.1 - gap), Ink::Rgb(rgb, alpha));
        }
        canvas.outline((left, top), (wide, tall), LINE, 0.8);
        self.draw_needs(canvas, at, grid);
    }

    /// Beside C: the rows of A and the columns of B of the first wave.
    fn draw_needs(&self, canvas: &mut Canvas<'_>, at: (f64, f64), grid: &Grid) {
        let (left, top) = (at.0 + STRIP + APART, at.1 + grid.head + STRIP + APART);
        let (wide, tall) = (
            self.walk.shape.n as f64 * grid.scale,
            self.walk.shape.m as f64 * grid.scale,
        );
        canvas.outline((at.0, top), (STRIP, tall), MESH, 1.0);
        canvas.outline((left, top - STRIP - APART), (wide, STRIP), MESH, 1.0);
        let ink = Ink::Rgb(VERMILLION, 1.0);
        let mut rows: Vec<_> = self.first().map(|t| (t.rows.start, t.rows.end)).collect();
        let mut columns: Vec<_> = self
            .first()
            .map(|t| (t.columns.start, t.columns.end))
            .collect();
        for side in [&mut rows, &mut columns] {
            side.sort_unstable();
            side.dedup();
        }
        for (start, end) in rows {
            let y = top + start as f64 * grid.scale;
            canvas.fill((at.0, y), (STRIP, (end - start) as f64 * grid.scale), ink);
        }
        for (start, end) in columns {
            let x = left + start as f64 * grid.scale;
            let size = ((end - start) as f64 * grid.scale, STRIP);
            canvas.fill((x, top - STRIP - APART), size, ink);
        }
        let below = top + tall + 14.0;
        let shape = self.walk.shape;
        let text = format!("C: {} × {}", shape.m, shape.n);
        canvas.text((left, below), &text, SMALL, Anchor::Start, SOFT);
    }
}

/// Where the pictures stand.
struct Grid {
    places: Vec<(f64, f64)>,
    /// Room of each, and height of what is said above it.
    room: f64,
    head: f64,
    /// Pixels of an element.
    scale: f64,
    bottom: f64,
}

impl Grid {
    fn new(panels: &[Panel<'_>], form: Form, top: f64) -> Self {
        let beside = match form {
            Form::Wide => panels.len().min(2),
            Form::Narrow => 1,
        };
        let room = (form.lanes() - (beside - 1) as f64 * GAP) / beside as f64;
        let largest = |side: fn(&Panel<'_>) -> usize| panels.iter().map(side).max().unwrap_or(1);
        let (wide, tall) = (
            largest(|panel| panel.walk.shape.n) as f64,
            largest(|panel| panel.walk.shape.m) as f64,
        );
        let scale = ((room - STRIP - APART) / wide).min(MOST_HEIGHT / tall);
        let lines = panels
            .iter()
            .map(|panel| small_lines(&panel.words, room).len());
        let head = lines.max().unwrap_or(0) as f64 * LINE_HEIGHT + 24.0;
        let height = head + STRIP + APART + tall * scale + 24.0;
        let place = |index: usize| {
            (
                (index % beside) as f64 * (room + GAP),
                top + (index / beside) as f64 * height,
            )
        };
        Self {
            places: (0..panels.len()).map(place).collect(),
            room,
            head,
            scale,
            bottom: top + panels.len().div_ceil(beside) as f64 * height,
        }
    }
}
