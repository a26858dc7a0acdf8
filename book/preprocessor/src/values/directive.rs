//! Finds the directives in prose, and puts what becomes of them in their place. What an expression means is
//! `expression`'s.

use super::format::Format;
use super::problem::ValueError;
use crate::markdown::markdown_options;
use mdbook_markdown::pulldown_cmark::{Event, Parser, Tag};
use std::ops::Range;

/// Where a directive begins.
const OPENING: &str = "{{#";
const CLOSING: &str = "}}";
/// Stands where something vanishes until its line is tidied; of Unicode's private use.
const GONE: char = '\u{e000}';
/// What stands for a directive in [`masked`] text: an object of another kind.
pub(crate) const OBJECT: char = '\u{fffc}';

/// A directive of prose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Directive<'a> {
    /// `{{#value EXPRESSION | FORMAT}}`.
    Value { expression: &'a str, format: Format },
    /// `{{#holds CHAIN}}`.
    Holds { chain: &'a str },
    /// `{{#typed TEXT | REASON}}`.
    Typed { text: &'a str },
}

/// A directive where it stands.
#[derive(Debug, PartialEq)]
pub(crate) struct Found<'a> {
    /// Its bytes in the text.
    pub(crate) range: Range<usize>,
    /// As it is written.
    pub(crate) written: &'a str,
    /// What it is, or what is wrong with it.
    pub(crate) directive: Result<Directive<'a>, ValueError>,
}

/// The directives of a text in order, those in code and comments left out.
pub(crate) fn find(text: &str) -> Vec<Found<'_>> {
    let verbatim = verbatim(text);
    let mut found: Vec<Found> = Vec::new();
    for (start, _) in text.match_indices(OPENING) {
        let is_verbatim = verbatim.iter().any(|range| range.contains(&start));
        if is_verbatim || text[..start].ends_with('\\') {
            continue;
        }
        let inside = &text[start + OPENING.len()..];
        let limit = inside.find("\n\n").unwrap_or(inside.len());
        let limit = inside.find(OPENING).unwrap_or(limit).min(limit);
        let inside = &inside[..limit];
        let (end, directive) = match inside.find(CLOSING) {
            Some(at) => (at + CLOSING.len(), read(&inside[..at])),
            None => (
                inside.find('\n').unwrap_or(limit),
                Err(ValueError::Unclosed),
            ),
        };
        let range = start..start + OPENING.len() + end;
        found.push(Found {
            written: &text[range.clone()],
            range,
            directive,
        });
    }
    found
}

/// A directive by what stands between its braces.
fn read(inside: &str) -> Result<Directive<'_>, ValueError> {
    let (name, body) = inside
        .split_once(char::is_whitespace)
        .unwrap_or((inside, ""));
    let body = body.trim();
    let halves = body
        .rsplit_once('|')
        .map(|(left, right)| (left.trim(), right.trim()));
    match name {
        "value" => {
            let (expression, format) = halves.unwrap_or((body, ""));
            Ok(Directive::Value {
                expression,
                format: Format::parse(format)?,
            })
        }
        "holds" => Ok(Directive::Holds { chain: body }),
        "typed" => match halves {
            Some((text, reason)) if !text.is_empty() && !reason.is_empty() => {
                Ok(Directive::Typed { text })
            }
            _ => Err(ValueError::Typed),
        },
        _ => Err(ValueError::UnknownDirective),
    }
}

/// Where a text is shown as it is written: code, and what is hidden in comments.
fn verbatim(text: &str) -> Vec<Range<usize>> {
    let mut verbatim = Vec::new();
    let parsed = without_bars(text);
    for (event, range) in Parser::new_ext(&parsed, markdown_options()).into_offset_iter() {
        match event {
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => verbatim.push(range),
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => {
                verbatim.extend(comments(text, range))
            }
            _ => {}
        }
    }
    verbatim
}

