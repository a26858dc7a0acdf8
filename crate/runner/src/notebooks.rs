//! Verb `notebooks`: writes the chapters as notebooks, tells which are stale, and runs them in the
//! kernel that `lab` sets up.

use crate::book::{device_key, failure};
use crate::values::Values;
use crate::{exit, lab, output};
use cornerturn::{Device, paths};
use cornerturn_preprocessor::{
    Expected, JupyterOptions, JupyterPlan, JupyterReport, check_notebooks, execute_notebooks,
    execute_plan, expected, try_kernel, write_notebooks,
};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Each notebook's kernel, with the compiler that it calls, takes about a gigabyte of memory.
const MOST_AT_ONCE: usize = 4;

/// A kernel runs this many notebooks, one after another: else most of a run would be its start.
const MOST_ALIKE: usize = 10;

/// Write the chapters as notebooks, without outputs.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write nothing; fail if a notebook is not as its chapter says.
    #[arg(long, conflicts_with = "run")]
    check: bool,
    /// Write nothing; run the notebooks in the kernel that `lab` sets up, as written or changed as a
    /// reader might.
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "as-written")]
    run: Option<How>,
    /// Print one JSON object: written, the notebooks that were; with --check stale, a sentence for each that is.
    #[arg(long, conflicts_with = "run")]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum How {
    /// Every notebook, from top to bottom; what its cells give is compared with what the book has shown of them.
    AsWritten,
    /// As written, but only every fifth.
    Sample,
    /// A kernel's source is edited; it must be compiled again and count differently.
    Edited,
    /// A kernel faults; the cells after it must run.
    Faulting,
    /// A kernel loses its barrier; its run must fail.
    Racing,
    /// No notebook: cells are interrupted, fail in a row, and names are asked for.
    Behaviour,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let root = paths::root()?;
    if args.run.is_some() {
        // What is tried is the kernel as its sources are now, not that of the last `lab`.
        lab::prepare_kernel(&root)?;
    }
    match args.run {
        Some(How::AsWritten) => run_each(&root, 1),
        Some(How::Sample) => run_each(&root, 5),
        Some(How::Edited) => run_plan(&root, JupyterPlan::EditedKernel),
        Some(How::Faulting) => run_plan(&root, JupyterPlan::FaultingKernel),
        Some(How::Racing) => run_plan(&root, JupyterPlan::RacingKernel),
        Some(How::Behaviour) => {
            let reports = try_kernel(&JupyterOptions::new(&root)).map_err(failure)?;
            verdict(reports.iter().map(tell).sum())
        }
        None if args.check => check(&root, args.json),
        None if args.json => {
            let written = write_notebooks(&root, &Values::default()).map_err(failure)?;
            output::json(&serde_json::json!({ "written": written }))?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            for path in write_notebooks(&root, &Values::default()).map_err(failure)? {
                println!("{}", path.display());
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn check(root: &Path, as_json: bool) -> anyhow::Result<ExitCode> {
    let stale = check_notebooks(root, &Values::default()).map_err(failure)?;
    for notebook in &stale {
        output::step(notebook.to_string());
    }
    if as_json {
        let told: Vec<String> = stale.iter().map(ToString::to_string).collect();
        output::json(&serde_json::json!({ "stale": told }))?;
    }
    match stale.len() {
        0 if as_json => Ok(ExitCode::SUCCESS),
        0 => {
            println!("the notebooks are as their chapters say");
            Ok(ExitCode::SUCCESS)
        }
        count => Err(exit::wrong(format!(
            "{count} notebooks are not as their chapters say: run `cargo cornerturn notebooks`"
        ))),
    }
}

/// Runs the notebooks, each of them or one of so many.
fn run_each(root: &Path, one_of: usize) -> anyhow::Result<ExitCode> {
    let folder = root.join("notebooks");
    let mut runs = Vec::new();
    for folder in [folder.clone(), folder.join("exercises")] {
        if folder.is_dir() {
            let notebooks: Vec<PathBuf> =
                notebooks_in(&folder)?.into_iter().step_by(one_of).collect();
            runs.extend(notebooks.chunks(MOST_ALIKE).map(<[PathBuf]>::to_vec));
        }
    }
    if runs.is_empty() {
        return Err(exit::usage(
            "there are no notebooks: run `cargo cornerturn notebooks`",
        ));
    }
    // A GPU gives other times with each run.
    let expected = match Device::open()?.is_cuda() {
        true => Vec::new(),
        false => expected(root, &device_key()?).map_err(failure)?,
    };
    let compared = Compared::of(&expected);
    let problems = run_side_by_side(&JupyterOptions::new(root), &runs, &compared)?;
    println!(
        "{} cells gave what the book shows of them",
        compared.same.load(Relaxed)
    );
    verdict(problems)
}

/// What the book has shown of notebooks' cells, and how many were found to give the same.
struct Compared<'a> {
    expected: BTreeMap<&'a OsStr, &'a Expected>,
    same: AtomicUsize,
}

impl<'a> Compared<'a> {
    /// No two notebooks have one name.
    fn of(expected: &'a [Expected]) -> Self {
        let by_name = |expected: &'a Expected| Some((expected.notebook.file_name()?, expected));
        Self {
            expected: expected.iter().filter_map(by_name).collect(),
            same: AtomicUsize::new(0),
        }
    }

    /// Adds to a report's problems what is otherwise than the book has shown it.
    fn judge(&self, report: &mut JupyterReport) {
        if let Some(expected) = self.expected.get(OsStr::new(&report.notebook)) {
            let (same, differences) = expected.compare(report);
            self.same.fetch_add(same, Relaxed);
            report.problems.extend(differences);
        }
    }
}

/// Runs the notebooks, each run in a kernel of its own and as many at a time as there are cores, and tells of each
/// run as it ends. Gives the number of problems; the first run that could not be made ends the others after what
/// they are at.
fn run_side_by_side(
    options: &JupyterOptions,
    runs: &[Vec<PathBuf>],
    compared: &Compared,
) -> anyhow::Result<usize> {
    let workers = thread::available_parallelism().map_or(1, |cores| cores.get().min(MOST_AT_ONCE));
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let told = Mutex::new(());
    let work = || {
        let mut problems = 0;
        while !failed.load(Relaxed)
            && let Some(notebooks) = runs.get(next.fetch_add(1, Relaxed))
        {
            let mut reports = execute_notebooks(options, notebooks)
                .inspect_err(|_| failed.store(true, Relaxed))
                .map_err(failure)?;
            reports.iter_mut().for_each(|report| compared.judge(report));
            // The lines of one run stay together.
            let _told = told.lock().unwrap_or_else(PoisonError::into_inner);
            problems += reports.iter().map(tell).sum::<usize>();
        }
        anyhow::Ok(problems)
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut problems = 0;
        for worker in workers {
            match worker.join() {
                Ok(found) => problems += found?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(problems)
    })
}

/// The notebooks of a folder, in order.
fn notebooks_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| exit::usage(format!("{}: {error}", folder.display())))?;
    let mut notebooks: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    notebooks.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "ipynb")
    });
    notebooks.sort();
    Ok(notebooks)
}

