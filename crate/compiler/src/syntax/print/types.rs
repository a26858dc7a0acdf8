//! Types of the syntax tree as text, as C++ spells them, but what a type leads to first.

use super::expressions::expr;
use crate::syntax::{Parameter, Path, Scalar, TemplateArgument, TypeKind, TypeSyntax};

pub(super) fn spelled(ty: &TypeSyntax) -> String {
    let mut text = match &ty.kind {
        TypeKind::Scalar(scalar) => word(*scalar).to_string(),
        TypeKind::Path(named) => path(named),
        TypeKind::Auto => "auto".to_string(),
        TypeKind::Decltype(of) => format!("decltype{}", bracketed(&expr(of))),
        TypeKind::Pointer(to) => format!("{}*", spelled(to)),
        TypeKind::Reference(to) => {
            let and = if ty.is_rvalue { "&&" } else { "&" };
            format!("{}{and}", spelled(to))
        }
        TypeKind::Array(of, None) => format!("{}[]", spelled(of)),
        TypeKind::Array(of, Some(count)) => format!("{}[{}]", spelled(of), expr(count)),
        TypeKind::Function(signature) => {
            let takes: Vec<String> = signature.parameters.iter().map(parameter).collect();
            format!("{}({})", spelled(&signature.returns), takes.join(", "))
        }
        TypeKind::Struct(of) => format!("struct {}", of.name),
        TypeKind::Enum(of) => format!("enum {}", of.name.as_deref().unwrap_or("")),
        TypeKind::Expand(_, of) => format!("{}...", spelled(of)),
        TypeKind::Nth(_, at, of) => format!("{}...[{at}]", spelled(of)),
    };
    let words = [
        (ty.is_const, " const"),
        (ty.is_volatile, " volatile"),
        (ty.is_restrict, " __restrict__"),
    ];
    for (is, word) in words {
        if is {
            text.push_str(word);
        }
    }
    text
}

/// Its type and its name.
pub(super) fn parameter(parameter: &Parameter) -> String {
    let name = parameter.name.as_deref().unwrap_or("");
    let default = parameter.default.as_ref();
    let default = default.map_or(String::new(), |value| format!(" = {}", expr(value)));
    let pack = if parameter.packs.is_some() { "..." } else { "" };
    let text = format!("{}{pack} {name}{default}", spelled(&parameter.ty));
    text.trim_end().to_string()
}

pub(super) fn path(path: &Path) -> String {
    let part = |part: &crate::syntax::Part| match &part.arguments {
        Some(list) => format!("{}{}", part.name, arguments(list)),
        None => part.name.to_string(),
    };
    let parts: Vec<String> = path.parts.iter().map(part).collect();
    parts.join("::")
}

/// `<float, 4>`.
pub(super) fn arguments(list: &[TemplateArgument]) -> String {
    let argument = |argument: &TemplateArgument| match argument {
        TemplateArgument::Type(ty) => spelled(ty),
        TemplateArgument::Value(value) => expr(value),
    };
    let list: Vec<String> = list.iter().map(argument).collect();
    format!("<{}>", list.join(", "))
}

/// In brackets, once.
fn bracketed(text: &str) -> String {
    match text.starts_with('(') {
        true => text.to_string(),
        false => format!("({text})"),
    }
}

fn word(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Void => "void",
        Scalar::Bool => "bool",
        Scalar::Char => "char",
        Scalar::SChar => "signed char",
        Scalar::UChar => "unsigned char",
        Scalar::Short => "short",
        Scalar::UShort => "unsigned short",
        Scalar::Int => "int",
        Scalar::UInt => "unsigned",
        Scalar::Long => "long",
        Scalar::ULong => "unsigned long",
        Scalar::LongLong => "long long",
        Scalar::ULongLong => "unsigned long long",
        Scalar::Float => "float",
        Scalar::Double => "double",
    }
}
