//! The picture of bars against a limit: text above each bar, columns of numbers to the right, one axis below. What the bars mean is `bars`'s.

use super::bar::{Bar, BarKind};
use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::figure::Figure;
use super::label::{Label, MARK};
use super::scale::Scale;
use super::style::{
    BLUE, FULL, Form, Ink, LINE, MESH, PURPLE, SMALL, SOFT, TEXT, bandwidth_number, number,
    percent, text_width,
};
use cornerturn_base::traffic::GbPerS;

/// What is drawn.
pub(super) struct Chart<'a> {
    pub(super) title: &'a str,
    /// The line below the title.
    pub(super) summary: &'a str,
    pub(super) bars: &'a [Bar],
    pub(super) limit: Option<Limit>,
    /// A second reference, in a column only.
    pub(super) peak: Option<GbPerS>,
    /// What the bars are numbers of.
    pub(super) unit: Unit,
}

/// What the bars of a chart are numbers of, whatever type carries them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// 10⁹ bytes a second.
    Bandwidth,
    /// 10¹² operations a second.
    Products,
}

impl Unit {
    /// Its short name.
    const fn name(self) -> &'static str {
        match self {
            Self::Bandwidth => "GB/s",
            Self::Products => "TFLOP/s",
        }
    }

    /// What is drawn along the axis.
    const fn axis(self) -> &'static str {
        match self {
            Self::Bandwidth => "effective bandwidth, GB/s (1 GB = 10⁹ bytes, read and written)",
            Self::Products => {
                "TFLOP/s: 2 · m · n · k operations in the time of one product, 10¹² a second"
            }
        }
    }
}

/// The line that bounds the bars.
pub(super) struct Limit {
    pub(super) value: GbPerS,
    pub(super) label: &'static str,
    /// Head of the column that compares with it.
    pub(super) share: &'static str,
    /// What is said of a bar above it.
    pub(super) above: &'static str,
}

pub(super) const BAR_HEIGHT: f64 = 16.0;
pub(super) const ROW_GAP: f64 = 9.0;
const HEADER_HEIGHT: f64 = 22.0;
/// Height of the ticks and their numbers.
const TICKS_HEIGHT: f64 = 22.0;

/// Width of a column of numbers, as wide as its head.
fn column(form: Form, unit: Unit) -> f64 {
    match (unit, form.is_narrow()) {
        (Unit::Bandwidth, true) => 50.0,
        (Unit::Bandwidth, false) => 60.0,
        (Unit::Products, true) => 64.0,
        (Unit::Products, false) => 74.0,
    }
}

pub(super) fn is_drawable(value: GbPerS) -> bool {
    // No memory will pass 10¹² GB/s; a number beyond that is a mistake, and would leave the other bars invisible.
    value.0 > 0.0 && value.0 <= 1e12
}

impl Chart<'_> {
    pub(super) fn draw(mut self, caption: &str) -> Figure {
        self.limit = self.limit.filter(|limit| is_drawable(limit.value));
        self.peak = self.peak.filter(|&peak| is_drawable(peak));
        let values = self.values().map(|v| v.0);
        let largest = values.fold(0.0, f64::max);
        if largest == 0.0 {
            let reason = "There is nothing to draw: no bandwidth was given.";
            return Figure::nothing(self.title, reason, caption);
        }
        let above = self
            .limit
            .as_ref()
            .filter(|limit| self.values().any(|v| v > limit.value));
        let caption = match above {
            Some(limit) => format!("{caption} {}", limit.above),
            None => caption.to_owned(),
        };
        Figure::new(&caption, |form| Layout::new(&self, largest, form).draw())
    }

    fn values(&self) -> impl Iterator<Item = GbPerS> {
        self.bars
            .iter()
            .map(|bar| bar.value)
            .filter(|&value| is_drawable(value))
    }
}

/// A bar with its text broken into lines.
struct Row<'a> {
    bar: &'a Bar,
    label: Label,
}

impl<'a> Row<'a> {
    fn new(bar: &'a Bar, form: Form) -> Self {
        let note = bar.note.as_deref().unwrap_or_default();
        Self {
            bar,
            label: Label::new(&bar.label, note, form),
        }
    }

    fn height(&self) -> f64 {
        self.label.height() + BAR_HEIGHT + ROW_GAP
    }
}

