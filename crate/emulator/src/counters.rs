//! Counters under ncu's names, and the rules by which a warp's addresses become requests, sectors and wavefronts.

use std::ops::{Add, AddAssign};

/// Bytes of a sector, the unit in which global memory is fetched.
pub const SECTOR_BYTES: u64 = 32;
/// Banks of shared memory.
pub const BANKS: u32 = 32;
/// Bytes of a bank's word.
pub const BANK_BYTES: u64 = 4;

macro_rules! counters {
    ($($(#[$doc:meta])* $field:ident = $ncu:literal;)*) => {
        /// Sums over one launch. Atomics (`atom`, `red`) are in none of the load and store counters.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[$doc])* #[doc = concat!("\n\nncu: `", $ncu, "`")] pub $field: u64,)*
        }

        impl Counters {
            /// Every counter under its ncu name, zeros too, always in this order.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$(($ncu, self.$field)),*].into_iter()
            }
        }

        impl AddAssign for Counters {
            fn add_assign(&mut self, other: Self) {
                $(self.$field = self.$field.wrapping_add(other.$field);)*
            }
        }
    };
}

counters! {
    /// Warp-level global loads with at least one active thread.
    global_load_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
    /// Sectors that global loads touched.
    global_load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
    /// Warp-level global stores with at least one active thread.
    global_store_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
    /// Sectors that global stores touched.
    global_store_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
    /// Global load instructions executed, per warp.
    global_load_instructions = "smsp__inst_executed_op_global_ld.sum";
    /// Global store instructions executed, per warp.
    global_store_instructions = "smsp__inst_executed_op_global_st.sum";
    /// Passes through the banks for shared loads.
    shared_load_wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
    /// Shared load wavefronts beyond the fewest possible.
    shared_load_bank_conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
    /// Shared load instructions executed, per warp.
    shared_load_instructions = "smsp__inst_executed_op_shared_ld.sum";
    /// Passes through the banks for shared stores.
    shared_store_wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
    /// Shared store wavefronts beyond the fewest possible.
    shared_store_bank_conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
    /// Shared store instructions executed, per warp.
    shared_store_instructions = "smsp__inst_executed_op_shared_st.sum";
    /// Warp-level local loads with at least one active thread.
    local_load_requests = "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum";
    /// Sectors that local loads touched.
    local_load_sectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
    /// Warp-level local stores with at least one active thread.
    local_store_requests = "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum";
    /// Sectors that local stores touched.
    local_store_sectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";
    /// PTX instructions issued, per warp. ncu counts machine code instead, so this name is our own.
    ptx_warp_instructions = "ptx__warp_instructions.sum";
    /// PTX instructions issued, per active thread, whether or not a predicate lets it act.
    ptx_thread_instructions = "ptx__thread_instructions.sum";
}

impl Counters {
    /// The counter with this ncu name.
    pub fn get(&self, ncu_name: &str) -> Option<u64> {
        self.iter()
            .find(|(name, _)| *name == ncu_name)
            .map(|(_, value)| value)
    }
}

impl Add for Counters {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

/// 32-byte sectors that one warp-level access to global memory touches.
///
/// `addresses` holds each lane's address, `None` for an inactive lane; `access_bytes` is the width of
/// one lane's access (a `v4.f32` has 16). Sectors are distinct over the whole request, so a coalesced
/// access of 32 lanes has 4, 8 or 16 sectors at 4, 8 or 16 bytes a lane.
pub fn sectors(addresses: &[Option<u64>; 32], access_bytes: u32) -> u32 {
    let mut touched = [0u64; 64];
    let mut count = 0;
    let last = u64::from(access_bytes.clamp(1, 32)) - 1;
    for address in addresses.iter().flatten() {
        touched[count] = address / SECTOR_BYTES;
        touched[count + 1] = address.wrapping_add(last) / SECTOR_BYTES;
        count += 2;
    }
    let touched = &mut touched[..count];
    touched.sort_unstable();
    let repeats = touched.windows(2).filter(|pair| pair[0] == pair[1]).count();
    (count - repeats) as u32
}

/// The bank that holds a shared-memory address.
pub fn bank_of(address: u64) -> u32 {
    ((address / BANK_BYTES) % u64::from(BANKS)) as u32
}

/// Lanes that pass through the banks together: all 32 for up to 4 bytes a lane, 16 for 8, 8 for 16.
pub fn lanes_per_phase(access_bytes: u32) -> usize {
    match access_bytes {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    }
}

/// Wavefronts (passes through the 32 banks) of one warp-level access to shared memory.
///
/// Each phase takes as many passes as the busiest bank has distinct words; lanes that read the same
/// word share one. A phase without an active lane takes none.
pub fn shared_wavefronts(addresses: &[Option<u64>; 32], access_bytes: u32) -> u32 {
    let words = u64::from(access_bytes.max(1)).div_ceil(BANK_BYTES).min(4);
    addresses
        .chunks(lanes_per_phase(access_bytes))
        .map(|lanes| phase_wavefronts(lanes, words))
        .sum()
}

fn phase_wavefronts(lanes: &[Option<u64>], words_per_lane: u64) -> u32 {
    let mut words = [0u64; 32];
    let mut count = 0;
    for address in lanes.iter().flatten() {
        for word in 0..words_per_lane {
            words[count] = (address / BANK_BYTES).wrapping_add(word);
            count += 1;
        }
    }
    let words = &mut words[..count];
    words.sort_unstable();
    let mut per_bank = [0u32; BANKS as usize];
    for (index, word) in words.iter().enumerate() {
        if index == 0 || words[index - 1] != *word {
            per_bank[(word % u64::from(BANKS)) as usize] += 1;
        }
    }
    per_bank.into_iter().max().unwrap_or(0)
}

/// The fewest wavefronts that an access with these active lanes can take: one for each phase that has any.
pub fn fewest_wavefronts(active: u32, access_bytes: u32) -> u32 {
    let lanes = lanes_per_phase(access_bytes);
    let phase = if lanes == 32 {
        u32::MAX
    } else {
        (1u32 << lanes) - 1
    };
    (0..32 / lanes)
        .filter(|index| active >> (index * lanes) & phase != 0)
        .count() as u32
}
