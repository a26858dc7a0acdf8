//! What a buffer holds after a launch: numbers of JSON, and their bits.

use crate::suggestions::name_of;
use cornerturn::raw::{self, Fill, Filled, Position, RawBuffer, Spec};
use cornerturn::{Kernel, Result};
use serde_json::{Value, json};

/// The most elements that are shown.
const MOST: usize = 256;

/// Elements that are compared at a time.
const PIECE: usize = 1 << 14;

/// The buffers of a launch that are wanted, those first that it changed.
pub(crate) fn of_launch(
    kernel: &Kernel,
    specs: &[Spec],
    filled: &Filled,
    wanted: Option<&[usize]>,
) -> Result<Vec<Value>> {
    let mut positions: Vec<&Position> = filled.buffers.keys().collect();
    positions.sort_by(|one, other| one.0.cmp(&other.0));
    let is_wanted =
        |position: &&&Position| wanted.is_none_or(|wanted| wanted.contains(&position.0[0]));
    // Numbers that lead to no buffer are those of another kernel.
    let chosen: Vec<&Position> = match positions.iter().any(|position| is_wanted(&position)) {
        true => positions.iter().filter(is_wanted).copied().collect(),
        false => positions,
    };
    let mut shown = Vec::with_capacity(chosen.len());
    for position in chosen {
        let buffer = &filled.buffers[position];
        let mut value = of(position, buffer)?;
        value["name"] = json!(name_of(kernel, position.0[0]));
        let mut is_unchanged = false;
        // What lies below a texture or a surface is not compared.
        if let Some(Spec::Buffer { fill, .. }) = raw::find(specs, &position.0) {
            let changed = first_change(buffer, fill)?;
            is_unchanged = changed.is_none();
            value["first_change"] = json!(changed);
        }
        shown.push((is_unchanged, value));
    }
    shown.sort_by_key(|(is_unchanged, _)| *is_unchanged);
    Ok(shown.into_iter().map(|(_, value)| value).collect())
}

/// The first element that is not what the buffer was filled with.
fn first_change(buffer: &RawBuffer, fill: &Fill) -> Result<Option<usize>> {
    let size = buffer.element().bytes();
    let (mut before, mut now) = (vec![0; PIECE * size], vec![0; PIECE * size]);
    for first in (0..buffer.len()).step_by(PIECE) {
        let bytes = (buffer.len() - first).min(PIECE) * size;
        let (before, now) = (&mut before[..bytes], &mut now[..bytes]);
        fill.elements(buffer.element(), first as u64, before);
        buffer.read_at(first * size, now)?;
        if before != now {
            let same = before
                .iter()
                .zip(now.iter())
                .take_while(|(one, other)| one == other);
            return Ok(Some(first + same.count() / size));
        }
    }
    Ok(None)
}

/// The first elements of a buffer.
fn of(position: &Position, buffer: &RawBuffer) -> Result<Value> {
    let element = buffer.element();
    let mut bytes = vec![0; buffer.len().min(MOST) * element.bytes()];
    buffer.read_at(0, &mut bytes)?;
    let elements = bytes.chunks_exact(element.bytes());
    let bits: Vec<String> = elements.map(hexadecimal).collect();
    Ok(json!({
        "argument": position.to_string(),
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
