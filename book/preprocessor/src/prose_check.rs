//! Looks through the chapters without running a cell: values, numbers that are typed by hand, cells that are too long.

use crate::book::load;
use crate::chapter::{Cell, Chapter, Item, Prose};
use crate::error::{Place, Result};
use crate::glossary;
use crate::kernels::Registry;
use crate::preprocess::chapters;
use crate::prose::{ProseReport, fill_all, place};
use crate::values::{ProseProblem, Source, ValueError, digits};
use std::path::Path;

/// As many lines as an open cell may show, beside a kernel.
const MOST_LINES: usize = 12;

/// Fills the values of the book at `root`, and looks for numbers that are typed by hand and for cells that are too
/// long. Runs nothing and writes nothing.
///
/// # Errors
///
/// If a chapter cannot be taken apart; what is wrong with prose is in the report.
pub fn check_prose(root: &Path, source: &dyn Source) -> Result<ProseReport> {
    let book = load(root)?;
    let registry = Registry::load(root)?;
    let mut chapters = chapters(&book.config.book.src, &book.book, &registry)?;
    let mut problems = Vec::new();
    for chapter in &chapters {
        for item in &chapter.items {
            for prose in item.prose() {
                typed_by_hand(chapter, prose, &mut problems);
            }
            if let Item::Cell(cell) = item {
                problems.extend(too_long(chapter, cell));
            }
        }
    }
    let mut report = fill_all(&mut chapters, source);
    glossary::link(&mut chapters, false)?;
    report.problems.extend(problems);
    Ok(report)
}

/// What is wrong with a cell that shows more than a reader takes in at once.
fn too_long(chapter: &Chapter, cell: &Cell) -> Option<ProseProblem> {
    let shown = lines_of_code(cell);
    let is_long = cell.summary.is_none() && shown > MOST_LINES;
    is_long.then(|| ProseProblem {
        place: Place {
            file: chapter.file.clone(),
            line: cell.line,
        },
        written: cell.shown_lines().next().unwrap_or_default().to_owned(),
        error: ValueError::LongCell {
            shown,
            most: MOST_LINES,
        },
    })
}

/// The lines that a cell shows, without those of a kernel that it holds: the kernel is what is to be read.
fn lines_of_code(cell: &Cell) -> usize {
    let (mut count, mut in_kernel) = (0, false);
    for line in cell.shown_lines() {
        if in_kernel {
            in_kernel = !line.contains("\"#");
        } else {
            count += 1;
            in_kernel = line.trim_end().ends_with("r#\"");
        }
    }
    count
}

fn typed_by_hand(chapter: &Chapter, prose: &Prose, problems: &mut Vec<ProseProblem>) {
    for suspect in digits::suspects(&prose.text) {
        problems.push(ProseProblem {
            place: place(chapter, prose, suspect.start),
            written: suspect.written,
            error: suspect.error,
        });
    }
}
