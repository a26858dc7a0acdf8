//! A drawing in pixels on plotters' SVG backend. What the marks look like is `style`'s; what they mean is each figure's.

use super::backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, FontFamily,
    FontStyle, HPos, Pos, SVGBackend, VPos,
};
use super::style::{FULL, Ink, PAGE, SMALL, SOFT, TITLE, UNITS_PER_PX, house, one_line, wrap};
use std::convert::Infallible;

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing being made. Coordinates are pixels, x to the right and y down.
///
/// The results of the backend are ignored throughout: it writes to a string, which does not fail.
pub(super) struct Canvas<'a> {
    backend: SVGBackend<'a>,
}

/// Draws a figure of a size and returns its SVG.
pub(super) fn drawing(
    (width, height): (f64, f64),
    title: &str,
    description: &str,
    draw: &mut dyn FnMut(&mut Canvas<'_>),
) -> String {
    let mut drawn = String::new();
    let size = (unit(width).max(1) as u32, unit(height).max(1) as u32);
    let mut canvas = Canvas {
        backend: SVGBackend::with_string(&mut drawn, size),
    };
    draw(&mut canvas);
    let _ = canvas.backend.present();
    drop(canvas);
    house(
        &drawn,
        width,
        height,
        &one_line(title),
        &one_line(description),
    )
}

fn unit(px: f64) -> i32 {
    (px * UNITS_PER_PX).round() as i32
}

fn point((x, y): (f64, f64)) -> (i32, i32) {
    (unit(x), unit(y))
}

fn color(ink: Ink) -> BackendColor {
    let ([r, g, b], alpha) = match ink {
        Ink::Page(alpha) => (PAGE, alpha),
        Ink::Rgb(rgb, alpha) => (rgb, alpha),
    };
    let rgb = (r, g, b);
    BackendColor { alpha, rgb }
}

/// How a line is drawn.
struct Stroke {
    color: BackendColor,
    width: u32,
}

impl BackendStyle for Stroke {
    fn color(&self) -> BackendColor {
        self.color
    }

    fn stroke_width(&self) -> u32 {
        self.width
    }
}

fn stroke(ink: Ink, width: f64) -> Stroke {
    Stroke {
        color: color(ink),
        width: unit(width).max(1) as u32,
    }
}

/// How a text is drawn. The page's own text engine measures and draws it.
struct Lettering {
    color: BackendColor,
    size: f64,
    is_bold: bool,
    anchor: HPos,
}

impl BackendTextStyle for Lettering {
    type FontError = Infallible;

    fn color(&self) -> BackendColor {
        self.color
    }

    fn size(&self) -> f64 {
        self.size
    }

    fn style(&self) -> FontStyle {
        match self.is_bold {
            true => FontStyle::Bold,
            false => FontStyle::Normal,
        }
    }

    fn anchor(&self) -> Pos {
        Pos::new(self.anchor, VPos::Top)
    }

    fn family(&self) -> FontFamily<'_> {
        FontFamily::SansSerif
    }

    fn layout_box(&self, _text: &str) -> Result<((i32, i32), (i32, i32)), Infallible> {
        Ok(((0, 0), (0, 0)))
    }

    fn draw<E, F: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        _text: &str,
        _at: BackendCoord,
        _draw: F,
    ) -> Result<Result<(), E>, Infallible> {
        Ok(Ok(()))
    }
}

