//! What findings about clusters say: accesses to another block's shared memory, and the cluster's barrier.

use crate::report::{ClusterBarrierFault, ClusterFault, Detail, Finding, MOST_RANK};

pub(super) const CAUSE_IN_CLUSTER: &str = "The blocks of a cluster run at the same time, and `__syncthreads()` does not \
     join them. Usual cause: a missing `cluster.sync()` (`barrier.cluster.arrive` and `wait`) between what one block stores \
     and what another loads or stores there.";

pub(super) const CAUSE_OF_SENT: &str = "What another block sends, by a copy or `st.async`, comes at any time before its \
     mbarrier has been waited for, and no other barrier waits for it. Usual cause: a missing wait at that mbarrier, which each \
     warp needs that uses the place, or a barrier behind the wait; or a sender that takes the place again before the \
     receiver has said, at a barrier of the cluster or an mbarrier of the sender's, that it is done with it.";

impl Finding {
    /// An access to another block's shared memory that cannot be.
    pub(super) fn other_shared(&self, rank: u32, fault: ClusterFault) -> String {
        let access = self.access();
        match fault {
            ClusterFault::NoSuchRank { blocks: 1 } => {
                format!("invalid address: {access}, and the launch has no clusters")
            }
            ClusterFault::NoSuchRank { blocks } => {
                let more = if rank == MOST_RANK { " or more" } else { "" };
                format!(
                    "invalid address: {access}{more}, which has blocks 0 to {}",
                    blocks.saturating_sub(1)
                )
            }
            ClusterFault::Ended => format!("invalid address: {access}, and that block has ended"),
            ClusterFault::MayHaveEnded => {
                format!(
                    "invalid address: {access}, and nothing keeps that block from ending before"
                )
            }
            ClusterFault::MayNotHaveBegun => {
                format!("invalid address: {access}, and nothing says that this block has begun")
            }
        }
    }

    pub(super) fn cause_of_other_shared(&self) -> Option<&'static str> {
        let Detail::OtherShared { fault, .. } = self.detail else {
            return None;
        };
        Some(match fault {
            ClusterFault::NoSuchRank { .. } => {
                "a rank for `mapa` or `map_shared_rank` that is not below the number of blocks of the cluster"
            }
            ClusterFault::Ended | ClusterFault::MayHaveEnded => {
                "a missing `cluster.sync()` at the end of the kernel: a block's shared memory goes with it"
            }
            ClusterFault::MayNotHaveBegun => {
                "a missing `cluster.sync()` before the first access to another block's shared memory"
            }
        })
    }

    /// Whether it is about the barrier of the cluster.
    pub(super) fn is_of_cluster(&self) -> bool {
        let barrier = |detail: &Detail| {
            matches!(
                detail,
                Detail::Barrier {
                    barrier: u32::MAX,
                    ..
                }
            )
        };
        matches!(self.detail, Detail::ClusterBarrier { .. }) || barrier(&self.detail)
    }
}

/// A barrier of a cluster that is used against its rules.
pub(super) fn barrier_of_cluster(fault: ClusterBarrierFault) -> String {
    let what = match fault {
        ClusterBarrierFault::WaitAlone => {
            "a thread waits at the barrier of the cluster, and has not arrived there"
        }
        ClusterBarrierFault::ArriveTwice => {
            "a thread arrives at the barrier of the cluster again before it has waited there"
        }
        ClusterBarrierFault::NeverWaits => {
            "a thread ends that has arrived at the barrier of the cluster, and never waits there"
        }
        ClusterBarrierFault::Divergent => {
            "only a part of the warp reaches this barrier of the cluster, which is for whole warps (`.aligned`)"
        }
    };
    format!("barrier divergence: {what}")
}
