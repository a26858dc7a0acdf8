//! Writes a chapter's page: its Markdown with kernels and exercises placed and each cell's outputs
//! below it. Runs nothing; how the classes look is `book/theme/cornerturn.css`.

use crate::chapter::{Cell, Chapter, ExerciseItem, Item, KernelItem};
use crate::exercise_page;
use crate::listing;
use crate::markdown::push_fence;
use crate::outcome::{CellOutput, CellStatus};
use crate::outputs::{LATER, LATER_END, Shown};
use crate::question_page;
use crate::stored::Found;
use cornerturn_basics::escape_html as escape;
use std::fmt::Write as _;

/// Printed output longer than this is cut on the page, with a note.
const MAX_LINES: usize = 200;
/// The same in bytes: one line can be long too.
const MAX_BYTES: usize = 40_000;

/// What a cell gave, on this machine and elsewhere.
pub(crate) struct CellRuns<'a> {
    /// This machine's device.
    pub(crate) device: &'a str,
    /// What it gave here.
    pub(crate) here: &'a CellOutput,
    /// What it gave elsewhere, with where and when.
    pub(crate) elsewhere: Vec<Found<'a>>,
    /// Whether the first one from elsewhere is what is shown until a reader chooses.
    pub(crate) elsewhere_first: bool,
}

/// Gives what stands in a page for a cell's outputs.
type Place<'a> = dyn Fn(Shown) -> String + 'a;

/// The page of a chapter, as Markdown for mdBook. `runs` has one entry a cell, in order; `place` says what stands for
/// its outputs.
pub(crate) fn markdown(chapter: &Chapter, runs: &[CellRuns], place: &Place<'_>) -> String {
    let mut page = String::new();
    let mut runs = runs.iter();
    let mut number = 0;
    for item in &chapter.items {
        match item {
            Item::Prose(prose) => page.push_str(&prose.text),
            Item::Cell(cell) => {
                number += 1;
                open_cell(&mut page, number, "ct-cell");
                push_cell(&mut page, cell);
                push_runs(&mut page, number, runs.next(), place);
                page.push_str("</div>\n\n");
            }
            Item::Kernel(kernel) => {
                number += 1;
                open_cell(&mut page, number, "ct-cell ct-kernel");
                open_laboratory(&mut page, "kernel", &kernel.kernel.id);
                push_kernel(&mut page, kernel);
                page.push_str("</div>\n\n");
                push_runs(&mut page, number, runs.next(), place);
                page.push_str("</div>\n\n");
            }
            Item::Exercise(item) => {
                number += 1;
                push_exercise(&mut page, number, item, runs.next(), place);
            }
            Item::Overview(item) => page.push_str(&item.text),
            Item::Question(question) => {
                number += 1;
                let printed = runs.next().map_or("", |runs| runs.here.stdout.as_str());
                page.push_str(&question_page::choices(question, printed));
                open_cell(&mut page, number, "ct-cell ct-decides");
                page.push_str(&question_page::decides(question, printed));
                page.push_str("</div>\n\n");
            }
        }
    }
    page
}

/// An exercise: its task, its starter with what is said of it, its hints.
fn push_exercise(
    page: &mut String,
    number: usize,
    item: &ExerciseItem,
    runs: Option<&CellRuns>,
    place: &Place<'_>,
) {
    let exercise = &item.exercise;
    let (id, title) = (&exercise.id, &exercise.title);
    let _ = write!(
        page,
        "\n## {title} {{#{id}}}\n\n<p class=\"ct-exercise\">{} Notebook: <code>notebooks/exercises/{id}.ipynb</code>. \
         Terminal: <code>cargo cornerturn exercise start {id}</code></p>\n\n{}\n\
         <p class=\"ct-file\"><code>{}</code>, as you get it</p>\n\n",
        exercise_page::summary(exercise),
        exercise_page::task(exercise),
        exercise.file_name()
    );
    open_laboratory(page, "exercise", id);
    // The calls of a pipeline have the comments and brackets of C++.
    push_fence(page, "cpp,ct-source", &exercise.starter);
    page.push_str("</div>\n\n");
    open_cell(page, number, "ct-cell");
    push_fence(page, "rust,noplayground,ct-source", &item.check_source());
    push_runs(page, number, runs, place);
    page.push_str("</div>\n\n");
    for (number, hint) in exercise.hints.iter().enumerate() {
        page.push_str(&exercise_page::hint(number + 1, hint));
    }
    page.push('\n');
}

