//! Curves of a quantity over a parameter: lines through measured points, with a limit. What was measured is the record's.

use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::figure::Figure;
use super::scale::Scale;
use super::style::{
    BLUE, FULL, Form, GREEN, Ink, LINE, MESH, PURPLE, SMALL, SOFT, VERMILLION, number, text_width,
};

/// Height of the part with the lines.
const HEIGHT: f64 = 230.0;
/// Below the axis: the ticks' numbers.
const TICKS: f64 = 22.0;
/// Height of a line of the key.
const KEY_LINE: f64 = 18.0;
/// Colours of the lines, in their order.
const INKS: [[u8; 3]; 4] = [BLUE, VERMILLION, PURPLE, GREEN];
/// A marker's half width.
const MARK: f64 = 2.6;

/// One line of a figure.
///
/// ```
/// use cornerturn::prelude::*;
///
/// // Points are x and y, in the units that the axes name.
/// let told = plot::Curve::computed("half a copy", [(1.0, 2100.0), (32.0, 2100.0)]);
/// let axes = plot::Axes { x: "stride", y: "GB/s", ..Default::default() };
/// assert!(plot::curves("A stride", &[told], &axes, "").svg.contains("half a copy"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    label: String,
    points: Vec<(f64, f64)>,
    is_computed: bool,
}

impl Curve {
    /// A line through measured points, (parameter, value).
    pub fn measured(label: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self {
            label: label.to_string(),
            points: drawable(points),
            is_computed: false,
        }
    }

    /// A line that was computed, such as a prediction: dashed, without marks.
    pub fn computed(label: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self {
            is_computed: true,
            ..Self::measured(label, points)
        }
    }
}

fn drawable(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let is_number = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite() && *x >= 0.0 && *y >= 0.0;
    points.into_iter().filter(is_number).collect()
}

/// How a figure of curves is scaled and named.
/// Of most figures only the names are given: `Axes { x: "stride", y: "sectors", ..Axes::default() }`.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let axes = plot::Axes { x: "bins", y: "GB/s", is_log_x: true, limit: Some(("driver's copy", 4200.0)) };
/// assert!(plot::Axes::default().limit.is_none() && axes.limit.is_some());
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Axes<'a> {
    /// What runs to the right, with its unit.
    pub x: &'a str,
    /// What runs upwards, with its unit.
    pub y: &'a str,
    /// Whether a step to the right doubles the parameter.
    pub is_log_x: bool,
    /// A level that nothing should exceed, and its name.
    pub limit: Option<(&'a str, f64)>,
}

/// Lines over a parameter; up to four colours, the fifth line has the first one's again.
///
/// ```no_run
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let record = Sweep::load("h200", "coalescing")?;
/// let strided = record.line("strided");
/// let axes = plot::Axes { x: "stride", y: "GB/s", is_log_x: false, limit: None };
/// let figure = plot::curves("A stride", &[plot::Curve::measured("read", strided)], &axes, &record.provenance());
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
pub fn curves(title: &str, curves: &[Curve], axes: &Axes, caption: &str) -> Figure {
    if curves.iter().all(|curve| curve.points.is_empty()) {
        return Figure::nothing(
            title,
            "There is nothing to draw: no point is a number.",
            caption,
        );
    }
    Figure::new(caption, |form| {
        let heading = Heading::new(title, "", form.bars());
        let picture = Picture::new(curves, axes, &heading, form);
        drawing(
            (form.bars(), picture.height()),
            title,
            &picture.words(),
            &mut |canvas| {
                canvas.heading(&heading);
                picture.draw(canvas);
            },
        )
    })
}

/// The lines in their places.
struct Picture<'a> {
    curves: &'a [Curve],
    axes: &'a Axes<'a>,
    x: Scale,
    y: Scale,
    /// Left edge of the part with the lines, its top and its width.
    left: f64,
    top: f64,
    width: f64,
    below: Vec<String>,
}

impl<'a> Picture<'a> {
    fn new(curves: &'a [Curve], axes: &'a Axes<'a>, heading: &Heading, form: Form) -> Self {
        let points = || curves.iter().flat_map(|curve| &curve.points);
        let place = |x: f64| if axes.is_log_x { x.max(1e-9).log2() } else { x };
        let first = points().map(|(x, _)| place(*x)).fold(f64::MAX, f64::min);
        let last = points().map(|(x, _)| place(*x)).fold(f64::MIN, f64::max);
        let limit = axes.limit.map_or(0.0, |(_, value)| value);
        let highest = points().map(|(_, y)| *y).fold(limit, f64::max).max(1e-9);
        let y = Scale {
            from: 0.0,
            to: highest * 1.06,
        };
        let ticks = y.ticks(6);
        let widths = ticks
            .iter()
            .map(|tick| number(*tick, tick_decimals(&ticks)));
        let widest = widths
            .map(|text| text_width(&text, SMALL))
            .fold(0.0, f64::max);
        let left = widest + 10.0;
        // The last tick's number may stand in the middle below the right edge.
        let farthest = points().map(|(x, _)| *x).fold(0.0, f64::max);
        let right = 10.0_f64.max(text_width(&number(farthest, 0), SMALL) / 2.0 + 2.0);
        Self {
            curves,
            axes,
            x: Scale {
                from: first,
                to: last.max(first + 1e-9),
            },
            y,
            left,
            top: heading.height() + curves.len() as f64 * KEY_LINE + 30.0,
            width: form.bars() - left - right,
            below: small_lines(&format!("→ {}", axes.x), form.bars()),
        }
    }

