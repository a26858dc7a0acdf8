//! Verb `doctor`: what this machine has and lacks, and the fix for each. It changes nothing.

use crate::{output, wheels};
use cornerturn::compile::{IS_MADE, Nvrtc};
use cornerturn::{Device, MachineFacts, paths};
use cornerturn_basics::system::{GET_C_TOOLCHAIN, GET_PYTHON, PYTHON, environment_program};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Say what this machine has and lacks, with the fix for each
///
/// The exit status is 0 if what `cargo book` needs is there, else 4. Where there is no clone, and the book is in this program,
/// nothing is needed for it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON array instead of the table
    #[arg(long)]
    json: bool,
}

/// What something is needed for, the most needed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Need {
    /// `cargo book`
    Book,
    /// The book and the kernels that a program without a clone has
    Open,
    /// `cargo lab`
    Lab,
    /// Editing kernels
    EditedKernels,
    /// Timing
    Gpu,
    /// `cargo verify`, and only for a part that it skips otherwise
    Verify,
}

impl Need {
    fn words(self) -> &'static str {
        match self {
            Self::Book => "cargo book",
            Self::Open => "cornerturn open",
            Self::Lab => "cargo lab",
            Self::EditedKernels => "edited kernels",
            Self::Gpu => "time and bandwidth",
            Self::Verify => "cargo verify",
        }
    }
}

/// One thing looked for.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    needed_for: Need,
    present: bool,
    /// What was found, or why it counts as missing.
    found: String,
    /// What to do about it; empty where it is there.
    fix: String,
}

impl Check {
    fn new(name: &'static str, needed_for: Need, found: Result<String, String>, fix: &str) -> Self {
        let present = found.is_ok();
        Self {
            name,
            needed_for,
            present,
            found: found.unwrap_or_else(|reason| reason),
            fix: if present {
                String::new()
            } else {
                fix.to_string()
            },
        }
    }
}

/// The oldest Rust that builds the project, as Cargo.toml has it.
const OLDEST_RUST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let root = paths::root().ok();
    let is_carried = paths::is_carried();
    let mut checks = Vec::new();
    if is_carried {
        checks.push(carried(root.as_deref()));
    } else if cfg!(windows) {
        checks.push(not_on_windows());
    } else {
        checks.extend(toolchain());
        checks.extend(python(root.as_deref()));
    }
    checks.extend(compiler(root.as_deref()));
    checks.extend(gpu());
    if cfg!(not(windows)) && !is_carried {
        checks.extend(verify());
    }
    if args.json {
        output::json(&checks)?;
    } else {
        output::print(report(&checks))?;
    }
    let complete = checks
        .iter()
        .all(|check| check.present || !matches!(check.needed_for, Need::Book | Need::Open));
    Ok(if complete {
        ExitCode::SUCCESS
    } else {
        crate::exit::Status::Lacks.into()
    })
}

/// The book and the kernels are in this program.
fn carried(root: Option<&Path>) -> Check {
    let found = root.map(|root| format!("in this program; unpacked in {}", root.display()));
    Check::new(
        "book and kernels",
        Need::Open,
        found.ok_or("cannot be unpacked".to_string()),
        "`cornerturn list` says why",
    )
}

fn report(checks: &[Check]) -> String {
    let mut table = output::Table::new(["", "what", "for", "found"]);
    for check in checks {
        let sign = if check.present { "ok" } else { "--" };
        table.row([sign, check.name, check.needed_for.words(), &check.found]);
    }
    let mut text = table.render();
    let missing: Vec<&Check> = checks.iter().filter(|check| !check.present).collect();
    if missing.is_empty() {
        return text + "\nNothing is missing.\n";
    }
    text.push_str("\nWhat to do about what is missing:\n");
    for check in missing {
        text.push_str(&format!("  {}: {}\n", check.name, check.fix));
    }
    text
}

/// The book and the notebooks are not built on Windows itself, whatever is there.
fn not_on_windows() -> Check {
    Check::new(
        "book and notebooks",
        Need::Book,
        Err("not on Windows itself".to_string()),
        "build them in WSL2, and ask `cargo cornerturn doctor` there; all that runs kernels runs here",
    )
}

