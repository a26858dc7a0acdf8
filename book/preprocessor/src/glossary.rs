//! Links each term of the glossary where a chapter first uses it. The terms, their forms and their explanations are the
//! glossary's own page.

use crate::chapter::{Chapter, GLOSSARY as PAGE, Item, Prose};
use crate::error::{Error, Place, Result};
use crate::links::relative;
use crate::markdown::markdown_options;
use mdbook_markdown::pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Links the terms of the glossary in all other chapters, each where a chapter first uses it. `hover` adds the
/// explanation's first sentence to the link. A book without a glossary stays as it is.
///
/// # Errors
///
/// If a word stands for two entries.
pub(crate) fn link(chapters: &mut [Chapter], hover: bool) -> Result<()> {
    let Some(glossary) = chapters
        .iter()
        .find(|chapter| chapter.path == Path::new(PAGE))
    else {
        return Ok(());
    };
    let Some(terms) = Terms::of(glossary)? else {
        return Ok(());
    };
    for chapter in chapters
        .iter_mut()
        .filter(|chapter| chapter.path != Path::new(PAGE))
    {
        let folder = chapter.path.parent().unwrap_or(Path::new("")).to_owned();
        let mut pass = Pass {
            terms: &terms,
            page: relative(&folder, Path::new(PAGE)),
            hover,
            linked: BTreeSet::new(),
        };
        for item in &mut chapter.items {
            if let Item::Prose(prose) = item {
                prose.text = pass.linked_text(&prose.text);
            }
        }
    }
    Ok(())
}

/// An entry of the glossary.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    /// The id of its heading.
    pub(crate) id: String,
    /// What prose calls it.
    pub(crate) forms: Vec<String>,
    /// The explanation's first sentence.
    hover: String,
    line: usize,
}

/// The entries, and a pattern of all their forms.
pub(crate) struct Terms {
    pub(crate) entries: Vec<Entry>,
    /// Form in lower case → the entry's index.
    by_form: BTreeMap<String, usize>,
    pattern: Regex,
}

impl Terms {
    /// Those of a glossary; `None` if it has none.
    pub(crate) fn of(glossary: &Chapter) -> Result<Option<Terms>> {
        let prose = glossary.items.iter().filter_map(|item| match item {
            Item::Prose(prose) => Some(prose),
            _ => None,
        });
        let entries: Vec<Entry> = prose.flat_map(entries).collect();
        let mut by_form = BTreeMap::new();
        for (index, entry) in entries.iter().enumerate() {
            for form in &entry.forms {
                if let Some(other) = by_form.insert(form.to_lowercase(), index)
                    && other != index
                {
                    let place = Place {
                        file: PathBuf::from(&glossary.file),
                        line: entry.line,
                    };
                    let first = &entries[other].id;
                    let problem =
                        format!("`{form}` stands for `{first}` already: give it to one of them");
                    return Err(Error::chapter(place, problem));
                }
            }
        }
        let mut forms: Vec<&str> = entries
            .iter()
            .flat_map(|entry| &entry.forms)
            .map(String::as_str)
            .collect();
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        let forms: Vec<String> = forms.into_iter().map(pattern).collect();
        let pattern = Regex::new(&format!(r"\b(?:{})\b", forms.join("|")));
        Ok(pattern
            .ok()
            .filter(|_| !forms.is_empty())
            .map(|pattern| Terms {
                entries,
                by_form,
                pattern,
            }))
    }

    /// The entries that a text's prose uses, as words or as code, one for each use.
    pub(crate) fn used_in(&self, text: &str) -> Vec<usize> {
        let words = runs(text).into_iter();
        let words = words.flat_map(|run| self.pattern.find_iter(&text[run]));
        let words = words.filter_map(|word| self.entry(word.as_str()));
        let events = Parser::new_ext(text, markdown_options());
        let code = events.filter_map(|event| match event {
            Event::Code(code) => self.entry(&code),
            _ => None,
        });
        words.chain(code).collect()
    }

    /// The entry of a form as it stands in a text, line breaks included.
    fn entry(&self, written: &str) -> Option<usize> {
        let words: Vec<&str> = written.split_whitespace().collect();
        self.by_form.get(&words.join(" ").to_lowercase()).copied()
    }
}

