//! PTX ISA: `cvt` between single numbers of all integer and floating-point types. Packed ones have a file of their own.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{Both, ComputeFn, Inst};
use crate::machine::lanes::{Lanes, Word, for_each_lane};
use crate::operations::basic::{S64_S32, U64_U32};
use crate::operations::drive::{Compute, computes, one};
use crate::operations::rounding::{NAN_BITS, QUIET_64, flushed, integral, narrow};
use crate::parse::ast::Type;
use crate::program::floats::{BF16, F16, Format, Modes, Rounding};
use crate::program::kinds::{FileKind, Kind};

// The conversions that kernels are full of.
computes!(U32_U64, unary by SUM, (u64) => u32, |a| a as u32);
computes!(U32_U16, unary, (u16) => u32, |a| u32::from(a));
computes!(S32_S16, unary, (i16) => i32, |a| i32::from(a));
computes!(U16_U32, unary, (u32) => u16, |a| a as u16);
computes!(S32_S8, unary, (u32) => i32, |a| i32::from(a as i8));
computes!(U32_U8, unary by PICK, (u32) => u32, |a| a & 0xff);
computes!(F32_S32, unary, (i32) => f32, |a| a as f32);
computes!(F32_U32, unary, (u32) => f32, |a| a as f32);
computes!(F64_S32, unary, (i32) => f64, |a| f64::from(a));
computes!(F64_U32, unary, (u32) => f64, |a| f64::from(a));
computes!(F64_F32, unary, (f32) => f64, |a| f64::from(a));
computes!(S32_RZI_F32, unary, (f32) => i32, |a| a as i32);
computes!(U32_RZI_F32, unary, (f32) => u32, |a| a as u32);

/// `cvt{.rounding}{.ftz}{.sat}.dtype.atype d, a;`
pub(crate) fn lower(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let (to, from) = (matched.element("dtype"), matched.element("atype"));
    let plain = !matched.has("sat") && !matched.has("ftz");
    let (Some(to_kind), Some(from_kind)) = (kind_of(to), kind_of(from)) else {
        return Err(lowerer.unsupported(matched));
    };
    let width = lowerer.width_of(matched, &operands[0], to_kind)?;
    let d = lowerer.result(matched, &operands[0], width)?;
    let source_kind = lowerer.width_of(matched, &operands[1], from_kind)?;
    let a = lowerer.source(matched, &operands[1], source_kind)?;
    let files = (lowerer.file(d), source_kind.file());
    let round = matched.element("round");
    let (Some(to_number), Some(from_number), Some(rounding)) =
        (Number::named(to), Number::named(from), rounding(round))
    else {
        return Err(lowerer.unsupported(matched));
    };
    if round.is_empty() && to_number.rounds(from_number) {
        return Err(lowerer.wrong(matched, "this conversion needs a rounding modifier"));
    }
    let quick = if plain { quick(to, from, round) } else { None };
    if let Some(Compute {
        function,
        result,
        sources,
    }) = quick
        && (result.file(), sources[0].file()) == files
        && lowerer.declared_bits(d) >= bits_of(result)
    {
        lowerer.compute_parts(function, &[Some(d)], &[a], 0);
        return Ok(());
    }
    let spec = Spec {
        to: to_number,
        from: from_number,
        rounding,
        integral: round.ends_with('i'),
        saturate: matched.has("sat"),
        flush: matched.has("ftz"),
        register_bits: lowerer.declared_bits(d),
    };
    let function = match files {
        (FileKind::Words, FileKind::Words) => WORD_TO_WORD,
        (FileKind::Words, _) => LONG_TO_WORD,
        (_, FileKind::Words) => WORD_TO_LONG,
        _ => LONG_TO_LONG,
    };
    lowerer.compute_parts(function, &[Some(d)], &[a], spec.packed());
    Ok(())
}

fn bits_of(kind: Kind) -> u32 {
    match kind {
        Kind::Pred => 1,
        Kind::Bits16 => 16,
        Kind::Bits32 | Kind::Single => 32,
        Kind::Bits64 | Kind::Double => 64,
    }
}

