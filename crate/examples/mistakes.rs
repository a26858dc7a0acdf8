//! Compiles the planted mistakes of the emulator's tests and their corrected twins: `cargo run -p cornerturn --example mistakes`. What is expected of them is in `crate/emulator/tests/mistakes.rs`.

use cornerturn::compile::{ARCH, Nvrtc};
use cornerturn::paths;
use cornerturn::registry::{Stamp, sha256};
use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = paths::root()?.join("crate/emulator/tests/fail");
    let compiler = Nvrtc::open()?;
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "cu") {
            compile(&compiler, &path)?;
        }
    }
    Ok(())
}

/// One file of CUDA C++: as it is, and with `FIXED` defined.
fn compile(compiler: &Nvrtc, path: &Path) -> Result<(), Box<dyn Error>> {
    let source = fs::read_to_string(path)?;
    if !source.contains("//# mistake ") {
        return Ok(());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let arch = source
        .lines()
        .find_map(|line| line.strip_prefix("//# arch "))
        .unwrap_or(ARCH);
    let (major, minor) = compiler.version()?;
    let stamp = Stamp {
        source: sha256(source.as_bytes()),
        compiler: format!("nvrtc-{major}.{minor}"),
        arch: arch.to_string(),
    };
    // `#line` keeps the numbers of the lines.
    let fixed = format!("#define FIXED\n#line 1 \"{name}\"\n{source}");
    for (text, extension) in [(&source, "ptx"), (&fixed, "fixed.ptx")] {
        let compiled = compiler.compile(text, &name, arch)?;
        let output = path.with_extension(extension);
        fs::write(&output, format!("{stamp}\n{}", compiled.ptx))?;
        println!("{}", output.display());
        if !compiled.log.is_empty() {
            println!("{}", compiled.log);
        }
    }
    Ok(())
}
