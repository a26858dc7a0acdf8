//! The trial of a wheel: installed into an empty environment, and used as a newcomer does, from an empty folder with no clone above it.

use crate::{exit, output, pack, wheels};
use anyhow::Context as _;
use cornerturn_basics::system::{PYTHON, environment_program};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a page of the book and its laboratory need first.
const FETCHED: [&str; 3] = ["index.html", "lab/engine.js", "lab/compiler.js"];

/// A kernel of the newcomer's own.
const KERNEL: &str = "extern \"C\" __global__ void twice(const float* in, float* out, unsigned n)\n{\n    \
                      unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) out[i] = 2 * in[i];\n}\n";

/// Tries a wheel; `pages` are those that it should have.
pub fn run(root: &Path, wheel: &Path, pages: &Path, into: &Path) -> anyhow::Result<()> {
    let environment = into.join("environment");
    let installed = install(root, wheel, &environment)?;
    let place = Place::new(environment_program(&environment, "cornerturn"))?;
    let version = place.succeeds(&["--version"])?;
    let opened = open(&place, pages)?;
    compare_written(&place, pages)?;
    use_it(&place)?;
    output::line(format_args!(
        "{}: installed in {:.1} s, the first page {:.1} s after that",
        version.trim(),
        installed.as_secs_f64(),
        opened.as_secs_f64()
    ))
}

/// Installs the wheel, and nothing else, into an empty environment; how long pip takes.
fn install(root: &Path, wheel: &Path, environment: &Path) -> anyhow::Result<Duration> {
    let python = wheels::python_with_pip(&root.join("target"))?;
    let mut venv = Command::new(python);
    venv.args(["-m", "venv", "--clear"]).arg(environment);
    succeeded(&mut venv, "python -m venv")?;
    let start = Instant::now();
    let mut pip = Command::new(environment_program(environment, PYTHON));
    pip.args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]);
    pip.arg("--disable-pip-version-check").arg(wheel);
    succeeded(&mut pip, "pip install")?;
    Ok(start.elapsed())
}

/// An empty folder without a clone above it, and the binary that is tried in it.
struct Place {
    program: PathBuf,
    folder: PathBuf,
}

