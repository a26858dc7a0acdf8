//! What functions give back: the type where it follows from the value, and a warning where some way ends without one.

use super::Lower;
use super::values::Typed;
use super::variable_types::is_of_auto;
use super::variable_types::pointer_of;
use crate::diagnostics::Res;
use crate::source::Span;
use crate::syntax::{ExprKind, Function, Stmt, StmtKind, TypeKind, TypeSyntax};
use crate::types::{Kind, Type};
use std::rc::Rc;

/// Functions behind which nothing comes.
const ENDS: [&str; 4] = [
    "__trap",
    "__builtin_unreachable",
    "__builtin_trap",
    "assert",
];

/// Whether a result's type follows from the value: `auto`, `auto&`, `const auto*`.
pub(super) fn is_deduced(returns: &TypeSyntax) -> bool {
    match &returns.kind {
        TypeKind::Reference(to) => is_of_auto(to),
        _ => is_of_auto(returns),
    }
}

impl Lower<'_> {
    /// Whether the function at hand returns `auto&`.
    pub(super) fn returns_auto_reference(&mut self) -> bool {
        let function = self.frame().function.clone();
        function.is_some_and(|function| matches!(&function.returns.kind, TypeKind::Reference(_)))
    }

    /// The type of a result that follows from the value.
    pub(super) fn deduced_result(&mut self, typed: &Typed, span: Span) -> Res<Type> {
        let function = self.frame().function.clone();
        let syntax = function.as_ref().map(|function| &function.returns);
        match syntax.map(|syntax| (syntax, &syntax.kind)) {
            Some((_, TypeKind::Reference(to))) => {
                let mut of = typed.ty.clone();
                of.is_const |= to.is_const;
                Ok(Type::new(Kind::Reference(Rc::new(of))))
            }
            Some((syntax, TypeKind::Pointer(_))) => {
                let of = self.decayed(typed.clone()).ty.plain();
                match pointer_of(syntax, &of) {
                    Some(ty) => Ok(ty),
                    None => Err(self.no_pointer(&of, span)),
                }
            }
            _ => Ok(self.decayed(typed.clone()).ty.plain()),
        }
    }

    /// Warns, once, of a function with a result whose end can be reached without one.
    pub(super) fn check_returned(&mut self, function: &Function) {
        let is_own = !function.span.is_header() && function.body.is_some();
        let reaches_end = function.body.as_ref().is_some_and(reaches_end);
        let is_told = |one: &crate::diagnostics::Diagnostic| one.span == function.end;
        if is_own && reaches_end && !self.sink.list.iter().any(is_told) {
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
    matches!(condition, Some(ExprKind::Bool(true)))
        || matches!(condition, Some(ExprKind::Integer(number, _)) if *number != 0)
}
