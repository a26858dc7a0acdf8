//! Verb `tune`: searches the variants of a kernel for the fastest on this machine's GPU: of the transpose tile, block order, cache hints and loads in flight, of a product tile, steps of k, stages and split of k. What can be chosen and what is kept is `cornerturn::tuning`'s.

mod halving;
mod prepare;
mod report;
mod search;
mod subject;

use crate::device::{self, Choice};
use crate::{compiler, exit, output, record};
use anyhow::Context;
use cornerturn::compile::Compiler;
use cornerturn::registry::Registry;
use cornerturn::tuning::{RingProduct, Subject, Transpose, TuningOf};
use cornerturn::{Device, ElementType, Layout, ProductShape, paths};
use prepare::Wanted;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use subject::Tuned;

/// Search for the fastest transpose or product on this machine's GPU: tile, block order, cache hints, loads in flight, steps of k
///
/// Every variant of the kernel `limit`, or of `sgemm_ring`, is compiled, verified bit by bit and timed briefly; the better
/// half is timed for twice as long, and so on. What was found is kept in DIR/GPU/tune.json, or tune-gemm.json, one search for
/// each element type and shape, and drawn in an HTML page beside it. Ctrl-C ends the search and keeps what it found.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is tuned
    #[arg(value_enum, default_value_t = What::Transpose)]
    what: What,

    /// Rows of the input, of a transpose [default: 4096]
    #[arg(long, allow_negative_numbers = true)]
    rows: Option<usize>,

    /// Columns of the input, of a transpose [default: 4096]
    #[arg(long, allow_negative_numbers = true)]
    columns: Option<usize>,

    /// The element type, of a transpose [default: f32]
    #[arg(long, value_enum)]
    element: Option<Elements>,

    /// The shape, of a product; may be repeated: variants are compiled once for all [default: 4096x4096x4096]
    #[arg(long, value_name = "MxNxK")]
    shape: Vec<ProductShape>,

    /// How the factors lie, of a product: first A, then B, `t` transposed: nn, nt, tn or tt [default: nn]
    #[arg(long, value_parser = layout)]
    layout: Option<Layout>,

    /// Take no longer than so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    longest: u64,

    /// Only variants whose words, as --list prints them, contain this; may be repeated, and all must be contained
    #[arg(long, value_name = "WORDS")]
    only: Vec<String>,

    /// Print the variants, and run nothing
    #[arg(long, alias = "dry-run")]
    list: bool,

    /// Where to run them; the emulator has no clock, so there they are verified and counted [default: cuda]
    #[arg(long, value_enum)]
    device: Option<Choice>,

    /// Where the records are [default: book/results]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    compiler: compiler::Chosen,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What can be tuned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// The transpose, `limit`
    Transpose,
    /// The product of float32 matrices, `sgemm_ring`
    Gemm,
}

/// The element types that the kernel is written for.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Elements {
    /// 32-bit float
    F32,
    /// 64-bit float
    F64,
    /// 16-bit integer
    U16,
    /// 8-bit integer
    U8,
}

impl From<Elements> for ElementType {
    fn from(element: Elements) -> Self {
        match element {
            Elements::F32 => Self::F32,
            Elements::F64 => Self::F64,
            Elements::U16 => Self::U16,
            Elements::U8 => Self::U8,
        }
    }
}

fn layout(name: &str) -> Result<Layout, String> {
    Layout::parse(name).ok_or_else(|| format!("there are nn, nt, tn and tt, not `{name}`"))
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.compiler.choose();
    let foreign = match args.what {
        What::Transpose => [
            ("--shape", !args.shape.is_empty()),
            ("--layout", args.layout.is_some()),
        ]
        .to_vec(),
        What::Gemm => [
            ("--rows", args.rows.is_some()),
            ("--columns", args.columns.is_some()),
            ("--element", args.element.is_some()),
        ]
        .to_vec(),
    };
    if let Some((option, _)) = foreign.iter().find(|(_, is_given)| *is_given) {
        return Err(exit::usage(match args.what {
            What::Transpose => {
                format!("{option} is of products: `cornerturn tune gemm {option} …`")
            }
            What::Gemm => {
                format!("{option} is of transposes; a product has --shape MxNxK and --layout")
            }
        }));
    }
    match args.what {
        What::Transpose => {
            let subject = Transpose {
                element: args.element.unwrap_or(Elements::F32).into(),
                rows: args.rows.unwrap_or(4096),
                columns: args.columns.unwrap_or(4096),
            };
            tune(vec![subject], &args)
        }
        What::Gemm => {
            let layout = args.layout.unwrap_or_default();
            let mut shapes = args.shape.clone();
            if shapes.is_empty() {
                shapes.push(ProductShape::square(4096));
            }
            let subject = |shape| RingProduct { shape, layout };
            tune(shapes.into_iter().map(subject).collect(), &args)
        }
    }
}

