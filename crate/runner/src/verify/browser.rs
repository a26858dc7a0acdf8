//! Drives a headless Chromium over its DevTools protocol, through a pipe: no port is opened. Knows
//! the protocol, not what makes a page right.

use crate::exit;
use crate::process::Group;
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Names under which browsers that speak the protocol are installed.
const PROGRAMS: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// A page that takes longer than this to load or to answer is hung. A minute was too short for the whole book on one page
/// where tests kept both cores busy.
const ANSWER_LIMIT: Duration = Duration::from_secs(240);

/// The browser's program, if one is installed: that of `CORNERTURN_BROWSER`, else the first of the
/// usual names on the path.
pub fn find() -> Option<PathBuf> {
    if let Some(program) = std::env::var_os("CORNERTURN_BROWSER") {
        return Some(program.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let candidates = PROGRAMS
        .iter()
        .flat_map(|name| folders.iter().map(move |f| f.join(name)));
    candidates.into_iter().find(|program| program.is_file())
}

/// A running browser with one tab.
pub struct Browser {
    commands: ChildStdin,
    messages: Receiver<Value>,
    session: String,
    next_id: u64,
    events: Vec<Value>,
    profile: PathBuf,
    // Dropped before the profile's folder is removed, see `Drop`.
    process: Option<Group>,
}

impl Browser {
    /// Starts the browser with a new profile in the folder `profile`, which is removed in the end.
    pub fn start(program: &Path, profile: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(profile).with_context(|| profile.display().to_string())?;
        let log = fs::File::create(profile.join("browser.log"))?;
        let mut command = Command::new("sh");
        // The protocol's pipe is file descriptors 3 and 4: here this process's own pipes.
        command
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >&2"#])
            .arg(program);
        // Only our own pages are opened, so the sandbox, which containers often forbid, may go.
        command.args([
            "--headless",
            "--remote-debugging-pipe",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
        ]);
        command
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log);
        let mut process = Group::spawn(&mut command)?;
        let commands = process
            .child()
            .stdin
            .take()
            .context("the browser has no input")?;
        let output = process
            .child()
            .stdout
            .take()
            .context("the browser has no output")?;
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            read_messages(output, |message| sender.send(message).is_ok());
        });
        let mut browser = Self {
            commands,
            messages,
            session: String::new(),
            next_id: 0,
            events: Vec::new(),
            profile: profile.to_path_buf(),
            process: Some(process),
        };
        browser
            .open_tab()
            .with_context(|| format!("{} did not start", program.display()))?;
        Ok(browser)
    }

    fn open_tab(&mut self) -> anyhow::Result<()> {
        let target = self.call("Target.createTarget", json!({"url": "about:blank"}))?;
        let attached = self.call(
            "Target.attachToTarget",
            json!({"targetId": target["targetId"], "flatten": true}),
        )?;
        self.session = attached["sessionId"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}))?;
        }
        Ok(())
    }

    /// Sends one command and waits for its answer; events that come meanwhile are kept.
    pub fn call(&mut self, method: &str, params: Value) -> anyhow::Result<Value> {
        self.next_id += 1;
        let id = self.next_id;
        let mut message = json!({"id": id, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let mut bytes = serde_json::to_vec(&message)?;
        bytes.push(0);
        let sent = self
            .commands
            .write_all(&bytes)
            .and_then(|()| self.commands.flush());
        if sent.is_err() {
            return Err(self.ended());
        }
        let end = Instant::now() + ANSWER_LIMIT;
        loop {
            let message = self.receive(end).with_context(|| method.to_owned())?;
            if message["id"] != json!(id) {
                self.events.push(message);
                continue;
            }
            if let Some(error) = message["error"]["message"].as_str() {
                bail!("{method}: the browser refused: {error}");
            }
            return Ok(message["result"].clone());
        }
    }

    /// Opens an address, waits until it has loaded and gives all events up to then.
    pub fn open(&mut self, url: &str) -> anyhow::Result<()> {
        self.events.clear();
        let answer = self.call("Page.navigate", json!({"url": url}))?;
        if let Some(error) = answer["errorText"].as_str() {
            bail!("{url}: {error}");
        }
        let end = Instant::now() + ANSWER_LIMIT;
        while !self
            .events
            .iter()
            .any(|event| event["method"] == "Page.loadEventFired")
        {
            let message = self
                .receive(end)
                .with_context(|| format!("{url} did not load"))?;
            self.events.push(message);
        }
        Ok(())
    }

    /// What an expression gives in the page; promises are waited for.
    pub fn evaluate(&mut self, expression: &str) -> anyhow::Result<Value> {
        let answer = self.call(
            "Runtime.evaluate",
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true}),
        )?;
        if let Some(details) = answer.get("exceptionDetails") {
            bail!("the page could not be asked: {}", exception_text(details));
        }
        Ok(answer["result"]["value"].clone())
    }

    /// The events since the last page was opened.
    pub fn events(&self) -> &[Value] {
        &self.events
    }

    fn receive(&mut self, end: Instant) -> anyhow::Result<Value> {
        match self
            .messages
            .recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            Ok(message) => Ok(message),
            Err(RecvTimeoutError::Timeout) => {
                bail!("the browser gave no answer in {} s", ANSWER_LIMIT.as_secs())
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    fn ended(&self) -> anyhow::Error {
        let log = crate::process::tail(&self.profile.join("browser.log"));
        exit::wrong(format!("the browser ended; the last it said:\n{log}"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself; the group's end is certain in any case.
        self.session.clear();
        let _ = self.call("Browser.close", json!({}));
        if let Some(mut process) = self.process.take() {
            let _ = process.wait(Duration::from_secs(5));
        }
        let _ = fs::remove_dir_all(&self.profile);
    }
}

/// The words of an exception that a page threw.
pub fn exception_text(details: &Value) -> String {
    let description = details["exception"]["description"].as_str();
    description
        .or(details["text"].as_str())
        .unwrap_or("unknown exception")
        .to_owned()
}

/// Splits the pipe into messages, each ended by a zero byte, until `deliver` wants no more.
fn read_messages(mut output: impl Read, deliver: impl Fn(Value) -> bool) {
    let mut pending = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    while let Ok(read) = output.read(&mut chunk) {
        if read == 0 {
            return;
        }
        for &byte in &chunk[..read] {
            if byte != 0 {
                pending.push(byte);
                continue;
            }
            // What is no JSON is no message of the protocol.
            if let Ok(message) = serde_json::from_slice(&pending)
                && !deliver(message)
            {
                return;
            }
            pending.clear();
        }
    }
}
