//! Verb `list`: the registered kernels and what they claim.

use crate::output::{self, Table};
use cornerturn::registry::{KernelEntry, Registry};
use std::process::ExitCode;

/// List the registered kernels and what each claims to do to memory
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON array instead of the table
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    if args.json {
        output::json(&registry.kernels())?;
    } else {
        output::print(table(registry.kernels()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table(kernels: &[KernelEntry]) -> String {
    let mut table = Table::new([
        "kernel",
        "operation",
        "element",
        "arguments",
        "multiple of",
        "tile",
        "block",
        "grid",
        "sectors/load",
        "sectors/store",
        "wavefronts/load",
        "wavefronts/store",
        "chapter",
    ]);
    for kernel in kernels {
        let claim = |name: &str| match kernel.claims.get(name) {
            Some(claim) => claim.to_string(),
            None => "–".to_string(),
        };
        let pair = |[x, y]: [u32; 2]| format!("{x}×{y}");
        let grid = match kernel.blocks_per_multiprocessor {
            Some(n) => format!("{} × {n}", kernel.grid.name()),
            None => kernel.grid.name().to_string(),
        };
        let multiple_of = match kernel.multiple_of {
            [1, 1] => "–".to_string(),
            other => pair(other),
        };
        table.row([
            kernel.id.clone(),
            kernel.operation.to_string(),
            kernel.element.to_string(),
            kernel.arguments.name().to_string(),
            multiple_of,
            pair(kernel.tile),
            pair(kernel.block),
            grid,
            claim("global_load_sectors_per_request"),
            claim("global_store_sectors_per_request"),
            claim("shared_load_wavefronts_per_request"),
            claim("shared_store_wavefronts_per_request"),
            kernel.chapter.clone(),
        ]);
    }
    table.render()
}
