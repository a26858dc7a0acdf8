//! The landscape of a search: a cell for each variant, in panels, rows and columns; its number and colour are its rate in per cent of the reference's, the driver's copy or cuBLAS. What was searched is `tuning`'s.

use super::canvas::{Anchor, Canvas, Heading, drawing};
use super::figure::Figure;
use super::style::{
    FULL, Form, Ink, LINE, MESH, SMALL, SOFT, TEXT, number, ramp, text_on, text_width, wrap,
};
use cornerturn_base::element::ElementType;
use cornerturn_base::error::Result;
use cornerturn_measure::tuning::{Choice, FoundOf, Subject, Transpose, TriedOf, Tuning, TuningOf};

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
/// Per cent of the reference that the colours tell apart, from the best downwards.
const SPAN: f64 = 15.0;
/// No variant is so much faster; a number beyond it is a mistake.
const MOST_PERCENT: f64 = 1e4;
/// Steps of the colour ramp.
const STEPS: u32 = 32;

/// What a search of `rows` × `columns` elements found, the best framed, the driver's copy on the scale.
///
/// # Errors
/// [`cornerturn_base::Error::Usage`] where there is no such search; it names those that there are.
pub fn landscape(
    tuning: &Tuning,
    element: ElementType,
    rows: usize,
    columns: usize,
) -> Result<Figure> {
    landscape_of(
        tuning,
        &Transpose {
            element,
            rows,
            columns,
        },
    )
}

/// What a search found, the best framed, the reference on the scale.
///
/// # Errors
/// As [`landscape`].
pub fn landscape_of<S: Subject>(tuning: &TuningOf<S>, subject: &S) -> Result<Figure> {
    let found = tuning.of(subject)?;
    let title = format!("The search at {subject} on {}", tuning.device.facts.name);
    let caption = tuning.provenance(found.search);
    let (Some(best), Some(rate)) = (found.best(), found.search.reference_rate()) else {
        return Ok(Figure::nothing(
            &title,
            &format!(
                "There is nothing to draw: no variant was timed beside {}.",
                S::REFERENCE
            ),
            &caption,
        ));
    };
    let ties = found.ties();
    let mut summary = format!(
        "per cent of {} ({rate:.*} {}), medians with a {} cache; frame: the best",
        S::REFERENCE,
        if rate < 100.0 { 1 } else { 0 },
        S::UNIT,
        S::MODE
    );
    if !ties.is_empty() {
        summary.push_str("; ≈: not told apart from it, quartiles overlap");
    }
    Ok(Figure::new(&caption, |form| {
        let picture = Picture::new(&found, best, &ties, form);
        let heading = Heading::new(&title, &summary, form.bars());
        let height = heading.height() + picture.height();
        let words = picture.words();
        drawing((form.bars(), height), &title, &words, &mut |canvas| {
            let top = canvas.heading(&heading);
            picture.draw(canvas, top);
        })
    }))
}

/// The values in their places.
struct Picture<V> {
    panels: Vec<String>,
    rows: Vec<String>,
    columns: Vec<String>,
    cells: Vec<Cell<V>>,
    /// What the scale's mark is.
    reference: &'static str,
    /// What the scale measures.
    scale: String,
    /// The value of the ramp's lower end, and of its upper.
    ends: (f64, f64),
    form: Form,
}

/// One variant that was timed.
struct Cell<V> {
    variant: V,
    /// Panel, row and column.
    place: [String; 3],
    percent: f64,
    is_best: bool,
    is_tie: bool,
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

impl<V: Choice> Picture<V> {
    fn new<S: Subject<Variant = V>>(
        found: &FoundOf<'_, S>,
        best: &TriedOf<S>,
        ties: &[&TriedOf<S>],
        form: Form,
    ) -> Self {
        let mut tried: Vec<_> = found.timed.iter().chain(&found.refused).copied().collect();
        tried.sort_by_key(|tried| found.place(&tried.variant));
        let places: Vec<[String; 3]> = tried.iter().map(|tried| tried.variant.place()).collect();
        let cell = |(tried, place): (&&TriedOf<S>, &[String; 3])| {
            Some(Cell {
                variant: tried.variant,
                place: place.clone(),
                percent: found.percent(tried).filter(|value| *value < MOST_PERCENT)?,
                is_best: tried.variant == best.variant,
                is_tie: ties.iter().any(|tie| tie.variant == tried.variant),
            })
        };
        let cells: Vec<Cell<V>> = tried.iter().zip(&places).filter_map(cell).collect();
        let values = || cells.iter().map(|cell| cell.percent);
        let highest = values().fold(100.0, f64::max);
        let lowest = values().fold(highest, f64::min);
        let all = |part: usize| distinct(places.iter().map(|place| place[part].clone()));
        let is_copy = S::UNIT == "GB/s";
        Self {
            panels: all(0),
            rows: all(1),
            columns: all(2),
            reference: if is_copy { "device copy" } else { S::REFERENCE },
            scale: match is_copy {
                true => "bandwidth, % of the device copy".to_string(),
                false => format!("rate, % of {}", S::REFERENCE),
            },
            ends: (lowest.max(highest - SPAN).min(highest - 1.0), highest),
            cells,
            form,
        }
    }

