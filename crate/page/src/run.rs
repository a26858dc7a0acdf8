//! The verb `run`: a registered kernel, edited or not, verified, counted, checked and drawn.

use crate::answer::{self, Answer};
use crate::first;
use crate::launches::{self, Found};
use crate::pictures;
use crate::problem::{self, Problem};
use crate::request::Request;
use crate::state;
use crate::suggestions::source_name;
use crate::work::{Asked, Entry, Shown};
use cornerturn::emulator::FindingKind;
use cornerturn::launch::LaunchOptions;
use cornerturn::plot::Traffic;
use cornerturn::{Counters, Error, ErrorKind, Kernel, LaunchReport};
use serde_json::{Map, Value, json};

/// The launch that was asked for, beside that of the book's kernel.
const HERE: &str = "here";

/// A request as far as it is ready to run.
pub(crate) struct Prepared {
    book: Entry,
    /// The entry with the block and the element type that were chosen.
    entry: Entry,
    sizes: Map<String, Value>,
    /// The kernel as it is in the book.
    before: Kernel,
    pub(crate) kernel: Kernel,
    pub(crate) asked: Asked,
    warnings: Vec<Value>,
}

pub(crate) fn prepare(request: &Request) -> Result<Prepared, Problem> {
    let registry = state::registry()?;
    let book = Entry::find(&registry, request.text("id")?)?;
    let before = state::unedited(&registry, book.code())?;
    let sizes = first::filled(&book, &before, request.object("sizes")?);
    let code = book.code();
    let file = code
        .file
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let (kernel, warnings) = match request.optional_text("source")? {
        None => (before.clone(), Vec::new()),
        Some(source) => {
            let kernel = Kernel::edited(code, source)
                .map_err(|error| problem_of(error, code.entry, source))?;
            let warnings = match kernel.warnings().is_empty() {
                true => Vec::new(),
                false => problem::warnings(source, &file, kernel.entry()),
            };
            (kernel, warnings)
        }
    };
    let entry = book.clone().changed(request)?;
    let asked = Asked::new(&entry, &sizes)?;
    let kernel = asked.fitted(&kernel);
    Ok(Prepared {
        book,
        entry,
        sizes,
        before,
        kernel,
        asked,
        warnings,
    })
}

pub(crate) fn run(request: &Request) -> Result<Value, Problem> {
    let checks = request.flag("checks", true)?;
    let Prepared {
        book,
        entry,
        sizes,
        before,
        kernel,
        asked,
        warnings,
    } = prepare(request)?;
    let (mut answer, moved) = match asked.run(&kernel, checks) {
        Ok(shown) => right(shown),
        Err(error) if error.kind() == ErrorKind::KernelWrong => {
            wrong(&asked, &kernel, &error, checks)
        }
        Err(error) => return Err(error.into()),
    };
    let is_unchanged = ["source", "block", "element"]
        .iter()
        .all(|name| request.get(name).is_none());
    let mut launches: Vec<Traffic> = moved.into_iter().collect();
    if is_unchanged {
        answer.committed = answer.counters;
    } else if let Some((counters, moved)) = committed(&book, &sizes, &before)? {
        answer.committed = Some(counters);
        launches.insert(0, moved.named("in the book"));
    }
    answer.warnings = warnings;
    // What was ended is drawn no further than it came: not at all.
    let is_whole = answer.counters.is_some()
        || answer
            .findings
            .iter()
            .all(|found| found.kind != FindingKind::EndlessLoop);
    if is_whole && request.flag("pictures", false)? {
        answer.pictures = pictures::of_kernel(&entry, &kernel, &sizes, &answer.why);
        if answer.counters.is_some() {
            answer.pictures.push(pictures::of_traffic(&launches));
        }
    }
    Ok(answer.into_json())
}

fn right(shown: Shown) -> (Answer, Option<Traffic>) {
    let answer = Answer {
        verified: Some(true),
        text: shown.text,
        counters: Some(shown.counters),
        findings: shown.remarks,
        printed: answer::shown(&shown.printed),
        instructions: shown.instructions,
        why: shown.why,
        ..Answer::default()
    };
    (answer, Some(shown.traffic.named(HERE)))
}

/// What a wrong kernel did all the same: counted again without a look at its result, and checked where that may tell why.
fn wrong(asked: &Asked, kernel: &Kernel, error: &Error, checks: bool) -> (Answer, Option<Traffic>) {
    // What did not come to its end does not do so a second time.
    let counted = match has_no_end(error) {
        true => None,
        false => asked.emulate(kernel, &LaunchOptions::default()).ok(),
    };
    let printed = match (error, &counted) {
        (Error::Kernel { printed, .. }, _) => answer::shown(printed),
        (_, Some(report)) => answer::shown(&report.printed),
        _ => String::new(),
    };
    let findings = match error {
        Error::Kernel { findings, .. } | Error::Checked { findings, .. } => findings.clone(),
        _ if checks => match asked.emulate(kernel, &LaunchOptions::checked()) {
            Err(Error::Kernel { findings, .. }) => findings,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let is_mismatch = matches!(
        error,
        Error::Mismatch { .. } | Error::WrongResult { .. } | Error::WrongProduct { .. }
    );
    let moved = counted.as_ref().and_then(|report| asked.traffic(report));
    let answer = Answer {
        verified: Some(false),
        mismatch: is_mismatch.then(|| json!({ "text": error.to_string() })),
        text: error.to_string(),
        counters: counted.as_ref().and_then(|report| report.counters),
        why: (counted.as_ref()).map_or_else(Default::default, |report| report.why.clone()),
        instructions: counted.map_or(0, |report| report.warp_instructions),
        printed,
        findings,
        ..Answer::default()
    };
    (answer, moved.map(|moved| moved.named(HERE)))
}

/// Whether a launch was ended, since it would not end by itself.
fn has_no_end(error: &Error) -> bool {
    let findings = match error {
        Error::Kernel { findings, .. } | Error::Checked { findings, .. } => findings,
        _ => return false,
    };
    findings
        .iter()
        .any(|finding| finding.kind == FindingKind::EndlessLoop)
}

/// What is wrong with an edited source; where its kernel has another name, what to do.
fn problem_of(error: Error, entry: &str, source: &str) -> Problem {
    if !matches!(error, Error::Entry(_)) {
        return Problem::of(error, source);
    }
    let found = match launches::kernel(source, None) {
        Ok(Found::Kernel(kernel)) => vec![kernel.entry().to_string()],
        Ok(Found::Entries(entries)) => entries,
        Err(_) => return Problem::of(error, source),
    };
    let names: Vec<String> = found
        .iter()
        .map(|name| format!("`{}`", source_name(name)))
        .collect();
    Problem::source(format!(
        "this panel runs the kernel `{entry}`, and the text has {}: give one the name `{entry}`, or paste the text into the \
         playground, which runs a kernel of any name",
        names.join(", ")
    ))
}

/// The counters of the kernel as it is in the book, at the same sizes, and what it moves.
fn committed(
    book: &Entry,
    sizes: &Map<String, Value>,
    before: &Kernel,
) -> Result<Option<(Counters, Traffic)>, Problem> {
    let asked = Asked::new(book, sizes)?;
    let report = asked.emulate(&asked.fitted(before), &LaunchOptions::default());
    let told = |report: LaunchReport| report.counters.zip(asked.traffic(&report));
    Ok(report.ok().and_then(told))
}
