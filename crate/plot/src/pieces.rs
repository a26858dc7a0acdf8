//! Where the 16-byte pieces of a tile lie in shared memory, and in which banks the eight pieces of one 8 × 8 matrix are. Where they lie was found by a launch.

use super::Figure;
use super::canvas::{Anchor, Canvas, Heading, drawing};
use super::style::{FULL, Form, Ink, LINE, MESH, SMALL, SOFT, counted, ramp_at, text_on};
use cornerturn_emulator::counters::shared_wavefronts;
use cornerturn_emulator::{Access, Space, Trace};
use std::collections::BTreeMap;

/// Bytes of a piece: what a lane gives `ldmatrix`, a unit of `wgmma`, the grain of a swizzle.
const PIECE: u64 = 16;
/// Pieces that lie side by side in all 32 banks.
const ACROSS: u64 = 8;
/// Rows of a matrix.
const ROWS: usize = 8;
/// The most lines of 128 bytes that a picture shows.
const MOST_LINES: u64 = 24;
const GAP: f64 = 22.0;
const HEAD: f64 = 48.0;
const CELL_HEIGHT: f64 = 17.0;

/// A piece of a tile: its row, and its number in the row.
type Place = (usize, usize);

/// Eight rows of a tile in shared memory, piece by piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pieces {
    name: String,
    /// By address, counted in pieces from a multiple of 128 bytes on.
    places: BTreeMap<u64, Place>,
    /// Those of one 8 × 8 matrix.
    matrix: Vec<u64>,
}

impl Pieces {
    /// What asynchronous copies of a traced warp's block bring to the rows that its first `ldmatrix` reads, from the trace. Rows of the
    /// matrix in global memory are `row_bytes` apart; of each, 128 bytes are shown.
    pub fn loaded(name: &str, trace: &Trace, row_bytes: u64) -> Self {
        let pieces = Self::copied(trace);
        let is_matrix = |access: &&Access| {
            let lanes = access.addresses.iter().take(ROWS);
            access.space == Space::Shared
                && !access.is_store
                && access.access_bytes == PIECE as u32
                && lanes.clone().flatten().count() == ROWS
                && lanes.flatten().all(|address| pieces.contains_key(address))
        };
        let first = trace.accesses.iter().find(is_matrix);
        let rows: Vec<u64> = first.map_or(Vec::new(), |access| {
            access
                .addresses
                .iter()
                .take(ROWS)
                .flatten()
                .copied()
                .collect()
        });
        let base = rows
            .first()
            .and_then(|address| pieces.get(address))
            .copied();
        let mut found = Self {
            name: name.to_string(),
            places: BTreeMap::new(),
            matrix: Vec::new(),
        };
        let Some(base) = base.filter(|_| row_bytes > 0) else {
            return found;
        };
        let place = |global: u64| {
            let (row, byte) = ((global - base) / row_bytes, (global - base) % row_bytes);
            (row < ROWS as u64 && byte < ACROSS * PIECE)
                .then_some((row as usize, (byte / PIECE) as usize))
        };
        let inside = pieces.iter().filter(|(_, global)| **global >= base);
        let placed: BTreeMap<u64, Place> = inside
            .filter_map(|(shared, global)| Some((*shared, place(*global)?)))
            .collect();
        let start = placed.keys().next().copied().unwrap_or(0) / (ACROSS * PIECE) * ACROSS;
        let number = |address: u64| (address / PIECE).wrapping_sub(start);
        found.places = placed.into_iter().map(|(at, p)| (number(at), p)).collect();
        found.matrix = rows.into_iter().map(number).collect();
        found
    }

    /// Where in global memory each piece in shared memory comes from, as long as nothing was there before.
    fn copied(trace: &Trace) -> BTreeMap<u64, u64> {
        let mut pieces = BTreeMap::new();
        for pair in trace.accesses.windows(2) {
            let [from, to] = pair else { continue };
            let is_copy = from.space == Space::Global
                && !from.is_store
                && to.space == Space::Shared
                && to.is_store
                && from.warp == to.warp
                && from.access_bytes == PIECE as u32
                && to.access_bytes == PIECE as u32;
            if is_copy {
                for (from, to) in from.addresses.iter().zip(&to.addresses) {
                    if let (Some(from), Some(to)) = (from, to) {
                        pieces.entry(*to).or_insert(*from);
                    }
                }
            }
        }
        pieces
    }

