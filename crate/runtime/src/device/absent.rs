//! What stands in for `cuda` where the library is built without the driver: types that have no value, so that nothing of a GPU can be called, and no code comes of it.

use super::{Captured, GeamCall, GemmCall, Prepared, Queued, SequenceSpan, Sequenced};
use crate::kernel::Kernel;
use cornerturn_base::caches::CacheLimits;
use cornerturn_base::error::{Error, NoCuda, Result};
use cornerturn_base::facts::DeviceFacts;
use cornerturn_base::occupancy::{Capacity, ProposedBlock, Resources};
use cornerturn_base::place::{Advice, Direction, Place, Side};
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::{Timing, TimingOptions};
use cornerturn_emulator::{TENSOR_MAP_BYTES, TensorLayout, TextureLayout};
use std::ops::Deref;

/// What lies at an address, and the life of the context that it lies in.
type Lying = Result<(u64, u64)>;

/// What the driver tells of a GPU, read as fields.
#[derive(Debug)]
pub struct Limits {
    pub(crate) shared_limit_bytes: u32,
    pub(crate) cache_limits: CacheLimits,
}

/// No GPU.
#[derive(Debug)]
pub enum CudaDevice {}

/// No stream.
#[derive(Debug)]
pub enum CudaStream {}

/// No event.
#[derive(Debug)]
pub enum CudaEvent {}

/// No graph.
#[derive(Debug)]
pub enum CudaGraph {}

/// No copy that was started.
#[derive(Debug)]
pub enum Started {}

impl Deref for CudaDevice {
    type Target = Limits;

    fn deref(&self) -> &Limits {
        match *self {}
    }
}

/// Methods that nobody can call.
macro_rules! never {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        impl CudaDevice {
            pub(crate) fn open() -> Result<Self> {
                Err(Error::NoCuda(NoCuda::NoDriver))
            }

            $(pub fn $name(&self, $(_: $argument),*) $(-> $result)? {
                match *self {}
            })*
        }
    };
}

never! {
    advise(u64, usize, Advice) -> Result<()>;
    allocate_in(Place, &str, usize) -> Lying;
    bus_id() -> &str;
    capacity() -> Result<Capacity>;
    check_tensor_maps() -> Result<()>;
    close_cublas(&cublas::Cublas);
    elapsed_ms(&CudaEvent, &CudaEvent) -> Result<f64>;
    encode_tensor_map(&TensorLayout) -> Result<[u8; TENSOR_MAP_BYTES]>;
    facts() -> Result<DeviceFacts>;
    fill(u64, usize, u8) -> Result<()>;
    finish_copy(Started) -> Result<()>;
    free_event(&CudaEvent);
    free_graph(&CudaGraph);
    free_in(Place, u64, u64);
    free_stream(&CudaStream);
    free_texture(u64, u64);
    geam(&cublas::Cublas, &GeamCall) -> Result<()>;
    gemm(&cublas::Cublas, &GemmCall) -> Result<()>;
    launch(&Kernel, &Prepared) -> Result<()>;
    launch_graph(&CudaGraph, Option<&CudaStream>) -> Result<()>;
    launches_cooperatively() -> Result<bool>;
    life() -> u64;
    make_event() -> Result<CudaEvent>;
    make_graph(Option<&CudaStream>, &[Captured]) -> Result<CudaGraph>;
    make_stream(bool) -> Result<CudaStream>;
    make_texture(&TextureLayout) -> Lying;
    pin(&mut [u8]) -> Result<u64>;
    prefetch(u64, usize, Side) -> Result<()>;
    proposed_block(&Kernel) -> Result<ProposedBlock>;
    queue(Option<&CudaStream>, &Queued) -> Result<()>;
    read(u64, &mut [u8]) -> Result<()>;
    record_event(&CudaEvent, Option<&CudaStream>) -> Result<()>;
    resources(&Kernel, Dim3) -> Result<Resources>;
    settle_writes() -> Result<()>;
    start_copy(Direction, u64, &mut [u8]) -> Result<Started>;
    synchronize() -> Result<()>;
    synchronize_event(&CudaEvent) -> Result<()>;
    synchronize_stream(Option<&CudaStream>) -> Result<()>;
    time(&Kernel, &[Prepared], &TimingOptions) -> Result<Timing>;
    time_copy(u64, &TimingOptions) -> Result<Timing>;
    time_geam(&cublas::Cublas, &GeamCall, &TimingOptions) -> Result<Timing>;
    time_gemm(&cublas::Cublas, &GemmCall, &TimingOptions) -> Result<Timing>;
    time_pinned_copy(Direction, u64, &mut [u8], &TimingOptions) -> Result<Timing>;
    time_sequence(&Sequenced, &SequenceSpan, usize, usize) -> Result<Vec<f64>>;
    touch_read(Place, u64, u64, &mut [u8]) -> Result<()>;
    touch_write(Place, u64, u64, &[u8]) -> Result<()>;
    unpin(&mut [u8], u64);
    wait_event(Option<&CudaStream>, &CudaEvent) -> Result<()>;
}

pub(crate) mod cublas {
    //! No cuBLAS.

    use super::CudaDevice;
    use cornerturn_base::error::Result;

    /// No handle.
    pub enum Cublas {}

    impl Cublas {
        /// As that of the GPU, without a value.
        pub fn open(cuda: &CudaDevice) -> Result<Self> {
            match *cuda {}
        }

        /// As that of the GPU.
        pub fn version(&self) -> &str {
            match *self {}
        }
    }
}