/// Tunes for these, one after the other.
fn tune<S: Tuned>(subjects: Vec<S>, args: &Args) -> anyhow::Result<ExitCode> {
    let variants = chosen(&subjects[0], &args.only)?;
    if args.list {
        report::list(&variants, &subjects[0], args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(reason) = subjects.iter().find_map(Subject::impossible) {
        return Err(exit::usage(format!("there is no search of {reason}")));
    }
    let registry = Registry::load()?;
    let device = open(args.device)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    end_on_interrupt(&interrupted);
    let wanted = Wanted {
        entry: subjects[0].entry(&registry)?,
        subjects,
        registry: &registry,
        device: &device,
        variants,
        interrupted: &interrupted,
    };
    if device.is_cuda() {
        measure(&wanted, args)
    } else {
        count(&wanted, args.json)
    }
}

/// The variants of the space that hold all these words.
fn chosen<S: Tuned>(subject: &S, words: &[String]) -> anyhow::Result<Vec<S::Variant>> {
    let mut variants = subject.variants();
    variants.retain(|variant| {
        words
            .iter()
            .all(|word| variant.to_string().contains(word.as_str()))
    });
    if variants.is_empty() {
        let words = words.join("` and `");
        return Err(exit::usage(format!(
            "no variant contains `{words}`; `{} --list` prints them",
            S::COMMAND
        )));
    }
    Ok(variants)
}

/// A GPU, unless the emulator is asked for.
fn open(choice: Option<Choice>) -> anyhow::Result<Device> {
    let asked =
        choice.is_some() || std::env::var("CORNERTURN_DEVICE").is_ok_and(|name| name == "emulator");
    if asked {
        return Ok(device::open(choice)?);
    }
    Device::cuda().context(
        "a search compares times, and only an NVIDIA GPU has them (`--list` prints the variants anywhere, `--device \
         emulator` verifies and counts them)",
    )
}

/// The first Ctrl-C asks the search to end, the second ends the program.
fn end_on_interrupt(interrupted: &Arc<AtomicBool>) {
    let flag = Arc::clone(interrupted);
    // Without a handler Ctrl-C ends the program at once: the file stays as it was.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

fn count<S: Tuned>(wanted: &Wanted<S>, json: bool) -> anyhow::Result<ExitCode> {
    let mut candidates = wanted.compile(&Compiler::open()?)?;
    wanted.verify(&mut candidates)?;
    output::progress("");
    if wanted.is_interrupted() {
        return Ok(ExitCode::from(130));
    }
    report::counted(&candidates, &wanted.subject(), json)?;
    verdict(prepare::wrong(&candidates))
}

fn measure<S: Tuned>(wanted: &Wanted<S>, args: &Args) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let longest = Duration::from_secs(args.longest);
    let results = match &args.out {
        Some(folder) => folder.clone(),
        None => {
            exit::refuse_carried("searches are kept in book/results; or name a folder with --out")?;
            paths::results()?
        }
    };
    let mut tuning: TuningOf<S> = TuningOf::new(wanted.device);
    let path = tuning.path_below(&results);
    if path.exists() {
        // Read before the search: a file that cannot be kept should not cost a minute first.
        let earlier: TuningOf<S> = TuningOf::load_file(&path)?;
        if earlier.device.facts.name != tuning.device.facts.name {
            let (other, here) = (&earlier.device.facts.name, wanted.device.name());
            let path = path.display();
            return Err(exit::usage(format!(
                "{path} is of another GPU, {other}, and this is {here}; give another --out"
            )));
        }
        tuning.searches = earlier.searches;
        tuning.tried = earlier.tried;
    }
    let compiler = Compiler::open()?;
    let mut candidates = wanted.compile(&compiler)?;
    wanted.verify(&mut candidates)?;
    let commit = record::commit();
    let page = path.with_extension("html");
    for (place, &subject) in wanted.subjects.iter().enumerate() {
        // What is left of the time is shared among the searches that are left.
        let left = longest.saturating_sub(started.elapsed());
        let share = left / (wanted.subjects.len() - place).max(1) as u32;
        let beside = (commit.as_str(), &compiler);
        let searched = search::search(wanted, &mut candidates, subject, share, beside)?;
        tuning.device.clocks = searched.clocks;
        tuning.put(searched.search, searched.tried);
        // After each search, so that a fault in the next takes none.
        tuning.save_to(&path)?;
        output::write_whole(&page, report::page(&tuning)?.as_bytes())?;
        report::found(&tuning, &tuning.of(&subject)?, args.json)?;
        if wanted.is_interrupted() {
            break;
        }
    }
    output::step(format!(
        "written to {} and {}",
        path.display(),
        page.display()
    ));
    if wanted.is_interrupted() {
        return Ok(ExitCode::from(130));
    }
    verdict(prepare::wrong(&candidates))
}

fn verdict(wrong: usize) -> anyhow::Result<ExitCode> {
    match wrong {
        0 => Ok(ExitCode::SUCCESS),
        1 => Err(exit::wrong("one variant did something wrong")),
        n => Err(exit::wrong(format!("{n} variants did something wrong"))),
    }
}
