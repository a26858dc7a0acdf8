//! What of C++ there is: each fixture's kernel `test`, by our PTX and by NVRTC's, which is committed beside it.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod common;

use common::{Compared, compare, fixture};
use cornerturn_compiler::{Options, compile};
use std::path::Path;

#[test]
fn fixtures_give_what_nvrtcs_ptx_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pass");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "cu") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        let source = std::fs::read_to_string(&path).unwrap();
        let theirs = std::fs::read_to_string(path.with_extension("ptx")).unwrap();
        let options = Options {
            arch: common::arch_of(&source),
            ..Options::default()
        };
        let ours = compile(&source, &name, &options).unwrap_or_else(|error| panic!("{error}"));
        match compare(&ours.ptx, &theirs, &source, &fixture(&name, &source)) {
            Compared::Equal => {}
            // Local arrays that are indexed at run time, and what is read again, NVRTC may access otherwise.
            Compared::OtherCounters(_) => {}
            other => panic!("{name}: {other:?}"),
        }
        count += 1;
    }
    assert_eq!(count, 80);
}
