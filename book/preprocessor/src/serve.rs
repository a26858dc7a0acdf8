//! Serves the built pages on the loopback address, builds again when a source changes and has open
//! pages reload. Never listens elsewhere; opens no browser.

use crate::book::build_with;
use crate::error::{Error, Result};
use crate::options::{BookOptions, BuildReport};
use crate::preprocess::Runner;
use crate::session::Evcxr;
use crate::watch::{LOOK_EVERY, first_change, settled, snapshot};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Where pages listen for changes.
const EVENTS: &str = "/__events";
/// How to serve.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
}

impl Default for ServeOptions {
    /// Port 3000.
    fn default() -> Self {
        ServeOptions { port: 3000 }
    }
}

/// What happens while serving, for showing.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeEvent {
    /// The first build is done and the pages are at this address.
    Listening {
        /// `http://127.0.0.1:PORT/`.
        url: String,
        /// What the first build did.
        report: BuildReport,
    },
    /// A source changed; a build starts.
    Changed(PathBuf),
    /// The pages are fresh again, and open ones reload.
    Rebuilt(BuildReport),
    /// The build failed. The old pages stand; open ones show the message.
    Failed(Error),
}

/// Builds the book and serves it until the process ends. Port taken: the next free of ten.
///
/// # Errors
///
/// If the first build fails or no port is free. Later builds that fail are events.
pub fn serve_book(
    options: &BookOptions,
    serve: &ServeOptions,
    mut on_event: impl FnMut(ServeEvent),
) -> Result<()> {
    let mut seen = snapshot(&options.root);
    // One runner for all builds: after the first, a session is there at once.
    let runner: Runner = Arc::new(Mutex::new(Evcxr::default()));
    let report = build_with(options, Arc::clone(&runner))?;
    let (listener, address) = listen(serve.port)?;
    let news = Arc::new(News::default());
    let site = Arc::new(Site {
        out: report.out.clone(),
        news: Arc::clone(&news),
    });
    std::thread::spawn(move || site.accept(&listener));
    on_event(ServeEvent::Listening {
        url: format!("http://{address}/"),
        report,
    });
    // Only the first build may be told to ignore the cache.
    let options = BookOptions {
        fresh: false,
        ..options.clone()
    };
    loop {
        std::thread::sleep(LOOK_EVERY);
        let now = snapshot(&options.root);
        let Some(changed) = first_change(&seen, &now) else {
            continue;
        };
        seen = settled(&options.root, now);
        on_event(ServeEvent::Changed(changed));
        match build_with(&options, Arc::clone(&runner)) {
            Ok(report) => {
                news.tell(Message::Reload);
                on_event(ServeEvent::Rebuilt(report));
            }
            Err(error) => {
                news.tell(Message::Failed(error.to_string()));
                on_event(ServeEvent::Failed(error));
            }
        }
    }
}

fn listen(port: u16) -> Result<(TcpListener, SocketAddr)> {
    let last = if port == 0 { 0 } else { port.saturating_add(9) };
    let mut error = std::io::Error::from(std::io::ErrorKind::AddrInUse);
    for port in port..=last {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => {
                let address = listener.local_addr().map_err(Error::io("127.0.0.1"))?;
                return Ok((listener, address));
            }
            Err(e) => error = e,
        }
    }
    Err(Error::io(format!("127.0.0.1, ports {port} to {last}"))(
        error,
    ))
}

/// What open pages are told.
#[derive(Clone)]
enum Message {
    Reload,
    Failed(String),
}

/// The last message and how many there were.
#[derive(Default)]
struct News {
    last: Mutex<(u64, Option<Message>)>,
    changed: Condvar,
}

impl News {
    fn tell(&self, message: Message) {
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *last = (last.0 + 1, Some(message));
        self.changed.notify_all();
    }

    fn count(&self) -> u64 {
        self.last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .0
    }

