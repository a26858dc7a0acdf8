//! The functions of inline values in the chapters: which there are, and what is kept of their answers. Each function's
//! answer is found in `values/`; expressions are the preprocessor's.

mod counts;
mod launches;
mod machine;
mod measurements;
mod other;
mod products;
mod roofs;
mod search;
mod transfers;
mod words;
mod works;

use cornerturn_preprocessor::values::{Source, SourceError};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use words::Words;

/// A function of expressions.
struct Function {
    /// Its name and its arguments: `gbps(KERNEL, SHAPE)`.
    signature: &'static str,
    answer: fn(&Words) -> anyhow::Result<f64>,
}

impl Function {
    fn name(&self) -> &'static str {
        self.signature.split('(').next().unwrap_or_default()
    }
}

/// All functions. `ELEMENT` is an element type, where a name has measurements of several; `DEVICE` a folder of
/// `book/results`, `h200` if left out.
const FUNCTIONS: &[Function] = &[
    function(
        "gbps(KERNEL, SHAPE[, ELEMENT][, DEVICE])",
        measurements::gbps,
    ),
    function("us(KERNEL, SHAPE[, ELEMENT][, DEVICE])", measurements::us),
    function("q1(KERNEL, SHAPE[, ELEMENT][, DEVICE])", measurements::q1),
    function("q3(KERNEL, SHAPE[, ELEMENT][, DEVICE])", measurements::q3),
    function(
        "copy(KERNEL, SHAPE[, ELEMENT][, DEVICE])",
        measurements::copy,
    ),
    function(
        "share(KERNEL, SHAPE[, ELEMENT][, DEVICE])",
        measurements::share,
    ),
    function(
        "apart(KERNEL, KERNEL, SHAPE[, ELEMENT][, DEVICE])",
        measurements::apart,
    ),
    function("best(SHAPE[, ELEMENT][, DEVICE])", measurements::best),
    function(
        "registers(KERNEL, SHAPE[, DEVICE])",
        measurements::registers,
    ),
    function("blocks(KERNEL, SHAPE[, DEVICE])", measurements::blocks),
    function(
        "shared_bytes(KERNEL, SHAPE[, DEVICE])",
        measurements::shared_bytes,
    ),
    function("peak([DEVICE])", measurements::peak),
    function("multiprocessors([DEVICE])", measurements::multiprocessors),
    function("l2_bytes([DEVICE])", measurements::l2_bytes),
    function("count(KERNEL, COUNTER, SHAPE)", counts::count),
    function("tuned(SHAPE[, ELEMENT][, DEVICE])", search::tuned),
    function("tune_copy(SHAPE[, ELEMENT][, DEVICE])", search::copy),
    function(
        "tune_span(SHAPE, FACTOR[, ELEMENT][, DEVICE])",
        search::span,
    ),
    function(
        "tune_share(SHAPE, TILE, LOADS, ORDER, HINTS[, ELEMENT][, DEVICE])",
        search::share,
    ),
    function(
        "tune_variants(SHAPE[, ELEMENT][, DEVICE])",
        search::variants,
    ),
    function(
        "tune_finalists(SHAPE[, ELEMENT][, DEVICE])",
        search::finalists,
    ),
    function("exercise(ID[, DEVICE])", other::exercise),
    function("exercise_share(ID[, DEVICE])", other::exercise_share),
    function(
        "cold(KERNEL, METHOD, SHAPE[, ELEMENT][, DEVICE])",
        other::cold,
    ),
    function("pytorch(NAME, SHAPE[, ELEMENT][, DEVICE])", other::pytorch),
    function("cause(NAME[, DEVICE])", other::cause),
    function("dram(KERNEL, COLUMN, SHAPE[, DEVICE])", other::dram),
    function("waits(loads OR stores[, DEVICE])", other::waits),
    function("rate(KERNEL[, PARAMETER][, MODE][, DEVICE])", works::rate),
    function(
        "rate_us(KERNEL[, PARAMETER][, MODE][, DEVICE])",
        works::rate_us,
    ),
    function(
        "rate_copy(KERNEL[, PARAMETER][, MODE][, DEVICE])",
        works::rate_copy,
    ),
    function(
        "rate_mhz(KERNEL[, PARAMETER][, MODE][, DEVICE])",
        works::rate_mhz,
    ),
    function(
        "rate_share(KERNEL[, PARAMETER][, MODE][, DEVICE])",
        works::rate_share,
    ),
    function("transfer(WAY, SIZE[, DEVICE])", transfers::rate),
    function("transfer_us(WAY, SIZE[, DEVICE])", transfers::us),
    function("piped_us(WAY, SIZE[, DEVICE])", transfers::piped_us),
    function("link([DEVICE])", transfers::link),
    function(
        "launch_us(SEQUENCE, WAY, CLOCK[, ELEMENTS][, DEVICE])",
        launches::launch,
    ),
    function(
        "sequence_us(SEQUENCE, WAY, CLOCK[, ELEMENTS][, DEVICE])",
        launches::sequence,
    ),
    function(
        "matters_up_to(SLOW, WAY, FAST, WAY, SHARE[, DEVICE])",
        launches::matters_up_to,
    ),
    function("rate_registers(KERNEL[, DEVICE])", works::rate_registers),
    function("rate_local(KERNEL[, DEVICE])", works::rate_local),
    function("rate_blocks(KERNEL[, DEVICE])", works::rate_blocks),
    function(
        "machine_local(KERNEL, loads OR stores)",
        works::machine_local,
    ),
    function("tera(KERNEL[, PARAMETER][, DEVICE])", roofs::tera),
    function("intensity(KERNEL[, PARAMETER][, DEVICE])", roofs::intensity),
    function("intensity_at_l1(KERNEL[, PARAMETER])", roofs::at_l1),
    function("operations(KERNEL[, PARAMETER])", roofs::operations),
    function("reported(KERNEL, METRIC[, DEVICE])", roofs::reported),
    function("product_tera(KERNEL, MxNxK[, DEVICE])", products::tera),
    function("product_us(KERNEL, MxNxK[, DEVICE])", products::us),
    function("product_cublas(KERNEL, MxNxK[, DEVICE])", products::cublas),
    function("product_share(KERNEL, MxNxK[, DEVICE])", products::share),
    function(
        "product_gain(KERNEL, KERNEL, MxNxK[, DEVICE])",
        products::gain,
    ),
    function("product_apart(KERNEL, MxNxK[, DEVICE])", products::apart),
    function("product_best(KERNEL, MxNxK[, DEVICE])", products::best),
    function("product_error(KERNEL, MxNxK[, DEVICE])", products::error),
    function(
        "product_registers(KERNEL, MxNxK[, DEVICE])",
        products::registers,
    ),
    function("product_shared(KERNEL, MxNxK[, DEVICE])", products::shared),
    function("product_blocks(KERNEL, MxNxK[, DEVICE])", products::blocks),
    function("product_count(KERNEL, COUNTER, MxNxK)", products::count),
    function("product_intensity(KERNEL, MxNxK)", products::intensity),
    function("fact(NAME[, DEVICE])", machine::fact),
    function("chased(KERNEL, SLOTS[, DEVICE])", machine::chased),
    function("chased_ns(KERNEL, SLOTS[, DEVICE])", machine::chased_ns),
    function("resident(KERNEL, WARPS[, DEVICE])", machine::resident),
    function("crowded(KERNEL, WARPS[, DEVICE])", machine::crowded),
    function("blocked(KERNEL, THREADS[, DEVICE])", machine::blocked),
    function(
        "proposed_threads(KERNEL[, DEVICE])",
        machine::proposed_threads,
    ),
    function(
        "profiled(KERNEL, COLUMN[, PARAMETER][, DEVICE])",
        works::profiled,
    ),
];

const fn function(signature: &'static str, answer: fn(&Words) -> anyhow::Result<f64>) -> Function {
    Function { signature, answer }
}

/// Answers the functions from the committed records and from the emulator; remembers the answers.
#[derive(Default)]
pub struct Values {
    answers: Mutex<HashMap<String, Result<f64, SourceError>>>,
}

impl Values {
    fn answers(&self) -> MutexGuard<'_, HashMap<String, Result<f64, SourceError>>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Values {
    fn signatures(&self) -> Vec<String> {
        FUNCTIONS
            .iter()
            .map(|function| function.signature.to_string())
            .collect()
    }

    fn call(&self, function: &str, arguments: &[&str]) -> Option<Result<f64, SourceError>> {
        let found = FUNCTIONS.iter().find(|known| known.name() == function)?;
        let call = format!("{function}({})", arguments.join(", "));
        if let Some(answer) = self.answers().get(&call) {
            return Some(answer.clone());
        }
        let words = Words::new(found.signature, arguments);
        let answer =
            (found.answer)(&words).map_err(|error| SourceError(format!("{call}: {error:#}")));
        self.answers().insert(call, answer.clone());
        Some(answer)
    }
}

#[cfg(test)]
mod tests;
