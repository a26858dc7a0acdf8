//! Why a launch is slow, as `cornerturn launch` says it: the kernels of `why/slow`, each with the kind and line of what is to be said first, and those of `why/good`, of which nothing is.

use crate::support::{Outcome, Scratch, kernels, note};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.join("tests/cli/why").join(name)
}

fn launch(scratch: &Scratch, name: &str, text: &str, more: &[&str]) -> Outcome {
    scratch.write(name, text);
    let mut words = vec!["launch", name, "--compiler", "cornerturn"];
    words.extend(note(text, "launch").unwrap().split(' '));
    words.extend(more);
    scratch.run(&words)
}

#[test]
fn slow_kernels_are_told_what_is_slow_and_where() {
    let scratch = Scratch::new("slow");
    let mut wrong = Vec::new();
    for (name, text) in kernels("why/slow") {
        let outcome = launch(&scratch, &name, &text, &["--json"]);
        assert_eq!(outcome.status, 0, "{name}: {outcome:?}");
        let json = outcome.json();
        let advice = &json["advice"][0];
        let (kind, line) = (&advice["kind"], advice["line"].as_u64().unwrap_or(0));
        let told = format!("{} {line}", kind.as_str().unwrap_or("nothing"));
        if Some(told.as_str()) != note(&text, "first") {
            wrong.push(format!("{name}: {told}: {}", json["advice"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_said_of_good_kernels() {
    let scratch = Scratch::new("good");
    for (name, text) in kernels("why/good") {
        let outcome = launch(&scratch, &name, &text, &["--json"]);
        assert_eq!(outcome.status, 0, "{name}: {outcome:?}");
        let json = outcome.json();
        assert_eq!(json["advice"], Value::Array(Vec::new()), "{name}");
    }
}

#[test]
fn advice_comes_before_the_tables_and_says_how_much() {
    let scratch = Scratch::new("why-text");
    let text = std::fs::read_to_string(folder("slow/stride_two.cu")).unwrap();
    let outcome = launch(&scratch, "k.cu", &text, &[]);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(
        lines[1].starts_with("1. line 5: neighbouring lanes are 8 bytes apart: each load of a warp touches 8 sectors where 4 would do, 67 % of the launch's: at most 1.5 times fewer sectors in all."),
        "{}",
        outcome.stdout
    );
    assert!(lines[1].ends_with("(chapter Coalescing)."), "{}", lines[1]);
    assert!(lines[2].contains("not counted: what lies behind L1"));
    let row = lines.iter().find(|line| line.contains("global load"));
    let cells: Vec<&str> = row.unwrap().split_whitespace().collect();
    assert_eq!(
        cells,
        ["5", "global", "load", "64", "8.0", "4.0", "66.7", "%"]
    );
    // Counters that are 0 only where one asks for them.
    let local = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
    assert!(!outcome.stdout.contains(local), "{}", outcome.stdout);
    let all = launch(&scratch, "k.cu", &text, &["--all"]);
    assert!(all.stdout.contains(local), "{}", all.stdout);
}

#[test]
fn the_chapters_that_advice_names_are_in_the_book() {
    let summary = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/SUMMARY.md");
    let summary = std::fs::read_to_string(summary).unwrap();
    let scratch = Scratch::new("chapters");
    let mut named = 0;
    for (name, text) in kernels("why/slow") {
        let json = launch(&scratch, &name, &text, &["--json"]).json();
        for advice in json["advice"].as_array().unwrap() {
            let [page, chapter] = ["page", "chapter"].map(|field| advice[field].as_str().unwrap());
            let link = format!("[{chapter}]({page}.md)");
            assert!(summary.contains(&link), "{link}");
            named += 1;
        }
    }
    assert!(named > 15, "{named}");
}
