//! Braces that a list of values leaves out: `float a[2][2] = {1, 2, 3, 4}` lacks those of its rows.

use super::Lower;
use crate::diagnostics::Res;
use crate::syntax::{Expr, ExprKind};
use crate::types::{Kind, Type};

impl Lower<'_> {
    /// A list with the braces of all parts of its type, if it leaves some out.
    pub(super) fn with_all_braces(&mut self, ty: &Type, list: &[Expr]) -> Res<Option<Vec<Expr>>> {
        if !self.has_aggregates(ty) || list.iter().all(is_list) {
            return Ok(None);
        }
        if let (Kind::Struct(_), [only]) = (&ty.kind, list)
            && self.type_of_expr(only)?.kind == ty.kind
        {
            return Ok(None);
        }
        let mut rest = list;
        let Some((all, true)) = self.parts_in_braces(ty, &mut rest)? else {
            return Ok(None);
        };
        // What is too much is told of where it is used.
        Ok(Some(all.into_iter().chain(rest.iter().cloned()).collect()))
    }

    /// Takes as many values as there are parts; the second is whether braces were left out.
    fn parts_in_braces(&mut self, ty: &Type, rest: &mut &[Expr]) -> Res<Option<(Vec<Expr>, bool)>> {
        let (types, count) = match &ty.kind {
            Kind::Array(of, count) => (vec![(**of).clone()], *count as usize),
            Kind::Struct(id) => {
                let fields = self.structs.get(*id).fields.iter();
                let types: Vec<Type> = fields.map(|field| field.ty.clone()).collect();
                let count = types.len();
                (types, count)
            }
            _ => return Ok(None),
        };
        let (mut all, mut is_other) = (Vec::new(), false);
        for part in types.iter().cycle().take(count) {
            let Some((first, others)) = rest.split_first() else {
                break;
            };
            if self.leaves_out(part, first)
                && let Some((list, _)) = self.parts_in_braces(part, rest)?
            {
                let (kind, span) = (ExprKind::List(list), first.span);
                let depth = first.depth.saturating_add(1);
                all.push(Expr { span, kind, depth });
                is_other = true;
                continue;
            }
            all.push(first.clone());
            *rest = others;
        }
        Ok(Some((all, is_other)))
    }

    /// Whether a part of a list is given by values that follow each other, of which this is the first.
    fn leaves_out(&mut self, part: &Type, first: &Expr) -> bool {
        match &part.kind {
            Kind::Array(..) => !matches!(first.kind, ExprKind::List(_) | ExprKind::Text(_)),
            Kind::Struct(id) => {
                let is_plain = !self.has_constructor(*id)
                    && !self.is_dim3(*id)
                    && !self.structs.get(*id).fields.is_empty();
                let is_number =
                    |lower: &mut Self| lower.type_of_expr(first).is_ok_and(|of| !of.is_struct());
                is_plain && !is_list(first) && is_number(self)
            }
            _ => false,
        }
    }

    /// Whether a list for this type can leave braces out.
    fn has_aggregates(&self, ty: &Type) -> bool {
        match &ty.kind {
            Kind::Array(of, _) => of.is_aggregate(),
            Kind::Struct(id) => {
                let of = self.structs.get(*id);
                let mut fields = of.fields.iter();
                !self.has_constructor(*id)
                    && of.bases.is_empty()
                    && !of.is_union
                    && fields.any(|field| field.ty.is_aggregate())
            }
            _ => false,
        }
    }
}

fn is_list(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::List(_))
}
