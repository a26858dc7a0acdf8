//! Pages with exercises: what they show, and what makes their cells run again.

use super::{Project, copy};
use crate::options::BookOptions;
use std::path::Path;

fn project() -> Project {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("project");
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/exercises"),
        &root,
    );
    Project {
        options: BookOptions::new(root, "a device"),
        _folder: folder,
    }
}

#[test]
fn a_page_shows_task_starter_verdict_and_folded_hints() {
    let project = project();
    let (report, ran) = project.build();
    assert_eq!(report.expect("the book builds").cells_run, 3);
    assert!(
        ran[1].starts_with("Sums to do: let source = r##\""),
        "{ran:?}"
    );
    let page = project.page("work/sums.html");
    let mut at = 0;
    for wanted in [
        "id=\"add\"",
        "Write a kernel, 7 minutes.",
        "cargo cornerturn exercise start add",
        "href=\"../sums.html\"",
        "int a; // TODO",
        "exercise::check(",
        "<b>echo</b>",
        "<summary>Hint 1</summary>",
        "<p>First.</p>",
        "<summary>Hint 3</summary>",
        "id=\"guess-it\"",
        "how many?",
        "ANSWER how_many: ?",
    ] {
        let found = page[at..].find(wanted);
        at += found.unwrap_or_else(|| panic!("no {wanted:?} after {at} in\n{page}"));
    }
    assert!(
        !page.contains("b + c") && !page.contains("how_many: 8"),
        "no solution"
    );
}

#[test]
fn overviews_are_summed_from_the_exercises() {
    let project = project();
    project.build().0.expect("the book builds");
    let page = project.page("work/all.html");
    for wanted in [
        "<a href=\"sums.html#add\">An addition</a></td><td>write a kernel</td><td style=\"text-align: right\">7</td>",
        "<td style=\"text-align: right\">95</td><td style=\"text-align: right\">102</td>",
        "Ask them.",
        "<li>adds too late</li>",
    ] {
        assert!(page.contains(wanted), "no {wanted} in\n{page}");
    }
}

#[test]
fn an_exercises_data_is_part_of_what_its_cell_depends_on() {
    let project = project();
    let runs = || {
        let report = project.build().0.expect("the book builds");
        report.cells_run
    };
    assert_eq!((runs(), runs()), (3, 0));
    // A bound, which no page shows: the exercise's page runs.
    project.edit(
        "kernels/exercises/exercises.toml",
        "unknown = 3",
        "unknown = 4",
    );
    assert_eq!((runs(), runs()), (3, 0));
    project.edit("kernels/exercises/guess-it.cu", "8", "9");
    assert_eq!((runs(), runs()), (3, 0));
}
