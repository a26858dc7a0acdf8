//! What cells gave, kept aside while mdBook works: it sees a mark in the place of each, so that its index of words has none of them, and they are placed when the pages are written. On the page that is printed they stand in a form for paper.

use std::borrow::Cow;

const MARK: &str = "<!--ct-output ";
const END: &str = "-->";

/// A figure's form for narrow screens, which paper is not.
const NARROW: &str = "<div class=\"ct-narrow\" hidden>";
const NARROW_END: &str = "</svg>\n</div>\n";

/// What stands here is elements where there are no scripts; where there are, it is a text until the page's script
/// `later.js` makes elements of it, when somebody wants to see them: a page of many figures is quick then.
pub(crate) const LATER: &str = "<noscript class=\"ct-later\">";
pub(crate) const LATER_END: &str = "</noscript>";

/// One cell's outputs, as HTML.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    /// On the chapter's page.
    pub(crate) page: String,
    /// On paper, where nothing can be chosen.
    pub(crate) paper: String,
}

/// The outputs of a book, in the order in which they were put.
#[derive(Debug, Default)]
pub(crate) struct Outputs(Vec<Shown>);

impl Outputs {
    /// Keeps one and gives its mark.
    pub(crate) fn put(&mut self, shown: Shown) -> String {
        self.0.push(shown);
        format!("{MARK}{}{END}\n", self.0.len() - 1)
    }

    /// A page with the outputs in the place of their marks.
    pub(crate) fn placed<'a>(&self, html: &'a str, on_paper: bool) -> Cow<'a, str> {
        if !html.contains(MARK) {
            return Cow::Borrowed(html);
        }
        let mut pieces = html.split(MARK);
        let mut out = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (number, rest) = piece.split_once(END).unwrap_or((piece, ""));
            let shown = number.parse().ok().and_then(|at: usize| self.0.get(at));
            match shown {
                Some(shown) if on_paper => out.push_str(&without_narrow(&shown.paper)),
                Some(shown) => out.push_str(&with_narrow_later(&shown.page)),
                // Somebody else's comment.
                None => out.extend([MARK, number, END]),
            }
            out.push_str(rest);
        }
        Cow::Owned(out)
    }
}

/// With the forms for narrow screens made later; one does not lie within another.
fn with_narrow_later(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    for (at, part) in html.split(LATER).enumerate() {
        let (inside, outside) = match at {
            0 => ("", part),
            _ => part.split_once(LATER_END).unwrap_or((part, "")),
        };
        if at > 0 {
            out.extend([LATER, inside, LATER_END]);
        }
        let mut pieces = outside.split(NARROW);
        out.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let (figure, rest) = piece.split_once(NARROW_END).unwrap_or((piece, ""));
            out.extend([
                NARROW, LATER, figure, "</svg>\n", LATER_END, "</div>\n", rest,
            ]);
        }
    }
    out
}

fn without_narrow(html: &str) -> String {
    let mut pieces = html.split(NARROW);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push_str(piece.split_once(NARROW_END).map_or(piece, |(_, rest)| rest));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_stand_where_their_marks_were() {
        let mut outputs = Outputs::default();
        let figure = format!("<svg>wide</svg>\n{NARROW}\n<svg>narrow{NARROW_END}<p>caption</p>");
        let shown = |text: &str| Shown {
            page: format!("{text} page"),
            paper: format!("{text} paper {figure}"),
        };
        let marks = [outputs.put(shown("a")), outputs.put(shown("b"))];
        let html = format!("<p>{}</p>{}<!--ct-output x-->", marks[1], marks[0]);
        let page = outputs.placed(&html, false);
        assert_eq!(page, "<p>b page\n</p>a page\n<!--ct-output x-->");
        let paper = outputs.placed(&html, true);
        assert!(
            paper.contains("b paper <svg>wide</svg>\n<p>caption</p>"),
            "{paper}"
        );
        assert!(!paper.contains("narrow"), "{paper}");
        assert_eq!(outputs.placed("<p>none</p>", false), "<p>none</p>");
    }

    #[test]
    fn what_is_not_seen_at_first_is_made_later_and_once() {
        let narrow = format!("{NARROW}\n<svg>narrow{NARROW_END}");
        let html =
            format!("<svg>a</svg>{narrow}<p>b</p>{LATER}<svg>c</svg>{narrow}{LATER_END}<p>d</p>");
        let later = with_narrow_later(&html);
        let expected = format!("{NARROW}{LATER}\n<svg>narrow</svg>\n{LATER_END}</div>\n<p>b</p>");
        assert!(later.contains(&expected), "{later}");
        let other = format!("{LATER}<svg>c</svg>{narrow}{LATER_END}<p>d</p>");
        assert!(later.ends_with(&other), "{later}");
    }
}
