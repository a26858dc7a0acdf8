//! How objects end: those of variables with their block, those that no variable holds with their statement, and those of
//! `delete`.

use super::Lower;
use super::scope::Binding;
use super::values::{Form, Typed};
use crate::diagnostics::{Res, an};
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Term, Value};
use crate::limits::PARTS;
use crate::source::Span;
use crate::syntax::{DESTRUCTOR, Expr};
use crate::types::{Field, Kind, StructId, Type};

const FREE: Id = Id::of("free");

impl Lower<'_> {
    /// Whether something is done when an object of this type ends.
    pub(super) fn has_destructor(&self, ty: &Type) -> bool {
        match &ty.kind {
            Kind::Struct(id) => {
                let of = self.structs.get(*id);
                of.syntax.is_some() && of.has_destructor
            }
            Kind::Array(of, _) => self.has_destructor(of),
            _ => false,
        }
    }

    /// The same of a struct that was laid out: by its own destructor, or by those of its bases and members.
    pub(super) fn ends_with_something(&self, id: StructId) -> bool {
        let of = self.structs.get(id);
        let own = of
            .syntax
            .as_ref()
            .is_some_and(|syntax| syntax.has_destructor);
        let of_base = |(base, _): &(StructId, u64)| self.structs.get(*base).has_destructor;
        let of_field = |field: &Field| self.has_destructor(&field.ty);
        let is_plain = of.is_union;
        own || !is_plain && (of.bases.iter().any(of_base) || of.fields.iter().any(of_field))
    }

    /// Refuses an object with a destructor where nobody knows when it ends.
    pub(super) fn check_kept(&mut self, ty: &Type, span: Span) -> Res<()> {
        match self.has_destructor(ty) && self.temporaries.is_none() {
            true => {
                let what = "an object with a destructor that is no variable";
                Err(self.sink.gap(span, what))
            }
            false => Ok(()),
        }
    }

    /// Lets an object that no variable holds end with the statement.
    pub(super) fn keep_for_statement(&mut self, object: &Typed) {
        if self.has_destructor(&object.ty)
            && let Some(list) = &mut self.temporaries
        {
            list.push(object.clone());
        }
    }

    /// Whether a place is that of an object which would end with the statement: it is another's from now on.
    pub(super) fn take_over(&mut self, object: &Typed) -> bool {
        let Form::Place(address) = object.form else {
            return false;
        };
        let is_it = |one: &Typed| matches!(one.form, Form::Place(at) if at == address);
        let list = self.temporaries.as_mut();
        let found = list.and_then(|list| Some((list.iter().position(is_it)?, list)));
        found.map(|(at, list)| list.remove(at)).is_some()
    }

    /// Runs a part of a statement at whose end the objects end that no variable holds.
    pub(super) fn whole<T>(
        &mut self,
        span: Span,
        part: impl FnOnce(&mut Self) -> Res<T>,
    ) -> Res<T> {
        let outer = self.temporaries.replace(Vec::new());
        let result = part(self);
        let made = std::mem::replace(&mut self.temporaries, outer).unwrap_or_default();
        let found = result?;
        for object in made.iter().rev() {
            if !self.builder.is_ended() {
                self.destroy(object, span)?;
            }
        }
        Ok(found)
    }

    /// Runs a part that may be left out while the kernel runs, so that nobody knows at the statement's end what there is.
    pub(super) fn perhaps<T>(&mut self, part: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let outer = self.temporaries.take();
        let result = part(self);
        self.temporaries = outer;
        result
    }

    /// Runs an object's destructor, then those of its members and bases, the last first.
    #[inline(never)]
    pub(super) fn destroy(&mut self, object: &Typed, span: Span) -> Res<()> {
        let Form::Place(address) = object.form else {
            return Ok(());
        };
        match &object.ty.kind {
            Kind::Array(of, count) if self.has_destructor(of) => {
                if *count > PARTS as u64 {
                    let what = format!("the end of {count} objects at once");
                    return Err(self.sink.gap(span, what));
                }
                let size = self.structs.size(of);
                for at in (0..*count).rev() {
                    let place = self.builder.offset(address, at * size);
                    self.destroy(&Typed::place((**of).clone(), place), span)?;
                }
                Ok(())
            }
            Kind::Struct(id) if self.has_destructor(&object.ty) => {
                self.deeper(span, |lower| lower.destroy_struct(*id, address, span))
            }
            _ => Ok(()),
        }
    }

    fn destroy_struct(&mut self, id: StructId, address: Value, span: Span) -> Res<()> {
        let own = self.structs.get(id).syntax.clone();
        if own.is_some_and(|syntax| syntax.has_destructor)
            && let Some(Binding::Functions(list)) = self.member_binding(id, DESTRUCTOR)
        {
            self.put_table_back(id, address);
            let object = Typed::place(Type::new(Kind::Struct(id)), address);
            let chosen = self.choose(DESTRUCTOR, &list, None, &[], span)?;
            self.inline(chosen, Some(object), Vec::new(), span)?;
        }
        let of = self.structs.get(id);
        if of.is_union {
            return Ok(());
        }
        let (fields, bases) = (of.fields[of.inherited..].to_vec(), of.bases.clone());
        for field in fields.iter().rev() {
            if self.has_destructor(&field.ty) {
                let at = self.builder.offset(address, field.offset);
                self.destroy(&Typed::place(field.ty.plain(), at), span)?;
            }
        }
        for (base, offset) in bases.iter().rev() {
            let at = self.builder.offset(address, *offset);
            let ty = Type::new(Kind::Struct(*base));
            self.destroy(&Typed::place(ty, at), span)?;
        }
        Ok(())
    }

    /// Runs the destructors of the objects that were declared since, the last first.
    pub(super) fn clean_up(&mut self, since: usize, span: Span) -> Res<()> {
        self.clean_up_but(None, since, span)
    }

    /// The same without the object at an address, which is handed over.
    pub(super) fn clean_up_but(
        &mut self,
        kept: Option<Value>,
        since: usize,
        span: Span,
    ) -> Res<()> {
        let all = self.frame().cleanups.get(since..).unwrap_or(&[]).to_vec();
        let is_kept = |object: &Typed| match object.form {
            Form::Place(address) => Some(address) == kept,
            _ => false,
        };
        for object in all.iter().rev() {
            if !self.builder.is_ended() && !is_kept(object) {
                self.destroy(object, span)?;
            }
        }
        Ok(())
    }

    /// `delete p`, which does nothing for a pointer to nothing.
    #[inline(never)]
    pub(super) fn delete(&mut self, inner: &Expr, span: Span) -> Res<Typed> {
        let typed = self.expr(inner)?;
        let typed = self.decayed(typed);
        let Kind::Pointer(of) = typed.ty.kind.clone() else {
            let name = self.spelled(&typed.ty);
            let message = format!("`delete` needs a pointer, this is {}", an(&name));
            return Err(self.sink.error(span, message));
        };
        let address = self.rvalue(&typed, span)?;
        if !self.has_destructor(&of) && !self.is_polymorphic(&of) {
            self.give_back(address);
            return Ok(Typed::void());
        }
        let zero = self.builder.u64(0);
        let is_there = self.builder.cmp(crate::ir::Cmp::Ne, address, zero);
        let (yes, no) = (self.builder.block(), self.builder.block());
        self.builder.end(Term::Branch(is_there, yes, no));
        self.builder.go_to(yes);
        let object = Typed::place((*of).clone(), address);
        match self.end_virtual(&object, span) {
            Some(result) => result?,
            None => {
                self.destroy(&object, span)?;
                self.give_back(address);
            }
        }
        self.builder.end(Term::Jump(no));
        self.builder.go_to(no);
        Ok(Typed::void())
    }

    /// Gives memory from the heap back.
    pub(super) fn give_back(&mut self, address: Value) {
        self.intrinsic(Call::plain(FREE), &[], vec![address]);
    }
}
