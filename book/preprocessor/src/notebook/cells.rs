//! A notebook as it grows: its cells with their ids, its metadata, and its text in the end. What goes
//! into it is `notebook`'s.

use super::edited::{DIGEST, MARK, digest};
use crate::chapter::{Cell, Chapter};
use crate::error::{Error, Place, Result};
use crate::links::slug;
use cornerturn_basics::notebook::LANGUAGE_INFO;
use nbformat::v4;
use serde_json::Value;
use std::collections::BTreeSet;

/// What the notebooks' kernel is called where a reader sees it.
pub const KERNEL: &str = "Rust (Corner Turn)";

/// The cells of a notebook as it grows. Their ids follow from what they are, so that an edit of one
/// leaves the others' alone.
#[derive(Default)]
pub(super) struct Cells {
    cells: Vec<v4::Cell>,
    ids: BTreeSet<String>,
    last_code: String,
}

impl Cells {
    /// Adds Markdown, if it is not empty.
    pub(super) fn markdown(&mut self, text: &str) {
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

    /// Adds code; `name` becomes the cell's id.
    pub(super) fn code(&mut self, name: &str, source: &str) {
        self.marked_code(name, source, false, false);
    }

    /// The same, out of sight until a reader opens it.
    pub(super) fn folded(&mut self, name: &str, source: &str) {
        self.marked_code(name, source, false, true);
    }

    /// Adds a chapter's cell with its marks.
    pub(super) fn cell(&mut self, name: &str, cell: &Cell) {
        let folded = cell.summary.is_some();
        self.marked_code(name, &cell.source(), cell.expects_error, folded);
    }

    fn marked_code(&mut self, name: &str, source: &str, expects_error: bool, folded: bool) {
        let id = self.id(name);
        self.last_code = id.as_str().to_owned();
        let mut metadata = v4::CellMetadata::default();
        if expects_error {
            // Jupyter's own tag: a run of all cells goes on past this one.
            metadata.tags = Some(vec!["raises-exception".to_owned()]);
        }
        if folded {
            // JupyterLab shows three dots in the place of the code; a click opens it.
            metadata.jupyter = Some(v4::JupyterCellMetadata {
                source_hidden: Some(true),
                outputs_hidden: None,
                additional: Default::default(),
            });
        }
        self.cells.push(v4::Cell::Code {
            id,
            metadata,
            execution_count: None,
            source: lines(source.trim_end_matches('\n')),
            outputs: Vec::new(),
        });
    }

    /// The text of the notebook, which was made from `chapter`. `mark` says so in it.
    pub(super) fn written(self, chapter: &Chapter, mark: Value) -> Result<String> {
        let place = Place {
            file: chapter.file.clone(),
            line: 1,
        };
        let failed = |error: &dyn std::fmt::Display| {
            Error::chapter(
                place.clone(),
                format!("it does not become a notebook: {error}"),
            )
        };
        let written = |mark| {
            let notebook = v4::Notebook {
                metadata: metadata(mark),
                nbformat: 4,
                nbformat_minor: 5,
                cells: self.cells.clone(),
            };
            nbformat::serialize_notebook(&nbformat::Notebook::V4(notebook))
                .map_err(|error| failed(&error))
        };
        // As somebody else will read it.
        let read: Value =
            serde_json::from_str(&written(mark.clone())?).map_err(|error| failed(&error))?;
        let mut mark = mark;
        mark[DIGEST] = digest(&read).into();
        written(mark)
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

fn metadata(mark: Value) -> v4::Metadata {
    v4::Metadata {
        kernelspec: Some(v4::KernelSpec {
            // As the kernel is called that `lab` sets up: JupyterLab would write it in.
            display_name: KERNEL.to_owned(),
            name: "rust".to_owned(),
            language: Some("rust".to_owned()),
            additional: Default::default(),
        }),
        // Infallible: both are written here, and a test reads them.
        language_info: serde_json::from_str(LANGUAGE_INFO).ok(),
        authors: None,
        additional: [(MARK.to_owned(), mark)].into(),
    }
}
