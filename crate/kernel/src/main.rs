//! The Jupyter kernel of the notebooks: takes a folder to compile in (`slots`), starts itself anew with what evcxr needs around it, and
//! serves one notebook. `--prepare` compiles what all of them need. Jupyter starts it; `cornerturn lab` builds and installs it.

// A test that cannot go on fails.
#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(not(unix))]
compile_error!("the notebooks need Unix: on Windows build their kernel in WSL2");

mod assist;
mod cargo_home;
mod cell_error;
mod environment;
mod made;
mod names;
mod outcome;
mod prepare;
mod runtime;
mod scratch;
mod sender;
mod server;
mod session;
mod slots;
mod std_source;
mod stop;
mod system;
mod toolchain;
mod waiting;
mod wire;

use anyhow::Context;
use clap::Parser;
use cornerturn_basics::notebook::INTERRUPT_FILE;
use environment::{HOME, environment};
use runtime::{OBSERVE, end_with_parent, runtime_hook};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// Serve one notebook, as Jupyter asks.
#[derive(Debug, Parser)]
#[command(name = "cornerturn-kernel", version)]
struct Args {
    /// The connection file that Jupyter wrote.
    #[arg(required_unless_present_any = ["prepare", "first_cell", "serve"])]
    connection: Option<PathBuf>,
    /// Serve in the folder that the environment names.
    #[arg(
        long,
        hide = true,
        conflicts_with = "connection",
        value_name = "CONNECTION"
    )]
    serve: Option<PathBuf>,
    /// Compile what notebooks need that begin with this cell, unless it was done for this mark, and end.
    #[arg(long, num_args = 2, conflicts_with = "connection", value_names = ["CELL", "MARK"])]
    prepare: Vec<String>,
    /// Run this cell in the folder that the environment names, and end.
    #[arg(long, hide = true, conflicts_with = "connection", value_name = "CELL")]
    first_cell: Option<String>,
}

fn main() -> ExitCode {
    // evcxr starts this same binary again to run what it has compiled.
    runtime_hook();
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// As a kernel it returns only if it could not become one.
fn run(args: Args) -> anyhow::Result<()> {
    if let Some(cell) = args.first_cell {
        return prepare::first(&cell);
    }
    if let Some(connection) = args.serve {
        end_with_parent();
        server::serve(&connection)?;
        // Not by returning: evcxr would wait for its cells.
        std::process::exit(0);
    }
    let root = std::env::var_os(HOME).map(PathBuf::from);
    let root = root.with_context(|| {
        format!("{HOME} is not set: `cornerturn lab` tells Jupyter how the kernel is started")
    })?;
    let program = std::env::current_exe()?;
    if let [cell, mark] = &args.prepare[..] {
        return prepare::all(&root, &program, cell, mark);
    }
    let (slot, lock) = slots::take(&root)?;
    // The lock is the kernel's, and the kernel comes by exec: the file must stay open across it.
    system::keep_across_exec(&lock)?;
    let mut command = Command::new(program);
    environment(&mut command, &root, &slot)?;
    command
        .env(OBSERVE, "1")
        .env(INTERRUPT_FILE, slot.join("interrupt"))
        .arg("--serve")
        .args(args.connection);
    // evcxr tells there which configuration it found; its caller's stdout is not for that.
    command.stdout(Stdio::null());
    Err(anyhow::Error::new(system::become_program(&mut command))
        .context("the kernel did not start"))
}
