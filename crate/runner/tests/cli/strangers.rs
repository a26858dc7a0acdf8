//! Kernels that were written without knowing the checks: those of `strangers/right` give no finding, and of those of `strangers/wrong` each mistake is found, by kind and at a line that is marked `//!`.

use crate::support::{Outcome, Scratch, kernels, note};
use serde_json::Value;

fn launch(scratch: &Scratch, name: &str, text: &str) -> Outcome {
    scratch.write(name, text);
    let mut words = vec!["launch", name, "--compiler", "cornerturn", "--json"];
    words.extend(note(text, "launch").unwrap().split(' '));
    scratch.run(&words)
}

/// Kind and line of all that was said.
fn said(json: &Value) -> Vec<(String, u64)> {
    let lists = [&json["findings"], &json["remarks"]];
    let all = lists.into_iter().filter_map(Value::as_array).flatten();
    all.map(|one| {
        let kind = one["kind"].as_str().unwrap_or_default().to_string();
        (kind, one["line"].as_u64().unwrap_or(0))
    })
    .collect()
}

#[test]
fn right_kernels_are_clean() {
    let scratch = Scratch::new("strangers-right");
    let mut wrong = Vec::new();
    for (name, text) in kernels("strangers/right") {
        let outcome = launch(&scratch, &name, &text);
        let said = said(&outcome.json());
        if outcome.status != 0 || !said.is_empty() {
            wrong.push(format!("{name}: status {}, {said:?}", outcome.status));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mistakes_are_found_by_kind_and_line() {
    let scratch = Scratch::new("strangers-wrong");
    let mut missed = Vec::new();
    for (name, text) in kernels("strangers/wrong") {
        let kinds: Vec<&str> = note(&text, "finds").unwrap().split(',').collect();
        let marked: Vec<u64> = (1..)
            .zip(text.lines())
            .filter_map(|(number, line)| line.contains("//!").then_some(number))
            .collect();
        let said = said(&launch(&scratch, &name, &text).json());
        let is_it = |(kind, line): &(String, u64)| {
            kinds.contains(&kind.as_str()) && (marked.is_empty() || marked.contains(line))
        };
        if !said.iter().any(is_it) {
            missed.push(format!(
                "{name}: {kinds:?} at {marked:?}, was told {said:?}"
            ));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
