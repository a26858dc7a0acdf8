//! The solution of an exercise on a device, verified there and timed: what a record of exercises is made of. Writing the record is the binary's.

use super::data::Exercise;
use super::seed::Seed;
use super::trial::Trial;
use super::workshop::Workshop;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::operation::Operation;
use cornerturn_base::shape::{Dim3, Shape};
use cornerturn_base::timing::{Timing, TimingOptions};
use cornerturn_measure::record::{DRIVER_COPY, Measurement, Record};
use cornerturn_registry::registry::sha256;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;

/// The experiment's name, which is the record's file.
pub const EXPERIMENT: &str = "exercises";

/// A solution that was verified on a device, ready to be timed.
pub struct Bench<'a> {
    trial: Trial<'a>,
    kernel: Kernel,
    /// The matrix, or one of about as many elements as the arrays have words.
    shape: Shape,
}

impl<'a> Bench<'a> {
    /// Compiles the solution, and verifies it on a matrix of this shape, or on arrays of about as many words.
    ///
    /// # Errors
    /// [`Error::NoCompiler`]; [`Error::Usage`] where the solution is wrong; [`Error::Memory`].
    pub fn new(exercise: &'a Exercise, device: &Device, shape: Shape) -> Result<Self> {
        let kernel =
            Kernel::cuda_file(&exercise.solution(), &exercise.file_name(), &exercise.entry)?
                .with_dynamic_shared_bytes(exercise.dynamic_shared_bytes);
        let size = exercise.size_near(shape);
        let trial = Trial::new(exercise, device, size, Seed::draw())?;
        match trial.verify(&kernel)? {
            None => Ok(Self {
                trial,
                kernel,
                shape,
            }),
            Some(wrong) => Err(Error::Usage(format!(
                "the solution of `{}` is wrong on {}: {}",
                exercise.id,
                device.name(),
                wrong.reason
            ))),
        }
    }

    /// Times it.
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; [`Error::Impossible`]; else as [`Device::launch`].
    pub fn time(&self, options: impl Into<TimingOptions>) -> Result<Timing> {
        self.trial.time(&self.kernel, options.into())
    }

    /// The compiled solution.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// These samples as a measurement under the exercise's id. A sum or a histogram is noted as a copy: what counts here
    /// is the bytes that it must move.
    pub fn measurement(&self, samples_us: Vec<f64>) -> Measurement {
        let exercise = self.trial.exercise;
        let operation = exercise.work.operation().unwrap_or(Operation::Copy);
        Measurement {
            bytes_moved: self.trial.bytes_moved(),
            source_sha256: self.kernel.source_sha256().unwrap_or_default().to_string(),
            ptx_sha256: self.kernel.ptx_sha256().to_string(),
            grid: Some(exercise.grid(self.trial.size)),
            block: Some(Dim3::from(exercise.block)),
            ..Measurement::new(
                &exercise.id,
                operation,
                exercise.element,
                self.shape,
                samples_us,
            )
        }
    }
}

/// Which measurements of a record are no longer those of the solutions as they are, each with the reason.
pub fn stale(record: &Record, workshop: &Workshop) -> Vec<String> {
    let ours = record
        .measurements
        .iter()
        .filter(|m| m.kernel != DRIVER_COPY);
    let reason = |measurement: &Measurement| {
        let id = &measurement.kernel;
        let Ok(exercise) = workshop.get(id) else {
            return Some(format!("`{id}` is no exercise any more"));
        };
        let is_same = sha256(exercise.solution().as_bytes()) == measurement.source_sha256;
        (!is_same).then(|| format!("`{id}` was measured with another solution"))
    };
    ours.filter_map(reason).collect()
}
