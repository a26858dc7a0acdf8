//! The GPU's clocks and throttle reasons. Who reads them is `device/cuda/nvml`.

use serde::{Deserialize, Serialize};

/// The clocks of a GPU at one moment; `None` where NVML is not there or does not tell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// Clock of the multiprocessors in MHz.
    pub sm_mhz: Option<u32>,
    /// Clock of the memory in MHz.
    pub memory_mhz: Option<u32>,
    /// Why the clocks are below their maximum, in NVML's words; empty where nothing holds them back.
    pub throttle_reasons: Vec<String>,
}
