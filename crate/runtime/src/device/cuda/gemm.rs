//! Calls of cuBLAS's `gemmEx`: products of row-major matrices. Loading the library is in `cublas`, 8-bit floats are in `gemm_light`; which products it can do is decided in `product`.

use super::cublas::{AS_IT_IS, Cublas, Handle, TRANSPOSED, status, symbol};
use super::driver::Failure;
use super::{CudaDevice, State};
use crate::device::GemmCall;
use cornerturn_base::error::Result;
use cornerturn_base::timing::{Timing, TimingOptions};
use std::ffi::{c_int, c_uint, c_void};

/// Handle, the two operations, rows and columns of C and what is added up, alpha, A with its type and leading dimension, B
/// likewise, beta, C likewise, the type of calculation and the algorithm.
type GemmFunction = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    *mut c_void,
    c_int,
    c_int,
    c_uint,
    c_int,
) -> c_uint;

/// `CUBLAS_GEMM_DEFAULT`: the library chooses.
const ALGORITHM: c_int = -1;

impl CudaDevice {
    /// Runs a product once and waits for it.
    pub fn gemm(&self, cublas: &Cublas, call: &GemmCall) -> Result<()> {
        if call.is_light {
            let light = self.light(cublas, call)?;
            return self.gemm_once(cublas, |_, state| light.submit(state));
        }
        self.gemm_once(cublas, self.gemm_submitter(cublas, call)?)
    }

    /// Times single products.
    pub fn time_gemm(
        &self,
        cublas: &Cublas,
        call: &GemmCall,
        options: &TimingOptions,
    ) -> Result<Timing> {
        if call.is_light {
            let light = self.light(cublas, call)?;
            return self.gemm_timed(cublas, options, |_, state| light.submit(state));
        }
        self.gemm_timed(cublas, options, self.gemm_submitter(cublas, call)?)
    }

    fn gemm_once(
        &self,
        cublas: &Cublas,
        submit: impl Fn(&Self, &State) -> Result<(), Failure>,
    ) -> Result<()> {
        let mut state = self.enter()?;
        self.check_cublas(cublas)?;
        let result = self
            .join_default(&mut state)
            .and_then(|()| submit(self, &state))
            .and_then(|()| self.wait(&mut state));
        self.settle(&mut state, result)
    }

    fn gemm_timed(
        &self,
        cublas: &Cublas,
        options: &TimingOptions,
        submit: impl Fn(&Self, &State) -> Result<(), Failure>,
    ) -> Result<Timing> {
        let mut state = self.enter()?;
        self.check_cublas(cublas)?;
        let result = self.sample(&mut state, options, submit)?;
        self.settle(&mut state, result)
    }

    /// What queues the call on the device's stream.
    fn gemm_submitter(
        &self,
        cublas: &Cublas,
        call: &GemmCall,
    ) -> Result<impl Fn(&Self, &State) -> Result<(), Failure> + use<>> {
        let (handle, call) = (cublas.handle, *call);
        let function = symbol::<GemmFunction>(&cublas.library, c"cublasGemmEx")?;
        Ok(move |_: &Self, _: &State| {
            let operation = |transposed: bool| if transposed { TRANSPOSED } else { AS_IT_IS };
            let (one, zero) = (call.one, 0_u32);
            // Addresses of the device, which nothing here follows.
            let address = |at: u64| std::ptr::without_provenance::<c_void>(at as usize);
            // cuBLAS counts by columns: what it takes for C is the transpose of ours, and that is Bᵀ · Aᵀ. A matrix that lies row
            // after row is its transpose to cuBLAS, so that the factors go there as they lie, in the other order.
            let b_leads = if call.is_b_transposed { call.k } else { call.n };
            let a_leads = if call.is_a_transposed { call.m } else { call.k };
            // SAFETY: the signature is the cuBLAS manual's. The caller checked that the three buffers are alive, hold matrices
            // of these shapes and types and belong to this device; the device's lock is held and the handle's context current. alpha
            // and beta, of 4 bytes or 2 as the type of calculation has them, are read before the call returns, as the handle's
            // pointer mode is the host's.
            let code = unsafe {
                function(
                    handle,
                    operation(call.is_b_transposed),
                    operation(call.is_a_transposed),
                    call.n,
                    call.m,
                    call.k,
                    (&raw const one).cast(),
                    address(call.b),
                    call.input,
                    b_leads,
                    address(call.a),
                    call.input,
                    a_leads,
                    (&raw const zero).cast(),
                    address(call.c).cast_mut(),
                    call.output,
                    call.n,
                    call.compute,
                    ALGORITHM,
                )
            };
            status("cublasGemmEx", code)
        })
    }
}
