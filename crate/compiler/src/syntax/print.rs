//! The syntax tree as text, for who looks into the compiler: a line for each declaration and statement, with its place; expressions
//! in brackets, the operator first. Nothing reads it back.

mod declarations;
mod expressions;
mod types;

use super::{Item, Loop, Stmt, StmtKind, Unroll};
use crate::source::{Lines, Span};
use std::fmt::Write;

/// What the source itself declares; what is of built-in headers is left out.
pub(crate) fn tree(items: &[Item], lines: &Lines<'_>) -> String {
    let mut printer = Printer {
        text: String::new(),
        depth: 0,
        lines,
    };
    for item in items {
        printer.item(item);
    }
    printer.text
}

struct Printer<'a> {
    text: String,
    depth: usize,
    lines: &'a Lines<'a>,
}

impl Printer<'_> {
    /// A line, with the place where what it tells of begins.
    fn line(&mut self, span: Span, words: &str) {
        let place = match span.is_header() {
            true => String::new(),
            false => {
                let (line, column) = self.lines.place(span.start);
                format!("{line}:{column}")
            }
        };
        let _ = write!(self.text, "{place:8}");
        self.text.extend(std::iter::repeat_n("  ", self.depth));
        self.text.push_str(words.trim_end());
        self.text.push('\n');
    }

    /// What stands below the line before.
    fn inside(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    /// A line, and the statement below it.
    fn part(&mut self, word: &str, stmt: &Stmt) {
        self.line(stmt.span, word);
        self.inside(|printer| printer.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Empty => self.line(span, "empty"),
            StmtKind::Expr(expr) => self.line(span, &expressions::expr(expr)),
            StmtKind::Declare(variables) => {
                for variable in variables {
                    self.variable(variable);
                }
            }
            StmtKind::Block(stmts) => {
                self.line(span, "block");
                self.inside(|printer| stmts.iter().for_each(|stmt| printer.stmt(stmt)));
            }
            StmtKind::Unpack(names, variable) => {
                self.line(span, &format!("unpack {}", names.join(" ")));
                self.inside(|printer| printer.variable(variable));
            }
            StmtKind::If { .. } => self.branch(stmt),
            StmtKind::Loop(body) => self.repeated(span, body),
            StmtKind::Each(each) => {
                let list = expressions::expr(&each.list);
                self.line(span, &format!("for each of {list}"));
                self.inside(|printer| printer.stmt(&each.by_index));
            }
            StmtKind::Shared(stmt) => self.stmt(stmt),
            StmtKind::Switch(init, value, body) => {
                self.line(span, &format!("switch {}", expressions::expr(value)));
                self.inside(|printer| {
                    if let Some(init) = init {
                        printer.part("first", init);
                    }
                    printer.stmt(body);
                });
            }
            StmtKind::Types(ty) => self.types(ty),
            _ => {
                let words = small(stmt);
                self.line(span, &words);
            }
        }
    }

    fn branch(&mut self, stmt: &Stmt) {
        let StmtKind::If {
            is_constexpr,
            init,
            condition,
            then,
            otherwise,
        } = &stmt.kind
        else {
            return;
        };
        let word = if *is_constexpr { "if constexpr" } else { "if" };
        let words = format!("{word} {}", expressions::expr(condition));
        self.line(stmt.span, &words);
        self.inside(|printer| {
            if let Some(init) = init {
                printer.part("first", init);
            }
            printer.part("then", then);
            if let Some(otherwise) = otherwise {
                printer.part("else", otherwise);
            }
        });
    }

    fn repeated(&mut self, span: Span, body: &Loop) {
        let unroll = match &body.unroll {
            Unroll::Free => String::new(),
            Unroll::Full => " !unroll".to_string(),
            Unroll::Count(count) => format!(" !unroll {}", expressions::expr(count)),
        };
        let word = if body.is_body_first { "do" } else { "loop" };
        self.line(span, &format!("{word}{unroll}"));
        self.inside(|printer| {
            if let Some(init) = &body.init {
                printer.part("first", init);
            }
            for (word, expr) in [("while", &body.condition), ("step", &body.step)] {
                if let Some(expr) = expr {
                    let words = format!("{word} {}", expressions::expr(expr));
                    printer.line(expr.span, &words);
                }
            }
            printer.stmt(&body.body);
        });
    }
}

/// A statement that is one line.
fn small(stmt: &Stmt) -> String {
    match &stmt.kind {
        StmtKind::Label(name) => format!("label {name}"),
        StmtKind::Goto(name) => format!("goto {name}"),
        StmtKind::Case(value) => format!("case {}", expressions::expr(value)),
        StmtKind::Default => "default".to_string(),
        StmtKind::Break => "break".to_string(),
        StmtKind::Continue => "continue".to_string(),
        StmtKind::Return(None) => "return".to_string(),
        StmtKind::Return(Some(value)) => format!("return {}", expressions::expr(value)),
        StmtKind::Alias(name, ty) => format!("using {name} = {}", types::spelled(ty)),
        StmtKind::StaticAssert(condition, _) => {
            format!("static_assert {}", expressions::expr(condition))
        }
        StmtKind::Asm(asm) => {
            let operands = asm.outputs.iter().chain(&asm.inputs);
            let operands = operands
                .map(|(constraint, expr)| format!(" ({constraint:?} {})", expressions::expr(expr)));
            let volatile = if asm.is_volatile { " volatile" } else { "" };
            let memory = match asm.clobbers_memory {
                true => " memory",
                false => "",
            };
            let operands: String = operands.collect();
            format!("asm{volatile}{memory} {:?}{operands}", asm.template)
        }
        _ => String::new(),
    }
}
