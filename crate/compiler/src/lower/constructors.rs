//! Constructors: which runs for the values given, and what it makes of bases and fields before its body.

use super::Lower;
use super::initialise::default_of;
use super::overloads::Given;
use super::scope::Binding;
use super::structs::member_key;
use super::values::Typed;
use crate::diagnostics::{Reported, Res};
use crate::ir::Value;
use crate::source::Span;
use crate::syntax::{CONSTRUCTOR, Expr, Function, Init, MemberInit, Packs, StructSyntax, TypeKind};
use crate::types::{Kind, StructId, Type};

/// What a constructor says of a base, and which of a pack that is.
struct BaseInit<'f> {
    ty: Type,
    init: &'f MemberInit,
    of_pack: Option<(Packs, usize)>,
}

impl Lower<'_> {
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

    /// Several values in round brackets where there is no constructor.
    pub(super) fn no_constructor(&mut self, id: StructId, span: Span) -> Reported {
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
                    let init = init.with(init.values.clone());
                    self.with_nth(packs, *number, |lower| {
                        lower.initialise_by(&ty, at, &init, function.span)
                    })?;
                }
                Some(BaseInit { init, .. }) if !init.values.is_empty() => {
                    let values = self.expanded(&init.values)?.into_owned();
                    self.initialise_by(&ty, at, &init.with(values), init.span)?;
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
                    lower.initialise_by(&field.ty, at, &init.with(values), init.span)
                }),
            };
        }
        match syntax.and_then(|syntax| default_of(syntax, &field.name)) {
            Some(default) => self.initialise_by(&field.ty, at, &default, function.span),
            None if field.bits.is_some() => Ok(()),
            None => self.begin(&field.ty, at, function.span),
        }
    }

    /// An object of a struct by its constructor, at an address.
    pub(super) fn run_constructor(
        &mut self,
        id: StructId,
        address: Value,
        given: Vec<Given>,
        span: Span,
    ) -> Res<()> {
        let key = member_key(true, &"".into());
        let Some(Binding::Functions(list)) = self.member_binding(id, &key) else {
            return Err(self.sink.error(span, "this struct has no constructor"));
        };
        let name = self.structs.get(id).name.clone();
        let chosen = self.choose(&name, &list, None, &given, span)?;
        match chosen.function.of {
            Some(base) if base != id => {
                let construct = |lower: &mut Self, at| {
                    let object = Typed::place(Type::new(Kind::Struct(base)), at);
                    lower.inline(chosen, Some(object), given, span).map(|_| ())
                };
                self.begin_by_base(id, base, address, Box::new(construct))
            }
            _ => {
                let object = Typed::place(Type::new(Kind::Struct(id)), address);
                self.inline(chosen, Some(object), given, span).map(|_| ())
            }
        }
    }

    pub(super) fn has_constructor(&self, id: StructId) -> bool {
        self.member_binding(id, CONSTRUCTOR).is_some()
    }
}
