//! The facts of a machine by their names: one table, each with what it is, its unit, and how it follows from the measurements.

use super::{Chase, Lines, MachineFacts, Rate};
use crate::record::DRIVER_COPY;

/// A number that a record of a machine gives.
pub struct Fact {
    /// Its name, with its unit.
    pub name: &'static str,
    /// What it is, and how it was measured.
    pub what: &'static str,
    decimals: usize,
    of: fn(&MachineFacts) -> Option<f64>,
}

impl Fact {
    /// Its value; `None` where the record lacks the measurement.
    pub fn of(&self, facts: &MachineFacts) -> Option<f64> {
        (self.of)(facts).filter(|value| value.is_finite())
    }

    /// A value of it as tables show it.
    pub fn text(&self, value: f64) -> String {
        format!("{value:.*}", self.decimals)
    }
}

const fn fact(
    name: &'static str,
    decimals: usize,
    of: fn(&MachineFacts) -> Option<f64>,
    what: &'static str,
) -> Fact {
    Fact {
        name,
        what,
        decimals,
        of,
    }
}

const MIB: u64 = 1 << 20;

/// All facts. A latency is what one thread waits for a step of a pointer chase.
pub const FACTS: &[Fact] = &[
    fact(
        "clock_mhz",
        0,
        |m| {
            m.chase("chase_shared", 0)
                .map(|c| 1000.0 * c.cycles() / c.ns())
        },
        "clock of the multiprocessors while one thread chased: clocks by nanoseconds",
    ),
    fact(
        "shared_cycles",
        1,
        |m| m.chase("chase_shared", 0).map(Chase::cycles),
        "latency of shared memory",
    ),
    fact(
        "shared_ns",
        1,
        |m| m.chase("chase_shared", 0).map(Chase::ns),
        "the same",
    ),
    fact(
        "l1_cycles",
        1,
        |m| m.chase("chase_l1", 0).map(Chase::cycles),
        "latency of L1",
    ),
    fact(
        "l1_ns",
        1,
        |m| m.chase("chase_l1", 0).map(Chase::ns),
        "the same",
    ),
    fact(
        "l1_reach_bytes",
        0,
        |m| m.reach("chase_l1", 0),
        "the largest ring that L1 serves, at no more than 5 % above its latency",
    ),
    fact(
        "l2_cycles",
        1,
        |m| m.chase("chase_l2", MIB).map(Chase::cycles),
        "latency of L2: a ring of 1 MiB, walked before",
    ),
    fact(
        "l2_ns",
        1,
        |m| m.chase("chase_l2", MIB).map(Chase::ns),
        "the same",
    ),
    fact(
        "l2_reach_bytes",
        0,
        |m| m.reach("chase_l2", MIB),
        "the largest ring that L2 serves at no more than 5 % above that",
    ),
    fact(
        "l2_low_cycles",
        0,
        |m| Some(m.group(MIB, false)?.0),
        "of the lines in such a ring: the nearer ones, from one multiprocessor",
    ),
    fact(
        "l2_high_cycles",
        0,
        |m| Some(m.group(MIB, false)?.1),
        "the farther ones",
    ),
    fact(
        "l2_across_cycles",
        0,
        |m| Some(m.group(m.device.facts.l2_bytes / 4 * 3, false)?.0),
        "of the lines in a ring of three quarters of L2: the faster group",
    ),
    fact(
        "l2_past_cycles",
        0,
        |m| Some(m.group(m.device.facts.l2_bytes / 4 * 3, false)?.1),
        "the slower group",
    ),
    fact(
        "dram_near_cycles",
        0,
        |m| Some(m.group(1024 * MIB, true)?.0),
        "of the lines in a ring of 1 GiB: the faster group",
    ),
    fact(
        "dram_far_cycles",
        0,
        |m| Some(m.group(1024 * MIB, true)?.1),
        "the slower group",
    ),
    fact(
        "l2_wide_cycles",
        1,
        |m| m.wide().map(Chase::cycles),
        "latency of a ring of three quarters of L2",
    ),
    fact("l2_wide_ns", 1, |m| m.wide().map(Chase::ns), "the same"),
    fact(
        "dram_cycles",
        1,
        |m| m.chase("chase_l2", 1024 * MIB).map(Chase::cycles),
        "latency of memory: a ring of 1 GiB",
    ),
    fact(
        "dram_ns",
        1,
        |m| m.chase("chase_l2", 1024 * MIB).map(Chase::ns),
        "the same",
    ),
    fact(
        "dram_widest_cycles",
        1,
        |m| m.chases_of("chase_l2").last().map(|c| c.cycles()),
        "latency of memory in the largest ring that was walked",
    ),
    fact(
        "dram_widest_ns",
        1,
        |m| m.chases_of("chase_l2").last().map(|c| c.ns()),
        "the same",
    ),
    fact(
        "pages_reach_bytes",
        0,
        |m| m.reach("chase_pages", 0),
        "the most pages of 2 MiB, in bytes, whose translation costs no more than 5 % of L2's latency",
    ),
    fact(
        "pages_cycles",
        1,
        |m| m.chases_of("chase_pages").last().map(|c| c.cycles()),
        "latency of L2 where every access is in another page, of the most pages that were walked",
    ),
    fact(
        "pages_bytes",
        0,
        |m| {
            m.chases_of("chase_pages")
                .last()
                .map(|c| c.ring_bytes() as f64)
        },
        "how far these pages reach",
    ),
    fact(
        "copy_gb_per_s",
        0,
        |m| m.fastest(DRIVER_COPY).map(Rate::gbps),
        "the driver's copy: bytes read and written",
    ),
    fact(
        "read_gb_per_s",
        0,
        |m| m.fastest("in_flight_").map(Rate::gbps),
        "the fastest sum out of memory: bytes read",
    ),
    fact(
        "l2_gb_per_s",
        0,
        |m| m.fastest("reread_l2").map(Rate::gbps),
        "reading out of L2",
    ),
    fact(
        "l1_bytes_per_cycle",
        1,
        |m| m.per_cycle("reread_l1"),
        "reading out of L1, by each multiprocessor",
    ),
    fact(
        "shared_bytes_per_cycle",
        1,
        |m| m.per_cycle("reread_shared"),
        "reading out of shared memory, by each multiprocessor",
    ),
    fact(
        "in_flight_bytes",
        0,
        |m| m.in_flight(),
        "bytes under way at that rate and memory's latency (Little's law), in the whole GPU",
    ),
    fact(
        "launch_us",
        2,
        |m| m.least("one_each").map(Rate::median_us),
        "a launch of one block of one warp, between two events",
    ),
    fact(
        "warps",
        0,
        |m| Some(m.capacity.warps.into()),
        "warps that a multiprocessor holds",
    ),
    fact(
        "registers",
        0,
        |m| Some(m.capacity.registers.into()),
        "its 32-bit registers",
    ),
    fact(
        "shared_bytes",
        0,
        |m| Some(m.capacity.shared_bytes.into()),
        "its shared memory",
    ),
];

