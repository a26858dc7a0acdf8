//! A chapter's cells as one ordinary Rust program: its text, and which of its lines is which line of which cell. A cell's
//! names are seen by those after it, as in a notebook. Compiles nothing and runs nothing.

use crate::chapter::Runnable;
use crate::error::CellFailure;
use std::collections::BTreeSet;
use syn::parse::Parser as _;
use syn::spanned::Spanned as _;
use syn::{Block, MacroDelimiter, Stmt};

/// What is before the cells.
const PROLOGUE: &str = include_str!("program/prologue.rs");

/// What stands for evcxr's commands: `:dep` names the library, which is there already.
const DEPENDENCY: &str = ":dep ";

/// A chapter's program.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// Its text.
    pub(crate) text: String,
    /// The crates that its cells name as dependencies.
    pub(crate) crates: BTreeSet<String>,
    /// For each of its lines the number of the cell and the line in it, from 1, if it is one of a cell's.
    lines: Vec<Option<(usize, usize)>>,
}

impl Program {
    /// The program of these cells. A cell that must fail is apart: it ends neither the program nor the names before it.
    ///
    /// # Errors
    ///
    /// A cell with a command of evcxr's that a program has not, and its line from 1.
    pub(crate) fn of(cells: &[&Runnable]) -> Result<Program, (usize, usize, CellFailure)> {
        let mut program = Program::default();
        program.push(PROLOGUE);
        program.push(
            "fn main() {\n    cornerturn_cells::start();\n    cornerturn_cells::guarded(cells);\n}\n\n\
             fn cells() -> ::std::result::Result<(), cornerturn_cells::Failed> {\n\
             #[allow(unused_imports)]\nuse cornerturn_cells::Shown as _;\n",
        );
        for cell in cells {
            // Within the block of the one before: so a later cell may give a name to something else.
            program.push(&format!("{{\ncornerturn_cells::begin({});\n", cell.number));
            if cell.expects_error {
                program.push(
                    "if cornerturn_cells::guarded(|| -> ::std::result::Result<(), cornerturn_cells::Failed> {\n",
                );
            }
            program.push_cell(cell)?;
            program.push(match cell.expects_error {
                true => "Ok(())\n}) {\ncornerturn_cells::end();\n}\n",
                false => "cornerturn_cells::end();\n",
            });
        }
        program.push(&"}\n".repeat(cells.len()));
        program.push("Ok(())\n}\n");
        Ok(program)
    }

    /// The number of the cell, and the line in it, that this line of the program is; both from 1.
    pub(crate) fn place(&self, line: usize) -> Option<(usize, usize)> {
        *self.lines.get(line.checked_sub(1)?)?
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.lines.extend(text.lines().map(|_| None));
    }

