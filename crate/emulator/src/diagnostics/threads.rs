//! The words of what threads do to each other: races, reads of what none has written, barriers that not all come to.

use crate::diagnostics::{place, triple};
use crate::report::{Detail, Finding, MaskFault, OtherSite, RaceScope, Space};

impl Finding {
    /// The element of a named buffer that is accessed.
    fn element(&self) -> String {
        let (Some(buffer), Some(address)) = (&self.buffer, self.address) else {
            return String::new();
        };
        let element = address.saturating_sub(buffer.base) / u64::from(self.access_bytes.max(1));
        match self.space {
            Some(Space::Local) => String::new(),
            _ => format!(" (`{}`, element {element})", buffer.name),
        }
    }

    fn deed(&self) -> String {
        let text = self.access();
        match self.detail {
            Detail::Race {
                is_atomic: true, ..
            } if self.is_store => text.replacen("store", "atomic", 1),
            _ => text,
        }
    }

    pub(super) fn uninitialized(&self) -> String {
        let whom = match self.space {
            Some(Space::Shared) => "no thread of the block",
            Some(Space::Local) => "its thread has not",
            _ => "nothing",
        };
        let verb = if self.space == Some(Space::Local) {
            "written"
        } else {
            "has written"
        };
        let access = if self.is_store {
            self.access().replacen("store", "atomic", 1)
        } else {
            self.access()
        };
        let Detail::Unwritten {
            bytes,
            used,
            used_ptx_line,
        } = &self.detail
        else {
            return format!(
                "uninitialized: {access}{} reads what {whom} {verb}",
                self.element()
            );
        };
        let noun = if *bytes == 1 { "byte" } else { "bytes" };
        let at = match (used, used_ptx_line) {
            (None, 0) => String::new(),
            _ => format!(", used at {}", place(used, *used_ptx_line)),
        };
        format!(
            "uninitialized: {access}{} reads {bytes} {noun} that {whom} {verb}{at}",
            self.element()
        )
    }

    pub(super) fn race(&self) -> String {
        if self.detail == Detail::LeftBehind {
            return "remark: the block ends before this bulk copy is known to have read its shared memory".to_string();
        }
        let Some(other) = &self.other else {
            return format!("race: {}", self.access());
        };
        let Detail::Race {
            scope,
            other_is_atomic,
            ..
        } = self.detail
        else {
            return format!("race: {}", self.access());
        };
        let deed = match (other.is_store, other_is_atomic) {
            (true, true) => "atomic",
            (true, false) => "store",
            (false, _) => "load",
        };
        let thread = triple(other.thread);
        if scope == RaceScope::Instruction {
            return format!(
                "race: {}{} meets a different value from thread ({thread}) of the same warp in the same instruction",
                self.deed(),
                self.element()
            );
        }
        let there = place(&other.source, other.ptx_line);
        if scope == RaceScope::Proxies {
            return format!(
                "race: the bulk copy's {}{} may not see the store at {there} by thread ({thread}) of the same block, which no `fence.proxy.async` follows",
                self.access(),
                self.element()
            );
        }
        if scope == RaceScope::Warp {
            let deed = if other.is_store { "store" } else { "load" };
            return format!(
                "race: volatile {}{} is not ordered with the volatile {deed} at {there} by thread ({thread}) of the same warp",
                self.access(),
                self.element()
            );
        }
        let whose = match scope {
            RaceScope::Grid => format!("block ({}), thread ({thread})", triple(other.block)),
            _ => format!("thread ({thread}) of the same block"),
        };
        format!(
            "race: {}{} is not ordered with the {deed} at {there} by {whose}",
            self.deed(),
            self.element()
        )
    }

    pub(super) fn barrier(&self) -> String {
        match &self.detail {
            Detail::Barrier {
                barrier,
                arrived,
                expected,
            } => format!(
                "barrier divergence: barrier {barrier} waits for {expected} threads but only {arrived} reach it"
            ),
            Detail::Rule { rule } => format!(
                "barrier divergence: mbarrier at shared address {:#x}: {rule}",
                self.address.unwrap_or(0)
            ),
            Detail::Mbarrier {
                address,
                missing,
                expected,
                missing_bytes,
            } => mbarrier(*address, *missing, *expected, *missing_bytes),
            Detail::TwoBarriers { source, ptx_line } => format!(
                "barrier divergence: other threads of the block come to the barrier at {} instead",
                place(source, *ptx_line)
            ),
            Detail::Warp { active } => format!(
                "barrier divergence: only {active} of a warp's 32 threads execute an instruction of whole warps together"
            ),
            Detail::NoBarrier { barrier, .. } if *barrier > 15 => {
                format!("barrier divergence: there is no barrier {barrier}, only 0 to 15")
            }
            Detail::NoBarrier { threads, .. } => format!(
                "barrier divergence: a barrier for {} threads, which is no multiple of a warp's 32",
                threads.unwrap_or(0)
            ),
            Detail::Exited {
                threads,
                came_before: false,
            } => format!(
                "remark: {threads} of the block's threads had ended when the others came to this barrier"
            ),
            Detail::Exited { threads: 1, .. } => {
                "barrier divergence: a thread of the block has ended without coming to this barrier"
                    .to_string()
            }
            Detail::Exited { threads, .. } => format!(
                "barrier divergence: {threads} threads of the block have ended without coming to this barrier"
            ),
            Detail::Mask { mask, lanes, fault } => self.mask(*mask, *lanes, *fault),
            _ => "barrier divergence: only a part of the warp reaches this barrier".to_string(),
        }
    }

