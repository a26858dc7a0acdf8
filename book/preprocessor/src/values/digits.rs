//! Finds numbers in prose that are typed by hand although a record could own them: those with a unit of a measurement,
//! and those in a table's column of such a unit.

use super::directive::{OBJECT, find, masked};
use super::problem::ValueError;
use crate::markdown::markdown_options;
use mdbook_markdown::pulldown_cmark::{Event, Parser, Tag, TagEnd};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The words that begin the comment before a block whose numbers are typed on purpose.
const TYPED: &str = "<!-- typed:";

const NUMBER: &str = r"\d(?:[\d.,]*\d)?";
/// The units of what is measured.
const UNIT: &str = r"(?:[GT]B/s|%|per cent|[µμ]s\b|points?\b)";

/// A number with a unit, or several: "3277 to 3504 GB/s".
static MEASURED: LazyLock<Regex> = LazyLock::new(|| {
    let another = format!(r"(?:\s*(?:–|-|±|or|to|against)\s*(?:{NUMBER}|{OBJECT}))");
    pattern(&format!(r"{NUMBER}{another}*\s*{UNIT}|\d+\.\d+ times\b"))
});
static A_NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(NUMBER));
static A_UNIT: LazyLock<Regex> = LazyLock::new(|| pattern(UNIT));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of our own")
}

/// A number that should not be typed, or a mark of one that is wrong itself.
#[derive(Debug, PartialEq)]
pub(crate) struct Suspect {
    /// Its first byte in the text.
    pub(crate) start: usize,
    /// As it is written.
    pub(crate) written: String,
    /// What is wrong with it.
    pub(crate) error: ValueError,
}

/// The numbers of a text that a record could own and that are typed without a reason.
pub(crate) fn suspects(text: &str) -> Vec<Suspect> {
    let masked = masked(text, &find(text));
    let mut scan = Scan::default();
    for (event, range) in Parser::new_ext(&masked, markdown_options()).into_offset_iter() {
        scan.event(&event, range, &masked);
    }
    scan.flush();
    scan.suspects
}

/// A walk over the blocks of a text.
#[derive(Default)]
struct Scan {
    suspects: Vec<Suspect>,
    /// The words of the block so far, without marks.
    block: String,
    /// Where in the text pieces of it come from: byte of the block, byte of the text.
    origins: Vec<(usize, usize)>,
    depth: usize,
    /// The depth of a block that is typed on purpose: the next one there, until it ends.
    typed: Option<usize>,
    skipping: bool,
    /// For each column of the table, whether its head names a unit; the column that the walk is in.
    columns: Vec<bool>,
    column: usize,
    in_head: bool,
    in_body_cell: bool,
}

