//! Fat binaries: a container of images for several GPUs, PTX or machine code. Where things lie in it was found by trials with what `fatbinary` of CUDA 13.0 writes; only PTX is taken out.

use std::io::Read;

use crate::status::{Error, Result, Status};

/// Of the structure that a program registers (`fatbinary_section.h`): it points to the container.
pub const WRAPPER_MAGIC: u32 = 0x4662_43b1;
/// Of the container.
pub const MAGIC: u32 = 0xba55_ed50;
const ELF_MAGIC: [u8; 4] = *b"\x7fELF";
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Bytes before the first entry, and the fewest of an entry's own header.
const HEADER_BYTES: usize = 16;
const ENTRY_BYTES: usize = 64;
const KIND_PTX: u16 = 1;
/// The most bytes that an image may have: a text of that size is no kernel's.
const MOST_IMAGE_BYTES: u64 = 1 << 30;

/// A byte of LZ4 stands for so many at most.
const MOST_LZ4_RATIO: u64 = 255;

/// What an image is that a program hands over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The PTX, if there is any: of several the one for the highest machine that an H200 takes.
    pub ptx: Option<String>,
    /// Machines for which there is machine code, such as 75.
    pub machines: Vec<u32>,
}

/// Bytes of the whole container that begins with these, at least `HEADER_BYTES` of them.
pub fn container_bytes(head: &[u8]) -> Option<usize> {
    if number(head, 0, 4)? != u64::from(MAGIC) {
        return None;
    }
    let (header, rest) = (number(head, 6, 2)?, number(head, 8, 8)?);
    usize::try_from(header.checked_add(rest)?).ok()
}

/// Takes the PTX out of an image: PTX text, a container, or machine code, which has none.
///
/// # Errors
/// [`Status::INVALID_IMAGE`] for bytes that are none of these, or a container that is broken.
pub fn parse(bytes: &[u8]) -> Result<Image> {
    if bytes.starts_with(&ELF_MAGIC) {
        let machines = Vec::new();
        return Ok(Image {
            ptx: None,
            machines,
        });
    }
    if number(bytes, 0, 4) == Some(u64::from(MAGIC)) {
        return container(bytes);
    }
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    match std::str::from_utf8(text) {
        Ok(text) if text.contains(".version") => Ok(Image {
            ptx: Some(text.to_string()),
            machines: Vec::new(),
        }),
        _ => Err(broken("it is neither PTX text nor a fat binary")),
    }
}

fn container(bytes: &[u8]) -> Result<Image> {
    let whole = container_bytes(bytes).unwrap_or(usize::MAX);
    let header = number(bytes, 6, 2).unwrap_or(u64::MAX) as usize;
    let entries = bytes.get(header.max(HEADER_BYTES)..whole);
    let mut rest = entries.ok_or_else(|| broken("it ends before its container does"))?;
    let (mut best, mut machines) = (None::<(u32, Vec<u8>)>, Vec::new());
    while rest.len() >= ENTRY_BYTES {
        let field = |at, bytes| number(rest, at, bytes).unwrap_or_default();
        let (kind, header, padded) = (field(0, 2) as u16, field(4, 4) as usize, field(8, 8));
        let machine = field(28, 4) as u32;
        let padded = usize::try_from(padded).unwrap_or(usize::MAX);
        let end = header.checked_add(padded);
        let entry = end.and_then(|end| rest.get(header..end));
        let (Some(payload), true) = (entry, header >= ENTRY_BYTES) else {
            return Err(broken("an entry reaches beyond its end"));
        };
        let is_better = best.as_ref().is_none_or(|(known, _)| *known < machine);
        match kind {
            KIND_PTX if machine <= 90 && is_better => {
                let sizes = (field(16, 4), field(56, 8));
                best = Some((machine, unpacked(payload, sizes)?));
            }
            KIND_PTX => {}
            _ => machines.push(machine),
        }
        rest = rest.get(header + padded..).unwrap_or_default();
    }
    let text = best.map(|(_, text)| {
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8(text.to_vec()).map_err(|_| broken("its PTX is no text"))
    });
    Ok(Image {
        ptx: text.transpose()?,
        machines,
    })
}

/// An entry's bytes; those of a compressed one have a size before and after.
fn unpacked(payload: &[u8], (packed, size): (u64, u64)) -> Result<Vec<u8>> {
    if size == 0 {
        return Ok(payload.to_vec());
    }
    if size > MOST_IMAGE_BYTES {
        return Err(broken("an entry says that it has more than 1 GiB"));
    }
    let packed = payload
        .get(..packed as usize)
        .ok_or_else(|| broken("a compressed entry is cut off"))?;
    if packed.starts_with(&ZSTD_MAGIC) {
        let mut text = Vec::new();
        let decoder = ruzstd::decoding::StreamingDecoder::new(packed);
        let decoder = decoder.map_err(|error| broken(&format!("zstd: {error}")))?;
        let read = decoder.take(size).read_to_end(&mut text);
        read.map_err(|error| broken(&format!("zstd: {error}")))?;
        return Ok(text);
    }
    if size > MOST_LZ4_RATIO * packed.len() as u64 + 64 {
        return Err(broken("an entry says that it has more than LZ4 can hold"));
    }
    lz4_flex::block::decompress(packed, size as usize)
        .map_err(|error| broken(&format!("LZ4: {error}")))
}

fn broken(why: &str) -> Error {
    let message = format!("the image cannot be read: {why}");
    Error::new(Status::INVALID_IMAGE, message)
}

/// A little-endian number of so many bytes.
fn number(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(count)?)?;
    let digits = bytes.iter().rev();
    Some(digits.fold(0, |number, byte| number << 8 | u64::from(*byte)))
}
