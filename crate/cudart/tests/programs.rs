//! Whole programs: compiled by nvcc from PyPI, linked with this runtime and run. Each says in its comments what it prints, what is found where, and its exit status. Where nvcc is not installed they are skipped.
//!
//! `// prints: LINE`, `// remarks: PART`, `// status: NUMBER`, `// arguments: WORDS`, `// with: FILE`, `// nvcc: OPTION` at the beginning; `// finds: KIND` on the line where it is found.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The toolkit below the project's target/, and the runtime beside this test.
struct Toolkit {
    nvcc: PathBuf,
    headers: PathBuf,
    library: PathBuf,
}

impl Toolkit {
    /// None where it is not installed: `cornerturn program` and `cargo verify` install it.
    fn find(scratch: &Path) -> Option<Self> {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
        let nvcc = target.join("cuda-nvcc/nvidia/cu13/bin/nvcc");
        let headers = target.join("cuda-headers/nvidia/cu13/include");
        if !nvcc.is_file() || !headers.is_dir() {
            let is_forbidden = std::env::var_os("CORNERTURN_NO_SKIP").is_some();
            assert!(!is_forbidden, "nvcc is not installed");
            println!("skipped: nvcc is not installed; `cornerturn program` does it");
            return None;
        }
        Some(Self {
            nvcc,
            headers,
            library: library(scratch),
        })
    }

    fn build(&self, source: &Path, expected: &Expected, executable: &Path) {
        let folder = source.parent().unwrap();
        let with = |option: &str, path: &Path| format!("{option}{}", path.display());
        let built = Command::new(&self.nvcc)
            .args(["-g", "-lineinfo", "-cudart=none", "-arch=compute_90", "-o"])
            .arg(executable)
            .args(["-isystem".into(), self.headers.clone()])
            .args(["-isystem".into(), self.headers.join("cccl")])
            .args(&expected.nvcc)
            .arg(source)
            .args(expected.with.iter().map(|file| folder.join(file)))
            .arg(with("-L", &self.library))
            .args(["-lcornerturn_cudart", "-Xlinker"])
            .arg(with("-rpath=", &self.library))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{}: {said}", source.display());
    }
}

/// A folder with the runtime as programs are linked with it. It has the driver in it, and that is the name within.
fn library(scratch: &Path) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let built = own.parent().unwrap().join("libcornerturn_cudart.so");
    assert!(built.is_file());
    for name in ["libcornerturn_cudart.so", "libcuda.so.1"] {
        std::os::unix::fs::symlink(&built, scratch.join(name)).unwrap();
    }
    scratch.to_path_buf()
}

/// What a program's comments say.
#[derive(Default)]
struct Expected {
    prints: String,
    /// Kind and line.
    finds: BTreeSet<(String, u64)>,
    remarks: Vec<String>,
    status: i32,
    arguments: Vec<String>,
    with: Vec<String>,
    nvcc: Vec<String>,
}

impl Expected {
    fn of(source: &str) -> Self {
        let mut expected = Self::default();
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect();
        for (line, number) in source.lines().zip(1..) {
            let Some((_, comment)) = line.split_once("// ") else {
                continue;
            };
            match comment.split_once(": ") {
                Some(("prints", text)) => writeln!(expected.prints, "{text}").unwrap(),
                Some(("finds", kind)) => drop(expected.finds.insert((kind.to_string(), number))),
                Some(("remarks", text)) => expected.remarks.push(text.to_string()),
                Some(("status", text)) => expected.status = text.parse().unwrap(),
                Some(("arguments", text)) => expected.arguments = words(text),
                Some(("with", text)) => expected.with = words(text),
                Some(("nvcc", text)) => expected.nvcc = words(text),
                _ => {}
            }
        }
        expected
    }
}

