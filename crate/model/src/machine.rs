//! A GPU as the model sees it: figures, each with where it is from. What they are used for is said where they are used.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

macro_rules! figures {
    ($($(#[doc = $doc:literal])* $field:ident: $least:expr, $most:expr;)*) => {
        /// A GPU. Cycles are of the clock of its multiprocessors.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Machine {
            /// What it is called.
            pub name: String,
            /// How it was made: from probes on this GPU, or from published figures.
            pub made: String,
            /// Where each figure is from, by its name.
            #[serde(default)]
            pub sources: BTreeMap<String, String>,
            /// Cycles until a load from DRAM is there, as quantiles: the value at 1/2n, 3/2n and so on.
            pub dram_latency_cycles: Vec<f64>,
            /// How many parts of L2 do atomics at a time, by the bytes over which the addresses are spread: rising.
            pub atomic_parts: Vec<(f64, f64)>,
            /// Cycles until a load that L2 has is there, as quantiles.
            pub l2_latency_cycles: Vec<f64>,
            $($(#[doc = $doc])* pub $field: f64,)*
        }

        impl Machine {
            /// Every figure that is a number: its name, its value, the least and the most that it can be.
            fn figures(&self) -> impl Iterator<Item = (&'static str, f64, f64, f64)> {
                [$((stringify!($field), self.$field, $least, $most),)*].into_iter()
            }
        }
    };
}

figures! {
    /// Multiprocessors.
    multiprocessors: 1.0, 1024.0;
    /// Clock of the multiprocessors.
    clock_mhz: 100.0, 10_000.0;
    /// Warps that a multiprocessor holds.
    warps: 1.0, 256.0;
    /// Blocks that it holds.
    blocks: 1.0, 256.0;
    /// Registers that it has.
    registers: 1024.0, 1_048_576.0;
    /// Bytes of its memory that is shared memory and L1.
    l1_bytes: 1024.0, 4_194_304.0;
    /// The most of it that is shared memory.
    shared_bytes: 1024.0, 4_194_304.0;
    /// Shared memory that each block takes beside its own.
    shared_reserved_bytes: 0.0, 65_536.0;
    /// Bytes of L2.
    l2_bytes: 65_536.0, 4_294_967_296.0;
    /// The part of L2 that lines read once more are still found in.
    l2_kept_bytes: 65_536.0, 4_294_967_296.0;
    /// An empty launch, between two events.
    launch_us: 0.1, 1000.0;
    /// Time by which each block of a grid comes after the one before, if it has few threads.
    block_ns: 0.0, 1000.0;
    /// The same for each warp of a block with many.
    block_warp_ns: 0.0, 1000.0;
    /// Cycles between the end of a block's last instruction and the first of the block that takes its place: its stores
    /// have to be done, and the next one to be set up.
    block_turn_cycles: 0.0, 100_000.0;
    /// The same for each warp of it.
    block_turn_warp_cycles: 0.0, 1000.0;
    /// What a launch takes beside that until the first load of a cold cache is there.
    cold_start_us: 0.0, 100.0;
    /// DRAM's bytes in a nanosecond, reading or writing.
    dram_gb_per_s: 1.0, 100_000.0;
    /// The same where half of it is written.
    dram_mixed_gb_per_s: 1.0, 100_000.0;
    /// What of its bandwidth is left where requests of warps have no more than 128 bytes side by side.
    dram_apart_share: 0.05, 1.0;
    /// By how much a load from DRAM takes longer when that is busy: at a utilization of u by this times u²/(1 - u).
    dram_queue: 0.0, 10.0;
    /// Bytes in L2 before a cold launch that must be written to DRAM when others take their place.
    dirty_bytes: 0.0, 4_294_967_296.0;
    /// The bytes read for which 1 - 1/e of them have been.
    dirty_spread_bytes: 1.0, 68_719_476_736.0;
    /// Cycles of a single-precision instruction of a warp in a multiprocessor's quarter.
    fma_cycles: 0.25, 64.0;
    /// Of an integer product.
    imad_cycles: 0.25, 64.0;
    /// Of logic and comparisons.
    alu_cycles: 0.25, 64.0;
    /// Of special functions and conversions.
    xu_cycles: 0.25, 256.0;
    /// Of double precision.
    fp64_cycles: 0.25, 256.0;
    /// Cycles of an exchange between lanes in the whole multiprocessor.
    shuffle_cycles: 0.25, 64.0;
    /// Cycles until the result of arithmetic is there.
    alu_latency_cycles: 1.0, 100.0;
    /// Of special functions.
    xu_latency_cycles: 1.0, 200.0;
    /// Of double precision.
    fp64_latency_cycles: 1.0, 500.0;
    /// Of exchanges.
    shuffle_latency_cycles: 1.0, 200.0;
    /// Of shared memory.
    shared_latency_cycles: 1.0, 500.0;
    /// Of L1.
    l1_latency_cycles: 1.0, 500.0;
    /// Operations of tensor cores in a cycle of a multiprocessor, in half precision, by warps.
    tensor_ops: 1.0, 1_000_000.0;
    /// The same by warpgroups.
    tensor_group_ops: 1.0, 1_000_000.0;
    /// Cycles that a barrier of a block takes, and for each warp of it.
    barrier_cycles: 1.0, 1000.0;
    /// For each warp.
    barrier_warp_cycles: 0.0, 100.0;
    /// Cycles of a multiprocessor for each of L1's lines of a request.
    l1_line_cycles: 0.01, 10.0;
    /// Cycles of L1 for each request that it serves.
    l1_request_cycles: 0.25, 20.0;
    /// Cycles of a multiprocessor, all of them at work, for a sector from L2, four of a line at a time.
    l2_load_cycles: 0.01, 100.0;
    /// The same for a sector that comes alone.
    l2_load_alone_cycles: 0.01, 100.0;
    /// For a whole sector stored, four of a line at a time.
    l2_store_cycles: 0.01, 100.0;
    /// For a part of a sector stored.
    l2_store_part_cycles: 0.01, 100.0;
    /// For a sector stored alone.
    l2_store_alone_cycles: 0.01, 100.0;
    /// Cycles of a part of L2 for a sector of atomics.
    atomic_cycles: 0.1, 100.0;
    /// The same where lanes share an address.
    atomic_same_cycles: 0.1, 100.0;
    /// Cycles of a multiprocessor for the wavefront of an atomic on shared memory.
    shared_atomic_cycles: 0.25, 100.0;
    /// Cycles for each different address of constant memory in a request.
    constant_cycles: 0.25, 100.0;
}

/// A figure and its bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The least and the most that it can be.
    pub bounds: (f64, f64),
}

/// Why a description is none.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum MachineError {
    /// The text is no description.
    #[error("the machine description cannot be read: {0}")]
    Text(String),
    /// A figure that no GPU has.
    #[error("the machine description says `{}` = {}, which is impossible: it lies between {} and {}", .0.name, .0.value, .0.bounds.0, .0.bounds.1)]
    Impossible(Figure),
    /// There is none of this name.
    #[error("there is no machine description called `{name}`; there are: {known}; or name a file")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

/// The descriptions that come with the package.
const NAMED: [(&str, &str); 4] = [
    ("h200", include_str!("../machines/h200.json")),
    ("h100", include_str!("../machines/h100.json")),
    ("a100", include_str!("../machines/a100.json")),
    ("rtx5060", include_str!("../machines/rtx5060.json")),
];

impl Machine {
    /// Reads a description.
    ///
    /// # Errors
    /// [`MachineError::Text`] and [`MachineError::Impossible`].
    pub fn read(text: &str) -> Result<Self, MachineError> {
        let machine: Self =
            serde_json::from_str(text).map_err(|error| MachineError::Text(error.to_string()))?;
        machine.check()?;
        Ok(machine)
    }

    /// One that comes with the package, by its name.
    ///
    /// # Errors
    /// [`MachineError::Unknown`].
    pub fn named(name: &str) -> Result<Self, MachineError> {
        match NAMED.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Self::read(text),
            None => Err(MachineError::Unknown {
                name: name.to_string(),
                known: Self::names().collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// The names of those that come with the package.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// Refuses what no GPU has.
    ///
    /// # Errors
    /// [`MachineError::Impossible`].
    pub fn check(&self) -> Result<(), MachineError> {
        let latencies = |name, values: &[f64]| {
            let worst = values
                .iter()
                .copied()
                .find(|value| !(1.0..100_000.0).contains(value));
            let value = if values.is_empty() {
                Some(f64::NAN)
            } else {
                worst
            };
            value.map(|value| (name, value, 1.0, 100_000.0))
        };
        let figures = self
            .figures()
            .filter(|(_, value, least, most)| !(least..=most).contains(&value));
        let mut wrong = figures
            .chain(latencies("dram_latency_cycles", &self.dram_latency_cycles))
            .chain(latencies("l2_latency_cycles", &self.l2_latency_cycles));
        match wrong.next() {
            None => Ok(()),
            Some((name, value, least, most)) => Err(MachineError::Impossible(Figure {
                name: name.to_string(),
                value,
                bounds: (least, most),
            })),
        }
    }

    /// Cycles in a microsecond.
    pub(crate) fn cycles_per_us(&self) -> f64 {
        self.clock_mhz
    }
}
