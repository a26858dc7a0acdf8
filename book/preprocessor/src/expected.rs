//! What the book has shown of each notebook's cells on this machine, and where a run of the notebook gave something else: pages and
//! notebooks run cells in different ways, and must give the same. Runs nothing.

use crate::book::load;
use crate::cache::Cache;
use crate::chapter::{Chapter, Item};
use crate::error::Result;
use crate::jupyter::{JupyterCell, JupyterReport};
use crate::kernels::Registry;
use crate::keys::Keys;
use crate::notebook::{EXERCISES, FOLDER};
use crate::outcome::{CellOutput, CellStatus, richest_of};
use crate::preprocess::chapters;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the reason of an exercise's verdict begins with.
const REASON: &str = "<p class=\"ct-reason\">";

/// What the cells of a notebook gave as the book ran them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    /// The notebook, relative to the project's root.
    pub notebook: PathBuf,
    /// By the ids of its cells; empty where the book has not run the chapter as it is now.
    pub cells: BTreeMap<String, CellOutput>,
}

/// Of the chapters' notebooks and the exercises', what the book gave on the device of `device_key`.
///
/// # Errors
///
/// A malformed chapter.
pub fn expected(root: &Path, device_key: &str) -> Result<Vec<Expected>> {
    let book = load(root)?;
    let registry = Registry::load(root)?;
    let keys = Keys::of_project(root, &registry)?;
    let cache = Cache::of(root, device_key);
    let chapters = chapters(&book.config.book.src.clone(), &book.book, &registry)?;
    let keys = keys.of_all(&chapters)?;
    let mut all = Vec::new();
    for (chapter, keys) in chapters.iter().zip(&keys) {
        let outputs = cache.load(keys).unwrap_or_default();
        all.extend(notebooks_of(chapter, &outputs));
    }
    Ok(all)
}

/// The notebooks of a chapter whose cells gave this, or nothing where they did not run.
fn notebooks_of(chapter: &Chapter, outputs: &[CellOutput]) -> Vec<Expected> {
    let (mut cells, mut checks) = (BTreeMap::new(), Vec::new());
    let runnable = |item: &&Item| !matches!(item, Item::Prose(_) | Item::Overview(_));
    let mut number = 0;
    let items = chapter.items.iter().filter(runnable);
    let mut outputs = outputs.iter();
    for item in items {
        let output = outputs.next();
        let id = match item {
            Item::Cell(_) => {
                number += 1;
                format!("cell-{number}")
            }
            Item::Kernel(item) => format!("kernel-{}", item.kernel.id),
            Item::Exercise(item) => {
                checks.push((item.exercise.id.clone(), output));
                continue;
            }
            // On a page it prints what was decided; in the notebook a reader answers.
            _ => continue,
        };
        cells.extend(output.map(|output| (id, output.clone())));
    }
    if chapter.is_notebook() {
        let notebook = Path::new(FOLDER).join(chapter.notebook_name());
        return vec![Expected { notebook, cells }];
    }
    let exercises = checks.into_iter().map(|(id, output)| {
        let check = output.map(|output| ("check".to_owned(), output.clone()));
        Expected {
            notebook: Path::new(FOLDER)
                .join(EXERCISES)
                .join(format!("{id}.ipynb")),
            cells: check.into_iter().collect(),
        }
    });
    exercises.collect()
}

impl Expected {
    /// What a run of the notebook gave otherwise, a sentence for each cell, and how many cells gave the same.
    pub fn compare(&self, report: &JupyterReport) -> (usize, Vec<String>) {
        let (mut same, mut differences) = (0, Vec::new());
        for cell in &report.cells {
            let Some(expected) = self.cells.get(&cell.id) else {
                continue;
            };
            match difference(expected, cell) {
                None => same += 1,
                Some(difference) => differences.push(format!(
                    "{}, cell {} ({}): {difference}",
                    report.notebook, cell.number, cell.id
                )),
            }
        }
        (same, differences)
    }
}

