//! Products of 8-bit floats by cuBLASLt, the part of cuBLAS that has them. Other products are in `gemm`.

use super::cublas::{AS_IT_IS, Cublas, Handle, TRANSPOSED, light_symbol, status};
use super::driver::Failure;
use super::timer::Scratch;
use super::{CudaDevice, State};
use crate::device::GemmCall;
use cornerturn_base::error::{Error, Result};
use cudarc::driver::sys::CUstream;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr::null_mut;

/// A description of a product, of a matrix or of what is preferred.
type Description = *mut c_void;
type CreateProduct = unsafe extern "C" fn(*mut Description, c_uint, c_int) -> c_uint;
type CreateMatrix = unsafe extern "C" fn(*mut Description, c_int, u64, u64, i64) -> c_uint;
type CreatePreference = unsafe extern "C" fn(*mut Description) -> c_uint;
type Set = unsafe extern "C" fn(Description, c_int, *const c_void, usize) -> c_uint;
type Destroy = unsafe extern "C" fn(Description) -> c_uint;
/// Handle, product, A, B, C, D, preference, how many are asked for, where they go, how many came.
type Choose = unsafe extern "C" fn(
    Handle,
    Description,
    Description,
    Description,
    Description,
    Description,
    Description,
    c_int,
    *mut Choice,
    *mut c_int,
) -> c_uint;
/// Handle, product, alpha, A, B, beta, C and D each with what describes it, algorithm, workspace, its bytes, stream.
type Multiply = unsafe extern "C" fn(
    Handle,
    Description,
    *const c_void,
    *const c_void,
    Description,
    *const c_void,
    Description,
    *const c_void,
    *const c_void,
    Description,
    *mut c_void,
    Description,
    *const [u64; 8],
    *mut c_void,
    usize,
    CUstream,
) -> c_uint;

/// `cublasLtMatmulHeuristicResult_t`.
#[repr(C)]
#[derive(Default)]
struct Choice {
    algorithm: [u64; 8],
    workspace_bytes: usize,
    state: c_uint,
    waves: f32,
    reserved: [c_int; 4],
}

/// `CUBLASLT_MATMUL_DESC_TRANSA`, `…_TRANSB` and `…_FAST_ACCUM` (cuBLAS manual, `cublasLtMatmulDescAttributes_t`).
const FIRST_OPERATION: c_int = 3;
const SECOND_OPERATION: c_int = 4;
const FAST_SUMS: c_int = 25;
/// `CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES`.
const MOST_WORKSPACE: c_int = 1;
/// `CUDA_R_32F`, the type of alpha and beta.
const FLOAT: c_int = 0;

/// What NVIDIA recommends for Hopper.
const WORKSPACE_BYTES: usize = 32 << 20;

/// One thing that the library described, destroyed with it.
struct Described {
    description: Description,
    destroy: Destroy,
}

impl Drop for Described {
    fn drop(&mut self) {
        // SAFETY: made by this library and destroyed once; it belongs to no context.
        unsafe { (self.destroy)(self.description) };
    }
}

/// A product that the library has an algorithm for.
pub(super) struct Light<'c> {
    handle: Handle,
    call: GemmCall,
    multiply: Multiply,
    product: Described,
    a: Described,
    b: Described,
    c: Described,
    choice: Choice,
    workspace: Scratch<'c>,
}