impl Place {
    fn new(program: PathBuf) -> anyhow::Result<Self> {
        let name = format!("cornerturn-Größe 1-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(folder.join("empty")).with_context(|| folder.display().to_string())?;
        Ok(Self { program, folder })
    }

    /// Where it is used.
    fn empty(&self) -> PathBuf {
        self.folder.join("empty")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(self.empty());
        command.env("CORNERTURN_CACHE", self.folder.join("cache"));
        for name in ["CORNERTURN_HOME", "CORNERTURN_COMPILER", "CARGO"] {
            command.env_remove(name);
        }
        command.env("CORNERTURN_DEVICE", "emulator");
        command
    }

    /// What the binary prints where it must succeed.
    fn succeeds(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let what = format!("cornerturn {}", arguments.join(" "));
        succeeded(&mut self.command(arguments), &what)
    }

    /// What it prints on both ways out where it must end with a status.
    fn ends_with(&self, status: i32, arguments: &[&str]) -> anyhow::Result<String> {
        let said = self.command(arguments).stdin(Stdio::null()).output()?;
        let text = [said.stdout, said.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        match said.status.code() == Some(status) {
            true => Ok(text),
            false => Err(exit::wrong(format!(
                "`cornerturn {}` ends with {}, not {status}:\n{text}",
                arguments.join(" "),
                said.status
            ))),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What stays is in the system's folder for that.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A server that ends with this.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Opens the book, and fetches what a browser does first; how long the first page took, all unpacked for it.
fn open(place: &Place, pages: &Path) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let mut command = place.command(&["open", "--no-browser"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut serving = Serving(command.stderr(Stdio::null()).spawn()?);
    let mut url = String::new();
    if let Some(stdout) = serving.0.stdout.take() {
        BufReader::new(stdout).read_line(&mut url)?;
    }
    let url = url.trim();
    let address = url
        .strip_prefix("http://")
        .map(|rest| rest.trim_end_matches('/'));
    let address = address.ok_or_else(|| exit::wrong(format!("`open` prints no address: {url}")))?;
    let mut first = None;
    for name in FETCHED {
        let found = fetch(address, name)?;
        if found != fs::read(pages.join(name))? {
            return Err(exit::wrong(format!("{url}{name} is not the page's file")));
        }
        first.get_or_insert(start.elapsed());
    }
    match address.starts_with("127.0.0.1:") {
        true => Ok(first.unwrap_or_default()),
        false => Err(exit::wrong(format!("{url} is not the loopback address"))),
    }
}

/// A file of a server.
fn fetch(address: &str, name: &str) -> anyhow::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address).with_context(|| address.to_string())?;
    write!(
        stream,
        "GET /{name} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n");
    match end {
        Some(end) if answer.starts_with(b"HTTP/1.1 200") => Ok(answer.split_off(end + 4)),
        _ => Err(exit::wrong(format!("http://{address}/{name} is not there"))),
    }
}

/// Has the pages written into a folder, and compares them all.
fn compare_written(place: &Place, pages: &Path) -> anyhow::Result<()> {
    place.succeeds(&["open", "--into", "the pages"])?;
    let written = pack::files_below(&place.empty().join("the pages"))?;
    let expected = pack::files_below(pages)?;
    let same = |(name, path): (&String, &PathBuf)| -> anyhow::Result<bool> {
        let other = expected.get(name);
        Ok(other.is_some_and(|other| fs::read(other).ok() == fs::read(path).ok()))
    };
    for file in &written {
        if !same(file)? {
            return Err(exit::wrong(format!("{} is not as it was built", file.0)));
        }
    }
    if written.len() != expected.len() {
        return Err(exit::wrong(format!(
            "`open --into` writes {} files of {}",
            written.len(),
            expected.len()
        )));
    }
    // What is there stays.
    place
        .ends_with(2, &["open", "--into", "the pages"])
        .map(drop)
}

/// Uses the verbs that need no clone.
fn use_it(place: &Place) -> anyhow::Result<()> {
    let list = place.succeeds(&["list"])?;
    if !list.contains("padded") {
        return Err(exit::wrong(format!(
            "`cornerturn list` knows no kernel `padded`:\n{list}"
        )));
    }
    fs::write(place.empty().join("twice.cu"), KERNEL)?;
    place.succeeds(&[
        "compile",
        "twice.cu",
        "--compiler",
        "cornerturn",
        "--out",
        "twice.ptx",
    ])?;
    for file in ["twice.cu", "twice.ptx"] {
        let launch = [
            "launch", file, "--entry", "twice", "--grid", "4", "--block", "256", "--check",
            "--json",
        ];
        let buffers = [
            "--arg",
            "f32[1000]=iota",
            "--arg",
            "f32[1000]=poison",
            "--arg",
            "u32=1000",
        ];
        let counted = place.succeeds(&[&launch[..], &buffers].concat())?;
        let counted: serde_json::Value = serde_json::from_str(&counted)?;
        if counted["findings"] != serde_json::json!([]) {
            return Err(exit::wrong(format!(
                "`cornerturn launch` finds a mistake in {file}: {counted}"
            )));
        }
    }
    place.succeeds(&["run", "padded"])?;
    place.succeeds(&["exercise", "list"])?;
    place.succeeds(&["exercise", "start", "copy"])?;
    // A starter is no solution.
    place.ends_with(
        1,
        &["exercise", "check", "copy", "--compiler", "cornerturn"],
    )?;
    place.succeeds(&["doctor"])?;
    place.succeeds(&["completions", "bash"])?;
    place.ends_with(2, &["kernels"]).map(drop)
}

/// What a program prints; an error with its complaint where it fails.
fn succeeded(command: &mut Command, what: &str) -> anyhow::Result<String> {
    let said = command.stdin(Stdio::null()).output();
    let said = said.map_err(|error| exit::lacks(format!("cannot start `{what}`: {error}")))?;
    match said.status.success() {
        true => Ok(String::from_utf8_lossy(&said.stdout).into_owned()),
        false => Err(exit::wrong(format!(
            "`{what}` ends with {}:\n{}",
            said.status,
            String::from_utf8_lossy(&said.stderr).trim()
        ))),
    }
}