fn open_cell(page: &mut String, number: usize, class: &str) {
    // An HTML block ends at a blank line, so the Markdown between the tags stays Markdown.
    let _ = write!(
        page,
        "\n<div class=\"{class}\" id=\"cell-{number}\" role=\"group\" aria-label=\"Cell {number}\">\n\n"
    );
}

/// Opens the element below which the page's script places its laboratory; without scripts it shows what is in it.
fn open_laboratory(page: &mut String, what: &str, id: &str) {
    let id = escape(id);
    let _ = write!(page, "<div class=\"ct-runnable\" data-{what}=\"{id}\">\n\n");
}

/// A cell's code, behind its summary if it is folded.
fn push_cell(page: &mut String, cell: &Cell) {
    const INFO: &str = "rust,noplayground,ct-source";
    let Some(summary) = &cell.summary else {
        return push_fence(page, INFO, &cell.written);
    };
    let (summary, lines) = (with_code(&escape(summary)), cell.shown_lines().count());
    let _ = write!(
        page,
        "<details class=\"ct-fold\">\n<summary>{summary} <span>({lines} lines)</span></summary>\n\n"
    );
    push_fence(page, INFO, &cell.written);
    page.push_str("</details>\n\n");
}

/// Escaped text in which what stands between backticks is code.
fn with_code(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`')
        && let Some((code, after)) = after.split_once('`')
    {
        let _ = write!(out, "{before}<code>{code}</code>");
        rest = after;
    }
    out + rest
}

fn push_kernel(page: &mut String, item: &KernelItem) {
    const INFO: &str = "cpp,ct-source";
    let kernel = &item.kernel;
    let (file, source) = (escape(&kernel.file), &kernel.source);
    let lines = source.lines().count();
    match listing::shown(source, kernel.entry.as_deref()) {
        listing::Shown::Whole => {
            let _ = write!(page, "<p class=\"ct-file\"><code>{file}</code></p>\n\n");
            push_fence(page, INFO, source);
            return;
        }
        listing::Shown::Core(core) => {
            let (first, last) = (core.start + 1, core.end);
            let _ = write!(
                page,
                "<p class=\"ct-file\"><code>{file}</code>, lines {first} to {last} of {lines}</p>\n\n"
            );
            let core: Vec<&str> = source.lines().skip(core.start).take(core.len()).collect();
            push_fence(page, INFO, &core.join("\n"));
        }
        listing::Shown::Folded => {}
    }
    let _ = write!(
        page,
        "<details class=\"ct-file\">\n<summary><code>{file}</code>, {lines} lines</summary>\n\n"
    );
    push_fence(page, INFO, source);
    page.push_str("</details>\n\n");
}

/// A cell's outputs: what it gave here, and beside it what it gave elsewhere where that differs.
fn push_runs(page: &mut String, number: usize, runs: Option<&CellRuns>, place: &Place<'_>) {
    let Some(runs) = runs else { return };
    let here = outputs(runs.here);
    let mut elsewhere: Vec<(&Found, String)> = Vec::new();
    for found in &runs.elsewhere {
        let parts = outputs(found.output);
        let known = parts == here || elsewhere.iter().any(|(_, known)| *known == parts);
        if !known {
            elsewhere.push((found, parts));
        }
    }
    if !elsewhere.is_empty() {
        page.push_str(&place(choice(number, runs, &here, &elsewhere)));
    } else if !here.is_empty() {
        let shown = format!(
            "<div class=\"ct-outputs\" role=\"group\" aria-label=\"Output of cell {number}\">\n{here}</div>\n"
        );
        page.push_str(&place(Shown {
            page: shown.clone(),
            paper: shown,
        }));
    }
}

