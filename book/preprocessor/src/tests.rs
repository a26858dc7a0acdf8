//! Builds of the fixture book with a runner that only echoes: what runs, what is kept, what a
//! failure leaves behind. Programs run in `tests/programs.rs`.

mod exercises;
mod index;
mod questions;
mod stored;
mod values;

use crate::book::build_with;
use crate::cells::{CellRunner, Step, verdict};
use crate::chapter::{Chapter, Runnable};
use crate::error::{CellFailure, Error, Result};
use crate::options::{BookOptions, BuildReport};
use crate::outcome::{CellOutput, CellStatus};
use crate::share::Runners;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Answers every cell with its own source; remembers what it was asked.
#[derive(Default)]
struct Echo {
    ran: Arc<Mutex<Vec<String>>>,
}

impl CellRunner for Echo {
    fn prepare(&mut self, _: &BookOptions) -> Result<()> {
        Ok(())
    }

    fn run(
        &mut self,
        _: &BookOptions,
        chapter: &Chapter,
        cells: &[Runnable],
        tell: &mut dyn FnMut(Step) -> Result<()>,
    ) -> Result<()> {
        for cell in cells {
            let output = self.output(chapter, &cell.source);
            verdict(chapter, cell, &output, None)?;
            tell(Step::Ended(cell, output))?;
        }
        Ok(())
    }
}

impl Echo {
    fn output(&self, chapter: &Chapter, source: &str) -> CellOutput {
        let first = source.lines().next().unwrap_or_default();
        self.ran
            .lock()
            .expect("no panic")
            .push(format!("{}: {first}", chapter.title));
        let status = match first {
            "doubled.run()" => CellStatus::Err,
            "panic!();" => CellStatus::Panic,
            _ => CellStatus::Ok,
        };
        let display = [(
            "text/html".to_owned(),
            format!("<p>\n\n<b>echo</b> {}</p>", source.len()),
        )];
        // A question is decided by its code as it stands.
        let decided = source
            .split_once("let decided = {\n")
            .and_then(|(_, rest)| rest.lines().next());
        let stdout = match decided {
            Some(decided) => format!("{}\n", decided.trim()),
            None => format!("ran {first}\n"),
        };
        CellOutput {
            status,
            stdout,
            stderr: "said so\n".to_owned(),
            display: display.into(),
            seconds: 0.25,
        }
    }
}

struct Project {
    _folder: tempfile::TempDir,
    options: BookOptions,
}

impl Project {
    fn new() -> Project {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().join("project");
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/book"),
            &root,
        );
        Project {
            options: BookOptions::new(root, "a device"),
            _folder: folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.options.root.join(name)
    }

    fn edit(&self, name: &str, old: &str, new: &str) {
        let text = fs::read_to_string(self.path(name)).expect("a file");
        assert!(text.contains(old), "{old} in {name}");
        fs::write(self.path(name), text.replace(old, new)).expect("a file");
    }

    /// Builds and gives the report with the first lines of the cells that ran.
    fn build(&self) -> (Result<BuildReport>, Vec<String>) {
        let echo = Echo::default();
        let ran = Arc::clone(&echo.ran);
        let report = build_with(&self.options, Runners::of(vec![Box::new(echo)]));
        let ran = ran.lock().expect("no panic").clone();
        (report, ran)
    }

    /// Builds and gives how many cells ran in each of the two chapters.
    fn runs(&self) -> (usize, usize) {
        let (report, ran) = self.build();
        let report = report.expect("the book builds");
        assert_eq!(report.cells_run, ran.len());
        assert_eq!(report.cells_run + report.cells_cached, 4);
        let of = |title: &str| ran.iter().filter(|cell| cell.starts_with(title)).count();
        (of("First steps"), of("Deeper"))
    }

