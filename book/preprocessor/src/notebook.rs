//! Writes the chapters and the exercises as Jupyter notebooks, without outputs, and tells which are
//! stale. Runs nothing.

mod cells;
mod edited;
mod exercise;
pub use cells::KERNEL;

use crate::book::load;
use crate::cache::write_whole;
use crate::chapter::{Chapter, Item};
use crate::error::{Error, Result};
use crate::glossary;
use crate::kernels::Registry;
pub(crate) use crate::links::EXERCISES;
use crate::links::Links;
use crate::markdown::markdown_options;
use crate::preprocess::chapters;
use crate::prose::fill;
use crate::values::Source;
use cells::Cells;
pub use edited::source_text;
use edited::{MARK, is_edited};
use mdbook_markdown::pulldown_cmark::{Event, HeadingLevel, Parser, Tag};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of notebooks below the project's root.
pub(crate) const FOLDER: &str = "notebooks";

/// A notebook that is not as the chapters say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stale {
    /// It is not there.
    Missing(PathBuf),
    /// It differs; the line, from 1, is the first that does.
    Differs(PathBuf, usize),
    /// No chapter makes it any more.
    Extra(PathBuf),
}

impl std::fmt::Display for Stale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stale::Missing(path) => write!(f, "{} is missing", path.display()),
            Stale::Differs(path, line) => {
                write!(f, "{}:{line} is not as its chapter says", path.display())
            }
            Stale::Extra(path) => write!(f, "{} has no chapter any more", path.display()),
        }
    }
}

/// Writes the notebook of each chapter that has cells, of the glossary and of each exercise, and removes those that no
/// chapter makes any more. Gives the notebooks, relative to the root, in the chapters' order. What somebody has changed
/// since it was written is left as it is.
///
/// # Errors
///
/// A malformed chapter, prose that does not agree with `values`, two chapters with one file name, or a file that cannot
/// be written; [`Error::Edited`], after all others are written, where notebooks were left that are not as they should be.
pub fn write_notebooks(root: &Path, values: &dyn Source) -> Result<Vec<PathBuf>> {
    let notebooks = notebooks(root, values)?;
    let mut edited = Vec::new();
    for (name, text) in &notebooks {
        let path = root.join(name);
        match fs::read_to_string(&path) {
            // An unchanged file keeps its time, so that an open JupyterLab does not ask about it.
            Ok(found) if found == *text => {}
            Ok(found) if is_edited(&found) => edited.push(name.clone()),
            _ => write_whole(&path, text.as_bytes())?,
        }
    }
    for name in extra(root, &notebooks)? {
        let path = root.join(&name);
        match is_edited(&fs::read_to_string(&path).map_err(Error::io(&path))?) {
            true => edited.push(name),
            false => fs::remove_file(&path).map_err(Error::io(&path))?,
        }
    }
    if !edited.is_empty() {
        return Err(Error::Edited(edited));
    }
    Ok(notebooks.into_iter().map(|(path, _)| path).collect())
}

/// Tells which notebooks are not as [`write_notebooks`] would leave them.
///
/// # Errors
///
/// As [`write_notebooks`]; nothing is written.
pub fn check_notebooks(root: &Path, values: &dyn Source) -> Result<Vec<Stale>> {
    let notebooks = notebooks(root, values)?;
    let mut stale = Vec::new();
    for (path, text) in &notebooks {
        match fs::read_to_string(root.join(path)) {
            Ok(found) if found == *text => {}
            Ok(found) => stale.push(Stale::Differs(path.clone(), first_difference(&found, text))),
            Err(_) => stale.push(Stale::Missing(path.clone())),
        }
    }
    stale.extend(extra(root, &notebooks)?.into_iter().map(Stale::Extra));
    Ok(stale)
}

fn first_difference(found: &str, wanted: &str) -> usize {
    1 + found
        .lines()
        .zip(wanted.lines())
        .take_while(|(a, b)| a == b)
        .count()
}

