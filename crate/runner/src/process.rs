//! Runs other programs as steps of long work: output into a log, seconds on the terminal, and none
//! of them outlives this process; and puts a copy of this one where it is to be run from. What is run is
//! decided by the verbs.

use crate::exit;
use crate::output;
use anyhow::Context;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, killpg};
use nix::sys::time::TimeValLike;
use nix::unistd::Pid;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How many lines of a failed program's log are shown.
const LOG_LINES_SHOWN: usize = 40;

/// Characters of what a program says that are shown while it runs.
const MOST_SAID: usize = 48;

/// Set once this process is told to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// A child in a process group of its own, which ends when this is dropped and when this process is
/// interrupted.
pub struct Group {
    child: Child,
    group: Pid,
}

impl Group {
    /// Starts `command` in a group of its own.
    pub fn spawn(command: &mut Command) -> anyhow::Result<Self> {
        end_children_on_interrupt();
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command
            .process_group(0)
            .spawn()
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => exit::lacks(format!("`{name}` was not found")),
                _ => anyhow::Error::new(error).context(format!("`{name}` did not start")),
            })?;
        let group = Pid::from_raw(child.id().cast_signed());
        running().push(group);
        Ok(Self { child, group })
    }

    /// The child.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// The child's status once it has ended, waiting no longer than `limit`.
    pub fn wait(&mut self, limit: Duration) -> anyhow::Result<Option<ExitStatus>> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                if INTERRUPTED.load(Ordering::Relaxed) {
                    // It was ended on purpose: that is no result. The handler ends this process.
                    loop {
                        thread::park();
                    }
                }
                return Ok(Some(status));
            }
            if start.elapsed() >= limit {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            // It may have ended meanwhile: nothing to do then.
            let _ = killpg(self.group, Signal::SIGTERM);
            if !matches!(self.wait(Duration::from_secs(3)), Ok(Some(_))) {
                let _ = killpg(self.group, Signal::SIGKILL);
                let _ = self.child.wait();
            }
        }
        running().retain(|group| *group != self.group);
    }
}

/// Runs `command` to its end with its output in `log`; a line on a terminal counts the seconds.
///
/// # Errors
/// If it could not be started, or ended with another status than 0: then with the log's last lines.
pub fn run_logged(what: &str, command: &mut Command, log: &Path) -> anyhow::Result<()> {
    let status = status_logged(what, command, log)?;
    if status.success() {
        return Ok(());
    }
    Err(exit::wrong(format!(
        "{what}: {status}; its last lines (all are in {}):\n{}",
        log.display(),
        tail(log)
    )))
}

/// Runs `command` to its end with its output in `log` and gives its status.
pub fn status_logged(what: &str, command: &mut Command, log: &Path) -> anyhow::Result<ExitStatus> {
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let file = File::create(log).with_context(|| log.display().to_string())?;
    command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file);
    let mut group = Group::spawn(command)?;
    let start = Instant::now();
    loop {
        if let Some(status) = group.wait(Duration::from_secs(1))? {
            output::progress("");
            return Ok(status);
        }
        let seconds = start.elapsed().as_secs();
        output::progress(&format!("  {what}: {seconds} s  {}", last_line(log)));
    }
}

/// What a program says that it is doing, as far as a terminal has room for it beside the seconds.
fn last_line(log: &Path) -> String {
    let text = last_bytes(log, 1024).unwrap_or_default();
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    let plain = line
        .unwrap_or_default()
        .trim()
        .chars()
        .filter(|c| !c.is_control());
    plain.take(MOST_SAID).collect()
}

/// Puts a copy of this binary at `program`: the original may be rebuilt, with other features even,
/// while the copy runs.
///
/// # Errors
/// If it cannot be written there.
pub fn copy_self(program: &Path) -> anyhow::Result<()> {
    copy_program(&std::env::current_exe()?, program)
}

/// Puts a copy of a program at `program`, unless it is there.
///
/// # Errors
/// If it cannot be written there.
pub fn copy_program(own: &Path, program: &Path) -> anyhow::Result<()> {
    let times = |file: &Path| {
        fs::metadata(file)
            .ok()
            .and_then(|data| Some((data.len(), data.modified().ok()?)))
    };
    if own == program || matches!((times(own), times(program)), (Some(a), Some(b)) if a == b) {
        return Ok(());
    }
    let partial = program.with_file_name(format!(".cornerturn-{}", std::process::id()));
    let copied = program
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| {
            fs::copy(own, &partial)?;
            let modified = fs::metadata(own)?.modified()?;
            File::options()
                .write(true)
                .open(&partial)?
                .set_modified(modified)?;
            fs::rename(&partial, program)
        });
    copied.map_err(|error| {
        let _ = fs::remove_file(&partial);
        exit::lacks(format!("cannot write {}: {error}", program.display()))
    })
}

