//! The notebooks' kernel as Jupyter finds it: a copy of this binary, the file that names it, and the
//! folder in which it has compiled what notebooks need. The kernel itself lives in `jupyter_kernel`.

use super::environment::Environment;
use super::{create_folder, done, write_if_changed};
use crate::process::{copy_self, run_logged};
use crate::{exit, jupyter_kernel, output, toolchain};
use anyhow::Context;
use cornerturn_preprocessor::{KERNEL, copy_compiled, scratch_target, source_text};
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, UNIX_EPOCH};

/// The name that evcxr's own kernel has too, so that the notebooks open with either.
pub const NAME: &str = "rust";

/// The file that tells Jupyter of a kernel.
pub const FILE: &str = "kernel.json";

/// The verb by which this binary is a kernel.
pub const VERB: &str = "__kernel";

/// Run when a kernel starts, after the `:dep` of the library, since a reader should not wait for it: the first `let` of
/// a session makes rust-analyzer read the libraries, and the first `?` makes evcxr compile its cell twice.
const READY: &str = "Ok::<(), std::fmt::Error>(())?;\nlet _cornerturn_ready = ();\n";

/// JupyterLab's settings: it asks the network for no news and no updates, shows what a name means beside the names that
/// it offers, and shows Markdown as a page.
const SETTINGS: &str = r#"{
  "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false},
  "@jupyterlab/completer-extension:manager": {"showDocumentationPanel": true},
  "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Markdown Preview"}}
}
"#;

const LOGO: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<rect width="64" height="64" rx="10" fill="#12355b"/>
<path d="M16 16h32M16 16v32" stroke="#fff" stroke-width="8" stroke-linecap="round" fill="none"/>
<path d="M26 48h16q6 0 6-6V26" stroke="#f5a623" stroke-width="6" stroke-linecap="round" fill="none"/>
</svg>
"##;

/// Where the kernel is: a copy, as this binary is built anew while notebooks are open.
fn program(root: &Path) -> PathBuf {
    root.join("target/lab/bin/cornerturn-kernel")
}

/// Makes a kernel that is installed already this binary again, after this has been built anew.
pub fn renew(root: &Path) -> anyhow::Result<()> {
    let program = program(root);
    if program.exists() {
        copy_self(&program)?;
    }
    Ok(())
}

/// Tells the laboratory's Jupyter of the kernel.
pub fn install(root: &Path, environment: &Environment) -> anyhow::Result<()> {
    copy_self(&program(root))?;
    let config = jupyter_kernel::configuration(root);
    create_folder(&config)?;
    // The notebooks' own `:dep` then finds its work done.
    let library = root.join("crate");
    let start = format!(":dep cornerturn = {{ path = {library:?} }}\n{READY}");
    write_if_changed(&config.join("init.evcxr"), &start)?;
    let settings = environment.jupyter_data().join("lab").join("settings");
    create_folder(&settings)?;
    write_if_changed(&settings.join("overrides.json"), SETTINGS)?;
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
        "argv": [program(root), VERB, "{connection_file}"],
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

/// Compiles what the first cell of the notebooks needs, so that no reader waits for it.
pub fn prepare_cells(root: &Path) -> anyhow::Result<()> {
    let prepared = jupyter_kernel::prepared(root);
    let mark = prepared.join(jupyter_kernel::MARK);
    let cell = first_cell(&root.join("notebooks"))?;
    let wanted = mark_of(root, &cell)?;
    if fs::read_to_string(&mark).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    output::step("compiling what the notebooks' cells depend on, into target/evcxr");
    let start = Instant::now();
    create_folder(&prepared)?;
    // Until it is complete again, no kernel starts from it.
    if mark.exists() {
        fs::remove_file(&mark).with_context(|| mark.display().to_string())?;
    }
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args([VERB, "--prepare", &cell])
        .current_dir(root.join("notebooks"));
    jupyter_kernel::environment(&mut command, root, &prepared)?;
    start_from_book(root, &prepared);
    run_logged(
        "the first cell",
        &mut command,
        &root.join("target/lab/prepare.log"),
    )?;
    fs::write(&mark, wanted).with_context(|| mark.display().to_string())?;
    done(start);
    Ok(())
}

/// Takes over what a build of the book has compiled, which is the same. Without it everything is
/// compiled here, so a failure is no error.
fn start_from_book(root: &Path, prepared: &Path) {
    let folder = jupyter_kernel::folder(root);
    let target = scratch_target(prepared);
    let partial = target.with_extension("partial");
    let Ok(lock) = File::open(folder.join("book.lock")) else {
        return;
    };
    if target.exists() || lock.try_lock().is_err() {
        return;
    }
    let _ = fs::remove_dir_all(&partial);
    if copy_compiled(&scratch_target(&folder.join("book")), &partial) {
        let _ = fs::rename(&partial, &target);
    }
}

/// What a prepared folder depends on: the compiler and where it is, where cargo keeps what it fetched, the cell, and
/// the helper crate's sources.
fn mark_of(root: &Path, cell: &str) -> anyhow::Result<String> {
    let version = Command::new("rustc").arg("--version").output()?;
    let mut mark = format!(
        "{}{}\n{}\n{cell}\n",
        String::from_utf8_lossy(&version.stdout),
        toolchain::folder()?.display(),
        toolchain::cargo_home()?.display(),
    );
    for source in [
        "Cargo.toml",
        "Cargo.lock",
        "crate/Cargo.toml",
        "crate/src",
        "crate/emulator",
    ] {
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
