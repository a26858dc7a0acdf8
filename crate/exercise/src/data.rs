//! What `kernels/exercises/exercises.toml` says of one exercise. What is wrong with that is `well_formed`'s, reading the files `workshop`'s, grading `grade`'s.

use super::asked::{About, Bound, Way};
use super::seed::Seed;
use super::size::Size;
use super::work::Work;
use cornerturn_base::element::ElementType;
use cornerturn_base::shape::{Dim3, Shape};
use cornerturn_basics::markers::{Pieces, SOLUTION, STARTER};
use cornerturn_registry::product_problem::ProductData;
use serde::{Deserialize, Serialize};

/// How an exercise is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// By numbers: what will be counted when the kernel runs.
    Predict,
    /// By mending a kernel.
    Fix,
    /// By writing one.
    Write,
    /// By mending a pipeline: what streams are given for each part of an array.
    Pipeline,
}

impl Kind {
    /// The name, as in exercises.toml.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Predict => "predict",
            Self::Fix => "fix",
            Self::Write => "write",
            Self::Pipeline => "pipeline",
        }
    }

    /// Whether the answer is CUDA C++ that is run.
    pub const fn asks_for_kernel(self) -> bool {
        matches!(self, Self::Fix | Self::Write)
    }

    /// How the file of an answer ends.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Pipeline => "streams",
            Self::Predict | Self::Fix | Self::Write => "cu",
        }
    }
}

/// What a pipeline has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// Places on the GPU: a part lies in that of its number, modulo so many.
    pub places: usize,
    /// Steps that its longest chain may have beside one for each part.
    pub more_steps: u32,
    /// Why, as the end of a sentence.
    pub because: String,
    /// The stream from which all calls must be captured into one graph; they are made as they stand where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured: Option<String>,
}

/// The sizes of products, where the work is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProductSizes {
    /// m, n and k of the product that is tried first.
    pub shown: [usize; 3],
    /// Others that every check tries, before those that it draws.
    #[serde(default)]
    pub hidden: Vec<[usize; 3]>,
    /// How much of k a block takes at a time.
    pub step: usize,
    /// What k is a multiple of.
    #[serde(default = "one")]
    pub multiple_of: usize,
}

/// What the output holds before a kernel runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Output {
    /// Bytes that no right result holds.
    #[default]
    Poisoned,
    /// Zeros, for a kernel that adds to it.
    Zeroed,
}

