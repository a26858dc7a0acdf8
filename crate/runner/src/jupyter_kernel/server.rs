//! The kernel's sockets: takes requests, answers those that need no session, and sends what the session says. Running cells is `session`'s.

use super::session::Session;
use super::wire::{Connection, Message, Signer};
use anyhow::Context;
use serde_json::{Value, json};
use std::path::Path;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use zeromq::{
    PubSocket, RepSocket, RouterRecvHalf, RouterSendHalf, RouterSocket, Socket, SocketRecv,
    SocketSend, ZmqMessage,
};

/// Long enough for what was said last to leave the process.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_millis(100);

/// Where a message goes.
enum Way {
    /// To everybody who watches.
    Everybody,
    /// To who asked on the shell.
    Shell,
    /// To who asked on the control channel.
    Control,
}

/// Takes messages to whom they are for, from any thread.
#[derive(Clone)]
pub struct Mouth(UnboundedSender<(Way, Message)>);

impl Mouth {
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

    fn say(&self, way: Way, message: Message) {
        // Nobody listens any more only when the process ends.
        let _ = self.0.send((way, message));
    }
}

/// Serves until Jupyter ends it.
pub fn serve(connection: &Path) -> anyhow::Result<()> {
    let connection = Connection::read(connection)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(run(&connection))
}

async fn run(connection: &Connection) -> anyhow::Result<()> {
    let heartbeat: RepSocket = bind(connection, connection.hb_port).await?;
    let (shell_out, shell) = bind::<RouterSocket>(connection, connection.shell_port)
        .await?
        .split();
    let (control_out, control) = bind::<RouterSocket>(connection, connection.control_port)
        .await?
        .split();
    let _stdin: RouterSocket = bind(connection, connection.stdin_port).await?;
    let everybody: PubSocket = bind(connection, connection.iopub_port).await?;
    let (sender, said) = unbounded_channel();
    let mouth = Mouth(sender);
    let session = Session::start(mouth.clone());
    tokio::spawn(echo(heartbeat));
    tokio::spawn(send(
        said,
        everybody,
        shell_out,
        control_out,
        connection.signer(),
    ));
    tokio::spawn(hear(
        shell,
        mouth.clone(),
        session.clone(),
        connection.signer(),
    ));
    obey(control, &mouth, &session, connection.signer()).await
}

async fn bind<S: Socket>(connection: &Connection, port: u16) -> anyhow::Result<S> {
    let address = connection.address(port);
    let mut socket = S::new();
    socket
        .bind(&address)
        .await
        .with_context(|| format!("cannot listen on {address}"))?;
    Ok(socket)
}

async fn echo(mut heartbeat: RepSocket) {
    while let Ok(beat) = heartbeat.recv().await {
        if heartbeat.send(beat).await.is_err() {
            return;
        }
    }
}

/// Sends what is said, in the order in which it was said.
async fn send(
    mut said: UnboundedReceiver<(Way, Message)>,
    mut everybody: PubSocket,
    mut shell: RouterSendHalf,
    mut control: RouterSendHalf,
    signer: Option<Signer>,
) {
    while let Some((way, message)) = said.recv().await {
        let frames = message.frames(signer.as_ref());
        // A client that is gone misses it; the others do not.
        let _ = match way {
            Way::Everybody => everybody.send(frames).await,
            Way::Shell => shell.send(frames).await,
            Way::Control => control.send(frames).await,
        };
    }
}

/// The next message that can be read; `None` once there will be no more.
async fn next(socket: &mut RouterRecvHalf, signer: Option<&Signer>) -> Option<Message> {
    loop {
        let frames: ZmqMessage = socket.recv().await.ok()?;
        match Message::read(frames, signer) {
            Ok(message) => return Some(message),
            Err(error) => eprintln!("a message was left out: {error:#}"),
        }
    }
}

/// Takes the requests of the shell.
async fn hear(mut shell: RouterRecvHalf, mouth: Mouth, session: Session, signer: Option<Signer>) {
    while let Some(request) = next(&mut shell, signer.as_ref()).await {
        let content = match request.kind() {
            "execute_request" | "complete_request" | "inspect_request" => {
                session.take(request);
                continue;
            }
            "kernel_info_request" => about(),
            "is_complete_request" => json!({"status": "complete"}),
            "comm_info_request" => json!({"status": "ok", "comms": {}}),
            "history_request" => json!({"status": "ok", "history": []}),
            "comm_open" => {
                let id = json!({"comm_id": request.content["comm_id"], "data": {}});
                mouth.busy(&request, || mouth.tell(&request, "comm_close", id));
                continue;
            }
            _ => continue,
        };
        mouth.busy(&request, || mouth.reply(&request, content));
        session.tell_if_busy();
    }
}

/// Takes the requests of the control channel, until the one to end.
async fn obey(
    mut control: RouterRecvHalf,
    mouth: &Mouth,
    session: &Session,
    signer: Option<Signer>,
) -> anyhow::Result<()> {
    let answer = |request: &Message, content| mouth.say(Way::Control, request.reply(content));
    while let Some(request) = next(&mut control, signer.as_ref()).await {
        match request.kind() {
            "kernel_info_request" => mouth.busy(&request, || answer(&request, about())),
            "interrupt_request" => mouth.busy(&request, || {
                session.interrupt();
                answer(&request, json!({"status": "ok"}));
            }),
            "shutdown_request" => {
                let restart = request.content["restart"].as_bool().unwrap_or(false);
                answer(&request, json!({"status": "ok", "restart": restart}));
                tokio::time::sleep(LAST_WORDS).await;
                return Ok(());
            }
            _ => {}
        }
        session.tell_if_busy();
    }
    Ok(())
}

/// What Jupyter is told of the kernel. A notebook takes `language_info` over as it stands here, so the notebooks that
/// are written have the same.
fn about() -> Value {
    json!({
        "status": "ok",
        "protocol_version": "5.3",
        "implementation": "cornerturn",
        "implementation_version": env!("CARGO_PKG_VERSION"),
        "language_info": cornerturn_preprocessor::language_info(),
        "banner": "Rust, with the kernels of Corner Turn",
        "help_links": [{"text": "Rust's standard library", "url": "https://doc.rust-lang.org/stable/std/"}],
    })
}
