//! Running a program: strands of lanes with their reconvergence stacks, blocks with their barriers, the grid over host threads.

mod block;
mod call;
mod cluster;
mod follow;
mod gather;
mod grid;
mod group;
mod interpret;
mod limits;
mod need;
mod outcome;
mod preset;
mod shared;
mod step;
mod strand;

use crate::error::LaunchError;
use crate::launch::{Launch, Options};
use crate::memory::Memory;
use crate::module::{Entry, Module};
use crate::report::{Detail, Finding, FindingKind, Report, Space};

pub(crate) use grid::{needed, run};
pub use outcome::counters_of;
pub use preset::MULTIPROCESSORS;

/// How many blocks of a kernel an H200 runs together, by their threads and shared memory; the most for a cooperative
/// launch. Registers, which may allow fewer, are the assembler's affair. `None` for a kernel that is not supported.
pub fn resident_blocks(entry: &Entry, block: [u32; 3], dynamic_shared_bytes: u32) -> Option<u64> {
    let threads = block.iter().map(|size| u64::from(*size)).product();
    let decoded = entry.decoded().ok()?;
    Some(limits::resident_blocks(
        decoded,
        threads,
        dynamic_shared_bytes,
    ))
}

/// Runs a kernel to its end or to the first thing that stops it.
///
/// # Errors
/// [`LaunchError`] if the launch does not fit the entry; nothing has run then. What the kernel does
/// wrong, and a launch over a GPU's limits, is in [`Report::findings`].
pub fn launch(
    module: &Module,
    memory: &Memory,
    launch: &Launch,
    options: &Options,
) -> Result<Report, LaunchError> {
    let mut entries = module.entries().iter();
    let entry = entries
        .find(|entry| entry.name() == launch.entry)
        .ok_or_else(|| LaunchError::UnknownEntry {
            name: launch.entry.to_string(),
            available: module.names(),
        })?;
    check_arguments(entry, launch)?;
    let decoded = entry.decoded().map_err(Clone::clone)?;
    let mut report = run(module, decoded, memory, launch, options)?;
    for finding in &mut report.findings {
        name_freed(finding, memory);
    }
    Ok(report)
}

/// Says so where an access that hit no buffer would have hit one that the host has freed.
fn name_freed(finding: &mut Finding, memory: &Memory) {
    let is_lost = matches!(
        finding.kind,
        FindingKind::OutOfBounds | FindingKind::InvalidAddress
    ) && finding.space == Some(Space::Global)
        && matches!(
            finding.detail,
            Detail::Index { .. } | Detail::Pointer { .. }
        );
    let freed = finding.address.and_then(|address| memory.freed_at(address));
    if let (true, Some(freed)) = (is_lost, freed) {
        finding.kind = FindingKind::InvalidAddress;
        finding.buffer = Some(freed.clone());
        finding.detail = Detail::FreedBuffer;
    }
}

/// Bytes of this machine's memory that a launch takes beside its buffers: what host threads hold and, with checks, what
/// is kept of the buffers. More than it takes unless its blocks race all over them; 0 for what would be refused anyway.
pub fn needed_bytes(module: &Module, memory: &Memory, launch: &Launch, options: &Options) -> u64 {
    match module.entry(launch.entry).map(Entry::decoded) {
        Ok(Ok(entry)) => needed(module, entry, memory, launch, options),
        _ => 0,
    }
}

fn check_arguments(entry: &Entry, launch: &Launch) -> Result<(), LaunchError> {
    let params = entry.params();
    if params.len() != launch.args.len() {
        return Err(LaunchError::ArgumentCount {
            entry: entry.name().to_string(),
            expected: params.len(),
            found: launch.args.len(),
        });
    }
    for (index, (param, arg)) in params.iter().zip(launch.args).enumerate() {
        if param.bytes != arg.0.len() {
            return Err(LaunchError::ArgumentSize {
                entry: entry.name().to_string(),
                index,
                name: param.name.clone(),
                expected: param.bytes,
                found: arg.0.len(),
            });
        }
    }
    Ok(())
}
