//! The bare words of a function's arguments, read as what they stand for.

use crate::exit;
use cornerturn::{ElementType, Registry, Shape, paths};

/// The GPU whose records are asked for if none is named.
const DEVICE: &str = "h200";

/// The arguments of one call.
pub struct Words<'a> {
    signature: &'a str,
    words: &'a [&'a str],
}

/// What follows the arguments that a function must have.
pub struct Options<'a> {
    /// The element type, if one is named.
    pub element: Option<ElementType>,
    /// The GPU's folder among the results.
    pub device: &'a str,
}

/// One matrix, or several of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matrices {
    /// How many there are.
    pub batches: usize,
    /// The shape of each.
    pub shape: Shape,
}

impl<'a> Words<'a> {
    /// The arguments of a function with this signature.
    pub fn new(signature: &'a str, words: &'a [&'a str]) -> Self {
        Self { signature, words }
    }

    /// The error of arguments that are not as the function wants them.
    pub fn wrong(&self, reason: impl std::fmt::Display) -> anyhow::Error {
        exit::usage(format!("{reason}: write `{}`", self.signature))
    }

    /// The argument at an index, from 0.
    pub fn word(&self, index: usize) -> anyhow::Result<&'a str> {
        let word = self.words.get(index).copied();
        word.ok_or_else(|| self.wrong(format_args!("{} arguments are too few", self.words.len())))
    }

    /// The same as matrices: `4096`, `4097x4095` or, for several, `4096x60x68`.
    pub fn matrices(&self, index: usize) -> anyhow::Result<Matrices> {
        let word = self.word(index)?;
        let sides: Option<Vec<usize>> = word.split('x').map(|side| side.parse().ok()).collect();
        let (batches, rows, columns) = match sides.as_deref() {
            Some([side]) => (1, *side, *side),
            Some([rows, columns]) => (1, *rows, *columns),
            Some([batches, rows, columns]) => (*batches, *rows, *columns),
            _ => {
                return Err(self.wrong(format_args!(
                    "`{word}` is no shape; there are `4096`, `4097x4095` (rows x columns) and `4096x60x68` (so many)"
                )));
            }
        };
        Ok(Matrices {
            batches,
            shape: Shape::new(rows, columns),
        })
    }

    /// What comes from an index on: an element type, a device, both in this order, or nothing.
    pub fn options(&self, from: usize) -> anyhow::Result<Options<'a>> {
        let mut options = Options {
            element: None,
            device: DEVICE,
        };
        let mut rest = self.words.get(from..).unwrap_or_default();
        if let [first, others @ ..] = rest
            && let Some(element) = ElementType::parse(first)
        {
            (options.element, rest) = (Some(element), others);
        }
        match rest {
            [] => Ok(options),
            [device] => {
                let known = devices()?;
                if !known.iter().any(|name| name == device) {
                    let known = known.join(", ");
                    return Err(self.wrong(format_args!(
                        "`{device}` is neither an element type nor a folder of book/results, which has {known}"
                    )));
                }
                options.device = *device;
                Ok(options)
            }
            [.., last] => Err(self.wrong(format_args!("`{last}` is one argument too many"))),
        }
    }

    /// Fails if there are more arguments than so many.
    pub fn at_most(&self, count: usize) -> anyhow::Result<()> {
        match self.words.get(count) {
            Some(word) => Err(self.wrong(format_args!("`{word}` is one argument too many"))),
            None => Ok(()),
        }
    }
}

impl Options<'_> {
    /// The element type that is meant for a name: the one given, else the registered kernel's, else float32.
    pub fn element_of(&self, kernel: &str) -> anyhow::Result<ElementType> {
        if let Some(element) = self.element {
            return Ok(element);
        }
        let registry = Registry::load()?;
        Ok(registry
            .get(kernel)
            .map_or(ElementType::F32, |entry| entry.element))
    }
}

/// The GPUs that have records.
fn devices() -> anyhow::Result<Vec<String>> {
    let mut devices = Vec::new();
    for entry in std::fs::read_dir(paths::results()?)? {
        let entry = entry?;
        if entry.path().is_dir() {
            devices.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    devices.sort();
    Ok(devices)
}
