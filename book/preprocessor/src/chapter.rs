//! The one model of a chapter: prose, cells and kernels in order, with their lines. The page, the
//! session and the notebook are derived from it; none of them is made here.

use crate::error::{Error, Place, Result};
use crate::kernels::{Kernel, Registry};
use mdbook_markdown::pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A chapter, taken apart.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// The text of the first heading of level 1, else the name in SUMMARY.md.
    pub title: String,
    /// Its number in the table of contents, two digits a level; empty for a preface and the like.
    pub number: String,
    /// The file, relative to the book's source folder.
    pub path: PathBuf,
    /// The file, relative to the project's root, for messages.
    pub file: PathBuf,
    /// Everything in the chapter, in order.
    pub items: Vec<Item>,
}

/// A piece of a chapter.
#[derive(Clone, Debug)]
pub enum Item {
    /// Markdown as it stands.
    Prose(Prose),
    /// A fenced block that runs.
    Cell(Cell),
    /// A kernel, placed by `{{#kernel ID}}`.
    Kernel(KernelItem),
}

/// Markdown between cells.
#[derive(Clone, Debug)]
pub struct Prose {
    /// The text, whole lines.
    pub text: String,
    /// Its first line in the file, from 1.
    pub line: usize,
}

/// A fenced block that runs.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The block's lines as written, hidden ones with their `# `.
    pub written: String,
    /// The line of the file that holds the block's first line of code, from 1.
    pub line: usize,
    /// Whether it must fail.
    pub expects_error: bool,
}

/// A kernel in a chapter.
#[derive(Clone, Debug)]
pub struct KernelItem {
    /// The kernel.
    pub kernel: Kernel,
    /// The directive's line, from 1.
    pub line: usize,
}

impl Cell {
    /// The code to run: as written, with the prefixes of hidden lines taken away by mdBook's rule
    /// (`# x` and a lone `#` are hidden, `##` is an escaped `#`).
    pub fn source(&self) -> String {
        let mut source = String::with_capacity(self.written.len());
        for line in self.written.lines() {
            let indent = line.len() - line.trim_start().len();
            let (space, rest) = line.split_at(indent);
            match rest.strip_prefix('#') {
                Some("") => source.push_str(space),
                Some(hidden) if hidden.starts_with(' ') => {
                    source.push_str(space);
                    source.push_str(&hidden[1..]);
                }
                Some(escaped) if escaped.starts_with('#') => {
                    source.push_str(space);
                    source.push_str(escaped);
                }
                _ => source.push_str(line),
            }
            source.push('\n');
        }
        source
    }
}

impl KernelItem {
    /// The cell that compiles this kernel: `let ID = Kernel::cuda(r#"…"#)?;`, with the file's
    /// source to the last byte, so that unedited source is recognised by its hash. Where the file
    /// holds several functions, `Kernel::cuda_entry` names the one.
    pub fn source(&self) -> String {
        let text = &self.kernel.source;
        let mut hashes = String::from("#");
        while text.contains(&format!("\"{hashes}")) {
            hashes.push('#');
        }
        let id = &self.kernel.id;
        match &self.kernel.entry {
            None => format!("let {id} = Kernel::cuda(r{hashes}\"{text}\"{hashes})?;\n"),
            Some(entry) => format!(
                "let {id} = Kernel::cuda_entry(r{hashes}\"{text}\"{hashes}, \"{entry}\")?;\n"
            ),
        }
    }
}

/// A cell of the session, whichever item it came from.
#[derive(Clone, Debug)]
pub struct Runnable {
    /// Its number in the chapter, from 1.
    pub number: usize,
    /// The code to run.
    pub source: String,
    /// The line of the file that holds its first line, from 1.
    pub line: usize,
    /// Whether the file's lines follow the code's: not so for a kernel.
    pub lines_match: bool,
    /// Whether it must fail.
    pub expects_error: bool,
    /// The id of the kernel that it compiles, if it was placed.
    pub kernel: Option<String>,
}

