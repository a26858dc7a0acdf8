//! Where kernels stand on the axis of operations for each byte, a row for each, with no rates. The roofs above that axis are `roofline`'s.

use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::figure::Figure;
use super::style::{FULL, Form, Ink, LINE, MESH, SMALL, SOFT, VERMILLION, fit, number, text_width};
use cornerturn_measure::roofline::Placed;

const ROW: f64 = 22.0;
const MARK: f64 = 3.6;
const TICKS: f64 = 22.0;
/// The most room for a kernel's name.
const MOST_NAME: f64 = 170.0;

/// A mark for each kernel at what it computes for a byte; the number beside it.
pub(super) fn intensities(title: &str, points: &[Placed], caption: &str) -> Figure {
    let is_number = |point: &&Placed| point.intensity.is_finite() && point.intensity >= 0.0;
    let mut rows: Vec<&Placed> = points.iter().filter(is_number).collect();
    if rows.is_empty() {
        let reason = "There is nothing to draw: no intensity was given.";
        return Figure::nothing(title, reason, caption);
    }
    rows.sort_by(|a, b| a.intensity.total_cmp(&b.intensity));
    Figure::new(caption, |form| {
        let summary = "Counted, not timed: where each kernel stands, and not how high";
        let heading = Heading::new(title, summary, form.bars());
        let picture = Picture::new(&rows, form);
        let top = heading.height() + 10.0;
        let size = (form.bars(), top + picture.height());
        drawing(size, title, &picture.words(), &mut |canvas| {
            canvas.heading(&heading);
            picture.draw(canvas, top);
        })
    })
}

struct Picture<'a> {
    rows: &'a [&'a Placed],
    /// Of the axis, in powers of ten.
    range: (f64, f64),
    left: f64,
    width: f64,
    below: Vec<String>,
}

impl<'a> Picture<'a> {
    fn new(rows: &'a [&'a Placed], form: Form) -> Self {
        let names = rows.iter().map(|point| text_width(&point.label, SMALL));
        let left = names.fold(20.0, f64::max).min(MOST_NAME) + 10.0;
        let drawn = || rows.iter().map(|row| row.intensity).filter(|x| *x > 0.0);
        let range = (drawn().fold(0.1, f64::min), drawn().fold(10.0, f64::max));
        Self {
            rows,
            range: (range.0.log10().floor(), range.1.log10().ceil()),
            left,
            width: form.bars() - left - 48.0,
            below: small_lines("→ operations for each byte", form.bars()),
        }
    }

    fn height(&self) -> f64 {
        self.rows.len() as f64 * ROW + TICKS + self.below.len() as f64 * LINE_HEIGHT + 8.0
    }

    fn x(&self, intensity: f64) -> f64 {
        let (from, to) = self.range;
        self.left + self.width * (intensity.log10() - from) / (to - from)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, top: f64) {
        let bottom = top + self.rows.len() as f64 * ROW;
        canvas.line(
            (self.left, bottom),
            (self.left + self.width, bottom),
            LINE,
            1.0,
        );
        for power in self.range.0 as i32..=self.range.1 as i32 {
            let (tick, x) = (10_f64.powi(power), self.x(10_f64.powi(power)));
            canvas.line((x, top), (x, bottom), MESH, 1.0);
            canvas.line((x, bottom), (x, bottom + 4.0), LINE, 1.0);
            // Neighbours with many digits would meet.
            let is_named = power.rem_euclid(2) == 0 || self.x(10.0) - self.x(1.0) > 45.0;
            if is_named {
                let text = number(tick, (-power).max(0) as usize);
                canvas.text((x, bottom + 17.0), &text, SMALL, Anchor::Middle, SOFT);
            }
        }
        for (row, point) in self.rows.iter().enumerate() {
            let y = top + (row as f64 + 0.5) * ROW;
            let name = fit(&point.label, SMALL, self.left - 8.0);
            canvas.text((0.0, y + 4.0), &name, SMALL, Anchor::Start, FULL);
            let mut x = self.left;
            if point.intensity > 0.0 {
                x = self.x(point.intensity);
                let corner = (x - MARK, y - MARK);
                canvas.fill(corner, (2.0 * MARK, 2.0 * MARK), Ink::Rgb(VERMILLION, 1.0));
            }
            let text = intensity_number(point.intensity);
            canvas.text((x + 8.0, y + 4.0), &text, SMALL, Anchor::Start, SOFT);
        }
        canvas.lines((0.0, bottom + TICKS), &self.below);
    }

    /// What a screen reader says.
    fn words(&self) -> String {
        let row =
            |point: &&Placed| format!("{}: {}", point.label, intensity_number(point.intensity));
        let rows: Vec<String> = self.rows.iter().map(row).collect();
        format!("Operations for each byte. {}", rows.join("; "))
    }
}

/// Operations for a byte with three digits.
pub(super) fn intensity_number(intensity: f64) -> String {
    let decimals = match intensity {
        0.0 => 0,
        large if large >= 100.0 => 0,
        middle if middle >= 10.0 => 1,
        one if one >= 1.0 => 2,
        _ => 3,
    };
    number(intensity, decimals)
}
