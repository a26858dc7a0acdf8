//! The words of barriers that not all threads come to. Those of mbarriers are in `mbarrier`.

use crate::diagnostics::clusters::barrier_of_cluster;
use crate::diagnostics::multiply::multiply;
use crate::diagnostics::words::place;
use crate::report::{Detail, Finding};

impl Finding {
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

    pub(super) fn cause_of_barrier(&self) -> &'static str {
        match self.detail {
            Detail::Warp { .. } => {
                "a matrix instruction (`wmma`, `mma`, `ldmatrix`) inside an `if` or a loop that not all threads of the warp enter, or a block whose threads are no multiple of 32"
            }
            Detail::NoBarrier { .. } => {
                "a barrier's number or count that is computed, or written by hand in `asm`"
            }
            Detail::Barrier {
                is_counted: true, ..
            } => {
                "the number of threads in `bar.sync` or `barrier.sync`, which must be that of the threads that come, in whole warps; or some of them come to another barrier"
            }
            _ if self.is_of_cluster() => {
                "`cluster.sync()` or `barrier.cluster` inside an `if` or a loop that not all threads of the cluster enter, or one half of it alone"
            }
            _ => {
                "`__syncthreads()` inside an `if` or a loop that not all threads of the block enter"
            }
        }
    }
}
