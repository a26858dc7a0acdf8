//! A JupyterHub for a room, set up under `target/hub`: the hub, its proxy, its configuration. What a
//! participant may do is in `hub/jupyterhub_config.py`; nothing is started here.

use super::environment::Environment;
use super::{create_folder, done, write_if_changed};
use crate::process::status_logged;
use crate::{exit, output, toolchain};
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

/// Sets the hub up and says how to start it.
///
/// # Errors
/// What the machine lacks: npm, the network, a folder that participants can read.
pub fn set_up(root: &Path, environment: &Environment) -> anyhow::Result<()> {
    let folder = root.join("target").join("hub");
    create_folder(&folder)?;
    let (rust, cargo) = (toolchain::folder()?, cargo_home()?);
    let python = python_folder(environment)?;
    for needed in [root, &rust, &cargo, &python] {
        check_readable(needed)?;
    }
    install_hub(&folder, environment)?;
    install_proxy(&folder)?;
    let paths = json!({
        "root": root,
        "environment": environment.folder(),
        "rust": rust,
        "cargo": cargo,
    });
    write_if_changed(&folder.join("paths.json"), &format!("{paths:#}\n"))?;
    write_if_changed(&folder.join("jupyterhub_config.py"), CONFIGURATION)?;
    write_if_changed(&folder.join("server.py"), SERVER)?;
    let program = environment.folder().join("bin").join("jupyterhub");
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
    done(start);
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
    done(start);
    Ok(())
}

/// Where the Python lives that the environment was made with.
fn python_folder(environment: &Environment) -> anyhow::Result<PathBuf> {
    let said = Command::new(environment.python())
        .args(["-c", "import sys; print(sys.base_prefix)"])
        .output()?;
    Ok(PathBuf::from(String::from_utf8_lossy(&said.stdout).trim()))
}

/// Where cargo keeps the packages that cells are built from.
fn cargo_home() -> anyhow::Result<PathBuf> {
    if let Some(folder) = std::env::var_os("CARGO_HOME") {
        return Ok(PathBuf::from(folder));
    }
    let home = std::env::var_os("HOME")
        .ok_or_else(|| exit::lacks("neither CARGO_HOME nor HOME is set, and cargo needs one"))?;
    Ok(Path::new(&home).join(".cargo"))
}

/// Fails where participants, who are other users, cannot read a folder.
fn check_readable(folder: &Path) -> anyhow::Result<()> {
    for (depth, place) in folder.ancestors().enumerate() {
        // The folder itself is listed too; those above it are only passed through.
        let needed = if depth == 0 { 0o005 } else { 0o001 };
        let mode = fs::metadata(place).map(|data| data.permissions().mode());
        if !mode.is_ok_and(|mode| mode & needed == needed) {
            return Err(exit::lacks(format!(
                "participants are other users, and cannot read {}: {} is closed to them. Put this project, \
                 Python and Rust (RUSTUP_HOME, CARGO_HOME) where all may read, such as /opt and /srv",
                folder.display(),
                place.display()
            )));
        }
    }
    Ok(())
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
        set(0o711);
        assert!(check_readable(&inner).is_ok(), "it is passed through");
        assert!(
            check_readable(&folder.join("closed")).is_err(),
            "it cannot be listed"
        );
        set(0o700);
        let told = check_readable(&inner)
            .expect_err("it is closed")
            .to_string();
        assert!(
            told.contains(&format!("{} is closed", folder.join("closed").display())),
            "{told}"
        );
        fs::remove_dir_all(&folder).expect("the temporary folder is there");
    }
}
