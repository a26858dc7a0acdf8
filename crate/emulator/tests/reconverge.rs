//! Where lanes that part meet again: the results of each lane, and how often a warp comes by each load.
//!
//! Each kernel of `pass/reconverge.cu` is written here once more for one lane. What a warp requests follows: it comes by
//! a load once for all lanes that stand there together, which are those with the same load and the same *turn*. A turn is
//! the numbers of the loops around it; where lanes have not met again, also that which they parted by.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, Random, module};
use std::collections::BTreeSet;

const LENGTH: usize = 1999;

/// One lane, by the letters of the CUDA C++.
struct Lane<'a> {
    input: &'a [u32],
    s: u32,
    /// Loads and their turns.
    seen: &'a mut BTreeSet<(u32, Vec<u32>)>,
}

impl Lane<'_> {
    fn w(&mut self, k: u32, turn: &[u32]) {
        self.seen.insert((k, turn.to_vec()));
        let loaded = self.input[self.s.wrapping_add(k) as usize % LENGTH];
        self.s = (self.s ^ loaded).wrapping_mul(2 * k + 3).wrapping_add(k);
    }

    fn c(&self, k: u32) -> bool {
        (self.s.wrapping_mul(2_654_435_769) >> (k + 9)) % 4 == 1
    }
}

/// Runs a kernel and compares it with what each lane should do, which returns its result less its state.
fn check(entry: &str, lane: fn(&mut Lane, u32) -> u32) {
    let (grid, block) = (3, 83);
    let threads = (grid * block) as usize;
    for (seed, n) in [(1, 1), (2, 5), (3, 13)] {
        let mut random = Random(seed);
        let input: Vec<u32> = (0..LENGTH).map(|_| random.next() as u32 | 1).collect();
        let mut gpu = Gpu::default();
        let (buffer, out) = (
            gpu.upload("in", &input),
            gpu.poisoned::<u32>("out", threads),
        );
        let args = [buffer.into(), out.into(), n.into()];
        let report = gpu.run(
            &module("reconverge"),
            entry,
            [grid, 1, 1],
            [block, 1, 1],
            &args,
        );
        let (mut expected, mut requests) = (Vec::new(), 0);
        for first in (0..grid).flat_map(|at| (0..block).step_by(32).map(move |warp| (at, warp))) {
            let mut seen = BTreeSet::new();
            for thread in first.1..block.min(first.1 + 32) {
                let at = first.0 * block + thread;
                let mut one = Lane {
                    input: &input,
                    s: at.wrapping_mul(2_654_435_761),
                    seen: &mut seen,
                };
                let more = lane(&mut one, n);
                expected.push(one.s.wrapping_add(more));
            }
            requests += seen.len() as u64;
        }
        assert_eq!(gpu.download::<u32>(out, threads), expected, "{entry} {n}");
        let counted = report.counters.global_load_requests;
        assert_eq!(counted, requests, "requests of {entry}, {n} rounds");
    }
}

// ---- loops: lanes that leave one wait behind it for the others, as at ptxas's BSYNC there ----

#[test]
fn a_loop_is_left_by_break() {
    check("leave", |l, n| {
        for i in 0..n {
            l.w(1, &[i]);
            if l.c(1) {
                break;
            }
            l.w(2, &[i]);
        }
        l.w(3, &[]);
        0
    });
    // What lanes do after they have left belongs to the turn in which they did.
    check("leave_after_work", |l, n| {
        for i in 0..n {
            l.w(1, &[i]);
            if l.c(1) {
                l.w(4, &[i]);
                break;
            }
            l.w(2, &[i]);
        }
        l.w(3, &[]);
        0
    });
}

