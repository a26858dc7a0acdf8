//! Finds the cells of the book's chapters, runs them in evcxr, embeds their outputs in the pages
//! and writes the chapters as notebooks. Knows evcxr, mdBook and nbformat; knows no GPU.
//!
//! One chapter has one model ([`chapter::Chapter`]); the page, the session that runs its cells and
//! the notebook are all derived from it.

mod book;
mod cache;
pub mod chapter;
mod covered;
mod error;
mod exercise_page;
pub mod exercises;
mod glossary;
mod hasher;
mod jupyter;
pub mod kernels;
mod keys;
mod library;
mod links;
mod lists;
mod literal;
mod markdown;
mod news;
mod notebook;
mod options;
mod outcome;
mod outputs;
mod page;
mod place;
mod preprocess;
mod preview;
mod prose;
mod prose_check;
mod question;
mod question_page;
mod record;
mod recorded;
mod runtime;
mod scratch;
mod scripts;
mod serve;
mod session;
mod share;
mod site;
mod splitter;
mod stored;
mod toolchain;
pub mod values;
mod watch;
mod worker;

pub use book::build_book;
pub use covered::{Coverage, coverage};
pub use error::{CellFailure, Error, Place, Result};
pub use jupyter::{
    JupyterCell, JupyterOptions, JupyterPlan, JupyterReport, execute_notebooks, execute_plan,
    try_kernel,
};
pub use notebook::{KERNEL, Stale, check_notebooks, language_info, source_text, write_notebooks};
pub use options::{BookOptions, BuildReport, Progress};
pub use outcome::{CellOutput, CellStatus};
pub use preprocess::{preprocess_stdin, supports};
pub use prose::{FilledValue, ProseReport};
pub use prose_check::check_prose;
pub use record::{check_stored, record_cells};
pub use runtime::{LATE_ERROR, Note, OBSERVE, end_with_parent, parted, runtime_hook, take_end};
pub use scratch::{copy_compiled, prepare_scratch, scratch_target};
pub use serve::{ServeEvent, ServeOptions, serve_book};
pub use site::PageServer;
pub use stored::{Provenance, StaleOutputs, StoredReport};
pub use worker::{cell_worker_main, compile_message, is_noise};

#[cfg(test)]
mod tests;
