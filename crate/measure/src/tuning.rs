//! What searches for the fastest variant of a kernel found on one GPU, `book/results/<gpu>/tune.json` and `tune-gemm.json`: reading, writing, the best and what is not told apart from it. What can be chosen is in `space` for the transpose and in `ring` for products; searching is the binary's verb `tune`.

mod found;
mod ring;
mod space;

pub use found::FoundOf;
pub use ring::{Pipeline, Ring, RingFactor, RingProduct, RingTile};
pub use space::{Factor, Hints, Order, Space, Transpose, Variant};

use crate::record::{self, RecordedDevice};
use cornerturn_base::clocks::Clocks;
use cornerturn_base::element::ElementType;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::files::{read_text, write_whole};
use cornerturn_base::paths;
use cornerturn_base::timing::{Timing, TimingMode};
use cornerturn_registry::registry::{Registry, sha256};
use cornerturn_runtime::device::Device;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// The only form of the file that exists so far.
pub const SCHEMA: u32 = 1;

/// All searches for the fastest transpose on one GPU.
pub type Tuning = TuningOf<Transpose>;

/// All searches for the fastest product of float32 matrices on one GPU.
pub type ProductTuning = TuningOf<RingProduct>;

/// One search for the fastest transpose.
pub type Search = SearchOf<Transpose>;

/// One variant of the transpose and what came of it.
pub type Tried = TriedOf<Transpose>;

/// One search for the fastest transpose with its variants, the fastest first.
pub type Found<'a> = FoundOf<'a, Transpose>;

/// What a kernel can be tuned for: an operation on matrices of one shape.
pub trait Subject:
    Copy + PartialEq + fmt::Debug + fmt::Display + Serialize + DeserializeOwned
{
    /// What can be chosen.
    type Variant: Choice;
    /// The name of the file, without its ending.
    const EXPERIMENT: &'static str;
    /// The registered kernel that is tuned.
    const KERNEL: &'static str;
    /// The command that searches, without a shape.
    const COMMAND: &'static str;
    /// What is measured beside the variants, in words.
    const REFERENCE: &'static str;
    /// The unit of the rate.
    const UNIT: &'static str;
    /// What the caches hold when a launch is timed.
    const MODE: TimingMode;

    /// Why there are no such matrices, where there are none.
    fn impossible(&self) -> Option<String>;

    /// What is tried, always in the same order.
    fn variants(&self) -> Vec<Self::Variant>;

    /// The rate for a time in microseconds, in [`UNIT`](Self::UNIT).
    fn rate(&self, us: f64) -> f64;

    /// The options that make the search of this.
    fn options(&self) -> String;

    /// What its variants are compiled from, of the kernel's source: the whole, where nothing else is said.
    fn tuned(source: &str) -> &str {
        source
    }

    /// SHA-256 of what its variants are compiled from.
    fn source_sha256(source: &str) -> String {
        sha256(Self::tuned(source).as_bytes())
    }
}

/// One choice of everything.
pub trait Choice:
    Copy + PartialEq + Send + Sync + fmt::Debug + fmt::Display + Serialize + DeserializeOwned
{
    /// What two choices may differ in.
    type Factor: Copy + PartialEq + fmt::Display + 'static;
    /// All of these.
    const FACTORS: &'static [Self::Factor];

    /// The value of one factor in words.
    fn value(&self, factor: Self::Factor) -> String;

    /// The factors in which two variants differ.
    fn differs_in(&self, other: &Self) -> Vec<Self::Factor> {
        let differs = |factor: &Self::Factor| self.value(*factor) != other.value(*factor);
        Self::FACTORS.iter().copied().filter(differs).collect()
    }

    /// Its place in a landscape, in words: the panel, the row and the column.
    fn place(&self) -> [String; 3];

    /// What the rows of a landscape are, in two lines.
    const ROWS: [&'static str; 2];
}

/// All searches on one GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub struct TuningOf<S: Subject> {
    /// The form of the file: [`SCHEMA`].
    pub schema: u32,
    /// The device searched on.
    pub device: RecordedDevice,
    /// What the searches have in common with each other: one for each subject.
    pub searches: Vec<SearchOf<S>>,
    /// Every variant of every search.
    pub tried: Vec<TriedOf<S>>,
}

/// One search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SearchOf<S: Subject> {
    /// What is done, with matrices of which shape.
    #[serde(flatten)]
    pub subject: S,
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
    /// The library that is the reference, where it is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub library: String,
    /// Samples of the reference, taken in every round, in microseconds: of a transpose the driver's copy of the same bytes, of a
    /// product cuBLAS.
    #[serde(alias = "copy_us")]
    pub reference_us: Vec<f64>,
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
#[serde(bound = "")]
pub struct TriedOf<S: Subject> {
    /// What it was to do.
    #[serde(flatten)]
    pub subject: S,
    /// The choice.
    pub variant: S::Variant,
    /// The last round that it took part in, from 1; 0 where it was never timed.
    pub rounds: u32,
    /// Whether the whole result at this shape was compared too. Every variant that was timed was compared at small
    /// shapes first.
    pub verified_here: bool,
    /// Registers of a thread, as the driver says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers_per_thread: Option<u32>,
    /// Bytes of a thread's local memory, as the driver says: more than none where registers are spilled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_bytes_per_thread: Option<u32>,
    /// Why it was not timed, where it was not.
    pub refused: Option<String>,
    /// Each launch's duration in microseconds.
    pub samples_us: Vec<f64>,
}

