//! What a launch hands back: counters, access sites, findings, a trace. Data only; the words are in `diagnostics`.

mod detail;
mod finding;
mod form;
mod handover;
mod headway;
mod line;
mod misuse;
mod printed;
mod race;
mod shuffle;
mod site;
mod source;
mod space;
mod steps;
mod trace;

use crate::counters::Counters;
use crate::touched::{Early, Touched};
pub use detail::Detail;
pub(crate) use finding::HEAP_NAME;
pub use finding::{Finding, FindingKind, OtherSite};
pub use form::Form;
pub use handover::{BulkCopy, Handover, HandoverKind};
pub use headway::Headway;
pub use line::{Branch, LineCount};
pub(crate) use misuse::MOST_RANK;
pub use misuse::{
    ClusterBarrierFault, ClusterFault, GridWait, IndexFault, MaskFault, MultiplyFault, PointerFault,
};
pub use printed::{Printed, PrintedLine};
pub use race::{RaceHint, RaceScope};
pub use shuffle::{Shuffle, ShuffleMode};
pub use site::{Demand, Path, Site, Worst};
pub use source::{Inlining, SourceLine};
pub use space::{BufferInfo, Space};
pub use steps::{Step, StepKind, Steps, StepsRequest, Written};
pub use trace::{Access, BlockReach, BlockRuns, Reach, Trace, TraceRequest, Wide, WideCount};

/// Everything that one launch found out.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Sums over the launch. All zero if a finding stopped the run: parts of a run count nothing that compares.
    pub counters: Counters,
    /// One entry per load, store or atomic in the PTX, in the order of the text.
    pub sites: Vec<Site>,
    /// How often each line was executed and by how many lanes, in the order of the PTX; as the counters, empty if a finding
    /// stopped the run.
    pub lines: Vec<LineCount>,
    /// What the kernel did wrong, sorted by block, then thread; the same for any number of host threads.
    pub findings: Vec<Finding>,
    /// What is no mistake, but worth knowing: several dynamic arrays in shared memory, which are one; threads that ended
    /// before a barrier of their block, which CUDA allows since Volta. Looked for in checked launches.
    pub remarks: Vec<Finding>,
    /// Present if [`crate::Options::trace`] asked for it.
    pub trace: Option<Trace>,
    /// The bytes that it read and wrote, if [`crate::Options::touched`] asked for them: of the buffers only.
    pub touched: Touched,
    /// What of it a programmatic dependent launch did early, if [`crate::Options::programmatic`] says that it is one.
    pub early: Option<Early>,
    /// PTX instructions issued, counted once per warp.
    pub warp_instructions: u64,
    /// What the kernel printed.
    pub printed: Printed,
    /// The run ended before all threads had: at a finding that stops it, at a barrier for which threads wait for ever,
    /// at a budget, before it began, or so long after the first finding that only more of the same was to be expected. On a
    /// GPU such a launch ends with an error, does not end, or gives what cannot be relied on.
    pub stopped: bool,
}

impl Report {
    /// Whether the kernel would come to its end on a GPU: it was not stopped here, and did nothing for which a GPU stops.
    pub fn would_end(&self) -> bool {
        !self.stopped && !self.findings.iter().any(|found| found.kind.is_fatal())
    }
}
