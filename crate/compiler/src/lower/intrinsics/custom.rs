//! Intrinsics by code: functions of CUDA that no row of a table says. Their types follow from the arguments, or they
//! are several instructions.

use crate::diagnostics::{Res, an};
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Bin, Cmp, Cvt, Op, Ty, Un, Value};
use crate::lower::Lower;
use crate::lower::builtins::is_of;
use crate::lower::overloads::Given;
use crate::lower::values::Typed;
use crate::source::Span;
use crate::syntax::{Scalar, TemplateArgument};
use crate::types::{self, Kind, Type};

impl Lower<'_> {
    pub(in crate::lower) fn custom_intrinsic(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        match name {
            "min" | "max" | "umin" | "umax" | "llmin" | "llmax" | "ullmin" | "ullmax" | "fmin"
            | "fmax" | "fminf" | "fmaxf" => {
                self.check_count_of(name, given, 2..=2, span)?;
                self.least_or_most(name, &given[0], &given[1])
            }
            "abs" | "fabs" | "fabsf" | "sqrt" | "sqrtf" => {
                self.check_count_of(name, given, 1..=1, span)?;
                self.of_one(name, &given[0])
            }
            "__byte_perm" => self.permuted_bytes(name, given, span),
            "__match_any_sync" | "__match_all_sync" => self.matched(name, given, span),
            "__reduce_add_sync" | "__reduce_min_sync" | "__reduce_max_sync" => {
                self.reduced(name, given, span)
            }
            "isnan" => {
                self.check_count_of(name, given, 1..=1, span)?;
                let scalar = self.floating_of(&given[0]);
                let value = self.number(&given[0], scalar)?;
                Ok(Typed::scalar(
                    Scalar::Bool,
                    self.builder.cmp(Cmp::Ne, value, value),
                ))
            }
            "isinf" | "isfinite" | "signbit" => {
                self.check_count_of(name, given, 1..=1, span)?;
                let scalar = self.floating_of(&given[0]);
                let value = self.number(&given[0], scalar)?;
                Ok(self.kind_of_number(name, value))
            }
            "fma" | "fmaf" => self.multiplied_and_added(name, given, span),
            "__float_as_uint"
            | "__float_as_int"
            | "__uint_as_float"
            | "__int_as_float"
            | "__double_as_longlong"
            | "__longlong_as_double" => self.bits_of_number(name, given, span),
            "__cvta_generic_to_shared" | "__cvta_generic_to_global" => {
                self.address_in_space(name, given, span)
            }
            _ if crate::lower::textures::is_one(name) => {
                self.of_texture(name, explicit, given, span)
            }
            _ if crate::lower::surfaces::is_one(name) => {
                self.of_surface(name, explicit, given, span)
            }
            "__logf" | "__log10f" => self.fast_logarithm(name, given, span),
            "malloc" => self.allocated(name, given, span),
            "free" => self.given_back(name, given, span),
            _ if name.starts_with("__shfl") => self.shuffle(name, given, span),
            _ if name.starts_with("__ld") => {
                self.check_count_of(name, given, 1..=1, span)?;
                self.cached_load(name, &given[0])
            }
            _ => {
                self.check_count_of(name, given, 2..=2, span)?;
                self.cached_store(name, given)
            }
        }
    }

    /// Bytes of two words.
    fn permuted_bytes(&mut self, name: &str, given: &[Given], span: Span) -> Res<Typed> {
        self.check_count_of(name, given, 3..=3, span)?;
        let mut args = Vec::new();
        for given in given {
            args.push(self.number(given, Scalar::UInt)?);
        }
        // Three bits choose a byte; the fourth would spread its sign.
        let mask = self.builder.u32(0x7777);
        args[2] = self.builder.bin(Bin::And, args[2], mask);
        let call = Call::plain(const { Id::of("prmt") });
        let value = self.intrinsic(call, &[Ty::B32], args)[0];
        Ok(Typed::scalar(Scalar::UInt, value))
    }

    /// A sum, the least or the most over the threads of a warp.
    fn reduced(&mut self, name: &str, given: &[Given], span: Span) -> Res<Typed> {
        self.check_count_of(name, given, 2..=2, span)?;
        let scalar = match is_of(&given[1], Scalar::Int) {
            true => Scalar::Int,
            false => Scalar::UInt,
        };
        let mask = self.number(&given[0], Scalar::UInt)?;
        let value = self.number(&given[1], scalar)?;
        let ty = if scalar == Scalar::Int { "s32" } else { "u32" };
        let operation = format!("{}.{ty}", &name[9..12]);
        let call = Call::new(const { Id::of("redux.sync") }, [operation]);
        let value = self.intrinsic(call, &[Ty::B32], vec![mask, value])[0];
        Ok(Typed::scalar(scalar, value))
    }

    /// A product and a sum, rounded once.
    fn multiplied_and_added(&mut self, name: &str, given: &[Given], span: Span) -> Res<Typed> {
        self.check_count_of(name, given, 3..=3, span)?;
        let single = name == "fmaf"
            || given
                .iter()
                .all(|given| self.floating_of(given) == Scalar::Float);
        let scalar = if single {
            Scalar::Float
        } else {
            Scalar::Double
        };
        let mut args = Vec::new();
        for given in given {
            args.push(self.number(given, scalar)?);
        }
        let register = self.builder.body.ty(args[0]);
        Ok(Typed::scalar(
            scalar,
            self.builder.value(Op::Fma, register, &args),
        ))
    }

    /// The same bits as a number of another type.
    fn bits_of_number(&mut self, name: &str, given: &[Given], span: Span) -> Res<Typed> {
        self.check_count_of(name, given, 1..=1, span)?;
        let (from, to) = match name {
            "__float_as_uint" => (Scalar::Float, Scalar::UInt),
            "__float_as_int" => (Scalar::Float, Scalar::Int),
            "__uint_as_float" => (Scalar::UInt, Scalar::Float),
            "__int_as_float" => (Scalar::Int, Scalar::Float),
            "__double_as_longlong" => (Scalar::Double, Scalar::LongLong),
            _ => (Scalar::LongLong, Scalar::Double),
        };
        let value = self.number(&given[0], from)?;
        Ok(self.bits_as(value, to))
    }

    /// A pointer as an address in the space that it leads to.
    fn address_in_space(&mut self, name: &str, given: &[Given], span: Span) -> Res<Typed> {
        self.check_count_of(name, given, 1..=1, span)?;
        let (_, address) = self.pointer(&given[0])?;
        let space = if name.ends_with("shared") {
            crate::ir::Space::Shared
        } else {
            crate::ir::Space::Global
        };
        let value = self
            .builder
            .value(Op::FromGeneric(space), Ty::B64, &[address]);
        Ok(Typed::scalar(Scalar::ULong, value))
    }

    /// A logarithm by that of the base two.
    fn fast_logarithm(&mut self, name: &str, given: &[Given], span: Span) -> Res<Typed> {
        self.check_count_of(name, given, 1..=1, span)?;
        let value = self.number(&given[0], Scalar::Float)?;
        let log2 = Call::plain(const { Id::of("__log2f") });
        let log2 = self.intrinsic(log2, &[Ty::F32], vec![value])[0];
        // A product of its own: a sum may take it in.
        let base = if name == "__logf" {
            0x3f31_7218
        } else {
            0x3e9a_209b
        };
        let base = self.builder.constant(Ty::F32, base);
        Ok(Typed::scalar(
            Scalar::Float,
            self.builder.bin(Bin::Mul, log2, base),
        ))
    }

    /// Memory of the device's heap.
    fn allocated(&mut self, name: &str, given: &[Given], span: Span) -> Res<Typed> {
        self.check_count_of(name, given, 1..=1, span)?;
        let size = self.number(&given[0], Scalar::ULong)?;
        let call = Call::plain(const { Id::of("malloc") });
        let value = self.intrinsic(call, &[Ty::B64], vec![size])[0];
        Ok(Typed::value(
            Type::pointer(Type::scalar(Scalar::Void)),
            value,
        ))
    }

    /// Gives memory back to the heap.
    fn given_back(&mut self, name: &str, given: &[Given], span: Span) -> Res<Typed> {
        self.check_count_of(name, given, 1..=1, span)?;
        let (_, address) = self.pointer(&given[0])?;
        self.intrinsic(Call::plain(const { Id::of("free") }), &[], vec![address]);
        Ok(Typed::void())
    }

    fn least_or_most(&mut self, name: &str, a: &Given, b: &Given) -> Res<Typed> {
        let scalar = match name {
            "fminf" | "fmaxf" => Scalar::Float,
            "umin" | "umax" => Scalar::UInt,
            "llmin" | "llmax" => Scalar::LongLong,
            "ullmin" | "ullmax" => Scalar::ULongLong,
            _ => types::common(self.scalar_of_given(a)?, self.scalar_of_given(b)?),
        };
        if matches!(name, "min" | "max") {
            self.check_alike(name, a, b)?;
        }
        let is_min = name.ends_with("min") || name.ends_with("minf");
        let (x, y) = (self.number(a, scalar)?, self.number(b, scalar)?);
        let bin = match (is_min, scalar) {
            (true, Scalar::Float | Scalar::Double) => Bin::Min,
            (false, Scalar::Float | Scalar::Double) => Bin::Max,
            (true, _) if types::is_signed(scalar) => Bin::MinS,
            (true, _) => Bin::MinU,
            (false, _) if types::is_signed(scalar) => Bin::MaxS,
            (false, _) => Bin::MaxU,
        };
        Ok(Typed::scalar(scalar, self.builder.bin(bin, x, y)))
    }

    /// CUDA has `min` and `max` for two numbers of one size, and for two that are `float` or `double`.
    fn check_alike(&mut self, name: &str, a: &Given, b: &Given) -> Res<()> {
        let (x, y) = (self.scalar_of_given(a)?, self.scalar_of_given(b)?);
        let size = |scalar| match scalar {
            Scalar::Float | Scalar::Double => 0,
            Scalar::Long | Scalar::ULong => 1,
            Scalar::LongLong | Scalar::ULongLong => 2,
            _ => 3,
        };
        if size(x) == size(y) || a.expr.span.is_header() {
            return Ok(());
        }
        let (x, y) = (
            self.spelled(&Type::scalar(x)),
            self.spelled(&Type::scalar(y)),
        );
        let message = format!("more than one `{name}` fits {} and {}", an(&x), an(&y));
        let help = format!("cast one of them to the other's type: `({y})…`, or `({x})…`");
        Err(self
            .sink
            .error_help(a.expr.span.to(b.expr.span), message, help))
    }

    fn of_one(&mut self, name: &str, given: &Given) -> Res<Typed> {
        let scalar = match name {
            "fabsf" | "sqrtf" => Scalar::Float,
            "abs" => types::promoted(self.scalar_of_given(given)?),
            _ => match self.scalar_of_given(given)? {
                Scalar::Float => Scalar::Float,
                _ => Scalar::Double,
            },
        };
        let value = self.number(given, scalar)?;
        let un = if name.starts_with("sqrt") {
            Un::Sqrt
        } else {
            Un::Abs
        };
        Ok(Typed::scalar(scalar, self.builder.un(un, value)))
    }

    /// Whether a number is infinite, finite, or has the sign bit.
    fn kind_of_number(&mut self, name: &str, value: Value) -> Typed {
        let (register, infinity) = match self.builder.body.ty(value) {
            Ty::F64 => (Ty::B64, 0x7ff0_0000_0000_0000),
            _ => (Ty::B32, 0x7f80_0000),
        };
        let bits = self.builder.cvt(Cvt::Bits, register, value);
        let top = register.sign();
        let (mask, compared, cmp) = match name {
            "signbit" => (top, 0, Cmp::Ne),
            "isinf" => (top - 1, infinity, Cmp::Eq),
            _ => (infinity, infinity, Cmp::Ne),
        };
        let mask = self.builder.constant(register, mask);
        let masked = self.builder.bin(Bin::And, bits, mask);
        let compared = self.builder.constant(register, compared);
        let is = self.builder.cmp(cmp, masked, compared);
        Typed::scalar(Scalar::Bool, is)
    }

    fn floating_of(&self, given: &Given) -> Scalar {
        match given.typed.as_ref().map(|typed| &typed.ty.kind) {
            Some(Kind::Scalar(Scalar::Float)) => Scalar::Float,
            _ => Scalar::Double,
        }
    }
}
