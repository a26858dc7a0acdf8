//! Verb `compile`: CUDA C++ of a file to PTX, by NVIDIA's compiler or our own. How each compiles is the library's; what is shown of our
//! own on the way stands in `inspect`.

mod inspect;

use crate::{compiler, exit, output, source};
use cornerturn::compile::{self, Compiled, Compiler, CompilerKind, SourceFile};
use cornerturn::{CompilerInfo, Error, Message, ptx};
use cornerturn_basics::shortened_message;
use cornerturn_compiler::Options;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compile CUDA C++ to PTX
///
/// The PTX goes to the output, or to the file of --out; warnings, and what is wrong with the source, to the standard
/// error. Exit status: 0 it compiles; 1 the source is wrong; 2 bad usage; 3 Corner Turn's own compiler does not know
/// something in it, which is a gap; 4 NVRTC was asked for and is not here.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file of CUDA C++
    #[arg(required_unless_present = "passes")]
    file: Option<PathBuf>,

    /// The virtual architecture, such as compute_75 or sm_90a [default: the oldest that has what the source uses]
    #[arg(long)]
    arch: Option<String>,

    #[command(flatten)]
    source: source::Options,

    /// Where to write the PTX [default: the standard output]
    #[arg(long, short = 'o', visible_alias = "output", value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    compiler: compiler::Chosen,

    #[command(flatten)]
    inspect: inspect::Asked,

    /// Print one JSON object: file, compiler, arch, diagnostics, and version, entries, warnings, and ptx without --out; or
    /// error in their place
    ///
    /// Each of the diagnostics has file, line, column, end_line, end_column, severity (error, gap or warning), is_gap,
    /// message and help. Columns count bytes, and lines and columns begin with 1; what the compiler does not tell is null.
    #[arg(long)]
    json: bool,
}

impl Args {
    fn path(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(""))
    }
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.inspect.passes {
        output::print(inspect::table())?;
        return Ok(ExitCode::SUCCESS);
    }
    args.compiler.choose();
    let file = args.source.of(args.path());
    let arch = match &args.arch {
        Some(arch) => arch.replacen("sm_", "compute_", 1),
        None => compile::file_arch(&file)?,
    };
    if shows(&args, &file, &arch)? {
        return Ok(ExitCode::SUCCESS);
    }
    let compiler = Compiler::open()?;
    let compiled = match compiler.compile_file(&file, Some(&arch), None) {
        Ok(compiled) => compiled,
        Err(error) => return Err(refused(&args, &compiler.info()?, &arch, error)?),
    };
    let text = &compiled.ptx;
    if let Some(out) = &args.out {
        output::write_whole(out, text.as_bytes())?;
    }
    match args.json {
        true => output::json(&as_json(&args, &compiled, &arch, text))?,
        false => {
            output::step(format!("compiled by {}", compiled.compiler));
            if !compiled.log.is_empty() {
                output::say(&format!("{}\n", shortened_message(&compiled.log)));
            }
            if args.out.is_none() {
                output::print(text)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes what is asked for in place of PTX; false where that is nothing.
fn shows(args: &Args, file: &SourceFile, arch: &str) -> anyhow::Result<bool> {
    let options = Options {
        arch: arch.to_string(),
        defines: file.defines.clone(),
        entry: None,
    };
    match args.inspect.of(file, options)? {
        None => Ok(false),
        Some(Ok((text, warnings))) => {
            if !warnings.is_empty() {
                output::say(&format!("{}\n", shortened_message(warnings.trim_end())));
            }
            match &args.out {
                Some(out) => output::write_whole(out, text.as_bytes())?,
                None => output::print(text)?,
            }
            Ok(true)
        }
        // Compiled once more for its errors as the library tells them.
        Some(Err(messages)) => {
            let compiler = Compiler::of(CompilerKind::CornerTurn)?;
            match compiler.compile_file(file, Some(arch), None) {
                Err(error) => Err(refused(args, &compiler.info()?, arch, error)?),
                Ok(_) => Err(exit::wrong(messages.to_string())),
            }
        }
    }
}

/// The error of a source that does not compile; with `--json` it is told with its places.
fn refused(
    args: &Args,
    compiler: &CompilerInfo,
    arch: &str,
    error: Error,
) -> anyhow::Result<anyhow::Error> {
    let messages = match &error {
        Error::Compile { messages, .. } | Error::CompilerGap { messages, .. } => messages.clone(),
        _ => return Ok(error.into()),
    };
    let error = match error {
        // Elsewhere a source is input; here it is what is checked.
        error @ Error::Compile { .. } => exit::wrong(error.to_string()),
        error => error.into(),
    };
    if args.json {
        let mut object = said(args, compiler, arch, &messages);
        object["error"] = output::json_error(&error)["error"].take();
        output::json(&object)?;
    }
    Ok(error)
}

fn as_json(args: &Args, compiled: &Compiled, arch: &str, text: &str) -> Value {
    let version = ptx::version(text).map(|(major, minor)| format!("{major}.{minor}"));
    let mut object = said(args, &compiled.compiler, arch, &compiled.messages);
    object["version"] = json!(version);
    object["entries"] = json!(ptx::entries(text));
    object["warnings"] = json!(compiled.log);
    object["ptx"] = json!(args.out.is_none().then_some(text));
    object
}

/// What is said of every source, whether it compiles or not.
fn said(args: &Args, compiler: &CompilerInfo, arch: &str, messages: &[Message]) -> Value {
    let file = args.path().display().to_string();
    let diagnostic = |message: &Message| {
        let mut value = message.to_json();
        let included = message.file.as_ref().map(|name| beside(args.path(), name));
        let told = included.as_ref().unwrap_or(&file);
        value["file"] = json!(message.start.map(|_| told));
        value["is_gap"] = json!(message.is_gap());
        value
    };
    json!({
        "file": file,
        "compiler": compiler.to_string(),
        "arch": arch,
        "diagnostics": messages.iter().map(diagnostic).collect::<Vec<_>>(),
    })
}

/// The path of a file that messages call by its name from the source's folder.
fn beside(source: &Path, name: &str) -> String {
    let path = source.parent().unwrap_or(Path::new("")).join(name);
    let is_there = path.is_file();
    match is_there {
        true => path.display().to_string(),
        // It is from a folder that was named.
        false => name.to_string(),
    }
}
