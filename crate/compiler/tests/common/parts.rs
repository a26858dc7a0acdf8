//! The exercises' sources, cut into what a participant starts with, solutions and wrong answers.

use std::path::{Path, PathBuf};

/// All that have a kernel, with names.
pub fn all() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in sources(&super::kernels().join("exercises")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for variant in variants(&text) {
            let source = cut(&text, &variant);
            if source.contains("__global__") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                found.push((format!("{name} {variant}"), source));
            }
        }
    }
    found
}

/// The parts of a source that belong to all, and of each choice the variant's part, else the solution's.
fn cut(text: &str, variant: &str) -> String {
    let mut whole = String::new();
    let mut parts: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("//@ ") {
            Some("end") => {
                let find = |wanted: &str| {
                    parts
                        .iter()
                        .find(|(name, _)| name == wanted)
                        .map(|(_, part)| part.clone())
                };
                whole.push_str(
                    &find(variant)
                        .or_else(|| find("solution"))
                        .unwrap_or_default(),
                );
                parts.clear();
            }
            Some(name) => parts.push((name.trim().to_string(), String::new())),
            None => {
                let into = parts.last_mut().map_or(&mut whole, |(_, part)| part);
                into.push_str(line);
                into.push('\n');
            }
        }
    }
    whole
}

fn variants(text: &str) -> Vec<String> {
    let mut names: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//@ "))
        .map(|name| name.trim().to_string())
        .collect();
    names.retain(|name| name != "end");
    names.sort();
    names.dedup();
    if names.is_empty() {
        names.push("solution".to_string());
    }
    names
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "cu") {
            found.push(path);
        }
    }
    found.sort();
    found
}
