//! The index of a book: which pages stand behind a kernel, a counter and a term, and that no kernel of the project is without one.

use crate::book::load;
use crate::chapter::{Chapter, Item};
use crate::index::write;
use crate::kernels::Registry;
use crate::preprocess::chapters;
use std::fs;
use std::path::Path;

const KERNELS: &str = "[[kernel]]\nid = \"sevens\"\nfile = \"sevens.cu\"\nchapter = \"part/first\"\n\n\
                       [[work]]\nid = \"alone\"\nfile = \"alone.cu\"\nchapter = \"second\"\n";
const GLOSSARY: &str =
    "# Glossary\n\n## Warp {#warp}\n<!-- also: warps -->\nThirty-two.\n\n## Bank {#bank}\nOne.\n";
const COUNTER: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";

/// A project of some chapters, each a file and its text, with the kernels above.
fn project(pages: &[(&str, &str)]) -> (tempfile::TempDir, Registry, Vec<Chapter>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kernels = folder.path().join("kernels");
    fs::create_dir(&kernels).expect("a folder");
    fs::write(kernels.join("kernels.toml"), KERNELS).expect("a file");
    fs::write(kernels.join("sevens.cu"), "int sevens;\n").expect("a file");
    let registry = Registry::load(folder.path()).expect("a registry");
    let parse = |(path, text): &(&str, &str)| {
        let (path, file) = (Path::new(path), Path::new("book/src").join(path));
        let chapter = Chapter::parse("A page", path, &file, text, &registry);
        let mut chapter = chapter.expect("a chapter");
        if path != Path::new("preface.md") {
            chapter.number = "01".to_owned();
        }
        chapter
    };
    let chapters = pages.iter().map(parse).collect();
    (folder, registry, chapters)
}

/// The lists of a page, one behind the other.
fn lists(chapter: &Chapter) -> String {
    let lists = chapter.items.iter().filter_map(|item| match item {
        Item::Overview(item) => Some(item.text.as_str()),
        _ => None,
    });
    lists.collect()
}

#[test]
fn each_list_names_the_pages_that_treat_a_thing() {
    let one = format!("# One\n\nA warp, warps and a bank. `{COUNTER}`, `…_op_ld.sum`\n");
    let (_folder, registry, mut chapters) = project(&[
        ("preface.md", "# Preface\n\nWarps, `sevens`.\n"),
        ("one.md", &one),
        (
            "part/first.md",
            "# First\n\n{{#kernel sevens}}\n\nA warp.\n",
        ),
        (
            "part/second.md",
            "# Second\n\n`sevens` again, a warp, `sevensome`.\n",
        ),
        ("part/third.md", "# Third\n\nWarp, `warp`, and warp.\n"),
        ("glossary.md", GLOSSARY),
        (
            "part/index.md",
            "# Index\n\n{{#index kernels}}\n\n{{#index counters}}\n\n{{#index terms}}\n",
        ),
    ]);
    write(&mut chapters, &registry).expect("an index");
    let wanted = format!(
        "\n| kernel | chapter | also shown or named in |\n| --- | --- | --- |\n\
         | `alone` | [Second](second.md) |  |\n\
         | `sevens` | [First](first.md) | [Preface](../preface.md), [Second](second.md) |\n\n\
         \n| counter | named in |\n| --- | --- |\n| `{COUNTER}` | [One](../one.md) |\n\n\
         \n| term | used most in |\n| --- | --- |\n\
         | [Bank](../glossary.md#bank) | [One](../one.md) |\n\
         | [Warp](../glossary.md#warp) | [One](../one.md), [First](first.md), [Third](third.md) |\n\n"
    );
    assert_eq!(lists(&chapters[6]), wanted);
}

#[test]
fn a_list_that_there_is_not_is_told_with_its_place() {
    let (_folder, registry, _) = project(&[]);
    let path = Path::new("a.md");
    let told = |text: &str| {
        let error = Chapter::parse("A", path, path, text, &registry).expect_err(text);
        error.to_string()
    };
    assert_eq!(
        told("# A\n\n{{#index people}}\n"),
        "a.md:3: `{{#index people}}` is none; there are `kernels`, `counters` and `terms`"
    );
    assert_eq!(
        told("# A\n\n{{#exercises kernels}}\n"),
        "a.md:3: `{{#exercises kernels}}` is none; there are `schedule` and `notes`"
    );
}

#[test]
fn the_index_of_this_book_leaves_no_kernel_without_a_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let book = load(&root).expect("the book");
    let registry = Registry::load(&root).expect("the registry");
    let chapters = chapters(&book.config.book.src, &book.book, &registry).expect("chapters");
    let page = |name: &str| chapters.iter().find(|c| c.path == Path::new(name));
    let index = lists(page("index-of-terms.md").expect("the book's index"));
    for id in registry.ids() {
        let row = index
            .lines()
            .find(|line| line.starts_with(&format!("| `{id}` |")));
        assert!(row.is_some_and(|row| row.contains("](")), "{id}: {row:?}");
    }
    let rows = |head: &str| {
        let list = index.split(head).nth(1).expect("a list");
        list.lines()
            .skip(2)
            .take_while(|line| !line.is_empty())
            .count()
    };
    assert!(rows("| counter | named in |") > 20, "{index}");
    assert!(rows("| term | used most in |") > 60, "{index}");
}