    fn height(&self) -> f64 {
        self.top + HEIGHT + TICKS + self.below.len() as f64 * LINE_HEIGHT + 6.0
    }

    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let x = if self.axes.is_log_x {
            x.max(1e-9).log2()
        } else {
            x
        };
        (
            self.left + self.x.place(x, 0.0, self.width),
            self.top + self.y.place(y, HEIGHT, 0.0),
        )
    }

    fn draw(&self, canvas: &mut Canvas<'_>) {
        self.draw_axes(canvas);
        for (number, curve) in self.curves.iter().enumerate() {
            self.draw_key(canvas, number, curve);
            self.draw_curve(canvas, ink(number), curve);
        }
    }

    /// A line's name above the picture.
    fn draw_key(&self, canvas: &mut Canvas<'_>, number: usize, curve: &Curve) {
        let rows = self.curves.len() - number;
        let y = self.top - 24.0 - rows as f64 * KEY_LINE + 10.0;
        let ends = [(0.0, y - 4.0), (24.0, y - 4.0)];
        stroke(canvas, &ends, ink(number), curve.is_computed);
        if !curve.is_computed {
            mark(canvas, (12.0, y - 4.0), ink(number));
        }
        canvas.text((32.0, y), &curve.label, SMALL, Anchor::Start, FULL);
    }

    fn draw_curve(&self, canvas: &mut Canvas<'_>, ink: Ink, curve: &Curve) {
        let points: Vec<(f64, f64)> = curve.points.iter().map(|point| self.at(*point)).collect();
        stroke(canvas, &points, ink, curve.is_computed);
        if !curve.is_computed {
            for point in points {
                mark(canvas, point, ink);
            }
        }
    }

    fn draw_axes(&self, canvas: &mut Canvas<'_>) {
        let (right, bottom) = (self.left + self.width, self.top + HEIGHT);
        canvas.text(
            (0.0, self.top - 8.0),
            self.axes.y,
            SMALL,
            Anchor::Start,
            SOFT,
        );
        let ticks = self.y.ticks(6);
        for tick in &ticks {
            let tick = *tick;
            let (_, y) = self.at((0.0, tick));
            let ink = if tick > 0.0 { MESH } else { LINE };
            canvas.line((self.left, y), (right, y), ink, 1.0);
            let text = number(tick, tick_decimals(&ticks));
            canvas.text((self.left - 5.0, y + 4.0), &text, SMALL, Anchor::End, SOFT);
        }
        let ticks = self.ticks();
        for tick in &ticks {
            let (x, _) = self.at((*tick, 0.0));
            canvas.line((x, bottom), (x, bottom + 4.0), LINE, 1.0);
            canvas.text(
                (x, bottom + 17.0),
                &self.tick_name(*tick, tick_decimals(&ticks)),
                SMALL,
                Anchor::Middle,
                SOFT,
            );
        }
        canvas.lines((0.0, bottom + TICKS), &self.below);
        if let Some((name, value)) = self.axes.limit {
            let (_, y) = self.at((0.0, value));
            canvas.line((self.left, y), (right, y), FULL, 1.6);
            let text = format!("{name} {}", number(value, decimals(value)));
            canvas.text((right, y - 5.0), &text, SMALL, Anchor::End, FULL);
        }
    }

    /// The parameters that are named: on a logarithmic axis some that were measured, else round ones.
    fn ticks(&self) -> Vec<f64> {
        if !self.axes.is_log_x {
            return self.x.ticks(9);
        }
        let (first, last) = (self.x.from.ceil() as i32, self.x.to.floor() as i32);
        let step = ((last - first) / 8).max(1) as usize;
        (first..=last)
            .step_by(step)
            .map(|power| 2_f64.powi(power))
            .collect()
    }

    /// A number of more than four digits would meet its neighbour: such a power of two is written as one.
    fn tick_name(&self, tick: f64, decimals: usize) -> String {
        if !self.axes.is_log_x || tick < 10_000.0 {
            return number(tick, decimals);
        }
        const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        let power = tick.log2().round() as usize;
        format!("2{}{}", RAISED[power / 10 % 10], RAISED[power % 10])
    }

    /// What a screen reader says.
    fn words(&self) -> String {
        let value =
            |(x, y): &(f64, f64)| format!("{} at {}", number(*y, decimals(*y)), number(*x, 2));
        let line = |curve: &Curve| {
            let values: Vec<String> = curve.points.iter().map(value).collect();
            format!("{}: {}", curve.label, values.join(", "))
        };
        let lines: Vec<String> = self.curves.iter().map(line).collect();
        format!("{} over {}. {}", self.axes.y, self.axes.x, lines.join("; "))
    }
}

