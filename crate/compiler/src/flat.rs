//! A source as NVIDIA's compiler takes it: one text with its own files in it, without what is the host's, every line where it was.
//!
//! NVRTC compiles kernels and no programs: it refuses functions and variables of the host, and has none of the host's
//! headers. So what no kernel uses is made blank here, what is used of C++'s library is taken from CUDA's, and each
//! file that is included stands where its directive was, behind a `#line` with its name.

mod host;
mod launched;
mod preamble;

use crate::diagnostics::{self, Sink};
use crate::files::Files;
use crate::preprocess::{Outcome, Preprocessed};
use crate::source::{Sources, Span};
use crate::{Diagnostics, Options};
use std::fmt::Write;

/// A source in one text.
#[derive(Debug, Clone)]
pub struct Flat {
    /// The text.
    pub text: String,
    /// What the files in it are called, the source's own name among them.
    pub names: Vec<String>,
    /// Functions that were left out, being the host's.
    pub left_out: Vec<String>,
    /// Instances of templates that these launch, such as `scale<float, 3>`.
    pub instances: Vec<String>,
}

/// Makes it; nothing where the source can be taken as it is, or is such that the compiler had better say what is wrong.
/// `has_header` says whether NVIDIA's compiler has a header of this name.
///
/// # Errors
/// A file that is included and is not there, or files that include each other without end.
pub fn flat(
    source: &str,
    file: &str,
    options: &Options,
    files: &dyn Files,
    has_header: &dyn Fn(&str) -> bool,
) -> Result<Option<Flat>, Diagnostics> {
    let mut sink = Sink::default();
    let result =
        crate::compile::preprocessed(source, file, options, files, Some(has_header), &mut sink);
    let sources = std::mem::take(&mut sink.sources);
    let Ok(preprocessed) = result else {
        if !sink.is_about_files {
            return Ok(None);
        }
        let list = diagnostics::in_their_files(sink.list, &sources);
        let text = diagnostics::render(&list, source, file);
        return Err(Diagnostics { list, text });
    };
    let host = host::host(&preprocessed.tokens, &sources);
    let before = preamble::preamble(&preprocessed, &host.spans);
    let left_out = host.names.clone();
    let text = Writer::new(&sources, &preprocessed, host).text();
    if text == source && before.is_empty() {
        return Ok(None);
    }
    let name = line_directive(1, file);
    Ok(Some(Flat {
        text: match before.is_empty() {
            true => text,
            false => format!("{before}{name}{text}"),
        },
        names: sources.names(),
        left_out,
        instances: launched::launched(&preprocessed.tokens),
    }))
}

fn line_directive(line: u32, file: &str) -> String {
    let file = file.replace('\\', "\\\\").replace('"', "\\\"");
    format!("#line {line} \"{file}\"\n")
}

/// What becomes of a part of a file.
enum Edit {
    Blank,
    /// A file stands here.
    File(usize),
    /// These lines stand here.
    Lines(String),
    /// `__device__` stands before it.
    OnDevice,
}

struct Writer<'a> {
    sources: &'a Sources,
    /// In the order of the source.
    edits: Vec<(Span, Edit)>,
}

impl<'a> Writer<'a> {
    fn new(sources: &'a Sources, preprocessed: &Preprocessed, host: host::Host) -> Self {
        let blank = host.spans.into_iter().map(|span| (span, Edit::Blank));
        let constants = host.constants.into_iter();
        let mut edits: Vec<(Span, Edit)> = blank
            .chain(constants.map(|span| (span, Edit::OnDevice)))
            .collect();
        for directive in &preprocessed.directives {
            let edit = match &directive.outcome {
                Outcome::PassedOver | Outcome::Again => Edit::Blank,
                Outcome::File(number) => Edit::File(*number),
                Outcome::Header(name) => match preamble::header(name) {
                    None => continue,
                    Some(lines) if lines.is_empty() => Edit::Blank,
                    Some(lines) => Edit::Lines(lines),
                },
            };
            edits.push((directive.span, edit));
        }
        edits.sort_by_key(|(span, _)| (span.start, u32::MAX - span.end));
        Self { sources, edits }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        self.file(0, &mut text);
        text
    }

    fn file(&self, number: usize, text: &mut String) {
        let (start, end) = self.sources.range(number);
        let whole = self.sources.text();
        let part = |from: u32, to: u32| whole.get(from as usize..to as usize).unwrap_or("");
        // The mark of UTF-8 may stand at the beginning of a text only.
        let mark = if part(start, end).starts_with('\u{feff}') {
            3
        } else {
            0
        };
        let mut at = start + mark;
        let first = self.edits.partition_point(|(span, _)| span.start < start);
        for (span, edit) in &self.edits[first..] {
            if span.start >= end {
                break;
            }
            if span.start < at {
                continue; // it stands in what is blank
            }
            text.push_str(part(at, span.start));
            at = span.end.min(end);
            match edit {
                Edit::Blank => blank(part(span.start, at), text),
                Edit::File(of) => {
                    text.push('\n');
                    text.push_str(&line_directive(1, self.sources.name(*of)));
                    self.file(*of, text);
                    self.back_in(number, span.end, text);
                }
                Edit::OnDevice => {
                    text.push_str("__device__ ");
                    text.push_str(part(span.start, at));
                }
                Edit::Lines(lines) => {
                    text.push('\n');
                    text.push_str(lines);
                    self.back_in(number, span.end, text);
                }
            }
        }
        text.push_str(part(at, end));
    }

    /// What follows is of this file again, and of the line of this place.
    fn back_in(&self, number: usize, at: u32, text: &mut String) {
        let line = self.sources.line(at);
        let name = self.sources.name(number);
        let _ = write!(text, "\n{}", line_directive(line, name));
    }
}

/// Appends as many lines with nothing in them but their directives: what these define may be wanted elsewhere.
fn blank(part: &str, text: &mut String) {
    let mut is_directive = false;
    for line in part.split_inclusive('\n') {
        let word = line.trim_start().strip_prefix('#').map(str::trim_start);
        let passes = |word: &str| word.starts_with("include") || word.starts_with("pragma");
        is_directive |= word.is_some_and(|word| !passes(word));
        if is_directive {
            text.push_str(line);
            is_directive = line.trim_end().ends_with('\\');
            continue;
        }
        for byte in line.bytes() {
            text.push(if byte == b'\n' { '\n' } else { ' ' });
        }
    }
}
