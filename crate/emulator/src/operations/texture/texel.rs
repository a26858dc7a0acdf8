//! What a texel is: its bytes in memory, and the values that a fetch without a filter makes of them.

use crate::machine::world::World;
use crate::texture::{TexelFormat, TexelMemory, Texture};

/// The channels of a texel as they lie in memory, zero-extended; those it lacks, and all on the border, are 0.
pub(super) fn raw(world: &World, texture: &Texture, texel: Option<(u32, u32)>) -> [u32; 4] {
    let mut channels = [0; 4];
    let Some((x, y)) = texel else { return channels };
    let mut bytes = [0; 16];
    let bytes = &mut bytes[..texture.texel_bytes() as usize];
    read(world, texture, (x, y), bytes);
    let width = texture.format.bytes() as usize;
    for (channel, bytes) in channels.iter_mut().zip(bytes.chunks_exact(width)) {
        *channel = bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    channels
}

fn read(world: &World, texture: &Texture, (x, y): (u32, u32), out: &mut [u8]) {
    if let TexelMemory::Array(texels) = &texture.memory {
        let at = texture.offset(x, y) as usize;
        if let Some(bytes) = texels.get(at..at + out.len()) {
            out.copy_from_slice(bytes);
        }
        return;
    }
    let address = texture.address(x, y).unwrap_or(0);
    if let Some((index, offset)) = crate::memory::locate(world.buffers, address, out.len()) {
        world.buffers[index].read(offset, out);
    }
}

/// The four results of a fetch of one texel; channels that it lacks are 0.
pub(super) fn converted(world: &World, texture: &Texture, texel: Option<(u32, u32)>) -> [u32; 4] {
    let channels = raw(world, texture, texel);
    // 0 becomes 0 in every format.
    channels.map(|channel| convert(texture, channel))
}

fn convert(texture: &Texture, raw: u32) -> u32 {
    let normalized = texture.sampling.normalized_reads;
    let float = |value: f32| value.to_bits();
    match texture.format {
        TexelFormat::U8 if normalized => float(raw as f32 / 255.0),
        TexelFormat::S8 if normalized => float((f32::from(raw as u8 as i8) / 127.0).max(-1.0)),
        TexelFormat::U16 if normalized => float(raw as f32 / 65535.0),
        TexelFormat::S16 if normalized => float((f32::from(raw as u16 as i16) / 32767.0).max(-1.0)),
        TexelFormat::S8 => raw as u8 as i8 as u32,
        TexelFormat::S16 => raw as u16 as i16 as u32,
        TexelFormat::F16 => float(half(raw as u16)),
        TexelFormat::U8
        | TexelFormat::U16
        | TexelFormat::U32
        | TexelFormat::S32
        | TexelFormat::F32 => raw,
    }
}

/// A 16-bit float. A NaN keeps its bits.
pub(super) fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (bits >> 10 & 0x1f, u32::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction as f32 / 16_777_216.0,
        0x1f => f32::from_bits(0x7f80_0000 | (fraction << 13)),
        _ => f32::from_bits((u32::from(exponent) + 112) << 23 | fraction << 13),
    };
    if bits >> 15 != 0 {
        -magnitude
    } else {
        magnitude
    }
}