fn ink(number: usize) -> Ink {
    Ink::Rgb(INKS[number % INKS.len()], 1.0)
}

fn decimals(largest: f64) -> usize {
    match largest {
        large if large >= 20.0 => 0,
        middle if middle >= 2.0 => 1,
        _ => 2,
    }
}

/// The fewest decimals with which all of an axis's numbers are told as they are.
fn tick_decimals(ticks: &[f64]) -> usize {
    let is_told = |decimals: &usize| {
        let scale = 10_f64.powi(*decimals as i32);
        ticks
            .iter()
            .all(|tick| (tick * scale - (tick * scale).round()).abs() < 1e-6)
    };
    (0..6).find(is_told).unwrap_or(6)
}

fn mark(canvas: &mut Canvas<'_>, (x, y): (f64, f64), ink: Ink) {
    canvas.fill((x - MARK, y - MARK), (2.0 * MARK, 2.0 * MARK), ink);
}

/// A line through points; dashed as pieces of every segment.
fn stroke(canvas: &mut Canvas<'_>, points: &[(f64, f64)], ink: Ink, is_dashed: bool) {
    if !is_dashed {
        canvas.path(points, ink, 1.8);
        return;
    }
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        let pieces = (length / 6.0).ceil().max(1.0) as usize;
        let at = |part: f64| (x0 + (x1 - x0) * part, y0 + (y1 - y0) * part);
        for piece in 0..pieces {
            let from = piece as f64 / pieces as f64;
            let to = (piece as f64 + 0.6) / pieces as f64;
            canvas.line(at(from), at(to), ink, 1.8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_tells_its_numbers_apart() {
        for (ticks, decimals) in [
            (&[0.0, 20.0, 40.0][..], 0),
            (&[0.0, 0.5, 1.0], 1),
            (&[0.0, 0.005, 0.010], 3),
            (&[0.5, 0.502, 0.504], 3),
            (&[1.0 / 3.0], 6),
            (&[], 0),
        ] {
            assert_eq!(tick_decimals(ticks), decimals, "{ticks:?}");
        }
    }

    const AXES: Axes = Axes {
        x: "stride",
        y: "GB/s",
        is_log_x: false,
        limit: Some(("copy", 4000.0)),
    };

    #[test]
    fn every_point_is_told_and_a_line_is_drawn_for_each_curve() {
        let measured = Curve::measured("read", [(1.0, 3800.0), (8.0, 470.0)]);
        let figure = curves(
            "t",
            &[
                measured,
                Curve::computed("told", [(1.0, 4000.0), (8.0, 500.0)]),
            ],
            &AXES,
            "",
        );
        assert!(
            figure.svg.contains("read: 3800 at 1, 470 at 8"),
            "{}",
            figure.svg
        );
        assert_eq!(figure.svg.matches("<polyline").count(), 2, "{}", figure.svg);
    }

    #[test]
    fn the_last_ticks_number_is_not_cut() {
        let line = Curve::measured("read", [(512.0, 1.0), (8192.0, 2.0)]);
        for is_log_x in [true, false] {
            let axes = Axes { is_log_x, ..AXES };
            let heading = Heading::new("t", "", Form::Wide.bars());
            let lines = [line.clone()];
            let picture = Picture::new(&lines, &axes, &heading, Form::Wide);
            let (x, _) = picture.at((8192.0, 0.0));
            let end = x + text_width("8192", SMALL) / 2.0;
            assert!(end <= Form::Wide.bars(), "{end}");
        }
    }

    #[test]
    fn large_powers_on_a_logarithmic_axis_are_written_as_such() {
        let axes = Axes {
            is_log_x: true,
            ..AXES
        };
        let line = Curve::measured("read", (0..=20).map(|power| (2_f64.powi(power), 1.0)));
        let figure = curves("t", &[line], &axes, "");
        assert!(figure.svg.contains("2²⁰"), "{}", figure.svg);
    }

    #[test]
    fn numbers_that_are_none_are_left_out_and_nothing_says_so() {
        let figure = curves(
            "t",
            &[Curve::measured("read", [(1.0, f64::NAN)])],
            &AXES,
            "",
        );
        assert!(figure.svg.contains("nothing to draw"), "{}", figure.svg);
        for lone in [0.0, 5.0] {
            let figure = curves("t", &[Curve::measured("read", [(lone, lone)])], &AXES, "");
            assert!(!figure.svg.contains("NaN") && !figure.svg.contains("inf"));
        }
    }
}
