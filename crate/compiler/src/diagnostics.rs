//! What the compiler has to say about a source, as data, and its words as `file:line:column` with the line and a caret.

use crate::files::File;
use crate::limits::{INCLUDED_BYTES, MOST_ERRORS};
use crate::source::{Lines, Sources, Span};
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;

/// What kind of message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The source is wrong.
    Error,
    /// The source may be right; this compiler does not know what it uses.
    Gap,
    /// The source is compiled, but probably not what was meant.
    Warning,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind.
    pub severity: Severity,
    /// The place in its file.
    pub span: Span,
    /// The file that the source includes, where the place is in one.
    pub file: Option<Arc<File>>,
    /// What is wrong.
    pub message: String,
    /// What to do, or what is also to be known.
    pub helps: Vec<String>,
}

/// A step failed, and a message about it was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reported;

/// The result of a step that keeps its messages in a [`Sink`].
pub(crate) type Res<T> = Result<T, Reported>;

/// Where messages are kept.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    pub(crate) list: Vec<Diagnostic>,
    /// The source and what it includes, until it is preprocessed.
    pub(crate) sources: Sources,
    /// The newest place of the source; what goes wrong in a header that is built in is told of it.
    pub(crate) near: Span,
    /// Whether it was told that a comment or a text lasts to the end of the source.
    pub(crate) is_cut_off: bool,
    /// Names whose declarations could not be read because of a gap.
    unread: Vec<Rc<str>>,
    /// Names whose declarations could not be read for a mistake, each with the number of messages until then.
    mistaken: Vec<(Rc<str>, usize)>,
    /// Whether an error is about a file that is included.
    pub(crate) is_about_files: bool,
    /// Whether the source is a whole program, with code of the host.
    pub(crate) is_program: bool,
    /// The words of declarations that were taken to be the host's, with what was told of each.
    aside: Vec<(Vec<Rc<str>>, Vec<Diagnostic>)>,
    errors: usize,
}

impl Sink {
    /// Keeps a message, unless there are many, or there is one about the same place.
    pub(crate) fn report(
        &mut self,
        severity: Severity,
        span: Span,
        message: impl Into<String>,
    ) -> Reported {
        self.report_with(severity, span, message, Vec::new())
    }

