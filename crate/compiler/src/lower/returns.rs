//! Functions that end without a value on some way, which is told as a warning.

use super::Lower;
use crate::syntax::{ExprKind, Function, Stmt, StmtKind};

/// Functions behind which nothing comes.
const ENDS: [&str; 4] = ["__trap", "__builtin_unreachable", "__builtin_trap", "assert"];

impl Lower<'_> {
    /// Warns, once, of a function with a result whose end can be reached without one.
    pub(super) fn check_returned(&mut self, function: &Function) {
        let is_own = !function.span.is_header() && function.body.is_some();
        let reaches_end = function.body.as_ref().is_some_and(reaches_end);
        if is_own && reaches_end && self.without_return.insert(function.span.start) {
            let message = format!("`{}` can end without `return`", function.name);
            let help = "what it gives is not defined then: return a value on each way";
            self.sink.warn(function.end, message, help);
        }
    }
}

/// Whether control may come behind a statement, as far as its form tells; where that does not, it may not.
fn reaches_end(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Block(list) => list.last().is_none_or(reaches_end),
        StmtKind::Shared(of) => reaches_end(of),
        StmtKind::If {
            is_constexpr: false,
            then,
            otherwise,
            ..
        } => match otherwise {
            Some(otherwise) => reaches_end(then) || reaches_end(otherwise),
            None => true,
        },
        StmtKind::Expr(of) => match &of.kind {
            ExprKind::Call(callee, _) => match &callee.kind {
                ExprKind::Path(path) => {
                    let last = path.parts.last();
                    last.is_none_or(|last| !ENDS.contains(&&*last.name))
                }
                _ => true,
            },
            _ => true,
        },
        StmtKind::Loop(of) => of.condition.is_some() && !of.is_body_first && !is_true(of),
        StmtKind::Declare(_) | StmtKind::Each(_) => true,
        _ => false,
    }
}

fn is_true(of: &crate::syntax::Loop) -> bool {
    let condition = of.condition.as_ref().map(|condition| &condition.kind);
    matches!(condition, Some(ExprKind::Bool(true))) || matches!(condition, Some(ExprKind::Integer(number, _)) if *number != 0)
}
