//! PTX ISA chapter "Special Registers": their names.

use crate::decode::lower::Lowerer;
use crate::parse::ast::Operand;
use crate::program::preset::{Preset, Special};

/// What a special register holds: `None` if the name is none, `Some(None)` if it is one that is not supported.
pub(super) fn special(name: &str) -> Option<Option<Preset>> {
    if let Some((base, axis)) = name.split_once('.') {
        let axis = ["x", "y", "z"].iter().position(|name| *name == axis)?;
        return Some(Some(of_axis(base, axis as u8)?));
    }
    let special = match name {
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        "%nwarpid" => Special::WarpCount,
        "%lanemask_eq" => Special::LanemaskEq,
        "%lanemask_le" => Special::LanemaskLe,
        "%lanemask_lt" => Special::LanemaskLt,
        "%lanemask_ge" => Special::LanemaskGe,
        "%lanemask_gt" => Special::LanemaskGt,
        "%smid" => Special::SmId,
        "%nsmid" => Special::SmCount,
        "%gridid" => Special::GridId,
        "%dynamic_smem_size" => Special::DynamicShared,
        "%total_smem_size" => Special::TotalShared,
        "%cluster_ctarank" => Special::ClusterRank,
        "%cluster_nctarank" => Special::ClusterSize,
        // All axes at once, as a vector.
        _ if of_axis(name, 0).is_some() => return Some(None),
        "WARP_SZ" => return Some(Some(Preset::Bits(32))),
        "%aggr_smem_size" => Special::TotalShared,
        "%is_explicit_cluster_launch" => return Some(None),
        // Where the driver says how the blocks of a cooperative launch find each other.
        "%envreg1" => Special::Workspace { high: true },
        "%envreg2" => Special::Workspace { high: false },
        // No driver sets the others, and nothing is captured in a graph.
        "%current_graph_exec" => return Some(Some(Preset::Bits(0))),
        _ if numbered(name, "%envreg", 32) => return Some(Some(Preset::Bits(0))),
        // Performance counters of the hardware.
        _ if name.starts_with("%pm") => return Some(None),
        _ => return None,
    };
    Some(Some(Preset::Special(special)))
}

/// What a special register with axes holds for one of them.
fn of_axis(base: &str, axis: u8) -> Option<Preset> {
    Some(Preset::Special(match base {
        "%tid" => Special::Tid(axis),
        "%ntid" => Special::Ntid(axis),
        "%ctaid" => Special::Ctaid(axis),
        "%nctaid" => Special::Nctaid(axis),
        "%clusterid" => Special::ClusterId(axis),
        "%nclusterid" => Special::ClusterCount(axis),
        "%cluster_ctaid" => Special::ClusterCtaid(axis),
        "%cluster_nctaid" => Special::ClusterNctaid(axis),
        _ => return None,
    }))
}

/// Whether the name is a prefix and a number below `count`.
fn numbered(name: &str, prefix: &str, count: u32) -> bool {
    let number = name
        .strip_prefix(prefix)
        .and_then(|number| number.parse::<u32>().ok());
    number.is_some_and(|number| number < count)
}

impl Lowerer<'_> {
    /// Whether the operand is a clock, which changes while a block runs.
    pub(crate) fn reads_clock(&self, operand: &Operand) -> bool {
        matches!(
            operand,
            Operand::Name(
                "%clock"
                    | "%clock_hi"
                    | "%clock64"
                    | "%globaltimer"
                    | "%globaltimer_lo"
                    | "%globaltimer_hi"
            )
        )
    }
}
