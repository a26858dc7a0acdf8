//! The stages of one block of a product whose factors come by tensor copies: filled, read by `wgmma`, filled again; and the tiles that leave. Which operation waits for which is `order`'s.

mod order;

use super::Figure;
use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::style::{
    BLUE, FULL, Form, GREEN, Ink, LINE, MESH, PURPLE, SMALL, SOFT, VERMILLION, text_on, text_width,
};
use cornerturn_emulator::{BulkCopy, Trace};
use order::{Operation, What, operations};
use std::collections::BTreeSet;

/// The most steps that have room side by side.
const MOST_STEPS: u32 = 26;
const MOST_STAGES: usize = 8;
const ROW: f64 = 34.0;
const HEAD: f64 = 8.0;
const AXIS: f64 = 20.0;
/// Room for a mark of the key.
const MARK: f64 = 18.0;
const GREY: [u8; 3] = [0x78; 3];

/// What the copy engine and the tensor cores do with the stages of one block, from the trace of its cluster
/// ([`Product::trace`](cornerturn_measure::Product::trace), with all blocks of the first cluster). Each operation is drawn one step long and as early as
/// the barriers and waits of the kernel allow: an order, and no time, since the emulator has no clock.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let bf16 = ProductProblem::new(512, 256, 384).input(NumberType::Bf16).output(NumberType::Bf16);
/// let product = Product::new(&Device::emulator(), bf16)?;
/// let cluster = TraceRequest { blocks: vec![[0, 0, 0], [1, 0, 0]], max_accesses: 1 << 16, ..TraceRequest::default() };
/// let trace = product.trace(&Kernel::registered("persistent_bf16")?, 2, 384, cluster)?;
/// let figure = plot::product_pipeline("persistent_bf16: one block, two tiles", &trace);
/// assert!(figure.svg.contains("stage 3"));
/// # Ok(())
/// # }
/// ```
pub fn product_pipeline(title: &str, trace: &Trace) -> Figure {
    let Some(pipeline) = Pipeline::of(trace) else {
        let reason = "There is nothing to draw: no trace of a whole cluster whose factors come by tensor copies to `wgmma`.";
        return Figure::nothing(title, reason, "");
    };
    let summary = pipeline.summary();
    Figure::of_lanes("", |form| {
        let names = match form {
            Form::Wide => String::new(),
            Form::Narrow => {
                " s: a stage, w and C: a warpgroup’s wgmma and its boxes of C.".to_string()
            }
        };
        let heading = Heading::new(title, &format!("{summary}{names}"), form.lanes());
        let picture = Picture::new(&pipeline, form, heading.height() + HEAD);
        let size = (form.lanes(), picture.height());
        drawing(size, title, &summary, &mut |canvas| {
            canvas.heading(&heading);
            picture.draw(canvas);
        })
    })
}

/// The part of a factor that one copy brings to a stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Of A.
    Own,
    /// Of B, by this block's copy, for both.
    Given,
    /// Of B, by another block's copy.
    Taken,
}

impl Part {
    fn rgb(self) -> [u8; 3] {
        match self {
            Self::Own => BLUE,
            Self::Given => GREEN,
            Self::Taken => PURPLE,
        }
    }
}

/// A stage that is filled, read and free again.
struct Filling {
    stage: usize,
    /// What comes, from which step on.
    parts: Vec<(Part, u32)>,
    /// From which step on it is read, and until which.
    read: Option<(u32, u32)>,
}

impl Filling {
    fn start(&self) -> u32 {
        self.parts.iter().map(|part| part.1).min().unwrap_or(0)
    }

    fn filled(&self) -> u32 {
        self.parts.iter().map(|part| part.1 + 1).max().unwrap_or(0)
    }
}

/// One row below the stages: what a warpgroup has tensor cores and the copy engine do.
struct Consumer {
    /// Step and number of the filling that is multiplied.
    multiplies: Vec<(u32, usize)>,
    stores: Vec<u32>,
}

struct Pipeline {
    stages: usize,
    fillings: Vec<Filling>,
    consumers: Vec<Consumer>,
    steps: u32,
    /// Operations beyond what is drawn.
    is_cut: bool,
    /// Another block's copies come here.
    is_shared: bool,
}

