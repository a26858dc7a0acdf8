//! The texels that one warp's fetch takes from a picture, and the sectors that hold them. Where a coordinate leads is the emulator's; this only draws it.

use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::figure::Figure;
use super::style::{BLUE, FULL, Form, Ink, LINE, MESH, SOFT, counted, text_width};
use cornerturn_base::shape::Shape;
use cornerturn_emulator::{Access, Space};
use std::collections::{BTreeMap, BTreeSet};

/// A sector of a picture in an array: so many bytes of so many rows (measured, see the emulator's `counters`).
const SECTOR_ROW_BYTES: usize = 16;
const SECTOR_ROWS: usize = 2;
/// Lanes that the texture unit takes at a time.
const QUAD: usize = 4;
/// Texels that are drawn across and down at most.
const MOST_ACROSS: usize = 68;
const MOST_DOWN: usize = 48;
/// Up to so many columns have room in a figure of bars.
const FEW_COLUMNS: usize = 20;
/// Side of a texel at most, and of all texels down together, in pixels.
const SIDE: f64 = 26.0;
const TALLEST: f64 = 600.0;
/// Room for the numbers of rows and columns.
const MARGIN: f64 = 50.0;
const LEGEND: &str = "filled: texels that a fetch takes, darker where more lanes take one; number: the lane, where it \
                      is one; frames: sectors of 32 bytes; thick line: the picture's edge";

/// Which texels one fetch of a warp takes from a picture that lies in an array of its own.
///
/// `accesses` are those of a trace, of which the first fetch's are drawn: one, or four with a linear filter. `picture` is
/// the texture's rows and columns. What a lane finds beyond a black border is no texel and is not drawn, though the
/// counters have a sector for a quad that finds nothing else.
pub fn texels(title: &str, accesses: &[Access], picture: Shape) -> Figure {
    match Taken::new(accesses, picture) {
        Err(reason) => Figure::nothing(title, reason, ""),
        Ok(taken) => draw(title, &taken),
    }
}

/// What the lanes take.
struct Taken {
    picture: Shape,
    /// Texels of a sector's row.
    sector: usize,
    /// The lanes that take each texel, by row and column.
    lanes: BTreeMap<(usize, usize), BTreeSet<usize>>,
    /// The first row and column that are drawn, and how many.
    first: (usize, usize),
    size: Shape,
}

impl Taken {
    fn new(accesses: &[Access], picture: Shape) -> Result<Self, &'static str> {
        let is_fetch = |access: &&Access| access.space == Space::Texture;
        let first = accesses.iter().find(is_fetch);
        let first = first.ok_or("There is nothing to draw: no fetch was traced.")?;
        let whose = |access: &Access| (access.site, access.block, access.warp);
        let of_warp = accesses.iter().filter(is_fetch);
        let of_warp = of_warp.filter(|access| whose(access) == whose(first));
        let bytes = first.access_bytes.max(1) as usize;
        let mut lanes: BTreeMap<(usize, usize), BTreeSet<usize>> = BTreeMap::new();
        for (order, access) in (first.order..).zip(of_warp) {
            // The next fetch at this place comes after something else.
            if access.order != order {
                break;
            }
            for (lane, address) in access.addresses.iter().enumerate() {
                let Some(address) = address else { continue };
                let texel = usize::try_from(*address).unwrap_or(usize::MAX) / bytes;
                let columns = picture.columns.max(1);
                let place = (texel / columns, texel % columns);
                if place.0 >= picture.rows {
                    return Err("There is nothing to draw: a fetch reaches beyond this picture.");
                }
                lanes.entry(place).or_default().insert(lane);
            }
        }
        let sector = (SECTOR_ROW_BYTES / bytes).max(1);
        let (first, size) = view(&lanes, picture, sector)?;
        Ok(Self {
            picture,
            sector,
            lanes,
            first,
            size,
        })
    }

    /// The sector of a texel, by its row and column.
    fn sector_of(&self, (row, column): (usize, usize)) -> (usize, usize) {
        (row / SECTOR_ROWS, column / self.sector)
    }

    fn sectors(&self) -> BTreeSet<(usize, usize)> {
        self.lanes
            .keys()
            .map(|place| self.sector_of(*place))
            .collect()
    }

    /// The sectors of each quad, one after the other.
    fn sectors_of_quads(&self) -> usize {
        let of_lane = |(place, lanes): (&(usize, usize), &BTreeSet<usize>)| {
            let sector = self.sector_of(*place);
            let quads = lanes.iter().map(move |lane| (lane / QUAD, sector));
            quads.collect::<Vec<_>>()
        };
        let all: BTreeSet<_> = self.lanes.iter().flat_map(of_lane).collect();
        all.len()
    }

    fn summary(&self) -> String {
        let lanes: BTreeSet<&usize> = self.lanes.values().flatten().collect();
        let quads: BTreeSet<usize> = lanes.iter().map(|lane| *lane / QUAD).collect();
        format!(
            "{} take {} in {}; quad by quad, {} of four lanes touch {}",
            counted(lanes.len() as u64, "lane", "lanes"),
            counted(self.lanes.len() as u64, "texel", "texels"),
            counted(self.sectors().len() as u64, "sector", "sectors"),
            counted(quads.len() as u64, "quad", "quads"),
            counted(self.sectors_of_quads() as u64, "sector", "sectors"),
        )
    }
}

