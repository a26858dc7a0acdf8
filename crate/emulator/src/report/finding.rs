//! Something that a kernel did wrong: its kind, its place, the thread, the memory. The words are in `diagnostics`.

use crate::report::detail::Detail;
use crate::report::form::Form;
use crate::report::site::Path;
use crate::report::source::{Inlining, SourceLine};
use crate::report::space::{BufferInfo, Space};

/// Something that the kernel did wrong. [`Finding::message`] says it in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What went wrong.
    pub kind: FindingKind,
    /// The kernel.
    pub entry: String,
    /// Line of CUDA C++, if the PTX carries line information.
    pub source: Option<SourceLine>,
    /// The other line, if the instruction is of an inlined function.
    pub inlining: Option<Inlining>,
    /// Line in the PTX text, from 1; 0 if no instruction is to blame.
    pub ptx_line: u32,
    /// First block in which it happened.
    pub block: [u32; 3],
    /// First thread of that block in which it happened.
    pub thread: [u32; 3],
    /// The memory accessed, if any.
    pub space: Option<Space>,
    /// The address accessed, if any: an offset into the block's shared memory for [`Space::Shared`].
    pub address: Option<u64>,
    /// The block of the cluster whose shared memory it is, by its number there, if the address says so.
    pub owner: Option<u32>,
    /// Bytes per thread; 0 if no memory is accessed.
    pub access_bytes: u32,
    /// Whether the access stores.
    pub is_store: bool,
    /// Whether it is an atomic (`atom`, `red`).
    pub is_atomic: bool,
    /// What a thread accesses at once.
    pub form: Form,
    /// The buffer meant: the one accessed, or the nearest one if the address is in none.
    pub buffer: Option<BufferInfo>,
    /// How many times a thread did this here, over the launch.
    pub count: u64,
    /// The other half of a race.
    pub other: Option<Box<OtherSite>>,
    /// What only this kind of finding has to say.
    pub detail: Detail,
}

/// What findings call the heap of device code.
pub(crate) const HEAP_NAME: &str = "device heap";

/// The other access of a race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherSite {
    /// Line of CUDA C++, if the PTX carries line information.
    pub source: Option<SourceLine>,
    /// Line in the PTX text, from 1.
    pub ptx_line: u32,
    /// Its block.
    pub block: [u32; 3],
    /// Its thread.
    pub thread: [u32; 3],
    /// Whether it stores.
    pub is_store: bool,
    /// How its data travels: by registers, or by an asynchronous copy.
    pub path: Path,
}

/// The kinds of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// An access past a buffer's bounds.
    OutOfBounds,
    /// An address that is no multiple of the access's size.
    Misaligned,
    /// A read of memory that nothing has written.
    Uninitialized,
    /// Two accesses without order, one of them a store.
    Race,
    /// A barrier that not all threads reach together.
    BarrierDivergence,
    /// A collective instruction of a warp (`__syncwarp`, a shuffle, a vote, a reduction) whose mask is wrong, or its width.
    Mask,
    /// An mbarrier that is used against its rules, or whose phase is never completed.
    Mbarrier,
    /// An address near no buffer, such as a null pointer.
    InvalidAddress,
    /// The kernel executed `trap`.
    Trap,
    /// An assertion of the kernel failed.
    Assert,
    /// A launch over a limit of the device.
    Limit,
    /// An integer that is divided by 0.
    Division,
    /// A `printf` whose conversions do not fit its arguments: a [remark](crate::Report::remarks).
    Printf,
    /// A loop that never ends, or a warp that used up its instruction budget.
    EndlessLoop,
}

impl FindingKind {
    /// The name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::OutOfBounds => "out_of_bounds",
            FindingKind::Misaligned => "misaligned",
            FindingKind::Uninitialized => "uninitialized",
            FindingKind::Race => "race",
            FindingKind::BarrierDivergence => "barrier_divergence",
            FindingKind::Mask => "mask",
            FindingKind::Mbarrier => "mbarrier",
            FindingKind::InvalidAddress => "invalid_address",
            FindingKind::Trap => "trap",
            FindingKind::Assert => "assert",
            FindingKind::Limit => "limit",
            FindingKind::Division => "division",
            FindingKind::Printf => "printf",
            FindingKind::EndlessLoop => "endless_loop",
        }
    }

    /// Whether the launch ends there. After any other finding the access is left out and the run goes on.
    pub fn stops(self) -> bool {
        matches!(
            self,
            FindingKind::Trap | FindingKind::Assert | FindingKind::Limit | FindingKind::EndlessLoop
        )
    }

    /// Whether a GPU does not come to the kernel's end after it: what [stops](Self::stops) the launch, and accesses that
    /// only the emulator leaves out. Threads that wait at a barrier for ever are [`crate::Report::stopped`].
    pub fn is_fatal(self) -> bool {
        let faults = [Self::OutOfBounds, Self::Misaligned, Self::InvalidAddress];
        self.stops() || faults.contains(&self)
    }
}