fn toolchain() -> Vec<Check> {
    let version = first_line("rustc", &["--version"]);
    let rust = version.and_then(|line| match rust_version(&line) {
        Some(version) if version >= rust_version(OLDEST_RUST).unwrap_or_default() => Ok(line),
        _ => Err(format!("{line}: too old")),
    });
    let sources = first_line("rustc", &["--print", "sysroot"]).and_then(|sysroot| {
        let path = Path::new(&sysroot).join("lib/rustlib/src/rust/library/std");
        match path.is_dir() {
            true => Ok("installed".to_string()),
            false => Err("not installed".to_string()),
        }
    });
    let linker = first_line("cc", &["--version"]);
    vec![
        Check::new(
            "Rust",
            Need::Book,
            rust,
            &format!(
                "install Rust {OLDEST_RUST} or later: rustup update stable, or see https://rustup.rs"
            ),
        ),
        #[cfg(feature = "book")]
        page_target(),
        Check::new(
            "rust-src",
            Need::Lab,
            sources,
            "rustup component add rust-src",
        ),
        Check::new(
            "C toolchain",
            Need::Book,
            linker,
            &format!("install a C compiler and linker ({GET_C_TOOLCHAIN})"),
        ),
    ]
}

/// What the pages' laboratory is built for.
#[cfg(feature = "book")]
fn page_target() -> Check {
    let found = match crate::toolchain::has_page_target() {
        Ok(true) => Ok("installed".to_string()),
        _ => Err("not installed; `cargo book` fetches it".to_string()),
    };
    let target = crate::toolchain::PAGE_TARGET;
    let fix = format!("rustup target add {target}");
    Check::new("WebAssembly target", Need::Book, found, &fix)
}

fn python(root: Option<&Path>) -> Vec<Check> {
    let version = first_line(PYTHON, &["--version"]);
    let venv = first_line(
        PYTHON,
        &["-c", "import ensurepip, venv; print('installed')"],
    )
    .map_err(|_| "not installed".to_string());
    let lab = root.map(|root| environment_program(&root.join("target/lab/venv"), "jupyter-lab"));
    let lab = match lab {
        // Asking for its version takes seconds.
        Some(program) if program.is_file() => Ok("set up".to_string()),
        _ => Err("not set up yet".to_string()),
    };
    vec![
        Check::new(
            "Python 3",
            Need::Lab,
            version,
            &format!("install Python 3.10 or later ({GET_PYTHON})"),
        ),
        Check::new(
            "Python's venv",
            Need::Lab,
            venv,
            &format!("install Python with its venv module ({GET_PYTHON})"),
        ),
        Check::new(
            "JupyterLab",
            Need::Lab,
            lab,
            "cargo lab sets it up below target/",
        ),
    ]
}

fn compiler(root: Option<&Path>) -> Vec<Check> {
    let nvrtc = Nvrtc::open().and_then(|nvrtc| Ok((nvrtc.info()?, nvrtc.path().to_path_buf())));
    let found = match nvrtc {
        Ok((info, path)) => Ok(format!("{info}, {}", path.display())),
        Err(error) => Err(root
            .filter(|root| wheels::NVRTC.is_installed(root))
            .map_or("not installed".to_string(), |_| error.to_string())),
    };
    let headers = root.filter(|root| wheels::HEADERS.is_installed(root));
    let chosen = cornerturn::compiler().map(|compiler| compiler.to_string());
    let install = paths::command("kernels --install-compiler");
    let without_nvrtc =
        format!("{install}; without it edited kernels are compiled by Corner Turn's own compiler");
    let for_nvrtc = format!(
        "{install}; only NVRTC reads them, for kernels with `#include` of cuda_fp16.h, mma.h and the like"
    );
    vec![
        Check::new(
            "compiler of kernels",
            Need::EditedKernels,
            chosen.map_err(|error| error.to_string()),
            "unset CORNERTURN_COMPILER, or set it to a compiler that is here",
        ),
        Check::new(
            "NVRTC",
            Need::EditedKernels,
            found,
            match IS_MADE {
                true => &without_nvrtc,
                false => {
                    "nothing: NVIDIA makes it for Linux and Windows only, and edited kernels are compiled by Corner Turn's own compiler"
                }
            },
        ),
        Check::new(
            "NVIDIA's headers",
            Need::EditedKernels,
            headers
                .map(|root| wheels::HEADERS.path(root).display().to_string())
                .ok_or("not installed".to_string()),
            match IS_MADE {
                true => &for_nvrtc,
                false => "nothing: only NVRTC reads them",
            },
        ),
    ]
}

