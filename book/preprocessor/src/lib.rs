//! Finds the cells of the book's chapters, runs each chapter's as one program, embeds their outputs in the pages
//! and writes the chapters as notebooks. Knows rustc, mdBook and nbformat; knows no GPU and no evcxr.
//!
//! One chapter has one model ([`chapter::Chapter`]); the page, the program that runs its cells and
//! the notebook are all derived from it.

mod access;
mod artefacts;
mod book;
mod cache;
mod cells;
pub mod chapter;
mod error;
mod execution;
mod exercise_page;
pub mod exercises;
mod expected;
mod glossary;
mod hasher;
mod index;
mod jupyter;
pub mod kernels;
mod keys;
mod library;
mod lighter;
mod links;
mod listing;
mod lists;
mod literal;
mod markdown;
mod notebook;
mod options;
mod outcome;
mod outputs;
mod page;
mod place;
mod preprocess;
mod preview;
mod program;
mod prose;
mod prose_check;
mod question;
mod question_page;
mod record;
mod recorded;
mod rectangles;
mod rustc;
mod scripts;
mod serve;
mod share;
mod splitter;
mod stored;
pub mod values;
mod watch;

pub use book::build_book;
pub use cornerturn_site::PageServer;
pub use error::{CellFailure, Error, Place, Result};
pub use expected::{Expected, expected};
pub use jupyter::{
    JupyterCell, JupyterOptions, JupyterPlan, JupyterReport, execute_notebooks, execute_plan,
    try_kernel,
};
pub use library::library_sources;
pub use notebook::{KERNEL, Stale, check_notebooks, source_text, write_notebooks};
pub use options::{BookOptions, BuildReport, Progress};
pub use outcome::{CellOutput, CellStatus};
pub use preprocess::{preprocess_stdin, supports};
pub use prose::{FilledValue, ProseReport};
pub use prose_check::check_prose;
pub use record::{check_stored, record_cells};
pub use serve::{ServeEvent, ServeOptions, serve_book};
pub use stored::{Provenance, StaleOutputs, StoredReport};

#[cfg(test)]
mod tests;
