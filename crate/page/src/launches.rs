//! The verb `launch`: any kernel with any arguments, in the language of `cornerturn launch`.

use crate::answer::Answer;
use crate::pictures;
use crate::problem::{self, Problem};
use crate::request::Request;
use crate::values;
use cornerturn::plot::Traffic;
use cornerturn::raw::{self, Fill, Position, RawLaunch, Spec};
use cornerturn::{Compiler, Device, Error, Kernel, ptx};
use serde_json::{Value, json};

/// The name of the source in messages.
const FILE: &str = "kernel.cu";

/// The most arguments: more than a kernel's 4 KiB of parameters hold.
const MOST_ARGUMENTS: usize = 4096;

/// The most bytes of all buffers.
const MOST_BYTES: usize = 512 << 20;

pub(crate) fn launch(request: &Request) -> Result<Value, Problem> {
    let source = request.text("source")?;
    let kernel = match kernel(source, request.optional_text("entry")?)? {
        Found::Kernel(kernel) => kernel,
        Found::Entries(entries) => return Ok(json!({ "entries": entries })),
    };
    let shared: u32 = request.optional("shared")?.unwrap_or(0);
    let kernel = kernel.with_dynamic_shared_bytes(shared);
    let specs = specs(request)?;
    raw::check_arguments(&kernel, &specs)?;
    raw::check_shared(&kernel, kernel.module()?)?;
    let device = Device::emulator();
    let checks = request.flag("checks", true)?;
    let filled = raw::fill(&device, &specs, checks)?;
    let launch = RawLaunch {
        grid: dimensions(request, "grid")?.into(),
        block: dimensions(request, "block")?.into(),
        arguments: filled.arguments,
        check: checks,
        budget: None,
        started: None,
        machine_code: None,
        time: false,
        trace: pictures_wanted(request)?.then(pictures::first_warp),
        kernel,
    };
    let report = match raw::run(&device, &launch) {
        Ok(report) => report,
        Err(Error::Limit { reason, .. }) => return Err(Problem::limit(reason)),
        Err(error) => return Err(error.into()),
    };
    let shown: Vec<usize> = match request.optional("show")? {
        Some(shown) => shown,
        None => (0..specs.len()).collect(),
    };
    let mut buffers = Vec::new();
    for argument in shown {
        if let Some(buffer) = filled.buffers.get(&Position(vec![argument])) {
            buffers.push(values::of(argument, buffer)?);
        }
    }
    let mut findings = report.findings.clone();
    findings.extend(report.remarks.iter().cloned());
    let mut drawn = Vec::new();
    if let (Some(trace), Some(counters)) = (&report.trace, report.counters) {
        drawn.extend(pictures::of_trace(trace));
        let moved = Traffic::new(launch.kernel.entry(), counters, &report.sites, None);
        drawn.push(pictures::of_traffic(&[moved]));
    }
    let answer = Answer {
        warnings: match launch.kernel.warnings().is_empty() {
            true => Vec::new(),
            false => problem::warnings(source, FILE, launch.kernel.entry()),
        },
        text: words(&launch, &report),
        counters: report.counters,
        findings,
        pictures: drawn,
        instructions: report.warp_instructions,
        ..Answer::default()
    };
    let mut answer = answer.into_json();
    answer["entry"] = json!(launch.kernel.entry());
    answer["buffers"] = json!(buffers);
    answer["printed"] = json!(report.printed.shown(cornerturn::MOST_PRINTED_LINES));
    Ok(answer)
}

fn pictures_wanted(request: &Request) -> Result<bool, Problem> {
    request.flag("pictures", true)
}

enum Found {
    Kernel(Kernel),
    /// There are several entries, and none was named.
    Entries(Vec<String>),
}

/// The kernel of a source: PTX, which begins with its version, or CUDA C++.
fn kernel(source: &str, entry: Option<&str>) -> Result<Found, Problem> {
    if !is_ptx(source) {
        return match Kernel::compiled_file(source, FILE, entry) {
            Ok(kernel) => Ok(Found::Kernel(kernel)),
            Err(Error::Entry(_)) if entry.is_none() => {
                let compiled = Compiler::open()?.compile_live(source, FILE)?;
                Ok(Found::Entries(ptx::entries(&compiled.ptx)))
            }
            Err(error) => Err(error.into()),
        };
    }
    let entries = ptx::entries(source);
    let entry = match (entry, entries.as_slice()) {
        (Some(entry), _) => entry,
        (None, [only]) => only,
        (None, []) => "",
        (None, _) => return Ok(Found::Entries(entries)),
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
fn dimensions(request: &Request, name: &str) -> Result<[u32; 3], Problem> {
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
        text.push_str("\nno findings");
    }
    text
}
