//! Occupancy: how many blocks of a kernel a multiprocessor runs at a time, calculated from what a thread and a block take and what the multiprocessor has. What the driver answers to the same question is asked in `device`.

use crate::error::{Error, Result};
use crate::html::{self, counted};
use serde::{Deserialize, Serialize};
use std::fmt;

const WARP: u32 = 32;
const MOST_THREADS_OF_A_BLOCK: u32 = 1024;
/// Parts of a multiprocessor with a scheduler and a quarter of the registers each, on all of [`LIMITS`].
const PARTS: u32 = 4;
/// Registers are given to a warp in units of so many.
const REGISTER_UNIT: u32 = 256;

/// What a kernel takes of a multiprocessor, and how many of its blocks fit, as the driver says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resources {
    /// Registers of a thread.
    pub registers_per_thread: u32,
    /// Bytes of a thread's local memory: its arrays that are no registers, and what does not fit into registers.
    pub local_bytes_per_thread: u32,
    /// Bytes of a block's shared memory that the kernel declares.
    pub static_shared_bytes: u32,
    /// Bytes of a block's shared memory that the launch adds.
    pub dynamic_shared_bytes: u32,
    /// Blocks that a multiprocessor runs at a time.
    pub blocks_per_multiprocessor: u32,
}

/// What a multiprocessor holds, as the driver says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capacity {
    /// The most resident warps.
    pub warps: u32,
    /// The most resident blocks.
    pub blocks: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Bytes of shared memory.
    pub shared_bytes: u32,
}

/// The block size that the driver proposes for a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedBlock {
    /// Threads of a block.
    pub threads: u32,
    /// So many blocks fill the device.
    pub blocks: u32,
}

/// What a multiprocessor has, by compute capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Such as `9.0`.
    pub compute_capability: &'static str,
    /// The most resident warps.
    pub warps: u32,
    /// The most resident blocks.
    pub blocks: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Bytes of shared memory.
    pub shared_bytes: u32,
    /// Bytes of shared memory that the system keeps for itself in each block.
    pub reserved_shared_bytes: u32,
    /// Shared memory is given to a block in units of so many bytes.
    pub shared_unit_bytes: u32,
}

/// CUDA C++ Programming Guide 13.0, table "Technical Specifications per Compute Capability"; that 1 KiB of each block's
/// shared memory is the system's from 8.0 on: the sections on shared memory of capabilities 8.x to 12.0. The units are
/// those of NVIDIA's occupancy calculator.
const LIMITS: [Limits; 6] = [
    limits("7.5", 32, 16, 64, 0),
    limits("8.0", 64, 32, 164, 1024),
    limits("8.6", 48, 16, 100, 1024),
    limits("8.9", 48, 24, 100, 1024),
    limits("9.0", 64, 32, 228, 1024),
    limits("12.0", 48, 24, 100, 1024),
];

const fn limits(
    compute_capability: &'static str,
    warps: u32,
    blocks: u32,
    shared_kib: u32,
    reserved_shared_bytes: u32,
) -> Limits {
    Limits {
        compute_capability,
        warps,
        blocks,
        registers: 65_536,
        shared_bytes: shared_kib * 1024,
        reserved_shared_bytes,
        shared_unit_bytes: if reserved_shared_bytes == 0 { 256 } else { 128 },
    }
}

impl Limits {
    /// The limits of a compute capability: `7.5` (T4, RTX 20), `8.0` (A100), `8.6` (RTX 30, A10), `8.9` (RTX 40, L4),
    /// `9.0` (H100, H200) or `12.0` (RTX 50).
    ///
    /// # Errors
    /// [`Error::Usage`] for one that is not in the table.
    pub fn of(compute_capability: &str) -> Result<Self> {
        let fits = |limits: &&Self| limits.compute_capability == compute_capability;
        LIMITS.iter().find(fits).copied().ok_or_else(|| {
            let known = LIMITS.map(|limits| limits.compute_capability).join(", ");
            Error::Usage(format!(
                "the limits of compute capability {compute_capability} are not in the table; there are: {known}"
            ))
        })
    }
}

