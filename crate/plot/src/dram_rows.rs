//! Channels and rows of DRAM that the blocks of a walk touch, by a model of how addresses are spread. The model is the reader's: what a GPU does is not documented.

use super::Figure;
use super::canvas::{Anchor, Canvas, Heading, drawing};
use super::style::{BLUE, FULL, Form, Ink, LINE, SMALL, SOFT, VERMILLION, counted, percent};
use cornerturn_measure::task::Walk;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that are told apart in a row.
const SECTOR: u64 = 32;
const MOST_CHANNELS: u64 = 32;
/// Between what is read and what is written: side by side, or below each other on a telephone.
const GAP: f64 = 28.0;
const HEAD: f64 = 40.0;
/// The tallest that the rows of a channel are drawn.
const MOST_HEIGHT: f64 = 220.0;
/// The most rows of a channel that are drawn; more are said in words.
const MOST_ROWS: usize = 55;
const FOOT: f64 = 40.0;

/// A simple model of memory: consecutive pieces lie in one channel after the other, and what comes to a channel fills
/// its rows one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DramModel {
    /// Channels.
    pub channels: u64,
    /// Consecutive bytes in one channel before the next channel's begin.
    pub interleave_bytes: u64,
    /// Bytes of a row of one channel.
    pub row_bytes: u64,
}

impl DramModel {
    /// A model of so many channels, in pieces of `interleave_bytes`, with rows of `row_bytes`.
    pub fn new(channels: u64, interleave_bytes: u64, row_bytes: u64) -> Self {
        Self {
            channels,
            interleave_bytes,
            row_bytes,
        }
    }

    /// The channel and the row in it of a byte, counted from the start of a matrix.
    fn place(&self, offset: u64) -> (u64, u64) {
        let piece = offset / self.interleave_bytes;
        let inside = piece / self.channels * self.interleave_bytes + offset % self.interleave_bytes;
        (piece % self.channels, inside / self.row_bytes)
    }

    fn is_drawable(&self) -> bool {
        (1..=MOST_CHANNELS).contains(&self.channels)
            && self.interleave_bytes >= SECTOR
            && self.interleave_bytes.is_multiple_of(SECTOR)
            && self.row_bytes >= SECTOR
            // No row of any matrix overflows.
            && self.interleave_bytes.max(self.row_bytes) <= 1 << 32
    }
}

/// Which rows of which channels the blocks of a walk read, and which they write, if memory were as `model` has it:
/// a model, and said to be one in the picture. Blocks that are in flight together want their rows together. From
/// [`Task::walk`](cornerturn_measure::Task::walk).
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let task = Task::transpose(&Device::emulator(), 512, 512)?;
/// let walk = task.walk(&Kernel::registered("padded")?, (16, 16), (32, 8), 0..16)?;
/// let figure = plot::dram_rows("padded: 16 blocks", &walk, &plot::DramModel::new(8, 256, 1024));
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
pub fn dram_rows(title: &str, walk: &Walk, model: &DramModel) -> Figure {
    if !model.is_drawable() {
        let reason = format!(
            "There is nothing to draw: a model has 1 to {MOST_CHANNELS} channels, and pieces of whole sectors."
        );
        return Figure::nothing(title, &reason, "");
    }
    let sides = [Side::of(walk, model, false), Side::of(walk, model, true)];
    if sides.iter().any(|side| side.channels.is_empty()) {
        let reason = "There is nothing to draw: no thread of these blocks reads, or none writes.";
        return Figure::nothing(title, reason, "");
    }
    let summary = summary(walk, model, &sides);
    Figure::new("", |form| draw(title, &summary, &sides, model, form))
}

fn draw(title: &str, summary: &str, sides: &[Side; 2], model: &DramModel, form: Form) -> String {
    let heading = Heading::new(title, summary, form.bars());
    let most = sides.iter().map(Side::most_rows).max().unwrap_or(1);
    let unit = (MOST_HEIGHT / most.clamp(1, MOST_ROWS) as f64).min(14.0);
    let top = heading.height() + 8.0 + HEAD;
    let tall = |side: &Side| side.most_rows().min(MOST_ROWS) as f64 * unit + FOOT;
    let (places, height) = match form {
        Form::Wide => {
            let right = (form.bars() + GAP) / 2.0;
            (
                [(0.0, top), (right, top)],
                top + tall(&sides[0]).max(tall(&sides[1])),
            )
        }
        Form::Narrow => {
            let second = top + tall(&sides[0]) + HEAD;
            ([(0.0, top), (0.0, second)], second + tall(&sides[1]))
        }
    };
    drawing((form.bars(), height), title, summary, &mut |canvas| {
        canvas.heading(&heading);
        for (side, place) in sides.iter().zip(places) {
            side.draw(canvas, place, (unit, form), model);
        }
    })
}

/// What is touched of one matrix: of each channel the rows, and how many sectors of each.
struct Side {
    is_store: bool,
    channels: BTreeMap<u64, BTreeMap<u64, BTreeSet<u64>>>,
}

