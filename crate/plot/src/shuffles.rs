//! The shuffles of one warp, step below step: an arrow from each lane that gives its value to the one that takes it. Who
//! takes from whom is the emulator's trace; this only draws it.

use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::figure::Figure;
use super::lanes::Lanes;
use super::style::{BLUE, FULL, Form, Ink, SMALL, SOFT, counted};
use cornerturn_emulator::{Shuffle, ShuffleMode};

/// Steps in one picture: on a telephone there is room for no more names.
const MOST_STEPS: usize = 6;
/// What is said below the picture.
const LEGEND: &str = "lines that go straight on: a lane's own value; arrows: the value that it takes; open marks: a lane \
                      that names none of its segment, and gets its own";
/// Room of a step's name in the wide form.
const NAME: f64 = 62.0;

/// Which lane takes its value from which, in the shuffles of one warp, one step after the other: the first six at most.
///
/// `shuffles` are elements of [`cornerturn_emulator::Trace::shuffles`]; of several warps the first one's are drawn.
pub fn shuffles(title: &str, shuffles: &[Shuffle]) -> Figure {
    let Some(first) = shuffles.first() else {
        let reason = "There is nothing to draw: the trace holds no shuffle of this warp.";
        return Figure::nothing(title, reason, "");
    };
    let own = |shuffle: &&Shuffle| (shuffle.block, shuffle.warp) == (first.block, first.warp);
    let all: Vec<&Shuffle> = shuffles.iter().filter(own).collect();
    let steps = &all[..all.len().min(MOST_STEPS)];
    let summary = summary(&all, steps);
    Figure::of_lanes("", |form| {
        let heading = Heading::new(title, &summary, form.lanes());
        let picture = Picture::new(steps, heading.height(), form);
        let legend = small_lines(LEGEND, form.lanes());
        let bottom = picture.bottom();
        let height = bottom + legend.len() as f64 * LINE_HEIGHT + 4.0;
        drawing((form.lanes(), height), title, &summary, &mut |canvas| {
            canvas.heading(&heading);
            picture.draw(canvas);
            canvas.lines((0.0, bottom), &legend);
        })
    })
}

fn summary(all: &[&Shuffle], steps: &[&Shuffle]) -> String {
    let names: Vec<String> = steps.iter().map(|step| name(step)).collect();
    let taking = steps.iter().map(|step| takers(step).count()).max();
    let count = counted(all.len() as u64, "shuffle", "shuffles");
    let drawn = match all.len() > steps.len() {
        true => format!("{count}, of which the first {} are drawn", steps.len()),
        false => count,
    };
    format!(
        "One warp, {drawn}: {}. At most {} a step take another lane's value",
        names.join(", "),
        counted(taking.unwrap_or(0) as u64, "lane", "lanes")
    )
}

/// The lanes that take another one's value, with that one.
fn takers(shuffle: &Shuffle) -> impl Iterator<Item = (usize, usize)> {
    let lanes = shuffle.from.iter().enumerate();
    let from = lanes.filter_map(|(lane, from)| Some((lane, usize::from((*from)?) % 32)));
    from.filter(|(lane, from)| lane != from)
}

/// What a step is called: the mode, and how far where all lanes agree.
fn name(shuffle: &Shuffle) -> String {
    let common = |of: fn((usize, usize)) -> usize| {
        let mut all = takers(shuffle).map(of);
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    };
    let apart = || common(|(lane, from)| lane.abs_diff(from));
    let (word, by) = match shuffle.mode {
        ShuffleMode::Up => ("up", apart()),
        ShuffleMode::Down => ("down", apart()),
        ShuffleMode::Butterfly => ("xor", common(|(lane, from)| lane ^ from)),
        ShuffleMode::Index => ("lane", common(|(_, from)| from)),
    };
    by.map_or(word.to_owned(), |by| format!("{word} {by}"))
}

/// The lanes, and below or beside them the steps.
struct Picture<'s> {
    steps: &'s [&'s Shuffle],
    lanes: Lanes,
    /// Room of a step, across the lanes.
    step: f64,
    top: f64,
}

