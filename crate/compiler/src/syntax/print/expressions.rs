//! Expressions of the syntax tree as text: in brackets, the operator first.

use super::types::{arguments, path, spelled};
use crate::syntax::{Binary, Expr, ExprKind, Fold, New, Part, Unary};

pub(super) fn expr(of: &Expr) -> String {
    match &of.kind {
        ExprKind::Integer(value, _) => value.to_string(),
        ExprKind::Floating(value, _) => format!("{value:?}"),
        ExprKind::Character(byte) => format!("'{}'", byte.escape_ascii()),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Null => "nullptr".to_string(),
        ExprKind::Text(bytes) => format!("\"{}\"", bytes.escape_ascii()),
        ExprKind::Path(named) => path(named),
        ExprKind::This => "this".to_string(),
        ExprKind::Unary(operator, of) => list(unary(*operator), [&**of]),
        ExprKind::Binary(operator, a, b) => list(binary(*operator), [&**a, b]),
        ExprKind::Assign(operator, to, value) => {
            let word = format!("{}=", operator.map_or("", binary));
            list(&word, [&**to, value])
        }
        ExprKind::Conditional(condition, yes, no) => list("?", [&**condition, yes, no]),
        ExprKind::Comma(a, b) => list(",", [&**a, b]),
        ExprKind::Call(callee, values) => list("call", std::iter::once(&**callee).chain(values)),
        ExprKind::Index(of, at) => list("[]", [&**of, at]),
        ExprKind::Member(of, named, is_arrow) => {
            let word = if *is_arrow { "->" } else { "." };
            format!("({word} {} {})", expr(of), part(named))
        }
        ExprKind::List(values) => list("{}", values),
        ExprKind::Fold(fold) => folded(fold),
        ExprKind::PackSize(name) => format!("(sizeof... {name})"),
        ExprKind::New(made) => new(made),
        ExprKind::Delete(of) => list("delete", [&**of]),
        ExprKind::Expand(_, of) => list("...", [&**of]),
        ExprKind::Nth(_, at, of) => list(&format!("...[{at}]"), [&**of]),
        ExprKind::SizeOf(of) => list("sizeof", [&**of]),
        ExprKind::Lambda(lambda) => {
            let takes = lambda.function.parameters.iter();
            let takes: Vec<String> = takes.map(super::types::parameter).collect();
            format!("(lambda ({}))", takes.join(", "))
        }
        _ => of_type(of),
    }
}

/// An expression with a type in it.
fn of_type(of: &Expr) -> String {
    match &of.kind {
        ExprKind::Cast(name, ty, value) => {
            let word = if name.is_empty() { "cast" } else { name };
            list(&format!("{word}<{}>", spelled(ty)), [&**value])
        }
        ExprKind::Construct(ty, values, is_braces) => {
            let word = if *is_braces { "make{}" } else { "make" };
            list(&format!("{word}<{}>", spelled(ty)), values)
        }
        ExprKind::SizeOfType(ty) => format!("(sizeof {})", spelled(ty)),
        ExprKind::AlignOfType(ty) => format!("(alignof {})", spelled(ty)),
        _ => String::new(),
    }
}

fn list<'a>(word: &str, of: impl IntoIterator<Item = &'a Expr>) -> String {
    let mut text = format!("({word}");
    for value in of {
        text.push(' ');
        text.push_str(&expr(value));
    }
    text.push(')');
    text
}

fn part(part: &Part) -> String {
    let list = part.arguments.as_ref().map(|list| arguments(list));
    format!("{}{}", part.name, list.unwrap_or_default())
}

fn folded(fold: &Fold) -> String {
    let word = format!("fold {}", fold.operator.map_or(",", binary));
    let values = std::iter::once(&fold.pattern).chain(&fold.init);
    list(&word, values)
}

fn new(made: &New) -> String {
    let values = made.place.iter().chain(&made.count);
    let values = values.chain(made.values.iter().flatten());
    list(&format!("new<{}>", spelled(&made.ty)), values)
}

fn unary(operator: Unary) -> &'static str {
    match operator {
        Unary::Plus => "+",
        Unary::Minus => "-",
        Unary::Not => "!",
        Unary::Complement => "~",
        Unary::Deref => "*",
        Unary::Address => "&",
        Unary::Increment => "++_",
        Unary::Decrement => "--_",
        Unary::IncrementAfter => "_++",
        Unary::DecrementAfter => "_--",
    }
}

fn binary(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::LogicalAnd => "&&",
        Binary::LogicalOr => "||",
    }
}
