//! Which operation each stream is at, as bars: measured time from a GPU, or the order of dependencies from the emulator, which says so.

use super::Figure;
use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::style::{
    BLUE, FULL, Form, Ink, LINE, MESH, PURPLE, SMALL, VERMILLION, counted, number, text_on,
    text_width,
};
use cornerturn_runtime::device::DeedKind;
use cornerturn_runtime::stream::{Timeline, TimelineBar, TimelineUnit};

const ROW: f64 = 30.0;
const HEAD: f64 = 8.0;
const AXIS: f64 = 24.0;
/// The most room for a stream's name.
const MOST_NAME: f64 = 110.0;
/// Room for a mark of the key.
const MARK: f64 = 18.0;
const GREY: [u8; 3] = [0x78, 0x78, 0x78];

/// The bars of each stream below each other, from [`Device::watch_streams`](cornerturn_runtime::Device::watch_streams).
pub fn timeline(title: &str, timeline: &Timeline) -> Figure {
    let is_drawn = |bar: &&TimelineBar| bar.start.is_finite() && bar.end.is_finite();
    let bars: Vec<&TimelineBar> = timeline.bars.iter().filter(is_drawn).collect();
    let end = bars.iter().map(|bar| bar.end).fold(0.0, f64::max);
    if bars.is_empty() || end <= 0.0 {
        return Figure::nothing(
            title,
            "There is nothing to draw: no stream was given anything.",
            "",
        );
    }
    let mut streams: Vec<&str> = Vec::new();
    for bar in &bars {
        if !streams.contains(&bar.stream.as_str()) {
            streams.push(&bar.stream);
        }
    }
    let summary = summary(timeline.unit, bars.len(), streams.len());
    Figure::new("", |form| {
        let picture = Picture::new(&bars, &streams, end, timeline.unit, form);
        let heading = Heading::new(title, &summary, form.bars());
        let top = heading.height() + HEAD;
        let size = (form.bars(), top + picture.height());
        drawing(size, title, &summary, &mut |canvas| {
            canvas.heading(&heading);
            picture.draw(canvas, top);
        })
    })
}

fn summary(unit: TimelineUnit, bars: usize, streams: usize) -> String {
    let (bars, streams) = (
        counted(bars as u64, "operation", "operations"),
        counted(streams as u64, "stream", "streams"),
    );
    match unit {
        TimelineUnit::Microseconds => format!("{bars} on {streams}, timed by events on the GPU"),
        TimelineUnit::Steps => format!(
            "{bars} on {streams}: the order that must be kept, one step an operation. No time: the emulator has no clock"
        ),
    }
}

struct Picture<'a> {
    bars: &'a [&'a TimelineBar],
    streams: &'a [&'a str],
    end: f64,
    unit: TimelineUnit,
    form: Form,
    /// Where the bars begin.
    left: f64,
    key: Vec<(DeedKind, Vec<String>)>,
}

impl<'a> Picture<'a> {
    fn new(
        bars: &'a [&'a TimelineBar],
        streams: &'a [&'a str],
        end: f64,
        unit: TimelineUnit,
        form: Form,
    ) -> Self {
        let names = streams.iter().map(|name| text_width(name, SMALL));
        let left = names.fold(20.0, f64::max).min(MOST_NAME) + 8.0;
        let is_used = |kind: &DeedKind| bars.iter().any(|bar| bar.kind == *kind);
        let kinds = [
            DeedKind::ToDevice,
            DeedKind::Kernel,
            DeedKind::ToHost,
            DeedKind::Within,
            DeedKind::Graph,
        ];
        let lines = |kind| (kind, small_lines(meaning(kind), form.bars() - MARK));
        Self {
            bars,
            streams,
            end,
            unit,
            form,
            left,
            key: kinds.into_iter().filter(is_used).map(lines).collect(),
        }
    }

    fn height(&self) -> f64 {
        let lines: usize = self.key.iter().map(|(_, lines)| lines.len()).sum();
        self.streams.len() as f64 * ROW + AXIS + 16.0 + lines as f64 * LINE_HEIGHT
    }

    fn x(&self, at: f64) -> f64 {
        self.left + at / self.end * (self.form.bars() - self.left - 1.0)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, top: f64) {
        let bottom = top + self.streams.len() as f64 * ROW;
        self.draw_axis(canvas, top, bottom);
        for (row, stream) in self.streams.iter().enumerate() {
            let y = top + row as f64 * ROW;
            canvas.text(
                (0.0, y + ROW / 2.0 + 4.0),
                stream,
                SMALL,
                Anchor::Start,
                FULL,
            );
            for bar in self.bars.iter().filter(|bar| bar.stream == *stream) {
                self.draw_bar(canvas, bar, y);
            }
        }
        let mut y = bottom + AXIS + 12.0;
        for (kind, lines) in &self.key {
            canvas.fill((0.0, y + 4.5), (12.0, 12.0), Ink::Rgb(rgb(*kind), 1.0));
            y = canvas.lines((MARK, y), lines);
        }
    }

    fn draw_bar(&self, canvas: &mut Canvas<'_>, bar: &TimelineBar, y: f64) {
        let (from, to) = (self.x(bar.start), self.x(bar.end));
        // What is too short to be seen is seen all the same.
        let (long, thick) = ((to - from - 1.0).max(1.0), ROW - 8.0);
        canvas.fill(
            (from + 0.5, y + 4.0),
            (long, thick),
            Ink::Rgb(rgb(bar.kind), 1.0),
        );
        let letter = letter(bar.kind);
        if long >= text_width(letter, SMALL) + 4.0 {
            let ink = Ink::Rgb(text_on(rgb(bar.kind)), 1.0);
            let middle = (from + 0.5 + long / 2.0, y + ROW / 2.0 + 4.0);
            canvas.text(middle, letter, SMALL, Anchor::Middle, ink);
        }
    }

    fn draw_axis(&self, canvas: &mut Canvas<'_>, top: f64, bottom: f64) {
        canvas.line((self.left, bottom), (self.form.bars(), bottom), LINE, 1.0);
        let room = self.form.bars() - self.left;
        let step = step(self.end, (room / 70.0).max(2.0), self.unit);
        let unit = match self.unit {
            TimelineUnit::Microseconds => "\u{202F}µs",
            TimelineUnit::Steps => "",
        };
        let mut at = 0.0;
        while at <= self.end {
            let x = self.x(at);
            canvas.line((x, top), (x, bottom + 4.0), MESH, 1.0);
            let decimals = usize::from(step < 1.0) + usize::from(step < 0.1);
            let text = format!("{}{unit}", number(at, decimals));
            let (anchor, x) = match (at == 0.0, x > self.form.bars() - 30.0) {
                (true, _) => (Anchor::Start, x),
                (_, true) => (Anchor::End, self.form.bars()),
                _ => (Anchor::Middle, x),
            };
            canvas.text((x, bottom + 17.0), &text, SMALL, anchor, FULL);
            at += step;
        }
    }
}

