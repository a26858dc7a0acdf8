//! Atomic functions.

use super::Lower;
use super::overloads::Given;
use super::values::Typed;
use crate::diagnostics::{Reported, Res, an};
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Bin, Cvt, Ty, Value};
use crate::source::Span;
use crate::syntax::Scalar;
use crate::types::{Kind, Type};

/// Name, operation in PTX, and the types that it takes.
const ATOMICS: [(&str, &str, &str); 11] = [
    ("atomicAdd", "add", "iuLfd"),
    ("atomicSub", "add", "iu"),
    ("atomicExch", "exch", "iuLf"),
    ("atomicMin", "min", "iulL"),
    ("atomicMax", "max", "iulL"),
    ("atomicInc", "inc", "u"),
    ("atomicDec", "dec", "u"),
    ("atomicAnd", "and", "iulL"),
    ("atomicOr", "or", "iulL"),
    ("atomicXor", "xor", "iulL"),
    ("atomicCAS", "cas", "iuL"),
];

/// What stands behind the name for another scope.
const SCOPES: [(&str, &str); 3] = [("_block", ".cta"), ("_system", ".sys"), ("", "")];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ATOMICS.iter().map(|row| row.0)
}

fn found(name: &str) -> Option<(&'static str, &'static str, &'static str)> {
    SCOPES.iter().find_map(|(suffix, scope)| {
        let base = name.strip_suffix(suffix)?;
        let row = ATOMICS.iter().find(|row| row.0 == base)?;
        Some((row.1, row.2, *scope))
    })
}

pub(super) fn is_atomic(name: &str) -> bool {
    found(name).is_some()
}

impl Lower<'_> {
    pub(super) fn atomic(&mut self, name: &str, given: &[Given], span: Span) -> Res<Typed> {
        let Some((operation, takes, scope)) = found(name) else {
            return Err(self.unknown(name, span));
        };
        let count = if operation == "cas" { 3 } else { 2 };
        self.check_count_of(name, given, count..=count, span)?;
        let (of, address) = self.pointer(&given[0])?;
        if of.is_const {
            let help = "the pointer is declared `const`; an atomic changes what it points to";
            return Err(self.sink.error_help(
                given[0].expr.span,
                "an atomic cannot change this",
                help,
            ));
        }
        let (letter, suffix) = match of.kind {
            Kind::Scalar(Scalar::Int) => ('i', "s32"),
            Kind::Scalar(Scalar::UInt) => ('u', "u32"),
            Kind::Scalar(Scalar::LongLong) => ('l', "s64"),
            Kind::Scalar(Scalar::ULongLong) => ('L', "u64"),
            Kind::Scalar(Scalar::Float) => ('f', "f32"),
            Kind::Scalar(Scalar::Double) => ('d', "f64"),
            _ => return Err(self.no_atomic(name, &given[0], &of)),
        };
        if !takes.contains(letter) {
            return Err(self.no_atomic(name, &given[0], &of));
        }
        let ty = of.plain();
        let register = ty.register().unwrap_or(Ty::B32);
        let mut args: Vec<Value> = vec![address];
        for given in &given[1..] {
            let Some(typed) = &given.typed else {
                return Err(self.no_atomic(name, given, &ty));
            };
            args.push(self.convert(typed, &ty, given.expr.span)?);
        }
        if name.starts_with("atomicSub") {
            let zero = self.builder.constant(register, 0);
            args[1] = self.builder.bin(Bin::Sub, zero, args[1]);
        }
        let bits = register.bits();
        let is_float = matches!(letter, 'f' | 'd');
        let untyped = matches!(operation, "exch" | "cas" | "and" | "or" | "xor");
        let suffix = match operation {
            _ if untyped => format!("b{bits}"),
            "add" if !is_float => format!("u{bits}"),
            _ => suffix.to_string(),
        };
        let raw = if untyped && is_float {
            if bits == 32 { Ty::B32 } else { Ty::B64 }
        } else {
            register
        };
        for arg in &mut args[1..] {
            *arg = self.builder.cvt(Cvt::Bits, raw, *arg);
        }
        let operands = if count == 3 { "%2, %3" } else { "%2" };
        let operation = format!("{operation}.{suffix}");
        let parts = [scope.to_string(), operation, operands.to_string()];
        let call = Call::new(const { Id::of("atom") }, parts);
        let value = self.intrinsic(call, &[raw], args)[0];
        let value = self.builder.cvt(Cvt::Bits, register, value);
        Ok(Typed::value(Type::scalar(self.scalar_kept(&ty)), value))
    }

    /// An atomic on what none exists for, with the way that is nearest.
    fn no_atomic(&mut self, name: &str, given: &Given, of: &Type) -> Reported {
        let spelled = self.structs.spelled(of);
        let help = match spelled.as_str() {
            "unsigned long" => "cast the pointer to `unsigned long long*`, which is as wide",
            "float2" | "float4" if name.starts_with("atomicAdd") => {
                "vectors are added from `compute_90` on: a comment `// compute_90` asks for it, on the command line `--arch`"
            }
            "float" | "double" if matches!(name, "atomicMax" | "atomicMin") => {
                "it compares whole numbers; for floats loop with `atomicCAS` on their bits"
            }
            _ => return self.unusable(given, &format!("`{name}`")),
        };
        let message = format!("`{name}` cannot take {}", an(&format!("{spelled}*")));
        self.sink.error_help(given.expr.span, message, help)
    }

    fn scalar_kept(&self, ty: &Type) -> Scalar {
        match ty.kind {
            Kind::Scalar(scalar) => scalar,
            _ => Scalar::Int,
        }
    }
}
