//! Several runs side by side: what one request of a warp takes of each memory. Counting is the emulator's.

use cornerturn_base::html::{Table, table};
use cornerturn_emulator::Counters;
use cornerturn_measure::task::Run;
use std::borrow::Borrow;

/// A column: its head, what is counted, and the requests that it is shared among.
type Column = (&'static str, fn(&Counters) -> u64, fn(&Counters) -> u64);

const COLUMNS: [Column; 9] = [
    (
        "load sectors",
        |c| c.global_load_sectors,
        |c| c.global_load_requests,
    ),
    (
        "store sectors",
        |c| c.global_store_sectors,
        |c| c.global_store_requests,
    ),
    (
        "store wavefronts",
        |c| c.shared_store_wavefronts,
        |c| c.shared_store_instructions,
    ),
    (
        "store conflicts",
        |c| c.shared_store_bank_conflicts,
        |c| c.shared_store_instructions,
    ),
    (
        "load wavefronts",
        |c| c.shared_load_wavefronts,
        |c| c.shared_load_instructions,
    ),
    (
        "load conflicts",
        |c| c.shared_load_bank_conflicts,
        |c| c.shared_load_instructions,
    ),
    (
        ATOMIC[0],
        |c| c.global_atom_sectors,
        |c| c.global_atom_requests,
    ),
    (
        ATOMIC[1],
        |c| c.global_red_sectors,
        |c| c.global_red_requests,
    ),
    (
        ATOMIC[2],
        |c| c.shared_atom_wavefronts,
        |c| c.shared_atom_instructions,
    ),
];

/// Columns that are left out where no run has such requests.
const ATOMIC: [&str; 3] = ["atomic sectors", "reduction sectors", "atomic wavefronts"];

/// Sectors of a global request, wavefronts and bank conflicts of a shared one, on average, for each kernel; a dash where
/// a kernel makes no such requests. Columns of atomics are there where a kernel has any.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let device = Device::emulator();
/// let runs = [Run::registered(&device, "f64_tiled", 64, 64)?, Run::registered(&device, "f64_padded", 64, 64)?];
/// let table = plot::per_request(&runs);
/// # drop(table);
/// # Ok(())
/// # }
/// ```
pub fn per_request<R: Borrow<Run>>(runs: &[R]) -> Table {
    let occurs = |(head, _, requests): &&Column| {
        let is_counted = |run: &R| requests(&run.borrow().counters) > 0;
        !ATOMIC.contains(head) || runs.iter().any(is_counted)
    };
    let columns: Vec<&Column> = COLUMNS.iter().filter(occurs).collect();
    let rows: Vec<Vec<String>> = runs.iter().map(|run| row(run.borrow(), &columns)).collect();
    let head: Vec<&str> = std::iter::once("per request")
        .chain(columns.iter().map(|(head, ..)| *head))
        .collect();
    table("counted by the emulator", &head, &rows)
}

fn row(run: &Run, columns: &[&Column]) -> Vec<String> {
    let mut row = vec![run.kernel.clone()];
    for (_, amount, requests) in columns {
        let requests = requests(&run.counters);
        row.push(match requests {
            0 => "–".to_owned(),
            _ => super::style::number(amount(&run.counters) as f64 / requests as f64, 2),
        });
    }
    row
}
