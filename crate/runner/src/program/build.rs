//! What a whole program is built with: nvcc and its headers from PyPI, a C++ compiler of the machine's, and our own runtime. How it runs is the verb's.

use super::Args;
use crate::{exit, output, wheels};
use cornerturn::paths;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The package of our runtime, and the file that cargo makes of it.
const PACKAGE: &str = "cornerturn-cudart";
const LIBRARY: &str = "libcornerturn_cudart.so";
/// As what loads the driver itself asks for it.
const DRIVER: &str = "libcuda.so.1";

/// How C++ compilers are called, the first first.
const HOST_COMPILERS: [&str; 3] = ["g++", "c++", "clang++"];

/// What the machine lends to a program.
pub struct Toolchain {
    nvcc: PathBuf,
    headers: PathBuf,
    host_compiler: Option<PathBuf>,
    /// The folder of our runtime.
    library: PathBuf,
}

impl Toolchain {
    /// Finds it, and installs or builds what is not there yet.
    ///
    /// # Errors
    /// What the machine lacks, with the way to get it.
    pub fn prepare() -> anyhow::Result<Self> {
        if !cfg!(target_os = "linux") {
            return Err(exit::lacks(
                "whole programs are built and run on Linux only; on Windows that is in WSL2. A kernel alone runs here with `cornerturn launch`",
            ));
        }
        let host_compiler = host_compiler()?;
        let root = paths::root()?;
        let library = named(&root, &library(&root)?)?;
        let nvcc = wheels::NVCC.install(&root)?;
        let headers = wheels::HEADERS.install(&root)?.join("nvidia/cu13/include");
        let nvcc = wheels::find(&nvcc, "nvcc")
            .ok_or_else(|| exit::lacks(format!("{} holds no nvcc", nvcc.display())))?;
        Ok(Self {
            nvcc,
            headers,
            host_compiler,
            library,
        })
    }

    /// Compiles and links the program's files into one executable.
    ///
    /// # Errors
    /// What the compiler says of the source; functions of CUDA's that our runtime does not have.
    pub fn build(&self, args: &Args, executable: &Path) -> anyhow::Result<()> {
        output::progress("  compiling with nvcc 13.0");
        let mut nvcc = Command::new(&self.nvcc);
        nvcc.args(self.arguments(args, executable));
        let built = nvcc
            .stdin(Stdio::null())
            .output()
            .map_err(|error| exit::lacks(format!("cannot start nvcc: {error}")))?;
        output::progress("");
        let said = String::from_utf8_lossy(&built.stderr).into_owned()
            + &String::from_utf8_lossy(&built.stdout);
        if built.status.success() {
            output::say(&said);
            return Ok(());
        }
        Err(refused(&said))
    }

    fn arguments(&self, args: &Args, executable: &Path) -> Vec<OsString> {
        let folder = &self.library;
        let mut words: Vec<OsString> = vec!["-o".into(), executable.into()];
        // PTX alone, with lines; the host's part with lines too, so that a call's place can be told.
        let how = ["-g", "-lineinfo", "-cudart=none", "--no-compress"];
        words.extend(how.map(Into::into));
        words.push(format!("-arch={}", args.arch).into());
        words.extend(["-isystem".into(), self.headers.clone().into()]);
        words.extend(["-isystem".into(), self.headers.join("cccl").into()]);
        if let Some(compiler) = &self.host_compiler {
            words.extend(["-ccbin".into(), compiler.into()]);
        }
        if let Some(standard) = &args.standard {
            words.push(format!("-std={standard}").into());
        }
        let file = args.source.of(Path::new(""));
        words.extend(file.folders.iter().map(|folder| joined("-I", folder)));
        let defined = |(name, value): &(String, String)| format!("-D{name}={value}").into();
        words.extend(file.defines.iter().map(defined));
        words.extend(args.nvcc.iter().map(Into::into));
        words.extend(args.files.iter().map(|file| whole(file).into()));
        words.push(joined("-L", folder));
        words.push("-lcornerturn_cudart".into());
        words.push("-Xlinker".into());
        words.push(joined("-rpath=", folder));
        words
    }
}

/// An option with the path behind it.
fn joined(option: &str, path: &Path) -> OsString {
    let mut word = OsString::from(option);
    word.push(path);
    word
}

/// The whole path: what the compiler notes of a file is then found from any folder.
fn whole(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_path_buf())
}

/// The C++ compiler, where nvcc would not find it by itself.
fn host_compiler() -> anyhow::Result<Option<PathBuf>> {
    if std::env::var_os("NVCC_CCBIN").is_some() {
        return Ok(None);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found = HOST_COMPILERS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|program| program.is_file());
    found.map(Some).ok_or_else(|| {
        exit::lacks(
            "a program's host part needs a C++ compiler, and there is no g++, c++ or clang++: install one (Debian and Ubuntu: \
             `apt install g++`; Fedora: `dnf install gcc-c++`; Arch: `pacman -S gcc`)",
        )
    })
}

/// Our runtime: built by cargo in a clone, else beside this binary.
fn library(root: &Path) -> anyhow::Result<PathBuf> {
    if !paths::is_carried() {
        return built(root);
    }
    let program = std::env::current_exe().unwrap_or_default();
    let beside = program.parent().map(|folder| folder.join(LIBRARY));
    beside.filter(|file| file.is_file()).ok_or_else(|| {
        exit::lacks(format!(
            "programs are linked with {LIBRARY}, which is not beside this binary; it is built in a clone of the project: run \
             this there, or set CORNERTURN_HOME to one"
        ))
    })
}