/// What is wrong with what a program did; nothing if it did as its comments say.
fn differences(toolkit: &Toolkit, source: &Path, scratch: &Path) -> String {
    let expected = Expected::of(&fs::read_to_string(source).unwrap());
    let executable = scratch.join(source.file_stem().unwrap());
    toolkit.build(source, &expected, &executable);
    let report = executable.with_extension("json");
    let ran = Command::new(&executable)
        .args(&expected.arguments)
        .env("CORNERTURN_REPORT", &report)
        .env("CORNERTURN_CHECK", "1")
        .output()
        .unwrap();
    let mut wrong = String::new();
    let printed = String::from_utf8_lossy(&ran.stdout);
    if printed != expected.prints {
        writeln!(wrong, "it prints {printed:?}, not {:?}", expected.prints).unwrap();
    }
    let status = ran
        .status
        .code()
        .unwrap_or_else(|| 128 + signal(ran.status));
    if status != expected.status {
        writeln!(wrong, "status {status}, not {}", expected.status).unwrap();
    }
    let report: Value = match fs::read_to_string(&report) {
        Ok(text) => serde_json::from_str(&text).unwrap(),
        Err(error) => return format!("{wrong}no report: {error}\n"),
    };
    let found: Vec<&Value> = all(&report, "findings");
    let kinds: BTreeSet<(String, u64)> = found.iter().map(|one| kind_and_line(one)).collect();
    if kinds != expected.finds {
        let (expected, messages) = (&expected.finds, messages(&found));
        writeln!(wrong, "it finds {kinds:?}, not {expected:?}: {messages}").unwrap();
    }
    let mut remarks = all(&report, "remarks");
    if !expected.finds.is_empty() {
        // After what a GPU stops, a program cannot free.
        remarks.retain(|remark| remark["kind"] != "leak");
    }
    let remarks = messages(&remarks);
    let told = |part: &String| remarks.contains(part.as_str());
    if !expected.remarks.iter().all(told) || expected.remarks.is_empty() && !remarks.is_empty() {
        let expected = &expected.remarks;
        writeln!(wrong, "it remarks {remarks:?}, not {expected:?}").unwrap();
    }
    if !wrong.is_empty() {
        writeln!(wrong, "stderr: {}", String::from_utf8_lossy(&ran.stderr)).unwrap();
    }
    wrong
}

#[cfg(unix)]
fn signal(status: std::process::ExitStatus) -> i32 {
    std::os::unix::process::ExitStatusExt::signal(&status).unwrap()
}

/// Of the kernels and of the host.
fn all<'r>(report: &'r Value, name: &str) -> Vec<&'r Value> {
    let kernels = report["kernels"].as_array().into_iter().flatten();
    let of = |value: &'r Value| value[name].as_array().into_iter().flatten();
    kernels.flat_map(of).chain(of(report)).collect()
}

fn kind_and_line(finding: &Value) -> (String, u64) {
    let kind = finding["kind"].as_str().unwrap_or_default();
    (
        kind.to_string(),
        finding["line"].as_u64().unwrap_or_default(),
    )
}

fn messages(findings: &[&Value]) -> String {
    let message = |finding: &&Value| finding["message"].as_str().unwrap_or_default().to_string();
    findings.iter().map(message).collect::<Vec<_>>().join("\n")
}

/// Tries all programs of a folder; `least` is how many there are at least.
fn try_all(folder: &str, least: usize) {
    let scratch = std::env::temp_dir();
    let scratch = scratch.join(format!(
        "cornerturn-programs-{folder}-{}",
        std::process::id()
    ));
    fs::create_dir_all(&scratch).unwrap();
    let Some(toolkit) = Toolkit::find(&scratch) else {
        return;
    };
    let programs = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = programs.join("tests/programs").join(folder);
    let is_cuda = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "cu");
    let entries = fs::read_dir(programs)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut sources: Vec<PathBuf> = entries.filter(is_cuda).collect();
    sources.sort();
    if let Some(only) = std::env::var_os("CORNERTURN_ONLY") {
        sources.retain(|source| source.file_stem() == Some(&only));
    } else {
        assert!(sources.len() >= least, "{} programs", sources.len());
    }
    let mut wrong = String::new();
    for source in &sources {
        let differs = differences(&toolkit, source, &scratch);
        if !differs.is_empty() {
            writeln!(wrong, "{}:\n{differs}", source.display()).unwrap();
        }
    }
    fs::remove_dir_all(&scratch).unwrap();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn programs_that_are_right_run_and_nothing_is_found() {
    try_all("pass", 15);
}

#[test]
fn what_is_wrong_in_programs_is_found_at_its_line() {
    try_all("fail", 9);
}