#[test]
fn lanes_that_stay_in_a_loop_meet_behind_the_if_that_others_leave_from() {
    check("leave_in_if", |l, n| {
        for i in 0..n {
            l.w(1, &[i]);
            if !l.c(1) {
                l.w(2, &[i]);
                if l.c(2) {
                    break;
                }
                l.w(3, &[i]);
            }
            l.w(4, &[i]);
        }
        l.w(5, &[]);
        0
    });
    check("leave_in_both", |l, n| {
        for i in 0..n {
            l.w(1, &[i]);
            let first = l.c(1);
            l.w(if first { 2 } else { 6 }, &[i]);
            if l.c(if first { 2 } else { 3 }) {
                break;
            }
            l.w(if first { 3 } else { 7 }, &[i]);
            l.w(4, &[i]);
        }
        l.w(5, &[]);
        0
    });
    check("leave_in_nested_if", |l, n| {
        for i in 0..n {
            l.w(1, &[i]);
            if !l.c(1) {
                l.w(2, &[i]);
                if !l.c(2) {
                    l.w(3, &[i]);
                    if l.c(3) {
                        break;
                    }
                    l.w(4, &[i]);
                }
                l.w(5, &[i]);
            }
            l.w(6, &[i]);
        }
        l.w(7, &[]);
        0
    });
}

#[test]
fn loops_inside_loops_are_left() {
    check("leave_inner", |l, n| {
        for i in 0..n {
            l.w(1, &[i]);
            for j in 0..n {
                l.w(2, &[i, j]);
                if !l.c(1) {
                    l.w(4, &[i, j]);
                    if l.c(3) {
                        break;
                    }
                    l.w(5, &[i, j]);
                }
                l.w(6, &[i, j]);
            }
            l.w(7, &[i]);
        }
        l.w(8, &[]);
        0
    });
    check("leave_outer", |l, n| {
        'o: for i in 0..n {
            l.w(1, &[i]);
            for j in 0..n {
                l.w(2, &[i, j]);
                if l.c(1) {
                    break 'o;
                }
                if l.c(2) {
                    break;
                }
                l.w(3, &[i, j]);
            }
            l.w(4, &[i]);
        }
        l.w(5, &[]);
        0
    });
    check("leave_three", |l, n| {
        'o: for i in 0..n {
            l.w(1, &[i]);
            'm: for j in 0..n {
                l.w(2, &[i, j]);
                for k in 0..n {
                    l.w(3, &[i, j, k]);
                    if l.c(1) {
                        break 'o;
                    }
                    if l.c(2) {
                        break 'm;
                    }
                    l.w(4, &[i, j, k]);
                }
                l.w(5, &[i, j]);
            }
            l.w(6, &[i]);
        }
        l.w(7, &[]);
        0
    });
    check("return_nested", |l, n| {
        for i in 0..n {
            l.w(1, &[i]);
            for j in 0..n {
                l.w(2, &[i, j]);
                if l.c(1) {
                    l.w(3, &[i, j]);
                    return 0;
                }
                l.w(4, &[i, j]);
            }
            l.w(5, &[i]);
        }
        l.w(6, &[]);
        1
    });
}

#[test]
fn a_loop_is_left_for_different_places() {
    // Between the exits of a loop and the place where all of them meet lanes stay apart.
    check("leave_apart", |l, n| {
        let mut at = (4, vec![]);
        for i in 0..n {
            l.w(1, &[i]);
            if l.c(1) {
                at = (5, vec![i]);
                break;
            }
            l.w(2, &[i]);
            if l.c(2) {
                at = (6, vec![i]);
                break;
            }
            l.w(3, &[i]);
        }
        l.w(at.0, &at.1);
        l.w(7, &[]);
        0
    });
    check("return_inside", |l, n| {
        for i in 0..n {
            l.w(1, &[i]);
            if l.c(1) {
                l.w(2, &[i]);
                return 0;
            }
            l.w(3, &[i]);
            if l.c(2) {
                break;
            }
            l.w(4, &[i]);
        }
        l.w(5, &[]);
        1
    });
}