    /// A collective instruction of a warp with a wrong mask.
    fn mask(&self, mask: u32, lanes: u32, fault: MaskFault) -> String {
        let whom = lane_list(lanes);
        match fault {
            MaskFault::CallerLeftOut => format!(
                "barrier divergence: {whom} of the warp execute an instruction whose mask {mask:#010x} leaves them out"
            ),
            MaskFault::NotComing => format!(
                "barrier divergence: the mask {mask:#010x} names {whom} of the warp, which never come with that mask"
            ),
            MaskFault::SourceOutside => format!(
                "barrier divergence: the shuffle takes values of {whom}, which its mask {mask:#010x} does not name"
            ),
            MaskFault::SourceGone => format!(
                "barrier divergence: the shuffle with mask {mask:#010x} takes values of {whom}, which have exited or \
                 were never there"
            ),
        }
    }

    /// The usual cause of what this file has words for.
    pub(super) fn cause_among_threads(&self) -> Option<String> {
        Some(match (&self.detail, &self.other) {
            (Detail::Race { scope, is_atomic, other_is_atomic }, Some(other)) => {
                if *scope == RaceScope::Warp {
                    "Since Volta the lanes of a warp need not move together, and `volatile` puts nothing in order. Usual \
                     cause: a step between the lanes of a warp without `__syncwarp()` between its loads and stores and \
                     those of the next."
                        .to_string()
                } else if *is_atomic || *other_is_atomic {
                    self.beside_an_atomic(*scope)
                } else {
                    match scope {
                        RaceScope::Instruction => "Which of the values stays is undefined. Usual cause: an index that is \
                             the same for several threads."
                            .to_string(),
                        RaceScope::Proxies => "Bulk copies reach shared memory by the async proxy, threads by the \
                             generic one. Usual cause: a missing `fence.proxy.async` behind the stores, before the barrier \
                             and the copy."
                            .to_string(),
                        RaceScope::Block | RaceScope::Warp => self.within_a_block(other),
                        RaceScope::Grid => self.between_blocks(other),
                    }
                }
            }
            (Detail::LeftBehind, _) => {
                "The shared memory goes with its block. NVIDIA's examples let the thread that started the copy wait \
                 (`cp.async.bulk.wait_group.read 0`)."
                    .to_string()
            }
            (Detail::Mask { fault, .. }, _) => cause_of_mask(*fault).to_string(),
            (Detail::Mbarrier { .. }, _) => {
                "Usual cause: a count in `mbarrier.init` that is not the number of threads that arrive, an \
                 `expect_tx` of other bytes than the copies bring, or a parity that is off by one phase."
                    .to_string()
            }
            (Detail::TwoBarriers { .. }, _) => {
                "All threads of a block must come to the same `__syncthreads()`. Usual cause: one in a branch that not \
                 all of them take."
                    .to_string()
            }
            (
                Detail::Exited {
                    came_before: false, ..
                },
                _,
            ) => {
                "CUDA allows that since Volta, and the barrier does not wait for them. What they should have done \
                 before it, such as filling their part of a tile, is missing."
                    .to_string()
            }
            (Detail::Exited { .. }, _) => {
                "CUDA C++ asks for all threads of the block; GPUs since Volta go on without those that have ended, and \
                 what these should have done before the barrier is missing. Usual cause: an early `return` before \
                 `__syncthreads()`, or the barrier inside an `if`; guard the loads and stores instead."
                    .to_string()
            }
            _ => return None,
        })
    }

    fn is_update(&self, other: &OtherSite) -> bool {
        self.source.is_some() && self.source == other.source
    }

    fn own_place(&self) -> String {
        place(&self.source, self.ptx_line)
    }

