//! What a buffer holds, as numbers of JSON: one for each element. A number that JSON has not, such as NaN, is a text.

use crate::buffer::RawBuffer;
use cornerturn_base::element::ElementType;
use cornerturn_base::error::Result;
use serde_json::{Value, json};

/// Integers beyond this are texts: a script's numbers do not hold them.
const EXACT: u64 = 1 << 53;

/// The first elements of a buffer, at most so many.
///
/// # Errors
/// As [`RawBuffer::read_at`].
pub fn first_values(buffer: &RawBuffer, most: usize) -> Result<Vec<Value>> {
    let element = buffer.element();
    let mut bytes = vec![0; buffer.len().min(most) * element.bytes()];
    buffer.read_at(0, &mut bytes)?;
    let elements = bytes.chunks_exact(element.bytes());
    Ok(elements.map(|bytes| value(element, bytes)).collect())
}

/// An element, from its bytes.
fn value(element: ElementType, bytes: &[u8]) -> Value {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(word);
    match element {
        ElementType::F16 => float(&half(bits as u16)),
        ElementType::F32 => float(&f32::from_bits(bits as u32)),
        ElementType::F64 => float(&f64::from_bits(bits)),
        ElementType::I32 => json!(bits as u32 as i32),
        ElementType::I64 => match bits as i64 {
            value if value.unsigned_abs() <= EXACT => json!(value),
            value => json!(value.to_string()),
        },
        ElementType::U64 if bits > EXACT => json!(bits.to_string()),
        ElementType::U8 | ElementType::U16 | ElementType::U32 | ElementType::U64 => json!(bits),
    }
}

/// The shortest digits that tell the number from its neighbours of the same type.
fn float(number: &impl ToString) -> Value {
    let text = number.to_string();
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => json!(value),
        _ => json!(text.to_ascii_lowercase()),
    }
}

/// The value of IEEE 754 binary16.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2_f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2_f32.powi(exponent - 25),
    };
    if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_short_as_their_type_allows() {
        let f32 = |x: f32| value(ElementType::F32, &x.to_le_bytes()).to_string();
        assert_eq!((f32(0.1), f32(1.0)), ("0.1".to_string(), "1.0".to_string()));
        assert_eq!(f32(f32::NAN), "\"nan\"");
        assert_eq!(f32(f32::NEG_INFINITY), "\"-inf\"");
        assert_eq!(value(ElementType::F16, &[0x66, 0x2e]), json!(0.099975586));
        assert_eq!(value(ElementType::F16, &[1, 0x80]), json!(-5.9604645e-8));
        assert_eq!(value(ElementType::I64, &[0xff; 8]), json!(-1));
        assert_eq!(
            value(ElementType::U64, &[0xff; 8]),
            json!("18446744073709551615")
        );
        assert_eq!(value(ElementType::U8, &[7]), json!(7));
    }
}
