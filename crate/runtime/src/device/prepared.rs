//! A launch as a backend takes it, checked and laid out. Checking is `launch`'s.

use cornerturn_base::caches::CacheSettings;
use cornerturn_base::shape::Dim3;
use cornerturn_emulator::Cluster;

/// A launch that fits the kernel and the device.
pub struct Prepared {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) dynamic_shared_bytes: u32,
    pub(crate) cluster: Option<Cluster>,
    /// All blocks run together.
    pub(crate) is_cooperative: bool,
    /// It may begin before the kernel before it in its stream has ended.
    pub(crate) is_programmatic: bool,
    /// The bytes of each parameter.
    pub(crate) parameters: Vec<Vec<u8>>,
    pub(crate) caches: CacheSettings,
    /// Where the window over L2 begins and its bytes, where it has one.
    pub(crate) window: (u64, u64),
}
