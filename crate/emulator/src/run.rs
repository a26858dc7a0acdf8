//! Running a program: strands of lanes with their reconvergence stacks, blocks with their barriers, the grid over host threads.

mod block;
mod call;
mod cluster;
mod gather;
mod grid;
mod limits;
mod need;
mod outcome;
mod preset;
mod shared;
mod strand;

use crate::error::LaunchError;
use crate::launch::{Launch, Options};
use crate::memory::Memory;
use crate::module::{Entry, Module};
use crate::report::Report;

pub(crate) use grid::{needed, run};
pub use outcome::counters_of;
pub use preset::MULTIPROCESSORS;

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
    run(module, decoded, memory, launch, options)
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