impl Pipeline {
    fn of(trace: &Trace) -> Option<Self> {
        let first = trace.handovers.first()?;
        let all = operations(&trace.handovers);
        let own = first.rank;
        let (mut fillings, stages) = fillings(&all, own)?;
        let consumers = consumers(&all, own, &mut fillings);
        let is_read = fillings.0.iter().any(|filling| filling.read.is_some());
        let last = all.iter().map(|operation| operation.start + 1).max()?;
        let steps = last.min(MOST_STEPS);
        let mut fillings = fillings.0;
        let is_shared = fillings
            .iter()
            .any(|filling| filling.parts.iter().any(|part| part.0 == Part::Taken));
        fillings.retain(|filling| filling.start() < steps);
        is_read.then_some(Self {
            stages,
            fillings,
            consumers,
            steps,
            is_cut: last > steps,
            is_shared,
        })
    }

    /// Rows of each warpgroup for boxes of C: none where nothing goes out by copies.
    fn stores_rows(&self) -> usize {
        usize::from(
            self.consumers
                .iter()
                .any(|consumer| !consumer.stores.is_empty()),
        )
    }

    /// Rows of the picture.
    fn rows(&self) -> usize {
        self.stages + self.consumers.len() * (1 + self.stores_rows())
    }

    fn summary(&self) -> String {
        let cut = match self.is_cut {
            true => format!(" The first {} steps.", self.steps),
            false => String::new(),
        };
        format!(
            "{} stages and {} multiplying warpgroups of one block. Each operation one step long, as early as barriers and waits \
             allow: the order that must be kept, and no time.{cut}",
            self.stages,
            self.consumers.len()
        )
    }
}

/// The fillings of a block's stages in their order, and where each lies in shared memory.
struct Fillings(Vec<Filling>, Vec<BulkCopy>);

/// `None` where there is none, or more stages than have room. A stage is what one mbarrier counts.
fn fillings(all: &[Operation], own: u32) -> Option<(Fillings, usize)> {
    let mine = || {
        all.iter().filter_map(|operation| match operation.what {
            What::Load { copy, blocks } if blocks >> own & 1 == 1 => {
                Some((copy, blocks, operation))
            }
            _ => None,
        })
    };
    let barriers: BTreeSet<Option<u32>> = mine().map(|(copy, ..)| copy.barrier).collect();
    if barriers.is_empty() || barriers.len() > MOST_STAGES {
        return None;
    }
    let (mut fillings, mut firsts): (Vec<Filling>, Vec<BulkCopy>) = Default::default();
    for (stage, barrier) in barriers.iter().enumerate() {
        // A place in the stage is written once in each filling.
        let mut times: Vec<(u32, usize)> = Vec::new();
        let mut here: Vec<(Filling, BulkCopy)> = Vec::new();
        for (copy, blocks, operation) in mine().filter(|(copy, ..)| copy.barrier == *barrier) {
            let part = match (blocks == 1 << own, operation.by.0 == own) {
                (true, _) => Part::Own,
                (false, true) => Part::Given,
                (false, false) => Part::Taken,
            };
            let seen = times.iter_mut().find(|(shared, _)| *shared == copy.shared);
            let number = match seen {
                Some((_, times)) => {
                    *times += 1;
                    *times
                }
                None => {
                    times.push((copy.shared, 0));
                    0
                }
            };
            if number == here.len() {
                let filling = Filling {
                    stage,
                    parts: Vec::new(),
                    read: None,
                };
                here.push((filling, copy));
            }
            let (filling, first) = here.get_mut(number)?;
            filling.parts.push((part, operation.start));
            // A comes by a copy for this block alone, unless all does.
            if copy.shared < first.shared {
                *first = copy;
            }
        }
        for (mut filling, first) in here {
            filling.parts.sort();
            fillings.push(filling);
            firsts.push(first);
        }
    }
    let mut order: Vec<(Filling, BulkCopy)> = fillings.into_iter().zip(firsts).collect();
    order.sort_by_key(|(filling, _)| (filling.start(), filling.stage));
    let (fillings, firsts) = order.into_iter().unzip();
    Some((Fillings(fillings, firsts), barriers.len()))
}