    /// The message after number `seen`, or none within the time.
    fn after(&self, seen: u64, wait: Duration) -> (u64, Option<Message>) {
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

/// The pages as a web site.
struct Site {
    out: PathBuf,
    news: Arc<News>,
}

impl Site {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming().flatten() {
            let site = Arc::clone(self);
            std::thread::spawn(move || {
                // A browser that goes away in the middle is no news.
                let _ = site.answer(stream);
            });
        }
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut request = String::new();
        reader.read_line(&mut request)?;
        let mut header = String::new();
        while reader.read_line(&mut header)? > 2 {
            header.clear();
        }
        let mut words = request.split_whitespace();
        let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let path = target.split(['?', '#']).next().unwrap_or("");
        if !matches!(method, "GET" | "HEAD") {
            return respond(
                &mut stream,
                "405 Method Not Allowed",
                "text/plain",
                b"GET only\n",
                true,
            );
        }
        if path == EVENTS {
            return self.stream_events(stream);
        }
        let body = method == "GET";
        match self
            .file(path)
            .and_then(|file| Some((fs::read(&file).ok()?, file)))
        {
            Some((mut bytes, file)) => {
                if file.extension().is_some_and(|e| e == "html") {
                    bytes.extend_from_slice(RELOAD_SCRIPT.as_bytes());
                }
                respond(&mut stream, "200 OK", content_type(&file), &bytes, body)
            }
            None => {
                let page = fs::read(self.out.join("404.html")).unwrap_or_else(|_| b"404".to_vec());
                respond(
                    &mut stream,
                    "404 Not Found",
                    "text/html; charset=utf-8",
                    &page,
                    body,
                )
            }
        }
    }

    /// The file that a path of the site names, if it is one and lies inside the site.
    fn file(&self, path: &str) -> Option<PathBuf> {
        let decoded = percent_decoded(path)?;
        let relative = Path::new(decoded.trim_start_matches('/'));
        if !relative
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        {
            return None;
        }
        let mut file = self.out.join(relative);
        if file.is_dir() {
            file.push("index.html");
        }
        file.is_file().then_some(file)
    }

    /// Server-sent events: one line of JSON a message, until the page is closed.
    fn stream_events(&self, mut stream: TcpStream) -> std::io::Result<()> {
        // Counted before the answer starts: what is told from then on reaches the page.
        let mut seen = self.news.count();
        stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\r\n",
        )?;
        loop {
            let (now, message) = self.news.after(seen, Duration::from_secs(15));
            seen = now;
            let text = match message {
                None => ": still here\n\n".to_owned(),
                Some(Message::Reload) => "data: {\"reload\":true}\n\n".to_owned(),
                Some(Message::Failed(error)) => {
                    format!("data: {}\n\n", serde_json::json!({ "error": error }))
                }
            };
            stream.write_all(text.as_bytes())?;
            stream.flush()?;
        }
    }
}

/// Reloads the page after a build, or shows why the build failed.
const RELOAD_SCRIPT: &str = r#"
<script>
new EventSource("/__events").onmessage = (event) => {
  const news = JSON.parse(event.data);
  if (news.reload) { location.reload(); return; }
  let box = document.getElementById("ct-build-error");
  if (!box) {
    box = document.createElement("pre");
    box.id = "ct-build-error";
    document.body.append(box);
  }
  box.textContent = news.error;
};
</script>
"#;

fn respond(
    stream: &mut TcpStream,
    status: &str,
    content_type: &str,
    bytes: &[u8],
    body: bool,
) -> std::io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        bytes.len()
    )?;
    if body {
        stream.write_all(bytes)?;
    }
    stream.flush()
}

fn percent_decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn site() -> (tempfile::TempDir, Arc<Site>, SocketAddr) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("html");
        fs::create_dir_all(out.join("a b")).expect("a folder");
        fs::write(out.join("index.html"), "<p>front</p>").expect("a file");
        fs::write(out.join("a b/x.css"), "p{}").expect("a file");
        fs::write(folder.path().join("secret.txt"), "secret").expect("a file");
        let site = Arc::new(Site {
            out,
            news: Arc::default(),
        });
        let (listener, address) = listen(0).expect("a free port");
        let serving = Arc::clone(&site);
        std::thread::spawn(move || serving.accept(&listener));
        (folder, site, address)
    }

    fn get(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).expect("a connection");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").expect("a request");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        text
    }

    #[test]
    fn serves_files_of_the_site_and_nothing_else() {
        let (_folder, _site, address) = site();
        assert!(address.ip().is_loopback());
        let front = get(address, "/");
        assert!(
            front.starts_with("HTTP/1.1 200") && front.contains("<p>front</p>"),
            "{front}"
        );
        assert!(front.contains("EventSource"), "pages listen for changes");
        assert!(get(address, "/a%20b/x.css?v=1").ends_with("p{}"));
        for path in [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/nothing",
            "/%zz",
            "//etc/passwd",
        ] {
            let answer = get(address, path);
            assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
            assert!(
                !answer.contains("secret") && !answer.contains("root:"),
                "{path}: {answer}"
            );
        }
    }

    #[test]
    fn tells_open_pages_about_builds() {
        let (_folder, site, address) = site();
        let mut stream = TcpStream::connect(address).expect("a connection");
        write!(stream, "GET {EVENTS} HTTP/1.1\r\n\r\n").expect("a request");
        let mut lines = BufReader::new(stream)
            .lines()
            .map_while(std::result::Result::ok);
        assert!(lines.any(|line| line.is_empty()), "the headers end");
        site.news
            .tell(Message::Failed("a \"quoted\"\nmessage".to_owned()));
        let line = lines
            .find(|line| line.starts_with("data:"))
            .expect("an event");
        assert_eq!(line, r#"data: {"error":"a \"quoted\"\nmessage"}"#);
    }
}
