//! Which lane of a warp holds which element of a matrix: fragments of the matrix instructions, as found by running them. What was found is the caller's.

use super::Figure;
use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::style::{FULL, Form, Ink, MESH, SMALL, SOFT, ramp, text_on, text_width};
use std::ops::Range;

/// The largest matrix of which a picture can be read.
const MOST_ROWS: usize = 64;
const MOST_COLUMNS: usize = 32;
/// Rows of one warp.
const WARP_ROWS: usize = 16;
const GAP: f64 = 26.0;
const HEAD: f64 = 34.0;
const CELL_HEIGHT: f64 = 16.0;
const MOST_CELL: f64 = 26.0;

/// A matrix in the registers of one or several warps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    name: String,
    rows: usize,
    columns: usize,
    /// Of each element, row by row, the thread that has it, and the place among that thread's elements.
    holders: Vec<Option<(usize, usize)>>,
    /// The places are known, and not only the threads.
    is_ordered: bool,
}

impl Fragment {
    /// `found` holds, thread after thread, the numbers of the elements that each of them has, in the order of its registers;
    /// an element's number is its row times `columns` and its column. Numbers beyond the matrix are left out.
    pub fn found(
        name: &str,
        (rows, columns): (usize, usize),
        per_thread: usize,
        found: &[u32],
    ) -> Self {
        let mut holders = vec![None; rows.min(MOST_ROWS) * columns.min(MOST_COLUMNS)];
        for (thread, elements) in found.chunks(per_thread.max(1)).enumerate() {
            for (place, element) in elements.iter().enumerate() {
                if let Some(holder) = holders.get_mut(*element as usize) {
                    holder.get_or_insert((thread, place));
                }
            }
        }
        Self {
            name: name.to_string(),
            rows,
            columns,
            holders,
            is_ordered: true,
        }
    }

    /// `owners` holds, row by row, the thread that has each element.
    pub fn owned(name: &str, (rows, columns): (usize, usize), owners: &[u32]) -> Self {
        let mut counts = vec![
            0;
            owners
                .iter()
                .max()
                .map_or(0, |most| *most as usize % 1024 + 1)
        ];
        let holder = |owner: &u32| {
            let thread = *owner as usize % 1024;
            counts[thread] += 1;
            Some((thread, counts[thread] - 1))
        };
        let mut holders: Vec<_> = owners.iter().map(holder).collect();
        holders.resize(rows.min(MOST_ROWS) * columns.min(MOST_COLUMNS), None);
        Self {
            name: name.to_string(),
            rows,
            columns,
            holders,
            is_ordered: false,
        }
    }

    fn is_drawable(&self) -> bool {
        (1..=MOST_ROWS).contains(&self.rows)
            && (1..=MOST_COLUMNS).contains(&self.columns)
            && self.holders.iter().any(Option::is_some)
    }

    fn thread(&self, (row, column): (usize, usize)) -> Option<usize> {
        let holder = self.holders.get(row * self.columns + column)?;
        holder.map(|(thread, _)| thread)
    }

    /// The elements of a thread in the order of its registers.
    fn held(&self, thread: usize) -> Vec<(usize, usize)> {
        let mut held: Vec<(usize, usize)> = Vec::new();
        for (element, holder) in self.holders.iter().enumerate() {
            if let Some((_, place)) = holder.filter(|holder| holder.0 == thread) {
                held.push((place, element));
            }
        }
        held.sort_unstable();
        let place = |(_, element): (usize, usize)| (element / self.columns, element % self.columns);
        held.into_iter().map(place).collect()
    }

    /// What a thread holds, in words.
    fn words(&self, thread: usize) -> String {
        let held = self.held(thread).into_iter();
        let held: Vec<String> = held
            .map(|(row, column)| format!("({row},{column})"))
            .collect();
        format!("{}: {}", self.name, held.join(" "))
    }