/// What the first warp of each warpgroup of a block has done, and with which filling.
fn consumers(all: &[Operation], own: u32, fillings: &mut Fillings) -> Vec<Consumer> {
    let mine = |operation: &&Operation| operation.by.0 == own && operation.by.1.is_multiple_of(4);
    let multiplies = |operation: &&Operation| matches!(operation.what, What::Multiply { .. });
    let warps: BTreeSet<u32> = all
        .iter()
        .filter(mine)
        .filter(multiplies)
        .map(|operation| operation.by.1)
        .collect();
    let consumer = |warp: u32| {
        let mut consumer = Consumer {
            multiplies: Vec::new(),
            stores: Vec::new(),
        };
        for operation in all.iter().filter(mine).filter(|o| o.by.1 == warp) {
            match operation.what {
                What::Multiply { a, b } => {
                    let start = operation.start;
                    if let Some(number) = read_of(fillings, a.or(b), start) {
                        let read = fillings.0[number].read.get_or_insert((start, start + 1));
                        *read = (read.0.min(start), read.1.max(start + 1));
                        consumer.multiplies.push((start, number));
                    }
                }
                What::Store { .. } => consumer.stores.push(operation.start),
                What::Load { .. } => {}
            }
        }
        consumer
    };
    warps.into_iter().map(consumer).collect()
}

/// The filling that is in its stage when an address of it is read: the last one that has come by then.
fn read_of(fillings: &Fillings, address: Option<u32>, start: u32) -> Option<usize> {
    let address = address?;
    let stages = || fillings.0.iter().zip(&fillings.1).enumerate();
    // The stage whose first byte is the nearest below.
    let below = stages().filter(|(_, (_, first))| first.shared <= address);
    let stage = below.max_by_key(|(_, (_, first))| first.shared)?.1.0.stage;
    let come =
        stages().filter(|(_, (filling, _))| filling.stage == stage && filling.filled() <= start);
    come.max_by_key(|(_, (filling, _))| filling.start())
        .map(|(number, _)| number)
}

/// Steps along the form's rows, stages and warpgroups across them.
struct Picture<'p> {
    pipeline: &'p Pipeline,
    form: Form,
    /// Where the first step begins, and the room of each.
    steps: (f64, f64),
    /// Where the first row begins, and the room of each.
    rows: (f64, f64),
    key: Vec<([u8; 3], f64, Vec<String>)>,
}

impl<'p> Picture<'p> {
    fn new(pipeline: &'p Pipeline, form: Form, top: f64) -> Self {
        let count = pipeline.rows();
        let (steps, rows) = match form {
            Form::Wide => {
                let left = text_width("warpgroup 0, stores", SMALL) + 8.0;
                let room = (form.lanes() - left) / f64::from(pipeline.steps);
                ((left, room.min(40.0)), (top, ROW))
            }
            Form::Narrow => {
                let left = 26.0;
                let room = (form.lanes() - left) / count as f64;
                ((top + 22.0, 17.0), (left, room))
            }
        };
        let mut key = match pipeline.is_shared {
            true => vec![
                (
                    BLUE,
                    0.35,
                    "a box of A on its way into the stage: the wait for “emptied” is over; the number counts fillings",
                ),
                (
                    GREEN,
                    0.35,
                    "a box of B, brought by this block’s copy for both blocks",
                ),
                (
                    PURPLE,
                    0.35,
                    "a box of B, brought by the other block’s copy",
                ),
            ],
            false => vec![(
                BLUE,
                0.35,
                "boxes of A and B on their way into the stage; the number counts fillings",
            )],
        };
        key.push((
            VERMILLION,
            1.0,
            "a group of wgmma reads the stage of this number: the wait for its mbarrier is over",
        ));
        if pipeline.stores_rows() > 0 {
            key.push((GREY, 1.0, "a box of C on its way out"));
        }
        let lines = |text: &str| small_lines(text, form.lanes() - MARK);
        let key = key
            .into_iter()
            .map(|(rgb, alpha, text)| (rgb, alpha, lines(text)));
        Self {
            pipeline,
            form,
            steps,
            rows,
            key: key.collect(),
        }
    }

