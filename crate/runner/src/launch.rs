//! Verb `launch`: any PTX with any arguments, its results, counters and findings. Reading the arguments' text and running them is the library's `raw`.

mod dump;
mod outputs;
mod progress;
mod steps;
mod why;

use crate::device::{self, Choice};
use crate::output::{self, Table, grouped};
use crate::{compiler, exit, json, predict, source, wheels};
use cornerturn::machine_code::Compiled;
use cornerturn::raw::{self, Position, RawLaunch, RawReport, Spec, Unwritten};
use cornerturn::{
    Cluster, Counters, Device, Error, Finding, Kernel, MOST_PRINTED_LINES, MachineCode, entry,
    paths,
};
use cornerturn_basics::{shortened, shortened_message};
use outputs::Outputs;
use progress::Progress;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
pub use why::numbered as numbered_advice;

/// Run any kernel from a file of PTX or CUDA C++: its results, what it did to memory, what it did wrong, and on a GPU its time
#[derive(Debug, clap::Args)]
#[command(after_long_help = SPEC_HELP)]
pub struct Args {
    /// The file: PTX, or CUDA C++ named .cu, which is compiled
    file: PathBuf,

    /// The kernel: `add`, `add(int, float*)` or its name in PTX [default: the only one in the file]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,

    #[command(flatten)]
    source: source::Options,

    /// Blocks of the grid
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = raw::parse_dimensions, allow_hyphen_values = true)]
    grid: [u32; 3],

    /// Threads of a block
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = raw::parse_dimensions, allow_hyphen_values = true)]
    block: [u32; 3],

    /// Blocks of a cluster, for a kernel that is not compiled for clusters: 8 at most
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = raw::parse_dimensions, allow_hyphen_values = true)]
    cluster: Option<[u32; 3]>,

    /// Allow clusters of up to 16 blocks, which not every GPU can run
    #[arg(long, requires = "cluster")]
    non_portable_cluster: bool,

    /// Launch cooperatively: all blocks run together and may wait for each other (grid.sync())
    #[arg(long)]
    cooperative: bool,

    /// Dynamic shared memory of a block
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    shared: u32,

    /// Where to run it [default: a GPU if there is one, else the emulator]
    #[arg(long, value_enum)]
    device: Option<Choice>,

    /// Look for what does not stop the kernel too, races, uninitialised reads, barriers under divergence: as without it, but an error where that cannot be
    #[arg(long)]
    check: bool,

    /// Do not look for what does not stop the kernel; in less time
    #[arg(long, conflicts_with = "check")]
    no_check: bool,

    /// On the emulator, round each product and each sum as the PTX has them, where the assembler makes them one instruction
    #[arg(long)]
    as_written: bool,

    /// Also show what the assembler makes of the kernel for a machine such as sm_90, and the counters as compiled
    #[arg(long, value_name = "MACHINE")]
    machine: Option<String>,

    #[command(flatten)]
    compiler: compiler::Chosen,

    #[command(flatten)]
    predict: predict::Chosen,

    /// Print one JSON object: device, kernel, checked, counters, sites, branches, advice, findings, remarks, output, printed, predicted, ms on a GPU, and steps where they are asked for; or error
    #[arg(long)]
    json: bool,

    /// Show counters that are 0 too, and lines of which there is nothing to say
    #[arg(long)]
    all: bool,

    /// PTX instructions that one warp may execute on the emulator before it counts as an endless loop [default: any number; a loop that comes back to where it was is found without it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    budget: Option<u64>,

    /// Print what one warp does, step by step: the lanes, what they write and access, barriers
    #[arg(long, value_name = "BLOCK[:WARP]", value_parser = steps::parse, conflicts_with = "machine")]
    steps: Option<steps::Followed>,

    /// One argument of the kernel, in the order of its parameters; see below
    #[arg(long = "arg", value_name = "SPEC")]
    arguments: Vec<Spec>,

    /// After the run, write the bytes of argument N, counted from 0, to a file; N.M is field M of the structure N
    #[arg(long = "dump", value_name = "N:FILE", value_parser = dump::parse_dump)]
    dumps: Vec<(Position, PathBuf)>,
}

