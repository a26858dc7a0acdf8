//! One warp's access to global or local memory: lanes above, the 32-byte sectors that they touch below. The rule is the emulator's; this only draws it.

use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::figure::Figure;
use super::lanes::Lanes;
use super::style::{BLUE, FULL, Form, Ink, LINE, SMALL, SOFT, counted, fit, percent, text_width};
use cornerturn_emulator::Access;
use cornerturn_emulator::counters::{self, SECTOR_BYTES};
use std::collections::BTreeMap;
use std::slice;

/// Bytes of a cache line: four sectors.
const LINE_BYTES: u64 = 128;
const LINE_SECTORS: u64 = LINE_BYTES / SECTOR_BYTES;
/// Sectors in one row of the picture; aligned accesses never need more.
const ROW_SECTORS: usize = 32;
/// What is said below the picture.
const LEGEND: &str = "sectors of 32 bytes, wanted bytes filled; brackets: 128-byte lines; \
                      numbers: bytes from the start of the buffer";
/// The same for local memory, whose words are laid out by the hardware.
const LOCAL_LEGEND: &str = "sectors of 32 bytes, wanted bytes filled; brackets: 128-byte lines, a line for each word \
                            of a thread; numbers: bytes from the start of the warp's local memory";

/// Which 32-byte sectors one warp-level access touches, and how much of each it wants.
///
/// `access` is one element of [`cornerturn_emulator::Trace::accesses`]; `buffer_start` is the address of the buffer's
/// first byte, from which offsets are counted.
pub fn sectors(title: &str, access: &Access, buffer_start: u64) -> Figure {
    draw(title, slice::from_ref(access), buffer_start, LEGEND)
}

/// Where one warp-level access to local memory goes: the words of the 32 lanes lie side by side, so that a word of all
/// lanes is a line of 128 bytes. Numbers count bytes from the begin of the warp's local memory.
///
/// `access` is one element of [`cornerturn_emulator::Trace::accesses`], in [`cornerturn_emulator::Space::Local`]; its
/// addresses are offsets into each thread's own memory.
pub fn local(title: &str, access: &Access) -> Figure {
    let word = |addresses| Access {
        addresses,
        access_bytes: access.access_bytes.min(4),
        ..access.clone()
    };
    let words = counters::local_words(&access.addresses, access.access_bytes);
    let words: Vec<Access> = words.into_iter().map(word).collect();
    draw(title, &words, 0, LOCAL_LEGEND)
}

/// The accesses of one instruction in one picture: one, or one for each word of lanes whose words lie apart.
fn draw(title: &str, accesses: &[Access], buffer_start: u64, legend: &str) -> Figure {
    let mut touched = BTreeMap::new();
    for (sector, bytes) in accesses.iter().flat_map(touched_bytes) {
        *touched.entry(sector).or_insert(0) |= bytes;
    }
    let (Some(access), false) = (accesses.first(), touched.is_empty()) else {
        return Figure::nothing(
            title,
            "There is nothing to draw: no lane of this access is active.",
            "",
        );
    };
    let summary = summary(accesses, access, &touched);
    Figure::of_lanes("", |form| {
        let heading = Heading::new(title, &summary, form.lanes());
        let picture = Picture::new(&touched, heading.height(), form);
        let legend = small_lines(legend, form.lanes());
        let bottom = picture.bottom();
        let height = bottom + legend.len() as f64 * LINE_HEIGHT + 4.0;
        drawing((form.lanes(), height), title, &summary, &mut |canvas| {
            canvas.heading(&heading);
            picture.draw(canvas, accesses, buffer_start);
            canvas.lines((0.0, bottom), &legend);
        })
    })
}

/// The lanes and the sectors in their places.
struct Picture {
    lanes: Lanes,
    rows: Vec<Vec<Place>>,
    /// Where the first row of sectors begins across, and the room of each with its numbers.
    first: f64,
    row: f64,
    /// How far a sector goes across.
    thick: f64,
    /// Upper edge of everything.
    top: f64,
}

