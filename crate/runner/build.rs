//! Bakes the commit and its day into the binary, so that a record made on a machine without git says what measured, and
//! tells the sources of the packs that the binary is to carry, if any.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a measurement depends on that is built in, from the package's folder. Kernels are read when they run.
const SOURCES: [&str; 6] = [
    "../src",
    "../basics/src",
    "../compiler/src",
    "../emulator/src",
    "src",
    "../Cargo.toml",
];

fn main() {
    for path in SOURCES {
        watch(Path::new(path));
    }
    let is_ours = is_own_repository();
    if is_ours {
        watch_commit();
    }
    let unknown = || "unknown".to_string();
    let commit = is_ours.then(commit).flatten().unwrap_or_else(unknown);
    let of_commit = || git(&["log", "-1", "--format=%cs"]).filter(|_| is_ours);
    let day = given_day().or_else(of_commit).unwrap_or_else(unknown);
    println!("cargo::rustc-env=CORNERTURN_BUILT_FROM={commit}");
    println!("cargo::rustc-env=CORNERTURN_BUILT_FROM_DAY={day}");
    packs();
}

/// Where `CORNERTURN_PACK` names a folder, the packs in it are built in: see `src/carried.rs`.
fn packs() {
    println!("cargo::rustc-check-cfg=cfg(packed)");
    println!("cargo::rerun-if-env-changed=CORNERTURN_PACK");
    let Some(folder) = packs_folder() else {
        return;
    };
    println!("cargo::rustc-cfg=packed");
    for name in ["project", "pages"] {
        let pack = folder.join(name).with_extension("pack");
        if !pack.is_file() || !pack.is_absolute() {
            println!(
                "cargo::error=CORNERTURN_PACK must be the whole path of a folder with project.pack and pages.pack, and {} \
                 is none of these; `cornerturn package` makes them",
                pack.display()
            );
        }
        println!("cargo::rerun-if-changed={}", pack.display());
        let variable = name.to_uppercase();
        println!(
            "cargo::rustc-env=CORNERTURN_{variable}_PACK={}",
            pack.display()
        );
    }
}

fn packs_folder() -> Option<PathBuf> {
    let named = std::env::var_os("CORNERTURN_PACK").filter(|folder| !folder.is_empty());
    named.map(PathBuf::from)
}

/// Tells cargo to run this again when a file changes. Of one that is not there it would think so each time.
fn watch(path: &Path) -> bool {
    let is_there = path.exists();
    if is_there {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    is_there
}

/// Watches what changes when another commit is checked out: HEAD, and the branch that it names, which stands in a file
/// of its own or among the packed ones. Git knows where these are in a work tree beside the first.
fn watch_commit() {
    let file = |name: &str| git(&["rev-parse", "--git-path", name]).map(PathBuf::from);
    for name in ["HEAD", "logs/HEAD", "packed-refs"] {
        if let Some(file) = file(name) {
            watch(&file);
        }
    }
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    if let Some(branch) = branch.and_then(|branch| file(&branch)) {
        // A packed one gets its file at the next commit, in the nearest folder that is there.
        let mut nearest = branch.ancestors();
        nearest.find(|path| watch(path));
    }
}

/// Whether git's repository here is the project's: its sources may lie within another's.
fn is_own_repository() -> bool {
    let top = git(&["rev-parse", "--show-toplevel"]);
    let top = top.and_then(|top| Path::new(&top).canonicalize().ok());
    top.is_some() && top == Path::new("../..").canonicalize().ok()
}

/// The commit's hash, with `-dirty` where what is built in differs from it: of the kernels, `record` asks when it runs.
fn commit() -> Option<String> {
    let hash = git(&["rev-parse", "--short=12", "HEAD"])?;
    let mut ask = vec!["status", "--porcelain", "--", "../../crate"];
    if packs_folder().is_some() {
        ask.push("../../kernels");
    }
    let changes = git(&ask)?;
    Some(if changes.is_empty() {
        hash
    } else {
        format!("{hash}-dirty")
    })
}

/// The day that `SOURCE_DATE_EPOCH` gives, in seconds since 1970.
fn given_day() -> Option<String> {
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let seconds: u64 = std::env::var("SOURCE_DATE_EPOCH")
        .ok()?
        .trim()
        .parse()
        .ok()?;
    // From the first of March of the year 0: leap days then come last in a year, and in 400 years.
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + u64::from(month <= 2);
    Some(format!("{year}-{month:02}-{day:02}"))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}