    /// Width of a column of cells; the best one's frame goes beyond its cell.
    fn column(&self) -> f64 {
        (self.form.bars() - labels(self.form) - 2.0) / self.columns.len().max(1) as f64
    }

    /// A column's head, broken into lines.
    fn head(&self, column: &str) -> Vec<String> {
        wrap(column, self.form.tiny(), self.column() - 3.0, 4)
    }

    fn heads_height(&self) -> f64 {
        let lines = self.columns.iter().map(|column| self.head(column).len());
        HEAD_LINE * lines.max().unwrap_or(0).max(2) as f64 + 4.0
    }

    fn panel_height(&self) -> f64 {
        PANEL_TITLE + self.heads_height() + self.rows.len() as f64 * CELL_HEIGHT + PANEL_GAP
    }

    fn height(&self) -> f64 {
        self.panels.len() as f64 * self.panel_height() + SCALE_HEIGHT
    }

    /// What a screen reader says.
    fn words(&self) -> String {
        let said = |cell: Option<&Cell<V>>| {
            cell.map_or("–".to_string(), |cell| {
                format!("{}, {} %", cell.variant, number(cell.percent, 1))
            })
        };
        let slowest = self
            .cells
            .iter()
            .min_by(|a, b| a.percent.total_cmp(&b.percent));
        format!(
            "{} variants, per cent of {}; best: {}; slowest: {}",
            self.cells.len(),
            self.reference,
            said(self.cells.iter().find(|cell| cell.is_best)),
            said(slowest)
        )
    }

    fn draw(&self, canvas: &mut Canvas<'_>, top: f64) {
        let mut y = top;
        for panel in &self.panels {
            self.draw_panel(canvas, panel, y);
            y += self.panel_height();
        }
        self.draw_scale(canvas, y);
    }

    fn draw_panel(&self, canvas: &mut Canvas<'_>, panel: &str, top: f64) {
        let (left, tiny, width) = (labels(self.form), self.form.tiny(), self.column());
        canvas.bold((0.0, top + 20.0), panel, TEXT, Anchor::Start, FULL);
        let mut y = top + PANEL_TITLE;
        for (line, text) in V::ROWS.into_iter().enumerate() {
            canvas.text(
                (0.0, y + 12.0 + HEAD_LINE * line as f64),
                text,
                tiny,
                Anchor::Start,
                SOFT,
            );
        }
        for (column, name) in self.columns.iter().enumerate() {
            let middle = left + width * (column as f64 + 0.5);
            for (line, text) in self.head(name).iter().enumerate() {
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
        let mut frame = None;
        for row in &self.rows {
            canvas.text((left - 8.0, y + 15.0), row, SMALL, Anchor::End, FULL);
            for (index, column) in self.columns.iter().enumerate() {
                let at = (left + width * index as f64, y);
                let is_here = |cell: &&Cell<V>| {
                    let [of_panel, of_row, of_column] = &cell.place;
                    of_panel == panel && of_row == row && of_column == column
                };
                let cell = self.cells.iter().find(is_here);
                self.draw_cell(canvas, cell, at, width);
                if cell.is_some_and(|cell| cell.is_best) {
                    frame = Some(at);
                }
            }
            y += CELL_HEIGHT;
        }
        // The frame of the best lies over its neighbours.
        if let Some((x, y)) = frame {
            let size = (width + 2.0, CELL_HEIGHT + 2.0);
            canvas.outline((x - 1.0, y - 1.0), size, FULL, 2.4);
        }
    }

    fn draw_cell(
        &self,
        canvas: &mut Canvas<'_>,
        cell: Option<&Cell<V>>,
        at: (f64, f64),
        width: f64,
    ) {
        let size = (width - 2.0, CELL_HEIGHT - 2.0);
        let (at, middle) = ((at.0 + 1.0, at.1 + 1.0), (at.0 + width / 2.0, at.1 + 15.0));
        let Some(cell) = cell else {
            canvas.outline(at, size, MESH, 1.0);
            canvas.text(middle, "–", SMALL, Anchor::Middle, SOFT);
            return;
        };
        let color = self.color(cell.percent);
        canvas.fill(at, size, Ink::Rgb(color, 1.0));
        let ink = Ink::Rgb(text_on(color), 1.0);
        let text = format!("{:.1}", cell.percent);
        if cell.is_best {
            canvas.bold(middle, &text, SMALL, Anchor::Middle, ink);
        } else {
            canvas.text(middle, &text, SMALL, Anchor::Middle, ink);
        }
        if cell.is_tie {
            let left = middle.0 - text_width(&text, SMALL) / 2.0 - 4.0;
            canvas.text((left, middle.1), "≈", SMALL, Anchor::End, ink);
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
        let below = self.cells.iter().any(|cell| cell.percent < low - 0.05);
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
        canvas.text(
            (x(100.0), y - 8.0),
            self.reference,
            SMALL,
            Anchor::End,
            FULL,
        );
        canvas.text((left, y + 43.0), &self.scale, SMALL, Anchor::Start, SOFT);
    }
}
