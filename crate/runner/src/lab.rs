//! Verb `lab`: sets up JupyterLab with the notebooks' kernel, and opens the notebooks. What is set
//! up, and how, lives in `lab/`.

mod copies;
mod environment;
mod highlighting;
mod hub;
mod kernel_spec;
mod registered;

use crate::{exit, output, system, toolchain, wheels};
use anyhow::Context;
use cornerturn::paths;
use environment::{Environment, Python};
pub use kernel_spec::prepare as prepare_kernel;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

/// The folder of the reader's notebooks, below the root: not of git, nor of `cargo clean`.
const COPIES: &str = "my-notebooks";

/// Open the notebooks in JupyterLab, setting it up under `target/` the first time.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the address instead of opening a browser.
    #[arg(long)]
    no_browser: bool,
    /// Set everything up, and open nothing.
    #[arg(long)]
    setup_only: bool,
    /// Set up a JupyterHub for a room of people too, under target/hub, and print the command that starts it.
    #[arg(long, conflicts_with_all = ["setup_only", "no_browser", "port"])]
    hub: bool,
    /// Set up what the image of one participant's container needs, for a hub that is elsewhere.
    #[arg(long, conflicts_with_all = ["setup_only", "no_browser", "port", "hub"])]
    image: bool,
    /// Bring the notebooks into this folder, beside what was changed there, and open nothing; a hub does so for each
    /// participant.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["setup_only", "no_browser", "port", "hub"])]
    copies: Option<PathBuf>,
    /// Register the kernel among your own, where every Jupyter of your account and VS Code find it, and open nothing.
    #[arg(long, conflicts_with_all = ["setup_only", "no_browser", "port", "hub", "image", "copies"])]
    register: bool,
    /// Take the registered kernel away again, and open nothing.
    #[arg(long, conflicts_with_all = ["setup_only", "no_browser", "port", "hub", "image", "copies", "register"])]
    unregister: bool,
    /// The port on the loopback address [default: 8888, or the next free one].
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let root = paths::root()?;
    if let Some(folder) = args.copies {
        lay_out(&root, &folder)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.unregister {
        registered::unregister()?;
        return Ok(ExitCode::SUCCESS);
    }
    let python = if args.hub || args.image {
        hub::check(&root)?
    } else {
        Python::any()
    };
    let environment = set_up(&root, &python)?;
    if args.hub {
        hub::set_up(&root, &environment)?;
    }
    if args.image {
        hub::set_up_server(&root, &environment)?;
    }
    if args.setup_only || args.hub || args.image {
        return Ok(ExitCode::SUCCESS);
    }
    let notebooks = root.join(COPIES);
    lay_out(&root, &notebooks)?;
    if args.register {
        registered::register(&root)?;
        output::step(format!(
            "your copies of the notebooks are in {}",
            notebooks.display()
        ));
        return Ok(ExitCode::SUCCESS);
    }
    output::step(format!(
        "opening JupyterLab on your copies of the notebooks, in {COPIES}/ (Ctrl-C twice ends it); what Jupyter keeps is in target/lab"
    ));
    let mut command = Command::new(environment.python());
    command.args(["-m", "jupyterlab", "--ServerApp.ip=127.0.0.1"]);
    command.arg(format!("--ServerApp.root_dir={}", notebooks.display()));
    command.arg("--ServerApp.log_level=WARN");
    // The help menu leads to the reference of the library.
    let reference = toolchain::target_folder(&root)?.join("doc");
    command.arg(format!(
        "--ServerApp.extra_static_paths={}",
        reference.display()
    ));
    keep_within(&mut command, &root)?;
    // Several notebooks that open at the same moment on few cores need longer than Jupyter's minute.
    command.arg("--MappingKernelManager.kernel_info_timeout=300");
    if let Some(port) = args.port {
        command
            .arg(format!("--ServerApp.port={port}"))
            .arg("--ServerApp.port_retries=0");
    }
    if args.no_browser {
        command.arg("--no-browser");
    }
    if system::is_root() {
        // Containers often have no other user; it listens on the loopback address only.
        command.arg("--allow-root");
    }
    command.current_dir(&notebooks);
    Err(anyhow::Error::new(system::become_program(&mut command))
        .context("JupyterLab did not start"))
}