impl Picture {
    fn new(touched: &BTreeMap<u64, u32>, top: f64, form: Form) -> Self {
        let (long, thick) = match form {
            Form::Wide => (form.lanes(), 26.0),
            Form::Narrow => (32.0 * 15.0, 36.0),
        };
        let start = if form.is_narrow() { top + 26.0 } else { 0.0 };
        let lanes = Lanes {
            form,
            first: start,
            pitch: long / 32.0,
            across: if form.is_narrow() { 0.0 } else { top + 30.0 },
            thick: if form.is_narrow() { 26.0 } else { 20.0 },
        };
        let rows = layout(touched, long);
        let (first, row) = match form {
            Form::Wide => (lanes.across + lanes.thick + 64.0, thick + 34.0),
            // The numbers of the last row reach the right edge.
            Form::Narrow => {
                let row = if rows.len() > 1 { 118.0 } else { 140.0 };
                (form.lanes() - rows.len() as f64 * row, row)
            }
        };
        Self {
            lanes,
            rows,
            first,
            row,
            thick,
            top,
        }
    }

    fn bottom(&self) -> f64 {
        match self.lanes.form {
            Form::Wide => self.first + self.rows.len() as f64 * self.row,
            Form::Narrow => self.lanes.end() + 8.0,
        }
    }

    fn across(&self, row: usize) -> f64 {
        self.first + row as f64 * self.row
    }

    /// A point of the sectors' rows, where `along` counts from their begin.
    fn at(&self, along: f64, across: f64) -> (f64, f64) {
        self.lanes.form.at(self.lanes.first + along, across)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, accesses: &[Access], buffer_start: u64) {
        let y = match self.lanes.form {
            Form::Wide => self.lanes.across - 7.0,
            Form::Narrow => self.top + 19.0,
        };
        canvas.text((0.0, y), "lanes of one warp", SMALL, Anchor::Start, SOFT);
        for access in accesses {
            self.draw_fan(canvas, access);
        }
        if let Some(access) = accesses.first() {
            self.lanes.draw(canvas, access);
        }
        for (index, row) in self.rows.iter().enumerate() {
            self.draw_sectors(canvas, row, self.across(index));
            self.draw_brackets(canvas, row, buffer_start, index);
        }
    }

    /// A line from each active lane to the bytes that it wants.
    fn draw_fan(&self, canvas: &mut Canvas<'_>, access: &Access) {
        let top = self.lanes.across + self.lanes.thick;
        for (lane, address) in access.addresses.iter().enumerate() {
            let Some(address) = address else { continue };
            let sector = address / SECTOR_BYTES;
            let rows = self.rows.iter().enumerate();
            let mut places = rows.flat_map(|(row, places)| places.iter().map(move |p| (row, p)));
            let Some((row, place)) = places.find(|(_, place)| place.sector == sector) else {
                continue;
            };
            let middle =
                (address % SECTOR_BYTES) as f64 + f64::from(access.access_bytes.clamp(1, 32)) / 2.0;
            let along = place.along + place.long * (middle / SECTOR_BYTES as f64).min(1.0);
            let from = self.lanes.form.at(self.lanes.middle(lane), top);
            let to = self.at(along, self.across(row));
            canvas.line(from, to, Ink::Page(0.45), 0.9);
        }
    }

    fn draw_sectors(&self, canvas: &mut Canvas<'_>, row: &[Place], across: f64) {
        let size = |long: f64| self.lanes.form.at(long, self.thick);
        for place in row {
            let (start, inner) = (place.along + 0.5, place.long - 1.0);
            for (from, to) in runs(place.bytes) {
                let byte = inner / SECTOR_BYTES as f64;
                // A few bytes of a narrow box stay visible.
                let long = ((to - from) as f64 * byte).max(3.5);
                let along = (start + from as f64 * byte).min(start + inner - long);
                canvas.fill(self.at(along, across), size(long), Ink::Rgb(BLUE, 1.0));
            }
            if place.long >= 64.0 {
                for word in 1..8 {
                    let along = start + inner * f64::from(word) / 8.0;
                    let ends = [across + 1.0, across + self.thick - 1.0];
                    let [from, to] = ends.map(|across| self.at(along, across));
                    canvas.line(from, to, Ink::Page(0.25), 0.8);
                }
            }
            let ink = if place.bytes == 0 {
                Ink::Page(0.25)
            } else {
                Ink::Page(0.65)
            };
            canvas.outline(self.at(start, across), size(inner), ink, 1.1);
            if place.is_after_break {
                let gap = if row.len() > 16 { 6.0 } else { 16.0 };
                self.draw_break(canvas, place.along - gap / 2.0, across);
            }
        }
    }

