//! Slots for registers: as few as live at the same time, so that they stay in the nearest cache.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::decode::flow::Graph;
use crate::decode::ir::{Body, Reg};
use crate::decode::optimise::{Definitions, definitions};
use crate::error::LoadError;
use crate::program::kinds::{FileKind, NO_SLOT, Slot};

/// The most slots of one file: beyond, a kernel does not run on a GPU either.
const MOST_SLOTS: usize = 4096;

/// Work on loops beyond which registers live through the whole function.
const MOST_LOOP_WORK: usize = 1 << 24;

/// What [`assign`] decides.
#[derive(Debug)]
pub(super) struct Assignment {
    /// Slot of each register.
    pub(super) slots: Vec<Slot>,
    /// First position at which each register holds something.
    pub(super) first: Vec<u32>,
    /// Last position at which each register is used.
    pub(super) last: Vec<u32>,
    pub(super) counts: [usize; 3],
    /// Registers that may be read before they are written.
    pub(super) cleared: Vec<(FileKind, Slot)>,
    pub(super) definitions: Vec<Definitions>,
}

#[derive(Debug, Clone, Copy)]
struct Interval {
    start: u32,
    end: u32,
}

/// Gives slots to the registers of a function whose operations are numbered in order of the blocks, each
/// block's end included.
pub(super) fn assign(graph: &Graph, body: &Body, line: u32) -> Result<Assignment, LoadError> {
    let definitions = definitions(graph, body.regs.len());
    let mut intervals: Vec<Option<Interval>> = vec![None; body.regs.len()];
    let mut spans = Vec::with_capacity(graph.blocks.len());
    let mut position = 0u32;
    for block in &graph.blocks {
        let first = position;
        for op in &block.ops {
            op.results()
                .chain(op.uses())
                .for_each(|reg| touch(&mut intervals, reg, position));
            position += 1;
        }
        if let Some(reg) = block.end.uses() {
            touch(&mut intervals, reg, position);
        }
        spans.push((first, position));
        position += 1;
    }
    let loops = Loops::new(
        (graph.back_edges().into_iter())
            .map(|(from, to)| (spans[to].0, spans[from].1))
            .collect(),
    );
    let too_much = loops.all.len().saturating_mul(body.regs.len()) > MOST_LOOP_WORK;
    for (reg, interval) in intervals.iter_mut().enumerate() {
        let Some(interval) = interval else { continue };
        if !definitions[reg].covers_uses {
            interval.start = 0;
        }
        if too_much {
            *interval = Interval {
                start: 0,
                end: position,
            };
        } else {
            extend(interval, &loops, definitions[reg].is_single());
        }
    }
    let mut assignment = Assignment {
        slots: vec![NO_SLOT; body.regs.len()],
        first: intervals
            .iter()
            .map(|interval| interval.map_or(u32::MAX, |interval| interval.start))
            .collect(),
        last: intervals
            .iter()
            .map(|interval| interval.map_or(0, |interval| interval.end))
            .collect(),
        counts: [0; 3],
        cleared: Vec::new(),
        definitions,
    };
    for file in [FileKind::Preds, FileKind::Words, FileKind::Longs] {
        scan(file, body, &intervals, &mut assignment, line)?;
    }
    for (reg, interval) in intervals.iter().enumerate() {
        if interval.is_some() && !assignment.definitions[reg].covers_uses {
            assignment
                .cleared
                .push((body.regs[reg].file, assignment.slots[reg]));
        }
    }
    Ok(assignment)
}

fn touch(intervals: &mut [Option<Interval>], reg: Reg, position: u32) {
    let interval = intervals[reg.0 as usize].get_or_insert(Interval {
        start: position,
        end: position,
    });
    interval.start = interval.start.min(position);
    interval.end = interval.end.max(position);
}

/// Loops as intervals of positions.
struct Loops {
    /// In the order of their starts.
    all: Vec<(u32, u32)>,
    /// Those that overlap put together, so that none meets another.
    merged: Vec<(u32, u32)>,
}

impl Loops {
    fn new(mut all: Vec<(u32, u32)>) -> Self {
        all.sort_unstable();
        all.dedup();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (first, last) in &all {
            match merged.last_mut() {
                Some((_, end)) if first <= end => *end = (*end).max(*last),
                _ => merged.push((*first, *last)),
            }
        }
        Self { all, merged }
    }
}

/// Makes an interval hold around loops. One that is written once, before all uses, lives on through a loop
/// that it is written before and used in; any other through every loop that it occurs in.
fn extend(interval: &mut Interval, loops: &Loops, single: bool) {
    let Interval { start, end } = interval;
    if single {
        let later = loops.all.partition_point(|(first, _)| first <= start);
        for (first, last) in &loops.all[later..] {
            if first > end {
                break;
            }
            *end = (*end).max(*last);
        }
        return;
    }
    let meets = loops.merged.partition_point(|(_, last)| last < start);
    for (first, last) in &loops.merged[meets..] {
        if first > end {
            break;
        }
        (*start, *end) = ((*start).min(*first), (*end).max(*last));
    }
}

/// Linear scan: the lowest slot that is free from the interval's start on.
fn scan(
    file: FileKind,
    body: &Body,
    intervals: &[Option<Interval>],
    assignment: &mut Assignment,
    line: u32,
) -> Result<(), LoadError> {
    let mut order: Vec<(u32, u32, usize)> = intervals
        .iter()
        .enumerate()
        .filter(|(reg, _)| body.regs[*reg].file == file)
        .filter_map(|(reg, interval)| interval.map(|interval| (interval.start, interval.end, reg)))
        .collect();
    order.sort_unstable();
    let mut free: BTreeSet<Slot> = BTreeSet::new();
    let mut busy: BinaryHeap<Reverse<(u32, Slot)>> = BinaryHeap::new();
    let mut count = 0usize;
    for (start, end, reg) in order {
        while let Some(Reverse((ends, slot))) = busy.peek().copied() {
            if ends >= start {
                break;
            }
            busy.pop();
            free.insert(slot);
        }
        let slot = match free.pop_first() {
            Some(slot) => slot,
            None if count < MOST_SLOTS => {
                count += 1;
                (count - 1) as Slot
            }
            None => {
                let what = "the number of registers in use at a time".to_string();
                return Err(LoadError::OverOurLimit {
                    what,
                    value: count as u64 + 1,
                    most: MOST_SLOTS as u64,
                    line,
                });
            }
        };
        assignment.slots[reg] = slot;
        busy.push(Reverse((end, slot)));
    }
    assignment.counts[file as usize] = count;
    Ok(())
}
