//! `record --cells`: runs the chapters' cells on this machine's GPU and keeps what they show. How cells run, and the form
//! of the files, are the preprocessor's.

use crate::book::{failure, options};
use crate::{exit, output, toolchain};
use cornerturn::{Device, paths, record};
use cornerturn_preprocessor::{Provenance, record_cells};
use std::path::Path;
use std::process::ExitCode;

/// Runs the cells of these chapters, or of all, and writes a file for each chapter below `results`.
pub fn record(device: &Device, chapters: &[String], results: &Path) -> anyhow::Result<ExitCode> {
    let facts = device.facts();
    if !Device::open()?.is_cuda() {
        return Err(exit::usage(
            "CORNERTURN_DEVICE sends the cells to the emulator: unset it to record them on the GPU",
        ));
    }
    toolchain::prepare()?;
    let (mut options, shown) = options(&paths::root()?)?;
    // What earlier builds have kept may be of another day and driver.
    options.fresh = true;
    let made = Provenance {
        device: facts.name.clone(),
        folder: facts.slug.clone(),
        driver: facts.driver.clone(),
        cuda_version: facts.cuda_version.clone(),
        date: record::today(),
        commit: super::commit(),
        tool: format!("cornerturn {}", env!("CARGO_PKG_VERSION")),
    };
    let results = std::path::absolute(results)?;
    let written = record_cells(&options, chapters, &made, &results);
    shown.end();
    let mut failed = 0;
    for chapter in written.map_err(failure)? {
        match chapter {
            Ok(path) => output::line(format_args!("written to {}", path.display()))?,
            Err(error) => {
                failed += 1;
                output::error(&failure(error));
            }
        }
    }
    output::line(made)?;
    match failed {
        0 => Ok(ExitCode::SUCCESS),
        _ => Err(exit::wrong(format!("{failed} chapters were not recorded"))),
    }
}
