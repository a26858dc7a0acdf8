//! Uses of products: how often they are used, and how often of these in sums, which may take them in.

use crate::ir::{Bin, Body, Ty};

/// Sums beyond which a product stays one.
const MOST_SUMS: u32 = 4;

/// How often a value is used, and how often of these in sums of its block.
#[derive(Clone, Copy, Default)]
pub(super) struct Uses {
    pub(super) count: u32,
    pub(super) sums: u32,
}

impl Uses {
    /// Whether sums take a product in.
    pub(super) fn may_be_taken_in(self) -> bool {
        self.sums == self.count && (1..=MOST_SUMS).contains(&self.count)
    }
}

/// By value.
pub(super) fn uses(body: &Body) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); body.values.len()];
    let mut homes = vec![usize::MAX; body.values.len()];
    for (number, block) in body.blocks.iter().enumerate() {
        for inst in &block.insts {
            let data = body.inst(*inst);
            let is_sum = data.op.is_bin(Bin::Add);
            for arg in &data.args {
                let of = &mut uses[arg.0 as usize];
                of.count += 1;
                of.sums += u32::from(is_sum && homes[arg.0 as usize] == number);
            }
            for result in &data.results {
                homes[result.0 as usize] = number;
            }
        }
    }
    uses
}

/// The bits of the number 2.
pub(super) fn twice(ty: Ty) -> u64 {
    match ty {
        Ty::F32 => u64::from(2_f32.to_bits()),
        _ => 2_f64.to_bits(),
    }
}
