//! The notebooks' kernel among the reader's own, where every Jupyter of the account and VS Code find it. What a kernel's file says is `kernel_spec`'s.

use super::kernel_spec::{self, NAME, PROGRAM};
use crate::{exit, output};
use cornerturn_preprocessor::KERNEL;
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The name that the kernel has where another is called [`NAME`], as evcxr's own is.
const OTHER_NAME: &str = "cornerturn";

/// What a program that was started from a desktop may not have, and rustc and cargo are found by.
const FOUND_BY: [&str; 3] = ["PATH", "CARGO_HOME", "RUSTUP_HOME"];

/// Registers the kernel of this project, in the place of another clone's.
pub fn register(root: &Path) -> anyhow::Result<()> {
    let kernels = kernels()?;
    let places = [NAME, OTHER_NAME].map(|name| kernels.join(name));
    let free = places
        .iter()
        .find(|folder| !folder.exists() || is_ours(folder));
    let Some(folder) = free else {
        return Err(exit::usage(format!(
            "{} holds other kernels named `{NAME}` and `{OTHER_NAME}`; rename one of their folders",
            kernels.display()
        )));
    };
    let found_by = FOUND_BY.iter().filter_map(|name| {
        let value = std::env::var_os(name)?.into_string().ok()?;
        Some((*name, value))
    });
    kernel_spec::write(root, folder, found_by)?;
    output::step(format!(
        "the kernel “{KERNEL}” is registered in {}; `cargo lab --unregister` takes it away",
        folder.display()
    ));
    if !folder.ends_with(NAME) {
        output::step(format!(
            "another kernel is called `{NAME}` there: choose “{KERNEL}” in each notebook"
        ));
    }
    Ok(())
}

/// Takes the kernel away again, of whichever clone it is; other kernels stay.
pub fn unregister() -> anyhow::Result<()> {
    let kernels = kernels()?;
    let mut is_registered = false;
    for folder in [NAME, OTHER_NAME].map(|name| kernels.join(name)) {
        if is_ours(&folder) {
            fs::remove_dir_all(&folder).map_err(|error| {
                exit::lacks(format!("cannot remove {}: {error}", folder.display()))
            })?;
            output::step(format!("removed {}", folder.display()));
            is_registered = true;
        }
    }
    if !is_registered {
        output::step(format!(
            "there is no kernel of this project in {}",
            kernels.display()
        ));
    }
    Ok(())
}

/// Where Jupyter looks for the kernels of an account.
fn kernels() -> anyhow::Result<PathBuf> {
    let data = data_folder(|name| std::env::var_os(name)).ok_or_else(|| {
        exit::lacks(
            "neither HOME nor JUPYTER_DATA_DIR is set: there is no folder of an account's kernels",
        )
    })?;
    Ok(data.join("kernels"))
}

/// Where Jupyter keeps what belongs to an account.
fn data_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let below = |home: OsString, folder: &str| Path::new(&home).join(folder);
    if let Some(folder) = set("JUPYTER_DATA_DIR") {
        return Some(PathBuf::from(folder));
    }
    if cfg!(target_os = "macos") {
        return Some(below(set("HOME")?, "Library/Jupyter"));
    }
    match set("XDG_DATA_HOME") {
        Some(data) => Some(below(data, "jupyter")),
        None => Some(below(set("HOME")?, ".local/share/jupyter")),
    }
}

/// Whether a folder of a kernel is one that this project wrote.
fn is_ours(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join(kernel_spec::FILE)).unwrap_or_default();
    let spec: Value = serde_json::from_str(&text).unwrap_or_default();
    let program = spec["argv"][0].as_str().unwrap_or_default();
    spec["display_name"] == KERNEL && Path::new(program).ends_with(PROGRAM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accounts_folder_follows_from_its_variables() {
        let of = |set: &[(&str, &str)]| {
            data_folder(|name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| OsString::from(value))
            })
        };
        let home = match cfg!(target_os = "macos") {
            true => "/home/a/Library/Jupyter",
            false => "/home/a/.local/share/jupyter",
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("HOME", "/home/a")]), Some(PathBuf::from(home)));
        let named = of(&[("HOME", "/home/a"), ("JUPYTER_DATA_DIR", "/data")]);
        assert_eq!(named, Some(PathBuf::from("/data")));
        if cfg!(target_os = "linux") {
            let moved = of(&[("HOME", "/home/a"), ("XDG_DATA_HOME", "/x")]);
            assert_eq!(moved, Some(PathBuf::from("/x/jupyter")));
        }
    }

    #[test]
    fn only_what_this_project_wrote_is_ours() {
        let name = format!("cornerturn-registered-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let write = |text: &str| fs::write(folder.join(kernel_spec::FILE), text).unwrap();
        fs::create_dir_all(&folder).unwrap();
        assert!(!is_ours(&folder));
        write("no JSON");
        assert!(!is_ours(&folder));
        write(
            r#"{"argv": ["evcxr_jupyter", "--control_file", "{connection_file}"], "display_name": "Rust"}"#,
        );
        assert!(!is_ours(&folder));
        kernel_spec::write(
            Path::new("/project"),
            &folder,
            [("PATH", "/bin".to_owned())],
        )
        .unwrap();
        assert!(is_ours(&folder));
        fs::remove_dir_all(&folder).unwrap();
    }
}