/// Has Jupyter keep what it would keep in the reader's home (settings, what it trusts, what runs) below `target/lab`,
/// unless the reader has said where.
fn keep_within(command: &mut Command, root: &Path) -> anyhow::Result<()> {
    for (variable, folder) in HOMES {
        if std::env::var_os(variable).is_none() {
            let folder = root.join("target/lab").join(folder);
            create_folder(&folder)?;
            command.env(variable, folder);
        }
    }
    // Of a server that was killed nobody takes these away.
    if std::env::var_os(RUNTIME).is_none() {
        remove_old_runs(&root.join("target/lab/jupyter/runtime"));
    }
    Ok(())
}

/// Where Jupyter keeps what runs.
const RUNTIME: &str = "JUPYTER_RUNTIME_DIR";

/// The variables that say where Jupyter and IPython keep what they keep, and the folders below `target/lab`.
const HOMES: [(&str, &str); 4] = [
    ("JUPYTER_CONFIG_DIR", "jupyter/config"),
    ("JUPYTER_DATA_DIR", "jupyter/data"),
    (RUNTIME, "jupyter/runtime"),
    ("IPYTHONDIR", "ipython"),
];

/// What servers leave that are not told to end: older than this, it is nobody's.
const OLD: Duration = Duration::from_secs(7 * 24 * 3600);

fn remove_old_runs(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|facts| facts.modified());
        let is_old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > OLD));
        if is_old {
            // What cannot be removed only takes room.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Brings the notebooks into a folder of the reader's, and says where a later version lies beside a changed one.
fn lay_out(root: &Path, folder: &Path) -> anyhow::Result<()> {
    for beside in copies::lay_out(&root.join("notebooks"), folder)? {
        output::step(format!(
            "{} was changed by you and stays; its later version is {}",
            beside.changed.display(),
            beside.later.display()
        ));
    }
    Ok(())
}

/// Sets up what is not there yet, each part whole or not at all, and says so.
fn set_up(root: &Path, python: &Python) -> anyhow::Result<Environment> {
    toolchain::prepare_source()?;
    Environment::check(root, python)?;
    // The one loads from the network and unpacks, the other compiles: together they keep two cores busy.
    let (environment, compiled) = thread::scope(|scope| {
        let compiling = scope.spawn(|| kernel_spec::prepare(root));
        let environment = install(root, python);
        (environment, compiling.join())
    });
    let environment = environment?;
    compiled.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    kernel_spec::install(root, &environment)?;
    Ok(environment)
}

/// Installs what comes from PyPI.
fn install(root: &Path, python: &Python) -> anyhow::Result<Environment> {
    let environment = Environment::prepare(root, python)?;
    if !cornerturn::compile::IS_MADE {
        output::step(
            "NVIDIA makes no compiler for this system: kernels that are edited are compiled by Corner Turn's own, and \
             machine code is not shown",
        );
        return Ok(environment);
    }
    let start = Instant::now();
    for set in [wheels::NVRTC, wheels::HEADERS, wheels::MACHINE_CODE] {
        if set.is_installed(root) {
            continue;
        }
        match set.install(root) {
            Ok(_) => done(set.name, start),
            // Everything but edited kernels, and machine code, runs from committed PTX.
            Err(error) => output::step(format!(
                "going on without {}: {}",
                set.name,
                output::sentence(&error)
            )),
        }
    }
    Ok(environment)
}

/// Says how long a step took.
fn done(what: &str, start: Instant) {
    output::step(format!(
        "  {what}: done in {:.0} s",
        start.elapsed().as_secs_f64()
    ));
}

/// Creates a folder and what is above it.
fn create_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|error| exit::lacks(format!("cannot create {}: {error}", folder.display())))
}

/// Writes a file if it holds something else, so that its time tells when it changed.
fn write_if_changed(file: &Path, content: &str) -> anyhow::Result<()> {
    if std::fs::read_to_string(file).is_ok_and(|old| old == content) {
        return Ok(());
    }
    std::fs::write(file, content).with_context(|| file.display().to_string())
}
