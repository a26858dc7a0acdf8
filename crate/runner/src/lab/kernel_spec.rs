//! The notebooks' kernel as Jupyter finds it: the program of package `cornerturn-kernel`, built when it is first needed, and the
//! file that names it. What the kernel does is that package's.

use super::environment::Environment;
use super::{create_folder, done, highlighting, write_if_changed};
use crate::process::{copy_program, run_logged};
use crate::{exit, output, toolchain};
use anyhow::Context;
use cornerturn_basics::sha256;
use cornerturn_basics::system::cargo_home;
use cornerturn_preprocessor::{KERNEL, library_sources, source_text};
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, UNIX_EPOCH};

/// The name that evcxr's own kernel has too, so that the notebooks open with either.
pub const NAME: &str = "rust";

/// The kernel's program, and its package.
pub const PROGRAM: &str = "cornerturn-kernel";

/// The packages of the library, whose public items a cell can use.
const LIBRARY: [&str; 8] = [
    "cornerturn",
    "cornerturn-base",
    "cornerturn-emulator",
    "cornerturn-exercise",
    "cornerturn-measure",
    "cornerturn-plot",
    "cornerturn-registry",
    "cornerturn-runtime",
];

/// The file that tells Jupyter of a kernel.
pub const FILE: &str = "kernel.json";

/// Run when a kernel starts, after the `:dep` of the library, since a reader should not wait for it: the first `let` of
/// a session makes rust-analyzer read the libraries, and the first `?` makes evcxr compile its cell twice.
const READY: &str = "Ok::<(), std::fmt::Error>(())?;\nlet _cornerturn_ready = ();\n";

/// JupyterLab's settings: it asks the network for no news and no updates, waits for the kernel's names longer than its own
/// second, shows what a name means beside them, and shows Markdown as a page.
const SETTINGS: &str = r#"{
  "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false},
  "@jupyterlab/completer-extension:manager": {"showDocumentationPanel": true, "providerTimeout": 10000},
  "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Markdown Preview"}}
}
"#;

const LOGO: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<rect width="64" height="64" rx="10" fill="#12355b"/>
<path d="M16 16h32M16 16v32" stroke="#fff" stroke-width="8" stroke-linecap="round" fill="none"/>
<path d="M26 48h16q6 0 6-6V26" stroke="#f5a623" stroke-width="6" stroke-linecap="round" fill="none"/>
</svg>
"##;

/// What evcxr runs before the first cell of a kernel; the kernel looks there.
fn configuration(root: &Path) -> PathBuf {
    root.join("target").join("lab").join("evcxr")
}

/// Where the kernel is: a copy, as it may be built anew while notebooks are open.
fn program(root: &Path) -> PathBuf {
    root.join("target/lab/bin").join(PROGRAM)
}

/// Tells the laboratory's Jupyter of the kernel.
pub fn install(root: &Path, environment: &Environment) -> anyhow::Result<()> {
    let config = configuration(root);
    create_folder(&config)?;
    // The notebooks' own `:dep` then finds its work done.
    let library = root.join("crate");
    let start = format!(":dep cornerturn = {{ path = {library:?} }}\n{READY}");
    write_if_changed(&config.join("init.evcxr"), &start)?;
    let settings = environment.jupyter_data().join("lab").join("settings");
    create_folder(&settings)?;
    write_if_changed(&settings.join("overrides.json"), SETTINGS)?;
    highlighting::install(&environment.jupyter_data())?;
    write(
        root,
        &environment.jupyter_data().join("kernels").join(NAME),
        [],
    )
}