    fn along(&self, step: u32) -> f64 {
        self.steps.0 + f64::from(step.min(self.pipeline.steps)) * self.steps.1
    }

    fn across(&self, row: usize) -> f64 {
        self.rows.0 + row as f64 * self.rows.1
    }

    /// Where the rows end below, in either direction.
    fn bottom(&self) -> f64 {
        match self.form {
            Form::Wide => self.across(self.pipeline.rows()),
            Form::Narrow => self.along(self.pipeline.steps),
        }
    }

    fn height(&self) -> f64 {
        let lines: usize = self.key.iter().map(|(.., lines)| lines.len()).sum();
        self.bottom() + AXIS + 10.0 + lines as f64 * LINE_HEIGHT + 4.0
    }

    fn draw(&self, canvas: &mut Canvas<'_>) {
        self.draw_rows(canvas);
        for (number, filling) in self.pipeline.fillings.iter().enumerate() {
            self.draw_filling(canvas, number, filling);
        }
        for (index, consumer) in self.pipeline.consumers.iter().enumerate() {
            let row = self.pipeline.stages + index * (1 + self.pipeline.stores_rows());
            for (start, number) in &consumer.multiplies {
                self.draw_step(canvas, (*start, row), VERMILLION, &number.to_string());
            }
            for (box_of, start) in consumer.stores.iter().enumerate() {
                let row = (*start, row + 1);
                let above = consumer.stores[..box_of].iter().filter(|s| *s == start);
                let together = consumer.stores.iter().filter(|s| *s == start).count();
                self.draw_part(canvas, row, (above.count(), together), GREY, 1.0);
            }
        }
        self.draw_axis(canvas);
        let mut y = self.bottom() + AXIS + 6.0;
        for (rgb, alpha, lines) in &self.key {
            canvas.fill((0.0, y + 4.5), (12.0, 12.0), Ink::Rgb(*rgb, *alpha));
            canvas.outline((0.0, y + 4.5), (12.0, 12.0), Ink::Rgb(*rgb, 1.0), 1.0);
            y = canvas.lines((MARK, y), lines);
        }
    }

    fn name(&self, row: usize) -> String {
        let (stages, each) = (self.pipeline.stages, 1 + self.pipeline.stores_rows());
        match (row.checked_sub(stages), self.form) {
            (None, Form::Wide) => format!("stage {row}"),
            (None, Form::Narrow) => format!("s{row}"),
            (Some(row), Form::Wide) => {
                let what = if row % each == 0 { "wgmma" } else { "stores" };
                format!("warpgroup {}, {what}", row / each)
            }
            (Some(row), Form::Narrow) => {
                let what = if row % each == 0 { "w" } else { "C" };
                format!("{what}{}", row / each)
            }
        }
    }

    fn draw_rows(&self, canvas: &mut Canvas<'_>) {
        let end = self.along(self.pipeline.steps);
        for row in 0..self.pipeline.rows() {
            let (from, room) = (self.across(row), self.rows.1);
            let (at, anchor) = match self.form {
                Form::Wide => ((0.0, from + room / 2.0 + 4.0), Anchor::Start),
                Form::Narrow => ((from + room / 2.0, self.steps.0 - 7.0), Anchor::Middle),
            };
            canvas.text(at, &self.name(row), SMALL, anchor, FULL);
            let line = from + room - 1.0;
            let ink = if row + 1 == self.pipeline.stages {
                LINE
            } else {
                MESH
            };
            canvas.line(
                self.form.at(self.steps.0, line),
                self.form.at(end, line),
                ink,
                1.0,
            );
        }
    }