fn kind_of(name: &str) -> Option<Kind> {
    match Type::named(name)?.bits() {
        64 => Some(Kind::Bits64),
        32 => Some(Kind::Bits32),
        8 | 16 => Some(Kind::Bits16),
        _ => None,
    }
}

fn rounding(name: &str) -> Option<Rounding> {
    match name {
        "" | "rn" | "rni" => Some(Rounding::Nearest),
        "rz" | "rzi" => Some(Rounding::Zero),
        "rm" | "rmi" => Some(Rounding::Down),
        "rp" | "rpi" => Some(Rounding::Up),
        _ => None,
    }
}

fn quick(to: &str, from: &str, rounding: &str) -> Option<Compute> {
    Some(match (to, from, rounding) {
        ("u64" | "s64", "u32", _) => U64_U32,
        ("u64" | "s64", "s32", _) => S64_S32,
        ("u32" | "s32", "u64" | "s64", _) => U32_U64,
        ("u32" | "s32", "u16", _) => U32_U16,
        ("u32" | "s32", "s16", _) => S32_S16,
        ("u16" | "s16", "u32" | "s32", _) => U16_U32,
        ("u32" | "s32", "s8", _) => S32_S8,
        ("u32" | "s32", "u8", _) => U32_U8,
        ("f32", "s32", "rn") => F32_S32,
        ("f32", "u32", "rn") => F32_U32,
        ("f64", "s32", _) => F64_S32,
        ("f64", "u32", _) => F64_U32,
        ("f64", "f32", _) => F64_F32,
        ("s32", "f32", "rzi") => S32_RZI_F32,
        ("u32", "f32", "rzi") => U32_RZI_F32,
        _ => return None,
    })
}

/// A type that `cvt` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Unsigned(u32),
    Signed(u32),
    F16,
    Bf16,
    F32,
    F64,
}

const NUMBERS: [Number; 12] = [
    Number::Unsigned(8),
    Number::Unsigned(16),
    Number::Unsigned(32),
    Number::Unsigned(64),
    Number::Signed(8),
    Number::Signed(16),
    Number::Signed(32),
    Number::Signed(64),
    Number::F16,
    Number::Bf16,
    Number::F32,
    Number::F64,
];

impl Number {
    fn named(name: &str) -> Option<Self> {
        Some(match (name, Type::named(name)?) {
            ("bf16", _) => Number::Bf16,
            (_, Type::Float(16)) => Number::F16,
            (_, Type::Float(32)) => Number::F32,
            (_, Type::Float(64)) => Number::F64,
            (_, Type::Unsigned(bits)) => Number::Unsigned(bits),
            (_, Type::Signed(bits)) => Number::Signed(bits),
            _ => return None,
        })
    }

    /// `None` for an integer.
    fn float(self) -> Option<Layout> {
        let layout = |exponent, mantissa| Some(Layout { exponent, mantissa });
        match self {
            Number::Unsigned(_) | Number::Signed(_) => None,
            Number::F16 => layout(5, 10),
            Number::Bf16 => layout(8, 7),
            Number::F32 => Some(F32),
            Number::F64 => Some(F64),
        }
    }

    /// Whether a conversion from another type may have to round. PTX ISA: it must then say how.
    fn rounds(self, from: Self) -> bool {
        match (self.float(), from.float()) {
            (Some(to), Some(from)) => to.mantissa < from.mantissa,
            (None, None) => false,
            _ => true,
        }
    }

    fn index(self) -> u64 {
        NUMBERS
            .iter()
            .position(|number| *number == self)
            .unwrap_or(0) as u64
    }
}

/// A conversion, packed into an instruction's `imm`.
#[derive(Debug, Clone, Copy)]
struct Spec {
    to: Number,
    from: Number,
    rounding: Rounding,
    /// Rounds to an integral value (`.rni` and so on).
    integral: bool,
    saturate: bool,
    flush: bool,
    /// A narrower integer result is extended to this width.
    register_bits: u32,
}

impl Spec {
    fn packed(self) -> u64 {
        self.to.index()
            | self.from.index() << 4
            | (self.rounding as u64) << 8
            | u64::from(self.integral) << 10
            | u64::from(self.saturate) << 11
            | u64::from(self.flush) << 13
            | u64::from(self.register_bits) << 16
    }

