//! What the emulator observes of a launch for the model of time. What the model makes of it is `cornerturn_model`'s.

use crate::argument::Argument;
use crate::device::Prepared;
use crate::kernel::Kernel;
use cornerturn_base::error::Result;
use cornerturn_emulator::{Report, TraceRequest};
use cornerturn_model::{Observation, Shape};

/// What the emulator has to record.
pub(super) fn request(kernel: &Kernel, prepared: &Prepared) -> Result<TraceRequest> {
    Ok(cornerturn_model::request(&shape(kernel, prepared)?))
}

/// What was recorded; the report keeps nothing of it.
pub(super) fn observation(
    kernel: &Kernel,
    prepared: &Prepared,
    arguments: &[Argument],
    report: &mut Report,
) -> Result<Observation> {
    let shape = shape(kernel, prepared)?;
    let buffers = arguments.iter().flat_map(Argument::buffers);
    let buffers: Vec<(u64, u64)> = buffers
        .map(|buffer| (buffer.address(), buffer.bytes() as u64))
        .collect();
    let found = Observation::new(shape, kernel.ptx_text(), &buffers, report);
    report.trace = None;
    Ok(found)
}

fn shape(kernel: &Kernel, prepared: &Prepared) -> Result<Shape> {
    let entry = kernel.module()?.entry(kernel.entry());
    let declared = entry.map_or(0, |entry| entry.static_shared_bytes());
    Ok(Shape {
        grid: prepared.grid.array(),
        block: prepared.block.array(),
        shared_bytes: declared.saturating_add(prepared.dynamic_shared_bytes),
        registers: None,
        carveout: prepared.caches.carveout_percent,
    })
}