impl Chapter {
    /// Takes a chapter apart. `name` is its name in SUMMARY.md, `path` its file relative to the
    /// book's source folder, `file` the same relative to the project's root.
    pub fn parse(
        name: &str,
        path: &Path,
        file: &Path,
        text: &str,
        registry: &Registry,
    ) -> Result<Chapter> {
        let splitter = Splitter {
            text,
            file,
            registry,
        };
        let blocks = splitter.blocks()?;
        let mut items = Vec::new();
        let mut end = 0;
        for (range, item) in blocks {
            splitter.push_prose(&mut items, end..range.start)?;
            items.push(item);
            end = range.end;
        }
        splitter.push_prose(&mut items, end..text.len())?;
        Ok(Chapter {
            title: first_heading(text).unwrap_or_else(|| name.to_owned()),
            number: String::new(),
            path: path.to_owned(),
            file: file.to_owned(),
            items,
        })
    }

    /// The cells of the chapter's session, kernels included, in order.
    pub fn runnables(&self) -> Vec<Runnable> {
        let mut runnables = Vec::new();
        for item in &self.items {
            let number = runnables.len() + 1;
            match item {
                Item::Prose(_) => {}
                Item::Cell(cell) => runnables.push(Runnable {
                    number,
                    source: cell.source(),
                    line: cell.line,
                    lines_match: true,
                    expects_error: cell.expects_error,
                    kernel: None,
                }),
                Item::Kernel(item) => runnables.push(Runnable {
                    number,
                    source: item.source(),
                    line: item.line,
                    lines_match: false,
                    expects_error: false,
                    kernel: Some(item.kernel.id.clone()),
                }),
            }
        }
        runnables
    }

    /// The name of the chapter's notebook: the number before the name of its file, so that a folder
    /// lists the notebooks in the book's order. A file that has a number already keeps its name.
    pub fn notebook_name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        if stem.starts_with(|c: char| c.is_ascii_digit()) {
            return format!("{stem}.ipynb");
        }
        let number = if self.number.is_empty() {
            "00"
        } else {
            &self.number
        };
        format!("{number}-{stem}.ipynb")
    }

    /// Whether the chapter has anything to run, and so is a notebook too.
    pub fn has_cells(&self) -> bool {
        self.items
            .iter()
            .any(|item| !matches!(item, Item::Prose(_)))
    }
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

fn first_heading(text: &str) -> Option<String> {
    let mut title = None;
    for event in Parser::new_ext(text, markdown_options()) {
        match (event, &mut title) {
            (Event::Start(Tag::Heading { level, .. }), None) if level as usize == 1 => {
                title = Some(String::new());
            }
            (Event::Text(part) | Event::Code(part), Some(title)) => title.push_str(&part),
            (Event::End(TagEnd::Heading(_)), Some(_)) => return title,
            _ => {}
        }
    }
    None
}

/// Finds the blocks of one chapter that are not prose.
struct Splitter<'a> {
    text: &'a str,
    file: &'a Path,
    registry: &'a Registry,
}

