//! Takes a chapter's Markdown apart: finds the cells and directives among the prose, and refuses what
//! is not written as it must be. What the pieces are is `chapter`'s.

use crate::chapter::{
    Cell, Chapter, ExerciseItem, Item, KernelItem, Overview, OverviewItem, Prose, QuestionItem,
};
use crate::error::{Error, Place, Result};
use crate::kernels::Registry;
use crate::markdown::markdown_options;
use crate::question;
use mdbook_markdown::pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use std::ops::Range;
use std::path::Path;

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
        Ok(Chapter {
            title: first_heading(text).unwrap_or_else(|| name.to_owned()),
            number: String::new(),
            path: path.to_owned(),
            file: file.to_owned(),
            is_namesake: false,
            items: items(text, file, registry)?,
        })
    }
}

/// The text of the first heading of level 1.
pub(crate) fn first_heading(text: &str) -> Option<String> {
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

/// Everything in a chapter's text, in order. `file` is its file relative to the project's root.
fn items(text: &str, file: &Path, registry: &Registry) -> Result<Vec<Item>> {
    let splitter = Splitter {
        text,
        file,
        registry,
    };
    let mut items = Vec::new();
    let mut end = 0;
    for (range, item) in splitter.blocks()? {
        splitter.push_prose(&mut items, end..range.start)?;
        items.push(item);
        end = range.end;
    }
    splitter.push_prose(&mut items, end..text.len())?;
    Ok(items)
}

const KERNEL: &str = "{{#kernel ID}}";
const EXERCISE: &str = "{{#exercise ID}}";
const OVERVIEW: &str = "{{#exercises OVERVIEW}}";
const INDEX: &str = "{{#index LIST}}";
/// The directives, as they are written. What begins like another comes before it.
const DIRECTIVES: [&str; 4] = [KERNEL, OVERVIEW, EXERCISE, INDEX];

/// What a directive begins with: `{{#kernel`.
fn name_of(written: &str) -> &str {
    written.split(' ').next().unwrap_or(written)
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
        // The fence of a question, whose choices must come next.
        let mut asked: Option<Range<usize>> = None;
        for (event, range) in Parser::new_ext(self.text, markdown_options()).into_offset_iter() {
            if depth == 0
                && let Event::Start(tag) = &event
                && let Some(fence) = asked.take()
            {
                let is_list = matches!(tag, Tag::List(_));
                let item = self.question(&fence, range.clone(), is_list)?;
                blocks.push((fence.start..self.whole_lines(range.clone()).end, item));
            }
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    if is_marked(&info, "question") {
                        self.refuse_inside(depth, &range)?;
                        self.check_closed(&range)?;
                        asked = Some(self.whole_lines(range));
                    } else if is_marked(&info, "cell") {
                        self.refuse_inside(depth, &range)?;
                        let cell = self.cell(&info, &range)?;
                        blocks.push((self.whole_lines(range), Item::Cell(cell)));
                    } else {
                        self.check_closed(&range)?;
                    }
                    depth += 1;
                }
                Event::Start(Tag::Paragraph) if depth == 0 => {
                    if let Some(item) = self.directive(&range)? {
                        blocks.push((self.whole_lines(range), item));
                    }
                    depth += 1;
                }
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        match asked {
            Some(fence) => Err(self.without_choices(&fence)),
            None => Ok(blocks),
        }
    }

    fn refuse_inside(&self, depth: usize, range: &Range<usize>) -> Result<()> {
        let problem = "a cell cannot stand inside a list, a quotation or a note: move it out";
        match depth {
            0 => Ok(()),
            _ => Err(Error::chapter(self.place(range.start), problem)),
        }
    }

    fn without_choices(&self, fence: &Range<usize>) -> Error {
        let problem = "behind the code that decides a question comes the list of its choices";
        Error::chapter(self.place(fence.start), problem)
    }

    /// A question of this fence, and of what stands behind it.
    fn question(&self, fence: &Range<usize>, list: Range<usize>, is_list: bool) -> Result<Item> {
        if !is_list {
            return Err(self.without_choices(fence));
        }
        let place = self.place(fence.start);
        let block = self.text[fence.clone()].trim_end();
        let info = block.lines().next().unwrap_or_default();
        let mut words = info.split_whitespace().skip(2);
        let id = words.next().filter(|id| is_identifier(id));
        let marks: Vec<&str> = words.collect();
        let (Some(id), [] | ["compute"]) = (id, &marks[..]) else {
            let problem = "a question is fenced as `rust question ID`, with the mark `compute` where a number is asked for";
            return Err(Error::chapter(place, problem));
        };
        let mut code: Vec<&str> = block.lines().skip(1).collect();
        code.pop();
        let first = self.place(list.start).line;
        let choices = question::choices(&self.text[self.whole_lines(list)], first);
        let choices = choices.map_err(|(line, problem)| {
            let file = self.file.to_owned();
            Error::chapter(Place { file, line }, problem)
        })?;
        let question = QuestionItem {
            id: id.to_owned(),
            computes: !marks.is_empty(),
            code: code.join("\n"),
            line: place.line + 1,
            choices,
        };
        match question::problem(&question) {
            Some(problem) => Err(Error::chapter(place, problem)),
            None => Ok(Item::Question(question)),
        }
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
        let (mut expects_error, mut folded) = (false, false);
        for flag in info
            .split([' ', '\t', ','])
            .filter(|word| !word.is_empty())
            .skip(2)
        {
            match flag {
                "error" => expects_error = true,
                "folded" => folded = true,
                other => {
                    let problem =
                        format!("a cell has no mark `{other}`; it has `error` and `folded`");
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
        let summary = written
            .strip_prefix("//")
            .and_then(|rest| rest.lines().next());
        let summary = summary.map(str::trim).filter(|summary| !summary.is_empty());
        let summary = summary.map(str::to_owned).filter(|_| folded);
        if folded && summary.is_none() {
            let problem = "a folded cell begins with a line that says what it does: `// Draws both over all sizes.`";
            return Err(Error::chapter(self.place(range.start), problem));
        }
        Ok(Cell {
            written,
            line: self.place(range.start).line + 1,
            expects_error,
            summary,
        })
    }

    /// What a paragraph places, if it is a directive.
    fn directive(&self, range: &Range<usize>) -> Result<Option<Item>> {
        let paragraph = self.text[range.clone()].trim();
        let Some(written) = DIRECTIVES
            .iter()
            .find(|written| paragraph.starts_with(name_of(written)))
        else {
            return Ok(None);
        };
        let place = self.place(range.start);
        let word = paragraph[name_of(written).len()..]
            .strip_suffix("}}")
            .map(str::trim)
            .filter(|word| match *written {
                KERNEL => is_identifier(word),
                _ => is_identifier(&word.replace('-', "_")),
            });
        let Some(word) = word else {
            let problem = format!("write `{written}` alone in its paragraph, with one name");
            return Err(Error::chapter(place, problem));
        };
        let line = place.line;
        Ok(Some(match *written {
            KERNEL => Item::Kernel(KernelItem {
                kernel: self.registry.kernel(word, place)?,
                line,
            }),
            EXERCISE => Item::Exercise(ExerciseItem {
                exercise: self.registry.exercises.exercise(word, place)?,
                line,
            }),
            INDEX => Self::overview(word, Overview::of_book(word), INDEX, place)?,
            _ => Self::overview(word, Overview::of_exercises(word), OVERVIEW, place)?,
        }))
    }

    /// The overview that a directive names.
    fn overview(
        word: &str,
        overview: Option<Overview>,
        written: &str,
        place: Place,
    ) -> Result<Item> {
        let known = match written {
            INDEX => "`kernels`, `counters` and `terms`",
            _ => "`schedule` and `notes`",
        };
        let Some(overview) = overview else {
            let name = name_of(written);
            let problem = format!("`{name} {word}}}}}` is none; there are {known}");
            return Err(Error::chapter(place, problem));
        };
        let text = String::new();
        Ok(Item::Overview(OverviewItem { overview, text }))
    }

    /// Adds the prose in a range, if there is any, after looking for directives that would be lost.
    fn push_prose(&self, items: &mut Vec<Item>, range: Range<usize>) -> Result<()> {
        let text = &self.text[range.clone()];
        if text.trim().is_empty() {
            return Ok(());
        }
        let found = DIRECTIVES.iter().flat_map(|written| {
            text.match_indices(name_of(written))
                .map(move |(at, _)| (at, written))
        });
        for (at, written) in found {
            let before = &text[..at];
            let in_code = before.ends_with('\\')
                || before[before.rfind('\n').map_or(0, |n| n + 1)..].contains('`');
            if !in_code {
                let problem = format!(
                    "`{written}` must stand alone in its paragraph, on the outermost level"
                );
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

/// Whether a fence's info string marks a cell or a question: `rust cell`, with marks behind it.
fn is_marked(info: &str, kind: &str) -> bool {
    let mut words = info.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    words.next() == Some("rust") && words.next() == Some(kind)
}

fn is_identifier(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