/// A folder with the library under both names by which the system's linker knows it: as what it is, and as the driver, which
/// is in it, so that a program that loads the driver itself gets the same one.
fn named(root: &Path, library: &Path) -> anyhow::Result<PathBuf> {
    let folder = root.join("target/cornerturn-cudart");
    let cannot = |error: std::io::Error| {
        exit::lacks(format!("cannot write to {}: {error}", folder.display()))
    };
    std::fs::create_dir_all(&folder).map_err(cannot)?;
    for name in [LIBRARY, DRIVER] {
        link(library, &folder.join(name)).map_err(cannot)?;
    }
    Ok(folder)
}

/// Makes one path lead to another, unless it does.
fn link(to: &Path, from: &Path) -> std::io::Result<()> {
    if std::fs::read_link(from).is_ok_and(|known| known == to) {
        return Ok(());
    }
    let partial = from.with_extension(format!("partial-{}", std::process::id()));
    #[cfg(unix)]
    std::os::unix::fs::symlink(to, &partial)?;
    #[cfg(not(unix))]
    std::fs::copy(to, &partial)?;
    std::fs::rename(&partial, from)
}

fn built(root: &Path) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(root)
        .args(["build", "--release", "--quiet", "--package", PACKAGE])
        .args(["--message-format=json-render-diagnostics"])
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    let said = command.output().map_err(|error| {
        exit::lacks(format!(
            "the runtime that programs are linked with is built by cargo, which cannot be started: {error}; install Rust \
             (https://rustup.rs)"
        ))
    })?;
    if !said.status.success() {
        return Err(exit::wrong(format!(
            "cargo could not build {PACKAGE}, the runtime that programs are linked with:\n{}",
            String::from_utf8_lossy(&said.stderr)
        )));
    }
    let messages = String::from_utf8_lossy(&said.stdout);
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .flat_map(|message| message["filenames"].as_array().cloned().unwrap_or_default())
        .filter_map(|file| file.as_str().map(PathBuf::from))
        .find(|file| file.ends_with(LIBRARY))
        .ok_or_else(|| {
            exit::wrong(format!(
                "cargo built {PACKAGE}, and no {LIBRARY} came of it"
            ))
        })
}

/// Why nvcc made no program, as the error that it is: the source's, or ours.
fn refused(said: &str) -> anyhow::Error {
    let missing = missing_functions(said);
    if missing.is_empty() {
        return match said.contains("undefined reference") {
            true => exit::usage(format!(
                "the program does not link:\n{}\nGive all its files, and libraries by --nvcc=-lNAME",
                said.trim_end()
            )),
            false => exit::usage(format!(
                "the program does not compile:\n{}",
                said.trim_end()
            )),
        };
    }
    unsupported(&missing)
}

/// The functions of NVIDIA's that the linker found nowhere, each once.
fn missing_functions(said: &str) -> Vec<String> {
    let mut missing: Vec<String> = said
        .lines()
        .filter_map(|line| line.split_once("undefined reference to `"))
        .filter_map(|(_, rest)| rest.split('\'').next())
        .filter(|name| PREFIXES.iter().any(|(prefix, _)| name.starts_with(prefix)))
        .map(str::to_string)
        .collect();
    missing.sort();
    missing.dedup();
    missing
}

/// How functions of NVIDIA's libraries begin, and what is to be said of the library.
const PREFIXES: [(&str, &str); 11] = [
    ("__cudaRegisterLinkedBinary", RELOCATABLE),
    ("cublas", "cuBLAS is machine code without PTX"),
    ("cufft", "cuFFT is machine code without PTX"),
    ("cudnn", "cuDNN is machine code without PTX"),
    (
        "curand",
        "cuRAND's host library is machine code without PTX; curand_kernel.h works in kernels",
    ),
    ("cusparse", "cuSPARSE is machine code without PTX"),
    ("cusolver", "cuSOLVER is machine code without PTX"),
    ("nccl", "NCCL is machine code without PTX"),
    (
        "cudaGraphics",
        "graphics (OpenGL, Direct3D, Vulkan) needs a GPU that shows something",
    ),
    ("__cuda", "our runtime has not got it yet"),
    ("cuda", "our runtime has not got it yet"),
];

const RELOCATABLE: &str = "relocatable device code (-rdc=true) needs a linker of machine code; put what calls each other into one file";

fn unsupported(missing: &[String]) -> anyhow::Error {
    let why = |name: &String| {
        PREFIXES
            .iter()
            .find(|(prefix, _)| name.starts_with(prefix))
            .map_or("", |(_, why)| *why)
    };
    let mut reasons: Vec<&str> = missing.iter().map(why).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
    exit::unsupported(format!(
        "Corner Turn cannot run this program: it calls {}. {}.",
        names.join(", "),
        reasons.join("; ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_linker_misses_is_named_as_ours_or_a_librarys() {
        let said = "/usr/bin/ld: a.o: in function `main':\na.cu:3:(.text+0x1): undefined reference to `cublasSgemm_v2'\n\
                    ld: undefined reference to `cudaFoo'\nld: undefined reference to `cudaFoo'\n";
        assert_eq!(missing_functions(said), ["cublasSgemm_v2", "cudaFoo"]);
        let told = refused(said).to_string();
        assert!(told.contains("cuBLAS is machine code"), "{told}");
        assert!(told.contains("our runtime has not got it yet"), "{told}");
        let own = "ld: undefined reference to `helper(int)'\n";
        assert!(refused(own).to_string().contains("does not link"));
        assert!(
            refused("a.cu(3): error: x")
                .to_string()
                .contains("does not compile")
        );
    }
}
