//! What an exercise may ask of counters and records, as data: bounds, the ways past them that it allows, what of a record. Whether a launch keeps a bound is `bound`'s, which ways it took `ways`'.

use serde::{Deserialize, Serialize};

/// A bound on a counter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// What is counted: a field of [`Counters`](cornerturn_emulator::Counters), or one of the names that exercises.toml lists.
    pub counter: String,
    /// What it is divided by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<String>,
    /// The most that it may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// The least that it may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// What it must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<f64>,
    /// Why, as the end of a sentence.
    pub because: String,
}

/// A way past the counters of loads and stores. Asynchronous copies are none: what they read is among the loads of global
/// memory, what they write among the wavefronts and bank conflicts that an exercise bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Atomics and reductions on global memory.
    GlobalAtomics,
    /// Atomics on shared memory.
    SharedAtomics,
    /// Copies and reductions by the bulk copy engine.
    BulkCopies,
    /// What `st.async` and `red.async` send to shared memory.
    AsyncStores,
    /// Fetches of textures, reads and writes of surfaces.
    Textures,
    /// Objects in shared memory at which threads wait, and what they hold.
    Mbarriers,
    /// Memory of a thread's own.
    LocalMemory,
}

/// What questions are about that ask for numbers of recorded launches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum About {
    /// The profiler's counters.
    #[default]
    Counters,
    /// What a thread and a block take of a multiprocessor.
    Resources,
    /// How long launches took.
    Times,
    /// The profiler's percentages, and what warps waited for.
    Report,
}