    fn page(&self, name: &str) -> String {
        fs::read_to_string(self.options.out.join(name)).expect("a page")
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

#[test]
fn pages_hold_prose_kernels_code_and_outputs_in_order() {
    let project = Project::new();
    let (report, ran) = project.build();
    let report = report.expect("the book builds");
    assert_eq!((report.pages, report.cells_run), (4, 4));
    assert_eq!(report.out, project.options.out);
    assert!(
        ran[1].starts_with("First steps: let doubled = Kernel::cuda(r###\""),
        "{ran:?}"
    );
    let page = project.page("first.html");
    let mut at = 0;
    for wanted in [
        "id=\"cell-1\"",
        "<span class=\"boring\">use std::fmt::Write;",
        "ran use std::fmt::Write;",
        "<b>echo</b>",
        "id=\"the-kernel\"",
        "<div class=\"ct-runnable\" data-kernel=\"doubled\">",
        "kernels/transpose/doubled.cu",
        "class=\"language-cpp ct-source\"",
        "__global__ void doubled",
        "A run of it",
        "id=\"cell-3\"",
        "ct-error",
        "said so",
    ] {
        let found = page[at..].find(wanted);
        at += found.unwrap_or_else(|| panic!("no {wanted:?} after {at} in\n{page}"));
    }
    assert!(!page.contains("{{#kernel"), "the directive is gone");
    assert!(
        project
            .page("reference.html")
            .contains("{{#kernel doubled}}"),
        "quoted, it stays"
    );
}

#[test]
fn words_are_indexed_outputs_are_not_and_paper_has_both() {
    let project = Project::new();
    project.build().0.expect("the book builds");
    let pages = fs::read_dir(&project.options.out).expect("the pages");
    let mut files = pages.filter_map(|entry| Some(entry.ok()?.path()));
    let name = |path: &PathBuf| path.to_string_lossy().contains("searchindex");
    let index = fs::read_to_string(files.find(name).expect("an index")).expect("a file");
    assert!(index.contains("A run of it"), "prose is found");
    assert!(!index.contains("ran use std"), "what a cell printed is not");
    let paper = project.page("print.html");
    for wanted in ["A run of it", "ran use std::fmt::Write;", "<b>echo</b>"] {
        assert!(paper.contains(wanted), "{wanted} in {paper}");
    }
    assert!(!paper.contains("<!--ct-output"), "{paper}");
    let page = project.page("part/deeper.html");
    assert!(page.contains("property=\"og:title\"") && page.contains("../images/preview.png"));
}

#[test]
fn nothing_runs_again_that_depends_on_nothing_new() {
    let project = Project::new();
    assert_eq!(project.runs(), (3, 1));
    assert_eq!(project.runs(), (0, 0));
    // Prose is not part of any cell.
    project.edit("book/src/first.md", "A run of it", "One run of it");
    assert_eq!(project.runs(), (0, 0));
    assert!(project.page("first.html").contains("One run of it"));
    // A cell: its chapter, from the top, since its variables are needed.
    project.edit("book/src/first.md", "let one = 1", "let one = 3");
    assert_eq!(project.runs(), (3, 0));
    // Taken back, it is as before.
    project.edit("book/src/first.md", "let one = 3", "let one = 1");
    assert_eq!(project.runs(), (0, 0));
    // A kernel: the chapter that uses it. One that nobody uses: nothing.
    project.edit("kernels/transpose/doubled.cu", "*= 2", "*= 3");
    assert_eq!(project.runs(), (3, 0));
    project.edit("kernels/transpose/unused.cu", "()", "(int)");
    assert_eq!(project.runs(), (0, 0));
    fs::write(
        project.path("kernels/transpose/doubled.ptx"),
        ".version 8.0",
    )
    .expect("a file");
    assert_eq!(project.runs(), (3, 0));
    project.edit(
        "kernels/kernels.toml",
        "id = \"unused\"",
        "id = \"unused\"\nblock = [32, 8]",
    );
    assert_eq!(project.runs(), (0, 0));
    // A record: the chapter that names it.
    let results = project.path("book/results/gpu");
    fs::create_dir_all(&results).expect("a folder");
    fs::write(results.join("copying.json"), "{}").expect("a file");
    assert_eq!(project.runs(), (0, 1));
    fs::write(results.join("other.json"), "{}").expect("a file");
    assert_eq!(project.runs(), (0, 0));
    // The crate: everything.
    project.edit("crate/src/lib.rs", "nothing", "something");
    assert_eq!(project.runs(), (3, 1));
}

#[test]
fn another_device_or_a_fresh_build_runs_everything() {
    let mut project = Project::new();
    assert_eq!(project.runs(), (3, 1));
    project.options.device_key = "another device".to_owned();
    assert_eq!(project.runs(), (3, 1));
    project.options.device_key = "a device".to_owned();
    assert_eq!(project.runs(), (0, 0));
    project.options.fresh = true;
    assert_eq!(project.runs(), (3, 1));
}

#[test]
fn a_broken_entry_of_the_cache_is_made_anew() {
    let project = Project::new();
    assert_eq!(project.runs(), (3, 1));
    for entry in fs::read_dir(project.path("target/book/cells")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("an entry");
        fs::write(&path, &text[..text.len() / 2]).expect("an entry");
    }
    assert_eq!(project.runs(), (3, 1));
    assert_eq!(project.runs(), (0, 0));
}

#[test]
fn a_cell_that_fails_fails_the_build_and_the_old_pages_stand() {
    let project = Project::new();
    assert_eq!(project.runs(), (3, 1));
    let before = project.page("first.html");
    project.edit(
        "book/src/part/deeper.md",
        "Record::load(\"gpu\", \"copying\")",
        "let a = 1;\n```\n\n```rust cell\npanic!();",
    );
    project.edit("book/src/first.md", "A run of it", "Another run of it");
    let (report, _) = project.build();
    match report.expect_err("the build fails") {
        Error::Cell {
            chapter,
            place,
            cell,
            failure,
        } => {
            assert_eq!((chapter.as_str(), place.line, cell), ("Deeper", 12, 2));
            assert_eq!(place.file, Path::new("book/src/part/deeper.md"));
            assert_eq!(failure, CellFailure::Panic("said so".to_owned()));
        }
        other => panic!("{other}"),
    }
    assert_eq!(project.page("first.html"), before);
    // The cell that must fail and does not is as bad.
    project.edit(
        "book/src/part/deeper.md",
        "panic!();",
        "panic!();\n```\n\nend\n\n```text",
    );
    project.edit(
        "book/src/part/deeper.md",
        "```rust cell\npanic!();",
        "```rust cell error\n1",
    );
    let error = project.build().0.expect_err("the build fails");
    assert!(
        matches!(
            error,
            Error::Cell {
                failure: CellFailure::Unexpected,
                ..
            }
        ),
        "{error}"
    );
    // A slip in one chapter shows before any cell of another runs.
    project.edit("book/src/first.md", "let one = 1", "let one = 9");
    project.edit(
        "book/src/part/deeper.md",
        "```rust cell error",
        "```rust cell eror",
    );
    let (report, ran) = project.build();
    assert!(
        report
            .expect_err("the build fails")
            .to_string()
            .contains("no mark `eror`")
    );
    assert_eq!(ran, [""; 0]);
}
