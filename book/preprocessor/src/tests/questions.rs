//! Pages with questions: which answer is the right one, and what is said where none is.

use super::{Project, copy};
use crate::error::Error;
use crate::options::BookOptions;
use std::path::Path;

fn project() -> Project {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("project");
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/questions"),
        &root,
    );
    Project {
        options: BookOptions::new(root, "a device"),
        _folder: folder,
    }
}

#[test]
fn what_the_code_gave_is_the_right_answer_and_every_other_is_explained() {
    let project = project();
    let (report, ran) = project.build();
    assert_eq!(report.expect("the book builds").cells_run, 3);
    assert!(ran[1].contains("Decides `barriers`"), "{ran:?}");
    let page = project.page("asked.html");
    let mut at = 0;
    for wanted in [
        "How many <em>barriers</em>",
        "id=\"question-barriers\" role=\"group\"",
        "<details class=\"ct-choice ct-wrong\" name=\"question-barriers\">",
        "<summary>0</summary>",
        "<strong>No.</strong> One stays: see <a href=\"deeper.html\">",
        "<details class=\"ct-choice ct-right\"",
        "<summary>a <code>single</code> one,",
        "<strong>Yes.</strong> Counted.",
        "That was 8, in the tree.",
        "What decides <span>(1 line)</span>",
        "It gives <code>1</code>",
        "data-computes",
        "<form class=\"ct-compute\" hidden=\"\">",
        "<label for=\"number-bytes\">",
        "<div class=\"ct-answer ct-right\" data-key=\"32\">",
        "<div class=\"ct-answer ct-wrong\" data-key=\"else\">",
        "Any other number",
        "The end.",
    ] {
        let found = page[at..].find(wanted);
        at += found.unwrap_or_else(|| panic!("no {wanted:?} after {at} in\n{page}"));
    }
}

#[test]
fn another_count_makes_another_answer_right() {
    let project = project();
    project.edit("book/src/asked.md", "barriers\n1\n", "barriers\n8\n");
    project.build().0.expect("the book builds");
    let page = project.page("asked.html");
    assert!(page.contains("<strong>Yes.</strong> That was 8"), "{page}");
    assert!(page.contains("<strong>No.</strong> Counted."), "{page}");
}

#[test]
fn a_count_that_no_answer_names_fails_the_build() {
    let project = project();
    project.edit("book/src/asked.md", "barriers\n1\n", "barriers\n9\n");
    let error = project.build().0.expect_err("no choice is 9");
    assert!(matches!(error, Error::Cell { .. }), "{error}");
    let told = error.to_string();
    assert!(
        told.contains("book/src/asked.md:12") && told.contains("`9`; there are: 0, 1, 8"),
        "{told}"
    );
    // The number that stands for all others is no answer.
    project.edit("book/src/asked.md", "barriers\n9\n", "barriers\n1\n");
    project.edit("book/src/asked.md", "compute\n32\n", "compute\nelse\n");
    let told = project.build().0.expect_err("`else` is none").to_string();
    assert!(told.contains("there are: 32, 128"), "{told}");
}
