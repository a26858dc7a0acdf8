//! Holds the documents to the project: a path that they name exists, and so does a test that they say to run. A filter that fits no test would pass in silence.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// What documents speak of that is in the repository; what is made by a command is not.
const FOLDERS: [&str; 6] = ["crate", "book", "kernels", "notebooks", ".ci", ".cargo"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below a folder, but for what is built.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("target") => {}
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// The files of the repository that documents speak of, relative to its root.
fn project() -> Vec<String> {
    let root = root();
    let mut found = Vec::new();
    for folder in FOLDERS {
        files(&root.join(folder), &mut found);
    }
    let relative = |path: &PathBuf| path.strip_prefix(&root).unwrap().display().to_string();
    found.iter().map(relative).collect()
}

/// The documents, each with its text.
fn documents() -> Vec<(String, String)> {
    let mut found = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    files(&root().join("book/src"), &mut found);
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().display().to_string();
        (name, fs::read_to_string(path).unwrap())
    };
    found.into_iter().map(read).collect()
}

/// The words in a text that are set as code and look like paths.
fn paths(text: &str) -> Vec<&str> {
    let plain = |word: &&str| {
        let is_plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
        word.contains('/') && word.chars().all(is_plain) && !word.starts_with(['/', '-'])
    };
    let lines = text.lines();
    lines
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(plain)
        .collect()
}

/// Whether a path leads to something: from the root, or for a source from any folder of sources.
fn exists(path: &str, project: &[String]) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    if FOLDERS.contains(&first) {
        return root().join(path).exists();
    }
    let end = format!("/{path}");
    !path.ends_with(".rs") || project.iter().any(|file| file.ends_with(&end))
}

/// A command that runs tests, as a document gives it.
#[derive(Debug, PartialEq)]
struct Run {
    package: Option<String>,
    /// The file of tests; `None` for those in the sources.
    target: Option<String>,
    filter: Option<String>,
}

fn runs(text: &str) -> Vec<Run> {
    let after = text
        .match_indices("cargo test")
        .map(|(at, words)| &text[at + words.len()..]);
    after.map(run).collect()
}

fn run(text: &str) -> Run {
    let mut run = Run {
        package: None,
        target: None,
        filter: None,
    };
    // The code ends with its mark, or with the line in a block.
    let code = text.split('`').next().unwrap_or_default();
    let mut words = code.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "-p" => run.package = words.next().map(str::to_string),
            "--test" => run.target = words.next().map(str::to_string),
            "--" | "cargo" | "#" => break,
            flag if flag.starts_with('-') => {}
            filter => {
                run.filter = Some(filter.to_string());
                break;
            }
        }
    }
    run
}

/// What is wrong with a command of a document, if anything. A test that the document has its reader write counts.
fn mistake(run: &Run, project: &[String], document: &str) -> Option<String> {
    let package = run.package.as_ref()?;
    let manifest = project.iter().find(|file| {
        let named = || fs::read_to_string(root().join(file)).unwrap();
        file.ends_with("Cargo.toml") && named().contains(&format!("name = \"{package}\"\n"))
    });
    let Some(folder) = manifest.and_then(|file| file.strip_suffix("Cargo.toml")) else {
        return Some(format!("there is no package `{package}`"));
    };
    let places = match &run.target {
        Some(target) => [
            format!("{folder}tests/{target}.rs"),
            format!("{folder}tests/{target}/"),
        ],
        None => [format!("{folder}src/"), format!("{folder}src/")],
    };
    let mut sources = project
        .iter()
        .filter(|file| places.iter().any(|place| file.starts_with(place)))
        .filter(|file| file.ends_with(".rs"))
        .peekable();
    if sources.peek().is_none() {
        return Some(format!("{package} has no tests in {}", places[0]));
    }
    let filter = run.filter.as_ref()?;
    let source = |file: &String| fs::read_to_string(root().join(file)).unwrap();
    let found = has_test(document, filter) || sources.any(|file| has_test(&source(file), filter));
    (!found).then(|| format!("no test of {package} fits `{filter}`"))
}

/// Whether a source has a test whose path a filter fits, by its own name or that of its module.
fn has_test(source: &str, filter: &str) -> bool {
    let name = filter.rsplit("::").next().unwrap_or(filter);
    let named = |(at, _): (usize, &str)| {
        let rest = &source[at + "fn ".len()..];
        let end = rest.find('(').unwrap_or(0);
        rest[..end].contains(name)
    };
    source.match_indices("fn ").any(named)
}

#[test]
fn the_paths_that_documents_name_exist() {
    let project = project();
    let mut wrong = Vec::new();
    for (document, text) in documents() {
        let missing = paths(&text)
            .into_iter()
            .filter(|path| !exists(path, &project));
        wrong.extend(missing.map(|path| format!("{document}: there is no `{path}`")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_tests_that_documents_name_exist() {
    let project = project();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (document, text) in documents() {
        for run in runs(&text) {
            seen += usize::from(run.filter.is_some());
            let mistake = mistake(&run, &project, &text);
            wrong.extend(mistake.map(|mistake| format!("{document}: {mistake}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 0, "no document names a test");
}

#[test]
fn a_name_that_is_none_is_noticed() {
    let project = project();
    let first = |text: &str| runs(text).remove(0);
    let here = first("run `cargo test -p cornerturn-basics --test\n  documents a_name_that` twice");
    assert_eq!(here.target.as_deref(), Some("documents"));
    assert_eq!(mistake(&here, &project, ""), None);
    for wrong in [
        "`cargo test -p cornerturn-basics --test documents no_such_test`",
        "`cargo test -p cornerturn-basics --lib documents`",
        "`cargo test -p cornerturn-basics --test nothing`",
        "`cargo test -p cornerturn-nothing`",
    ] {
        assert!(mistake(&first(wrong), &project, "").is_some(), "{wrong}");
    }
    let text = "`crate/basics/tests/documents.rs`, `tests/documents.rs`, `crate/no.rs`, `no/documents.rs`, `a/b`";
    let found: Vec<_> = paths(text)
        .into_iter()
        .filter(|path| !exists(path, &project))
        .collect();
    assert_eq!(found, ["crate/no.rs", "no/documents.rs"]);
}
