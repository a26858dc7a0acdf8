//! Rewrites what a chapter's Markdown points to, so that it holds in a notebook: other chapters,
//! their headings, pictures. Knows nothing of notebooks' format.

use crate::chapter::{Chapter, Item};
use crate::markdown::markdown_options;
use mdbook_markdown::pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// The folder of the exercises' notebooks, in that of the chapters'.
pub(crate) const EXERCISES: &str = "exercises";

/// Where the chapters of a book are found from the folder of notebooks.
pub(crate) struct Links {
    /// The book's source folder as seen from the notebooks, with forward slashes.
    source: String,
    /// The folder of the chapters' notebooks as seen from those in question: empty, or ends with `/`.
    notebooks: String,
    targets: BTreeMap<PathBuf, Target>,
}

/// A chapter as something to point to.
struct Target {
    /// The notebook's name below the folder of the chapters' notebooks; of a page of exercises, the first one's. A
    /// chapter that is none has none.
    notebook: Option<String>,
    /// The notebooks of the exercises that stand on it, in the same way, by their ids.
    exercises: BTreeMap<String, String>,
    /// mdBook's id of each heading → the heading's text.
    headings: BTreeMap<String, String>,
}

impl Links {
    /// `source` is the book's source folder relative to the notebooks that point to it, `notebooks` the
    /// folder of the chapters' notebooks: empty, or with a `/` at its end.
    pub(crate) fn new(source: &str, notebooks: &str, chapters: &[Chapter]) -> Links {
        let targets = chapters
            .iter()
            .map(|chapter| {
                let exercise = |id: &str| format!("{EXERCISES}/{id}.ipynb");
                let ids = || chapter.exercises().map(|item| item.exercise.id.as_str());
                let own = chapter.is_written().then(|| chapter.notebook_name());
                let target = Target {
                    notebook: own.or_else(|| ids().next().map(exercise)),
                    exercises: ids().map(|id| (id.to_owned(), exercise(id))).collect(),
                    headings: headings(chapter),
                };
                (chapter.path.clone(), target)
            })
            .collect();
        Links {
            source: source.to_owned(),
            notebooks: notebooks.to_owned(),
            targets,
        }
    }

    /// The Markdown of a chapter with its targets rewritten.
    pub(crate) fn rewrite(&self, chapter: &Path, text: &str) -> String {
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        let parser = Parser::new_ext(text, markdown_options());
        for (_, definition) in parser.reference_definitions().iter() {
            self.change(
                chapter,
                text,
                definition.span.clone(),
                &definition.dest,
                &mut changes,
            );
        }
        for (event, range) in parser.into_offset_iter() {
            match event {
                Event::Start(
                    Tag::Link {
                        link_type: LinkType::Inline,
                        dest_url,
                        ..
                    }
                    | Tag::Image {
                        link_type: LinkType::Inline,
                        dest_url,
                        ..
                    },
                ) => self.change(chapter, text, range, &dest_url, &mut changes),
                Event::Start(Tag::HtmlBlock) if is_comment(&text[range.clone()]) => {
                    changes.push((range, String::new()));
                }
                Event::Html(_) | Event::InlineHtml(_) => {
                    self.change_attributes(chapter, text, range, &mut changes);
                }
                Event::Start(Tag::Heading { .. }) => drop_attributes(text, range, &mut changes),
                _ => {}
            }
        }
        changes.sort_by_key(|(range, _)| range.start);
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for (range, new) in changes {
            // A picture inside a link is reported with both.
            if range.start >= end {
                out.push_str(&text[end..range.start]);
                out.push_str(&new);
                end = range.end;
            }
        }
        out.push_str(&text[end..]);
        out
    }

    /// Notes the change of one destination within the source of a link, a picture or a definition.
    fn change(
        &self,
        chapter: &Path,
        text: &str,
        range: Range<usize>,
        dest: &str,
        changes: &mut Vec<(Range<usize>, String)>,
    ) {
        let Some(new) = self.target(chapter, dest) else {
            return;
        };
        // The destination follows the text, which may hold the same words.
        let (opening, link) = (text[range.clone()].rfind("]("), &text[range.clone()]);
        let from = opening.or_else(|| link.find("]:")).map_or(0, |at| at + 2);
        if let Some(at) = link[from..].find(dest) {
            let start = range.start + from + at;
            changes.push((start..start + dest.len(), new));
        }
    }

    /// The same for `src="…"` and `href="…"` in HTML.
    fn change_attributes(
        &self,
        chapter: &Path,
        text: &str,
        range: Range<usize>,
        changes: &mut Vec<(Range<usize>, String)>,
    ) {
        let html = &text[range.clone()];
        for attribute in ["src=\"", "href=\""] {
            for (at, _) in html.match_indices(attribute) {
                let from = at + attribute.len();
                let Some(length) = html[from..].find('"') else {
                    continue;
                };
                if let Some(new) = self.target(chapter, &html[from..from + length]) {
                    let start = range.start + from;
                    changes.push((start..start + length, new));
                }
            }
        }
    }

