//! Kernels under the roofs of a GPU: what memory and the pipes allow over operations for each byte, both axes logarithmic. Where there are no roofs, `intensities` draws the axis alone; what is drawn was counted and measured by others.

use super::beside::{Space, beside};
use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::figure::Figure;
use super::intensities::{intensities, intensity_number};
use super::style::{
    BLUE, FULL, Form, Ink, LINE, MESH, PURPLE, SMALL, SOFT, VERMILLION, number, text_width,
};
use cornerturn_measure::roofline::{Bound, Placed, Roof};

/// A marker's half width.
const MARK: f64 = 3.6;
/// Below the axis: the ticks' numbers.
const TICKS: f64 = 22.0;
/// Height of a line of the key.
const KEY_LINE: f64 = 18.0;
/// Between two names of levels.
const LEVEL_LINE: f64 = 13.5;
/// Inks of the slopes, in their order.
const SLOPES: [Ink; 3] = [FULL, Ink::Rgb(BLUE, 1.0), Ink::Rgb(PURPLE, 1.0)];
const MARKS: Ink = Ink::Rgb(VERMILLION, 1.0);

/// Roofs as lines, kernels as numbered marks below them; one that was counted and not timed is an empty mark on the lowest
/// slope, or on the first level where that is lower. Without roofs no rates are drawn: only where on the axis the kernels
/// stand.
///
/// ```no_run
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let points = [Placed::recorded("h200", "vector_add", 0)?];
/// let figure = plot::roofline("Under the roofs", &roofline::roofs("h200")?, &points, "an H200");
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
pub fn roofline(title: &str, roofs: &[Roof], points: &[Placed], caption: &str) -> Figure {
    let is_number = |value: f64| value.is_finite() && value > 0.0;
    let is_roof = |roof: &&Roof| match roof.bound {
        Bound::Memory(value) | Bound::Arithmetic(value) => is_number(value),
    };
    let roofs: Vec<&Roof> = roofs.iter().filter(is_roof).collect();
    let is_slope = |roof: &&Roof| matches!(roof.bound, Bound::Memory(_));
    if !roofs.iter().any(is_slope) || roofs.iter().all(is_slope) {
        return intensities(title, points, caption);
    }
    let is_placed =
        |point: &&Placed| is_number(point.intensity) && point.tera_per_s.is_none_or(is_number);
    let mut placed: Vec<&Placed> = points.iter().filter(is_placed).collect();
    placed.sort_by(|a, b| a.intensity.total_cmp(&b.intensity));
    let nowhere: Vec<&str> = (points.iter().filter(|point| !is_placed(point)))
        .map(|point| point.label.as_str())
        .collect();
    Figure::new(caption, |form| {
        let heading = Heading::new(title, "", form.bars());
        let picture = Picture::new(&roofs, &placed, &nowhere, &heading, form);
        let size = (form.bars(), picture.height());
        drawing(size, title, &picture.words(), &mut |canvas| {
            canvas.heading(&heading);
            picture.draw(canvas);
        })
    })
}

/// The part of the plane that is drawn, in powers of ten.
struct Plane {
    x: (f64, f64),
    y: (f64, f64),
}

impl Plane {
    fn new(roofs: &[&Roof], points: &[&Placed]) -> Self {
        let slopes = || {
            roofs
                .iter()
                .filter(|roof| matches!(roof.bound, Bound::Memory(_)))
        };
        let at_one = |roof: &&&Roof| roof.tera_per_s(1.0);
        let lowest = slopes().map(|roof| at_one(&roof)).fold(f64::MAX, f64::min);
        let level = |roof: &&&Roof| match roof.bound {
            Bound::Arithmetic(tera) => Some(tera),
            Bound::Memory(_) => None,
        };
        let highest = roofs
            .iter()
            .filter_map(|roof| level(&roof))
            .fold(0.0, f64::max);
        let intensities = || points.iter().map(|point| point.intensity);
        let first = intensities().fold(0.1, f64::min) / 1.6;
        let last = intensities().fold(2.0 * highest / lowest, f64::max) * 1.6;
        let rates = points.iter().filter_map(|point| point.tera_per_s);
        let bottom = rates.clone().fold(lowest * first, f64::min) / 1.6;
        let top = rates.fold(highest, f64::max) * 1.6;
        Self {
            x: (first.log10(), last.log10()),
            y: (bottom.log10(), top.log10()),
        }
    }
}

