//! Runs the built binary in a folder of its own and keeps what it said.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that goes away with the test.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(test: &str) -> Self {
        let name = format!("cornerturn-{test}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The names of its files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Copies the project's kernels there and gives the folder's path, for `CORNERTURN_HOME`.
    pub fn project(&self) -> &str {
        let kernels = cornerturn::paths::kernels().unwrap();
        let copy = self.0.join("kernels");
        std::fs::create_dir_all(copy.join("transpose")).unwrap();
        std::fs::copy(kernels.join("kernels.toml"), copy.join("kernels.toml")).unwrap();
        for entry in std::fs::read_dir(kernels.join("transpose")).unwrap() {
            let path = entry.unwrap().path();
            std::fs::copy(
                &path,
                copy.join("transpose").join(path.file_name().unwrap()),
            )
            .unwrap();
        }
        self.0.to_str().unwrap()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }

    /// Runs `cornerturn` there, on the emulator unless the arguments say otherwise.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        self.run_with(arguments, &[])
    }

    /// The same with some environment variables.
    pub fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Outcome {
        let output = Command::new(env!("CARGO_BIN_EXE_cornerturn"))
            .args(arguments)
            .current_dir(&self.0)
            .env("CORNERTURN_DEVICE", "emulator")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        Outcome {
            status: output.status.code().expect("not ended by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a run of the binary ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// The one JSON value on stdout.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that it ended with this status and one sentence on stderr that holds all these words.
    #[track_caller]
    pub fn fails(&self, status: i32, words: &[&str]) {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.stderr.starts_with("error: "), "{self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}` in {self:?}");
        }
    }
}

/// The kernels of a folder beside these tests: name and text.
pub fn kernels(folder: &str) -> Vec<(String, String)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut kernels: Vec<(String, String)> = std::fs::read_dir(tests.join(folder))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    kernels.sort();
    kernels
}

/// What stands behind a word in the comments at the top of a kernel.
pub fn note<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let begin = format!("// {word}: ");
    text.lines().find_map(|line| line.strip_prefix(&begin))
}
