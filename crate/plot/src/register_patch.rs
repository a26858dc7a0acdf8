//! A thread's patch: the rows that it loads, and the columns of it that it stores, each found in the trace. Where the patch lies is drawn below.

use super::Figure;
use super::canvas::{Anchor, Canvas, Heading, drawing, small_lines};
use super::style::{FULL, Form, Ink, LINE, MESH, SMALL, SOFT, ramp_at, text_on};
use cornerturn_emulator::{Access, Space};
use cornerturn_measure::task::Walk;
use std::collections::BTreeMap;

/// The most loads of a thread that have room.
const MOST_LOADS: usize = 8;
const CELL_HEIGHT: f64 = 24.0;
const HEAD: f64 = 22.0;

/// Room for the name of a load or store, and the width of an element's cell.
const fn widths(form: Form) -> (f64, f64) {
    match form {
        Form::Wide => (84.0, 38.0),
        Form::Narrow => (104.0, 50.0),
    }
}

/// Room for the arrow from loads to stores that stand below them.
const TURN: f64 = 26.0;
const WORD: u64 = 4;

type Place = (usize, usize);

/// What a thread loads from `in` and stores right after it, element by element: the rows of its patch on the left, on
/// the right what it has made of them in its registers. Which element a store holds is followed through the trace, by
/// way of shared memory where the kernel goes there, to where it ends up in `out`. From
/// [`Task::walk`](cornerturn_measure::Task::walk); the thread is one of the walk's first block.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let small = Task::transpose(&Device::emulator(), 64, 64)?;
/// let walk = small.walk(&Kernel::registered("vectorized")?, (2, 2), (8, 8), (0, 0))?;
/// let figure = plot::register_patch("vectorized: the patch of thread 9", &walk, 9);
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
pub fn register_patch(title: &str, walk: &Walk, thread: u32) -> Figure {
    let Some(patch) = Patch::of(walk, thread) else {
        let reason = "There is nothing to draw: no stores of the thread hold what it loads.";
        return Figure::nothing(title, reason, "");
    };
    let summary = patch.summary(thread);
    Figure::new("", |form| patch.draw(title, &summary, form))
}

/// One load or store of the thread.
struct Piece {
    name: String,
    /// The elements in order, by their place in the input.
    elements: Vec<Place>,
}

/// What one thread loads and stores.
struct Patch {
    loads: Vec<Piece>,
    stores: Vec<Piece>,
    /// The part of the input that the block's loads cover, as first and last row and column.
    tile: (Place, Place),
    /// The first elements that the thread's warp loads with the thread's first load, one a lane.
    warp: Vec<Place>,
    lane: usize,
}

impl Patch {
    /// `None` where the thread does not load and store 16 bytes at a time, or its stores cannot be followed.
    fn of(walk: &Walk, thread: u32) -> Option<Self> {
        let block = walk.blocks.first()?;
        let (warp, lane) = (thread / 32, (thread % 32) as usize);
        let is_mine = |access: &&Access| {
            access.block == *block && access.warp == warp && access.addresses[lane].is_some()
        };
        let mine: Vec<&Access> = walk.accesses.iter().filter(is_mine).collect();
        let is_load = |access: &&&Access| access.space == Space::Global && !access.is_store;
        let mut loads: Vec<&Access> = mine.iter().take_while(is_load).copied().collect();
        let rest = mine.iter().skip(loads.len());
        let mut stores: Vec<&Access> = rest.take_while(|access| access.is_store).copied().collect();
        // The compiler may have another order than the source.
        for side in [&mut loads, &mut stores] {
            side.sort_by_key(|access| access.addresses[lane]);
        }
        let is_wide = |access: &&Access| access.access_bytes == 16 && walk.element.bytes() == 4;
        let counts = [loads.len(), stores.len()];
        if !loads.iter().chain(&stores).all(is_wide)
            || counts.iter().any(|count| !(1..=MOST_LOADS).contains(count))
        {
            return None;
        }
        let ends = Ends::of(walk, *block);
        let piece = |access: &&Access| {
            let address = access.addresses[lane]?;
            let words = (0..4).map(|word| ends.source(walk, access, address + word * WORD));
            let elements = words.collect::<Option<Vec<Place>>>()?;
            let name = name_of(walk, access, address);
            Some(Piece { name, elements })
        };
        let loaded: Vec<Piece> = loads.iter().map(piece).collect::<Option<_>>()?;
        let stored: Vec<Piece> = stores.iter().map(piece).collect::<Option<_>>()?;
        let is_loaded =
            |element: &Place| loaded.iter().any(|piece| piece.elements.contains(element));
        let follows = stored
            .iter()
            .flat_map(|piece| &piece.elements)
            .all(is_loaded);
        let lanes = loads.first()?.addresses.iter().flatten();
        let warp = lanes
            .filter_map(|&address| walk.place(address, false))
            .collect();
        if !follows {
            return None;
        }
        Some(Self {
            loads: loaded,
            stores: stored,
            tile: tile_of(walk, *block)?,
            warp,
            lane,
        })
    }