/// The notebooks that the chapters make: path relative to the root, and text.
fn notebooks(root: &Path, values: &dyn Source) -> Result<Vec<(PathBuf, String)>> {
    let book = load(root)?;
    let registry = Registry::load(root)?;
    let source = book.config.book.src.clone();
    let mut chapters = chapters(&source, &book.book, &registry)?;
    fill(&mut chapters, values)?;
    glossary::link(&mut chapters, false)?;
    let links = Links::new(&format!("../{}", source.display()), "", &chapters);
    let mut made: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut notebooks = Vec::new();
    for chapter in chapters.iter().filter(|chapter| chapter.is_written()) {
        let name = chapter.notebook_name();
        if let Some(first) = made.insert(name.clone(), chapter.file.clone()) {
            return Err(Error::SameNotebook {
                first,
                second: chapter.file.clone(),
                name,
            });
        }
        notebooks.push((Path::new(FOLDER).join(name), notebook(chapter, &links)?));
    }
    let links = Links::new(&format!("../../{}", source.display()), "../", &chapters);
    for chapter in &chapters {
        for item in chapter.exercises() {
            let name = format!("{}.ipynb", item.exercise.id);
            let text = exercise::notebook(chapter, item, &links)?;
            notebooks.push((Path::new(FOLDER).join(EXERCISES).join(name), text));
        }
    }
    Ok(notebooks)
}

/// The notebooks that bear the mark and that no chapter makes.
fn extra(root: &Path, notebooks: &[(PathBuf, String)]) -> Result<Vec<PathBuf>> {
    let mut extra = Vec::new();
    for folder in [PathBuf::from(FOLDER), Path::new(FOLDER).join(EXERCISES)] {
        let place = root.join(&folder);
        if !place.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&place).map_err(Error::io(&place))? {
            let name = entry.map_err(Error::io(&place))?.file_name();
            let path = folder.join(&name);
            if path.extension().is_some_and(|e| e == "ipynb")
                && !notebooks.iter().any(|(made, _)| *made == path)
                && is_marked(&root.join(&path))
            {
                extra.push(path);
            }
        }
    }
    extra.sort();
    Ok(extra)
}

fn is_marked(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    value["metadata"].get(MARK).is_some()
}

/// The text of a chapter's notebook.
fn notebook(chapter: &Chapter, links: &Links) -> Result<String> {
    let mut cells = Cells::default();
    let mut number = 0;
    for item in &chapter.items {
        match item {
            Item::Prose(prose) => {
                for text in sections(&prose.text) {
                    cells.markdown(&links.rewrite(&chapter.path, text));
                }
            }
            Item::Cell(cell) => {
                number += 1;
                cells.cell(&format!("cell-{number}"), cell);
            }
            Item::Kernel(item) => {
                cells.code(&format!("kernel-{}", item.kernel.id), &item.source());
            }
            Item::Question(question) => {
                let id = &question.id;
                cells.markdown(&links.rewrite(&chapter.path, question.listed().trim_end()));
                cells.folded(&format!("question-{id}"), &question.deciding_source());
                cells.code(&format!("answer-{id}"), &question.answer_source());
            }
            // A chapter with these is no notebook.
            Item::Exercise(_) | Item::Overview(_) => {}
        }
    }
    cells.written(chapter, json!({ "chapter": chapter.source_name() }))
}

/// Prose cut before each heading of level 1 or 2, so that a notebook's cells are of handy size.
fn sections(text: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    for (event, range) in Parser::new_ext(text, markdown_options()).into_offset_iter() {
        if let Event::Start(Tag::Heading {
            level: HeadingLevel::H1 | HeadingLevel::H2,
            ..
        }) = event
            && !text[..range.start].trim().is_empty()
        {
            cuts.push(range.start);
        }
    }
    cuts.push(text.len());
    cuts.windows(2)
        .map(|cut| text[cut[0]..cut[1]].trim_matches('\n'))
        .collect()
}
