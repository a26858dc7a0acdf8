//! Verb `compile`: CUDA C++ of a file to PTX, by NVIDIA's compiler or our own. How each compiles is the library's.

use crate::{compiler, exit, output};
use cornerturn::compile::{self, Compiled, Compiler};
use cornerturn::{Error, ptx};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Compile CUDA C++ to PTX
///
/// The PTX goes to the output, or to the file of --out; warnings, and what is wrong with the source, to the standard
/// error. Exit status: 0 it compiles; 1 the source is wrong; 2 bad usage; 3 Corner Turn's own compiler does not know
/// something in it, which is a gap; 4 NVRTC was asked for and is not here.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file of CUDA C++
    file: PathBuf,

    /// The virtual architecture, such as compute_75 or sm_90a [default: the oldest that has what the source uses]
    #[arg(long)]
    arch: Option<String>,

    /// Define a macro before the first line, as 1 where no value is given; may be repeated
    #[arg(long = "define", short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    defines: Vec<(String, String)>,

    /// Where to write the PTX [default: the standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    compiler: compiler::Chosen,

    /// Print one JSON object: file, compiler, arch, version, entries, warnings, and ptx without --out; or error
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.compiler.choose();
    let source = cornerturn::files::read_text(&args.file)?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    let arch = match &args.arch {
        Some(arch) => arch.replacen("sm_", "compute_", 1),
        None => compile::arch_of(&source).to_string(),
    };
    let compiler = Compiler::open()?;
    let compiled = match compiler.compile_with(&source, &name, &arch, &args.defines) {
        Err(Error::Compile { log }) => {
            return Err(exit::wrong(format!(
                "the CUDA C++ does not compile:\n{log}"
            )));
        }
        result => result?,
    };
    let text = ptx::lower_version(&compiled.ptx, ptx::NEWEST_VERSION);
    if let Some(out) = &args.out {
        output::write_whole(out, text.as_bytes())?;
    }
    match args.json {
        true => output::json(&as_json(&args, &compiled, &arch, &text))?,
        false => {
            output::step(format!("compiled by {}", compiled.compiler));
            if !compiled.log.is_empty() {
                output::complain(&compiled.log);
            }
            if args.out.is_none() {
                output::print(&text)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(args: &Args, compiled: &Compiled, arch: &str, text: &str) -> serde_json::Value {
    let version = ptx::version(text).map(|(major, minor)| format!("{major}.{minor}"));
    json!({
        "file": args.file.display().to_string(),
        "compiler": compiled.compiler.to_string(),
        "arch": arch,
        "version": version,
        "entries": ptx::entries(text),
        "warnings": compiled.log,
        "ptx": args.out.is_none().then_some(text),
    })
}

/// `NAME=VALUE`, or `NAME` for `NAME=1`.
fn definition(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let is_name = name
        .chars()
        .enumerate()
        .all(|(at, c)| c == '_' || c.is_ascii_alphabetic() || (at > 0 && c.is_ascii_digit()));
    match is_name && !name.is_empty() && !value.contains(['\n', '\r', '\0']) {
        true => Ok((name.to_string(), value.to_string())),
        false => Err(format!("`{text}` is not NAME or NAME=VALUE in one line")),
    }
}
