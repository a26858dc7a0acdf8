//! The matrices of a product on a device: factors that are drawn from the seed, a result that `cornerturn_registry::product_problem` judges. Which products there are is `product_work`'s.

use super::given::{Given, WrongResult};
use super::product_work::ProductWork;
use super::seed::{Numbers, Seed};
use super::size::Size;
use cornerturn_base::element::ElementType;
use cornerturn_base::error::Result;
use cornerturn_base::html::Wanted;
use cornerturn_base::product_shape::ProductShape;
use cornerturn_registry::product_problem::{Factor, Judge, ProductData, Sum};
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::buffer::RawBuffer;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::raw;

/// The largest bias of a product of whole numbers.
const MOST_BIAS: usize = 4096;

/// The matrices of a product.
pub(super) struct Products {
    work: ProductWork,
    size: Size,
    shape: ProductShape,
    judge: Judge,
    /// What must be left as it is, and what it holds.
    inputs: Vec<(RawBuffer, Vec<u8>)>,
    bias: Vec<f32>,
    c: RawBuffer,
}

impl Products {
    pub(super) fn new(
        work: ProductWork,
        size: Size,
        (shape, data): (ProductShape, ProductData),
        device: &Device,
        seed: Seed,
    ) -> Result<Self> {
        let problem = work.problem(shape);
        problem.check()?;
        let mut numbers = seed.numbers(&format!("factors of {size}"));
        let judge = Judge::drawn(&problem, data, numbers.next())?;
        let buffer = |name: &str, element: ElementType, bytes: Vec<u8>| -> Result<_> {
            let buffer = device.raw_buffer(name, element, bytes.len() / element.bytes())?;
            Ok((buffer, bytes))
        };
        let factor =
            |name, factor| buffer(name, problem.input.storage(), judge.inputs().bytes(factor));
        let mut inputs = vec![factor("a", Factor::A)?, factor("b", Factor::B)?];
        let mut bias = Vec::new();
        if work.has_bias() {
            bias = (0..shape.n)
                .map(|_| drawn_bias(data, &mut numbers))
                .collect();
            let bytes = bytemuck::cast_slice(&bias).to_vec();
            inputs.push(buffer("bias", ElementType::F32, bytes)?);
        }
        let c = device.raw_buffer("c", problem.output.storage(), shape.m * shape.n)?;
        Ok(Self {
            work,
            size,
            shape,
            judge,
            inputs,
            bias,
            c,
        })
    }

    /// What is wrong with C.
    fn wrong(&self) -> Result<Option<String>> {
        let found = raw::contents(&self.c)?;
        let n = self.shape.n;
        let stored = |index: usize, sum: Sum| {
            let bias = self.bias.get(index % n).copied().unwrap_or(0.0);
            self.work.stored(sum, bias.into())
        };
        let judged = match self.work.has_bias() {
            true => self.judge.compare_after(&found, &stored),
            false => self.judge.compare(&found),
        };
        Ok(judged.err().map(|mismatch| mismatch.to_string()))
    }
}

/// Of either sign: whole where the factors are.
fn drawn_bias(data: ProductData, numbers: &mut Numbers) -> f32 {
    let size = numbers.within(1, MOST_BIAS) as f32;
    let sign = match numbers.next().is_multiple_of(2) {
        true => 1.0,
        false => -1.0,
    };
    match data {
        ProductData::Exact => sign * size,
        ProductData::Random => sign * size / MOST_BIAS as f32,
    }
}

impl Given for Products {
    fn prepare(&self) -> Result<()> {
        for (buffer, bytes) in &self.inputs {
            buffer.write_at(0, bytes)?;
        }
        self.c.poison()
    }

    fn arguments(&self) -> Vec<Argument> {
        let ProductShape { m, n, k } = self.shape;
        let inputs = self.inputs.iter().map(|(buffer, _)| buffer.into());
        let sides = [m, n, k];
        inputs
            .chain([(&self.c).into()])
            .chain(sides.iter().map(Argument::from))
            .collect()
    }

    fn compare(&self) -> Result<Option<WrongResult>> {
        let wrong = |claim: &str, reason: String| {
            Ok(Some(WrongResult {
                claim: format!("{claim} on {}", self.size),
                reason,
                map: String::new(),
            }))
        };
        if let Some(reason) = self.wrong()? {
            return wrong("the result is right", reason);
        }
        for (buffer, bytes) in &self.inputs {
            if raw::contents(buffer)? != *bytes {
                let name = buffer.name();
                return wrong(
                    "the input is left as it was",
                    format!("the kernel wrote to `{name}`, which is only to be read"),
                );
            }
        }
        Ok(None)
    }

    fn wanted(&self) -> Wanted {
        let read = self.inputs.iter().map(|(_, bytes)| bytes.len() as u64);
        Wanted {
            load_bytes: read.sum(),
            store_bytes: self.c.bytes() as u64,
        }
    }

    fn buffers(&self) -> Vec<&RawBuffer> {
        let inputs = self.inputs.iter().map(|(buffer, _)| buffer);
        inputs.chain([&self.c]).collect()
    }
}