    /// Two slanted strokes in a gap: memory is left out here.
    fn draw_break(&self, canvas: &mut Canvas<'_>, along: f64, across: f64) {
        let middle = across + self.thick / 2.0;
        for shift in [-1.2, 1.2] {
            let from = self.at(along + shift - 1.0, middle + 5.0);
            let to = self.at(along + shift + 1.0, middle - 5.0);
            canvas.line(from, to, LINE, 0.9);
        }
    }

    /// A bracket at each 128-byte line, with the offset of its first drawn sector where there is room.
    fn draw_brackets(
        &self,
        canvas: &mut Canvas<'_>,
        row: &[Place],
        buffer_start: u64,
        index: usize,
    ) {
        let top = self.across(index) + self.thick + 4.0;
        let lines: Vec<&[Place]> = row
            .chunk_by(|a, b| a.sector / LINE_SECTORS == b.sector / LINE_SECTORS)
            .collect();
        let mut labels = Vec::new();
        for line in &lines {
            // `chunk_by` makes no empty chunk.
            let (first, last) = (&line[0], &line[line.len() - 1]);
            let (from, to) = (first.along + 0.5, last.along + last.long - 0.5);
            let bracket = [(from, top), (from, top + 4.0), (to, top + 4.0), (to, top)];
            let bracket = bracket.map(|(along, across)| self.at(along, across));
            canvas.path(&bracket, LINE, 0.9);
            let offset = i128::from(first.sector * SECTOR_BYTES) - i128::from(buffer_start);
            labels.push((from, offset.to_string()));
        }
        let long = self.lanes.end() - self.lanes.first;
        let mut free = f64::NEG_INFINITY;
        let last_start = labels
            .last()
            .map_or(0.0, |(along, text)| along.min(long - self.label_room(text)));
        for (index, (along, text)) in labels.iter().enumerate() {
            let (is_last, room) = (index + 1 == labels.len(), self.label_room(text));
            let start = along.min(long - room);
            // The last label always stands; one that would touch it gives way.
            if is_last || (start >= free && start + room <= last_start) {
                let tick = top + 4.0;
                canvas.line(
                    self.at(*along, tick),
                    self.at(*along, tick + 4.0),
                    LINE,
                    0.9,
                );
                self.draw_label(canvas, start, tick, text);
                free = start + room;
            }
        }
    }

    /// How far an offset goes along the row.
    fn label_room(&self, text: &str) -> f64 {
        match self.lanes.form {
            Form::Wide => text_width(text, self.lanes.form.tiny()) + 6.0,
            Form::Narrow => self.lanes.form.tiny() + 1.0,
        }
    }

    fn draw_label(&self, canvas: &mut Canvas<'_>, along: f64, tick: f64, text: &str) {
        let (form, tiny) = (self.lanes.form, self.lanes.form.tiny());
        let (at, text) = match form {
            Form::Wide => (self.at(along, tick + 14.0), text.to_owned()),
            Form::Narrow => {
                let (x, y) = self.at(along, tick + 7.0);
                let room = self.row - self.thick - 17.0;
                ((x, y + tiny * 0.8), fit(text, tiny, room))
            }
        };
        canvas.text(at, &text, tiny, Anchor::Start, FULL);
    }
}

/// For each sector touched, which of its 32 bytes are wanted: bit 0 is the first.
pub(super) fn touched_bytes(access: &Access) -> BTreeMap<u64, u32> {
    let mut touched = BTreeMap::new();
    for address in access.addresses.iter().flatten() {
        for byte in 0..u64::from(access.access_bytes.clamp(1, 32)) {
            let at = address.saturating_add(byte);
            *touched.entry(at / SECTOR_BYTES).or_insert(0) |= 1 << (at % SECTOR_BYTES);
        }
    }
    touched
}

