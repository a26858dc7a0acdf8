//! Runs the fixture book's cells in evcxr for real. Not in a debug build: there an evcxr session
//! takes half a minute to start. `cargo test --release -p cornerturn-preprocessor --test evcxr`.
//!
//! Without libtest's harness, because evcxr starts this binary again for its own purposes.

use cornerturn_preprocessor::{
    BookOptions, BuildReport, CellFailure, Error, Progress, build_book, cell_worker_main,
    runtime_hook,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn main() {
    runtime_hook();
    if std::env::args().nth(1).as_deref() == Some("__cells") {
        let served = cell_worker_main();
        std::process::exit(if served.is_ok() { 0 } else { 1 });
    }
    if cfg!(debug_assertions) {
        println!("skipped: evcxr in a debug build is too slow; use `cargo test --release`");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("project");
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/session"),
        &root,
    );
    outputs_are_embedded_and_cached(&root);
    failures_are_named(&root);
    println!("ok");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

fn options(root: &Path) -> BookOptions {
    let mut options = BookOptions::new(root, "test device");
    options.progress = Arc::new(|progress| println!("  {progress:?}"));
    options
}

fn page(report: &BuildReport, name: &str) -> String {
    fs::read_to_string(report.out.join(name)).expect("a page")
}

fn outputs_are_embedded_and_cached(root: &Path) {
    let report = build_book(&options(root)).expect("the book builds");
    assert_eq!(
        (report.pages, report.cells_run, report.cells_cached),
        (3, 8, 0)
    );
    let works = page(&report, "01-works.html");
    for wanted in [
        "line one&#10;&#10;line three",
        ">42</pre>",
        "<tr><td>cell</td></tr>",
        "ct-stderr\" tabindex=\"0\">a remark</pre>",
        "<span class=\"boring\">fn hidden() -&gt; u32 { 41 }",
        "aria-label=\"Output of cell 1\"",
    ] {
        assert!(works.contains(wanted), "no {wanted:?} in\n{works}");
    }
    let fails = page(&report, "02-fails.html");
    for wanted in [
        "error[E0308]: mismatched types",
        "no luck",
        "so it goes",
        ">42</pre>",
    ] {
        assert!(fails.contains(wanted), "no {wanted:?} in\n{fails}");
    }
    for unwanted in ["panicked at", "RUST_BACKTRACE", "stack backtrace", "\u{1}"] {
        assert!(!fails.contains(unwanted), "{unwanted:?} in\n{fails}");
    }
    // Prose is free to change; nothing runs.
    let chapter = root.join("book/src/01-works.md");
    let text = fs::read_to_string(&chapter).expect("a chapter");
    fs::write(&chapter, text.replace("lives on", "stays")).expect("a chapter");
    let started = Instant::now();
    let again = build_book(&options(root)).expect("the book builds");
    assert_eq!((again.cells_run, again.cells_cached), (0, 8));
    assert!(page(&again, "01-works.html").contains("A variable stays"));
    println!(
        "  rebuilt after a text edit in {:.2} s",
        started.elapsed().as_secs_f64()
    );
}

/// Builds with one chapter of one more cell and gives how it failed, where, and as which cell.
fn failure(options: &BookOptions, code: &str) -> (CellFailure, PathBuf, usize, usize) {
    let text =
        format!("# Broken\n\n```rust cell\nlet one = 1;\n```\n\n```rust cell\n{code}\n```\n");
    let chapters = options.root.join("book/src");
    fs::write(chapters.join("broken.md"), text).expect("a chapter");
    fs::write(chapters.join("SUMMARY.md"), "- [Broken](broken.md)\n").expect("a summary");
    let error = build_book(options).expect_err("the cell fails");
    println!("  {error}");
    match error {
        Error::Cell {
            place,
            cell,
            failure,
            ..
        } => (failure, place.file, place.line, cell),
        other => panic!("not a cell's failure: {other}"),
    }
}

fn failures_are_named(root: &Path) {
    let front = root.join("target/book/html/01-works.html");
    let mut patient = options(root);
    patient.cell_timeout = Duration::from_secs(60);
    let file = PathBuf::from("book/src/broken.md");
    let (how, at, line, cell) = failure(&patient, "let a = 1;\nlet b: u8 = \"x\";");
    assert!(matches!(&how, CellFailure::Compile(text) if text.contains("mismatched types")));
    assert_eq!((at, line, cell), (file.clone(), 9, 2));
    let (how, at, line, cell) = failure(&patient, "panic!(\"no {}\", one);");
    assert_eq!(how, CellFailure::Panic("no 1".to_owned()));
    assert_eq!((at, line, cell), (file, 8, 2));
    let (how, ..) = failure(&patient, "std::fs::read(\"/no/such/file\")?;");
    assert!(matches!(&how, CellFailure::Err(text) if text.contains("No such file")));
    // An error without a word is an error all the same, and a word on stderr is none.
    let silent = "#[derive(Debug)] struct Silent;\nimpl std::fmt::Display for Silent { fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result { Ok(()) } }\nimpl std::error::Error for Silent {}\nErr::<(), Silent>(Silent)?;";
    assert!(matches!(failure(&patient, silent).0, CellFailure::Err(_)));
    let (how, ..) = failure(&patient, "std::process::abort();");
    assert!(
        matches!(&how, CellFailure::Crash(text) if text.contains("signal 6")),
        "{how}"
    );
    let (how, ..) = failure(&patient, "std::process::exit(0);");
    assert!(matches!(&how, CellFailure::Crash(_)), "{how}");
    an_endless_cell_is_ended(root);
    no_process_is_left();
    // evcxr's own kernel would wait for ever after this one; the book says what is wrong.
    let (how, ..) = failure(
        &patient,
        "print!(\"no newline\");\nstd::io::Write::flush(&mut std::io::stdout())?;",
    );
    assert!(
        matches!(&how, CellFailure::Session(text) if text.contains("newline")),
        "{how}"
    );
    assert!(front.exists(), "a build that fails leaves the old pages");
}

/// Soon after its time is over, however long the session and the cell before it took to begin.
fn an_endless_cell_is_ended(root: &Path) {
    let begun = Arc::new(Mutex::new(Instant::now()));
    let mut options = options(root);
    // The cell before it has to be compiled in this time too.
    options.cell_timeout = Duration::from_secs(20);
    let at_each_cell = Arc::clone(&begun);
    options.progress = Arc::new(move |progress| {
        println!("  {progress:?}");
        if matches!(progress, Progress::CellStarted { .. }) {
            *at_each_cell.lock().expect("a moment") = Instant::now();
        }
    });
    let (how, _, _, cell) = failure(&options, "loop { std::hint::spin_loop(); }");
    assert!(matches!((how, cell), (CellFailure::Timeout(_), 2)));
    let took = begun.lock().expect("a moment").elapsed();
    assert!(took < Duration::from_secs(30), "{took:?}");
}

/// The processes that ran cells end with their parent, an endless loop too.
fn no_process_is_left() {
    let me = std::process::id().to_string();
    let program = std::env::current_exe().expect("a path");
    let limit = Instant::now() + Duration::from_secs(3);
    loop {
        let left: Vec<String> = fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok())
            .filter(|entry| fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program))
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|id| *id != me)
            .collect();
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < limit, "still running: {left:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
