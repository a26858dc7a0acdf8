//! The buffers of a launch that was written as text: made and filled before the run.

use super::fill::Fill;
use super::spec::{Position, Spec, offsets};
use super::texture::{TexelPlace, TextureSpec};
use crate::argument::Argument;
use crate::buffer::RawBuffer;
use crate::device::Device;
use crate::texture::Texture;
use cornerturn_base::error::{Error, Result};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// The arguments of a launch, and the buffers in them.
pub struct Filled {
    /// One for each SPEC.
    pub arguments: Vec<Argument>,
    /// Where each buffer stands.
    pub buffers: HashMap<Position, RawBuffer>,
}

/// The SPEC at a position.
pub fn find<'s>(specs: &'s [Spec], position: &[usize]) -> Option<&'s Spec> {
    let (first, rest) = position.split_first()?;
    let spec = specs.get(*first)?;
    match spec {
        _ if rest.is_empty() => Some(spec),
        Spec::Struct(fields) => find(fields, rest),
        _ => None,
    }
}

/// The arguments on the device, each buffer filled. What they need together is compared with what is free before the
/// first is made; checks keep as much again of what they note.
///
/// # Errors
/// [`Error::Memory`]; [`Error::Usage`] for a file that is not there or not of the buffer's size.
pub fn fill(device: &Device, specs: &[Spec], check: bool) -> Result<Filled> {
    let bytes = bytes_of(specs).saturating_mul(if check { 2 } else { 1 });
    device.check_free("the launch", bytes)?;
    let mut buffers = HashMap::new();
    let mut arguments = Vec::with_capacity(specs.len());
    for (index, spec) in specs.iter().enumerate() {
        arguments.push(argument(device, spec, Position(vec![index]), &mut buffers)?);
    }
    Ok(Filled { arguments, buffers })
}

/// A texture's texels are filled in a buffer, read from it, copied, and kept as what the texture lies over.
const COPIES_OF_TEXELS: usize = 4;

/// The bytes of all buffers.
pub fn bytes_of(specs: &[Spec]) -> usize {
    let bytes = |spec: &Spec| match spec {
        Spec::Buffer {
            element, length, ..
        } => length.saturating_mul(element.bytes()),
        Spec::Texture(texture) => {
            let bytes = texture.length.saturating_mul(texture.element.bytes());
            bytes.saturating_mul(COPIES_OF_TEXELS)
        }
        Spec::Struct(fields) => bytes_of(fields),
        Spec::Scalar { .. } | Spec::Bytes(_) => 0,
    };
    specs.iter().map(bytes).fold(0, usize::saturating_add)
}

fn argument(
    device: &Device,
    spec: &Spec,
    position: Position,
    buffers: &mut HashMap<Position, RawBuffer>,
) -> Result<Argument> {
    match spec {
        Spec::Scalar { bytes, .. } | Spec::Bytes(bytes) => Ok(Argument::bytes(bytes)),
        Spec::Buffer { .. } => {
            let buffer = buffer(device, spec, &position)?;
            let argument = Argument::from(&buffer);
            buffers.insert(position, buffer);
            Ok(argument)
        }
        Spec::Texture(texture) if texture.place == TexelPlace::Array => {
            Ok(Argument::from(&made(device, texture, &position)?))
        }
        Spec::Texture(texture) => {
            let name = format!("argument {position}");
            let buffer = device.raw_buffer(&name, texture.element, texture.length)?;
            write_fill(&buffer, &texture.fill)?;
            let argument = over(device, texture, &buffer)?;
            buffers.insert(position, buffer);
            Ok(argument)
        }
        Spec::Struct(fields) => {
            let mut bytes = vec![0; spec.layout().0];
            let mut pointers = Vec::new();
            for leaf in leaves(fields, &position, 0) {
                match leaf.spec {
                    Spec::Scalar { bytes: value, .. } | Spec::Bytes(value) => {
                        bytes[leaf.offset..leaf.offset + value.len()].copy_from_slice(value);
                    }
                    _ => {
                        let buffer = buffer(device, leaf.spec, &leaf.position)?;
                        pointers.push((leaf.offset, buffer.clone()));
                        buffers.insert(leaf.position, buffer);
                    }
                }
            }
            Ok(Argument::structure(&bytes, &pointers))
        }
    }
}