const SPEC_HELP: &str = "\
SPEC
  TYPE[LEN]=FILL  a buffer of LEN elements; the kernel gets its address
  TYPE=VALUE      a scalar: a decimal number or, as 0x…, its bits; floats also inf, -inf, nan
  struct{SPEC,…}  a structure passed by value, its fields where C puts them: struct{f32=1.5,i32=3};
                  a field that is a buffer is a pointer to it; files in it are named without , { }
  tex2d:TYPE[ROWS,COLUMNS],OPTION,…=FILL, tex1d:TYPE[WIDTH],OPTION,…=FILL
                  a texture, for a parameter cudaTextureObject_t; TYPE u8 f16 f32 i32 u32, with x2 or x4
                  behind it for so many channels; OPTION point linear, clamp border wrap mirror,
                  normalized (coordinates from 0 to 1), floats (u8 read as 0 to 1); none but the
                  nearest texel and clamp without: tex2d:f32[48,64],linear,border=random:1
  tex1dfetch:TYPE[WIDTH]=FILL
                  the same over linear memory, for tex1Dfetch
  surf2d:TYPE[ROWS,COLUMNS]=FILL, surf1d:TYPE[WIDTH]=FILL
                  a surface, for a parameter cudaSurfaceObject_t; --dump writes its texels; not on a GPU
  tex2dlayered:TYPE[LAYERS,ROWS,COLUMNS]=FILL, tex1dlayered:TYPE[LAYERS,WIDTH]=FILL,
  surf2dlayered:…, surf1dlayered:…
                  the same with layers; not on a GPU
  texcubemap:TYPE[6,SIDE,SIDE]=FILL
                  the faces of a cube, for texCubemap; of several cubes, for texCubemapLayered, 12, 18, …
  bytes=HEX       a structure's bytes as they are, two hexadecimal digits for each, the first first

TYPE
  f16 f32 f64 i32 u32 i64 u64 u8 u16

FILL
  zero         every bit 0
  iota         element i has the value i, i from 0: integers wrap modulo 2^bits; floats are
               the nearest value (ties to even; f16 is inf from 65520 on)
  random:SEED  element i is made from the i-th output x of SplitMix64 with the state SEED:
                 z = SEED + (i + 1) * 0x9e3779b97f4a7c15      (all modulo 2^64)
                 z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
                 z = (z ^ (z >> 27)) * 0x94d049bb133111eb
                 x = z ^ (z >> 31)
               integers are the top bits of x: u64, i64 x; u32, i32 x >> 32; u16 x >> 48; u8 x >> 56;
               floats lie in [0, 1): f64 (x >> 11) * 2^-53; f32 (x >> 40) * 2^-24;
               f16 (x >> 53) * 2^-11
  poison       every byte 0xff: NaN in floats, -1 or the largest integer; a checked launch on the emulator has a
               remark on elements that no thread has written
  file:PATH    the bytes of a file, little-endian; exactly LEN elements

A launch is checked: races, reads of what was never written, barriers that threads miss. With --no-check it is
not, and then only what stops a launch is found; `checked` of the JSON says which.

A product and a sum of floating point without a rounding (mul.f32, add.f32) become one instruction where NVIDIA's
assembler makes them one: the bits are the GPU's. With --as-written each is rounded for itself.

What takes more than it has to comes first, at most three sentences, the worst first, each with what it would save at
most of what it is counted in; nothing where nothing does. The tables have each access by source line with the fewest
sectors and wavefronts that could have served its lanes, and the lines that only some lanes of a warp execute. What is 0
is left out, unless there is --all.

