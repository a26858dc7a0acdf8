//! 16-bit floats as bits: IEEE 754 binary16, for which Rust has no stable type. The crate `half` is no substitute: it drops the low half of a float64 before it rounds, so that what lies just above a tie goes the wrong way.

/// The nearest binary16, ties to even; beyond 65504 it is infinity.
pub fn from_f64(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    // 65520 lies halfway between the largest finite value and the next one there would be.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The unit in the last place: 2^-24 for subnormals, else 2^(exponent - 10).
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let units = (magnitude * 2_f64.powi(10 - exponent)).round_ties_even() as u16;
    // A carry out of the fraction moves into the exponent by itself.
    sign | ((exponent + 14) as u16 * 0x400 + units)
}

/// Whether the bits are neither infinity nor NaN.
pub fn is_finite(bits: u16) -> bool {
    bits & 0x7c00 != 0x7c00
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_f64(bits: u16) -> f64 {
        let fraction = f64::from(bits & 0x3ff);
        let magnitude = match i32::from(bits >> 10 & 0x1f) {
            0 => fraction * 2_f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            exponent => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
        };
        if bits & 0x8000 == 0 {
            magnitude
        } else {
            -magnitude
        }
    }

    #[test]
    fn every_value_comes_back() {
        for bits in 0..=u16::MAX {
            let value = to_f64(bits);
            if value.is_nan() {
                assert!(to_f64(from_f64(value)).is_nan());
            } else {
                assert_eq!(from_f64(value), bits, "{value}");
            }
        }
    }

    #[test]
    fn between_two_values_the_nearer_wins_and_ties_go_to_even() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (to_f64(bits), to_f64(bits + 1));
            let middle = (low + high) / 2.0;
            let even = if bits.is_multiple_of(2) {
                bits
            } else {
                bits + 1
            };
            assert_eq!(from_f64(middle), even, "{middle}");
            assert_eq!(from_f64(middle.next_down()), bits);
            assert_eq!(from_f64(middle.next_up()), bits + 1);
        }
        assert_eq!(from_f64(65519.9), 0x7bff);
        assert_eq!(from_f64(65520.0), 0x7c00);
        assert_eq!(from_f64(-1e300), 0xfc00);
        assert_eq!(from_f64(5e-324), 0);
    }
}
