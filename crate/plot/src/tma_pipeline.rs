//! What the copy engine and the threads of one block do to the stages of its shared memory, in the order of events. The emulator has no clock, and so the axis is no time.

use super::Figure;
use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::style::{BLUE, FULL, Form, Ink, LINE, MESH, PURPLE, SMALL, VERMILLION, counted};
use cornerturn_emulator::{Access, Space};
use cornerturn_measure::task::Walk;
use std::collections::BTreeMap;

/// The most events that have room side by side.
const MOST_EVENTS: usize = 24;
const MOST_STAGES: u64 = 8;
const NAME: f64 = 52.0;
const LANE: f64 = 34.0;
const HEAD: f64 = 8.0;
/// Room for the events' names left of a narrow form's stages.
const LABELS: f64 = 42.0;
/// Room for a mark of the key.
const MARK: f64 = 18.0;

/// What a block does with each stage of its shared memory: a tile on its way in, turned by the threads, and on its way
/// out, in the order in which the block's first warp has its instructions. From [`Task::walk`](cornerturn_measure::Task::walk), for
/// kernels whose tiles come and go by bulk copies; the walk's first block is drawn.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let small = Task::transpose(&Device::emulator(), 128, 192)?;
/// let walk = small.walk(&Kernel::registered("tma_pipelined")?, 1, 256, (0, 0))?;
/// let figure = plot::tma_pipeline("tma_pipelined: one block", &walk);
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
pub fn tma_pipeline(title: &str, walk: &Walk) -> Figure {
    let Some(pipeline) = Pipeline::of(walk) else {
        let reason = "There is nothing to draw: the block moves no tiles by bulk copies, or too many at once.";
        return Figure::nothing(title, reason, "");
    };
    Figure::new("", |form| {
        let summary = pipeline.summary(form);
        let heading = Heading::new(title, &summary, form.bars());
        let grid = Grid::new(&pipeline, form, heading.height() + HEAD);
        let key = Key::new(form);
        let size = (form.bars(), grid.bottom() + 10.0 + key.height());
        drawing(size, title, &summary, &mut |canvas| {
            canvas.heading(&heading);
            grid.draw(canvas);
            key.draw(canvas, grid.bottom() + 10.0);
        })
    })
}

/// What an event does to a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The copy engine is told to fetch a tile.
    Load,
    /// The threads read and write the stage.
    Turn,
    /// The copy engine is told to write a tile out.
    Store,
}

impl Kind {
    fn letter(self) -> char {
        match self {
            Self::Load => 'L',
            Self::Turn => 'T',
            Self::Store => 'S',
        }
    }

    fn rgb(self) -> [u8; 3] {
        match self {
            Self::Load => BLUE,
            Self::Turn => VERMILLION,
            Self::Store => PURPLE,
        }
    }
}

struct Event {
    kind: Kind,
    stage: u64,
    /// The number of the tile, in the order in which this block fetches them.
    tile: usize,
}

struct Pipeline {
    stages: u64,
    events: Vec<Event>,
    /// How many events there are, drawn or not.
    count: usize,
}

impl Pipeline {
    fn of(walk: &Walk) -> Option<Self> {
        let block = walk.blocks.first()?;
        let is_first_warp = |access: &&Access| access.block == *block && access.warp == 0;
        let accesses: Vec<&Access> = walk.accesses.iter().filter(is_first_warp).collect();
        let stages = Stages::of(walk, &accesses)?;
        let events = Events::of(walk, &stages, &accesses)?.events;
        let has_all = [Kind::Load, Kind::Turn, Kind::Store]
            .iter()
            .all(|kind| events.iter().any(|event| event.kind == *kind));
        has_all.then(|| Self {
            stages: stages.count,
            count: events.len(),
            events: events.into_iter().take(MOST_EVENTS).collect(),
        })
    }

    fn summary(&self, form: Form) -> String {
        let direction = match form {
            Form::Wide => "from left to right",
            Form::Narrow => "from top to bottom",
        };
        let shown = match self.count > self.events.len() {
            true => format!("the first {} of {} events", self.events.len(), self.count),
            false => counted(self.count as u64, "event", "events"),
        };
        format!(
            "{}, {shown}; {direction} the order of one warp’s instructions, which is no scale of time",
            counted(self.stages, "stage", "stages")
        )
    }

    /// Where what an event begins has ended: at the next event of its stage.
    fn end(&self, index: usize) -> usize {
        let stage = self.events[index].stage;
        let later = self.events.iter().enumerate().skip(index + 1);
        let next = later
            .filter(|(_, event)| event.stage == stage)
            .map(|(at, _)| at);
        next.min().unwrap_or(self.events.len())
    }
}

/// Where events and stages lie: events along the form's rows, stages across them.
struct Grid<'a> {
    pipeline: &'a Pipeline,
    form: Form,
    /// Where the first event begins, and the room of each.
    events: (f64, f64),
    /// Where the first stage begins, and the room of each.
    stages: (f64, f64),
    /// What is said below.
    words: Vec<String>,
}