    /// What a kernel found in shared memory: for each 16 bytes from a multiple of 1024 on, the number of the piece there, which
    /// is its row times `per_row` and its place in the row. The first eight rows are shown; the matrix is their piece number 0.
    pub fn found(name: &str, per_row: usize, memory: &[u32]) -> Self {
        let per_row = per_row.max(1);
        let place = |piece: &u32| (*piece as usize / per_row, *piece as usize % per_row);
        let all = (0..).zip(memory.iter().map(place));
        let places: BTreeMap<u64, Place> = all.filter(|(_, place)| place.0 < ROWS).collect();
        let of = |row: usize| places.iter().find(|(_, place)| **place == (row, 0));
        let matrix = (0..ROWS).filter_map(of).map(|(at, _)| *at).collect();
        Self {
            name: name.to_string(),
            places,
            matrix,
        }
    }

    /// Passes through the banks in which the eight pieces of the matrix are read.
    pub fn wavefronts(&self) -> u32 {
        let mut lanes = [None; 32];
        for (lane, piece) in lanes.iter_mut().zip(&self.matrix) {
            *lane = Some(piece * PIECE);
        }
        shared_wavefronts(&lanes, PIECE as u32, false)
    }

    fn lines(&self) -> u64 {
        self.places
            .keys()
            .last()
            .map_or(0, |last| last / ACROSS + 1)
    }

    fn is_drawable(&self) -> bool {
        self.matrix.len() == ROWS && (1..=MOST_LINES).contains(&self.lines())
    }
}

/// Shared memory as it lies, 128 bytes in a line, with the row and the number of the piece that is in each 16 bytes: one picture for each
/// layout. The colour is the piece's number in its row; outlined are the eight pieces that are one 8 × 8 matrix of 16-bit elements.
///
/// ```
/// # use cornerturn::prelude::*;
/// let straight: Vec<u32> = (0..64).collect();
/// let swizzled: Vec<u32> = (0..64).map(|at| at / 8 * 8 + (at % 8 ^ at / 8)).collect();
/// let layouts = [plot::Pieces::found("straight", 8, &straight), plot::Pieces::found("swizzled", 8, &swizzled)];
/// assert_eq!([layouts[0].wavefronts(), layouts[1].wavefronts()], [8, 1]);
/// let figure = plot::pieces("Eight rows of 128 bytes", &layouts);
/// # drop(figure);
/// ```
pub fn pieces(title: &str, layouts: &[Pieces]) -> Figure {
    if layouts.is_empty() || !layouts.iter().all(Pieces::is_drawable) {
        let reason = "There is nothing to draw: no eight rows of 16 bytes were found near each other in shared memory.";
        return Figure::nothing(title, reason, "");
    }
    let counts = layouts.iter().map(|layout| {
        let wavefronts = u64::from(layout.wavefronts());
        format!(
            "{}: {}",
            layout.name,
            counted(wavefronts, "wavefront", "wavefronts")
        )
    });
    let counts: Vec<String> = counts.collect();
    let summary = "each line is 128 bytes, all banks; row · piece of what lies there; outlined: one 8 × 8 matrix";
    let described = format!("{summary}. {}", counts.join("; "));
    Figure::of_lanes("", |form| {
        let heading = Heading::new(title, summary, form.lanes());
        let grid = Grid::new(layouts, form, heading.height() + 4.0);
        let size = (form.lanes(), grid.bottom + 6.0);
        drawing(size, title, &described, &mut |canvas| {
            canvas.heading(&heading);
            for (layout, at) in layouts.iter().zip(&grid.places) {
                draw(canvas, layout, *at, grid.cell, form);
            }
        })
    })
}

/// Where the layouts stand.
struct Grid {
    cell: f64,
    places: Vec<(f64, f64)>,
    bottom: f64,
}