impl Splitter<'_> {
    fn place(&self, offset: usize) -> Place {
        let line = 1 + self.text[..offset].matches('\n').count();
        Place {
            file: self.file.to_owned(),
            line,
        }
    }

    fn blocks(&self) -> Result<Vec<(Range<usize>, Item)>> {
        let mut blocks = Vec::new();
        // How deep in lists, quotes and the like the parser is: cells stand on the outermost level.
        let mut depth = 0usize;
        for (event, range) in Parser::new_ext(self.text, markdown_options()).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    if is_cell(&info) {
                        if depth > 0 {
                            let problem = "a cell cannot stand inside a list, a quotation or a note: move it out";
                            return Err(Error::chapter(self.place(range.start), problem));
                        }
                        let cell = self.cell(&info, &range)?;
                        blocks.push((self.whole_lines(range), Item::Cell(cell)));
                    } else {
                        self.check_closed(&range)?;
                    }
                    depth += 1;
                }
                Event::Start(Tag::Paragraph) if depth == 0 => {
                    if let Some(kernel) = self.kernel(&range)? {
                        blocks.push((self.whole_lines(range), Item::Kernel(kernel)));
                    }
                    depth += 1;
                }
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Ok(blocks)
    }

    /// The range widened to whole lines, the last newline included.
    fn whole_lines(&self, range: Range<usize>) -> Range<usize> {
        let start = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let trimmed = self.text[..range.end]
            .trim_end_matches(['\n', '\r'])
            .len()
            .max(range.start);
        let end = self.text[trimmed..]
            .find('\n')
            .map_or(self.text.len(), |at| trimmed + at + 1);
        start..end
    }

    /// A fence that the author forgot to close swallows the rest of the chapter without a word.
    fn check_closed(&self, range: &Range<usize>) -> Result<()> {
        let block = self.text[range.clone()].trim_end();
        let opening = block.lines().next().unwrap_or_default();
        let fence: String = opening
            .chars()
            .take_while(|c| opening.starts_with(*c) && matches!(c, '`' | '~'))
            .collect();
        let last = block.lines().last().unwrap_or_default();
        let last = last.trim_start_matches(['>', ' ']);
        let closed = block.lines().count() > 1
            && last.starts_with(&fence)
            && last
                .trim_matches(fence.chars().next().unwrap_or('`'))
                .trim()
                .is_empty();
        if closed {
            Ok(())
        } else {
            let problem =
                format!("this fence is never closed: end the block with a line `{fence}`");
            Err(Error::chapter(self.place(range.start), problem))
        }
    }

    fn cell(&self, info: &str, range: &Range<usize>) -> Result<Cell> {
        self.check_closed(range)?;
        let mut expects_error = false;
        for flag in info
            .split([' ', '\t', ','])
            .filter(|word| !word.is_empty())
            .skip(2)
        {
            match flag {
                "error" => expects_error = true,
                other => {
                    let problem = format!("a cell has no mark `{other}`; it has only `error`");
                    return Err(Error::chapter(self.place(range.start), problem));
                }
            }
        }
        let block = self.text[self.whole_lines(range.clone())].trim_end();
        let mut lines: Vec<&str> = block.lines().skip(1).collect();
        lines.pop();
        let mut written = lines.join("\n");
        if written.trim().is_empty() {
            return Err(Error::chapter(
                self.place(range.start),
                "this cell is empty",
            ));
        }
        written.push('\n');
        let line = self.place(range.start).line + 1;
        Ok(Cell {
            written,
            line,
            expects_error,
        })
    }

    /// The kernel that a paragraph places, if it is a directive.
    fn kernel(&self, range: &Range<usize>) -> Result<Option<KernelItem>> {
        let paragraph = self.text[range.clone()].trim();
        let Some(rest) = paragraph.strip_prefix("{{#kernel") else {
            return Ok(None);
        };
        let place = self.place(range.start);
        let id = rest
            .strip_suffix("}}")
            .map(str::trim)
            .filter(|id| is_identifier(id));
        let Some(id) = id else {
            let problem = "write `{{#kernel ID}}` alone in its paragraph, with one kernel's id";
            return Err(Error::chapter(place, problem));
        };
        let line = place.line;
        let kernel = self.registry.kernel(id, place)?;
        Ok(Some(KernelItem { kernel, line }))
    }

    /// Adds the prose in a range, if there is any, after looking for directives that would be lost.
    fn push_prose(&self, items: &mut Vec<Item>, range: Range<usize>) -> Result<()> {
        let text = &self.text[range.clone()];
        if text.trim().is_empty() {
            return Ok(());
        }
        for (at, _) in text.match_indices("{{#kernel") {
            let before = &text[..at];
            let in_code = before.ends_with('\\')
                || before[before.rfind('\n').map_or(0, |n| n + 1)..].contains('`');
            if !in_code {
                let problem =
                    "`{{#kernel ID}}` must stand alone in its paragraph, on the outermost level";
                return Err(Error::chapter(self.place(range.start + at), problem));
            }
        }
        let line = self.place(range.start).line;
        items.push(Item::Prose(Prose {
            text: text.to_owned(),
            line,
        }));
        Ok(())
    }
}

/// Whether a fence's info string marks a cell: `rust cell`, with marks behind it.
fn is_cell(info: &str) -> bool {
    let mut words = info.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    words.next() == Some("rust") && words.next() == Some("cell")
}

fn is_identifier(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
