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
        output::line(serde_json::to_string_pretty(registry.kernels())?)?;
    } else {
        output::print(table(registry.kernels()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table(kernels: &[KernelEntry]) -> String {
    let mut table = Table::new([
        "kernel",
        "operation",
        "tile",
        "block",
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
        let [tile, block] = [kernel.tile, kernel.block].map(|[x, y]| format!("{x}×{y}"));
        table.row([
            kernel.id.clone(),
            kernel.operation.to_string(),
            tile,
            block,
            claim("global_load_sectors_per_request"),
            claim("global_store_sectors_per_request"),
            claim("shared_load_wavefronts_per_request"),
            claim("shared_store_wavefronts_per_request"),
            kernel.chapter.clone(),
        ]);
    }
    table.render()
}
