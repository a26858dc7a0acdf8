//! How exercises look in Markdown: one on its page, all of them in a schedule and a teacher's
//! notes. What they are is read by `exercises`; their notebooks are `notebook`'s.

use crate::chapter::{Chapter, Item, Overview};
use crate::error::{Error, Place, Result};
use crate::exercises::{Answer, Exercise, Exercises, Kind};
use crate::links::relative;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where each exercise stands: id → page, relative to the book's source folder.
type Pages<'a> = BTreeMap<&'a str, PathBuf>;

/// Writes the overviews of all exercises into the chapters that ask for them, once all are read.
///
/// # Errors
///
/// If an exercise stands on no page or on several.
pub(crate) fn write_overviews(chapters: &mut [Chapter], exercises: &Exercises) -> Result<()> {
    let pages = pages(chapters, exercises)?;
    for chapter in chapters {
        let path = chapter.path.clone();
        for item in &mut chapter.items {
            if let Item::Overview(item) = item {
                let from = path.parent().unwrap_or(Path::new(""));
                let all = All {
                    exercises: exercises.all(),
                    pages: &pages,
                    from,
                };
                item.text = match item.overview {
                    Overview::Schedule => all.schedule(),
                    Overview::Notes => all.notes(),
                    Overview::Kernels | Overview::Counters | Overview::Terms => continue,
                };
            }
        }
    }
    Ok(())
}

fn pages<'a>(chapters: &[Chapter], exercises: &'a Exercises) -> Result<Pages<'a>> {
    let mut pages = Pages::new();
    for id in exercises.ids() {
        let mut places = chapters.iter().flat_map(|chapter| {
            let here = chapter.exercises().filter(|item| item.exercise.id == id);
            here.map(move |item| (chapter, item.line))
        });
        let Some((chapter, _)) = places.next() else {
            return Err(Error::Registry {
                file: Exercises::list(),
                problem: format!("`{id}` stands on no page: place it by `{{{{#exercise {id}}}}}`"),
            });
        };
        if let Some((second, line)) = places.next() {
            let file = second.file.clone();
            let first = chapter.file.display();
            let problem = format!("`{id}` stands in {first} already");
            return Err(Error::chapter(Place { file, line }, problem));
        }
        pages.insert(id, chapter.path.clone());
    }
    for exercise in exercises.all() {
        let path = Path::new(&exercise.chapter).with_extension("md");
        if !chapters.iter().any(|chapter| chapter.path == path) {
            let (id, name) = (&exercise.id, &exercise.chapter);
            return Err(Error::Registry {
                file: Exercises::list(),
                problem: format!(
                    "`{id}` belongs to the chapter `{name}`, which the book does not have"
                ),
            });
        }
    }
    Ok(pages)
}

/// All exercises, as a page in the folder `from` of the book's source sees them.
struct All<'a> {
    exercises: &'a [Exercise],
    pages: &'a Pages<'a>,
    from: &'a Path,
}

impl All<'_> {
    fn link(&self, exercise: &Exercise) -> String {
        let page = &self.pages[exercise.id.as_str()];
        let page = relative(self.from, page);
        format!("[{}]({page}#{})", exercise.title, exercise.id)
    }

    fn schedule(&self) -> String {
        let mut text = String::from(
            "\n| | exercise | what is done | minutes | together |\n| ---: | --- | --- | ---: | ---: |\n",
        );
        let mut sum = 0;
        for (number, exercise) in self.exercises.iter().enumerate() {
            sum += exercise.minutes;
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {sum} |",
                number + 1,
                self.link(exercise),
                doing(exercise.kind),
                exercise.minutes
            );
        }
        text.push('\n');
        text
    }

    fn notes(&self) -> String {
        let mut text = String::new();
        for exercise in self.exercises {
            let _ = write!(
                text,
                "\n### {}\n\n{}, {} minutes: [the exercise]({}#{}).",
                exercise.title,
                capitalised(doing(exercise.kind)),
                exercise.minutes,
                relative(self.from, &self.pages[exercise.id.as_str()]),
                exercise.id
            );
            if !exercise.teacher.trim().is_empty() {
                let _ = write!(text, " {}", exercise.teacher.trim());
            }
            text.push_str("\n\nTypical mistakes, each with a verdict of its own:\n\n");
            for wrong in &exercise.wrongs {
                let _ = writeln!(text, "- {}", wrong.what.trim());
            }
        }
        text.push('\n');
        text
    }
}

fn doing(kind: Kind) -> &'static str {
    match kind {
        Kind::Predict => "predict counts",
        Kind::Fix => "mend a kernel",
        Kind::Write => "write a kernel",
        Kind::Pipeline => "mend a pipeline",
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// What comes before the task: what is done and how long it takes.
pub(crate) fn summary(exercise: &Exercise) -> String {
    let doing = capitalised(doing(exercise.kind));
    format!("{doing}, {} minutes.", exercise.minutes)
}

/// The task, with its questions where counts are to be predicted.
pub(crate) fn task(exercise: &Exercise) -> String {
    let mut text = exercise.task.trim().to_owned();
    text.push('\n');
    if !exercise.answers.is_empty() {
        text.push('\n');
    }
    for answer in &exercise.answers {
        let _ = writeln!(text, "- `{}`: {}", answer.name, question(answer));
    }
    text
}

/// A question with its matrix: by numbers where all are asked for the same one, else by letters, since each reader's is
/// drawn and told by the check.
fn question(answer: &Answer) -> String {
    let (rows, columns, drawn) = match answer.of[..] {
        [[rows, columns]] => (rows.to_string(), columns.to_string(), false),
        _ => ("*R*".to_owned(), "*C*".to_owned(), !answer.of.is_empty()),
    };
    let question = answer.question.trim().replace("{rows}", &rows);
    let question = question.replace("{columns}", &columns);
    match drawn {
        true => format!("{question} *R* and *C* are drawn for you, and the check tells them."),
        false => question,
    }
}

/// One hint, folded; from 1.
pub(crate) fn hint(number: usize, text: &str) -> String {
    format!(
        "<details class=\"ct-hint\">\n<summary>Hint {number}</summary>\n\n{}\n\n</details>\n\n",
        text.trim()
    )
}
