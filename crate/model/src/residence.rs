//! How many blocks of a launch a multiprocessor holds at a time, and how much of its memory is L1. What they do there is `simulate`'s.

use crate::machine::Machine;
use crate::observe::{Observation, Shape};

/// Registers are given to warps in units of so many for a thread.
const REGISTER_UNIT: u32 = 8;
/// Registers that the assembler takes beside those that are alive, at least.
const REGISTERS_BESIDE: u32 = 6;
/// The sizes that shared memory can have, in KiB; from the tuning guide for compute capability 9.0.
const CARVEOUTS_KIB: [u32; 11] = [0, 8, 16, 32, 64, 100, 132, 164, 196, 228, 256];

/// What a multiprocessor holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residence {
    /// Blocks at a time.
    pub blocks: u32,
    /// Bytes of L1.
    pub l1_bytes: f64,
    /// Registers of a thread that were assumed.
    pub registers: u32,
}

/// Of a launch; 0 blocks where none fits.
pub fn residence(machine: &Machine, observed: &Observation) -> Residence {
    let shape = &observed.shape;
    let registers = shape
        .registers
        .unwrap_or_else(|| estimate(observed.alive, shape));
    let warps = shape.warps();
    let of_registers = registers.max(1).next_multiple_of(REGISTER_UNIT) * 32 * warps;
    let shared = f64::from(shape.shared_bytes) + machine.shared_reserved_bytes;
    let by_shared = match shape.shared_bytes {
        0 => machine.blocks,
        _ => (machine.shared_bytes / shared).floor(),
    };
    let blocks = (machine.warps / f64::from(warps))
        .floor()
        .min(machine.blocks)
        .min((machine.registers / f64::from(of_registers)).floor())
        .min(by_shared);
    let (blocks, l1_bytes) = carve(machine, shape, blocks, shared);
    Residence {
        blocks: blocks as u32,
        l1_bytes,
        registers,
    }
}

/// What is left for L1, and how many blocks the carveout allows if one is asked for.
fn carve(machine: &Machine, shape: &Shape, blocks: f64, shared: f64) -> (f64, f64) {
    let wanted = match shape.carveout {
        Some(percent) => machine.shared_bytes * f64::from(percent) / 100.0,
        None => blocks * if shape.shared_bytes > 0 { shared } else { 0.0 },
    };
    let wanted = wanted.max(if shape.shared_bytes > 0 { shared } else { 0.0 });
    let scale = machine.shared_bytes / (228.0 * 1024.0);
    let sizes = CARVEOUTS_KIB
        .iter()
        .map(|kib| f64::from(*kib) * 1024.0 * scale.min(1.0));
    let carved = sizes
        .clone()
        .find(|size| *size >= wanted - 1.0)
        .unwrap_or(machine.shared_bytes)
        .min(machine.shared_bytes);
    let blocks = match shape.carveout {
        Some(_) if shape.shared_bytes > 0 => blocks.min((carved / shared).floor()),
        _ => blocks,
    };
    (blocks, machine.l1_bytes - carved)
}

/// What the assembler would take.
fn estimate(alive: u32, shape: &Shape) -> u32 {
    let most = (65_536 / shape.threads().max(32) / REGISTER_UNIT * REGISTER_UNIT).min(255);
    (alive + REGISTERS_BESIDE).clamp(10, most.max(16))
}

/// The most 32-bit registers that are alive at a time in a PTX text, by first and last mention: a loop keeps what it
/// reads alive to its end.
pub fn alive(lines: &[&str]) -> u32 {
    use std::collections::BTreeMap;
    let mut spans: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    let mut loops: Vec<(usize, usize)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = line.split("//").next().unwrap_or(line).trim();
        if line.starts_with('.') {
            continue;
        }
        if let Some(label) = line.strip_suffix(':') {
            labels.insert(label, at);
        }
        if let Some(target) = line.split("bra").nth(1) {
            let target = target
                .trim_start_matches(".uni")
                .trim()
                .trim_end_matches(';');
            if let Some(begin) = labels.get(target) {
                loops.push((*begin, at));
            }
        }
        for register in line
            .split(|letter: char| !(letter.is_alphanumeric() || letter == '%' || letter == '.'))
            .filter(|word| word.starts_with('%') && !word.contains('.'))
        {
            let span = spans.entry(register).or_insert((at, at));
            span.1 = at;
        }
    }
    let mut change = vec![0i64; lines.len() + 2];
    for (register, (first, mut last)) in spans {
        let words = match register.as_bytes().get(1) {
            Some(b'p') => 0,
            Some(b'r') if register.as_bytes().get(2) == Some(&b'd') => 2,
            Some(b'f') if register.as_bytes().get(2) == Some(&b'd') => 2,
            _ => 1,
        };
        for (begin, end) in &loops {
            if first < *begin && last > *begin {
                last = last.max(*end);
            }
        }
        change[first] += words;
        change[last] -= words;
    }
    let (mut now, mut most) = (0, 0);
    for step in change {
        now += step;
        most = most.max(now);
    }
    most.clamp(0, 255) as u32
}
