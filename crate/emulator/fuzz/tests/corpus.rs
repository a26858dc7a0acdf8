//! What libFuzzer kept, replayed; and kernels from seeds.

use std::fs;
use std::path::{Path, PathBuf};

use cornerturn_emulator::Module;
use cornerturn_emulator_fuzz::choices::Random;
use cornerturn_emulator_fuzz::forms::{alone, families};
use cornerturn_emulator_fuzz::kernel::{HEADER, Shape, unit};
use cornerturn_emulator_fuzz::properties;

fn replay(folder: &str, property: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|file| file.expect("a readable folder").path())
        .collect();
    files.sort();
    assert!(files.len() > 20, "{} has few files", folder.display());
    for file in files {
        // The test's output names the file that breaks.
        println!("{}", file.display());
        property(&fs::read(&file).expect("a readable file"));
    }
}

#[test]
fn texts_of_the_corpus() {
    replay("parse", properties::text);
}

#[test]
fn kernels_of_the_corpus() {
    replay("kernel", properties::kernel);
}

#[test]
fn kernels_from_seeds() {
    for seed in 0..200 {
        println!("seed {seed}");
        properties::kernel(&Random(seed).bytes(900));
    }
}

#[test]
fn every_form_loads() {
    let shape = Shape {
        blocks: 1,
        threads: 32,
    };
    let mut refused = Vec::new();
    for form in families().iter().flatten().chain(&alone()) {
        let kernel = unit("unit", form, shape);
        let loaded = Module::load(&format!("{HEADER}{}", kernel.text));
        if let Err(error) = loaded.and_then(|module| module.entry("unit").map(drop)) {
            refused.push(format!("{}: {error}", form.opcode));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
