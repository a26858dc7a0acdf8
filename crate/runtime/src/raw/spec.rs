//! The arguments of a launch as text: `TYPE[LEN]=FILL`, `TYPE=VALUE`, `struct{…}`, `bytes=HEX` and textures, whose text `texture` reads. What a fill holds lives in `fill`.

use super::f16;
use super::fill::Fill;
use super::texture::{TextureSpec, parse_texture};
use cornerturn_base::element::ElementType;
use cornerturn_base::signature;
use std::str::FromStr;

/// The types that a SPEC may name.
const TYPES: [ElementType; 9] = [
    ElementType::F16,
    ElementType::F32,
    ElementType::F64,
    ElementType::I32,
    ElementType::U32,
    ElementType::I64,
    ElementType::U64,
    ElementType::U8,
    ElementType::U16,
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
    /// `bytes=HEX`
    Bytes(Vec<u8>),
    /// `tex1d:…`, `tex2d:…`, `tex1dfetch:…`, `surf1d:…` or `surf2d:…`
    Texture(TextureSpec),
    /// `struct{SPEC,…}`: its fields, laid out as C does, none of them empty.
    Struct(Vec<Spec>),
}

/// How deep structures may be nested.
const MOST_DEPTH: usize = 16;

/// Bytes of a pointer.
const POINTER_BYTES: usize = 8;

impl Spec {
    /// What it is, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Buffer {
                element, length, ..
            } => format!("a buffer of {length} {element}"),
            Self::Scalar { element, .. } => format!("a scalar of {element}"),
            Self::Bytes(bytes) => format!("{} bytes", bytes.len()),
            Self::Texture(texture) => texture.describe(),
            Self::Struct(_) => format!("a structure of {} bytes", self.layout().0),
        }
    }

    /// The text of it again; nothing for what has too many forms: textures and structures.
    pub(super) fn written(&self) -> Option<String> {
        match self {
            Self::Buffer {
                element,
                length,
                fill,
            } => Some(format!("{element}[{length}]={fill}")),
            Self::Scalar { element, bytes } => {
                Some(format!("{element}={}", scalar_text(*element, bytes)))
            }
            Self::Bytes(bytes) => {
                let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                Some(format!("bytes={}", digits.concat()))
            }
            Self::Texture(_) | Self::Struct(_) => None,
        }
    }

    /// Size and alignment in bytes as C has them; of a buffer, those of its address.
    pub fn layout(&self) -> (usize, usize) {
        match self {
            // A texture's handle is as long as a pointer.
            Self::Buffer { .. } | Self::Texture(_) => (POINTER_BYTES, POINTER_BYTES),
            Self::Scalar { bytes, .. } => (bytes.len(), bytes.len()),
            Self::Bytes(bytes) => (bytes.len(), 1),
            Self::Struct(fields) => {
                let (mut end, mut widest) = (0, 1);
                for (offset, field) in offsets(fields) {
                    let (bytes, align) = field.layout();
                    end = offset + bytes;
                    widest = align.max(widest);
                }
                (end.next_multiple_of(widest), widest)
            }
        }
    }
}

/// The fields of a structure, each with its offset in bytes: the next multiple of its alignment.
pub fn offsets(fields: &[Spec]) -> impl Iterator<Item = (usize, &Spec)> {
    let mut end = 0_usize;
    fields.iter().map(move |field| {
        let (bytes, align) = field.layout();
        let offset = end.next_multiple_of(align);
        end = offset + bytes;
        (offset, field)
    })
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text, 0)
    }
}

/// The number that little-endian bytes of a type are.
pub(super) fn scalar_text(element: ElementType, bytes: &[u8]) -> String {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    let bits = u64::from_le_bytes(word);
    match element {
        ElementType::F32 => f32::from_bits(bits as u32).to_string(),
        ElementType::F64 => f64::from_bits(bits).to_string(),
        ElementType::I32 => (bits as u32 as i32).to_string(),
        ElementType::I64 => (bits as i64).to_string(),
        ElementType::F16 => format!("0x{bits:04x}"),
        _ => bits.to_string(),
    }
}

fn parse(text: &str, depth: usize) -> Result<Spec, String> {
    if let Some(fields) = text.strip_prefix("struct{") {
        return parse_struct(fields, depth);
    }
    if let Some(texture) = parse_texture(text) {
        return match depth {
            0 => texture.map(Spec::Texture),
            _ => Err("a texture or a surface is an argument of its own, not a field".to_string()),
        };
    }
    let (left, right) = text.split_once('=').ok_or_else(|| match text.contains('[') {
        true => format!("there is no `=`; write TYPE[LEN]=FILL for a buffer, such as {text}=zero"),
        false => {
            format!("there is no `=`; write TYPE=VALUE for a scalar, such as {text}=1, or TYPE[LEN]=FILL for a buffer")
        }
    })?;
    if left == "bytes" {
        return parse_bytes(right).map(Spec::Bytes);
    }
    match left.split_once('[') {
        None => {
            let element = parse_type(left)?;
            let bytes = parse_value(element, right)?;
            Ok(Spec::Scalar { element, bytes })
        }
        Some((name, rest)) => {
            let element = parse_type(name)?;
            let length = rest.strip_suffix(']').ok_or_else(|| {
                format!("the `[` is not closed; write TYPE[LEN]=FILL, such as {left}]={right}")
            })?;
            let length = parse_length(element, length)?;
            let fill = right.parse()?;
            Ok(Spec::Buffer {
                element,
                length,
                fill,
            })
        }
    }
}

