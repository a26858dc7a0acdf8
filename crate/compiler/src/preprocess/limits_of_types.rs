//! The constants of `<cstdint>`, `<climits>`, `<cfloat>` and `<cmath>`: a source has those that it names.

use super::Macros;
use crate::diagnostics::Sink;
use crate::lex::{Kind, Token};

/// Names and values, in order of the names.
const CONSTANTS: [(&str, &str); 51] = [
    ("CHAR_BIT", "8"),
    ("CHAR_MAX", "127"),
    ("CHAR_MIN", "(-128)"),
    ("DBL_DIG", "15"),
    ("DBL_EPSILON", "2.2204460492503131e-16"),
    ("DBL_MANT_DIG", "53"),
    ("DBL_MAX", "1.7976931348623158e+308"),
    ("DBL_MAX_EXP", "1024"),
    ("DBL_MIN", "2.2250738585072014e-308"),
    ("DBL_MIN_EXP", "(-1021)"),
    ("FLT_DIG", "6"),
    ("FLT_MANT_DIG", "24"),
    ("FLT_MAX_EXP", "128"),
    ("FLT_MIN_EXP", "(-125)"),
    ("FLT_RADIX", "2"),
    ("HUGE_VAL", "__longlong_as_double(0x7ff0000000000000ll)"),
    ("HUGE_VALF", "__int_as_float(0x7f800000)"),
    ("INT16_MAX", "32767"),
    ("INT16_MIN", "(-32768)"),
    ("INT32_MAX", "2147483647"),
    ("INT32_MIN", "(-2147483647 - 1)"),
    ("INT64_MAX", "9223372036854775807l"),
    ("INT64_MIN", "(-9223372036854775807l - 1)"),
    ("INT8_MAX", "127"),
    ("INT8_MIN", "(-128)"),
    ("LLONG_MAX", "9223372036854775807ll"),
    ("LLONG_MIN", "(-9223372036854775807ll - 1)"),
    ("LONG_MAX", "9223372036854775807l"),
    ("LONG_MIN", "(-9223372036854775807l - 1)"),
    ("M_1_PI", "0.31830988618379067154"),
    ("M_2_PI", "0.63661977236758134308"),
    ("M_2_SQRTPI", "1.12837916709551257390"),
    ("M_LN10", "2.30258509299404568402"),
    ("M_LN2", "0.69314718055994530942"),
    ("M_LOG10E", "0.43429448190325182765"),
    ("M_LOG2E", "1.4426950408889634074"),
    ("M_PI_4", "0.78539816339744830962"),
    ("M_SQRT1_2", "0.70710678118654752440"),
    ("SCHAR_MAX", "127"),
    ("SCHAR_MIN", "(-128)"),
    ("SHRT_MAX", "32767"),
    ("SHRT_MIN", "(-32768)"),
    ("SIZE_MAX", "18446744073709551615ul"),
    ("UCHAR_MAX", "255"),
    ("UINT16_MAX", "65535"),
    ("UINT32_MAX", "4294967295u"),
    ("UINT64_MAX", "18446744073709551615ul"),
    ("UINT8_MAX", "255"),
    ("ULLONG_MAX", "18446744073709551615ull"),
    ("ULONG_MAX", "18446744073709551615ul"),
    ("USHRT_MAX", "65535"),
];

/// Defines those that the source names.
/// The value of the constant of this name.
pub(super) fn value(name: &str) -> Option<&'static str> {
    let at = CONSTANTS
        .binary_search_by(|(known, _)| (*known).cmp(name))
        .ok()?;
    Some(CONSTANTS[at].1)
}

pub(super) fn define(macros: &mut Macros, tokens: &[Token], sink: &mut Sink) {
    for token in tokens {
        // All of them begin with one of these letters and have no small one.
        let is_capital = token.text.starts_with(|first| ('C'..='U').contains(&first));
        if token.kind != Kind::Name || !is_capital {
            continue;
        }
        if let Ok(at) = CONSTANTS.binary_search_by(|(name, _)| (*name).cmp(&token.text)) {
            let (name, value) = CONSTANTS[at];
            // What the source defines by itself stays, in the files that it includes too.
            if !macros.is_defined(name) {
                macros.define_text(name, value, sink);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CONSTANTS;

    #[test]
    fn they_stand_in_order() {
        assert!(CONSTANTS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