/// Several outputs of a cell, of which a reader chooses one by its device. Radio buttons, so that it
/// works without scripts; on paper the one that is shown first.
fn choice(number: usize, runs: &CellRuns, here: &str, elsewhere: &[(&Found, String)]) -> Shown {
    let nothing = "<p class=\"ct-note\">It shows nothing here.</p>\n";
    let here = if here.is_empty() { nothing } else { here };
    let mut choices = vec![(format!("this machine: {}", runs.device), here.to_owned())];
    for (found, parts) in elsewhere {
        let name = format!("{}, {}", found.made.device, found.made.date);
        let made = escape(&found.made.to_string());
        let since = match found.is_of_this_library {
            true => "",
            false => "; the library has changed since",
        };
        // One value of a chapter may stand here and, from its record, in the text.
        let times = match parts.contains("ct-bandwidth") {
            true => {
                ". Its times are of that one run; those in the text are from the record of the kernel"
            }
            false => "",
        };
        let note = format!("<p class=\"ct-note\">Recorded on {made}{since}{times}</p>\n");
        choices.push((name, format!("{parts}{note}")));
    }
    let mut shown = Shown::default();
    let _ = writeln!(
        shown.page,
        "<div class=\"ct-runs\" role=\"radiogroup\" aria-label=\"Output of cell {number}\">"
    );
    for (choice, (name, parts)) in choices.iter().enumerate() {
        let id = format!("ct-run-{number}-{choice}");
        let first = choice == usize::from(runs.elsewhere_first);
        let checked = if first { " checked" } else { "" };
        if first {
            let name = escape(name);
            let _ = write!(
                shown.paper,
                "<div class=\"ct-outputs\">\n<p class=\"ct-note\">{name}</p>\n{parts}</div>\n"
            );
        }
        let parts = match first {
            true => parts.clone(),
            false => format!("{LATER}{parts}{LATER_END}\n"),
        };
        let _ = write!(
            shown.page,
            "<input type=\"radio\" name=\"ct-run-{number}\" id=\"{id}\" autocomplete=\"off\"{checked}>\n\
             <label for=\"{id}\">{}</label>\n<div class=\"ct-outputs\">\n{parts}</div>\n",
            escape(name)
        );
    }
    shown.page.push_str("</div>\n");
    shown
}

/// What a cell gave, as HTML; empty if there is nothing to show.
fn outputs(output: &CellOutput) -> String {
    let mut parts = String::new();
    let printed = if has_columns(&output.stdout) {
        "ct-output ct-columns"
    } else {
        "ct-output"
    };
    push_text(&mut parts, printed, &output.stdout);
    push_display(&mut parts, output);
    let failure = match &output.status {
        CellStatus::Ok => None,
        CellStatus::Compile { message, .. } => Some(message.clone()),
        CellStatus::Crash { message } => Some(format!("{}{message}", output.stderr)),
        CellStatus::Session { message } => Some(message.clone()),
        CellStatus::Panic | CellStatus::Err => Some(output.stderr.clone()),
    };
    match failure {
        Some(text) => push_text(&mut parts, "ct-output ct-error", &text),
        None => push_text(&mut parts, "ct-output ct-stderr", &output.stderr),
    }
    parts
}

/// Whether a text has columns, which lie under each other only where no line is broken: two of its lines have several
/// spaces within.
fn has_columns(text: &str) -> bool {
    let is_spaced = |line: &&str| line.trim().contains("  ");
    text.lines().filter(is_spaced).nth(1).is_some()
}

fn push_display(parts: &mut String, output: &CellOutput) {
    match output.richest() {
        Some(("text/html", html)) => push_figure(parts, "ct-html", html),
        Some(("image/svg+xml", svg)) => push_figure(parts, "ct-svg", svg_element(svg)),
        Some(("image/png", png)) => {
            let data: String = png.split_whitespace().collect();
            let data = escape(&data);
            let image = format!("<img alt=\"Figure\" src=\"data:image/png;base64,{data}\">\n");
            push_figure(parts, "ct-svg", &image);
        }
        Some((_, text)) => push_text(parts, "ct-output", text),
        None => {}
    }
}