    fn summary(&self, thread: u32) -> String {
        format!(
            "thread {thread}, lane {} of its warp: {} loads, a turn in registers, {} stores; cells hold the row and the \
             column of an element of in",
            self.lane,
            self.loads.len(),
            self.stores.len()
        )
    }

    /// Loads and stores side by side, or below each other on a telephone, and the map below.
    fn draw(&self, title: &str, summary: &str, form: Form) -> String {
        let heading = Heading::new(title, summary, form.bars());
        let top = heading.height() + 8.0 + HEAD;
        let tall = |pieces: &[Piece]| pieces.len() as f64 * CELL_HEIGHT;
        let (loads, stores) = (tall(&self.loads), tall(&self.stores));
        let (name, cell) = widths(form);
        let wide = name + 4.0 * cell;
        let (second, bottom) = match form {
            Form::Wide => ((form.bars() - wide, top), top + loads.max(stores)),
            Form::Narrow => {
                let second = top + loads + TURN + HEAD;
                ((0.0, second), second + stores)
            }
        };
        let map_top = bottom + 16.0 + HEAD;
        let (map, map_height) = self.map_size(form);
        let below = if form.is_narrow() { 58.0 } else { 6.0 };
        let size = (form.bars(), map_top + map_height + below);
        drawing(size, title, summary, &mut |canvas| {
            canvas.heading(&heading);
            let loads_head = "loads, 16 bytes each";
            self.draw_side(canvas, (0.0, top), form, loads_head, &self.loads);
            self.draw_side(canvas, second, form, "stores, 16 bytes each", &self.stores);
            let (ends, across) = match form {
                Form::Wide => ((wide, second.0), (top + bottom) / 2.0),
                Form::Narrow => ((top + loads, top + loads + TURN), wide / 2.0),
            };
            draw_turn(canvas, form, ends, across);
            self.draw_map(canvas, (map_top, map), form);
        })
    }

    /// The colour of an element: of the load that brings it.
    fn color(&self, element: Place) -> [u8; 3] {
        let of = |piece: &Piece| piece.elements.contains(&element);
        let index = self.loads.iter().position(of).unwrap_or(0);
        ramp_at(index as f64 / (self.loads.len().max(2) - 1) as f64)
    }

    fn draw_side(
        &self,
        canvas: &mut Canvas<'_>,
        (left, top): (f64, f64),
        form: Form,
        head: &str,
        pieces: &[Piece],
    ) {
        let (tiny, (room, cell)) = (form.tiny(), widths(form));
        canvas.text((left, top - 7.0), head, SMALL, Anchor::Start, SOFT);
        for (index, piece) in pieces.iter().enumerate() {
            let y = top + index as f64 * CELL_HEIGHT;
            let name = (left, y + CELL_HEIGHT / 2.0 + 4.0);
            canvas.text(name, &piece.name, tiny, Anchor::Start, FULL);
            for (word, &element) in piece.elements.iter().enumerate() {
                let at = (left + room + word as f64 * cell, y);
                let rgb = self.color(element);
                canvas.fill(at, (cell - 1.0, CELL_HEIGHT - 1.0), Ink::Rgb(rgb, 1.0));
                let middle = (at.0 + cell / 2.0, at.1 + CELL_HEIGHT / 2.0 + 3.6);
                let text = format!("{}, {}", element.0, element.1);
                let ink = Ink::Rgb(text_on(rgb), 1.0);
                canvas.text(middle, &text, tiny, Anchor::Middle, ink);
            }
        }
    }

    /// Pixels of an element in the map of the tile, and the map's height.
    fn map_size(&self, form: Form) -> (f64, f64) {
        let ((top, left), (bottom, right)) = self.tile;
        let wide = if form.is_narrow() { form.bars() } else { 230.0 };
        let unit = (wide / (right + 1 - left) as f64).min(200.0 / (bottom + 1 - top) as f64);
        (unit, (bottom + 1 - top) as f64 * unit)
    }

