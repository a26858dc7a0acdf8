//! What a cell shows while it waits for something other than its own work: that the kernel starts, or that another cargo holds the lock of the packages. It is taken away again when the wait ends.

use crate::sender::MessageSender;
use crate::wire::Message;
use serde_json::json;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Nobody is told of a wait shorter than this.
const PATIENCE: Duration = Duration::from_millis(1500);

/// How often it is looked whether the wait goes on: well below what a cell takes to compile, so that what is taken away is
/// never the cell's own output.
const EVERY: Duration = Duration::from_millis(100);

/// How often the seconds are told anew.
const TOLD_EVERY: u64 = 2;

/// What is waited for, in words; `None` while there is nothing to tell.
pub type Reason = Box<dyn FnMut() -> Option<String> + Send>;

/// A wait that is told of until this is dropped.
pub struct Waiting {
    end: Option<Sender<()>>,
    teller: Option<JoinHandle<()>>,
}

impl Waiting {
    /// Tells below the cell of a request what is waited for, with the seconds since.
    pub fn new(sender: MessageSender, request: Message, mut reason: Reason) -> Self {
        let (end, ended) = channel();
        let teller = thread::spawn(move || {
            let begun = Instant::now();
            // The seconds that are shown.
            let mut shown: Option<u64> = None;
            let mut pause = PATIENCE;
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                pause = EVERY;
                let (told, seconds) = (reason(), begun.elapsed().as_secs());
                let is_due = shown.is_none_or(|shown| seconds >= shown + TOLD_EVERY);
                if told.is_some() && !is_due || told.is_none() && shown.is_none() {
                    continue;
                }
                if shown.is_some() {
                    let wait = told.is_some();
                    sender.tell(&request, "clear_output", json!({ "wait": wait }));
                }
                shown = told.as_ref().map(|_| seconds);
                if let Some(told) = told {
                    let data = json!({"text/plain": format!("{told} ({seconds} s)")});
                    let content = json!({"data": data, "metadata": {}, "transient": {}});
                    sender.tell(&request, "display_data", content);
                }
            }
            if shown.is_some() {
                sender.tell(&request, "clear_output", json!({ "wait": false }));
            }
        });
        Self {
            end: Some(end),
            teller: Some(teller),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // The teller ends when its channel does.
        self.end.take();
        if let Some(teller) = self.teller.take() {
            let _ = teller.join();
        }
    }
}

/// Of a cargo that waits for a file lock: the process that holds it. Linux tells of locks in /proc; elsewhere nobody knows.
pub fn holder_of_lock(waiter: i32) -> Option<i32> {
    let locks = std::fs::read_to_string(Path::new("/proc/locks")).ok()?;
    holder(&locks, waiter)
}

/// `4: FLOCK ADVISORY WRITE 17 08:01:99 0 EOF` is a lock, and a line of its number with `->` somebody who waits for it.
fn holder(locks: &str, waiter: i32) -> Option<i32> {
    let fields =
        |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    let lines: Vec<Vec<String>> = locks.lines().map(fields).collect();
    let is_waiting = |line: &Vec<String>| line.get(1).is_some_and(|word| word == "->");
    let number = |line: &Vec<String>, at: usize| line.get(at)?.parse::<i32>().ok();
    let waits = lines
        .iter()
        .find(|line| is_waiting(line) && number(line, 5) == Some(waiter))?;
    let held = lines
        .iter()
        .find(|line| line.first() == waits.first() && !is_waiting(line))?;
    number(held, 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_the_lock_is_told_to_who_waits_for_it() {
        let locks = "1: POSIX  ADVISORY  WRITE 7 08:01:131 0 EOF\n\
                     2: FLOCK  ADVISORY  WRITE 41 08:01:99 0 EOF\n\
                     2: -> FLOCK  ADVISORY  WRITE 52 08:01:99 0 EOF\n\
                     2: -> FLOCK  ADVISORY  READ 53 08:01:99 0 EOF\n";
        assert_eq!(holder(locks, 52), Some(41));
        assert_eq!(holder(locks, 53), Some(41));
        assert_eq!(holder(locks, 41), None);
        assert_eq!(holder("", 52), None);
        assert_eq!(holder("2: ->\nx", 52), None);
    }
}
