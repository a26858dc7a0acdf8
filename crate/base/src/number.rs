//! The number types of matrix products, some of which Rust does not have: their bits, what they hold exactly, rounding to them.

use crate::element::ElementType;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A number type of a matrix product's factors or result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NumberType {
    /// 32-bit float.
    F32,
    /// 32-bit float of which tensor cores read the upper 19 bits: 8 of exponent, 10 of fraction.
    Tf32,
    /// 16-bit float with the exponent of a 32-bit one: 8 bits, 7 of fraction.
    Bf16,
    /// 16-bit float: 5 bits of exponent, 10 of fraction.
    F16,
    /// 8-bit float: 4 bits of exponent, 3 of fraction; no infinities.
    E4m3,
    /// 8-bit float: 5 bits of exponent, 2 of fraction.
    E5m2,
    /// 8-bit whole number with a sign.
    S8,
    /// 32-bit whole number with a sign.
    S32,
}

impl NumberType {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::F32,
        Self::Tf32,
        Self::Bf16,
        Self::F16,
        Self::E4m3,
        Self::E5m2,
        Self::S8,
        Self::S32,
    ];

    /// The name, as in the registry.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Tf32 => "tf32",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
            Self::E4m3 => "e4m3",
            Self::E5m2 => "e5m2",
            Self::S8 => "s8",
            Self::S32 => "s32",
        }
    }

    /// The type of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// The type of a buffer that holds such numbers: bits where there is none of its own.
    pub const fn storage(self) -> ElementType {
        match self {
            Self::F32 | Self::Tf32 => ElementType::F32,
            Self::F16 => ElementType::F16,
            Self::Bf16 => ElementType::U16,
            Self::E4m3 | Self::E5m2 | Self::S8 => ElementType::U8,
            Self::S32 => ElementType::I32,
        }
    }

    /// Size in memory.
    pub const fn bytes(self) -> usize {
        self.storage().bytes()
    }

    /// Whether it is a whole number.
    pub const fn is_whole(self) -> bool {
        matches!(self, Self::S8 | Self::S32)
    }

    /// Every whole number up to this one, and its negative, is one of the type.
    pub const fn exact_limit(self) -> u64 {
        match self {
            Self::S8 => 127,
            Self::S32 => i32::MAX as u64,
            float => 1 << (float.fraction_bits() + 1),
        }
    }

    /// Half a unit of the last place of 1, by which rounding to the nearest changes a number at most, as a share of it; 0
    /// for whole numbers.
    pub fn unit_roundoff(self) -> f64 {
        match self.is_whole() {
            true => 0.0,
            false => 0.5_f64.powi(self.fraction_bits() as i32 + 1),
        }
    }

    const fn fraction_bits(self) -> u32 {
        match self {
            Self::F32 => 23,
            Self::Tf32 | Self::F16 => 10,
            Self::Bf16 => 7,
            Self::E4m3 => 3,
            Self::E5m2 => 2,
            Self::S8 | Self::S32 => 0,
        }
    }

    const fn exponent_bits(self) -> u32 {
        match self {
            Self::F32 | Self::Tf32 | Self::Bf16 => 8,
            Self::F16 | Self::E5m2 => 5,
            Self::E4m3 => 4,
            Self::S8 | Self::S32 => 0,
        }
    }

    /// The bits of the nearest number of the type, the even one of two; beyond the largest, infinity, NaN where it has none,
    /// the largest of whole numbers.
    pub fn encode(self, value: f64) -> u32 {
        match self {
            Self::F32 => (value as f32).to_bits(),
            Self::S8 => u32::from(value.round_ties_even() as i8 as u8),
            Self::S32 => value.round_ties_even() as i32 as u32,
            Self::Tf32 => self.encode_float(value) << 13,
            _ => self.encode_float(value),
        }
    }

    fn encode_float(self, value: f64) -> u32 {
        let (exponent_bits, fraction_bits) = (self.exponent_bits(), self.fraction_bits());
        let sign = u32::from(value.is_sign_negative()) << (exponent_bits + fraction_bits);
        let infinity = ((1 << exponent_bits) - 1) << fraction_bits;
        if value.is_nan() {
            return infinity | ((1 << fraction_bits) - 1);
        }
        let size = value.abs();
        if size == 0.0 {
            return sign;
        }
        // What would be infinity is a number of this type; only all ones are none.
        let beyond = match self {
            Self::E4m3 => infinity | 0b111,
            _ => infinity,
        };
        if size.is_infinite() {
            return sign | beyond;
        }
        let bias = (1_i32 << (exponent_bits - 1)) - 1;
        let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(1 - bias);
        let units = size * 2_f64.powi(fraction_bits as i32 - exponent);
        // The leading one of a normal number adds one to the exponent's field.
        let field = (i64::from(exponent + bias) - 1) << fraction_bits;
        let bits = field + units.round_ties_even() as i64;
        sign | bits.min(i64::from(beyond)) as u32
    }

    /// The number that these bits are.
    pub fn decode(self, bits: u32) -> f64 {
        match self {
            Self::F32 | Self::Tf32 => f64::from(f32::from_bits(bits)),
            Self::Bf16 => f64::from(f32::from_bits(bits << 16)),
            Self::S8 => f64::from(bits as u8 as i8),
            Self::S32 => f64::from(bits as i32),
            Self::F16 | Self::E4m3 | Self::E5m2 => self.decode_float(bits),
        }
    }

    fn decode_float(self, bits: u32) -> f64 {
        let (exponent_bits, fraction_bits) = (self.exponent_bits(), self.fraction_bits());
        let fraction = bits & ((1 << fraction_bits) - 1);
        let exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
        let is_negative = (bits >> (exponent_bits + fraction_bits)) & 1 == 1;
        let last = (1 << exponent_bits) - 1;
        let size = match (self, exponent == last, fraction) {
            (Self::E4m3, true, 0b111) => f64::NAN,
            (Self::E4m3, ..) | (_, false, _) => {
                let bias = (1_i32 << (exponent_bits - 1)) - 1;
                let leading = u32::from(exponent > 0) << fraction_bits;
                let scale = exponent.max(1) as i32 - bias - fraction_bits as i32;
                f64::from(leading | fraction) * 2_f64.powi(scale)
            }
            (_, true, 0) => f64::INFINITY,
            _ => f64::NAN,
        };
        if is_negative { -size } else { size }
    }
}

