//! Drives a headless Firefox over Marionette, the protocol that every Firefox speaks: JSON over a socket of the loopback
//! address. Knows the protocol, not what is done on a page.

use crate::process::{Group, tail};
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Names under which it is installed.
const PROGRAMS: [&str; 2] = ["firefox-esr", "firefox"];

/// A browser that takes longer than this to start or to answer is hung.
const ANSWER_LIMIT: Duration = Duration::from_secs(90);

/// The profile's file in which it writes the port that it listens on.
const PORT_FILE: &str = "MarionetteActivePort";

/// A free port is chosen, and nothing is asked of the network by itself.
const PREFERENCES: &str = r#"
user_pref("marionette.port", 0);
user_pref("app.normandy.enabled", false);
user_pref("app.update.disabledForTesting", true);
user_pref("browser.safebrowsing.update.enabled", false);
user_pref("browser.startup.page", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("extensions.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("toolkit.telemetry.server", "data:,");
"#;

/// The browser's program, if it is installed: that of `CORNERTURN_FIREFOX`, else the first of the usual names on the
/// path.
pub fn find() -> Option<PathBuf> {
    if let Some(program) = std::env::var_os("CORNERTURN_FIREFOX") {
        return Some(program.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut candidates = PROGRAMS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates.find(|program| program.is_file())
}

/// A running Firefox with one tab.
pub struct Firefox {
    stream: TcpStream,
    /// What was received of the next message.
    pending: Vec<u8>,
    next_id: u64,
    profile: PathBuf,
    // Dropped before the profile's folder is removed, see `Drop`.
    process: Option<Group>,
}

impl Firefox {
    /// Starts the browser with a new profile in the folder `profile`, which is removed in the end.
    pub fn start(program: &Path, profile: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(profile).with_context(|| profile.display().to_string())?;
        fs::write(profile.join("user.js"), PREFERENCES)?;
        let log = fs::File::create(profile.join("browser.log"))?;
        let mut command = Command::new(program);
        command
            .args(["--headless", "--marionette", "--no-remote", "--profile"])
            .arg(profile)
            // What it keeps outside of its profile.
            .env("HOME", profile);
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        let mut process = Group::spawn(&mut command)?;
        let started = listening(&mut process, profile);
        let stream = started.with_context(|| {
            format!(
                "{} did not start; the last it said:\n{}",
                program.display(),
                tail(&profile.join("browser.log"))
            )
        })?;
        let mut firefox = Self {
            stream,
            pending: Vec::new(),
            next_id: 0,
            profile: profile.to_path_buf(),
            process: Some(process),
        };
        firefox.receive().context("Firefox's greeting")?;
        firefox.call("WebDriver:NewSession", json!({}))?;
        let limit = ANSWER_LIMIT.as_millis() as u64;
        firefox.call(
            "WebDriver:SetTimeouts",
            json!({"script": limit, "pageLoad": limit}),
        )?;
        Ok(firefox)
    }

    /// Opens an address, and waits until it has loaded.
    pub fn open(&mut self, url: &str) -> anyhow::Result<()> {
        self.call("WebDriver:Navigate", json!({"url": url}))
            .with_context(|| url.to_owned())?;
        Ok(())
    }

    /// What an expression gives in the page; promises are waited for.
    pub fn evaluate(&mut self, expression: &str) -> anyhow::Result<Value> {
        let script = format!(
            "const told = arguments[arguments.length - 1];\
             (async () => {expression})().then((value) => told({{ value }}), (error) => told({{ error: `${{error?.message ?? error}}\n${{error?.stack ?? ''}}` }}));"
        );
        let answer = self.call(
            "WebDriver:ExecuteAsyncScript",
            json!({"script": script, "args": []}),
        )?;
        let answer = &answer["value"];
        match answer["error"].as_str() {
            Some(error) => bail!("the page could not be asked: {error}"),
            None => Ok(answer["value"].clone()),
        }
    }

    /// Sends one command and waits for its answer.
    fn call(&mut self, name: &str, parameters: Value) -> anyhow::Result<Value> {
        self.next_id += 1;
        let message = json!([0, self.next_id, name, parameters]).to_string();
        write!(self.stream, "{}:{message}", message.len())?;
        loop {
            // An answer is [1, id, error, result].
            let answer = self.receive().with_context(|| name.to_owned())?;
            if answer[1] != json!(self.next_id) {
                continue;
            }
            if let Some(error) = answer[2]["message"].as_str() {
                bail!("{name}: the browser refused: {error}");
            }
            return Ok(answer[3].clone());
        }
    }

    /// The next message: its length in bytes, a colon, JSON.
    fn receive(&mut self) -> anyhow::Result<Value> {
        let mut chunk = vec![0; 64 * 1024];
        loop {
            if let Some(colon) = self.pending.iter().position(|&byte| byte == b':') {
                let length: usize = std::str::from_utf8(&self.pending[..colon])?.parse()?;
                let end = colon + 1 + length;
                if self.pending.len() >= end {
                    let message = serde_json::from_slice(&self.pending[colon + 1..end])?;
                    self.pending.drain(..end);
                    return Ok(message);
                }
            }
            let read = self.stream.read(&mut chunk).with_context(|| {
                format!("Firefox gave no answer in {} s", ANSWER_LIMIT.as_secs())
            })?;
            if read == 0 {
                bail!(
                    "Firefox ended; the last it said:\n{}",
                    tail(&self.profile.join("browser.log"))
                );
            }
            self.pending.extend_from_slice(&chunk[..read]);
        }
    }
}

/// A connection to the browser, once it listens.
fn listening(process: &mut Group, profile: &Path) -> anyhow::Result<TcpStream> {
    let end = Instant::now() + ANSWER_LIMIT;
    while Instant::now() < end {
        if let Some(status) = process.wait(Duration::ZERO)? {
            bail!("it ended with {status}");
        }
        let port = fs::read_to_string(profile.join(PORT_FILE)).unwrap_or_default();
        if let Ok(port) = port.trim().parse::<u16>()
            && let Ok(stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
        {
            // A script that waits has the same limit, and says more.
            stream.set_read_timeout(Some(ANSWER_LIMIT + Duration::from_secs(10)))?;
            return Ok(stream);
        }
        thread::sleep(Duration::from_millis(50));
    }
    bail!("it did not listen within {} s", ANSWER_LIMIT.as_secs())
}

impl Drop for Firefox {
    fn drop(&mut self) {
        // It may have ended by itself; the group's end is certain in any case.
        let _ = self.call("Marionette:Quit", json!({"flags": ["eForceQuit"]}));
        if let Some(mut process) = self.process.take() {
            let _ = process.wait(Duration::from_secs(5));
        }
        let _ = fs::remove_dir_all(&self.profile);
    }
}
