//! The book's kernels: our PTX against NVRTC's, both run in the emulator.

mod common;

use common::{Compared, compare, kernels, registered};
use cornerturn_compiler::{Options, compile};

#[test]
fn the_books_kernels_give_the_results_and_the_counters_of_nvrtcs() {
    let cases = registered();
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
                println!("{}: other counters: {reason}", case.id);
            }
            Compared::OtherResults(reason) | Compared::Fails(reason) => {
                compared += 1;
                println!("{}: other results: {reason}", case.id);
            }
        }
    }
    println!("{compiled} of {} compile; of {compared} compared {same_results} give equal results, {same_counters} equal counters", cases.len());
}
