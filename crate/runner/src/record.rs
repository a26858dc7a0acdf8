//! Verb `record`: measures on this machine's GPU and writes what the book reads. Each experiment has a file of its own.

mod cases;
#[cfg(feature = "book")]
mod cells;
mod cold;
mod comparison;
mod compilers;
mod counters;
mod exercises;
mod launches;
mod machine;
mod measured;
mod ncu;
mod once;
mod products;
mod reports;
mod stand;
mod streams;
mod transfers;
mod transpose;
mod works;

pub use once::{OnceArgs, once};

#[cfg(feature = "book")]
use cells::record as run_cells;
use clap::ValueEnum;
use cornerturn::registry::KernelEntry;
use cornerturn::{Device, ProductShape, Registry, Shape, paths};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// Measure on this machine's GPU and write the record that the book reads
///
/// It needs the project's kernels/ folder (in or above the current folder, or named by CORNERTURN_HOME) and an NVIDIA
/// GPU, but neither Rust nor a network. The file is DIR/GPU/EXPERIMENT.json; it is written whole, at the end.
///
/// With --cells the chapters' cells run, which needs Rust, and what they show is kept for the pages that are built on
/// other machines, in DIR/GPU/cells.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to measure; without it the experiments are listed
    #[arg(value_enum)]
    experiment: Option<Experiment>,

    /// Run the chapters' cells and keep what they show: of all chapters, or of those named as in book/src
    #[arg(long, value_name = "CHAPTER", num_args = 0.., conflicts_with_all = ["experiment", "shapes", "kernels"])]
    cells: Option<Vec<String>>,

    /// Where the records are [default: book/results]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Measure these shapes instead of the experiment's own; of products MxNxK
    #[arg(long = "shape", value_name = "ROWSxCOLUMNS", value_parser = parse_sides)]
    shapes: Vec<Sides>,

    /// Measure only the products of this chapter
    #[arg(long, value_name = "NAME")]
    chapter: Option<String>,

    /// Measure only this kernel, exercise, or way of transfer or pipeline; may be given several times [default: all]
    #[arg(long = "kernel", value_name = "ID")]
    kernels: Vec<String>,

    /// Print the experiments as a list of JSON objects: name, measures; or error. What is measured is written to a record, which is JSON itself
    #[arg(long)]
    json: bool,
}

