//! Whether NVIDIA's assembler takes our PTX: run where `CORNERTURN_PTXAS` is its path, else skipped. Where `CORNERTURN_NO_SKIP` is
//! set, that is a failure.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod common;

use cornerturn_compiler::{Options, compile};
use std::path::Path;
use std::process::Command;

#[test]
fn the_assembler_takes_the_books_kernels_and_the_fixtures() {
    let Some(ptxas) = std::env::var_os("CORNERTURN_PTXAS") else {
        let is_forbidden = std::env::var_os("CORNERTURN_NO_SKIP").is_some();
        assert!(!is_forbidden, "CORNERTURN_PTXAS is not set");
        println!("skipped: CORNERTURN_PTXAS is not set");
        return;
    };
    let folder = std::env::temp_dir().join(format!("cornerturn-ptxas-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut tried = std::collections::HashSet::new();
    let matrices = common::registered()
        .into_iter()
        .map(|case| (case.file, case.arch));
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pass");
    let fixtures = std::fs::read_dir(fixtures)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
        .map(|path| {
            let source = std::fs::read_to_string(&path).unwrap();
            (path.display().to_string(), common::arch_of(&source))
        });
    let products = common::products();
    let products = products.into_iter().map(|(file, arch, _)| (file, arch));
    for (file, arch) in matrices.chain(products).chain(fixtures) {
        if !tried.insert(file.clone()) {
            continue;
        }
        let source = std::fs::read_to_string(common::kernels().join(&file)).unwrap();
        let options = Options {
            arch: arch.clone(),
            ..Options::default()
        };
        let compiled = compile(&source, "kernel.cu", &options);
        let compiled = compiled.unwrap_or_else(|error| panic!("{file}: {error}"));
        let ptx = folder.join("kernel.ptx");
        std::fs::write(&ptx, compiled.ptx).unwrap();
        let arch = arch.replace("compute_", "sm_");
        let result = Command::new(&ptxas)
            .arg(format!("-arch={arch}"))
            .args(["-o", if cfg!(windows) { "NUL" } else { "/dev/null" }])
            .arg(&ptx)
            .output()
            .unwrap();
        assert!(
            result.status.success(),
            "{}: {}",
            file,
            String::from_utf8_lossy(&result.stderr)
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(tried.len(), 315);
}
