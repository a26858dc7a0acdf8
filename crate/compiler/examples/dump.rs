//! Writes what the compiler says of all that the book and its tests have: `dump FOLDER`, one file for each source. Where a
//! change is for speed alone, the folder is the same before and after it.

#![allow(clippy::unwrap_used, reason = "a tool for who works on the compiler")]

#[path = "../tests/common/mod.rs"]
mod common;

use cornerturn_compiler::{Options, compile};
use std::path::{Path, PathBuf};

fn main() {
    let Some(folder) = std::env::args().nth(1).map(PathBuf::from) else {
        eprintln!("usage: dump FOLDER");
        std::process::exit(2);
    };
    std::fs::create_dir_all(&folder).unwrap();
    let registered = common::registered().into_iter();
    let registered = registered.map(|case| (case.file, case.arch, case.entry));
    for (file, arch, entry) in registered.chain(common::products()) {
        let source = std::fs::read_to_string(common::kernels().join(&file)).unwrap();
        let file = file.replace('/', "_");
        dump(
            &folder.join(format!("{file}_{entry}")),
            &source,
            &arch,
            Some(entry),
        );
        dump(
            &folder.join(format!("{file}_{arch}_all")),
            &source,
            &arch,
            None,
        );
    }
    let mut files = Vec::new();
    sources(&common::kernels(), &mut files);
    for path in files {
        let source = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(common::kernels()).unwrap();
        let name = name.to_string_lossy().replace('/', "_");
        for arch in ["compute_75", "compute_90a"] {
            dump(
                &folder.join(format!("{name}_{arch}_file")),
                &source,
                arch,
                None,
            );
        }
    }
    for (name, source) in common::parts::all() {
        let name = name.replace(['/', ' '], "_");
        dump(&folder.join(name), &source, "compute_90a", None);
    }
    for kind in ["pass", "fail"] {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests")
            .join(kind);
        for entry in std::fs::read_dir(fixtures).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "cu") {
                let source = std::fs::read_to_string(&path).unwrap();
                let name = path.file_stem().unwrap().to_string_lossy();
                dump(
                    &folder.join(format!("{kind}_{name}")),
                    &source,
                    "compute_90a",
                    None,
                );
                // None of its kernels is wanted but this, if it has it: the others are read for their mistakes.
                let test = Some("test".to_string());
                dump(
                    &folder.join(format!("{kind}_{name}_test")),
                    &source,
                    "compute_90a",
                    test,
                );
            }
        }
    }
}

/// The sources in a folder and those below it.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "cu") {
            found.push(path);
        }
    }
}

/// PTX and warnings, or what is wrong.
fn dump(to: &Path, source: &str, arch: &str, entry: Option<String>) {
    let options = Options {
        arch: arch.to_string(),
        entry,
        ..Options::default()
    };
    let said = match compile(source, "kernel.cu", &options) {
        Ok(compiled) => compiled.warnings + &compiled.ptx,
        Err(error) => error.to_string(),
    };
    std::fs::write(to, said).unwrap();
}
