//! One warp's access to global memory: lanes above, the 32-byte sectors that they touch below. The rule is the emulator's; this only draws it.

use super::canvas::{Anchor, Canvas, Heading, drawing};
use super::figure::Figure;
use super::style::{
    BLUE, FULL, Ink, LANES_WIDTH, LINE, SMALL, SOFT, TINY, counted, percent, text_width,
};
use cornerturn_emulator::Access;
use cornerturn_emulator::counters::{self, SECTOR_BYTES};
use std::collections::BTreeMap;

/// Bytes of a cache line: four sectors.
const LINE_BYTES: u64 = 128;
const LINE_SECTORS: u64 = LINE_BYTES / SECTOR_BYTES;
/// Pixels of one lane.
const LANE: f64 = LANES_WIDTH / 32.0;
pub(super) const LANE_HEIGHT: f64 = 20.0;
/// Height of the lines from lanes to sectors.
const FAN_HEIGHT: f64 = 64.0;
const SECTOR_HEIGHT: f64 = 26.0;
/// Sectors in one row of the picture; aligned accesses never need more.
const ROW_SECTORS: usize = 32;
const ROW_HEIGHT: f64 = SECTOR_HEIGHT + 34.0;

/// Which 32-byte sectors one warp-level access touches, and how much of each it wants.
///
/// `access` is one element of [`cornerturn_emulator::Trace::accesses`]; `buffer_start` is the address of the buffer's
/// first byte, from which offsets are counted.
pub fn sectors(title: &str, access: &Access, buffer_start: u64) -> Figure {
    let touched = touched_bytes(access);
    if touched.is_empty() {
        return Figure::nothing(
            title,
            "There is nothing to draw: no lane of this access is active.",
            "",
        );
    }
    let summary = summary(access, &touched);
    let heading = Heading::new(title, &summary, LANES_WIDTH);
    let rows = layout(&touched);
    let lanes = heading.height() + 30.0;
    let first = lanes + LANE_HEIGHT + FAN_HEIGHT;
    let height = first + rows.len() as f64 * ROW_HEIGHT + 22.0;
    let svg = drawing((LANES_WIDTH, height), title, &summary, &mut |canvas| {
        canvas.heading(&heading);
        draw_fan(canvas, access, &rows, lanes + LANE_HEIGHT, first);
        draw_lanes(canvas, access, lanes);
        for (index, row) in rows.iter().enumerate() {
            draw_sectors(canvas, row, buffer_start, first + index as f64 * ROW_HEIGHT);
        }
        let legend = "sectors of 32 bytes, wanted bytes filled; brackets: 128-byte lines; \
                      numbers: bytes from the start of the buffer";
        canvas.text((0.0, height - 6.0), legend, SMALL, Anchor::Start, SOFT);
    });
    Figure::wide(svg, "")
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

fn summary(access: &Access, touched: &BTreeMap<u64, u32>) -> String {
    let count = u64::from(counters::sectors(&access.addresses, access.access_bytes));
    let moved = count * SECTOR_BYTES;
    let wanted: u64 = touched
        .values()
        .map(|bytes| u64::from(bytes.count_ones()))
        .sum();
    let lanes = access.addresses.iter().flatten().count() as u64;
    let share = if lanes * u64::from(access.access_bytes) > wanted {
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
        format_args!(
            "{} each",
            counted(access.access_bytes.into(), "byte", "bytes")
        ),
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
    x: f64,
    width: f64,
    /// Whether memory is left out between the sector before and this one.
    is_after_break: bool,
}

/// Places the sectors in rows. Few lines are drawn whole; of many, only the touched sectors.
fn layout(touched: &BTreeMap<u64, u32>) -> Vec<Vec<Place>> {
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
    drawn.chunks(ROW_SECTORS).map(layout_row).collect()
}

fn layout_row(drawn: &[(u64, u32)]) -> Vec<Place> {
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
    let room = LANES_WIDTH - gaps.iter().sum::<f64>();
    // Eight words to a sector: a word as wide as a lane, where it fits, stands below its lane.
    let width = (room / drawn.len() as f64).min(8.0 * LANE);
    let mut x = (room - width * drawn.len() as f64) / 2.0;
    let mut places = Vec::with_capacity(drawn.len());
    for (index, &(sector, bytes)) in drawn.iter().enumerate() {
        let before = index.checked_sub(1);
        x += before.map_or(0.0, |before| gaps[before]);
        let is_after_break = before.is_some_and(|before| drawn[before].0 + 1 != sector);
        places.push(Place {
            sector,
            bytes,
            x,
            width,
            is_after_break,
        });
        x += width;
    }
    places
}

pub(super) fn draw_lanes(canvas: &mut Canvas<'_>, access: &Access, top: f64) {
    canvas.text(
        (0.0, top - 7.0),
        "lanes of one warp",
        SMALL,
        Anchor::Start,
        SOFT,
    );
    for (lane, address) in access.addresses.iter().enumerate() {
        draw_lane(
            canvas,
            lane,
            address.is_some(),
            lane as f64 * LANE,
            LANE,
            top,
        );
    }
}

/// One lane's box: filled if it is active.
pub(super) fn draw_lane(
    canvas: &mut Canvas<'_>,
    lane: usize,
    active: bool,
    x: f64,
    pitch: f64,
    top: f64,
) {
    let (at, size) = ((x + 1.0, top), (pitch - 2.0, LANE_HEIGHT));
    let (ink, text) = match active {
        true => {
            canvas.fill(at, size, Ink::Rgb(BLUE, 0.22));
            (Ink::Rgb(BLUE, 1.0), FULL)
        }
        false => (Ink::Page(0.3), Ink::Page(0.45)),
    };
    canvas.outline(at, size, ink, 1.0);
    canvas.text(
        (x + pitch / 2.0, top + 14.0),
        &lane.to_string(),
        TINY,
        Anchor::Middle,
        text,
    );
}

/// A line from each active lane to the bytes that it wants.
fn draw_fan(canvas: &mut Canvas<'_>, access: &Access, rows: &[Vec<Place>], top: f64, first: f64) {
    for (lane, address) in access.addresses.iter().enumerate() {
        let Some(address) = address else { continue };
        let sector = address / SECTOR_BYTES;
        let places = rows.iter().enumerate();
        let found = places.flat_map(|(row, places)| places.iter().map(move |place| (row, place)));
        let Some((row, place)) = found.into_iter().find(|(_, place)| place.sector == sector) else {
            continue;
        };
        let middle =
            (address % SECTOR_BYTES) as f64 + f64::from(access.access_bytes.clamp(1, 32)) / 2.0;
        let x = place.x + place.width * (middle / SECTOR_BYTES as f64).min(1.0);
        let from = (lane as f64 * LANE + LANE / 2.0, top);
        canvas.line(
            from,
            (x, first + row as f64 * ROW_HEIGHT),
            Ink::Page(0.45),
            0.9,
        );
    }
}

fn draw_sectors(canvas: &mut Canvas<'_>, row: &[Place], buffer_start: u64, top: f64) {
    for place in row {
        let at = (place.x + 0.5, top);
        let inner = place.width - 1.0;
        for (from, to) in runs(place.bytes) {
            let byte = inner / SECTOR_BYTES as f64;
            // A few bytes of a narrow box stay visible.
            let width = ((to - from) as f64 * byte).max(3.5);
            let x = (at.0 + from as f64 * byte).min(at.0 + inner - width);
            canvas.fill((x, top), (width, SECTOR_HEIGHT), Ink::Rgb(BLUE, 1.0));
        }
        let ink = if place.bytes == 0 {
            Ink::Page(0.25)
        } else {
            Ink::Page(0.65)
        };
        if place.width >= 64.0 {
            for word in 1..8 {
                let x = at.0 + inner * f64::from(word) / 8.0;
                canvas.line(
                    (x, top + 1.0),
                    (x, top + SECTOR_HEIGHT - 1.0),
                    Ink::Page(0.25),
                    0.8,
                );
            }
        }
        canvas.outline(at, (inner, SECTOR_HEIGHT), ink, 1.1);
        if place.is_after_break {
            draw_break(
                canvas,
                place.x,
                top,
                if row.len() > 16 { 6.0 } else { 16.0 },
            );
        }
    }
    draw_brackets(canvas, row, buffer_start, top + SECTOR_HEIGHT + 4.0);
}

/// Two slanted strokes in the gap before `x`: memory is left out here.
fn draw_break(canvas: &mut Canvas<'_>, x: f64, top: f64, gap: f64) {
    let middle = (x - gap / 2.0, top + SECTOR_HEIGHT / 2.0);
    for shift in [-1.2, 1.2] {
        let from = (middle.0 + shift - 1.0, middle.1 + 5.0);
        canvas.line(from, (middle.0 + shift + 1.0, middle.1 - 5.0), LINE, 0.9);
    }
}

/// A bracket below each 128-byte line, with the offset of its first drawn sector where there is room.
fn draw_brackets(canvas: &mut Canvas<'_>, row: &[Place], buffer_start: u64, top: f64) {
    let lines: Vec<&[Place]> = row
        .chunk_by(|a, b| a.sector / LINE_SECTORS == b.sector / LINE_SECTORS)
        .collect();
    let mut labels = Vec::new();
    for line in &lines {
        // `chunk_by` makes no empty chunk.
        let (first, last) = (&line[0], &line[line.len() - 1]);
        let (from, to) = (first.x + 0.5, last.x + last.width - 0.5);
        canvas.path(
            &[(from, top), (from, top + 4.0), (to, top + 4.0), (to, top)],
            LINE,
            0.9,
        );
        let offset = i128::from(first.sector * SECTOR_BYTES) - i128::from(buffer_start);
        labels.push((from, offset.to_string()));
    }
    let mut free = f64::NEG_INFINITY;
    let width = |text: &str| text_width(text, TINY) + 6.0;
    let last_start = labels
        .last()
        .map_or(0.0, |(x, text)| x.min(LANES_WIDTH - width(text)));
    for (index, (x, text)) in labels.iter().enumerate() {
        let is_last = index + 1 == labels.len();
        let start = x.min(LANES_WIDTH - width(text));
        // The last label always stands; one that would touch it gives way.
        if is_last || (start >= free && start + width(text) <= last_start) {
            let tick = top + 4.0;
            canvas.line((*x, tick), (*x, tick + 4.0), LINE, 0.9);
            canvas.text((start, top + 18.0), text, TINY, Anchor::Start, FULL);
            free = start + width(text);
        }
    }
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