    fn within_a_block(&self, other: &OtherSite) -> String {
        let there = place(&other.source, other.ptx_line);
        let here = self.own_place();
        match (other.is_store, self.is_store) {
            (true, _) if other.is_copy => format!(
                "Usual cause: the copy at {there} is not waited for before {here} (`cp.async.wait_group` leaves too many \
                 groups, or its group is not committed; or another phase of the mbarrier is waited for), or a \
                 `__syncthreads()` is missing behind the wait."
            ),
            (false, true) if other.is_copy => format!(
                "Usual cause: the copy at {there} may still be reading when {here} stores; wait for it first \
                 (`cp.async.wait_group`, `cp.async.bulk.wait_group.read`), and let the others wait at a barrier behind that."
            ),
            (true, true) if self.is_update(other) => {
                "Usual cause: all threads store to the same element; let one of them do it, or use an atomic.".to_string()
            }
            (false, true) | (true, false) if self.is_update(other) => {
                "Usual cause: an update such as `x += y` of an element that several threads share, which needs \
                 `atomicAdd`, or an exchange between threads that needs `__syncthreads()` between its load and its store."
                    .to_string()
            }
            (true, false) => format!(
                "Usual cause: a missing `__syncthreads()` between the store at {there} and the load at {here}."
            ),
            (false, true) => format!(
                "Usual cause: a missing `__syncthreads()` between the load at {there} and the store at {here}, often at \
                 the end of a loop that fills the same tile again."
            ),
            _ => format!("Usual cause: a missing `__syncthreads()` between {there} and {here}."),
        }
    }

    fn between_blocks(&self, other: &OtherSite) -> String {
        match (other.is_store, self.is_store) {
            (true, true) if self.is_update(other) => {
                "Blocks run in any order. Usual cause: an index that is the same in several blocks (no `blockIdx` in \
                 it), rows and columns exchanged, or a count or sum that needs `atomicAdd`."
                    .to_string()
            }
            (true, true) => "Blocks run in any order. Usual cause: the parts that blocks store overlap.".to_string(),
            _ if self.is_update(other) => {
                "Blocks run in any order. Usual cause: an update such as `x += y` of an element that blocks share, which \
                 needs `atomicAdd`, or one in place that reads its neighbours and needs a second buffer."
                    .to_string()
            }
            _ => "Blocks run in any order, and `__syncthreads()` does not join them. Usual cause: a block reads what \
                  another one stores in the same launch: split it into two launches, store to a second buffer, or put \
                  `__threadfence()` before the atomic that tells of the store."
                .to_string(),
        }
    }

    fn beside_an_atomic(&self, scope: RaceScope) -> String {
        let mend = match scope {
            RaceScope::Grid => {
                "read it in a later launch, or make both atomic and put `__threadfence()` where order matters"
            }
            _ => "put `__syncthreads()` between the two, or make both atomic",
        };
        format!(
            "An atomic is in order with other atomics only. Usual cause: an element that is counted by atomics is read or set by a plain access at the same time: {mend}."
        )
    }
}

fn cause_of_mask(fault: MaskFault) -> &'static str {
    match fault {
        MaskFault::CallerLeftOut => {
            "Each lane must be in the mask that it passes. Usual cause: a mask written for other lanes than those of the \
             branch."
        }
        MaskFault::NotComing => {
            "Usual cause: a full mask (0xffffffff, or `__syncwarp()` without one) in a branch or a loop that not all lanes \
             enter; take the mask by `__ballot_sync` before the branch, or move the call out of it."
        }
        MaskFault::SourceOutside => {
            "What such a lane gives is undefined. Usual cause: an offset that reaches past the last lane of the mask; give \
             the width of the group as well, or name all lanes that are read."
        }
        MaskFault::SourceGone => {
            "What such a lane gives is undefined. Usual cause: an early `return` before the shuffle, or a block whose \
             threads are no multiple of 32; let all lanes come, with 0 where there is no element."
        }
    }
}

/// `lane 3`, `lanes 4 to 7`, `lanes 1, 5 and 9 more`
fn lane_list(lanes: u32) -> String {
    let (first, count) = (lanes.trailing_zeros(), lanes.count_ones());
    let last = 31 - lanes.leading_zeros().min(31);
    match count {
        1 => format!("lane {first}"),
        _ if last + 1 - first == count => format!("lanes {first} to {last}"),
        _ => {
            let second = (lanes & lanes.wrapping_sub(1)).trailing_zeros();
            match count {
                2 => format!("lanes {first} and {second}"),
                _ => format!("lanes {first}, {second} and {} more", count - 2),
            }
        }
    }
}

/// Why the phase of an mbarrier is never completed.
fn mbarrier(address: u32, missing: u32, expected: u32, missing_bytes: i64) -> String {
    let mut reasons = Vec::new();
    if missing > 0 {
        reasons.push(format!("{missing} of its {expected} arrivals are missing"));
    }
    if missing_bytes > 0 {
        reasons.push(format!(
            "`expect_tx` announced {missing_bytes} bytes more than the copies bring"
        ));
    }
    if missing_bytes < 0 {
        reasons.push(format!(
            "the copies bring {} bytes more than `expect_tx` announced",
            -missing_bytes
        ));
    }
    if reasons.is_empty() {
        reasons.push("its parity is not the one waited for".to_string());
    }
    format!(
        "barrier divergence: the wait at the mbarrier at shared address {address:#x} never ends: {}",
        reasons.join(", and ")
    )
}
