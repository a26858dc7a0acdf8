//! Makes a machine description from what probes measured. No record of a kernel that is predicted is read here.

use crate::machine::{Machine, MachineError};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Quantiles that a distribution of latencies is kept as.
const QUANTILES: usize = 16;
/// Cycles of what the plainest copy does beside waiting for its load: a dozen dependent instructions.
const PLAINEST_CYCLES: f64 = 60.0;

/// The records of probes, as text.
#[derive(Debug, Clone, Copy)]
pub struct Probes<'t> {
    /// `machine.json`: latencies and bandwidths, by `cornerturn record machine`.
    pub machine: &'t str,
    /// `probes-pipes.csv`: one multiprocessor's parts.
    pub pipes: &'t str,
    /// `probes-memory.csv`: what multiprocessors share.
    pub memory: &'t str,
}

/// Why no description can be made.
#[derive(Debug, thiserror::Error)]
pub enum DescribeError {
    /// The machine's record is none.
    #[error("the record of the machine cannot be read: {0}")]
    Record(#[from] serde_json::Error),
    /// A probe is missing.
    #[error("the records hold no probe `{0}`")]
    Missing(String),
    /// What they give is impossible.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

#[derive(Deserialize)]
struct Record {
    device: Device,
    capacity: Capacity,
    chases: Vec<Chase>,
    lines: Vec<Lines>,
    rates: Vec<Rate>,
}

#[derive(Deserialize)]
struct Device {
    name: String,
    multiprocessors: f64,
    l2_bytes: f64,
    clocks: Clocks,
}

#[derive(Deserialize)]
struct Clocks {
    sm_mhz: f64,
}

#[derive(Deserialize)]
struct Capacity {
    warps: f64,
    blocks: f64,
    registers: f64,
    shared_bytes: f64,
}

#[derive(Deserialize)]
struct Chase {
    kernel: String,
    slots: u64,
    slot_bytes: f64,
    cycles: Vec<f64>,
}

#[derive(Deserialize)]
struct Lines {
    lines: u64,
    cycles: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Rate {
    kernel: String,
    blocks: f64,
    threads: u32,
    dynamic_shared_bytes: u32,
    warps: u32,
    bytes: f64,
    samples_us: Vec<f64>,
}

/// Rows of a table of probes: three names, blocks, threads, and the median.
struct Table(Vec<(String, String, u64, u64, u64, f64)>);

impl Table {
    fn read(text: &str) -> Self {
        let rows = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| {
                let parts: Vec<&str> = line.split(',').collect();
                let number = |at: usize| parts.get(at)?.parse::<u64>().ok();
                Some((
                    parts.first()?.to_string(),
                    parts.get(1)?.to_string(),
                    number(2)?,
                    number(3)?,
                    number(4)?,
                    parts.get(6)?.parse().ok()?,
                ))
            });
        Self(rows.collect())
    }

    fn get(
        &self,
        probe: &str,
        what: &str,
        number: u64,
        blocks: Option<u64>,
        threads: Option<u64>,
    ) -> Result<f64, DescribeError> {
        let row = self.0.iter().find(|(a, b, c, d, e, _)| {
            a == probe
                && b == what
                && *c == number
                && blocks.is_none_or(|blocks| blocks == *d)
                && threads.is_none_or(|threads| threads == *e)
        });
        row.map(|row| row.5)
            .ok_or_else(|| DescribeError::Missing(format!("{probe} {what} {number}")))
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Quantiles of a histogram whose keys are the lower ends of classes.
fn quantiles(histogram: &BTreeMap<String, u64>) -> Vec<f64> {
    let mut classes: Vec<(f64, u64)> = histogram
        .iter()
        .filter_map(|(cycles, count)| Some((cycles.parse().ok()?, *count)))
        .collect();
    classes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: u64 = classes.iter().map(|(_, count)| count).sum();
    (0..QUANTILES)
        .map(|turn| {
            let wanted = (2 * turn + 1) as f64 / (2 * QUANTILES) as f64 * all as f64;
            let mut passed = 0.0;
            for (cycles, count) in &classes {
                passed += *count as f64;
                if passed >= wanted {
                    return *cycles;
                }
            }
            f64::NAN
        })
        .collect()
}

/// The mean of the largest of so many that are spread so.
fn slowest(quantiles: &[f64], of: u32) -> f64 {
    let each = 1.0 / quantiles.len() as f64;
    let power = |at: usize| (at as f64 * each).powi(of as i32);
    quantiles
        .iter()
        .enumerate()
        .map(|(at, value)| value * (power(at + 1) - power(at)))
        .sum()
}

/// A description of the GPU on which the probes ran.
///
/// # Errors
/// [`DescribeError`].
pub fn describe(probes: Probes) -> Result<Machine, DescribeError> {
    let record: Record = serde_json::from_str(probes.machine)?;
    let (pipes, memory) = (Table::read(probes.pipes), Table::read(probes.memory));
    let chase = |kernel: &str, most: f64| -> Result<f64, DescribeError> {
        let mut fits = record.chases.iter().filter(|chase| {
            chase.kernel == kernel && chase.slots as f64 * chase.slot_bytes <= most
        });
        fits.next_back()
            .map(|chase| median(&chase.cycles))
            .ok_or_else(|| DescribeError::Missing(kernel.to_string()))
    };
    let lines = |least: u64, most: u64| -> Result<Vec<f64>, DescribeError> {
        let found = record
            .lines
            .iter()
            .find(|lines| (least..most).contains(&lines.lines));
        found
            .map(|lines| quantiles(&lines.cycles))
            .ok_or_else(|| DescribeError::Missing("chase_lines".to_string()))
    };
    let sms = record.device.multiprocessors;
    let clock = record.device.clocks.sm_mhz;
    // Cycles of a warp's instruction in a quarter: what a multiprocessor with 32 warps takes, times its quarters.
    let full = |name: &str| {
        pipes
            .get("chain", name, 1, None, Some(1024))
            .map(|cycles| 4.0 * cycles)
    };
    let base = full("ffma")? - 1.0;
    let rate = |name: &str| full(name).map(|cycles| (cycles - base).max(1.0));
    // One warp alone: its latency, beside what the loop around it costs, which is that of the shortest.
    let alone = |name: &str| pipes.get("chain", name, 1, None, Some(32));
    let around = alone("lop")? - 4.0;
    let latency = |name: &str| alone(name).map(|cycles| cycles - around);
    let cold = |what: &str, number: u64| memory.get("cold", what, number, None, None);
    let empty =
        |blocks: u64, threads: u64| memory.get("cold", "empty", 0, Some(blocks), Some(threads));
    let mib = 1_048_576.0;
    let launch_us = empty(132, 256)?;
    let block_ns = (empty(524_288, 256)? - empty(65_536, 256)?) / (524_288.0 - 65_536.0) * 1e3;
    let block_warp_ns =
        (empty(524_288, 1024)? - empty(65_536, 1024)?) / (524_288.0 - 65_536.0) * 1e3 / 32.0;
    // Where nothing but the bytes grows any more.
    let slope = |what: &str| -> Result<f64, DescribeError> {
        Ok(512.0 * mib / (cold(what, 1024)? - cold(what, 512)?) / 1e3)
    };
    let dram_gb_per_s = slope("write")?.max(slope("read")?);
    let dram_mixed_gb_per_s = 2.0 * slope("copy")?;
    let dirty_us = cold("read", 1024)? - memory.get("warm", "read", 1024, None, None)?;
    let dirty_bytes = dirty_us * dram_gb_per_s * 1e3;
    let half_us = cold("read", 128)? - launch_us - 128.0 * mib / dram_gb_per_s / 1e3;
    let spread = half_us * dram_gb_per_s * 1e3;
    let dirty_spread_bytes = 128.0 * mib / -(1.0 - (spread / dirty_bytes).min(0.9)).ln();
    let l2 = |what: &str, bytes: &str, gap: u64, sectors: f64| {
        pipes
            .get(what, bytes, gap, None, Some(1024))
            .map(|cycles| cycles / sectors)
    };
    // What the first load of a cold launch waits for, beside the launch and DRAM's latency.
    let dram_latency_cycles = lines(1 << 22, u64::MAX)?;
    let mean = dram_latency_cycles.iter().sum::<f64>() / dram_latency_cycles.len() as f64;
    let cold_start_us = (cold("read", 1)? - launch_us - (mean + 132.0 * 4.0) / clock).max(0.0);
    // Of requests of a warp with distinct addresses, four sectors each, 64 words of which lie in one part of L2.
    let requests = 4096.0 * 1024.0 / 32.0;
    let atomic_cycles = (cold("red turn", 64)? - launch_us) * clock / requests / 4.0;
    // All lanes at one address.
    let atomic_same_cycles = (cold("red turn", 1)? - launch_us) * clock / requests / 32.0;
    // Side by side up to a page of 4 KiB, at random beyond.
    let starts = 4096.0 * block_ns / 1e3;
    let mut atomic_parts = Vec::new();
    for (what, words, sectors) in [
        ("red turn", 64, 4.0),
        ("red turn", 256, 4.0),
        ("red turn", 1024, 4.0),
        ("red random", 4096, 32.0),
        ("red random", 16_384, 32.0),
        ("red random", 65_536, 32.0),
        ("red random", 262_144, 32.0),
    ] {
        let us = cold(what, words)? - launch_us - if words > 64 { starts } else { 0.0 };
        atomic_parts.push((
            4.0 * words as f64,
            (atomic_cycles * requests * sectors / (us * clock)).max(1.0),
        ));
    }
    let rate_of = |kernel: &str, warps: u32, threads: u32| -> Result<(f64, f64), DescribeError> {
        let found = record.rates.iter().find(|rate| {
            rate.kernel == kernel
                && rate.warps == warps
                && rate.threads == threads
                && rate.dynamic_shared_bytes == 0
        });
        let found =
            found.ok_or_else(|| DescribeError::Missing(format!("{kernel} with {warps} warps")))?;
        Ok((
            median(&found.samples_us) - launch_us - cold_start_us,
            found.bytes,
        ))
    };
    // Eight loads of 128 bytes a warp: as much as there is of such.
    let (us, bytes) = rate_of("in_flight_8", 64, 256)?;
    let dram_apart_share = (bytes / us / 1e3 / dram_gb_per_s).min(1.0);
    // Cycles for which the loads of a thread are under way, with few warps and with half of those that there can be.
    let under_way = |warps: u32| {
        rate_of("in_flight_4", warps, 256).map(|(us, bytes)| {
            (
                f64::from(warps) * 4.0 * 128.0 * sms * us * clock / bytes,
                bytes / us / 1e3,
            )
        })
    };
    let ((few, _), (half, gb_per_s)) = (under_way(8)?, under_way(32)?);
    let used = gb_per_s / dram_gb_per_s;
    let dram_queue = ((half / few - 1.0) * (1.0 - used) / (used * used)).max(0.0);
    // What a block of the plainest copy lives for, beside the latency of its one load.
    let lives = |threads: u32| -> Result<f64, DescribeError> {
        let found = record.rates.iter().find(|rate| {
            rate.kernel == "one_each" && rate.threads == threads && rate.blocks > 1000.0
        });
        let found = found
            .ok_or_else(|| DescribeError::Missing(format!("one_each with {threads} threads")))?;
        let us = median(&found.samples_us) - launch_us;
        let used = found.bytes / us / 1e3 / dram_mixed_gb_per_s;
        let crowding = 1.0 + dram_queue * used * used / (1.0 - used);
        let each = us * clock * sms / found.blocks;
        Ok(each * f64::from(found.warps * 32 / threads)
            - slowest(&dram_latency_cycles, threads / 32) * crowding
            - PLAINEST_CYCLES)
    };
    let (small, large) = (lives(256)?, lives(1024)?);
    let block_turn_warp_cycles = ((large - small) / 24.0).max(0.0);
    // Words down the columns of a matrix: each lane's in a line of its own.
    let words = 16384.0 * 1024.0;
    let column = |what: &str| {
        cold(what, 16_512).map(|us| (us - launch_us - cold_start_us) * clock * sms / words)
    };
    let bar = |threads: u64| {
        pipes
            .get("chain", "bar", 1, None, Some(threads))
            .map(|cycles| cycles * threads as f64 / 32.0)
    };
    let (bar_1, bar_32) = (bar(32)?, bar(1024)?);
    let machine = Machine {
        name: record.device.name.clone(),
        made: format!("from probes on one {}", record.device.name),
        sources: BTreeMap::new(),
        dram_latency_cycles,
        l2_latency_cycles: lines(4096, 65_536)?,
        multiprocessors: sms,
        clock_mhz: clock,
        warps: record.capacity.warps,
        blocks: record.capacity.blocks,
        registers: record.capacity.registers,
        l1_bytes: 256.0 * 1024.0,
        shared_bytes: record.capacity.shared_bytes,
        shared_reserved_bytes: 1024.0,
        l2_bytes: record.device.l2_bytes,
        l2_kept_bytes: record.device.l2_bytes,
        launch_us,
        block_ns,
        block_warp_ns,
        block_turn_cycles: small - 8.0 * block_turn_warp_cycles,
        block_turn_warp_cycles,
        cold_start_us,
        dram_gb_per_s,
        dram_mixed_gb_per_s,
        dram_apart_share,
        dram_queue,
        dirty_bytes,
        dirty_spread_bytes,
        fma_cycles: 1.0,
        imad_cycles: rate("imad")?,
        alu_cycles: rate("lop")?,
        xu_cycles: rate("ex2")?,
        fp64_cycles: rate("dfma")? / 8.0,
        shuffle_cycles: rate("shfl")? / 4.0,
        alu_latency_cycles: latency("ffma")?,
        xu_latency_cycles: latency("ex2")?,
        fp64_latency_cycles: latency("dfma")? / 6.0,
        shuffle_latency_cycles: latency("shfl")?,
        shared_latency_cycles: chase("chase_shared", f64::MAX)?,
        l1_latency_cycles: chase("chase_l1", 128.0 * 1024.0)?,
        tensor_ops: 4096.0 * 0.62,
        tensor_group_ops: 4096.0,
        barrier_cycles: bar_1 - (bar_32 - bar_1) / 31.0,
        barrier_warp_cycles: (bar_32 - bar_1) / 31.0,
        l1_line_cycles: pipes.get("l1_load", "4", 132, None, Some(1024))? / 33.0,
        l1_request_cycles: 1.0,
        l2_load_cycles: l2("l2_load", "4", 4, 4.0)?,
        l2_load_alone_cycles: column("columns read")?,
        l2_store_cycles: l2("l2_store", "4", 4, 4.0)?,
        l2_store_part_cycles: l2("l2_store", "4", 32, 32.0)?,
        l2_store_alone_cycles: column("columns write")?,
        atomic_cycles,
        atomic_same_cycles,
        atomic_parts,
        shared_atomic_cycles: pipes.get("shared_red", "4", 128, None, Some(1024))? / 32.0,
        constant_cycles: 4.0,
    };
    machine.check()?;
    Ok(machine)
}
