//! Serves a folder of pages on the loopback address, and tells open pages the news. Reads files, nothing
//! else: no listings, no methods but GET and HEAD. Never listens elsewhere.

use crate::{Error, Message, News, Result};
use percent_encoding::percent_decode_str;
use std::fs;
use std::io::{Error as IoError, ErrorKind, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tiny_http::{Method, Request, Server, StatusCode};

/// Where pages listen for news.
const EVENTS: &str = "/__events";

/// A running server of pages; it stops when dropped.
pub struct PageServer {
    server: Arc<Server>,
    address: SocketAddr,
}

impl PageServer {
    /// Serves the files below `root` on a free port of the loopback address.
    ///
    /// # Errors
    ///
    /// If there is no free port.
    pub fn start(root: &Path) -> Result<PageServer> {
        Self::on_port(root, 0)
    }

    /// The same on `port`, or the next free of ten; 0 takes any that is free.
    ///
    /// # Errors
    ///
    /// If none of them is free.
    pub fn on_port(root: &Path, port: u16) -> Result<PageServer> {
        let site = Site {
            root: root.to_owned(),
            news: None,
        };
        Self::of(site, port)
    }

    /// As [`on_port`](Self::on_port); the pages reload at news.
    ///
    /// # Errors
    ///
    /// As [`on_port`](Self::on_port).
    pub fn with_news(root: &Path, port: u16, news: Arc<News>) -> Result<PageServer> {
        let site = Site {
            root: root.to_owned(),
            news: Some(news),
        };
        Self::of(site, port)
    }

    /// The address of a file, given relative to the root.
    pub fn url(&self, file: &str) -> String {
        format!("http://{}/{file}", self.address)
    }

    fn of(site: Site, port: u16) -> Result<PageServer> {
        let listener = listen(port)?;
        let address = listener.local_addr().map_err(Error::Start)?;
        let server = Server::from_listener(listener, None)
            .map_err(|error| Error::Start(IoError::other(error)))?;
        let (server, site) = (Arc::new(server), Arc::new(site));
        let serving = Arc::clone(&server);
        thread::spawn(move || {
            for request in serving.incoming_requests() {
                let site = Arc::clone(&site);
                // A browser that goes away in the middle is no news.
                thread::spawn(move || site.answer(request));
            }
        });
        Ok(PageServer { server, address })
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        self.server.unblock();
    }
}

fn listen(port: u16) -> Result<TcpListener> {
    let last = if port == 0 { 0 } else { port.saturating_add(9) };
    let mut source = IoError::from(ErrorKind::AddrInUse);
    for port in port..=last {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => return Ok(listener),
            Err(error) => source = error,
        }
    }
    let ports = match port {
        0 => "any port".to_owned(),
        _ => format!("ports {port} to {last}"),
    };
    Err(Error::NoPort { ports, source })
}

/// The pages as a web site.
struct Site {
    root: PathBuf,
    news: Option<Arc<News>>,
}

impl Site {
    fn answer(&self, request: Request) -> std::io::Result<()> {
        let path = request.url().split(['?', '#']).next().unwrap_or("");
        if !matches!(request.method(), Method::Get | Method::Head) {
            return respond(request, 405, "text/plain", b"GET only\n".to_vec());
        }
        if let Some(news) = self.news.as_ref().filter(|_| path == EVENTS) {
            return stream_events(news, request.into_writer());
        }
        match self
            .file(path)
            .and_then(|file| Some((fs::read(&file).ok()?, file)))
        {
            Some((mut bytes, file)) => {
                if self.news.is_some() && file.extension().is_some_and(|e| e == "html") {
                    bytes.extend_from_slice(RELOAD_SCRIPT.as_bytes());
                }
                respond(request, 200, content_type(&file), bytes)
            }
            None => {
                let page = fs::read(self.root.join("404.html")).unwrap_or_else(|_| b"404".to_vec());
                respond(request, 404, "text/html; charset=utf-8", page)
            }
        }
    }

    /// The file that a path of the site names, if it is one and lies inside the site.
    fn file(&self, path: &str) -> Option<PathBuf> {
        let decoded = percent_decode_str(path).decode_utf8().ok()?;
        let relative = Path::new(decoded.trim_start_matches('/'));
        if !relative
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        {
            return None;
        }
        let mut file = self.root.join(relative);
        if file.is_dir() {
            file.push("index.html");
        }
        file.is_file().then_some(file)
    }
}

