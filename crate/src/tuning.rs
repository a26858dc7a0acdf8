//! What a search for the fastest transpose found on one GPU, `book/results/<gpu>/tune.json`: reading, writing, the best and what is not told apart from it. What can be chosen is in `space`; searching is the binary's verb `tune`.

mod space;

pub use space::{Factor, Hints, Order, Space, Variant};

use crate::clocks::Clocks;
use crate::device::Device;
use crate::element::ElementType;
use crate::error::{Error, Result};
use crate::files::{read_text, write_whole};
use crate::paths;
use crate::record::{self, RecordedDevice};
use crate::registry::{Registry, sha256};
use crate::shape::Shape;
use crate::timing::{Timing, TimingMode};
use crate::traffic::{self, GbPerS};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The only form of the file that exists so far.
pub const SCHEMA: u32 = 1;

/// The name of the file, without its ending.
pub const EXPERIMENT: &str = "tune";

/// The registered kernel that is tuned.
pub const KERNEL: &str = "limit";

/// All searches on one GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// The form of the file: [`SCHEMA`].
    pub schema: u32,
    /// The device searched on.
    pub device: RecordedDevice,
    /// What the searches have in common with each other: one for each element type and shape.
    pub searches: Vec<Search>,
    /// Every variant of every search.
    pub tried: Vec<Tried>,
}

/// One search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// The element type.
    pub element: ElementType,
    /// Rows of the input.
    pub rows: usize,
    /// Columns of the input.
    pub columns: usize,
    /// The day, as `2026-11-21`, in UTC.
    pub date: String,
    /// The project's commit.
    pub commit: String,
    /// What searched: the program and its version.
    pub tool: String,
    /// SHA-256 of the kernel's CUDA C++, before the `#define` lines.
    pub source_sha256: String,
    /// The compiler of the variants.
    pub compiler: String,
    /// Whether it came to its end.
    pub end: End,
    /// Samples of the driver's copy of the same bytes, taken in every round, in microseconds.
    pub copy_us: Vec<f64>,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// All its rounds are done.
    Finished,
    /// Its time was up before the last round's samples were taken.
    TimeUp,
    /// Someone stopped it.
    Interrupted,
}

/// One variant and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tried {
    /// The element type.
    pub element: ElementType,
    /// Rows of the input.
    pub rows: usize,
    /// Columns of the input.
    pub columns: usize,
    /// The choice.
    pub variant: Variant,
    /// The last round that it took part in, from 1; 0 where it was never timed.
    pub rounds: u32,
    /// Whether the whole result at this shape was compared too. Every variant that was timed was compared at small
    /// shapes first.
    pub verified_here: bool,
    /// Why it was not timed, where it was not.
    pub refused: Option<String>,
    /// Each launch's duration in microseconds, cold cache.
    pub samples_us: Vec<f64>,
}

impl Tried {
    /// The input's shape.
    pub fn shape(&self) -> Shape {
        Shape::new(self.rows, self.columns)
    }

    /// The samples with their statistics; `None` where there are none.
    pub fn timing(&self) -> Option<Timing> {
        timing(&self.samples_us)
    }

    /// The bandwidth at the median; `None` where it was not timed.
    pub fn gb_per_s(&self) -> Option<GbPerS> {
        let moved = traffic::bytes_moved(self.shape(), self.element);
        Some(self.timing()?.gb_per_s(moved))
    }
}

impl Search {
    /// The input's shape.
    pub fn shape(&self) -> Shape {
        Shape::new(self.rows, self.columns)
    }

    /// The bandwidth of the driver's copy at the median; `None` where it was not timed.
    pub fn copy_gb_per_s(&self) -> Option<GbPerS> {
        let moved = traffic::bytes_moved(self.shape(), self.element);
        Some(timing(&self.copy_us)?.gb_per_s(moved))
    }
}

/// Whether the bytes of a matrix of this shape can be counted.
fn is_countable(shape: Shape) -> bool {
    let bytes = shape
        .elements()
        .and_then(|elements| elements.checked_mul(2 * size_of::<u64>()));
    bytes.is_some_and(|bytes| bytes > 0)
}