impl<'a> Grid<'a> {
    fn new(pipeline: &'a Pipeline, form: Form, top: f64) -> Self {
        let count = (pipeline.events.len() + 1) as f64;
        let (events, stages) = match form {
            Form::Wide => {
                let step = (form.bars() - NAME) / count;
                ((NAME, step), (top, LANE))
            }
            Form::Narrow => {
                let room = (form.bars() - LABELS) / pipeline.stages as f64;
                ((top + 20.0, 18.0), (LABELS, room.min(70.0)))
            }
        };
        let text = "order of events; a number is a tile’s, in the order of their loads";
        Self {
            pipeline,
            form,
            events,
            stages,
            words: small_lines(text, form.bars()),
        }
    }

    fn along(&self, event: usize) -> f64 {
        self.events.0 + event as f64 * self.events.1
    }

    fn across(&self, stage: u64) -> f64 {
        self.stages.0 + stage as f64 * self.stages.1
    }

    /// Where the stages, in either direction, and the words on the events end below.
    fn bottom(&self) -> f64 {
        let grid = match self.form {
            Form::Wide => self.across(self.pipeline.stages) + 26.0,
            Form::Narrow => self.along(self.pipeline.events.len()) + 4.0,
        };
        grid + self.words.len() as f64 * LINE_HEIGHT
    }

    fn draw(&self, canvas: &mut Canvas<'_>) {
        self.draw_stages(canvas);
        self.draw_events(canvas);
        self.draw_axis(canvas);
        let left = if self.form.is_narrow() { 0.0 } else { NAME };
        let top = self.bottom() - self.words.len() as f64 * LINE_HEIGHT;
        canvas.lines((left, top), &self.words);
    }

    fn draw_stages(&self, canvas: &mut Canvas<'_>) {
        let end = self.along(self.pipeline.events.len() + 1);
        for stage in 0..self.pipeline.stages {
            let (from, room) = (self.across(stage), self.stages.1);
            let (at, anchor) = match self.form {
                Form::Wide => ((0.0, from + room / 2.0 + 4.0), Anchor::Start),
                Form::Narrow => ((from + room / 2.0, self.events.0 - 6.0), Anchor::Middle),
            };
            let is_long = self.form == Form::Wide || room >= 50.0;
            let name = format!("{}{stage}", if is_long { "stage " } else { "" });
            canvas.text(at, &name, SMALL, anchor, FULL);
            let line = from + room - 3.0;
            let (start, end) = (self.form.at(self.events.0, line), self.form.at(end, line));
            canvas.line(start, end, MESH, 1.0);
        }
    }

    fn draw_events(&self, canvas: &mut Canvas<'_>) {
        for (index, event) in self.pipeline.events.iter().enumerate() {
            let (from, to) = (self.along(index), self.along(self.pipeline.end(index)));
            let long = match event.kind {
                Kind::Turn => self.events.1,
                _ => to - from,
            };
            let (across, thick) = (self.across(event.stage) + 4.0, self.stages.1 - 11.0);
            let (at, size) = (
                self.form.at(from + 0.5, across),
                self.form.at(long - 1.0, thick),
            );
            let rgb = event.kind.rgb();
            // A copy that is under way is pale, and its outline the colour.
            let alpha = if event.kind == Kind::Turn { 1.0 } else { 0.3 };
            canvas.fill(at, size, Ink::Rgb(rgb, alpha));
            canvas.outline(at, size, Ink::Rgb(rgb, 1.0), 1.4);
            let ink = match event.kind {
                Kind::Turn => Ink::Rgb(super::style::text_on(rgb), 1.0),
                _ => FULL,
            };
            let (x, y) = self
                .form
                .at(from + self.events.1 / 2.0, across + thick / 2.0);
            let tile = event.tile.to_string();
            canvas.text((x, y + 4.0), &tile, SMALL, Anchor::Middle, ink);
        }
    }

    fn draw_axis(&self, canvas: &mut Canvas<'_>) {
        let (first, last) = (self.across(0), self.across(self.pipeline.stages));
        // The side on which the events' names stand, and the line beyond them.
        let (near, names, line) = match self.form {
            Form::Wide => (last + 4.0, last + 10.0, last + 24.0),
            Form::Narrow => (first - 4.0, first - 18.0, first - LABELS + 5.0),
        };
        for (index, event) in self.pipeline.events.iter().enumerate() {
            let along = self.along(index);
            let far = if self.form.is_narrow() { last } else { first };
            canvas.line(
                self.form.at(along, far),
                self.form.at(along, near),
                MESH,
                0.8,
            );
            let label = format!("{}{}", event.kind.letter(), event.tile);
            let (x, y) = self.form.at(along + self.events.1 / 2.0, names);
            canvas.text((x, y + 4.0), &label, self.form.tiny(), Anchor::Middle, FULL);
        }
        let end = self.along(self.pipeline.events.len());
        canvas.line(
            self.form.at(self.events.0, line),
            self.form.at(end, line),
            LINE,
            1.0,
        );
        let head = [(end - 4.0, -3.0), (end, 0.0), (end - 4.0, 3.0)];
        let head = head.map(|(along, aside)| self.form.at(along, line + aside));
        canvas.path(&head, LINE, 1.0);
    }
}

