//! The experiment `transpose`: bandwidth of every registered kernel, of cuBLAS and of the driver's copy, interleaved, cold cache, raw samples. Which matrices are measured is in `cases`, how in `stand`.

use super::cases;
use super::measured::{merged, save, share_of_copy};
use super::stand::Stand;
use crate::output::{self, Table};
use cornerturn::record::{CUBLAS_GEAM, Record};
use cornerturn::registry::Registry;
use cornerturn::{Device, Error, Geam, Shape};
use std::path::Path;
use std::process::ExitCode;

/// Measures these kernels, all if none is named, writes the record and prints it as a table. Measurements of a part take
/// their place in the record that there is.
pub fn record(
    device: &Device,
    ids: &[String],
    shapes: &[Shape],
    folder: &Path,
) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let kernels = super::chosen(&registry, ids)?;
    let mut record = Record::new("transpose", device, &super::commit());
    let geam = open_geam(device);
    for set in cases::sets(&kernels, shapes) {
        output::step(format!("{set} …"));
        let measured = Stand::new(&registry, device, geam.as_ref(), &set)
            .and_then(|stand| stand.map_or(Ok(()), |stand| measure(&stand, &mut record)));
        match measured {
            Err(error) if is_memory(&error) => {
                output::step(format!("{set} is left out: {error:#}"));
            }
            result => result?,
        }
    }
    let table = table(&record);
    let is_part = !(ids.is_empty() && shapes.is_empty());
    save(&merged(record, folder, is_part)?, folder, &table)
}

/// cuBLAS, where it is installed.
fn open_geam(device: &Device) -> Option<Geam> {
    Geam::open(device)
        .inspect_err(|error| output::step(format!("{CUBLAS_GEAM} is left out: {error}")))
        .ok()
}

fn is_memory(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::Memory { .. }))
}

fn measure(stand: &Stand, record: &mut Record) -> anyhow::Result<()> {
    let sampled = stand.cold_rounds()?;
    let measurements = stand.measurements(&sampled, &super::measured::round_options())?;
    record.measurements.extend(measurements);
    record.device.clocks = sampled.clocks;
    Ok(())
}

fn table(record: &Record) -> String {
    let mut table = Table::new([
        "matrix",
        "kernel",
        "median µs",
        "quartiles µs",
        "samples",
        "GB/s",
        "% of copy",
    ]);
    for measurement in &record.measurements {
        let timing = measurement.timing();
        let (lower, upper) = timing.quartiles_us();
        table.row([
            format!("{} {}", measurement.matrices(), measurement.element),
            measurement.kernel.clone(),
            format!("{:.2}", timing.median_us()),
            format!("{lower:.2}–{upper:.2}"),
            timing.count().to_string(),
            format!("{:.0}", measurement.gb_per_s().0),
            share_of_copy(record, measurement),
        ]);
    }
    table.render()
}