impl Canvas<'_> {
    /// A filled rectangle; nothing if it has no area.
    pub(super) fn fill(&mut self, at: (f64, f64), size: (f64, f64), ink: Ink) {
        if size.0 > 0.0 && size.1 > 0.0 {
            let end = (at.0 + size.0, at.1 + size.1);
            let _ = self
                .backend
                .draw_rect(point(at), point(end), &stroke(ink, 0.0), true);
        }
    }

    /// The outline of a rectangle, the line within its bounds.
    pub(super) fn outline(&mut self, at: (f64, f64), size: (f64, f64), ink: Ink, width: f64) {
        let (x0, y0) = (at.0 + width / 2.0, at.1 + width / 2.0);
        let (x1, y1) = (at.0 + size.0 - width / 2.0, at.1 + size.1 - width / 2.0);
        // The last step goes past the first corner, so that the corner is square.
        self.path(
            &[
                (x0, y0),
                (x1, y0),
                (x1, y1),
                (x0, y1),
                (x0, y0),
                (x1.min(x0 + width), y0),
            ],
            ink,
            width,
        );
    }

    /// A line through points.
    pub(super) fn path(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) {
        let _ = self
            .backend
            .draw_path(points.iter().map(|&p| point(p)), &stroke(ink, width));
    }

    /// A straight line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink, width: f64) {
        let _ = self
            .backend
            .draw_line(point(from), point(to), &stroke(ink, width));
    }

    /// One line of text, its baseline at the point.
    pub(super) fn text(&mut self, at: (f64, f64), text: &str, size: f64, anchor: Anchor, ink: Ink) {
        self.write(at, text, (size, false), anchor, ink);
    }

    /// One line of bold text, its baseline at the point.
    pub(super) fn bold(&mut self, at: (f64, f64), text: &str, size: f64, anchor: Anchor, ink: Ink) {
        self.write(at, text, (size, true), anchor, ink);
    }

    fn write(&mut self, at: (f64, f64), text: &str, font: (f64, bool), anchor: Anchor, ink: Ink) {
        let (size, is_bold) = font;
        let anchor = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        // The backend divides sizes by 1.24; `style::house` makes the top of the text its baseline.
        let style = Lettering {
            color: color(ink),
            size: size * UNITS_PER_PX * 1.24,
            is_bold,
            anchor,
        };
        let text = one_line(text);
        if !text.is_empty() {
            let _ = self.backend.draw_text(&text, &style, point(at));
        }
    }

    /// The title and the sentence below it; returns the height that they take.
    pub(super) fn heading(&mut self, heading: &Heading) -> f64 {
        let mut y = 0.0;
        for line in &heading.title {
            y += TITLE * 1.3;
            self.bold((0.0, y - TITLE * 0.2), line, TITLE, Anchor::Start, FULL);
        }
        self.lines((0.0, y), &heading.summary)
    }

    /// Small lines from a point downwards; returns the height at which they end.
    pub(super) fn lines(&mut self, (x, top): (f64, f64), lines: &[String]) -> f64 {
        let mut y = top;
        for line in lines {
            y += LINE_HEIGHT;
            self.text((x, y - SMALL * 0.1), line, SMALL, Anchor::Start, SOFT);
        }
        y
    }
}

/// From one small line to the next.
pub(super) const LINE_HEIGHT: f64 = SMALL * 1.45;

/// A sentence in small type, broken into lines of a width.
pub(super) fn small_lines(text: &str, width: f64) -> Vec<String> {
    match one_line(text) {
        text if text.is_empty() => Vec::new(),
        text => wrap(&text, SMALL, width, MOST_LINES),
    }
}

/// No title or sentence that says something about a picture is longer.
const MOST_LINES: usize = 12;

/// A figure's title and the sentence below it, broken into lines.
pub(super) struct Heading {
    title: Vec<String>,
    summary: Vec<String>,
}

impl Heading {
    pub(super) fn new(title: &str, summary: &str, width: f64) -> Self {
        let title = match one_line(title) {
            title if title.is_empty() => Vec::new(),
            // Bold text is about a twelfth wider.
            title => wrap(&title, TITLE * 1.08, width, MOST_LINES),
        };
        Self {
            title,
            summary: small_lines(summary, width),
        }
    }

    pub(super) fn height(&self) -> f64 {
        self.title.len() as f64 * TITLE * 1.3 + self.summary.len() as f64 * LINE_HEIGHT
    }
}
