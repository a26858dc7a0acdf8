//! Writes the chapters as Jupyter notebooks, without outputs, and tells which are stale. Runs
//! nothing.

use crate::book::load;
use crate::cache::write_atomically;
use crate::chapter::{Chapter, Item, Prose, markdown_options};
use crate::error::{Error, Place, Result};
use crate::kernels::Registry;
use crate::links::{Links, slug};
use crate::preprocess::chapters;
use mdbook_markdown::pulldown_cmark::{Event, HeadingLevel, Parser, Tag};
use nbformat::v4;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of notebooks below the project's root.
const FOLDER: &str = "notebooks";
/// The key of a notebook's metadata that says which chapter it was written from. A notebook without
/// it is a reader's own and is left alone.
const MARK: &str = "cornerturn";

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

/// Writes the notebook of each chapter that has cells and removes those that no chapter makes any
/// more. Gives the notebooks, relative to the root, in the chapters' order.
///
/// # Errors
///
/// A malformed chapter, two chapters with one file name, or a file that cannot be written.
pub fn write_notebooks(root: &Path) -> Result<Vec<PathBuf>> {
    let notebooks = notebooks(root)?;
    for (path, text) in &notebooks {
        let path = root.join(path);
        // An unchanged file keeps its time, so that an open JupyterLab does not ask about it.
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            write_atomically(&path, text.as_bytes())?;
        }
    }
    for path in extra(root, &notebooks)? {
        let path = root.join(path);
        fs::remove_file(&path).map_err(Error::io(&path))?;
    }
    Ok(notebooks.into_iter().map(|(path, _)| path).collect())
}

/// Tells which notebooks are not as [`write_notebooks`] would leave them.
///
/// # Errors
///
/// As [`write_notebooks`]; nothing is written.
pub fn check_notebooks(root: &Path) -> Result<Vec<Stale>> {
    let notebooks = notebooks(root)?;
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
fn notebooks(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let book = load(root)?;
    let registry = Registry::load(root)?;
    let source = book.config.book.src.clone();
    let chapters = chapters(&source, &book.book, &registry)?;
    let links = Links::new(&format!("../{}", source.display()), &chapters);
    let mut made: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut notebooks = Vec::new();
    for chapter in chapters.iter().filter(|chapter| chapter.has_cells()) {
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
    Ok(notebooks)
}

/// The notebooks that bear the mark and that no chapter makes.
fn extra(root: &Path, notebooks: &[(PathBuf, String)]) -> Result<Vec<PathBuf>> {
    let folder = root.join(FOLDER);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut extra = Vec::new();
    for entry in fs::read_dir(&folder).map_err(Error::io(&folder))? {
        let name = entry.map_err(Error::io(&folder))?.file_name();
        let path = Path::new(FOLDER).join(&name);
        if path.extension().is_some_and(|e| e == "ipynb")
            && !notebooks.iter().any(|(made, _)| *made == path)
            && is_marked(&root.join(&path))
        {
            extra.push(path);
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
                refuse_includes(chapter, prose)?;
                for text in sections(&prose.text) {
                    cells.markdown(&links.rewrite(&chapter.path, text));
                }
            }
            Item::Cell(cell) => {
                number += 1;
                cells.code(
                    &format!("cell-{number}"),
                    &cell.source(),
                    cell.expects_error,
                );
            }
            Item::Kernel(item) => {
                cells.code(&format!("kernel-{}", item.kernel.id), &item.source(), false);
            }
        }
    }
    let notebook = v4::Notebook {
        metadata: metadata(chapter),
        nbformat: 4,
        nbformat_minor: 5,
        cells: cells.cells,
    };
    nbformat::serialize_notebook(&nbformat::Notebook::V4(notebook)).map_err(|error| {
        let place = Place {
            file: chapter.file.clone(),
            line: 1,
        };
        Error::chapter(place, format!("it does not become a notebook: {error}"))
    })
}

/// mdBook's own directives have no meaning in a notebook.
fn refuse_includes(chapter: &Chapter, prose: &Prose) -> Result<()> {
    for (at, _) in prose.text.match_indices("{{#") {
        let before = &prose.text[..at];
        let in_code = before[before.rfind('\n').map_or(0, |n| n + 1)..].contains('`');
        if !in_code && !before.ends_with('\\') {
            let line = prose.line + before.matches('\n').count();
            let place = Place {
                file: chapter.file.clone(),
                line,
            };
            let problem = "a chapter with cells cannot use mdBook's `{{#…}}`: its notebook would show it as it is";
            return Err(Error::chapter(place, problem));
        }
    }
    Ok(())
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

/// The cells of a notebook as it grows. Their ids follow from what they are, so that an edit of one
/// leaves the others' alone.
#[derive(Default)]
struct Cells {
    cells: Vec<v4::Cell>,
    ids: BTreeSet<String>,
    last_code: String,
}

impl Cells {
    fn markdown(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let heading = text.lines().next().filter(|line| line.starts_with('#'));
        let name = match heading.map(|line| slug(line.trim_start_matches('#'))) {
            Some(slug) if slug.bytes().any(|b| b.is_ascii_alphanumeric()) => slug,
            _ if self.last_code.is_empty() => "opening".to_owned(),
            _ => format!("after-{}", self.last_code),
        };
        let id = self.id(&name);
        let source = lines(text);
        self.cells.push(v4::Cell::Markdown {
            id,
            metadata: v4::CellMetadata::default(),
            source,
            attachments: None,
        });
    }

    fn code(&mut self, name: &str, source: &str, expects_error: bool) {
        let id = self.id(name);
        self.last_code = id.as_str().to_owned();
        let mut metadata = v4::CellMetadata::default();
        if expects_error {
            // Jupyter's own tag: a run of all cells goes on past this one.
            metadata.tags = Some(vec!["raises-exception".to_owned()]);
        }
        self.cells.push(v4::Cell::Code {
            id,
            metadata,
            execution_count: None,
            source: lines(source.trim_end_matches('\n')),
            outputs: Vec::new(),
        });
    }

    /// An id that no other cell has: the name, with a number where it is taken.
    fn id(&mut self, name: &str) -> v4::CellId {
        let name: String = name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '_' {
                    c
                } else {
                    '-'
                }
            })
            .take(56)
            .collect();
        let mut id = name.clone();
        let mut number = 1;
        while id.is_empty() || !self.ids.insert(id.clone()) {
            number += 1;
            id = format!("{name}-{number}");
        }
        // 1 to 64 ASCII letters, digits, `_` and `-`: what the format allows.
        v4::CellId::new(&id).expect("a valid cell id")
    }
}

fn lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

fn metadata(chapter: &Chapter) -> v4::Metadata {
    let chapter = chapter.file.to_string_lossy().replace('\\', "/");
    v4::Metadata {
        kernelspec: Some(v4::KernelSpec {
            display_name: "Rust".to_owned(),
            name: "rust".to_owned(),
            language: Some("rust".to_owned()),
            additional: Default::default(),
        }),
        language_info: Some(v4::LanguageInfo {
            name: "Rust".to_owned(),
            version: Some(String::new()),
            codemirror_mode: Some(v4::CodemirrorMode::String("rust".to_owned())),
            additional: [
                ("file_extension".to_owned(), json!(".rs")),
                ("mimetype".to_owned(), json!("text/rust")),
                ("pygment_lexer".to_owned(), json!("rust")),
            ]
            .into(),
        }),
        authors: None,
        additional: [(MARK.to_owned(), json!({ "chapter": chapter }))].into(),
    }
}
