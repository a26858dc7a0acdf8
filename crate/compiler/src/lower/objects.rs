//! Objects that are no plain variables: texts, memory that a kernel asks for, functions as values, values taken apart. How
//! objects end is in `destructors`.

use super::Lower;
use super::scope::Binding;
use super::values::{Form, Typed, same_plain};
use crate::diagnostics::Res;
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Bin, Term, Ty, Value};
use crate::source::Span;
use crate::syntax::{Expr, Init, Name, New, Scalar, TypeKind, Variable};
use crate::types::{Kind, Type};

/// Of the device's heap.
const MALLOC: Id = Id::of("malloc");

impl Lower<'_> {
    /// A text: an array of characters in the module.
    #[inline(never)]
    pub(super) fn text_value(&mut self, bytes: &[u8]) -> Typed {
        let address = self.text_of(bytes);
        let mut of = Type::scalar(Scalar::Char);
        of.is_const = true;
        let mut ty = Type::array(of, bytes.len() as u64 + 1);
        ty.is_const = true;
        Typed::place(ty, address)
    }

    /// `new T`: memory from the heap, with the object in it.
    #[inline(never)]
    pub(super) fn new_object(&mut self, new: &New, span: Span) -> Res<Typed> {
        let ty = self.type_of(&new.ty)?;
        self.check_whole(&ty, span)?;
        let size = self.builder.u64(self.structs.size(&ty));
        let address = match (&new.place, &new.count) {
            (Some(place), _) => {
                let typed = self.expr(place)?;
                let mut void = Type::scalar(Scalar::Void);
                void.is_volatile = typed.ty.is_volatile;
                self.convert(&typed, &Type::pointer(void), place.span)?
            }
            (None, None) => self.intrinsic(Call::plain(MALLOC), &[Ty::B64], vec![size])[0],
            (None, Some(count)) => {
                let typed = self.expr(count)?;
                let count = self.convert(&typed, &Type::scalar(Scalar::ULong), count.span)?;
                let bytes = self.builder.bin(Bin::Mul, count, size);
                self.intrinsic(Call::plain(MALLOC), &[Ty::B64], vec![bytes])[0]
            }
        };
        let made = Typed::value(Type::pointer(ty.clone()), address);
        if self.has_destructor(&ty) && new.count.is_some() {
            let what = "an array with destructors that is made by `new`";
            return Err(self.sink.gap(span, what));
        }
        if new.count.is_some() {
            let is_plain = match ty.kind {
                Kind::Struct(id) => self.is_trivial(id),
                _ => true,
            };
            if new.values.is_some() || !is_plain {
                let what = "first values of an array that is made by `new`";
                return Err(self.sink.gap(span, what));
            }
            return Ok(made);
        }
        match (&new.values, &ty.kind) {
            (None, Kind::Struct(id)) => self.default_construct(*id, &ty, address, span)?,
            (None, _) => {}
            (Some(list), _) if new.is_braces => self.initialise_list(&ty, address, list, span)?,
            (Some(list), _) if list.is_empty() => self.begin_with_zeros(&ty, address, span)?,
            (Some(list), _) => {
                let list = self.expanded(list)?.into_owned();
                self.initialise_by(&ty, address, &Init::Brackets(list), span)?;
            }
        }
        if new.place.is_some() && self.is_polymorphic(&ty) {
            self.may_be_other(address);
        }
        Ok(made)
    }

    /// Whether something is put into an object of which its declaration says nothing.
    pub(super) fn begins_with_values(&self, ty: &Type) -> bool {
        match &ty.kind {
            Kind::Struct(id) => !self.is_trivial(*id),
            Kind::Array(of, _) => self.begins_with_values(of),
            _ => false,
        }
    }

    /// Whether an object of a struct needs nothing done when it begins.
    fn is_trivial(&self, id: crate::types::StructId) -> bool {
        let of = self.structs.get(id);
        let has_defaults = of.syntax.iter().any(|syntax| {
            let mut fields = syntax.fields.iter();
            fields.any(|field| !field.is_static && !matches!(field.init, Init::None))
        });
        let is_of_plain = |field: &crate::types::Field| self.begins_with_values(&field.ty);
        let is_plain = of.bases.is_empty()
            && of.syntax.is_some()
            && !of.fields.iter().any(is_of_plain)
            && !self.virtuals.is_known(id);
        (!self.has_constructor(id) && !has_defaults && is_plain) || of.syntax.is_none()
    }

    /// A function as a value, which is known while compiling.
    #[inline(never)]
    pub(super) fn function_value(&mut self, typed: Typed, span: Span) -> Res<Typed> {
        match &typed.form {
            Form::Functions(list) if list.len() > 1 => {
                let bodies = list.iter().filter(|one| one.function.body.is_some());
                match bodies.count() {
                    1 => Ok(typed),
                    _ => Err(self
                        .sink
                        .gap(span, "a pointer to one of several functions of a name")),
                }
            }
            Form::Functions(_) => Ok(typed),
            _ if matches!(typed.ty.kind, Kind::Closure(_)) => Ok(typed),
            _ => {
                let what = "a pointer to a function that is not known while compiling";
                Err(self.sink.gap(span, what))
            }
        }
    }

    /// `auto [a, b] = value`: names for the elements of an array or the members of a struct.
    #[inline(never)]
    pub(super) fn unpack(&mut self, names: &[Name], variable: &Variable) -> Res<()> {
        let span = variable.span;
        let init = match &variable.init {
            Init::Value(value) => value,
            Init::Braces(list) | Init::Brackets(list) if list.len() == 1 => &list[0],
            _ => return Err(self.sink.error(span, "this needs a value to take apart")),
        };
        let typed = self.expr(init)?;
        let (is_reference, is_const) = match &variable.ty.kind {
            TypeKind::Reference(to) => (true, to.is_const),
            _ => (false, variable.ty.is_const),
        };
        let mut whole = match (is_reference, &typed.form) {
            (true, Form::Place(_)) => typed,
            _ => {
                let ty = typed.ty.plain();
                let address = self.new_slot(&ty);
                self.store(&ty, address, &typed, span)?;
                Typed::place(ty, address)
            }
        };
        whole.ty.is_const |= is_const;
        let Form::Place(address) = whole.form else {
            return Err(self.sink.error(span, "this value has no parts"));
        };
        let parts: Vec<Typed> = match &whole.ty.kind {
            Kind::Array(of, count) => {
                let size = self.structs.size(of);
                let mut of = (**of).clone();
                of.is_const |= whole.ty.is_const;
                let count = (*count).min(names.len() as u64 + 1);
                let at = |lower: &mut Self, number| lower.builder.offset(address, number * size);
                (0..count)
                    .map(|number| Typed::place(of.clone(), at(self, number)))
                    .collect()
            }
            Kind::Struct(id) => {
                let fields = self.structs.get(*id).fields.clone();
                let align = self.place_alignment(&whole);
                let each = fields
                    .iter()
                    .map(|field| self.field_of(&whole.ty, address, align, field));
                each.collect()
            }
            _ => Vec::new(),
        };
        if parts.len() != names.len() {
            let name = self.spelled(&whole.ty);
            let message = format!(
                "{} names for the parts of a `{name}`, which has {}",
                names.len(),
                parts.len()
            );
            let help = "a struct has as many parts as members, an array as elements";
            return Err(self.sink.error_help(span, message, help));
        }
        for (name, part) in names.iter().zip(parts) {
            self.bind(name, Binding::Typed(part));
        }
        Ok(())
    }

    /// The place that a `? :` chooses.
    #[inline(never)]
    fn chosen_place(&mut self, condition: &Expr, yes: &Expr, no: &Expr) -> Res<Typed> {
        let typed = self.expr(condition)?;
        let value = self.truth(&typed, condition.span)?;
        if let Some(bits) = self.builder.body.constant(value) {
            return self.place_of(if bits != 0 { yes } else { no });
        }
        let (first, second, join) = (
            self.builder.block(),
            self.builder.block(),
            self.builder.block(),
        );
        self.builder.end(Term::Branch(value, first, second));
        let (mut arms, mut ends): (Vec<(Type, Value)>, Vec<_>) = (Vec::new(), Vec::new());
        for (block, arm) in [(first, yes), (second, no)] {
            self.builder.go_to(block);
            let typed = self.place_of(arm)?;
            let Form::Place(address) = typed.form else {
                let help = "both sides of `? :` must be variables of one type here";
                let message = "this is a value, not a place for one";
                return Err(self.sink.error_help(arm.span, message, help));
            };
            arms.push((typed.ty, address));
            ends.push(self.builder.at);
            self.builder.end(Term::Jump(join));
        }
        self.builder.go_to(join);
        if !same_plain(&arms[0].0, &arms[1].0) {
            let (a, b) = (arms[0].0.clone(), arms[1].0.clone());
            return Err(self.no_operator("? :", &a, &b, condition.span));
        }
        let mut ty = arms[0].0.clone();
        ty.is_const |= arms[1].0.is_const;
        ty.is_volatile |= arms[1].0.is_volatile;
        let args = vec![arms[0].1, arms[1].1];
        let address = self
            .builder
            .emit(crate::ir::Op::Phi(ends), &[Ty::B64], args)[0];
        Ok(Typed::place(ty, address))
    }

    /// An expression whose place is wanted, not its value.
    pub(super) fn place_of(&mut self, expr: &Expr) -> Res<Typed> {
        match &expr.kind {
            crate::syntax::ExprKind::Conditional(condition, yes, no) => {
                self.chosen_place(condition, yes, no)
            }
            _ => self.expr(expr),
        }
    }
}