impl Rate {
    fn gbps(&self) -> f64 {
        self.gb_per_s().0
    }
}

impl MachineFacts {
    /// The walk round the smallest ring of so many bytes at least.
    fn chase(&self, kernel: &str, bytes: u64) -> Option<&Chase> {
        let mut chases = self.chases_of(kernel).into_iter();
        chases.find(|chase| chase.ring_bytes() >= bytes)
    }

    /// The largest ring up to which no step takes more than 5 % longer than in the smallest of so many bytes at least.
    fn reach(&self, kernel: &str, bytes: u64) -> Option<f64> {
        let least = self.chase(kernel, bytes)?.cycles();
        let chases = self.chases_of(kernel).into_iter();
        let near = chases
            .skip_while(|chase| chase.ring_bytes() < bytes)
            .take_while(|chase| chase.cycles() <= 1.05 * least);
        near.last().map(|chase| chase.ring_bytes() as f64)
    }

    /// The two groups of lines in the smallest ring of so many bytes at least, without what the clock itself takes.
    fn group(&self, bytes: u64, is_first_lap: bool) -> Option<(f64, f64)> {
        let walked = |lines: &&Lines| (lines.laps_before == 0) == is_first_lap;
        let mut lines: Vec<&Lines> = self.lines.iter().filter(walked).collect();
        lines.sort_by_key(|lines| lines.lines);
        let found = lines
            .into_iter()
            .find(|lines| u64::from(lines.lines) * 128 >= bytes)?;
        let clock = self.clock_cycles()?;
        let (low, high) = found.groups()?;
        Some((low - clock, high - clock))
    }

    /// What reading the clock adds to a step: 1 MiB of L2, with and without.
    fn clock_cycles(&self) -> Option<f64> {
        let is_plain = |lines: &&Lines| lines.laps_before > 0;
        let timed = self.lines.iter().filter(is_plain).min_by_key(|l| l.lines)?;
        Some(timed.mean_cycles() - self.chase("chase_l2", MIB)?.cycles())
    }

    fn wide(&self) -> Option<&Chase> {
        self.chase("chase_l2", self.device.facts.l2_bytes / 4 * 3)
    }

    /// The launch with the highest rate of the kernels whose names begin so.
    fn fastest(&self, kernels: &str) -> Option<&Rate> {
        let rates = self
            .rates
            .iter()
            .filter(|rate| rate.kernel.starts_with(kernels));
        rates.max_by(|a, b| a.gbps().total_cmp(&b.gbps()))
    }

    fn least(&self, kernel: &str) -> Option<&Rate> {
        let rates = self.rates.iter().filter(|rate| rate.kernel == kernel);
        rates.min_by_key(|rate| rate.bytes)
    }

    /// Bytes that a multiprocessor gets in a clock.
    fn per_cycle(&self, kernel: &str) -> Option<f64> {
        let gbps = self.fastest(kernel)?.gbps();
        let mhz = self.fact("clock_mhz").ok()?;
        Some(gbps * 1000.0 / mhz / f64::from(self.device.facts.multiprocessors))
    }

    fn in_flight(&self) -> Option<f64> {
        Some(self.fact("read_gb_per_s").ok()? * self.fact("dram_ns").ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_a_name_of_its_own() {
        let mut names: Vec<&str> = FACTS.iter().map(|fact| fact.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FACTS.len());
    }
}
