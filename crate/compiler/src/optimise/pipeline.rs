//! The order of the passes, as data, with its reasons, and what runs it. What each pass is stands in `passes`.

use super::dce;
use super::passes::*;
use crate::ir::build::Builder;

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

/// Runs all passes in their order, until one finds that the kernel has failed.
pub(super) fn run(builder: &mut Builder, context: &mut Context) {
    run_all(ORDER, builder, context);
}

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

fn run_all(steps: &[Step], builder: &mut Builder, context: &mut Context) -> bool {
    let mut changed = false;
    for step in steps {
        changed |= run_step(step, builder, context);
    }
    changed
}

fn run_step(step: &Step, builder: &mut Builder, context: &mut Context) -> bool {
    if context.has_failed {
        return false;
    }
    match step {
        Run(pass) => run_pass(pass, builder, context),
        All(steps) => run_all(steps, builder, context),
        Then(first, steps) => run_step(&Either(first, steps, &[]), builder, context),
        Either(first, steps, others) => {
            let changed = run_step(first, builder, context);
            run_all(if changed { steps } else { others }, builder, context);
            changed
        }
        Where(holds, step) => holds(context) && run_step(step, builder, context),
        Rounds(most, first, once, second) => {
            let mut is_any = false;
            for round in 0..*most {
                let promoted = run_step(first, builder, context);
                if round == 0 {
                    run_step(&Run(once), builder, context);
                }
                let folded = run_step(second, builder, context);
                is_any |= promoted || folded;
                let goes_on = folded || promoted && dce::has_slots(&builder.body);
                if context.has_failed || !goes_on {
                    break;
                }
            }
            is_any
        }
    }
}

fn run_pass(pass: &'static Pass, builder: &mut Builder, context: &mut Context) -> bool {
    match &pass.run {
        super::passes::Run::Always(run) => {
            run(builder, context);
            false
        }
        super::passes::Run::Tells(run) => run(builder, context),
    }
}
