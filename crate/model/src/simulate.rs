//! One multiprocessor getting through its blocks, instruction by instruction, with its share of what all have in common. What a launch adds to it is `predict`'s.

use crate::l1::Request;
use crate::machine::Machine;
use crate::observe::Observation;
use crate::op::{Pipe, Role};
use crate::program::{Item, Program};
use crate::residence::Residence;
use crate::traffic::Traffic;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Instructions that are simulated at most.
const MOST_EVENTS: usize = 400_000;
const QUARTERS: usize = 4;
const SECTOR_BYTES: f64 = 32.0;
/// Cycles by which stores may be ahead of what L2 has taken.
const STORE_QUEUE_CYCLES: f64 = 600.0;
/// How often it is looked at how busy DRAM is, and the most that counts.
const WINDOW_CYCLES: f64 = 1000.0;
const MOST_USED: f64 = 0.95;

/// What it came to, in cycles of one multiprocessor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Simulated {
    /// Until the last block has ended.
    pub cycles: f64,
    /// For which each of these was at work: schedulers, pipes, shared memory, L1, L2, DRAM, atomics, dispatch.
    pub busy: [f64; 8],
}

/// What sites cost in a multiprocessor.
pub struct Costs {
    /// For each site.
    pub sites: Vec<Cost>,
    /// Blocks that the busiest multiprocessor gets.
    pub blocks: u64,
    /// Cycles between the starts of two blocks on it.
    pub dispatch: f64,
}

/// A request's cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    l1: f64,
    shared: f64,
    l2_load: f64,
    l2_store: f64,
    dram: f64,
    atomic: f64,
    /// Probability that it has to wait for L2, for DRAM.
    goes_l2: f64,
    goes_dram: f64,
    /// Lines whose slowest it waits for.
    lines: f64,
}

/// Costs of all sites.
pub fn costs(
    machine: &Machine,
    observed: &Observation,
    requests: &[Request],
    traffic: &Traffic,
) -> Costs {
    let blocks = observed.shape.blocks() as f64;
    let active = blocks.min(machine.multiprocessors);
    let share = active / machine.multiprocessors;
    let most = (blocks / active).ceil();
    // The busiest stands for all: what they have in common is taken by the average one.
    let even = blocks / active / most;
    let scale = share * even;
    let sites = observed
        .sites
        .iter()
        .enumerate()
        .map(|(at, sum)| {
            let request = requests[at];
            let mut cost = Cost::default();
            let wavefronts = if sum.requests > 0.0 {
                sum.wavefronts / sum.requests
            } else {
                0.0
            };
            if sum.space == 1 {
                cost.shared = match sum.is_atomic {
                    true => wavefronts * machine.shared_atomic_cycles,
                    false => wavefronts.max(1.0),
                };
                return cost;
            }
            if sum.space == 3 {
                return cost;
            }
            let density = if request.missed_lines > 0.0 {
                request.missed / request.missed_lines
            } else {
                4.0
            };
            let apart = ((4.0 - density) / 3.0).clamp(0.0, 1.0);
            let blend = |dense: f64, alone: f64| dense + (alone - dense) * apart;
            cost.l1 = (request.lines * machine.l1_line_cycles)
                .max(request.wavefronts)
                .max(machine.l1_request_cycles);
            if sum.is_bulk {
                cost.l1 = 0.0;
                let moved = if sum.requests > 0.0 {
                    sum.bytes / SECTOR_BYTES / sum.requests
                } else {
                    0.0
                };
                match sum.is_store {
                    true => cost.l2_store = moved * machine.l2_store_cycles * scale,
                    false => cost.l2_load = moved * machine.l2_load_cycles * scale,
                }
                cost.dram =
                    moved * SECTOR_BYTES * traffic.far[at] * traffic.cycles_per_byte * scale;
                (cost.goes_l2, cost.goes_dram, cost.lines) = (1.0, traffic.far[at].min(1.0), 4.0);
                return cost;
            }
            if sum.is_atomic {
                let sectors = if sum.requests > 0.0 {
                    sum.sectors / sum.requests
                } else {
                    0.0
                };
                let parts = parts(machine, sum.reach);
                let shared = (sectors / request.distinct.max(1.0) - 1.0).clamp(0.0, 1.0);
                let same = machine.atomic_same_cycles - machine.atomic_cycles;
                let cycles = machine.atomic_cycles + same * shared;
                cost.atomic = sectors * cycles * machine.multiprocessors / parts * scale;
                (cost.goes_l2, cost.lines) = (1.0, request.lines.max(1.0));
                return cost;
            }
            match sum.is_store {
                true => {
                    let whole = blend(machine.l2_store_cycles, machine.l2_store_alone_cycles);
                    let part = blend(machine.l2_store_part_cycles, machine.l2_store_alone_cycles);
                    cost.l2_store =
                        request.missed * (whole + (part - whole) * request.partial) * scale;
                }
                false => {
                    cost.l2_load = (request.missed
                        * blend(machine.l2_load_cycles, machine.l2_load_alone_cycles)
                        * scale)
                        .max(request.missed * 0.5)
                }
            }
            cost.dram =
                request.missed * SECTOR_BYTES * traffic.far[at] * traffic.cycles_per_byte * scale;
            cost.goes_l2 = request.missed_lines.min(1.0);
            cost.goes_dram = (request.missed_lines * traffic.far[at])
                .min(1.0)
                .min(cost.goes_l2);
            cost.lines = request.missed_lines.max(1.0);
            cost
        })
        .collect();
    let dispatch = (machine
        .block_ns
        .max(machine.block_warp_ns * f64::from(observed.shape.warps())))
        * machine.clock_mhz
        / 1e3
        * active;
    Costs {
        sites,
        blocks: most as u64,
        dispatch,
    }
}

