//! The notebooks that a book becomes: their cells, links and names, and how stale ones are told.

use cornerturn_preprocessor::values::NoSource;
use cornerturn_preprocessor::{Error, Stale, check_notebooks, write_notebooks};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

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

fn project() -> (tempfile::TempDir, PathBuf) {
    project_of("book")
}

fn project_of(fixture: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("project");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    copy(&fixtures.join(fixture), &root);
    (folder, root)
}

fn read(root: &Path, name: &str) -> Value {
    let text = fs::read_to_string(root.join("notebooks").join(name)).expect("a notebook");
    serde_json::from_str(&text).expect("JSON")
}

fn cell<'a>(notebook: &'a Value, id: &str) -> (&'a Value, String) {
    let cells = notebook["cells"].as_array().expect("cells");
    let cell = cells.iter().find(|cell| cell["id"] == id);
    let cell = cell.unwrap_or_else(|| {
        let ids: Vec<_> = cells.iter().map(|cell| &cell["id"]).collect();
        panic!("no {id} in {ids:?}")
    });
    let lines = cell["source"].as_array().expect("lines");
    (
        cell,
        lines
            .iter()
            .map(|line| line.as_str().expect("a line"))
            .collect(),
    )
}

#[test]
fn chapters_with_cells_become_notebooks_in_the_books_order() {
    let (_folder, root) = project();
    let written = write_notebooks(&root, &NoSource).expect("notebooks");
    let names = ["notebooks/01-first.ipynb", "notebooks/01-01-deeper.ipynb"];
    assert_eq!(written, names.map(PathBuf::from));
    let notebook = read(&root, "01-first.ipynb");
    assert_eq!(
        (&notebook["nbformat"], &notebook["nbformat_minor"]),
        (&4.into(), &5.into())
    );
    assert_eq!(notebook["metadata"]["kernelspec"]["name"], "rust");
    assert_eq!(
        notebook["metadata"]["cornerturn"]["chapter"],
        "book/src/first.md"
    );
    let (code, source) = cell(&notebook, "cell-1");
    assert_eq!(code["cell_type"], "code");
    assert_eq!(
        (&code["outputs"], &code["execution_count"]),
        (&Value::Array(vec![]), &Value::Null)
    );
    assert!(
        source.starts_with("use std::fmt::Write;\nlet one = 1;\n# let not_hidden"),
        "{source}"
    );
    let (_, source) = cell(&notebook, "kernel-doubled");
    assert!(
        source.starts_with("let doubled = Kernel::cuda(r###\"// A string"),
        "{source}"
    );
    assert!(source.ends_with("\n\"###)?;"), "{source}");
    let (code, _) = cell(&notebook, "cell-2");
    assert_eq!(
        code["metadata"]["tags"],
        serde_json::json!(["raises-exception"])
    );
}

#[test]
fn what_prose_points_to_is_found_from_the_notebook() {
    let (_folder, root) = project();
    write_notebooks(&root, &NoSource).expect("notebooks");
    let notebook = read(&root, "01-first.ipynb");
    let (_, prose) = cell(&notebook, "first-steps");
    for wanted in [
        "[deeper](01-01-deeper.ipynb#A-second-look)",
        "[the reference](../book/src/reference.md#terms)",
        "[here](#The-kernel)",
        "[elsewhere](https://example.org/first.md)",
        "![a picture](../book/src/img/lanes.svg \"Lanes\")",
        "```cpp\n// ```rust cell is no cell",
    ] {
        assert!(prose.contains(wanted), "no {wanted} in\n{prose}");
    }
    assert!(!prose.contains("for writers only"), "{prose}");
    let (_, heading) = cell(&notebook, "the-kernel");
    assert_eq!(heading, "## The kernel");
    let (_, after) = cell(&notebook, "after-cell-2");
    assert_eq!(after, "[name]: 01-01-deeper.ipynb \"Deeper\"");
    let deeper = read(&root, "01-01-deeper.ipynb");
    let (_, prose) = cell(&deeper, "a-second-look");
    assert!(
        prose.contains("[the kernel](01-first.ipynb#The-kernel)"),
        "{prose}"
    );
    assert!(
        prose.contains("<img src=\"../book/src/img/lanes.svg\" alt"),
        "{prose}"
    );
}