    /// The parts on their way side by side, then the stage as it waits and is read.
    fn draw_filling(&self, canvas: &mut Canvas<'_>, number: usize, filling: &Filling) {
        let row = filling.stage;
        let thick = self.rows.1 - 7.0;
        for (index, (part, start)) in filling.parts.iter().enumerate() {
            if *start < self.pipeline.steps {
                let place = (index, filling.parts.len());
                self.draw_part(canvas, (*start, row), place, part.rgb(), 0.35);
            }
        }
        let label = |canvas: &mut Canvas<'_>, start: u32, ink: Ink| {
            let (x, y) = self.form.at(
                self.along(start) + self.steps.1 / 2.0,
                self.across(row) + 3.0 + thick / 2.0,
            );
            canvas.text(
                (x, y + 4.0),
                &number.to_string(),
                SMALL,
                Anchor::Middle,
                ink,
            );
        };
        label(canvas, filling.start(), FULL);
        let Some((from, to)) = filling.read else {
            return;
        };
        let across = self.across(row) + 3.0;
        let bar = |from: u32, to: u32| {
            let (from, to) = (self.along(from), self.along(to));
            (
                self.form.at(from + 0.5, across),
                self.form.at((to - from - 1.0).max(0.0), thick),
            )
        };
        // It is full and waits.
        let (at, size) = bar(filling.filled(), from);
        canvas.fill(at, size, Ink::Page(0.08));
        canvas.outline(
            at,
            size,
            LINE,
            if size.0 > 1.0 && size.1 > 1.0 {
                0.8
            } else {
                0.0
            },
        );
        if from < self.pipeline.steps {
            let (at, size) = bar(from, to);
            canvas.fill(at, size, Ink::Rgb(VERMILLION, 1.0));
            label(canvas, from, Ink::Rgb(text_on(VERMILLION), 1.0));
        }
    }

    fn draw_step(
        &self,
        canvas: &mut Canvas<'_>,
        (start, row): (u32, usize),
        rgb: [u8; 3],
        text: &str,
    ) {
        if start >= self.pipeline.steps {
            return;
        }
        self.draw_part(canvas, (start, row), (0, 1), rgb, 1.0);
        let (x, y) = self.form.at(
            self.along(start) + self.steps.1 / 2.0,
            self.across(row) + 3.0 + (self.rows.1 - 7.0) / 2.0,
        );
        let ink = Ink::Rgb(text_on(rgb), 1.0);
        canvas.text((x, y + 4.0), text, SMALL, Anchor::Middle, ink);
    }

    /// One of several bars that share a row's room for a step.
    fn draw_part(
        &self,
        canvas: &mut Canvas<'_>,
        (start, row): (u32, usize),
        (index, count): (usize, usize),
        rgb: [u8; 3],
        alpha: f64,
    ) {
        if start >= self.pipeline.steps {
            return;
        }
        let thick = (self.rows.1 - 7.0) / count.max(1) as f64;
        let across = self.across(row) + 3.0 + index as f64 * thick;
        let at = self.form.at(self.along(start) + 0.5, across);
        let size = self.form.at(self.steps.1 - 1.0, thick - 0.6);
        canvas.fill(at, size, Ink::Rgb(rgb, alpha));
        canvas.outline(at, size, Ink::Rgb(rgb, 1.0), 1.0);
    }

    fn draw_axis(&self, canvas: &mut Canvas<'_>) {
        let words = match self.form {
            Form::Wide => "order of events: steps, no time →",
            Form::Narrow => "↓ order of events: steps, no time",
        };
        let at = match self.form {
            Form::Wide => (self.steps.0, self.bottom() + 15.0),
            Form::Narrow => (0.0, self.bottom() + 15.0),
        };
        canvas.text(at, words, SMALL, Anchor::Start, SOFT);
        let (first, last) = (self.across(0), self.across(self.pipeline.rows()));
        for step in 0..=self.pipeline.steps {
            let along = self.along(step);
            canvas.line(
                self.form.at(along, first),
                self.form.at(along, last),
                MESH,
                0.6,
            );
            if self.form.is_narrow() && step < self.pipeline.steps && step % 2 == 0 {
                let y = along + self.steps.1 / 2.0 + 4.0;
                canvas.text(
                    (0.0, y),
                    &step.to_string(),
                    self.form.tiny(),
                    Anchor::Start,
                    SOFT,
                );
            }
        }
    }
}
