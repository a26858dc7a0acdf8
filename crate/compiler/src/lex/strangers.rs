//! Characters that are no part of CUDA C++: what is said of them, and what they are read as.

use super::{Kind, Lexer};
use crate::diagnostics::Sink;

impl Lexer<'_> {
    /// A character that is no part of CUDA C++; what was meant by it is read as that, so that no more is told of it.
    pub(super) fn stranger(&mut self, sink: &mut Sink) -> Option<Kind> {
        let start = self.at;
        if self.rest().starts_with("```") {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            let help = "remove this line: it is the frame of what was copied";
            sink.error_help(self.span_from(start), "a line of Markdown", help);
            return None;
        }
        let shown = self.rest().chars().next()?;
        self.at += shown.len_utf8();
        let span = self.span_from(start);
        if is_unseen(shown) {
            // Where one was copied there are many.
            if !std::mem::replace(&mut self.has_told_of_unseen, true) {
                let message = format!("the space here is none of C++: U+{:04X}", u32::from(shown));
                let help = match takes_room(shown) {
                    true => {
                        "write an ordinary space, here and wherever it stands: a page or a text processor put it there"
                    }
                    false => {
                        "remove it, here and wherever it stands: it takes no room, so write that part anew"
                    }
                };
                sink.error_help(span, message, help);
            }
            return None;
        }
        if meant(shown) == Some('"') && self.skip_typeset() {
            let message = format!("these quotation marks have no meaning in CUDA C++: {shown}");
            let help = "write `\"` on both sides of the text";
            sink.error_help(self.span_from(start), message, help);
            return Some(Kind::Text);
        }
        let (mark, operator) = (meant(shown), operator_meant(shown));
        let help = match (mark, operator) {
            (Some(mark), _) => format!("write `{mark}`, which looks much the same"),
            (_, Some(operator)) => format!("write `{operator}`"),
            _ => "remove it; names are of ASCII letters, digits and `_`".to_string(),
        };
        let message = format!("`{}` has no meaning in CUDA C++", shown.escape_debug());
        sink.error_help(span, message, help);
        let is_mark =
            mark.is_some_and(|mark| !matches!(mark, '"' | '\'') && mark.is_ascii_punctuation());
        (is_mark || operator.is_some()).then_some(Kind::Punctuation)
    }

    /// Goes behind a text whose quotation marks a text processor has put in the place of `"`; false where it does not end on
    /// its line.
    fn skip_typeset(&mut self) -> bool {
        let line = self.rest().lines().next().unwrap_or_default();
        let end = line.char_indices().find(|(_, mark)| is_quote(*mark));
        if let Some((length, mark)) = end {
            self.at += length + mark.len_utf8();
        }
        end.is_some()
    }
}

/// Whether one of the unseen takes room on a line.
fn takes_room(c: char) -> bool {
    c.is_whitespace()
}

/// Whether a text may be in such marks.
pub(super) fn is_quote(c: char) -> bool {
    c == '"' || meant(c) == Some('"')
}

/// Whether a character takes room without being seen, or no room at all.
fn is_unseen(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
        )
}

/// The ASCII character that an input method or a text processor has put this one in the place of.
pub(super) fn meant(shown: char) -> Option<char> {
    match shown {
        // The full-width forms stand in ASCII's order.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(shown) - 0xfee0),
        '\u{201c}' | '\u{201d}' => Some('"'),
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\u{2212}' | '\u{2013}' => Some('-'),
        '\u{d7}' => Some('*'),
        '\u{3002}' => Some('.'),
        '`' => Some('"'),
        _ => None,
    }
}

/// The operator that mathematics writes as one mark.
pub(super) fn operator_meant(shown: char) -> Option<&'static str> {
    match shown {
        '\u{2264}' => Some("<="),
        '\u{2265}' => Some(">="),
        '\u{2260}' => Some("!="),
        '\u{2192}' => Some("->"),
        '\u{f7}' => Some("/"),
        '\u{b7}' | '\u{2217}' | '\u{22c5}' => Some("*"),
        '\u{2014}' => Some("--"),
        _ => None,
    }
}
