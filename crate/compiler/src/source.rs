//! Places in a source: byte ranges, and the lines and columns that they are.

use std::cell::Cell;

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

/// The source as its lines.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<u32>,
    /// The line of the place that was asked for last: the next is mostly in it too.
    last: Cell<usize>,
}

impl<'a> Lines<'a> {
    /// Finds where lines begin.
    pub fn new(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1));
        Self {
            text,
            starts: starts.collect(),
            last: Cell::new(1),
        }
    }

    /// Line and column of a byte, both from 1; the column counts bytes, as debuggers do.
    pub fn place(&self, at: u32) -> (u32, u32) {
        let last = self.last.get();
        let ends = self.starts.get(last).is_none_or(|next| at < *next);
        let line = match ends && self.starts[last - 1] <= at {
            true => last,
            false => self.starts.partition_point(|start| *start <= at).max(1),
        };
        self.last.set(line);
        (line as u32, at - self.starts[line - 1] + 1)
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