fn gpu() -> Vec<Check> {
    let device = Device::cuda().map_err(|error| error.to_string());
    let without = if IS_MADE {
        "nothing, if this machine has no NVIDIA GPU: the emulator runs and counts, it only has no clock; else install \
         NVIDIA's driver, for CUDA 12.1 or later"
    } else {
        "nothing: NVIDIA makes no driver for this system; the emulator runs and counts, it only has no clock"
    };
    let facts = device.as_ref().map(Device::facts).map_err(Clone::clone);
    let gpu = facts.clone().map(ToString::to_string);
    let nvml = facts.and_then(|facts| match facts.driver.is_empty() {
        false => Ok(format!("driver {}", facts.driver)),
        true => Err("not found".to_string()),
    });
    let known = device.as_ref().map_err(Clone::clone).and_then(|device| {
        let record = MachineFacts::load(&device.facts().slug);
        let record = record.map_err(|_| "not measured yet".to_string())?;
        Ok(format!("measured on {}", record.date))
    });
    let mut checks = vec![Check::new("NVIDIA GPU", Need::Gpu, gpu, without)];
    if checks[0].present {
        checks.push(Check::new("NVML", Need::Gpu, nvml,
            "comes with NVIDIA's driver (libnvidia-ml.so.1); without it records lack clocks and driver version"));
        checks.push(Check::new(
            "its latencies and rates",
            Need::Gpu,
            known,
            &format!(
                "{}, which takes less than two minutes",
                paths::command("record machine")
            ),
        ));
    }
    checks
}

fn verify() -> Vec<Check> {
    const BROWSERS: [&str; 4] = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    const FIREFOXES: [&str; 2] = ["firefox-esr", "firefox"];
    let found = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| first_line(name, &["--version"]).ok())
            .ok_or("not found".to_string())
    };
    vec![
        Check::new(
            "browser",
            Need::Verify,
            found(&BROWSERS),
            "install Chromium (Debian: apt install chromium), or name another by CORNERTURN_BROWSER; without it the pages \
             are not opened in the tests",
        ),
        Check::new(
            "second browser",
            Need::Verify,
            found(&FIREFOXES),
            "install Firefox (Debian: apt install firefox-esr); without it the laboratory is tried in Chromium alone",
        ),
    ]
}

/// Major and minor version in a text such as `rustc 1.95.0 (…)`.
fn rust_version(text: &str) -> Option<(u32, u32)> {
    let version = text
        .split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let mut parts = version.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

/// The first line that a program prints, or why there is none.
fn first_line(program: impl Into<PathBuf>, arguments: &[&str]) -> Result<String, String> {
    let result = Command::new(program.into())
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "not found".to_string(),
            _ => error.to_string(),
        })?;
    let text = String::from_utf8_lossy(&result.stdout);
    match text
        .lines()
        .next()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        Some(line) if result.status.success() => Ok(line.to_string()),
        _ => Err("does not run".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(rust_version("rustc 1.95.0 (abc 2026-04-01)"), Some((1, 95)));
        assert_eq!(rust_version("1.100"), Some((1, 100)));
        assert!(rust_version("1.100") > rust_version("1.95"));
        assert_eq!(rust_version("nonsense"), None);
    }

    #[test]
    fn the_report_names_each_fix_of_what_is_missing() {
        let missing = Check::new(
            "thing",
            Need::Book,
            Err("not found".into()),
            "install thing",
        );
        let present = Check::new("other", Need::Lab, Ok("1.0".into()), "install other");
        let text = report(&[missing, present]);
        assert!(text.contains("thing: install thing"));
        assert!(!text.contains("install other"));
        assert!(report(&[]).contains("Nothing is missing"));
    }
}
