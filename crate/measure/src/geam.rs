//! cuBLAS's `geam`, NVIDIA's own transposing copy, as one more that a task can verify and time. Loading and calling the library is in `device::cuda`.

use cornerturn_base::element::ElementType;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::operation::Operation;
use cornerturn_base::timing::{Timing, TimingOptions};
use cornerturn_registry::problem::{Arguments, Problem};
use cornerturn_runtime::buffer::RawBuffer;
use cornerturn_runtime::device::{Backend, Cublas, Device, GeamCall};

/// cuBLAS on one device. `geam` adds two matrices, each times a number, each transposed if asked: 1 × the transpose of
/// the input + 0 × nothing is the transpose.
pub struct Geam {
    device: Device,
    cublas: Cublas,
}

impl Geam {
    /// Loads cuBLAS: `CORNERTURN_CUBLAS` (the library's path), else version 13 or 12 where the loader, the CUDA toolkit or
    /// PyPI's `nvidia-cublas` keep it.
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator, which cannot run it; [`Error::NoCublas`] where it is not installed.
    pub fn open(device: &Device) -> Result<Self> {
        match device.backend() {
            Backend::Emulated(_) => Err(Error::NoClock),
            Backend::Cuda(cuda) => Ok(Self {
                cublas: Cublas::open(cuda)?,
                device: device.clone(),
            }),
        }
    }

    /// The library and its version, such as `cuBLAS 13.1.0`.
    pub fn library(&self) -> &str {
        self.cublas.version()
    }

    /// Whether it can do what a task asks: the transpose of one matrix of float32 or float64, not in place.
    pub fn takes(&self, problem: &Problem) -> bool {
        self.call(problem).is_some()
    }

    fn call(&self, problem: &Problem) -> Option<GeamCall> {
        let double = match problem.element {
            ElementType::F32 => false,
            ElementType::F64 => true,
            _ => return None,
        };
        if (problem.operation, problem.arguments) != (Operation::Transpose, Arguments::Matrix) {
            return None;
        }
        Some(GeamCall {
            double,
            rows: i32::try_from(problem.shape.rows).ok()?,
            columns: i32::try_from(problem.shape.columns).ok()?,
            input: 0,
            output: 0,
        })
    }

    /// The call on these buffers, which hold the matrices of `problem` on this device.
    fn call_on(
        &self,
        problem: &Problem,
        input: &RawBuffer,
        output: &RawBuffer,
    ) -> Result<GeamCall> {
        let call = self.call(problem).ok_or_else(|| {
            Error::Usage(format!(
                "cuBLAS's geam cannot do this task, which is: {problem}"
            ))
        })?;
        for buffer in [input, output] {
            buffer.check_alive()?;
            if !buffer.device().is_same(&self.device) {
                return Err(Error::Usage(
                    "cuBLAS was opened on another device than the task's; open it on the same"
                        .to_string(),
                ));
            }
        }
        Ok(GeamCall {
            input: input.address(),
            output: output.address(),
            ..call
        })
    }

    /// Runs it once and waits for it.
    pub(crate) fn run(
        &self,
        problem: &Problem,
        input: &RawBuffer,
        output: &RawBuffer,
    ) -> Result<()> {
        let call = self.call_on(problem, input, output)?;
        match self.device.backend() {
            Backend::Emulated(_) => Err(Error::NoClock),
            Backend::Cuda(cuda) => cuda.geam(&self.cublas, &call),
        }
    }

    /// Times it as a kernel is timed.
    pub(crate) fn time(
        &self,
        problem: &Problem,
        input: &RawBuffer,
        output: &RawBuffer,
        options: &TimingOptions,
    ) -> Result<Timing> {
        options.mode.check_sets(1)?;
        let call = self.call_on(problem, input, output)?;
        match self.device.backend() {
            Backend::Emulated(_) => Err(Error::NoClock),
            Backend::Cuda(cuda) => cuda.time_geam(&self.cublas, &call, options),
        }
    }
}

impl Drop for Geam {
    fn drop(&mut self) {
        if let Backend::Cuda(cuda) = self.device.backend() {
            cuda.close_cublas(&self.cublas);
        }
    }
}