/// One exercise. [`Exercise::check`] grades an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exercise {
    /// Its name; the participant's file is `ID.cu`, or `ID.streams` for a pipeline.
    pub id: String,
    /// What it is, in a few words.
    pub title: String,
    /// The chapter that it belongs to, a page of `book/src`.
    pub chapter: String,
    /// How long it takes, about.
    pub minutes: u32,
    /// How it is answered.
    pub kind: Kind,
    /// What to do, in Markdown.
    pub task: String,
    /// The kernel's name; of a pipeline, that of a kernel of the registry.
    pub entry: String,
    /// What the kernel does.
    #[serde(default)]
    pub work: Work,
    /// The element type of a matrix; of arrays, that of what is written.
    #[serde(default = "f32")]
    pub element: ElementType,
    /// Columns and rows of the input that a block covers; items and 1 of arrays.
    pub tile: [u32; 2],
    /// Threads of a block, in x and y.
    pub block: [u32; 2],
    /// Dynamic shared memory of the launch.
    #[serde(default)]
    pub dynamic_shared_bytes: u32,
    /// What the output holds before.
    #[serde(default)]
    pub output: Output,
    /// Rows and columns of the matrix that is tried first and named on the page; of arrays, items and the parameter; of a
    /// pipeline, parts and the numbers of one.
    #[serde(default = "shown")]
    pub shown: [usize; 2],
    /// Rows and columns of others that every check tries, before those that it draws.
    #[serde(default)]
    pub hidden: Vec<[usize; 2]>,
    /// Whether `out` is `in`: the kernel is given one square matrix, and turns it where it lies.
    #[serde(default)]
    pub in_place: bool,
    /// The ways past the counters of loads and stores that an answer may take on counted matrices.
    #[serde(default)]
    pub allows: Vec<Way>,
    /// Recorded launches of which each participant reads the profiler's report of one, by the kernels' ids; its counts are
    /// asked for instead of those of a run.
    #[serde(default)]
    pub profiles: Vec<String>,
    /// What the questions about these launches are about.
    #[serde(default)]
    pub about: About,
    /// Whether a kernel before it in its stream may still be writing the first array when its blocks begin.
    #[serde(default)]
    pub programmatic: bool,
    /// PTX instructions that must stand in this order, each as a line begins; for what running cannot show.
    #[serde(default, rename = "instructions")]
    pub ordered: Vec<Instruction>,
    /// What the input's columns and rows are multiples of.
    #[serde(default = "any")]
    pub multiple_of: [usize; 2],
    /// What a pipeline has, where one is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<Pipeline>,
    /// The sizes of products, where the work is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<ProductSizes>,
    /// Three hints, each of which goes further.
    pub hints: Vec<String>,
    /// What the verdict of the starter contains.
    pub starter_fails: String,
    /// What was learned, shown after passing.
    pub solved: String,
    /// For the teacher: what participants get wrong, and what to ask them.
    #[serde(default)]
    pub teacher: String,
    /// What is asked of the counters.
    #[serde(default, rename = "bound")]
    pub bounds: Vec<Bound>,
    /// What is asked of a participant who predicts.
    #[serde(default, rename = "answer")]
    pub answers: Vec<Answer>,
    /// Typical wrong answers.
    #[serde(default, rename = "wrong")]
    pub wrong: Vec<Wrong>,
    /// Other right answers.
    #[serde(default)]
    pub also: Vec<Also>,
    /// The file of the variants.
    #[serde(skip)]
    pub(super) pieces: Pieces,
    /// The PTX that is kept beside it, where numbers are asked for.
    #[serde(skip)]
    pub(super) ptx: Option<String>,
    /// Answers that look right to the counters, and do not do the work.
    #[serde(skip)]
    pub(super) cheats: Vec<Cheat>,
}

/// An answer that is made to pass without doing the work. It must not.
#[derive(Debug, Clone, PartialEq)]
pub struct Cheat {
    /// The name of its file.
    pub id: String,
    /// What it does, from its first line.
    pub what: String,
    /// The answer, all of it.
    pub source: String,
}

/// A number to predict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Its name in the answer's line.
    pub name: String,
    /// The question.
    pub question: String,
    /// What is counted, as in a [`Bound`].
    pub counter: String,
    /// What it is divided by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<String>,
    /// The kernel that is run, where it is not the exercise's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Rows and columns of the input: one of these for each participant. The question names them as `{rows}` and
    /// `{columns}`.
    pub of: Vec<[usize; 2]>,
}

/// A PTX instruction that an answer must have, for what running it cannot show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instruction {
    /// What it begins with.
    pub ptx: String,
    /// What it must stand behind: the last that begins so.
    pub after: String,
    /// What it must stand before: the first that begins so.
    pub before: String,
    /// Why, as the end of a sentence.
    pub because: String,
}

/// A typical wrong answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrong {
    /// Its name in the markers of the file.
    pub id: String,
    /// What is wrong with it.
    pub what: String,
    /// What its verdict contains.
    pub fails: String,
    /// Why it is wrong only as NVRTC compiles it, and passes with our own compiler; empty where it is wrong with both.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by_nvrtc: String,
}

/// A right answer that is not the solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Also {
    /// Its name in the markers of the file.
    pub id: String,
    /// What it does otherwise.
    pub what: String,
}

