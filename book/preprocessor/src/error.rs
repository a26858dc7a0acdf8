//! Everything that can go wrong between a chapter and its page or notebook, each with its place and
//! the next step. The words are here; what notices the error is elsewhere.

pub use crate::place::Place;
use crate::values::ProseProblem;
use cornerturn_basics::system::GET_C_TOOLCHAIN;
use std::path::PathBuf;

/// A result with this package's error.
pub type Result<T> = std::result::Result<T, Error>;

/// How a cell failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CellFailure {
    /// rustc refused it, or it has a command of evcxr's that pages have not.
    #[error("it does not compile:\n{0}")]
    Compile(String),
    /// It panicked.
    #[error("it panicked:\n{0}")]
    Panic(String),
    /// A `?` met an error.
    #[error("`?` met an error:\n{0}")]
    Err(String),
    /// The process that ran it ended: a crash, an abort or an exit.
    #[error("the process that ran it ended:\n{0}")]
    Crash(String),
    /// It used the processor for longer than it may.
    #[error("it was still running after {0:.0} s of the processor's time, and was ended")]
    Timeout(f64),
    /// It did nothing for so long.
    #[error(
        "it has done nothing for {0:.0} s, as if it waited for what does not come, and was ended"
    )]
    Idle(f64),
    /// It printed more than is read.
    #[error("it printed more than {0} bytes, and was ended")]
    Output(usize),
    /// It is marked as a cell that must fail, and it did not.
    #[error("it is marked `error` and succeeded: remove the mark, or make it fail again")]
    Unexpected,
    /// It decides a question, and gave what is none of the choices.
    #[error("it decides a question, and none of its choices is `{printed}`; there are: {keys}")]
    Undecided {
        /// What it printed.
        printed: String,
        /// The choices' keys.
        keys: String,
    },
    /// It could not be run, or a notebook would lose some of what it gives.
    #[error("it could not be run:\n{0}")]
    Session(String),
}

/// What can go wrong between a chapter and its page or notebook.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A cell that should have run did not, or one that should have failed did not.
    #[error("{place}: cell {cell} of “{chapter}” failed: {failure}")]
    Cell {
        /// The chapter's title.
        chapter: String,
        /// The line that failed where it is known, else the cell's first.
        place: Place,
        /// The cell's number in its chapter, from 1.
        cell: usize,
        /// What happened.
        failure: CellFailure,
    },
    /// The program of a chapter's cells cannot be compiled, for a reason that is in none of them.
    #[error("{}: its cells could not be compiled:\n{reason}", chapter.display())]
    Program {
        /// The chapter's file.
        chapter: PathBuf,
        /// What rustc said.
        reason: String,
    },
    /// The library that cells use does not compile.
    #[error("the library that cells use does not compile: cargo says why above")]
    Library,
    /// A chapter is not written as it must be.
    #[error("{place}: {problem}")]
    Chapter {
        /// Where.
        place: Place,
        /// What is wrong and how to mend it.
        problem: String,
    },
    /// Values in prose have no number, or statements no longer hold.
    #[error("{}", lines(.0))]
    Prose(Vec<ProseProblem>),
    /// `{{#kernel ID}}` names no kernel of the registry.
    #[error("{place}: no kernel `{id}` in kernels/kernels.toml; it has: {known}")]
    UnknownKernel {
        /// Where.
        place: Place,
        /// The name asked for.
        id: String,
        /// The names that exist.
        known: String,
    },
    /// The registry, or a file that it names, is missing or broken.
    #[error("{}: {problem}", file.display())]
    Registry {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Stored outputs of cells cannot be read, or are not what their place says.
    #[error(
        "{}: {problem}; take the file from the project's history, or delete it and run \
         `cornerturn record --cells` on that GPU",
        file.display()
    )]
    Stored {
        /// The file, relative to the project's root.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Cells were to be recorded of a chapter that does not exist, or has none.
    #[error(
        "no chapter with cells is called `{0}`; the name is that of its file in book/src, without `.md`, as `padding` or `workshop/padding`"
    )]
    NoSuchChapter(String),
    /// Two chapters would become one notebook.
    #[error("{} and {} both become notebooks/{name}: rename one", first.display(), second.display())]
    SameNotebook {
        /// One chapter.
        first: PathBuf,
        /// The other chapter.
        second: PathBuf,
        /// The notebook's file name.
        name: String,
    },
    /// Notebooks that would be written anew were changed by somebody.
    #[error("{}", edited(.0))]
    Edited(Vec<PathBuf>),
    /// There is no Rust toolchain to compile cells with.
    #[error(
        "cells are compiled with rustc and cargo, and `{0}` was not found: install Rust from https://rustup.rs"
    )]
    ToolMissing(&'static str),
    /// There is nothing to link the cells' programs with.
    #[error(
        "cells are linked with `cc`, which was not found: install a C toolchain ({GET_C_TOOLCHAIN})"
    )]
    LinkerMissing,
    /// The book's configuration is not as it must be.
    #[error("{0}")]
    Config(String),
    /// mdBook could not load or render the book.
    #[error("mdBook: {0}")]
    Book(String),
    /// The Jupyter run could not be made, or did not end as planned.
    #[error("{notebook}: {problem}")]
    Jupyter {
        /// The notebook's file name.
        notebook: String,
        /// What happened.
        problem: String,
    },
    /// The pages could not be served.
    #[error(transparent)]
    Site(#[from] cornerturn_site::Error),
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

fn lines(problems: &[ProseProblem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

impl Error {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { path, source }
    }

    pub(crate) fn chapter(place: Place, problem: impl Into<String>) -> Error {
        Error::Chapter {
            place,
            problem: problem.into(),
        }
    }

    /// Gives back the error that this package's preprocessor handed to mdBook, or wraps mdBook's.
    pub(crate) fn from_mdbook(error: anyhow::Error) -> Error {
        error
            .downcast::<Error>()
            .unwrap_or_else(|error| Error::Book(format!("{error:#}")))
    }
}

fn edited(notebooks: &[PathBuf]) -> String {
    let names: Vec<String> = notebooks
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    format!(
        "changed since they were written, and left as they are: {}. A notebook of your own belongs into another folder \
         (`cargo lab` opens copies in my-notebooks/): move it there, or delete it, and run this again",
        names.join(", ")
    )
}
