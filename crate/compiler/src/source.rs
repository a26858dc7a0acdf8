//! Places in a source: byte ranges, and the lines and columns that they are. A source that includes files is one text with them.

use crate::files::File;
use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

/// A range of bytes of the source. What a macro expands to has the range of the macro's use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// What stands in a header that is built in: a place of no source.
    pub(crate) const HEADER: Span = Span {
        start: u32::MAX,
        end: u32::MAX,
    };

    /// Whether it is in such a header.
    pub(crate) fn is_header(self) -> bool {
        self.start == u32::MAX
    }

    /// From the start of this one to the end of the other.
    pub fn to(self, end: Span) -> Span {
        Span {
            start: self.start,
            end: end.end.max(self.start),
        }
    }
}

/// A file that a source includes, where it was included.
#[derive(Debug, Clone)]
struct Part {
    file: Arc<File>,
    /// Its first byte in the text of all.
    start: u32,
    /// The number of lines before it.
    lines: usize,
    /// The directive that includes it, in the file before.
    directive: Span,
}

/// A source with the files that it includes, each behind those before it: one text, so that a place in any of them is a [`Span`].
#[derive(Debug, Default)]
pub(crate) struct Sources {
    text: String,
    starts: Vec<u32>,
    parts: Vec<Part>,
}

impl Sources {
    pub(crate) fn new(text: &str, name: &str) -> Self {
        let mut sources = Self::default();
        let file = File {
            path: String::new(),
            name: name.to_string(),
            text: String::new(),
        };
        sources.put(Arc::new(file), text, Span::default());
        sources
    }

    fn put(&mut self, file: Arc<File>, text: &str, directive: Span) {
        let start = self.text.len() as u32;
        self.parts.push(Part {
            file,
            start,
            lines: self.starts.len(),
            directive,
        });
        self.text.push_str(text);
        let of_text = starts_of(text).map(|at| at + start);
        self.starts.extend(of_text);
    }

    /// Puts a file behind the others; its first byte.
    pub(crate) fn include(&mut self, file: Arc<File>, directive: Span) -> u32 {
        self.text.push('\n');
        let text = file.clone();
        self.put(file, &text.text, directive);
        self.parts.last().map_or(0, |part| part.start)
    }

    /// Takes the file at a place, the last one, away again.
    pub(crate) fn forget(&mut self, start: u32) {
        if self.parts.len() > 1 && self.parts.last().is_some_and(|part| part.start == start) {
            if let Some(part) = self.parts.pop() {
                self.starts.truncate(part.lines);
            }
            self.text.truncate(start as usize - 1);
        }
    }

    /// All of it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The number of the file that a place is in; 0 is the source itself.
    pub(crate) fn file_at(&self, at: u32) -> usize {
        let behind = self.parts.partition_point(|part| part.start <= at);
        behind.saturating_sub(1)
    }

    /// The file of a number; nothing where that is the source itself.
    pub(crate) fn included(&self, number: usize) -> Option<&Arc<File>> {
        let part = self.parts.get(number).filter(|_| number > 0);
        part.map(|part| &part.file)
    }

    /// What the file of a number is called in messages.
    pub(crate) fn name(&self, number: usize) -> &str {
        self.parts.get(number).map_or("", |part| &part.file.name)
    }

    /// What all files are called.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.parts.iter().map(|part| part.file.name.clone());
        names.collect()
    }

    /// The first byte of a file, and one past its last.
    pub(crate) fn range(&self, number: usize) -> (u32, u32) {
        let start = self.parts.get(number).map_or(0, |part| part.start);
        let next = self.parts.get(number + 1);
        let end = next.map_or(self.text.len() as u32, |next| next.start - 1);
        (start, end)
    }

    /// Where in the source itself a place was included: the place, for one that is in no file.
    pub(crate) fn outermost(&self, at: u32) -> u32 {
        let mut at = at;
        while let (number @ 1.., Some(part)) = (self.file_at(at), self.parts.get(self.file_at(at)))
        {
            debug_assert!(number > 0);
            at = part.directive.start;
        }
        at
    }

    /// The line of a place in its file, from 1.
    pub(crate) fn line(&self, at: u32) -> u32 {
        self.lines().place(at).0
    }

    /// Its lines.
    pub(crate) fn lines(&self) -> Lines<'_> {
        Lines {
            text: &self.text,
            starts: Cow::Borrowed(&self.starts),
            parts: &self.parts,
            last: Cell::new(1),
        }
    }
}

/// Where lines begin.
fn starts_of(text: &str) -> impl Iterator<Item = u32> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1))
}

/// The source as its lines.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Cow<'a, [u32]>,
    parts: &'a [Part],
    /// The line of the place that was asked for last: the next is mostly in it too.
    last: Cell<usize>,
}

impl<'a> Lines<'a> {
    /// Finds where lines begin.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            starts: Cow::Owned(starts_of(text).collect()),
            parts: &[],
            last: Cell::new(1),
        }
    }

    /// The number of the file that a byte is in, and its name; 0 is the source itself.
    pub(crate) fn file(&self, at: u32) -> (u32, &'a str) {
        let behind = self.parts.partition_point(|part| part.start <= at);
        let number = behind.saturating_sub(1);
        let name = self.parts.get(number).map_or("", |part| &part.file.name);
        (number as u32, name)
    }

    /// Line and column of a byte in its file, both from 1; the column counts bytes, as debuggers do.
    pub fn place(&self, at: u32) -> (u32, u32) {
        let last = self.last.get();
        let ends = self.starts.get(last).is_none_or(|next| at < *next);
        let line = match ends && self.starts[last - 1] <= at {
            true => last,
            false => self.starts.partition_point(|start| *start <= at).max(1),
        };
        self.last.set(line);
        let before = match self.parts.len() {
            0 | 1 => 0,
            _ => self.parts[self.file(at).0 as usize].lines,
        };
        ((line - before) as u32, at - self.starts[line - 1] + 1)
    }

    /// The text of a place; empty where it is none of the source's.
    pub(crate) fn text(&self, span: Span) -> &'a str {
        let range = span.start as usize..span.end as usize;
        self.text.get(range).unwrap_or("")
    }

    /// A line's text, without its end.
    pub fn line(&self, line: u32) -> &'a str {
        let from = self.starts.get(line as usize - 1).copied().unwrap_or(0) as usize;
        let rest = self.text.get(from..).unwrap_or("");
        rest.lines().next().unwrap_or("")
    }
}
