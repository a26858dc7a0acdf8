//! Finds what the chapters' programs are linked with: the library as cargo has built it for this binary. Where it is missing
//! or old cargo builds it; nothing is compiled for the cells alone.

use crate::error::{Error, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The library's package and, in cells, its name.
pub(crate) const LIBRARY: &str = "cornerturn";

/// The package of the binary, which has linked it already.
const BINARY: &str = "cornerturn-runner";

/// What a program is linked with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Artefacts {
    /// The crates that cells may name, with their files: the library, and what the binary is built from besides. Of one that is
    /// there in two versions, none.
    pub(crate) crates: BTreeMap<String, Option<PathBuf>>,
    /// Where the crates are that those need.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// Where the system's libraries are that build scripts have named.
    pub(crate) native: Vec<OsString>,
}

impl Artefacts {
    /// Those of the project at `root`, built by cargo where they are not as its sources say. A project without the library
    /// has none.
    ///
    /// # Errors
    ///
    /// If cargo is missing, or the library does not compile.
    pub(crate) fn of_project(root: &Path) -> Result<Artefacts> {
        if !root.join("crate/Cargo.toml").is_file() {
            return Ok(Artefacts::default());
        }
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .current_dir(root)
            // As a part of the binary: alone it would be another, with other features of what it depends on.
            .args(["build", "--release", "--package", BINARY])
            .args(["--message-format=json-render-diagnostics"])
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        let output = cargo.output().map_err(|_| Error::ToolMissing("cargo"))?;
        if !output.status.success() {
            return Err(Error::Library);
        }
        let said = String::from_utf8_lossy(&output.stdout);
        Ok(read(&said))
    }
}

/// What cargo says of a build, a line each.
#[derive(Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum Message {
    CompilerArtifact {
        target: Target,
        profile: Profile,
        filenames: Vec<PathBuf>,
    },
    BuildScriptExecuted {
        linked_paths: Vec<String>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    opt_level: String,
}

fn read(said: &str) -> Artefacts {
    let mut artefacts = Artefacts::default();
    for line in said.lines() {
        match serde_json::from_str(line) {
            // What only build scripts and macros need is not optimised, and may be there a second time.
            Ok(Message::CompilerArtifact {
                target,
                profile,
                filenames,
            }) if profile.opt_level != "0" => {
                for file in filenames {
                    if file.extension().is_none_or(|ending| ending != "rlib") {
                        continue;
                    }
                    artefacts.folders.extend(file.parent().map(Path::to_owned));
                    let name = target.name.replace('-', "_");
                    let known = artefacts.crates.entry(name);
                    known.and_modify(|file| *file = None).or_insert(Some(file));
                }
            }
            Ok(Message::BuildScriptExecuted { linked_paths }) => {
                artefacts
                    .native
                    .extend(linked_paths.into_iter().map(OsString::from));
            }
            Ok(Message::CompilerArtifact { .. } | Message::Other) | Err(_) => {}
        }
    }
    artefacts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_and_the_folders_are_read_from_what_cargo_says() {
        let said = r#"{"reason":"compiler-artifact","target":{"name":"serde"},"profile":{"opt_level":"1"},"filenames":["/p/target/release/deps/libserde-1.rlib"]}
{"reason":"compiler-artifact","target":{"name":"serde"},"profile":{"opt_level":"0"},"filenames":["/p/target/release/deps/libserde-0.rlib"]}
{"reason":"compiler-artifact","target":{"name":"syn"},"profile":{"opt_level":"1"},"filenames":["/p/target/release/deps/libsyn-1.rlib"]}
{"reason":"compiler-artifact","target":{"name":"syn"},"profile":{"opt_level":"1"},"filenames":["/p/target/release/deps/libsyn-2.rlib"]}
{"reason":"build-script-executed","linked_paths":["native=/usr/lib/x"]}
not JSON
{"reason":"compiler-artifact","target":{"name":"cornerturn"},"profile":{"opt_level":"3"},"filenames":["/p/target/release/libcornerturn.rlib","/p/target/release/deps/libcornerturn-2.rmeta"]}
{"reason":"build-finished","success":true}"#;
        let artefacts = read(said);
        let file = |name: &str| artefacts.crates.get(name).cloned().flatten();
        let path = |name: &str| Some(PathBuf::from(name));
        assert_eq!(file(LIBRARY), path("/p/target/release/libcornerturn.rlib"));
        assert_eq!(
            file("serde"),
            path("/p/target/release/deps/libserde-1.rlib")
        );
        assert_eq!(file("syn"), None, "it is there twice");
        assert!(
            artefacts
                .folders
                .contains(Path::new("/p/target/release/deps"))
        );
        assert_eq!(artefacts.native, [OsString::from("native=/usr/lib/x")]);
    }
}
