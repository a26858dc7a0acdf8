//! Installs NVIDIA's compilers and what else comes from PyPI under `target/`, each whole or not at all. What they do lives in the verbs.

use crate::partial::Partial;
use crate::{exit, output};
use cornerturn::compile;
use cornerturn::machine_code::Tools;
use cornerturn_basics::system::{GET_PYTHON, PYTHON, environment_program};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Wheels that are installed together into one folder.
pub struct Set {
    /// What it is, for people.
    pub name: &'static str,
    /// The folder below `target/`.
    pub folder: &'static str,
    /// What pip is asked for, each pinned.
    pub requirements: &'static [&'static str],
    /// The folders in them of which nothing is kept.
    pub unneeded: &'static [&'static str],
    /// Roughly what is downloaded, in megabytes.
    pub download_megabytes: u32,
    /// Whether it is NVIDIA's, who make it for some systems only.
    pub by_nvidia: bool,
}

/// The compiler of CUDA C++.
pub const NVRTC: Set = Set {
    name: "NVRTC 13.0.88 (the compiler of CUDA C++)",
    folder: "cuda",
    requirements: &["nvidia-cuda-nvrtc==13.0.88"],
    unneeded: &[],
    download_megabytes: 90,
    by_nvidia: true,
};

/// NVIDIA's headers for kernels: numbers of 16 and 8 bits, matrix instructions. They belong to [`NVRTC`].
pub const HEADERS: Set = Set {
    name: "NVIDIA's headers 13.0 (cuda_fp16.h, cuda_bf16.h, cuda_fp8.h, mma.h, curand_kernel.h)",
    folder: "cuda-headers",
    requirements: &[
        "nvidia-cuda-runtime==13.0.88",
        "nvidia-cuda-crt==13.0.88",
        "nvidia-cuda-cccl==13.0.85",
        // Its headers come with the host's library, which is most of the download and is not kept.
        "nvidia-curand==10.4.0.35",
    ],
    unneeded: &["nvidia/cu13/lib"],
    download_megabytes: 66,
    by_nvidia: true,
};

/// The assembler of the oldest CUDA whose drivers are served: what it takes, they take.
pub const OLDEST_PTXAS: Set = Set {
    name: "ptxas 12.1 (it stands for the oldest drivers served)",
    folder: "cuda-12.1",
    requirements: &["nvidia-cuda-nvcc-cu12==12.1.105"],
    unneeded: &[],
    download_megabytes: 20,
    by_nvidia: true,
};

/// The assembler that belongs to [`NVRTC`], and the disassembler that shows what it makes.
pub const MACHINE_CODE: Set = Set {
    name: "ptxas 13.0 and nvdisasm (they show the machine code of the kernels)",
    folder: "cuda-machine-code",
    requirements: &["nvidia-cuda-nvcc==13.0.88", "nvidia-cuda-nvdisasm==13.2.51"],
    unneeded: &[],
    download_megabytes: 45,
    by_nvidia: true,
};

/// NVIDIA's compiler of whole programs; its headers are [`HEADERS`], but for the profiler's, which only hosts include.
pub const NVCC: Set = Set {
    name: "nvcc 13.0 (the compiler of whole programs)",
    folder: "cuda-nvcc",
    requirements: &[
        "nvidia-cuda-nvcc==13.0.88",
        "nvidia-nvvm==13.0.88",
        "nvidia-cuda-profiler-api==13.0.85",
    ],
    unneeded: &[],
    download_megabytes: 99,
    by_nvidia: true,
};

/// What makes a wheel of the binary.
pub const MATURIN: Set = Set {
    name: "maturin 1.16.0 (it makes the wheel)",
    folder: "maturin",
    requirements: &["maturin==1.16.0"],
    unneeded: &[],
    download_megabytes: 10,
    by_nvidia: false,
};

/// Sees to it that machine code can be shown: installs assembler and disassembler where this machine has none.
///
/// # Errors
/// As [`Set::install`].
pub fn prepare_machine_code(root: &Path) -> anyhow::Result<()> {
    if Tools::open().is_err() {
        MACHINE_CODE.install(root)?;
    }
    Ok(())
}

/// In a folder, the file that says what was installed there; it comes last.
const MARK: &str = ".installed";

impl Set {
    /// Where it is, or would be.
    pub fn path(&self, root: &Path) -> PathBuf {
        root.join("target").join(self.folder)
    }

    /// Whether exactly these wheels are there.
    pub fn is_installed(&self, root: &Path) -> bool {
        fs::read_to_string(self.path(root).join(MARK)).is_ok_and(|mark| mark == self.mark())
    }

    fn mark(&self) -> String {
        self.requirements.join("\n")
    }