/// What can be measured.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Experiment {
    /// Bandwidth of every registered kernel and of the driver's copy, cold cache
    Transpose,
    /// What the cache holds before a launch, and what that makes of a bandwidth: cold, clean, unreset, rotated, warm
    Cold,
    /// Memory counters of every registered kernel, by NVIDIA's profiler ncu and by the emulator
    Counters,
    /// What NVIDIA's profiler ncu says of some launches: throughputs, hit rates, occupancy, what warps waited for
    Reports,
    /// Bandwidth of works on arrays with each of their parameters, cold cache unless the registry says otherwise; one record a chapter
    Works,
    /// Products of matrices by every kernel and by cuBLAS, warm cache; a few shapes with --shape MxNxK
    Products,
    /// Transfers between the host's memory and the GPU's, by every way and size
    Transfers,
    /// A pipeline of copies and kernels on one stream and on several, by size
    Streams,
    /// The machine by itself: latencies of its memories, their sizes, and how fast they are read; under two minutes
    Machine,
    /// Launches of kernels that do little: by themselves, in streams, in graphs, and as programmatic dependent launches; under a minute
    Launches,
    /// Every registered kernel by our own compiler's PTX beside NVRTC's: verified, and timed in turns
    Compilers,
    /// Bandwidth of the workshop's solutions and of the driver's copy, cold cache; needs the compiler
    Exercises,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.experiment.is_none() && args.cells.is_none() {
        match args.json {
            true => crate::output::json(&experiments_as_json())?,
            false => crate::output::print(experiments())?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    if args.json {
        return Err(crate::exit::usage(
            "what `record` measures has no --json: it is written to a record in --out, which is JSON itself; `record --json` \
             lists the experiments",
        ));
    }
    let device = gpu()?;
    let results = match args.out {
        Some(folder) => folder,
        None => {
            crate::exit::refuse_carried(
                "records are kept in book/results; or name a folder with --out",
            )?;
            paths::results()?
        }
    };
    let Some(experiment) = args.experiment else {
        return run_cells(&device, &args.cells.unwrap_or_default(), &results);
    };
    let folder = results.join(&device.facts().slug);
    if args.chapter.is_some() && !matches!(experiment, Experiment::Products) {
        return Err(crate::exit::usage("--chapter is for `record products`"));
    }
    let (shapes, products) = match experiment {
        Experiment::Products => (Vec::new(), of_products(&args.shapes)?),
        _ => (of_matrices(&args.shapes)?, Vec::new()),
    };
    match experiment {
        Experiment::Products => {
            let chosen = products::Chosen {
                ids: &args.kernels,
                chapter: args.chapter.as_deref(),
                shapes: &products,
            };
            products::record(&device, &chosen, &folder)
        }
        Experiment::Transpose => transpose::record(&device, &args.kernels, &shapes, &folder),
        Experiment::Cold => cold::record(&device, &args.kernels, &shapes, &folder),
        Experiment::Exercises => exercises::record(&device, &args.kernels, &shapes, &folder),
        Experiment::Compilers => compilers::record(&device, &args.kernels, &folder),
        Experiment::Launches => launches::record(&device, &folder),
        Experiment::Machine => machine::record(&device, &folder),
        Experiment::Reports => reports::record(&device, &args.kernels, &folder),
        Experiment::Works => works::record(&device, &args.kernels, &folder),
        Experiment::Transfers => transfers::record(&device, &args.kernels, &folder),
        Experiment::Streams => streams::record(&device, &args.kernels, &folder),
        Experiment::Counters => counters::record(&device, &args.kernels, &shapes, &folder),
    }
}

/// The experiments, with what each measures.
fn named_experiments() -> impl Iterator<Item = (String, String)> {
    let values = Experiment::value_variants().iter();
    let values = values.filter_map(ValueEnum::to_possible_value);
    values.map(|value| {
        let help = value.get_help().map(ToString::to_string);
        (value.get_name().to_string(), help.unwrap_or_default())
    })
}

fn experiments_as_json() -> Vec<serde_json::Value> {
    named_experiments()
        .map(|(name, measures)| serde_json::json!({ "name": name, "measures": measures }))
        .collect()
}

fn experiments() -> String {
    let mut text = String::from("cornerturn record EXPERIMENT, one of:\n");
    for (name, measures) in named_experiments() {
        text.push_str(&format!("  {name:<12}{measures}\n"));
    }
    text.push_str("or cornerturn record --cells: what the chapters' cells show\n");
    text
}

/// The GPU that is measured. The emulator is no help here: it has no time.
fn gpu() -> anyhow::Result<Device> {
    Device::cuda().map_err(|error| match &error {
        cornerturn::Error::NoCuda(reason) => crate::exit::lacks(format!(
            "{}, and `record` measures time, which the emulator does not have; run it on a machine with an NVIDIA GPU \
             (`cornerturn doctor` says what this one lacks)",
            reason.fault()
        )),
        _ => error.into(),
    })
}

#[cfg(not(feature = "book"))]
fn run_cells(_: &Device, _: &[String], _: &std::path::Path) -> anyhow::Result<ExitCode> {
    Err(crate::exit::usage(
        "cells run in the full binary, and this is the small one: `cargo cornerturn record --cells`",
    ))
}

/// The kernels of these ids; all if none is named.
pub fn chosen<'r>(
    registry: &'r Registry,
    ids: &[String],
) -> cornerturn::Result<Vec<&'r KernelEntry>> {
    if ids.is_empty() {
        return Ok(registry.kernels().iter().collect());
    }
    ids.iter().map(|id| registry.get(id)).collect()
}

