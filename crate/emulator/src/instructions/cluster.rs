//! PTX ISA: clusters of blocks: `mapa`, `getctarank`, `isspacep` of shared memory, `barrier.cluster`, `%is_explicit_cluster`.

use crate::decode::ir::{Act, Reg};
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{Both, ComputeFn, Inst};
use crate::machine::lanes::Lanes;
use crate::operations::drive::{both, computes};
use crate::program::ClusterBarrier;
use crate::program::kinds::{Kind, WARP};
use crate::program::preset::Special;
use crate::program::space::{WINDOW_BYTES, WINDOWS, in_block, shared_owner};

computes!(MAPA_32, binary, (u32, u32) => u32, |address, rank| in_block(u64::from(address), rank) as u32);
computes!(MAPA_64, binary, (u64, u32) => u64, |address, rank| in_block(address, rank));
computes!(RANK_32, binary, (u32, u32) => u32, |address, own| shared_owner(u64::from(address)).0.unwrap_or(own));
computes!(RANK_64, binary, (u64, u32) => u32, |address, own| shared_owner(address % WINDOW_BYTES).0.unwrap_or(own));

/// `mapa{.shared::cluster}.{u32|u64} d, a, rank;`
pub(crate) fn lower_mapa(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 3..=3)?;
    let operands = matched.operands();
    let (kind, step) = if matched.has("u64") {
        (Kind::Bits64, MAPA_64)
    } else {
        (Kind::Bits32, MAPA_32)
    };
    let address = lowerer.source_or_address(matched, &operands[1], kind)?;
    let rank = lowerer.source(matched, &operands[2], Kind::Bits32)?;
    let d = lowerer.result(matched, &operands[0], kind)?;
    lowerer.compute_parts(step.function, &[Some(d)], &[address, rank], 0);
    Ok(())
}

/// `getctarank{.shared::cluster}.{u32|u64} d, a;`
pub(crate) fn lower_getctarank(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let (kind, step) = if matched.has("u64") {
        (Kind::Bits64, RANK_64)
    } else {
        (Kind::Bits32, RANK_32)
    };
    let address = lowerer.source_or_address(matched, &operands[1], kind)?;
    let d = lowerer.result(matched, &operands[0], Kind::Bits32)?;
    let own = lowerer.special(Special::ClusterRank);
    lowerer.compute_parts(step.function, &[Some(d)], &[address, own], 0);
    Ok(())
}

/// `isspacep.shared{::cta} p, a;`: whether an address is one of the block's own shared memory.
pub(crate) fn lower_is_own(
    lowerer: &mut Lowerer,
    matched: &Matched,
    d: Reg,
) -> Result<(), LoadError> {
    let a = lowerer.source(matched, &matched.operands()[1], Kind::Bits64)?;
    let own = lowerer.special(Special::ClusterRank);
    lowerer.compute_parts(IS_OWN, &[Some(d)], &[a, own], 0);
    Ok(())
}

const IS_OWN: Both<ComputeFn> = both!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    for warp in lanes.active.first..lanes.active.last {
        let mut bits = 0u32;
        for lane in 0..WARP {
            let at = warp * WARP + lane;
            let (address, own) = (lanes.longs.source(inst.s[0])[at], lanes.words.source(inst.s[1])[at]);
            let offset = address.wrapping_sub(WINDOWS);
            let is_own = offset < WINDOW_BYTES && shared_owner(offset).0.is_none_or(|rank| rank == own);
            bits |= u32::from(is_own) << lane;
        }
        let mask = lanes.active.mask[warp];
        let out = &mut lanes.preds[usize::from(inst.d[0])][warp];
        *out = (*out & !mask) | (bits & mask);
    }
});

/// `barrier.cluster.{arrive|wait}{…}{.aligned};`
pub(crate) fn lower_barrier(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 0..=0)?;
    let kind = if matched.has("arrive") {
        ClusterBarrier::Arrive {
            is_relaxed: matched.has("relaxed"),
        }
    } else {
        ClusterBarrier::Wait
    };
    let is_loose = !matched.has("aligned");
    lowerer.under_guard(|lowerer| {
        lowerer.push(Act::ClusterBarrier(kind), None);
        lowerer.last_aux(u32::from(is_loose));
        Ok(())
    })
}

/// `%is_explicit_cluster`
pub(crate) fn lower_is_explicit(lowerer: &mut Lowerer, d: Reg) {
    let is_explicit = lowerer.special(Special::IsExplicitCluster);
    lowerer.compute_parts(IS_SET, &[Some(d)], &[is_explicit], 0);
}

const IS_SET: Both<ComputeFn> = both!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    for warp in lanes.active.first..lanes.active.last {
        let mut bits = 0u32;
        for lane in 0..WARP {
            bits |= u32::from(lanes.words.source(inst.s[0])[warp * WARP + lane] != 0) << lane;
        }
        let mask = lanes.active.mask[warp];
        let out = &mut lanes.preds[usize::from(inst.d[0])][warp];
        *out = (*out & !mask) | (bits & mask);
    }
});
