//! The table of passes and their order, and what passes do, by examples.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

use cornerturn_compiler::{Ir, pass_order, passes};
use std::path::{Path, PathBuf};

#[test]
fn each_pass_runs_behind_those_that_it_needs() {
    let order = pass_order();
    for pass in passes() {
        let place = |name: &str| order.iter().position(|other| *other == name);
        let own = place(pass.name);
        assert!(own.is_some(), "{} is in no order", pass.name);
        for needed in pass.needs {
            let before = place(needed);
            assert!(
                before.is_some() && before < own,
                "{} runs before {needed}",
                pass.name
            );
        }
    }
}

#[test]
fn each_pass_has_a_name_of_its_own() {
    let mut names: Vec<_> = passes().iter().map(|pass| pass.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(pass_order().iter().all(|name| names.contains(name)));
}

/// What a pass does to the kernels of its folder in `passes`: what it makes of `NAME.ir` stands in `NAME.expected`, and kernels
/// whose names begin with `stays` are as they were. `CORNERTURN_BLESS=1` writes what is expected anew.
#[test]
fn passes_do_what_their_examples_say() {
    let bless = std::env::var_os("CORNERTURN_BLESS").is_some();
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in examples() {
        let pass = path
            .parent()
            .unwrap()
            .file_name()
            .unwrap()
            .to_string_lossy();
        let place = format!("{pass}/{}", path.file_stem().unwrap().to_string_lossy());
        let mut ir = match Ir::parse(&std::fs::read_to_string(&path).unwrap()) {
            Ok(ir) => ir,
            Err(error) => {
                wrong.push(format!("{place}: {error}"));
                continue;
            }
        };
        let before = ir.text();
        if let Err(error) = ir.run(&pass) {
            wrong.push(format!("{place}: {error}"));
        }
        let stays = place.contains("/stays");
        if stays != (before == ir.text()) {
            wrong.push(format!("{place}: changed or not, other than its name says"));
        }
        let expected = path.with_extension("expected");
        if !stays && bless {
            std::fs::write(&expected, ir.text()).unwrap();
        } else if !stays && std::fs::read_to_string(&expected).unwrap_or_default() != ir.text() {
            wrong.push(format!("{place}: it is now\n{}", ir.text()));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 57, "{count}");
}

/// Passes without an example, and why.
const WITHOUT: [(&str, &str); 0] = [];

#[test]
fn each_pass_has_an_example() {
    let examples = examples();
    for pass in passes() {
        let mut own = examples.iter().filter(|path| {
            let folder = path.parent().and_then(Path::file_name);
            folder.is_some_and(|folder| folder == pass.name)
        });
        let is_excused = WITHOUT.iter().any(|(name, _)| *name == pass.name);
        assert!(own.next().is_some() != is_excused, "{}", pass.name);
    }
}

/// The inputs of all passes, in their order.
fn examples() -> Vec<PathBuf> {
    let of = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let folders = of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes"));
    let mut files: Vec<PathBuf> = folders.iter().flat_map(|folder| of(folder)).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "ir"));
    files.sort();
    files
}