fn push_figure(parts: &mut String, class: &str, html: &str) {
    let html = without_blank_lines(html);
    let _ = writeln!(parts, "<div class=\"{class}\">\n{html}</div>");
}

/// An SVG document without what comes before its root element.
fn svg_element(svg: &str) -> &str {
    svg.find("<svg").map_or(svg, |at| &svg[at..])
}

/// Text as a block of its own, on one source line so that its blank lines do not end the HTML.
fn push_text(parts: &mut String, class: &str, text: &str) {
    let text = text.trim_end();
    if text.is_empty() {
        return;
    }
    let (shown, cut) = clip(text);
    let shown = escape(shown).replace('\r', "").replace('\n', "&#10;");
    // Scrolls inside its own box; a keyboard can only scroll what it can focus.
    let _ = writeln!(parts, "<pre class=\"{class}\" tabindex=\"0\">{shown}</pre>");
    if cut > 0 {
        let lines = if cut == 1 { "line" } else { "lines" };
        let _ = writeln!(
            parts,
            "<p class=\"ct-note\">… {cut} more {lines}, not shown here</p>"
        );
    }
}

/// The beginning of a text that is not too long to show, and how many lines are left out.
fn clip(text: &str) -> (&str, usize) {
    let mut end = text.len();
    if let Some((at, _)) = text.match_indices('\n').nth(MAX_LINES - 1) {
        end = at;
    }
    if end > MAX_BYTES {
        end = MAX_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
    }
    let rest = &text[end..];
    (
        &text[..end],
        if rest.is_empty() {
            0
        } else {
            rest.lines().filter(|l| !l.is_empty()).count()
        },
    )
}

/// HTML with no blank line, since one would end the block that holds it. Inside `<pre>` a blank
/// line means something, and is kept as a character reference.
fn without_blank_lines(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut in_pre = false;
    for line in html.lines() {
        if line.trim().is_empty() {
            if in_pre {
                out.push_str("&#10;");
            }
        } else {
            out.push_str(line);
            out.push('\n');
            let opened = line.rfind("<pre");
            let closed = line.rfind("</pre");
            in_pre = match (opened, closed) {
                (None, None) => in_pre,
                (opened, closed) => opened > closed,
            };
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_keeps_blank_lines_only_inside_pre() {
        let html = "<div>\n\n<pre>a\n\nb</pre>\n   \n<p>c</p>\n</div>";
        assert_eq!(
            without_blank_lines(html),
            "<div>\n<pre>a\n&#10;b</pre>\n<p>c</p>\n</div>\n"
        );
    }

    #[test]
    fn code_in_a_summary_is_marked_as_code() {
        assert_eq!(
            with_code("The `a&lt;b` and `c`."),
            "The <code>a&lt;b</code> and <code>c</code>."
        );
        assert_eq!(with_code("one ` alone"), "one ` alone");
    }

    #[test]
    fn long_output_is_cut_at_a_line_and_counted() {
        let text: Vec<String> = (0..MAX_LINES + 7).map(|n| n.to_string()).collect();
        let (shown, cut) = clip(&text.join("\n")).to_owned_pair();
        assert_eq!((shown.lines().count(), cut), (MAX_LINES, 7));
        assert_eq!(clip("one\ntwo"), ("one\ntwo", 0));
        let wide = "é".repeat(MAX_BYTES);
        assert_eq!(clip(&wide).1, 1);
    }

    trait OwnedPair {
        fn to_owned_pair(self) -> (String, usize);
    }
    impl OwnedPair for (&str, usize) {
        fn to_owned_pair(self) -> (String, usize) {
            (self.0.to_owned(), self.1)
        }
    }

    #[test]
    fn printed_text_becomes_one_line_of_html() {
        let mut parts = String::new();
        assert!(has_columns("a   b\n1   2\n") && !has_columns("  a\n  b\nc  d\n"));
        push_text(&mut parts, "ct-output", "a < b\n\n&c\n");
        assert_eq!(
            parts,
            "<pre class=\"ct-output\" tabindex=\"0\">a &lt; b&#10;&#10;&amp;c</pre>\n"
        );
    }
}
