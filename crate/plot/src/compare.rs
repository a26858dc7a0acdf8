//! Several runs side by side: one row a kernel, what each does to memory for as many elements as a warp has lanes. Counting is the emulator's.

use super::style::{bandwidth_number, number, percent};
use cornerturn_base::html::escape;
use cornerturn_base::html::{CELL, NUMBER, Table, html, term};
use cornerturn_emulator::Counters;
use cornerturn_emulator::counters::SECTOR_BYTES;
use cornerturn_measure::task::{Asked, Run};
use std::borrow::Borrow;

/// Elements that a warp holds at one a lane.
const LANES: f64 = 32.0;

/// A column of counts: its head, the counter that explains it, its value, and the least that the operation needs.
struct Column {
    head: &'static str,
    /// Whether it is left out where every run has 0.
    is_optional: bool,
    ncu: &'static str,
    value: fn(&Counters) -> u64,
    least: fn(&Run) -> Option<f64>,
}

/// Sectors that hold so many bytes, for as many items as a warp has lanes.
fn sectors_of(bytes: u64, run: &Run) -> Option<f64> {
    let warps = run.items() as f64 / LANES;
    Some(bytes as f64 / SECTOR_BYTES as f64 / warps.max(1.0))
}

const COLUMNS: [Column; 8] = [
    Column {
        head: "sectors loaded",
        is_optional: false,
        ncu: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        value: |c| c.global_load_sectors,
        least: |run| sectors_of(run.wanted().load_bytes, run),
    },
    Column {
        head: "sectors stored",
        is_optional: false,
        ncu: "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        value: |c| c.global_store_sectors,
        least: |run| sectors_of(run.wanted().store_bytes, run),
    },
    Column {
        head: "atomic sectors",
        is_optional: true,
        ncu: "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
        value: |c| c.global_atom_sectors + c.global_red_sectors,
        least: |_| None,
    },
    Column {
        head: "atomic wavefronts",
        is_optional: true,
        ncu: "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
        value: |c| c.shared_atom_wavefronts,
        least: |_| None,
    },
    Column {
        head: "local sectors",
        is_optional: true,
        ncu: "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
        value: |c| c.local_load_sectors + c.local_store_sectors,
        least: |_| None,
    },
    Column {
        head: "shared wavefronts",
        is_optional: false,
        ncu: "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        value: |c| c.shared_load_wavefronts + c.shared_store_wavefronts,
        least: |_| None,
    },
    Column {
        head: "bank conflicts",
        is_optional: false,
        ncu: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        value: |c| c.shared_load_bank_conflicts + c.shared_store_bank_conflicts,
        least: |_| Some(0.0),
    },
    Column {
        head: "instructions",
        is_optional: false,
        ncu: "ptx__warp_instructions.sum",
        value: |c| c.ptx_warp_instructions,
        least: |_| None,
    },
];

/// Runs of several kernels in one table: the bandwidth where it was timed, and the counters for every 32 elements, so
/// that kernels with other widths and blocks compare. Columns of atomics are there where a run has any. What is over the least that the operation needs is marked.
///
/// ```no_run
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// # let device = Device::open()?;
/// # let task = Task::transpose(&device, 512, 512)?;
/// let tiled = task.run(&Kernel::registered("tiled")?, (16, 16), (32, 8))?;
/// let padded = task.run(&Kernel::registered("padded")?, (16, 16), (32, 8))?;
/// let table = plot::compare(&[&tiled, &padded]);
/// # drop(table);
/// # Ok(())
/// # }
/// ```
pub fn compare<R: Borrow<Run>>(runs: &[R]) -> Table {
    let runs: Vec<&Run> = runs.iter().map(Borrow::borrow).collect();
    let is_timed = runs.iter().any(|run| run.timing.is_some());
    let occurs = |column: &&Column| {
        let is_counted = |run: &&Run| (column.value)(&run.counters) > 0;
        !column.is_optional || runs.iter().any(is_counted)
    };
    let columns: Vec<&Column> = COLUMNS.iter().filter(occurs).collect();
    let mut head = vec!["kernel".to_owned()];
    let mut css = vec![CELL];
    if is_timed {
        head.extend(["GB/s", "of copy"].map(str::to_owned));
    }
    for column in &columns {
        let explanation = Counters::explanation(column.ncu).unwrap_or_default();
        head.push(term(column.head, explanation));
    }
    css.resize(head.len(), NUMBER);
    let rows: Vec<Vec<String>> = runs
        .iter()
        .map(|run| row(run, &columns, is_timed))
        .collect();
    let caption = "for every 32 elements; shared: loads and stores together";
    Table {
        html: html(caption, &head, &css, &rows),
    }
}

fn row(run: &Run, columns: &[&Column], is_timed: bool) -> Vec<String> {
    let mut cells = vec![escape(&match &run.asked {
        Asked::Matrices(_) => run.kernel.clone(),
        Asked::Arrays { what, .. } => format!("{}: {what}", run.kernel),
    })];
    if is_timed {
        let share = |rate: cornerturn_base::traffic::GbPerS| {
            Some(percent(rate.0 / run.copy_gb_per_s()?.0, 0))
        };
        let rate = run.gb_per_s();
        cells.push(rate.map_or(String::new(), |rate| bandwidth_number(rate.0, rate.0)));
        cells.push(rate.and_then(share).unwrap_or_default());
    }
    let elements = run.items() as f64;
    for column in columns {
        let per_warp = (column.value)(&run.counters) as f64 * LANES / elements.max(1.0);
        let text = number(per_warp, 2);
        // Half a per cent more is the edge of a matrix that is no multiple of the tile.
        let is_over = |least: f64| per_warp > least * 1.005;
        cells.push(match (column.least)(run) {
            Some(least) if is_over(least) => format!("<strong>{text}</strong>"),
            _ => text,
        });
    }
    cells
}
