//! Runs the fixture book's cells for real, each chapter as one program: what is shown of them, and how failures are named.
//! What a page shows is what a notebook gives: `cargo verify` compares the two, cell by cell.

use cornerturn_preprocessor::{BookOptions, BuildReport, CellFailure, Error, build_book};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A copy of the fixture, that its builds may change.
struct Project {
    root: PathBuf,
    _folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // As people name their folders.
        let root = folder.path().join("mein Projekt ä");
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/session"),
            &root,
        );
        Project {
            root,
            _folder: folder,
        }
    }
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

#[test]
fn outputs_are_embedded_and_cached() {
    let project = Project::new();
    let root = &project.root;
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
    let again = build_book(&options(root)).expect("the book builds");
    assert_eq!((again.cells_run, again.cells_cached), (0, 8));
    assert!(page(&again, "01-works.html").contains("A variable stays"));
    // The compiled programs hold the library each; none is kept.
    let programs = fs::read_dir(root.join("target/book/programs")).expect("the folder");
    for program in programs {
        let name = program.expect("an entry").file_name();
        assert!(name.to_string_lossy().ends_with(".rs"), "{name:?}");
    }
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

#[test]
fn failures_are_named_with_their_lines() {
    let project = Project::new();
    let options = options(&project.root);
    build_book(&options).expect("the book builds");
    let file = PathBuf::from("book/src/broken.md");
    let (how, at, line, cell) = failure(&options, "let a = 1;\nlet b: u8 = \"x\";");
    assert!(matches!(&how, CellFailure::Compile(text) if text.contains("mismatched types")));
    assert_eq!((at, line, cell), (file.clone(), 9, 2));
    let (how, at, line, cell) = failure(&options, "let a = 1;\npanic!(\"no {}\", one);");
    assert_eq!(how, CellFailure::Panic("no 1".to_owned()));
    assert_eq!((at, line, cell), (file, 9, 2));
    let (how, _, line, _) = failure(&options, "\n\nstd::fs::read(\"/no/such/file\")?;");
    assert!(matches!(&how, CellFailure::Err(text) if text.contains("No such file")));
    assert_eq!(line, 10);
    // An error without a word is an error all the same, and a word on stderr is none.
    let silent = "#[derive(Debug)] struct Silent;\nimpl std::fmt::Display for Silent { fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result { Ok(()) } }\nimpl std::error::Error for Silent {}\nErr::<(), Silent>(Silent)?;";
    assert!(matches!(failure(&options, silent).0, CellFailure::Err(_)));
    let (how, ..) = failure(&options, "std::process::abort();");
    assert!(
        matches!(&how, CellFailure::Crash(text) if text.contains("signal 6")),
        "{how}"
    );
    let (how, ..) = failure(&options, "std::process::exit(0);");
    assert!(matches!(&how, CellFailure::Crash(_)), "{how}");
    // A notebook would wait for ever after this one; the book says what is wrong.
    let (how, ..) = failure(
        &options,
        "print!(\"no newline\");\nstd::io::Write::flush(&mut std::io::stdout())?;",
    );
    assert!(
        matches!(&how, CellFailure::Session(text) if text.contains("newline")),
        "{how}"
    );
    let front = project.root.join("target/book/html/01-works.html");
    assert!(front.exists(), "a build that fails leaves the old pages");
}

/// Each of them would go on for ever, and none outlives the build. What it takes to compile them does not count.
#[test]
fn endless_cells_are_ended() {
    let project = Project::new();
    let mut options = options(&project.root);
    options.cell_timeout = Duration::from_millis(500);
    let endless = "loop { std::hint::spin_loop(); }";
    let (how, _, _, cell) = failure(&options, endless);
    assert!(matches!((how, cell), (CellFailure::Timeout(_), 2)));
    options.cell_timeout = Duration::from_secs(600);
    let (how, ..) = failure(&options, "loop { println!(\"once more\"); }");
    assert!(matches!(how, CellFailure::Output(_)), "{how}");
    no_process_is_left(&project.root);
}

fn no_process_is_left(root: &Path) {
    let programs = root.join("target/book/programs");
    let start = Instant::now();
    loop {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let links = processes.filter_map(|entry| fs::read_link(entry.path().join("exe")).ok());
        let left: Vec<PathBuf> = links.filter(|exe| exe.starts_with(&programs)).collect();
        if left.is_empty() {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "still running: {left:?}"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What a later cell may do with what an earlier one has made, as in a notebook.
#[test]
fn names_live_on_and_may_be_given_anew() {
    let project = Project::new();
    let chapter = "# Names\n\n```rust cell\nuse std::collections::BTreeMap;\nstruct Two(u8);\nfn two() -> Two { Two(2) }\nlet mut map = BTreeMap::new();\nmap.insert(1, two().0);\n```\n\n\
        ```rust cell error\nlet lost: u8 = \"x\";\n```\n\n\
        ```rust cell error\nmap.insert(7, 7);\nstd::process::exit(3);\n```\n\n\
        ```rust cell\nfn two() -> u8 { 22 }\nuse std::collections::BTreeMap;\nmap.insert(2, two());\nlet map = map;\n(map.len(), map[&1], map[&2])\n```\n";
    fs::write(project.root.join("book/src/names.md"), chapter).expect("a chapter");
    fs::write(
        project.root.join("book/src/SUMMARY.md"),
        "- [Names](names.md)\n",
    )
    .expect("a summary");
    let report = build_book(&options(&project.root)).expect("the book builds");
    assert_eq!(report.cells_run, 4);
    let page = page(&report, "names.html");
    for wanted in [
        ">(2, 2, 22)</pre>",
        "error[E0308]: mismatched types",
        "exit status: 3",
    ] {
        assert!(page.contains(wanted), "no {wanted:?} in\n{page}");
    }
}
