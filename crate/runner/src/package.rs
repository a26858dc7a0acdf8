//! Verb `package`: makes what is installed without building: a wheel and an archive, with the book's pages in the binary. What a binary does with its packs is `carried`'s.

mod archive;
mod trial;

use crate::{exit, output, pack, wheels};
use anyhow::Context as _;
use cornerturn::paths;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Make the wheel and the archive: the small binary with kernels, records and the built pages inside
///
/// They are written into target/package. maturin makes the wheel; it is installed from PyPI below target/ the first time.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The built pages [default: target/book/html]
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,

    /// Install the wheel into an empty environment, and use it where there is no clone
    #[arg(long = "try")]
    trial: bool,
}

/// The most bytes of a wheel.
const MOST_BYTES: u64 = 25_000_000;

/// What a page must load for its laboratory, from the folder of the pages.
const LABORATORY: [&str; 2] = ["lab/engine.js", "lab/compiler.js"];

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let root = paths::chosen()?.ok_or_else(|| {
        exit::usage("a wheel is made of the project's sources: run this in a clone, or set CORNERTURN_HOME to one")
    })?;
    let pages = match &args.pages {
        Some(folder) => std::path::absolute(folder)?,
        None => root.join("target").join("book").join("html"),
    };
    check(&pages)?;
    let into = root.join("target").join("package");
    let packs = write_packs(&root, &pages, &into.join("packs"))?;
    let wheel = build(&root, &packs, &into)?;
    let archive = archive::write(&root, &wheel, &into)?;
    for file in [&wheel, &archive] {
        let bytes = fs::metadata(file)?.len();
        output::line(format_args!(
            "{}: {:.1} MB",
            file.display(),
            bytes as f64 / 1e6
        ))?;
        if bytes > MOST_BYTES {
            return Err(exit::wrong(format!(
                "{} has {bytes} bytes, more than {MOST_BYTES}",
                file.display()
            )));
        }
    }
    if args.trial {
        trial::run(&root, &wheel, &pages, &into)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses pages that are not there, or have no laboratory.
fn check(pages: &Path) -> anyhow::Result<()> {
    let needed = ["index.html"].into_iter().chain(LABORATORY);
    for name in needed {
        if !pages.join(name).is_file() {
            return Err(exit::usage(format!(
                "the pages in {} have no {name}: `cargo book` builds them, with their laboratory where `rustup target add \
                 wasm32-unknown-unknown` was run",
                pages.display()
            )));
        }
    }
    Ok(())
}

/// Writes the two packs, unless they are as they would be written.
fn write_packs(root: &Path, pages: &Path, into: &Path) -> anyhow::Result<PathBuf> {
    let mut project = BTreeMap::new();
    for folder in ["kernels", "book/results"] {
        let files = pack::files_below(&root.join(folder))?.into_iter();
        project.extend(files.map(|(name, path)| (format!("{folder}/{name}"), path)));
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        project.insert(name.to_string(), root.join(name));
    }
    for (name, files) in [("project", project), ("pages", pack::files_below(pages)?)] {
        output::step(format!("packing {} files of the {name}", files.len()));
        let packed = pack::pack(&files)?;
        let file = into.join(format!("{name}.pack"));
        // The time of a file that stays tells cargo that nothing is to be built.
        if fs::read(&file).ok().as_ref() != Some(&packed) {
            output::write_whole(&file, &packed)?;
        }
    }
    Ok(into.to_path_buf())
}

/// Lets maturin build the wheel.
fn build(root: &Path, packs: &Path, into: &Path) -> anyhow::Result<PathBuf> {
    let installed = wheels::MATURIN.install(root)?;
    let program = format!("maturin{}", std::env::consts::EXE_SUFFIX);
    let maturin = wheels::find(&installed, &program).ok_or_else(|| {
        exit::lacks(format!(
            "{} has no {program}; remove that folder and run this again",
            installed.display()
        ))
    })?;
    let out = into.join("wheels");
    // What an earlier one made may have another name.
    if out.exists() {
        fs::remove_dir_all(&out).with_context(|| out.display().to_string())?;
    }
    output::step("building the wheel");
    let mut command = Command::new(&maturin);
    command.current_dir(root.join("crate").join("runner"));
    command.args([
        "build",
        "--release",
        "--locked",
        "--no-default-features",
        // The libraries are those of the whole binary, which are built already; what is not used is not in it.
        "--features",
        "book-libraries",
        "--out",
    ]);
    command.arg(&out).env("CORNERTURN_PACK", packs);
    let made = command.stdin(Stdio::null()).output();
    let made =
        made.map_err(|error| exit::lacks(format!("cannot start {}: {error}", maturin.display())))?;
    if !made.status.success() {
        return Err(exit::wrong(format!(
            "maturin could not build the wheel:\n{}",
            String::from_utf8_lossy(&made.stderr)
        )));
    }
    let wheels = fs::read_dir(&out)?.flatten().map(|entry| entry.path());
    let mut wheels = wheels.filter(|path| path.extension().is_some_and(|ending| ending == "whl"));
    wheels
        .next()
        .ok_or_else(|| exit::wrong(format!("maturin has left no wheel in {}", out.display())))
}
