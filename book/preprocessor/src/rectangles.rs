//! Makes pictures lighter that are drawn of thousands of rectangles: those of one colour that stand behind each other and do not overlap become one path. What a picture shows stays what it was.

use std::collections::BTreeMap;
use std::fmt::Write as _;

const RECT: &str = "<rect x=\"";
/// A run of fewer stays as it is.
const LEAST: usize = 32;

/// The page with its runs of rectangles as paths.
pub(crate) fn joined(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(RECT) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let run = Run::at(rest);
        let (text, after) = rest.split_at(run.bytes.max(RECT.len()));
        match run.rects.len() >= LEAST && run.can_be_joined() {
            true => run.push(&mut out),
            false => out.push_str(text),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Rectangles that stand behind each other, and the words between them.
#[derive(Default)]
struct Run<'h> {
    rects: Vec<Rect<'h>>,
    words: Vec<Words<'h>>,
    /// What the run takes of the page.
    bytes: usize,
}

/// Words, and where they stand.
struct Words<'h> {
    element: &'h str,
    at: [i64; 2],
    /// How many rectangles stand before them.
    behind: usize,
}

/// A rectangle, its place in thousandths of what the picture counts in, so that comparing is exact.
struct Rect<'h> {
    /// Left, top, width and height as they are written, and as numbers.
    words: [&'h str; 4],
    place: [i64; 4],
    /// Opacity, colour and the like.
    rest: &'h str,
}

impl<'h> Run<'h> {
    /// The run at the beginning of a text.
    fn at(text: &'h str) -> Self {
        let mut run = Self::default();
        let mut rest = text;
        loop {
            if let Some((rect, after)) = rectangle(rest) {
                run.rects.push(rect);
                rest = after;
            } else if let Some((element, at, after)) = words(rest) {
                let behind = run.rects.len();
                run.words.push(Words {
                    element,
                    at,
                    behind,
                });
                rest = after;
            } else {
                return run;
            }
            run.bytes = text.len() - rest.len();
            rest = rest.trim_start();
        }
    }

    /// Whether it shows the same whatever comes first: no two rectangles overlap, and none lies over words before it.
    fn can_be_joined(&self) -> bool {
        let covers = |rect: &Rect, [x, y]: [i64; 2]| {
            let [left, top, width, height] = rect.place;
            (left..left + width).contains(&x) && (top..top + height).contains(&y)
        };
        let hides = |words: &Words| {
            let mut later = self.rects[words.behind..].iter();
            later.any(|rect| covers(rect, words.at))
        };
        !overlap(&self.rects) && !self.words.iter().any(hides)
    }

    fn push(&self, out: &mut String) {
        let mut paths: BTreeMap<&str, String> = BTreeMap::new();
        for rect in &self.rects {
            let [x, y, width, height] = rect.words;
            let path = paths.entry(rect.rest).or_default();
            let _ = write!(path, "M{x} {y}h{width}v{height}h-{width}z");
        }
        for (style, path) in paths {
            let _ = writeln!(out, "<path d=\"{path}\"{style}/>");
        }
        for words in &self.words {
            out.extend([words.element, "\n"]);
        }
    }
}

/// Words without markup, and where they stand.
fn words(text: &str) -> Option<(&str, [i64; 2], &str)> {
    let (head, _) = text.strip_prefix("<text ")?.split_once('>')?;
    let end = text.find(WORDS_END)? + WORDS_END.len();
    let (element, after) = text.split_at(end);
    let number = |name: &str| {
        let (_, rest) = head.split_once(name)?;
        thousandths(rest.split_once('"')?.0)
    };
    let at = [number("x=\"")?, number("y=\"")?];
    (element.matches('<').count() == 2).then_some((element, at, after))
}

const WORDS_END: &str = "</text>";

/// One that has nothing but its place and its colour.
fn rectangle(text: &str) -> Option<(Rect<'_>, &str)> {
    let mut rest = text.strip_prefix("<rect")?;
    let mut words = [""; 4];
    for (word, name) in words
        .iter_mut()
        .zip([" x=\"", " y=\"", " width=\"", " height=\""])
    {
        (*word, rest) = rest.strip_prefix(name)?.split_once('"')?;
    }
    let (style, after) = rest.split_once("/>")?;
    let is_plain = style.contains(" fill=\"") && !style.contains(['<', '>']);
    let attributes = style.matches('=').count();
    let is_simple =
        is_plain && (attributes == 1 || attributes == 2 && style.contains(" opacity=\""));
    let mut place = [0; 4];
    for (number, word) in place.iter_mut().zip(words) {
        *number = thousandths(word)?;
    }
    let rect = Rect {
        words,
        place,
        rest: style,
    };
    is_simple.then_some((rect, after))
}

fn thousandths(word: &str) -> Option<i64> {
    let number: f64 = word.parse().ok()?;
    (number.abs() < 1e9).then_some((number * 1000.0).round() as i64)
}

/// Whether any two have a common point inside.
fn overlap(run: &[Rect]) -> bool {
    let mut sorted: Vec<&[i64; 4]> = run.iter().map(|rect| &rect.place).collect();
    sorted.sort_by_key(|place| place[1]);
    sorted
        .iter()
        .enumerate()
        .any(|(at, [x, y, width, height])| {
            let below = sorted[at + 1..]
                .iter()
                .take_while(|other| other[1] < y + height);
            let mut beside = below.filter(|other| other[0] < x + width && *x < other[0] + other[2]);
            beside.next().is_some()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x: usize, y: usize, fill: &str) -> String {
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"9\" height=\"8\" opacity=\"0.5\" fill=\"{fill}\"/>\n"
        )
    }

    #[test]
    fn a_field_of_rectangles_becomes_a_path_a_colour() {
        let colour = |at: usize| ["#f00", "#00f"][at % 2];
        let cell = |at: usize| rect(10 * (at % 7), 9 * (at / 7), colour(at));
        let field: String = (0..70).map(cell).collect();
        let words = "<text x=\"1\" y=\"2\">a</text>";
        let last = rect(1, 2, "#f00");
        let joined = joined(&format!("<svg>{field}{words}<line/>{last}</svg>"));
        assert_eq!(joined.matches("<path").count(), 2, "{joined}");
        assert_eq!(joined.matches("h9v8h-9z").count(), 70);
        assert!(
            joined.ends_with(&format!("{words}\n<line/>{last}</svg>")),
            "{joined}"
        );
    }

    #[test]
    fn what_overlaps_or_is_more_than_a_rectangle_stays() {
        let each = |part: &dyn Fn(usize) -> String| (0..40).map(part).collect::<String>();
        let field = each(&|at| rect(8 * at, 0, "#f00"));
        assert_eq!(joined(&field), field);
        let titled = rect(0, 0, "#f00").replace("/>", "><title>a</title></rect>");
        let titled = titled.repeat(40);
        assert_eq!(joined(&titled), titled);
        let stroked = each(&|at| rect(10 * at, 0, "none\" stroke=\"#f00"));
        assert_eq!(joined(&stroked), stroked);
        // Each over the words of the one before.
        let word = |at: usize| format!("<text x=\"{}\" y=\"5\">a</text>", 10 * at + 12);
        let worded = each(&|at| rect(10 * at, 0, "#f00") + &word(at));
        assert_eq!(joined(&worded), worded);
        let apart = worded.replace("y=\"5\"", "y=\"50\"");
        assert_eq!(joined(&apart).matches("<path").count(), 1);
    }
}