#[test]
fn turns_of_a_loop_begin_together() {
    check("next_or_leave", |l, n| {
        for i in 0..n {
            l.w(1, &[i]);
            if l.c(1) {
                continue;
            }
            l.w(2, &[i]);
            if l.c(2) {
                break;
            }
            l.w(3, &[i]);
            if l.c(3) {
                continue;
            }
            l.w(4, &[i]);
        }
        l.w(5, &[]);
        0
    });
    check("do_while", |l, n| {
        let mut i = 0;
        loop {
            l.w(1, &[i]);
            if !l.c(1) {
                l.w(2, &[i]);
                if l.c(2) {
                    l.w(5, &[]);
                    return 0;
                }
            } else {
                l.w(3, &[i]);
            }
            i += 1;
            if i >= n || l.c(5) {
                break;
            }
        }
        l.w(4, &[i]);
        l.w(5, &[]);
        0
    });
    check("endless", |l, n| {
        let (mut i, mut turn) = (0, 0);
        loop {
            l.w(1, &[turn]);
            if !l.c(1) {
                if l.c(2) {
                    break;
                }
                l.w(2, &[turn]);
                i += 1;
                if i > n {
                    return 0;
                }
            } else {
                l.w(3, &[turn]);
                i += 1;
                if i > n {
                    break;
                }
                l.w(4, &[turn]);
            }
            turn += 1;
        }
        l.w(5, &[]);
        0
    });
}

#[test]
fn lanes_part_at_a_switch_in_a_loop() {
    check("switch_inside", |l, n| {
        for i in 0..n {
            l.w(1, &[i]);
            // Ptxas has a tree of branches here, and no BSSY for what some of their ways have in common before the
            // turn's end.
            let case = l.s % 7;
            match case {
                0 => l.w(2, &[i]),
                1 => {
                    l.w(3, &[i]);
                    continue;
                }
                2 => {
                    l.w(4, &[i]);
                    l.w(11, &[]);
                    return 0;
                }
                5 => return 0,
                _ => l.w(8, &[i]),
            }
            l.w(9, &[i, u32::from(case == 0)]);
        }
        l.w(10, &[n]);
        l.w(11, &[]);
        0
    });
}

// ---- without loops: lanes that leave for a later place are not waited for ----

#[test]
fn lanes_that_stay_meet_although_others_return() {
    check("return_in_if", |l, _| {
        l.w(1, &[]);
        if !l.c(1) {
            l.w(2, &[]);
            if !l.c(2) {
                l.w(3, &[]);
                if l.c(3) {
                    return 0;
                }
                l.w(4, &[]);
            }
            l.w(5, &[]);
        }
        l.w(6, &[]);
        0
    });
    check("return_in_both", |l, _| {
        l.w(1, &[]);
        let first = l.s & 1 != 0;
        l.w(if first { 2 } else { 4 }, &[]);
        if l.c(if first { 2 } else { 3 }) {
            return if first { 5 } else { 6 };
        }
        l.w(if first { 3 } else { 5 }, &[]);
        l.w(6, &[]);
        0
    });
}

#[test]
fn lanes_that_stay_meet_although_others_jump_ahead() {
    check("jump_out_of_both", |l, _| {
        l.w(1, &[]);
        let first = l.s & 1 != 0;
        l.w(if first { 2 } else { 4 }, &[]);
        if !l.c(if first { 2 } else { 3 }) {
            l.w(if first { 3 } else { 5 }, &[]);
            l.w(6, &[]);
        }
        l.w(7, &[]);
        0
    });
    check("jump_down", |l, _| {
        l.w(1, &[]);
        if !l.c(1) {
            l.w(2, &[]);
            if !l.c(2) {
                l.w(3, &[]);
                if !l.c(3) {
                    l.w(4, &[]);
                }
                l.w(5, &[]);
            }
            l.w(6, &[]);
        }
        l.w(7, &[]);
        0
    });
}

#[test]
fn conditions_in_parts_lead_to_one_place() {
    check("all_of", |l, _| {
        l.w(1, &[]);
        let mut holds = l.s & 1 != 0;
        for (k, bit) in [(2, 2), (3, 4)] {
            if holds {
                l.w(k, &[]);
                holds = l.s & bit != 0;
            }
        }
        l.w(if holds { 4 } else { 5 }, &[]);
        l.w(6, &[]);
        0
    });
    check("any_of", |l, _| {
        l.w(1, &[]);
        let mut holds = l.s & 1 != 0;
        for (k, bit) in [(2, 2), (3, 4)] {
            if !holds {
                l.w(k, &[]);
                holds = l.s & bit != 0;
            }
        }
        if holds {
            l.w(4, &[]);
        }
        l.w(6, &[]);
        0
    });
}
