//! Verb `program`: whole CUDA programs, compiled by nvcc and run on the emulator through our own runtime. What it is built with stands in `build`, what is said of its kernels in `report`.

mod build;
mod report;

use crate::partial::Partial;
use crate::{exit, output, source};
use build::Toolchain;
use cornerturn::paths;
use report::Report;
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// Run a whole CUDA program without a GPU: what its kernels did to memory, what they and its host did wrong
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub struct Args {
    /// The program's files: CUDA C++ named .cu, C++, objects and libraries without kernels
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// What the program itself is given
    #[arg(last = true)]
    arguments: Vec<OsString>,

    #[command(flatten)]
    source: source::Options,

    /// The virtual architecture that it is compiled for
    #[arg(long, value_name = "ARCH", default_value = "compute_90")]
    arch: String,

    /// The version of C++, such as c++20 [default: the compiler's]
    #[arg(long = "std", value_name = "STANDARD")]
    standard: Option<String>,

    /// Another option for nvcc, such as --nvcc=-O0 or --nvcc=-lm; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    nvcc: Vec<String>,

    /// Look for what does not stop a kernel too: races, uninitialised reads, barriers under divergence; this is the default
    #[arg(long)]
    check: bool,

    /// Do not look for what does not stop a kernel; in less time
    #[arg(long, conflicts_with = "check")]
    no_check: bool,

    /// Report on this kernel alone: `add`, `add(int, float*)` or its name in PTX; may be repeated
    #[arg(long = "kernel", value_name = "NAME")]
    kernels: Vec<String>,

    /// PTX instructions that one warp of a launch may execute before it counts as an endless loop [default: any number; a loop that comes back to where it was is found without it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    budget: Option<u64>,

    /// Print one JSON object in place of the report: status, output, device, kernels, findings, remarks; or error
    #[arg(long)]
    json: bool,

    /// Show counters that are 0 too
    #[arg(long)]
    all: bool,
}

const HELP: &str = "\
The program is compiled by NVIDIA's nvcc 13.0, which is installed from PyPI under target/ the first time, and a C++
compiler of this machine. It is linked with Corner Turn's own runtime in place of NVIDIA's libcudart: its kernels run
on the emulator as PTX, its host part as it is. It needs no GPU and uses none.

Its output is passed on, and its standard input is yours. Then comes the report: each kernel with its launches, its
counters that are not 0, added up over them, what it did wrong with the line of the source, and what takes more than it
has to. What the host did wrong is told with the line of the call: a host pointer given to a kernel, a device pointer
used on the host, a copy past an end, an invalid launch. Memory that is never freed, and an error that nobody asked for,
are remarks.

Errors are CUDA's: after a kernel that a GPU stops, each call gives the same error until the process ends.

What is not there: relocatable device code (-rdc=true), kernels that launch kernels, and NVIDIA's libraries of machine code
(cuBLAS, cuFFT, cuDNN, …). Thrust, CUB, cooperative groups and printf are PTX and run. cudaEventElapsedTime adds up what
each operation would take at least by rates measured on an H200: that is no measurement.

With --json, `kernels` has kernel, name (in PTX), launches, counters (added up), findings and remarks, and of the launch with
the most instructions grid, block, sites, branches and advice, as `cornerturn launch --json` has them; `findings` and `remarks` are those of the host; `status` is the
program's own exit status, null where a signal ended it, which `signal` tells then; `output` is what it wrote to its
standard output, the kernels' printf included. What it writes to the standard error is passed on.

Exit status: the program's own; 1 where that is 0 and something was found; 128 and the signal where one ended it. Before
the program runs: 2 bad usage or it does not compile; 3 not supported yet; 4 this machine lacks something.";

/// How the runtime is told what to do, and where to report.
const REPORT: &str = "CORNERTURN_REPORT";
const CHECK: &str = "CORNERTURN_CHECK";
const BUDGET: &str = "CORNERTURN_BUDGET";

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    check_files(&args)?;
    let toolchain = Toolchain::prepare()?;
    let target = paths::root()?.join("target");
    let folder = Partial::new(&target, "program")
        .map_err(|error| exit::lacks(format!("cannot create a folder in target/: {error}")))?;
    let executable = folder.path().join(name_of(&args.files));
    toolchain.build(&args, &executable)?;
    let ran = Ran::run(&args, &executable, &folder.path().join("report.json"))?;
    let findings = ran.report.as_ref().map_or(0, Report::findings);
    ran.print(&args)?;
    Ok(status(ran.status, findings))
}

/// What a program did.
struct Ran {
    status: ExitStatus,
    /// What it wrote to its standard output, where that was asked for.
    output: Option<String>,
    report: Option<Report>,
}

impl Ran {
    fn run(args: &Args, executable: &Path, report: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(executable);
        command.args(&args.arguments).env(REPORT, report);
        command.env(CHECK, if args.no_check { "0" } else { "1" });
        match args.budget {
            Some(budget) => command.env(BUDGET, budget.to_string()),
            None => command.env_remove(BUDGET),
        };
        if args.json {
            command.stdout(Stdio::piped());
        }
        let cannot = |error| exit::lacks(format!("cannot start the program: {error}"));
        let child = command.spawn().map_err(cannot)?;
        let ended = child.wait_with_output().map_err(cannot)?;
        let output = args
            .json
            .then(|| String::from_utf8_lossy(&ended.stdout).into_owned());
        let report = Report::read(report)?.map(|report| report.of(&args.kernels));
        Ok(Self {
            status: ended.status,
            output,
            report: report.transpose()?,
        })
    }

    fn print(&self, args: &Args) -> anyhow::Result<()> {
        let Some(report) = &self.report else {
            output::step(
                "the program ended before it could report: by exec, _exit or a signal, or it uses nothing of CUDA",
            );
            return match args.json {
                true => output::json_line(&self.as_json(json!({}))),
                false => Ok(()),
            };
        };
        report.complain();
        match args.json {
            true => output::json_line(&self.as_json(report.as_json())),
            false => report.print(args.all),
        }
    }

    fn as_json(&self, mut report: serde_json::Value) -> serde_json::Value {
        report["status"] = json!(self.status.code());
        report["signal"] = json!(signal(self.status));
        report["output"] = json!(self.output);
        report
    }
}

/// The program's own status, or that of what was found.
fn status(own: ExitStatus, findings: usize) -> ExitCode {
    let code = own.code().or_else(|| Some(128 + signal(own)?));
    match code {
        Some(0) if findings > 0 => exit::Status::Wrong.into(),
        // A status has eight bits.
        Some(code) => ExitCode::from((code & 0xff) as u8),
        None => exit::Status::Wrong.into(),
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// What cannot be right is said before anything is installed.
fn check_files(args: &Args) -> anyhow::Result<()> {
    for file in &args.files {
        if !file.is_file() {
            return Err(exit::usage(format!("{} is no file", file.display())));
        }
    }
    let is_cuda = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "cu");
    if !args.files.iter().any(is_cuda) {
        return Err(exit::usage(
            "none of the files is named .cu; for a single kernel in PTX there is `cornerturn launch`",
        ));
    }
    match args.arch.strip_prefix("compute_") {
        Some(_) => Ok(()),
        None => Err(exit::usage(format!(
            "--arch {}: the emulator runs PTX, so this is a virtual architecture, such as compute_90",
            args.arch
        ))),
    }
}

/// The program's name is the first file's.
fn name_of(files: &[PathBuf]) -> OsString {
    let stem = files.first().and_then(|file| file.file_stem());
    stem.map_or_else(|| "program".into(), OsString::from)
}