/// How many parts of L2 do atomics whose addresses are spread over so many bytes.
fn parts(machine: &Machine, reach: f64) -> f64 {
    let curve = &machine.atomic_parts;
    let above = curve.partition_point(|(bytes, _)| *bytes < reach);
    match (
        above.checked_sub(1).and_then(|at| curve.get(at)),
        curve.get(above),
    ) {
        (Some((from, few)), Some((to, many))) => few + (many - few) * (reach - from) / (to - from),
        (Some((_, parts)), None) | (None, Some((_, parts))) => *parts,
        (None, None) => 1.0,
    }
}

struct Warp {
    at: usize,
    block: usize,
    quarter: usize,
    ready: Vec<f64>,
    time: f64,
    copies: f64,
    groups: Vec<f64>,
}

struct Block {
    left: u32,
    waiting: Vec<usize>,
    bulk: f64,
}

#[derive(Clone, Copy, PartialEq)]
struct When(f64);
impl Eq for When {}
impl PartialOrd for When {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for When {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

struct Multiprocessor<'m> {
    machine: &'m Machine,
    costs: &'m Costs,
    slots: [f64; QUARTERS],
    pipes: [[f64; 8]; QUARTERS],
    shuffle: f64,
    l1: f64,
    l2_load: f64,
    l2_store: f64,
    dram: f64,
    atomic: f64,
    busy: [f64; 8],
    drawn: u32,
    l2_turn: f64,
    dram_turn: f64,
    /// When it was last looked at how busy DRAM is, and for how long it had been until then; and how busy.
    window: (f64, f64),
    used: f64,
}

/// Runs the busiest multiprocessor.
pub fn simulate(
    machine: &Machine,
    program: &Program,
    costs: &Costs,
    residence: Residence,
    warps: u32,
) -> Simulated {
    let each = program.items.len().max(1) * warps as usize;
    let resident = u64::from(residence.blocks.max(1));
    let least = (3 * resident).max(4);
    let affordable = (MOST_EVENTS / each) as u64;
    let blocks = costs
        .blocks
        .min(affordable.max(resident.min(2)).max(1))
        .min(least.max(affordable));
    let mut run = Multiprocessor::new(machine, costs);
    let ends = run.blocks(program, blocks as usize, resident as usize, warps);
    let last = ends.iter().copied().fold(0.0, f64::max);
    let end = last.max(run.l2_store).max(run.dram).max(run.atomic);
    let scale = costs.blocks as f64 / blocks as f64;
    if blocks == costs.blocks {
        return Simulated {
            cycles: end * program.repeats,
            busy: run.busy.map(|busy| busy * program.repeats),
        };
    }
    // The pace at which blocks ended in the later half.
    let mut sorted = ends;
    sorted.sort_by(f64::total_cmp);
    let from = (blocks / 2).max(resident.min(blocks - 1)).min(blocks - 1) as usize;
    let pace = match from {
        0 => end / blocks as f64,
        _ => (sorted[sorted.len() - 1] - sorted[from - 1]) / (sorted.len() - from) as f64,
    };
    let busiest = run.busy.iter().copied().fold(0.0, f64::max) * scale;
    let cycles = (end + (costs.blocks - blocks) as f64 * pace).max(busiest);
    Simulated {
        cycles: cycles * program.repeats,
        busy: run.busy.map(|busy| busy * scale * program.repeats),
    }
}

impl<'m> Multiprocessor<'m> {
    fn new(machine: &'m Machine, costs: &'m Costs) -> Self {
        Self {
            machine,
            costs,
            slots: [0.0; QUARTERS],
            pipes: [[0.0; 8]; QUARTERS],
            shuffle: 0.0,
            l1: 0.0,
            l2_load: 0.0,
            l2_store: 0.0,
            dram: 0.0,
            atomic: 0.0,
            busy: [0.0; 8],
            drawn: 0,
            l2_turn: 0.0,
            dram_turn: 0.0,
            window: (0.0, 0.0),
            used: 0.0,
        }
    }