With --json `sites` has file, line, ptx_line, space (global, shared, local, const, texture, surface), operation (load,
store, atomic, copy from, copy to), access_bytes (the most of a lane), requests, lanes (active lanes of all requests),
sectors, fewest_sectors, wavefronts, fewest_wavefronts, addresses (different ones in each request, added up: of atomics
and constants), bytes (of bulk copies), share (of the launch's sectors or wavefronts), array (of a thread, by the
source's name) and worst (block and warp of the request furthest from the fewest; null where all have the fewest); `branches` has file, line, ptx_line, instructions, lanes_active (of 32), share, branches and split (of
warps); `advice` has kind (offset, stride, structure, scattered, bank_conflict, atomic, local_array, divergence,
partial_warp, constant), file, line, ptx_line, unit, taken, fewest, whole (of the launch), at_most, message, chapter and
page. file and line are null where the PTX has no lines, array where there is none.

With --predict the line below the counters is the time that a model gives for the launch on that GPU with a cold cache: from
what the emulator observed, not measured. In brackets the interval in which nine of ten launches lie, then what limits it. With
--json `predicted` has gpu, us, low_us, high_us, limits (each one's share of the time) and uncertain (null or a sentence); it is
null where nothing could be predicted, and `not_predicted` says why. Nothing is predicted beside --steps and --machine.

With --steps 1,0:3 warp 3 of block (1, 0, 0) is followed, 2000 steps at most: each PTX instruction with the lanes that
execute it, what it writes in each lane, the banks or sectors that it accesses, and who waits at which barrier, in the
order in which the emulator executes them. `→` marks a variable of the source, where a line assigns it by its name
(float x = …, sum += …): what the line last computed for it. Counters of loops have none.

A remark, of a checked launch, is on what CUDA allows and is worth a look; it does not change the exit status.

With --json, what fails is the one object {\"error\": {\"kind\", \"message\", \"exit_status\"}}, where kind is
wrong, usage, unsupported or lacks (1 to 4 below). `output` is all that the kernel printed, `printed` the
first lines of it, each with block and thread.

A finding has a `kind` (out_of_bounds, misaligned, uninitialized, race, barrier_divergence, mask, mbarrier,
invalid_address, trap, assert, limit, division, endless_loop; of remarks also printf), a `message`, and `file`,
`line`, `block` and `thread`, which are null where it is of the whole launch. `mask` is of shuffles, votes, reductions
and `__syncwarp()`. In an inlined function of a header the line is that of the call.

With --machine, `machine` holds target, assembler, `counters` (as compiled; null where that cannot be told),
`sites` (each memory instruction of the PTX: ptx_line, ptx, fate, machine_code), `differences` and `unknown`
(sentences). The assembler and the disassembler are installed under target/ the first time.

On a GPU the counters and findings are the emulator's, for the same launch on the same data;
ms is the median of single launches with a cold cache. What the emulator does not support yet
runs there all the same, unchecked and uncounted, unless there is --check: then counters is null. It is null too
where a finding ended the launch: an endless loop, a trap, a limit.

Exit status: 0 done; 1 the kernel did something wrong (findings); 2 bad usage or input;
3 not supported by the emulator yet; 4 this machine lacks something.";

impl Args {
    /// The kernel as it was named; as C++ has it where it was not.
    fn called(&self) -> &str {
        self.entry.as_deref().unwrap_or_default()
    }
}

/// Runs the verb.
pub fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    args.compiler.choose();
    let mut kernel = read(&args)?.with_dynamic_shared_bytes(args.shared);
    let called = || entry::readable(kernel.entry());
    args.entry.get_or_insert_with(called);
    let args = &args;
    if let Some(blocks) = args.cluster {
        let cluster = Cluster::of(blocks);
        kernel = kernel.with_cluster(match args.non_portable_cluster {
            true => cluster.non_portable(),
            false => cluster,
        });
    }
    if args.as_written {
        kernel = kernel.as_written()?;
    }
    if args.cooperative {
        kernel = kernel.cooperative();
    }
    raw::check_arguments(&kernel, &args.arguments)?;
    dump::check_dumps(&args.arguments, &args.dumps)?;
    let device = device::open(args.device)?;
    match kernel.module() {
        Ok(module) => raw::check_shared(&kernel, module)?,
        // A GPU runs what the emulator lacks; but only the emulator checks.
        Err(_) if device.is_cuda() && !args.check => {}
        Err(error) => return Err(in_file(error, &args.file).into()),
    }
    let machine_code = match &args.machine {
        Some(target) => {
            wheels::prepare_machine_code(&paths::root()?)?;
            Some(kernel.machine_code(target)?)
        }
        None => None,
    };
    let is_checked = !args.no_check && kernel.is_emulated();
    let filled = raw::fill(&device, &args.arguments, is_checked)?;
    // Only people are shown what has changed.
    let outputs = (!args.json).then(|| Outputs::before(&filled.buffers));
    let outputs = outputs.transpose()?;
    let machine = args.predict.machine()?;
    let progress = Progress::start(args.grid);
    let launch = RawLaunch {
        kernel: kernel.clone(),
        grid: args.grid.into(),
        block: args.block.into(),
        arguments: filled.arguments,
        check: is_checked,
        budget: args.budget,
        headway: Some(progress.headway()),
        machine_code: machine_code.clone(),
        time: true,
        trace: args.steps.as_ref().map(steps::Followed::request),
        observe: machine.is_some(),
    };
    let outcome = raw::run(&device, &launch);
    drop(progress);
    let (report, findings) = match outcome {
        Ok(report) => {
            let findings = shown(&report.findings, &args.file);
            (report, findings)
        }
        // Nothing ran, so nothing was counted.
        Err(Error::Limit { reason, .. }) => (RawReport::default(), vec![over_limit(args, &reason)]),
        Err(error) => return Err(error.into()),
    };
    if report.would_end {
        for (position, file) in &args.dumps {
            // `check_dumps` refused everything that is no buffer.
            if let Some(buffer) = filled.buffers.get(position) {
                output::write_whole(file, &raw::contents(buffer)?)?;
            }
        }
    }
    let outputs = match outputs.filter(|_| report.would_end) {
        Some(outputs) => outputs.changed(&filled.buffers)?,
        None => String::new(),
    };
    // A launch that did something wrong has no time.
    let observed = report.observation.as_ref().filter(|_| findings.is_empty());
    let predicted = match (&machine, observed) {
        (Some(machine), Some(observed)) => Some(predict::Predicted::new(machine, observed)),
        _ => None,
    };
    let ran = Ran {
        kernel: &kernel,
        predicted: predicted.as_ref(),
        outputs: &outputs,
        device: &device,
        is_checked,
        report: &report,
        findings: &findings,
        machine_code: machine_code.as_ref(),
    };
    let code = print(args, &ran)?;
    if let Some(followed) = args.steps.as_ref().filter(|_| !args.json) {
        output::print(followed.text(&kernel, &report))?;
    }
    Ok(code)
}

/// The kernel of a file: compiled, where it is CUDA C++.
fn read(args: &Args) -> anyhow::Result<Kernel> {
    let kernel = Kernel::file(&args.source.of(&args.file), args.entry.as_deref())?;
    if let Some(compiler) = kernel.compiler() {
        output::step(format!("compiled by {compiler}"));
    }
    let warnings = kernel.warnings().trim_end();
    if !warnings.is_empty() {
        output::say(&format!("{}\n", shortened_message(warnings)));
    }
    Ok(kernel)
}

/// The counters of a launch that came to its end. One that was cut short, or was refused, has none: what was counted of a
/// part says nothing of the kernel, and how long it was is chance where several host threads share the blocks.
fn counted(report: &RawReport) -> Option<&Counters> {
    report
        .counters
        .as_ref()
        .filter(|_| report.warp_instructions > 0)
}

/// An error in PTX names its file.
fn in_file(error: Error, file: &Path) -> Error {
    match error {
        Error::Ptx { reason, .. } => Error::Ptx {
            name: file.display().to_string(),
            reason,
        },
        other => other,
    }
}

/// A finding for the output.
struct Shown {
    message: String,
    json: Value,
}

fn shown(findings: &[Finding], file: &Path) -> Vec<Shown> {
    let file = file.to_string_lossy();
    let one = |finding: &Finding| Shown {
        message: shortened_message(&finding.message()),
        json: json::finding(finding, &file),
    };
    findings.iter().map(one).collect()
}

/// The finding of a launch that no device can have.
fn over_limit(args: &Args, reason: &str) -> Shown {
    let message = format!("limit: `{}`: {reason}", args.called());
    let json = json::limit(&message);
    Shown { message, json }
}

/// Dynamic shared memory that a host has to ask for before the launch.
const ASKED_FOR_BYTES: u32 = 48 << 10;

/// The remark on what a program needs that launches the kernel so. CUDA C++ Programming Guide, *Shared Memory* of each
/// compute capability: more than 48 KiB of dynamic shared memory need an explicit opt-in.
fn opt_in(args: &Args) -> Option<Shown> {
    let bytes = args.shared;
    (bytes > ASKED_FOR_BYTES).then(|| {
        let message = format!(
            "remark: {bytes} bytes of dynamic shared memory are more than the {ASKED_FOR_BYTES} that a program has without asking: it must call `cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {bytes})` before the launch",
            args.called()
        );
        let json = json::limit(&message);
        Shown { message, json }
    })
}

/// The remark on elements of an output that no thread wrote.
fn unwritten(left: &Unwritten) -> Shown {
    let Unwritten {
        name,
        elements,
        of,
        first,
    } = left;
    let [elements, of] = [elements, of].map(|count| *count as u64);
    let message = format!(
        "remark: {name}: {} of {} elements were not written, the first of them element {first}; where that is meant, fill it with `zero`",
        grouped(elements),
        grouped(of)
    );
    let json = json::unwritten(&message, elements);
    Shown { message, json }
}

/// What there is to print of a launch.
struct Ran<'l> {
    kernel: &'l Kernel,
    /// The first values of each buffer that has changed.
    outputs: &'l str,
    device: &'l Device,
    is_checked: bool,
    report: &'l RawReport,
    findings: &'l [Shown],
    machine_code: Option<&'l MachineCode>,
    predicted: Option<&'l predict::Predicted>,
}