    /// Installs it where it is not there yet, and says where it is.
    ///
    /// # Errors
    /// What the machine lacks: Python, pip, the network, room on the disk. Nothing half is left then.
    pub fn install(&self, root: &Path) -> anyhow::Result<PathBuf> {
        let folder = self.path(root);
        if self.is_installed(root) {
            return Ok(folder);
        }
        if self.by_nvidia && !compile::IS_MADE {
            return Err(exit::lacks(format!(
                "NVIDIA makes {} for Linux and Windows only; what needs it is left out here, and Corner Turn's own \
                 compiler compiles edited kernels",
                self.name
            )));
        }
        let parent = root.join("target");
        fs::create_dir_all(&parent)
            .map_err(|error| exit::lacks(format!("cannot create {}: {error}", parent.display())))?;
        let python = python_with_pip(&parent)?;
        let partial = Partial::new(&parent, self.folder).map_err(|error| {
            exit::lacks(format!(
                "cannot create a folder in {}: {error}",
                parent.display()
            ))
        })?;
        output::step(format!(
            "installing {} from PyPI into target/{} (about {} MB)",
            self.name, self.folder, self.download_megabytes
        ));
        self.pip_install(&python, partial.path())?;
        for folder in self.unneeded {
            // What stays does no harm.
            let _ = fs::remove_dir_all(partial.path().join(folder));
        }
        fs::write(partial.path().join(MARK), self.mark()).map_err(|error| {
            exit::lacks(format!(
                "cannot write to {}: {error}",
                partial.path().display()
            ))
        })?;
        partial
            .put_at(&folder, || self.is_installed(root))
            .map_err(|error| {
                exit::lacks(format!("cannot replace {}: {error}", folder.display()))
            })?;
        Ok(folder)
    }

    fn pip_install(&self, python: &Path, into: &Path) -> anyhow::Result<()> {
        let result = Command::new(python)
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--no-input"])
            .args([
                "--only-binary=:all:",
                "--disable-pip-version-check",
                "--no-warn-script-location",
            ])
            .args([
                "--root-user-action=ignore",
                "--retries=1",
                "--timeout=20",
                "--target",
            ])
            .arg(into)
            .args(self.requirements)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| exit::lacks(format!("cannot start {}: {error}", python.display())))?;
        if result.status.success() {
            return Ok(());
        }
        Err(exit::lacks(format!(
            "{} could not be installed from PyPI: {}",
            self.name,
            reason(&String::from_utf8_lossy(&result.stderr))
        )))
    }
}

/// What pip's complaint comes to, with the next step.
pub fn reason(complaint: &str) -> String {
    let offline = [
        "NewConnectionError",
        "Temporary failure in name resolution",
        "ConnectTimeout",
        "Max retries exceeded",
        "ProxyError",
        "Network is unreachable",
        "Connection broken",
    ];
    if offline.iter().any(|sign| complaint.contains(sign)) {
        return "PyPI cannot be reached; connect this machine to the network (or point pip to a mirror with \
                PIP_INDEX_URL) and run the command again"
            .to_string();
    }
    if complaint.contains("No space left on device") {
        return "the disk is full; free some space and run the command again".to_string();
    }
    let last = complaint.lines().rev().find(|line| !line.trim().is_empty());
    format!(
        "pip says: {}",
        last.unwrap_or("nothing").trim_start_matches("ERROR: ")
    )
}

/// A Python that has pip: the machine's, the laboratory's, or one made for this under `target/python`.
pub fn python_with_pip(target: &Path) -> anyhow::Result<PathBuf> {
    let system = PathBuf::from(PYTHON);
    if !answers(&system, &["--version"]) {
        return Err(exit::lacks(format!(
            "there is no {PYTHON}, which installs from PyPI; install it ({GET_PYTHON})"
        )));
    }
    let own = target.join("python");
    let own_python = environment_program(&own, PYTHON);
    let lab = environment_program(&target.join("lab").join("venv"), PYTHON);
    for python in [&system, &lab, &own_python] {
        if answers(python, &["-m", "pip", "--version"]) {
            return Ok(python.clone());
        }
    }
    let mut venv: Vec<OsString> = ["-m", "venv", "--clear"].map(Into::into).to_vec();
    venv.push(own.into_os_string());
    if answers(&system, &venv) && answers(&own_python, &["-m", "pip", "--version"]) {
        return Ok(own_python);
    }
    Err(exit::lacks(format!(
        "{PYTHON} has neither pip nor venv, which install from PyPI; install one of them ({GET_PYTHON})"
    )))
}

/// Whether a program starts and succeeds; what it prints is dropped.
fn answers<S: AsRef<std::ffi::OsStr>>(program: &Path, arguments: &[S]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The file of that name anywhere below a folder.
pub fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if entry.file_name() == name {
                return Some(path);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_of_pip_become_sentences() {
        let offline = "WARNING: Retrying … NewConnectionError('…: Failed to establish a new connection')\n\
                       ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.0.88\n";
        assert!(reason(offline).contains("network"));
        assert!(reason("ERROR: [Errno 28] No space left on device\n").contains("disk is full"));
        assert_eq!(reason("x\nERROR: broken\n\n"), "pip says: broken");
    }

    #[test]
    fn a_set_counts_as_installed_by_its_mark_only() {
        let root = std::env::temp_dir().join(format!("cornerturn-wheels-{}", std::process::id()));
        let folder = NVRTC.path(&root);
        fs::create_dir_all(&folder).unwrap();
        assert!(!NVRTC.is_installed(&root));
        fs::write(folder.join(MARK), "nvidia-cuda-nvrtc==1.0").unwrap();
        assert!(!NVRTC.is_installed(&root));
        fs::write(folder.join(MARK), NVRTC.mark()).unwrap();
        assert!(NVRTC.is_installed(&root));
        assert_eq!(NVRTC.install(&root).unwrap(), folder);
        fs::remove_dir_all(&root).unwrap();
    }
}