/// Server-sent events: one line of JSON a message, until the page is closed.
fn stream_events(news: &News, mut stream: impl Write) -> std::io::Result<()> {
    // Counted before the answer starts: what is told from then on reaches the page.
    let mut seen = news.count();
    stream.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\r\n",
    )?;
    stream.flush()?;
    loop {
        let (now, message) = news.after(seen, Duration::from_secs(15));
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

/// Answers, and asks the browser to close the connection: tiny_http gives each open one a thread, and lets a new one
/// wait for another's end if both came before a thread of its reserve awoke. Its own answers never say so.
fn respond(
    request: Request,
    status: u16,
    content_type: &str,
    bytes: Vec<u8>,
) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        StatusCode(status).default_reason_phrase(),
        bytes.len(),
    );
    let with_body = *request.method() != Method::Head;
    let mut stream = request.into_writer();
    stream.write_all(head.as_bytes())?;
    if with_body {
        stream.write_all(&bytes)?;
    }
    stream.flush()
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
    use std::io::{BufRead, BufReader, Read};
    use std::net::TcpStream;

    fn site() -> (tempfile::TempDir, Arc<News>, PageServer) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("html");
        fs::create_dir_all(out.join("a b")).expect("a folder");
        fs::write(out.join("index.html"), "<p>front</p>").expect("a file");
        fs::write(out.join("a b/x.css"), "p{}").expect("a file");
        fs::write(folder.path().join("secret.txt"), "secret").expect("a file");
        let news = Arc::new(News::default());
        let server = PageServer::with_news(&out, 0, Arc::clone(&news)).expect("a free port");
        (folder, news, server)
    }

    fn get(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).expect("a connection");
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        .expect("a request");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        text
    }

    #[test]
    fn serves_files_of_the_site_and_nothing_else() {
        let (_folder, _news, server) = site();
        let address = server.address;
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

    /// A browser opens several connections at once, and keeps each until it is told that it may close it.
    #[test]
    fn answers_all_of_several_connections_at_once() {
        let (_folder, _news, server) = site();
        let address = server.address;
        let ask = move || {
            let mut stream = TcpStream::connect(address).expect("a connection");
            stream
                .set_read_timeout(Some(Duration::from_secs(20)))
                .expect("a limit");
            write!(stream, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").expect("a request");
            let mut head = Vec::new();
            for line in BufReader::new(&stream).lines() {
                let line = line.expect("an answer within twenty seconds");
                if line.is_empty() {
                    break;
                }
                head.push(line);
            }
            let may_close = head.iter().any(|line| line == "Connection: close");
            assert_eq!((head[0].as_str(), may_close), ("HTTP/1.1 200 OK", true));
        };
        for _ in 0..50 {
            let asking: Vec<_> = (0..6).map(|_| thread::spawn(ask)).collect();
            for asked in asking {
                asked.join().expect("it is answered");
            }
        }
    }

    #[test]
    fn takes_the_next_port_and_says_which_ones_are_taken() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let first = PageServer::start(folder.path()).expect("a free port");
        let taken = first.address.port();
        let second = PageServer::on_port(folder.path(), taken).expect("one of ten is free");
        assert!(second.address.port() > taken);
        // Of the last port there is no next one.
        let last = TcpListener::bind((Ipv4Addr::LOCALHOST, u16::MAX));
        let error = PageServer::on_port(folder.path(), u16::MAX).err();
        let text = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(
            text.contains("ports 65535 to 65535") && text.contains("--port"),
            "{text}"
        );
        drop(last);
    }

    #[test]
    fn tells_open_pages_about_builds() {
        let (_folder, news, server) = site();
        let mut stream = TcpStream::connect(server.address).expect("a connection");
        write!(stream, "GET {EVENTS} HTTP/1.1\r\nHost: x\r\n\r\n").expect("a request");
        let mut lines = BufReader::new(stream)
            .lines()
            .map_while(std::result::Result::ok);
        assert!(lines.any(|line| line.is_empty()), "the headers end");
        news.tell(Message::Failed("a \"quoted\"\nmessage".to_owned()));
        let line = lines
            .find(|line| line.starts_with("data:"))
            .expect("an event");
        assert_eq!(line, r#"data: {"error":"a \"quoted\"\nmessage"}"#);
    }
}
