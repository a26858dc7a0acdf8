//! A JupyterHub for a room, set up under `target/hub`: the hub, its proxy, its configuration. What a
//! participant may do is in `hub/jupyterhub_config.py`; nothing is started here.

use super::environment::{Environment, Python};
use super::{create_folder, done, write_if_changed};
use crate::process::{copy_self, status_logged};
use crate::{exit, output, toolchain};
use cornerturn_basics::system::environment_program;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What is installed from PyPI, beside JupyterLab.
const HUB: &str = "jupyterhub==6.1.1";
/// What is installed from npm.
const PROXY: &str = "configurable-http-proxy@5.3.0";

const CONFIGURATION: &str = include_str!("hub/jupyterhub_config.py");
const SERVER: &str = include_str!("hub/server.py");

/// The Python for the hub, once all that participants must read is open to them.
///
/// # Errors
/// Everything that is closed to participants, at once, each with what opens it.
pub fn check(root: &Path) -> anyhow::Result<Python> {
    let python = Python::accepted_by(root, |base| closed_to_others(base).is_none());
    let mut refusals = Vec::new();
    let mut refuse = |what: &str, folder: &Path, cure: &str| {
        if let Some(place) = closed_to_others(folder) {
            refusals.push(format!(
                "{what} is in {}, and {} is closed to them: {cure}",
                folder.display(),
                place.display()
            ));
        }
    };
    refuse(
        "this project",
        root,
        "move its folder below /srv, and run the command there",
    );
    let rust = "install it for all, with `export RUSTUP_HOME=/opt/rustup CARGO_HOME=/opt/cargo \
                PATH=/opt/cargo/bin:$PATH` before https://rustup.rs and before this command";
    refuse("Rust", &toolchain::folder()?, rust);
    refuse("what cargo fetched", &cargo_home()?, rust);
    if let Err(bases) = &python {
        let python = "install the system's (Debian, Ubuntu: `apt install python3 python3-venv`); it is then found";
        bases.iter().for_each(|base| refuse("Python", base, python));
        if bases.is_empty() {
            refusals.push(format!("there is no Python: {python}"));
        }
    }
    match python {
        Ok(python) if refusals.is_empty() => Ok(python),
        _ => Err(exit::lacks(format!(
            "participants are other users of this machine, and need to read the following:\n- {}",
            refusals.join("\n- ")
        ))),
    }
}

/// Sets the hub up and says how to start it.
///
/// # Errors
/// What the machine lacks: npm, the network.
pub fn set_up(root: &Path, environment: &Environment) -> anyhow::Result<()> {
    let folder = set_up_server(root, environment)?;
    install_proxy(&folder)?;
    let paths = json!({
        "root": root,
        "environment": environment.folder(),
        "rust": toolchain::folder()?,
        "cargo": cargo_home()?,
    });
    write_if_changed(&folder.join("paths.json"), &format!("{paths:#}\n"))?;
    write_if_changed(&folder.join("jupyterhub_config.py"), CONFIGURATION)?;
    let program = environment_program(environment.folder(), "jupyterhub");
    output::step(
        "the hub is set up; participants are the users in the group `cornerturn`. As root:",
    );
    println!(
        "{} -f {}",
        program.display(),
        folder.join("jupyterhub_config.py").display()
    );
    Ok(())
}

/// Sets up what the server of one participant needs, wherever the hub is. Gives the folder of it all.
///
/// # Errors
/// What the machine lacks: the network.
pub fn set_up_server(root: &Path, environment: &Environment) -> anyhow::Result<PathBuf> {
    let folder = root.join("target").join("hub");
    create_folder(&folder)?;
    install_hub(&folder, environment)?;
    write_if_changed(&folder.join("server.py"), SERVER)?;
    // By it each participant's notebooks are laid out.
    copy_self(&root.join("target/lab/bin/cornerturn"))?;
    Ok(folder)
}

fn install_hub(folder: &Path, environment: &Environment) -> anyhow::Result<()> {
    let (_, version) = HUB.split_once("==").unwrap_or_default();
    let is_there =
        format!("import jupyterhub, sys; sys.exit(jupyterhub.__version__ != '{version}')");
    let mut python = Command::new(environment.python());
    python.args(["-c", &is_there]).stdin(Stdio::null());
    if python
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
    {
        return Ok(());
    }
    output::step("installing JupyterHub from PyPI into target/lab/venv");
    let start = Instant::now();
    environment.install("JupyterHub", &[HUB], &folder.join("pip.log"))?;
    done("JupyterHub", start);
    Ok(())
}

fn install_proxy(folder: &Path) -> anyhow::Result<()> {
    if folder
        .join("node_modules/.bin/configurable-http-proxy")
        .exists()
    {
        return Ok(());
    }
    output::step("installing JupyterHub's proxy from npm into target/hub");
    let start = Instant::now();
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-fund", "--no-audit", "--prefix"]);
    npm.arg(folder).arg(PROXY);
    let log = folder.join("npm.log");
    let status = status_logged("npm install", &mut npm, &log).map_err(|_| {
        exit::lacks(
            "JupyterHub's proxy runs on Node.js, and there is no npm: install it \
             (Debian, Ubuntu: apt install nodejs npm)",
        )
    })?;
    if !status.success() {
        return Err(exit::lacks(format!(
            "JupyterHub's proxy could not be installed from npm: see {}",
            log.display()
        )));
    }
    done("JupyterHub's proxy", start);
    Ok(())
}

/// What keeps participants, who are other users, from reading a folder: itself, or one above it.
fn closed_to_others(folder: &Path) -> Option<&Path> {
    let closed = |(depth, place): &(usize, &Path)| {
        // The folder itself is listed too; those above it are only passed through.
        let needed = if *depth == 0 { 0o005 } else { 0o001 };
        let mode = fs::metadata(place).map(|data| data.permissions().mode());
        !mode.is_ok_and(|mode| mode & needed == needed)
    };
    folder
        .ancestors()
        .enumerate()
        .find(closed)
        .map(|(_, place)| place)
}

/// Where cargo keeps what it fetched.
fn cargo_home() -> anyhow::Result<PathBuf> {
    cornerturn_basics::system::cargo_home()
        .ok_or_else(|| exit::lacks("neither CARGO_HOME nor HOME is set, and cargo needs one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_below_a_closed_one_is_told_with_the_closed_one() {
        let folder = std::env::temp_dir().join(format!("cornerturn-hub-{}", std::process::id()));
        let inner = folder.join("closed").join("inner");
        fs::create_dir_all(&inner).expect("a temporary folder can be made");
        let set = |mode| {
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(folder.join("closed"), permissions).expect("it is ours");
        };
        let closed = folder.join("closed");
        set(0o711);
        assert_eq!(closed_to_others(&inner), None, "it is passed through");
        assert_eq!(
            closed_to_others(&closed),
            Some(closed.as_path()),
            "it cannot be listed"
        );
        set(0o700);
        assert_eq!(closed_to_others(&inner), Some(closed.as_path()));
        let told = check(&inner).err().expect("it is closed").to_string();
        assert!(
            told.contains(&format!("{} is closed to them: move", closed.display())),
            "{told}"
        );
        fs::remove_dir_all(&folder).expect("the temporary folder is there");
    }
}
