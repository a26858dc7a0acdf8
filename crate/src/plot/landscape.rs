//! The landscape of a search: tiles and loads in flight against block orders, one panel for each pair of cache hints, a cell's number and colour its bandwidth in per cent of the driver's copy. What was searched is `tuning`'s.

use super::canvas::{Anchor, Canvas, Heading, drawing};
use super::figure::Figure;
use super::style::{
    FULL, Form, Ink, LINE, MESH, SMALL, SOFT, TEXT, number, ramp, text_on, text_width, wrap,
};
use crate::element::ElementType;
use crate::error::Result;
use crate::tuning::{Found, Hints, Order, Tried, Tuning, Variant};

/// Width of the labels left of the cells.
const fn labels(form: Form) -> f64 {
    match form {
        Form::Wide => 92.0,
        Form::Narrow => 80.0,
    }
}
const CELL_HEIGHT: f64 = 22.0;
const PANEL_TITLE: f64 = 28.0;
/// Height of a line of a column's head.
const HEAD_LINE: f64 = 13.0;
const PANEL_GAP: f64 = 8.0;
const SCALE_HEIGHT: f64 = 74.0;
/// Per cent of the copy that the colours tell apart, from the best downwards.
const SPAN: f64 = 15.0;
/// No variant is so much faster than a copy; a number beyond it is a mistake.
const MOST_PERCENT: f64 = 1e4;
/// Steps of the colour ramp.
const STEPS: u32 = 32;

/// What a search of `rows` × `columns` elements found, the best framed, the driver's copy on the scale.
///
/// # Errors
/// [`crate::Error::Usage`] where there is no such search; it names those that there are.
pub fn landscape(
    tuning: &Tuning,
    element: ElementType,
    rows: usize,
    columns: usize,
) -> Result<Figure> {
    let found = tuning.search(element, rows, columns)?;
    let title = format!(
        "The search at {rows} × {columns} {element} on {}",
        tuning.device.facts.name
    );
    let caption = tuning.provenance(found.search);
    let (Some(best), Some(copy)) = (found.best(), found.search.copy_gb_per_s()) else {
        return Ok(Figure::nothing(
            &title,
            "There is nothing to draw: no variant was timed.",
            &caption,
        ));
    };
    let ties = found.ties();
    let mut summary = format!(
        "per cent of the driver's copy of the same bytes ({copy}), medians with a cold cache; frame: the best"
    );
    if !ties.is_empty() {
        summary.push_str("; ≈: not told apart from it, quartiles overlap");
    }
    Ok(Figure::new(&caption, |form| {
        let picture = Picture::new(&found, best, &ties, form);
        let heading = Heading::new(&title, &summary, form.bars());
        let height = heading.height() + picture.height();
        let words = picture.words(&found, best);
        drawing((form.bars(), height), &title, &words, &mut |canvas| {
            let top = canvas.heading(&heading);
            picture.draw(canvas, top);
        })
    }))
}

/// One row of cells: a tile and the loads in flight.
type RowKey = ([u32; 2], u32);

/// The values in their places.
struct Picture<'a> {
    hints: Vec<Hints>,
    rows: Vec<RowKey>,
    orders: Vec<Order>,
    cells: Vec<(Variant, f64)>,
    best: &'a Variant,
    ties: Vec<&'a Variant>,
    /// The value of the ramp's lower end, and of its upper.
    ends: (f64, f64),
    form: Form,
}

/// The distinct values, in the order that they are first met.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

