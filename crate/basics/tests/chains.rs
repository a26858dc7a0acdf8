//! Holds the packages to the chains that `book/src/architecture.md` draws: each file and folder of a package stands in its row, and imports only what stands before it.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Packages without a row: another test holds the folders of the emulator, `crate/emulator/tests/folders.rs`; two files of
/// the fuzz targets build kernels together; and a file of the page's engine is one of the page's compiler too, and calls the
/// face of either.
const OTHERS: [&str; 5] = [
    "crate/cuda/src",
    "crate/emulator/src",
    "crate/emulator/fuzz/src",
    "crate/model/src",
    "crate/page/src",
];

/// The folders of sources of the workspace's packages, as the root manifest lists them.
fn members() -> Vec<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let list = manifest.split("members = [").nth(1).unwrap();
    let list = list.split(']').next().unwrap();
    let folders = list.split('"').skip(1).step_by(2);
    let sources = folders.map(|folder| format!("{folder}/src"));
    sources
        .filter(|source| !OTHERS.contains(&source.as_str()))
        .collect()
}

/// How many files and folders a package has beside its face.
fn modules(package: &str) -> usize {
    let mut found = Vec::new();
    sources(&root().join(package), None, &mut found);
    let modules = found.into_iter().map(|(room, _)| room);
    let modules: BTreeSet<String> = modules
        .filter(|room| !matches!(room.as_str(), "lib" | "main" | "tests"))
        .collect();
    modules.len()
}

/// The rows of the table: a package's folder of sources, and what is in it from the ground up.
fn chains() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(root().join("book/src/architecture.md")).unwrap();
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.split('|');
        let source = cells.next()?.trim().trim_end_matches('`').to_string();
        let names = cells.next()?.split('`').skip(1).step_by(2);
        source
            .ends_with("/src")
            .then(|| (source, names.map(str::to_string).collect::<Vec<_>>()))
    };
    let rows = text.lines().filter_map(row);
    // A row of the other table names a package, and no chain.
    rows.filter(|(_, names)| names.len() > 1).collect()
}

/// The modules that a source names by `crate::`, without its comments and what follows its tests.
fn imported(text: &str) -> BTreeSet<String> {
    let code = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let lines = code
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let code: Vec<&str> = lines.collect();
    let code = code.join("\n");
    let mut modules = BTreeSet::new();
    for (at, path) in code.match_indices("crate::") {
        if code[..at].ends_with('$') {
            continue;
        }
        let rest = code[at + path.len()..].trim_start();
        let list = match rest.strip_prefix('{') {
            Some(list) => list.split("};").next().unwrap_or_default(),
            None => rest,
        };
        let words = match rest.starts_with('{') {
            true => first_words(list),
            false => vec![word(list)],
        };
        modules.extend(words.into_iter().filter(|word| !word.is_empty()));
    }
    modules
}

/// A source `depth` modules below its package's root, with the paths that lead there by `super` written as `crate`.
fn from_the_root(text: &str, depth: usize) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("super::") {
        let (before, climb) = rest.split_at(at);
        written.push_str(before);
        let path = climb.trim_start_matches("super::");
        let steps = &climb[..climb.len() - path.len()];
        // Another climb is a nested module's.
        let leads_there = steps.len() == depth * "super::".len();
        written.push_str(if leads_there { "crate::" } else { steps });
        rest = path;
    }
    written + rest
}

/// What a path of a braced list begins with, each.
fn first_words(list: &str) -> Vec<String> {
    let mut depth = 0;
    let mut words = Vec::new();
    let mut start = 0;
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                words.push(word(list[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    words.push(word(list[start..].trim()));
    words
}

fn word(text: &str) -> String {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    text[..end.unwrap_or(text.len())].to_string()
}

/// Where the names live that a package's root passes on: `pub use clocks::Clocks;`.
fn passed_on(root: &str) -> BTreeMap<String, String> {
    let items = root.split(';').filter_map(|item| {
        let path = item.trim_start().strip_prefix("pub use ")?;
        path.split_once("::")
            .filter(|(module, _)| *module != "crate")
    });
    let names = items.flat_map(|(module, names)| {
        let names = names.trim_matches(|c| matches!(c, '{' | '}'));
        first_words(names)
            .into_iter()
            .map(|name| (name, module.to_string()))
    });
    names.collect()
}

/// The sources of a package, each with the file or folder of the chain that it belongs to.
fn sources(folder: &Path, room: Option<&str>, found: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_string();
        let room = room.unwrap_or(&stem);
        if path.is_dir() {
            sources(&path, Some(room), found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((room.to_string(), path));
        }
    }
}

#[test]
fn each_package_is_the_chain_that_is_drawn() {
    let chains = chains();
    for package in members() {
        let modules = modules(&package);
        assert!(
            modules < 3 || chains.iter().any(|(drawn, _)| drawn == &package),
            "{package} has {modules} modules and no row"
        );
    }
    let problems: Vec<String> = chains
        .iter()
        .flat_map(|(package, chain)| problems(package, chain))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Where a package is not as its row says.
fn problems(package: &str, chain: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    let place = |room: &str| chain.iter().position(|name| name == room);
    let mut found = Vec::new();
    sources(&root().join(package), None, &mut found);
    // The face of the package and its tests stand above the chain.
    found.retain(|(room, file)| {
        let is_test = |part: &std::ffi::OsStr| part == "tests" || part == "tests.rs";
        !matches!(room.as_str(), "lib" | "main") && !file.iter().any(is_test)
    });
    let face = fs::read_to_string(root().join(package).join("lib.rs")).unwrap_or_default();
    let passed_on = passed_on(&face);
    for (room, file) in &found {
        let Some(own) = place(room) else {
            problems.push(format!("{package}: `{room}` is in no place of the chain"));
            continue;
        };
        let text = fs::read_to_string(file).unwrap();
        let depth = file
            .strip_prefix(root().join(package))
            .unwrap()
            .iter()
            .count();
        for other in imported(&from_the_root(&text, depth)) {
            let other = passed_on.get(&other).cloned().unwrap_or(other);
            if place(&other).is_none_or(|other| other > own) {
                problems.push(format!(
                    "{package}: `{room}` imports `{other}`, which does not stand before it ({})",
                    file.file_name().unwrap().display()
                ));
            }
        }
    }
    for name in chain
        .iter()
        .filter(|name| !found.iter().any(|(room, _)| room == *name))
    {
        problems.push(format!("{package}: there is no `{name}`"));
    }
    problems
}

#[test]
fn imports_are_seen_in_every_form() {
    let text = "use crate::a::B;\nuse crate::{c, d::{E, f}, g};\n// crate::h\nfn x() { crate::i::j(); }\n\
                macro_rules! m { () => { $crate::k } }\n#[cfg(test)]\nmod tests {\n    use crate::l;\n}\n";
    let found: Vec<String> = imported(text).into_iter().collect();
    assert_eq!(found, ["a", "c", "d", "g", "i"]);
}

#[test]
fn a_climb_to_the_root_is_an_import_from_there() {
    let text = "use super::a::B;\nuse super::super::c;\nuse super::super::{d, e::F};\n";
    let found = |depth| {
        imported(&from_the_root(text, depth))
            .into_iter()
            .collect::<Vec<_>>()
    };
    assert_eq!(found(1), ["a"]);
    assert_eq!(found(2), ["c", "d", "e"]);
}
