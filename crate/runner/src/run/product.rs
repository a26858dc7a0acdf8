//! The verb's run of one kernel that multiplies matrices.

use super::sentence;
use crate::claims::{self, Claim};
use crate::output::{self, Table, grouped};
use crate::{exit, json};
use cornerturn::registry::{ProductEntry, Registry};
use cornerturn::{CublasGemm, Device, Error, Product, ProductRun, ProductShape, TimingMode};
use cornerturn_model::Machine;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Runs the kernel, on a GPU beside cuBLAS where that is installed, and prints what came of it.
pub fn run(
    registry: &Registry,
    entry: &ProductEntry,
    device: &Device,
    shape: ProductShape,
    (as_json, machine): (bool, Option<&Machine>),
) -> anyhow::Result<ExitCode> {
    let run = claims::run_product(registry, entry, device, shape)?;
    let cublas = beside(device, &run)?;
    let claims = claims::check_product(registry, entry)?;
    // A product that is large for the emulator is not run there a second time.
    let machine = machine.filter(|_| run.counted == Some(run.problem.shape));
    let observe = || claims::observe_product(registry, entry, shape);
    let predicted = super::observed(machine, observe)?;
    match as_json {
        true => {
            let mut object = object(&run, cublas.as_ref(), &claims);
            if let Some(predicted) = &predicted {
                predicted.add_to(&mut object);
            }
            output::json(&object)?;
        }
        false => {
            let line = predicted.map_or(String::new(), |found| found.line(None));
            output::print(text(&run, cublas.as_ref(), &claims) + &line)?;
        }
    }
    let on = format!("a product {}", entry.claimed_shape());
    let broken: Vec<String> = claims
        .iter()
        .filter(|claim| !claim.holds)
        .map(|claim| sentence(claim, &on))
        .collect();
    match broken.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        false => Err(exit::wrong(format!("{}: {}", entry.id, broken.join("; ")))),
    }
}

/// cuBLAS at the same product.
struct Cublas {
    library: String,
    us: f64,
    tera_per_s: f64,
}

/// cuBLAS at the same product, on a GPU that has it and numbers that it has.
fn beside(device: &Device, run: &ProductRun) -> anyhow::Result<Option<Cublas>> {
    if !device.is_cuda() || !CublasGemm::takes(&run.problem) {
        return Ok(None);
    }
    let cublas = match CublasGemm::open(device) {
        Ok(cublas) => cublas,
        Err(Error::NoCublas(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let product = Product::new(device, run.problem)?;
    product.verify_cublas(&cublas)?;
    let us = product.time_cublas(&cublas, TimingMode::Warm)?.median_us();
    Ok(Some(Cublas {
        library: cublas.library().to_string(),
        us,
        tera_per_s: run.problem.tera_per_s(us),
    }))
}

fn object(run: &ProductRun, cublas: Option<&Cublas>, claims: &[Claim]) -> Value {
    let timing = run.timing.as_ref().map(|timing| {
        let (lower, upper) = timing.quartiles_us();
        json!({
            "median_us": timing.median_us(),
            "quartiles_us": [lower, upper],
            "samples": timing.count(),
            "cache": timing.mode.to_string(),
            "tera_per_s": run.tera_per_s(),
        })
    });
    let cublas = cublas.map(|cublas| {
        json!({
            "library": cublas.library,
            "median_us": cublas.us,
            "tera_per_s": cublas.tera_per_s,
        })
    });
    json!({
        "kernel": run.kernel,
        "device": run.device,
        "m": run.problem.shape.m,
        "n": run.problem.shape.n,
        "k": run.problem.shape.k,
        "layout": run.problem.layout,
        "input": run.problem.input,
        "output": run.problem.output,
        "grid": run.grid.array(),
        "block": run.block.array(),
        "verified": true,
        "worst_error": run.accuracy.worst,
        "counted": run.counted,
        "counters": json::counters(&run.counters),
        "claims": claims,
        "timing": timing,
        "cublas": cublas,
    })
}

fn text(run: &ProductRun, cublas: Option<&Cublas>, claims: &[Claim]) -> String {
    let mut text = format!("{}\n{}\n", run.verified_line(), run.checked_line());
    if let (Some(line), Some(rate)) = (run.rate_line(), run.tera_per_s()) {
        text.push_str(&format!("time: {line}\n"));
        if let Some(cublas) = cublas {
            text.push_str(&format!(
                "{}: {:.2} TFLOP/s, {:.2} µs; the kernel has {:.1} % of its rate\n",
                cublas.library,
                cublas.tera_per_s,
                cublas.us,
                100.0 * rate / cublas.tera_per_s
            ));
        }
    }
    match run.counted {
        Some(shape) if shape != run.problem.shape => {
            text.push_str(&format!("counted on a smaller product, {shape}:\n"));
        }
        Some(_) => {}
        None => text.push_str("not counted: the emulator does not run this product\n"),
    }
    let mut table = Table::new(["counter", "count"]);
    for (name, count) in run.counters.iter().filter(output::is_shown) {
        table.row([name.to_string(), grouped(count)]);
    }
    text.push_str(&table.render());
    if let Some(intensity) = run.intensity_at_l1() {
        text.push_str(&format!(
            "arithmetic: {} operations, {intensity:.3} for each byte of global sectors\n",
            grouped(run.flops().total() + run.counters.tensor_int8),
        ));
    }
    let held = claims.iter().filter(|claim| claim.holds).count();
    text.push_str(&format!("claims that hold: {held} of {}\n", claims.len()));
    text
}
