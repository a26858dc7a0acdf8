//! What a record says of a kernel's speed, where it is an error not to have measured it. Measurements are `measurement`'s.

use super::{Measurement, Record};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::traffic::GbPerS;

impl Record {
    /// The median bandwidth of a kernel at a shape with a cold cache; of what is measured with several element types,
    /// such as the driver's copy, that of float32.
    ///
    /// # Errors
    /// [`Error::Usage`] where it was not measured.
    pub fn rate(&self, kernel: &str, rows: usize, columns: usize) -> Result<GbPerS> {
        self.measured(kernel, rows, columns)
            .map(Measurement::gb_per_s)
    }

    /// A kernel's bandwidth as a part of that of the driver's copy of the same matrices, cold: 1 is as fast.
    ///
    /// # Errors
    /// [`Error::Usage`] where either was not measured.
    pub fn share(&self, kernel: &str, rows: usize, columns: usize) -> Result<f64> {
        let measured = self.measured(kernel, rows, columns)?;
        let copy = self
            .copy_for(measured)
            .ok_or_else(|| self.not_measured("the driver's copy", &measured.matrices()))?;
        Ok(measured.gb_per_s().0 / copy.gb_per_s().0)
    }

    fn measured(&self, kernel: &str, rows: usize, columns: usize) -> Result<&Measurement> {
        self.measurement(kernel, rows, columns)
            .ok_or_else(|| self.not_measured(&format!("`{kernel}`"), &format!("{rows}×{columns}")))
    }

    fn not_measured(&self, what: &str, matrices: &str) -> Error {
        Error::Usage(format!(
            "the record `{}` of {} has no measurement of {what} at {matrices} with a cold cache",
            self.experiment, self.device.facts.name
        ))
    }
}
