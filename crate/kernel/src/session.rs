//! The session of one notebook: evcxr on a thread of its own, cells in the order in which they came, and what is said of how each ended. Sockets are `server`'s.

use crate::assist;
use crate::environment::HOME;
use crate::outcome::{self, Ended};
use crate::runtime::{LATE_ERROR, Note, parted, take_end};
use crate::sender::MessageSender;
use crate::stop::{Stop, compiler};
use crate::system::give_back_freed_memory;
use crate::waiting::{Reason, Waiting, holder_of_lock};
use crate::wire::Message;
use cornerturn_basics::cell_error::is_noise;
use evcxr::CommandContext;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the lines are taken that cells print.
const EVERY: Duration = Duration::from_millis(5);

/// The cells that Jupyter sends together with one that fails have come by then.
const TOGETHER: Duration = Duration::from_millis(50);

/// The way to the thread that runs cells.
#[derive(Clone)]
pub struct Session {
    requests: Sender<Message>,
    stop: Arc<Stop>,
    sender: MessageSender,
    printed: Arc<Mutex<Printed>>,
    begun: Arc<Mutex<Begun>>,
}

/// Whether evcxr is ready for cells.
enum Begun {
    /// It starts; the first cell that waits for it says so.
    Starting(Option<Waiting>),
    Done,
}

/// What the first cell says meanwhile.
const STARTS: &str = "Rust starts: the libraries of the notebook are read, once, which takes some 20 to 30 seconds; then \
                      cells take seconds";

impl Session {
    /// Starts the thread. It takes requests at once, and runs them when evcxr is ready.
    pub fn start(sender: MessageSender) -> Self {
        let (requests, waiting) = channel();
        let stop = Arc::new(Stop::default());
        let printed = Arc::default();
        let begun = Arc::new(Mutex::new(Begun::Starting(None)));
        let worker = Worker {
            sender: sender.clone(),
            stop: Arc::clone(&stop),
            waiting,
            next: VecDeque::new(),
            printed: Arc::clone(&printed),
            begun: Arc::clone(&begun),
            count: 0,
        };
        thread::spawn(|| worker.run());
        Self {
            requests,
            stop,
            sender,
            printed,
            begun,
        }
    }

    /// Says once more that a cell runs, if one does: what is answered meanwhile ends with the word that nothing runs.
    pub fn tell_if_busy(&self) {
        let printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        if let (true, Some(request)) = (self.stop.is_running(), &printed.request) {
            let busy = json!({"execution_state": "busy"});
            self.sender.tell(request, "status", busy);
        }
    }

    /// Queues a request.
    pub fn take(&self, request: Message) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if let Begun::Starting(told @ None) = &mut *begun
            && request.kind() == "execute_request"
        {
            let starts: Reason = Box::new(|| Some(STARTS.to_owned()));
            *told = Some(Waiting::new(self.sender.clone(), request.clone(), starts));
        }
        drop(begun);
        // The thread ends with the process.
        let _ = self.requests.send(request);
    }

    /// Stops the cell that runs, if one does.
    pub fn interrupt(&self) {
        self.stop.interrupt();
    }
}

/// What cells print, and what the observer noted of the one that runs.
#[derive(Default)]
struct Printed {
    request: Option<Message>,
    panicked: bool,
    erred: bool,
    unfinished: bool,
    /// The last mark that code ended, in stderr.
    end: Option<String>,
}

struct Worker {
    sender: MessageSender,
    stop: Arc<Stop>,
    waiting: Receiver<Message>,
    next: VecDeque<Message>,
    printed: Arc<Mutex<Printed>>,
    begun: Arc<Mutex<Begun>>,
    count: u64,
}

impl Worker {
    fn run(mut self) {
        let mut context = self.start();
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = Begun::Done;
        let root = std::env::var_os(HOME).map(PathBuf::from);
        let mut known = root.map_or_else(assist::Known::default, |root| assist::Known::of(&root));
        while let Some(request) = self.next_request() {
            let sender = self.sender.clone();
            sender.busy(&request, || match (&mut context, request.kind()) {
                (Ok(context), "complete_request") => {
                    sender.reply(&request, assist::complete(context, &mut known, &request));
                }
                (Ok(context), "inspect_request") => {
                    sender.reply(&request, assist::inspect(context, &request));
                }
                (Ok(context), _) => self.execute(context, &request),
                (Err(why), _) => self.fail(&request, &Ended::no_session(why)),
            });
        }
    }

    /// evcxr, with the helper crate loaded where that compiles: where not, the notebook's own cell tells why.
    fn start(&self) -> Result<CommandContext, String> {
        let (mut context, outputs) = CommandContext::new().map_err(|error| error.to_string())?;
        for (name, lines) in [("stdout", outputs.stdout), ("stderr", outputs.stderr)] {
            let (sender, printed) = (self.sender.clone(), Arc::clone(&self.printed));
            thread::spawn(move || {
                loop {
                    // Taken and looked at under one lock: what evcxr has seen taken, `execute` sees noted.
                    let mut printed = locked(&printed);
                    lines
                        .try_iter()
                        .for_each(|line| pass(&sender, &mut printed, name, &line));
                    drop(printed);
                    thread::sleep(EVERY);
                }
            });
        }
        self.stop.watch(context.process_handle());
        if guarded(|| context.execute(":load_config")).is_err() {
            let _ = context.execute(":clear");
        }
        // Reading the libraries frees much that lies between what stays: a quarter of the process.
        give_back_freed_memory();
        Ok(context)
    }

