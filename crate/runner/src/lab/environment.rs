//! The Python environment of `lab`: JupyterLab in a virtual environment under `target/lab`.

use super::{create_folder, done};
use crate::process::status_logged;
use crate::{exit, output, wheels};
use anyhow::Context;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What is installed; pip chooses the versions of what these need.
const REQUIREMENTS: [&str; 2] = ["jupyterlab==4.6.6", "nbclient==0.11.0"];

/// The oldest Python that these run on.
const OLDEST_PYTHON: (u32, u32) = (3, 10);

/// In the environment, the file that says what was installed; it comes last.
const MARK: &str = ".installed";

/// A complete virtual environment.
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// Where it is, or would be.
    pub fn folder_in(root: &Path) -> PathBuf {
        root.join("target").join("lab").join("venv")
    }

    /// Says at once what the machine lacks for it, where it is not there yet.
    ///
    /// # Errors
    /// What the machine lacks: Python, its venv module.
    pub fn check(root: &Path) -> anyhow::Result<()> {
        match Self::folder_in(root).join(MARK).exists() {
            true => Ok(()),
            false => check_python(),
        }
    }

    /// The environment, made now if it is not there or not complete.
    ///
    /// # Errors
    /// What the machine lacks: Python, its venv module, the network. Nothing half is left then.
    pub fn prepare(root: &Path) -> anyhow::Result<Self> {
        let environment = Self {
            folder: Self::folder_in(root),
        };
        let mark = environment.folder.join(MARK);
        let wanted = REQUIREMENTS.join("\n");
        let complete = fs::read_to_string(&mark).is_ok_and(|found| found == wanted);
        // A Python that was replaced leaves an environment that does not start.
        if complete
            && succeeds(
                &environment.python(),
                &["-c", "import jupyterlab, nbclient"],
            )
        {
            return Ok(environment);
        }
        check_python()?;
        let made = environment.make(root, &wanted, &mark);
        if made.is_err() {
            // Without the mark it is made anew in any case.
            let _ = fs::remove_dir_all(&environment.folder);
        }
        made.map(|()| environment)
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its Python.
    pub fn python(&self) -> PathBuf {
        self.folder.join("bin").join("python3")
    }

    /// Where Jupyter looks for kernels and the like.
    pub fn jupyter_data(&self) -> PathBuf {
        self.folder.join("share").join("jupyter")
    }

    fn make(&self, root: &Path, wanted: &str, mark: &Path) -> anyhow::Result<()> {
        let lab = root.join("target").join("lab");
        create_folder(&lab)?;
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)
                .with_context(|| format!("cannot replace {}", self.folder.display()))?;
        }
        let start = Instant::now();
        output::step("installing JupyterLab from PyPI into target/lab/venv (about 60 MB)");
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv"]).arg(&self.folder);
        let log = lab.join("venv.log");
        if !status_logged("python3 -m venv", &mut venv, &log)?.success() {
            return Err(exit::lacks(format!(
                "python3 could not make a virtual environment: {}",
                last_line(&log)
            )));
        }
        self.install("JupyterLab", &REQUIREMENTS, &lab.join("pip.log"))?;
        fs::write(mark, wanted).with_context(|| mark.display().to_string())?;
        done(start);
        Ok(())
    }

    /// Installs packages from PyPI into it; `name` is what the whole is called where it cannot be.
    ///
    /// # Errors
    /// What the machine lacks, in pip's words.
    pub fn install(&self, name: &str, packages: &[&str], log: &Path) -> anyhow::Result<()> {
        let mut pip = Command::new(self.python());
        pip.args([
            "-m",
            "pip",
            "install",
            "--no-input",
            "--disable-pip-version-check",
        ]);
        pip.args(["--progress-bar=off", "--retries=1", "--timeout=20"])
            .args(packages);
        if status_logged("pip install", &mut pip, log)?.success() {
            return Ok(());
        }
        let said = fs::read_to_string(log).unwrap_or_default();
        Err(exit::lacks(format!(
            "{name} could not be installed from PyPI: {}",
            wheels::reason(&said)
        )))
    }
}

/// Whether there is a Python that can make the environment.
fn check_python() -> anyhow::Result<()> {
    let python = Path::new("python3");
    if !succeeds(python, &["--version"]) {
        return Err(exit::lacks(
            "JupyterLab needs Python, and there is no python3: install it \
             (Debian, Ubuntu: apt install python3 python3-venv)",
        ));
    }
    let (major, minor) = OLDEST_PYTHON;
    let new_enough = format!("import sys; sys.exit(sys.version_info < ({major}, {minor}))");
    if !succeeds(python, &["-c", &new_enough]) {
        return Err(exit::lacks(format!(
            "JupyterLab needs Python {major}.{minor} or later, and python3 is older: put a newer one first \
             on the path"
        )));
    }
    // Debian leaves ensurepip out, and its own venv module then fails with a page of advice.
    if !succeeds(python, &["-c", "import venv, ensurepip"]) {
        return Err(exit::lacks(
            "python3 has no venv module, which JupyterLab's environment is made with: install it \
             (Debian, Ubuntu: apt install python3-venv)",
        ));
    }
    Ok(())
}

fn succeeds(program: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn last_line(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    text.lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it says nothing")
        .to_owned()
}
