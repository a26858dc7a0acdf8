//! What is wrong with an exercise by itself, as `kernels/exercises/exercises.toml` has it. What it may say is `data`'s.

use super::array_work::ArrayWork;
use super::asked::{About, Bound};
use super::data::{Exercise, HINTS, Kind, Output};
use super::matrix_work::MatrixWork;
use super::recorded;
use super::work::Work;
use cornerturn_base::element::ElementType;
use cornerturn_base::given;
use cornerturn_base::product_shape::ProductShape;
use cornerturn_base::shape::Shape;
use cornerturn_basics::markers::{SOLUTION, STARTER};

/// How many wrong answers it has at least.
const LEAST_WRONG: usize = 3;
/// The most parts of a pipeline, and the most numbers of one.
const MOST_PARTS: usize = 64;
const MOST_NUMBERS: usize = 1 << 12;
/// The most elements that a matrix of an exercise has: a verdict takes a second or two.
const MOST_ELEMENTS: usize = 1 << 22;

impl Exercise {
    /// What is wrong with it by itself.
    pub(super) fn check_data(&self) -> Result<(), String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        for id in self.ids() {
            if id.is_empty() || !id.chars().all(plain) {
                return Err(format!("`{id}`: an id is letters, digits and `_`"));
            }
        }
        if [STARTER, SOLUTION, "end"]
            .iter()
            .any(|id| self.others().any(|other| other == *id))
        {
            return Err("an answer cannot be called `starter`, `solution` or `end`".to_string());
        }
        if self.hints.len() != HINTS || self.hints.iter().any(|hint| hint.trim().is_empty()) {
            return Err(format!(
                "it has {} hints, and {HINTS} are asked for",
                self.hints.len()
            ));
        }
        // A page is given none: who reads its files would read them too.
        if self.wrong.len() < LEAST_WRONG && given::root().is_none() {
            return Err(format!(
                "it has {} wrong answers, and at least {LEAST_WRONG} are asked for",
                self.wrong.len()
            ));
        }
        let texts = [&self.title, &self.task, &self.starter_fails, &self.solved];
        let fails = self
            .wrong
            .iter()
            .flat_map(|wrong| [&wrong.what, &wrong.fails])
            .chain(self.also.iter().map(|also| &also.what));
        if texts
            .into_iter()
            .chain(fails)
            .any(|text| text.trim().is_empty())
        {
            return Err(
                "title, task, starter_fails, solved, what and fails must not be empty".to_string(),
            );
        }
        self.check_launch()?;
        self.check_kind()?;
        self.check_pipeline()
    }

    /// What is wrong with what it says of a pipeline.
    fn check_pipeline(&self) -> Result<(), String> {
        let Some(pipeline) = &self.pipeline else {
            return match self.kind {
                Kind::Pipeline => Err("it says nothing in [exercise.pipeline]".to_string()),
                _ => Ok(()),
            };
        };
        if self.kind != Kind::Pipeline || !self.bounds.is_empty() {
            return Err("a pipeline is what `pipeline` asks for, and has no bounds".to_string());
        }
        if !(1..=MOST_PARTS).contains(&pipeline.places) || pipeline.because.trim().is_empty() {
            return Err(format!(
                "a pipeline has 1 to {MOST_PARTS} places, and says because"
            ));
        }
        let fits = |[parts, numbers]: [usize; 2]| {
            (1..=MOST_PARTS).contains(&parts) && (1..=MOST_NUMBERS).contains(&numbers)
        };
        match self.named().find(|&named| !fits(named)) {
            None => Ok(()),
            Some(named) => Err(format!(
                "{named:?}: a pipeline has 1 to {MOST_PARTS} parts, of 1 to {MOST_NUMBERS} numbers"
            )),
        }
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        let answers = self.answers.iter().map(|answer| answer.name.as_str());
        [self.id.as_str(), &self.entry]
            .into_iter()
            .chain(self.others())
            .chain(answers)
    }

    fn check_launch(&self) -> Result<(), String> {
        if self.tile.contains(&0) || self.block.contains(&0) || self.multiple_of.contains(&0) {
            return Err("tile, block and multiple_of must not be 0".to_string());
        }
        if self.block[0].saturating_mul(self.block[1]) > 1024 {
            return Err("a block has at most 1024 threads".to_string());
        }
        let work = match self.work {
            Work::Matrix(work) => work,
            Work::Arrays(work) => return self.check_arrays(work),
            Work::Product(_) => return self.check_product(),
        };
        if work.is_sum() && self.element != ElementType::U32 {
            return Err(format!(
                "{} is of u32, which is exact in any order",
                self.work
            ));
        }
        if self.kind == Kind::Pipeline {
            return Ok(());
        }
        for shape in self.shapes() {
            let Shape { rows, columns } = shape;
            let fits = |n| (1..=MOST_ELEMENTS).contains(&n);
            if self.profiles.is_empty() && !shape.elements().is_some_and(fits) {
                return Err(format!(
                    "a {shape} matrix has not 1 to {MOST_ELEMENTS} elements"
                ));
            }
            if self.in_place && rows != columns {
                return Err(format!("a {shape} matrix cannot be transposed in place"));
            }
            let [of_columns, of_rows] = self.multiple_of;
            if !columns.is_multiple_of(of_columns) || !rows.is_multiple_of(of_rows) {
                return Err(format!("a {shape} matrix is not as multiple_of says"));
            }
        }
        Ok(())
    }

    /// What is wrong with the launch of a product.
    fn check_product(&self) -> Result<(), String> {
        let Some(sizes) = &self.product else {
            return Err("a product needs [exercise.product]".to_string());
        };
        if !self.kind.asks_for_kernel() || self.in_place || self.output != Output::default() {
            return Err("a product is for kernels, and its result is poisoned before".to_string());
        }
        let [of_n, of_m] = self.multiple_of;
        if sizes.step == 0 || sizes.multiple_of == 0 {
            return Err("step and multiple_of of a product must not be 0".to_string());
        }
        let shapes = [sizes.shown]
            .into_iter()
            .chain(sizes.hidden.iter().copied());
        for [m, n, k] in shapes {
            let shape = ProductShape::new(m, n, k);
            if !(1..=MOST_ELEMENTS as u64).contains(&shape.multiply_adds()) {
                return Err(format!(
                    "a product {shape} has not 1 to {MOST_ELEMENTS} multiply-adds"
                ));
            }
            if !m.is_multiple_of(of_m)
                || !n.is_multiple_of(of_n)
                || !k.is_multiple_of(sizes.multiple_of)
            {
                return Err(format!("a product {shape} is not as multiple_of says"));
            }
            if m == n {
                return Err(format!(
                    "a product {shape} has as many rows as columns, which hides mistakes"
                ));
            }
        }
        Ok(())
    }

    /// What is wrong with the launch of a work on arrays.
    fn check_arrays(&self, work: ArrayWork) -> Result<(), String> {
        if self.tile[1] != 1 || self.multiple_of[1] != 1 || self.in_place {
            return Err("of arrays, tile and multiple_of are [items, 1]".to_string());
        }
        if self.kind == Kind::Predict || self.output != Output::default() {
            return Err(
                "a work on arrays is for kernels, and says itself what it holds".to_string(),
            );
        }
        for [items, value] in self.named() {
            let is_value = u32::try_from(value).is_ok_and(|value| work.takes(value));
            if !(1..=MOST_ELEMENTS / work.words_per_item()).contains(&items)
                || !items.is_multiple_of(self.multiple_of[0])
                || !is_value
            {
                return Err(format!(
                    "[{items}, {value}]: `{}` takes 1 to {MOST_ELEMENTS} words, as multiple_of says, and a value of its \
                     parameter, 0 where it has none",
                    work.name()
                ));
            }
        }
        Ok(())
    }

    fn check_kind(&self) -> Result<(), String> {
        let (predicts, answers) = (self.kind == Kind::Predict, self.answers.len());
        if predicts != (answers > 0) || (predicts && !self.bounds.is_empty()) {
            return Err(
                "answers are what `predict` asks for, bounds what the other kinds do".to_string(),
            );
        }
        if self.product.is_some() != matches!(self.work, Work::Product(_)) {
            return Err("[exercise.product] is for a work that is a product".to_string());
        }
        if self.in_place
            && (self.work != Work::Matrix(MatrixWork::Transpose) || self.tile[0] != self.tile[1])
        {
            return Err("only a transpose by square tiles can be in place".to_string());
        }
        for (i, answer) in self.answers.iter().enumerate() {
            if self.answers[..i]
                .iter()
                .any(|other| other.name == answer.name)
            {
                return Err(format!("answer `{}` is asked for twice", answer.name));
            }
            if answer.of.is_empty() {
                return Err(format!("answer `{}` is of no matrix", answer.name));
            }
            match self.about {
                About::Counters => answer.amount().check()?,
                _ => recorded::check(answer)?,
            }
        }
        if self.about != About::Counters && self.profiles.is_empty() {
            return Err("it asks about recorded launches, and names none in profiles".to_string());
        }
        if self.programmatic && (self.work.on_arrays().is_none() || self.kind == Kind::Predict) {
            return Err("programmatic is for kernels on arrays".to_string());
        }
        for (i, id) in self.others().enumerate() {
            if self.others().take(i).any(|other| other == id) {
                return Err(format!("answer `{id}` is there twice"));
            }
        }
        self.bounds.iter().try_for_each(Bound::check)
    }
}
