//! What operations give for constants.

use super::{Bin, Cmp, Cvt, Ty, Un};

/// One divided by a power of two, which is exact.
pub(super) fn exact_inverse(ty: Ty, bits: u64) -> Option<u64> {
    match ty {
        Ty::F32 => {
            let bits = bits as u32;
            let inverse = 1.0 / f32::from_bits(bits);
            (bits & 0x7f_ffff == 0 && inverse.is_normal() && f32::from_bits(bits).is_normal())
                .then(|| u64::from(inverse.to_bits()))
        }
        _ => {
            let inverse = 1.0 / f64::from_bits(bits);
            let is_power = bits & 0xf_ffff_ffff_ffff == 0;
            (is_power && inverse.is_normal() && f64::from_bits(bits).is_normal())
                .then(|| inverse.to_bits())
        }
    }
}

/// A number of so many bits with its sign.
pub(crate) fn signed(ty: Ty, bits: u64) -> i64 {
    let shift = 64 - ty.bits();
    ((bits << shift) as i64) >> shift
}

pub(crate) fn constant_bin(bin: Bin, ty: Ty, x: u64, y: u64) -> Option<u64> {
    match ty {
        Ty::F32 => return float_bin(bin, f32::from_bits(x as u32), f32::from_bits(y as u32)),
        Ty::F64 => return double_bin(bin, f64::from_bits(x), f64::from_bits(y)),
        _ => {}
    }
    let (a, b) = (signed(ty, x), signed(ty, y));
    let bits = u64::from(ty.bits());
    Some(match bin {
        Bin::Add => x.wrapping_add(y),
        Bin::Sub => x.wrapping_sub(y),
        Bin::Mul => x.wrapping_mul(y),
        Bin::DivU => x.checked_div(y)?,
        Bin::RemU => x.checked_rem(y)?,
        Bin::DivS => a.checked_div(b)? as u64,
        Bin::RemS => a.checked_rem(b)? as u64,
        Bin::And => x & y,
        Bin::Or => x | y,
        Bin::Xor => x ^ y,
        Bin::Shl if y >= bits => 0,
        Bin::Shl => x << y,
        Bin::ShrU if y >= bits => 0,
        Bin::ShrU => x >> y,
        Bin::ShrS => (a >> y.min(bits - 1)) as u64,
        Bin::MinU => x.min(y),
        Bin::MaxU => x.max(y),
        Bin::MinS => a.min(b) as u64,
        Bin::MaxS => a.max(b) as u64,
        Bin::Div | Bin::Min | Bin::Max => return None,
    })
}

pub(super) fn float_bin(bin: Bin, x: f32, y: f32) -> Option<u64> {
    let found = match bin {
        Bin::Add => x + y,
        Bin::Sub => x - y,
        Bin::Mul => x * y,
        Bin::Div => x / y,
        Bin::Min if x < y => x,
        Bin::Min if y < x => y,
        Bin::Max if x > y => x,
        Bin::Max if y > x => y,
        _ => return None,
    };
    (!found.is_nan()).then(|| u64::from(found.to_bits()))
}

pub(super) fn double_bin(bin: Bin, x: f64, y: f64) -> Option<u64> {
    let found = match bin {
        Bin::Add => x + y,
        Bin::Sub => x - y,
        Bin::Mul => x * y,
        Bin::Div => x / y,
        Bin::Min if x < y => x,
        Bin::Min if y < x => y,
        Bin::Max if x > y => x,
        Bin::Max if y > x => y,
        _ => return None,
    };
    (!found.is_nan()).then(|| found.to_bits())
}

pub(super) fn constant_un(un: Un, ty: Ty, x: u64) -> Option<u64> {
    let sign = ty.sign();
    Some(match (un, ty) {
        (Un::Neg, Ty::F32 | Ty::F64) => x ^ sign,
        (Un::Abs, Ty::F32 | Ty::F64) => x & !sign,
        (Un::Neg, _) => x.wrapping_neg(),
        (Un::Not, _) => !x,
        (Un::Abs, _) => signed(ty, x).unsigned_abs(),
        (Un::Sqrt, Ty::F32) => u64::from(f32::from_bits(x as u32).sqrt().to_bits()),
        (Un::Sqrt, _) => f64::from_bits(x).sqrt().to_bits(),
    })
}

