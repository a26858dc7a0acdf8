//! Verb `kernels`: compiles the registered CUDA C++ to the committed PTX, stamps it, and checks that all of it is fresh and loads on old drivers. Where the compilers come from lives in `wheels`.

use crate::{exit, output, wheels};
use anyhow::Context;
use cornerturn::compile::Nvrtc;
use cornerturn::machine_code::{self, access};
use cornerturn::registry::{Code, Registry, Stamp, sha256};
use cornerturn::{Error, paths, ptx};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Compile the kernels' CUDA C++ to the PTX that is committed beside it
///
/// The compilers are installed from PyPI under target/ the first time. The PTX gets the lowest `.version` that its
/// instructions need, so that drivers from CUDA 12.1 on load it, and a first line that names the source's hash and the
/// compiler. Nothing is written unless every kernel compiles. PTX that its first line says was made from its source as it
/// is, by this compiler, is left as it is.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write nothing; fail if any PTX is stale, differs from what the compiler gives now, does not pass the
    /// assembler of CUDA 12.1, or has other memory instructions than its machine code
    #[arg(long, conflicts_with = "install_compiler")]
    check: bool,

    /// Compile all of them again, whatever the first lines of their PTX say
    #[arg(long, conflicts_with_all = ["check", "install_compiler"])]
    all: bool,

    /// Only install the compiler, which notebooks with edited kernels need, and what shows their machine code
    #[arg(long)]
    install_compiler: bool,

    /// Print one JSON object: files; with --check fresh, problems; with --install-compiler compiler; or error
    #[arg(long)]
    json: bool,
}

/// Versions of the PTX language, from the first that has compute capability 7.5 to the newest that every driver from
/// CUDA 12.1 on reads (PTX ISA, Release Notes).
const VERSIONS: [(u32, u32); 13] = [
    (6, 3),
    (6, 4),
    (6, 5),
    (7, 0),
    (7, 1),
    (7, 2),
    (7, 3),
    (7, 4),
    (7, 5),
    (7, 6),
    (7, 7),
    (7, 8),
    ptx::NEWEST_VERSION,
];

/// The machine code that committed PTX is tried for, besides that of its own architecture; what is only for one machine is
/// tried for that.
const NEWER_TARGET: &str = "sm_90";

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let root = paths::root()?;
    if !args.install_compiler {
        exit::refuse_carried("the PTX is written beside the sources")?;
    }
    wheels::NVRTC.install(&root)?;
    wheels::HEADERS.install(&root)?;
    if args.install_compiler {
        wheels::MACHINE_CODE.install(&root)?;
        let compiler = Nvrtc::open()?;
        let path = compiler.path();
        match args.json {
            true => output::json(&json!({ "compiler": path }))?,
            false => output::line(format_args!("the compiler is at {}", path.display()))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let tools = Tools::open(&root)?;
    let registry = Registry::load()?;
    let compiled = compile(&tools, &registry, args.all || args.check)?;
    match args.check {
        true => {
            wheels::MACHINE_CODE.install(&root)?;
            let machine_code = machine_code::Tools::open()?;
            check(&tools, &machine_code, &registry, &compiled, args.json)
        }
        false => write(&registry, &compiled, args.json),
    }
}

/// The PTX of every kernel; that of a file which kernels share is made once. Unless all are asked for, PTX whose stamp is
/// that of its source and of this compiler is taken as it is committed.
fn compile<'r>(
    tools: &Tools,
    registry: &'r Registry,
    all: bool,
) -> anyhow::Result<Vec<(Code<'r>, String)>> {
    let compiler = match all {
        true => None,
        false => Some(tools.stamped_compiler()?),
    };
    let current = |kernel: Code| {
        let compiler = compiler.as_ref()?;
        let committed = registry.ptx(kernel).ok()?;
        (Stamp::of(&committed)?.compiler == *compiler).then_some(committed)
    };
    let mut compiled: Vec<(Code, String)> = Vec::new();
    for kernel in registry.codes() {
        let made = compiled.iter().find(|(other, _)| other.file == kernel.file);
        let text = match made {
            Some((_, text)) => text.clone(),
            None => match current(kernel) {
                Some(committed) => committed,
                None => tools.compile(registry, kernel)?,
            },
        };
        compiled.push((kernel, text));
    }
    Ok(compiled)
}

