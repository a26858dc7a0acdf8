//! cuBLAS, NVIDIA's own product of matrices, as one more that a product can verify and time. Loading and calling the library is in `device::cuda`.

use super::matrices::Matrices;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::number::NumberType;
use cornerturn_base::product_shape::Layout;
use cornerturn_base::timing::{Timing, TimingOptions};
use cornerturn_registry::product_problem::ProductProblem;
use cornerturn_runtime::device::{Backend, Cublas, Device, GemmCall};

/// cuBLAS on one device, for products.
pub struct CublasGemm {
    device: Device,
    cublas: Cublas,
}

impl CublasGemm {
    /// Loads cuBLAS, from where [`Geam`](crate::Geam) does.
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

    /// Whether `gemmEx` has such numbers: float32, which it multiplies as float32 and not as tf32; tf32, bf16 and f16, added up in
    /// float32, f16 in f16 too; s8. Of 8-bit floats cuBLASLt has e4m3 where A lies as it is and B transposed; the sums stay as
    /// the tensor cores make them ("fast accumulation").
    pub fn takes(problem: &ProductProblem) -> bool {
        compute(problem).is_some()
    }

    fn call(&self, problem: &ProductProblem, matrices: &Matrices) -> Result<GemmCall> {
        let cannot = || Error::Usage(format!("cuBLAS cannot do this {problem}"));
        let (compute, one) = compute(problem).ok_or_else(cannot)?;
        for buffer in [matrices.a(), matrices.b(), matrices.c()] {
            buffer.check_alive()?;
            if !buffer.device().is_same(&self.device) {
                return Err(Error::Usage(
                    "cuBLAS was opened on another device than the product's; open it on the same"
                        .to_string(),
                ));
            }
        }
        let side = |n: usize| i32::try_from(n).map_err(|_| cannot());
        Ok(GemmCall {
            m: side(problem.shape.m)?,
            n: side(problem.shape.n)?,
            k: side(problem.shape.k)?,
            is_a_transposed: problem.layout.is_a_transposed(),
            is_b_transposed: problem.layout.is_b_transposed(),
            input: data_type(problem.input).ok_or_else(cannot)?,
            output: data_type(problem.output).ok_or_else(cannot)?,
            compute,
            is_light: problem.input == NumberType::E4m3,
            one,
            a: matrices.a().address(),
            b: matrices.b().address(),
            c: matrices.c().address(),
        })
    }

    /// Runs it once and waits for it.
    pub(super) fn run(&self, problem: &ProductProblem, matrices: &Matrices) -> Result<()> {
        let call = self.call(problem, matrices)?;
        match self.device.backend() {
            Backend::Emulated(_) => Err(Error::NoClock),
            Backend::Cuda(cuda) => cuda.gemm(&self.cublas, &call),
        }
    }

    /// Times it as a kernel is timed.
    pub(super) fn time(
        &self,
        problem: &ProductProblem,
        matrices: &Matrices,
        options: &TimingOptions,
    ) -> Result<Timing> {
        options.mode.check_sets(1)?;
        let call = self.call(problem, matrices)?;
        match self.device.backend() {
            Backend::Emulated(_) => Err(Error::NoClock),
            Backend::Cuda(cuda) => cuda.time_gemm(&self.cublas, &call, options),
        }
    }
}

impl Drop for CublasGemm {
    fn drop(&mut self) {
        if let Backend::Cuda(cuda) = self.device.backend() {
            cuda.close_cublas(&self.cublas);
        }
    }
}

/// `cudaDataType_t` (cuBLAS manual, section 2.1.2).
fn data_type(ty: NumberType) -> Option<i32> {
    Some(match ty {
        NumberType::F32 | NumberType::Tf32 => 0,
        NumberType::F16 => 2,
        NumberType::S8 => 3,
        NumberType::S32 => 10,
        NumberType::Bf16 => 14,
        NumberType::E4m3 => 28,
        NumberType::E5m2 => return None,
    })
}

/// `cublasComputeType_t`, and the bits of 1 in its type, where the library has the types (cuBLAS manual, `cublasGemmEx` and
/// `cublasLtMatmul`).
fn compute(problem: &ProductProblem) -> Option<(u32, u32)> {
    use NumberType::{Bf16, E4m3, F16, F32, S8, S32, Tf32};
    const COMPUTE_16F: u32 = 64;
    const COMPUTE_32F: u32 = 68;
    const COMPUTE_32I: u32 = 72;
    const COMPUTE_32F_FAST_TF32: u32 = 77;
    let one = 1.0_f32.to_bits();
    match (problem.input, problem.accumulate, problem.output) {
        (F32, F32, F32) => Some((COMPUTE_32F, one)),
        (Tf32, F32, F32) => Some((COMPUTE_32F_FAST_TF32, one)),
        (Bf16, F32, Bf16 | F32) | (F16, F32, F16 | F32) => Some((COMPUTE_32F, one)),
        (F16, F16, F16) => Some((COMPUTE_16F, F16.encode(1.0))),
        (S8, S32, S32) => Some((COMPUTE_32I, 1)),
        (E4m3, F32, F32 | F16 | Bf16) if problem.layout == Layout::Nt => Some((COMPUTE_32F, one)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_the_numbers_of_the_manuals_table() {
        let of = |input| ProductProblem::new(8, 8, 8).input(input);
        for input in [
            NumberType::F32,
            NumberType::Tf32,
            NumberType::Bf16,
            NumberType::F16,
            NumberType::S8,
        ] {
            assert!(CublasGemm::takes(&of(input)), "{input}");
        }
        assert!(CublasGemm::takes(
            &of(NumberType::F16).output(NumberType::F16)
        ));
        let bytes = of(NumberType::E4m3);
        assert!(!CublasGemm::takes(&bytes) && CublasGemm::takes(&bytes.layout(Layout::Nt)));
        assert!(!CublasGemm::takes(&of(NumberType::E5m2).layout(Layout::Nt)));
        assert!(!CublasGemm::takes(
            &of(NumberType::F32).output(NumberType::F16)
        ));
    }
}
