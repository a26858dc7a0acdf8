//! Whole numbers that follow from constants alone, found without an instruction: most of what stands in loops that are unrolled. What is no such number is looked at as any expression is.

use super::Lower;
use super::scope::Binding;
use super::values::{Form, Typed};
use crate::ir::compute::{constant_bin, constant_cmp, signed};
use crate::ir::{Bin, Cmp, Ty, Value};
use crate::syntax::{Binary, Expr, ExprKind, Path, Scalar, Unary};
use crate::types::{self, Kind, Type};

/// A number with its type; the bits are as many as its register has.
type Number = (Scalar, u64);

impl Lower<'_> {
    /// The value of an expression with operators, if it is such a number.
    pub(super) fn known_number(&mut self, expr: &Expr) -> Option<Typed> {
        use ExprKind::{Binary, Conditional, Unary};
        if !matches!(expr.kind, Binary(..) | Conditional(..) | Unary(..)) {
            return None;
        }
        let mut looked_at = 0;
        let (scalar, bits) = self.number_of(expr, &mut looked_at)?;
        self.work += looked_at;
        let ty = Type::scalar(scalar);
        let value = self.builder.constant(register(scalar)?, bits);
        Some(Typed::value(ty, value))
    }

    /// What a variable of a loop is after a step, by one where nothing else is said, if that is such a number.
    pub(super) fn number_after(
        &mut self,
        operator: Binary,
        ty: &Type,
        now: Value,
        by: Option<&Expr>,
    ) -> Option<Value> {
        let Kind::Scalar(scalar) = ty.kind else {
            return None;
        };
        let now = number(scalar, self.builder.body.constant(now)?)?;
        let mut looked_at = 1;
        let by = match by {
            Some(by) => self.number_of(by, &mut looked_at)?,
            None => (Scalar::Int, 1),
        };
        let (_, bits) = cast(binary(operator, now, by)?, scalar)?;
        self.work += looked_at;
        Some(self.builder.constant(register(scalar)?, bits))
    }

    fn number_of(&self, expr: &Expr, looked_at: &mut usize) -> Option<Number> {
        *looked_at += 1;
        match &expr.kind {
            ExprKind::Integer(value, scalar) => number(*scalar, *value),
            ExprKind::Bool(is) => Some((Scalar::Bool, u64::from(*is))),
            ExprKind::Path(path) => self.named(path),
            ExprKind::Unary(operator, inner) => unary(*operator, self.number_of(inner, looked_at)?),
            ExprKind::Binary(operator @ (Binary::LogicalAnd | Binary::LogicalOr), left, right) => {
                let is_and = *operator == Binary::LogicalAnd;
                let left = self.number_of(left, looked_at)?.1 != 0;
                let holds = match left == is_and {
                    true => self.number_of(right, looked_at)?.1 != 0,
                    false => left,
                };
                Some((Scalar::Bool, u64::from(holds)))
            }
            ExprKind::Binary(operator, left, right) => {
                let left = self.number_of(left, looked_at)?;
                binary(*operator, left, self.number_of(right, looked_at)?)
            }
            ExprKind::Conditional(condition, yes, no) => {
                let holds = self.number_of(condition, looked_at)?.1 != 0;
                let (yes, no) = (
                    self.number_of(yes, looked_at)?,
                    self.number_of(no, looked_at)?,
                );
                let (chosen, other) = if holds { (yes, no) } else { (no, yes) };
                match chosen.0 == other.0 {
                    true => Some(chosen),
                    false => cast(chosen, types::common(chosen.0, other.0)),
                }
            }
            _ => None,
        }
    }

    /// A variable that is nothing but a name for a number.
    fn named(&self, path: &Path) -> Option<Number> {
        if path.parts.iter().any(|part| part.arguments.is_some()) {
            return None;
        }
        let binding = match &path.parts[..] {
            [part] => self.local(&part.name)?,
            // A constant of a struct that has a name here, such as an argument of a template.
            [of, part] => match self.local(&of.name)? {
                Binding::Type(Type {
                    kind: Kind::Struct(id),
                    ..
                }) => self.struct_scopes.get(id)?.names.get(&part.name)?,
                _ => return None,
            },
            _ => return None,
        };
        match binding {
            Binding::Typed(Typed {
                ty:
                    Type {
                        kind: Kind::Scalar(scalar),
                        ..
                    },
                form: Form::Value(value),
                ..
            }) => number(*scalar, self.builder.body.constant_or_symbolic(*value)?),
            Binding::Constant(
                Type {
                    kind: Kind::Scalar(scalar),
                    ..
                },
                bits,
            ) => number(*scalar, *bits),
            _ => None,
        }
    }
}

