//! The way of the kernel's messages from the thread that has one to the sockets. The sockets are `server`'s.

use crate::wire::Message;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Where a message goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To everybody who watches.
    Everybody,
    /// To who asked on the shell.
    Shell,
    /// To who asked on the control channel.
    Control,
}

/// Takes messages to whom they are for, from any thread.
#[derive(Clone)]
pub struct MessageSender(UnboundedSender<(Way, Message)>);

impl MessageSender {
    /// One, and the way on which what it is given comes out.
    pub fn new() -> (Self, UnboundedReceiver<(Way, Message)>) {
        let (sender, said) = unbounded_channel();
        (Self(sender), said)
    }

    /// Answers a request of the shell.
    pub fn reply(&self, request: &Message, content: Value) {
        self.say(Way::Shell, request.reply(content));
    }

    /// Tells everybody what came of a request.
    pub fn tell(&self, request: &Message, kind: &str, content: Value) {
        self.say(Way::Everybody, request.child(kind, content));
    }

    /// Tells everybody that a request is being worked on, does it, and tells that it is done.
    pub fn busy(&self, request: &Message, work: impl FnOnce()) {
        self.tell(request, "status", json!({"execution_state": "busy"}));
        work();
        self.tell(request, "status", json!({"execution_state": "idle"}));
    }

    /// Sends a message one way.
    pub fn say(&self, way: Way, message: Message) {
        // Nobody listens any more only when the process ends.
        let _ = self.0.send((way, message));
    }
}
