//! PTX ISA: clusters of one block: `mapa`, `getctarank`, `barrier.cluster`, `%is_explicit_cluster`.

use crate::decode::ir::{Act, Reg};
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{Both, ComputeFn, Inst};
use crate::machine::lanes::Lanes;
use crate::operations::drive::{computes, one};
use crate::program::ClusterBarrier;
use crate::program::kinds::Kind;

// Another block's shared memory is nowhere: an access to it is out of bounds.
computes!(MAPA_32, binary, (u32, u32) => u32, |address, rank| if rank == 0 { address } else { 0xffff_ff00 });
computes!(MAPA_64, binary, (u64, u32) => u64, |address, rank| if rank == 0 { address } else { 0xffff_ff00 });

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
    let kind = if matched.has("u64") {
        Kind::Bits64
    } else {
        Kind::Bits32
    };
    lowerer.source_or_address(matched, &operands[1], kind)?;
    let d = lowerer.result(matched, &operands[0], Kind::Bits32)?;
    let rank = lowerer.bits(Kind::Bits32.file(), 0);
    lowerer.copy(d, rank);
    Ok(())
}

/// `barrier.cluster.{arrive|wait}{…}{.aligned};`
pub(crate) fn lower_barrier(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 0..=0)?;
    let kind = if matched.has("arrive") {
        ClusterBarrier::Arrive
    } else {
        ClusterBarrier::Wait
    };
    lowerer.under_guard(|lowerer| {
        lowerer.push(Act::ClusterBarrier(kind), None);
        Ok(())
    })
}

/// `%is_explicit_cluster`: a launch here never asks for clusters.
pub(crate) fn lower_is_explicit(lowerer: &mut Lowerer, d: Reg) {
    lowerer.exchange(FALSE, &[Some(d)], &[], 0);
}

const FALSE: Both<ComputeFn> = one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    let mask = lanes.active.mask;
    for (out, mask) in lanes.preds[usize::from(inst.d[0])].iter_mut().zip(mask) {
        *out &= !mask;
    }
});