/// The figure with its places.
struct Picture<'a> {
    roofs: &'a [&'a Roof],
    points: &'a [&'a Placed],
    plane: Plane,
    left: f64,
    top: f64,
    width: f64,
    tall: f64,
    form: Form,
    /// What stands below the axis: its name, then the kernels by number.
    below: Vec<String>,
}

impl<'a> Picture<'a> {
    fn new(
        roofs: &'a [&'a Roof],
        points: &'a [&'a Placed],
        nowhere: &[&str],
        heading: &Heading,
        form: Form,
    ) -> Self {
        let slopes = roofs
            .iter()
            .filter(|roof| matches!(roof.bound, Bound::Memory(_)));
        let names = levels(roofs)
            .into_iter()
            .map(|(name, _)| text_width(&name, SMALL));
        let right = names.fold(0.0, f64::max) + 8.0;
        let left = 40.0;
        let mut below = small_lines("→ operations for each byte that must move", form.bars());
        for (at, point) in points.iter().enumerate() {
            let line = format!("{} · {}", at + 1, told(point));
            below.extend(small_lines(&line, form.bars()));
        }
        if !nowhere.is_empty() {
            let line = format!("No operations, and so no place: {}", nowhere.join(", "));
            below.extend(small_lines(&line, form.bars()));
        }
        Self {
            roofs,
            points,
            plane: Plane::new(roofs, points),
            left,
            top: heading.height() + slopes.count() as f64 * KEY_LINE + 30.0,
            width: form.bars() - left - right,
            tall: if form.is_narrow() { 250.0 } else { 290.0 },
            form,
            below,
        }
    }

    fn height(&self) -> f64 {
        self.top + self.tall + TICKS + self.below.len() as f64 * LINE_HEIGHT + 8.0
    }

    /// The place of an intensity and a rate.
    fn at(&self, intensity: f64, tera: f64) -> (f64, f64) {
        let part = |value: f64, (from, to): (f64, f64)| (value.log10() - from) / (to - from);
        (
            self.left + self.width * part(intensity, self.plane.x),
            self.top + self.tall * (1.0 - part(tera, self.plane.y)),
        )
    }

    fn draw(&self, canvas: &mut Canvas<'_>) {
        self.draw_axes(canvas);
        self.draw_slopes(canvas);
        self.draw_levels(canvas);
        self.draw_points(canvas);
        canvas.lines((0.0, self.top + self.tall + TICKS), &self.below);
    }

    fn draw_axes(&self, canvas: &mut Canvas<'_>) {
        let (right, bottom) = (self.left + self.width, self.top + self.tall);
        let unit = "10¹² operations a second";
        canvas.text((0.0, self.top - 8.0), unit, SMALL, Anchor::Start, SOFT);
        canvas.line((self.left, bottom), (right, bottom), LINE, 1.0);
        for tick in powers(self.plane.y) {
            let (_, y) = self.at(1.0, tick);
            canvas.line((self.left, y), (right, y), MESH, 1.0);
            let text = power_name(tick);
            canvas.text((self.left - 5.0, y + 4.0), &text, SMALL, Anchor::End, SOFT);
        }
        for tick in powers(self.plane.x) {
            let (x, _) = self.at(tick, 1.0);
            canvas.line((x, self.top), (x, bottom), MESH, 1.0);
            canvas.line((x, bottom), (x, bottom + 4.0), LINE, 1.0);
            let text = power_name(tick);
            canvas.text((x, bottom + 17.0), &text, SMALL, Anchor::Middle, SOFT);
        }
    }

    /// The memories' roofs, each up to the highest level, and what they are called above the picture.
    fn draw_slopes(&self, canvas: &mut Canvas<'_>) {
        let slopes = slopes(self.roofs);
        let highest = levels(self.roofs).first().map_or(1.0, |(_, tera)| *tera);
        let [x0, x1] = [self.plane.x.0, self.plane.x.1].map(|x| 10_f64.powf(x));
        let y0 = 10_f64.powf(self.plane.y.0);
        for (row, (roof, gb_per_s)) in slopes.iter().enumerate() {
            let ink = SLOPES[row % SLOPES.len()];
            let reaches = |tera: f64| tera * 1e3 / gb_per_s;
            let (from, to) = (x0.max(reaches(y0)), x1.min(reaches(highest)));
            if from < to {
                let ends = [from, to].map(|x| self.at(x, roof.tera_per_s(x)));
                canvas.path(&ends, ink, 1.8);
            }
            let y = self.top - 24.0 - (slopes.len() - row) as f64 * KEY_LINE + 10.0;
            canvas.path(&[(0.0, y), (24.0, y - 8.0)], ink, 1.8);
            let name = format!("{} {} GB/s", roof.label, number(*gb_per_s, 0));
            canvas.text((32.0, y), &name, SMALL, Anchor::Start, FULL);
        }
    }

    /// The pipes' roofs from the steepest slope to the right, with their names beside them.
    fn draw_levels(&self, canvas: &mut Canvas<'_>) {
        let fastest = slopes(self.roofs)
            .iter()
            .map(|(_, gb)| *gb)
            .fold(1.0, f64::max);
        let (x0, right) = (10_f64.powf(self.plane.x.0), self.left + self.width);
        let mut free = f64::MIN;
        for (name, tera) in levels(self.roofs) {
            let (x, y) = self.at((tera * 1e3 / fastest).max(x0), tera);
            canvas.line((x, y), (right, y), FULL, 1.4);
            let text = y.max(free);
            free = text + LEVEL_LINE;
            canvas.text((right + 6.0, text + 4.0), &name, SMALL, Anchor::Start, FULL);
            canvas.line((right, y), (right + 4.0, text), LINE, 1.0);
        }
    }

    fn draw_points(&self, canvas: &mut Canvas<'_>) {
        let places: Vec<(f64, f64)> = self.points.iter().map(|point| self.place(point)).collect();
        let mut taken: Vec<Space> = (places.iter())
            .map(|place| Space::new(*place, MARK))
            .collect();
        for (at, (point, (x, y))) in self.points.iter().zip(places).enumerate() {
            let corner = (x - MARK, y - MARK);
            match point.tera_per_s {
                Some(_) => canvas.fill(corner, (2.0 * MARK, 2.0 * MARK), MARKS),
                None => canvas.outline(corner, (2.0 * MARK, 2.0 * MARK), MARKS, 1.6),
            }
            let text = (at + 1).to_string();
            let half = text_width(&text, SMALL) / 2.0;
            let space = beside((x, y), MARK, half, self.left + self.width, &taken);
            let size = self.form.tiny().max(SMALL - 1.0);
            let place = (space.x, space.y + 4.0);
            canvas.text(place, &text, size, Anchor::Middle, FULL);
            taken.push(space);
        }
    }

    /// Where a kernel's mark stands; of one that was not timed, on the roof.
    fn place(&self, point: &Placed) -> (f64, f64) {
        let tera = point.tera_per_s.unwrap_or_else(|| {
            let lowest = slopes(self.roofs)
                .iter()
                .map(|(roof, _)| roof.tera_per_s(point.intensity))
                .fold(f64::MAX, f64::min);
            let level = (self.roofs.iter()).find_map(|roof| match roof.bound {
                Bound::Arithmetic(tera) => Some(tera),
                Bound::Memory(_) => None,
            });
            level.map_or(lowest, |level| lowest.min(level))
        });
        self.at(point.intensity, tera)
    }

    /// What a screen reader says.
    fn words(&self) -> String {
        let slope = |(roof, gb): &(&Roof, f64)| format!("{} {} GB/s", roof.label, number(*gb, 0));
        let slopes = slopes(self.roofs);
        let mut roofs: Vec<String> = slopes.iter().map(slope).collect();
        roofs.extend(
            levels(self.roofs)
                .into_iter()
                .map(|(name, _)| format!("{name} T/s")),
        );
        let points: Vec<String> = self.points.iter().map(|point| told(point)).collect();
        format!(
            "Roofs: {}. Kernels: {}",
            roofs.join("; "),
            points.join("; ")
        )
    }
}

