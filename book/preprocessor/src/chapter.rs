//! The one model of a chapter: prose, cells, kernels and exercises in order, with their lines. The
//! page, the session and the notebooks are derived from it; none of them is made here.

use crate::exercises::Exercise;
use crate::kernels::Kernel;
use crate::literal::raw_string;
pub use crate::markdown::Prose;
pub use crate::question::{Choice, QuestionItem};
use std::path::{Path, PathBuf};

/// The glossary's file, relative to the book's source folder.
pub(crate) const GLOSSARY: &str = "glossary.md";

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
    /// Whether a notebook before it in the book comes from a file of the same name.
    pub is_namesake: bool,
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
    /// An exercise, placed by `{{#exercise ID}}`.
    Exercise(ExerciseItem),
    /// What is told of all exercises or of the whole book, placed by `{{#exercises NAME}}` or `{{#index NAME}}`.
    Overview(OverviewItem),
    /// A question, with what decides it and its choices.
    Question(QuestionItem),
}

impl Item {
    /// Its Markdown that may hold values: prose, or what is said of a question's choices.
    pub(crate) fn prose(&self) -> Vec<&Prose> {
        match self {
            Item::Prose(prose) => vec![prose],
            Item::Question(question) => {
                let choices = question.choices.iter();
                choices
                    .flat_map(|choice| [&choice.label, &choice.why])
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The same, to be filled.
    pub(crate) fn prose_mut(&mut self) -> Vec<&mut Prose> {
        match self {
            Item::Prose(prose) => vec![prose],
            Item::Question(question) => {
                let choices = question.choices.iter_mut();
                choices
                    .flat_map(|choice| [&mut choice.label, &mut choice.why])
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

/// What is told of all exercises together, or of the whole book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overview {
    /// Each with its minutes, and their sum.
    Schedule,
    /// What a teacher should know of each.
    Notes,
    /// The kernels, with the pages that show and name them.
    Kernels,
    /// The profiler's counters, with the pages that name them.
    Counters,
    /// The glossary's terms, with the pages that use them most.
    Terms,
}

/// An overview in a chapter.
#[derive(Clone, Debug)]
pub struct OverviewItem {
    /// Which one.
    pub overview: Overview,
    /// Its Markdown; empty until every chapter of the book is read.
    pub text: String,
}

impl Overview {
    /// The one of all exercises of a name.
    pub(crate) fn of_exercises(name: &str) -> Option<Overview> {
        match name {
            "schedule" => Some(Overview::Schedule),
            "notes" => Some(Overview::Notes),
            _ => None,
        }
    }

    /// Whether it tells of the whole book, and not of exercises.
    pub(crate) fn is_of_book(self) -> bool {
        matches!(
            self,
            Overview::Kernels | Overview::Counters | Overview::Terms
        )
    }

    /// The one of the whole book of a name.
    pub(crate) fn of_book(name: &str) -> Option<Overview> {
        match name {
            "kernels" => Some(Overview::Kernels),
            "counters" => Some(Overview::Counters),
            "terms" => Some(Overview::Terms),
            _ => None,
        }
    }
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
    /// What is shown in its place until a reader opens it, if it is folded.
    pub summary: Option<String>,
}

/// A kernel in a chapter.
#[derive(Clone, Debug)]
pub struct KernelItem {
    /// The kernel.
    pub kernel: Kernel,
    /// The directive's line, from 1.
    pub line: usize,
}

/// An exercise in a chapter.
#[derive(Clone, Debug)]
pub struct ExerciseItem {
    /// The exercise.
    pub exercise: Exercise,
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

    /// Its lines that are not hidden.
    pub(crate) fn shown_lines(&self) -> impl Iterator<Item = &str> {
        let is_hidden = |line: &&str| {
            let line = line.trim_start();
            line == "#" || line.starts_with("# ")
        };
        self.written.lines().filter(move |line| !is_hidden(line))
    }
}

impl KernelItem {
    /// The cell that compiles this kernel: `let ID = Kernel::cuda(r#"…"#)?;`, with the file's
    /// source to the last byte, so that unedited source is recognised by its hash. Where the file
    /// holds several functions, `Kernel::cuda_entry` names the one.
    pub fn source(&self) -> String {
        let text = raw_string(&self.kernel.source);
        let id = &self.kernel.id;
        match &self.kernel.entry {
            None => format!("let {id} = Kernel::cuda({text})?;\n"),
            Some(entry) => format!("let {id} = Kernel::cuda_entry({text}, \"{entry}\")?;\n"),
        }
    }
}

impl ExerciseItem {
    /// The cell that holds what a reader is to change: the starter as a string.
    pub fn starter_source(&self) -> String {
        format!("let source = {};\n", raw_string(&self.exercise.starter))
    }

    /// The cell that checks it and shows the verdict.
    pub fn check_source(&self) -> String {
        let id = &self.exercise.id;
        format!("let verdict = exercise::check(\"{id}\", source)?;\nverdict\n")
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
    /// Whether the file's lines follow the code's: not so for a kernel or an exercise.
    pub lines_match: bool,
    /// Whether it must fail.
    pub expects_error: bool,
    /// The id of the kernel that it compiles, if it was placed.
    pub kernel: Option<String>,
    /// Of a question, the keys of which it must print one; else empty.
    pub keys: Vec<String>,
}

/// A title as part of a file's name: "Claims on memory" is `claims-on-memory`.
fn words_of(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("-")
}

impl Chapter {
    /// The cells of the chapter's session, kernels included, in order; none where no cell runs the kernels.
    pub fn runnables(&self) -> Vec<Runnable> {
        let mut runnables = Vec::new();
        if !self.has_cells() {
            return runnables;
        }
        for item in &self.items {
            let number = runnables.len() + 1;
            match item {
                Item::Prose(_) | Item::Overview(_) => {}
                Item::Cell(cell) => runnables.push(Runnable {
                    number,
                    source: cell.source(),
                    line: cell.line,
                    lines_match: true,
                    expects_error: cell.expects_error,
                    kernel: None,
                    keys: Vec::new(),
                }),
                Item::Kernel(item) => runnables.push(Runnable {
                    number,
                    source: item.source(),
                    line: item.line,
                    lines_match: false,
                    expects_error: false,
                    kernel: Some(item.kernel.id.clone()),
                    keys: Vec::new(),
                }),
                // As it is given out, so that the page shows what is said of it.
                Item::Exercise(item) => runnables.push(Runnable {
                    number,
                    source: item.starter_source() + &item.check_source(),
                    line: item.line,
                    lines_match: false,
                    expects_error: false,
                    kernel: None,
                    keys: Vec::new(),
                }),
                Item::Question(question) => runnables.push(Runnable {
                    number,
                    source: question.page_source(),
                    line: question.line,
                    lines_match: false,
                    expects_error: false,
                    kernel: None,
                    keys: question.keys(),
                }),
            }
        }
        runnables
    }

    /// The name of the chapter's notebook: the number before the name of its file, so that a folder
    /// lists the notebooks in the book's order. A file that has a number already keeps its name, and
    /// of a second file of one name the notebook is named by its title.
    pub fn notebook_name(&self) -> String {
        let stem = match self.is_namesake {
            true => words_of(&self.title),
            false => {
                let stem = self.path.file_stem().unwrap_or_default();
                stem.to_string_lossy().into_owned()
            }
        };
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

    /// Its file, as notebooks and records name it.
    pub(crate) fn source_name(&self) -> String {
        self.file.to_string_lossy().replace('\\', "/")
    }

    /// Whether the chapter has anything to run: a kernel alone is only shown.
    pub fn has_cells(&self) -> bool {
        let mut items = self.items.iter();
        items.any(|item| !matches!(item, Item::Prose(_) | Item::Overview(_) | Item::Kernel(_)))
    }

    /// Whether the chapter is a notebook too. One with exercises is not: each of them is one. Nor is
    /// one that tells of all exercises.
    pub fn is_notebook(&self) -> bool {
        let of_exercises = |item: &Item| matches!(item, Item::Exercise(_) | Item::Overview(_));
        self.has_cells() && !self.items.iter().any(of_exercises)
    }

    /// Whether it is written as a notebook: the glossary is too, since all others point to it.
    pub(crate) fn is_written(&self) -> bool {
        self.is_notebook() || self.path == Path::new(GLOSSARY)
    }

    /// The exercises that it places, in order.
    pub fn exercises(&self) -> impl Iterator<Item = &ExerciseItem> {
        self.items.iter().filter_map(|item| match item {
            Item::Exercise(item) => Some(item),
            _ => None,
        })
    }
}