/// What limits how many blocks run at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The warps that a multiprocessor holds.
    Warps,
    /// The blocks that it holds.
    Blocks,
    /// Its registers.
    Registers,
    /// Its shared memory.
    Shared,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warps => "warps",
            Self::Blocks => "blocks",
            Self::Registers => "registers",
            Self::Shared => "shared memory",
        })
    }
}

/// How many blocks of a kernel a multiprocessor runs at a time.
///
/// ```
/// use cornerturn::prelude::*;
///
/// // Blocks of 256 threads, 64 registers a thread, 48 KiB of shared memory a block.
/// let occupancy = Occupancy::of(&Limits::of("9.0")?, 256, 64, 48 * 1024);
/// assert_eq!((occupancy.blocks(), occupancy.warps()), (4, 32));
/// assert_eq!(occupancy.percent(), 50.0);
/// assert!(Limits::of("1.0").is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Warps of one block.
    pub warps_per_block: u32,
    /// How many blocks its warps would allow.
    pub by_warps: u32,
    /// How many blocks it holds, whatever they take.
    pub by_blocks: u32,
    /// How many blocks its registers would allow.
    pub by_registers: u32,
    /// How many blocks its shared memory would allow.
    pub by_shared: u32,
    /// The most warps that it holds.
    pub most_warps: u32,
}

impl Occupancy {
    /// For blocks of so many threads, each thread with so many registers, each block with so many bytes of shared memory,
    /// declared and added by the launch. A block that does not fit at all gives 0.
    pub fn of(limits: &Limits, threads: u32, registers_per_thread: u32, shared_bytes: u32) -> Self {
        let warps = threads.div_ceil(WARP).max(1);
        let fits = threads <= MOST_THREADS_OF_A_BLOCK;
        Self {
            warps_per_block: warps,
            by_warps: if fits { limits.warps / warps } else { 0 },
            by_blocks: limits.blocks,
            by_registers: by_registers(limits, warps, registers_per_thread),
            by_shared: by_shared(limits, shared_bytes),
            most_warps: limits.warps,
        }
    }

    /// Blocks that run at a time.
    pub fn blocks(&self) -> u32 {
        self.bounds()
            .iter()
            .map(|(blocks, _)| *blocks)
            .min()
            .unwrap_or(0)
    }

    /// Warps that run at a time.
    pub fn warps(&self) -> u32 {
        self.blocks() * self.warps_per_block
    }

    /// Warps that run at a time, in percent of the most that there can be.
    pub fn percent(&self) -> f64 {
        100.0 * f64::from(self.warps()) / f64::from(self.most_warps)
    }

    /// What allows no further block: all that run out at the same number.
    pub fn limited_by(&self) -> Vec<Limit> {
        let blocks = self.blocks();
        let tight = |(bound, limit): &(u32, Limit)| (*bound == blocks).then_some(*limit);
        self.bounds().iter().filter_map(tight).collect()
    }

    fn bounds(&self) -> [(u32, Limit); 4] {
        [
            (self.by_warps, Limit::Warps),
            (self.by_blocks, Limit::Blocks),
            (self.by_registers, Limit::Registers),
            (self.by_shared, Limit::Shared),
        ]
    }

    /// Shows it as one line in a notebook or page.
    pub fn evcxr_display(&self) {
        html::show(&html::paragraph("ct-occupancy", &self.to_string()));
    }
}

/// A warp's registers come from the part of the multiprocessor that it runs on, in whole units.
fn by_registers(limits: &Limits, warps_per_block: u32, registers_per_thread: u32) -> u32 {
    let per_warp = registers_per_thread
        .saturating_mul(WARP)
        .checked_next_multiple_of(REGISTER_UNIT)
        .unwrap_or(u32::MAX);
    if per_warp == 0 {
        return limits.blocks;
    }
    let warps = limits.registers / PARTS / per_warp * PARTS;
    warps / warps_per_block
}

