//! The words of masks and widths that do not fit the lanes of a warp that come.

use crate::report::{Detail, Finding, MaskFault};

impl Finding {
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
            MaskFault::Elsewhere => format!(
                "remark: {whom} of the warp, which the mask {mask:#010x} names, {} this vote, shuffle or reduction elsewhere in the program",
                choose("executes", "execute")
            ),
        }
    }
}

pub(super) fn cause_of_mask(fault: MaskFault) -> &'static str {
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
             threads are no multiple of 32; let all lanes come, and where there is no element with the value that changes \
             nothing: 0 for a sum, 1 for a product, -INFINITY or the least integer for a maximum, INFINITY or the largest \
             for a minimum."
        }
        MaskFault::Width(_) => {
            "Which lanes exchange values is undefined then. Usual cause: the number of lanes that have something, taken for a \
             width; give the next power of two, and let the lanes without anything bring a neutral element."
        }
        MaskFault::Elsewhere => {
            "CUDA allows that, and on an H200 all of them exchange their values, unless a compiler makes it otherwise. Here each              place gets those of its own lanes: the bits may be other ones. One call, behind the branch, gives the same              everywhere."
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
