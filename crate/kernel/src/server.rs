//! The kernel's sockets: takes requests, answers those that need no session, and sends what the session says. Running cells is `session`'s.

use crate::sender::{MessageSender, Way};
use crate::session::Session;
use crate::wire::{Connection, Message, Signer};
use anyhow::Context;
use cornerturn_basics::notebook::LANGUAGE_INFO;
use serde_json::{Value, json};
use std::path::Path;
use tokio::sync::mpsc::UnboundedReceiver;
use zeromq::{
    PubSocket, RepSocket, RouterRecvHalf, RouterSendHalf, RouterSocket, Socket, SocketRecv,
    SocketSend, ZmqMessage,
};

/// Where `cornerturn lab` has JupyterLab serve the reference of the library.
const REFERENCE: &str = "/static/cornerturn/index.html";

/// Long enough for what was said last to leave the process.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_millis(100);

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
    let (sender, said) = MessageSender::new();
    let session = Session::start(sender.clone());
    tokio::spawn(echo(heartbeat));
    tokio::spawn(send(
        said,
        everybody,
        shell_out,
        control_out,
        connection.signer(),
    ));
    let (by_shell, by_control) = (
        hear(
            Way::Shell,
            shell,
            sender.clone(),
            session.clone(),
            connection.signer(),
        ),
        hear(Way::Control, control, sender, session, connection.signer()),
    );
    tokio::select! {
        () = by_shell => {}
        () = by_control => {}
    }
    Ok(())
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

/// Takes the requests of one channel, until the one to end. Clients differ in where they ask for what: VS Code sends the
/// interrupt to the shell.
async fn hear(
    way: Way,
    mut channel: RouterRecvHalf,
    sender: MessageSender,
    session: Session,
    signer: Option<Signer>,
) {
    while let Some(request) = next(&mut channel, signer.as_ref()).await {
        let content = match request.kind() {
            "execute_request" | "complete_request" | "inspect_request" if way == Way::Shell => {
                session.take(request);
                continue;
            }
            "kernel_info_request" => about(),
            "interrupt_request" => {
                session.interrupt();
                json!({"status": "ok"})
            }
            "shutdown_request" => {
                let restart = request.content["restart"].as_bool().unwrap_or(false);
                json!({"status": "ok", "restart": restart})
            }
            "is_complete_request" => json!({"status": "complete"}),
            "comm_info_request" => json!({"status": "ok", "comms": {}}),
            "history_request" => json!({"status": "ok", "history": []}),
            "comm_open" => {
                let id = json!({"comm_id": request.content["comm_id"], "data": {}});
                sender.busy(&request, || sender.tell(&request, "comm_close", id));
                continue;
            }
            kind if kind.ends_with("_request") => unknown(kind),
            _ => continue,
        };
        sender.busy(&request, || sender.say(way, request.reply(content)));
        if request.kind() == "shutdown_request" {
            tokio::time::sleep(LAST_WORDS).await;
            return;
        }
        session.tell_if_busy();
    }
}

/// The answer to a request that this kernel does not know, so that nobody waits for one.
fn unknown(kind: &str) -> Value {
    let why = format!("this kernel does not answer `{kind}`");
    json!({"status": "error", "ename": "NotImplemented", "evalue": why, "traceback": []})
}

/// What Jupyter is told of the kernel. A notebook takes `language_info` over as it stands here, so the notebooks that
/// are written have the same.
fn about() -> Value {
    json!({
        "status": "ok",
        "protocol_version": "5.3",
        "implementation": "cornerturn",
        "implementation_version": env!("CARGO_PKG_VERSION"),
        "language_info": serde_json::from_str::<Value>(LANGUAGE_INFO).unwrap_or_default(),
        "banner": "Rust, with the kernels of Corner Turn",
        "help_links": [
            {"text": "Corner Turn's library", "url": REFERENCE},
            {"text": "Rust's standard library", "url": "https://doc.rust-lang.org/stable/std/"},
        ],
    })
}
