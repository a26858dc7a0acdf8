//! What the copy engine and the threads of one block do to the stages of its shared memory, in the order of events. The emulator has no clock, and so the axis is no time.

use super::Figure;
use super::canvas::{Anchor, Canvas, Heading, drawing};
use super::style::{
    BARS_WIDTH, BLUE, FULL, Ink, LINE, MESH, PURPLE, SMALL, SOFT, TINY, VERMILLION, counted,
};
use crate::task::Walk;
use cornerturn_emulator::{Access, Space};
use std::collections::BTreeMap;

/// The most events that have room side by side.
const MOST_EVENTS: usize = 24;
const MOST_STAGES: u64 = 8;
const NAME: f64 = 52.0;
const LANE: f64 = 34.0;
const HEAD: f64 = 8.0;
/// Height of the row of events and of what it says.
const AXIS: f64 = 58.0;
/// Height of one line of the key.
const KEY: f64 = 18.0;

/// What a block does with each stage of its shared memory: a tile on its way in, turned by the threads, and on its way
/// out, in the order in which the block's first warp has its instructions. From [`Task::walk`](crate::Task::walk), for
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
    let summary = pipeline.summary();
    let heading = Heading::new(title, &summary, BARS_WIDTH);
    let top = heading.height() + HEAD;
    let bottom = top + pipeline.stages as f64 * LANE;
    let size = (BARS_WIDTH, bottom + AXIS + 3.0 * KEY);
    let svg = drawing(size, title, &summary, &mut |canvas| {
        canvas.heading(&heading);
        pipeline.draw_stages(canvas, top);
        pipeline.draw_axis(canvas, top, bottom);
        draw_key(canvas, bottom + AXIS);
    });
    Figure::new(svg, "")
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

    fn summary(&self) -> String {
        let shown = match self.count > self.events.len() {
            true => format!("the first {} of {} events", self.events.len(), self.count),
            false => counted(self.count as u64, "event", "events"),
        };
        format!(
            "{}, {shown}; from left to right the order of one warp’s instructions, which is no scale of time",
            counted(self.stages, "stage", "stages")
        )
    }

    fn step(&self) -> f64 {
        (BARS_WIDTH - NAME) / (self.events.len() + 1) as f64
    }

    fn x(&self, index: usize) -> f64 {
        NAME + index as f64 * self.step()
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

    fn draw_stages(&self, canvas: &mut Canvas<'_>, top: f64) {
        for stage in 0..self.stages {
            let y = top + stage as f64 * LANE;
            let name = format!("stage {stage}");
            canvas.text(
                (0.0, y + LANE / 2.0 + 4.0),
                &name,
                SMALL,
                Anchor::Start,
                FULL,
            );
            canvas.line(
                (NAME, y + LANE - 3.0),
                (BARS_WIDTH, y + LANE - 3.0),
                MESH,
                1.0,
            );
        }
        for (index, event) in self.events.iter().enumerate() {
            let (from, to) = (self.x(index), self.x(self.end(index)));
            let at = (from + 0.5, top + event.stage as f64 * LANE + 4.0);
            let size = match event.kind {
                Kind::Turn => (self.step() - 1.0, LANE - 11.0),
                _ => (to - from - 1.0, LANE - 11.0),
            };
            let rgb = event.kind.rgb();
            // A copy that is under way is pale, and its outline the colour.
            let alpha = if event.kind == Kind::Turn { 1.0 } else { 0.3 };
            canvas.fill(at, size, Ink::Rgb(rgb, alpha));
            canvas.outline(at, size, Ink::Rgb(rgb, 1.0), 1.4);
            let ink = match event.kind {
                Kind::Turn => Ink::Rgb(super::style::text_on(rgb), 1.0),
                _ => FULL,
            };
            let text = (at.0 + self.step() / 2.0, at.1 + size.1 / 2.0 + 4.0);
            canvas.text(text, &event.tile.to_string(), SMALL, Anchor::Middle, ink);
        }
    }

    fn draw_axis(&self, canvas: &mut Canvas<'_>, top: f64, bottom: f64) {
        for (index, event) in self.events.iter().enumerate() {
            let x = self.x(index);
            canvas.line((x, top), (x, bottom + 4.0), MESH, 0.8);
            let label = format!("{}{}", event.kind.letter(), event.tile);
            let at = (x + self.step() / 2.0, bottom + 14.0);
            canvas.text(at, &label, TINY, Anchor::Middle, FULL);
        }
        let (y, end) = (bottom + 24.0, self.x(self.events.len()));
        canvas.line((NAME, y), (end, y), LINE, 1.0);
        canvas.path(
            &[(end - 4.0, y - 3.0), (end, y), (end - 4.0, y + 3.0)],
            LINE,
            1.0,
        );
        let text = "order of events; a number is a tile’s, in the order of their loads";
        canvas.text((NAME, y + 14.0), text, SMALL, Anchor::Start, SOFT);
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

fn draw_key(canvas: &mut Canvas<'_>, top: f64) {
    let lines = [
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
    for (index, (kind, text)) in lines.iter().enumerate() {
        let y = top + index as f64 * KEY;
        let alpha = if *kind == Kind::Turn { 1.0 } else { 0.3 };
        canvas.fill((0.0, y), (12.0, 12.0), Ink::Rgb(kind.rgb(), alpha));
        canvas.outline((0.0, y), (12.0, 12.0), Ink::Rgb(kind.rgb(), 1.0), 1.4);
        canvas.text((18.0, y + 10.5), text, SMALL, Anchor::Start, SOFT);
    }
}