impl Side {
    fn of(walk: &Walk, model: &DramModel, is_store: bool) -> Self {
        let start = if is_store {
            walk.output_start
        } else {
            walk.input_start
        };
        let mut channels: BTreeMap<u64, BTreeMap<u64, BTreeSet<u64>>> = BTreeMap::new();
        for access in walk.global(is_store) {
            let bytes = u64::from(access.access_bytes.max(1));
            for address in access.addresses.iter().flatten() {
                let Some(offset) = address.checked_sub(start) else {
                    continue;
                };
                for sector in offset / SECTOR..=(offset + bytes - 1) / SECTOR {
                    let (channel, row) = model.place(sector * SECTOR);
                    let rows = channels.entry(channel).or_default();
                    rows.entry(row).or_default().insert(sector);
                }
            }
        }
        Self { is_store, channels }
    }

    fn most_rows(&self) -> usize {
        self.channels.values().map(BTreeMap::len).max().unwrap_or(0)
    }

    fn rows(&self) -> usize {
        self.channels.values().map(BTreeMap::len).sum()
    }

    /// Sectors touched, as a part of all in the rows touched.
    fn part(&self, model: &DramModel) -> f64 {
        let rows = self.channels.values().flat_map(BTreeMap::values);
        let sectors: usize = rows.map(BTreeSet::len).sum();
        let all = self.rows() as f64 * model.row_bytes as f64 / SECTOR as f64;
        (sectors as f64 / all).min(1.0)
    }

    fn words(&self, model: &DramModel) -> String {
        format!(
            "{} {} in {}, {} of their bytes",
            if self.is_store {
                "writes touch"
            } else {
                "reads touch"
            },
            counted(self.rows() as u64, "row", "rows"),
            counted(self.channels.len() as u64, "channel", "channels"),
            percent(self.part(model), 1)
        )
    }

    fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        (left, top): (f64, f64),
        (unit, form): (f64, Form),
        model: &DramModel,
    ) {
        let tiny = form.tiny();
        let panel = match form {
            Form::Wide => (form.bars() - GAP) / 2.0,
            Form::Narrow => form.bars(),
        };
        let name = match self.is_store {
            true => "written to out",
            false => "read from in",
        };
        canvas.text((left, top - 25.0), name, SMALL, Anchor::Start, FULL);
        let right = left + panel;
        canvas.text(
            (right, top - 25.0),
            "rows of each channel",
            tiny,
            Anchor::End,
            SOFT,
        );
        let width = panel / model.channels as f64;
        for channel in 0..model.channels {
            let x = left + channel as f64 * width;
            self.draw_channel(canvas, channel, (x, top), (width, unit, tiny), model);
        }
        let bottom = top + self.most_rows().min(MOST_ROWS) as f64 * unit + 2.0;
        canvas.line((left, bottom), (right, bottom), LINE, 1.0);
        let mut below = |x: f64, text: &str| {
            canvas.text((x, bottom + 13.0), text, tiny, Anchor::Middle, SOFT);
        };
        for channel in [0, model.channels - 1] {
            below(left + (channel as f64 + 0.5) * width, &channel.to_string());
        }
        below(left + panel / 2.0, "channel");
        if self.most_rows() > MOST_ROWS {
            let text = format!("only {MOST_ROWS} rows of a channel are drawn");
            canvas.text((left, bottom + 27.0), &text, tiny, Anchor::Start, SOFT);
        }
    }

    /// The number of a channel's rows, and each row with the part of it that is touched.
    fn draw_channel(
        &self,
        canvas: &mut Canvas<'_>,
        channel: u64,
        (x, top): (f64, f64),
        (width, unit, tiny): (f64, f64, f64),
        model: &DramModel,
    ) {
        let rgb = if self.is_store { VERMILLION } else { BLUE };
        let none = BTreeMap::new();
        let rows = self.channels.get(&channel).unwrap_or(&none);
        let middle = (x + width / 2.0, top - 6.0);
        canvas.text(middle, &rows.len().to_string(), tiny, Anchor::Middle, FULL);
        let size = (width - 3.0, (unit - 1.0).max(unit * 0.6));
        for (index, sectors) in rows.values().take(MOST_ROWS).enumerate() {
            let at = (x + 1.5, top + index as f64 * unit);
            let part = (sectors.len() as u64 * SECTOR) as f64 / model.row_bytes as f64;
            canvas.fill(at, size, Ink::Page(0.14));
            // A sector of a long row stays visible.
            let long = (size.0 * part.min(1.0)).max(1.5);
            canvas.fill(at, (long, size.1), Ink::Rgb(rgb, 1.0));
        }
    }
}

fn summary(walk: &Walk, model: &DramModel, sides: &[Side; 2]) -> String {
    format!(
        "a model, as no GPU’s mapping is documented: {} in turn for each {} bytes, rows of {} bytes. {}: {}; {}",
        counted(model.channels, "channel", "channels"),
        model.interleave_bytes,
        model.row_bytes,
        counted(walk.blocks.len() as u64, "block", "blocks"),
        sides[0].words(model),
        sides[1].words(model)
    )
}