/// The text with other characters for the bars in directives, which would divide the cells of a table.
fn without_bars(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(OPENING) {
        let end = rest[start..].find(CLOSING);
        let end = end.map_or(rest.len(), |length| start + length);
        out.push_str(&rest[..start]);
        out.push_str(&rest[start..end].replace('|', "-"));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// The comments of a piece of HTML.
fn comments(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let starts = text[range.clone()].match_indices("<!--");
    let comments = starts.map(|(at, _)| {
        let start = range.start + at;
        let length = text[start..range.end].find("-->");
        start..length.map_or(range.end, |length| start + length)
    });
    comments.collect()
}

/// The text with something in the place of each directive, or with nothing and no trace of it.
pub(crate) fn replaced(text: &str, changes: &[(Range<usize>, Option<String>)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for (range, new) in changes {
        out.push_str(&text[end..range.start]);
        match new {
            Some(new) => out.push_str(new),
            None => out.push(GONE),
        }
        end = range.end;
    }
    out.push_str(&text[end..]);
    if out.contains(GONE) {
        tidied(&out)
    } else {
        out
    }
}

/// The text without the marks of what is gone: a line that held nothing else goes too, and so do the spaces beside them.
fn tidied(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if !line.contains(GONE) {
            out.push_str(line);
            continue;
        }
        let nothing_else = |c: char| c == GONE || c == '>' || c.is_whitespace();
        if line.chars().all(nothing_else) {
            continue;
        }
        let mut pieces = line.split(GONE);
        out.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let is_end = piece.trim().is_empty();
            if is_end {
                out.truncate(out.trim_end_matches(' ').len());
            }
            out.push_str(piece.trim_start_matches(' '));
        }
    }
    out
}

/// The text with each directive as one [`OBJECT`] and spaces, every byte else at its place.
pub(crate) fn masked(text: &str, found: &[Found]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for Found { range, .. } in found {
        out.push_str(&text[end..range.start]);
        out.push(OBJECT);
        out.push_str(&" ".repeat(range.len().saturating_sub(OBJECT.len_utf8())));
        end = range.end;
    }
    out.push_str(&text[end..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|found| found.written).collect()
    }

    #[test]
    fn directives_are_found_everywhere_but_in_code() {
        let text = "# A {{#value 1}}\n\n| a | b |\n| - | - |\n| {{#value 2 | .1}} | `{{#value 3}}` |\n\n\
                    <details>\n<summary>{{#value 4}}</summary>\n\n[x {{#value 5}}](y.md)\n\n</details>\n\n\
                    ```text\n{{#value 6}}\n```\n\n    {{#value 7}}\n\n<!-- {{#value 8}} -->\n\n\\{{#value 9}}\n\
                    {{#holds 1 <\n 2}}\n";
        assert_eq!(
            written(text),
            [
                "{{#value 1}}",
                "{{#value 2 | .1}}",
                "{{#value 4}}",
                "{{#value 5}}",
                "{{#holds 1 <\n 2}}"
            ]
        );
    }

    #[test]
    fn a_directive_is_taken_apart() {
        let read = |text| find(text).remove(0).directive;
        let expression = "a(b, 1)";
        let format = Format::Decimals {
            decimals: 1,
            percent: true,
        };
        assert_eq!(
            read("{{#value a(b, 1) | %.1}}"),
            Ok(Directive::Value { expression, format })
        );
        assert_eq!(
            read("{{#holds 1 < 2}}"),
            Ok(Directive::Holds { chain: "1 < 2" })
        );
        assert_eq!(
            read("{{#typed 2 GB/s | a guess}}"),
            Ok(Directive::Typed { text: "2 GB/s" })
        );
        for text in ["{{#typed 2}}", "{{#typed | x}}", "{{#typed 2 |}}"] {
            assert_eq!(read(text), Err(ValueError::Typed), "{text}");
        }
        assert_eq!(
            read("{{#value 1 | x}}"),
            Err(ValueError::Format("x".to_owned()))
        );
        assert_eq!(read("{{#include x}}"), Err(ValueError::UnknownDirective));
        for text in ["{{#value 1\n\n}}", "{{#value 1 {{#value 2}}", "{{#value"] {
            assert_eq!(read(text), Err(ValueError::Unclosed), "{text}");
        }
    }

    /// The text with its values as `N` and its statements gone.
    fn filled(text: &str) -> String {
        let becomes = |found: Found| {
            let gone = matches!(found.directive, Ok(Directive::Holds { .. }));
            (found.range, (!gone).then(|| "N".to_owned()))
        };
        replaced(
            text,
            &find(text).into_iter().map(becomes).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn what_is_gone_leaves_no_trace() {
        for (text, expected) in [
            ("{{#holds 1 < 2}}\nIt is.\n", "It is.\n"),
            (
                "a\n\n  {{#holds 1 < 2}} {{#holds 2 < 3}}\n\nb\n",
                "a\n\n\nb\n",
            ),
            ("It {{#holds 1 < 2}} is {{#value 1}}.", "It is N."),
            ("{{#holds 1 < 2}} It is.", "It is."),
            ("It is. {{#holds 1 < 2}}\nAnd.", "It is.\nAnd."),
            ("- {{#holds 1 < 2}} It is.\n- b\n", "- It is.\n- b\n"),
            ("> {{#holds 1 < 2}}\n> It is.\n", "> It is.\n"),
        ] {
            assert_eq!(filled(text), expected, "{text}");
        }
    }

    #[test]
    fn masks_keep_every_place() {
        let text = "é {{#value 1}} GB/s {{#holds 1 < 2}}x";
        let masked = masked(text, &find(text));
        assert_eq!(masked.len(), text.len());
        assert_eq!(masked.find("GB/s"), text.find("GB/s"));
        assert_eq!(masked.matches(OBJECT).count(), 2);
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_search(text in "([{}#<`|!>\\n é-]|value |holds |typed |1|\\{\\{#){0,40}") {
            let found = find(&text);
            prop_assert!(found.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
            prop_assert_eq!(masked(&text, &found).len(), text.len());
            let _ = filled(&text);
        }
    }
}
