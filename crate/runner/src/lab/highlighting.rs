//! CUDA C++ in cells, in colours: the extension that JupyterLab loads from its data folder. What it does is in `highlight.js`.

use super::create_folder;
use anyhow::Context;
use cornerturn_basics::sha256;
use serde_json::json;
use std::fs;
use std::path::Path;

/// The extension, as JupyterLab and its own code call it.
const NAME: &str = "cornerturn-cuda";

/// What JupyterLab loads; nothing is built.
const SCRIPT: &str = include_str!("highlight.js");

/// Puts the extension into Jupyter's data folder, unless this one is there.
pub fn install(jupyter_data: &Path) -> anyhow::Result<()> {
    let folder = jupyter_data.join("labextensions").join(NAME);
    // A browser keeps a script of the same name.
    let hash = sha256(SCRIPT.as_bytes());
    let load = format!("static/remoteEntry.{}.js", &hash[..16]);
    // It is written last.
    let package = folder.join("package.json");
    let content = json!({
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Highlights CUDA C++ in the raw strings of Rust cells",
        "jupyterlab": {"extension": true, "_build": {"load": load, "extension": "./extension"}},
    });
    let content = format!("{content:#}\n");
    if fs::read_to_string(&package).is_ok_and(|old| old == content) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    create_folder(&folder.join("static"))?;
    let script = folder.join(load);
    fs::write(&script, SCRIPT).with_context(|| script.display().to_string())?;
    fs::write(&package, content).with_context(|| package.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_names_the_script_that_lies_beside_it() {
        let folder = std::env::temp_dir().join(format!("cornerturn-lab-{}", std::process::id()));
        let own = folder.join("labextensions").join(NAME);
        let old = own.join("static/remoteEntry.0.js");
        fs::create_dir_all(own.join("static")).unwrap();
        fs::write(&old, "").unwrap();
        for _ in 0..2 {
            install(&folder).unwrap();
            let package = fs::read_to_string(own.join("package.json")).unwrap();
            let package: serde_json::Value = serde_json::from_str(&package).unwrap();
            let load = package["jupyterlab"]["_build"]["load"].as_str().unwrap();
            assert_eq!(fs::read_to_string(own.join(load)).unwrap(), SCRIPT);
            assert!(!old.exists());
        }
        assert_eq!(package_name(), NAME);
        fs::remove_dir_all(&folder).unwrap();
    }

    /// What the script calls itself: JupyterLab looks for it under the package's name.
    fn package_name() -> &'static str {
        let (_, behind) = SCRIPT.split_once("const NAME = \"").unwrap();
        behind.split('"').next().unwrap()
    }
}
