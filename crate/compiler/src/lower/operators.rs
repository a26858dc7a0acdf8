//! Operators on two operands: arithmetic with its conversions, and comparisons.

use super::Lower;
use super::values::{Form, Typed};
use crate::diagnostics::{Reported, Res, an};
use crate::ir::{Bin, Cmp, Ty};
use crate::source::Span;
use crate::syntax::{Binary, Expr, Scalar};
use crate::types::{self, Kind, Type};

/// How an operator is written.
pub(super) fn spelled(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::LogicalAnd => "&&",
        Binary::LogicalOr => "||",
    }
}

impl Lower<'_> {
    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Res<Typed> {
        if matches!(operator, Binary::LogicalAnd | Binary::LogicalOr) {
            return self.logical(operator, left, right);
        }
        let a = self.expr(left)?;
        let read = self.read_now(&a, left.span)?;
        let b = match self.is_same_call(left, right)? && matches!(a.form, Form::Value(_)) {
            true => a.clone(),
            false => self.expr(right)?,
        };
        let is_enum = |ty: &Type| matches!(ty.kind, Kind::Enum(..));
        let mut has_own = a.ty.is_struct() || b.ty.is_struct();
        if !has_own && (is_enum(&a.ty) || is_enum(&b.ty)) {
            let name = format!("operator{}", spelled(operator));
            has_own = self.has_enum_operator(&[&a.ty, &b.ty], &name);
        }
        if has_own {
            return self.struct_operator(operator, &a, &b, left, right, span);
        }
        self.operate(operator, read.unwrap_or(a), b, span)
    }

    /// A number that is read before what else an expression needs is computed: the two ways behind a branch begin with the same
    /// read then, if their sources do.
    pub(super) fn read_now(&mut self, typed: &Typed, span: Span) -> Res<Option<Typed>> {
        let is_number = typed.ty.is_arithmetic() && !typed.ty.is_volatile;
        match typed.form {
            Form::Place(_) if is_number => {
                let value = self.rvalue(typed, span)?;
                Ok(Some(Typed::value(typed.ty.plain(), value)))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn no_operator(
        &mut self,
        operator: &str,
        a: &Type,
        b: &Type,
        span: Span,
    ) -> Reported {
        let is_vector = |ty: &Type| matches!(ty.kind, Kind::Struct(id) if self.structs.get(id).syntax.is_none());
        let is_place = |ty: &Type| matches!(self.spelled(&ty.plain()).as_str(), "uint3" | "dim3");
        let help = match is_vector(a) || is_vector(b) {
            true if is_place(a) || is_place(b) => "it has three parts: name one, such as `.x`",
            true => {
                "CUDA has no operators for vectors such as `float4`: write it for `.x`, `.y` … one by one"
            }
            false if self.is_scoped_enum(a) || self.is_scoped_enum(b) => {
                "an `enum class` is no number: `static_cast<int>(…)`"
            }
            false if a.is_pointer() != b.is_pointer() => {
                "put `*` before the pointer, or `[index]` behind it, for what it points to"
            }
            false => "look at the types of both sides",
        };
        let (a, b) = (self.spelled(a), self.spelled(b));
        self.sink.error_help(
            span,
            format!("there is no `{operator}` for {} and {}", an(&a), an(&b)),
            help,
        )
    }

    /// An operator on numbers or pointers.
    pub(super) fn operate(
        &mut self,
        operator: Binary,
        a: Typed,
        b: Typed,
        span: Span,
    ) -> Res<Typed> {
        let (a, b) = (self.decayed(a), self.decayed(b));
        if a.ty.is_callee() || b.ty.is_callee() {
            return self.compare_callees(operator, &a, &b, span);
        }
        if a.ty.is_pointer() || b.ty.is_pointer() {
            return self.pointers(operator, &a, &b, span);
        }
        if !a.ty.is_arithmetic() || !b.ty.is_arithmetic() {
            return Err(self.no_operator(spelled(operator), &a.ty, &b.ty, span));
        }
        let (a, b) = self.held_sides(operator, a, b, span)?;
        let scalar_of = |ty: &Type| match ty.kind {
            Kind::Scalar(scalar @ (Scalar::Float | Scalar::Double)) => scalar,
            _ => ty.as_integer().unwrap_or(Scalar::Int),
        };
        let (sa, sb) = (scalar_of(&a.ty), scalar_of(&b.ty));
        let is_shift = matches!(operator, Binary::Shl | Binary::Shr);
        let scalar = if is_shift {
            types::promoted(sa)
        } else {
            types::common(sa, sb)
        };
        let ty = Type::scalar(scalar);
        let is_float = ty.is_floating();
        if is_float || b.ty.is_floating() {
            self.check_takes_floats(operator, span)?;
        }
        let left = self.convert(&a, &ty, span)?;
        let right = match is_shift {
            true => {
                let count = self.convert(&b, &Type::scalar(Scalar::UInt), span)?;
                match self.builder.body.ty(left) {
                    Ty::B64 => self.builder.cvt(crate::ir::Cvt::ZeroExtend, Ty::B64, count),
                    _ => count,
                }
            }
            false => self.convert(&b, &ty, span)?,
        };
        if matches!(operator, Binary::Div | Binary::Rem)
            && !is_float
            && self.builder.body.constant(right) == Some(0)
        {
            // No error: it may stand where nothing comes, in one instance of a template.
            self.sink.warn(
                span,
                "this divides by zero",
                "the quotient is undefined wherever this is reached: test the divisor before",
            );
        }
        let is_signed = types::is_signed(scalar);
        if let Some(cmp) = comparison(operator, is_float, is_signed) {
            return Ok(Typed::scalar(
                Scalar::Bool,
                self.builder.cmp(cmp, left, right),
            ));
        }
        let bin = instruction(operator, is_float, is_signed);
        let result = match is_signed && !is_float {
            true => self.builder.exact_bin(bin, left, right),
            false => self.builder.bin(bin, left, right),
        };
        Ok(Typed::value(ty, result))
    }

    /// Refuses operators that only whole numbers have.
    fn check_takes_floats(&mut self, operator: Binary, span: Span) -> Res<()> {
        if matches!(
            operator,
            Binary::Rem | Binary::And | Binary::Or | Binary::Xor | Binary::Shl | Binary::Shr
        ) {
            let help = match operator {
                Binary::Rem => "use `fmodf` for the rest of floats",
                Binary::Xor => "`^` is no power: write `x * x`, or `powf(x, y)`",
                _ => "cast to a whole number first",
            };
            return Err(self.sink.error_help(
                span,
                format!("`{}` needs whole numbers", spelled(operator)),
                help,
            ));
        }
        Ok(())
    }
}

/// What an operator compares by, if it compares.
pub(super) fn comparison(operator: Binary, is_float: bool, is_signed: bool) -> Option<Cmp> {
    let pick = |float, signed, unsigned| match (is_float, is_signed) {
        (true, _) => float,
        (false, true) => signed,
        (false, false) => unsigned,
    };
    Some(match operator {
        Binary::Equal => Cmp::Eq,
        Binary::NotEqual => Cmp::Ne,
        Binary::Less => pick(Cmp::Lt, Cmp::LtS, Cmp::LtU),
        Binary::LessEqual => pick(Cmp::Le, Cmp::LeS, Cmp::LeU),
        Binary::Greater => pick(Cmp::Gt, Cmp::GtS, Cmp::GtU),
        Binary::GreaterEqual => pick(Cmp::Ge, Cmp::GeS, Cmp::GeU),
        _ => return None,
    })
}

/// The instruction of an operator on numbers that compares nothing.
fn instruction(operator: Binary, is_float: bool, is_signed: bool) -> Bin {
    match operator {
        Binary::Add => Bin::Add,
        Binary::Sub => Bin::Sub,
        Binary::Mul => Bin::Mul,
        Binary::Div if is_float => Bin::Div,
        Binary::Div if is_signed => Bin::DivS,
        Binary::Div => Bin::DivU,
        Binary::Rem if is_signed => Bin::RemS,
        Binary::Rem => Bin::RemU,
        Binary::And => Bin::And,
        Binary::Or => Bin::Or,
        Binary::Xor => Bin::Xor,
        Binary::Shl => Bin::Shl,
        _ if is_signed => Bin::ShrS,
        _ => Bin::ShrU,
    }
}
