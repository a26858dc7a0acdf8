//! The words of races: what is not ordered with what, and what is usually missing. How a `wgmma` is misused is in `multiply`.

use crate::diagnostics::clusters::{CAUSE_IN_CLUSTER, CAUSE_OF_SENT};
use crate::diagnostics::multiply::multiply;
use crate::diagnostics::words::{place, triple};
use crate::report::{Detail, Finding, OtherSite, Path, RaceHint, RaceScope, Space};

impl Finding {
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

    pub(super) fn race(&self) -> String {
        if self.detail == Detail::LeftBehind {
            return "remark: the block ends before this bulk copy is known to have read its shared memory".to_string();
        }
        if let Detail::Multiply { fault } = &self.detail {
            return format!("race: {}", multiply(fault));
        }
        let Some(other) = &self.other else {
            return format!(
                "race: {}{} is not ordered with what the kernel itself has stored there",
                self.deed(),
                self.element()
            );
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
            RaceScope::Lanes => format!("thread ({thread}) of the same warp"),
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

    /// The usual cause of a race where it was not noted who came earlier: what the kernel's text shows.
    pub(super) fn cause_without_other(&self) -> Option<String> {
        let Detail::Race {
            scope,
            is_atomic,
            other_is_atomic,
            hint,
        } = self.detail
        else {
            return None;
        };
        cause_by_hint(hint, scope, is_atomic, other_is_atomic).map(str::to_owned)
    }

    /// The usual cause of a race with another access.
    pub(super) fn cause_of_race(&self, other: &OtherSite) -> Option<String> {
        let Detail::Race {
            scope,
            is_atomic,
            other_is_atomic,
            hint,
        } = &self.detail
        else {
            return None;
        };
        if let RaceHint::LeftOut { mask, line } = *hint {
            return Some(cause_of_left_out(mask, line));
        }
        if *scope == RaceScope::Warp {
            return Some(
                "Since Volta the lanes of a warp need not move together, and `volatile` puts nothing in order. Usual \
                 cause: a step between the lanes of a warp without `__syncwarp()` between its loads and stores and \
                 those of the next."
                    .to_string(),
            );
        }
        if let Some(cause) = cause_by_hint(*hint, *scope, *is_atomic, *other_is_atomic) {
            return Some(cause.to_string());
        }
        if *is_atomic || *other_is_atomic {
            return Some(self.beside_an_atomic(*scope));
        }
        Some(match scope {
            RaceScope::Instruction => {
                "Which of the values stays is undefined. Usual cause: an index that is the same for several threads."
                    .to_string()
            }
            RaceScope::Proxies if *hint == RaceHint::Multiply => {
                "`wgmma` reaches shared memory by the async proxy, threads by the generic one. Usual cause: a missing \
                 `fence.proxy.async` behind the stores, before the barrier and the `wgmma`."
                    .to_string()
            }
            RaceScope::Proxies => {
                "Bulk copies reach shared memory by the async proxy, threads by the generic one. Usual cause: a missing \
                 `fence.proxy.async` behind the stores, before the barrier and the copy."
                    .to_string()
            }
            RaceScope::Block | RaceScope::Warp | RaceScope::Lanes => {
                self.within_a_block(other, *scope, *hint)
            }
            RaceScope::Grid if self.space == Some(Space::Shared) => CAUSE_IN_CLUSTER.to_string(),
            RaceScope::Grid => self.between_blocks(other, *hint),
        })
    }

    fn is_update(&self, other: &OtherSite) -> bool {
        self.source.is_some() && self.source == other.source
    }

    fn own_place(&self) -> String {
        place(&self.source, self.ptx_line)
    }

    /// Among threads of a block, or of one warp: `barrier` is what joins those.
    fn within_a_block(&self, other: &OtherSite, scope: RaceScope, hint: RaceHint) -> String {
        let there = place(&other.source, other.ptx_line);
        let here = self.own_place();
        let barrier = barrier(scope);
        if hint == RaceHint::OtherMultiply {
            return format!(
                "Usual cause: the `wgmma` at {there} may still be reading when {here} stores; wait for it first \
                 (`wgmma.wait_group` leaves too many groups, or its group is not committed), and let the others know by a \
                 barrier behind that."
            );
        }
        match (other.is_store, self.is_store) {
            (true, _) if other.path == Path::Bulk => format!(
                "Usual cause: the bulk copy at {there} is not waited for before {here}: each thread that uses what it brings \
                 waits at the copy's mbarrier for the phase that its bytes complete, or at a `__syncthreads()` behind such a wait."
            ),
            (true, _) if other.path == Path::Async => format!(
                "Usual cause: the copy at {there} is not waited for before {here}: the thread that started it waits \
                 (`cp.async.wait_group` leaves so many groups unfinished, and its group must be committed), and behind that a \
                 `__syncthreads()` lets the others know."
            ),
            (false, true) if other.path == Path::Bulk => format!(
                "Usual cause: the bulk copy at {there} may still be reading when {here} stores: the thread that started it \
                 waits first (`cp.async.bulk.wait_group.read`), and the others at a barrier behind that."
            ),
            (false, true) if other.path == Path::Async => format!(
                "Usual cause: the copy at {there} may still be reading when {here} stores: the thread that started it waits \
                 first (`cp.async.wait_group`), and the others at a barrier behind that."
            ),
            (true, true) if self.is_update(other) => {
                "Usual cause: all threads store to the same element; let one of them do it, or use an atomic.".to_string()
            }
            (false, true) | (true, false) if hint == RaceHint::Exchange => format!(
                "Usual cause: an exchange between threads in one line, as a step of a scan is: what it loads goes into a \
                 variable first, then comes {barrier}, then the store, and {barrier} again before the next load."
            ),
            (false, true) | (true, false) if self.is_update(other) => {
                "Usual cause: several threads update the same element. If they add up in it (`x += y`), that needs \
                 `atomicAdd`; if not, its index is the same for several threads."
                    .to_string()
            }
            (true, false) => format!(
                "Usual cause: a missing {barrier} between the store at {there} and the load at {here}."
            ),
            (false, true) => format!(
                "Usual cause: a missing {barrier} between the load at {there} and the store at {here}, often at \
                 the end of a loop that fills the same tile again."
            ),
            _ => format!("Usual cause: a missing {barrier} between {there} and {here}."),
        }
    }

    fn between_blocks(&self, other: &OtherSite, hint: RaceHint) -> String {
        let (here, there) = (self.own_place(), place(&other.source, other.ptx_line));
        let (store, load) = match self.is_store {
            true => (&here, &there),
            false => (&there, &here),
        };
        // In the text as it is executed once: a loop may go round.
        let loads_first = match self.is_store {
            true => other.ptx_line < self.ptx_line,
            false => self.ptx_line < other.ptx_line,
        };
        match (other.is_store, self.is_store) {
            (true, true) if self.thread == other.thread => {
                "Blocks run in any order. Usual cause: an index without `blockIdx`, which is the same in every block."
                    .to_string()
            }
            (true, true) => "Blocks run in any order. Usual cause: the parts that blocks store overlap.".to_string(),
            _ if hint == (RaceHint::Told { fenced: true }) => format!(
                "Blocks run in any order. Usual cause: no `__threadfence()` on the way from the store at {store}, by the \
                 thread that stored, over the atomic or flag that tells of it, to the load at {load}, by the thread that \
                 has read that; or no `__syncthreads()` where one thread tells or reads it for its block."
            ),
            _ if hint == RaceHint::Exchange => format!(
                "Blocks run in any order. Usual cause: {here} works in place and reads what other blocks store; let it store \
                 to a second buffer."
            ),
            _ if hint == RaceHint::Update || self.is_update(other) => {
                "Blocks run in any order. Usual cause: several blocks update the same element. If they add up in it \
                 (`x += y`), that needs `atomicAdd`; if not, its index is the same in several blocks."
                    .to_string()
            }
            _ => match hint {
                RaceHint::Told { .. } => format!(
                    "Blocks run in any order, and an atomic or a flag puts only itself in order. Usual cause: no \
                     `__threadfence()` between the store at {store} and the atomic or flag that tells of it, nor between \
                     reading that and the load at {load}."
                ),
                _ if loads_first => format!(
                    "Blocks run in any order, and `__syncthreads()` does not join them. Usual cause: {store} stores in place \
                     what other blocks still load at {load}; store to a second buffer."
                ),
                _ => format!(
                    "Blocks run in any order, and `__syncthreads()` does not join them. Usual cause: a barrier of the whole \
                     grid is missing between the store at {store} and the load at {load}: split the kernel there into two \
                     launches."
                ),
            },
        }
    }

    fn beside_an_atomic(&self, scope: RaceScope) -> String {
        let mend = match scope {
            RaceScope::Grid => {
                "read it in a later launch, or make both atomic and put `__threadfence()` where order matters"
            }
            scope => &format!(
                "put {} between the two, or make both atomic",
                barrier(scope)
            ),
        };
        format!(
            "An atomic is in order with other atomics only. Usual cause: an element that is counted by atomics is read or set by a plain access at the same time: {mend}."
        )
    }
}

/// A `__syncwarp()` whose mask has not all the lanes between which something passes.
fn cause_of_left_out(mask: u32, line: u32) -> String {
    let at = match line {
        0 => String::new(),
        line => format!(" in line {line}"),
    };
    format!(
        "`__syncwarp(mask)` orders only the lanes of its mask. Usual cause: the mask {mask:#010x}{at} is narrower than the \
         exchange, as a tile of 8 threads that is synchronised while 16 exchange; name all lanes that store or load what \
         passes (`__syncwarp()` names the whole warp), or take a tile as wide as the exchange."
    )
}

/// What joins the threads of a race that are of one block.
fn barrier(scope: RaceScope) -> &'static str {
    match scope {
        RaceScope::Lanes => "`__syncwarp()`",
        _ => "`__syncthreads()`",
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
