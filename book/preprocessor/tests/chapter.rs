//! How a chapter is taken apart, and what is said of one that is not well written.

use cornerturn_preprocessor::Error;
use cornerturn_preprocessor::chapter::{Chapter, Item};
use cornerturn_preprocessor::kernels::Registry;
use std::fs;
use std::path::{Path, PathBuf};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/book")
}

fn parse(text: &str) -> Result<Chapter, Error> {
    let registry = Registry::load(&fixture()).expect("the fixture's registry");
    let file = Path::new("book/src/a.md");
    Chapter::parse(
        "Name in the summary",
        Path::new("a.md"),
        file,
        text,
        &registry,
    )
}

fn message(text: &str) -> String {
    parse(text).expect_err("a malformed chapter").to_string()
}

#[test]
fn prose_cells_and_kernels_come_in_order_with_their_lines() {
    let text = fs::read_to_string(fixture().join("book/src/first.md")).expect("a chapter");
    let chapter = parse(&text).expect("a chapter");
    assert_eq!(chapter.title, "First steps");
    let kinds: String = chapter
        .items
        .iter()
        .map(|item| match item {
            Item::Prose(_) => 'p',
            Item::Cell(_) => 'c',
            Item::Kernel(_) => 'k',
            Item::Exercise(_) | Item::Overview(_) => 'e',
            Item::Question(_) => 'q',
        })
        .collect();
    assert_eq!(kinds, "pcpkpcp");
    let cells = chapter.runnables();
    assert_eq!(
        cells.iter().map(|cell| cell.number).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert_eq!(
        cells
            .iter()
            .map(|cell| cell.expects_error)
            .collect::<Vec<_>>(),
        [false, false, true]
    );
    // Each line is the one where an editor finds the cell's first line of code.
    for cell in cells.iter().filter(|cell| cell.lines_match) {
        let written = text.lines().nth(cell.line - 1).expect("the line exists");
        assert!(
            written.ends_with(cell.source.lines().next().expect("a line")),
            "{written}"
        );
    }
    assert_eq!(
        text.lines().nth(cells[1].line - 1),
        Some("{{#kernel doubled}}")
    );
    // Nothing of the text is lost or doubled.
    for item in &chapter.items {
        if let Item::Prose(prose) = item {
            assert_eq!(prose.text.lines().next(), text.lines().nth(prose.line - 1));
        }
    }
}

#[test]
fn hidden_lines_lose_their_prefix_as_in_mdbook() {
    let text =
        "```rust cell\n# let a = 1;\n    # let b = 2;\n#\n## c\n#[d]\n#!e\nlet f = \"# g\";\n```\n";
    let cells = parse(text).expect("a chapter").runnables();
    assert_eq!(
        cells[0].source,
        "let a = 1;\n    let b = 2;\n\n# c\n#[d]\n#!e\nlet f = \"# g\";\n"
    );
}

#[test]
fn a_kernel_becomes_a_cell_with_its_source_to_the_last_byte() {
    let chapter = parse("{{#kernel doubled}}\n\n```rust cell\n1\n```\n").expect("a chapter");
    let source =
        fs::read_to_string(fixture().join("kernels/transpose/doubled.cu")).expect("a file");
    assert_eq!(
        chapter.runnables()[0].source,
        format!("let doubled = Kernel::cuda(r###\"{source}\"###)?;\n"),
        "with more `#` than the source has after a quote"
    );
}

#[test]
fn windows_lines_and_missing_last_newlines_change_nothing() {
    let text =
        "# T\r\n\r\n```rust cell\r\nlet a = 1;\r\na\r\n```\r\n\r\n{{#kernel doubled}}\r\nend";
    assert!(
        message(text).contains("alone in its paragraph"),
        "text follows on the next line"
    );
    let chapter = parse("# T\r\n\r\n```rust cell\r\nlet a = 1;\r\na\r\n```").expect("a chapter");
    assert_eq!(chapter.runnables()[0].source, "let a = 1;\na\n");
    let chapter = parse("```rust cell\n1\n```\n\n{{#kernel doubled}}").expect("a chapter");
    assert_eq!(chapter.runnables().len(), 2);
    // A kernel that no cell runs is only shown.
    let chapter = parse("{{#kernel doubled}}").expect("a chapter");
    assert!(!chapter.has_cells() && chapter.runnables().is_empty());
}

#[test]
fn longer_and_other_fences_are_cells_too() {
    for text in [
        "````rust cell\n```\n````\n",
        "~~~rust cell\n```\n~~~\n",
        "  ```rust,cell\n  ```\u{60}x\n  ```\n",
    ] {
        let cells = parse(text).expect("a chapter").runnables();
        assert_eq!(cells.len(), 1, "{text}");
    }
}

#[test]
fn malformed_chapters_are_told_with_their_line() {
    let cases = [
        (
            "# T\n\n```rust cell\nlet a = 1;\n",
            "book/src/a.md:3: this fence is never closed",
        ),
        (
            "# T\n\n```cpp\nint a;\n",
            "book/src/a.md:3: this fence is never closed",
        ),
        ("```rust cell\n```\n", "book/src/a.md:1: this cell is empty"),
        (
            "```rust cell loud\n1\n```\n",
            "book/src/a.md:1: a cell has no mark `loud`",
        ),
        (
            "- a\n\n  ```rust cell\n  1\n  ```\n",
            "book/src/a.md:3: a cell cannot stand inside a list",
        ),
        (
            "> ```rust cell\n> 1\n> ```\n",
            "book/src/a.md:1: a cell cannot stand inside a list",
        ),
        (
            "text\n\n{{#kernel nothing}}\n",
            "book/src/a.md:3: no kernel `nothing` in kernels/kernels.toml; it has: doubled, unused",
        ),
        (
            "{{#kernel}}\n",
            "book/src/a.md:1: write `{{#kernel ID}}` alone",
        ),
        (
            "{{#kernel doubled}} and more\n",
            "book/src/a.md:1: write `{{#kernel ID}}` alone",
        ),
        (
            "- {{#kernel doubled}}\n",
            "book/src/a.md:1: `{{#kernel ID}}` must stand alone",
        ),
    ];
    for (text, wanted) in cases {
        let told = message(text);
        assert!(
            told.starts_with(wanted),
            "{text:?}\n  told: {told}\n  wanted: {wanted}"
        );
    }
}

#[test]
fn a_kernels_missing_file_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("kernels")).expect("a folder");
    let toml = folder.path().join("kernels/kernels.toml");
    fs::write(&toml, "[[kernel]]\nid = \"lost\"\nfile = \"lost.cu\"\n").expect("a file");
    let registry = Registry::load(folder.path()).expect("a registry");
    let path = Path::new("a.md");
    let error =
        Chapter::parse("A", path, path, "{{#kernel lost}}\n", &registry).expect_err("a gap");
    assert!(
        error
            .to_string()
            .starts_with("kernels/lost.cu: the registry names this file"),
        "{error}"
    );
    fs::write(&toml, "[[kernel]]\nid = \"lost\"\n").expect("a file");
    let error = Registry::load(folder.path()).expect_err("a broken registry");
    assert!(
        error.to_string().contains("a [[kernel]] has no `file`"),
        "{error}"
    );
    fs::write(&toml, "[[kernel\n").expect("a file");
    assert!(Registry::load(folder.path()).is_err());
}