impl<'a> Picture<'a> {
    fn new(found: &Found<'a>, best: &'a Tried, ties: &[&'a Tried], form: Form) -> Self {
        let mut tried: Vec<&Tried> = found.timed.iter().chain(&found.refused).copied().collect();
        tried.sort_by_key(|tried| found.place(&tried.variant));
        let variants = || tried.iter().map(|tried| tried.variant);
        let percent = |tried: &&Tried| Some((tried.variant, found.percent_of_copy(tried)?));
        let cells = tried.iter().filter_map(percent);
        let cells: Vec<(Variant, f64)> = cells.filter(|(_, value)| *value < MOST_PERCENT).collect();
        let values = || cells.iter().map(|(_, percent)| *percent);
        let highest = values().fold(100.0, f64::max);
        let lowest = values().fold(highest, f64::min);
        Self {
            hints: distinct(variants().map(|variant| variant.hints)),
            rows: distinct(variants().map(|variant| (variant.tile, variant.loads))),
            orders: distinct(variants().map(|variant| variant.order)),
            best: &best.variant,
            ties: ties.iter().map(|tie| &tie.variant).collect(),
            ends: (lowest.max(highest - SPAN).min(highest - 1.0), highest),
            cells,
            form,
        }
    }

    /// Width of a column of cells; the best one's frame goes beyond its cell.
    fn column(&self) -> f64 {
        (self.form.bars() - labels(self.form) - 2.0) / self.orders.len().max(1) as f64
    }

    /// A column's head, broken into lines.
    fn head(&self, order: &Order) -> Vec<String> {
        wrap(&order.to_string(), self.form.tiny(), self.column() - 3.0, 4)
    }

    fn heads_height(&self) -> f64 {
        let lines = self.orders.iter().map(|order| self.head(order).len());
        HEAD_LINE * lines.max().unwrap_or(0).max(2) as f64 + 4.0
    }

    fn panel_height(&self) -> f64 {
        PANEL_TITLE + self.heads_height() + self.rows.len() as f64 * CELL_HEIGHT + PANEL_GAP
    }

    fn height(&self) -> f64 {
        self.hints.len() as f64 * self.panel_height() + SCALE_HEIGHT
    }

    /// What a screen reader says.
    fn words(&self, found: &Found, best: &Tried) -> String {
        let percent = |tried: &Tried| {
            found
                .percent_of_copy(tried)
                .map_or("–".to_string(), |p| number(p, 1))
        };
        let slowest = found.timed.last().copied().unwrap_or(best);
        format!(
            "{} variants; best: {}, {} % of the copy; slowest: {}, {} %",
            self.cells.len(),
            best.variant,
            percent(best),
            slowest.variant,
            percent(slowest)
        )
    }

    fn draw(&self, canvas: &mut Canvas<'_>, top: f64) {
        let mut y = top;
        for hints in &self.hints {
            self.draw_panel(canvas, hints, y);
            y += self.panel_height();
        }
        self.draw_scale(canvas, y);
    }

    fn draw_panel(&self, canvas: &mut Canvas<'_>, hints: &Hints, top: f64) {
        let (left, tiny, width) = (labels(self.form), self.form.tiny(), self.column());
        canvas.bold(
            (0.0, top + 20.0),
            &format!("Cache hints: {hints}"),
            TEXT,
            Anchor::Start,
            FULL,
        );
        let mut y = top + PANEL_TITLE;
        for (line, text) in ["tile · loads", "in flight"].into_iter().enumerate() {
            canvas.text(
                (0.0, y + 12.0 + HEAD_LINE * line as f64),
                text,
                tiny,
                Anchor::Start,
                SOFT,
            );
        }
        for (column, order) in self.orders.iter().enumerate() {
            let middle = left + width * (column as f64 + 0.5);
            for (line, text) in self.head(order).iter().enumerate() {
                canvas.text(
                    (middle, y + 12.0 + HEAD_LINE * line as f64),
                    text,
                    tiny,
                    Anchor::Middle,
                    SOFT,
                );
            }
        }
        y += self.heads_height();
        for &(tile, loads) in &self.rows {
            let label = format!("{}×{} · {loads}", tile[0], tile[1]);
            canvas.text((left - 8.0, y + 15.0), &label, SMALL, Anchor::End, FULL);
            for (column, &order) in self.orders.iter().enumerate() {
                let variant = Variant {
                    tile,
                    loads,
                    order,
                    hints: *hints,
                };
                let at = (left + width * column as f64, y);
                self.draw_cell(canvas, &variant, at, width);
            }
            y += CELL_HEIGHT;
        }
        // The frame of the best lies over its neighbours.
        if self.best.hints == *hints {
            self.draw_frame(canvas, top + PANEL_TITLE + self.heads_height(), width);
        }
    }

    fn draw_cell(&self, canvas: &mut Canvas<'_>, variant: &Variant, at: (f64, f64), width: f64) {
        let size = (width - 2.0, CELL_HEIGHT - 2.0);
        let (at, middle) = ((at.0 + 1.0, at.1 + 1.0), (at.0 + width / 2.0, at.1 + 15.0));
        let Some((_, percent)) = self.cells.iter().find(|(other, _)| other == variant) else {
            canvas.outline(at, size, MESH, 1.0);
            canvas.text(middle, "–", SMALL, Anchor::Middle, SOFT);
            return;
        };
        let color = self.color(*percent);
        canvas.fill(at, size, Ink::Rgb(color, 1.0));
        let ink = Ink::Rgb(text_on(color), 1.0);
        let text = format!("{percent:.1}");
        if variant == self.best {
            canvas.bold(middle, &text, SMALL, Anchor::Middle, ink);
        } else {
            canvas.text(middle, &text, SMALL, Anchor::Middle, ink);
        }
        if self.ties.contains(&variant) {
            let left = middle.0 - text_width(&text, SMALL) / 2.0 - 4.0;
            canvas.text((left, middle.1), "≈", SMALL, Anchor::End, ink);
        }
    }

    fn draw_frame(&self, canvas: &mut Canvas<'_>, top: f64, width: f64) {
        let row = self
            .rows
            .iter()
            .position(|row| *row == (self.best.tile, self.best.loads));
        let column = self
            .orders
            .iter()
            .position(|order| *order == self.best.order);
        if let (Some(row), Some(column)) = (row, column) {
            let at = (
                labels(self.form) + width * column as f64 - 1.0,
                top + CELL_HEIGHT * row as f64 - 1.0,
            );
            canvas.outline(at, (width + 2.0, CELL_HEIGHT + 2.0), FULL, 2.4);
        }
    }

    fn color(&self, percent: f64) -> [u8; 3] {
        let (low, high) = self.ends;
        let share = ((percent - low) / (high - low)).clamp(0.0, 1.0);
        ramp((share * f64::from(STEPS - 1)).round() as u32)
    }

    /// The colours with their values, and the copy's place among them.
    fn draw_scale(&self, canvas: &mut Canvas<'_>, top: f64) {
        let (low, high) = self.ends;
        let left = labels(self.form);
        let (width, y) = (self.form.bars() - left - 12.0, top + 24.0);
        let x = |percent: f64| left + width * (percent - low) / (high - low);
        let step = width / f64::from(STEPS);
        for i in 0..STEPS {
            let at = (left + step * f64::from(i), y);
            canvas.fill(at, (step + 0.3, 12.0), Ink::Rgb(ramp(i), 1.0));
        }
        let below = self.cells.iter().any(|(_, percent)| *percent < low - 0.05);
        let mut tick = (low / 5.0).ceil() * 5.0;
        if tick - low > 1.0 || below {
            let text = if below {
                format!("≤ {low:.0}")
            } else {
                format!("{low:.0}")
            };
            canvas.text((left, y + 27.0), &text, SMALL, Anchor::Start, SOFT);
            tick = tick.max(low + 4.0);
            tick = (tick / 5.0).ceil() * 5.0;
        }
        while tick <= high {
            canvas.line((x(tick), y + 12.0), (x(tick), y + 16.0), LINE, 1.0);
            canvas.text(
                (x(tick), y + 27.0),
                &number(tick, 0),
                SMALL,
                Anchor::Middle,
                SOFT,
            );
            tick += 5.0;
        }
        canvas.line((x(100.0), y - 4.0), (x(100.0), y + 16.0), FULL, 1.6);
        canvas.text((x(100.0), y - 8.0), "device copy", SMALL, Anchor::End, FULL);
        canvas.text(
            (left, y + 43.0),
            "bandwidth, % of the device copy",
            SMALL,
            Anchor::Start,
            SOFT,
        );
    }
}