impl Grid {
    fn new(layouts: &[Pieces], form: Form, top: f64) -> Self {
        let beside = match form {
            Form::Wide => layouts.len().min(4),
            Form::Narrow => 1,
        };
        let room = (form.lanes() - (beside - 1) as f64 * GAP) / beside as f64;
        let cell = (room / ACROSS as f64).min(30.0);
        let (mut places, mut y) = (Vec::new(), top);
        for row in layouts.chunks(beside) {
            let lines = row.iter().map(Pieces::lines).max().unwrap_or(0);
            let xs = (0..row.len()).map(|i| i as f64 * (ACROSS as f64 * cell + GAP));
            places.extend(xs.map(|x| (x, y)));
            y += HEAD + lines as f64 * CELL_HEIGHT + 10.0;
        }
        Self {
            cell,
            places,
            bottom: y - 10.0,
        }
    }
}

fn draw(canvas: &mut Canvas<'_>, layout: &Pieces, (left, top): (f64, f64), cell: f64, form: Form) {
    let wavefronts = u64::from(layout.wavefronts());
    canvas.text((left, top + 13.0), &layout.name, SMALL, Anchor::Start, FULL);
    let count = counted(wavefronts, "wavefront", "wavefronts");
    canvas.text((left, top + 28.0), &count, SMALL, Anchor::Start, SOFT);
    let end = left + ACROSS as f64 * cell;
    let y = top + HEAD - 5.0;
    canvas.text((left, y), "bank 0", form.tiny(), Anchor::Start, SOFT);
    canvas.text((end, y), "31", form.tiny(), Anchor::End, SOFT);
    let place = |piece: u64| {
        (
            left + (piece % ACROSS) as f64 * cell,
            top + HEAD + (piece / ACROSS) as f64 * CELL_HEIGHT,
        )
    };
    let size = (cell - 1.0, CELL_HEIGHT - 1.0);
    let inner = |(x, y): (f64, f64)| (x + 0.5, y + 0.5);
    for piece in 0..layout.lines() * ACROSS {
        let at = place(piece);
        let Some((row, number)) = layout.places.get(&piece) else {
            canvas.outline(inner(at), size, MESH, 1.0);
            continue;
        };
        let rgb = ramp_at(*number as f64 / (ACROSS - 1) as f64);
        canvas.fill(inner(at), size, Ink::Rgb(rgb, 1.0));
        let text = format!("{row}·{number}");
        let middle = (at.0 + cell / 2.0, at.1 + CELL_HEIGHT / 2.0 + 3.6);
        let ink = Ink::Rgb(text_on(rgb), 1.0);
        canvas.text(
            middle,
            &text,
            form.tiny().min(cell * 0.55),
            Anchor::Middle,
            ink,
        );
    }
    for piece in &layout.matrix {
        canvas.outline(place(*piece), (cell, CELL_HEIGHT), FULL, 2.2);
    }
    let last = top + HEAD + layout.lines() as f64 * CELL_HEIGHT;
    canvas.outline(
        (left, top + HEAD),
        (end - left, last - top - HEAD),
        LINE,
        0.8,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(per_row: u32, place: impl Fn(u32, u32) -> usize, pieces: usize) -> Pieces {
        let mut memory = vec![u32::MAX; pieces];
        for row in 0..8 {
            for piece in 0..per_row {
                memory[place(row, piece)] = row * per_row + piece;
            }
        }
        Pieces::found("t", per_row as usize, &memory)
    }

    #[test]
    fn wavefronts_are_those_of_the_banks() {
        let straight = rows(8, |row, piece| (row * 8 + piece) as usize, 64);
        let padded = rows(8, |row, piece| (row * 9 + piece) as usize, 72);
        let swizzled = rows(8, |row, piece| (row * 8 + (piece ^ row)) as usize, 64);
        let by_fours = rows(4, |row, piece| (row * 4 + piece) as usize, 32);
        let all = [straight, padded, swizzled, by_fours];
        assert_eq!(all.each_ref().map(Pieces::wavefronts), [8, 1, 1, 4]);
        assert_eq!(all.each_ref().map(Pieces::lines), [8, 9, 8, 4]);
        let figure = pieces("t", &all[..3]);
        assert!(figure.svg.contains("7·0") && figure.svg.contains("8 wavefronts"));
    }

    #[test]
    fn what_was_not_found_is_no_picture() {
        let none = Pieces::found("t", 0, &[]);
        assert!(pieces("t", &[none]).svg.contains("nothing to draw"));
        assert!(pieces("t", &[]).svg.contains("nothing to draw"));
        let none = Pieces::loaded("t", &Trace::default(), 0);
        assert!(pieces("t", &[none]).svg.contains("nothing to draw"));
    }
}
