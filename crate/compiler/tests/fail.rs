//! What is refused, word for word. `CORNERTURN_BLESS=1` writes the words anew.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use cornerturn_compiler::{Options, compile};
use std::path::Path;

/// The names of a source's kernels, and one that it has not.
fn entries(source: &str) -> Vec<&str> {
    let kernels = source.split("__global__").skip(1);
    let heads = kernels.filter_map(|kernel| kernel.split('(').next()?.split_whitespace().last());
    heads.chain(["nobody"]).collect()
}

#[test]
fn mistakes_are_told_with_their_place_and_what_to_do() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fail");
    let bless = std::env::var_os("CORNERTURN_BLESS").is_some();
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "cu") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        let source = std::fs::read_to_string(&path).unwrap();
        let found = match compile(&source, &name, &Options::default()) {
            Ok(_) => panic!("{name} compiles"),
            Err(error) => error.to_string(),
        };
        // The same is said where one of the kernels is wanted.
        for entry in entries(&source) {
            let options = Options {
                entry: Some(entry.to_string()),
                ..Options::default()
            };
            let of_one = compile(&source, &name, &options).unwrap_err();
            assert_eq!(of_one.to_string(), found, "{name}, {entry}");
        }
        let words = path.with_extension("txt");
        if bless {
            std::fs::write(&words, &found).unwrap();
        }
        assert_eq!(
            found,
            std::fs::read_to_string(&words).unwrap_or_default(),
            "{name}"
        );
        count += 1;
    }
    assert!(count >= 20, "only {count} fixtures");
}
