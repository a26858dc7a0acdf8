//! The types that variables are declared with: `auto` by the first value, the length of an array by its values, an alignment that is asked for.

use super::Lower;
use crate::diagnostics::{Reported, Res, an};
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Init, Storage, TypeKind, TypeSyntax, Variable};
use crate::types::{Kind, Type};
use std::rc::Rc;

impl Lower<'_> {
    /// The type that a variable is declared with, its size from its values where it has none of its own.
    pub(super) fn variable_type(&mut self, variable: &Variable) -> Res<Type> {
        let mut ty = self.type_by_value(variable)?;
        if let Kind::Array(of, 0) = &ty.kind {
            let count = self.length_by_values(variable, of)?;
            let is_const = ty.is_const;
            ty = Type::array((**of).clone(), count);
            ty.is_const = is_const;
        }
        if ty.is_void() {
            return Err(self
                .sink
                .error(variable.span, "a variable cannot be `void`"));
        }
        if let Kind::Struct(id) = ty.kind
            && self.is_declared_only(id)
        {
            return Err(self.no_member(id, "", variable.span));
        }
        if let (Kind::Array(of, count), true) = (&ty.kind, variable.is_constexpr) {
            let (mut of, count) = ((**of).clone(), *count);
            of.is_const = true;
            ty = Type::array(of, count);
            ty.is_const = true;
        }
        if let Kind::Array(of, _) = &ty.kind {
            ty.is_const |= of.is_const;
        }
        Ok(ty)
    }

    pub(super) fn asked_alignment(&mut self, asked: &Expr) -> Res<u64> {
        let (bits, _) = self.constant_integer(asked)?;
        match bits.is_power_of_two() && bits <= 65_536 {
            true => Ok(bits),
            false => Err(self
                .sink
                .error(asked.span, "an alignment is a power of two, up to 65536")),
        }
    }

    pub(super) fn alignment(&mut self, variable: &Variable, ty: &Type) -> Res<u64> {
        let own = self.structs.align(ty);
        match &variable.align {
            Some(asked) => Ok(own.max(self.asked_alignment(asked)?)),
            None => Ok(own),
        }
    }

    /// The type of a wrong declaration; of an array whose length is wrong, one of an element.
    pub(super) fn type_anyway(&mut self, ty: &TypeSyntax) -> Type {
        match (self.type_of(ty), &ty.kind) {
            (Ok(ty), _)
                if !ty.is_void() && !matches!(ty.kind, Kind::Reference(_) | Kind::Array(_, 0)) =>
            {
                ty.plain()
            }
            (_, TypeKind::Array(of, _)) => Type::new(Kind::Array(Rc::new(self.type_anyway(of)), 1)),
            _ => Type::scalar(crate::syntax::Scalar::Int),
        }
    }

    /// The type that is written, `auto` in it being what the first value is; the length of a text that an array is for.
    fn type_by_value(&mut self, variable: &Variable) -> Res<Type> {
        let init = match &variable.init {
            Init::Value(expr) => Some(expr),
            Init::Braces(list) | Init::Brackets(list) if list.len() == 1 => list.first(),
            _ => None,
        };
        Ok(match (&variable.ty.kind, init) {
            (
                TypeKind::Array(of, None),
                Some(Expr {
                    kind: ExprKind::Text(bytes),
                    ..
                }),
            ) => {
                let of = self.type_of(of)?;
                Type::array(of, bytes.len() as u64 + 1)
            }
            (TypeKind::Array(of, None), _) if matches!(of.kind, TypeKind::Auto) => {
                let Init::Braces(list) = &variable.init else {
                    return Err(self.sink.error(variable.span, "these values have no type"));
                };
                let Some(first) = list.first() else {
                    return Err(self.sink.error(variable.span, "these values have no type"));
                };
                let typed = self.aside(|lower| lower.expr(first))?;
                let mut of = self.decayed(typed).ty.plain();
                of.is_const = true;
                Type::array(of, list.len() as u64)
            }
            (TypeKind::Auto, Some(init)) => {
                let typed = self.aside(|lower| lower.expr(init))?;
                let mut ty = self.decayed(typed).ty.plain();
                ty.is_const = variable.ty.is_const;
                ty
            }
            (TypeKind::Pointer(to), Some(init)) if is_of_auto(to) => {
                let typed = self.aside(|lower| lower.expr(init))?;
                let of = self.decayed(typed).ty.plain();
                match pointer_of(&variable.ty, &of) {
                    Some(ty) => ty,
                    None => return Err(self.no_pointer(&of, init.span)),
                }
            }
            (TypeKind::Reference(to), Some(init)) if matches!(to.kind, TypeKind::Auto) => {
                let mut of = self.type_of_expr(init)?;
                of.is_const |= to.is_const;
                Type::new(Kind::Reference(Rc::new(of)))
            }
            _ => self.type_of(&variable.ty)?,
        })
    }

    /// The length of an array of which only the values are written.
    fn length_by_values(&mut self, variable: &Variable, of: &Type) -> Res<u64> {
        let count = match &variable.init {
            Init::Braces(list) => {
                let most = Type::array(of.clone(), list.len() as u64);
                self.with_braces(&most, list)?.len() as u64
            }
            _ => 0,
        };
        if count == 0 && variable.storage != Storage::ExternShared {
            return Err(self.sink.error_help(
                variable.span,
                "this array has no size",
                "write it between the brackets",
            ));
        }
        Ok(count)
    }

    /// `auto*` for what is none.
    pub(super) fn no_pointer(&mut self, ty: &Type, span: Span) -> Reported {
        let message = format!("`auto*` needs a pointer, this is {}", an(&self.spelled(ty)));
        self.sink.error_help(span, message, "write `auto` alone")
    }
}

/// Whether a type is `auto`, or a pointer to such.
pub(super) fn is_of_auto(ty: &TypeSyntax) -> bool {
    match &ty.kind {
        TypeKind::Auto => true,
        TypeKind::Pointer(to) => is_of_auto(to),
        _ => false,
    }
}

/// What `const auto*` and the like are where the value has this type; none where that is no pointer.
pub(super) fn pointer_of(syntax: &TypeSyntax, value: &Type) -> Option<Type> {
    let mut ty = match (&syntax.kind, &value.kind) {
        (TypeKind::Pointer(to), Kind::Pointer(of)) => Type::pointer(pointer_of(to, of)?),
        (TypeKind::Pointer(_), _) => return None,
        _ => value.clone(),
    };
    ty.is_const |= syntax.is_const;
    ty.is_volatile |= syntax.is_volatile;
    Some(ty)
}