/// A chart with its places in the picture.
struct Layout<'a> {
    chart: &'a Chart<'a>,
    heading: Heading,
    rows: Vec<Row<'a>>,
    largest: f64,
    /// From 0 to a little more than the largest value.
    scale: Scale,
    /// Where the bars' part of the width ends.
    plot_end: f64,
    /// Where the columns of numbers end: the values, then the shares.
    columns: Vec<(f64, &'static str, Option<GbPerS>)>,
    /// Upper edge of the first row.
    top: f64,
    /// Height of the axis.
    axis: f64,
    /// What is said below it.
    unit: Vec<String>,
    form: Form,
}

impl<'a> Layout<'a> {
    fn new(chart: &'a Chart<'a>, largest: f64, form: Form) -> Self {
        let heading = Heading::new(chart.title, chart.summary, form.bars());
        let row = |bar| Row::new(bar, form);
        let rows: Vec<Row<'_>> = chart.bars.iter().map(row).collect();
        let shares = [
            chart
                .limit
                .as_ref()
                .map(|limit| (limit.share, Some(limit.value))),
            chart.peak.map(|peak| ("of peak", Some(peak))),
        ];
        let mut columns = Vec::new();
        let mut end = form.bars() - MARK;
        for (head, reference) in shares.into_iter().rev().flatten() {
            columns.insert(0, (end, head, reference));
            end -= column(form, chart.unit);
        }
        columns.insert(0, (end, chart.unit.name(), None));
        let limit = chart.limit.as_ref().map_or(0.0, |limit| limit.value.0);
        let top = heading.height() + HEADER_HEIGHT + 4.0;
        Self {
            axis: top + rows.iter().map(Row::height).sum::<f64>(),
            top,
            heading,
            rows,
            largest,
            scale: Scale {
                from: 0.0,
                to: largest.max(limit) * 1.03,
            },
            plot_end: end - column(form, chart.unit),
            unit: small_lines(chart.unit.axis(), form.bars()),
            form,
            columns,
            chart,
        }
    }

    /// The place of a value on the axis.
    fn x(&self, value: f64) -> f64 {
        self.scale.place(value, 0.0, self.plot_end)
    }

    fn draw(&self) -> String {
        let below = TICKS_HEIGHT + self.unit.len() as f64 * LINE_HEIGHT + 4.0;
        let size = (self.form.bars(), self.axis + below);
        drawing(size, self.chart.title, &self.description(), &mut |canvas| {
            canvas.heading(&self.heading);
            self.draw_axis(canvas);
            for (end, head, _) in &self.columns {
                canvas.text((*end, self.top - 8.0), head, SMALL, Anchor::End, SOFT);
            }
            if let Some(limit) = &self.chart.limit {
                self.draw_limit(canvas, limit);
            }
            let mut y = self.top;
            for row in &self.rows {
                row.label.draw(canvas, y);
                self.draw_numbers(canvas, row.bar, y + row.label.height());
                y += row.height();
            }
        })
    }

    /// What a screen reader says.
    fn description(&self) -> String {
        let value = |value: GbPerS| match is_drawable(value) {
            true => {
                let number = bandwidth_number(value.0, self.largest);
                format!("{number} {}", self.chart.unit.name())
            }
            false => "no value".to_owned(),
        };
        let bars = self
            .chart
            .bars
            .iter()
            .map(|bar| (bar.label.as_str(), bar.value));
        let limit = self
            .chart
            .limit
            .iter()
            .map(|limit| (limit.label, limit.value));
        let parts: Vec<String> = bars
            .chain(limit)
            .map(|(label, v)| format!("{label}: {}", value(v)))
            .collect();
        parts.join("; ")
    }

    fn draw_axis(&self, canvas: &mut Canvas<'_>) {
        canvas.line((0.0, self.axis), (self.plot_end, self.axis), LINE, 1.0);
        let ticks = if self.form.is_narrow() { 4 } else { 6 };
        for tick in self.scale.ticks(ticks) {
            let x = self.x(tick);
            if tick > 0.0 {
                canvas.line((x, self.top), (x, self.axis), MESH, 1.0);
            }
            canvas.line((x, self.axis), (x, self.axis + 4.0), LINE, 1.0);
            let anchor = if tick > 0.0 {
                Anchor::Middle
            } else {
                Anchor::Start
            };
            let decimals = if self.largest < 10.0 { 2 } else { 0 };
            canvas.text(
                (x, self.axis + 17.0),
                &number(tick, decimals),
                SMALL,
                anchor,
                SOFT,
            );
        }
        canvas.lines((0.0, self.axis + TICKS_HEIGHT), &self.unit);
    }

