//! Counters under ncu's names, and the rules by which a warp's addresses become requests, sectors and wavefronts.
//!
//! # The rules
//!
//! Each was derived from what Nsight Compute counted on an H200 and is held to it by `tests/h200.rs`: 994 patterns of
//! plain accesses (`patterns.csv`), 815 one-warp probes of all instructions (`probes.csv`) and 90 launches of ordinary
//! kernels (`kernels.csv`), with every exception named there.
//!
//! - **Global** load or store, of any width, cache hint, ordering or address kind: one request for each warp with an
//!   active lane; sectors are the distinct 32-byte sectors of the whole warp. Constant memory, parameters and
//!   prefetches count nothing. Of a load of constants the profiler's `idc__requests.sum` counts the different
//!   addresses of a warp (24 patterns on an H200, `constants.csv`: 1 to 32 addresses, 4 to 256 bytes apart, exact); it is no counter
//!   here, since it counts the parameters that machine code reads as well, but `Demand::addresses` of its site.
//! - **Local**: a request for each 4-byte word of the access; the words of lanes are interleaved, so that a word at
//!   one offset lies in 4 sectors.
//! - **Shared** load or store: wavefronts are, phase by phase ([`lanes_per_phase`]), the words that the busiest bank
//!   has to serve; bank conflicts are those beyond one a phase.
//! - **Global atomic**: one request; each touched sector counts as often as the most lanes that name one address in
//!   it. One address for a whole warp is 32, unless the compiler has one lane do it, which the emulator tells as the
//!   compiler does (`decode/atomics.rs`); without a reader of its result it is a reduction (`red`). A generic one is
//!   never a reduction, and takes one wavefront of shared memory on its way.
//! - **Shared atomic**: wavefronts are the lanes in the busiest bank, phase by phase, twice that for `cas`. Adding the
//!   constant 1 without a reader of the result costs what a store does. Floating point and 64-bit sums are a loop of
//!   a load and a compare-and-swap in which one lane of each bank gets its turn.
//! - **Asynchronous copy** (`cp.async`): one global load request with its sectors, and once more under names of its own
//!   (`ldgsts`); what it writes is under those only. The rules are in [`copy_counts`]. Bulk copies, and what `st.async` and
//!   `red.async` send, count nothing in the profiler's names of that unit; they have names of our own (`ptx__bulk_…`).
//! - **Products of warpgroups** (`wgmma`): a wavefront for each 128 bytes of shared memory that the four warps read
//!   together, in no counter of loads. Measured in layouts without bank conflicts, of which others are not told here.
//!
//! # What the PTX cannot tell
//!
//! - Which short branches become guards: then instructions without an active lane are executed too. The names
//!   `smsp__inst_executed_op_*.sum` count those, up to 5.2 times as many as here, in 25 of 90 launches; the names with
//!   `_pred_on_any` do not, and agree but for 1 % in 3 of 90.
//! - Which neighbouring shared accesses are merged: 3 of 90 launches, with up to a third more wavefronts here (a tiled
//!   matrix product: 6912 for 5184). `cornerturn kernels --check` finds it by the machine code.
//! - Which local arrays stay in registers (1 of 90), and spills: no local traffic, or more.
//! - An atomic may count a sector twice where its lanes are spread over many lines of 128 bytes: 1 sector in 11 of 190
//!   random patterns, 1 to 2 % in 2 of 90 launches. Measured for `red` with one warp, 850 patterns: over one or two lines
//!   all 520 are as counted here, lanes that meet at an address included; over eight lines 48 of 150 random ones have a
//!   sector or two more, 3378 for 3326 in all, and always more accesses of tags than lines. Neither the lanes nor the
//!   words of such sectors tell which.
//! - How often a loop of compare-and-swaps starts over where lanes or warps share a word: a half more rounds in the one
//!   launch tried. Lanes of different words agree exactly.
//!
//! The counters of arithmetic have rules and exceptions of their own: [`arithmetic`].

pub mod arithmetic;
mod copies;

// The public rules take a warp's addresses as pictures and exercises hold them. The crate-private ones
// beside them are the same rules for the interpreter: addresses without gaps and a mask, common cases first.

use std::ops::{Add, AddAssign};

