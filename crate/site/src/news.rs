//! What open pages are told while they are served. Sending it is `server`'s.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// What open pages are told.
#[derive(Clone)]
pub enum Message {
    /// The pages are new.
    Reload,
    /// They could not be built anew, and why.
    Failed(String),
}

/// The last message and how many there were.
#[derive(Default)]
pub struct News {
    last: Mutex<(u64, Option<Message>)>,
    changed: Condvar,
}

impl News {
    /// Tells all that wait, and keeps it for those that come later.
    pub fn tell(&self, message: Message) {
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *last = (last.0 + 1, Some(message));
        self.changed.notify_all();
    }

    pub(crate) fn count(&self) -> u64 {
        self.last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .0
    }

    /// The message after number `seen`, or none within the time.
    pub(crate) fn after(&self, seen: u64, wait: Duration) -> (u64, Option<Message>) {
        let last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let (last, _) = self
            .changed
            .wait_timeout_while(last, wait, |last| last.0 == seen)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.0 == seen {
            (seen, None)
        } else {
            last.clone()
        }
    }
}