/// Writes a folder that tells a Jupyter of the kernel, with variables that it is started with.
pub fn write(
    root: &Path,
    folder: &Path,
    variables: impl IntoIterator<Item = (&'static str, String)>,
) -> anyhow::Result<()> {
    create_folder(folder)?;
    let mut spec = json!({
        "argv": [program(root), "{connection_file}"],
        "display_name": KERNEL,
        "language": "rust",
        "interrupt_mode": "message",
        // With it the notebooks also run in a Jupyter that was started by hand.
        "env": {"CORNERTURN_HOME": root},
    });
    for (name, value) in variables {
        spec["env"][name] = json!(value);
    }
    write_if_changed(&folder.join("logo-svg.svg"), LOGO)?;
    write_if_changed(&folder.join(FILE), &format!("{spec:#}\n"))
}

/// Builds the kernel, and has it compile what the first cell of the notebooks needs, so that no reader waits for it.
pub fn prepare(root: &Path) -> anyhow::Result<()> {
    output::step(
        "the notebooks' kernel, evcxr: building it, and what cells depend on (minutes the first time)",
    );
    let start = Instant::now();
    let lab = root.join("target/lab");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo.args(["build", "--release", "--package", PROGRAM]);
    run_logged(
        "cargo builds the kernel",
        &mut cargo,
        &lab.join("build.log"),
    )?;
    let built = toolchain::target_folder(root)?
        .join("release")
        .join(PROGRAM);
    copy_program(&built, &program(root))?;
    document(root, &lab);
    let mut kernel = Command::new(program(root));
    let cell = first_cell(&root.join("notebooks"))?;
    let mark = sha256(mark_of(root, &cell)?.as_bytes());
    kernel.args(["--prepare", &cell, &mark]);
    kernel.env("CORNERTURN_HOME", root);
    run_logged(
        "what cells depend on",
        &mut kernel,
        &lab.join("prepare.log"),
    )?;
    done("the notebooks' kernel", start);
    Ok(())
}

/// Builds the reference of the library, which JupyterLab's help menu leads to. Without it all else works.
fn document(root: &Path, lab: &Path) {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(["doc", "--no-deps"]);
    for package in LIBRARY {
        cargo.args(["--package", package]);
    }
    let what = "the reference of the library (about a minute the first time)";
    if let Err(error) = run_logged(what, &mut cargo, &lab.join("reference.log")) {
        output::step(format!(
            "going on without {what}: {}",
            output::sentence(&error)
        ));
    }
}

/// What a prepared folder depends on: the compiler and where it is, where cargo keeps what it fetched, the cell, and
/// the sources of the library and of the packages that it is made of.
fn mark_of(root: &Path, cell: &str) -> anyhow::Result<String> {
    let mut mark = format!(
        "{}\n{}\n{}\n{cell}\n",
        toolchain::version()?,
        toolchain::folder()?.display(),
        cargo_home().unwrap_or_default().display(),
    );
    for source in library_sources(root) {
        add_times(&root.join(source), &mut mark)?;
    }
    Ok(mark)
}

/// Adds the time of each file at or below `path`, as cargo would look at it.
fn add_times(path: &Path, mark: &mut String) -> anyhow::Result<()> {
    let metadata = fs::metadata(path).with_context(|| path.display().to_string())?;
    if metadata.is_dir() {
        let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<_>>()?;
        paths.sort();
        return paths.iter().try_for_each(|path| add_times(path, mark));
    }
    let modified = metadata
        .modified()?
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = writeln!(mark, "{} {}", path.display(), modified.as_nanos());
    Ok(())
}

/// The first code cell of the first notebook that has one; all notebooks start with the same.
fn first_cell(notebooks: &Path) -> anyhow::Result<String> {
    let missing = || {
        exit::lacks(format!(
            "{} holds no notebook: write them with `cargo cornerturn notebooks`",
            notebooks.display()
        ))
    };
    let entries = fs::read_dir(notebooks).map_err(|_| missing())?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "ipynb")
    });
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let notebook: Value = serde_json::from_str(&text)
            .map_err(|error| exit::usage(format!("{}: {error}", file.display())))?;
        let cells = notebook["cells"].as_array().into_iter().flatten();
        let source = cells
            .filter(|cell| cell["cell_type"] == "code")
            .map(|cell| source_text(&cell["source"]))
            .find(|source| source.contains(":dep "));
        if let Some(source) = source {
            return Ok(source);
        }
    }
    Err(missing())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cell_is_found_in_both_forms_of_a_source() {
        let folder = std::env::temp_dir().join(format!("cornerturn-first-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder can be made");
        let write = |name: &str, cells: Value| {
            fs::write(folder.join(name), json!({"cells": cells}).to_string()).expect("it is there");
        };
        assert!(first_cell(&folder).is_err(), "there is none yet");
        write(
            "a.ipynb",
            json!([{"cell_type": "markdown", "source": ":dep no = 1"}]),
        );
        write(
            "c.ipynb",
            json!([{"cell_type": "code", "source": ":dep c = 1\nlet x = 1;"}]),
        );
        assert_eq!(
            first_cell(&folder).expect("it is found"),
            ":dep c = 1\nlet x = 1;"
        );
        write(
            "b.ipynb",
            json!([{"cell_type": "code", "source": [":dep b = 1\n", "let y = 2;"]}]),
        );
        assert_eq!(
            first_cell(&folder).expect("it is found"),
            ":dep b = 1\nlet y = 2;"
        );
        fs::remove_dir_all(&folder).expect("the temporary folder is there");
    }
}