/// The commit that measures: `CORNERTURN_COMMIT`, else the one that the binary was built from, with `-dirty` where its
/// sources or the kernels differ from that.
pub fn commit() -> String {
    std::env::var("CORNERTURN_COMMIT").unwrap_or_else(|_| {
        let built_from = env!("CORNERTURN_BUILT_FROM");
        let is_known = !built_from.ends_with(DIRTY) && built_from != "unknown";
        match is_known && kernels_are_edited() {
            true => format!("{built_from}{DIRTY}"),
            false => built_from.to_string(),
        }
    })
}

/// What the name of a commit ends with from which something was changed.
const DIRTY: &str = "-dirty";

/// Whether git says that a kernel differs from the commit. Where there is no git, as on a machine to which the binary was
/// carried, the hash of its source in the record tells.
fn kernels_are_edited() -> bool {
    let Ok(kernels) = cornerturn::paths::kernels() else {
        return false;
    };
    let mut status = Command::new("git");
    status.args(["status", "--porcelain", "--", "."]);
    let told = status.current_dir(kernels).stderr(Stdio::null()).output();
    told.is_ok_and(|told| told.status.success() && !told.stdout.is_empty())
}

/// What `--shape` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sides {
    Matrix(Shape),
    Product(ProductShape),
}

/// `4096x2048`, a matrix, or `4096x2048x512`, a product.
fn parse_sides(text: &str) -> Result<Sides, String> {
    match text.matches('x').count() {
        2 => text.parse().map(Sides::Product),
        _ => parse_shape(text).map(Sides::Matrix),
    }
}

/// The shapes of an experiment on matrices.
fn of_matrices(sides: &[Sides]) -> anyhow::Result<Vec<Shape>> {
    let matrix = |sides: &Sides| match sides {
        Sides::Matrix(shape) => Ok(*shape),
        Sides::Product(shape) => Err(crate::exit::usage(format!(
            "{shape} is the shape of a product; write ROWSxCOLUMNS, such as 4096x2048"
        ))),
    };
    sides.iter().map(matrix).collect()
}

/// The shapes of an experiment on products.
fn of_products(sides: &[Sides]) -> anyhow::Result<Vec<ProductShape>> {
    let product = |sides: &Sides| match sides {
        Sides::Product(shape) => Ok(*shape),
        Sides::Matrix(shape) => Err(crate::exit::usage(format!(
            "{shape} is the shape of a matrix; write MxNxK, such as 4096x4096x4096"
        ))),
    };
    sides.iter().map(product).collect()
}

/// `4096x2048`: rows, then columns.
fn parse_shape(text: &str) -> Result<Shape, String> {
    let sides = text.split_once('x').and_then(|(rows, columns)| {
        let side = |text: &str| text.parse().ok().filter(|&n: &usize| n > 0);
        Some(Shape::new(side(rows)?, side(columns)?))
    });
    sides.ok_or_else(|| format!("`{text}` is no shape; write ROWSxCOLUMNS, such as 4096x2048"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_sides_are_a_product() {
        let product = parse_sides("3x5x7").unwrap();
        assert_eq!(product, Sides::Product(ProductShape::new(3, 5, 7)));
        let matrix = parse_sides("3x5").unwrap();
        assert_eq!(matrix, Sides::Matrix(Shape::new(3, 5)));
        assert!(of_matrices(&[matrix, product]).is_err());
        assert!(of_products(&[matrix]).is_err());
        assert_eq!(of_products(&[product]).unwrap().len(), 1);
    }

    #[test]
    fn shapes_are_rows_and_columns() {
        assert_eq!(parse_shape("4097x33"), Ok(Shape::new(4097, 33)));
        for wrong in ["", "4096", "x", "0x4", "4x0", "4x-1", "4x4x4", "4 x 4"] {
            assert!(parse_shape(wrong).is_err(), "{wrong}");
        }
    }
}