/// A field of a structure that is none itself.
struct Leaf<'s> {
    spec: &'s Spec,
    position: Position,
    /// From the start of the outermost structure, in bytes.
    offset: usize,
}

fn leaves<'s>(fields: &'s [Spec], position: &Position, start: usize) -> Vec<Leaf<'s>> {
    let mut found = Vec::new();
    for (number, (offset, spec)) in offsets(fields).enumerate() {
        let mut position = position.clone();
        position.0.push(number);
        let offset = start + offset;
        match spec {
            Spec::Struct(fields) => found.extend(leaves(fields, &position, offset)),
            _ => found.push(Leaf {
                spec,
                position,
                offset,
            }),
        }
    }
    found
}

/// A buffer as its SPEC has it; anything else has none.
fn buffer(device: &Device, spec: &Spec, position: &Position) -> Result<RawBuffer> {
    let Spec::Buffer {
        element,
        length,
        fill,
    } = spec
    else {
        return Err(Error::Usage(format!("argument {position} is no buffer")));
    };
    let buffer = device.raw_buffer(&format!("argument {position}"), *element, *length)?;
    write_fill(&buffer, fill)?;
    Ok(buffer)
}

/// A texture or a surface over a buffer of its texels.
fn over(device: &Device, spec: &TextureSpec, buffer: &RawBuffer) -> Result<Argument> {
    Ok(match spec.place {
        TexelPlace::Surface => Argument::from(&device.surface_over(buffer, spec.texels)?),
        TexelPlace::Array | TexelPlace::Buffer => {
            Argument::from(&device.raw_texture_over(buffer, spec.texels)?)
        }
    })
}

/// A texture, filled by way of a buffer on the host.
fn made(device: &Device, spec: &TextureSpec, position: &Position) -> Result<Texture> {
    let name = format!("argument {position}");
    let filled = Device::emulator().raw_buffer(&name, spec.element, spec.length)?;
    write_fill(&filled, &spec.fill)?;
    let mut texels = vec![0; filled.bytes()];
    filled.read_at(0, &mut texels)?;
    device.raw_texture(&name, &texels, spec.texels)
}

/// Bytes that are filled at a time.
const PIECE_BYTES: usize = 4 << 20;

fn write_fill(buffer: &RawBuffer, fill: &Fill) -> Result<()> {
    if *fill == Fill::Poison {
        return buffer.poison();
    }
    let mut source = match fill {
        Fill::File(path) => Some(open_exact(path, buffer)?),
        _ => None,
    };
    let mut piece = vec![0; PIECE_BYTES.min(buffer.bytes())];
    for offset in (0..buffer.bytes()).step_by(PIECE_BYTES) {
        let length = PIECE_BYTES.min(buffer.bytes() - offset);
        let piece = &mut piece[..length];
        match (&mut source, fill) {
            (Some(file), Fill::File(path)) => file
                .read_exact(piece)
                .map_err(|error| Error::Usage(format!("{}: {error}", path.display())))?,
            _ => fill.elements(
                buffer.element(),
                (offset / buffer.element().bytes()) as u64,
                piece,
            ),
        }
        buffer.write_at(offset, piece)?;
    }
    Ok(())
}

/// A file of exactly the buffer's size.
fn open_exact(path: &Path, buffer: &RawBuffer) -> Result<std::fs::File> {
    let failed = |error: std::io::Error| Error::Usage(format!("{}: {error}", path.display()));
    // Asked before it is opened: opening a pipe waits for its other end.
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        let reason = "is no file; file:PATH takes a file of exactly the buffer's bytes";
        return Err(Error::Usage(format!("{} {reason}", path.display())));
    }
    if metadata.len() == buffer.bytes() as u64 {
        return std::fs::File::open(path).map_err(failed);
    }
    Err(Error::Usage(format!(
        "{} holds {} bytes, and {} of {} elements of {} needs exactly {}",
        path.display(),
        metadata.len(),
        buffer.name(),
        buffer.len(),
        buffer.element(),
        buffer.bytes(),
    )))
}