    /// The limit's line and its label; the line stops where a label is in its way.
    fn draw_limit(&self, canvas: &mut Canvas<'_>, limit: &Limit) {
        let x = self.x(limit.value.0);
        let label = format!(
            "{} {}",
            limit.label,
            bandwidth_number(limit.value.0, limit.value.0)
        );
        // The label stands above the line, or as near as the first column's head lets it.
        let half = text_width(&label, SMALL) / 2.0;
        let center = x.min(self.plot_end + 16.0 - half).max(half);
        canvas.text(
            (center, self.top - 8.0),
            &label,
            SMALL,
            Anchor::Middle,
            FULL,
        );
        let mut from = self.top - 4.0;
        let mut y = self.top;
        for row in &self.rows {
            if row.label.end() + 6.0 > x {
                canvas.line((x, from), (x, y), FULL, 1.6);
                from = y + row.label.height();
            }
            y += row.height();
        }
        canvas.line((x, from), (x, self.axis), FULL, 1.6);
    }

    /// A bar and its numbers.
    fn draw_numbers(&self, canvas: &mut Canvas<'_>, bar: &Bar, y: f64) {
        let baseline = y + BAR_HEIGHT - 3.0;
        let draws = is_drawable(bar.value);
        if draws {
            self.draw_bar(canvas, bar, y);
        }
        for &(end, _, reference) in &self.columns {
            match reference {
                None if !draws => {
                    canvas.text((end, baseline), "no value", SMALL, Anchor::End, SOFT)
                }
                None => {
                    let text = bandwidth_number(bar.value.0, self.largest);
                    canvas.bold((end, baseline), &text, TEXT, Anchor::End, FULL);
                }
                Some(reference) if draws => {
                    let share = percent(bar.value.0 / reference.0, 0);
                    canvas.text((end, baseline), &share, TEXT, Anchor::End, FULL);
                    if bar.value > reference {
                        canvas.text((end + 1.0, baseline), "†", TEXT, Anchor::Start, FULL);
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// The bar itself: solid if measured, hatched if published.
    fn draw_bar(&self, canvas: &mut Canvas<'_>, bar: &Bar, y: f64) {
        // A bar too short to see is drawn as a hair.
        let width = self.x(bar.value.0).max(1.5);
        match bar.kind {
            BarKind::Measured => canvas.fill((0.0, y), (width, BAR_HEIGHT), Ink::Rgb(BLUE, 1.0)),
            BarKind::Published => draw_hatched(canvas, width, y),
        }
        let drawable = |&(low, high): &(GbPerS, GbPerS)| is_drawable(low) && is_drawable(high);
        if let Some((low, high)) = bar.quartiles.filter(drawable) {
            let [low, high] = [low, high].map(|value| self.x(value.0).min(self.plot_end));
            let middle = y + BAR_HEIGHT / 2.0;
            canvas.line((low, middle), (high, middle), FULL, 1.2);
            for x in [low, high] {
                canvas.line((x, middle - 4.0), (x, middle + 4.0), FULL, 1.2);
            }
        }
    }
}

fn draw_hatched(canvas: &mut Canvas<'_>, width: f64, y: f64) {
    canvas.fill((0.0, y), (width, BAR_HEIGHT), Ink::Rgb(PURPLE, 0.15));
    let mut from = -BAR_HEIGHT;
    while from < width {
        let at = |x: f64| (x, y + BAR_HEIGHT - (x - from));
        let ends = (at(from.max(0.0)), at((from + BAR_HEIGHT).min(width)));
        canvas.line(ends.0, ends.1, Ink::Rgb(PURPLE, 0.75), 1.2);
        from += 6.0;
    }
    canvas.outline((0.0, y), (width, BAR_HEIGHT), Ink::Rgb(PURPLE, 1.0), 1.5);
}