fn timing(samples_us: &[f64]) -> Option<Timing> {
    (!samples_us.is_empty()).then(|| Timing {
        samples_us: samples_us.to_vec(),
        mode: TimingMode::Cold,
        clocks: Clocks::default(),
    })
}

/// One search with its variants, the fastest first.
#[derive(Debug, Clone)]
pub struct Found<'a> {
    /// The search.
    pub search: &'a Search,
    /// The variants that were timed, the fastest median first.
    pub timed: Vec<&'a Tried>,
    /// Those that were not.
    pub refused: Vec<&'a Tried>,
    /// The space's variants in their order.
    space: Vec<Variant>,
}

impl<'a> Found<'a> {
    /// The fastest that took part in the last round.
    pub fn best(&self) -> Option<&'a Tried> {
        let last = self.timed.iter().map(|tried| tried.rounds).max()?;
        self.timed
            .iter()
            .find(|tried| tried.rounds == last)
            .copied()
    }

    /// The others that the samples do not tell apart from the best: their quartiles overlap its own.
    pub fn ties(&self) -> Vec<&'a Tried> {
        let quartiles = |tried: &Tried| tried.timing().map(|timing| timing.quartiles_us());
        let Some((best, (_, slow))) = self.best().and_then(|best| Some((best, quartiles(best)?)))
        else {
            return Vec::new();
        };
        let others = self
            .timed
            .iter()
            .filter(|tried| tried.variant != best.variant);
        others
            .filter(|tried| quartiles(tried).is_some_and(|(fast, _)| fast <= slow))
            .copied()
            .collect()
    }

    /// A variant's bandwidth in per cent of the driver's copy.
    pub fn percent_of_copy(&self, tried: &Tried) -> Option<f64> {
        Some(tried.gb_per_s()?.percent_of(self.search.copy_gb_per_s()?))
    }

    /// The variants that differ from `from` in this factor alone, and `from` itself, in the space's order.
    pub fn alone(&self, from: &Variant, factor: Factor) -> Vec<&'a Tried> {
        let mut alone: Vec<&Tried> = self
            .timed
            .iter()
            .filter(|tried| {
                from.differs_in(&tried.variant)
                    .iter()
                    .all(|other| *other == factor)
            })
            .copied()
            .collect();
        alone.sort_by_key(|tried| self.place(&tried.variant));
        alone
    }

    /// A variant's place in the order of the search's space; those that are not of it come last.
    pub fn place(&self, variant: &Variant) -> usize {
        let place = self.space.iter().position(|other| other == variant);
        place.unwrap_or(usize::MAX)
    }
}

impl Tuning {
    /// No searches yet, on this device.
    pub fn new(device: &Device) -> Self {
        Self {
            schema: SCHEMA,
            device: RecordedDevice {
                facts: device.facts().clone(),
                clocks: Clocks::default(),
            },
            searches: Vec::new(),
            tried: Vec::new(),
        }
    }

    /// The searches on a GPU, by its folder among the project's results, such as `h200`.
    ///
    /// # Errors
    /// [`Error::File`] where the file is missing or cannot be read; [`Error::Usage`] for a name that is no file's name.
    pub fn load(gpu: &str) -> Result<Self> {
        let path = record::path_in(&paths::results()?, gpu, EXPERIMENT)?;
        if !path.is_file() {
            let reason = "there is no such record; `cornerturn tune` on that GPU makes it";
            return Err(Error::file(&path, reason));
        }
        Self::load_file(&path)
    }