fn print(args: &Args, ran: &Ran) -> anyhow::Result<ExitCode> {
    let Ran {
        device,
        is_checked,
        report,
        findings,
        machine_code,
        ..
    } = *ran;
    let mut remarks = shown(&report.remarks, &args.file);
    remarks.extend(opt_in(args));
    remarks.extend(report.unwritten.iter().map(unwritten));
    let as_json = |all: &[Shown]| all.iter().map(|one| one.json.clone()).collect::<Vec<_>>();
    // What is wrong comes before what else is said.
    for finding in findings {
        output::complain(&finding.message);
    }
    if args.json {
        let mut object = json!({
            "device": device.name(),
            "kernel": args.called(),
            "checked": is_checked,
            "warnings": ran.kernel.warnings(),
            "counters": counted(report).map(json::counters),
            "findings": as_json(findings),
            "remarks": as_json(&remarks),
            "output": report.printed.text(),
            "printed": json::printed(&report.printed),
        });
        for (name, value) in raw::explained(&report.why) {
            object[name] = value;
        }
        if let Some(ms) = report.ms {
            object["ms"] = ms.into();
        }
        if let Some(followed) = &args.steps {
            object["steps"] = followed.json(ran.kernel, report);
        }
        if let Some(predicted) = ran.predicted {
            predicted.add_to(&mut object);
        }
        if let Some(code) = machine_code {
            object["machine"] = json::machine_code(code, report.compiled.as_ref());
        }
        output::json_line(&object)?;
    } else {
        let mut text = as_text(args, ran);
        if let Some(code) = machine_code {
            text.push_str(&machine_code_text(code, report.compiled.as_ref()));
        }
        for remark in &remarks {
            text.push_str(&remark.message);
            text.push('\n');
        }
        output::print(text)?;
    }
    Ok(match findings.is_empty() {
        true => ExitCode::SUCCESS,
        false => exit::Status::Wrong.into(),
    })
}

