//! The names of kernels that are made of templates, as other compilers have them in PTX (Itanium C++ ABI, *External names*).

use super::Lower;
use super::deduce::Argument;
use crate::syntax::{
    ExprKind, Function, Path, Scalar, TemplateArgument, TemplateParameter, TypeKind, TypeSyntax,
};
use crate::types::{Kind, Type};
use std::fmt::Write;

/// What was written so far, and what may be referred to again.
struct Name {
    text: String,
    known: Vec<String>,
}

/// A part of a name: as it is written here, and in full, which says whether it stood before.
struct Part {
    text: String,
    full: String,
}

impl Part {
    fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let full = text.clone();
        Self { text, full }
    }

    /// With a letter before it.
    fn of(letter: char, inner: &Self) -> Self {
        Self {
            text: format!("{letter}{}", inner.text),
            full: format!("{letter}{}", inner.full),
        }
    }
}

/// `5first7counter` for `first::counter`.
fn measured(name: &str) -> String {
    let parts = name.split("::");
    parts.map(|part| format!("{}{part}", part.len())).collect()
}

/// `_ZN5first7counterE` for `first::counter`. A name without a namespace stays as it is.
pub(super) fn in_ptx(name: &str) -> String {
    match name.contains("::") {
        true => format!("_ZN{}E", measured(name)),
        false => name.to_string(),
    }
}

impl Lower<'_> {
    /// `_Z5scaleIfLi3EEvPKT_PS0_j` for `scale<float, 3>`.
    pub(super) fn mangled(&mut self, function: &Function, arguments: &[Argument]) -> String {
        let is_nested = function.name.contains("::");
        let (begin, end) = if is_nested { ("N", "E") } else { ("", "") };
        let mut name = Name {
            text: format!("_Z{begin}{}I", measured(&function.name)),
            known: vec![String::new()],
        };
        for argument in arguments {
            self.mangled_argument(argument, &mut name);
        }
        name.text.push('E');
        name.text.push_str(end);
        name.text.push('v');
        let parameters = function.template.clone().unwrap_or_default();
        for parameter in &function.parameters {
            let made = self.mangled_syntax(&parameter.ty, &parameters, &mut name.known, true);
            if parameter.packs.is_some() {
                name.text.push_str("Dp");
            }
            name.text.push_str(&made.text);
        }
        if function.parameters.is_empty() {
            name.text.push('v');
        }
        name.text
    }

    /// `_Z4fillPfi` for `fill(float*, int)`, which is no template.
    pub(super) fn mangled_plain(&mut self, function: &Function) -> String {
        let is_nested = function.name.contains("::");
        let (begin, end) = if is_nested { ("N", "E") } else { ("", "") };
        let mut text = format!("_Z{begin}{}{end}", measured(&function.name));
        let mut known = Vec::new();
        for parameter in &function.parameters {
            let made = self.mangled_syntax(&parameter.ty, &[], &mut known, true);
            text.push_str(&made.text);
        }
        if function.parameters.is_empty() {
            text.push('v');
        }
        text
    }

    fn mangled_argument(&self, argument: &Argument, name: &mut Name) {
        match argument {
            Argument::Type(ty) => {
                let made = self.mangled_type(ty, &mut name.known);
                name.text.push_str(&made.text);
            }
            Argument::Value(bits, ty) => {
                let code = ty.as_integer().map_or('i', letter);
                let value = match self.structs.size(ty) {
                    4 if code == 'i' => i64::from((*bits as u32).cast_signed()),
                    _ => bits.cast_signed(),
                };
                let digits = value.unsigned_abs();
                let sign = if value < 0 { "n" } else { "" };
                let _ = write!(name.text, "L{code}{sign}{digits}E");
            }
            Argument::Functions(_) => name.text.push_str("L_E"),
            Argument::Template(of, _) => {
                let made = again(Part::new(format!("{}{of}", of.len())), &mut name.known);
                name.text.push_str(&made.text);
            }
            Argument::Pack(list) => {
                name.text.push('J');
                for argument in list {
                    self.mangled_argument(argument, name);
                }
                name.text.push('E');
            }
        }
    }

    fn mangled_syntax(
        &mut self,
        syntax: &TypeSyntax,
        parameters: &[TemplateParameter],
        known: &mut Vec<String>,
        is_outer: bool,
    ) -> Part {
        let number = template_number(syntax, parameters);
        let plain = match (&syntax.kind, number) {
            (TypeKind::Pointer(to), _) => {
                let inner = self.mangled_syntax(to, parameters, known, false);
                again(Part::of('P', &inner), known)
            }
            (TypeKind::Array(of, _), _) => {
                let inner = self.mangled_syntax(of, parameters, known, false);
                again(Part::of('P', &inner), known)
            }
            (_, Some(0)) => again(Part::new("T_"), known),
            (_, Some(number)) => again(Part::new(format!("T{}_", number - 1)), known),
            (TypeKind::Path(path), None) if depends(path, parameters) => {
                self.mangled_path(path, parameters, known)
            }
            _ => {
                let ty = self.type_of(syntax);
                ty.map_or_else(
                    |_| Part::new("v"),
                    |ty| self.mangled_type(&ty.plain(), known),
                )
            }
        };
        match (is_outer, syntax.is_const) {
            (false, true) => again(Part::of('K', &plain), known),
            _ => plain,
        }
    }

    /// `N4WideIT_E4TypeE` for `Wide<T>::Type`.
    fn mangled_path(
        &mut self,
        path: &Path,
        parameters: &[TemplateParameter],
        known: &mut Vec<String>,
    ) -> Part {
        let mut made = Part::new("");
        let mut is_new = true;
        for part in &path.parts {
            let name = measured(&part.name);
            made.text.push_str(&name);
            made.full.push_str(&name);
            let before = known.len();
            made = again(made, known);
            for (number, argument) in part.arguments.iter().flatten().enumerate() {
                let argument = match argument {
                    TemplateArgument::Type(ty) => self.mangled_syntax(ty, parameters, known, false),
                    other => mangled_value(other, parameters),
                };
                let begin = if number == 0 { "I" } else { "" };
                let _ = write!(made.text, "{begin}{}", argument.text);
                let _ = write!(made.full, "{begin}{}", argument.full);
            }
            if part.arguments.is_some() {
                made.text.push('E');
                made.full.push('E');
                made = again(made, known);
            }
            is_new = known.len() > before;
        }
        if path.parts.len() > 1 && is_new {
            made.text = format!("N{}E", made.text);
        }
        made
    }

    fn mangled_type(&self, ty: &Type, known: &mut Vec<String>) -> Part {
        let plain = match &ty.kind {
            Kind::Scalar(scalar) => Part::new(letter(*scalar)),
            Kind::Pointer(to) => {
                let inner = self.mangled_type(to, known);
                again(Part::of('P', &inner), known)
            }
            _ => {
                let name = self.structs.spelled(&ty.plain());
                let plain: String = name
                    .chars()
                    .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
                    .collect();
                again(Part::new(format!("{}{plain}", plain.len())), known)
            }
        };
        match ty.is_const {
            true => again(Part::of('K', &plain), known),
            false => plain,
        }
    }
}

