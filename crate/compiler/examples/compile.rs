//! Compiles files of CUDA C++: `cargo run -p cornerturn-compiler --example compile -- FILE.cu [ARCH [ENTRY]]`, PTX to the output:
//! of the kernel ENTRY, or of all.

use cornerturn_compiler::{Options, compile};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("usage: compile FILE.cu [ARCH [ENTRY]]");
        std::process::exit(2);
    };
    let options = Options {
        arch: arguments.next().unwrap_or_else(|| "compute_75".to_string()),
        entry: arguments.next(),
        ..Options::default()
    };
    let source = match std::fs::read_to_string(&file) {
        Ok(source) => source,
        Err(error) => {
            eprintln!("{file}: {error}");
            std::process::exit(2);
        }
    };
    let name = file.rsplit('/').next().unwrap_or(&file);
    match compile(&source, name, &options) {
        Ok(compiled) => {
            eprint!("{}", compiled.warnings);
            println!("{}", compiled.ptx);
        }
        Err(diagnostics) => {
            eprint!("{diagnostics}");
            std::process::exit(1);
        }
    }
}
