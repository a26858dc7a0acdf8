//! Runs a chapter's compiled program, and takes what it prints apart: which cell printed it, what it displayed, and how it
//! ended. A cell that does not end, or prints without end, is ended. What a program is, and what is kept of it, is not known here.

use crate::error::CellFailure;
use crate::outcome::{CellOutput, CellStatus};
use cornerturn_basics::cell_error::without_noise;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

/// Of one cell no more is read than this.
const MOST_BYTES: usize = 16 << 20;
/// How often is looked whether a cell is still at work.
const EVERY: Duration = Duration::from_millis(100);
/// A cell that has used no processor for so long waits for what does not come.
const MOST_IDLE: Duration = Duration::from_secs(600);
/// Lines that are read ahead of what is made of them.
const AHEAD: usize = 1024;

/// What a display begins with, a MIME type behind it, and what it ends with: evcxr's own words.
const CONTENT: &str = "EVCXR_BEGIN_CONTENT ";
const CONTENT_END: &str = "EVCXR_END_CONTENT";

/// Why a cell fails that a notebook would wait for, or lose a line of.
const NO_NEWLINE: &str = "it printed text without a newline at its end, and evcxr then misses what follows: use `println!`";

/// What is told while a program runs.
pub(crate) enum Event {
    /// The cell of this number begins.
    Begun(usize),
    /// It has ended, and if it failed in a line of the program, in this one.
    Ended(usize, CellOutput, Option<usize>),
}

/// How a program ended before its last cell did.
pub(crate) struct Broken {
    /// The cell that ran.
    pub(crate) cell: usize,
    /// What it gave, where its process ended by itself.
    pub(crate) output: Option<CellOutput>,
    /// Why.
    pub(crate) failure: CellFailure,
}