    /// Adds part of a cell, whose first line is this one of it, with a newline behind it.
    fn push_part(&mut self, cell: &Runnable, first_line: usize, text: &str) {
        for (line, text) in (first_line..).zip(text.split_inclusive('\n')) {
            self.text.push_str(text);
            self.lines.push(Some((cell.number, line)));
        }
        if !text.is_empty() && !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn push_cell(&mut self, cell: &Runnable) -> Result<(), (usize, usize, CellFailure)> {
        let (source, crates) = without_commands(cell)?;
        self.crates.extend(crates);
        match last_expression(&source) {
            None => {
                self.push_part(cell, 1, &source);
                self.push(";\n");
            }
            Some(from) => {
                let (before, shown) = source.split_at(from);
                let line = 1 + before.matches('\n').count();
                let column = before.rsplit('\n').next().unwrap_or_default();
                self.push_part(cell, 1, before);
                self.push("(\n");
                // In its own column, so that rustc's words are about the cell's.
                let indent = " ".repeat(column.chars().count());
                self.push_part(cell, line, &format!("{indent}{shown}"));
                self.push(").evcxr_display();\n");
            }
        }
        Ok(())
    }
}

/// The code of a cell, and the crates that its first lines name as dependencies: those lines are left empty.
fn without_commands(cell: &Runnable) -> Result<(String, Vec<String>), (usize, usize, CellFailure)> {
    let mut crates = Vec::new();
    let mut code = String::with_capacity(cell.source.len());
    let mut rest = cell.source.as_str();
    for (number, line) in (1..).zip(cell.source.split_inclusive('\n')) {
        let command = line.trim_end();
        let is_command = command.starts_with(':');
        if !is_command && !command.is_empty() && !command.starts_with("//") {
            break;
        }
        let dependency = command.strip_prefix(DEPENDENCY);
        if let Some(dependency) = dependency {
            let name = dependency.split('=').next().unwrap_or_default();
            crates.push(name.trim().replace('-', "_"));
        } else if is_command {
            let problem = format!(
                "`{command}` is a command of evcxr's; on a page only `:dep` may stand in a cell"
            );
            return Err((cell.number, number, CellFailure::Compile(problem)));
        }
        code.push_str(if is_command { "\n" } else { line });
        rest = &rest[line.len()..];
    }
    code.push_str(rest);
    Ok((code, crates))
}

/// Where the last expression of a cell begins, if it ends with one: its value is shown. What is no Rust has none, and
/// rustc says why.
fn last_expression(source: &str) -> Option<usize> {
    let statements = Block::parse_within.parse_str(source).ok()?;
    let last = statements.last()?;
    let is_shown = match last {
        Stmt::Expr(_, semicolon) => semicolon.is_none(),
        Stmt::Macro(call) => {
            call.semi_token.is_none() && !matches!(call.mac.delimiter, MacroDelimiter::Brace(_))
        }
        Stmt::Local(_) | Stmt::Item(_) => false,
    };
    let start = last.span().start();
    is_shown.then(|| offset(source, start.line, start.column))?
}

/// The byte of a place that is given by its line, from 1, and the characters before it in that line.
fn offset(source: &str, line: usize, column: usize) -> Option<usize> {
    let mut at = 0;
    for (number, text) in (1..).zip(source.split_inclusive('\n')) {
        if number == line {
            let before: usize = text.chars().take(column).map(char::len_utf8).sum();
            return Some(at + before);
        }
        at += text.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(number: usize, source: &str) -> Runnable {
        Runnable {
            number,
            source: source.to_owned(),
            line: 1,
            lines_match: true,
            expects_error: false,
            kernel: None,
            keys: Vec::new(),
        }
    }

    #[test]
    fn the_last_expression_is_found_as_evcxr_finds_it() {
        for (source, shown) in [
            ("let a = 1;\n", None),
            ("let a = 1; a", Some("a")),
            ("let a = 1;\na\n", Some("a\n")),
            ("f()?", Some("f()?")),
            (
                "for i in 0..3 { g(i); }\n",
                Some("for i in 0..3 { g(i); }\n"),
            ),
            ("for i in 0..3 { g(i); };\n", None),
            ("struct A;\n", None),
            ("use a::b;\n", None),
            ("println!(\"ä\"); format!(\"x\")", Some("format!(\"x\")")),
            ("println!(\"x\");", None),
            ("let s = \"é\"; s", Some("s")),
            ("if a { 1 } else { 2 }", Some("if a { 1 } else { 2 }")),
            ("let = ", None),
            ("", None),
        ] {
            let found = last_expression(source).map(|at| &source[at..]);
            assert_eq!(found, shown, "{source}");
        }
    }

    #[test]
    fn each_line_of_the_program_knows_its_cell() {
        let cells = [
            cell(1, "// A.\n:dep x = \"1\"\nlet a = 1;\n"),
            cell(2, "let b =\n  2; a + b\n"),
        ];
        let cells: Vec<&Runnable> = cells.iter().collect();
        let program = Program::of(&cells).expect("a program");
        let places: Vec<_> = (1..=program.lines.len())
            .filter_map(|line| Some((program.place(line)?, program.text.lines().nth(line - 1)?)))
            .collect();
        assert_eq!(
            places,
            [
                ((1, 1), "// A."),
                ((1, 2), ""),
                ((1, 3), "let a = 1;"),
                ((2, 1), "let b ="),
                ((2, 2), "  2; "),
                ((2, 2), "     a + b"),
            ]
        );
        assert_eq!(program.lines.len(), program.text.lines().count());
        assert_eq!(program.place(0), None);
        assert_eq!(program.crates, BTreeSet::from(["x".to_owned()]));
    }

    #[test]
    fn other_commands_of_evcxr_are_refused_with_their_line() {
        let cells = [cell(3, ":dep a = \"1\"\n:opt 2\nlet a = 1;\n")];
        let cells: Vec<&Runnable> = cells.iter().collect();
        let (cell, line, failure) = Program::of(&cells).expect_err("no command");
        assert_eq!((cell, line), (3, 2));
        assert!(failure.to_string().contains("`:opt 2`"), "{failure}");
    }
}