/// A form as a pattern: its first letter of either case, any white space between its words.
fn pattern(form: &str) -> String {
    let words: Vec<String> = form.split_whitespace().map(regex::escape).collect();
    let words = words.join(r"\s+");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) if first.is_alphabetic() => {
            let (lower, upper) = (first.to_lowercase(), first.to_uppercase());
            format!("[{lower}{upper}]{}", letters.as_str())
        }
        _ => words,
    }
}

/// The entries of a glossary's text: its headings with an id, the comments and the first paragraphs behind them.
fn entries(prose: &Prose) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut in_heading, mut in_entry, mut words) = (false, false, String::new());
    for (event, range) in Parser::new_ext(&prose.text, markdown_options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading {
                level: HeadingLevel::H2 | HeadingLevel::H3,
                id,
                ..
            }) => {
                in_entry = id.is_some();
                in_heading = in_entry;
                words.clear();
                if let Some(id) = id {
                    let line = prose.line + prose.text[..range.start].matches('\n').count();
                    entries.push(Entry {
                        id: id.to_string(),
                        line,
                        ..Entry::default()
                    });
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                if let (true, Some(entry)) = (in_heading, entries.last_mut()) {
                    entry.forms.push(words.trim().to_owned());
                }
                in_heading = false;
                words.clear();
            }
            Event::Html(html) | Event::InlineHtml(html) if in_entry => {
                if let Some(entry) = entries.last_mut() {
                    note(entry, &html);
                }
            }
            Event::Text(text) | Event::Code(text) if in_entry => words.push_str(&text),
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            Event::End(TagEnd::Paragraph) if in_entry => {
                if let Some(entry) = entries.last_mut().filter(|entry| entry.hover.is_empty()) {
                    entry.hover = first_sentence(&words);
                }
                words.clear();
            }
            _ => {}
        }
    }
    entries
}

/// Takes in a comment that tells of other forms.
fn note(entry: &mut Entry, comment: &str) {
    let inside = comment
        .trim()
        .strip_prefix("<!--")
        .and_then(|rest| rest.split("-->").next());
    let Some((kind, forms)) = inside.and_then(|inside| inside.trim().split_once(':')) else {
        return;
    };
    if kind == "only" {
        entry.forms.clear();
    }
    if matches!(kind, "only" | "also") {
        let forms = forms.split(',').map(|form| form.trim().to_owned());
        entry.forms.extend(forms.filter(|form| !form.is_empty()));
    }
}

/// The first sentence, fit for a link's title within a table too.
fn first_sentence(text: &str) -> String {
    let text = text.trim();
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end]
        .replace('"', "”")
        .replace('|', "/")
        .replace('\\', "")
}

/// One chapter as its terms are linked.
struct Pass<'a> {
    terms: &'a Terms,
    /// The glossary as seen from the chapter.
    page: String,
    hover: bool,
    /// The entries that are linked already.
    linked: BTreeSet<usize>,
}

impl Pass<'_> {
    /// The text with links to the entries that no text before has used.
    fn linked_text(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for run in runs(text) {
            for found in self.terms.pattern.find_iter(&text[run.clone()]) {
                let Some(index) = self.terms.entry(found.as_str()) else {
                    continue;
                };
                if !self.linked.insert(index) {
                    continue;
                }
                let start = run.start + found.start();
                out.push_str(&text[end..start]);
                out.push_str(&self.link(found.as_str(), &self.terms.entries[index]));
                end = run.start + found.end();
            }
        }
        out.push_str(&text[end..]);
        out
    }

    fn link(&self, words: &str, entry: &Entry) -> String {
        let Entry { id, hover, .. } = entry;
        match self.hover && !hover.is_empty() {
            true => format!("[{words}]({}#{id} \"{hover}\")", self.page),
            false => format!("[{words}]({}#{id})", self.page),
        }
    }
}