fn write(
    registry: &Registry,
    compiled: &[(Code, String)],
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let mut files = Vec::new();
    for &(kernel, ref text) in compiled {
        let path = registry.ptx_path(kernel);
        let unchanged = fs::read_to_string(&path).is_ok_and(|old| old == *text);
        if !unchanged {
            output::write_whole(&path, text.as_bytes())?;
        }
        if as_json {
            files.push(json!({ "file": path, "is_written": !unchanged }));
            continue;
        }
        let what = if unchanged { "unchanged" } else { "written" };
        output::line(format_args!("{}: {what}", path.display()))?;
    }
    if as_json {
        output::json(&json!({ "files": files }))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn check(
    tools: &Tools,
    machine_code: &machine_code::Tools,
    registry: &Registry,
    compiled: &[(Code, String)],
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let (mut problems, mut fresh_ones) = (Vec::new(), Vec::new());
    let mut files: Vec<((&Path, &str), File)> = Vec::new();
    for &(kernel, ref fresh) in compiled {
        let name = (kernel.file, kernel.arch);
        let known = files.iter().find(|(known, _)| *known == name);
        let file = match known {
            Some((_, file)) => file,
            None => {
                let file = look_at(tools, machine_code, registry, kernel, fresh)?;
                files.push((name, file));
                &files[files.len() - 1].1
            }
        };
        match problem(file, kernel) {
            None if as_json => fresh_ones.push(kernel.id),
            None => output::line(format_args!(
                "{}: fresh, loads on drivers from CUDA 12.1 on, and accesses memory as its machine code does",
                kernel.id
            ))?,
            Some(problem) => problems.push(problem),
        }
    }
    if as_json {
        output::json(&json!({ "fresh": fresh_ones, "problems": problems }))?;
    }
    if problems.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(exit::wrong(problems.join("\n")))
}

/// What a file's committed PTX comes to, for all kernels that share it and its architecture.
enum File {
    /// What is wrong with it.
    Wrong(String),
    /// The PTX, and the listing of its machine code.
    Assembled { ptx: String, listing: String },
}

/// Compares the committed PTX of a kernel's file with what its source gives, and has it assembled.
fn look_at(
    tools: &Tools,
    machine_code: &machine_code::Tools,
    registry: &Registry,
    kernel: Code,
    fresh: &str,
) -> anyhow::Result<File> {
    let committed = match registry.ptx(kernel) {
        Ok(committed) => committed,
        Err(error @ Error::Stale { .. }) => return Ok(File::Wrong(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    if committed != fresh {
        return Ok(File::Wrong(format!(
            "{}: differs from what the compiler makes of {}; run `cargo cornerturn kernels --all` to write it again",
            registry.ptx_path(kernel).display(),
            kernel.file.display(),
        )));
    }
    let own = machine_target(kernel.arch)?;
    let newer = match own.ends_with('a') {
        true => own.as_str(),
        false => NEWER_TARGET,
    };
    let mut targets = vec![own.as_str(), newer];
    targets.dedup();
    for target in targets {
        if let Err(complaint) = tools.assemble(&committed, target)? {
            return Ok(File::Wrong(format!(
                "{}: ptxas 12.1 for {target}: {complaint}",
                kernel.id
            )));
        }
    }
    let assembled = machine_code.assemble(kernel.id, &committed, newer)?;
    Ok(File::Assembled {
        ptx: committed,
        listing: assembled.listing,
    })
}

/// What is wrong with a kernel's committed PTX.
fn problem(file: &File, kernel: Code) -> Option<String> {
    let (ptx, listing) = match file {
        File::Wrong(problem) => return Some(problem.clone()),
        File::Assembled { ptx, listing } => (ptx, listing),
    };
    let differences = access::differences(
        &access::of_ptx(ptx, kernel.entry),
        &access::of_machine_code(listing, kernel.entry),
        kernel.machine_code,
    );
    let sentences: Vec<String> = differences
        .iter()
        .map(|difference| format!("{}: {difference}", kernel.id))
        .collect();
    (!sentences.is_empty()).then(|| sentences.join("\n"))
}

/// A place that cannot be written to.
fn unwritable(path: &Path) -> impl FnOnce(std::io::Error) -> anyhow::Error {
    move |error| exit::lacks(format!("cannot write {}: {error}", path.display()))
}

/// The compiler and the assembler.
struct Tools {
    compiler: Nvrtc,
    ptxas: PathBuf,
    /// For what the assembler reads and writes.
    scratch: PathBuf,
}

impl Tools {
    fn open(root: &Path) -> anyhow::Result<Self> {
        let folder = wheels::OLDEST_PTXAS.install(root)?;
        let ptxas = wheels::find(&folder, "ptxas").ok_or_else(|| {
            exit::lacks(format!(
                "{} has no ptxas; remove it and run again",
                folder.display()
            ))
        })?;
        let scratch = root
            .join("target")
            .join(format!("kernels.partial-{}", std::process::id()));
        fs::create_dir_all(&scratch).map_err(unwritable(&scratch))?;
        Ok(Self {
            compiler: Nvrtc::open()?,
            ptxas,
            scratch,
        })
    }

    /// What a stamp says of this compiler, which tells its version only in what it compiles.
    fn stamped_compiler(&self) -> anyhow::Result<String> {
        let nothing = self.compiler.compile("", "nothing.cu", "compute_75")?;
        Ok(stamped(&nothing.ptx))
    }

    /// The stamped PTX of a kernel, in the lowest version of the language that its instructions need.
    fn compile(&self, registry: &Registry, kernel: Code) -> anyhow::Result<String> {
        let source = registry.source(kernel)?;
        let path = registry.source_path(kernel);
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let compiled = self
            .compiler
            .compile(&source, &file, kernel.arch)
            .with_context(|| format!("{}", path.display()))?;
        if !compiled.log.is_empty() {
            return Err(exit::wrong(format!(
                "the compiler warns:\n{}",
                compiled.log
            )));
        }
        let text = compiled.ptx;
        let stamp = Stamp {
            source: sha256(source.as_bytes()),
            compiler: stamped(&text),
            arch: kernel.arch.to_string(),
        };
        let target = machine_target(kernel.arch)?;
        let mut complaint = String::new();
        for version in VERSIONS {
            let lowered = format!("{stamp}\n{}", ptx::lower_version(&text, version));
            match self.assemble(&lowered, &target)? {
                Ok(()) => return Ok(lowered),
                Err(refused) => complaint = refused,
            }
        }
        let (major, minor) = ptx::NEWEST_VERSION;
        Err(exit::wrong(format!(
            "{}: needs more than PTX {major}.{minor}, which drivers of CUDA 12.1 do not load: {complaint}",
            path.display()
        )))
    }

    /// Whether the oldest assembler takes PTX for a target; its complaint if not.
    fn assemble(&self, text: &str, target: &str) -> anyhow::Result<Result<(), String>> {
        let file = self.scratch.join("kernel.ptx");
        fs::write(&file, text).map_err(unwritable(&file))?;
        let result = Command::new(&self.ptxas)
            .arg(format!("-arch={target}"))
            .arg("-o")
            .arg(self.scratch.join("kernel.cubin"))
            .arg(&file)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| {
                exit::lacks(format!("cannot start {}: {error}", self.ptxas.display()))
            })?;
        if result.status.success() {
            return Ok(Ok(()));
        }
        let complaint = String::from_utf8_lossy(&result.stderr);
        let first = complaint
            .lines()
            .find(|line| line.contains("error") || line.contains("fatal"));
        Ok(Err(first
            .unwrap_or("it stopped without a word")
            .trim()
            .to_string()))
    }
}

impl Drop for Tools {
    fn drop(&mut self) {
        // A leftover below target/ does no harm.
        let _ = fs::remove_dir_all(&self.scratch);
    }
}

/// `compute_75` → `sm_75`.
fn machine_target(arch: &str) -> anyhow::Result<String> {
    let number = arch.strip_prefix("compute_").ok_or_else(|| {
        exit::usage(format!(
            "kernels.toml: `{arch}` is no virtual architecture such as compute_75"
        ))
    })?;
    Ok(format!("sm_{number}"))
}

/// How a stamp names the compiler that made this PTX.
fn stamped(ptx: &str) -> String {
    format!("nvrtc-{}", compiler_version(ptx).unwrap_or("unknown"))
}

/// The compiler's version from its comment in the PTX: `…, release 13.0, V13.0.88`.
fn compiler_version(ptx: &str) -> Option<&str> {
    ptx.lines()
        .take_while(|line| line.is_empty() || line.starts_with("//"))
        .find_map(|line| line.rsplit_once(", V"))
        .map(|(_, version)| version.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compilers_version_is_in_its_comment() {
        let text =
            "//\n// Cuda compilation tools, release 13.0, V13.0.88\n\n.version 9.0\n// x, V1\n";
        assert_eq!(compiler_version(text), Some("13.0.88"));
        assert_eq!(compiler_version(".version 9.0\n// x, V1\n"), None);
    }

    #[test]
    fn targets_follow_architectures() {
        assert_eq!(machine_target("compute_90a").unwrap(), "sm_90a");
        assert!(machine_target("sm_75").is_err());
    }
}
