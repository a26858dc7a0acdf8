//! A work's arrays on a device: made, made ready again, compared. What they hold is the work's.

use super::{After, Array, Parameter, Work};
use crate::verify::{bits_of, show};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_base::mismatch::WrongElement;
use cornerturn_base::pattern::POISON_BYTE;
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::buffer::RawBuffer;
use cornerturn_runtime::device::Device;

/// A work's parameters on a device.
pub struct Placed {
    /// What its kernel is given.
    pub arguments: Vec<Argument>,
    /// One for each of the work's arrays.
    pub buffers: Vec<RawBuffer>,
}

impl Placed {
    /// Arrays as they are before, outputs poisoned.
    pub fn new(work: &Work, device: &Device) -> Result<Self> {
        let bytes = |array: &Array| array.length.saturating_mul(array.element.bytes());
        let all = work.arrays().map(bytes).fold(0, usize::saturating_add);
        device.check_free(&format!("the work on {}", work.what), all)?;
        let mut placed = Self {
            arguments: Vec::new(),
            buffers: Vec::new(),
        };
        for parameter in &work.parameters {
            let argument = match parameter {
                Parameter::Value(argument) => argument.clone(),
                Parameter::Texture(image) => {
                    (&device.raw_texture(&image.name, &image.bytes, image.texels)?).into()
                }
                Parameter::Array(array) => {
                    let Array {
                        place,
                        element,
                        length,
                        ..
                    } = *array;
                    let buffer =
                        RawBuffer::allocate_in(device, place, &array.name, element, length)?;
                    placed.buffers.push(buffer.clone());
                    (&buffer).into()
                }
            };
            placed.arguments.push(argument);
        }
        placed.make_ready(work)?;
        Ok(placed)
    }

    /// Arrays as they must be afterwards, where something is expected of them.
    ///
    /// # Errors
    /// As [`Placed::new`].
    pub fn expected(work: &Work, device: &Device) -> Result<Self> {
        let placed = Self::new(work, device)?;
        for (array, buffer) in work.arrays().zip(&placed.buffers) {
            if let After::Bytes(bytes) = &array.after {
                buffer.write_at(0, bytes)?;
            }
        }
        Ok(placed)
    }

    /// Every array as it is before a launch.
    pub fn make_ready(&self, work: &Work) -> Result<()> {
        for (array, buffer) in work.arrays().zip(&self.buffers) {
            match &array.before {
                Some(bytes) => buffer.write_at(0, bytes)?,
                None => buffer.poison()?,
            }
        }
        Ok(())
    }

    /// Compares every array with what it must hold.
    ///
    /// # Errors
    /// [`Error::WrongResult`] with the first element that is wrong.
    pub fn compare(&self, work: &Work, kernel: &str) -> Result<()> {
        for (array, buffer) in work.arrays().zip(&self.buffers) {
            let expected = match (&array.after, &array.before) {
                (After::Bytes(bytes), _) | (After::Same, Some(bytes)) => bytes,
                _ => continue,
            };
            let mut found = memory::zeros("the comparison", buffer.bytes())?;
            buffer.read_at(0, &mut found)?;
            if found != *expected {
                return Err(wrong(work, array, kernel, expected, &found));
            }
        }
        Ok(())
    }
}

/// The first element that differs, and how many do.
fn wrong(work: &Work, array: &Array, kernel: &str, expected: &[u8], found: &[u8]) -> Error {
    let width = array.element.bytes();
    let pairs = expected.chunks_exact(width).zip(found.chunks_exact(width));
    let mut differing = pairs.enumerate().filter(|(_, (a, b))| a != b);
    let Some((index, (must, is))) = differing.next() else {
        return Error::Usage(format!("{kernel}: `{}` differs in no element", array.name));
    };
    let hint = if matches!(array.after, After::Same) {
        "The kernel must not change this array"
    } else if is.iter().all(|byte| *byte == POISON_BYTE) {
        "It was never written (still poison): does the grid cover the whole array?"
    } else {
        ""
    };
    Error::WrongResult {
        kernel: kernel.to_string(),
        what: work.what.clone(),
        wrong: Box::new(WrongElement {
            array: array.name.clone(),
            index,
            expected: show(array.element, bits_of(must)),
            found: show(array.element, bits_of(is)),
            wrong: 1 + differing.count(),
            elements: array.length,
            hint,
        }),
        printed: Box::default(),
    }
}
