//! Whether NVIDIA's assembler takes our PTX: run where `CORNERTURN_PTXAS` is its path, else nothing is tried.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod common;

use cornerturn_compiler::{Options, compile};
use std::process::Command;

#[test]
fn the_assembler_takes_the_books_kernels() {
    let Some(ptxas) = std::env::var_os("CORNERTURN_PTXAS") else {
        println!("CORNERTURN_PTXAS is not set: nothing was tried");
        return;
    };
    let folder = std::env::temp_dir().join(format!("cornerturn-ptxas-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut tried = std::collections::HashSet::new();
    let matrices = common::registered()
        .into_iter()
        .map(|case| (case.file, case.arch));
    for (file, arch) in matrices.chain(common::products()) {
        if !tried.insert(file.clone()) {
            continue;
        }
        let source = std::fs::read_to_string(common::kernels().join(&file)).unwrap();
        let options = Options {
            arch: arch.clone(),
            ..Options::default()
        };
        let compiled = match compile(&source, "kernel.cu", &options) {
            Ok(compiled) => compiled,
            Err(gap) if gap.is_gap() => {
                tried.remove(&file);
                continue;
            }
            Err(error) => panic!("{error}"),
        };
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
    assert_eq!(tried.len(), 135);
}
