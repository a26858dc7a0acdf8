//! The order of the passes, as data, with its reasons, and what runs it. What each pass is stands in `passes`.

use super::dce;
use super::passes::*;
use crate::ir::build::Builder;
use crate::snapshot::{Inspect, Snapshot};

/// A part of the order. Each part has changed something or not; passes that do not tell count as those that have not.
enum Step {
    Run(&'static Pass),
    /// All of them, whatever they change.
    All(&'static [Step]),
    /// The second part where the first has changed something; the whole has if the first has.
    Then(&'static Step, &'static [Step]),
    /// The second part where the first has changed something, else the third.
    Either(&'static Step, &'static [Step], &'static [Step]),
    /// Only where this holds.
    Where(fn(&Context) -> bool, &'static Step),
    /// The first pass once, then both parts over and over: until neither changes anything, or the second one does not and no
    /// object is left, but at most so often.
    Rounds(usize, &'static Step, &'static Pass, &'static Step),
}

use Step::{All, Either, Rounds, Run, Then, Where};

/// Rounds in which objects become registers: one for each pointer to a pointer, and some more.
const ROUNDS: usize = 12;

/// What follows where the graph has changed.
const CLEAN: &[Step] = &[Run(&SIMPLIFY_CFG), Run(&DCE)];

/// Folds and finds again what copies of iterations have in common.
const TIDY: &[Step] = &[
    Run(&SIMPLIFY_CFG),
    Run(&SIMPLIFY),
    Run(&GVN),
    Run(&LICM),
    Run(&DCE),
];

/// Local objects become registers. An object whose address another one holds follows in the next round, as does an array
/// whose index is the variable of a loop that is unrolled here.
const PROMOTE: Step = Rounds(
    ROUNDS,
    &Then(&Run(&MEM2REG), &[Run(&DCE)]),
    &COMPACT,
    &Then(
        &All(&[
            Run(&SIMPLIFY),
            Then(&Run(&UNROLL_FULL_OBJECTS), &[Run(&SIMPLIFY)]),
        ]),
        CLEAN,
    ),
);

/// Runs short ways whether or not they are taken.
const RUN_BOTH_WAYS: Step = Then(&Run(&IF_CONVERT), &[Run(&SIMPLIFY), Run(&GVN)]);

/// Unrolls loops, now that it is known how small they are: those over constants wholly, else in part, then the others.
const UNROLL: Step = All(&[
    Then(&Run(&UNROLL_FULL), &[Run(&MEM2REG), All(TIDY)]),
    Then(&Run(&UNROLL_PARTIAL), TIDY),
    Run(&UNROLL_RUNTIME),
]);

/// The whole order.
const ORDER: &[Step] = &[
    All(CLEAN),
    PROMOTE,
    Run(&SETTLE_SLOTS),
    // A question about an address's space is answered by it, and decides branches.
    Either(
        &Run(&INFER_ADDRESS_SPACES),
        &[
            Run(&SIMPLIFY),
            Run(&SIMPLIFY_CFG),
            Run(&SIMPLIFY),
            Run(&DCE),
        ],
        &[Run(&SIMPLIFY)],
    ),
    // As the source stands: nothing has moved yet.
    Run(&MARK_CONSTANT_LOADS),
    Run(&GVN_FIRST),
    Run(&DROP_UNREAD_SHARED),
    Run(&DCE),
    RUN_BOTH_WAYS,
    Run(&JUMP_THREADING),
    // Stores that all ways end with leave them before values do, which keep them apart.
    Run(&HOIST_COMMON_BEGINNINGS),
    Run(&SINK_COMMON),
    Run(&HOIST_COMMON),
    Run(&DCE),
    Run(&IF_CONVERT_CONDITIONS),
    Run(&FOLD_EXITS),
    Run(&NOOP_STORE_ELIMINATION),
    Run(&SINK_IN_LOOPS),
    // What moved out of a way makes it short.
    RUN_BOTH_WAYS,
    // Loops, as they are before they are unrolled.
    Run(&LICM),
    Then(&Run(&SCALAR_PROMOTION), &[Run(&MEM2REG)]),
    Then(&Run(&LOAD_PRE), &[Run(&MEM2REG)]),
    Run(&LOOP_LOAD_ELIMINATION),
    Run(&DCE),
    Where(|context| !context.has_inner, &Run(&INDEX_SET_SPLIT)),
    Then(
        &UNROLL,
        &[
            Run(&SIMPLIFY_CFG),
            Run(&LICM_UNROLLED),
            // Indices of the iterations are then told from each other.
            Run(&SIMPLIFY),
            Run(&GVN),
            Where(
                |context| context.has_inner,
                &Then(&Run(&LOAD_PRE), &[Run(&MEM2REG)]),
            ),
        ],
    ),
    Run(&SIMPLIFY),
    Run(&GVN),
    Run(&LOOP_LOAD_ELIMINATION_UNROLLED),
    Run(&DCE),
    Run(&NOOP_STORE_ELIMINATION),
    // Not before it is known which loads are the same, as in NVIDIA's compiler.
    Then(&Run(&DEMANDED_BITS), &[Run(&GVN_ARITHMETIC), Run(&DCE)]),
    Run(&SINK),
    Then(&Run(&SINK_PAST_JOIN), &[Run(&SINK)]),
    // Addresses and arithmetic, as the machine takes them; nothing looks for equal values behind this.
    Run(&DEAD_STORE_ELIMINATION),
    Run(&VECTORISE_ACCESSES),
    Run(&SEPARATE_CONSTANT_OFFSETS),
    Then(&Run(&REASSOCIATE), &[Run(&DCE)]),
    Run(&PUSH_INTO_PREDECESSOR),
    Run(&DIV_REM_PAIRS),
    Run(&DIVIDE_BY_CONSTANT),
    Run(&NARROW_DIVISION),
    Run(&STRENGTH_REDUCE_PRODUCTS),
    Run(&CONTRACT_FMA),
    Run(&STRAIGHT_LINE_STRENGTH_REDUCE),
    Run(&SINK_ADDRESS_SCALE),
    Run(&LICM_ASM),
    Run(&NARROW_REGISTERS),
    Run(&DCE),
    Then(&Run(&REMATERIALISE), &[Run(&DCE)]),
    Run(&SIMPLIFY_CFG_ALL),
];

/// The names of the passes in the order in which they stand here, whether or not they will run.
pub(crate) fn order() -> Vec<&'static str> {
    let mut names = Vec::new();
    ORDER.iter().for_each(|step| note(step, &mut names));
    names
}

fn note(step: &Step, names: &mut Vec<&'static str>) {
    match step {
        Run(pass) => names.push(pass.name),
        All(steps) => steps.iter().for_each(|step| note(step, names)),
        Then(first, steps) => {
            note(first, names);
            steps.iter().for_each(|step| note(step, names));
        }
        Either(first, steps, others) => {
            note(first, names);
            steps
                .iter()
                .chain(*others)
                .for_each(|step| note(step, names));
        }
        Where(_, step) => note(step, names),
        Rounds(_, first, once, second) => {
            note(first, names);
            names.push(once.name);
            note(second, names);
        }
    }
}

/// Runs the passes on a kernel.
pub(super) struct Runner<'a, 'w> {
    pub(super) name: &'a str,
    pub(super) builder: &'a mut Builder,
    pub(super) context: Context<'a>,
    pub(super) watcher: &'a mut Option<&'w mut dyn Inspect>,
}

impl Runner<'_, '_> {
    /// Runs all passes in their order, until one finds that the kernel has failed: then it is false.
    pub(super) fn run(&mut self) -> bool {
        self.all(ORDER);
        if !self.context.has_failed {
            self.tell(|watcher, kernel| watcher.finished(kernel));
        }
        !self.context.has_failed
    }

    fn all(&mut self, steps: &[Step]) -> bool {
        let mut changed = false;
        for step in steps {
            changed |= self.step(step);
        }
        changed
    }

    fn step(&mut self, step: &Step) -> bool {
        if self.context.has_failed {
            return false;
        }
        match step {
            Run(pass) => self.pass(pass),
            All(steps) => self.all(steps),
            Then(first, steps) => self.step(&Either(first, steps, &[])),
            Either(first, steps, others) => {
                let changed = self.step(first);
                self.all(if changed { steps } else { others });
                changed
            }
            Where(holds, step) => holds(&self.context) && self.step(step),
            Rounds(most, first, once, second) => self.rounds(*most, first, once, second),
        }
    }

    fn rounds(&mut self, most: usize, first: &Step, once: &'static Pass, second: &Step) -> bool {
        let mut changed = false;
        for round in 0..most {
            let promoted = self.step(first);
            if round == 0 {
                self.step(&Run(once));
            }
            let folded = self.step(second);
            changed |= promoted || folded;
            let goes_on = folded || promoted && dce::has_slots(&self.builder.body);
            if self.context.has_failed || !goes_on {
                break;
            }
        }
        changed
    }

    fn pass(&mut self, pass: &'static Pass) -> bool {
        self.tell(|watcher, kernel| watcher.before(pass.name, kernel));
        let changed = pass.run(self.builder, &mut self.context);
        self.tell(|watcher, kernel| watcher.after(pass.name, kernel));
        changed
    }

    fn tell(&mut self, what: impl FnOnce(&mut dyn Inspect, &Snapshot<'_>)) {
        if let Some(watcher) = self.watcher.as_deref_mut() {
            let kernel = Snapshot {
                name: self.name,
                facts: self.context.facts,
                body: &self.builder.body,
            };
            what(watcher, &kernel);
        }
    }
}