impl<'s> Picture<'s> {
    fn new(steps: &'s [&'s Shuffle], top: f64, form: Form) -> Self {
        let lanes = match form {
            Form::Wide => Lanes {
                form,
                first: NAME,
                pitch: (form.lanes() - NAME) / 32.0,
                across: top + 8.0,
                thick: 20.0,
            },
            Form::Narrow => Lanes {
                form,
                first: top + 24.0,
                pitch: 15.0,
                across: 0.0,
                thick: 26.0,
            },
        };
        let step = match form {
            Form::Wide => 54.0,
            Form::Narrow => (form.lanes() - lanes.thick - 6.0) / steps.len().max(1) as f64,
        };
        Self {
            steps,
            lanes,
            step,
            top,
        }
    }

    /// Where a step begins, across the lanes.
    fn across(&self, step: usize) -> f64 {
        self.lanes.across + self.lanes.thick + 1.0 + step as f64 * self.step
    }

    fn bottom(&self) -> f64 {
        match self.lanes.form {
            Form::Wide => self.across(self.steps.len()) + 8.0,
            Form::Narrow => self.lanes.end() + 6.0,
        }
    }

    fn draw(&self, canvas: &mut Canvas<'_>) {
        let is_active = |lane: usize| self.steps.iter().any(|step| step.from[lane].is_some());
        self.lanes.boxes(canvas, is_active);
        for (number, shuffle) in self.steps.iter().enumerate() {
            self.draw_name(canvas, number, &name(shuffle));
            self.draw_step(canvas, number, shuffle);
        }
    }

    fn draw_name(&self, canvas: &mut Canvas<'_>, number: usize, name: &str) {
        match self.lanes.form {
            Form::Wide => {
                let y = self.across(number) + self.step / 2.0 + 4.0;
                canvas.text((0.0, y), name, SMALL, Anchor::Start, FULL);
            }
            Form::Narrow => {
                let x = self.across(number) + self.step / 2.0;
                let tiny = self.lanes.form.tiny();
                canvas.text((x, self.top + 18.0), name, tiny, Anchor::Middle, SOFT);
            }
        }
    }

    fn draw_step(&self, canvas: &mut Canvas<'_>, number: usize, shuffle: &Shuffle) {
        let form = self.lanes.form;
        let (start, end) = (self.across(number), self.across(number + 1) - 7.0);
        for (lane, from) in shuffle.from.iter().enumerate() {
            let along = self.lanes.middle(lane);
            if from.is_none() {
                continue;
            }
            let (from, to) = (form.at(along, start), form.at(along, end));
            canvas.line(from, to, Ink::Page(0.22), 1.0);
        }
        for (lane, from) in takers(shuffle) {
            let from = form.at(self.lanes.middle(from), start);
            arrow(canvas, from, form.at(self.lanes.middle(lane), end));
        }
        for (lane, from) in shuffle.from.iter().enumerate() {
            let at = form.at(self.lanes.middle(lane) - 3.0, end);
            match from {
                Some(_) if shuffle.kept & (1 << lane) == 0 => {
                    canvas.fill(at, (6.0, 6.0), Ink::Rgb(BLUE, 1.0));
                }
                Some(_) => canvas.outline(at, (6.0, 6.0), Ink::Page(0.65), 1.0),
                None => {}
            }
        }
    }
}

/// A line with a head at its end.
fn arrow(canvas: &mut Canvas<'_>, from: (f64, f64), to: (f64, f64)) {
    let ink = Ink::Rgb(BLUE, 0.85);
    canvas.line(from, to, ink, 1.1);
    let (dx, dy) = (from.0 - to.0, from.1 - to.1);
    let length = dx.hypot(dy).max(1.0);
    let (dx, dy) = (dx / length, dy / length);
    for side in [0.4, -0.4] {
        let wing = (to.0 + 6.0 * (dx - side * dy), to.1 + 6.0 * (dy + side * dx));
        canvas.line(to, wing, ink, 1.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shuffle(mode: ShuffleMode, from: impl Fn(usize) -> Option<usize>) -> Shuffle {
        Shuffle {
            ptx_line: 1,
            source: None,
            block: [0; 3],
            warp: 0,
            order: 0,
            mode,
            from: std::array::from_fn(|lane| from(lane).map(|from| from as u8)),
            kept: 0,
        }
    }

    #[test]
    fn a_step_is_named_by_what_its_lanes_have_in_common() {
        let down = shuffle(ShuffleMode::Down, |lane| Some((lane + 4).min(31)));
        // The last lanes agree with nobody.
        assert_eq!(name(&down), "down");
        let up = shuffle(ShuffleMode::Up, |lane| {
            Some(lane.checked_sub(2).unwrap_or(lane))
        });
        assert_eq!(name(&up), "up 2");
        let xor = shuffle(ShuffleMode::Butterfly, |lane| Some(lane ^ 16));
        assert_eq!(name(&xor), "xor 16");
        let first = shuffle(ShuffleMode::Index, |lane| (lane < 20).then_some(0));
        assert_eq!(name(&first), "lane 0");
        assert_eq!(takers(&first).count(), 19);
        let turned = shuffle(ShuffleMode::Index, |lane| Some(31 - lane));
        assert_eq!(name(&turned), "lane");
    }

    #[test]
    fn a_picture_tells_its_steps_and_no_more_than_fit() {
        let steps: Vec<Shuffle> = [16, 8, 4, 2, 1]
            .map(|by| shuffle(ShuffleMode::Butterfly, |lane| Some(lane ^ by)))
            .into();
        let figure = shuffles("Around", &steps);
        for svg in [&figure.svg, &figure.narrow] {
            assert!(
                svg.contains("5 shuffles: xor 16, xor 8, xor 4, xor 2, xor 1"),
                "{svg}"
            );
            assert!(svg.contains("32 lanes a step"), "{svg}");
        }
        let many: Vec<Shuffle> = steps.iter().cycle().take(80).cloned().collect();
        let figure = shuffles("Many", &many);
        assert!(
            figure.svg.contains("80 shuffles, of which the first 6"),
            "{}",
            figure.svg
        );
        // Of two warps, one is drawn; of none, a sentence.
        let other = Shuffle {
            warp: 1,
            ..steps[0].clone()
        };
        let figure = shuffles("Two", &[steps[0].clone(), other]);
        assert!(figure.svg.contains("1 shuffle:"), "{}", figure.svg);
        assert!(shuffles("None", &[]).svg.contains("nothing to draw"));
    }
}
