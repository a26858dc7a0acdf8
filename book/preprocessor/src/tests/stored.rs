//! Outputs that are stored of other devices: shown beside this one's, never when stale, never broken, an earlier library's told apart.

use super::{Echo, Project};
use crate::cells::{CellRunner, Step};
use crate::chapter::{Chapter, Runnable};
use crate::error::{Error, Result};
use crate::options::BookOptions;
use crate::record::{check_stored, record_with};
use crate::share::Runners;
use crate::stored::Provenance;
use std::fs;
use std::path::PathBuf;

/// Answers every cell as another device would: with the device's name where `differs` says so.
struct Other {
    echo: Echo,
    differs: fn(&str) -> bool,
}

impl CellRunner for Other {
    fn prepare(&mut self, options: &BookOptions) -> Result<()> {
        self.echo.prepare(options)
    }

    fn run(
        &mut self,
        options: &BookOptions,
        chapter: &Chapter,
        cells: &[Runnable],
        tell: &mut dyn FnMut(Step) -> Result<()>,
    ) -> Result<()> {
        let differs = self.differs;
        self.echo.run(options, chapter, cells, &mut |step| {
            tell(match step {
                Step::Ended(cell, mut output) if differs(&cell.source) => {
                    output.stdout.push_str("3873 GB/s & more\n");
                    Step::Ended(cell, output)
                }
                step => step,
            })
        })
    }
}

fn made_on(device: &str, folder: &str) -> Provenance {
    Provenance {
        device: device.to_owned(),
        folder: folder.to_owned(),
        driver: "580.1".to_owned(),
        cuda_version: "13.0".to_owned(),
        date: "2026-11-22".to_owned(),
        commit: "0123456789ab".to_owned(),
        tool: "cornerturn 0".to_owned(),
    }
}

impl Project {
    /// Records the cells of chapters as another device would give them.
    fn record(&self, made: &Provenance, only: &[&str], differs: fn(&str) -> bool) -> Vec<PathBuf> {
        let echo = Echo::default();
        let only: Vec<String> = only.iter().map(|name| (*name).to_owned()).collect();
        let results = self.path("book/results");
        let runners = Runners::of(vec![Box::new(Other { echo, differs })]);
        let mut options = self.options.clone();
        options.device_key = made.to_string();
        let written = record_with(&options, &only, made, &results, runners);
        let written = written.expect("the book can be read").into_iter();
        written.map(|path| path.expect("it is written")).collect()
    }
}

const DOUBLED: fn(&str) -> bool = |source| source.starts_with("doubled.run()");

#[test]
fn what_another_device_gave_is_shown_beside_this_ones_where_it_differs() {
    let mut project = Project::new();
    project.options.device_name = "emulator".to_owned();
    let made = made_on("NVIDIA H200", "h200");
    let written = project.record(&made, &[], DOUBLED);
    let file = project.path("book/results/h200/cells/first.json");
    let deeper = project.path("book/results/h200/cells/part/deeper.json");
    assert_eq!(written, [file, deeper]);
    let report = project.build().0.expect("the book builds");
    assert_eq!((report.stored.files, report.stored.fresh_cells), (2, 4));
    assert_eq!(report.stored.warning(), None);
    let page = project.page("first.html");
    // Only the cell that gave something else has a choice; it begins with this machine's own.
    assert_eq!(page.matches("class=\"ct-runs\"").count(), 1);
    assert_eq!(
        page.matches("<input type=\"radio\" name=\"ct-run-3\"")
            .count(),
        2
    );
    assert!(
        page.contains("id=\"ct-run-3-0\" autocomplete=\"off\" checked"),
        "{page}"
    );
    assert!(page.contains("<label for=\"ct-run-3-0\">this machine: emulator</label>"));
    assert!(page.contains("<label for=\"ct-run-3-1\">NVIDIA H200, 2026-11-22</label>"));
    assert!(page.contains("3873 GB/s &amp; more"));
    let provenance =
        "Recorded on NVIDIA H200, CUDA 13.0, driver 580.1, 2026-11-22, commit 0123456789<";
    assert!(page.contains(provenance), "{page}");
    // A machine that gives no times may begin with the other's.
    project.options.stored_first = true;
    project.build().0.expect("the book builds");
    assert!(
        project
            .page("first.html")
            .contains("id=\"ct-run-3-1\" autocomplete=\"off\" checked")
    );
    // Two devices that gave the same are one choice; one that differs is another.
    project.record(&made_on("NVIDIA A100", "a100"), &["first"], DOUBLED);
    project.record(&made_on("NVIDIA L4", "l4"), &["first"], |_| true);
    project.build().0.expect("the book builds");
    let page = project.page("first.html");
    assert_eq!(page.matches("name=\"ct-run-3\"").count(), 2, "{page}");
    assert_eq!(page.matches("name=\"ct-run-1\"").count(), 2, "{page}");
    assert!(page.contains("<label for=\"ct-run-1-1\">NVIDIA L4, 2026-11-22</label>"));
}

