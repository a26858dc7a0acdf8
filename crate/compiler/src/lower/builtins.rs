//! Functions that CUDA has by itself: a table of those that are one instruction or a few, and what is more than that.

use super::Lower;
use super::families;
use super::functions::{MORE, OF_BOTH, TABLE, is_of_both, scalar_of, takes_integers};
use super::math::MATH;
use super::overloads::Given;
use super::scope::Binding;
use super::values::{Form, Typed};
use super::vectors;
use crate::diagnostics::{Reported, Res, an};
use crate::hash::HashSet;
use crate::ir::{Bin, Cmp, Cvt, Effect, Op, Ptx, Ty, Un, Value, Values};
use crate::source::Span;
use crate::syntax::{Expr, Scalar, TemplateArgument};
use crate::types::{self, Kind, Type};
use std::rc::Rc;
use std::sync::LazyLock;

/// All names, for who looks for one that is near.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let thread = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];
    TABLE
        .iter()
        .map(|row| row.0)
        .chain(MATH.iter().map(|row| row.0))
        .chain(MORE)
        .chain(OF_BOTH)
        .chain(super::atomics::names())
        .chain(thread)
}

/// The functions that stand in a list.
static LISTED: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let table = TABLE.iter().map(|row| row.0);
    table
        .chain(MATH.iter().map(|row| row.0))
        .chain(MORE)
        .collect()
});

/// Whether CUDA has such a function, and we have it.
pub(super) fn is_builtin(name: &str) -> bool {
    LISTED.contains(name) || super::atomics::is_atomic(name) || families::row(name).is_some()
}

/// Whether CUDA has a function of this name: the same for all types, or one for `float` and one for `double`.
pub(super) fn is_cudas(name: &str) -> bool {
    is_builtin(name) || is_of_both(name) || vectors::made_by(name).is_some()
}

/// Whether an argument has this type.
fn is_of(given: &Given, scalar: Scalar) -> bool {
    let ty = given.typed.as_ref().map(|typed| &typed.ty.kind);
    ty == Some(&Kind::Scalar(scalar))
}

