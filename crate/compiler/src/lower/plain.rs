//! Which statements copies of an iteration may have in them, by how they are written: no jumps out, no names of types, nothing that is kept.

use crate::syntax::{
    Expr, ExprKind, Init, Path, Stmt, StmtKind, Storage, TypeKind, TypeSyntax, Variable,
};

/// Whether a statement has nothing in it but numbers, elements, members, calls and `asm`.
pub(super) fn is_plain(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Empty => true,
        StmtKind::Asm(asm) => {
            let mut operands = asm.outputs.iter().chain(&asm.inputs);
            operands.all(|(_, expr)| is_plain_expr(expr))
        }
        StmtKind::Expr(expr) => is_plain_expr(expr),
        StmtKind::Declare(list) => list.iter().all(is_plain_variable),
        StmtKind::Block(list) => list.iter().all(is_plain),
        StmtKind::If {
            init: None,
            condition,
            then,
            otherwise,
            ..
        } => {
            let otherwise = otherwise.iter().all(|otherwise| is_plain(otherwise));
            is_plain_expr(condition) && is_plain(then) && otherwise
        }
        StmtKind::Loop(of) => {
            let head = [&of.condition, &of.step].into_iter().flatten();
            !of.has_labels
                && of.init.iter().all(is_plain)
                && head.into_iter().all(is_plain_expr)
                && is_plain(&of.body)
        }
        _ => false,
    }
}

fn is_plain_variable(variable: &Variable) -> bool {
    let is_kept = variable.is_static || variable.is_constexpr || variable.align.is_some();
    let init = match &variable.init {
        Init::None => true,
        Init::Value(expr) => is_plain_expr(expr),
        Init::Brackets(list) | Init::Braces(list) => list.iter().all(is_plain_expr),
    };
    variable.storage == Storage::Plain && !is_kept && is_plain_type(&variable.ty) && init
}

fn is_plain_type(ty: &TypeSyntax) -> bool {
    match &ty.kind {
        TypeKind::Scalar(_) | TypeKind::Auto => true,
        TypeKind::Path(path) => is_plain_path(path),
        TypeKind::Pointer(of) | TypeKind::Reference(of) => is_plain_type(of),
        TypeKind::Array(of, count) => {
            is_plain_type(of) && count.iter().all(|count| is_plain_expr(count))
        }
        _ => false,
    }
}

fn is_plain_path(path: &Path) -> bool {
    path.parts.iter().all(|part| part.arguments.is_none())
}

fn is_plain_expr(expr: &Expr) -> bool {
    use ExprKind::{
        Assign, Binary, Bool, Call, Cast, Character, Comma, Conditional, Floating, Index, Integer,
        Member, Path, Unary,
    };
    match &expr.kind {
        Integer(..) | Floating(..) | Character(_) | Bool(_) => true,
        Path(path) => is_plain_path(path),
        Unary(_, inner) => is_plain_expr(inner),
        Member(inner, part, _) => part.arguments.is_none() && is_plain_expr(inner),
        Cast(_, ty, inner) => is_plain_type(ty) && is_plain_expr(inner),
        Binary(_, a, b) | Assign(_, a, b) | Comma(a, b) | Index(a, b) => {
            is_plain_expr(a) && is_plain_expr(b)
        }
        Conditional(a, b, c) => [a, b, c].into_iter().all(|part| is_plain_expr(part)),
        Call(callee, list) => {
            // The message of `assert` is an object of the module.
            let is_assert = matches!(&callee.kind, Path(path)
                if path.parts[0].name.as_ref() == "assert");
            !is_assert && is_plain_expr(callee) && list.iter().all(is_plain_expr)
        }
        _ => false,
    }
}