/// What became of the kernel's accesses to memory, and the counters for which that makes a difference.
fn machine_code_text(code: &MachineCode, compiled: Option<&Compiled>) -> String {
    let mut text = format!("{code}\n");
    for site in &code.sites {
        text.push_str(&format!("{:5}  {}\n", site.ptx_line, site.text));
        for &at in &site.instructions {
            text.push_str(&format!("       → {}\n", code.instructions[at].text));
        }
    }
    let Some(compiled) = compiled else {
        return text;
    };
    let mut table = Table::new(["counter", "PTX", "as compiled"]);
    let differs = |(_, ptx, count): &&(&str, u64, Option<u64>)| *count != Some(*ptx);
    for (name, ptx, count) in compiled.counters.iter().filter(differs) {
        let count = count.map_or_else(|| "not to be told".to_string(), grouped);
        table.row([(*name).to_string(), grouped(*ptx), count]);
    }
    match compiled.counters.iter().any(|counter| differs(&counter)) {
        true => text.push_str(&table.render()),
        false => text.push_str("all counters are the same as compiled\n"),
    }
    for reason in &compiled.unknown {
        text.push_str(&format!("not to be told: {reason}\n"));
    }
    text
}

fn as_text(args: &Args, ran: &Ran) -> String {
    let Ran { device, report, .. } = *ran;
    let mut text = format!("{} on {}\n", shortened(args.called()), device.name());
    text.push_str(&why::text(&report.why, args.all));
    text.push_str(&counters(args, ran));
    if let Some(predicted) = ran.predicted {
        text.push_str(&predicted.line(None));
    }
    if let Some(ms) = report.ms {
        text.push_str(&format!(
            "time: {ms:.6} ms, median of single launches, cold cache\n"
        ));
    }
    if !report.printed.is_empty() {
        let lines = report.printed.shown(MOST_PRINTED_LINES);
        text.push_str(&format!("the kernel printed:\n{lines}"));
    }
    text.push_str(ran.outputs);
    match (ran.findings.is_empty(), ran.is_checked) {
        (true, true) => text.push_str(
            "no findings: no race, no read of what was never written, no barrier that a thread misses\n",
        ),
        (true, false) => text.push_str(
            "no findings that stop a launch; races, reads of what was never written and barriers were not checked\n",
        ),
        (false, _) => {}
    }
    text
}

/// The counters that are not 0; all that a launch can have with `--all`.
fn counters(args: &Args, ran: &Ran) -> String {
    let Some(counters) = counted(ran.report) else {
        return match ran.findings.is_empty() {
            true => "no counters: the emulator does not support this kernel yet\n",
            false => "no counters: the launch did not come to its end, so nothing was counted\n",
        }
        .to_string();
    };
    counter_table(counters.iter(), args.all)
}

/// Counters as a table: those that are not 0; with `shows_all` those of memory that are, too.
pub fn counter_table<'n>(
    counters: impl Iterator<Item = (&'n str, u64)>,
    shows_all: bool,
) -> String {
    let is_shown = |counter: &(&str, u64)| match shows_all {
        true => output::is_shown(counter),
        false => counter.1 > 0,
    };
    let mut table = Table::new(["counter", "count"]);
    for (name, count) in counters.filter(is_shown) {
        table.row([name.to_string(), grouped(count)]);
    }
    table.render()
}
