//! Distances of loads: how far a load stands behind the first access to its place. LLVM finds out early that it is the
//! same only if there are few instructions between them; else the load is still there when it orders the sides of sums.

use super::rewrite::Replaced;
use crate::hash::{HashMap, HashSet};
use crate::ir::{Bin, Body, Inst, Op, Ty, Value};

/// How many instructions LLVM looks back for the same address (`DefMaxInstsToScan`).
const NEAR: u32 = 6;

/// What is known of the block at hand, and which loads of the whole body are far.
#[derive(Default)]
pub(super) struct Distances {
    /// How many instructions were passed in this block. An address is one, however it is computed.
    place: u32,
    /// Addresses without a space beside those with one, which the driver's compiler does not have.
    doubles: HashSet<Value>,
    /// By what was loaded or stored in this block: where that was.
    places: HashMap<Value, u32>,
    far: HashSet<Value>,
}

impl Distances {
    /// Another block begins.
    pub(super) fn enter(&mut self) {
        self.place = 0;
        self.places.clear();
    }

    pub(super) fn has_far(&self, args: &[Value]) -> bool {
        !self.far.is_empty() && args.iter().any(|arg| self.far.contains(arg))
    }

    /// The next instruction; of a load it is told whether what it loads is known, and as which values.
    pub(super) fn pass(&mut self, body: &Body, inst: Inst, is_known: bool, replaced: &Replaced) {
        let data = body.inst(inst);
        match &data.op {
            Op::Phi(_) => {}
            Op::Load(_) | Op::Store(_) => {
                let place = self.place + 1;
                if is_known {
                    let first = (data.results.first())
                        .and_then(|result| self.places.get(&replaced.get(*result)));
                    if first.is_some_and(|first| place - first <= NEAR) {
                        return;
                    }
                    self.far.extend(&data.results);
                }
                let values = match &data.op {
                    Op::Load(_) => &data.results[..],
                    _ => &data.args[1..],
                };
                self.places
                    .extend(values.iter().map(|value| (*value, place)));
                self.place = place;
            }
            Op::ToGeneric(_) => self.doubles.extend(&data.results),
            op => {
                let is_address =
                    (data.results.first()).is_some_and(|value| body.ty(*value) == Ty::B64);
                if is_address && data.args.iter().any(|arg| self.doubles.contains(arg)) {
                    self.doubles.extend(&data.results);
                    return;
                }
                let counts = !is_address || matches!(op, Op::Bin(Bin::Add) | Op::Cvt(_));
                self.place += u32::from(counts && !is_known);
            }
        }
    }
}