#[test]
fn values_of_the_words_on_a_question_leave_the_outputs_after_it_fresh() {
    let project = Project::new();
    project.edit(
        "book/src/first.md",
        "A run of it, with [a named link][name].",
        "```rust question sectors\n4\n```\n\n- `4`\n  > Of {{#value 4 * 8}} bytes.\n- `8`\n  > Too many.\n",
    );
    project.record(&made_on("NVIDIA H200", "h200"), &["first"], |source| {
        assert!(
            !source.contains("{{#"),
            "it runs without its values: {source}"
        );
        DOUBLED(source)
    });
    let report = project.build().0.expect("the book builds");
    let told = check_stored(&project.options.root).expect("it can be read");
    assert_eq!(
        (report.stored.fresh_cells, report.stored.warning()),
        (4, None)
    );
    assert_eq!(told, report.stored);
    let page = project.page("first.html");
    assert!(page.contains("Of 32 bytes."), "{page}");
    assert!(page.contains("3873 GB/s &amp; more"), "{page}");
}

#[test]
fn a_stale_output_is_not_shown_and_is_told_of() {
    let project = Project::new();
    let made = made_on("NVIDIA H200", "h200");
    project.record(&made, &[], |_| true);
    let shown = |project: &Project| {
        let report = project.build().0.expect("the book builds");
        assert_eq!(
            check_stored(&project.options.root).expect("it can be read"),
            report.stored
        );
        let pages = ["first.html", "part/deeper.html"].map(|name| project.page(name));
        let count = |page: &String| page.matches("class=\"ct-runs\"").count();
        (count(&pages[0]), count(&pages[1]), report.stored)
    };
    assert_eq!(shown(&project).0, 3);
    // Prose, comments and tests of the library, records that no cell names, other devices' cells: nothing.
    project.edit("book/src/first.md", "A run of it", "One run of it");
    project.edit(
        "crate/src/lib.rs",
        "pub fn nothing",
        "/// Nothing.\npub fn nothing",
    );
    project.record(&made_on("NVIDIA L4", "l4"), &["first"], |_| false);
    assert_eq!(shown(&project).0, 3);
    // A cell: it and those behind it.
    project.edit(
        "book/src/first.md",
        "doubled.run()",
        "doubled.run()\n// again",
    );
    let (first, deeper, report) = shown(&project);
    assert_eq!((first, deeper), (2, 1));
    let warning = report.warning().expect("it is stale");
    assert!(
        warning.contains("h200/cells/first.json: 1 of 3 cells"),
        "{warning}"
    );
    assert!(warning.contains("`cornerturn record --cells`"), "{warning}");
    // A kernel: the cell that compiles it and those behind it.
    project.edit("kernels/transpose/doubled.cu", "*= 2", "*= 3");
    assert_eq!(shown(&project).0, 1);
    // A record: the chapter that names it.
    fs::write(project.path("book/results/h200/copying.json"), "{}").expect("a file");
    assert_eq!(shown(&project).1, 0);
    // The library: what it gave before is told apart.
    assert!(!project.page("first.html").contains("has changed since"));
    project.edit("crate/src/lib.rs", "nothing() {}", "nothing() { loop {} }");
    let (first, deeper, report) = shown(&project);
    assert_eq!((first, deeper), (1, 0));
    assert_eq!((report.fresh_cells, report.of_earlier_library), (2, 2));
    let since = "commit 0123456789; the library has changed since<";
    assert!(project.page("first.html").contains(since));
    // A chapter that is gone leaves a file behind.
    project.record(&made, &[], |_| true);
    project.edit("book/src/SUMMARY.md", "  - [Deeper](part/deeper.md)\n", "");
    project.edit(
        "book/src/first.md",
        "See [deeper](part/deeper.md#a-second-look)",
        "See",
    );
    let report = check_stored(&project.options.root).expect("it can be read");
    let warning = report.warning().expect("a file is left");
    assert!(
        warning.contains("h200/cells/part/deeper.json belongs to no chapter"),
        "{warning}"
    );
}