impl CudaDevice {
    /// Prepares a product of 8-bit floats: A as it is, B transposed, which is the one layout that the library has.
    pub(super) fn light(&self, cublas: &Cublas, call: &GemmCall) -> Result<Light<'_>> {
        let workspace = Scratch::allocate(self, WORKSPACE_BYTES)?;
        let mut state = self.enter()?;
        self.check_cublas(cublas)?;
        let multiply = light_symbol::<Multiply>(c"cublasLtMatmul")?;
        let create = light_symbol::<CreateProduct>(c"cublasLtMatmulDescCreate")?;
        // SAFETY: the signature is the cuBLAS manual's and the place is writable; so for the three below.
        let product = described(c"cublasLtMatmulDescDestroy", |place| unsafe {
            create(place, call.compute, FLOAT)
        })?;
        let set = light_symbol::<Set>(c"cublasLtMatmulDescSetAttribute")?;
        // Without promotion of the sums on the way, as the tensor cores add by themselves.
        let attributes = [
            (FIRST_OPERATION, TRANSPOSED, 4),
            (SECOND_OPERATION, AS_IT_IS, 4),
            (FAST_SUMS, 1, 1),
        ];
        for (attribute, value, bytes) in attributes {
            // SAFETY: the value has so many bytes at least, the first of which are its low ones.
            let code = unsafe {
                set(
                    product.description,
                    attribute,
                    (&raw const value).cast(),
                    bytes,
                )
            };
            self.settle(&mut state, status("cublasLtMatmulDescSetAttribute", code))?;
        }
        let create = light_symbol::<CreateMatrix>(c"cublasLtMatrixLayoutCreate")?;
        let matrix = |ty: c_int, rows: i32, columns: i32| {
            described(c"cublasLtMatrixLayoutDestroy", |place| unsafe {
                // SAFETY: as above. Sides are positive.
                create(place, ty, rows as u64, columns as u64, i64::from(rows))
            })
        };
        // By columns, as cuBLAS counts: B's buffer is k × n, A's k × m, C's n × m.
        let a = matrix(call.input, call.k, call.n)?;
        let b = matrix(call.input, call.k, call.m)?;
        let c = matrix(call.output, call.n, call.m)?;
        let choice = self.choose(&mut state, cublas, [&product, &a, &b, &c])?;
        drop(state);
        Ok(Light {
            handle: cublas.handle,
            call: *call,
            multiply,
            product,
            a,
            b,
            c,
            choice,
            workspace,
        })
    }

    /// The algorithm that the library thinks best.
    fn choose(
        &self,
        state: &mut State,
        cublas: &Cublas,
        [product, a, b, c]: [&Described; 4],
    ) -> Result<Choice> {
        let create = light_symbol::<CreatePreference>(c"cublasLtMatmulPreferenceCreate")?;
        // SAFETY: as in `light`.
        let preference = described(c"cublasLtMatmulPreferenceDestroy", |place| unsafe {
            create(place)
        })?;
        let set = light_symbol::<Set>(c"cublasLtMatmulPreferenceSetAttribute")?;
        let most = WORKSPACE_BYTES;
        // SAFETY: the value has the bytes that are told.
        let code = unsafe {
            set(
                preference.description,
                MOST_WORKSPACE,
                (&raw const most).cast(),
                size_of::<usize>(),
            )
        };
        self.settle(state, status("cublasLtMatmulPreferenceSetAttribute", code))?;
        let choose = light_symbol::<Choose>(c"cublasLtMatmulAlgoGetHeuristic")?;
        let (mut choice, mut found) = (Choice::default(), 0);
        // SAFETY: the manual allows a handle of cuBLAS in the place of one of cuBLASLt. All descriptions are alive, one choice
        // is asked for and there is room for one, laid out as the manual's struct.
        let code = unsafe {
            choose(
                cublas.handle,
                product.description,
                a.description,
                b.description,
                c.description,
                c.description,
                preference.description,
                1,
                &mut choice,
                &mut found,
            )
        };
        self.settle(state, status("cublasLtMatmulAlgoGetHeuristic", code))?;
        if found < 1 || choice.state != 0 {
            return Err(Error::Usage(
                "cuBLASLt has no algorithm for this product of 8-bit floats; its sides must be multiples of 16".to_string(),
            ));
        }
        Ok(choice)
    }
}

impl Light<'_> {
    /// Queues the product on the device's stream.
    pub(super) fn submit(&self, state: &State) -> Result<(), Failure> {
        let (one, zero) = (1.0_f32, 0.0_f32);
        // Addresses of the device, which nothing here follows.
        let address = |at: u64| std::ptr::without_provenance_mut::<c_void>(at as usize);
        let c = address(self.call.c);
        // SAFETY: the signature is the cuBLAS manual's. The caller checked that the three buffers are alive, hold matrices of these
        // shapes and types and belong to this device; the device's lock is held and the handle's context current, all
        // descriptions and the workspace are alive. alpha and beta are read before the call returns, as the pointer mode is
        // the host's.
        let code = unsafe {
            (self.multiply)(
                self.handle,
                self.product.description,
                (&raw const one).cast(),
                address(self.call.b),
                self.a.description,
                address(self.call.a),
                self.b.description,
                (&raw const zero).cast(),
                c,
                self.c.description,
                c,
                self.c.description,
                &raw const self.choice.algorithm,
                address(self.workspace.address()),
                WORKSPACE_BYTES,
                state.stream,
            )
        };
        status("cublasLtMatmul", code)
    }
}

/// What a call describes.
fn described(destroy: &CStr, create: impl FnOnce(*mut Description) -> c_uint) -> Result<Described> {
    let destroy = light_symbol::<Destroy>(destroy)?;
    let mut description = null_mut();
    match create(&mut description) {
        0 => Ok(Described {
            description,
            destroy,
        }),
        code => Err(Error::Driver {
            call: "cublasLt",
            code: format!("cuBLAS status {code}"),
            reason: "it describes no such product".to_string(),
        }),
    }
}
