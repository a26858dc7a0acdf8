//! The order in which blocks come to a matrix: what they read on the left, what they write on the right, the colour saying when. Moves where the reader's system allows motion.

use super::canvas::{Anchor, Canvas, Heading, drawing};
use super::figure::Figure;
use super::style::{
    FULL, Form, Ink, LINE, MESH, SMALL, SOFT, UNITS_PER_PX, counted, ramp_at, text_width,
};
use cornerturn_base::shape::Shape;
use cornerturn_measure::task::{BlockOrder, Region};
use std::fmt::Write as _;

/// Pixels between the two matrices: side by side, or below each other on a telephone.
const GAP: f64 = 24.0;
/// Height of the line above each matrix.
const HEAD: f64 = 22.0;
const MOST_HEIGHT: f64 = 300.0;
const SCALE_HEIGHT: f64 = 44.0;
/// Blocks that the line through the first ones joins.
const JOINED: usize = 20;
/// Seconds of one pass through all blocks.
const PASS_SECONDS: f64 = 10.0;

/// A block lights up as it starts and fades; pointing at the picture, or tabbing to it, halts it. Without motion all
/// blocks are in full colour.
const STYLE: &str = "<style>@media (prefers-reduced-motion:no-preference){\
.ct-order rect{opacity:0.25;animation:ct-order 10s linear infinite}\
.ct-order:hover rect,.ct-order:focus rect{animation-play-state:paused}}\
@keyframes ct-order{0%,10%{opacity:1}22%,100%{opacity:0.25}}</style>";

/// In what order a launch's blocks read the input and write the output, from [`cornerturn_measure::Task::block_order`].
///
/// ```no_run
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let device = Device::open()?;
/// let small = Task::transpose(&device, 512, 512)?;
/// let order = small.block_order(&Kernel::registered("padded")?, (16, 16), (32, 8))?;
/// let figure = plot::block_order("padded: blocks in row order", &order);
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
pub fn block_order(title: &str, order: &BlockOrder) -> Figure {
    let sides = [(&order.reads, order.input), (&order.writes, order.output)];
    let shown = |(regions, _): &(&Vec<Option<Region>>, Shape)| regions.iter().any(Option::is_some);
    if !sides.iter().all(shown) {
        let reason = "There is nothing to draw: no block reads, or none writes.";
        return Figure::nothing(title, reason, "");
    }
    let wide = order.input.columns.max(order.output.columns) as f64;
    let tall = order.input.rows.max(order.output.rows) as f64;
    Figure::new("", |form| draw(title, &sides, (wide, tall), form))
}

fn draw(
    title: &str,
    sides: &[(&Vec<Option<Region>>, Shape); 2],
    (wide, tall): (f64, f64),
    form: Form,
) -> String {
    let count = sides[0].0.len();
    let panel = match form {
        Form::Wide => (form.bars() - GAP) / 2.0,
        Form::Narrow => form.bars(),
    };
    // Pixels of an element; the same for both matrices.
    let scale = (panel / wide).min(MOST_HEIGHT / tall);
    let is_numbered = sides.iter().all(|side| numbers_fit(side.0, scale, form));
    let joined = match is_numbered {
        true => String::new(),
        false => format!("; the line joins the first {}", JOINED.min(count)),
    };
    let summary = format!(
        "{}, from the first (blue) to the last (orange){joined}",
        counted(count as u64, "block", "blocks")
    );
    let heading = Heading::new(title, &summary, form.bars());
    let top = heading.height() + 8.0 + HEAD;
    let first_tall = sides[0].1.rows as f64 * scale;
    let places = match form {
        Form::Wide => [(0.0, top), (panel + GAP, top)],
        Form::Narrow => [(0.0, top), (0.0, top + first_tall + 8.0 + HEAD)],
    };
    let bottom = match form {
        Form::Wide => top + tall * scale,
        Form::Narrow => places[1].1 + sides[1].1.rows as f64 * scale,
    };
    let panels: Vec<Panel<'_>> = sides
        .iter()
        .zip(places)
        .map(|(&(regions, matrix), at)| Panel {
            regions,
            matrix,
            at,
            scale,
            is_numbered,
            tiny: form.tiny(),
        })
        .collect();
    let size = (form.bars(), bottom + SCALE_HEIGHT);
    let mut svg = drawing(size, title, &summary, &mut |canvas| {
        canvas.heading(&heading);
        for (panel, name) in panels.iter().zip(["what they read", "what they write"]) {
            panel.draw(canvas, name);
        }
        draw_scale(canvas, bottom + 12.0, count, form);
    });
    // Below everything that `drawing` drew.
    if let Some(end) = svg.find("</desc>\n") {
        let blocks: String = panels.iter().map(Panel::blocks).collect();
        // Below numbers, which have the page's colour, half of it is the page's too.
        let opacity = if is_numbered { 0.5 } else { 1.0 };
        let group = format!(
            "{STYLE}\n<g class=\"ct-order\" tabindex=\"0\" fill-opacity=\"{opacity}\">\n{blocks}</g>\n"
        );
        svg.insert_str(end + "</desc>\n".len(), &group);
    }
    svg
}

