//! A function of the mathematics library that an operator has on both sides with the same arguments, as in `sin(x) * sin(x)`:
//! it is computed once, as by NVIDIA's compiler, which puts such functions in later than it removes what is there twice.

use super::Lower;
use super::scope::Binding;
use crate::diagnostics::Res;
use crate::headers::OF_DOUBLE;
use crate::syntax::{Expr, ExprKind, Unary};

impl Lower<'_> {
    /// Whether both sides call the same function of `double` with the same numbers.
    pub(super) fn is_same_call(&mut self, left: &Expr, right: &Expr) -> Res<bool> {
        let ExprKind::Call(function, args) = &left.kind else {
            return Ok(false);
        };
        if !is_same(left, right) {
            return Ok(false);
        }
        let ExprKind::Path(path) = &function.kind else {
            return Ok(false);
        };
        let [name] = &path.parts[..] else {
            return Ok(false);
        };
        let own = format!("{OF_DOUBLE}{}", name.name);
        let is_library = self.lookup(&name.name).is_none()
            && matches!(self.lookup(&own), Some(Binding::Functions(_)));
        if !is_library {
            return Ok(false);
        }
        for arg in args {
            if !self.stays(arg)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an argument is a number that is the same when it is computed again.
    fn stays(&mut self, arg: &Expr) -> Res<bool> {
        match &arg.kind {
            ExprKind::Path(_) => {
                let ty = self.expr(arg)?.ty;
                Ok(ty.is_arithmetic() && !ty.is_volatile)
            }
            ExprKind::Unary(_, of) => self.stays(of),
            ExprKind::Binary(_, a, b) => Ok(self.stays(a)? && self.stays(b)?),
            ExprKind::Integer(..) | ExprKind::Floating(..) => Ok(true),
            // What a call does is not known.
            _ => Ok(false),
        }
    }
}

/// Whether two expressions of names, numbers, calls and arithmetic are written the same.
fn is_same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Integer(a, of), ExprKind::Integer(b, other)) => a == b && of == other,
        (ExprKind::Floating(a, of), ExprKind::Floating(b, other)) => {
            a.to_bits() == b.to_bits() && of == other
        }
        (ExprKind::Path(a), ExprKind::Path(b)) => {
            a.parts.len() == b.parts.len()
                && (a.parts.iter().zip(&b.parts)).all(|(a, b)| {
                    a.name == b.name && a.arguments.is_none() && b.arguments.is_none()
                })
        }
        (ExprKind::Unary(by, a), ExprKind::Unary(other, b)) => {
            by == other && *by == Unary::Minus && is_same(a, b)
        }
        (ExprKind::Binary(by, a, b), ExprKind::Binary(other, c, d)) => {
            by == other && is_same(a, c) && is_same(b, d)
        }
        (ExprKind::Call(f, a), ExprKind::Call(g, b)) => {
            is_same(f, g) && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        _ => false,
    }
}