    /// The parts that stand by themselves: the rows of each warp, where there are several.
    fn panels(&self) -> Vec<Panel<'_>> {
        let rows = |first: usize| first..(first + WARP_ROWS).min(self.rows);
        (0..self.rows)
            .step_by(WARP_ROWS)
            .map(|first| Panel {
                fragment: self,
                rows: rows(first),
            })
            .collect()
    }
}

/// Which lane holds which element: a box is what neighbouring elements one lane has, its number the lane's, and all that
/// `lane` has is outlined and told below. Fragments of several warps are shown warp by warp.
///
/// ```
/// # use cornerturn::prelude::*;
/// // Each lane has two neighbours of a row.
/// let found: Vec<u32> = (0..64).collect();
/// let figure = plot::fragments("C of 8 × 8", &[plot::Fragment::found("C", (8, 8), 2, &found)], 5);
/// assert!(figure.svg.contains("C: (1,2) (1,3)"));
/// ```
pub fn fragments(title: &str, fragments: &[Fragment], lane: usize) -> Figure {
    if fragments.is_empty() || !fragments.iter().all(Fragment::is_drawable) {
        let reason = format!(
            "There is nothing to draw: a fragment has 1 to {MOST_ROWS} rows and 1 to {MOST_COLUMNS} columns, and some thread \
             holds them."
        );
        return Figure::nothing(title, &reason, "");
    }
    let words: Vec<String> = fragments.iter().map(|f| f.words(lane)).collect();
    let order = match fragments.iter().all(|fragment| fragment.is_ordered) {
        true => " in the order of its registers",
        false => "",
    };
    let summary = format!(
        "numbers: the lane that holds the element; outlined: lane {lane}, which has these (row,column){order}"
    );
    let described = format!("{summary} {}", words.join("; "));
    Figure::of_lanes("", |form| {
        let heading = Heading::new(title, &summary, form.lanes());
        let lines: Vec<String> = words
            .iter()
            .flat_map(|words| small_lines(words, form.lanes()))
            .collect();
        let below = heading.height() + lines.len() as f64 * LINE_HEIGHT;
        let layout = Layout::new(fragments, form, below + 6.0);
        let size = (form.lanes(), layout.bottom + 4.0);
        drawing(size, title, &described, &mut |canvas| {
            let top = canvas.heading(&heading);
            canvas.lines((0.0, top), &lines);
            for (panel, at, cell) in &layout.panels {
                panel.draw(canvas, *at, *cell, (form, lane));
            }
        })
    })
}

/// Where the parts stand.
struct Layout<'f> {
    /// Each with its corner and the width of an element.
    panels: Vec<(Panel<'f>, (f64, f64), f64)>,
    bottom: f64,
    /// No part is too wide.
    is_inside: bool,
}

impl<'f> Layout<'f> {
    /// In as few lines as there is room for, and then as large as there is.
    fn new(fragments: &'f [Fragment], form: Form, top: f64) -> Self {
        let panels = || fragments.iter().flat_map(Fragment::panels);
        let needed = panels().map(|panel| panel.least_cell(form));
        let least = needed.fold(0.0, f64::max);
        let sizes = (0..).map(|step| MOST_CELL - f64::from(step) * 0.25);
        let larger: Vec<f64> = sizes.take_while(|cell| *cell > least).collect();
        let mut best = Self::placed(panels().collect(), least, form, top);
        for cell in larger.into_iter().rev() {
            let other = Self::placed(panels().collect(), cell, form, top);
            if other.is_inside && other.bottom <= best.bottom {
                best = other;
            }
        }
        best
    }

    fn placed(panels: Vec<Panel<'f>>, cell: f64, form: Form, top: f64) -> Self {
        let (left, room) = (row_room(form), form.lanes());
        let (mut placed, mut x, mut y, mut tall) = (Vec::new(), 0.0, top, 0.0_f64);
        let mut is_inside = true;
        for panel in panels {
            // A wide matrix has narrower elements, as far as its boxes have room.
            let most = (room - left) / panel.fragment.columns as f64;
            let cell = cell.min(most).max(panel.least_cell(form));
            let (wide, height) = panel.size(cell, left);
            is_inside &= wide <= room;
            if x > 0.0 && x + wide > room {
                (x, y, tall) = (0.0, y + tall + 10.0, 0.0);
            }
            placed.push((panel, (x, y), cell));
            x += wide + GAP;
            tall = tall.max(height);
        }
        Self {
            panels: placed,
            bottom: y + tall,
            is_inside,
        }
    }
}