/// The fields behind `struct{`, and the brace that closes it.
fn parse_struct(text: &str, depth: usize) -> Result<Spec, String> {
    if depth == MOST_DEPTH {
        return Err(format!("structures are nested deeper than {MOST_DEPTH}"));
    }
    let unclosed =
        "the `{` is not closed at the end; write struct{SPEC,SPEC}, such as struct{f32=1.0,i32=3}";
    let fields = text.strip_suffix('}').ok_or(unclosed)?;
    let fields = split_fields(fields).ok_or(unclosed)?;
    let fields = fields
        .into_iter()
        .map(|field| parse(field, depth + 1))
        .collect::<Result<Vec<Spec>, String>>()?;
    Ok(Spec::Struct(fields))
}

/// The text between the commas that stand in no brace; `None` where the braces do not fit each other.
fn split_fields(text: &str) -> Option<Vec<&str>> {
    let (mut open, mut start, mut fields) = (0_usize, 0, Vec::new());
    for (at, mark) in text.char_indices() {
        match mark {
            '{' => open += 1,
            '}' => open = open.checked_sub(1)?,
            ',' if open == 0 => {
                fields.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    fields.push(&text[start..]);
    (open == 0).then_some(fields)
}

/// Bytes as hexadecimal digits, two for each, the first byte first.
fn parse_bytes(text: &str) -> Result<Vec<u8>, String> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some((digit(*high)? * 16 + digit(*low)?) as u8),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(pair).collect();
    bytes.filter(|bytes| !bytes.is_empty()).ok_or_else(|| {
        format!("`{text}` is no row of bytes; write two hexadecimal digits for each, such as bytes=0000803f")
    })
}

pub(super) fn parse_type(name: &str) -> Result<ElementType, String> {
    TYPES
        .into_iter()
        .find(|ty| ty.name() == name)
        .ok_or_else(|| {
            let meant = signature::lanes(name).filter(|(element, _)| TYPES.contains(element));
            let meant = meant.map_or(String::new(), |(element, _)| format!("write {element}; "));
            format!(
                "`{name}` is no type here; {meant}there are {}",
                TYPES.map(ElementType::name).join(", ")
            )
        })
}

pub(super) fn parse_length(element: ElementType, text: &str) -> Result<usize, String> {
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
///
/// # Errors
/// A sentence that says what is no dimension.
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

/// The place of a buffer: its argument, from 0, and in a structure its field, from 0, and so on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Position(pub Vec<usize>);

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&numbers.join("."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scalar(text: &str) -> Result<Vec<u8>, String> {
        match text.parse()? {
            Spec::Scalar { bytes, .. } => Ok(bytes),
            _ => panic!("{text} is a scalar"),
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
        assert!(error("i8[4]=zero").contains("is no type"));
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
    fn structures_are_laid_out_as_c_does() {
        let spec = |text: &str| text.parse::<Spec>().unwrap();
        let offsets_of = |text: &str| match spec(text) {
            Spec::Struct(fields) => offsets(&fields).map(|(at, _)| at).collect::<Vec<_>>(),
            other => panic!("{other:?} is no structure"),
        };
        assert_eq!(offsets_of("struct{f32=1.0,i32=3}"), [0, 4]);
        assert_eq!(spec("struct{f32=1.0,i32=3}").layout(), (8, 4));
        // struct { char a; double b; char c; struct { short d; float* e; } f; char g; }
        let all = "struct{u8=1,f64=2,u8=3,struct{f16=4,f32[8]=zero},u8=5}";
        assert_eq!(offsets_of(all), [0, 8, 16, 24, 40]);
        assert_eq!(spec(all).layout(), (48, 8));
        assert_eq!(spec("struct{bytes=010203,u8=4}").layout(), (4, 1));
        assert_eq!(spec("bytes=00fF").describe(), "2 bytes");
    }

    #[test]
    fn malformed_structures_are_refused() {
        for (text, words) in [
            ("struct{", "not closed"),
            ("struct{f32=1", "not closed"),
            ("struct{f32=1}}", "not closed"),
            ("struct{}", "there is no `=`"),
            ("struct{f32=1,}", "there is no `=`"),
            ("struct{f32=x}", "is no value of f32"),
            ("bytes=", "no row of bytes"),
            ("bytes=abc", "no row of bytes"),
            ("bytes=0x", "no row of bytes"),
            ("bytes=é", "no row of bytes"),
        ] {
            let error = text.parse::<Spec>().unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
        let deep = format!("{}u8=1{}", "struct{".repeat(99), "}".repeat(99));
        assert!(deep.parse::<Spec>().unwrap_err().contains("nested"));
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

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = text.parse::<Spec>();
            let _ = parse_dimensions(&text);
        }

        #[test]
        fn no_near_structure_panics(text in "struct\\{(struct\\{|[u8=,}]|bytes=|f32\\[2\\]=zero|[0-9a-f]){0,12}") {
            let _ = text.parse::<Spec>().map(|spec| spec.layout());
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