/// What is drawn of the picture: whole sectors around what is taken, and a sector more on each side, if there is one.
fn view(
    lanes: &BTreeMap<(usize, usize), BTreeSet<usize>>,
    picture: Shape,
    sector: usize,
) -> Result<((usize, usize), Shape), &'static str> {
    let rows = lanes.keys().map(|place| place.0);
    let columns = lanes.keys().map(|place| place.1);
    let (Some(top), Some(bottom)) = (rows.clone().min(), rows.max()) else {
        return Err("There is nothing to draw: no lane takes a texel.");
    };
    let (left, right) = (
        columns.clone().min().unwrap_or(0),
        columns.max().unwrap_or(0),
    );
    let around = |low: usize, high: usize, step: usize, end: usize| {
        let first = (low / step).saturating_sub(1) * step;
        (
            first,
            (high / step + 2).saturating_mul(step).min(end) - first,
        )
    };
    let (row, down) = around(top, bottom, SECTOR_ROWS, picture.rows);
    let (column, across) = around(left, right, sector, picture.columns);
    match across <= MOST_ACROSS && down <= MOST_DOWN {
        true => Ok(((row, column), Shape::new(down, across))),
        false => Err("There is nothing to draw: the texels lie too far apart to be seen."),
    }
}

fn draw(title: &str, taken: &Taken) -> Figure {
    let summary = taken.summary();
    // What is not wide stands beside another one.
    let is_small = taken.size.columns <= FEW_COLUMNS;
    let picture = |form: Form| {
        let width = if is_small { form.bars() } else { form.lanes() };
        let heading = Heading::new(title, &summary, width);
        let legend = small_lines(LEGEND, width);
        let room = width - MARGIN - 2.0;
        let grid = Grid {
            taken,
            form,
            side: (room / taken.size.columns as f64)
                .min(TALLEST / taken.size.rows as f64)
                .min(SIDE),
            left: MARGIN,
            top: heading.height() + 26.0,
        };
        let bottom = grid.top + grid.side * taken.size.rows as f64 + 10.0;
        let height = bottom + legend.len() as f64 * LINE_HEIGHT + 4.0;
        drawing((width, height), title, &summary, &mut |canvas| {
            canvas.heading(&heading);
            grid.draw(canvas);
            canvas.lines((0.0, bottom), &legend);
        })
    };
    match is_small {
        true => Figure::new("", picture),
        false => Figure::of_lanes("", picture),
    }
}

/// The texels in their places.
struct Grid<'t> {
    taken: &'t Taken,
    form: Form,
    side: f64,
    left: f64,
    top: f64,
}