impl fmt::Display for NumberType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers_have_their_known_bits() {
        use NumberType::*;
        for (ty, value, bits) in [
            (F32, -1.5, 0xbfc0_0000),
            (Tf32, 1.0 + 0.5_f64.powi(10), 0x3f80_2000),
            (Tf32, 1.0 + 0.5_f64.powi(11), 0x3f80_0000),
            (Bf16, 3.0, 0x4040),
            (Bf16, 257.0, 0x4380),
            (Bf16, 259.0, 0x4382),
            (F16, 1.0, 0x3c00),
            (F16, -65504.0, 0xfbff),
            (F16, 65520.0, 0x7c00),
            (F16, 0.5_f64.powi(24), 0x0001),
            (F16, 0.5_f64.powi(25), 0x0000),
            (E4m3, 448.0, 0x7e),
            (E4m3, 1000.0, 0x7f),
            (E4m3, -1.0, 0xb8),
            (E5m2, 57344.0, 0x7b),
            (E5m2, 1e9, 0x7c),
            (S8, -3.0, 0xfd),
            (S32, -3.0, 0xffff_fffd),
        ] {
            assert_eq!(ty.encode(value), bits, "{ty} {value}");
        }
        assert!(E4m3.decode(0x7f).is_nan() && F16.decode(0x7e00).is_nan());
        assert_eq!(E5m2.decode(0xfc), f64::NEG_INFINITY);
    }

    #[test]
    fn every_number_of_a_narrow_type_is_its_own_nearest() {
        for ty in [
            NumberType::Bf16,
            NumberType::F16,
            NumberType::E4m3,
            NumberType::E5m2,
            NumberType::S8,
        ] {
            let mut numbers = 0;
            for bits in 0..1_u32 << (8 * ty.bytes()) {
                let value = ty.decode(bits);
                if !value.is_nan() {
                    assert_eq!(ty.encode(value), bits, "{ty} {value}");
                    numbers += 1;
                }
            }
            assert!(numbers > 240, "{ty}");
        }
    }

    #[test]
    fn whole_numbers_are_exact_up_to_the_limit_and_not_beyond() {
        for ty in NumberType::ALL {
            let limit = ty.exact_limit() as f64;
            for exact in [limit, limit - 1.0, -limit] {
                assert_eq!(ty.decode(ty.encode(exact)), exact, "{ty}");
            }
            let next = limit + 1.0;
            assert_ne!(ty.decode(ty.encode(next)), next, "{ty}");
            assert_eq!(NumberType::parse(ty.name()), Some(ty));
        }
    }
}