/// From one mark of the axis to the next: 1, 2 or 5 times a power of ten, and no part of a step.
fn step(end: f64, most_marks: f64, unit: TimelineUnit) -> f64 {
    let least = end / most_marks;
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * power);
    match unit {
        TimelineUnit::Steps => step.max(1.0),
        TimelineUnit::Microseconds => step,
    }
}

fn rgb(kind: DeedKind) -> [u8; 3] {
    match kind {
        DeedKind::ToDevice => BLUE,
        DeedKind::Kernel | DeedKind::Graph => VERMILLION,
        DeedKind::ToHost => PURPLE,
        DeedKind::Within => GREY,
    }
}

fn letter(kind: DeedKind) -> &'static str {
    match kind {
        DeedKind::ToDevice => "H→D",
        DeedKind::Kernel => "K",
        DeedKind::ToHost => "D→H",
        DeedKind::Within => "D→D",
        DeedKind::Graph => "G",
    }
}

fn meaning(kind: DeedKind) -> &'static str {
    match kind {
        DeedKind::ToDevice => "H→D: a copy from the host to the device",
        DeedKind::Kernel => "K: a kernel",
        DeedKind::ToHost => "D→H: a copy from the device to the host",
        DeedKind::Within => "D→D: a copy or a fill within the device",
        DeedKind::Graph => "G: a graph, all of it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(stream: &str, start: f64, end: f64) -> TimelineBar {
        TimelineBar {
            stream: stream.to_string(),
            what: "kernel `k`".to_string(),
            kind: DeedKind::Kernel,
            start,
            end,
        }
    }

    #[test]
    fn an_order_says_that_it_is_no_time() {
        let bars = vec![bar("a", 0.0, 1.0), bar("b", 1.0, 2.0), bar("a", 1.0, 2.0)];
        let order = Timeline {
            unit: TimelineUnit::Steps,
            bars,
        };
        let figure = timeline("Order", &order);
        assert!(figure.svg.contains("3 operations on 2 streams") && figure.svg.contains("No time"));
        assert!(!figure.svg.contains("µs") && !figure.narrow.contains("µs"));
        let timed = Timeline {
            unit: TimelineUnit::Microseconds,
            ..order
        };
        let figure = timeline("Time", &timed);
        assert!(figure.svg.contains("timed by events") && figure.narrow.contains("µs"));
    }

    #[test]
    fn nothing_and_nonsense_are_no_picture() {
        for bars in [
            vec![],
            vec![bar("a", 0.0, f64::NAN)],
            vec![bar("a", 0.0, 0.0)],
        ] {
            let unit = TimelineUnit::Microseconds;
            let figure = timeline("Time", &Timeline { unit, bars });
            assert!(figure.svg.contains("nothing to draw"));
        }
    }

    #[test]
    fn marks_are_round() {
        let time = TimelineUnit::Microseconds;
        assert_eq!(
            [
                step(7.0, 7.0, time),
                step(130.0, 6.0, time),
                step(0.3, 5.0, time)
            ],
            [1.0, 50.0, 0.1]
        );
        assert_eq!(step(2.0, 6.0, TimelineUnit::Steps), 1.0);
    }
}
