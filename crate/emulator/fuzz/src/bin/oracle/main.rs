//! Compares the emulator with a GPU, bit by bit: each form of each instruction, then kernels made at random.
//!
//! `cargo run --release -p cornerturn-emulator-fuzz --features device --bin oracle -- --help`

mod bench;
mod tally;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use clap::Parser;
use cornerturn::Device;
use cornerturn_emulator_fuzz::choices::{Choices, Random};
use cornerturn_emulator_fuzz::forms::{Form, alone, families};
use cornerturn_emulator_fuzz::kernel::{self, HEADER, Kernel, Shape};
use cornerturn_emulator_fuzz::properties;
use cornerturn_emulator_fuzz::unit;

use bench::Bench;
use tally::{Oracle, Tally};

/// Of the kernels made at random.
const RANDOM: Shape = Shape {
    blocks: 2,
    threads: 128,
};

/// Statements of a kernel made at random, those inside branches and loops not counted.
const LENGTH: usize = 40;

/// Bytes of decisions for each.
const DECISIONS: usize = 1200;

#[derive(Parser)]
#[command(about = "Compares the emulator with a GPU, bit by bit")]
struct Arguments {
    /// Inputs on which every form is tried, 32768 lanes each
    #[arg(long, default_value_t = 2)]
    inputs: u64,
    /// Kernels made at random
    #[arg(long, default_value_t = 1000)]
    kernels: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Processes to work in
    #[arg(long, default_value_t = 4)]
    workers: u64,
    /// The commit to record
    #[arg(long, default_value = "")]
    commit: String,
    /// Where the record goes
    #[arg(long, default_value = "oracle.json")]
    out: PathBuf,
    /// Prints the kernel of this seed and ends
    #[arg(long)]
    print: Option<u64>,
    /// Prints the kernel that the decisions in this file make and ends
    #[arg(long)]
    print_decisions: Option<PathBuf>,
    /// Prints a module with every form and ends
    #[arg(long)]
    print_units: bool,
    /// Which worker this is
    #[arg(long, hide = true)]
    worker: Option<u64>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(seed) = arguments.print {
        print!("{HEADER}{}", made(seed).text);
        return Ok(());
    }
    if let Some(path) = &arguments.print_decisions {
        print!("{}", properties::made(&std::fs::read(path)?).1);
        return Ok(());
    }
    if arguments.print_units {
        print!("{HEADER}");
        for (number, form) in forms().iter().enumerate() {
            println!("// {}", form.opcode);
            print!(
                "{}",
                kernel::unit(&format!("k{number}"), form, unit::SHAPE).text
            );
        }
        return Ok(());
    }
    if let Some(worker) = arguments.worker {
        let tally = work(&arguments, worker)?;
        println!("{}", serde_json::to_string(&tally)?);
        return Ok(());
    }
    let tally = spread(&arguments)?;
    println!("{tally}");
    let oracle = Oracle::new(
        Device::cuda()?.facts(),
        &arguments.commit,
        arguments.seed,
        tally,
    );
    let text = serde_json::to_string_pretty(&oracle)? + "\n";
    std::fs::write(&arguments.out, text)
        .with_context(|| format!("{} cannot be written", arguments.out.display()))
}

/// What is compared by itself.
fn forms() -> Vec<Form> {
    families().into_iter().flatten().chain(alone()).collect()
}

fn made(seed: u64) -> Kernel {
    let decisions = Random(seed).bytes(DECISIONS);
    kernel::random(
        "made",
        Choices::new(&decisions),
        &families(),
        RANDOM,
        LENGTH,
        false,
    )
}

/// Compiling takes the driver most of the time, one kernel at a time in each process.
fn spread(arguments: &Arguments) -> anyhow::Result<Tally> {
    let program = std::env::current_exe()?;
    let mut children = Vec::new();
    for worker in 0..arguments.workers {
        let mut command = Command::new(&program);
        command.args(std::env::args_os().skip(1));
        command.args(["--worker", &worker.to_string()]);
        children.push(command.stdout(Stdio::piped()).spawn()?);
    }
    let mut tally = Tally::default();
    for child in children {
        let output = child.wait_with_output()?;
        if !output.status.success() {
            bail!("a worker failed: what it said stands above");
        }
        tally.add(serde_json::from_slice(&output.stdout)?);
    }
    Ok(tally)
}

fn work(arguments: &Arguments, worker: u64) -> anyhow::Result<Tally> {
    let gpu = Device::cuda()?;
    let mine = |number: u64| number % arguments.workers == worker;
    let mut tally = Tally::default();
    let forms = forms();
    for input in 0..arguments.inputs {
        let mut bench = Bench::new(&gpu, unit::SHAPE, arguments.seed + input)?;
        for (number, form) in forms.iter().enumerate() {
            if mine(number as u64) {
                let kernel = kernel::unit("unit", form, unit::SHAPE);
                bench.compare(&kernel, "unit", &mut tally)?;
            }
        }
    }
    let mut bench = Bench::new(&gpu, RANDOM, arguments.seed)?;
    for number in (0..arguments.kernels).filter(|number| mine(*number)) {
        let seed = arguments.seed + number;
        bench.compare(&made(seed), &format!("seed {seed}"), &mut tally)?;
    }
    Ok(tally)
}