fn run_plan(root: &Path, plan: JupyterPlan) -> anyhow::Result<ExitCode> {
    let reports = execute_plan(&JupyterOptions::new(root), plan).map_err(failure)?;
    verdict(reports.iter().map(tell).sum())
}

/// Tells how a notebook ran, with the times that a reader would feel. Gives the number of problems.
fn tell(report: &JupyterReport) -> usize {
    let seconds: Vec<f64> = report.cells.iter().map(|cell| cell.seconds).collect();
    let first = seconds.first().copied().unwrap_or_default();
    let slowest = seconds.iter().skip(1).copied().fold(0.0, f64::max);
    let kernel = match report.kernel_start_seconds {
        Some(seconds) => format!("kernel ready in {seconds:.1} s"),
        None => "in the same kernel".to_owned(),
    };
    println!(
        "{}: {kernel}, first cell {first:.1} s, slowest of the {} others {slowest:.1} s, {:.1} s in all",
        report.notebook,
        seconds.len().saturating_sub(1),
        report.seconds,
    );
    for (number, problem) in report.problems.iter().enumerate() {
        // The first is told in full: the others often follow from it.
        let lines = if number == 0 { usize::MAX } else { 1 };
        for line in without_colours(problem).lines().take(lines) {
            output::step(line);
        }
    }
    report.problems.len()
}

/// A text without the codes by which terminals are told colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}

fn verdict(problems: usize) -> anyhow::Result<ExitCode> {
    match problems {
        0 => Ok(ExitCode::SUCCESS),
        count => Err(exit::wrong(format!(
            "{count} cells did not end as they must"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::without_colours;
    use cornerturn::exercise::Workshop;
    use cornerturn_preprocessor::kernels::Registry;

    /// The pages' reader knows nothing of the library, so both cut the starters out of the sources.
    #[test]
    fn pages_and_notebooks_show_the_starters_that_are_checked() {
        let root = cornerturn::paths::root().expect("tests run in the project");
        let shown = Registry::load(&root)
            .expect("the committed registry")
            .exercises;
        let workshop = Workshop::load().expect("the committed workshop");
        assert_eq!(shown.all().len(), workshop.exercises().len());
        for exercise in workshop.exercises() {
            let shown = shown.all().iter().find(|shown| shown.id == exercise.id);
            let starter = shown.map(|shown| shown.starter.as_str());
            assert_eq!(
                starter,
                Some(exercise.starter().as_str()),
                "{}",
                exercise.id
            );
        }
    }

    /// JupyterLab opens nothing outside the folder of notebooks, and a copy of it lies elsewhere.
    #[test]
    fn links_of_the_notebooks_stay_among_them() {
        let folder = cornerturn::paths::root()
            .expect("the project")
            .join("notebooks");
        let mut links = 0;
        for folder in [folder.clone(), folder.join("exercises")] {
            for notebook in super::notebooks_in(&folder).expect("the committed notebooks") {
                let text = std::fs::read_to_string(&notebook).expect("a notebook");
                let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                let cells = value["cells"].as_array().expect("cells").iter();
                for cell in cells.filter(|cell| cell["cell_type"] == "markdown") {
                    let lines = cell["source"].as_array().expect("lines").iter();
                    let text: String = lines.filter_map(|line| line.as_str()).collect();
                    for part in text.split("](").skip(1) {
                        let target = part.split([')', ' ', '#']).next().unwrap_or_default();
                        if target.is_empty() || target.contains("://") {
                            continue;
                        }
                        links += 1;
                        let is_among = folder.join(target).is_file() && !target.contains("book/");
                        assert!(is_among, "{} points to {target}", notebook.display());
                    }
                }
            }
        }
        assert!(links > 300, "{links} links were found");
    }

    #[test]
    fn colours_go_and_words_stay() {
        assert_eq!(
            without_colours("\u{1b}[91mwrong\u{1b}[0m [m] here"),
            "wrong [m] here"
        );
        assert_eq!(without_colours("\u{1b}[38;5;249mx\u{1b}[0m"), "x");
        assert_eq!(without_colours("plain"), "plain");
    }
}
