//! The Python environment of `lab`: JupyterLab in a virtual environment under `target/lab`.

use super::{create_folder, done};
use crate::process::status_logged;
use crate::{exit, output, wheels};
use anyhow::Context;
use cornerturn_basics::system::{GET_PYTHON, PYTHON, environment_program};
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

/// A Python that an environment is to be made with.
pub struct Python {
    program: PathBuf,
    /// The folder that it lives in, where an environment that is there already must be made with it too.
    base: Option<PathBuf>,
}

impl Python {
    /// The first on the path; an environment that is there may be made with any.
    pub fn any() -> Self {
        Self {
            program: PathBuf::from(PYTHON),
            base: None,
        }
    }

    /// The first whose folder `accept` takes: that of the environment which is there, those on the path, the
    /// system's. `Err` holds the folders of all that it does not take.
    pub fn accepted_by(root: &Path, accept: impl Fn(&Path) -> bool) -> Result<Self, Vec<PathBuf>> {
        let there = Environment {
            folder: Environment::folder_in(root),
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/bin")]);
        let others = folders.map(|folder| folder.join(PYTHON));
        let mut refused = Vec::new();
        for program in [there.python()].into_iter().chain(others) {
            let Some(base) = base_of(&program) else {
                continue;
            };
            if accept(&base) {
                let base = Some(base);
                return Ok(Self { program, base });
            }
            if !refused.contains(&base) {
                refused.push(base);
            }
        }
        Err(refused)
    }

    /// Whether another program is this Python, as far as that matters.
    fn is_that_of(&self, program: &Path) -> bool {
        self.base.is_none() || self.base == base_of(program)
    }
}

/// The folder in which a Python, or that of an environment, lives; nothing if it does not start.
fn base_of(program: &Path) -> Option<PathBuf> {
    let said = Command::new(program)
        .args(["-c", "import sys; print(sys.base_prefix)"])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let base = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    (said.status.success() && !base.is_empty()).then(|| PathBuf::from(base))
}

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
    pub fn check(root: &Path, wanted: &Python) -> anyhow::Result<()> {
        match Self::folder_in(root).join(MARK).exists() {
            true => Ok(()),
            false => check_python(&wanted.program),
        }
    }

    /// The environment, made now if it is not there or not complete, or made with another Python than `wanted`.
    ///
    /// # Errors
    /// What the machine lacks: Python, its venv module, the network. Nothing half is left then.
    pub fn prepare(root: &Path, wanted: &Python) -> anyhow::Result<Self> {
        let environment = Self {
            folder: Self::folder_in(root),
        };
        let mark = environment.folder.join(MARK);
        // The programs in it name its folder, so one that was moved is made anew.
        let folder = environment.folder.display();
        let content = format!("{folder}\n{}", REQUIREMENTS.join("\n"));
        let complete = fs::read_to_string(&mark).is_ok_and(|found| found == content);
        // A Python that was replaced leaves an environment that does not start.
        if complete
            && wanted.is_that_of(&environment.python())
            && succeeds(
                &environment.python(),
                &["-c", "import jupyterlab, nbclient"],
            )
        {
            return Ok(environment);
        }
        check_python(&wanted.program)?;
        let made = environment.make(root, wanted, &content, &mark);
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
        environment_program(&self.folder, PYTHON)
    }

    /// Where Jupyter looks for kernels and the like.
    pub fn jupyter_data(&self) -> PathBuf {
        self.folder.join("share").join("jupyter")
    }

    fn make(&self, root: &Path, python: &Python, content: &str, mark: &Path) -> anyhow::Result<()> {
        let lab = root.join("target").join("lab");
        create_folder(&lab)?;
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)
                .with_context(|| format!("cannot replace {}", self.folder.display()))?;
        }
        let start = Instant::now();
        output::step("installing JupyterLab from PyPI into target/lab/venv (about 60 MB)");
        let mut venv = Command::new(&python.program);
        venv.args(["-m", "venv"]).arg(&self.folder);
        let log = lab.join("venv.log");
        if !status_logged("python3 -m venv", &mut venv, &log)?.success() {
            return Err(exit::lacks(format!(
                "python3 could not make a virtual environment: {}",
                last_line(&log)
            )));
        }
        self.install("JupyterLab", &REQUIREMENTS, &lab.join("pip.log"))?;
        fs::write(mark, content).with_context(|| mark.display().to_string())?;
        done("JupyterLab", start);
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

/// Whether a Python can make the environment.
fn check_python(python: &Path) -> anyhow::Result<()> {
    if !succeeds(python, &["--version"]) {
        return Err(exit::lacks(format!(
            "JupyterLab needs Python, and there is no python3: install it ({GET_PYTHON})"
        )));
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
        return Err(exit::lacks(format!(
            "python3 has no venv module, which JupyterLab's environment is made with: install it ({GET_PYTHON})"
        )));
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