/// Runs the program to its end and tells of each cell, unless `told` has enough; no cell may use more of the processor than `limit`.
///
/// # Errors
///
/// The cell in which it broke off.
pub(crate) fn run(
    command: &mut Command,
    limit: Duration,
    told: &mut dyn FnMut(Event) -> bool,
) -> Result<(), Box<Broken>> {
    let mark = mark();
    let broken = |failure| {
        Box::new(Broken {
            cell: 0,
            output: None,
            failure,
        })
    };
    let started = Running::start(command, &mark);
    let mut running = started.map_err(|error| {
        broken(CellFailure::Session(format!(
            "its program did not start: {error}"
        )))
    })?;
    let mut cells = Cells::new(mark);
    let mut watch = Watch::new(limit);
    loop {
        // What it used is a cell's own only once all is read that it has told: on a busy machine the next cell may have begun.
        let line = match running.lines.try_recv() {
            Err(TryRecvError::Empty) => {
                if let Some(failure) = watch.look(&running.child) {
                    return Err(cells.broken(failure));
                }
                running.lines.recv_timeout(EVERY)
            }
            line => line.map_err(|_| RecvTimeoutError::Disconnected),
        };
        match line {
            Ok(Line::Of(stream, text)) => {
                for event in cells.take(stream, &text) {
                    if let Event::Begun(_) = event {
                        watch.begin(&running.child);
                    }
                    if !told(event) {
                        return Ok(());
                    }
                }
                if cells.bytes > MOST_BYTES {
                    return Err(cells.broken(too_much()));
                }
            }
            Ok(Line::TooLong) => return Err(cells.broken(too_much())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = running.child.wait();
    cells.at_the_end(status)
}

fn too_much() -> CellFailure {
    CellFailure::Output(MOST_BYTES)
}

/// What no cell can know: of the system's randomness, which the standard library's hash tables begin with.
fn mark() -> String {
    use std::hash::{BuildHasher, RandomState};
    let half = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", half(), half())
}

/// Which of its outputs a program wrote to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

enum Line {
    Of(Stream, String),
    TooLong,
}

/// A program that runs; it is ended when this is dropped.
struct Running {
    child: Child,
    lines: Receiver<Line>,
}

impl Running {
    fn start(command: &mut Command, mark: &str) -> std::io::Result<Running> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        // It ends itself when its input does, so that stays open.
        if let Some(stdin) = &mut child.stdin {
            stdin.write_all(format!("{mark}\n").as_bytes())?;
        }
        let (sender, lines) = sync_channel(AHEAD);
        if let Some(out) = child.stdout.take() {
            read(out, Stream::Out, sender.clone());
        }
        if let Some(err) = child.stderr.take() {
            read(err, Stream::Err, sender);
        }
        Ok(Running { child, lines })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended is not there to be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads lines on a thread of its own until the stream ends or nobody takes them.
fn read(stream: impl Read + Send + 'static, which: Stream, lines: SyncSender<Line>) {
    std::thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        loop {
            let mut line = Vec::new();
            let limited = stream.by_ref().take(MOST_BYTES as u64);
            match { limited }.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let line = match line.len() < MOST_BYTES {
                true => Line::Of(which, String::from_utf8_lossy(&line).into_owned()),
                false => Line::TooLong,
            };
            if lines.send(line).is_err() {
                return;
            }
        }
    });
}

/// What one stream has given of the cell that runs.
#[derive(Default)]
struct Part {
    lines: Vec<String>,
    /// The display that is being read.
    content: Option<(String, String)>,
    display: BTreeMap<String, String>,
    unfinished: bool,
}

/// A cell of which one stream has told the end.
struct Half {
    how: String,
    line: usize,
    part: Part,
}

/// The cells as they come.
struct Cells {
    /// Before each word of the program's own.
    mark: String,
    /// The cell that began last, and when.
    current: usize,
    since: Instant,
    bytes: usize,
    out: Part,
    err: Part,
    /// By its number.
    halves: BTreeMap<usize, (Option<Half>, Option<Half>)>,
    /// The last cell of which both streams have told the end: one may tell it after the other has begun the next.
    ended: usize,
}

impl Cells {
    fn new(mark: String) -> Self {
        Cells {
            mark: format!("\u{1}{mark} "),
            current: 0,
            since: Instant::now(),
            bytes: 0,
            out: Part::default(),
            err: Part::default(),
            halves: BTreeMap::new(),
            ended: 0,
        }
    }

    fn part(&mut self, stream: Stream) -> &mut Part {
        match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        }
    }

    /// Takes a line, with its newline where it has one.
    fn take(&mut self, stream: Stream, line: &str) -> Vec<Event> {
        self.bytes += line.len();
        let text = line.strip_suffix('\n').unwrap_or(line);
        let text = text.strip_suffix('\r').unwrap_or(text);
        let Some((before, word)) = text.split_once(&self.mark) else {
            self.part(stream).take(stream, text);
            return Vec::new();
        };
        if !before.is_empty() {
            let part = self.part(stream);
            part.lines.push(before.to_owned());
            part.unfinished = true;
        }
        self.word(stream, word)
    }

    /// What the program itself says: `begin 3 0`, `ok 3 0`, `err 3 471`.
    fn word(&mut self, stream: Stream, word: &str) -> Vec<Event> {
        let mut words = word.split(' ');
        let how = words.next().unwrap_or_default().to_owned();
        let mut number = || words.next().and_then(|n| n.parse::<usize>().ok());
        let (cell, line) = (number().unwrap_or(0), number().unwrap_or(0));
        if how == "begin" {
            *self.part(stream) = Part::default();
            if stream == Stream::Err {
                return Vec::new();
            }
            (self.current, self.since, self.bytes) = (cell, Instant::now(), 0);
            return vec![Event::Begun(cell)];
        }
        let part = std::mem::take(self.part(stream));
        let half = Half { how, line, part };
        let halves = self.halves.entry(cell).or_default();
        match stream {
            Stream::Out => halves.0 = Some(half),
            Stream::Err => halves.1 = Some(half),
        }
        if halves.0.is_none() || halves.1.is_none() {
            return Vec::new();
        }
        let Some((Some(out), Some(err))) = self.halves.remove(&cell) else {
            return Vec::new();
        };
        self.ended = self.ended.max(cell);
        let line = (out.line > 0).then_some(out.line);
        let status = out.status();
        let output = output(status, out.part, err.part, self.since);
        vec![Event::Ended(cell, output, line)]
    }

    fn broken(&self, failure: CellFailure) -> Box<Broken> {
        Box::new(Broken {
            cell: self.current,
            output: None,
            failure,
        })
    }

    /// When the program has ended: all is well unless a cell had not.
    fn at_the_end(mut self, status: std::io::Result<ExitStatus>) -> Result<(), Box<Broken>> {
        let message = match status {
            Ok(status) if status.success() && self.ended == self.current && self.current > 0 => {
                return Ok(());
            }
            Ok(status) => end_of(status),
            Err(error) => error.to_string(),
        };
        let status = CellStatus::Crash {
            message: message.clone(),
        };
        let (out, err) = (std::mem::take(&mut self.out), std::mem::take(&mut self.err));
        let output = output(status, out, err, self.since);
        let failure = CellFailure::Crash(format!("{}\n{message}", output.stderr.trim_end()));
        Err(Box::new(Broken {
            output: Some(output),
            ..*self.broken(failure)
        }))
    }
}

impl Half {
    fn status(&self) -> CellStatus {
        match self.how.as_str() {
            "err" => CellStatus::Err,
            "panic" => CellStatus::Panic,
            _ if self.part.unfinished => CellStatus::Session {
                message: NO_NEWLINE.to_owned(),
            },
            _ => CellStatus::Ok,
        }
    }
}

impl Part {
    /// Takes a line that is no word of the program's own.
    fn take(&mut self, stream: Stream, text: &str) {
        if stream == Stream::Err {
            self.lines.push(text.to_owned());
            return;
        }
        if let Some((_, content)) = &mut self.content {
            if text != CONTENT_END {
                if !content.is_empty() {
                    content.push('\n');
                }
                content.push_str(text);
            } else if let Some((kind, content)) = self.content.take() {
                self.display.insert(kind, content);
            }
            return;
        }
        match text.find(CONTENT) {
            None => self.lines.push(text.to_owned()),
            Some(at) => {
                if at > 0 {
                    self.lines.push(text[..at].to_owned());
                    self.unfinished = true;
                }
                let kind = text[at + CONTENT.len()..].split(' ').next();
                self.content = Some((kind.unwrap_or_default().to_owned(), String::new()));
            }
        }
    }
}

fn output(status: CellStatus, out: Part, err: Part, since: Instant) -> CellOutput {
    let joined = |lines: &[String]| -> String {
        let lines = lines.iter().flat_map(|line| [line.as_str(), "\n"]);
        lines.collect()
    };
    let display = match status {
        CellStatus::Ok => out.display,
        _ => BTreeMap::new(),
    };
    CellOutput {
        status,
        stdout: joined(&out.lines),
        stderr: joined(&without_noise(err.lines)),
        display,
        seconds: since.elapsed().as_secs_f64(),
    }
}

/// What the processor has done for a cell.
struct Watch {
    limit: Duration,
    /// The processor's time, and the clock, when the cell began.
    begun: (Duration, Instant),
    /// When the processor was last seen to do something for it, and its time then.
    busy: (Duration, Instant),
    looked: Instant,
}

impl Watch {
    fn new(limit: Duration) -> Self {
        let now = (Duration::ZERO, Instant::now());
        Watch {
            limit,
            begun: now,
            busy: now,
            looked: Instant::now(),
        }
    }

    fn begin(&mut self, child: &Child) {
        let now = (processor_time(child).unwrap_or_default(), Instant::now());
        (self.begun, self.busy) = (now, now);
    }

    /// Why the cell is to be ended, if it is.
    fn look(&mut self, child: &Child) -> Option<CellFailure> {
        if self.looked.elapsed() < EVERY {
            return None;
        }
        self.looked = Instant::now();
        let timeout = || Some(CellFailure::Timeout(self.limit.as_secs_f64()));
        let Some(used) = processor_time(child) else {
            // Where the system does not tell, a busy machine is given ten times as long.
            return (self.begun.1.elapsed() > 10 * self.limit)
                .then(timeout)
                .flatten();
        };
        if used.saturating_sub(self.begun.0) > self.limit {
            return timeout();
        }
        if used > self.busy.0 + EVERY {
            self.busy = (used, Instant::now());
        }
        let idle = self.busy.1.elapsed();
        (idle > MOST_IDLE).then_some(CellFailure::Idle(idle.as_secs_f64()))
    }
}

/// The processor's time that a process has used so far, its threads' included.
#[cfg(target_os = "linux")]
fn processor_time(child: &Child) -> Option<Duration> {
    // proc(5): fields 14 and 15 are in clock ticks, of which Linux tells a hundred a second. The name of the program,
    // field 2, may hold spaces.
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

/// As told by the system's `ps`, in minutes, seconds and their hundredths: `1:02.34`.
#[cfg(not(target_os = "linux"))]
fn processor_time(child: &Child) -> Option<Duration> {
    let mut ps = Command::new("ps");
    ps.args(["-o", "time=", "-p", &child.id().to_string()]);
    let told = ps.stdin(Stdio::null()).output().ok()?;
    let told = String::from_utf8_lossy(&told.stdout);
    told.trim()
        .split(':')
        .try_fold(Duration::ZERO, |sum, part| {
            Some(sum * 60 + Duration::try_from_secs_f64(part.parse().ok()?).ok()?)
        })
}

#[cfg(unix)]
fn end_of(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (None, Some(signal)) => format!("ended by signal {signal}{}", signal_name(signal)),
        _ => format!("it ended with {status}"),
    }
}

#[cfg(not(unix))]
fn end_of(status: ExitStatus) -> String {
    format!("it ended with {status}")
}

#[cfg(unix)]
fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 => " (bus error)",
        8 => " (arithmetic)",
        9 => " (kill: perhaps out of memory)",
        11 => " (segmentation fault)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Ended = Vec<(usize, CellOutput)>;

    /// What a shell script gives in the place of a program; `$M` in it is the mark with what stands before it.
    fn run_script(script: &str) -> (Ended, Result<(), Box<Broken>>) {
        let script = format!(
            "read m; M=$(printf '\\001')\"$m \"; both() {{ echo \"$M$1\"; echo \"$M$1\" >&2; }}\n{script}"
        );
        let mut ended = Vec::new();
        let mut told = |event| {
            if let Event::Ended(cell, output, _) = event {
                ended.push((cell, output));
            }
            true
        };
        let mut command = Command::new("sh");
        let result = run(
            command.args(["-c", &script]),
            Duration::from_millis(300),
            &mut told,
        );
        (ended, result)
    }

    #[test]
    fn outputs_go_to_the_cells_that_gave_them() {
        let (ended, result) = run_script(
            "both 'begin 1 0'; echo one; echo remark >&2; both 'ok 1 0'\n\
             both 'begin 2 0'; printf 'EVCXR_BEGIN_CONTENT text/html\\n<p>\\n</p>\\nEVCXR_END_CONTENT\\n'; both 'ok 2 0'",
        );
        assert!(result.is_ok());
        assert_eq!(ended.len(), 2);
        let (first, second) = (&ended[0].1, &ended[1].1);
        assert_eq!(
            (first.stdout.as_str(), first.stderr.as_str()),
            ("one\n", "remark\n")
        );
        assert_eq!(second.display["text/html"], "<p>\n</p>");
        assert_eq!(second.stdout, "");
    }

    #[test]
    fn marks_that_a_cell_prints_are_its_text() {
        let (ended, result) = run_script(
            "both 'begin 1 0'; printf '\\001 ok 1 0\\n'; printf '\\001%032d ok 1 0\\n' 0; both 'ok 1 0'",
        );
        assert!(result.is_ok());
        assert_eq!(ended[0].1.stdout.lines().count(), 2);
    }

    #[test]
    fn text_without_its_newline_is_told_as_what_a_notebook_would_lose() {
        let (ended, _) = run_script("both 'begin 1 0'; printf x; both 'ok 1 0'");
        assert!(matches!(ended[0].1.status, CellStatus::Session { .. }));
    }

    #[test]
    fn what_has_no_end_is_ended() {
        let (ended, result) = run_script("both 'begin 1 0'; while :; do :; done");
        assert!(ended.is_empty());
        let broken = result.expect_err("it is ended");
        assert_eq!(broken.cell, 1);
        assert!(matches!(broken.failure, CellFailure::Timeout(_)));
        for endless in ["yes", "tr '\\0' x </dev/zero"] {
            let (_, result) = run_script(&format!("both 'begin 1 0'; {endless}"));
            let broken = result.expect_err("it is ended");
            assert!(
                matches!(broken.failure, CellFailure::Output(_)),
                "{endless}"
            );
        }
    }

    #[test]
    fn a_program_that_ends_in_a_cell_is_told_though_the_end_of_the_cell_before_is_read_late() {
        let told = "\"$M\"begin\\ 1\\ 0 \"$M\"ok\\ 1\\ 0 \"$M\"begin\\ 2\\ 0";
        let script = format!("printf '%s\\n' {told}; sleep 0.2; printf '%s\\n' {told} >&2");
        let (ended, result) = run_script(&script);
        assert_eq!(ended.len(), 1);
        assert_eq!(result.expect_err("the cell has not ended").cell, 2);
    }

    #[test]
    fn a_program_that_ends_in_a_cell_is_told() {
        let (_, result) = run_script("both 'begin 4 0'; echo last; exit 0");
        let broken = result.expect_err("the cell has not ended");
        assert_eq!(broken.cell, 4);
        let output = broken.output.expect("what it printed");
        assert_eq!(output.stdout, "last\n");
        assert!(
            matches!(output.status, CellStatus::Crash { message } if message.contains("status: 0"))
        );
    }
}