/// Whether what a path names depends on a parameter of the template.
fn depends(path: &Path, parameters: &[TemplateParameter]) -> bool {
    let arguments = path.parts.iter().filter_map(|part| part.arguments.as_ref());
    arguments.flatten().any(|argument| match argument {
        TemplateArgument::Type(ty) => type_depends(ty, parameters),
        TemplateArgument::Value(value) => {
            matches!(&value.kind, ExprKind::Path(path) if number_of(path, parameters).is_some())
        }
    })
}

fn type_depends(ty: &TypeSyntax, parameters: &[TemplateParameter]) -> bool {
    match &ty.kind {
        TypeKind::Pointer(to) | TypeKind::Array(to, _) => type_depends(to, parameters),
        TypeKind::Path(path) => number_of(path, parameters).is_some() || depends(path, parameters),
        _ => false,
    }
}

/// A number, or the parameter that it is, as an argument.
fn mangled_value(argument: &TemplateArgument, parameters: &[TemplateParameter]) -> Part {
    let kind = match argument {
        TemplateArgument::Value(value) => &value.kind,
        TemplateArgument::Type(_) => return Part::new("v"),
    };
    let text = match kind {
        ExprKind::Integer(value, scalar) => format!("L{}{value}E", letter(*scalar)),
        ExprKind::Bool(value) => format!("Lb{}E", u8::from(*value)),
        ExprKind::Path(path) => match number_of(path, parameters) {
            Some(0) => "XT_E".to_string(),
            Some(number) => format!("XT{}_E", number - 1),
            None => "v".to_string(),
        },
        _ => "v".to_string(),
    };
    Part::new(text)
}

/// Which parameter of the template a type is.
fn template_number(syntax: &TypeSyntax, parameters: &[TemplateParameter]) -> Option<usize> {
    let TypeKind::Path(path) = &syntax.kind else {
        return None;
    };
    number_of(path, parameters)
}

fn number_of(path: &Path, parameters: &[TemplateParameter]) -> Option<usize> {
    let [part] = &path.parts[..] else { return None };
    let is_it = |parameter: &TemplateParameter| *parameter.name() == part.name;
    parameters.iter().position(is_it)
}

/// A part of a name, or where it stood before.
fn again(part: Part, known: &mut Vec<String>) -> Part {
    let text = match known.iter().position(|other| *other == part.full) {
        Some(0) => "S_".to_string(),
        Some(at) => {
            let digit = char::from_digit(at as u32 - 1, 36).unwrap_or('z');
            format!("S{}_", digit.to_ascii_uppercase())
        }
        None => {
            known.push(part.full.clone());
            part.text
        }
    };
    Part { text, ..part }
}

fn letter(scalar: Scalar) -> char {
    match scalar {
        Scalar::Void => 'v',
        Scalar::Bool => 'b',
        Scalar::Char => 'c',
        Scalar::SChar => 'a',
        Scalar::UChar => 'h',
        Scalar::Short => 's',
        Scalar::UShort => 't',
        Scalar::Int => 'i',
        Scalar::UInt => 'j',
        Scalar::Long => 'l',
        Scalar::ULong => 'm',
        Scalar::LongLong => 'x',
        Scalar::ULongLong => 'y',
        Scalar::Float => 'f',
        Scalar::Double => 'd',
    }
}