pub(crate) fn constant_cmp(cmp: Cmp, ty: Ty, x: u64, y: u64) -> bool {
    let order = match ty {
        Ty::F32 => f32::from_bits(x as u32).partial_cmp(&f32::from_bits(y as u32)),
        Ty::F64 => f64::from_bits(x).partial_cmp(&f64::from_bits(y)),
        _ if matches!(cmp, Cmp::LtS | Cmp::LeS | Cmp::GtS | Cmp::GeS) => {
            signed(ty, x).partial_cmp(&signed(ty, y))
        }
        _ => x.partial_cmp(&y),
    };
    match cmp {
        Cmp::Eq => order.is_some_and(std::cmp::Ordering::is_eq),
        Cmp::Ne => !order.is_some_and(std::cmp::Ordering::is_eq),
        Cmp::LtU | Cmp::LtS | Cmp::Lt => order.is_some_and(std::cmp::Ordering::is_lt),
        Cmp::LeU | Cmp::LeS | Cmp::Le => order.is_some_and(std::cmp::Ordering::is_le),
        Cmp::GtU | Cmp::GtS | Cmp::Gt => order.is_some_and(std::cmp::Ordering::is_gt),
        Cmp::GeU | Cmp::GeS | Cmp::Ge => order.is_some_and(std::cmp::Ordering::is_ge),
    }
}

pub(crate) fn constant_cvt(cvt: Cvt, from: Ty, to: Ty, x: u64) -> Option<u64> {
    let number = match from {
        Ty::F32 => f64::from(f32::from_bits(x as u32)),
        Ty::F64 => f64::from_bits(x),
        _ => 0.0,
    };
    let of = |value: f64, single: f32| {
        if to == Ty::F32 {
            u64::from(single.to_bits())
        } else {
            value.to_bits()
        }
    };
    Some(match cvt {
        Cvt::ZeroExtend | Cvt::Truncate | Cvt::Bits => x,
        Cvt::SignExtend => signed(from, x) as u64,
        Cvt::ZeroExtendFrom(bits) => x & ((1 << bits) - 1),
        Cvt::SignExtendFrom(bits) => ((x << (64 - bits)) as i64 >> (64 - bits)) as u64,
        Cvt::UnsignedToFloat => of(x as f64, x as f32),
        Cvt::SignedToFloat => of(signed(from, x) as f64, signed(from, x) as f32),
        Cvt::FloatToUnsigned if to == Ty::B32 => u64::from(number as u32),
        Cvt::FloatToUnsigned => number as u64,
        Cvt::FloatToSigned if to == Ty::B32 => number as i32 as u64,
        Cvt::FloatToSigned => number as i64 as u64,
        Cvt::Float => of(number, number as f32),
    })
}

impl Cmp {
    /// What holds where this does not; none where that is no comparison of numbers without gaps.
    pub(crate) fn opposite(self) -> Option<Self> {
        Some(match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::LtU => Self::GeU,
            Self::GeU => Self::LtU,
            Self::LeU => Self::GtU,
            Self::GtU => Self::LeU,
            Self::LtS => Self::GeS,
            Self::GeS => Self::LtS,
            Self::LeS => Self::GtS,
            Self::GtS => Self::LeS,
            _ => return None,
        })
    }

    /// Whether it holds between any number of a range and another, read with their signs; none where that differs.
    pub(crate) fn holds_in(self, (least, most): (i64, i64), other: i64) -> Option<bool> {
        let (always, never) = match self {
            Self::Eq => (
                least == other && most == other,
                other < least || most < other,
            ),
            Self::Ne => (
                other < least || most < other,
                least == other && most == other,
            ),
            Self::LtS => (most < other, least >= other),
            Self::LeS => (most <= other, least > other),
            Self::GtS => (least > other, most <= other),
            Self::GeS => (least >= other, most < other),
            _ => return None,
        };
        (always || never).then_some(always)
    }

    /// The same with its sides in the other order.
    pub(crate) fn turned(self) -> Option<Self> {
        Some(match self {
            Self::Eq | Self::Ne => self,
            Self::LtU => Self::GtU,
            Self::GtU => Self::LtU,
            Self::LeU => Self::GeU,
            Self::GeU => Self::LeU,
            Self::LtS => Self::GtS,
            Self::GtS => Self::LtS,
            Self::LeS => Self::GeS,
            Self::GeS => Self::LeS,
            _ => return None,
        })
    }
}