    fn unpacked(imm: u64) -> Self {
        Self {
            to: NUMBERS[(imm & 15) as usize % NUMBERS.len()],
            from: NUMBERS[(imm >> 4 & 15) as usize % NUMBERS.len()],
            rounding: [
                Rounding::Nearest,
                Rounding::Zero,
                Rounding::Down,
                Rounding::Up,
            ][(imm >> 8 & 3) as usize],
            integral: imm >> 10 & 1 == 1,
            saturate: imm >> 11 & 1 == 1,
            flush: imm >> 13 & 1 == 1,
            register_bits: (imm >> 16) as u32,
        }
    }

    /// Converts the low bits of `bits`.
    fn convert(self, bits: u64) -> u64 {
        if let Some(nan) = self.kept_nan(bits) {
            return nan;
        }
        match self.from {
            Number::Unsigned(width) => self.convert_integer(i128::from(bits & ones(width))),
            Number::Signed(width) => self.convert_integer(i128::from(sign_extended(bits, width))),
            Number::F16 => self.convert_float(F16.widen(bits as u16)),
            Number::Bf16 => self.convert_float(BF16.widen(bits as u16)),
            Number::F32 => {
                let value = f32::from_bits(bits as u32);
                // The hardware flushes nothing on the way to `f16` (measured on an H200).
                let flush = self.flush && self.to != Number::F16;
                self.convert_float(f64::from(if flush { flushed(value) } else { value }))
            }
            Number::F64 => self.convert_float(f64::from_bits(bits)),
        }
    }

    /// The NaN that a NaN becomes where the hardware does not give its usual one (measured on an H200): what
    /// moves bits only leaves them alone, and conversions from and to `f64` keep sign and payload, made quiet.
    fn kept_nan(self, bits: u64) -> Option<u64> {
        let (to, from) = (self.to.float()?, self.from.float()?);
        if self.saturate || !from.is_nan(bits) {
            return None;
        }
        match (self.from, self.to) {
            (Number::F32, Number::F32) | (Number::F64, Number::F64)
                if !self.integral && !self.flush =>
            {
                Some(bits)
            }
            (Number::Bf16, Number::F32) => Some((bits & 0xffff) << 16),
            (Number::F32, Number::F64) if self.flush => Some(F32.moved(u64::from(NAN_BITS), F64)),
            (_, Number::F64) => Some(from.moved(bits, F64) | QUIET_64),
            (Number::F64, Number::F16 | Number::Bf16 | Number::F32) => {
                Some(from.moved(bits, to) | 1 << (to.mantissa - 1))
            }
            _ => None,
        }
    }

    fn convert_integer(self, value: i128) -> u64 {
        match self.to {
            Number::Unsigned(width) => {
                let value = if self.saturate {
                    value.clamp(0, i128::from(ones(width)))
                } else {
                    value
                };
                value as u64 & ones(width)
            }
            Number::Signed(width) => {
                let most = i128::from(ones(width - 1));
                let value = if self.saturate {
                    value.clamp(-most - 1, most)
                } else {
                    value
                };
                sign_extended(value as u64, width) as u64 & ones(self.register_bits.max(width))
            }
            Number::F64 if !self.saturate => integer_to_double(value, self.rounding).to_bits(),
            // More than 53 bits, rounded to odd, then round the same as directly.
            _ => self.to_float(integer_to_odd(value)),
        }
    }

    fn convert_float(self, value: f64) -> u64 {
        match self.to {
            Number::Unsigned(width) => self.to_integer(value, 0, i128::from(ones(width)), width),
            Number::Signed(width) => {
                let most = i128::from(ones(width - 1));
                let result = self.to_integer(value, -most - 1, most, width);
                sign_extended(result, width) as u64 & ones(self.register_bits.max(width))
            }
            _ => self.to_float(value),
        }
    }

    /// PTX ISA, `cvt`: values out of range are clamped; NaN gives 0, or 2^(n-1) where 64 bits are involved.
    fn to_integer(self, value: f64, least: i128, most: i128, width: u32) -> u64 {
        if value.is_nan() {
            return if self.from == Number::F64 || width == 64 {
                1 << (width - 1)
            } else {
                0
            };
        }
        let rounded = integral(value, self.rounding);
        // Clamped first: a conversion of a huge double would lose the sign of the excess otherwise.
        (rounded as i128).clamp(least, most) as u64
    }