fn slopes<'a>(roofs: &[&'a Roof]) -> Vec<(&'a Roof, f64)> {
    let slope = |roof: &&'a Roof| match roof.bound {
        Bound::Memory(gb_per_s) => Some((*roof, gb_per_s)),
        Bound::Arithmetic(_) => None,
    };
    roofs.iter().filter_map(slope).collect()
}

/// The levels with their names, the highest first.
fn levels(roofs: &[&Roof]) -> Vec<(String, f64)> {
    let level = |roof: &&Roof| match roof.bound {
        Bound::Arithmetic(tera) => Some((format!("{} {}", roof.label, rate_number(tera)), tera)),
        Bound::Memory(_) => None,
    };
    let mut levels: Vec<(String, f64)> = roofs.iter().filter_map(level).collect();
    levels.sort_by(|a, b| b.1.total_cmp(&a.1));
    levels
}

fn told(point: &Placed) -> String {
    let rate = match point.tera_per_s {
        Some(tera) => format!("{} T/s", rate_number(tera)),
        None => "counted, not timed".to_string(),
    };
    let intensity = intensity_number(point.intensity);
    format!("{}: {intensity} for a byte, {rate}", point.label)
}

fn rate_number(tera: f64) -> String {
    let decimals = match tera {
        large if large >= 100.0 => 0,
        middle if middle >= 10.0 => 1,
        _ => 2,
    };
    number(tera, decimals)
}