impl Answer {
    /// The participant's matrix: the same whenever they are asked, and mostly another than a neighbour's.
    pub(super) fn shape(&self, participant: &str) -> Shape {
        let mut numbers = Seed(0).numbers(&format!("{participant}, {}", self.name));
        let [rows, columns] = numbers.one_of(&self.of).unwrap_or([1, 1]);
        Shape::new(rows, columns)
    }

    /// The question as the participant is asked it.
    pub(super) fn asked(&self, participant: &str) -> String {
        let Shape { rows, columns } = self.shape(participant);
        let question = self.question.trim().replace("{rows}", &rows.to_string());
        question.replace("{columns}", &columns.to_string())
    }
}

fn f32() -> ElementType {
    ElementType::F32
}

fn shown() -> [usize; 2] {
    [96, 160]
}

fn one() -> usize {
    1
}

fn any() -> [usize; 2] {
    [1, 1]
}

/// How many hints an exercise has.
pub const HINTS: usize = 3;

impl Exercise {
    /// What the participant begins with.
    pub fn starter(&self) -> String {
        self.pieces.variant(STARTER)
    }

    /// The starter, with the numbers that this participant is asked for.
    pub fn starter_for(&self, participant: &str) -> String {
        let starter = self.starter();
        let lines = starter.lines().map(|line| {
            let question = self.answers.iter().find(|answer| {
                let given = line.trim_start_matches('/').trim();
                given.starts_with(&format!("ANSWER {}:", answer.name))
            });
            let question = question.map(|answer| format!("// {}\n", answer.asked(participant)));
            question.unwrap_or_default() + line + "\n"
        });
        lines.collect()
    }

    /// What is right.
    pub fn solution(&self) -> String {
        self.pieces.variant(SOLUTION)
    }

    /// `starter`, `solution`, or another answer of the file by its id; `None` for another name.
    pub fn variant(&self, id: &str) -> Option<String> {
        let known = [STARTER, SOLUTION].contains(&id) || self.others().any(|other| other == id);
        known.then(|| self.pieces.variant(id))
    }

    /// The ids of the file's answers beside starter and solution, wrong ones first.
    pub(super) fn others(&self) -> impl Iterator<Item = &str> {
        let wrong = self.wrong.iter().map(|wrong| wrong.id.as_str());
        wrong.chain(self.also.iter().map(|also| also.id.as_str()))
    }

    /// Answers of its own folder that try to pass without doing the work.
    pub fn cheats(&self) -> &[Cheat] {
        &self.cheats
    }

    /// The participant's file.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.id, self.kind.extension())
    }

    /// The grid for a launch of this size: a block a tile.
    pub fn grid(&self, size: Size) -> Dim3 {
        let [columns, rows] = self.tile.map(|side| side as usize);
        let shape = size.shape();
        Dim3::from((shape.columns.div_ceil(columns), shape.rows.div_ceil(rows)))
    }

    /// The shown size and the hidden ones, as they are named.
    pub(super) fn named(&self) -> impl Iterator<Item = [usize; 2]> {
        [self.shown].into_iter().chain(self.hidden.iter().copied())
    }

    /// A size that is named by rows and columns, or by items and the parameter.
    pub(super) fn size(&self, [first, second]: [usize; 2]) -> Size {
        match self.work {
            Work::Matrix(_) | Work::Product(_) => Size::Matrix(Shape::new(first, second)),
            // A named parameter has 32 bits: it was looked at when the list was read.
            Work::Arrays(work) => work.size(first, second as u32),
        }
    }

    /// The size that is tried first.
    pub(super) fn shown_size(&self) -> Size {
        match &self.product {
            Some(sizes) => Size::product(sizes.shown, ProductData::Exact),
            None => self.size(self.shown),
        }
    }

    /// Every matrix that it names, the shown one first.
    pub(super) fn shapes(&self) -> impl Iterator<Item = Shape> {
        let own = self.named();
        let asked = self
            .answers
            .iter()
            .flat_map(|answer| answer.of.iter().copied());
        own.chain(asked)
            .map(|[rows, columns]| Shape::new(rows, columns))
    }
}