/// The pieces of a text that are words of prose: no headings, links, pictures, code, HTML, nor a table's head.
fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    // Within how many things the words are none of ours, and whether the last piece may go on.
    let (mut apart, mut goes_on) = (0usize, false);
    for (event, range) in Parser::new_ext(text, markdown_options()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                goes_on = false;
                apart += usize::from(is_apart(&tag));
            }
            Event::End(tag) => {
                goes_on = false;
                apart -= usize::from(ends_apart(&tag)).min(apart);
            }
            Event::InlineHtml(html) => {
                goes_on = false;
                apart += usize::from(html.starts_with("<a "));
                apart -= usize::from(html.starts_with("</a")).min(apart);
            }
            Event::Text(_) if apart == 0 => match runs.last_mut().filter(|_| goes_on) {
                Some(run) => run.end = range.end,
                None => {
                    runs.push(range);
                    goes_on = true;
                }
            },
            Event::SoftBreak => {}
            _ => goes_on = false,
        }
    }
    runs
}

fn is_apart(tag: &Tag) -> bool {
    matches!(
        tag,
        Tag::Heading { .. }
            | Tag::Link { .. }
            | Tag::Image { .. }
            | Tag::CodeBlock(_)
            | Tag::HtmlBlock
            | Tag::TableHead
    )
}

fn ends_apart(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Heading(_)
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::CodeBlock
            | TagEnd::HtmlBlock
            | TagEnd::TableHead
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Registry;

    const GLOSSARY: &str = "# Glossary\n\n## Hardware\n\nNo entry.\n\n## Sector {#sector}\n<!-- also: sectors -->\n\n\
                            Thirty-two \"bytes\" of `memory`. The unit.\n\n### DRAM row {#row}\n\nA row.\n\n\
                            ## Block {#block}\n<!-- only: thread block -->\nThreads.\n";

    fn chapter(path: &str, text: &str) -> Chapter {
        let registry = Registry::load(Path::new("nowhere")).expect("an empty registry");
        Chapter::parse("A", Path::new(path), Path::new(path), text, &registry).expect("a chapter")
    }

    fn linked(path: &str, text: &str, hover: bool) -> String {
        let mut chapters = [chapter(PAGE, GLOSSARY), chapter(path, text)];
        link(&mut chapters, hover).expect("a glossary");
        let texts = chapters[1].items.iter().map(|item| match item {
            Item::Prose(prose) => prose.text.as_str(),
            _ => "…",
        });
        texts.collect()
    }

    #[test]
    fn the_first_use_alone_is_linked() {
        let text = "# A sector\n\nSome sectors, a sector.\n\n```rust cell\nlet sector = 1;\n```\n\nA DRAM\nrow and a sector.\n";
        assert_eq!(
            linked("a.md", text, false),
            "# A sector\n\nSome [sectors](glossary.md#sector), a sector.\n\n…\nA [DRAM\nrow](glossary.md#row) and a sector.\n"
        );
        assert_eq!(
            linked("part/a.md", "Sector\n", true),
            "[Sector](../glossary.md#sector \"Thirty-two ”bytes” of memory.\")\n"
        );
    }

    #[test]
    fn what_is_no_prose_stays() {
        for text in [
            "[a sector](x.md) `sector` ![sector](y.svg) <a href=\"z\">sector</a>\n",
            "| sector |\n| - |\n| 1 |\n",
            "<summary>sector</summary>\n",
            "sectorial, subsector, hardware, a block\n",
            "```text\nsector\n```\n",
        ] {
            assert_eq!(linked("a.md", text, true), text);
        }
        assert_eq!(
            linked("a.md", "| a |\n| - |\n| sector |\n", false),
            "| a |\n| - |\n| [sector](glossary.md#sector) |\n"
        );
        assert_eq!(
            linked("a.md", "A thread block.", false),
            "A [thread block](glossary.md#block)."
        );
    }

    #[test]
    fn a_word_of_two_entries_is_refused() {
        let text = "## A {#a}\n\nx\n\n## B {#b}\n<!-- also: a -->\ny\n";
        let error = link(&mut [chapter(PAGE, text)], true).expect_err("a word twice");
        assert!(
            error
                .to_string()
                .starts_with("glossary.md:5: `a` stands for `a` already"),
            "{error}"
        );
        assert!(link(&mut [chapter(PAGE, "# Glossary\n")], true).is_ok());
    }
}
