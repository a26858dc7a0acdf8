//! Where the steps of a warp begin and end that is followed. What is recorded of them is `machine::steps`'s.

use crate::machine::inst::{Action, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::program::kinds::{NO_SLOT, WARP};
use crate::report::StepKind;

/// An instruction is about to run.
#[cold]
pub(super) fn begin(lanes: &Lanes, world: &mut World, inst: &Inst) {
    let program = world.program;
    let Some(recorder) = world.recorder() else {
        return;
    };
    let kind = match inst.action {
        Action::Block(_) => return recorder.close(),
        // It stands for no instruction, or for the call that it belongs to.
        Action::Jump(_) | Action::Restore => return,
        Action::Branch { .. } => StepKind::Branch(0),
        Action::Barrier(_) => {
            let is_active = |lane: &usize| lanes.active.mask[lane / WARP] >> (lane % WARP) & 1 != 0;
            let lane = lanes.active.range().find(is_active);
            StepKind::Barrier(match (inst.s[0], lane) {
                (NO_SLOT, _) | (_, None) => 0,
                (slot, Some(lane)) => lanes.words.lane(slot, lane),
            })
        }
        Action::Exit => StepKind::Exit,
        _ => StepKind::Plain,
    };
    recorder.begin(program, lanes, inst, kind);
}

/// An instruction that computes or accesses has run.
#[cold]
pub(super) fn end(lanes: &Lanes, world: &mut World, pc: u32) {
    let (inst, flow) = (&world.code[pc as usize], &world.program.flows[pc as usize]);
    if let Some(recorder) = world.recorder() {
        recorder.end(lanes, inst, flow);
    }
}
