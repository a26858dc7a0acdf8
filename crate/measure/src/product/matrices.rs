//! The three matrices of a product on a device: made, filled, compared. What they hold is `product_problem`'s.

use super::arguments::arguments;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_base::product_shape::ProductShape;
use cornerturn_registry::product_problem::{Accuracy, Factor, Judge, ProductData, ProductProblem};
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::buffer::RawBuffer;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use std::sync::{Mutex, PoisonError};

/// A factor of no more bytes is looked at after a launch: it must be as it was.
const MOST_COMPARED_BYTES: usize = 1 << 20;

/// A, B and C.
pub(super) struct Matrices {
    a: RawBuffer,
    b: RawBuffer,
    c: RawBuffer,
    /// What A and B hold.
    holds: Mutex<Option<ProductData>>,
}

impl Matrices {
    pub(super) fn new(device: &Device, problem: &ProductProblem) -> Result<Self> {
        let ProductShape { m, n, k } = problem.shape;
        let (input, output) = (problem.input.storage(), problem.output.storage());
        let bytes = (m * k + k * n) * input.bytes() + m * n * output.bytes();
        device.check_free(&format!("the {problem}"), bytes)?;
        let create = |name, ty, elements| RawBuffer::allocate(device, name, ty, elements);
        Ok(Self {
            a: create("a", input, m * k)?,
            b: create("b", input, k * n)?,
            c: create("c", output, m * n)?,
            holds: Mutex::new(None),
        })
    }

    pub(super) fn a(&self) -> &RawBuffer {
        &self.a
    }

    pub(super) fn b(&self) -> &RawBuffer {
        &self.b
    }

    pub(super) fn c(&self) -> &RawBuffer {
        &self.c
    }

    pub(super) fn arguments(
        &self,
        problem: &ProductProblem,
        kernel: &Kernel,
    ) -> Result<Vec<Argument>> {
        arguments(problem, kernel, [&self.a, &self.b, &self.c])
    }

    /// A and B with this data.
    pub(super) fn fill(&self, judge: &Judge, data: ProductData) -> Result<()> {
        let mut holds = self.holds.lock().unwrap_or_else(PoisonError::into_inner);
        if *holds == Some(data) {
            return Ok(());
        }
        *holds = None;
        for (factor, buffer) in [(Factor::A, &self.a), (Factor::B, &self.b)] {
            buffer.write_at(0, &judge.inputs().bytes(factor))?;
        }
        *holds = Some(data);
        Ok(())
    }

    /// A and B with this data, C as a kernel expects it: poison, or 0 where it adds to what is there.
    pub(super) fn make_ready(
        &self,
        judge: &Judge,
        data: ProductData,
        kernel: &Kernel,
    ) -> Result<()> {
        self.fill(judge, data)?;
        match kernel.adds_to_result() {
            true => self.c.fill_byte(0),
            false => self.c.poison(),
        }
    }

    /// Compares C, and A and B where they are small.
    ///
    /// # Errors
    /// [`Error::WrongProduct`]; [`Error::Usage`] where the kernel has written to a factor.
    pub(super) fn compare(
        &self,
        judge: &Judge,
        data: ProductData,
        problem: &ProductProblem,
        kernel: &str,
    ) -> Result<Accuracy> {
        let mut found = memory::zeros("the comparison", self.c.bytes())?;
        self.c.read_at(0, &mut found)?;
        let accuracy = judge
            .compare(&found)
            .map_err(|mismatch| Error::WrongProduct {
                kernel: kernel.to_string(),
                problem: match data {
                    ProductData::Exact => format!("{problem}, on whole numbers"),
                    ProductData::Random => format!("{problem}, on random numbers"),
                },
                mismatch,
                printed: Box::default(),
            })?;
        for (factor, buffer) in [(Factor::A, &self.a), (Factor::B, &self.b)] {
            if buffer.bytes() > MOST_COMPARED_BYTES {
                continue;
            }
            let mut held = memory::zeros("the comparison", buffer.bytes())?;
            buffer.read_at(0, &mut held)?;
            if held != judge.inputs().bytes(factor) {
                *self.holds.lock().unwrap_or_else(PoisonError::into_inner) = None;
                return Err(Error::Arguments {
                    kernel: kernel.to_string(),
                    reason: format!(
                        "it has written to `{}`, which it may only read: declare it `const`",
                        buffer.name()
                    ),
                });
            }
        }
        Ok(accuracy)
    }
}
