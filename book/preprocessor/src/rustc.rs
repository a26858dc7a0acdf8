//! Compiles a chapter's program with rustc, and says of what rustc refuses in which cell it is and where. What the program
//! is linked with is `artefacts`'; runs nothing that it compiles.

use crate::artefacts::{Artefacts, LIBRARY};
use crate::error::{Error, Result};
use crate::program::Program;
use cornerturn_basics::cell_error::{CellError, CellSpan};
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

/// The file that a program says it is, as a notebook's cells do: no reader sees its lines, so the library tells none of them.
const CELL: &str = "cell/src/lib.rs";

/// What rustc made of a program.
#[derive(Debug)]
pub(crate) enum Compiled {
    /// It is there.
    Done,
    /// It is refused for these errors, each with the number of its cell.
    Refused(Vec<(usize, CellError)>),
    /// It could not be compiled for a reason that is in no cell.
    Broken(String),
}

/// Compiles the program, which stands in `source`, to `binary`.
///
/// # Errors
///
/// If rustc does not start, or finds nothing to link with.
pub(crate) fn compile(
    program: &Program,
    artefacts: &Artefacts,
    source: &Path,
    binary: &Path,
) -> Result<Compiled> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc
        .args(["--edition=2024", "--crate-name=chapter", "--crate-type=bin"])
        .args(["-Copt-level=0", "-Cdebuginfo=0", "-Cdebug-assertions=on"])
        // A cell is read by people; what it does not use is its business.
        .args(["--cap-lints=allow", "--error-format=json"])
        .arg("--remap-path-prefix")
        .arg(joined(source, CELL))
        .arg(source)
        .arg("-o")
        .arg(binary);
    let is_named = |name: &str| name == LIBRARY || program.crates.contains(name);
    for (name, path) in &artefacts.crates {
        let Some(path) = path.as_ref().filter(|_| is_named(name)) else {
            continue;
        };
        rustc.arg("--extern").arg(joined(name.as_ref(), path));
    }
    for folder in &artefacts.folders {
        rustc.arg("-L").arg(joined("dependency".as_ref(), folder));
    }
    for folder in &artefacts.native {
        rustc.arg("-L").arg(folder);
    }
    let output = rustc.stdin(Stdio::null()).output();
    let output = output.map_err(|_| Error::ToolMissing("rustc"))?;
    if output.status.success() {
        return Ok(Compiled::Done);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("linker `cc` not found") {
        return Err(Error::LinkerMissing);
    }
    Ok(refused(program, &said))
}

/// `a=b`, as rustc takes pairs.
fn joined(a: &Path, b: impl AsRef<OsStr>) -> OsString {
    let mut pair = a.as_os_str().to_owned();
    pair.push("=");
    pair.push(b);
    pair
}

/// What rustc said, in its form for programs.
fn refused(program: &Program, said: &str) -> Compiled {
    let messages: Vec<Message> = said
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|message: &Message| message.level.starts_with("error"))
        .collect();
    let in_cells: Vec<_> = messages
        .iter()
        .filter_map(|message| message.in_cell(program))
        .collect();
    if !in_cells.is_empty() {
        return Compiled::Refused(in_cells);
    }
    let rendered: Vec<&str> = messages
        .iter()
        .filter_map(|message| message.rendered.as_deref())
        .map(str::trim_end)
        .collect();
    let reason = match rendered.is_empty() {
        true => said.trim_end().to_owned(),
        false => rendered.join("\n"),
    };
    Compiled::Broken(reason)
}

/// One of rustc's messages.
#[derive(Deserialize)]
struct Message {
    message: String,
    code: Option<Code>,
    level: String,
    #[serde(default)]
    spans: Vec<Span>,
    #[serde(default)]
    children: Vec<Message>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    line_start: usize,
    line_end: usize,
    column_start: usize,
    column_end: usize,
    is_primary: bool,
    label: Option<String>,
    expansion: Option<Box<Expansion>>,
}

/// The place of the macro's call that a span comes from.
#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

impl Message {
    /// The message as one of a cell, with the cell's number.
    fn in_cell(&self, program: &Program) -> Option<(usize, CellError)> {
        let primary = self.spans.iter().filter(|span| span.is_primary);
        let (cell, primary) = primary.filter_map(|span| span.in_cell(program)).next()?;
        let help = self.children.iter().filter(|child| child.level == "help");
        let error = CellError {
            level: self.level.clone(),
            code: self.code.as_ref().map(|code| code.code.clone()),
            message: self.message.clone(),
            primary: Some(primary),
            help: help.map(|child| child.message.clone()).collect(),
            rendered: self.rendered.clone().unwrap_or_default(),
        };
        Some((cell, error))
    }
}

impl Span {
    fn in_cell(&self, program: &Program) -> Option<(usize, CellSpan)> {
        let Some((cell, line)) = program.place(self.line_start) else {
            return self.expansion.as_ref()?.span.in_cell(program);
        };
        let last = program.place(self.line_end);
        let span = CellSpan {
            label: self.label.clone().unwrap_or_default(),
            start_line: line,
            start_column: self.column_start,
            end_line: last.map_or(line, |(_, line)| line),
            end_column: self.column_end,
        };
        Some((cell, span))
    }
}
