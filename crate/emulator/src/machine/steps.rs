//! Records what one warp of a block does, step by step. When steps begin and end is `run`'s affair.

use crate::machine::inst::Inst;
use crate::machine::lanes::Lanes;
use crate::program::Program;
use crate::program::flow::Flow;
use crate::program::kinds::{FileKind, GROUP_WARPS, Mask, NO_SLOT, PRESET, WARP};
use crate::report::{Access, Step, StepKind, Steps, StepsRequest, Written};

/// The most accesses that are kept of one step: an asynchronous copy has two.
const MOST_ACCESSES: usize = 4;

/// What is being recorded of a warp.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) steps: Steps,
    most: usize,
    /// Instructions of the warp so far.
    seen: u64,
    /// The place of the warp's instruction whose operations are being done, and its step if it is recorded.
    open: Option<(u32, Option<usize>)>,
}

impl Recorder {
    /// A recorder of a block of so many threads.
    pub(crate) fn new(request: &StepsRequest, threads: u32) -> Self {
        Self {
            steps: Steps {
                block: request.block,
                threads,
                warp: request.warp,
                skipped: request.skipped,
                ..Steps::default()
            },
            most: request.most,
            seen: 0,
            open: None,
        }
    }

    /// Where the warp is in the group, if it is of it.
    fn in_group(&self, lanes: &Lanes) -> Option<usize> {
        (self.steps.warp as usize)
            .checked_sub(lanes.first_warp)
            .filter(|warp| *warp < GROUP_WARPS)
    }

    /// What comes next is another instruction, even if it is the same one.
    pub(crate) fn close(&mut self) {
        self.open = None;
    }

    /// The active lanes are about to do an operation.
    pub(crate) fn begin(&mut self, program: &Program, lanes: &Lanes, inst: &Inst, kind: StepKind) {
        let active = lanes.active.mask;
        if matches!(kind, StepKind::Barrier(_) | StepKind::Exit) {
            self.note_others(program, lanes, (&active, inst.place), kind);
        }
        let Some(warp) = self.in_group(lanes).filter(|warp| active[*warp] != 0) else {
            return;
        };
        let mask = active[warp] & guard(lanes, inst, warp);
        let kind = match kind {
            StepKind::Branch(_) => {
                StepKind::Branch(mask & lanes.preds[usize::from(inst.s[0])][warp])
            }
            other => other,
        };
        if let Some((place, step)) = self.open
            && place == inst.place
        {
            if let Some(step) = step.and_then(|at| self.steps.steps.get_mut(at)) {
                (step.mask, step.kind) = (mask, kind);
            }
            return;
        }
        self.seen += 1;
        let step = if self.seen > self.steps.skipped {
            let here = (self.steps.warp, active[warp]);
            self.push(program, here, (mask, inst.place), kind)
        } else {
            None
        };
        self.open = Some((inst.place, step));
    }

    /// The operation that began last has been done.
    pub(crate) fn end(&mut self, lanes: &Lanes, inst: &Inst, flow: &Flow) {
        let warp = self.in_group(lanes);
        let (Some(warp), Some((place, Some(step)))) = (warp, self.open) else {
            return;
        };
        let Some(step) = self
            .steps
            .steps
            .get_mut(step)
            .filter(|_| place == inst.place)
        else {
            return;
        };
        for (file, slot) in flow.d.iter().zip(inst.d) {
            let is_register = slot != NO_SLOT && slot & PRESET == 0;
            if let Some(file) = file.filter(|_| is_register && lanes.active.mask[warp] != 0) {
                step.written
                    .push(written(lanes, file, slot, (warp, step.mask)));
            }
        }
    }

    /// The warp accesses memory in the step that is being done.
    pub(crate) fn access(&mut self, access: Access) {
        if access.warp != self.steps.warp {
            return;
        }
        if let Some((_, Some(step))) = self.open
            && let Some(step) = self.steps.steps.get_mut(step)
            && step.accesses.len() < MOST_ACCESSES
        {
            step.accesses.push(access);
        }
    }

    /// Lanes of a group go on behind a barrier.
    pub(crate) fn release(
        &mut self,
        program: &Program,
        first_warp: usize,
        mask: &Mask,
        (barrier, place): (u32, u32),
    ) {
        self.close();
        for (warp, lanes) in mask.iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
            let warp = (first_warp + warp) as u32;
            self.push(
                program,
                (warp, *lanes),
                (*lanes, place),
                StepKind::Released(barrier),
            );
        }
    }

    /// Other warps of the group do what the warp may wait for.
    fn note_others(
        &mut self,
        program: &Program,
        lanes: &Lanes,
        (active, place): (&Mask, u32),
        kind: StepKind,
    ) {
        for (warp, here) in active.iter().enumerate().filter(|(_, here)| **here != 0) {
            let warp = (lanes.first_warp + warp) as u32;
            if warp != self.steps.warp {
                self.push(program, (warp, *here), (*here, place), kind);
            }
        }
    }

    /// A new step, if there is room; its number. What others do before the first one of the warp is left out with it.
    fn push(
        &mut self,
        program: &Program,
        (warp, active): (u32, u32),
        (mask, place): (u32, u32),
        kind: StepKind,
    ) -> Option<usize> {
        if self.seen < self.steps.skipped {
            return None;
        }
        if self.steps.steps.len() >= self.most {
            self.steps.is_cut = true;
            return None;
        }
        let is_text = !matches!(kind, StepKind::Exit);
        self.steps.steps.push(Step {
            warp,
            ptx_line: if is_text { program.ptx_line(place) } else { 0 },
            source: program.source(place).filter(|_| is_text),
            active,
            mask,
            kind,
            written: Vec::new(),
            accesses: Vec::new(),
        });
        Some(self.steps.steps.len() - 1)
    }
}

/// The lanes of a warp that an instruction's guard lets through.
fn guard(lanes: &Lanes, inst: &Inst, warp: usize) -> u32 {
    match inst.guard {
        NO_SLOT => u32::MAX,
        slot => {
            lanes.preds[usize::from(slot)][warp] ^ if inst.guard_negated { u32::MAX } else { 0 }
        }
    }
}

fn written(lanes: &Lanes, file: FileKind, slot: u16, (warp, mask): (usize, u32)) -> Written {
    let mut values = [0; WARP];
    for (lane, value) in values.iter_mut().enumerate() {
        let at = warp * WARP + lane;
        if mask >> lane & 1 != 0 {
            *value = match file {
                FileKind::Preds => u64::from(lanes.preds[usize::from(slot)][warp] >> lane & 1),
                FileKind::Words => u64::from(lanes.words.lane(slot, at)),
                FileKind::Longs => lanes.longs.lane(slot, at),
            };
        }
    }
    let bits = match file {
        FileKind::Preds => 1,
        FileKind::Words => 32,
        FileKind::Longs => 64,
    };
    Written { bits, values }
}
