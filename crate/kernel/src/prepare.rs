//! Compiles what the first cell of a notebook needs, once for all kernels, so that no reader waits for it. Serves no notebook.

use crate::environment::environment;
use crate::slots;
use anyhow::{Context, anyhow, bail};
use evcxr::CommandContext;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// Compiles what the notebooks of the project at `root` need, which all begin with `cell`, unless that is done: `mark` is what it
/// depends on. `program` is this one.
pub fn all(root: &Path, program: &Path, cell: &str, mark: &str) -> anyhow::Result<()> {
    let prepared = slots::prepared(root);
    let file = prepared.join(slots::MARK);
    if fs::read_to_string(&file).is_ok_and(|found| found == mark) {
        return Ok(());
    }
    fs::create_dir_all(&prepared).with_context(|| prepared.display().to_string())?;
    // Until it is complete again, no kernel starts from it.
    if file.exists() {
        fs::remove_file(&file).with_context(|| file.display().to_string())?;
    }
    let mut command = Command::new(program);
    command
        .args(["--first-cell", cell])
        .current_dir(root.join("notebooks"));
    environment(&mut command, root, &prepared)?;
    let status = command.status().context("the first cell")?;
    if !status.success() {
        bail!("the first cell of the notebooks fails: {status}");
    }
    fs::write(&file, mark).with_context(|| file.display().to_string())
}

/// Runs one cell, so that what it depends on is compiled.
pub fn first(cell: &str) -> anyhow::Result<()> {
    let (mut context, outputs) = CommandContext::new().map_err(|error| anyhow!("{error}"))?;
    for lines in [outputs.stdout, outputs.stderr] {
        // evcxr waits until what its child prints is read.
        thread::spawn(move || lines.iter().for_each(|line| println!("{line}")));
    }
    let ran = context.execute(cell);
    ran.map_err(|error| anyhow!("the cell fails: {error}"))?;
    Ok(())
}
