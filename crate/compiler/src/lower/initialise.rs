//! Giving objects their first values: from one expression, from lists in braces, or zeros.

use super::Lower;
use super::values::{Form, Typed};
use crate::diagnostics::Res;
use crate::ir::Value;
use crate::limits::{DIAGNOSED_BEGINNINGS, DIAGNOSED_ZEROS, PARTS};
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Init};
use crate::types::{Kind, StructId, Type};

impl Lower<'_> {
    /// Puts the value of an expression, or of a list in braces, at an address.
    pub(super) fn initialise(&mut self, ty: &Type, address: Value, expr: &Expr) -> Res<()> {
        self.at_line(expr.span, |lower| lower.initialise_here(ty, address, expr))
    }

    fn initialise_here(&mut self, ty: &Type, address: Value, expr: &Expr) -> Res<()> {
        if let Kind::Reference(to) = &ty.kind {
            // A member that is a reference holds the address of what it refers to.
            let typed = self.place_of(expr)?;
            let given = super::overloads::Given::of(expr, &typed);
            let bound = self.bind_reference(&to.clone(), &given, expr.span)?;
            let found = self.materialised(&bound, expr.span)?;
            self.store_scalar(ty, address, found);
            return Ok(());
        }
        match &expr.kind {
            ExprKind::List(list) => self.initialise_list(ty, address, list, expr.span),
            ExprKind::Construct(of, list, _)
                if self.has_destructor(ty)
                    && self.type_of(of).is_ok_and(|of| of.kind == ty.kind) =>
            {
                let init = Init::Brackets(list.clone());
                self.initialise_by(ty, address, &init, expr.span)
            }
            ExprKind::Call(..) if self.has_destructor(ty) => {
                let typed = self.expr(expr)?;
                self.store_made(ty, address, &typed, expr)
            }
            ExprKind::Text(bytes) if matches!(ty.kind, Kind::Array(..)) => {
                self.initialise_text(ty, address, &bytes.clone(), expr.span)
            }
            _ => {
                let typed = self.expr(expr)?;
                if let (Kind::Struct(id), true) = (&ty.kind, typed.ty.kind != ty.kind)
                    && self.has_constructor(*id)
                    && !self.structs.derives(&typed.ty, ty)
                {
                    return self.construct_at(*id, address, std::slice::from_ref(expr), expr.span);
                }
                self.store_copy(ty, address, &typed, expr)
            }
        }
    }

    /// Whether the first value is one of a struct's first base, not of the base's first field.
    #[inline(never)]
    fn begins_with_base(&mut self, id: StructId, list: &[Expr]) -> Res<bool> {
        let (Some((base, _)), Some(first)) = (self.structs.get(id).bases.first(), list.first())
        else {
            return Ok(false);
        };
        let base = Type::new(Kind::Struct(*base));
        if matches!(first.kind, ExprKind::List(_)) {
            return Ok(true);
        }
        let ty = self.type_of_expr(first)?;
        Ok(ty.kind == base.kind || self.structs.derives(&ty, &base))
    }

    /// An object by values of its bases and then of its own fields.
    #[inline(never)]
    fn initialise_bases(
        &mut self,
        id: StructId,
        address: Value,
        list: &[Expr],
        span: Span,
    ) -> Res<()> {
        let of = self.structs.get(id);
        let own = of.fields[of.inherited..].iter();
        let own = own.map(|field| (field.ty.clone(), field.offset));
        let bases = of.bases.iter();
        let bases = bases.map(|(base, at)| (Type::new(Kind::Struct(*base)), *at));
        let places: Vec<(Type, u64)> = bases.chain(own).collect();
        self.check_count(list, places.len(), span)?;
        for (number, (ty, offset)) in places.iter().enumerate() {
            let at = self.builder.offset(address, *offset);
            match list.get(number) {
                Some(value) => self.initialise(ty, at, value)?,
                None => self.zero(ty, at, span)?,
            }
        }
        Ok(())
    }

    /// An array of characters by a text.
    #[inline(never)]
    fn initialise_text(&mut self, ty: &Type, address: Value, text: &[u8], span: Span) -> Res<()> {
        let Kind::Array(of, count) = &ty.kind else {
            return Ok(());
        };
        if *count > PARTS as u64 || text.len() as u64 > *count {
            let message = format!("this text does not fit into an array of {count} elements");
            return Err(self.sink.error(span, message));
        }
        let size = self.structs.size(of);
        let padded = text.iter().copied().chain(std::iter::repeat(0));
        for (number, byte) in (0..*count).zip(padded) {
            let at = self.builder.offset(address, number * size);
            let value = self.builder.u32(byte as i8 as u32);
            let typed = Typed::scalar(crate::syntax::Scalar::Char, value);
            self.store(&of.plain(), at, &typed, span)?;
        }
        Ok(())
    }

    /// An object by the values between braces; those left out are zero.
    pub(super) fn initialise_list(
        &mut self,
        ty: &Type,
        address: Value,
        list: &[Expr],
        span: Span,
    ) -> Res<()> {
        let list = &*self.expanded(list)?;
        let list = &*self.with_braces(ty, list)?;
        match &ty.kind {
            Kind::Struct(id) if self.has_constructor(*id) => {
                self.construct_at(*id, address, list, span)
            }
            Kind::Struct(id) => self.initialise_struct(ty, *id, address, list, span),
            Kind::Array(of, count) => self.initialise_array(of, *count, address, list, span),
            _ => match list {
                [] => self.zero(ty, address, span),
                [only] => self.initialise(ty, address, only),
                _ => Err(self.sink.error(span, "one number takes one value")),
            },
        }
    }

    /// A struct's fields by the values between braces.
    fn initialise_struct(
        &mut self,
        ty: &Type,
        id: StructId,
        address: Value,
        list: &[Expr],
        span: Span,
    ) -> Res<()> {
        let fields = self.structs.get(id).fields.clone();
        let is_union = self.structs.get(id).is_union;
        // `{other}` of the same type copies it.
        if let [only] = list
            && !matches!(only.kind, ExprKind::List(_))
            && self.type_of_expr(only).is_ok_and(|of| of.kind == ty.kind)
        {
            return self.initialise(ty, address, only);
        }
        if list.is_empty() && self.is_polymorphic(ty) {
            return self.begin_with_zeros(ty, address, span);
        }
        if self.begins_with_base(id, list)? {
            return self.initialise_bases(id, address, list, span);
        }
        let most = if is_union { 1 } else { fields.len() };
        self.check_count(list, most, span)?;
        if is_union && list.is_empty() {
            return self.zero(ty, address, span);
        }
        let defaults = self.structs.get(id).syntax.clone();
        for (number, field) in fields.iter().enumerate().take(most) {
            let at = self.builder.offset(address, field.offset);
            let default = defaults
                .as_ref()
                .and_then(|syntax| default_of(syntax, &field.name));
            let is_dim3 = self.is_dim3(id);
            if let Some(bits) = field.bits {
                let typed = match list.get(number) {
                    Some(value) => self.expr(value)?,
                    None => Typed::scalar(crate::syntax::Scalar::Int, self.builder.u32(0)),
                };
                self.store_bits(&field.ty, at, bits, &typed, span)?;
                continue;
            }
            match (list.get(number), default) {
                (Some(value), _) => self.initialise(&field.ty, at, value)?,
                (None, Some(default)) => self.initialise_by(&field.ty, at, &default, span)?,
                // A launch has one of what it does not say.
                (None, None) if is_dim3 => {
                    let one = self.builder.u32(1);
                    self.store_scalar(&field.ty, at, one);
                }
                (None, None) => self.begin_with_zeros(&field.ty, at, span)?,
            }
        }
        Ok(())
    }

    /// An array's elements by the values between braces.
    fn initialise_array(
        &mut self,
        of: &Type,
        count: u64,
        address: Value,
        list: &[Expr],
        span: Span,
    ) -> Res<()> {
        self.check_count(list, count as usize, span)?;
        let size = self.structs.size(of);
        if count > PARTS as u64 {
            return Err(self
                .sink
                .gap(span, format!("a list for an array of {count} elements")));
        }
        // What is not said begins everywhere alike.
        let most = match self.is_diagnostics_only {
            true => list.len() as u64 + DIAGNOSED_BEGINNINGS,
            false => count,
        };
        for number in 0..most.min(count) {
            let at = self.builder.offset(address, number * size);
            match list.get(number as usize) {
                Some(value) => self.initialise(of, at, value)?,
                None => self.begin_with_zeros(of, at, span)?,
            }
        }
        Ok(())
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
                Kind::Struct(id) if self.is_dim3(id) && self.are_numbers(list) => {
                    self.initialise_list(ty, address, list, span)
                }
                _ if list.len() == 1 => self.initialise(ty, address, &list[0]),
                Kind::Struct(id) if !list.is_empty() => Err(self.no_constructor(id, span)),
                _ => Err(self
                    .sink
                    .error(span, "there is no constructor that takes these values")),
            },
        }
    }

    /// The only one of CUDA's vectors that has a constructor.
    pub(super) fn is_dim3(&self, id: StructId) -> bool {
        self.structs.get(id).name == "dim3"
    }

    fn are_numbers(&mut self, list: &[Expr]) -> bool {
        let is_number =
            |lower: &mut Self, one| lower.type_of_expr(one).is_ok_and(|ty| !ty.is_struct());
        list.iter().all(|one| is_number(self, one))
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

    /// Zeros.
    pub(super) fn zero(&mut self, ty: &Type, address: Value, span: Span) -> Res<()> {
        let Some(parts) = self.structs.parts(ty) else {
            return Err(self
                .sink
                .gap(span, "setting so many elements to zero at once"));
        };
        // Nothing is run of a kernel that is read for its mistakes only.
        let most = if self.is_diagnostics_only {
            DIAGNOSED_ZEROS
        } else {
            parts.len()
        };
        for part in parts.into_iter().take(most) {
            let zero = self.builder.constant(part.ty.ty(), 0);
            let at = self.builder.offset(address, part.offset);
            let values = &[zero; 4][..usize::from(part.count)];
            self.builder.store(
                super::values::access(part.ty, part.count, ty.is_volatile),
                at,
                values,
            );
        }
        self.check_instructions(span)
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
