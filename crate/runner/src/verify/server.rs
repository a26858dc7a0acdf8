//! Serves a folder of finished pages on the loopback address while they are looked at. Reads files,
//! nothing else: no listings, no other methods than GET and HEAD.

use anyhow::Context;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// A running server; it stops when dropped.
pub struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
}

impl Server {
    /// Serves the files below `root` on a free port of the loopback address.
    pub fn start(root: &Path) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .context("no free port on the loopback address")?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let (root, stopped) = (Arc::new(root.to_path_buf()), Arc::clone(&stop));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                let root = Arc::clone(&root);
                // A browser that hangs up early is no error of the pages.
                thread::spawn(move || stream.and_then(|stream| answer(&root, stream)));
            }
        });
        Ok(Self { address, stop })
    }

    /// The address of a file, given relative to the root.
    pub fn url(&self, file: &str) -> String {
        format!("http://{}/{file}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Wakes the listener, so that it sees the flag.
        let _ = TcpStream::connect(self.address);
    }
}

fn answer(root: &Path, mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut words = request.split(' ');
    let (method, target) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    if !matches!(method, "GET" | "HEAD") {
        return respond(
            &mut stream,
            "405 Method Not Allowed",
            "text/plain",
            b"",
            true,
        );
    }
    match file_of(root, target).and_then(|path| Some((fs::read(&path).ok()?, path))) {
        Some((body, path)) => respond(
            &mut stream,
            "200 OK",
            media_type(&path),
            &body,
            method == "GET",
        ),
        None => respond(
            &mut stream,
            "404 Not Found",
            "text/plain",
            b"not found",
            method == "GET",
        ),
    }
}

fn respond(
    stream: &mut TcpStream,
    status: &str,
    media_type: &str,
    body: &[u8],
    with_body: bool,
) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )?;
    if with_body {
        stream.write_all(body)?;
    }
    stream.flush()
}

/// The file that a request asks for, if it is below the root.
fn file_of(root: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?;
    let relative = PathBuf::from(super::links::percent_decoded(path.trim_start_matches('/')));
    let inside = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let path = root.join(&relative);
    let path = if path.is_dir() {
        path.join("index.html")
    } else {
        path
    };
    (inside && path.is_file()).then_some(path)
}

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