impl Lower<'_> {
    pub(super) fn builtin(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        arguments: &[Expr],
        span: Span,
    ) -> Res<Typed> {
        if let Some(id) = self.vector_made_by(name) {
            // Written one after the other, as its list in braces would be.
            let list = self.expanded(arguments)?;
            if list.len() == self.structs.get(id).fields.len() {
                return self.construct(&Type::new(Kind::Struct(id)), &list, true, span);
            }
        }
        if name == "printf" {
            return self.printf(arguments, span);
        }
        if name == "assert" {
            return self.assertion(arguments, span);
        }
        if let ("(count)", [list]) = (name, arguments) {
            let ty = self.type_of_expr(list)?;
            return match ty.kind {
                Kind::Array(_, count) => {
                    Ok(Typed::scalar(Scalar::UInt, self.builder.u32(count as u32)))
                }
                _ => Err(self.sink.gap(span, "`for` over anything but an array")),
            };
        }
        if super::hints::NAMES.contains(&name) {
            return self.hint(name, arguments, span);
        }
        if !is_cudas(name) {
            return Err(self.unknown(name, span));
        }
        let given = self.given(arguments)?;
        self.builtin_for(name, explicit, &given, span)
    }

    /// The one of CUDA's functions of this name that these arguments ask for.
    pub(super) fn builtin_for(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        if let Some(id) = self.vector_made_by(name) {
            return self.make_vector(name, id, given, span);
        }
        if is_of_both(name) {
            return self.of_both(name, explicit, given, span);
        }
        self.builtin_of(name, explicit, given, span)
    }

    /// A function that `float` and `double` have under one name: which of both follows from the arguments.
    fn of_both(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        let is_float = |given: &Given| is_of(given, Scalar::Float);
        let is_number = |given: &Given| {
            let ty = given.typed.as_ref().map(|typed| &typed.ty);
            ty.is_some_and(|ty| ty.is_floating() || (ty.is_integer() && !takes_integers(name)))
        };
        let mut numbers = given.iter().filter(|given| is_number(given)).peekable();
        let mut is_single = numbers.peek().is_some() && numbers.all(is_float);
        let mut of_double = format!("{}{name}", crate::headers::OF_DOUBLE);
        let mut of_float = format!("{name}f");
        // A power with a whole exponent is a function of its own.
        if let ("pow", [base, exponent]) = (name, given)
            && is_of(exponent, Scalar::Int)
            && (is_float(base) || is_of(base, Scalar::Double))
        {
            is_single = is_float(base);
            (of_double, of_float) = ("__powi".to_string(), "__powif".to_string());
        }
        let own = if is_single { &of_float } else { &of_double };
        if let Some(Binding::Functions(list)) = self.lookup(own) {
            let chosen = self.choose(name, &list, None, given, span)?;
            return self.inline(chosen, None, given.to_vec(), span);
        }
        let known = if is_single { &of_float } else { name };
        if is_builtin(known) {
            return self.builtin_of(known, explicit, given, span);
        }
        Err(self.sink.gap(span, format!("the function `{name}`")))
    }

    /// The same for arguments that are known.
    pub(super) fn builtin_of(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        let of_library = || {
            let row = MATH.iter().find(|row| row.0 == name);
            row.map(|row| (row.0, row.1, row.2, Effect::Pure))
        };
        let row = TABLE.iter().find(|row| row.0 == name).copied();
        let row = row.or_else(of_library);
        if let Some((_, types, text, effect)) = row {
            return self.of_table(name, types, text, effect, given, span);
        }
        if let Some((types, text)) = families::row(name) {
            return self.of_table(name, &types, &text, Effect::Pure, given, span);
        }
        if super::atomics::is_atomic(name) {
            return self.atomic(name, given, span);
        }
        self.by_hand(name, explicit, given, span)
    }

    pub(super) fn check_count_of(
        &mut self,
        name: &str,
        given: &[Given],
        wanted: std::ops::RangeInclusive<usize>,
        span: Span,
    ) -> Res<()> {
        if wanted.contains(&given.len()) {
            return Ok(());
        }
        let (least, most) = (wanted.start(), wanted.end());
        let words = if least == most {
            least.to_string()
        } else {
            format!("{least} to {most}")
        };
        Err(self.sink.error(
            span,
            format!(
                "`{name}` {}",
                crate::diagnostics::takes(&words, given.len())
            ),
        ))
    }

    pub(super) fn number(&mut self, given: &Given, scalar: Scalar) -> Res<Value> {
        match &given.typed {
            Some(typed) => self.convert(typed, &Type::scalar(scalar), given.expr.span),
            None => Err(self.sink.error(given.expr.span, "a number is needed here")),
        }
    }

    /// Whether a number is infinite, finite, or has the sign bit.
    fn kind_of_number(&mut self, name: &str, value: Value) -> Typed {
        let (register, infinity) = match self.builder.body.ty(value) {
            Ty::F64 => (Ty::B64, 0x7ff0_0000_0000_0000),
            _ => (Ty::B32, 0x7f80_0000),
        };
        let bits = self.builder.cvt(Cvt::Bits, register, value);
        let top = 1_u64 << (register.bits() - 1);
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

    fn of_table(
        &mut self,
        name: &str,
        types: &str,
        text: &str,
        effect: Effect,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        let letters: Vec<char> = types.chars().collect();
        let least = if name == "__syncwarp" {
            0
        } else {
            letters.len() - 1
        };
        self.check_count_of(name, given, least..=letters.len() - 1, span)?;
        let mut args = Vec::new();
        for (number, letter) in letters[1..].iter().enumerate() {
            let value = match (given.get(number), scalar_of(*letter)) {
                (None, _) => self.builder.u32(u32::MAX),
                (Some(given), Some(scalar)) => self.number(given, scalar)?,
                (Some(given), None) => self.pointer(given)?.1,
            };
            args.push(value);
        }
        Ok(match scalar_of(letters[0]) {
            None => {
                self.ptx(text, effect, &[], args);
                Typed::void()
            }
            Some(scalar) => {
                let ty = Type::scalar(scalar);
                let register = ty.register().unwrap_or(Ty::B32);
                let value = self.ptx(text, effect, &[register], args)[0];
                Typed::value(ty, value)
            }
        })
    }

    /// A piece of PTX whose operands are numbered after `%`, results first.
    pub(super) fn ptx(
        &mut self,
        text: &str,
        effect: Effect,
        results: &[Ty],
        args: Vec<Value>,
    ) -> Values {
        let mut marked = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match chars.peek() {
                Some(digit) if c == '%' && digit.is_ascii_digit() => {
                    marked.push('\u{1}');
                    marked.push(*digit);
                    marked.push('\u{2}');
                    chars.next();
                }
                _ => marked.push(c),
            }
        }
        let ptx = Ptx {
            text: marked,
            effect,
            is_asm: false,
            begins: Vec::new(),
        };
        self.builder.emit(Op::Ptx(Rc::new(ptx)), results, args)
    }

    /// The type that an argument points to, and the address.
    pub(super) fn pointer(&mut self, given: &Given) -> Res<(Type, Value)> {
        let span = given.expr.span;
        let Some(typed) = given.typed.clone() else {
            return Err(self.sink.error(span, "a pointer is needed here"));
        };
        let typed = self.decayed(typed);
        match typed.ty.kind.clone() {
            Kind::Pointer(of) => {
                let address = self.rvalue(&typed, span)?;
                Ok(((*of).clone(), address))
            }
            _ => {
                let name = self.spelled(&typed.ty);
                let help = match typed.form {
                    Form::Place(_) => "put `&` before it for its address",
                    _ => "take the address of a variable or of an element by `&`",
                };
                Err(self.sink.error_help(
                    span,
                    format!("a pointer is needed here, this is {}", an(&name)),
                    help,
                ))
            }
        }
    }

    fn by_hand(
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
            "__byte_perm" => {
                self.check_count_of(name, given, 3..=3, span)?;
                let mut args = Vec::new();
                for given in given {
                    args.push(self.number(given, Scalar::UInt)?);
                }
                // Three bits choose a byte; the fourth would spread its sign.
                let mask = self.builder.u32(0x7777);
                args[2] = self.builder.bin(Bin::And, args[2], mask);
                let text = "prmt.b32 %0, %1, %2, %3;";
                let value = self.ptx(text, Effect::Pure, &[Ty::B32], args)[0];
                Ok(Typed::scalar(Scalar::UInt, value))
            }
            "__match_any_sync" | "__match_all_sync" => self.matched(name, given, span),
            "__reduce_add_sync" | "__reduce_min_sync" | "__reduce_max_sync" => {
                self.check_count_of(name, given, 2..=2, span)?;
                let scalar = match is_of(&given[1], Scalar::Int) {
                    true => Scalar::Int,
                    false => Scalar::UInt,
                };
                let mask = self.number(&given[0], Scalar::UInt)?;
                let value = self.number(&given[1], scalar)?;
                let ty = if scalar == Scalar::Int { "s32" } else { "u32" };
                let text = format!("redux.sync.{}.{ty} %0, %2, %1;", &name[9..12]);
                let value = self.ptx(&text, Effect::Memory, &[Ty::B32], vec![mask, value])[0];
                Ok(Typed::scalar(scalar, value))
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
            "fma" | "fmaf" => {
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
            "__float_as_uint"
            | "__float_as_int"
            | "__uint_as_float"
            | "__int_as_float"
            | "__double_as_longlong"
            | "__longlong_as_double" => {
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
            "__cvta_generic_to_shared" | "__cvta_generic_to_global" => {
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
            "tex2D" => self.texture(explicit, given, span),
            "__logf" | "__log10f" => {
                self.check_count_of(name, given, 1..=1, span)?;
                let value = self.number(&given[0], Scalar::Float)?;
                let log2 = self.ptx(
                    "lg2.approx.f32 %0, %1;",
                    Effect::Pure,
                    &[Ty::F32],
                    vec![value],
                )[0];
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
            "malloc" => {
                self.check_count_of(name, given, 1..=1, span)?;
                let size = self.number(&given[0], Scalar::ULong)?;
                let text = "{ .param .b64 size; .param .b64 found; st.param.b64 [size], %1; call.uni (found), malloc, (size); ld.param.b64 %0, [found]; }";
                let value = self.ptx(text, Effect::Memory, &[Ty::B64], vec![size])[0];
                Ok(Typed::value(
                    Type::pointer(Type::scalar(Scalar::Void)),
                    value,
                ))
            }
            "free" => {
                self.check_count_of(name, given, 1..=1, span)?;
                let (_, address) = self.pointer(&given[0])?;
                let text = "{ .param .b64 from; st.param.b64 [from], %0; call.uni free, (from); }";
                self.ptx(text, Effect::Memory, &[], vec![address]);
                Ok(Typed::void())
            }
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

    fn floating_of(&self, given: &Given) -> Scalar {
        match given.typed.as_ref().map(|typed| &typed.ty.kind) {
            Some(Kind::Scalar(Scalar::Float)) => Scalar::Float,
            _ => Scalar::Double,
        }
    }

    pub(super) fn scalar_of_given(&mut self, given: &Given) -> Res<Scalar> {
        let ty = given.typed.as_ref().map(|typed| typed.ty.clone());
        match ty {
            Some(Type {
                kind: Kind::Scalar(scalar),
                ..
            }) if scalar != Scalar::Void => Ok(scalar),
            Some(ty) if ty.is_integer() => Ok(Scalar::Int),
            Some(ty) if ty.is_struct() => {
                match self.conversion_of(&ty, &Type::scalar(Scalar::Float)) {
                    Some((
                        _,
                        Type {
                            kind: Kind::Scalar(scalar @ (Scalar::Float | Scalar::Double)),
                            ..
                        },
                    )) => Ok(scalar),
                    _ => Err(self.sink.error(given.expr.span, "a number is needed here")),
                }
            }
            _ => Err(self.sink.error(given.expr.span, "a number is needed here")),
        }
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

    fn texture(
        &mut self,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        self.check_count_of("tex2D", given, 3..=3, span)?;
        let ty = match explicit {
            Some([TemplateArgument::Type(ty)]) => self.type_of(ty)?,
            _ => {
                return Err(self.sink.error_help(
                    span,
                    "`tex2D` needs the type of a texel",
                    "write `tex2D<float>(…)`",
                ));
            }
        };
        if ty.kind != Kind::Scalar(Scalar::Float) {
            return Err(self.sink.gap(span, "a texture of other than `float`"));
        }
        let texture = self.number(&given[0], Scalar::ULongLong)?;
        let (x, y) = (
            self.number(&given[1], Scalar::Float)?,
            self.number(&given[2], Scalar::Float)?,
        );
        let text = "tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];";
        let value = self.ptx(text, Effect::Volatile, &[Ty::F32; 4], vec![texture, x, y])[0];
        Ok(Typed::value(ty, value))
    }

    pub(super) fn unusable(&mut self, given: &Given, what: &str) -> Reported {
        let name = given.typed.as_ref().map_or("a list".to_string(), |typed| {
            self.structs.spelled(&typed.ty)
        });
        self.sink
            .error(given.expr.span, format!("{what} cannot take {}", an(&name)))
    }
}