/// Powers of ten within a range of exponents.
fn powers((from, to): (f64, f64)) -> impl Iterator<Item = f64> {
    (from.ceil() as i32..=to.floor() as i32).map(|power| 10_f64.powi(power))
}

fn power_name(power: f64) -> String {
    let decimals = (-power.log10()).ceil().clamp(0.0, 6.0) as usize;
    number(power, decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(label: &str, intensity: f64, tera_per_s: Option<f64>) -> Placed {
        Placed {
            label: label.to_string(),
            intensity,
            tera_per_s,
        }
    }

    fn roofs() -> [Roof; 3] {
        [
            Roof::memory("copy", 4000.0),
            Roof::arithmetic("float32", 60.0),
            Roof::arithmetic("float64", 30.0),
        ]
    }

    #[test]
    fn roofs_and_kernels_are_drawn_and_told() {
        let points = [placed("far", 100.0, Some(48.25)), placed("near", 0.1, None)];
        let figure = roofline("t", &roofs(), &points, "made up");
        for told in [
            "copy 4000 GB/s",
            "float32 60 T/s",
            "near: 0.1 for a byte, counted, not timed; far: 100 for a byte, 48.2 T/s",
        ] {
            assert!(figure.svg.contains(told), "{told}: {}", figure.svg);
        }
        assert!(!figure.svg.contains("NaN") && !figure.narrow.contains("inf"));
    }

    #[test]
    fn a_kernel_without_operations_has_no_place_and_is_named() {
        let points = [
            placed("relu", 0.0, Some(0.0)),
            placed("odd", f64::NAN, None),
        ];
        let figure = roofline("t", &roofs(), &points, "");
        assert!(figure.svg.contains("no place: relu, odd"), "{}", figure.svg);
    }

    #[test]
    fn without_roofs_no_rate_is_drawn() {
        let points = [placed("near", 0.1, Some(0.3)), placed("far", 100.0, None)];
        for roofs in [&roofs()[..1], &roofs()[1..], &[]] {
            let figure = roofline("t", roofs, &points, "");
            assert!(figure.svg.contains("far"), "{}", figure.svg);
            assert!(!figure.svg.contains("T/s"), "{}", figure.svg);
        }
    }
}