#[test]
fn writing_again_changes_nothing_and_stale_notebooks_are_told() {
    let (_folder, root) = project();
    let folder = root.join("notebooks");
    let first = PathBuf::from("notebooks/01-first.ipynb");
    let deeper = PathBuf::from("notebooks/01-01-deeper.ipynb");
    assert_eq!(
        check_notebooks(&root, &NoSource).expect("a check"),
        [
            Stale::Missing(first.clone()),
            Stale::Missing(deeper.clone())
        ]
    );
    write_notebooks(&root, &NoSource).expect("notebooks");
    let before = fs::read(root.join(&first)).expect("a notebook");
    assert_eq!(check_notebooks(&root, &NoSource).expect("a check"), []);
    // A reader's own notebook, and one that is no notebook, are left alone.
    fs::write(folder.join("mine.ipynb"), r#"{"cells":[],"metadata":{}}"#).expect("a file");
    fs::write(folder.join("odd.ipynb"), "not JSON").expect("a file");
    fs::copy(root.join(&first), folder.join("07-old.ipynb")).expect("a copy");
    let edited = String::from_utf8(before.clone())
        .expect("text")
        .replace("let one", "let two");
    fs::write(root.join(&first), edited).expect("a file");
    let stale = check_notebooks(&root, &NoSource).expect("a check");
    assert!(matches!(&stale[0], Stale::Differs(path, line) if *path == first && *line > 1));
    assert_eq!(stale[1..], [Stale::Extra("notebooks/07-old.ipynb".into())]);
    let refused = write_notebooks(&root, &NoSource).expect_err("an edited notebook");
    assert!(
        matches!(&refused, Error::Edited(edited) if *edited == [first.clone()]),
        "{refused}"
    );
    let kept = fs::read_to_string(root.join(&first)).expect("a notebook");
    assert!(kept.contains("let two"), "{kept}");
    // As JupyterLab writes it without a change, it may be written over.
    let value: Value = serde_json::from_slice(&before).expect("JSON");
    fs::write(root.join(&first), value.to_string()).expect("a file");
    write_notebooks(&root, &NoSource).expect("notebooks");
    assert_eq!(fs::read(root.join(&first)).expect("a notebook"), before);
    assert!(folder.join("mine.ipynb").exists() && folder.join("odd.ipynb").exists());
    assert!(!folder.join("07-old.ipynb").exists());
    assert_eq!(check_notebooks(&root, &NoSource).expect("a check"), []);
}

#[test]
fn an_edit_of_one_cell_leaves_the_others_ids_alone() {
    let (_folder, root) = project();
    let ids = |root: &Path| -> Vec<String> {
        write_notebooks(root, &NoSource).expect("notebooks");
        let notebook = read(root, "01-first.ipynb");
        let cells = notebook["cells"].as_array().expect("cells").clone();
        cells.iter().map(|cell| cell["id"].to_string()).collect()
    };
    let before = ids(&root);
    let chapter = root.join("book/src/first.md");
    let text = fs::read_to_string(&chapter).expect("a chapter");
    fs::write(&chapter, text.replace("let one = 1", "let one = 2")).expect("a chapter");
    assert_eq!(ids(&root), before);
}

#[test]
fn what_cannot_be_a_notebook_is_told_and_nothing_is_written() {
    let (_folder, root) = project();
    let chapter = root.join("book/src/part/deeper.md");
    let text = fs::read_to_string(&chapter).expect("a chapter");
    fs::write(&chapter, format!("{text}\n{{{{#include x.md}}}}\n")).expect("a chapter");
    let error = write_notebooks(&root, &NoSource)
        .expect_err("an include")
        .to_string();
    assert!(
        error.starts_with("book/src/part/deeper.md:11: `{{#include x.md}}`: there is no such"),
        "{error}"
    );
    assert!(!root.join("notebooks").exists());
}

#[test]
fn a_second_file_of_one_name_is_a_notebook_by_its_title() {
    let (_folder, root) = project();
    let summary = |text: &str| fs::write(root.join("book/src/SUMMARY.md"), text);
    summary("- [A](same.md)\n- [Same again](part/same.md)\n").expect("a summary");
    for file in ["book/src/same.md", "book/src/part/same.md"] {
        fs::write(root.join(file), "```rust cell\n1\n```\n").expect("a chapter");
    }
    let written = write_notebooks(&root, &NoSource).expect("notebooks");
    let names = ["notebooks/01-same.ipynb", "notebooks/02-same-again.ipynb"];
    assert_eq!(written, names.map(PathBuf::from));
    // Without numbers, a third of the same title cannot be told from the second.
    fs::create_dir_all(root.join("book/src/other")).expect("a folder");
    fs::write(
        root.join("book/src/other/same.md"),
        "```rust cell\n1\n```\n",
    )
    .expect("a chapter");
    summary("[A](same.md)\n[B](part/same.md)\n[B](other/same.md)\n").expect("a summary");
    assert!(matches!(
        write_notebooks(&root, &NoSource),
        Err(Error::SameNotebook { .. })
    ));
}

#[test]
fn a_question_is_its_choices_a_hidden_cell_that_decides_and_one_to_answer_in() {
    let (_folder, root) = project_of("questions");
    write_notebooks(&root, &NoSource).expect("notebooks");
    let notebook = read(&root, "01-asked.ipynb");
    let (_, listed) = cell(&notebook, "after-cell-1");
    assert_eq!(listed, "- `0`\n- `1`: a `single` one, and no more\n- `8`");
    let (decides, source) = cell(&notebook, "question-barriers");
    assert_eq!(decides["metadata"]["jupyter"]["source_hidden"], true);
    assert!(
        source.contains(".choice(r#\"0\"#, r#\"\"#, r#\"One stays: see deeper.\"#)"),
        "{source}"
    );
    assert!(source.contains("That was 8, in the tree."), "{source}");
    assert!(
        !source.contains(".decided()"),
        "the answer is not told: {source}"
    );
    let (answer, source) = cell(&notebook, "answer-barriers");
    assert_eq!(source, "barriers.answer(\"\")");
    assert!(answer["metadata"]["jupyter"].is_null());
    let (_, source) = cell(&notebook, "question-bytes");
    assert!(
        source.contains(".otherwise(r#\"Look it up.\"#)"),
        "{source}"
    );
    assert_eq!(check_notebooks(&root, &NoSource).expect("a check"), []);
}
