//! Runs notebooks in the real kernel through the real Jupyter protocol, as written or edited as a
//! reader would. The protocol is spoken by `jupyter/execute.py`; what it says is read here.

use crate::error::{Error, Result};
use cornerturn_basics::system::{PYTHON, environment_program};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How to run notebooks.
#[derive(Clone, Debug)]
pub struct JupyterOptions {
    /// The project's root.
    pub root: PathBuf,
    /// A Python that has `jupyter_client` and `nbformat`, and knows the kernel.
    pub python: PathBuf,
    /// The kernel's name.
    pub kernel: String,
    /// A cell that takes longer fails the run.
    pub cell_timeout: Duration,
}

impl JupyterOptions {
    /// The environment that `cornerturn lab` sets up below `root`; ten minutes for a cell.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        JupyterOptions {
            python: environment_program(&root.join("target/lab/venv"), PYTHON),
            root,
            kernel: "rust".to_owned(),
            cell_timeout: Duration::from_secs(600),
        }
    }
}

/// What is done to a notebook before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JupyterPlan {
    /// A kernel's source is edited; it must be compiled again and count differently.
    EditedKernel,
    /// A kernel faults; the cells after it must run.
    FaultingKernel,
    /// A kernel loses its barrier; its result is right, and its run must fail for the race.
    RacingKernel,
}

impl JupyterPlan {
    fn file(self) -> &'static str {
        match self {
            JupyterPlan::EditedKernel => "edited_kernel.json",
            JupyterPlan::FaultingKernel => "faulting_kernel.json",
            JupyterPlan::RacingKernel => "racing_kernel.json",
        }
    }
}

/// What a run of a notebook gave.
#[derive(Clone, Debug, Deserialize)]
pub struct JupyterReport {
    /// The notebook's file name.
    pub notebook: String,
    /// Seconds until the kernel took cells; none where it was the kernel of the notebook before.
    #[serde(default)]
    pub kernel_start_seconds: Option<f64>,
    /// Seconds in all.
    pub seconds: f64,
    /// The code cells that ran, in order.
    pub cells: Vec<JupyterCell>,
    /// What did not go as it must, one sentence each; empty if all is well.
    pub problems: Vec<String>,
}

/// What a code cell gave.
#[derive(Clone, Debug, Deserialize)]
pub struct JupyterCell {
    /// The cell's id in the notebook.
    pub id: String,
    /// Its number among the code cells, from 1.
    pub number: usize,
    /// The kernel's word: `ok`, `error`, `timeout`, `dead`.
    pub status: String,
    /// The kernel's error, if any.
    pub error: String,
    /// What it printed.
    pub stdout: String,
    /// What it printed to stderr; a panic and an error from `?` are here.
    pub stderr: String,
    /// What it displayed, by MIME type.
    pub outputs: BTreeMap<String, serde_json::Value>,
    /// Seconds.
    pub seconds: f64,
}

/// Runs notebooks of one folder from top to bottom, one after another in one kernel. Cells that did not
/// end as they must are in the reports' `problems`.
///
/// # Errors
///
/// If a run could not be made: no Python, no kernel, no such notebook.
pub fn execute_notebooks(
    options: &JupyterOptions,
    notebooks: &[PathBuf],
) -> Result<Vec<JupyterReport>> {
    execute(options, notebooks, None)
}

/// Runs the notebook that a plan is for, edited as the plan says.
///
/// # Errors
///
/// As [`execute_notebooks`], and if no notebook has what the plan edits.
pub fn execute_plan(options: &JupyterOptions, plan: JupyterPlan) -> Result<Vec<JupyterReport>> {
    execute(options, &[options.root.join("notebooks")], Some(plan))
}

/// Tries what a reader does besides running cells: interrupts, several at once, what a name means.
///
/// # Errors
///
/// As [`execute_notebooks`].
pub fn try_kernel(options: &JupyterOptions) -> Result<Vec<JupyterReport>> {
    spoken(
        options,
        "behaviour.py",
        &[options.root.join("notebooks")],
        None,
    )
}

fn execute(
    options: &JupyterOptions,
    paths: &[PathBuf],
    plan: Option<JupyterPlan>,
) -> Result<Vec<JupyterReport>> {
    spoken(options, "execute.py", paths, plan)
}

/// Has one of the scripts speak with a kernel about these paths, and reads its reports, one each.
fn spoken(
    options: &JupyterOptions,
    script: &str,
    paths: &[PathBuf],
    plan: Option<JupyterPlan>,
) -> Result<Vec<JupyterReport>> {
    let folder = options.root.join("book/preprocessor/jupyter");
    let name = |path: &PathBuf| Some(path.file_name()?.to_string_lossy().into_owned());
    let names: Vec<String> = paths.iter().filter_map(name).collect();
    let problem = |problem: String| Error::Jupyter {
        notebook: names.join(", "),
        problem,
    };
    let mut command = Command::new(&options.python);
    command
        .arg(folder.join(script))
        .args(paths)
        .args(["--kernel", &options.kernel])
        .args(["--timeout", &options.cell_timeout.as_secs_f64().to_string()])
        .stdin(Stdio::null());
    if let Some(plan) = plan {
        command.arg("--plan").arg(folder.join(plan.file()));
    }
    let output = command.output().map_err(|error| {
        let python = options.python.display();
        problem(format!(
            "{python} did not start ({error}): `cornerturn lab --setup-only` installs it"
        ))
    })?;
    let lines = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
    match lines.collect::<serde_json::Result<Vec<_>>>() {
        // Python, too, ends with 1 where it fails itself: then a report is missing.
        Ok(reports)
            if matches!(output.status.code(), Some(0 | 1)) && reports.len() == paths.len() =>
        {
            Ok(reports)
        }
        _ => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(problem(format!(
                "the run could not be made: {}",
                said.trim()
            )))
        }
    }
}