pub use arithmetic::{Arithmetic, Flops};
pub use copies::{CopyCounts, copy_counts};

/// Bytes of a sector, the unit in which global memory is fetched.
pub const SECTOR_BYTES: u64 = 32;
/// Banks of shared memory.
pub const BANKS: u32 = 32;
/// Bytes of a bank's word.
pub const BANK_BYTES: u64 = 4;

macro_rules! counters {
    ($($(#[doc = $doc:literal])* $field:ident = $ncu:literal $(| $also:literal)?;)*) => {
        /// Sums over one launch. Atomics (`atom`, `red`) are in none of the load and store counters; what `cp.async`
        /// reads is in those of global loads as well.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[doc = $doc])* #[doc = concat!("\n\nncu: `", $ncu, "`" $(, ", `", $also, "`")?)] pub $field: u64,)*
        }

        impl Counters {
            /// Every counter's name as a field, and ncu's name for it: for those who take counters by name.
            pub const NAMES: &'static [(&'static str, &'static str)] =
                &[$((stringify!($field), $ncu),)*];

            /// The counter with this field's name.
            pub fn field(&self, name: &str) -> Option<u64> {
                match name {
                    $(stringify!($field) => Some(self.$field),)*
                    _ => None,
                }
            }

            /// Sets the counter with this ncu name, for those who read what ncu counted; another name sets none.
            pub fn set(&mut self, ncu_name: &str, value: u64) {
                match ncu_name {
                    $($ncu $(| $also)? => self.$field = value,)*
                    _ => {}
                }
            }

            /// Every counter under its ncu name, zeros too, always in this order. Some have two names.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$(($ncu, self.$field), $(($also, self.$field),)?)*].into_iter()
            }

            /// What the counter with this ncu name counts, in a sentence or two.
            pub fn explanation(ncu_name: &str) -> Option<&'static str> {
                match ncu_name {
                    $($ncu $(| $also)? => Some(concat!($($doc),*).trim_ascii()),)*
                    _ => None,
                }
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
    /// Warp-level loads from global memory with at least one active thread.
    global_load_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
    /// 32-byte sectors that global loads touched. A full warp of 4-byte loads side by side needs 4.
    global_load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
    /// Warp-level stores to global memory with at least one active thread.
    global_store_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
    /// 32-byte sectors that global stores touched. A full warp of 4-byte stores side by side needs 4.
    global_store_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
    /// Global load instructions executed, per warp.
    global_load_instructions = "smsp__inst_executed_op_global_ld.sum"
        | "smsp__inst_executed_op_global_ld_pred_on_any.sum";
    /// Global store instructions executed, per warp.
    global_store_instructions = "smsp__inst_executed_op_global_st.sum"
        | "smsp__inst_executed_op_global_st_pred_on_any.sum";
    /// Passes through the 32 banks for shared loads. Without a bank conflict, a warp's 4-byte load needs one.
    shared_load_wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
    /// Shared load wavefronts beyond the fewest possible: lanes asked one bank for different words.
    shared_load_bank_conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
    /// Shared load instructions executed, per warp.
    shared_load_instructions = "smsp__inst_executed_op_shared_ld.sum"
        | "smsp__inst_executed_op_shared_ld_pred_on_any.sum";
    /// Loads of 8×8 matrices from shared memory (`ldmatrix`, and what `wmma.load` becomes), per warp. They are not among
    /// the shared load instructions; stores of matrices are in no counter of instructions.
    shared_matrix_load_instructions = "smsp__inst_executed_op_ldsm.sum";
    /// Passes through the 32 banks for shared stores. Without a bank conflict, a warp's 4-byte store needs one.
    shared_store_wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
    /// Shared store wavefronts beyond the fewest possible: lanes gave one bank different words.
    shared_store_bank_conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
    /// Shared store instructions executed, per warp.
    shared_store_instructions = "smsp__inst_executed_op_shared_st.sum"
        | "smsp__inst_executed_op_shared_st_pred_on_any.sum";
    /// Passes through the 32 banks for what `wgmma` reads of shared memory: 128 bytes each without a bank conflict.
    shared_multiply_wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum";
    /// Warp-level local loads with at least one active thread.
    local_load_requests = "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum";
    /// 32-byte sectors that loads from local memory touched: spilled registers, and arrays indexed at run time.
    local_load_sectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
    /// Warp-level local stores with at least one active thread.
    local_store_requests = "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum";
    /// 32-byte sectors that stores to local memory touched: spilled registers, and arrays indexed at run time.
    local_store_sectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";
    /// Local load instructions executed, per warp.
    local_load_instructions = "smsp__inst_executed_op_local_ld.sum"
        | "smsp__inst_executed_op_local_ld_pred_on_any.sum";
    /// Local store instructions executed, per warp.
    local_store_instructions = "smsp__inst_executed_op_local_st.sum"
        | "smsp__inst_executed_op_local_st_pred_on_any.sum";
    /// Warp-level atomics on global memory that return a value.
    global_atom_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum";
    /// Sectors that these touched, once for each lane of the most that share an address in the sector.
    global_atom_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum";
    /// Warp-level reductions on global memory: atomics whose result nobody reads.
    global_red_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum";
    /// Sectors that these touched, counted as those of atomics.
    global_red_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum";
    /// Global and generic atomic instructions executed, per warp.
    global_atom_instructions = "smsp__inst_executed_op_generic_atom.sum"
        | "smsp__inst_executed_op_generic_atom_pred_on_any.sum";
    /// Global reduction instructions executed, per warp.
    global_red_instructions = "smsp__inst_executed_op_global_red.sum"
        | "smsp__inst_executed_op_global_red_pred_on_any.sum";
    /// Passes through the banks for atomics on shared memory.
    shared_atom_wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum";
    /// Wavefronts of these beyond the fewest possible.
    shared_atom_bank_conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum";
    /// Shared atomic instructions executed, per warp.
    shared_atom_instructions = "smsp__inst_executed_op_shared_atom.sum"
        | "smsp__inst_executed_op_shared_atom_pred_on_any.sum";
    /// Copies from global to shared memory past the registers (`cp.async`), per warp.
    async_copy_instructions = "smsp__inst_executed_op_ldgsts.sum"
        | "smsp__inst_executed_op_ldgsts_pred_on_any.sum";
    /// Those that read anything.
    async_copy_requests = "sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum"
        | "smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum";
    /// Sectors that they read.
    async_copy_sectors = "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"
        | "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum";
    /// Passes through the banks of what they write.
    async_copy_wavefronts = "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"
        | "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum";
    /// Wavefronts of these beyond the fewest possible.
    async_copy_bank_conflicts = "sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum"
        | "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum";
    /// Texture fetches executed, per warp.
    texture_instructions = "smsp__inst_executed_op_texture.sum";
    /// Groups of four lanes that fetch texels; of eight from linear memory with texels of up to 4 bytes.
    texture_requests = "l1tex__t_requests_pipe_tex_mem_texture.sum";
    /// 32-byte sectors that these touched, each group by itself. A sector of a texture in an array has 16 bytes of two
    /// rows. Of 16-byte texels with a linear filter the hardware counts more.
    texture_sectors = "l1tex__t_sectors_pipe_tex_mem_texture.sum";
    /// Sums and differences in single precision, per thread that its predicate lets act.
    fadd = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"
        | "sm__sass_thread_inst_executed_op_fadd_pred_on.sum";
    /// Products in single precision, per thread that acts.
    fmul = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"
        | "sm__sass_thread_inst_executed_op_fmul_pred_on.sum";
    /// Fused products and sums in single precision, per thread that acts. Each is two operations.
    ffma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
        | "sm__sass_thread_inst_executed_op_ffma_pred_on.sum";
    /// Sums and differences in double precision, per thread that acts.
    dadd = "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"
        | "sm__sass_thread_inst_executed_op_dadd_pred_on.sum";
    /// Products in double precision, per thread that acts.
    dmul = "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"
        | "sm__sass_thread_inst_executed_op_dmul_pred_on.sum";
    /// Fused products and sums in double precision, per thread that acts. Each is two operations.
    dfma = "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"
        | "sm__sass_thread_inst_executed_op_dfma_pred_on.sum";
    /// Sums and differences in half precision, float16 or bfloat16, per thread that acts: of two packed values once. A
    /// conversion from float16 to float32 is one as well.
    hadd = "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum"
        | "sm__sass_thread_inst_executed_op_hadd_pred_on.sum";
    /// Products in half precision, per thread that acts: of two packed values once.
    hmul = "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum"
        | "sm__sass_thread_inst_executed_op_hmul_pred_on.sum";
    /// Fused products and sums in half precision, per thread that acts: of two packed values once.
    hfma = "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"
        | "sm__sass_thread_inst_executed_op_hfma_pred_on.sum";
    /// Operations of tensor cores on float16 that add up in float16: two for each product of two elements.
    tensor_f16_f16 = "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp16.sum";
    /// Operations of tensor cores on float16 that add up in float32.
    tensor_f16_f32 = "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum";
    /// Operations of tensor cores on bfloat16.
    tensor_bf16_f32 = "sm__ops_path_tensor_src_bf16_dst_fp32.sum";
    /// Operations of tensor cores on tf32.
    tensor_tf32_f32 = "sm__ops_path_tensor_src_tf32_dst_fp32.sum";
    /// Operations of tensor cores on float16 by `wgmma`, whatever they add up in.
    tensor_group_f16 = "sm__ops_path_tensor_op_hgmma_src_fp16.sum";
    /// Operations of tensor cores on floats of 8 bits.
    tensor_fp8 = "sm__ops_path_tensor_src_fp8.sum";
    /// Operations of tensor cores on single bits.
    tensor_int1 = "sm__ops_path_tensor_src_int1.sum";
    /// Operations of tensor cores in double precision.
    tensor_f64 = "sm__ops_path_tensor_src_fp64.sum";
    /// Operations of tensor cores on integers of 8 bits.
    tensor_int8 = "sm__ops_path_tensor_src_int8.sum";
    /// Operations in half precision, value by value: 2 for a packed sum, 4 for a packed fused product and sum. The
    /// profiler has no such counter: this name is our own.
    half_flops = "ptx__half_flops.sum";
    /// Bytes that bulk and tensor copies read of global memory. The profiler counts them in no counter of the load-store
    /// unit: this name is our own, as are the next four.
    bulk_load_bytes = "ptx__bulk_load_bytes.sum";
    /// Bytes that bulk and tensor copies write to global memory, without reductions.
    bulk_store_bytes = "ptx__bulk_store_bytes.sum";
    /// Reductions of global memory by the copy engine (`cp.reduce.async.bulk`), each started by one thread: every element
    /// is an atomic.
    bulk_reductions = "ptx__bulk_reductions.sum";
    /// Sectors that these touch.
    bulk_reduction_sectors = "ptx__bulk_reduction_sectors.sum";
    /// Stores and reductions to shared memory of the cluster that an mbarrier counts (`st.async`, `red.async`), per thread.
    async_stores = "ptx__async_stores.sum";
    /// PTX instructions issued, per warp. The GPU runs machine code made from them, and ncu counts that: this name is
    /// our own.
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

/// Where the words of one warp's access to local memory lie, from the begin of the warp's local memory: the words of the
/// 32 lanes are interleaved, so that word *w* of lane *l* is at `128 w + 4 l`.
///
/// `addresses` holds each lane's offset into its own local memory, `None` for an inactive lane. The result has an entry for
/// each 4-byte word of the access, and each is a request of its own, whose sectors are [`sectors`] of 4 bytes.
pub fn local_words(addresses: &[Option<u64>; 32], access_bytes: u32) -> Vec<[Option<u64>; 32]> {
    let place = |word: u32| {
        std::array::from_fn(|lane| addresses[lane].map(|at| local_place(at, word, lane)))
    };
    (0..access_bytes.clamp(1, 32).div_ceil(4))
        .map(place)
        .collect()
}

/// Where a word of a lane's local access lies.
#[inline(always)]
fn local_place(offset: u64, word: u32, lane: usize) -> u64 {
    (offset / BANK_BYTES)
        .wrapping_add(u64::from(word))
        .wrapping_mul(128)
        .wrapping_add(4 * lane as u64 + offset % BANK_BYTES)
}

/// The bank that holds a shared-memory address.
pub fn bank_of(address: u64) -> u32 {
    ((address / BANK_BYTES) % u64::from(BANKS)) as u32
}

/// Lanes that pass through the banks together: all 32 for up to 4 bytes a lane, 16 for 8, 8 for 16.
///
/// A *load* of 8 or 16 bytes a lane takes twice as many at a time where each lane wants the same address as its
/// neighbour `lane ^ 1`, or each the same as `lane ^ 2`, throughout the warp; an inactive lane agrees with any.
/// Measured on an H200, as all the rules here: `tests/h200/probes.csv`.
pub fn lanes_per_phase(addresses: &[Option<u64>; 32], access_bytes: u32, is_store: bool) -> usize {
    let lanes = lanes_of_different_addresses(access_bytes);
    if lanes == 32 || is_store {
        return lanes;
    }
    let agree = |distance: usize| {
        (0..32).all(|lane| match (addresses[lane], addresses[lane ^ distance]) {
            (Some(mine), Some(other)) => mine == other,
            _ => true,
        })
    };
    if agree(1) || agree(2) {
        2 * lanes
    } else {
        lanes
    }
}

fn lanes_of_different_addresses(access_bytes: u32) -> usize {
    match access_bytes {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    }
}

/// Wavefronts (passes through the 32 banks) of one warp-level access to shared memory.
///
/// Each phase takes as many passes as the busiest bank has distinct words; lanes that want the same
/// word share one. A phase without an active lane takes none.
pub fn shared_wavefronts(addresses: &[Option<u64>; 32], access_bytes: u32, is_store: bool) -> u32 {
    let words = u64::from(access_bytes.max(1)).div_ceil(BANK_BYTES).min(4);
    addresses
        .chunks(lanes_per_phase(addresses, access_bytes, is_store))
        .map(|lanes| phase_wavefronts(lanes, words))
        .sum()
}

/// In each pass every bank serves one word, and with it all lanes that want that word.
fn phase_wavefronts(lanes: &[Option<u64>], words_per_lane: u64) -> u32 {
    let mut wanted = [0u64; 64];
    let mut count = 0;
    for address in lanes.iter().flatten() {
        for word in 0..words_per_lane {
            wanted[count] = (address / BANK_BYTES).wrapping_add(word);
            count += 1;
        }
    }
    let mut passes = 0;
    while count > 0 {
        let mut served = [None; BANKS as usize];
        let mut left = 0;
        for index in 0..count {
            let word = wanted[index];
            let bank = &mut served[(word % u64::from(BANKS)) as usize];
            if *bank.get_or_insert(word) != word {
                wanted[left] = word;
                left += 1;
            }
        }
        count = left;
        passes += 1;
    }
    passes
}

/// The fewest wavefronts that an access can take: one for each phase with an active lane. Those beyond are
/// bank conflicts.
pub fn fewest_wavefronts(addresses: &[Option<u64>; 32], access_bytes: u32, is_store: bool) -> u32 {
    addresses
        .chunks(lanes_per_phase(addresses, access_bytes, is_store))
        .filter(|lanes| lanes.iter().any(Option::is_some))
        .count() as u32
}

// ---- the interpreter's forms of the same rules ----

/// [`sectors`] of aligned accesses, which lie in one sector each.
#[inline(always)]
pub(crate) fn masked_sectors(addresses: &[u64; 32], mask: u32) -> u32 {
    let mut sectors = [0u64; 32];
    if mask == u32::MAX {
        for (sector, address) in sectors.iter_mut().zip(addresses) {
            *sector = address / SECTOR_BYTES;
        }
        return distinct(&mut sectors);
    }
    let mut count = 0;
    for (lane, address) in addresses.iter().enumerate() {
        sectors[count] = address / SECTOR_BYTES;
        count += (mask >> lane & 1) as usize;
    }
    distinct(&mut sectors[..count.min(32)])
}

/// How many different values there are. Lanes mostly go up or down through memory: then neighbours tell.
#[inline(always)]
fn distinct(values: &mut [u64]) -> u32 {
    let (mut changes, mut up, mut down) = (0, true, true);
    for pair in values.windows(2) {
        changes += u32::from(pair[0] != pair[1]);
        up &= pair[0] <= pair[1];
        down &= pair[0] >= pair[1];
    }
    if !(up || down) {
        values.sort_unstable();
        changes = values
            .windows(2)
            .map(|pair| u32::from(pair[0] != pair[1]))
            .sum();
    }
    changes + u32::from(!values.is_empty())
}

/// Sectors of one warp's access to local memory: those of its [`local_words`].
pub(crate) fn local_sectors(offsets: &[u64; 32], mask: u32, bytes: u32) -> u32 {
    (0..bytes.div_ceil(4))
        .map(|word| {
            let mut places = [0; 32];
            for (lane, place) in places.iter_mut().enumerate() {
                *place = local_place(offsets[lane], word, lane);
            }
            masked_sectors(&places, mask)
        })
        .sum()
}

/// Wavefronts of an access to shared memory, and the fewest that it could take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wavefronts {
    pub(crate) taken: u32,
    pub(crate) fewest: u32,
}

impl Wavefronts {
    /// Of an aligned access of the lanes in `mask`.
    #[inline(always)]
    pub(crate) fn masked(addresses: &[u64; 32], mask: u32, bytes: u32, is_store: bool) -> Self {
        if mask == u32::MAX && bytes == 4 {
            let mut banks = 0u32;
            for address in addresses {
                banks |= 1 << ((address / BANK_BYTES) % u64::from(BANKS));
            }
            if banks == u32::MAX {
                return Self {
                    taken: 1,
                    fewest: 1,
                };
            }
        }
        let mut lanes = [None; 32];
        for (lane, address) in lanes.iter_mut().enumerate() {
            *address = (mask & (1 << lane) != 0).then(|| addresses[lane]);
        }
        Self {
            taken: shared_wavefronts(&lanes, bytes, is_store),
            fewest: fewest_wavefronts(&lanes, bytes, is_store),
        }
    }

    /// Of an atomic: lanes take turns at a bank even for the same word.
    pub(crate) fn atomic(addresses: &[u64; 32], mask: u32, bytes: u32) -> Self {
        let mut sum = Self {
            taken: 0,
            fewest: 0,
        };
        let per_phase = lanes_of_different_addresses(bytes);
        for first in (0..32).step_by(per_phase) {
            let mut banks = [0u32; BANKS as usize];
            for lane in (first..first + per_phase).filter(|lane| mask & (1 << lane) != 0) {
                banks[bank_of(addresses[lane]) as usize] += 1;
            }
            let turns = banks.into_iter().max().unwrap_or(0);
            sum.taken += turns;
            sum.fewest += turns.min(1);
        }
        sum
    }

    /// Wavefronts beyond the fewest.
    #[inline(always)]
    pub(crate) fn bank_conflicts(self) -> u32 {
        self.taken.saturating_sub(self.fewest)
    }
}

/// Sectors of one warp-level atomic on global memory: each touched sector as often as the most lanes that name one
/// address in it, since lanes of one address take turns.
pub(crate) fn atomic_sectors(addresses: &[u64; 32], mask: u32) -> u32 {
    let mut sorted = [0; 32];
    let mut count = 0;
    for lane in (0..32).filter(|lane| mask & (1 << lane) != 0) {
        sorted[count] = addresses[lane];
        count += 1;
    }
    sorted[..count].sort_unstable();
    sorted[..count]
        .chunk_by(|a, b| a / SECTOR_BYTES == b / SECTOR_BYTES)
        .map(|sector| {
            let turns = sector.chunk_by(|a, b| a == b).map(<[u64]>::len);
            turns.max().unwrap_or(0) as u32
        })
        .sum()
}

/// Of the lanes in `mask`, the first in each bank and phase: those that get their turn in one round of a loop.
pub(crate) fn lanes_of_different_banks(addresses: &[u64; 32], mask: u32, bytes: u32) -> u32 {
    let per_phase = lanes_of_different_addresses(bytes);
    let (mut chosen, mut banks, mut phase) = (0, 0u32, 0);
    for lane in (0..32).filter(|lane| mask & (1 << lane) != 0) {
        if lane / per_phase != phase {
            (banks, phase) = (0, lane / per_phase);
        }
        let bank = 1 << bank_of(addresses[lane]);
        if banks & bank == 0 {
            banks |= bank;
            chosen |= 1 << lane;
        }
    }
    chosen
}
