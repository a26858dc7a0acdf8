//! Expressions: each kind in its file; literals, names, sizes and what every thread has are here.

use super::Lower;
use super::scope::Binding;
use super::values::{Form, Typed};
use crate::diagnostics::Res;
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Origin, Ty};
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Path, Scalar};
use crate::types::{Kind, Type};

/// Variables that every thread has.
const THREAD: [(&str, [Id; 3]); 4] = [
    (
        "threadIdx",
        [
            Id::of("threadIdx.x"),
            Id::of("threadIdx.y"),
            Id::of("threadIdx.z"),
        ],
    ),
    (
        "blockIdx",
        [
            Id::of("blockIdx.x"),
            Id::of("blockIdx.y"),
            Id::of("blockIdx.z"),
        ],
    ),
    (
        "blockDim",
        [
            Id::of("blockDim.x"),
            Id::of("blockDim.y"),
            Id::of("blockDim.z"),
        ],
    ),
    (
        "gridDim",
        [
            Id::of("gridDim.x"),
            Id::of("gridDim.y"),
            Id::of("gridDim.z"),
        ],
    ),
];

impl Lower<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> Res<Typed> {
        self.work += 1;
        self.check_work(expr.span)?;
        self.deeper(expr.span, |lower| {
            lower.at_line(expr.span, |lower| lower.expr_here(expr))
        })
    }

    pub(super) fn check_work(&mut self, span: Span) -> Res<()> {
        if self.work <= crate::limits::WORK {
            return Ok(());
        }
        let help =
            "loops are unrolled and calls inlined: put `#pragma unroll 1` before the largest loops";
        Err(self
            .sink
            .error_help(span, "this kernel takes too long to compile", help))
    }

    fn expr_here(&mut self, expr: &Expr) -> Res<Typed> {
        let span = expr.span;
        if let Some(number) = self.known_number(expr) {
            return Ok(number);
        }
        match &expr.kind {
            ExprKind::Integer(value, scalar) => {
                let ty = Type::scalar(*scalar);
                let register = ty.register().unwrap_or(Ty::B32);
                Ok(Typed::value(ty, self.builder.constant(register, *value)))
            }
            ExprKind::Floating(value, Scalar::Float) => {
                let bits = u64::from((*value as f32).to_bits());
                Ok(Typed::scalar(
                    Scalar::Float,
                    self.builder.constant(Ty::F32, bits),
                ))
            }
            ExprKind::Floating(value, _) => Ok(Typed::scalar(
                Scalar::Double,
                self.builder.constant(Ty::F64, value.to_bits()),
            )),
            ExprKind::Character(byte) => {
                let value = self.builder.u32(*byte as i8 as u32);
                Ok(Typed::scalar(Scalar::Char, value))
            }
            ExprKind::Bool(is) => Ok(Typed::scalar(
                Scalar::Bool,
                self.builder.constant(Ty::Pred, u64::from(*is)),
            )),
            ExprKind::Null => Ok(Typed::value(Type::new(Kind::Null), self.builder.u64(0))),
            ExprKind::Text(bytes) => Ok(self.text_value(&bytes.clone())),
            ExprKind::Path(path) => self.path(path),
            ExprKind::This => match self.frames.last().and_then(|frame| frame.this) {
                Some((address, id, is_const)) => {
                    let mut of = Type::new(Kind::Struct(id));
                    of.is_const = is_const;
                    Ok(Typed::value(Type::pointer(of), address))
                }
                None => Err(self
                    .sink
                    .error(span, "`this` is there in member functions only")),
            },
            ExprKind::Unary(operator, inner) => self.unary(*operator, inner, span),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, span),
            ExprKind::Assign(operator, to, from) => self.assign(*operator, to, from, span),
            ExprKind::Conditional(condition, yes, no) => self.conditional(condition, yes, no, span),
            ExprKind::Comma(first, second) => {
                self.expr(first)?;
                self.expr(second)
            }
            ExprKind::Call(callee, arguments) => {
                let arguments = self.expanded(arguments)?;
                self.call(callee, &arguments, span)
            }
            ExprKind::Index(object, index) => self.index(object, index, span),
            ExprKind::Member(object, part, is_arrow) => {
                let object = self.member_object(object, *is_arrow)?;
                self.member_of(&object, &part.name, span)
            }
            ExprKind::Cast(name, ty, inner) => {
                let ty = self.type_of(ty)?;
                let typed = self.expr(inner)?;
                self.cast(name, typed, &ty, span)
            }
            ExprKind::Construct(ty, list, is_braces) => {
                let list = self.expanded(list)?;
                let ty = match (&ty.kind, &list[..]) {
                    (crate::syntax::TypeKind::Auto, [only]) => self.type_of_expr(only)?,
                    _ => match self.placeholder(ty) {
                        Some(of) => return self.deduced_object(&of, &list, span),
                        None => self.type_of(ty)?,
                    },
                };
                self.construct(&ty, &list, *is_braces, span)
            }
            ExprKind::SizeOfType(ty) => {
                let ty = self.type_of(ty)?;
                self.size(&ty)
            }
            ExprKind::SizeOf(inner) => {
                let ty = self.type_of_expr(inner)?;
                self.size(&ty)
            }
            ExprKind::AlignOfType(ty) => {
                let ty = self.type_of(ty)?;
                let align = self.structs.align(&ty);
                Ok(Typed::scalar(Scalar::ULong, self.builder.u64(align)))
            }
            ExprKind::List(_) => Err(self.sink.error_help(
                span,
                "a list in braces has no type here",
                "put the type before it: `Type{…}`",
            )),
            ExprKind::Lambda(lambda) => self.lambda(lambda, span),
            ExprKind::Expand(..) => {
                let help = "packs are expanded in lists: arguments, values in braces, template arguments, bases";
                Err(self
                    .sink
                    .error_help(span, "a pack cannot be expanded here", help))
            }
            ExprKind::Nth(packs, number, pattern) => {
                self.with_nth(packs, *number, |lower| lower.expr(pattern))
            }
            ExprKind::Fold(fold) => self.fold(fold, span),
            ExprKind::PackSize(name) => self.pack_size(name, span),
            ExprKind::New(new) => self.new_object(new, span),
            ExprKind::Delete(inner) => self.delete(inner, span),
        }
    }

    fn size(&mut self, ty: &Type) -> Res<Typed> {
        let ty = match &ty.kind {
            Kind::Reference(to) => to,
            _ => ty,
        };
        let size = self.structs.size(ty);
        Ok(Typed::scalar(Scalar::ULong, self.builder.u64(size)))
    }

    fn path(&mut self, path: &Path) -> Res<Typed> {
        let name = &path.parts[0].name;
        if path.parts.len() == 1 {
            let local = self.local(name);
            if let Some(Binding::Typed(typed)) = local {
                return Ok(typed.clone());
            }
            if local.is_none() {
                if let Some(field) = self.own_field(name) {
                    return Ok(field);
                }
                if let Some(found) = self.thread_variable(name)? {
                    return Ok(found);
                }
            }
        }
        let (binding, _) = self.resolve(path)?;
        match binding {
            Binding::Typed(typed) => Ok(typed),
            Binding::Symbol(symbol, ty) => {
                let address = self.symbol_address(symbol);
                Ok(Typed::place(ty, address))
            }
            Binding::Functions(list) => Ok(Typed {
                ty: Type::new(Kind::Function),
                form: Form::Functions(list),
                origin: Origin::default(),
            }),
            _ => Err(self.sink.error(
                path.span,
                format!("`{name}` is a type, a value is needed here"),
            )),
        }
    }

    fn thread_variable(&mut self, name: &str) -> Res<Option<Typed>> {
        if name == "warpSize" {
            let value = self.builder.u32(32);
            return Ok(Some(Typed::scalar(Scalar::Int, value)));
        }
        let Some((_, registers)) = THREAD.iter().find(|(known, _)| *known == name) else {
            return Ok(None);
        };
        let Some(id) = self.structs.vector("uint3") else {
            return Ok(None);
        };
        let mut ty = Type::new(Kind::Struct(id));
        let address = self.new_slot(&ty);
        for (number, register) in registers.iter().enumerate() {
            let value = self.intrinsic(Call::plain(*register), &[Ty::B32], Vec::new())[0];
            let at = self.builder.offset(address, 4 * number as u64);
            self.store_scalar(&Type::scalar(Scalar::UInt), at, value);
        }
        ty.is_const = true;
        Ok(Some(Typed::place(ty, address)))
    }
}