/// A question with these marks and choices.
fn question(info: &str, choices: &str) -> String {
    format!("# A\n\nAsked?\n\n```rust question {info}\n4\n```\n\n{choices}\nThe end.\n")
}

#[test]
fn a_question_takes_the_list_behind_its_code() {
    let choices = "- `4`\n  > As counted.\n- `5` five,\n  or so\n  > One too many.\n  > Really.\n";
    let chapter = parse(&question("lanes", choices)).expect("a chapter");
    let [Item::Prose(_), Item::Question(asked), Item::Prose(end)] = &chapter.items[..] else {
        panic!("{:?}", chapter.items);
    };
    assert_eq!(
        (asked.id.as_str(), asked.line, asked.computes),
        ("lanes", 6, false)
    );
    assert_eq!(asked.choices[1].label.text, "five,\nor so");
    assert_eq!(asked.choices[1].why.text, "One too many.\nReally.\n");
    assert_eq!(asked.choices[1].why.line, 13);
    assert!(end.text.contains("The end."));
    let cells = chapter.runnables();
    assert_eq!(cells[0].keys, ["4", "5"]);
    assert!(
        cells[0].source.contains("let lanes: Question = {"),
        "{}",
        cells[0].source
    );
    assert!(
        cells[0].source.ends_with("lanes.decided());\n"),
        "{}",
        cells[0].source
    );
}

#[test]
fn a_question_that_is_not_well_written_is_told_with_its_line() {
    let two = "- `4`\n  > Yes.\n- `5`\n  > No.\n";
    for (info, choices, wanted) in [
        (
            "",
            two,
            "book/src/a.md:5: a question is fenced as `rust question ID`",
        ),
        (
            "lanes often",
            two,
            "book/src/a.md:5: a question is fenced as",
        ),
        (
            "lanes",
            "No list.\n",
            "book/src/a.md:5: behind the code that decides",
        ),
        (
            "lanes",
            "- `4`\n  > Yes.\n",
            "book/src/a.md:5: a question needs two",
        ),
        (
            "lanes",
            "- `4`\n  > Yes.\n- `4.0`\n  > No.\n",
            "book/src/a.md:5: two choices are `4.0`",
        ),
        (
            "lanes",
            "- `4`\n- `5`\n  > No.\n",
            "book/src/a.md:5: the choice `4` does not say why",
        ),
        (
            "lanes",
            "- 4\n  > Yes.\n",
            "book/src/a.md:9: a choice is written as",
        ),
        (
            "lanes",
            "- `4\n  > Yes.\n",
            "book/src/a.md:9: the key of this choice",
        ),
        (
            "lanes compute",
            two,
            "book/src/a.md:5: a choice `else` says",
        ),
        (
            "lanes",
            "- `4`\n  > Yes.\n- `5`\n  > No.\n- `else`\n  > No.\n",
            "book/src/a.md:5: a choice `else` says",
        ),
    ] {
        let told = message(&question(info, choices));
        assert!(told.starts_with(wanted), "told: {told}\n  wanted: {wanted}");
    }
    let told = message("# A\n\n```rust question lanes\n4\n```\n");
    assert!(told.contains(":3: behind the code"), "{told}");
    let told = message("# A\n\n> ```rust question lanes\n> 4\n> ```\n");
    assert!(told.contains("inside a list"), "{told}");
}