fn summary(accesses: &[Access], access: &Access, touched: &BTreeMap<u64, u32>) -> String {
    let sectors = |access: &Access| counters::sectors(&access.addresses, access.access_bytes);
    let count: u64 = accesses.iter().map(sectors).map(u64::from).sum();
    let bytes = u64::from(access.access_bytes) * accesses.len() as u64;
    let moved = count * SECTOR_BYTES;
    let wanted: u64 = touched
        .values()
        .map(|bytes| u64::from(bytes.count_ones()))
        .sum();
    let lanes = access.addresses.iter().flatten().count() as u64;
    let share = if lanes * bytes > wanted {
        " (lanes share them)"
    } else {
        ""
    };
    format!(
        "{} {} {}: {}, {} moved for {} wanted{share}, {}",
        counted(lanes, "lane", "lanes"),
        match (access.is_store, lanes) {
            (true, 1) => "stores",
            (true, _) => "store",
            (false, 1) => "loads",
            (false, _) => "load",
        },
        format_args!("{} each", counted(bytes, "byte", "bytes")),
        counted(count, "sector", "sectors"),
        counted(moved, "byte", "bytes"),
        counted(wanted, "byte", "bytes"),
        percent(wanted as f64 / moved as f64, 1),
    )
}

/// A sector's box in the picture.
struct Place {
    sector: u64,
    /// The wanted bytes; none for a sector that only completes its line.
    bytes: u32,
    along: f64,
    long: f64,
    /// Whether memory is left out between the sector before and this one.
    is_after_break: bool,
}

/// Places the sectors in rows. Few lines are drawn whole; of many, only the touched sectors.
fn layout(touched: &BTreeMap<u64, u32>, long: f64) -> Vec<Vec<Place>> {
    let mut lines: Vec<u64> = touched.keys().map(|sector| sector / LINE_SECTORS).collect();
    lines.dedup();
    let drawn: Vec<(u64, u32)> = if lines.len() <= 4 {
        let whole = lines
            .iter()
            .flat_map(|line| (0..LINE_SECTORS).map(move |i| line * LINE_SECTORS + i));
        whole
            .map(|sector| (sector, touched.get(&sector).copied().unwrap_or(0)))
            .collect()
    } else {
        touched
            .iter()
            .map(|(&sector, &bytes)| (sector, bytes))
            .collect()
    };
    let rows = drawn.chunks(ROW_SECTORS);
    rows.map(|drawn| layout_row(drawn, long)).collect()
}

fn layout_row(drawn: &[(u64, u32)], long: f64) -> Vec<Place> {
    let crowded = drawn.len() > 16;
    let gap = |before: u64, after: u64| match () {
        () if before + 1 != after => {
            if crowded {
                6.0
            } else {
                16.0
            }
        }
        () if before / LINE_SECTORS != after / LINE_SECTORS => {
            if crowded {
                4.0
            } else {
                8.0
            }
        }
        () => 0.0,
    };
    let gaps: Vec<f64> = drawn
        .windows(2)
        .map(|pair| gap(pair[0].0, pair[1].0))
        .collect();
    let room = long - gaps.iter().sum::<f64>();
    // Eight words to a sector: a word as wide as a lane, where it fits, stands below its lane.
    let width = (room / drawn.len() as f64).min(long / 4.0);
    let mut x = (room - width * drawn.len() as f64) / 2.0;
    let mut places = Vec::with_capacity(drawn.len());
    for (index, &(sector, bytes)) in drawn.iter().enumerate() {
        let before = index.checked_sub(1);
        x += before.map_or(0.0, |before| gaps[before]);
        let is_after_break = before.is_some_and(|before| drawn[before].0 + 1 != sector);
        places.push(Place {
            sector,
            bytes,
            along: x,
            long: width,
            is_after_break,
        });
        x += width;
    }
    places
}

/// Runs of set bits, as first and one past the last.
fn runs(bytes: u32) -> Vec<(u32, u32)> {
    let mut runs = Vec::new();
    let mut bit = 0;
    while bit < 32 {
        let rest = bytes >> bit;
        if rest == 0 {
            break;
        }
        let from = bit + rest.trailing_zeros();
        let length = (bytes >> from).trailing_ones();
        runs.push((from, from + length));
        bit = from + length;
    }
    runs
}