impl<S: Subject> TriedOf<S> {
    /// The samples with their statistics; `None` where there are none.
    pub fn timing(&self) -> Option<Timing> {
        timing::<S>(&self.samples_us)
    }

    /// The rate at the median, in the subject's unit; `None` where it was not timed.
    pub fn rate(&self) -> Option<f64> {
        Some(self.subject.rate(self.timing()?.median_us()))
    }

    /// Whether a thread keeps some of its numbers in local memory.
    pub fn spills(&self) -> bool {
        self.local_bytes_per_thread.is_some_and(|bytes| bytes > 0)
    }
}

impl<S: Subject> SearchOf<S> {
    /// The rate of the reference at the median; `None` where it was not timed.
    pub fn reference_rate(&self) -> Option<f64> {
        let timing = timing::<S>(&self.reference_us)?;
        Some(self.subject.rate(timing.median_us()))
    }
}

fn timing<S: Subject>(samples_us: &[f64]) -> Option<Timing> {
    (!samples_us.is_empty()).then(|| Timing {
        samples_us: samples_us.to_vec(),
        mode: S::MODE,
        clocks: Clocks::default(),
    })
}

impl<S: Subject> TuningOf<S> {
    /// The name of the file, without its ending.
    pub const EXPERIMENT: &'static str = S::EXPERIMENT;

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
        let path = record::path_in(&paths::results()?, gpu, S::EXPERIMENT)?;
        if !path.is_file() {
            let command = S::COMMAND;
            let reason = format!("there is no such record; `{command}` on that GPU makes it");
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
        let searched = tuning.searches.iter().map(|search| search.subject);
        let mut subjects = searched.chain(tuning.tried.iter().map(|tried| tried.subject));
        if let Some(reason) = subjects.find_map(|subject| subject.impossible()) {
            return Err(fail(format!("has a search of {reason}")));
        }
        let references = tuning.searches.iter().map(|search| &search.reference_us);
        let samples = tuning.tried.iter().map(|tried| &tried.samples_us);
        if references
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
            .join(format!("{}.json", S::EXPERIMENT))
    }

    /// Takes a search in, in the place of an earlier one of the same subject.
    pub fn put(&mut self, search: SearchOf<S>, tried: Vec<TriedOf<S>>) {
        let subject = search.subject;
        self.searches.retain(|old| old.subject != subject);
        self.tried.retain(|old| old.subject != subject);
        self.searches.push(search);
        self.tried.extend(tried);
    }

    /// The search of a subject.
    ///
    /// # Errors
    /// [`Error::Usage`], with the searches that there are, and how to add this one.
    pub fn of(&self, subject: &S) -> Result<FoundOf<'_, S>> {
        let found = self
            .searches
            .iter()
            .find(|search| search.subject == *subject);
        let Some(search) = found else {
            let known: Vec<String> = self
                .searches
                .iter()
                .map(|search| search.subject.to_string())
                .collect();
            return Err(Error::Usage(format!(
                "no search of {subject} on {}; there are: {}; `{} {}` makes it",
                self.device.facts.name,
                if known.is_empty() {
                    "none".to_string()
                } else {
                    known.join(", ")
                },
                S::COMMAND,
                subject.options(),
            )));
        };
        let tried = self.tried.iter().filter(|tried| tried.subject == *subject);
        Ok(FoundOf::new(search, tried))
    }

    /// Where the numbers of a search come from, in one line.
    pub fn provenance(&self, search: &SearchOf<S>) -> String {
        record::provenance(&self.device, &search.date, &search.commit)
    }

    /// Which searches were made with another source of the kernel than there is now; none if all are as it is.
    pub fn stale(&self, registry: &Registry) -> Vec<String> {
        let now = registry
            .code(S::KERNEL)
            .and_then(|code| registry.source(code))
            .map(|source| S::source_sha256(&source));
        let stale = |search: &&SearchOf<S>| now.as_ref().ok() != Some(&search.source_sha256);
        let searches = self.searches.iter().filter(stale);
        searches
            .map(|search| {
                let (subject, kernel) = (search.subject, S::KERNEL);
                format!("the search of {subject} tuned another source of `{kernel}`")
            })
            .collect()
    }
}

impl Tuning {
    /// The search of an element type at a shape.
    ///
    /// # Errors
    /// As [`TuningOf::of`].
    pub fn search(&self, element: ElementType, rows: usize, columns: usize) -> Result<Found<'_>> {
        self.of(&Transpose {
            element,
            rows,
            columns,
        })
    }
}
