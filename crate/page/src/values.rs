//! What a buffer holds after a launch: numbers of JSON, and their bits.

use cornerturn::Result;
use cornerturn::raw::{self, RawBuffer};
use serde_json::{Value, json};

/// The most elements that are shown.
const MOST: usize = 256;

/// The first elements of the buffer of an argument.
pub(crate) fn of(argument: usize, buffer: &RawBuffer) -> Result<Value> {
    let element = buffer.element();
    let mut bytes = vec![0; buffer.len().min(MOST) * element.bytes()];
    buffer.read_at(0, &mut bytes)?;
    let elements = bytes.chunks_exact(element.bytes());
    let bits: Vec<String> = elements.map(hexadecimal).collect();
    Ok(json!({
        "argument": argument,
        "type": element.name(),
        "length": buffer.len(),
        "values": raw::first_values(buffer, MOST)?,
        "bits": bits,
    }))
}

/// The bits of an element, the highest first.
fn hexadecimal(bytes: &[u8]) -> String {
    let digits = bytes.iter().rev().map(|byte| format!("{byte:02x}"));
    format!("0x{}", digits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::hexadecimal;

    #[test]
    fn bits_begin_with_the_highest() {
        assert_eq!(hexadecimal(&1.0_f32.to_le_bytes()), "0x3f800000");
    }
}