fn difference(page: &CellOutput, notebook: &JupyterCell) -> Option<String> {
    // What an exercise is given is drawn anew for each check.
    let is_drawn = notebook.id == "check";
    let shown = notebook
        .outputs
        .iter()
        .filter_map(|(kind, value)| Some((kind.clone(), value.as_str()?.to_owned())))
        .collect();
    let pairs = [
        ("stdout", page.stdout.as_str(), notebook.stdout.as_str()),
        ("stderr", page.stderr.as_str(), notebook.stderr.as_str()),
        (
            "display",
            page.richest().map_or("", |(_, text)| text),
            richest_of(&shown).map_or("", |(_, text)| text),
        ),
    ];
    let mut pairs = pairs.into_iter();
    let differs = pairs.find(|(_, page, notebook)| match is_drawn {
        true => verdict_of(page) != verdict_of(notebook),
        false => page.trim_end() != notebook.trim_end(),
    });
    if let Some((what, page, notebook)) = differs {
        return Some(format!("{what} differs: {}", apart(page, notebook)));
    }
    if let CellStatus::Compile { message, .. } = &page.status {
        let said = notebook.error.contains(message.trim_end());
        return (!said).then(|| {
            format!(
                "rustc's words differ: the page has\n{message}the notebook\n{}",
                notebook.error
            )
        });
    }
    None
}

/// What a verdict says before its reason, which tells of what was drawn; each number in it is one sign.
fn verdict_of(text: &str) -> String {
    let verdict = text.split(REASON).next().unwrap_or_default();
    let mut plain = String::with_capacity(verdict.len());
    for c in verdict.trim_end().chars() {
        match c.is_ascii_digit() {
            true if plain.ends_with('#') => {}
            true => plain.push('#'),
            false => plain.push(c),
        }
    }
    plain
}

/// The first line in which two texts differ.
fn apart(page: &str, notebook: &str) -> String {
    let (mut page, mut notebook) = (page.lines(), notebook.lines());
    loop {
        let pair = (page.next(), notebook.next());
        match pair {
            (Some(a), Some(b)) if a == b => {}
            _ => {
                let shown = |line: Option<&str>| match line {
                    Some(line) => cornerturn_basics::shortened_message(line),
                    None => "(nothing)".to_owned(),
                };
                return format!(
                    "the page has `{}`, the notebook `{}`",
                    shown(pair.0),
                    shown(pair.1)
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn cell(id: &str, stdout: &str, html: &str) -> JupyterCell {
        JupyterCell {
            id: id.to_owned(),
            number: 3,
            status: "ok".to_owned(),
            error: String::new(),
            stdout: stdout.to_owned(),
            stderr: String::new(),
            outputs: [("text/html".to_owned(), Value::from(html))].into(),
            seconds: 0.1,
        }
    }

    #[test]
    fn a_cell_that_gives_something_else_is_named() {
        let page = CellOutput {
            stdout: "a\nb 7\n".to_owned(),
            display: [("text/html".to_owned(), "<p>1</p>".to_owned())].into(),
            ..CellOutput::of_status(CellStatus::Ok)
        };
        let both = [
            ("cell-1".to_owned(), page.clone()),
            ("check".to_owned(), page),
        ];
        let expected = Expected {
            notebook: PathBuf::from("notebooks/a.ipynb"),
            cells: both.into(),
        };
        let report = |cells: Vec<JupyterCell>| JupyterReport {
            notebook: "a.ipynb".to_owned(),
            kernel_start_seconds: None,
            seconds: 1.0,
            cells,
            problems: Vec::new(),
        };
        let compare = |cells| expected.compare(&report(cells));
        assert_eq!(
            compare(vec![cell("cell-1", "a\nb 7\n", "<p>1</p>")]),
            (1, vec![])
        );
        assert_eq!(compare(vec![cell("cell-2", "other", "")]), (0, vec![]));
        // Only an exercise's numbers are drawn, and what is said of them.
        assert_eq!(
            compare(vec![cell(
                "check",
                "a\nb 18\n",
                "<p>2</p><p class=\"ct-reason\">row 1"
            )]),
            (1, vec![])
        );
        let (same, told) = compare(vec![cell("cell-1", "a\nb 8\n", "<p>1</p>")]);
        assert_eq!(same, 0);
        assert_eq!(
            told,
            ["a.ipynb, cell 3 (cell-1): stdout differs: the page has `b 7`, the notebook `b 8`"]
        );
    }
}
