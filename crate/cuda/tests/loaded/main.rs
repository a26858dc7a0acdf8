//! The built library, loaded as programs load a driver: by its name, in a process of its own for each test.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

mod api;
mod backend;
mod misuse;
mod order;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where the library lies that was built beside this test.
fn library() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let mut folders = own.ancestors().skip(1).take(2);
    let found = folders.find_map(|folder| {
        let path = folder.join("libcornerturn_cuda.so");
        path.is_file().then_some(path)
    });
    found.expect("the library is built with its tests")
}

/// A folder with the library under the names that programs ask for.
fn stand_in() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["libcuda.so", "libcuda.so.1"] {
        std::os::unix::fs::symlink(library(), folder.path().join(name)).unwrap();
    }
    folder
}

/// Runs the ignored test of this name in a process that finds the stand-in, with these variables. What it prints comes back.
fn child(test: &str, variables: &[(&str, &str)]) -> Output {
    let folder = stand_in();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            test,
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("LD_LIBRARY_PATH", folder.path())
        .env("CORNERTURN_DEVICE", "cuda");
    for name in [
        "CORNERTURN_CHECK",
        "CORNERTURN_REPORT",
        "CORNERTURN_DEVICES",
        "CORNERTURN_BUDGET",
    ] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    command.output().unwrap()
}

/// The same for one that must pass; what it printed on stdout and stderr.
fn passes(test: &str, variables: &[(&str, &str)]) -> (String, String) {
    let output = child(test, variables);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success(),
        "{test}: {}\n{stdout}\n{stderr}",
        output.status
    );
    assert!(stdout.contains("1 passed"), "{test} did not run\n{stdout}");
    (stdout, stderr)
}

/// The report that a test wrote.
fn report(path: &Path) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}