/// Room for the numbers of rows.
fn row_room(form: Form) -> f64 {
    text_width("63", form.tiny()) + 5.0
}

/// Rows of a fragment.
struct Panel<'f> {
    fragment: &'f Fragment,
    rows: Range<usize>,
}

impl Panel<'_> {
    fn size(&self, cell: f64, left: f64) -> (f64, f64) {
        let wide = left + self.fragment.columns as f64 * cell;
        (wide, HEAD + self.rows.len() as f64 * CELL_HEIGHT)
    }

    /// The width of an element with which a lane's number has room in each box.
    fn least_cell(&self, form: Form) -> f64 {
        let runs = self.boxes().into_iter().map(|(.., columns)| columns.len());
        (text_width("31", form.tiny()) + 2.0) / runs.min().unwrap_or(1) as f64
    }

    fn name(&self) -> String {
        match self.fragment.rows > WARP_ROWS {
            true => format!("warp {}", self.rows.start / WARP_ROWS),
            false => format!(
                "{}, {} × {}",
                self.fragment.name, self.fragment.rows, self.fragment.columns
            ),
        }
    }

    fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        at: (f64, f64),
        cell: f64,
        (form, lane): (Form, usize),
    ) {
        let (left, top) = (at.0 + row_room(form), at.1 + HEAD);
        let place = |row: usize, column: usize| {
            (
                left + column as f64 * cell,
                top + (row - self.rows.start) as f64 * CELL_HEIGHT,
            )
        };
        canvas.text(
            (left, at.1 + 14.0),
            &self.name(),
            SMALL,
            Anchor::Start,
            FULL,
        );
        for column in [0, self.fragment.columns - 1] {
            let x = place(self.rows.start, column).0 + cell / 2.0;
            canvas.text(
                (x, top - 5.0),
                &column.to_string(),
                form.tiny(),
                Anchor::Middle,
                SOFT,
            );
        }
        for row in self.rows.clone().filter(|row| row % 8 == 0 || row % 8 == 7) {
            let y = place(row, 0).1 + CELL_HEIGHT / 2.0 + 3.6;
            canvas.text(
                (left - 4.0, y),
                &row.to_string(),
                form.tiny(),
                Anchor::End,
                SOFT,
            );
        }
        let boxes = self.boxes();
        for (thread, rows, columns) in &boxes {
            let from = place(rows.start, columns.start);
            let size = (columns.len() as f64 * cell, rows.len() as f64 * CELL_HEIGHT);
            let Some(thread) = thread else {
                canvas.outline(from, size, MESH, 1.0);
                continue;
            };
            let rgb = ramp(*thread as u32 % 32);
            let inner = (size.0 - 1.0, size.1 - 1.0);
            canvas.fill((from.0 + 0.5, from.1 + 0.5), inner, Ink::Rgb(rgb, 1.0));
            let middle = (
                from.0 + size.0 / 2.0,
                from.1 + size.1 / 2.0 + form.tiny() * 0.36,
            );
            let text = (thread % 32).to_string();
            canvas.text(
                middle,
                &text,
                form.tiny(),
                Anchor::Middle,
                Ink::Rgb(text_on(rgb), 1.0),
            );
        }
        // Above their neighbours.
        for (thread, rows, columns) in &boxes {
            if thread.is_some_and(|thread| thread == lane) {
                let from = place(rows.start, columns.start);
                let size = (columns.len() as f64 * cell, rows.len() as f64 * CELL_HEIGHT);
                canvas.outline(from, size, FULL, 2.2);
            }
        }
    }

    /// Rectangles of neighbours that one thread has: as wide as can be, then as tall.
    fn boxes(&self) -> Vec<(Option<usize>, Range<usize>, Range<usize>)> {
        let columns = self.fragment.columns;
        let of = |row: usize, column: usize| self.fragment.thread((row, column));
        let mut is_taken = vec![false; self.rows.end * columns];
        let mut boxes = Vec::new();
        for row in self.rows.clone() {
            for column in 0..columns {
                if is_taken[row * columns + column] {
                    continue;
                }
                let thread = of(row, column);
                let is_same = |row: usize, column: usize| {
                    of(row, column) == thread && !is_taken[row * columns + column]
                };
                let end = (column..columns)
                    .find(|&c| !is_same(row, c))
                    .unwrap_or(columns);
                let is_row = |row: &usize| (column..end).all(|c| is_same(*row, c));
                let below = (row..self.rows.end).find(|row| !is_row(row));
                let bottom = below.unwrap_or(self.rows.end);
                for taken in row..bottom {
                    is_taken[taken * columns + column..taken * columns + end].fill(true);
                }
                boxes.push((thread, row..bottom, column..end));
            }
        }
        boxes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The accumulator of `m16n8`: by the PTX ISA's formula.
    fn accumulator() -> Fragment {
        let element = |lane: u32, place: u32| {
            let (row, column) = (lane / 4 + place / 2 * 8, lane % 4 * 2 + place % 2);
            row * 8 + column
        };
        let all = (0..32).flat_map(|lane| (0..4).map(move |place| element(lane, place)));
        Fragment::found("C", (16, 8), 4, &all.collect::<Vec<_>>())
    }

    #[test]
    fn a_lane_has_what_its_registers_hold() {
        let fragment = accumulator();
        assert_eq!(fragment.held(5), [(1, 2), (1, 3), (9, 2), (9, 3)]);
        let figure = fragments("t", &[fragment], 5);
        assert!(
            figure.svg.contains("C: (1,2) (1,3) (9,2) (9,3)"),
            "{}",
            figure.svg
        );
    }

    #[test]
    fn neighbours_of_one_lane_are_one_box() {
        let fragment = accumulator();
        let boxes = fragment.panels()[0].boxes();
        assert_eq!(boxes.len(), 64);
        assert!(
            boxes
                .iter()
                .all(|(_, rows, columns)| rows.len() == 1 && columns.len() == 2)
        );
        let turned = Fragment::found("B", (4, 2), 2, &[0, 2, 4, 6, 1, 3, 5, 7]);
        assert_eq!(
            turned.panels()[0].boxes(),
            [
                (Some(0), 0..2, 0..1),
                (Some(2), 0..2, 1..2),
                (Some(1), 2..4, 0..1),
                (Some(3), 2..4, 1..2)
            ]
        );
    }

    #[test]
    fn no_part_is_wider_than_the_picture() {
        let rows = |columns: u32, each: u32| -> Vec<u32> {
            (0..16 * columns).map(|at| at / each % 32).collect()
        };
        let parts = [
            Fragment::owned("tf32", (16, 8), &rows(8, 1)),
            Fragment::owned("int8", (16, 32), &rows(32, 4)),
        ];
        for form in [Form::Wide, Form::Narrow] {
            let layout = Layout::new(&parts, form, 0.0);
            assert!(layout.is_inside);
            for (panel, (x, _), cell) in &layout.panels {
                let (wide, _) = panel.size(*cell, row_room(form));
                assert!(x + wide <= form.lanes() + 0.01, "{form:?} {x} {wide}");
            }
        }
    }

    #[test]
    fn what_nobody_holds_is_no_picture() {
        for fragment in [
            Fragment::found("C", (16, 8), 4, &[]),
            Fragment::found("C", (0, 0), 0, &[1]),
            Fragment::found("C", (65, 8), 4, &[1]),
            Fragment::found("C", (8, 33), 4, &[u32::MAX, 1]),
        ] {
            let figure = fragments("t", &[fragment], 0);
            assert!(figure.svg.contains("nothing to draw"));
        }
        assert!(fragments("t", &[], 0).svg.contains("nothing to draw"));
    }
}
