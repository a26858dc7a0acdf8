//! Members of objects: those behind `.` and `->`, and those of the object that a member function runs on.

use super::Lower;
use super::origins::member_origin;
use super::scope::Binding;
use super::values::{Form, Typed};
use crate::diagnostics::{Reported, Res, an};
use crate::ir::{Origin, Value};
use crate::source::Span;
use crate::syntax::Expr;
use crate::types::{Kind, StructId, Type};

impl Lower<'_> {
    /// The object before `.` or `->`. Members of `threadIdx` and its like are read one by one.
    pub(super) fn member_object(&mut self, object: &Expr, is_arrow: bool) -> Res<Typed> {
        let typed = self.expr(object)?;
        if !is_arrow {
            if let Kind::Pointer(to) = &typed.ty.kind
                && to.is_struct()
            {
                let help = "write `->` instead of `.`";
                return Err(self.sink.error_help(
                    object.span,
                    "this is a pointer to an object",
                    help,
                ));
            }
            return Ok(typed);
        }
        let mut typed = self.decayed(typed);
        while let Kind::Struct(id) = typed.ty.kind
            && self.member_binding(id, "operator->").is_some()
        {
            typed = self.call_operator(&typed, "operator->", Vec::new(), object.span)?;
            typed = self.decayed(typed);
            self.work += 1;
            if self.work > crate::limits::WORK {
                break;
            }
        }
        match typed.ty.kind.clone() {
            Kind::Pointer(to) => {
                let address = self.rvalue(&typed, object.span)?;
                Ok(Typed::place((*to).clone(), address))
            }
            _ => {
                let name = self.spelled(&typed.ty);
                let help = "write `.` instead of `->`";
                Err(self
                    .sink
                    .error_help(object.span, format!("{} is no pointer", an(&name)), help))
            }
        }
    }

    pub(super) fn member_of(&mut self, object: &Typed, name: &str, span: Span) -> Res<Typed> {
        let Kind::Struct(id) = object.ty.kind else {
            let of = self.spelled(&object.ty);
            let message = format!("{} has no members", an(&of));
            return Err(match no_member_help(&object.ty) {
                "" => self.sink.error(span, message),
                help => self.sink.error_help(span, message, help),
            });
        };
        let Some(field) = self.field(id, name) else {
            let found = self
                .member_binding(id, name)
                .map(|binding| self.thawed(binding));
            return match found {
                Some(Binding::Typed(typed)) => Ok(typed),
                Some(Binding::Symbol(symbol, ty)) => {
                    let address = self.symbol_address(symbol);
                    Ok(Typed::place(ty, address))
                }
                _ => Err(self.no_member(id, name, span)),
            };
        };
        let Form::Place(address) = object.form else {
            return Err(self.sink.error(span, "this object has no place"));
        };
        let whole = self.place_alignment(object);
        Ok(self.field_of(&object.ty, address, whole, &field))
    }

    /// A member of the object that a member function runs on.
    pub(super) fn own_field(&mut self, name: &str) -> Option<Typed> {
        let (address, id, is_const) = self.frames.last()?.this?;
        let field = self.field(id, name)?;
        let mut object = Type::new(Kind::Struct(id));
        object.is_const = is_const;
        let whole = self.structs.get(id).align;
        Some(self.field_of(&object, address, whole, &field))
    }

    /// A field of an object at an address, which is a multiple of `whole`.
    pub(super) fn field_of(
        &mut self,
        object: &Type,
        address: Value,
        whole: u64,
        field: &crate::types::Field,
    ) -> Typed {
        let at = self.builder.offset(address, field.offset);
        let mut ty = field.ty.clone();
        ty.is_const |= object.is_const;
        ty.is_volatile |= object.is_volatile;
        if let Some(bits) = field.bits {
            let form = Form::Bits(at, bits);
            let origin = Origin::default();
            return Typed { ty, form, origin };
        }
        match ty.kind {
            // A member that is a reference holds an address.
            Kind::Reference(ref to) => {
                let address = self.load_scalar(&ty, at);
                Typed::place((**to).clone(), address)
            }
            _ => {
                let origin = match object.kind {
                    Kind::Struct(id) => member_origin(id, whole, field),
                    _ => Origin::default(),
                };
                Typed::place(ty, at).at(origin)
            }
        }
    }

    pub(super) fn no_member(&mut self, id: StructId, name: &str, span: Span) -> Reported {
        let of = self.structs.get(id);
        if self.is_declared_only(id) {
            let message = format!("`{}` is declared, but not defined", of.name);
            let help = format!("write its members: `struct {} {{ … }};`", of.name);
            return self.sink.error_help(span, message, help);
        }
        let names: Vec<String> = of
            .fields
            .iter()
            .map(|field| field.name.to_string())
            .collect();
        let message = format!("`{}` has no member `{name}`", of.name);
        let near = crate::nearest::nearest(name, names.iter().map(String::as_str));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its members are {}", names.join(", ")),
        };
        self.sink.error_help(span, message, help)
    }
}

/// What to do where a member of something is wanted that is no struct.
pub(super) fn no_member_help(of: &Type) -> &'static str {
    match of.kind {
        Kind::Pointer(_) => {
            "a pointer does not know how many elements it leads to: take their number as a parameter"
        }
        Kind::Array(..) => {
            "the number of an array's elements is `sizeof(a) / sizeof(a[0])`; nothing can be appended"
        }
        _ => "",
    }
}