    /// Runs so many blocks, so many at a time; when each ended.
    fn blocks(&mut self, program: &Program, count: usize, resident: usize, warps: u32) -> Vec<f64> {
        let mut states: Vec<Warp> = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        let mut ends = Vec::new();
        let mut queue: BinaryHeap<Reverse<(When, usize)>> = BinaryHeap::new();
        let start = |states: &mut Vec<Warp>,
                     blocks: &mut Vec<Block>,
                     queue: &mut BinaryHeap<Reverse<(When, usize)>>,
                     now: f64,
                     freed: Option<usize>,
                     dispatch: f64| {
            let number = blocks.len();
            let time = now.max(number as f64 * dispatch);
            blocks.push(Block {
                left: warps,
                waiting: Vec::new(),
                bulk: 0.0,
            });
            for warp in 0..warps as usize {
                let fresh = Warp {
                    at: 0,
                    block: number,
                    quarter: (number * warps as usize + warp) % QUARTERS,
                    ready: vec![0.0; program.registers],
                    time,
                    copies: time,
                    groups: Vec::new(),
                };
                let slot = match freed {
                    Some(of) => {
                        let slot = of * warps as usize + warp;
                        states[slot] = fresh;
                        slot
                    }
                    None => {
                        states.push(fresh);
                        states.len() - 1
                    }
                };
                queue.push(Reverse((When(time), slot)));
            }
        };
        let dispatch = self.costs.dispatch;
        for _ in 0..resident.min(count) {
            start(&mut states, &mut blocks, &mut queue, 0.0, None, dispatch);
        }
        while let Some(Reverse((When(now), slot))) = queue.pop() {
            let warp = &mut states[slot];
            let Some(item) = program.items.get(warp.at) else {
                let block = warp.block;
                // What no item stands for.
                let end = self.issue(warp.quarter, now.max(warp.time), program.other_slots);
                let block_state = &mut blocks[block];
                block_state.left -= 1;
                block_state.bulk = block_state.bulk.max(end);
                if block_state.left == 0 {
                    let end = block_state.bulk;
                    ends.push(end);
                    if blocks.len() < count {
                        let turn = self.machine.block_turn_cycles
                            + self.machine.block_turn_warp_cycles * f64::from(warps);
                        start(
                            &mut states,
                            &mut blocks,
                            &mut queue,
                            end + turn,
                            Some(slot / warps as usize),
                            dispatch,
                        );
                    }
                }
                continue;
            };
            let needed = item
                .reads
                .iter()
                .chain(&item.writes)
                .map(|register| warp.ready[*register as usize])
                .fold(warp.time, f64::max);
            if needed > now {
                queue.push(Reverse((When(needed), slot)));
                warp.time = needed;
                continue;
            }
            warp.at += 1;
            if item.role == Role::Barrier {
                let issued = self.issue(warp.quarter, now, 1.0);
                let block = warp.block;
                warp.time = issued;
                blocks[block].waiting.push(slot);
                if blocks[block].waiting.len() == blocks[block].left as usize {
                    let cost = self.machine.barrier_cycles
                        + self.machine.barrier_warp_cycles * f64::from(warps);
                    let last = blocks[block]
                        .waiting
                        .iter()
                        .map(|slot| states[*slot].time)
                        .fold(0.0, f64::max)
                        + cost;
                    for slot in std::mem::take(&mut blocks[block].waiting) {
                        states[slot].time = last;
                        queue.push(Reverse((When(last), slot)));
                    }
                }
                continue;
            }
            self.execute(item, warp, &mut blocks, now);
            queue.push(Reverse((When(warp.time), slot)));
        }
        ends
    }

