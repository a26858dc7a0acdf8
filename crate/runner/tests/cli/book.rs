//! Verb `book` on a small project: busy machines, missing tools, two builds at once, builds that were ended.

use crate::support::{Outcome, Scratch};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A chapter whose cells say something, and one whose cell is this.
fn project(test: &str, cell: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.project();
    std::fs::create_dir_all(scratch.path().join("book/src")).unwrap();
    scratch.write(
        "book.toml",
        "[book]\ntitle = \"Small\"\nsrc = \"book/src\"\n",
    );
    scratch.write("book/src/SUMMARY.md", "- [One](one.md)\n- [Two](two.md)\n");
    scratch.write(
        "book/src/one.md",
        "# One\n\n```rust cell\nprintln!(\"one {}\", 20 + 1);\n```\n",
    );
    scratch.write(
        "book/src/two.md",
        format!("# Two\n\n```rust cell\n{cell}\n```\n"),
    );
    scratch
}

const ARGUMENTS: [&str; 2] = ["book", "--no-laboratory"];
/// Our own compiler, so that nothing is fetched from a network.
const ALONE: (&str, &str) = ("CORNERTURN_COMPILER", "cornerturn");

/// A stand-in for rustc that takes so many seconds longer.
fn slow_rustc(scratch: &Scratch, seconds: u32) -> String {
    let path = scratch.path().join("slow-rustc");
    std::fs::write(
        &path,
        format!("#!/bin/sh\nsleep {seconds}\nexec rustc \"$@\"\n"),
    )
    .unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn start(scratch: &Scratch, rustc: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cornerturn"))
        .args(ARGUMENTS)
        .current_dir(scratch.path())
        .env("CORNERTURN_DEVICE", "emulator")
        .env(ALONE.0, ALONE.1)
        .env("RUSTC", rustc)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// It ended with this status and, behind what it was doing, one sentence that holds all these words.
#[track_caller]
fn fails(built: &Outcome, status: i32, words: &[&str]) {
    assert_eq!(built.status, status, "{built:?}");
    let (_, error) = built.stderr.split_once("\nerror: ").expect("an error");
    for word in words {
        assert!(error.contains(word), "no `{word}` in {built:?}");
    }
}

fn page(scratch: &Scratch, name: &str) -> String {
    String::from_utf8(scratch.read(&format!("target/book/html/{name}.html"))).unwrap()
}

/// Ten times what the compiler takes else. How long a cell may run has nothing to do with it.
#[test]
fn a_slow_compiler_changes_times_and_nothing_else() {
    let scratch = project("slow", "println!(\"two\");");
    let rustc = slow_rustc(&scratch, 4);
    let built = scratch.run_with(&ARGUMENTS, &[ALONE, ("RUSTC", &rustc)]);
    assert_eq!(built.status, 0, "{built:?}");
    assert!(built.stderr.contains("2 cells ran"), "{built:?}");
    assert!(page(&scratch, "one").contains("one 21"));
    let last = built.stderr.trim_end().lines().last().unwrap();
    assert!(last.contains("NO LABORATORY"), "{built:?}");
    // What was run is kept; only what changed runs again.
    scratch.write(
        "book/src/two.md",
        "# Two\n\n```rust cell\nprintln!(\"changed\");\n```\n",
    );
    let again = scratch.run_with(&ARGUMENTS, &[ALONE]);
    assert!(
        again.stderr.contains("1 cells ran, 1 were unchanged"),
        "{again:?}"
    );
}

#[test]
fn a_wrong_cell_is_named_with_its_place() {
    let scratch = project("wrong", "let a = 1;\nassert_eq!(a, 2, \"not so\");");
    let built = scratch.run_with(&ARGUMENTS, &[ALONE]);
    fails(
        &built,
        1,
        &[
            "book/src/two.md:5: cell 1 of “Two” failed: it panicked",
            "not so",
        ],
    );
}

#[test]
fn a_missing_compiler_is_what_the_machine_lacks() {
    let scratch = project("missing", "println!(\"two\");");
    let built = scratch.run_with(&ARGUMENTS, &[ALONE, ("RUSTC", "/no/such/rustc")]);
    fails(&built, 4, &["`rustc` was not found", "https://rustup.rs"]);
}

#[test]
fn two_builds_at_once_take_turns() {
    let scratch = project("two", "println!(\"two\");");
    let rustc = slow_rustc(&scratch, 1);
    let builds = [start(&scratch, &rustc), start(&scratch, &rustc)];
    let ended = builds.map(|build| build.wait_with_output().unwrap());
    let said: Vec<String> = ended
        .iter()
        .map(|output| String::from_utf8_lossy(&output.stderr).into_owned())
        .collect();
    assert!(
        ended.iter().all(|output| output.status.success()),
        "{said:?}"
    );
    let waited = said
        .iter()
        .filter(|said| said.contains("waiting for its end"));
    assert_eq!(waited.count(), 1, "{said:?}");
    assert!(page(&scratch, "two").contains("two"));
}

/// The program of its cells ends too, and the next build goes on with what is done.
#[test]
fn a_build_that_was_ended_goes_on_where_it_was() {
    let scratch = project("ended", "loop { std::hint::spin_loop(); }");
    let mut build = start(&scratch, "rustc");
    let cells = scratch.path().join("target/book/cells");
    let waiting = Instant::now();
    let is_kept = || std::fs::read_dir(&cells).is_ok_and(|kept| kept.count() > 0);
    while !is_kept() {
        assert!(
            waiting.elapsed() < Duration::from_secs(600),
            "no cell was kept"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    build.kill().unwrap();
    build.wait().unwrap();
    scratch.write(
        "book/src/two.md",
        "# Two\n\n```rust cell\nprintln!(\"mended\");\n```\n",
    );
    let again = scratch.run_with(&ARGUMENTS, &[ALONE]);
    assert!(
        again.stderr.contains("1 cells ran, 1 were unchanged"),
        "{again:?}"
    );
    assert!(page(&scratch, "two").contains("mended"));
}