/// The stages in shared memory: as large as a bulk copy, one right after the other.
struct Stages {
    start: u64,
    bytes: u64,
    count: u64,
}

impl Stages {
    fn of(walk: &Walk, accesses: &[&Access]) -> Option<Self> {
        let is_copy = |access: &&&Access| access.space == Space::Shared && walk.is_bulk(access);
        let copies = || accesses.iter().filter(is_copy);
        let addresses = || copies().filter_map(|copy| first_address(copy));
        let (start, last) = (addresses().min()?, addresses().max()?);
        let bytes = copies()
            .map(|copy| u64::from(copy.access_bytes))
            .max()?
            .max(1);
        let count = (last - start) / bytes + 1;
        (count <= MOST_STAGES).then_some(Self {
            start,
            bytes,
            count,
        })
    }

    /// The stage that an access to shared memory goes to.
    fn stage(&self, access: &Access) -> Option<u64> {
        let offset = first_address(access)?.checked_sub(self.start)?;
        Some(offset / self.bytes).filter(|stage| *stage < self.count)
    }
}

/// Events being read from a warp's accesses.
#[derive(Default)]
struct Events {
    events: Vec<Event>,
    /// Tiles fetched so far.
    tiles: usize,
    /// The tile that each stage holds.
    holds: BTreeMap<u64, usize>,
}

impl Events {
    /// `None` where a stage is used before a tile has come.
    fn of(walk: &Walk, stages: &Stages, accesses: &[&Access]) -> Option<Self> {
        let mut read = Self::default();
        // A bulk copy is two accesses, what it reads and then what it writes.
        let mut before: Option<&Access> = None;
        for &access in accesses {
            match (access.space, walk.is_bulk(access)) {
                (Space::Shared, false) => {
                    if let Some(stage) = stages.stage(access) {
                        read.turn(stage)?;
                    }
                }
                (Space::Shared, true) if access.is_store => {
                    read.load(stages.stage(access)?)?;
                }
                (Space::Global, true) if access.is_store => {
                    read.push(Kind::Store, stages.stage(before?)?)?;
                }
                _ => {}
            }
            before = Some(access);
        }
        Some(read)
    }

    fn load(&mut self, stage: u64) -> Option<()> {
        self.holds.insert(stage, self.tiles);
        self.tiles += 1;
        self.push(Kind::Load, stage)
    }

    /// The loads and stores of a turn are one event.
    fn turn(&mut self, stage: u64) -> Option<()> {
        let last = self.events.last();
        match last.is_some_and(|last| last.kind == Kind::Turn && last.stage == stage) {
            true => Some(()),
            false => self.push(Kind::Turn, stage),
        }
    }

    fn push(&mut self, kind: Kind, stage: u64) -> Option<()> {
        let tile = *self.holds.get(&stage)?;
        self.events.push(Event { kind, stage, tile });
        Some(())
    }
}

fn first_address(access: &Access) -> Option<u64> {
    access.addresses.iter().flatten().min().copied()
}

/// What the marks mean, each in as many lines as it needs.
struct Key(Vec<(Kind, Vec<String>)>);

impl Key {
    fn new(form: Form) -> Self {
        let meanings = [
            (
                Kind::Load,
                "L: the bulk copy in is started; under way until the threads’ wait for its mbarrier ends",
            ),
            (Kind::Turn, "T: the threads turn the tile in its place"),
            (
                Kind::Store,
                "S: the bulk copy out is started; the stage is free when it has been read out",
            ),
        ];
        let lines = |text| small_lines(text, form.bars() - MARK);
        Self(meanings.map(|(kind, text)| (kind, lines(text))).to_vec())
    }

    fn height(&self) -> f64 {
        let lines: usize = self.0.iter().map(|(_, lines)| lines.len()).sum();
        lines as f64 * LINE_HEIGHT + 4.0
    }

    fn draw(&self, canvas: &mut Canvas<'_>, top: f64) {
        let mut y = top;
        for (kind, lines) in &self.0 {
            let alpha = if *kind == Kind::Turn { 1.0 } else { 0.3 };
            let (at, size) = ((0.0, y + 4.5), (12.0, 12.0));
            canvas.fill(at, size, Ink::Rgb(kind.rgb(), alpha));
            canvas.outline(at, size, Ink::Rgb(kind.rgb(), 1.0), 1.4);
            y = canvas.lines((MARK, y), lines);
        }
    }
}
