//! Fills the values of all chapters' prose, and gathers everything that is wrong with them, so that it is told at once.

use crate::chapter::{Chapter, Item, Prose};
use crate::error::{Error, Place, Result};
use crate::splitter::first_heading;
use crate::values::directive::{Directive, Found, find, replaced};
use crate::values::{ProseProblem, Source, ValueError, expression};

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

/// The same, with what is wrong in the report.
pub(crate) fn fill_all(chapters: &mut [Chapter], source: &dyn Source) -> ProseReport {
    let mut report = ProseReport::default();
    for chapter in chapters {
        let mut items = std::mem::take(&mut chapter.items);
        for item in &mut items {
            for prose in item.prose_mut() {
                prose.text = filled(chapter, prose, source, &mut report);
            }
        }
        chapter.items = items;
        // The heading that names the chapter may have values too.
        let heading = chapter.items.iter().find_map(|item| match item {
            Item::Prose(prose) => first_heading(&prose.text),
            _ => None,
        });
        if let Some(heading) = heading {
            chapter.title = heading;
        }
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

/// Where in the chapter's file an offset of prose lies.
pub(crate) fn place(chapter: &Chapter, prose: &Prose, offset: usize) -> Place {
    Place {
        file: chapter.file.clone(),
        line: prose.line + prose.text[..offset].matches('\n').count(),
    }
}
