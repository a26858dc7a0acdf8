//! Runs the cells of a chapter: makes them one program, compiles it against the library that cargo has built, runs it, and turns what
//! comes back into a verdict. Each of these steps has a file of its own; what is kept of the outputs is the caller's.

use crate::artefacts::Artefacts;
use crate::chapter::{Chapter, Runnable};
use crate::error::{CellFailure, Error, Place, Result};
use crate::execution::{Event, run};
use crate::options::BookOptions;
use crate::outcome::{CellOutput, CellStatus};
use crate::program::Program;
use crate::rustc::{Compiled, compile};
use cornerturn_basics::cell_error::{CellError, told};
use cornerturn_basics::same_answer;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Where the programs are, below the project's root.
const PROGRAMS: &str = "target/book/programs";

/// What is told while a chapter's cells run.
pub(crate) enum Step<'a> {
    /// The program is compiled.
    Compiled(f64),
    /// The cell runs.
    Begun(&'a Runnable),
    /// The cell has ended as its chapter says.
    Ended(&'a Runnable, CellOutput),
}

/// Runs the cells of chapters: programs in earnest, something simpler in tests.
pub(crate) trait CellRunner: Send {
    /// Makes ready what every chapter needs: once for each build in which one runs, for all runners.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    fn prepare(&mut self, options: &BookOptions) -> Result<()>;

    /// Runs a chapter's cells in order and tells of each.
    ///
    /// # Errors
    ///
    /// The first cell that does not end as its chapter says, or what `tell` gives.
    fn run(
        &mut self,
        options: &BookOptions,
        chapter: &Chapter,
        cells: &[Runnable],
        tell: &mut dyn FnMut(Step) -> Result<()>,
    ) -> Result<()>;
}

/// Makes each chapter a program and runs it.
#[derive(Clone, Default)]
pub(crate) struct Programs {
    /// What the programs are linked with, the same for all that run beside one another.
    library: Arc<Mutex<Artefacts>>,
}

impl Programs {
    fn library(&self) -> MutexGuard<'_, Artefacts> {
        self.library.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CellRunner for Programs {
    /// Has cargo build the library where it is not as its sources say.
    fn prepare(&mut self, options: &BookOptions) -> Result<()> {
        let library = Artefacts::of_project(&options.root)?;
        *self.library() = library;
        Ok(())
    }

    fn run(
        &mut self,
        options: &BookOptions,
        chapter: &Chapter,
        cells: &[Runnable],
        tell: &mut dyn FnMut(Step) -> Result<()>,
    ) -> Result<()> {
        let Some(first) = cells.first() else {
            return Ok(());
        };
        let library = self.library().clone();
        let files = Files::of(&options.root, chapter)?;
        let mut run = ChapterRun {
            options,
            chapter,
            cells,
            first,
            files,
            decided: BTreeMap::new(),
            told: BTreeSet::new(),
        };
        // A cell that must fail may do so by not compiling, or by ending the program. It is then left out of it, and what it
        // gave is known; each round leaves out one at least.
        while !run.round(&library, tell)? {}
        Ok(())
    }
}

/// The files of one chapter's program; the compiled one is removed when this is dropped, as each holds the library.
struct Files {
    source: PathBuf,
    binary: PathBuf,
}

impl Files {
    fn of(root: &Path, chapter: &Chapter) -> Result<Files> {
        let folder = root.join(PROGRAMS);
        fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let name = chapter
            .path
            .with_extension("")
            .to_string_lossy()
            .into_owned();
        let name = name.replace(['/', '\\', ' '], "-");
        Ok(Files {
            source: folder.join(format!("{name}.rs")),
            binary: folder
                .join(name)
                .with_extension(std::env::consts::EXE_EXTENSION),
        })
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // It may not have been compiled.
        let _ = fs::remove_file(&self.binary);
    }
}

/// A chapter whose cells are being run.
struct ChapterRun<'a> {
    options: &'a BookOptions,
    chapter: &'a Chapter,
    cells: &'a [Runnable],
    first: &'a Runnable,
    files: Files,
    /// What is known of cells that are not in the program, by their numbers.
    decided: BTreeMap<usize, CellOutput>,
    /// The cells that were told of: another round runs them again.
    told: BTreeSet<usize>,
}

impl<'a> ChapterRun<'a> {
    /// Compiles and runs the program of the cells that nothing is known of yet. Tells whether all is known then.
    fn round(
        &mut self,
        library: &Artefacts,
        tell: &mut dyn FnMut(Step) -> Result<()>,
    ) -> Result<bool> {
        let open = self.cells.iter();
        let open = open.filter(|cell| !self.decided.contains_key(&cell.number));
        let open: Vec<&Runnable> = open.collect();
        if open.is_empty() {
            return self.tell_decided(usize::MAX, tell).map(|()| true);
        }
        let program = Program::of(&open).map_err(|(cell, line, failure)| {
            failed(self.chapter, self.cell(cell), line - 1, failure)
        })?;
        let start = Instant::now();
        if !self.compile(&program, library)? {
            return Ok(false);
        }
        tell(Step::Compiled(start.elapsed().as_secs_f64()))?;
        let mut outcome = Ok(());
        let mut command = self.command();
        let ran = run(&mut command, self.options.cell_timeout, &mut |event| {
            outcome = self.event(event, &program, tell);
            outcome.is_ok()
        });
        outcome?;
        match ran {
            Ok(()) => self.tell_decided(usize::MAX, tell).map(|()| true),
            Err(broken) => {
                let cell = self.cell(broken.cell);
                match broken.output {
                    Some(output) if cell.expects_error => {
                        self.decided.insert(cell.number, output);
                        Ok(false)
                    }
                    _ => Err(failed(self.chapter, cell, 0, broken.failure)),
                }
            }
        }
    }

    /// Tells whether it is compiled; if not, cells that must fail do so by that.
    fn compile(&mut self, program: &Program, library: &Artefacts) -> Result<bool> {
        let Files { source, binary } = &self.files;
        fs::write(source, &program.text).map_err(Error::io(source))?;
        let refused = match compile(program, library, source, binary)? {
            Compiled::Done => return Ok(true),
            Compiled::Broken(reason) => {
                return Err(Error::Program {
                    chapter: self.chapter.file.clone(),
                    reason,
                });
            }
            Compiled::Refused(errors) => errors,
        };
        let mut by_cell: BTreeMap<usize, Vec<CellError>> = BTreeMap::new();
        for (cell, error) in refused {
            by_cell.entry(cell).or_default().push(error);
        }
        for (number, errors) in by_cell {
            let cell = self.cell(number);
            let (line, message) = told(&errors, &cell.source);
            let status = CellStatus::Compile { line, message };
            let output = CellOutput::of_status(status);
            verdict(self.chapter, cell, &output, None)?;
            self.decided.insert(number, output);
        }
        Ok(false)
    }

    fn command(&self) -> Command {
        let root = &self.options.root;
        let folder = root.join("notebooks");
        let mut command = Command::new(&self.files.binary);
        command
            .current_dir(if folder.is_dir() { &folder } else { root })
            .env("CORNERTURN_HOME", root)
            // Through generated code it tells a reader nothing.
            .env("RUST_BACKTRACE", "0")
            .env("RUST_LIB_BACKTRACE", "0");
        command
    }

    fn event(
        &mut self,
        event: Event,
        program: &Program,
        tell: &mut dyn FnMut(Step) -> Result<()>,
    ) -> Result<()> {
        match event {
            Event::Begun(number) if self.told.contains(&number) => Ok(()),
            Event::Begun(number) => {
                self.tell_decided(number, tell)?;
                tell(Step::Begun(self.cell(number)))
            }
            Event::Ended(number, output, line) => {
                let cell = self.cell(number);
                let line = line.and_then(|line| program.place(line));
                let line = line.filter(|(of, _)| *of == number).map(|(_, line)| line);
                verdict(self.chapter, cell, &output, line)?;
                self.ended(number, output, tell)
            }
        }
    }

    fn ended(
        &mut self,
        number: usize,
        output: CellOutput,
        tell: &mut dyn FnMut(Step) -> Result<()>,
    ) -> Result<()> {
        match self.told.insert(number) {
            true => tell(Step::Ended(self.cell(number), output)),
            false => Ok(()),
        }
    }

    /// Tells of the cells before this one that are not in the program.
    fn tell_decided(
        &mut self,
        before: usize,
        tell: &mut dyn FnMut(Step) -> Result<()>,
    ) -> Result<()> {
        let decided = self.decided.range(..before);
        let decided: Vec<_> = decided
            .map(|(number, output)| (*number, output.clone()))
            .collect();
        for (number, output) in decided {
            self.ended(number, output, tell)?;
        }
        Ok(())
    }

    /// The cell of a number; before any has begun, the first.
    fn cell(&self, number: usize) -> &'a Runnable {
        let mut cells = self.cells.iter();
        cells
            .find(|cell| cell.number == number)
            .unwrap_or(self.first)
    }
}

