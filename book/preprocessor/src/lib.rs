//! Finds the cells of the book's chapters, runs them in evcxr, embeds their outputs in the pages
//! and writes the chapters as notebooks. Knows evcxr, mdBook and nbformat; knows no GPU.
//!
//! One chapter has one model ([`chapter::Chapter`]); the page, the session that runs its cells and
//! the notebook are all derived from it.

mod book;
mod cache;
pub mod chapter;
mod error;
mod jupyter;
pub mod kernels;
mod links;
mod notebook;
mod options;
mod outcome;
mod page;
mod preprocess;
mod runtime;
mod serve;
mod session;
mod toolchain;
mod watch;
mod worker;

pub use book::build_book;
pub use error::{CellFailure, Error, Place, Result};
pub use jupyter::{
    JupyterCell, JupyterOptions, JupyterPlan, JupyterReport, execute_notebook, execute_plan,
};
pub use notebook::{Stale, check_notebooks, write_notebooks};
pub use options::{BookOptions, BuildReport, Progress};
pub use outcome::{CellOutput, CellStatus};
pub use preprocess::{preprocess_stdin, supports};
pub use runtime::runtime_hook;
pub use serve::{ServeEvent, ServeOptions, serve_book};
pub use worker::cell_worker_main;

#[cfg(test)]
mod tests;
