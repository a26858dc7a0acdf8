//! Verb `list`: the registered kernels and what they claim.

use crate::output::{self, Table};
use cornerturn::registry::{Grid, KernelEntry, ProductEntry, Registry, WorkEntry};
use serde_json::json;
use std::process::ExitCode;

/// List the registered kernels and what each claims to do to memory
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON array instead of the tables
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    if args.json {
        let kernels = registry.kernels().iter().map(|entry| json!(entry));
        let works = registry.works().iter().map(|entry| json!(entry));
        let products = registry.products().iter().map(|entry| json!(entry));
        output::json(&kernels.chain(works).chain(products).collect::<Vec<_>>())?;
    } else {
        output::print(table(registry.kernels()))?;
        output::line("")?;
        output::print(works(registry.works()))?;
        output::line("")?;
        output::print(products(registry.products()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The kernels that multiply matrices.
fn products(products: &[ProductEntry]) -> String {
    let mut table = Table::new([
        "kernel",
        "numbers",
        "layout",
        "tile",
        "block",
        "grid",
        "multiple of",
        "chapter",
    ]);
    for entry in products {
        let joined = |sides: &[u32]| {
            let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
            sides.join("×")
        };
        let grid = match (entry.grid, entry.blocks_per_multiprocessor) {
            (Grid::Persistent, Some(n)) => format!("{} × {n}", entry.grid.name()),
            _ => entry.grid.name().to_string(),
        };
        let multiple_of = match entry.multiple_of {
            [1, 1, 1] => "–".to_string(),
            other => joined(&other),
        };
        let numbers = match entry.output {
            Some(output) => format!("{} → {output}", entry.input),
            None => entry.input.to_string(),
        };
        table.row([
            entry.id.clone(),
            numbers,
            entry.layout.to_string(),
            joined(&[entry.tile[0], entry.tile[1], entry.step]),
            joined(&entry.block),
            grid,
            multiple_of,
            entry.chapter.clone(),
        ]);
    }
    table.render()
}

/// The kernels that do a work on arrays.
fn works(works: &[WorkEntry]) -> String {
    let mut table = Table::new(["kernel", "work", "parameters", "block", "chapter"]);
    for entry in works {
        let known = entry.parameters();
        let parameters = match known.end() {
            0 => "–".to_string(),
            last => format!("{} to {last}", known.start()),
        };
        table.row([
            entry.id.clone(),
            entry.work.name().to_string(),
            parameters,
            entry.block.to_string(),
            entry.chapter.clone(),
        ]);
    }
    table.render()
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
