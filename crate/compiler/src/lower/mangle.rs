//! The names of kernels that are made of templates, as other compilers have them in PTX (Itanium C++ ABI, *External names*).

use super::Lower;
use super::deduce::Argument;
use crate::syntax::{Function, Scalar, TemplateParameter, TypeKind, TypeSyntax};
use crate::types::{Kind, Type};
use std::fmt::Write;

/// What was written so far, and what may be referred to again.
struct Name {
    text: String,
    known: Vec<String>,
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
            name.text.push_str(&made);
        }
        if function.parameters.is_empty() {
            name.text.push('v');
        }
        name.text
    }

    fn mangled_argument(&self, argument: &Argument, name: &mut Name) {
        match argument {
            Argument::Type(ty) => {
                let made = self.mangled_type(ty, &mut name.known);
                name.text.push_str(&made);
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
                let made = again(format!("{}{of}", of.len()), &mut name.known);
                name.text.push_str(&made);
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
    ) -> String {
        let number = template_number(syntax, parameters);
        let plain = match (&syntax.kind, number) {
            (TypeKind::Pointer(to), _) => {
                let inner = self.mangled_syntax(to, parameters, known, false);
                again(format!("P{inner}"), known)
            }
            (TypeKind::Array(of, _), _) => {
                let inner = self.mangled_syntax(of, parameters, known, false);
                again(format!("P{inner}"), known)
            }
            (_, Some(0)) => again("T_".to_string(), known),
            (_, Some(number)) => again(format!("T{}_", number - 1), known),
            _ => {
                let ty = self.type_of(syntax);
                ty.map_or_else(
                    |_| "v".to_string(),
                    |ty| self.mangled_type(&ty.plain(), known),
                )
            }
        };
        match (is_outer, syntax.is_const) {
            (false, true) => again(format!("K{plain}"), known),
            _ => plain,
        }
    }

    fn mangled_type(&self, ty: &Type, known: &mut Vec<String>) -> String {
        let plain = match &ty.kind {
            Kind::Scalar(scalar) => letter(*scalar).to_string(),
            Kind::Pointer(to) => {
                let inner = self.mangled_type(to, known);
                again(format!("P{inner}"), known)
            }
            _ => {
                let name = self.structs.spelled(&ty.plain());
                let plain: String = name
                    .chars()
                    .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
                    .collect();
                again(format!("{}{plain}", plain.len()), known)
            }
        };
        match ty.is_const {
            true => again(format!("K{plain}"), known),
            false => plain,
        }
    }
}

/// Which parameter of the template a type is.
fn template_number(syntax: &TypeSyntax, parameters: &[TemplateParameter]) -> Option<usize> {
    let TypeKind::Path(path) = &syntax.kind else {
        return None;
    };
    let [part] = &path.parts[..] else { return None };
    let is_it = |parameter: &TemplateParameter| *parameter.name() == part.name;
    parameters.iter().position(is_it)
}

/// A part of a name, or where it stood before.
fn again(text: String, known: &mut Vec<String>) -> String {
    match known.iter().position(|other| *other == text) {
        Some(0) => "S_".to_string(),
        Some(at) => {
            let digit = char::from_digit(at as u32 - 1, 36).unwrap_or('z');
            format!("S{}_", digit.to_ascii_uppercase())
        }
        None => {
            known.push(text.clone());
            text
        }
    }
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
