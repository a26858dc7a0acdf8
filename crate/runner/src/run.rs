//! Verb `run`: one registered kernel on one matrix: verified, counted, its claims checked, timed on a GPU.

use crate::claims::{self, Claim};
use crate::device::{self, Choice};
use crate::output::{self, Table, grouped};
use crate::{exit, json};
use cornerturn::registry::Registry;
use cornerturn::{Run, Shape, Timing, traffic};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Run a registered kernel on a matrix: verify it bitwise, count what it does to memory, check its claims, and time it
/// on a GPU
///
/// `cornerturn list` shows the kernels. The exit status is 0 if the result is right and the claims hold, else 1.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The kernel's name in the registry
    kernel: String,

    /// Rows of the input
    #[arg(long, default_value_t = 4096, allow_negative_numbers = true)]
    rows: usize,

    /// Columns of the input
    #[arg(long, default_value_t = 4096, allow_negative_numbers = true)]
    columns: usize,

    /// How many matrices, for a kernel that takes a batch
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    batches: usize,

    /// Where to run it [default: a GPU if there is one, else the emulator]
    #[arg(long, value_enum)]
    device: Option<Choice>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let entry = registry.get(&args.kernel)?;
    let device = device::open(args.device)?;
    let run = claims::run(
        &registry,
        entry,
        &device,
        Shape::new(args.rows, args.columns),
        args.batches,
    )?;
    let claims = claims::check(&registry, entry)?;
    if args.json {
        output::json(&as_json(&run, &claims))?;
    } else {
        output::print(as_text(&run, &claims))?;
    }
    let broken: Vec<String> = claims
        .iter()
        .filter(|claim| !claim.holds)
        .map(|claim| sentence(claim, claims::matrices(entry).0))
        .collect();
    if broken.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(exit::wrong(format!(
        "{}: {}",
        args.kernel,
        broken.join("; ")
    )))
}

fn sentence(claim: &Claim, shape: Shape) -> String {
    let counted = claim
        .counted
        .map_or("there is no such request".to_string(), |n| {
            format!("{n} were counted")
        });
    format!(
        "claims {} = {}, but {counted} on a {shape} matrix",
        claim.name, claim.claimed
    )
}

fn as_json(run: &Run, claims: &[Claim]) -> Value {
    let time = |timing: &Timing| {
        let (lower, upper) = timing.quartiles_us();
        json!({
            "median_us": timing.median_us(),
            "quartiles_us": [lower, upper],
            "samples": timing.count(),
            "cache": timing.mode.to_string(),
            "gb_per_s": timing.gb_per_s(run.bytes_moved).0,
        })
    };
    json!({
        "kernel": run.kernel,
        "device": run.device,
        "rows": run.shape.rows,
        "columns": run.shape.columns,
        "batches": run.batches,
        "element": run.element,
        "grid": run.grid.array(),
        "block": run.block.array(),
        "bytes_moved": run.bytes_moved,
        "verified": true,
        "counters": json::counters(&run.counters),
        "claims": claims,
        "timing": run.timing.as_ref().map(time),
        "driver_copy": run.copy.as_ref().map(time),
    })
}

fn as_text(run: &Run, claims: &[Claim]) -> String {
    let what = match run.batches {
        1 => format!("{} matrix of {}", run.shape, run.element),
        n => format!("{n} {} matrices of {}", run.shape, run.element),
    };
    let mut text = format!(
        "{}: {what}, grid {}, block {}, on {}\nverified: every element is right, bit for bit\n",
        run.kernel, run.grid, run.block, run.device
    );
    if let Some(timing) = &run.timing {
        text.push_str(&format!(
            "time: {timing}, {:.0}",
            timing.gb_per_s(run.bytes_moved)
        ));
        if let Some(copy) = &run.copy {
            let share = timing
                .gb_per_s(run.bytes_moved)
                .percent_of(copy.gb_per_s(run.bytes_moved));
            text.push_str(&format!(
                ", {share:.0} % of the driver's copy ({:.0})",
                copy.gb_per_s(run.bytes_moved)
            ));
        }
        text.push('\n');
    }
    let mut table = Table::new(["counter", "count"]);
    for (name, count) in run.counters.iter() {
        table.row([name.to_string(), grouped(count)]);
    }
    text.push_str(&table.render());
    if let Some(efficiency) = traffic::efficiency(run.bytes_moved, &run.counters) {
        text.push_str(&format!(
            "global memory: {:.1} % of the bytes in the sectors were asked for\n",
            100.0 * efficiency
        ));
    }
    let held = claims.iter().filter(|claim| claim.holds).count();
    text.push_str(&format!("claims that hold: {held} of {}\n", claims.len()));
    text
}