    fn to_float(self, value: f64) -> u64 {
        let value = if self.integral {
            integral(value, self.rounding)
        } else {
            value
        };
        let value = if self.saturate {
            if value > 0.0 { value.min(1.0) } else { 0.0 }
        } else {
            value
        };
        let half = |format: Format| u64::from(format.round(value, self.rounding));
        match self.to {
            Number::F16 => half(F16),
            Number::Bf16 => half(BF16),
            Number::F32 if value.is_nan() => u64::from(NAN_BITS),
            Number::F32 => {
                let modes = Modes::new(self.rounding, self.flush, false);
                let single =
                    modes.result_of(|scale| narrow(value * f64::from(scale), 0.0, self.rounding));
                u64::from(single.to_bits())
            }
            _ => value.to_bits(),
        }
    }
}

/// Where the parts of a floating-point number lie.
#[derive(Debug, Clone, Copy)]
struct Layout {
    exponent: u32,
    mantissa: u32,
}

const F32: Layout = Layout {
    exponent: 8,
    mantissa: 23,
};

const F64: Layout = Layout {
    exponent: 11,
    mantissa: 52,
};

impl Layout {
    fn is_nan(self, bits: u64) -> bool {
        let magnitude = bits & ones(self.exponent + self.mantissa);
        magnitude > ones(self.exponent) << self.mantissa
    }

    /// A NaN of this layout with the same sign and the same first bits of the payload in another.
    fn moved(self, bits: u64, to: Layout) -> u64 {
        let sign = bits >> (self.exponent + self.mantissa) & 1;
        let payload = (bits & ones(self.mantissa)) << (64 - self.mantissa) >> (64 - to.mantissa);
        (sign << to.exponent | ones(to.exponent)) << to.mantissa | payload
    }
}

fn ones(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

fn sign_extended(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    ((bits << shift) as i64) >> shift
}

/// Exact in all modes; the values have at most 64 bits.
fn integer_to_double(value: i128, rounding: Rounding) -> f64 {
    let nearest = value as f64;
    let rest = value - nearest as i128;
    match rounding {
        Rounding::Down if rest < 0 => nearest.next_down(),
        Rounding::Up if rest > 0 => nearest.next_up(),
        Rounding::Zero if rest != 0 && (rest < 0) == (value > 0) => {
            f64::from_bits(nearest.to_bits() - 1)
        }
        _ => nearest,
    }
}

fn integer_to_odd(value: i128) -> f64 {
    let towards_zero = integer_to_double(value, Rounding::Zero);
    if towards_zero as i128 == value {
        towards_zero
    } else {
        f64::from_bits(towards_zero.to_bits() | 1)
    }
}

macro_rules! any {
    ($name:ident, $from:ty => $to:ty) => {
        const $name: Both<ComputeFn> =
    one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) any::<$from, $to>(lanes, inst));
    };
}

any!(WORD_TO_WORD, u32 => u32);
any!(WORD_TO_LONG, u32 => u64);
any!(LONG_TO_WORD, u64 => u32);
any!(LONG_TO_LONG, u64 => u64);

/// A word or a long as 64 bits.
trait Wide: Word {
    fn widened(self) -> u64;
    fn cut(bits: u64) -> Self;
}

impl Wide for u32 {
    fn widened(self) -> u64 {
        u64::from(self)
    }
    fn cut(bits: u64) -> Self {
        bits as u32
    }
}

impl Wide for u64 {
    fn widened(self) -> u64 {
        self
    }
    fn cut(bits: u64) -> Self {
        bits
    }
}

fn any<A: Wide, D: Wide>(lanes: &mut Lanes, inst: &Inst) {
    let spec = Spec::unpacked(inst.imm);
    let mut out = D::file_mut(lanes).take(inst.d[0]);
    let a = A::file(lanes).source(inst.s[0]);
    for_each_lane(&lanes.active, |lane| {
        out[lane] = D::cut(spec.convert(a[lane].widened()))
    });
    D::file_mut(lanes).give(inst.d[0], out);
}