/// The register of a truth or of a whole number that operators take as it is.
fn register(scalar: Scalar) -> Option<Ty> {
    use Scalar::{Bool, Int, Long, LongLong, UInt, ULong, ULongLong};
    match scalar {
        Bool => Some(Ty::Pred),
        Int | UInt => Some(Ty::B32),
        Long | ULong | LongLong | ULongLong => Some(Ty::B64),
        _ => None,
    }
}

fn number(scalar: Scalar, bits: u64) -> Option<Number> {
    Some((scalar, bits & register(scalar)?.mask()))
}

fn cast((scalar, bits): Number, to: Scalar) -> Option<Number> {
    match (register(scalar)?, to) {
        (_, Scalar::Bool) => Some((to, u64::from(bits != 0))),
        (Ty::B32, _) if types::is_signed(scalar) => number(to, signed(Ty::B32, bits) as u64),
        _ => number(to, bits),
    }
}

fn unary(operator: Unary, of: Number) -> Option<Number> {
    let whole = || cast(of, types::promoted(of.0));
    match operator {
        Unary::Not => Some((Scalar::Bool, u64::from(of.1 == 0))),
        Unary::Plus => whole(),
        Unary::Minus => whole().and_then(|(scalar, bits)| number(scalar, bits.wrapping_neg())),
        Unary::Complement => whole().and_then(|(scalar, bits)| number(scalar, !bits)),
        _ => None,
    }
}

fn binary(operator: Binary, a: Number, b: Number) -> Option<Number> {
    let is_shift = matches!(operator, Binary::Shl | Binary::Shr);
    let scalar = match is_shift {
        true => types::promoted(a.0),
        false => types::common(a.0, b.0),
    };
    let ty = register(scalar)?;
    let x = cast(a, scalar)?.1;
    let y = cast(b, if is_shift { Scalar::UInt } else { scalar })?.1;
    let is_signed = types::is_signed(scalar);
    let order = |unsigned, signed| if is_signed { signed } else { unsigned };
    let compared = match operator {
        Binary::Equal => Some(Cmp::Eq),
        Binary::NotEqual => Some(Cmp::Ne),
        Binary::Less => Some(order(Cmp::LtU, Cmp::LtS)),
        Binary::LessEqual => Some(order(Cmp::LeU, Cmp::LeS)),
        Binary::Greater => Some(order(Cmp::GtU, Cmp::GtS)),
        Binary::GreaterEqual => Some(order(Cmp::GeU, Cmp::GeS)),
        _ => None,
    };
    if let Some(cmp) = compared {
        return Some((Scalar::Bool, u64::from(constant_cmp(cmp, ty, x, y))));
    }
    let of = |unsigned, signed| if is_signed { signed } else { unsigned };
    let bin = match operator {
        Binary::Add => Bin::Add,
        Binary::Sub => Bin::Sub,
        Binary::Mul => Bin::Mul,
        Binary::Div => of(Bin::DivU, Bin::DivS),
        Binary::Rem => of(Bin::RemU, Bin::RemS),
        Binary::And => Bin::And,
        Binary::Or => Bin::Or,
        Binary::Xor => Bin::Xor,
        Binary::Shl => Bin::Shl,
        Binary::Shr => of(Bin::ShrU, Bin::ShrS),
        _ => return None,
    };
    number(scalar, constant_bin(bin, ty, x, y)?)
}