impl Scan {
    fn event(&mut self, event: &Event, range: Range<usize>, text: &str) {
        match event {
            Event::Start(Tag::HtmlBlock) => {
                self.flush();
                self.depth += 1;
                self.comment(&text[range.clone()], range.start);
            }
            Event::Start(tag) => {
                if !is_inline(tag) {
                    self.flush();
                    self.start(tag);
                }
                self.depth += 1;
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                if !is_inline_end(tag) {
                    self.end(tag);
                }
            }
            Event::Text(words) => self.push(words, range.start),
            Event::Html(html) => self.push(&without_tags(html), range.start),
            Event::SoftBreak | Event::HardBreak => self.push(" ", range.start),
            Event::Code(_) | Event::InlineHtml(_) => self.push("`", range.start),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag) {
        if self.typed == Some(self.depth) {
            self.skipping = true;
        }
        match tag {
            Tag::Table(alignments) => self.columns = vec![false; alignments.len()],
            Tag::TableHead => (self.in_head, self.column) = (true, 0),
            Tag::TableRow => self.column = 0,
            Tag::TableCell => self.in_body_cell = !self.in_head,
            Tag::CodeBlock(_) => self.skipping = true,
            _ => {}
        }
    }

    fn end(&mut self, tag: &TagEnd) {
        match tag {
            TagEnd::TableCell => {
                if self.in_head
                    && let Some(column) = self.columns.get_mut(self.column)
                {
                    *column = A_UNIT.is_match(&self.block);
                }
                self.flush();
                self.column += 1;
                self.in_body_cell = false;
            }
            TagEnd::TableHead => self.in_head = false,
            TagEnd::CodeBlock => {
                self.forget();
                self.skipping = self.typed.is_some_and(|depth| depth < self.depth);
            }
            _ => self.flush(),
        }
        if self.typed == Some(self.depth) && self.skipping {
            (self.typed, self.skipping) = (None, false);
        }
    }

    /// Notes a comment that says that the next block is typed on purpose.
    fn comment(&mut self, html: &str, start: usize) {
        let Some(reason) = html.trim().strip_prefix(TYPED) else {
            return;
        };
        let reason = reason.split("-->").next().unwrap_or_default();
        if reason.trim().is_empty() {
            let written = html.trim().to_owned();
            self.suspects.push(Suspect {
                start,
                written,
                error: ValueError::Typed,
            });
        }
        // The comment is inside its block.
        self.typed = Some(self.depth - 1);
    }

    fn push(&mut self, words: &str, start: usize) {
        self.origins.push((self.block.len(), start));
        self.block.push_str(words);
    }

    fn forget(&mut self) {
        self.block.clear();
        self.origins.clear();
    }

    /// Looks at the words of the block that ends here.
    fn flush(&mut self) {
        if !self.skipping {
            let owned = self.in_body_cell && self.columns.get(self.column) == Some(&true);
            let pattern = if owned { &*A_NUMBER } else { &*MEASURED };
            for number in pattern.find_iter(&self.block) {
                let (from, start) = self
                    .origins
                    .iter()
                    .rev()
                    .find(|(at, _)| *at <= number.start())
                    .copied()
                    .unwrap_or_default();
                self.suspects.push(Suspect {
                    start: start + (number.start() - from),
                    written: in_one_line(number.as_str()),
                    error: ValueError::TypedByHand,
                });
            }
        }
        self.forget();
    }
}

fn in_one_line(words: &str) -> String {
    let words: Vec<&str> = words.split_whitespace().collect();
    words.join(" ").replace(OBJECT, "…")
}

fn is_inline(tag: &Tag) -> bool {
    matches!(
        tag,
        Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
    )
}

fn is_inline_end(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

/// HTML with spaces in the place of its tags, so that every byte else keeps its place.
fn without_tags(html: &str) -> String {
    let mut inside = false;
    let words = html.chars().flat_map(|c| {
        let is_tag = inside || c == '<';
        inside = (inside || c == '<') && c != '>';
        let (c, times) = if is_tag { (' ', c.len_utf8()) } else { (c, 1) };
        std::iter::repeat_n(c, times)
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Vec<String> {
        let suspects = suspects(text).into_iter();
        suspects
            .map(|suspect| {
                if suspect.error == ValueError::TypedByHand
                    && !suspect.written.contains(['…', '\n'])
                {
                    let first = &suspect.written[..1];
                    assert!(
                        text[suspect.start..].starts_with(first),
                        "{text}: {}",
                        &text[suspect.start..]
                    );
                }
                suspect.written
            })
            .collect()
    }

    #[test]
    fn numbers_with_a_unit_are_noticed() {
        for (text, expected) in [
            ("It has 3873 GB/s.", vec!["3873 GB/s"]),
            (
                "**3873** GB/s and 93.5\u{a0}%.",
                vec!["3873 GB/s", "93.5 %"],
            ),
            ("3277 to\n3504 GB/s", vec!["3277 to 3504 GB/s"]),
            ("3277 to {{#value 1}} GB/s", vec!["3277 to … GB/s"]),
            (
                "7.3 points, 1.4 times, 12 µs, 5 per cent",
                vec!["7.3 points", "1.4 times", "12 µs", "5 per cent"],
            ),
            ("at 4096 and {{#value 1}} %, 4128, {{#value 2}} %", vec![]),
            ("- a\n- 5 % of it\n", vec!["5 %"]),
            ("# 5 % more\n", vec!["5 %"]),
            ("<p class=\"x\" style=\"width: 50%\">5 %</p>\n", vec!["5 %"]),
            (
                "4096 rows, 32 lanes, `5 %`, {{#value 1}} %, {{#typed 5 % | guess}}, three times",
                vec![],
            ),
            ("```text\n5 %\n```\n\n5 %", vec!["5 %"]),
        ] {
            assert_eq!(typed(text), expected, "{text}");
        }
    }

    #[test]
    fn a_column_of_a_unit_has_no_typed_number() {
        let text = "| side | GB/s | what |\n| - | - | - |\n| 4096 | 3873 | 12 |\n| 8192 | {{#value 1 | .1}} | 3 % |\n";
        assert_eq!(typed(text), ["3873", "3 %"]);
    }

    #[test]
    fn a_reason_covers_the_next_block_alone() {
        let text = "<!-- typed: the article -->\n| GB/s |\n| - |\n| 5 |\n\n5 %\n\n<!-- typed: x -->\n\n- 6 %\n- 7 %\n\n\
                    <!-- typed: y -->\n8 % and\n9 %\n\n10 %\n";
        assert_eq!(typed(text), ["5 %", "10 %"]);
        assert_eq!(typed("<!-- typed: -->\n5 %\n"), ["<!-- typed: -->"]);
    }
}
