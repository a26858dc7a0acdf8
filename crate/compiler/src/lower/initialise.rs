//! Giving objects their first values: lists in braces, constructors, zeros.

use super::Lower;
use super::values::{Form, Typed};
use crate::diagnostics::Res;
use crate::ir::Value;
use crate::limits::PARTS;
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Function, Init};
use crate::types::{Kind, StructId, Type};

impl Lower<'_> {
    /// Puts the value of an expression, or of a list in braces, at an address.
    pub(super) fn initialise(&mut self, ty: &Type, address: Value, expr: &Expr) -> Res<()> {
        self.at_line(expr.span, |lower| lower.initialise_here(ty, address, expr))
    }

    fn initialise_here(&mut self, ty: &Type, address: Value, expr: &Expr) -> Res<()> {
        match &expr.kind {
            ExprKind::List(list) => self.initialise_list(ty, address, list, expr.span),
            _ => {
                let typed = self.expr(expr)?;
                if let (Kind::Struct(id), true) = (&ty.kind, typed.ty.kind != ty.kind)
                    && self.has_constructor(*id)
                {
                    return self.construct_at(*id, address, std::slice::from_ref(expr), expr.span);
                }
                self.store(ty, address, &typed, expr.span)
            }
        }
    }

    /// The same for the values between braces; those left out are zero.
    pub(super) fn initialise_list(
        &mut self,
        ty: &Type,
        address: Value,
        list: &[Expr],
        span: Span,
    ) -> Res<()> {
        match &ty.kind {
            Kind::Struct(id) if self.has_constructor(*id) => {
                self.construct_at(*id, address, list, span)
            }
            Kind::Struct(id) => {
                let fields = self.structs.get(*id).fields.clone();
                let is_union = self.structs.get(*id).is_union;
                // `{other}` of the same type copies it.
                if let [only] = list
                    && !matches!(only.kind, ExprKind::List(_))
                    && self.type_of_expr(only).is_ok_and(|of| of.kind == ty.kind)
                {
                    return self.initialise(ty, address, only);
                }
                let most = if is_union { 1 } else { fields.len() };
                self.check_count(list, most, span)?;
                if is_union && list.is_empty() {
                    return self.zero(ty, address, span);
                }
                let defaults = self.structs.get(*id).syntax.clone();
                for (number, field) in fields.iter().enumerate().take(most) {
                    let at = self.builder.offset(address, field.offset);
                    let default = defaults
                        .as_ref()
                        .and_then(|syntax| default_of(syntax, &field.name));
                    let is_dim3 = self.structs.get(*id).name == "dim3";
                    match (list.get(number), default) {
                        (Some(value), _) => self.initialise(&field.ty, at, value)?,
                        (None, Some(default)) => {
                            self.initialise_by(&field.ty, at, &default, span)?
                        }
                        // A launch has one of what it does not say.
                        (None, None) if is_dim3 => {
                            let one = self.builder.u32(1);
                            self.store_scalar(&field.ty, at, one);
                        }
                        (None, None) => self.zero(&field.ty, at, span)?,
                    }
                }
                Ok(())
            }
            Kind::Array(of, count) => {
                self.check_count(list, *count as usize, span)?;
                let size = self.structs.size(of);
                if *count > PARTS as u64 {
                    return Err(self
                        .sink
                        .gap(span, format!("a list for an array of {count} elements")));
                }
                for number in 0..*count {
                    let at = self.builder.offset(address, number * size);
                    match list.get(number as usize) {
                        Some(value) => self.initialise(of, at, value)?,
                        None => self.zero(of, at, span)?,
                    }
                }
                Ok(())
            }
            _ => match list {
                [] => self.zero(ty, address, span),
                [only] => self.initialise(ty, address, only),
                _ => Err(self.sink.error(span, "one number takes one value")),
            },
        }
    }

    pub(super) fn initialise_by(
        &mut self,
        ty: &Type,
        address: Value,
        init: &Init,
        span: Span,
    ) -> Res<()> {
        match init {
            Init::None => Ok(()),
            Init::Value(value) => self.initialise(ty, address, value),
            Init::Braces(list) => self.initialise_list(ty, address, list, span),
            Init::Brackets(list) => match ty.kind {
                Kind::Struct(id) if self.has_constructor(id) => {
                    self.construct_at(id, address, list, span)
                }
                _ if list.len() == 1 => self.initialise(ty, address, &list[0]),
                Kind::Struct(_) if !list.is_empty() && self.vector_count(ty).is_some() => {
                    self.initialise_list(ty, address, list, span)
                }
                _ => Err(self
                    .sink
                    .error(span, "there is no constructor that takes these values")),
            },
        }
    }

    fn vector_count(&self, ty: &Type) -> Option<usize> {
        match ty.kind {
            Kind::Struct(id) if self.structs.get(id).syntax.is_none() => {
                Some(self.structs.get(id).fields.len())
            }
            _ => None,
        }
    }

    fn check_count(&mut self, list: &[Expr], most: usize, span: Span) -> Res<()> {
        match list.len() > most {
            true => {
                let span = list.get(most).map_or(span, |extra| extra.span);
                Err(self.sink.error(
                    span,
                    format!("{} values where {most} are taken", list.len()),
                ))
            }
            false => Ok(()),
        }
    }

    pub(super) fn construct_at(
        &mut self,
        id: StructId,
        address: Value,
        list: &[Expr],
        span: Span,
    ) -> Res<()> {
        let given = self.given(list)?;
        // A copy needs no constructor.
        if let [
            super::overloads::Given {
                typed: Some(typed), ..
            },
        ] = &given[..]
            && typed.ty.kind == Kind::Struct(id)
        {
            let ty = Type::new(Kind::Struct(id));
            return self.store(&ty, address, typed, span);
        }
        self.run_constructor(id, address, given, span)
    }

    /// Zeros.
    pub(super) fn zero(&mut self, ty: &Type, address: Value, span: Span) -> Res<()> {
        let Some(parts) = self.structs.parts(ty) else {
            return Err(self
                .sink
                .gap(span, "setting so many elements to zero at once"));
        };
        for part in parts {
            let zero = self.builder.constant(part.ty.ty(), 0);
            let at = self.builder.offset(address, part.offset);
            let values = vec![zero; usize::from(part.count)];
            self.builder.store(
                super::values::access(part.ty, part.count, ty.is_volatile),
                at,
                &values,
            );
        }
        self.check_instructions(span)
    }

    /// `T(…)` and `T{…}`.
    pub(super) fn construct(
        &mut self,
        ty: &Type,
        list: &[Expr],
        is_braces: bool,
        span: Span,
    ) -> Res<Typed> {
        if !ty.is_aggregate() {
            return match list {
                [] if ty.is_void() => Ok(Typed::void()),
                [] => {
                    let register = ty.register().unwrap_or(crate::ir::Ty::B32);
                    let zero = self.builder.constant(register, 0);
                    Ok(Typed::value(ty.clone(), zero))
                }
                [only] => {
                    let typed = self.expr(only)?;
                    self.cast("", typed, ty, span)
                }
                _ => Err(self.sink.error(span, "one number takes one value")),
            };
        }
        let plain = ty.plain();
        let address = self.new_slot(&plain);
        match (list, is_braces, &ty.kind) {
            (_, true, _) => self.initialise_list(&plain, address, list, span)?,
            ([], false, Kind::Struct(id)) if !self.has_constructor(*id) => {
                self.zero(&plain, address, span)?
            }
            (_, false, Kind::Struct(id)) if self.has_constructor(*id) => {
                self.construct_at(*id, address, list, span)?
            }
            _ => self.initialise_by(&plain, address, &Init::Brackets(list.to_vec()), span)?,
        }
        Ok(Typed::place(plain, address))
    }

    /// What a constructor gives the members before its body.
    pub(super) fn member_inits(&mut self, function: &Function) -> Res<()> {
        let Some((this, id, _)) = self.frame().this else {
            return Ok(());
        };
        let fields = self.structs.get(id).fields.clone();
        let syntax = self.structs.get(id).syntax.clone();
        let base = self.structs.get(id).base;
        let inherited = self.structs.get(id).inherited;
        if let Some(base) = base {
            let name = self
                .structs
                .get(base)
                .syntax
                .as_ref()
                .map(|syntax| syntax.name.clone());
            let mut inits = function.member_inits.iter();
            let written = inits.find(|(known, ..)| Some(known) == name.as_ref());
            let ty = Type::new(Kind::Struct(base));
            match written {
                Some((_, list, span)) if !list.is_empty() => {
                    self.initialise_by(&ty, this, &Init::Brackets(list.clone()), *span)?;
                }
                _ => self.default_construct(base, &ty, this, function.span)?,
            }
        }
        for (name, _, span) in &function.member_inits {
            let is_base = base.is_some_and(|base| {
                let syntax = &self.structs.get(base).syntax;
                syntax.as_ref().is_some_and(|syntax| syntax.name == *name)
            });
            if !is_base && !fields.iter().any(|field| field.name == *name) {
                return Err(self.no_member(id, name, *span));
            }
        }
        for field in &fields[inherited..] {
            let at = self.builder.offset(this, field.offset);
            let written = function
                .member_inits
                .iter()
                .find(|(name, ..)| *name == field.name);
            if let Some((_, list, span)) = written {
                match &list[..] {
                    [] => self.zero(&field.ty, at, *span)?,
                    _ => self.initialise_by(&field.ty, at, &Init::Brackets(list.clone()), *span)?,
                }
            } else if let Some(default) = syntax
                .as_ref()
                .and_then(|syntax| default_of(syntax, &field.name))
            {
                self.initialise_by(&field.ty, at, &default, function.span)?;
            }
        }
        Ok(())
    }

    /// An object in a place of its own, wherever the value is.
    pub(super) fn materialised(&mut self, typed: &Typed, span: Span) -> Res<Value> {
        match typed.form {
            Form::Place(address) => Ok(address),
            _ => {
                let address = self.new_slot(&typed.ty);
                self.store(&typed.ty.clone(), address, typed, span)?;
                Ok(address)
            }
        }
    }
}

pub(super) fn default_of(syntax: &crate::syntax::StructSyntax, name: &str) -> Option<Init> {
    let field = syntax
        .fields
        .iter()
        .find(|field| &*field.name == name && !field.is_static)?;
    match &field.init {
        Init::None => None,
        init => Some(init.clone()),
    }
}
