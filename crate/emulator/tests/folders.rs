//! The folders of the sources form a chain: each takes only from those before it.

use std::path::{Path, PathBuf};

/// The chain, as `lib.rs` draws it.
const CHAIN: [&str; 23] = [
    "error",
    "sorted",
    "counters",
    "touched",
    "streams",
    "report",
    "advice",
    "diagnostics",
    "tensor_map",
    "texture",
    "surface",
    "parse",
    "program",
    "memory",
    "check",
    "machine",
    "operations",
    "decode",
    "instructions",
    "table",
    "module",
    "launch",
    "run",
];

#[test]
fn each_folder_takes_only_from_those_before_it() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut wrong, mut arrows) = (Vec::new(), 0);
    for path in files(&sources) {
        let below = path.strip_prefix(&sources).expect("a file below src");
        let folder = below.components().next().expect("a name").as_os_str();
        let folder = folder.to_str().expect("a name in UTF-8");
        let folder = folder.trim_end_matches(".rs");
        if folder == "lib" {
            continue;
        }
        let rank = rank(folder);
        let text = std::fs::read_to_string(&path).expect("a source");
        for taken in taken(&text) {
            arrows += 1;
            if self::rank(&taken) > rank {
                wrong.push(format!("{}: crate::{taken}", below.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "against the chain: {wrong:#?}");
    assert!(arrows > 100, "no imports were found");
}

fn rank(folder: &str) -> usize {
    let rank = CHAIN.iter().position(|name| *name == folder);
    rank.unwrap_or_else(|| panic!("`{folder}` has no place in the chain"))
}

/// All sources below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// What stands behind each `crate::`, comments left out: a name, or several in braces.
fn taken(text: &str) -> Vec<String> {
    let code: Vec<&str> = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect();
    let code = code.join("\n");
    let mut names = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(list) => names.extend(heads(list)),
            None => names.push(head(rest)),
        }
    }
    names
}

/// The first name of each path in braces.
fn heads(list: &str) -> Vec<String> {
    let (mut depth, mut start, mut names) = (0, 0, Vec::new());
    for (at, mark) in list.char_indices() {
        match mark {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.push(head(list[start..at].trim()));
                start = at + 1;
                if mark == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn head(path: &str) -> String {
    let is_name = |mark: &char| mark.is_ascii_alphanumeric() || *mark == '_';
    path.chars().take_while(is_name).collect()
}
