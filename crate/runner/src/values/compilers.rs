//! What the record of the two compilers knows: how many kernels are right by our own, and how much longer they take.

use super::words::Words;
use crate::compared::{Both, Compared};
use anyhow::Context;
use cornerturn::{Registry, paths};
use std::fs;

/// What the compiler's fixtures wrote on a GPU, by `crate/compiler/tests/hardware.py`.
const FIXTURES: &str = "compiler-fixtures.csv";
/// The columns by the words that ask for them.
const COLUMNS: [(&str, usize); 2] = [("like_nvrtc", 1), ("like_emulator", 2)];

fn kernels(device: &str) -> anyhow::Result<Vec<Both>> {
    Ok(Compared::load(device)?.kernels)
}

/// How many kernels were compiled by both.
pub fn compared(words: &Words) -> anyhow::Result<f64> {
    Ok(kernels(words.options(0)?.device)?.len() as f64)
}

/// How many of them gave the right result by our own compiler.
pub fn verified(words: &Words) -> anyhow::Result<f64> {
    let kernels = kernels(words.options(0)?.device)?;
    let verified = kernels
        .iter()
        .filter(|both| both.cornerturn.wrong.is_none());
    Ok(verified.count() as f64)
}

/// How many of them our compiler still writes byte by byte as they were measured.
pub fn alike(words: &Words) -> anyhow::Result<f64> {
    let record = Compared::load(words.options(0)?.device)?;
    Ok(record.compiled_alike(&Registry::load()?)? as f64)
}

/// Our duration over NVRTC's, of one kernel.
pub fn ratio(words: &Words) -> anyhow::Result<f64> {
    let kernel = words.word(0)?;
    let kernels = kernels(words.options(1)?.device)?;
    let both = kernels.iter().find(|both| both.kernel == kernel);
    let both = both.with_context(|| format!("no kernel `{kernel}` was compiled by both"))?;
    both.ratio()
        .with_context(|| format!("`{kernel}` was not timed by both"))
}

/// How many took at least so many times as long as by NVRTC: 1.05 is five per cent longer. Below 1, how many took at most
/// so many times as long.
pub fn apart(words: &Words) -> anyhow::Result<f64> {
    let bound = words.word(0)?;
    let bound: f64 = bound
        .parse()
        .with_context(|| format!("`{bound}` is no number"))?;
    let kernels = kernels(words.options(1)?.device)?;
    let is_apart = |ratio: &f64| {
        if bound < 1.0 {
            *ratio <= bound
        } else {
            *ratio >= bound
        }
    };
    Ok(kernels
        .iter()
        .filter_map(Both::ratio)
        .filter(is_apart)
        .count() as f64)
}

/// How many fixtures ran, or how many of them wrote the same as something else.
pub fn fixtures(words: &Words) -> anyhow::Result<f64> {
    let column = words.word(0)?;
    let path = paths::results()?
        .join(words.options(1)?.device)
        .join(FIXTURES);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = lines
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let Some((_, index)) = COLUMNS.iter().find(|(name, _)| *name == column) else {
        return match column {
            "all" => Ok(rows.len() as f64),
            other => Err(words.wrong(format_args!(
                "`{other}` is no column; there are all, like_nvrtc, like_emulator"
            ))),
        };
    };
    let alike = rows.iter().filter(|row| row.get(*index) == Some(&"yes"));
    Ok(alike.count() as f64)
}
