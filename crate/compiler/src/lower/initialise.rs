//! Giving objects their first values: lists in braces, constructors, zeros.

use super::Lower;
use super::values::{Form, Typed};
use crate::diagnostics::{Reported, Res};
use crate::ir::Value;
use crate::limits::{GLANCED_BEGINNINGS, GLANCED_ZEROS, PARTS};
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Function, Init, MemberInit, Packs, StructSyntax, TypeKind};
use crate::types::{Kind, StructId, Type};

/// What a constructor says of a base, and which of a pack that is.
struct BaseInit<'f> {
    ty: Type,
    init: &'f MemberInit,
    of_pack: Option<(Packs, usize)>,
}

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

    /// The same for the values between braces; those left out are zero.
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
                if list.is_empty() && self.is_polymorphic(ty) {
                    return self.begin_with_zeros(ty, address, span);
                }
                if self.begins_with_base(*id, list)? {
                    return self.initialise_bases(*id, address, list, span);
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
                    let is_dim3 = self.is_dim3(*id);
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
                        (None, Some(default)) => {
                            self.initialise_by(&field.ty, at, &default, span)?
                        }
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
            Kind::Array(of, count) => {
                self.check_count(list, *count as usize, span)?;
                let size = self.structs.size(of);
                if *count > PARTS as u64 {
                    return Err(self
                        .sink
                        .gap(span, format!("a list for an array of {count} elements")));
                }
                // What is not said begins everywhere alike.
                let most = match self.is_glance {
                    true => list.len() as u64 + GLANCED_BEGINNINGS,
                    false => *count,
                };
                for number in 0..most.min(*count) {
                    let at = self.builder.offset(address, number * size);
                    match list.get(number as usize) {
                        Some(value) => self.initialise(of, at, value)?,
                        None => self.begin_with_zeros(of, at, span)?,
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
            && let ty = Type::new(Kind::Struct(id))
            && (typed.ty.kind == ty.kind || self.structs.derives(&typed.ty, &ty))
        {
            return self.store_copy(&ty, address, typed, &list[0]);
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
        // Nothing is run of a kernel that is read for its mistakes only.
        let most = if self.is_glance {
            GLANCED_ZEROS
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
        self.check_kept(ty, span)?;
        self.check_whole(ty, span)?;
        let plain = ty.plain();
        let address = self.new_slot(&plain);
        match (list, is_braces, &ty.kind) {
            (_, true, _) => self.initialise_list(&plain, address, list, span)?,
            ([], false, Kind::Struct(id)) if !self.has_constructor(*id) => {
                self.begin_with_zeros(&plain, address, span)?
            }
            (_, false, Kind::Struct(id)) if self.has_constructor(*id) => {
                self.construct_at(*id, address, list, span)?
            }
            _ => self.initialise_by(&plain, address, &Init::Brackets(list.to_vec()), span)?,
        }
        let made = Typed::place(plain, address);
        self.keep_for_statement(&made);
        Ok(made)
    }

    /// Several values in round brackets where there is no constructor.
    fn no_constructor(&mut self, id: StructId, span: Span) -> Reported {
        let of = self.structs.get(id);
        let help = match of.syntax.is_none() {
            true => format!("call `make_{}(…)`", of.name),
            false => format!("write braces: `{}{{…}}`", of.name),
        };
        let message = format!("`{}` has no constructor", of.name);
        self.sink.error_help(span, message, help)
    }

    /// What a constructor gives the members before its body.
    pub(super) fn member_inits(&mut self, function: &Function) -> Res<()> {
        let Some((this, id, _)) = self.frame().this else {
            return Ok(());
        };
        let fields = self.structs.get(id).fields.clone();
        let syntax = self.structs.get(id).syntax.clone();
        let bases = self.structs.get(id).bases.clone();
        let inherited = self.structs.get(id).inherited;
        // A constructor that leaves the work to another of the same struct.
        if let ([only], Some(syntax)) = (&function.member_inits[..], &syntax)
            && only.name == syntax.name
        {
            let values = self.expanded(&only.values)?;
            return self.construct_at(id, this, &values, only.span);
        }
        let written = self.base_inits(function, id)?;
        for (base, offset) in bases {
            let ty = Type::new(Kind::Struct(base));
            let at = self.builder.offset(this, offset);
            match written.iter().find(|init| init.ty.kind == ty.kind) {
                Some(BaseInit {
                    init,
                    of_pack: Some((packs, number)),
                    ..
                }) => {
                    let init = Init::Brackets(init.values.clone());
                    self.with_nth(packs, *number, |lower| {
                        lower.initialise_by(&ty, at, &init, function.span)
                    })?;
                }
                Some(BaseInit { init, .. }) if !init.values.is_empty() => {
                    let values = self.expanded(&init.values)?.into_owned();
                    self.initialise_by(&ty, at, &Init::Brackets(values), init.span)?;
                }
                _ => self.default_construct(base, &ty, at, function.span)?,
            }
        }
        self.put_table(id, this);
        for field in &fields[inherited..] {
            self.initialise_field(function, syntax.as_deref(), this, field)?;
        }
        Ok(())
    }

    /// What a constructor says of the bases.
    #[inline(never)]
    fn base_inits<'f>(&mut self, function: &'f Function, id: StructId) -> Res<Vec<BaseInit<'f>>> {
        let fields = self.structs.get(id).fields.clone();
        let bases = self.structs.get(id).bases.clone();
        let mut found = Vec::new();
        for init in &function.member_inits {
            if fields.iter().any(|field| field.name == init.name) {
                continue;
            }
            let Some(written) = &init.base else { continue };
            let packs = match &written.kind {
                TypeKind::Expand(packs, _) => Some(packs.clone()),
                _ => None,
            };
            let types = self.expanded_types(std::slice::from_ref(written))?;
            for (number, base) in types.iter().enumerate() {
                let ty = self.type_of(base)?;
                if !bases
                    .iter()
                    .any(|(known, _)| Kind::Struct(*known) == ty.kind)
                {
                    return Err(self.no_member(id, &init.name, init.span));
                }
                let of_pack = packs.clone().map(|packs| (packs, number));
                found.push(BaseInit { ty, init, of_pack });
            }
        }
        Ok(found)
    }

    /// One field of an object whose constructor begins.
    #[inline(never)]
    fn initialise_field(
        &mut self,
        function: &Function,
        syntax: Option<&StructSyntax>,
        this: Value,
        field: &crate::types::Field,
    ) -> Res<()> {
        let at = self.builder.offset(this, field.offset);
        let mut inits = function.member_inits.iter();
        if let Some(init) = inits.find(|init| init.name == field.name) {
            let values = self.expanded(&init.values)?.into_owned();
            if let Some(bits) = field.bits {
                let Some(value) = values.first() else {
                    let zero = Typed::scalar(crate::syntax::Scalar::Int, self.builder.u32(0));
                    return self.store_bits(&field.ty, at, bits, &zero, init.span);
                };
                let typed = self.expr(value)?;
                return self.store_bits(&field.ty, at, bits, &typed, init.span);
            }
            return match &values[..] {
                [] => self.begin_with_zeros(&field.ty, at, init.span),
                _ => self.whole(init.span, |lower| {
                    lower.initialise_by(&field.ty, at, &Init::Brackets(values), init.span)
                }),
            };
        }
        match syntax.and_then(|syntax| default_of(syntax, &field.name)) {
            Some(default) => self.initialise_by(&field.ty, at, &default, function.span),
            None if field.bits.is_some() => Ok(()),
            None => self.begin(&field.ty, at, function.span),
        }
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
