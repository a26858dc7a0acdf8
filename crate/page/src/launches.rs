//! The verb `launch`: any kernel with any arguments, in the language of `cornerturn launch`. What would fit a kernel is in `suggestions`.

use crate::answer::{Answer, shown};
use crate::findings::LAUNCH_BUDGET;
use crate::pictures;
use crate::problem::{self, Problem};
use crate::request::Request;
use crate::suggestions;
use crate::values;
use cornerturn::plot::Traffic;
use cornerturn::raw::{self, Fill, Filled, RawLaunch, Spec};
use cornerturn::{Compiler, Device, Error, Kernel, ptx};
use serde_json::{Value, json};

/// The name of the source in messages.
const FILE: &str = "kernel.cu";

/// The most arguments: more than a kernel's 4 KiB of parameters hold.
const MOST_ARGUMENTS: usize = 4096;

/// The most bytes of all buffers.
const MOST_BYTES: usize = 512 << 20;

/// A launch that is ready to run.
pub(crate) struct Prepared {
    pub(crate) launch: RawLaunch,
    /// Where its buffers are.
    pub(crate) device: Device,
    filled: Filled,
    specs: Vec<Spec>,
}

/// The launch that a request asks for, or the names of the kernels of which it has to name one.
pub(crate) fn prepare(request: &Request) -> Result<Result<Prepared, Vec<String>>, Problem> {
    let source = request.text("source")?;
    let kernel = match kernel(source, request.optional_text("entry")?)? {
        Found::Kernel(kernel) => kernel,
        Found::Entries(entries) => return Ok(Err(entries)),
    };
    let shared: u32 = request.optional("shared")?.unwrap_or(0);
    let kernel = kernel.with_dynamic_shared_bytes(shared);
    let fitting = |problem: Problem| match threads(request) {
        Ok(threads) => problem.suggesting(raw::suggest(&kernel, threads)),
        Err(worse) => worse,
    };
    let specs = specs(request).map_err(fitting)?;
    raw::check_arguments(&kernel, &specs).map_err(|error| fitting(error.into()))?;
    if let Err(error) = raw::check_shared(&kernel, kernel.module()?) {
        let bytes = suggestions::shared(dimensions(request, "block")?);
        return Err(Problem::from(error).suggesting_shared(bytes));
    }
    check_warps(request)?;
    let device = Device::emulator();
    let checks = request.flag("checks", true)?;
    let filled = raw::fill(&device, &specs, checks)?;
    let launch = RawLaunch {
        observe: false,
        grid: dimensions(request, "grid")?.into(),
        block: dimensions(request, "block")?.into(),
        arguments: filled.arguments.clone(),
        check: checks,
        budget: None,
        headway: None,
        machine_code: None,
        time: false,
        trace: pictures_wanted(request)?.then(pictures::first_warp),
        kernel,
    };
    Ok(Ok(Prepared {
        launch,
        device,
        filled,
        specs,
    }))
}

pub(crate) fn launch(request: &Request) -> Result<Value, Problem> {
    let Prepared {
        launch,
        device,
        filled,
        specs,
    } = match prepare(request)? {
        Ok(prepared) => prepared,
        Err(entries) => return Ok(json!({ "entries": entries })),
    };
    let source = request.text("source")?;
    let report = match raw::run(&device, &launch) {
        Ok(report) => report,
        Err(Error::Limit { reason, .. }) => return Err(Problem::limit(reason)),
        Err(error) => return Err(error.into()),
    };
    let wanted: Option<Vec<usize>> = request.optional("show")?;
    let buffers = values::of_launch(&launch.kernel, &specs, &filled, wanted.as_deref())?;
    let mut findings = report.findings.clone();
    findings.extend(report.remarks.iter().cloned());
    // A launch that was stopped was not counted to its end.
    let counters = report.counters.filter(|_| report.warp_instructions > 0);
    let mut drawn = match &report.trace {
        Some(trace) => pictures::of_accesses(&report.why.accesses, Some(trace)),
        None => Vec::new(),
    };
    if let (Some(_), Some(counters)) = (&report.trace, counters) {
        let moved = Traffic::new(launch.kernel.entry(), counters, &report.sites, None);
        drawn.push(pictures::of_traffic(&[moved]));
    }
    let answer = Answer {
        warnings: match launch.kernel.warnings().is_empty() {
            true => Vec::new(),
            false => problem::warnings(source, FILE, launch.kernel.entry()),
        },
        text: words(&launch, &report),
        counters,
        findings,
        pictures: drawn,
        why: report.why.clone(),
        printed: shown(&report.printed),
        instructions: report.warp_instructions,
        checked: Some(launch.check),
        ..Answer::default()
    };
    let mut answer = answer.into_json();
    answer["entry"] = json!(launch.kernel.entry());
    answer["buffers"] = json!(buffers);
    Ok(answer)
}