    /// The same, with what to do.
    pub(crate) fn report_with(
        &mut self,
        severity: Severity,
        span: Span,
        message: impl Into<String>,
        helps: Vec<String>,
    ) -> Reported {
        let message = message.into();
        // A token of a header that is built in, or a byte of one: it is told where the source came to it.
        let is_of_none = span.start as usize > INCLUDED_BYTES;
        let span = if is_of_none { self.near } else { span };
        let known = |d: &Diagnostic| d.span.start == span.start && d.message == message;
        let is_error = severity != Severity::Warning;
        if self.errors < MOST_ERRORS
            && self.list.len() < 4 * MOST_ERRORS
            && !self.list.iter().any(known)
        {
            self.errors += usize::from(is_error);
            self.list.push(Diagnostic {
                severity,
                span,
                file: None,
                message,
                helps,
            });
        }
        Reported
    }

    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.report(Severity::Error, span, message)
    }

    pub(crate) fn error_help(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Reported {
        self.report_with(Severity::Error, span, message, vec![help.into()])
    }

    pub(crate) fn gap(&mut self, span: Span, what: impl std::fmt::Display) -> Reported {
        let help = "this is a gap of Corner Turn's own compiler, not a mistake in the kernel; NVRTC compiles it";
        self.report_with(
            Severity::Gap,
            span,
            format!("{what} is not supported yet"),
            vec![help.to_string()],
        )
    }

    /// A gap that NVRTC has as well.
    pub(crate) fn gap_of_both(&mut self, span: Span, what: impl std::fmt::Display) -> Reported {
        let help = "NVRTC does not take it either";
        let message = format!("{what} is not supported yet");
        self.report_with(Severity::Gap, span, message, vec![help.to_string()])
    }

    pub(crate) fn warn(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.report_with(Severity::Warning, span, message, vec![help.into()]);
    }

    /// Notes that a declaration could not be read, if that is for a gap.
    pub(crate) fn is_unread(&mut self, name: &Rc<str>) {
        if self
            .list
            .last()
            .is_some_and(|last| last.severity == Severity::Gap)
        {
            self.unread.push(name.clone());
        }
    }

    /// Notes that a declaration could not be read for what was told last.
    pub(crate) fn is_mistaken(&mut self, name: &Rc<str>) {
        self.mistaken.push((name.clone(), self.list.len()));
    }

    /// Forgets errors about what could not be read: they follow from the gap, or from the mistake.
    pub(crate) fn drop_consequences(&mut self, source: &str) {
        self.tell_what_was_put_aside();
        let unread = std::mem::take(&mut self.unread);
        let mistaken = std::mem::take(&mut self.mistaken);
        let mut number = 0;
        self.list.retain(|diagnostic| {
            number += 1;
            let follows = |(name, before): &(Rc<str>, usize)| {
                number > *before && diagnostic.message == undeclared(name)
            };
            if mistaken.iter().any(follows) {
                return false;
            }
            let span = diagnostic.span;
            let text = source.get(span.start as usize..span.end as usize);
            let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
            let mut words = text.unwrap_or("").split(|c| !is_of_word(c));
            let names_unread = words.any(|word| unread.iter().any(|name| **name == *word));
            diagnostic.severity != Severity::Error || !names_unread
        });
    }

    /// How many messages there are, for [`Sink::forget`].
    pub(crate) fn told(&self) -> usize {
        self.list.len()
    }

    /// Forgets the messages since there were so many.
    pub(crate) fn forget(&mut self, told: usize) {
        let forgotten = self.list.drain(told..);
        let is_error = |one: &Diagnostic| one.severity != Severity::Warning;
        self.errors -= forgotten.filter(is_error).count();
        self.mistaken.retain(|(_, before)| *before <= told);
    }

    /// Takes back the messages since there were so many, if gaps are all that is wrong.
    pub(crate) fn take_gaps(&mut self, told: usize) -> Vec<Diagnostic> {
        let new = self.list.get(told..).unwrap_or_default();
        let mut wrong = new.iter().filter(|one| one.severity != Severity::Warning);
        let only_gaps = wrong.clone().all(|one| one.severity == Severity::Gap);
        if !only_gaps || wrong.next().is_none() {
            return Vec::new();
        }
        let gaps = new.to_vec();
        self.forget(told);
        gaps
    }

    /// Puts the messages since there were so many aside: what they are about, some declaration with these words, is probably the host's.
    pub(crate) fn put_aside(&mut self, told: usize, words: Vec<Rc<str>>) {
        let messages = self.list.get(told..).unwrap_or_default().to_vec();
        self.forget(told);
        self.aside.push((words, messages));
    }

    /// Tells what was put aside after all, where an error names one of its words.
    fn tell_what_was_put_aside(&mut self) {
        for (words, messages) in std::mem::take(&mut self.aside) {
            let is_named = |word: &Rc<str>| {
                let quoted = format!("`{word}`");
                let mut errors = self
                    .list
                    .iter()
                    .filter(|one| one.severity != Severity::Warning);
                errors.any(|error| error.message.contains(&quoted))
            };
            if words.iter().any(is_named) {
                for one in messages {
                    self.report_with(one.severity, one.span, one.message, one.helps);
                }
            }
        }
    }

    /// How many errors there are.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Whether something is not supported.
    pub(crate) fn has_gap(&self) -> bool {
        self.list.iter().any(|one| one.severity == Severity::Gap)
    }

    /// Keeps what was told elsewhere.
    pub(crate) fn take_from(&mut self, other: Self) {
        self.errors += other.errors;
        self.list.extend(other.list);
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether so many errors were found that looking further tells nothing.
    pub(crate) fn is_full(&self) -> bool {
        self.errors >= MOST_ERRORS
    }
}

/// What is said of a name that nothing declares.
pub(crate) fn undeclared(name: &str) -> String {
    format!("`{name}` is not declared")
}

/// Messages in the order of the source, what is told of a file where it is included, each with its place in its file.
pub(crate) fn in_their_files(mut list: Vec<Diagnostic>, sources: &Sources) -> Vec<Diagnostic> {
    list.sort_by_key(|one| (sources.outermost(one.span.start), one.span.start));
    for one in &mut list {
        let number = sources.file_at(one.span.start);
        let (start, end) = sources.range(number);
        one.file = sources.included(number).cloned();
        one.span = Span {
            start: one.span.start.min(end) - start,
            end: one.span.end.clamp(start, end) - start,
        };
    }
    list
}

/// The words of messages, each with its place, its line and a caret below.
pub(crate) fn render(list: &[Diagnostic], source: &str, file: &str) -> String {
    let lines = Lines::new(source);
    let mut text = String::new();
    for diagnostic in list {
        match &diagnostic.file {
            Some(file) => render_one(&mut text, diagnostic, &Lines::new(&file.text), &file.name),
            None => render_one(&mut text, diagnostic, &lines, file),
        }
    }
    text
}

fn render_one(text: &mut String, diagnostic: &Diagnostic, lines: &Lines<'_>, file: &str) {
    let kind = match diagnostic.severity {
        Severity::Error | Severity::Gap => "error",
        Severity::Warning => "warning",
    };
    let (line, column) = lines.place(diagnostic.span.start);
    let shown: String = lines
        .line(line)
        .replace('\t', " ")
        .chars()
        .take(200)
        .collect();
    let before = lines
        .line(line)
        .get(..column as usize - 1)
        .unwrap_or("")
        .chars()
        .count();
    let width = (diagnostic.span.end.saturating_sub(diagnostic.span.start) as usize)
        .clamp(1, shown.chars().count().saturating_sub(before).max(1));
    let margin = " ".repeat(line.to_string().len());
    let carets = "^".repeat(width);
    let _ = write!(
        text,
        "{kind}: {}\n{margin}--> {file}:{line}:{column}\n{margin} |\n{line} | {shown}\n{margin} | {}{carets}\n",
        diagnostic.message,
        " ".repeat(before),
    );
    for help in &diagnostic.helps {
        let _ = writeln!(text, "{margin} = help: {help}");
    }
}

/// The name of a type behind its article: a `float`, an `int`.
pub(crate) fn an(name: &str) -> String {
    if name.starts_with("a ") || name.starts_with("an ") {
        return name.to_string();
    }
    // An `unsigned`, but a `uint3`.
    let is_vowel =
        name.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) || name.starts_with("un");
    format!("{} `{name}`", if is_vowel { "an" } else { "a" })
}

/// How many arguments something takes, and how many it was given: in words.
pub(crate) fn takes(wanted: &str, given: usize) -> String {
    let plural = if wanted == "1" { "" } else { "s" };
    format!("takes {wanted} argument{plural}, not {given}")
}