/// Whether a cell ended as its chapter says, and the error that names its place if not: the line in it, from 1, where that is known.
pub(crate) fn verdict(
    chapter: &Chapter,
    cell: &Runnable,
    output: &CellOutput,
    line: Option<usize>,
) -> Result<()> {
    let mut line = line.unwrap_or(1) - 1;
    let failure = match &output.status {
        CellStatus::Ok => undecided(cell, output),
        CellStatus::Compile { line: at, message } => {
            line = at.unwrap_or(1) - 1;
            Some(CellFailure::Compile(message.trim_end().to_owned()))
        }
        CellStatus::Panic => Some(CellFailure::Panic(output.stderr.trim_end().to_owned())),
        CellStatus::Err => Some(CellFailure::Err(output.stderr.trim_end().to_owned())),
        CellStatus::Crash { message } => {
            let stderr = output.stderr.trim_end();
            Some(CellFailure::Crash(
                format!("{stderr}\n{message}").trim().to_owned(),
            ))
        }
        CellStatus::Session { message } => Some(CellFailure::Session(message.clone())),
    };
    match failure {
        None if cell.expects_error => Err(failed(chapter, cell, 0, CellFailure::Unexpected)),
        Some(failure) if !cell.expects_error || matches!(failure, CellFailure::Session(_)) => {
            Err(failed(chapter, cell, line, failure))
        }
        _ => Ok(()),
    }
}

/// What is wrong with what a question printed, if it is one: one of its keys is what it must print.
fn undecided(cell: &Runnable, output: &CellOutput) -> Option<CellFailure> {
    let printed = output.stdout.trim();
    let is_key = cell.keys.iter().any(|key| same_answer(key, printed));
    (!cell.keys.is_empty() && !is_key).then(|| CellFailure::Undecided {
        printed: printed.to_owned(),
        keys: cell.keys.join(", "),
    })
}

/// The error of a cell, at a line of its code counted from 0.
pub(crate) fn failed(
    chapter: &Chapter,
    cell: &Runnable,
    line: usize,
    failure: CellFailure,
) -> Error {
    let line = if cell.lines_match {
        cell.line + line
    } else {
        cell.line
    };
    Error::Cell {
        chapter: chapter.title.clone(),
        place: Place {
            file: chapter.file.clone(),
            line,
        },
        cell: cell.number,
        failure,
    }
}