    fn issue(&mut self, quarter: usize, now: f64, slots: f64) -> f64 {
        let at = self.slots[quarter].max(now);
        self.slots[quarter] = at + slots;
        self.busy[0] += slots / QUARTERS as f64;
        at + slots
    }

    fn execute(&mut self, item: &Item, warp: &mut Warp, blocks: &mut [Block], now: f64) {
        let mut begin = now;
        let quarter = warp.quarter;
        let pipe = match item.pipe {
            Pipe::Fma => Some(0),
            Pipe::Imad => Some(1),
            Pipe::Alu => Some(2),
            Pipe::Xu => Some(3),
            Pipe::Fp64 => Some(4),
            Pipe::Tensor | Pipe::Group => Some(5),
            _ => None,
        };
        if let Some(pipe) = pipe {
            begin = begin.max(self.pipes[quarter][pipe]);
        }
        let issued = match item.slots > 0.0 {
            true => self.issue(quarter, begin, item.slots * item.weight),
            false => begin,
        };
        if let Some(pipe) = pipe {
            self.pipes[quarter][pipe] = issued.max(self.pipes[quarter][pipe])
                + (item.cycles - item.slots).max(0.0) * item.weight;
            let used = item.cycles.max(item.slots) * item.weight / QUARTERS as f64;
            self.busy[1] += used;
        }
        let mut done = issued + item.latency;
        if item.pipe == Pipe::Shuffle {
            self.shuffle = self.shuffle.max(issued) + item.cycles * item.weight;
            self.l1 = self.l1.max(self.shuffle);
            self.busy[2] += item.cycles * item.weight;
            done = self.shuffle + item.latency;
        }
        if item.pipe == Pipe::Memory {
            done = self.access(item, issued);
        }
        warp.time = issued;
        match item.role {
            Role::AsyncCopy => {
                warp.copies = warp.copies.max(done);
            }
            Role::Commit => {
                let copies = warp.copies;
                warp.groups.push(copies);
            }
            Role::Wait(left) => {
                let waited = warp.groups.len().saturating_sub(left as usize);
                let until = warp.groups[..waited].iter().copied().fold(issued, f64::max);
                warp.time = until;
            }
            Role::Bulk => blocks[warp.block].bulk = blocks[warp.block].bulk.max(done),
            Role::AwaitBulk => warp.time = issued.max(blocks[warp.block].bulk),
            Role::Store if item.sites.is_empty() => {}
            Role::Store => {
                // A full queue holds the warp.
                warp.time = issued
                    .max(self.l2_store - STORE_QUEUE_CYCLES)
                    .max(self.l1 - STORE_QUEUE_CYCLES);
            }
            _ => {}
        }
        for register in &item.writes {
            warp.ready[*register as usize] = done;
        }
    }

