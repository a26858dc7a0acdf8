//! The arrays of an exercise on a device: its work's, placed and compared by `cornerturn_measure::work`. What they hold is `array_work`'s.

use super::given::{Given, WrongResult};
use super::size::Size;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html::Wanted;
use cornerturn_measure::work::{Placed, Work};
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::buffer::RawBuffer;
use cornerturn_runtime::device::Device;

/// A work's arrays.
pub(super) struct Arrays {
    size: Size,
    work: Work,
    placed: Placed,
}

impl Arrays {
    pub(super) fn new(work: Work, size: Size, device: &Device) -> Result<Self> {
        let placed = Placed::new(&work, device)?;
        Ok(Self { size, work, placed })
    }
}

impl Given for Arrays {
    fn prepare(&self) -> Result<()> {
        self.placed.make_ready(&self.work)
    }

    fn arguments(&self) -> Vec<Argument> {
        self.placed.arguments.clone()
    }

    fn compare(&self) -> Result<Option<WrongResult>> {
        match self.placed.compare(&self.work, "the answer") {
            Ok(()) => Ok(None),
            Err(Error::WrongResult { wrong, .. }) => {
                let mut arrays = self.work.declared().flatten();
                let is_input =
                    arrays.any(|(name, _, is_const)| is_const && name == wrong.array.as_str());
                let claim = match is_input {
                    true => format!("the input is left as it was on {}", self.size),
                    false => format!("the result is right on {}", self.size),
                };
                Ok(Some(WrongResult {
                    claim,
                    reason: wrong.to_string(),
                    map: String::new(),
                }))
            }
            Err(other) => Err(other),
        }
    }

    fn wanted(&self) -> Wanted {
        self.work.wanted()
    }

    fn buffers(&self) -> Vec<&RawBuffer> {
        self.placed.buffers.iter().collect()
    }
}
