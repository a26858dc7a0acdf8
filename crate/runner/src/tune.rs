//! Verb `tune`: searches tile, block order, cache hints and loads in flight for the fastest transpose on this machine's GPU. What can be chosen and what is kept is `cornerturn::tuning`'s.

mod halving;
mod prepare;
mod report;
mod search;

use crate::device::{self, Choice};
use crate::{exit, output, record};
use anyhow::Context;
use cornerturn::compile::Compiler;
use cornerturn::registry::Registry;
use cornerturn::tuning::{KERNEL, Space, Tuning, Variant};
use cornerturn::{Device, ElementType, Shape, paths};
use prepare::Wanted;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Search for the fastest transpose on this machine's GPU: tile, block order, cache hints, loads in flight
///
/// Every variant of the kernel `limit` is compiled, verified bit by bit and timed briefly, cold cache; the better half
/// is timed for twice as long, and so on. What was found is kept in DIR/GPU/tune.json, one search for each element type
/// and shape, and drawn in tune.html beside it. Ctrl-C ends the search and keeps what it found.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Rows of the input
    #[arg(long, default_value_t = 4096, allow_negative_numbers = true)]
    rows: usize,

    /// Columns of the input
    #[arg(long, default_value_t = 4096, allow_negative_numbers = true)]
    columns: usize,

    /// The element type
    #[arg(long, value_enum, default_value_t = Elements::F32)]
    element: Elements,

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

    /// Print one JSON object
    #[arg(long)]
    json: bool,
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

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let element = ElementType::from(args.element);
    let variants = chosen(element, &args.only)?;
    if args.list {
        report::list(&variants, element, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let registry = Registry::load()?;
    let device = open(args.device)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    end_on_interrupt(&interrupted);
    let wanted = Wanted {
        entry: registry.get(&kernel_for(element))?,
        registry: &registry,
        device: &device,
        variants,
        interrupted: &interrupted,
    };
    let shape = Shape::new(args.rows, args.columns);
    if device.is_cuda() {
        measure(&wanted, shape, &args)
    } else {
        count(&wanted, args.json)
    }
}

/// The variants of the space that hold all these words.
fn chosen(element: ElementType, words: &[String]) -> anyhow::Result<Vec<Variant>> {
    let space = Space::of(element)
        .ok_or_else(|| exit::usage(format!("there is no kernel for {element}")))?;
    let mut variants = space.variants();
    variants.retain(|variant| {
        words
            .iter()
            .all(|word| variant.to_string().contains(word.as_str()))
    });
    if variants.is_empty() {
        let words = words.join("` and `");
        return Err(exit::usage(format!(
            "no variant contains `{words}`; `cornerturn tune --list` prints them"
        )));
    }
    Ok(variants)
}

/// The registered kernel for an element type.
fn kernel_for(element: ElementType) -> String {
    match element {
        ElementType::F32 => KERNEL.to_string(),
        other => format!("{KERNEL}_{other}"),
    }
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

fn count(wanted: &Wanted, json: bool) -> anyhow::Result<ExitCode> {
    let mut candidates = wanted.compile(&Compiler::open()?)?;
    wanted.verify(&mut candidates)?;
    output::progress("");
    if wanted.is_interrupted() {
        return Ok(ExitCode::from(130));
    }
    report::counted(&candidates, wanted.entry.element, json)?;
    let wrong = candidates
        .iter()
        .filter(|c| c.kernel.as_ref().is_err_and(|refusal| refusal.is_wrong));
    verdict(wrong.count())
}

fn measure(wanted: &Wanted, shape: Shape, args: &Args) -> anyhow::Result<ExitCode> {
    let results = match &args.out {
        Some(folder) => folder.clone(),
        None => paths::results()?,
    };
    let mut tuning = Tuning::new(wanted.device);
    let path = tuning.path_below(&results);
    if path.exists() {
        // Read before the search: a file that cannot be kept should not cost a minute first.
        let earlier = Tuning::load_file(&path)?;
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
    let longest = Duration::from_secs(args.longest);
    let searched = search::search(wanted, shape, longest, &record::commit())?;
    tuning.device.clocks = searched.clocks;
    tuning.put(searched.search, searched.tried);
    tuning.save_to(&path)?;
    let page = path.with_extension("html");
    output::write_whole(&page, report::page(&tuning)?.as_bytes())?;
    let found = tuning.search(wanted.entry.element, shape.rows, shape.columns)?;
    report::found(&tuning, &found, args.json)?;
    output::step(format!(
        "written to {} and {}",
        path.display(),
        page.display()
    ));
    if wanted.is_interrupted() {
        return Ok(ExitCode::from(130));
    }
    verdict(searched.wrong)
}

fn verdict(wrong: usize) -> anyhow::Result<ExitCode> {
    match wrong {
        0 => Ok(ExitCode::SUCCESS),
        1 => Err(exit::wrong("one variant did something wrong")),
        n => Err(exit::wrong(format!("{n} variants did something wrong"))),
    }
}