/// Refuses a launch that would come to its budget even if each warp executed one instruction.
fn check_warps(request: &Request) -> Result<(), Problem> {
    let warps = product(dimensions(request, "block")?).div_ceil(32);
    let warps = warps.saturating_mul(product(dimensions(request, "grid")?));
    match warps > LAUNCH_BUDGET {
        true => Err(Problem::limit(format!(
            "the launch has {warps} warps, and a page ends one after {LAUNCH_BUDGET} instructions of warps: make the grid smaller"
        ))),
        false => Ok(()),
    }
}

/// How many threads a request launches.
fn threads(request: &Request) -> Result<u64, Problem> {
    let [blocks, threads] = [dimensions(request, "grid")?, dimensions(request, "block")?];
    Ok(product(blocks).saturating_mul(product(threads)))
}

pub(crate) fn product(dimensions: [u32; 3]) -> u64 {
    let factors = dimensions.into_iter().map(u64::from);
    factors.fold(1, u64::saturating_mul)
}

fn pictures_wanted(request: &Request) -> Result<bool, Problem> {
    request.flag("pictures", true)
}

pub(crate) enum Found {
    Kernel(Kernel),
    /// There are several entries and none was named, or there is none of the name.
    Entries(Vec<String>),
}

/// The kernel of a source: PTX, which begins with its version, or CUDA C++.
pub(crate) fn kernel(source: &str, entry: Option<&str>) -> Result<Found, Problem> {
    if !is_ptx(source) {
        return match Kernel::compiled_file(source, FILE, entry) {
            Ok(kernel) => Ok(Found::Kernel(kernel)),
            Err(Error::Entry(_)) => {
                let compiled = Compiler::open()?.compile_live(source, FILE)?;
                Ok(Found::Entries(ptx::entries(&compiled.ptx)))
            }
            Err(error) => Err(Problem::of(error, source)),
        };
    }
    let entries = ptx::entries(source);
    let entry = match (entry, entries.as_slice()) {
        (entry, []) => entry.unwrap_or(""),
        (None, [only]) => only,
        (Some(entry), _) if entries.iter().any(|known| known == entry) => entry,
        _ => return Ok(Found::Entries(entries)),
    };
    Ok(Found::Kernel(Kernel::ptx(source, entry)?))
}

/// Whether the first line that is no comment begins as PTX does.
fn is_ptx(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim_start);
    lines.any(|line| line.starts_with(".version")) && !source.contains("__global__")
}

fn specs(request: &Request) -> Result<Vec<Spec>, Problem> {
    let texts: Vec<String> = request.optional("arguments")?.unwrap_or_default();
    if texts.len() > MOST_ARGUMENTS {
        return Err(Problem::limit(format!(
            "{} arguments, and {MOST_ARGUMENTS} are the most",
            texts.len()
        )));
    }
    let read = |(number, text): (usize, &String)| {
        // Who writes `f32 [64] = zero` means no other.
        let text: String = text.split_whitespace().collect();
        text.parse::<Spec>()
            .map_err(|reason| Problem::request(format!("argument {number}: {reason}")))
    };
    let specs: Vec<Spec> = texts
        .iter()
        .enumerate()
        .map(read)
        .collect::<Result<_, _>>()?;
    if specs.iter().any(reads_file) {
        return Err(Problem::request(
            "a page reads no files; fill a buffer with zero, iota, random:SEED or poison",
        ));
    }
    let bytes = raw::bytes_of(&specs);
    match bytes > MOST_BYTES {
        true => Err(Problem::limit(format!(
            "the buffers have {bytes} bytes together, and in a page they may have {MOST_BYTES}"
        ))),
        false => Ok(specs),
    }
}

fn reads_file(spec: &Spec) -> bool {
    match spec {
        Spec::Buffer { fill, .. } => matches!(fill, Fill::File(_)),
        Spec::Texture(texture) => matches!(texture.fill, Fill::File(_)),
        Spec::Struct(fields) => fields.iter().any(reads_file),
        Spec::Scalar { .. } | Spec::Bytes(_) => false,
    }
}

/// One to three numbers; those left out are 1.
pub(crate) fn dimensions(request: &Request, name: &str) -> Result<[u32; 3], Problem> {
    let given: Vec<u32> = request.optional(name)?.unwrap_or_default();
    if given.is_empty() || given.len() > 3 {
        return Err(Problem::request(format!(
            "`{name}` is a list of one to three numbers"
        )));
    }
    let mut dimensions = [1; 3];
    dimensions[..given.len()].copy_from_slice(&given);
    Ok(dimensions)
}

fn words(launch: &RawLaunch, report: &raw::RawReport) -> String {
    let mut text = format!(
        "{} on the emulator, grid {}, block {}",
        launch.kernel.entry(),
        launch.grid,
        launch.block
    );
    for finding in report.findings.iter().chain(&report.remarks) {
        text.push('\n');
        text.push_str(&finding.message());
    }
    if report.findings.is_empty() {
        text.push_str(match launch.check {
            true => "\nno findings: no race, no read of what was never written, no barrier that a thread misses",
            false => "\nno findings that stop a launch; races, reads of what was never written and barriers were not checked",
        });
    }
    text
}
