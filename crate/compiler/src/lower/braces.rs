//! Lists of values in which the braces of the inner ones are left out: `{1, 2, 3, 4}` for two pairs.

use super::Lower;
use crate::diagnostics::Res;
use crate::syntax::{Expr, ExprKind};
use crate::types::{Kind, Type};
use std::borrow::Cow;

impl Lower<'_> {
    /// The values of an object or an array, each inner object that has no braces of its own with some.
    pub(super) fn with_braces<'e>(&mut self, ty: &Type, list: &'e [Expr]) -> Res<Cow<'e, [Expr]>> {
        let is_braced = |one: &Expr| matches!(one.kind, ExprKind::List(_));
        if list.iter().all(is_braced) || !self.has_inner(ty) {
            return Ok(Cow::Borrowed(list));
        }
        let Some(places) = self.inner_types(ty, list.len()) else {
            return Ok(Cow::Borrowed(list));
        };
        let (mut all, mut at) = (Vec::new(), 0);
        for place in &places {
            let Some(first) = list.get(at) else { break };
            let is_whole =
                is_braced(first) || !place.is_aggregate() || self.is_for(first, place)?;
            let count = match is_whole {
                true => 1,
                false => self.count_of_values(place, list.len() - at),
            };
            match is_whole {
                true => all.push(first.clone()),
                false => all.push(Expr {
                    span: first.span,
                    kind: ExprKind::List(list[at..at + count].to_vec()),
                    depth: first.depth + 1,
                }),
            }
            at += count;
        }
        all.extend(list.iter().skip(at).cloned());
        Ok(Cow::Owned(all))
    }

    /// Whether there are objects or arrays in it, whose braces may be left out.
    fn has_inner(&self, ty: &Type) -> bool {
        match &ty.kind {
            Kind::Array(of, _) => of.is_aggregate(),
            Kind::Struct(id) => {
                let of = self.structs.get(*id);
                let mut fields = of.fields.iter();
                let is_plain = of.bases.is_empty() && !of.is_union && !self.has_constructor(*id);
                is_plain && fields.any(|field| field.ty.is_aggregate())
            }
            _ => false,
        }
    }

    /// The types of the first of its values.
    fn inner_types(&self, ty: &Type, most: usize) -> Option<Vec<Type>> {
        match &ty.kind {
            Kind::Array(of, count) => {
                let count = usize::try_from(*count).ok()?.min(most);
                Some(vec![(**of).clone(); count])
            }
            Kind::Struct(id) => {
                let fields = self.structs.get(*id).fields.iter();
                Some(fields.map(|field| field.ty.clone()).collect())
            }
            _ => None,
        }
    }

    /// Whether a value is the whole of an inner object.
    fn is_for(&mut self, value: &Expr, ty: &Type) -> Res<bool> {
        if let (ExprKind::Text(_), Kind::Array(of, _)) = (&value.kind, &ty.kind) {
            return Ok(of.is_integer());
        }
        let from = self.type_of_expr(value)?;
        Ok(match ty.kind {
            Kind::Struct(id) => {
                from.kind == ty.kind || self.structs.derives(&from, ty) || self.has_constructor(id)
            }
            _ => from.kind == ty.kind,
        })
    }

    /// How many of so many values an object takes that has no braces of its own.
    fn count_of_values(&self, ty: &Type, most: usize) -> usize {
        let mut count = 0;
        let Some(inner) = self.inner_types(ty, most) else {
            return 1;
        };
        for one in &inner {
            let is_one = match one.kind {
                Kind::Struct(id) => self.has_constructor(id),
                _ => !one.is_aggregate(),
            };
            count += match is_one {
                true => 1,
                false => self.count_of_values(one, most),
            };
            if count >= most {
                return most;
            }
        }
        count.max(1)
    }
}
