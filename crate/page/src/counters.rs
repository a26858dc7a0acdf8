//! Counters as the page shows them: names, numbers, and beside them those of the kernel as it is in the book.

use cornerturn::Counters;
use serde_json::{Value, json};

/// What is shown even where it is 0.
const ALWAYS: [&str; 4] = [
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
];

/// A list of counters; `committed` are those of the unedited kernel.
pub(crate) fn list(counters: &Counters, committed: Option<&Counters>) -> Value {
    let line = |&(field, metric): &(&str, &str)| {
        let value = counters.field(field).unwrap_or(0);
        let before = committed.map(|committed| committed.field(field).unwrap_or(0));
        let is_shown = value > 0 || before.unwrap_or(0) > 0 || ALWAYS.contains(&field);
        is_shown.then(|| {
            json!({
                "name": field.replace('_', " "),
                "metric": metric,
                "value": value,
                "committed": before,
                "explanation": Counters::explanation(metric).unwrap_or_default(),
            })
        })
    };
    Counters::NAMES.iter().filter_map(line).collect()
}
