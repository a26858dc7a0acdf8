//! The book's kernels: our PTX against NVRTC's, both run in the emulator.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod common;

use common::{Compared, compare, kernels, registered};
use cornerturn_compiler::{Options, compile};

/// Kernels whose counters are not those of NVRTC's PTX, and why.
const OTHER_COUNTERS: [(&str, &str); 2] = [
    (
        "limit_u16",
        "the last elements are put into shared memory by a wider store than NVRTC's",
    ),
    (
        "limit_u8",
        "the last elements are put into shared memory by wider stores than NVRTC's",
    ),
];

/// Kernels in which accesses stand on other lines than NVRTC's, and why.
const OTHER_LINES: [(&str, &str); 8] = [
    ("limit_u16", "the wider store of OTHER_COUNTERS"),
    ("own_local_8", MOVED),
    ("own_local_32", MOVED),
    ("own_shared_8", MOVED),
    ("own_shared_32", MOVED),
    ("own_lanes_8", MOVED),
    ("own_lanes_32", MOVED),
    ("batch_norm", MOVED),
];

const MOVED: &str = "NVRTC moves a load out of a loop before it unrolls that, and has it on the line before the loop";

#[test]
fn the_books_kernels_give_the_results_and_the_counters_of_nvrtcs() {
    let cases = registered();
    let (mut others, mut other_lines) = (Vec::new(), Vec::new());
    let (mut compiled, mut same_results, mut same_counters, mut compared) = (0, 0, 0, 0);
    for case in &cases {
        let path = kernels().join(&case.file);
        let source = std::fs::read_to_string(&path).unwrap();
        let theirs = std::fs::read_to_string(path.with_extension("ptx")).unwrap();
        let options = Options {
            arch: case.arch.clone(),
            ..Options::default()
        };
        let name = case.file.rsplit('/').next().unwrap();
        let ours = match compile(&source, name, &options) {
            Ok(compiled) => compiled.ptx,
            Err(error) => {
                println!("{}: does not compile: {error}", case.id);
                continue;
            }
        };
        compiled += 1;
        if let Err(reason) = common::same_lines(&ours, &theirs, &source, case) {
            println!("{}: other lines: {reason}", case.id);
            other_lines.push(case.id.clone());
        }
        let result = compare(&ours, &theirs, &source, case);
        match &result {
            Compared::NoReference(reason) => println!("{}: not compared: {reason}", case.id),
            Compared::Equal => {
                compared += 1;
                same_results += 1;
                same_counters += 1;
            }
            Compared::OtherCounters(reason) => {
                compared += 1;
                same_results += 1;
                others.push(case.id.clone());
                let is_known = OTHER_COUNTERS.iter().any(|(id, _)| *id == case.id);
                assert!(is_known, "{}: other counters: {reason}", case.id);
            }
            Compared::OtherResults(reason) | Compared::Fails(reason) => {
                compared += 1;
                println!("{}: other results: {reason}", case.id);
            }
        }
    }
    assert_eq!(cases.len(), 168);
    assert_eq!((compiled, compared, same_results), (168, 168, 168));
    let known: Vec<&str> = OTHER_LINES.iter().map(|(id, _)| *id).collect();
    assert_eq!(other_lines, known);
    let known: Vec<&str> = OTHER_COUNTERS.iter().map(|(id, _)| *id).collect();
    assert_eq!(others, known);
    assert_eq!(same_counters, 168 - known.len());
}

#[test]
fn the_books_products_compile() {
    let text = std::fs::read_to_string(kernels().join("kernels.toml")).unwrap();
    let registry: toml::Table = text.parse().unwrap();
    for product in registry["product"].as_array().unwrap() {
        let text = |key: &str| product[key].as_str().unwrap();
        let source = std::fs::read_to_string(kernels().join(text("file"))).unwrap();
        let options = Options {
            arch: text("arch").to_string(),
            ..Options::default()
        };
        match compile(&source, "product.cu", &options) {
            Ok(compiled) => {
                let entry = format!(".visible .entry {}(", text("entry"));
                assert!(compiled.ptx.contains(&entry), "{}", text("id"));
            }
            Err(why) => panic!("{}: {why}", text("id")),
        }
    }
}

/// The instructions of an entry, without lines of the source, as if it were the first.
fn instructions(ptx: &str, entry: &str) -> Vec<String> {
    let head = format!(".visible .entry {entry}(");
    let (before, own) = ptx.split_once(&head).unwrap_or_default();
    let number = before.matches(".visible .entry ").count();
    let lines = own.lines().take_while(|line| *line != "}");
    let instructions = lines.filter(|line| !line.starts_with("\t.loc"));
    let first = |line: &str| {
        ["$L__BB", "$L__BE", "__local_depot"]
            .iter()
            .fold(line.to_string(), |line, name| {
                line.replace(&format!("{name}{number}"), &format!("{name}0"))
            })
    };
    instructions.map(first).collect()
}

#[test]
fn of_several_kernels_the_wanted_one_is_as_it_is_beside_the_others() {
    let registered = common::registered().into_iter();
    let mut kernels: Vec<_> = registered
        .map(|case| (case.file, case.arch, case.entry))
        .collect();
    kernels.extend(common::products());
    let mut whole = std::collections::HashMap::new();
    for (file, arch, entry) in kernels {
        let source = std::fs::read_to_string(common::kernels().join(&file)).unwrap();
        let compiled = |entry: Option<String>| {
            let options = Options {
                arch: arch.clone(),
                entry,
                ..Options::default()
            };
            compile(&source, "k.cu", &options).unwrap().ptx
        };
        let all = whole
            .entry((file.clone(), arch.clone()))
            .or_insert_with(|| compiled(None));
        let one = compiled(Some(entry.clone()));
        assert_eq!(one.matches(".visible .entry ").count(), 1, "{file} {entry}");
        let (alone, beside) = (instructions(&one, &entry), instructions(all, &entry));
        assert!(!alone.is_empty(), "{file} {entry}");
        assert!(alone == beside, "{file} {entry}");
    }
}