    /// Where in the block's tile of `in` the patch lies, and what the whole warp loads with the thread.
    fn draw_map(&self, canvas: &mut Canvas<'_>, (top, unit): (f64, f64), form: Form) {
        let ((first_row, first_column), (last_row, last_column)) = self.tile;
        let head = format!(
            "in the block's tile of in: rows {first_row}–{last_row}, columns {first_column}–{last_column}"
        );
        canvas.text((0.0, top - 7.0), &head, SMALL, Anchor::Start, SOFT);
        let place = |(row, column): Place| {
            (
                (column - first_column) as f64 * unit,
                top + (row - first_row) as f64 * unit,
            )
        };
        let end = place((last_row + 1, last_column + 1));
        for step in (first_column..=last_column + 1).step_by(4) {
            let x = place((first_row, step)).0;
            canvas.line((x, top), (x, end.1), MESH, 0.8);
        }
        for step in (first_row..=last_row + 1).step_by(4) {
            let y = place((step, first_column)).1;
            canvas.line((0.0, y), (end.0, y), MESH, 0.8);
        }
        for &element in &self.warp {
            canvas.fill(place(element), (4.0 * unit - 0.8, unit), Ink::Page(0.3));
        }
        for element in self.loads.iter().flat_map(|piece| &piece.elements) {
            let ink = Ink::Rgb(self.color(*element), 1.0);
            canvas.fill(place(*element), (unit, unit), ink);
        }
        canvas.outline((0.0, top), (end.0, end.1 - top), LINE, 1.0);
        let (at, room) = match form {
            Form::Wide => ((end.0 + 14.0, top), form.bars() - end.0 - 14.0),
            Form::Narrow => ((0.0, end.1 + 4.0), form.bars()),
        };
        let key = "in colour: this thread's patch; grey: what the warp's other lanes load with the first of its loads";
        canvas.lines(at, &small_lines(key, room));
    }
}

/// First and last row and column of what a block's threads load.
fn tile_of(walk: &Walk, block: [u32; 3]) -> Option<(Place, Place)> {
    let all = || {
        let loads = walk.global(false).filter(|access| access.block == block);
        loads.flat_map(|access| walk.places(access))
    };
    let first = (all().map(|p| p.0).min()?, all().map(|p| p.1).min()?);
    let last = (all().map(|p| p.0).max()?, all().map(|p| p.1).max()?);
    Some((first, last))
}

/// Where an access lies: row and first column of a matrix, or the offset in shared memory.
fn name_of(walk: &Walk, access: &Access, address: u64) -> String {
    let matrix = if access.is_store { "out" } else { "in" };
    match (access.space, walk.place(address, access.is_store)) {
        (Space::Global, Some((row, _))) => format!("{matrix}, row {row}"),
        (space, _) => format!("{}, byte {address}", space.name()),
    }
}

/// Where the words of a block's shared memory end up in the output.
struct Ends {
    /// The output's address of what lies in a word of shared memory.
    outputs: BTreeMap<u64, u64>,
}

impl Ends {
    /// A thread's first store to global memory holds what its first load from shared memory brought, and so on.
    fn of(walk: &Walk, block: [u32; 3]) -> Self {
        let mut outputs = BTreeMap::new();
        let mine = |access: &&Access| access.block == block && !walk.is_bulk(access);
        let of = |space: Space, is_store: bool| {
            let kind = move |a: &&Access| a.space == space && a.is_store == is_store;
            walk.accesses.iter().filter(mine).filter(kind)
        };
        let mut stores: BTreeMap<u32, Vec<&Access>> = BTreeMap::new();
        for store in of(Space::Global, true) {
            stores.entry(store.warp).or_default().push(store);
        }
        let mut taken: BTreeMap<u32, usize> = BTreeMap::new();
        for load in of(Space::Shared, false) {
            let ordinal = taken.entry(load.warp).or_default();
            let store = stores
                .get(&load.warp)
                .and_then(|stores| stores.get(*ordinal));
            *ordinal += 1;
            let Some(store) = store.filter(|s| s.access_bytes == load.access_bytes) else {
                continue;
            };
            for (from, to) in load.addresses.iter().zip(&store.addresses) {
                let Some((from, to)) = from.zip(*to) else {
                    continue;
                };
                for word in (0..u64::from(load.access_bytes)).step_by(WORD as usize) {
                    outputs.insert(from + word, to + word);
                }
            }
        }
        Self { outputs }
    }

    /// The place in the input of the element that an access moves at an address.
    fn source(&self, walk: &Walk, access: &Access, address: u64) -> Option<Place> {
        match (access.space, access.is_store) {
            (Space::Global, false) => walk.place(address, false),
            (Space::Global, true) => walk.place(address, true).map(|place| walk.source(place)),
            (_, true) => {
                let output = self.outputs.get(&address)?;
                walk.place(*output, true).map(|place| walk.source(place))
            }
            (_, false) => None,
        }
    }
}

/// An arrow from the loads to the stores: to the right, or down on a telephone.
fn draw_turn(canvas: &mut Canvas<'_>, form: Form, (from, to): (f64, f64), across: f64) {
    let (from, to) = (from + 4.0, to - 4.0);
    canvas.line(form.at(from, across), form.at(to, across), FULL, 1.2);
    let head = [(to - 5.0, -4.0), (to, 0.0), (to - 5.0, 4.0)];
    let head = head.map(|(along, aside)| form.at(along, across + aside));
    canvas.path(&head, FULL, 1.2);
}