/// Seconds of the processor that this process has used and all that it has run and waited for, on all cores together.
pub fn processor_seconds() -> f64 {
    let used = |who| {
        getrusage(who).map_or(0.0, |usage| {
            let times = [usage.user_time(), usage.system_time()];
            let seconds = times.map(|time| time.num_microseconds() as f64 / 1e6);
            seconds.iter().sum()
        })
    };
    used(UsageWho::RUSAGE_SELF) + used(UsageWho::RUSAGE_CHILDREN)
}

/// The last lines of a log, indented; before them what tests that failed said, where it stands further up.
pub fn tail(log: &Path) -> String {
    let text = last_bytes(log, 16 << 20).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(LOG_LINES_SHOWN);
    let mut failed = false;
    let failures = lines[..from].iter().filter(|line| {
        failed = (failed || line.trim() == "failures:") && !line.starts_with("test result:");
        failed
    });
    let shown = failures
        .take(LOG_LINES_SHOWN)
        .chain(&lines[from..])
        .map(|line| format!("    {line}"));
    shown.collect::<Vec<_>>().join("\n")
}

fn last_bytes(path: &Path, bytes: u64) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(bytes)))?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Ctrl-C and a polite kill end the children first, then this process.
fn end_children_on_interrupt() {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        // Without a handler the system's own remains: this process ends, and terminals still reach
        // what runs in the foreground.
        let _ = ctrlc::set_handler(|| {
            INTERRUPTED.store(true, Ordering::Relaxed);
            for signal in [Signal::SIGTERM, Signal::SIGKILL] {
                for group in running().iter() {
                    let _ = killpg(*group, signal);
                }
                thread::sleep(Duration::from_millis(500));
            }
            eprintln!("interrupted");
            std::process::exit(130);
        });
    });
}

fn running() -> std::sync::MutexGuard<'static, Vec<Pid>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_program_is_told_with_its_last_lines() {
        let log = std::env::temp_dir().join(format!("cornerturn-log-{}", std::process::id()));
        let mut command = Command::new("sh");
        command.args(["-c", "seq 1 100; echo broken >&2; exit 3"]);
        let error = run_logged("counting", &mut command, &log).expect_err("it exits with 3");
        let text = error.to_string();
        assert!(text.contains("counting: exit status: 3"), "{text}");
        assert!(text.ends_with("    100\n    broken"), "{text}");
        assert!(!text.contains("    61\n"), "{text}");
        fs::remove_file(log).expect("the log is there");
    }

    #[test]
    fn tests_that_failed_are_told_though_others_ran_behind_them() {
        let log = std::env::temp_dir().join(format!("cornerturn-tests-{}", std::process::id()));
        let failed = "running 1 test\n\nfailures:\n\n---- one stdout ----\nit is 3\n\ntest result: FAILED.\n";
        fs::write(&log, format!("{failed}{}", "after\n".repeat(100))).expect("the log is written");
        let told = tail(&log);
        assert!(told.starts_with("    failures:\n"), "{told}");
        assert!(told.contains("    it is 3\n    \n    after"), "{told}");
        assert!(!told.contains("running"), "{told}");
        fs::remove_file(log).expect("the log is there");
    }

    #[test]
    fn a_dropped_group_takes_its_grandchildren_with_it() {
        let mut command = Command::new("sh");
        command
            .args(["-c", "sleep 100 & echo $!; wait"])
            .stdout(Stdio::piped());
        let mut group = Group::spawn(&mut command).expect("sh starts");
        let mut out = group.child().stdout.take().expect("its output is piped");
        let mut first = [0; 16];
        let read = out
            .read(&mut first)
            .expect("it prints the number of its child");
        let pid: i32 = String::from_utf8_lossy(&first[..read])
            .trim()
            .parse()
            .expect("a number");
        drop(group);
        let gone = (0..100).any(|_| {
            thread::sleep(Duration::from_millis(20));
            nix::sys::signal::kill(Pid::from_raw(pid), None).is_err() || is_zombie(pid)
        });
        assert!(gone, "process {pid} still runs");
    }

    fn is_zombie(pid: i32) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.contains(") Z ")
    }
}
