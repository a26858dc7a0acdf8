//! The verb `open`, with pages of a clone; those that a binary carries are tried by `cornerturn package --try`.

use crate::support::Scratch;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};

/// A clone with pages, as far as the verb looks.
fn clone(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.project();
    std::fs::create_dir_all(scratch.path().join("target/book/html/lab")).unwrap();
    scratch.write("target/book/html/index.html", "<p>Größe</p>");
    scratch.write("target/book/html/lab/engine.js", "engine");
    scratch
}

#[test]
fn without_pages_it_says_what_builds_them() {
    let scratch = Scratch::new("open none");
    let home = [("CORNERTURN_HOME", scratch.project())];
    for options in [&["open", "--no-browser"][..], &["open", "--into", "pages"]] {
        let outcome = scratch.run_with(options, &home);
        outcome.fails(4, &["target/book/html", "`cargo book`"]);
    }
    assert!(!scratch.path().join("pages").exists());
}

#[test]
fn pages_are_written_into_a_new_or_empty_folder_and_never_over_others() {
    let scratch = clone("open into ü");
    std::fs::create_dir(scratch.path().join("empty")).unwrap();
    for folder in ["new folder/ä", "empty"] {
        let outcome = scratch.run(&["open", "--into", folder]);
        assert_eq!(outcome.status, 0, "{outcome:?}");
        let read = |name: &str| scratch.read(&format!("{folder}/{name}"));
        assert_eq!(read("index.html"), "<p>Größe</p>".as_bytes());
        assert_eq!(read("lab/engine.js"), b"engine");
        let written = std::fs::read_dir(scratch.path().join(folder)).unwrap();
        assert_eq!(written.count(), 2, "nothing else is left");
        let again = scratch.run(&["open", "--into", folder]);
        again.fails(2, &["not empty", "--into"]);
    }
    scratch.write("file", "");
    let outcome = scratch.run(&["open", "--into", "file"]);
    outcome.fails(2, &["file is no folder", "--into"]);
    let outcome = scratch.run(&["open", "--into", "x", "--port", "3000"]);
    outcome.fails(2, &["--port"]);
}

#[test]
fn pages_are_served_until_it_is_ended() {
    let scratch = clone("open served");
    let mut serving = Command::new(env!("CARGO_BIN_EXE_cornerturn"))
        .args(["open", "--no-browser", "--port", "0"])
        .current_dir(scratch.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut url = String::new();
    let stdout = serving.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut url).unwrap();
    let address = url.trim().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address.trim_end_matches('/')).unwrap();
    write!(
        stream,
        "GET /lab/engine.js HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.ends_with("\r\n\r\nengine"), "{answer}");
    if cfg!(unix) {
        let number = serving.id().to_string();
        let ended = Command::new("kill").args(["-INT", &number]).status();
        assert!(ended.unwrap().success());
        assert!(serving.wait().unwrap().success());
    } else {
        serving.kill().unwrap();
        serving.wait().unwrap();
    }
}

#[test]
fn where_no_port_is_free_it_says_which_were_tried() {
    let scratch = clone("open port");
    // Of the last port there is no next one. Another test or program may have it: that is the same.
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, u16::MAX));
    let outcome = scratch.run(&["open", "--no-browser", "--port", "65535"]);
    outcome.fails(4, &["ports 65535 to 65535", "--port"]);
    drop(taken);
}