impl Grid<'_> {
    /// The upper left corner of a texel.
    fn at(&self, row: usize, column: usize) -> (f64, f64) {
        let (first_row, first_column) = self.taken.first;
        (
            self.left + (column - first_column) as f64 * self.side,
            self.top + (row - first_row) as f64 * self.side,
        )
    }

    /// One past the last row and column that are drawn.
    fn end(&self) -> (usize, usize) {
        let (row, column) = self.taken.first;
        (row + self.taken.size.rows, column + self.taken.size.columns)
    }

    fn draw(&self, canvas: &mut Canvas<'_>) {
        let (first, end) = (self.taken.first, self.end());
        for (place, lanes) in &self.taken.lanes {
            self.draw_texel(canvas, *place, lanes);
        }
        for row in first.0..=end.0 {
            canvas.line(self.at(row, first.1), self.at(row, end.1), MESH, 0.8);
        }
        for column in first.1..=end.1 {
            canvas.line(self.at(first.0, column), self.at(end.0, column), MESH, 0.8);
        }
        for (row, column) in self.taken.sectors() {
            let (row, column) = (row * SECTOR_ROWS, column * self.taken.sector);
            let across = self.taken.sector.min(end.1 - column) as f64 * self.side;
            let down = SECTOR_ROWS.min(end.0 - row) as f64 * self.side;
            canvas.outline(self.at(row, column), (across, down), Ink::Page(0.7), 1.4);
        }
        self.draw_edges(canvas);
        self.draw_numbers(canvas);
    }

    fn draw_texel(
        &self,
        canvas: &mut Canvas<'_>,
        (row, column): (usize, usize),
        lanes: &BTreeSet<usize>,
    ) {
        let (x, y) = self.at(row, column);
        let depth = match lanes.len() {
            1 => 0.22,
            2 => 0.42,
            3 => 0.58,
            _ => 0.75,
        };
        canvas.fill((x, y), (self.side, self.side), Ink::Rgb(BLUE, depth));
        let (Some(lane), 1) = (lanes.first(), lanes.len()) else {
            return;
        };
        let (lane, tiny) = (lane.to_string(), self.form.tiny());
        if text_width("30", tiny) + 3.0 <= self.side {
            let middle = (x + self.side / 2.0, y + self.side / 2.0 + tiny * 0.36);
            canvas.text(middle, &lane, tiny, Anchor::Middle, FULL);
        }
    }

    /// The picture's own edge, where it is in view.
    fn draw_edges(&self, canvas: &mut Canvas<'_>) {
        let (first, end) = (self.taken.first, self.end());
        let corners = [
            (first.0 == 0, (first.0, first.1), (first.0, end.1)),
            (
                end.0 == self.taken.picture.rows,
                (end.0, first.1),
                (end.0, end.1),
            ),
            (first.1 == 0, (first.0, first.1), (end.0, first.1)),
            (
                end.1 == self.taken.picture.columns,
                (first.0, end.1),
                (end.0, end.1),
            ),
        ];
        for (_, from, to) in corners.into_iter().filter(|(is_edge, ..)| *is_edge) {
            canvas.line(self.at(from.0, from.1), self.at(to.0, to.1), LINE, 3.0);
        }
    }

    /// The numbers of the first and last rows and columns.
    fn draw_numbers(&self, canvas: &mut Canvas<'_>) {
        let (first, end, tiny) = (self.taken.first, self.end(), self.form.tiny());
        let last = (end.0 - 1, end.1 - 1);
        let side = self.side;
        let (x, y) = self.at(first.0, first.1);
        let columns = format!("x = {}", first.1);
        canvas.text((x, y - 6.0), &columns, tiny, Anchor::Start, SOFT);
        let (right, _) = self.at(first.0, end.1);
        let number = last.1.to_string();
        // Where both have room.
        if right - x > text_width(&columns, tiny) + text_width(&number, tiny) + 8.0 {
            canvas.text((right, y - 6.0), &number, tiny, Anchor::End, SOFT);
        }
        let text = |row: usize| {
            if row == first.0 {
                format!("y = {row}")
            } else {
                row.to_string()
            }
        };
        for row in [first.0, last.0] {
            let (_, y) = self.at(row, first.1);
            let y = y + side / 2.0 + tiny * 0.36;
            canvas.text((self.left - 4.0, y), &text(row), tiny, Anchor::End, SOFT);
        }
    }
}
