//! Several runs side by side: what one request of a warp takes of each memory. Counting is the emulator's.

use crate::html::{Table, table};
use crate::task::Run;
use cornerturn_emulator::Counters;
use std::borrow::Borrow;

/// A column: its head, what is counted, and the requests that it is shared among.
type Column = (&'static str, fn(&Counters) -> u64, fn(&Counters) -> u64);

const COLUMNS: [Column; 6] = [
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
];

/// Sectors of a global request, wavefronts and bank conflicts of a shared one, on average, for each kernel; a dash where
/// a kernel makes no such requests.
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
    let rows: Vec<Vec<String>> = runs.iter().map(|run| row(run.borrow())).collect();
    let head: Vec<&str> = std::iter::once("per request")
        .chain(COLUMNS.iter().map(|(head, ..)| *head))
        .collect();
    table("counted by the emulator", &head, &rows)
}

fn row(run: &Run) -> Vec<String> {
    let mut row = vec![run.kernel.clone()];
    for (_, amount, requests) in COLUMNS {
        let requests = requests(&run.counters);
        row.push(match requests {
            0 => "–".to_owned(),
            _ => super::style::number(amount(&run.counters) as f64 / requests as f64, 2),
        });
    }
    row
}
