//! The assembler `ptxas` and the disassembler `nvdisasm`: where they are and how they are asked. Installing them is the binary's.

use cornerturn_base::error::{Error, Result};
use cornerturn_base::paths;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// How to get them.
fn how_to_get() -> String {
    format!(
        "run `{}`, which puts them under target/cuda-machine-code",
        paths::command("kernels --install-compiler")
    )
}

/// `ptxas` and `nvdisasm` of this machine.
#[derive(Debug, Clone)]
pub struct Tools {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
}

/// What the assembler made.
#[derive(Debug, Clone)]
pub struct Assembled {
    /// The cubin, an ELF file.
    pub cubin: Vec<u8>,
    /// What `nvdisasm` prints of it, with the lines of the PTX.
    pub listing: String,
}

impl Tools {
    /// Those under `target/cuda-machine-code`, else the system's own.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], with the command that installs them.
    pub fn open() -> Result<Self> {
        let folder = paths::machine_code_tools()?;
        let find = |name: &str| {
            find(&folder, name, 8)
                .or_else(|| on_path(name))
                .ok_or_else(|| {
                    Error::NoCompiler(format!(
                        "machine code needs NVIDIA's {name}, which is not installed; {}",
                        how_to_get()
                    ))
                })
        };
        Ok(Self {
            ptxas: find("ptxas")?,
            nvdisasm: find("nvdisasm")?,
        })
    }

    /// Assembles PTX for a machine, such as `sm_90`, and disassembles it again.
    ///
    /// # Errors
    /// [`Error::Usage`] for a target that is none; [`Error::Assembler`] where a tool refuses what it is given;
    /// [`Error::NoCompiler`] where it does not start; [`Error::Unwritable`].
    pub fn assemble(&self, name: &str, ptx: &str, target: &str) -> Result<Assembled> {
        let is_target = target.strip_prefix("sm_").is_some_and(|number| {
            number.starts_with(|first: char| first.is_ascii_digit())
                && number.chars().all(|c| c.is_ascii_alphanumeric())
        });
        if !is_target {
            return Err(Error::Usage(format!(
                "`{target}` is no machine; write one such as sm_75, sm_90 or sm_90a"
            )));
        }
        let scratch = Scratch::new()?;
        let (source, code) = (scratch.0.join("kernel.ptx"), scratch.0.join("kernel.cubin"));
        fs::write(&source, ptx).map_err(|error| unwritable(&source, &error))?;
        let arch = format!("-arch={target}");
        // Line information changes no instruction: it is the usual one, without -G.
        let options = ["-lineinfo", arch.as_str(), "-o"].map(OsStr::new);
        let files = [code.as_os_str(), source.as_os_str()];
        answer(name, Command::new(&self.ptxas).args(options).args(files))?;
        let listing = answer(
            name,
            Command::new(&self.nvdisasm).args(["-c", "-gp"]).arg(&code),
        )?;
        let cubin = fs::read(&code).map_err(|error| Error::File {
            file: code.clone(),
            reason: error.to_string(),
        })?;
        Ok(Assembled { cubin, listing })
    }

    /// The assembler's version, such as `13.0.88`, where it tells.
    pub fn version(&self) -> Option<String> {
        let told = answer("ptxas", Command::new(&self.ptxas).arg("--version")).ok()?;
        let version = told.lines().find_map(|line| line.rsplit_once(", V"))?.1;
        Some(version.trim().to_string())
    }
}

/// What a tool prints; its complaint is an error.
fn answer(name: &str, command: &mut Command) -> Result<String> {
    let tool = Path::new(command.get_program())
        .file_name()
        .map_or_else(String::new, |tool| tool.to_string_lossy().into_owned());
    let result = command.stdin(Stdio::null()).output();
    let result = result.map_err(|error| {
        Error::NoCompiler(format!("cannot start {tool}: {error}; {}", how_to_get()))
    })?;
    if result.status.success() {
        return Ok(String::from_utf8_lossy(&result.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&result.stderr);
    let lines = complaint.lines().map(str::trim);
    let told: Vec<&str> = lines.filter(|line| !line.is_empty()).take(3).collect();
    let reason = match told.is_empty() {
        true => format!("it stopped without a word ({})", result.status),
        false => told.join("\n"),
    };
    Err(Error::Assembler {
        name: name.to_string(),
        tool,
        reason,
    })
}

fn unwritable(file: &Path, error: &std::io::Error) -> Error {
    Error::Unwritable {
        file: file.to_path_buf(),
        reason: error.to_string(),
    }
}

/// A folder of our own that goes away again.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("cornerturn-machine-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover in the system's temporary folder does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The file of that name below a folder.
fn find(folder: &Path, name: &str, depth: usize) -> Option<PathBuf> {
    let here = folder.join(name);
    if here.is_file() {
        return Some(here);
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| depth > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .find_map(|entry| find(&entry.path(), name, depth - 1))
}

/// The program of that name that a shell would start.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&path).map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}
