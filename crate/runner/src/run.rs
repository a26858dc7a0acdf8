//! Verb `run`: one registered kernel on one matrix, on arrays or on one product: verified, counted, its claims checked, timed on a GPU.

mod product;

use crate::claims::{self, Claim};
use crate::device::{self, Choice};
use crate::output::{self, Table, grouped};
use crate::{compiler, exit, json, predict};
use cornerturn::registry::{BY_SHAPE, Registry};
use cornerturn::{Asked, LaunchReport, ProductShape, Run, Shape, Timing, traffic};
use cornerturn_model::Machine;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Run a registered kernel on a matrix: verify it bitwise, count what it does to memory, check its claims, and time it
/// on a GPU
///
/// `cornerturn list` shows the kernels. The exit status is 0 if the result is right and the claims hold, else 1.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The kernel's name in the registry, or `sgemm`: the ring for float32 products, its tile chosen by shape
    kernel: String,

    /// Rows of the input
    #[arg(long, default_value_t = 4096, allow_negative_numbers = true)]
    rows: usize,

    /// Columns of the input
    #[arg(long, default_value_t = 4096, allow_negative_numbers = true)]
    columns: usize,

    /// How many items, for a kernel that does a work on arrays
    #[arg(long, default_value_t = 1 << 20, allow_negative_numbers = true)]
    items: usize,

    /// The parameter of a work on arrays, such as its stride [default: the least that it takes]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    parameter: Option<u32>,

    /// How many matrices, for a kernel that takes a batch
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    batches: usize,

    /// m, n and k of a kernel that multiplies matrices, or one number for all three
    #[arg(long, value_name = "MxNxK", default_value = "512x512x512")]
    shape: ProductShape,

    /// Where to run it [default: a GPU if there is one, else the emulator]
    #[arg(long, value_enum)]
    device: Option<Choice>,

    #[command(flatten)]
    compiler: compiler::Chosen,

    #[command(flatten)]
    predict: predict::Chosen,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.compiler.choose();
    let registry = Registry::load()?;
    let device = device::open(args.device)?;
    let machine = args.predict.machine()?;
    if args.kernel == BY_SHAPE {
        let entry = registry.best_tile(args.shape, device.multiprocessors())?;
        return product::run(
            &registry,
            entry,
            &device,
            args.shape,
            (args.json, machine.as_ref()),
        );
    }
    if let Ok(entry) = registry.product(&args.kernel) {
        return product::run(
            &registry,
            entry,
            &device,
            args.shape,
            (args.json, machine.as_ref()),
        );
    }
    let predicted;
    let (run, claims, on) = match registry.work(&args.kernel) {
        Ok(entry) => {
            let parameter = args.parameter.unwrap_or(*entry.parameters().start());
            let run = claims::run_work(&registry, entry, &device, args.items, parameter)?;
            let claims = claims::check_work(&registry, entry)?;
            let observe = || claims::observe_work(&registry, entry, args.items, parameter);
            predicted = observed(machine.as_ref(), observe)?;
            (run, claims, "4096 items".to_string())
        }
        // What no kind knows is told with the names of all.
        Err(_) => {
            let entry = registry.get(registry.code(&args.kernel)?.id)?;
            let shape = Shape::new(args.rows, args.columns);
            let run = claims::run(&registry, entry, &device, shape, args.batches)?;
            let observe = || claims::observe(&registry, entry, shape, args.batches);
            predicted = observed(machine.as_ref(), observe)?;
            let on = format!("a {} matrix", claims::matrices(entry).0);
            (run, claims::check(&registry, entry)?, on)
        }
    };
    if args.json {
        let mut object = as_json(&run, &claims);
        if let Some(predicted) = &predicted {
            predicted.add_to(&mut object);
        }
        output::json(&object)?;
    } else {
        let line = predicted.map_or(String::new(), |found| found.line(Some(run.bytes_moved)));
        output::print(as_text(&run, &claims) + &line)?;
    }
    let broken: Vec<String> = claims
        .iter()
        .filter(|claim| !claim.holds)
        .map(|claim| sentence(claim, &on))
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

/// What is predicted of a launch that is observed for it; nothing where no machine is asked for or the emulator lacks something.
fn observed(
    machine: Option<&Machine>,
    observe: impl FnOnce() -> anyhow::Result<LaunchReport>,
) -> anyhow::Result<Option<predict::Predicted>> {
    let Some(machine) = machine else {
        return Ok(None);
    };
    let report = observe()?;
    let found = report.observation.as_deref();
    Ok(found.map(|found| predict::Predicted::new(machine, found)))
}

fn sentence(claim: &Claim, on: &str) -> String {
    let counted = claim
        .counted
        .map_or("there is no such request".to_string(), |n| {
            format!("{n} were counted")
        });
    format!(
        "claims {} = {}, but {counted} on {on}",
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
    let mut object = json!({
        "kernel": run.kernel,
        "device": run.device,
        "element": run.element(),
        "grid": run.grid.array(),
        "block": run.block.array(),
        "bytes_moved": run.bytes_moved,
        "verified": true,
        "counters": json::counters(&run.counters),
        "claims": claims,
        "timing": run.timing.as_ref().map(time),
        "driver_copy": run.copy.as_ref().map(time),
    });
    let asked = match &run.asked {
        Asked::Matrices(problem) => json!({
            "rows": problem.shape.rows,
            "columns": problem.shape.columns,
            "batches": problem.batches,
        }),
        Asked::Arrays { what, items, .. } => json!({ "work": what, "items": items }),
    };
    if let (Value::Object(object), Value::Object(asked)) = (&mut object, asked) {
        object.extend(asked);
    }
    object
}

fn as_text(run: &Run, claims: &[Claim]) -> String {
    let what = match &run.asked {
        Asked::Matrices(problem) => match problem.batches {
            1 => format!("{} matrix of {}", problem.shape, problem.element),
            n => format!("{n} {} matrices of {}", problem.shape, problem.element),
        },
        Asked::Arrays { what, .. } => what.clone(),
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
    for (name, count) in run.counters.iter().filter(output::is_shown) {
        table.row([name.to_string(), grouped(count)]);
    }
    text.push_str(&table.render());
    if let Some(efficiency) = traffic::efficiency(run.bytes_moved, &run.counters) {
        text.push_str(&format!(
            "global memory: {:.1} % of the bytes in the sectors were asked for\n",
            100.0 * efficiency
        ));
    }
    if run.flops().total() > 0 {
        let each = |intensity: Option<f64>| intensity.unwrap_or(0.0);
        text.push_str(&format!(
            "arithmetic: {} floating-point operations, {:.3} for each byte of global sectors, {:.3} for each that must \
             move\n",
            grouped(run.flops().total()),
            each(run.arithmetic_intensity()),
            each(run.dram_intensity())
        ));
    }
    let held = claims.iter().filter(|claim| claim.holds).count();
    text.push_str(&format!("claims that hold: {held} of {}\n", claims.len()));
    text
}