fn by_shared(limits: &Limits, shared_bytes: u32) -> u32 {
    let per_block = shared_bytes
        .saturating_add(limits.reserved_shared_bytes)
        .checked_next_multiple_of(limits.shared_unit_bytes)
        .unwrap_or(u32::MAX);
    if per_block == 0 {
        return limits.blocks;
    }
    limits.shared_bytes / per_block
}

impl fmt::Display for Occupancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits: Vec<String> = self.limited_by().iter().map(Limit::to_string).collect();
        write!(
            f,
            "{} of {} at a time: {} of {} warps ({:.0} %), limited by {}",
            counted(self.blocks().into(), "block", "blocks"),
            counted(self.warps_per_block.into(), "warp", "warps"),
            self.warps(),
            self.most_warps,
            self.percent(),
            limits.join(" and ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(compute_capability: &str, threads: u32, registers: u32, shared: u32) -> Occupancy {
        Occupancy::of(
            &Limits::of(compute_capability).unwrap(),
            threads,
            registers,
            shared,
        )
    }

    #[test]
    fn blocks_of_1024_threads_do_not_fill_a_multiprocessor_of_1536() {
        let wide = on("12.0", 1024, 16, 0);
        assert_eq!((wide.blocks(), wide.warps()), (1, 32));
        assert_eq!(wide.limited_by(), [Limit::Warps]);
        let narrow = on("12.0", 256, 16, 0);
        assert_eq!((narrow.blocks(), narrow.warps()), (6, 48));
        assert_eq!(on("9.0", 1024, 16, 0).warps(), 64);
    }

    #[test]
    fn each_resource_can_be_the_limit() {
        // 64 threads: 32 blocks of two warps fill the warps and the blocks of an H200 alike.
        let small = on("9.0", 64, 16, 0);
        assert_eq!(small.limited_by(), [Limit::Warps, Limit::Blocks]);
        assert_eq!(on("8.6", 64, 16, 0).limited_by(), [Limit::Blocks]);
        // 128 registers: 4096 a warp, four warps in each quarter.
        let fat = on("9.0", 256, 128, 0);
        assert_eq!(
            (fat.blocks(), fat.limited_by()),
            (2, vec![Limit::Registers])
        );
        // 33 registers take as many as 40: 1280 a warp, 12 warps in each quarter.
        assert_eq!(on("9.0", 256, 33, 0), on("9.0", 256, 40, 0));
        assert_eq!(on("9.0", 32, 33, 0).by_registers, 48);
        // 32 KiB and the system's 1 KiB: six of 228.
        let shared = on("9.0", 256, 32, 32 * 1024);
        assert_eq!(
            (shared.blocks(), shared.limited_by()),
            (6, vec![Limit::Shared])
        );
        // On a T4 the system keeps nothing.
        assert_eq!(on("7.5", 256, 32, 32 * 1024).by_shared, 2);
        let text = shared.to_string();
        assert!(
            text.contains("48 of 64 warps (75 %), limited by shared memory"),
            "{text}"
        );
    }

    #[test]
    fn what_does_not_fit_at_all_is_zero_and_nothing_overflows() {
        assert_eq!(on("9.0", 1025, 16, 0).blocks(), 0);
        assert_eq!(on("9.0", 1024, 65, 0).blocks(), 0);
        assert_eq!(on("9.0", 32, 16, 228 * 1024).blocks(), 0);
        assert_eq!(on("9.0", u32::MAX, u32::MAX, u32::MAX).blocks(), 0);
        assert_eq!(on("9.0", 0, 0, 0).blocks(), 32);
        let error = Limits::of("6.1").unwrap_err();
        assert!(error.to_string().contains("9.0"), "{error}");
    }
}
