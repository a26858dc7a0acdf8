//! A tile in shared memory as a grid, coloured by bank, with the words of one access outlined.

use super::banks::{lanes_per_phase, words_per_lane};
use super::canvas::{Anchor, Canvas, Heading, drawing};
use super::figure::Figure;
use super::style::{FULL, Form, Ink, LINE, SMALL, SOFT, counted, ramp, text_on, text_width};
use cornerturn_emulator::Access;
use cornerturn_emulator::counters::{self, BANK_BYTES, BANKS};
use std::collections::{BTreeMap, BTreeSet};

/// A row-major tile of 4-byte words in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// Rows.
    pub rows: u32,
    /// Columns that hold data.
    pub columns: u32,
    /// Words from one row to the next: `columns` and the padding.
    pub pitch_words: u32,
    /// Address of the first word in shared memory, in bytes.
    pub start: u64,
}

impl Tile {
    /// A tile at the start of shared memory.
    pub fn new(rows: u32, columns: u32, pitch_words: u32) -> Self {
        Self {
            rows,
            columns,
            pitch_words,
            start: 0,
        }
    }

    fn pitch(&self) -> u32 {
        self.pitch_words.max(self.columns)
    }

    fn words(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.pitch())
    }

    fn bank(&self, row: u32, column: u32) -> u32 {
        let word = u64::from(row) * u64::from(self.pitch()) + u64::from(column);
        counters::bank_of(self.start.wrapping_add(word * BANK_BYTES))
    }
}

/// The most words that a readable picture holds.
const MOST_WORDS: u64 = 64 * 65;
const MARGIN: f64 = 30.0;
const HEADER: f64 = 18.0;
/// Height of the scale of banks below the tile.
const SCALE_HEIGHT: f64 = 46.0;

/// Which bank holds each word of a tile, and which words one access asks for.
///
/// Columns from `tile.columns` on are padding. Words that the access asks for are outlined and carry their bank's number.
/// An access of 8 or 16 bytes a lane is served half a warp or a quarter of one at a time: what is not served first has a
/// thin outline and no number. Where words are too narrow for numbers, the colours alone tell the banks.
pub fn bank_map(title: &str, tile: &Tile, access: &Access) -> Figure {
    let words = tile.words();
    if words == 0 || words > MOST_WORDS {
        let reason = format!(
            "There is nothing to draw: the tile has {words} words, a picture 1 to {MOST_WORDS}."
        );
        return Figure::nothing(title, &reason, "");
    }
    let (asked, outside) = asked_words(tile, access);
    let summary = summary(tile, access, &asked);
    let caption = match outside {
        0 => String::new(),
        n => format!(
            "{} outside the tile.",
            counted(n, "word of the access lies", "words of the access lie")
        ),
    };
    Figure::of_lanes(&caption, |form| draw(title, &summary, tile, &asked, form))
}

/// The words that an access asks for, each with the phase that serves it first.
type Asked = BTreeMap<u64, usize>;

fn draw(title: &str, summary: &str, tile: &Tile, asked: &Asked, form: Form) -> String {
    let width = form.lanes();
    let heading = Heading::new(title, summary, width);
    let top = heading.height() + 12.0 + HEADER;
    let grid = Grid {
        form,
        top,
        cell: (
            ((width - MARGIN) / f64::from(tile.pitch())).min(40.0),
            (480.0 / f64::from(tile.rows)).clamp(8.0, 16.0),
        ),
    };
    let bottom = top + f64::from(tile.rows) * grid.cell.1;
    drawing(
        (width, bottom + SCALE_HEIGHT),
        title,
        summary,
        &mut |canvas| {
            canvas.heading(&heading);
            draw_tile(canvas, tile, asked, &grid);
            draw_axes(canvas, tile, &grid);
            draw_scale(canvas, bottom + 16.0, form);
        },
    )
}

/// Where the words lie.
struct Grid {
    form: Form,
    top: f64,
    /// Width and height of a word.
    cell: (f64, f64),
}

impl Grid {
    /// Upper left corner of a word.
    fn place(&self, row: u32, column: u32) -> (f64, f64) {
        (
            MARGIN + f64::from(column) * self.cell.0,
            self.top + f64::from(row) * self.cell.1,
        )
    }
}

/// The words of the tile that the access asks for, each with the phase that serves it first, and how many words it asks
/// for elsewhere.
fn asked_words(tile: &Tile, access: &Access) -> (Asked, u64) {
    let (mut asked, mut outside) = (BTreeMap::new(), 0);
    for (lane, address) in access.addresses.iter().enumerate() {
        let Some(address) = address else { continue };
        let phase = lane / lanes_per_phase(access);
        for word in 0..words_per_lane(access) {
            let at = address
                .saturating_add(word * BANK_BYTES)
                .checked_sub(tile.start);
            match at
                .map(|bytes| bytes / BANK_BYTES)
                .filter(|&word| word < tile.words())
            {
                Some(word) => drop(asked.entry(word).or_insert(phase)),
                None => outside += 1,
            }
        }
    }
    (asked, outside)
}

