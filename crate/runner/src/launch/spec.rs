//! The arguments of `cornerturn launch` as text: `TYPE[LEN]=FILL` and `TYPE=VALUE`. What a fill holds lives in `fill`.

use super::f16;
use super::fill::Fill;
use cornerturn::ElementType;
use std::str::FromStr;

/// The types that a SPEC may name.
const TYPES: [ElementType; 8] = [
    ElementType::F16,
    ElementType::F32,
    ElementType::F64,
    ElementType::I32,
    ElementType::U32,
    ElementType::I64,
    ElementType::U64,
    ElementType::U8,
];

/// One argument of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spec {
    /// `TYPE[LEN]=FILL`
    Buffer {
        /// Type of an element.
        element: ElementType,
        /// Number of elements, at least one; its bytes fit in `usize`.
        length: usize,
        /// What it holds before the launch.
        fill: Fill,
    },
    /// `TYPE=VALUE`
    Scalar {
        /// Its type.
        element: ElementType,
        /// Its value, little-endian.
        bytes: Vec<u8>,
    },
}

impl Spec {
    /// What it is, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Buffer {
                element, length, ..
            } => format!("a buffer of {length} {element}"),
            Self::Scalar { element, .. } => format!("a scalar of {element}"),
        }
    }
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (left, right) = text.split_once('=').ok_or(
            "there is no `=`; write TYPE[LEN]=FILL for a buffer or TYPE=VALUE for a scalar",
        )?;
        match left.split_once('[') {
            None => {
                let element = parse_type(left)?;
                let bytes = parse_value(element, right)?;
                Ok(Self::Scalar { element, bytes })
            }
            Some((name, rest)) => {
                let element = parse_type(name)?;
                let length = rest
                    .strip_suffix(']')
                    .ok_or("the `[` is not closed; write TYPE[LEN]=FILL, such as f32[1024]=zero")?;
                let length = parse_length(element, length)?;
                let fill = right.parse()?;
                Ok(Self::Buffer {
                    element,
                    length,
                    fill,
                })
            }
        }
    }
}

fn parse_type(name: &str) -> Result<ElementType, String> {
    TYPES
        .into_iter()
        .find(|ty| ty.name() == name)
        .ok_or_else(|| {
            format!(
                "`{name}` is no type; there are {}",
                TYPES.map(ElementType::name).join(", ")
            )
        })
}

fn parse_length(element: ElementType, text: &str) -> Result<usize, String> {
    let length: usize = match parse_integer(text) {
        Some(n) if n >= 0 => usize::try_from(n).map_err(|_| too_long(element, text))?,
        _ if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
            return Err(too_long(element, text));
        }
        _ => {
            return Err(format!(
                "`{text}` is no length; write a number of elements, such as {element}[1024]=zero"
            ));
        }
    };
    if length == 0 {
        return Err("a buffer needs at least one element".to_string());
    }
    match length.checked_mul(element.bytes()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(length),
        _ => Err(too_long(element, text)),
    }
}

fn too_long(element: ElementType, length: &str) -> String {
    format!("{length} elements of {element} are more bytes than memory has addresses")
}