    fn next_request(&mut self) -> Option<Message> {
        self.next.pop_front().or_else(|| self.waiting.recv().ok())
    }

    fn execute(&mut self, context: &mut CommandContext, request: &Message) {
        let code = request.text("code");
        // Such a request is a program's, and no cell.
        let is_silent = request.content["silent"].as_bool().unwrap_or(false);
        if !is_silent {
            self.count += 1;
            let input = json!({"execution_count": self.count, "code": code});
            self.sender.tell(request, "execute_input", input);
        }
        *self.printed() = Printed {
            request: Some(request.clone()),
            ..Printed::default()
        };
        self.stop.begin();
        let locked: Reason = Box::new(lock_words);
        let waiting = Waiting::new(self.sender.clone(), request.clone(), locked);
        let mut result = guarded(|| context.execute(code));
        drop(waiting);
        let interrupted = self.stop.end();
        let outputs = result.as_mut().ok();
        if let Some(end) = outputs.and_then(|o| take_end(&mut o.content_by_mime_type)) {
            self.wait_for_stderr(&end);
        }
        let ended = {
            let printed = self.printed();
            match &result {
                Ok(_) if printed.panicked => Ended::panicked(code, interrupted),
                Ok(_) if printed.erred => Ended::erred(code, interrupted),
                Ok(_) if printed.unfinished => Ended::unfinished(),
                Ok(_) => Ended::Well,
                Err(error) => outcome::of(error, code, interrupted),
            }
        };
        if let (Ended::Well, Ok(outputs)) = (&ended, result) {
            if !is_silent {
                self.show(request, outputs.content_by_mime_type);
            }
            self.sender.reply(request, json!({"status": "ok", "execution_count": self.count, "payload": [], "user_expressions": {}}));
            return;
        }
        self.fail(request, &ended);
    }

    fn show(&self, request: &Message, shown: impl IntoIterator<Item = (String, String)>) {
        let data: Map<String, Value> = shown
            .into_iter()
            .map(|(kind, text)| {
                let parsed = kind
                    .contains("json")
                    .then(|| serde_json::from_str(&text).ok())
                    .flatten();
                (kind, parsed.unwrap_or(Value::String(text)))
            })
            .collect();
        if !data.is_empty() {
            let shown = json!({"execution_count": self.count, "data": data, "metadata": {}});
            self.sender.tell(request, "execute_result", shown);
        }
    }

    /// Says how a cell failed, and leaves out the cells that were sent together with it.
    fn fail(&mut self, request: &Message, ended: &Ended) {
        let Some(error) = ended.error() else { return };
        self.sender.tell(request, "error", error.clone());
        let mut reply = error;
        reply["status"] = json!("error");
        reply["execution_count"] = json!(self.count);
        self.sender.reply(request, reply);
        if request.content["stop_on_error"].as_bool().unwrap_or(true) {
            thread::sleep(TOGETHER);
            let together: Vec<Message> =
                self.next.drain(..).chain(self.waiting.try_iter()).collect();
            for request in together {
                match request.kind() {
                    "execute_request" => self.sender.busy(&request, || {
                        self.sender.reply(&request, json!({"status": "aborted"}));
                    }),
                    _ => self.next.push_back(request),
                }
            }
        }
    }

    fn printed(&self) -> MutexGuard<'_, Printed> {
        locked(&self.printed)
    }

    /// Waits until all is passed on that code has written to stderr which ended with this mark.
    fn wait_for_stderr(&self, end: &str) {
        let start = Instant::now();
        while start.elapsed() < LATE_ERROR && self.printed().end.as_deref() != Some(end) {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// What a cell waits for whose cargo waits for another.
fn lock_words() -> Option<String> {
    let holder = holder_of_lock(compiler()?.as_raw())?;
    Some(format!(
        "the cell is not compiled yet: cargo waits for process {holder}, which holds the lock of what cargo keeps"
    ))
}

/// Notes are never half written, whatever happened to who held them.
fn locked(printed: &Mutex<Printed>) -> MutexGuard<'_, Printed> {
    printed.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What evcxr gives, or what it panicked with.
fn guarded<T>(work: impl FnOnce() -> Result<T, evcxr::Error>) -> Result<T, evcxr::Error> {
    let panicked = |_| {
        Err(evcxr::Error::Message(
            "evcxr itself failed on this cell; restart the kernel".to_owned(),
        ))
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)
}

/// Passes a printed line on, unless it is the observer's.
fn pass(sender: &MessageSender, printed: &mut Printed, name: &str, line: &str) {
    if name == "stderr" {
        let (own, end) = parted(line);
        if let Some(end) = end {
            printed.end = Some(end.to_owned());
        }
        if let Some(line) = own.filter(|line| !is_noise(line)) {
            tell(sender, printed, name, line);
        }
        return;
    }
    match Note::of(line) {
        Some(Note::Panicked) => printed.panicked = true,
        Some(Note::Erred) => printed.erred = true,
        Some(Note::Unfinished) => printed.unfinished = true,
        None => tell(sender, printed, name, line),
    }
}

fn tell(sender: &MessageSender, printed: &Printed, name: &str, line: &str) {
    if let Some(request) = &printed.request {
        let line = json!({"name": name, "text": format!("{line}\n")});
        sender.tell(request, "stream", line);
    }
}