    /// An access; when its data is there.
    fn access(&mut self, item: &Item, issued: f64) -> f64 {
        let mut done = issued + self.machine.l1_latency_cycles;
        for site in &item.sites {
            let Some(cost) = self.costs.sites.get(*site as usize).copied() else {
                continue;
            };
            let weight = item.weight;
            let unit = (cost.l1 + cost.shared) * weight;
            self.l1 = self.l1.max(issued) + unit;
            self.busy[2] += cost.shared * weight;
            self.busy[3] += cost.l1 * weight;
            let here = self.l1;
            done = done.max(
                here + if cost.shared > 0.0 {
                    self.machine.shared_latency_cycles
                } else {
                    self.machine.l1_latency_cycles
                },
            );
            if cost.l2_load > 0.0 {
                self.l2_load = self.l2_load.max(here) + cost.l2_load * weight;
                self.busy[4] += cost.l2_load * weight;
            }
            if cost.l2_store > 0.0 {
                self.l2_store = self.l2_store.max(here) + cost.l2_store * weight;
                self.busy[4] += cost.l2_store * weight;
            }
            if cost.atomic > 0.0 {
                self.atomic = self.atomic.max(here) + cost.atomic * weight;
                self.busy[6] += cost.atomic * weight;
                if item.role == Role::Atomic {
                    done = done.max(self.atomic + self.l2_latency(cost.lines));
                }
            }
            if cost.dram > 0.0 {
                self.dram = self.dram.max(here) + cost.dram * weight;
                self.busy[5] += cost.dram * weight;
            }
            if item.role == Role::Store || item.role == Role::Reduction || cost.goes_l2 == 0.0 {
                continue;
            }
            self.l2_turn += cost.goes_l2;
            self.dram_turn += cost.goes_dram;
            if self.dram_turn >= 1.0 {
                self.dram_turn -= 1.0;
                self.l2_turn = (self.l2_turn - 1.0).max(0.0);
                let latency = self.dram_latency(cost.lines) * self.crowding(here);
                let own = cost.dram * weight;
                done = done
                    .max(self.dram.max(here + own) - own + latency)
                    .max(self.l2_load + latency * 0.5);
            } else if self.l2_turn >= 1.0 {
                self.l2_turn -= 1.0;
                let latency = self.l2_latency(cost.lines);
                done = done.max(here + latency).max(self.l2_load + latency * 0.5);
            }
        }
        done
    }

    /// By how much longer a load from DRAM takes, by how busy that was of late.
    fn crowding(&mut self, now: f64) -> f64 {
        let passed = now - self.window.0;
        if passed > WINDOW_CYCLES {
            let used = ((self.busy[5] - self.window.1) / passed).clamp(0.0, MOST_USED);
            self.used = 0.5 * (self.used + used);
            self.window = (now, self.busy[5]);
        }
        1.0 + self.machine.dram_queue * self.used * self.used / (1.0 - self.used)
    }

    /// The slowest of so many, spread as the probe saw them.
    fn dram_latency(&mut self, of: f64) -> f64 {
        let drawn = self.draw(of);
        quantile(&self.machine.dram_latency_cycles, drawn)
    }

    fn l2_latency(&mut self, of: f64) -> f64 {
        let drawn = self.draw(of);
        quantile(&self.machine.l2_latency_cycles, drawn)
    }

    /// Between 0 and 1, the largest of so many: the same in each run.
    fn draw(&mut self, of: f64) -> f64 {
        self.drawn = self.drawn.wrapping_add(1);
        let number = f64::from(self.drawn.reverse_bits() >> 8) / f64::from(1u32 << 24);
        number.powf(1.0 / of.clamp(1.0, 64.0))
    }
}

fn quantile(values: &[f64], at: f64) -> f64 {
    let place = ((at * values.len() as f64) as usize).min(values.len().saturating_sub(1));
    values.get(place).copied().unwrap_or(0.0)
}
