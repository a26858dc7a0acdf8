//! The words of what threads do to each other: races, reads of what none has written, barriers that not all come to.

use crate::diagnostics::clusters::{CAUSE_IN_CLUSTER, CAUSE_OF_SENT, barrier_of_cluster};
use crate::diagnostics::{bytes, place, triple};
use crate::report::{
    Detail, Finding, MaskFault, MultiplyFault, OtherSite, RaceHint, RaceScope, Space,
};

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
                hint: RaceHint::Free,
                ..
            } => format!("`free` of the memory at {:#x}", self.address.unwrap_or(0)),
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
        if let Detail::Multiply { fault } = &self.detail {
            return format!("race: {}", multiply(fault));
        }
        let Some(other) = &self.other else {
            return format!("race: {}", self.access());
        };
        let Detail::Race {
            scope,
            other_is_atomic,
            hint,
            ..
        } = self.detail
        else {
            return format!("race: {}", self.access());
        };
        if hint == RaceHint::Mbarrier {
            return self.race_for_mbarrier(other, other_is_atomic);
        }
        let deed = match (other.is_store, other_is_atomic) {
            _ if hint == RaceHint::OtherFree => "`free`",
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
            let whose = match hint {
                RaceHint::Multiply => "`wgmma`",
                _ => "bulk copy",
            };
            return format!(
                "race: the {whose}'s {}{} may not see the store at {there} by thread ({thread}) of the same block, which no `fence.proxy.async` follows",
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

    fn race_for_mbarrier(&self, other: &OtherSite, other_is_atomic: bool) -> String {
        let is_atomic = matches!(
            self.detail,
            Detail::Race {
                is_atomic: true,
                ..
            }
        );
        let deed = |is_use| if is_use { "use" } else { "`mbarrier.init`" };
        format!(
            "race: the {} of the mbarrier at shared address {:#x}{} is not ordered with its {} at {} by thread ({}) of the \
             same block",
            deed(is_atomic),
            self.address.unwrap_or(0),
            self.element(),
            deed(other_is_atomic),
            place(&other.source, other.ptx_line),
            triple(other.thread)
        )
    }

    pub(super) fn barrier(&self) -> String {
        match &self.detail {
            Detail::ClusterBarrier { fault } => barrier_of_cluster(*fault),
            Detail::Multiply { fault } => format!("barrier divergence: {}", multiply(fault)),
            Detail::Barrier {
                barrier: u32::MAX,
                arrived,
                expected,
                ..
            } => format!(
                "barrier divergence: the barrier of the cluster waits, and of this block only {arrived} of {expected} threads have arrived"
            ),
            Detail::Barrier {
                barrier,
                arrived,
                expected,
                ..
            } => format!(
                "barrier divergence: barrier {barrier} waits for {expected} threads but only {arrived} reach it"
            ),
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
            _ => "barrier divergence: only a part of the warp reaches this barrier".to_string(),
        }
    }

    /// A collective instruction of a warp with a wrong mask.
    pub(super) fn mask(&self) -> String {
        let Detail::Mask { mask, lanes, fault } = self.detail else {
            return "mask: it does not name the lanes that come".to_string();
        };
        let whom = lane_list(lanes);
        // One lane or several.
        let choose = |one, several| {
            if lanes.count_ones() == 1 {
                one
            } else {
                several
            }
        };
        match fault {
            MaskFault::CallerLeftOut => format!(
                "mask: {whom} of the warp {} an instruction whose mask {mask:#010x} leaves {} out",
                choose("executes", "execute"),
                choose("it", "them")
            ),
            MaskFault::NotComing => format!(
                "mask: the mask {mask:#010x} names {whom} of the warp, which never {} with that mask",
                choose("comes", "come")
            ),
            MaskFault::SourceOutside => format!(
                "mask: the shuffle takes values of {whom}, which its mask {mask:#010x} does not name"
            ),
            MaskFault::SourceGone => format!(
                "mask: the shuffle with mask {mask:#010x} takes values of {whom}, which {} exited or {} never there",
                choose("has", "have"),
                choose("was", "were")
            ),
            MaskFault::Width(width) => format!(
                "width: the shuffle has a width of {width}, which must be a power of two up to 32: 1, 2, 4, 8, 16 or 32"
            ),
        }
    }

    /// An mbarrier that is used against its rules or never completed.
    pub(super) fn mbarrier(&self) -> String {
        let address = self.address.unwrap_or(0);
        match &self.detail {
            Detail::Rule { rule } => format!("mbarrier at shared address {address:#x}: {rule}"),
            Detail::Mbarrier { address, .. } => format!(
                "mbarrier: the wait at shared address {address:#x} never ends: {}",
                self.missing_at_mbarrier()
            ),
            _ => "mbarrier: the wait never ends".to_string(),
        }
    }

    /// Why the phase of an mbarrier is never completed.
    fn missing_at_mbarrier(&self) -> String {
        let Detail::Mbarrier {
            missing,
            expected,
            missing_bytes,
            phases,
            inits,
            ..
        } = self.detail
        else {
            return String::new();
        };
        let mut reasons = Vec::new();
        if missing > 0 && missing == expected && inits > 1 {
            reasons.push(format!(
                "`mbarrier.init` has made it anew, so that what had arrived is forgotten, and none of the {expected} \
                 arrivals of its new phase have come"
            ));
        } else if missing > 0 && missing == expected && phases > 0 {
            reasons.push(format!(
                "{phases} of its phases {} complete, and none of the {expected} arrivals of the next have come",
                if phases == 1 { "is" } else { "are" }
            ));
        } else if missing > 0 {
            let verb = if missing == 1 { "is" } else { "are" };
            reasons.push(format!(
                "{missing} of its {expected} arrivals {verb} missing"
            ));
        }
        if missing_bytes > 0 {
            reasons.push(format!(
                "`expect_tx` announced {} more than the copies bring",
                bytes(missing_bytes)
            ));
        }
        if missing_bytes < 0 {
            reasons.push(format!(
                "the copies bring {} more than `expect_tx` announced",
                bytes(-missing_bytes)
            ));
        }
        if reasons.is_empty() {
            reasons.push("its parity is not the one waited for".to_string());
        }
        reasons.join(", and ")
    }

    /// The usual cause of what this file has words for.
    pub(super) fn cause_among_threads(&self) -> Option<String> {
        Some(match (&self.detail, &self.other) {
            (Detail::Race { scope, is_atomic, other_is_atomic, hint }, Some(other)) => {
                if *scope == RaceScope::Warp {
                    "Since Volta the lanes of a warp need not move together, and `volatile` puts nothing in order. Usual \
                     cause: a step between the lanes of a warp without `__syncwarp()` between its loads and stores and \
                     those of the next."
                        .to_string()
                } else if let Some(cause) =
                    cause_by_hint(*hint, *scope, *is_atomic, *other_is_atomic)
                {
                    cause.to_string()
                } else if *is_atomic || *other_is_atomic {
                    self.beside_an_atomic(*scope)
                } else {
                    match scope {
                        RaceScope::Instruction => "Which of the values stays is undefined. Usual cause: an index that is \
                             the same for several threads."
                            .to_string(),
                        RaceScope::Proxies if *hint == RaceHint::Multiply => "`wgmma` reaches shared memory by the async proxy, \
                             threads by the generic one. Usual cause: a missing `fence.proxy.async` behind the stores, \
                             before the barrier and the `wgmma`."
                            .to_string(),
                        RaceScope::Proxies => "Bulk copies reach shared memory by the async proxy, threads by the \
                             generic one. Usual cause: a missing `fence.proxy.async` behind the stores, before the barrier \
                             and the copy."
                            .to_string(),
                        RaceScope::Block | RaceScope::Warp => self.within_a_block(other, *hint),
                        RaceScope::Grid if self.space == Some(Space::Shared) => {
                            CAUSE_IN_CLUSTER.to_string()
                        }
                        RaceScope::Grid => self.between_blocks(other),
                    }
                }
            }
            (Detail::Multiply { fault }, _) => cause_of_multiply(fault).to_string(),
            (Detail::LeftBehind, _) => {
                "The shared memory goes with its block. NVIDIA's examples let the thread that started the copy wait \
                 (`cp.async.bulk.wait_group.read 0`)."
                    .to_string()
            }
            (Detail::Mask { fault, .. }, _) => cause_of_mask(*fault).to_string(),
            (Detail::Mbarrier { inits: 2.., .. }, _) => {
                "Usual cause: `mbarrier.init` while threads still use the mbarrier; initialise it once, or behind a barrier \
                 that comes after all waits."
                    .to_string()
            }
            (Detail::Mbarrier { phases: 1.., missing, expected, .. }, _) if missing == expected => {
                "What has arrived was counted in the phases before. Usual cause: a parity that is off by one phase (the \
                 first phase has parity 0), or a wait too many."
                    .to_string()
            }
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

    fn within_a_block(&self, other: &OtherSite, hint: RaceHint) -> String {
        let there = place(&other.source, other.ptx_line);
        let here = self.own_place();
        if hint == RaceHint::OtherMultiply {
            return format!(
                "Usual cause: the `wgmma` at {there} may still be reading when {here} stores; wait for it first \
                 (`wgmma.wait_group` leaves too many groups, or its group is not committed), and let the others know by a \
                 barrier behind that."
            );
        }
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

/// What is wrong with a `wgmma`.
fn multiply(fault: &MultiplyFault) -> String {
    match fault {
        MultiplyFault::Missing { warps } => format!(
            "only {warps} of a warpgroup's 4 warps {} to this instruction, which all four execute",
            if *warps == 1 { "comes" } else { "come" }
        ),
        MultiplyFault::Different => {
            "the warps of a warpgroup execute different instructions of whole warpgroups, or with different descriptors"
                .to_string()
        }
        MultiplyFault::Uneven => {
            "the lanes of a warp give a `wgmma` different descriptors or predicates".to_string()
        }
        MultiplyFault::Unfenced => {
            "no `wgmma.fence` orders this `wgmma` behind what was done with its registers before"
                .to_string()
        }
        MultiplyFault::Unwaited { source, ptx_line } => format!(
            "a register is used that the `wgmma` at {} may still be using",
            place(source, *ptx_line)
        ),
    }
}

fn cause_of_multiply(fault: &MultiplyFault) -> &'static str {
    match fault {
        MultiplyFault::Missing { .. } | MultiplyFault::Different => {
            "The four warps of a warpgroup, the first of which has a number that is a multiple of 4, execute each `wgmma` \
             and `setmaxnreg` together. Usual cause: a branch that not all four take, or one by `threadIdx.x / 32` where `threadIdx.x / 128` \
             is meant."
        }
        MultiplyFault::Uneven => {
            "Usual cause: a descriptor made from an address that depends on the lane."
        }
        MultiplyFault::Unfenced => {
            "Usual cause: a missing `wgmma.fence` before the first `wgmma` that follows on other uses of its registers; \
             ptxas may put one there, and waits with it."
        }
        MultiplyFault::Unwaited { .. } => {
            "Usual cause: a missing `wgmma.wait_group`, one that leaves too many groups, or a missing \
             `wgmma.commit_group` before it."
        }
    }
}

/// The cause of a race that shows in the kernel's text.
fn cause_by_hint(
    hint: RaceHint,
    scope: RaceScope,
    is_atomic: bool,
    other_is_atomic: bool,
) -> Option<&'static str> {
    Some(match (hint, scope) {
        (RaceHint::ReadOnlyLoad, _) => {
            "`__ldg` (`ld.global.nc`) is for what nobody writes while the kernel runs: it may give what was there before, \
             whatever barrier stands between. Usual cause: `__ldg`, or an intrinsic like it, on an array that the kernel \
             writes; load it as usual."
        }
        (RaceHint::StaleTexture, _) => {
            "A texture is read through a cache that does not see what the kernel stores: a fetch may give what was there \
             before, whatever barrier stands between, even to the thread that stored. Usual cause: a kernel that writes the \
             buffer that its texture lies over; fetch from a copy, or load it as usual."
        }
        (RaceHint::Sent, _) => CAUSE_OF_SENT,
        (RaceHint::Mbarrier, _) => {
            "`mbarrier.init` must come before every use by another thread. Usual cause: a missing `__syncthreads()` behind \
             it, or another `mbarrier.init` while threads still use the mbarrier."
        }
        (RaceHint::Free | RaceHint::OtherFree, _) => {
            "`free` must come after all that others do with the memory. Usual cause: a missing `__syncthreads()` before it, \
             or between blocks an atomic counter with `__threadfence()` by which the last one to be done frees."
        }
        (_, RaceScope::Grid) if is_atomic && other_is_atomic => {
            "Atomics whose scope is the block are in order with those of the same block only. Usual cause: `atomicAdd_block` \
             or `thread_scope_block` on what several blocks share; give the atomic the scope of the device (`atomicAdd`, \
             `thread_scope_device`)."
        }
        (RaceHint::Unfenced, RaceScope::Grid) if !is_atomic && !other_is_atomic => {
            "Blocks run in any order, and atomics put only themselves in order. Usual cause: a lock without fences: put \
             `__threadfence()` behind taking it (`atomicCAS`) and before giving it back (`atomicExch`), so that the next \
             holder sees what the last one stored."
        }
        _ => return None,
    })
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
        MaskFault::Width(_) => {
            "Which lanes exchange values is undefined then. Usual cause: the number of lanes that have something, taken for a \
             width; give the next power of two, and let the lanes without anything bring a neutral element."
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
