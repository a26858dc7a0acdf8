//! Exercises as chapters place them: their notebooks, the overviews, and what is said of mistakes.

use cornerturn_preprocessor::values::NoSource;
use cornerturn_preprocessor::{Stale, check_notebooks, write_notebooks};
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
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("project");
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/exercises"),
        &root,
    );
    (folder, root)
}

fn edit(root: &Path, name: &str, old: &str, new: &str) {
    let text = fs::read_to_string(root.join(name)).expect("a file");
    assert!(text.contains(old), "{old} in {name}");
    fs::write(root.join(name), text.replace(old, new)).expect("a file");
}

/// Each cell's id and source.
fn cells(root: &Path, name: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(root.join(name)).expect("a notebook");
    let notebook: Value = serde_json::from_str(&text).expect("JSON");
    let cells = notebook["cells"].as_array().expect("cells").iter();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    cells
        .map(|cell| {
            let lines = cell["source"].as_array().expect("lines").iter();
            (text(&cell["id"]), lines.map(text).collect())
        })
        .collect()
}

#[test]
fn each_exercise_is_a_notebook_and_its_page_is_none() {
    let (_folder, root) = project();
    let written = write_notebooks(&root, &NoSource).expect("notebooks");
    let names = [
        "notebooks/exercises/add.ipynb",
        "notebooks/exercises/guess-it.ipynb",
    ];
    assert_eq!(written, names.map(PathBuf::from));
    let cells = cells(&root, names[0]);
    let ids: Vec<_> = cells.iter().map(|(id, _)| id.as_str()).collect();
    let hints = ["after-check", "after-check-2", "after-check-3"];
    let expected = ["an-addition", "cell-1", "the-task", "source", "check"];
    assert_eq!(ids, [&expected[..], &hints[..]].concat());
    assert!(
        cells[0].1.contains("Write a kernel, 7 minutes."),
        "{}",
        cells[0].1
    );
    assert!(
        cells[0].1.contains("(../../book/src/sums.md)"),
        "{}",
        cells[0].1
    );
    assert_eq!(
        cells[1].1, ":dep helper = { path = \"../../helper\" }\nlet ready = 1;",
        "one folder further down"
    );
    assert!(
        cells[2].1.contains("[the chapter](../../book/src/sums.md)"),
        "{}",
        cells[2].1
    );
    assert_eq!(
        cells[3].1, "let source = r##\"// \"#\" in a comment\nint a; // TODO\n\"##;",
        "the starter, and nothing of the solution"
    );
    assert_eq!(
        cells[4].1,
        "let verdict = exercise::check(\"add\", source)?;\nverdict"
    );
    assert!(
        cells[6]
            .1
            .contains("<summary>Hint 2</summary>\n\nSecond `code`.\n\n</details>")
    );
}

#[test]
fn a_changed_exercise_makes_its_notebook_stale_and_no_other() {
    let (_folder, root) = project();
    write_notebooks(&root, &NoSource).expect("notebooks");
    edit(
        &root,
        "kernels/exercises/add.cu",
        "int a = b;",
        "int a = c;",
    );
    assert_eq!(
        check_notebooks(&root, &NoSource).expect("a check"),
        [],
        "a wrong answer is not shown"
    );
    edit(&root, "kernels/exercises/add.cu", "int a; //", "int aa; //");
    let stale = check_notebooks(&root, &NoSource).expect("a check");
    assert!(
        matches!(&stale[..], [Stale::Differs(path, _)] if path.ends_with("exercises/add.ipynb")),
        "{stale:?}"
    );
    // One that no page places any more is told, a participant's own is not.
    let folder = root.join("notebooks/exercises");
    fs::copy(folder.join("add.ipynb"), folder.join("old.ipynb")).expect("a copy");
    fs::write(folder.join("mine.ipynb"), r#"{"cells":[],"metadata":{}}"#).expect("a file");
    write_notebooks(&root, &NoSource).expect("notebooks");
    assert!(folder.join("mine.ipynb").exists() && !folder.join("old.ipynb").exists());
}

#[test]
fn mistakes_are_told_with_their_place() {
    let list = "kernels/exercises/exercises.toml";
    let page = "book/src/work/sums.md";
    let cases = [
        (
            page,
            "{{#exercise add}}",
            "{{#exercise sub}}",
            "book/src/work/sums.md:10: no exercise `sub` in",
        ),
        (
            page,
            "{{#exercise add}}",
            "{{#exercise}}",
            "book/src/work/sums.md:10: write `{{#exercise ID}}` alone",
        ),
        (
            page,
            "{{#exercise add}}",
            "- {{#exercise add}}",
            "book/src/work/sums.md:10: `{{#exercise ID}}` must stand",
        ),
        (
            page,
            "{{#exercise add}}",
            "",
            "kernels/exercises/exercises.toml: `add` stands on no page",
        ),
        (
            page,
            "{{#exercise guess-it}}",
            "{{#exercise guess-it}}\n\n{{#exercise add}}",
            "book/src/work/sums.md:14: `add` stands in",
        ),
        (
            "book/src/work/all.md",
            "exercises notes",
            "exercises note",
            "book/src/work/all.md:5: `{{#exercises note}}` is none",
        ),
        (
            list,
            "minutes = 7",
            "minutes = \"7\"",
            "kernels/exercises/exercises.toml: `add`: invalid type",
        ),
        (
            list,
            "id = \"guess-it\"",
            "id = \"add\"",
            "kernels/exercises/exercises.toml: there are two exercises `add`",
        ),
        (
            list,
            "id = \"add\"",
            "id = \"gone\"",
            "kernels/exercises/gone.cu: the starter of `gone` cannot be read",
        ),
        (
            list,
            "chapter = \"sums\"",
            "chapter = \"none\"",
            "kernels/exercises/exercises.toml: `add` belongs to the chapter `none`",
        ),
        (
            "kernels/exercises/add.cu",
            "//@ end",
            "",
            "kernels/exercises/add.cu:2: the choice that opens here is still open",
        ),
    ];
    for (file, old, new, wanted) in cases {
        let (_folder, root) = project();
        edit(&root, file, old, new);
        let told = write_notebooks(&root, &NoSource)
            .expect_err(wanted)
            .to_string();
        assert!(told.starts_with(wanted), "told: {told}\n  wanted: {wanted}");
        assert!(!root.join("notebooks").exists());
    }
}