/// A decimal or 0x integer with an optional sign; every value of every type fits in the result.
fn parse_integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    // `from_str_radix` would take a second sign.
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let magnitude = match hex_digits(digits) {
        Some(hex) if hex.starts_with(|c: char| c.is_ascii_hexdigit()) => {
            i128::from_str_radix(hex, 16).ok()?
        }
        Some(_) => return None,
        None => digits.parse().ok()?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

fn hex_digits(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

/// The little-endian bytes of a scalar.
fn parse_value(element: ElementType, text: &str) -> Result<Vec<u8>, String> {
    if element.is_float() && hex_digits(text).is_none() {
        return parse_float(element, text);
    }
    let bits = 8 * element.bytes() as u32;
    let value = parse_integer(text).ok_or_else(|| {
        format!("`{text}` is no value of {element}; write a decimal number or its bits as 0x…")
    })?;
    let signed = matches!(element, ElementType::I32 | ElementType::I64);
    let all_bits = (1_i128 << bits) - 1;
    // Hexadecimal gives the bits, so that i32=0xffffffff is -1 and f32=0x7fc00000 a NaN.
    let (least, most) = match (hex_digits(text).is_some(), signed) {
        (true, _) | (false, false) => (0, all_bits),
        (false, true) => (-(1 << (bits - 1)), all_bits >> 1),
    };
    if value < least || value > most {
        return Err(format!(
            "{text} does not fit in {element}, which holds {least} to {most}"
        ));
    }
    Ok(value.to_le_bytes()[..element.bytes()].to_vec())
}

fn parse_float(element: ElementType, text: &str) -> Result<Vec<u8>, String> {
    let no_value = || {
        format!(
            "`{text}` is no value of {element}; write a number such as 1.5, -2e-3, inf or nan, or its bits as 0x…"
        )
    };
    let wide: f64 = text.parse().map_err(|_| no_value())?;
    let (bytes, finite) = match element {
        ElementType::F16 => {
            let bits = f16::from_f64(wide);
            (bits.to_le_bytes().to_vec(), f16::is_finite(bits))
        }
        ElementType::F32 => {
            // Not by way of f64, which would round twice.
            let value: f32 = text.parse().map_err(|_| no_value())?;
            (value.to_le_bytes().to_vec(), value.is_finite())
        }
        _ => (wide.to_le_bytes().to_vec(), wide.is_finite()),
    };
    let written_infinite = text.contains(['i', 'I', 'n', 'N']);
    if !finite && !written_infinite {
        return Err(format!(
            "{text} is beyond the largest finite {element}; write inf if infinity is meant"
        ));
    }
    Ok(bytes)
}

/// The three dimensions of `X[,Y[,Z]]`; those left out are 1.
pub fn parse_dimensions(text: &str) -> Result<[u32; 3], String> {
    let mut dimensions = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(format!(
            "{} dimensions, and there are at most three: X,Y,Z",
            parts.len()
        ));
    }
    for (dimension, part) in dimensions.iter_mut().zip(parts) {
        let number = part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty();
        *dimension = match part.parse() {
            Ok(0) => return Err("a dimension is at least 1".to_string()),
            Ok(n) if number => n,
            _ if number => return Err(format!("{part} does not fit in 32 bits")),
            _ => {
                return Err(format!(
                    "`{part}` is no number; write X, X,Y or X,Y,Z without spaces"
                ));
            }
        };
    }
    Ok(dimensions)
}

/// The argument's position, from 0, and the file of `N:FILE`.
pub fn parse_dump(text: &str) -> Result<(usize, std::path::PathBuf), String> {
    let (index, file) = text
        .split_once(':')
        .ok_or("there is no `:`; write N:FILE, N counting the arguments from 0")?;
    let index = index
        .parse()
        .map_err(|_| format!("`{index}` is no argument's position; they count from 0"))?;
    if file.is_empty() {
        return Err("the file's name is missing; write N:FILE".to_string());
    }
    Ok((index, file.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scalar(text: &str) -> Result<Vec<u8>, String> {
        match text.parse()? {
            Spec::Scalar { bytes, .. } => Ok(bytes),
            Spec::Buffer { .. } => panic!("{text} is a scalar"),
        }
    }

    #[test]
    fn buffers_have_type_length_and_fill() {
        let spec: Spec = "f32[1024]=iota".parse().unwrap();
        let expected = Spec::Buffer {
            element: ElementType::F32,
            length: 1024,
            fill: Fill::Iota,
        };
        assert_eq!(spec, expected);
        assert_eq!("f32[0x400]=iota".parse(), Ok(expected));
        let file: Spec = "u8[3]=file:/a=b[c]:d".parse().unwrap();
        let Spec::Buffer { fill, .. } = file else {
            panic!("a buffer")
        };
        assert_eq!(fill, Fill::File("/a=b[c]:d".into()));
    }

    #[test]
    fn malformed_buffers_are_named() {
        let error = |text: &str| text.parse::<Spec>().unwrap_err();
        assert!(error("").contains("no `=`"));
        assert!(error("f32[4]").contains("no `=`"));
        assert!(error("f33[4]=zero").contains("there are f16, f32"));
        assert!(error("[4]=zero").contains("is no type"));
        assert!(error("u16[4]=zero").contains("is no type"));
        assert!(error("f32[4=zero").contains("not closed"));
        assert!(error("f32[]=zero").contains("is no length"));
        assert!(error("f32[-4]=zero").contains("is no length"));
        assert!(error("f32[4.5]=zero").contains("is no length"));
        assert!(error("f32[0]=zero").contains("at least one"));
        assert!(error("f64[2305843009213693952]=zero").contains("more bytes"));
        assert!(error("f64[99999999999999999999999999]=zero").contains("more bytes"));
        assert!(error(&format!("u8[{}]=zero", "9".repeat(99))).contains("more bytes"));
        assert!(error("f32[4]=ones").contains("zero, iota"));
    }

    #[test]
    fn integers_are_decimal_or_bits() {
        assert_eq!(scalar("u32=4096").unwrap(), 4096_u32.to_le_bytes());
        assert_eq!(scalar("i32=-1").unwrap(), (-1_i32).to_le_bytes());
        assert_eq!(scalar("i32=0xffffffff").unwrap(), [0xFF; 4]);
        assert_eq!(scalar("i64=-0x10").unwrap(), (-16_i64).to_le_bytes());
        assert_eq!(scalar("u64=18446744073709551615").unwrap(), [0xFF; 8]);
        assert_eq!(scalar("u8=0xA5").unwrap(), [0xA5]);
        assert_eq!(scalar("u8=+7").unwrap(), [7]);
        for wrong in [
            "u32=-1",
            "u32=4294967296",
            "i32=2147483648",
            "i32=0x100000000",
            "u8=256",
            "u32=",
            "u32=1.5",
            "u32=--1",
            "u32=+-1",
            "u32=0x",
            "u32=0x-1",
            "i32=-2147483649",
            "u32=0xg",
            "u32=1 ",
            "u32=ten",
            "i32=-0x80000001",
        ] {
            assert!(scalar(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn floats_are_numbers_or_bits() {
        assert_eq!(scalar("f32=1.5").unwrap(), 1.5_f32.to_le_bytes());
        assert_eq!(scalar("f32=-2e-3").unwrap(), (-2e-3_f32).to_le_bytes());
        assert_eq!(scalar("f64=0.1").unwrap(), 0.1_f64.to_le_bytes());
        assert_eq!(scalar("f32=-inf").unwrap(), f32::NEG_INFINITY.to_le_bytes());
        assert_eq!(scalar("f64=nan").unwrap(), f64::NAN.to_le_bytes());
        assert_eq!(
            scalar("f32=0x7fc00001").unwrap(),
            0x7fc0_0001_u32.to_le_bytes()
        );
        assert_eq!(scalar("f16=1").unwrap(), 0x3c00_u16.to_le_bytes());
        assert_eq!(scalar("f16=inf").unwrap(), 0x7c00_u16.to_le_bytes());
        assert!(scalar("f32=1e39").unwrap_err().contains("largest finite"));
        assert!(scalar("f16=65520").unwrap_err().contains("largest finite"));
        assert!(scalar("f16=0x10000").is_err());
        assert!(scalar("f32=1,5").is_err());
        assert!(scalar("f32=").is_err());
    }

    #[test]
    fn dimensions_are_one_to_three_positive_numbers() {
        assert_eq!(parse_dimensions("7"), Ok([7, 1, 1]));
        assert_eq!(parse_dimensions("32,8"), Ok([32, 8, 1]));
        assert_eq!(parse_dimensions("1,2,3"), Ok([1, 2, 3]));
        assert_eq!(parse_dimensions("4294967295"), Ok([u32::MAX, 1, 1]));
        for wrong in [
            "",
            "0",
            "1,0",
            "1,2,3,4",
            "1,",
            ",1",
            "x",
            "-1",
            "+1",
            "1, 2",
            "4294967296",
        ] {
            assert!(parse_dimensions(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_dump_names_argument_and_file() {
        assert_eq!(parse_dump("1:out.bin"), Ok((1, "out.bin".into())));
        assert_eq!(parse_dump("0:a:b"), Ok((0, "a:b".into())));
        for wrong in ["", "1", "x:f", "-1:f", "1:"] {
            assert!(parse_dump(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = text.parse::<Spec>();
            let _ = parse_dimensions(&text);
            let _ = parse_dump(&text);
        }

        #[test]
        fn no_near_spec_panics(text in "[fiu](8|16|32|64)(\\[[0-9x]{0,30}\\]?)?=[-+0-9a-fx.:in]{0,40}") {
            let _ = text.parse::<Spec>();
        }

        #[test]
        fn integers_round_trip(signed: i64, unsigned: u32) {
            prop_assert_eq!(scalar(&format!("i64={signed}")).unwrap(), signed.to_le_bytes());
            prop_assert_eq!(scalar(&format!("u32={unsigned}")).unwrap(), unsigned.to_le_bytes());
            prop_assert_eq!(scalar(&format!("u32={unsigned:#x}")).unwrap(), unsigned.to_le_bytes());
        }

        #[test]
        fn floats_round_trip(single: f32, double: f64) {
            prop_assume!(!single.is_nan() && !double.is_nan());
            prop_assert_eq!(scalar(&format!("f32={single}")).unwrap(), single.to_le_bytes());
            prop_assert_eq!(scalar(&format!("f64={double:e}")).unwrap(), double.to_le_bytes());
            prop_assert_eq!(scalar(&format!("f32={:#x}", single.to_bits())).unwrap(), single.to_le_bytes());
        }
    }
}