#[test]
fn a_broken_file_of_outputs_is_named_before_anything_runs() {
    let project = Project::new();
    project.record(&made_on("NVIDIA H200", "h200"), &["deeper"], |_| true);
    let file = project.path("book/results/h200/cells/part/deeper.json");
    let whole = fs::read_to_string(&file).expect("a file");
    let broken = [
        (whole[..whole.len() / 2].to_owned(), "EOF"),
        (String::new(), "EOF"),
        ("[]".to_owned(), "expected struct"),
        ("\u{0}".to_owned(), "expected value"),
        (whole.replace("\"schema\":1", "\"schema\":2"), "of schema 2"),
        (
            whole.replace("\"folder\":\"h200\"", "\"folder\":\"../x\""),
            "“NVIDIA H200”, `../x`",
        ),
        (
            whole.replace("deeper.md", "first.md"),
            "belongs to book/src/part/first.md",
        ),
        (
            whole.replace("\"status\":\"ok\"", "\"status\":\"fine\""),
            "unknown variant",
        ),
        (whole.replace("\"question\"", "\"answer\""), "`question`"),
    ];
    for (text, expected) in broken {
        fs::write(&file, &text).expect("a file");
        let (report, ran) = project.build();
        let told = report.expect_err("the build fails").to_string();
        assert!(
            told.starts_with("book/results/h200/cells/part/deeper.json: "),
            "{told}"
        );
        assert!(told.contains(expected), "{told}");
        assert!(
            told.ends_with("`cornerturn record --cells` on that GPU"),
            "{told}"
        );
        assert_eq!(ran, [""; 0]);
        assert!(check_stored(&project.options.root).is_err());
    }
    fs::write(&file, vec![0xff; 9]).expect("a file");
    assert!(project.build().0.is_err());
    fs::write(&file, whole).expect("a file");
    assert_eq!(
        project
            .build()
            .0
            .expect("the book builds")
            .stored
            .fresh_cells,
        1
    );
}

#[test]
fn recording_goes_on_after_a_chapter_that_fails() {
    let project = Project::new();
    let made = made_on("NVIDIA H200", "h200");
    project.edit(
        "book/src/first.md",
        "let one = 1",
        "let one = 1;\n```\n\n```rust cell\npanic!()",
    );
    let record = |only: &[String]| {
        let runners = Runners::of(vec![Box::new(Echo::default())]);
        record_with(
            &project.options,
            only,
            &made,
            &project.path("book/results"),
            runners,
        )
    };
    let written = record(&[]).expect("the book can be read");
    assert!(
        matches!(&written[0], Err(Error::Cell { cell: 2, .. })),
        "{written:?}"
    );
    assert!(written[1].is_ok());
    assert!(!project.path("book/results/h200/cells/first.json").exists());
    let unknown = record(&["reference".to_owned()]).expect_err("it has no cells");
    assert!(
        unknown.to_string().contains("called `reference`"),
        "{unknown}"
    );
}