    /// The searches in a file.
    ///
    /// # Errors
    /// [`Error::File`], with the place in the file and the next step.
    pub fn load_file(path: &Path) -> Result<Self> {
        let text = read_text(path)?;
        let fail = |reason: String| {
            Error::file(
                path,
                format!("{reason}; move the file away and search again"),
            )
        };
        let tuning: Self = serde_json::from_str(&text).map_err(|error| fail(error.to_string()))?;
        if tuning.schema != SCHEMA {
            let found = tuning.schema;
            return Err(fail(format!(
                "is of schema {found}, and this program reads {SCHEMA}"
            )));
        }
        let sides = tuning
            .searches
            .iter()
            .map(Search::shape)
            .chain(tuning.tried.iter().map(Tried::shape));
        if let Some(shape) = sides.into_iter().find(|shape| !is_countable(*shape)) {
            return Err(fail(format!(
                "has a search of {shape}, which is no shape of a matrix"
            )));
        }
        let copies = tuning.searches.iter().map(|search| &search.copy_us);
        let samples = tuning.tried.iter().map(|tried| &tried.samples_us);
        if copies
            .chain(samples)
            .flatten()
            .any(|us| !us.is_finite() || *us <= 0.0)
        {
            return Err(fail("has samples that are no times".to_string()));
        }
        Ok(tuning)
    }

    /// Writes all searches to a file; it is either the old one or the new one, never half of one.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn save_to(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self).map_err(|error| Error::file(path, error))?;
        write_whole(path, record::one_line_each(&text).as_bytes())
    }

    /// The file's path below a folder of results.
    pub fn path_below(&self, results: &Path) -> PathBuf {
        results
            .join(&self.device.facts.slug)
            .join(format!("{EXPERIMENT}.json"))
    }

    /// Takes a search in, in the place of an earlier one of the same element type and shape.
    pub fn put(&mut self, search: Search, tried: Vec<Tried>) {
        let key = (search.element, search.rows, search.columns);
        self.searches
            .retain(|old| (old.element, old.rows, old.columns) != key);
        self.tried
            .retain(|old| (old.element, old.rows, old.columns) != key);
        self.searches.push(search);
        self.tried.extend(tried);
    }

    /// The search of an element type at a shape.
    ///
    /// # Errors
    /// [`Error::Usage`], with the searches that there are, and how to add this one.
    pub fn search(&self, element: ElementType, rows: usize, columns: usize) -> Result<Found<'_>> {
        let is_it = |e: ElementType, r: usize, c: usize| (e, r, c) == (element, rows, columns);
        let found = self
            .searches
            .iter()
            .find(|search| is_it(search.element, search.rows, search.columns));
        let Some(search) = found else {
            let known: Vec<String> = self
                .searches
                .iter()
                .map(|search| format!("{} of {}", search.shape(), search.element))
                .collect();
            return Err(Error::Usage(format!(
                "no search of {rows}×{columns} {element} on {}; there are: {}; `cornerturn tune --rows {rows} \
                 --columns {columns} --element {element}` makes it",
                self.device.facts.name,
                if known.is_empty() {
                    "none".to_string()
                } else {
                    known.join(", ")
                },
            )));
        };
        let tried = self
            .tried
            .iter()
            .filter(|tried| is_it(tried.element, tried.rows, tried.columns));
        let (mut timed, refused): (Vec<&Tried>, Vec<&Tried>) =
            tried.partition(|tried| !tried.samples_us.is_empty());
        let median = |tried: &Tried| {
            tried
                .timing()
                .map_or(f64::INFINITY, |timing| timing.median_us())
        };
        timed.sort_by(|a, b| median(a).total_cmp(&median(b)));
        let space = Space::of(element)
            .map(|space| space.variants())
            .unwrap_or_default();
        Ok(Found {
            search,
            timed,
            refused,
            space,
        })
    }

    /// Where the numbers of a search come from, in one line.
    pub fn provenance(&self, search: &Search) -> String {
        record::provenance(&self.device, &search.date, &search.commit)
    }

    /// Which searches were made with another source of the kernel than there is now; none if all are as it is.
    pub fn stale(&self, registry: &Registry) -> Vec<String> {
        let now = registry
            .get(KERNEL)
            .and_then(|entry| registry.source(entry))
            .map(|source| sha256(source.as_bytes()));
        let stale = |search: &&Search| now.as_ref().ok() != Some(&search.source_sha256);
        let searches = self.searches.iter().filter(stale);
        searches
            .map(|search| {
                let (shape, element) = (search.shape(), search.element);
                format!("the search of {shape} {element} tuned another source of `{KERNEL}`")
            })
            .collect()
    }
}
