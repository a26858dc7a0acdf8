//! Fills the values of all chapters, and gathers everything that is wrong with them, so that it is told at once.

use super::digits;
use super::directive::{Directive, Found, find, replaced};
use super::expression;
use super::problem::{ProseProblem, ValueError};
use super::source::Source;
use crate::book::load;
use crate::chapter::{Cell, Chapter, Item, Prose};
use crate::error::{Error, Place, Result};
use crate::glossary;
use crate::kernels::Registry;
use crate::preprocess::chapters;
use std::path::Path;

/// As many lines as an open cell may show, beside a kernel.
const MOST_LINES: usize = 12;

/// A value where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct FilledValue {
    /// Where.
    pub place: Place,
    /// The directive.
    pub written: String,
    /// What a reader sees; the values with their signs where a statement holds.
    pub text: String,
}

/// What the chapters' prose takes from records and counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProseReport {
    /// Every value and every statement that holds, in the chapters' order.
    pub values: Vec<FilledValue>,
    /// Everything that is wrong.
    pub problems: Vec<ProseProblem>,
}

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
            match item {
                Item::Prose(prose) => typed_by_hand(chapter, prose, &mut problems),
                Item::Cell(cell) => problems.extend(too_long(chapter, cell)),
                _ => {}
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

/// Fills the values of all chapters.
///
/// # Errors
///
/// [`Error::Prose`] with everything that is wrong in any of them.
pub(crate) fn fill(chapters: &mut [Chapter], source: &dyn Source) -> Result<()> {
    let report = fill_all(chapters, source);
    if report.problems.is_empty() {
        Ok(())
    } else {
        Err(Error::Prose(report.problems))
    }
}

fn fill_all(chapters: &mut [Chapter], source: &dyn Source) -> ProseReport {
    let mut report = ProseReport::default();
    for chapter in chapters {
        let mut items = std::mem::take(&mut chapter.items);
        for item in &mut items {
            if let Item::Prose(prose) = item {
                prose.text = filled(chapter, prose, source, &mut report);
            }
        }
        chapter.items = items;
    }
    report
}

/// The text of prose with its values. What has none stays as it is written.
fn filled(
    chapter: &Chapter,
    prose: &Prose,
    source: &dyn Source,
    report: &mut ProseReport,
) -> String {
    let mut changes = Vec::new();
    for Found {
        range,
        written,
        directive,
    } in find(&prose.text)
    {
        let place = place(chapter, prose, range.start);
        let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
        match directive.and_then(|directive| evaluated(directive, source)) {
            Ok((shown, text)) => {
                changes.push((range, shown.then(|| text.clone())));
                report.values.push(FilledValue {
                    place,
                    written,
                    text,
                });
            }
            Err(error) => report.problems.push(ProseProblem {
                place,
                written,
                error,
            }),
        }
    }
    replaced(&prose.text, &changes)
}

/// What a directive gives, and whether a reader sees it.
fn evaluated(
    directive: Directive,
    source: &dyn Source,
) -> std::result::Result<(bool, String), ValueError> {
    match directive {
        Directive::Value { expression, format } => {
            Ok((true, format.write(expression::value(expression, source)?)?))
        }
        Directive::Typed { text } => Ok((true, text.to_owned())),
        Directive::Holds { chain } => {
            let chain = expression::chain(chain, source)?;
            if chain.holds {
                Ok((false, chain.values))
            } else {
                Err(ValueError::DoesNotHold(chain.values))
            }
        }
    }
}

fn place(chapter: &Chapter, prose: &Prose, offset: usize) -> Place {
    Place {
        file: chapter.file.clone(),
        line: prose.line + prose.text[..offset].matches('\n').count(),
    }
}
