//! The words of `wgmma` that is used against its rules.

use crate::diagnostics::words::place;
use crate::report::MultiplyFault;

/// What is wrong with a `wgmma`.
pub(super) fn multiply(fault: &MultiplyFault) -> String {
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

pub(super) fn cause_of_multiply(fault: &MultiplyFault) -> &'static str {
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