/// One matrix with its blocks.
struct Panel<'a> {
    regions: &'a [Option<Region>],
    matrix: Shape,
    /// Upper left corner.
    at: (f64, f64),
    scale: f64,
    /// Whether its blocks carry their numbers.
    is_numbered: bool,
    /// The size of these.
    tiny: f64,
}

/// Whether every block has room for its number.
fn numbers_fit(regions: &[Option<Region>], scale: f64, form: Form) -> bool {
    let widest = text_width(&regions.len().to_string(), form.tiny());
    regions.iter().flatten().all(|region| {
        let width = region.columns.len() as f64 * scale;
        let height = region.rows.len() as f64 * scale;
        width >= widest + 2.0 && height >= form.tiny() + 1.0
    })
}

impl Panel<'_> {
    /// Corner and size of a region in the picture; no region lies outside of the matrix.
    fn place(&self, region: &Region) -> ((f64, f64), (f64, f64)) {
        let x = |column: usize| column.min(self.matrix.columns) as f64 * self.scale;
        let y = |row: usize| row.min(self.matrix.rows) as f64 * self.scale;
        let (left, top) = (x(region.columns.start), y(region.rows.start));
        let size = (x(region.columns.end) - left, y(region.rows.end) - top);
        ((self.at.0 + left, self.at.1 + top), size)
    }

    fn middle(&self, region: &Region) -> (f64, f64) {
        let (at, size) = self.place(region);
        (at.0 + size.0 / 2.0, at.1 + size.1 / 2.0)
    }

    /// When a block starts, as a part of all, 0 to 1.
    fn part(&self, index: usize) -> f64 {
        index as f64 / (self.regions.len().max(2) - 1) as f64
    }

    /// The blocks as rectangles, each with its colour and the time of its start.
    fn blocks(&self) -> String {
        let mut out = String::new();
        let unit = |px: f64| (px * UNITS_PER_PX).round();
        for (index, region) in self.regions.iter().enumerate() {
            let Some(region) = region else { continue };
            let ((x, y), (width, height)) = self.place(region);
            let gap = if width.min(height) > 4.0 { 0.5 } else { 0.0 };
            let [r, g, b] = ramp_at(self.part(index));
            // A negative delay: the picture begins with the first blocks, and every one is in its place of the pass.
            let delay = index as f64 / self.regions.len() as f64 * PASS_SECONDS - PASS_SECONDS;
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#{r:02x}{g:02x}{b:02x}\" \
                 style=\"animation-delay:{delay:.2}s\"/>",
                unit(x),
                unit(y),
                unit((width - gap).max(0.0)),
                unit((height - gap).max(0.0)),
            );
        }
        out
    }

    fn draw(&self, canvas: &mut Canvas<'_>, name: &str) {
        let Shape { rows, columns } = self.matrix;
        let name = format!("{name}: {rows} × {columns}");
        canvas.text(
            (self.at.0, self.at.1 - 7.0),
            &name,
            SMALL,
            Anchor::Start,
            SOFT,
        );
        let size = (columns as f64 * self.scale, rows as f64 * self.scale);
        canvas.outline(self.at, size, MESH, 1.0);
        if self.is_numbered {
            self.draw_numbers(canvas);
        } else {
            self.draw_path(canvas);
        }
    }

    fn draw_numbers(&self, canvas: &mut Canvas<'_>) {
        for (index, region) in self.regions.iter().enumerate() {
            let Some(region) = region else { continue };
            let (x, y) = self.middle(region);
            let at = (x, y + self.tiny * 0.36);
            canvas.text(at, &index.to_string(), self.tiny, Anchor::Middle, FULL);
        }
    }

    /// A line through the first blocks, with a dot at the first.
    fn draw_path(&self, canvas: &mut Canvas<'_>) {
        let first = self.regions.iter().flatten().take(JOINED);
        let points: Vec<(f64, f64)> = first.map(|region| self.middle(region)).collect();
        if let Some(&(x, y)) = points.first() {
            canvas.path(&points, FULL, 1.2);
            // The dot of a block at the very edge stays inside the picture.
            canvas.fill(((x - 2.5).max(0.0), y - 2.5), (5.0, 5.0), FULL);
        }
    }
}

/// The colours from the first block to the last.
fn draw_scale(canvas: &mut Canvas<'_>, top: f64, count: usize, form: Form) {
    const STEPS: u32 = 64;
    let left = text_width("starts first", SMALL) + 8.0;
    let right = text_width("last", SMALL) + 8.0;
    let width = (form.bars() - left - right) / f64::from(STEPS);
    canvas.text(
        (0.0, top + 10.0),
        "starts first",
        SMALL,
        Anchor::Start,
        SOFT,
    );
    for step in 0..STEPS {
        let rgb = ramp_at(f64::from(step) / f64::from(STEPS - 1));
        let x = left + f64::from(step) * width;
        canvas.fill((x, top), (width, 12.0), Ink::Rgb(rgb, 1.0));
    }
    canvas.text((form.bars(), top + 10.0), "last", SMALL, Anchor::End, SOFT);
    let end = left + width * f64::from(STEPS);
    for (x, label) in [(left, 0), (end, count.saturating_sub(1))] {
        canvas.line((x, top + 12.0), (x, top + 16.0), LINE, 1.0);
        let label = format!("block {label}");
        canvas.text((x, top + 27.0), &label, form.tiny(), Anchor::Middle, SOFT);
    }
}
