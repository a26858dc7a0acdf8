//! What the README points at is there, and is readable where it is read: a chapter's source, in which directives stand for kernels and numbers, is not.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

/// The targets of Markdown's links and pictures that are files.
fn targets(text: &str) -> Vec<&str> {
    let links = text.split("](").skip(1);
    let targets = links.filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    files.collect()
}

/// A text's first directive, outside of code.
fn directive(text: &str) -> Option<String> {
    let mut in_fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        let prose: String = line.split('`').step_by(2).collect();
        if !in_fence && let Some(at) = prose.find("{{#") {
            return Some(prose[at..].chars().take(40).collect());
        }
    }
    None
}

#[test]
fn what_readme_links_to_is_there_and_shows_no_directive() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let targets = targets(&readme);
    assert!(targets.len() > 10, "{targets:?}");
    for target in targets {
        let path = root.join(target.split('#').next().unwrap_or_default());
        assert!(
            path.exists(),
            "README.md links to {target}, which is not there"
        );
        if matches!(
            path.extension().and_then(|e| e.to_str()),
            Some("md" | "ipynb")
        ) {
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(directive(&text), None, "in {target}");
        }
    }
}

#[test]
fn a_directive_is_seen_in_prose_and_not_in_code() {
    assert_eq!(
        directive("Say `{{#kernel a}}`.\n```md\n{{#kernel a}}\n```\n"),
        None
    );
    let found = directive("It has {{#value l2_bytes()}} bytes.");
    assert_eq!(found.unwrap(), "{{#value l2_bytes()}} bytes.");
    assert_eq!(
        targets("[a](b.md#c) ![d](e.svg) [f](https://g) [h](#i)"),
        ["b.md#c", "e.svg"]
    );
}
