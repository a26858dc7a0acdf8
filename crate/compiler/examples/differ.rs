//! Compares our PTX with a reference for the exercises' kernels: `differ FOLDER`, where each ID__VARIANT.cu has the
//! reference's PTX beside it, as NVRTC makes it. ID is an exercise's, or `test` for kernels of that name.

#![allow(clippy::unwrap_used, reason = "a tool for who works on the compiler")]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Case, Compared, compare, exercises, fixture};
use cornerturn_compiler::{Options, compile};

fn main() {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: differ FOLDER");
        std::process::exit(2);
    };
    let known = exercises();
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    let (mut all, mut equal, mut results) = (0, 0, 0);
    for path in files
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
    {
        let name = path.file_stem().unwrap().to_string_lossy().to_string();
        let id = name.split("__").next().unwrap();
        let Ok(theirs) = std::fs::read_to_string(path.with_extension("ptx")) else {
            continue;
        };
        let source = std::fs::read_to_string(path).unwrap();
        let case = match (known.iter().find(|case| case.id == id), id) {
            (Some(case), _) => case.clone(),
            (None, "test") => fixture(id, &source),
            (None, _) => continue,
        };
        let target = theirs
            .lines()
            .find_map(|line| line.strip_prefix(".target sm_"))
            .unwrap_or("75");
        let options = Options {
            arch: format!("compute_{}", target.trim()),
            ..Options::default()
        };
        let case = Case {
            file: name.clone(),
            ..case
        };
        let ours = match compile(&source, "kernel.cu", &options) {
            Ok(compiled) => compiled.ptx,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let result = compare(&ours, &theirs, &source, &case);
        match &result {
            Compared::NoReference(reason) => println!("{name}: not compared: {reason}"),
            other => {
                all += 1;
                equal += usize::from(*other == Compared::Equal);
                results += usize::from(matches!(
                    other,
                    Compared::Equal | Compared::OtherCounters(_)
                ));
                if *other != Compared::Equal {
                    println!("{name}: {other:?}");
                }
            }
        }
    }
    println!("of {all} compared {results} give equal results, {equal} equal counters");
}
