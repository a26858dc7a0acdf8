//! The Markdown of the chapters: its dialect, a piece of it, and its words without marks. What is read with it is the other
//! files'.

use mdbook_markdown::pulldown_cmark::{Event, Options, Parser, html};

/// A piece of a chapter's Markdown.
#[derive(Clone, Debug)]
pub struct Prose {
    /// The text, whole lines.
    pub text: String,
    /// Its first line in the file, from 1.
    pub line: usize,
}

/// The Markdown dialect of mdBook's pages, without what changes characters.
pub(crate) fn markdown_options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM
}

/// The words of a piece without links and emphasis, code between backticks, in one line.
pub(crate) fn plain(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for event in Parser::new_ext(text, markdown_options()) {
        match event {
            Event::Text(part) => words.push_str(&part),
            Event::Code(code) => words.extend(["`", &code, "`"]),
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            _ => {}
        }
    }
    words
}

/// A fence long enough for any text.
pub(crate) fn push_fence(page: &mut String, info: &str, text: &str) {
    let mut fence = String::from("```");
    while text.contains(&fence) {
        fence.push('`');
    }
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    page.extend([&fence, info, "\n", text, newline, &fence, "\n\n"]);
}

/// A few words as HTML that stands within a line.
pub(crate) fn inline_html(text: &str) -> String {
    let mut out = String::new();
    html::push_html(&mut out, Parser::new_ext(text.trim(), markdown_options()));
    let line = out.trim();
    let line = line.strip_prefix("<p>").unwrap_or(line);
    line.strip_suffix("</p>").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_their_marks_and_keep_their_code() {
        let text = "A [*link*](a.md) to `x < 1`,\nand **on**.\n";
        assert_eq!(plain(text), "A link to `x < 1`, and on.");
        assert_eq!(
            inline_html("`x < 1` of *all*\n"),
            "<code>x &lt; 1</code> of <em>all</em>"
        );
    }
}