    /// Where a destination of a chapter is, as seen from its notebook. `None`: as it is written.
    fn target(&self, chapter: &Path, dest: &str) -> Option<String> {
        let elsewhere =
            dest.contains("://") || dest.starts_with("mailto:") || dest.starts_with("data:");
        if elsewhere || dest.starts_with('/') || dest.is_empty() {
            return None;
        }
        let (file, anchor) = dest
            .split_once('#')
            .map_or((dest, None), |(f, a)| (f, Some(a)));
        let path = if file.is_empty() {
            chapter.to_owned()
        } else {
            normal(&chapter.parent().unwrap_or(Path::new("")).join(file))
        };
        let Some(target) = self.targets.get(&path) else {
            return Some(format!("{}/{}", self.source, slashed(&path)) + &fragment(anchor));
        };
        if let Some(exercise) = anchor.and_then(|anchor| target.exercises.get(anchor)) {
            return Some(format!("{}{exercise}", self.notebooks));
        }
        match &target.notebook {
            Some(_) if !target.exercises.is_empty() => {
                let first = target.notebook.as_deref().unwrap_or_default();
                Some(format!("{}{first}", self.notebooks))
            }
            Some(_) if file.is_empty() => Some(target.fragment(anchor)),
            Some(notebook) => Some(format!(
                "{}{notebook}{}",
                self.notebooks,
                target.fragment(anchor)
            )),
            None => Some(format!("{}/{}", self.source, slashed(&path)) + &fragment(anchor)),
        }
    }
}

impl Target {
    /// JupyterLab names a heading by its text with hyphens for spaces.
    fn fragment(&self, anchor: Option<&str>) -> String {
        let heading = anchor.and_then(|anchor| self.headings.get(anchor));
        heading.map_or_else(
            || fragment(anchor),
            |text| format!("#{}", text.replace(' ', "-")),
        )
    }
}

fn fragment(anchor: Option<&str>) -> String {
    anchor
        .map(|anchor| format!("#{anchor}"))
        .unwrap_or_default()
}

/// Takes `{#id .class}` off the end of a heading: only mdBook reads it.
fn drop_attributes(text: &str, range: Range<usize>, changes: &mut Vec<(Range<usize>, String)>) {
    let heading = text[range.clone()].trim_end();
    if heading.ends_with('}')
        && let Some(at) = heading.rfind('{')
        && heading[at + 1..].starts_with(['#', '.'])
    {
        let kept = heading[..at].trim_end().len();
        changes.push((
            range.start + kept..range.start + heading.len(),
            String::new(),
        ));
    }
}

/// A comment is for those who write the book.
fn is_comment(html: &str) -> bool {
    let html = html.trim();
    html.starts_with("<!--") && html.find("-->").is_some_and(|at| at + 3 == html.len())
}

fn headings(chapter: &Chapter) -> BTreeMap<String, String> {
    let mut headings = BTreeMap::new();
    for item in &chapter.items {
        let Item::Prose(prose) = item else { continue };
        let mut current: Option<(Option<String>, String)> = None;
        for event in Parser::new_ext(&prose.text, markdown_options()) {
            match event {
                Event::Start(Tag::Heading { id, .. }) => {
                    current = Some((id.map(|id| id.to_string()), String::new()));
                }
                Event::Text(part) | Event::Code(part) => {
                    if let Some((_, text)) = &mut current {
                        text.push_str(&part);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    if let Some((id, text)) = current.take() {
                        headings.insert(id.unwrap_or_else(|| unique(&text, &headings)), text);
                    }
                }
                _ => {}
            }
        }
    }
    headings
}

/// mdBook numbers an id that is there already.
fn unique(text: &str, taken: &BTreeMap<String, String>) -> String {
    let slug = slug(text);
    let numbered = (1..).map(|number| format!("{slug}-{number}"));
    let mut ids = std::iter::once(slug.clone()).chain(numbered);
    ids.find(|id| !taken.contains_key(id))
        .unwrap_or(slug.clone())
}

/// mdBook's id of a heading.
pub(crate) fn slug(text: &str) -> String {
    text.trim()
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
            c if c.is_whitespace() => Some('-'),
            _ => None,
        })
        .collect()
}

/// A path without `.` and `..`, as far as they can be resolved.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The way from a folder to a file, both below the same folder, with forward slashes.
pub(crate) fn relative(folder: &Path, file: &Path) -> String {
    let (mut from, mut to) = (folder.components().peekable(), file.components().peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    "../".repeat(from.count()) + &slashed(to.collect::<PathBuf>().as_path())
}

fn slashed(path: &Path) -> String {
    path.components()
        .map(|c| c.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}