fn summary(tile: &Tile, access: &Access, asked: &Asked) -> String {
    let banks: BTreeSet<u64> = asked
        .keys()
        .map(|word| (tile.start / BANK_BYTES + word) % u64::from(BANKS))
        .collect();
    let wavefronts =
        counters::shared_wavefronts(&access.addresses, access.access_bytes, access.is_store);
    let at_once = lanes_per_phase(access);
    let phases = match at_once < 32 {
        true => format!("; {at_once} lanes at a time, the first of them outlined in bold"),
        false => String::new(),
    };
    format!(
        "rows of {} words; one warp {} the {} outlined, from {}: {}{phases}",
        tile.pitch(),
        if access.is_store {
            "stores to"
        } else {
            "loads"
        },
        counted(asked.len() as u64, "word", "words"),
        counted(banks.len() as u64, "bank", "different banks"),
        counted(wavefronts.into(), "wavefront", "wavefronts"),
    )
}

fn draw_tile(canvas: &mut Canvas<'_>, tile: &Tile, asked: &Asked, grid: &Grid) {
    let (cell, tiny) = (grid.cell, grid.form.tiny());
    // All numbers or none: two digits have the same room as one.
    let is_numbered = text_width("31", tiny) < cell.0 && cell.1 >= 12.0;
    let thick = (cell.0 * 0.2).clamp(0.6, 1.8);
    let phase_of = |row: u32, column: u32| {
        asked.get(&(u64::from(row) * u64::from(tile.pitch()) + u64::from(column)))
    };
    let words =
        || (0..tile.rows).flat_map(|row| (0..tile.pitch()).map(move |column| (row, column)));
    for (row, column) in words().filter(|&(row, column)| phase_of(row, column).is_none()) {
        // Padding holds nothing: only a hint of its bank.
        let alpha = if column < tile.columns { 0.5 } else { 0.2 };
        let (x, y) = grid.place(row, column);
        let size = (cell.0 - 0.6, cell.1 - 0.6);
        canvas.fill(
            (x + 0.3, y + 0.3),
            size,
            Ink::Rgb(ramp(tile.bank(row, column)), alpha),
        );
    }
    for (row, column) in words() {
        let Some(&phase) = phase_of(row, column) else {
            continue;
        };
        let at = grid.place(row, column);
        let rgb = ramp(tile.bank(row, column));
        canvas.fill(at, cell, Ink::Rgb(rgb, 1.0));
        canvas.outline(at, cell, FULL, if phase == 0 { thick } else { thick / 3.0 });
        let number = tile.bank(row, column).to_string();
        if phase == 0 && is_numbered {
            let middle = (at.0 + cell.0 / 2.0, at.1 + cell.1 / 2.0 + 3.6);
            let text = Ink::Rgb(text_on(rgb), 1.0);
            canvas.text(middle, &number, tiny, Anchor::Middle, text);
        }
    }
    if tile.pitch() > tile.columns {
        let x = MARGIN + f64::from(tile.columns) * cell.0;
        let (top, bottom) = (grid.top, grid.place(tile.rows, 0).1);
        canvas.line((x, top - 4.0), (x, bottom + 4.0), FULL, 1.2);
    }
}

fn draw_axes(canvas: &mut Canvas<'_>, tile: &Tile, grid: &Grid) {
    let (cell, top, tiny) = (grid.cell, grid.top, grid.form.tiny());
    let step = |size: f64, room: f64| {
        [1u32, 2, 4, 8, 16]
            .into_iter()
            .find(|&step| f64::from(step) * size >= room)
            .unwrap_or(32)
    };
    canvas.text((0.0, top - 6.0), "row", tiny, Anchor::Start, SOFT);
    for column in (0..tile.columns).step_by(step(cell.0, 70.0) as usize) {
        let x = MARGIN + (f64::from(column) + 0.5) * cell.0;
        let label = if column == 0 {
            "column 0".to_owned()
        } else {
            column.to_string()
        };
        let (x, anchor) = if column == 0 {
            (MARGIN, Anchor::Start)
        } else {
            (x, Anchor::Middle)
        };
        canvas.text((x, top - 6.0), &label, tiny, anchor, SOFT);
    }
    if tile.pitch() > tile.columns {
        let x = MARGIN + f64::from(tile.pitch()) * cell.0;
        let label = if f64::from(tile.columns) * cell.0 > 140.0 {
            "padding"
        } else {
            "pad"
        };
        canvas.text((x, top - 6.0), label, tiny, Anchor::End, FULL);
    }
    for row in (0..tile.rows).step_by(step(cell.1, 40.0) as usize) {
        let y = top + (f64::from(row) + 0.5) * cell.1 + 3.6;
        canvas.text((MARGIN - 6.0, y), &row.to_string(), tiny, Anchor::End, SOFT);
    }
}

/// The colours of the 32 banks.
fn draw_scale(canvas: &mut Canvas<'_>, top: f64, form: Form) {
    let tiny = form.tiny();
    let left = MARGIN + 38.0;
    let width = ((form.lanes() - left - 8.0) / f64::from(BANKS)).min(9.0);
    canvas.text((MARGIN, top + 9.5), "bank", SMALL, Anchor::Start, SOFT);
    for bank in 0..BANKS {
        let x = left + f64::from(bank) * width;
        canvas.fill((x, top), (width, 11.0), Ink::Rgb(ramp(bank), 1.0));
        if bank % 8 == 0 || bank + 1 == BANKS {
            canvas.line(
                (x + width / 2.0, top + 11.0),
                (x + width / 2.0, top + 14.0),
                LINE,
                0.9,
            );
            canvas.text(
                (x + width / 2.0, top + 25.0),
                &bank.to_string(),
                tiny,
                Anchor::Middle,
                SOFT,
            );
        }
    }
}
