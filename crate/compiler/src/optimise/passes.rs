//! The table of passes: the name of each, what it does, what must have run before, and what it keeps. In which order they run
//! stands in `pipeline`; what they do stands in the file of their name.

use super::analyses::Analyses;
use super::if_convert::Ways;
use super::licm::When;
use super::loop_load_elimination::Stage;
use super::operand_rank::Ranks;
use super::sink::BeforeLoops;
use super::unroll_full::Loops;
use super::*;
use crate::hash::HashSet;
use crate::ir::build::Builder;
use crate::ir::{Block, Value};
use crate::snapshot::Facts;

/// What passes know of the kernel besides its body, and what they tell those behind them.
pub(super) struct Context<'a> {
    pub(super) facts: Facts<'a>,
    pub(super) analyses: Analyses,
    /// Whether an object stays in memory that was relied on to become a register: the kernel must be lowered again.
    pub(super) has_failed: bool,
    /// Whether a loop was unrolled while objects became registers: what was around it counts as a loop around a loop.
    pub(super) has_inner: bool,
    /// Whether a loop was split.
    pub(super) is_split: bool,
    /// Where the loops begin that run what unrolling left over.
    pub(super) rests: Vec<Block>,
    /// The ranks of values before arithmetic moved past joins, where some did.
    pub(super) ranks: Option<Ranks>,
    /// What lies between addresses of which one now comes from the other.
    pub(super) between: HashSet<Value>,
}

impl<'a> Context<'a> {
    pub(super) fn new(facts: Facts<'a>) -> Self {
        Self {
            facts,
            analyses: Analyses::default(),
            has_failed: false,
            has_inner: false,
            is_split: false,
            rests: Vec::new(),
            ranks: None,
            between: HashSet::default(),
        }
    }
}

/// What a pass leaves as it was, whatever it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// The control-flow graph: blocks, and how control goes from one to another.
    Graph,
    Nothing,
}

/// How a pass is run.
pub(super) enum Run {
    /// It does not say whether it changed something.
    Always(fn(&mut Builder, &mut Context)),
    /// It says whether it changed something.
    Tells(fn(&mut Builder, &mut Context) -> bool),
}

/// A pass.
pub(crate) struct Pass {
    /// As its file, with what sets it apart from others of the file.
    pub(crate) name: &'static str,
    /// What it does, in a line.
    pub(crate) does: &'static str,
    /// Passes that run before it: without them it is right, but finds less.
    pub(crate) needs: &'static [&'static str],
    pub(crate) keeps: Keeps,
    pub(super) run: Run,
}

impl Pass {
    /// Runs it. Whether it says that it changed something.
    pub(super) fn run(&self, builder: &mut Builder, context: &mut Context) -> bool {
        let changed = match &self.run {
            Run::Always(run) => {
                run(builder, context);
                false
            }
            Run::Tells(run) => run(builder, context),
        };
        if self.keeps == Keeps::Nothing {
            context.analyses.graph_changed();
        }
        changed
    }
}

/// Writes the table: a constant for each pass, and the list of all.
macro_rules! passes {
    ($($constant:ident = $name:literal, $keeps:ident, needs $needs:expr, $does:literal, $kind:ident($run:expr);)*) => {
        $(pub(super) static $constant: Pass = Pass {
            name: $name,
            does: $does,
            needs: &$needs,
            keeps: Keeps::$keeps,
            run: Run::$kind($run),
        };)*

        /// All passes, in the order of the table.
        pub(crate) static ALL: &[&Pass] = &[$(&$constant),*];
    };
}

#[rustfmt::skip]
passes! {
    // The graph, and what is dead.
    SIMPLIFY_CFG = "simplify_cfg", Nothing, needs [], "drops blocks that are not reached and joins blocks that follow each other",
        Always(|b, c| simplify_cfg::run(&mut b.body, &mut c.analyses, false));
    SIMPLIFY_CFG_ALL = "simplify_cfg_all", Nothing, needs [], "the same, and skips blocks that only lead on",
        Always(|b, c| simplify_cfg::run(&mut b.body, &mut c.analyses, true));
    DCE = "dce", Graph, needs [], "drops instructions without effect whose results are not used",
        Always(|b, c| dce::run(&mut b.body, &mut c.analyses));
    COMPACT = "compact", Nothing, needs [], "numbers blocks, instructions and values anew",
        Always(|b, c| compact::run(&mut b.body, &mut c.analyses));

    // Memory to registers.
    MEM2REG = "mem2reg", Graph, needs [], "makes values of local objects that are accessed at known places only",
        Tells(|b, c| mem2reg::run(b, &mut c.analyses).unwrap_or_else(|| { c.has_failed = true; false }));
    SETTLE_SLOTS = "settle_slots", Graph, needs ["mem2reg"], "ends promotion: gives up where an object was relied on that stays in memory",
        Always(settle_slots);
    SIMPLIFY = "simplify", Nothing, needs [], "folds each instruction again",
        Tells(|b, c| simplify::run(b, &mut c.analyses, c.facts.symbols));
    INFER_ADDRESS_SPACES = "infer_address_spaces", Graph, needs ["mem2reg"], "names the space of each access whose address tells it",
        Tells(|b, c| infer_address_spaces::run(&mut b.body, &mut c.analyses));
    MARK_CONSTANT_LOADS = "mark_constant_loads", Graph, needs ["infer_address_spaces"], "marks loads of what nobody writes while the kernel runs",
        Always(|b, c| gvn::mark_constant_loads(&mut b.body, &mut c.analyses, c.facts.params, c.facts.symbols));

    // What is computed, loaded or stored for nothing.
    GVN = "gvn", Graph, needs ["infer_address_spaces"], "drops what is computed twice and loads of what is known",
        Always(|b, c| gvn::run(&mut b.body, &mut c.analyses, c.facts.params));
    GVN_FIRST = "gvn_first", Graph, needs ["infer_address_spaces"], "the same, and marks what takes in loads far from the first of their place",
        Always(|b, c| gvn::number_first(&mut b.body, &mut c.analyses, c.facts.params));
    GVN_ARITHMETIC = "gvn_arithmetic", Graph, needs [], "the same without loads",
        Always(|b, c| gvn::number_arithmetic(&mut b.body, &mut c.analyses));
    LOAD_PRE = "load_pre", Nothing, needs ["gvn_first"], "drops loads of what is known on all ways to them but one, on which it loads",
        Tells(|b, c| load_pre::run(b, &mut c.analyses, c.facts.params));
    LOOP_LOAD_ELIMINATION = "loop_load_elimination", Graph, needs ["licm"], "drops loads of what a loop's iteration before loaded",
        Always(|b, c| { loop_load_elimination::run(b, &mut c.analyses, c.facts.params, Stage::Before); });
    LOOP_LOAD_ELIMINATION_UNROLLED = "loop_load_elimination_unrolled", Nothing, needs ["licm"], "the same, and loads before the loop what its first iteration needs",
        Always(|b, c| { loop_load_elimination::run(b, &mut c.analyses, c.facts.params, Stage::Behind(&c.rests)); });
    NOOP_STORE_ELIMINATION = "noop_store_elimination", Graph, needs ["infer_address_spaces"], "drops stores of what was loaded from there",
        Always(|b, c| { noop_store_elimination::run(&mut b.body, &mut c.analyses, c.facts.params); });
    DROP_UNREAD_SHARED = "drop_unread_shared", Graph, needs ["infer_address_spaces"], "drops stores to shared memory that is never read",
        Always(|b, c| noop_store_elimination::drop_unread(&mut b.body, c.facts.symbols));
    DEAD_STORE_ELIMINATION = "dead_store_elimination", Graph, needs ["infer_address_spaces"], "drops stores that are overwritten before anybody reads them",
        Always(|b, _| dead_store_elimination::run(&mut b.body));
    DEMANDED_BITS = "demanded_bits", Graph, needs ["gvn"], "drops from a sum what a mask takes away",
        Tells(|b, _| demanded_bits::run(&mut b.body));

    // Branches.
    IF_CONVERT = "if_convert", Nothing, needs [], "runs both short ways behind a branch and chooses between their values",
        Tells(|b, c| if_convert::run(&mut b.body, &mut c.analyses, Ways::All));
    IF_CONVERT_CONDITIONS = "if_convert_conditions", Nothing, needs [], "the same of ways that ask for a part of a condition",
        Always(|b, c| { if_convert::run(&mut b.body, &mut c.analyses, Ways::Conditions); });
    JUMP_THREADING = "jump_threading", Nothing, needs ["gvn_first"], "leads past blocks that ask what a branch before them answered",
        Always(|b, c| jump_threading::run(b, &mut c.analyses));
    FOLD_EXITS = "fold_exits", Nothing, needs [], "makes one of two ways out of a loop to one place",
        Always(|b, c| fold_exits::run(&mut b.body, &mut c.analyses));
    HOIST_COMMON_BEGINNINGS = "hoist_common_beginnings", Graph, needs [], "moves what both ways begin with, stores too, before the branch",
        Always(|b, c| hoist_common::beginnings(&mut b.body, &mut c.analyses));
    HOIST_COMMON = "hoist_common", Graph, needs [], "computes before a branch what both ways compute",
        Always(|b, c| hoist_common::run(&mut b.body, &mut c.analyses));
    SINK_COMMON = "sink_common", Graph, needs ["infer_address_spaces"], "makes one store or load of those with which all ways to a block end",
        Always(|b, c| sink_common::run(&mut b.body, &mut c.analyses));
    SINK = "sink", Graph, needs [], "moves what one way needs behind the branch",
        Always(|b, c| sink::run(&mut b.body, &mut c.analyses, BeforeLoops::Move));
    SINK_IN_LOOPS = "sink_in_loops", Graph, needs [], "the same, but what stands before a loop stays",
        Always(|b, c| sink::run(&mut b.body, &mut c.analyses, BeforeLoops::Stay));
    SINK_PAST_JOIN = "sink_past_join", Graph, needs ["gvn"], "moves products to the block behind a branch where they are needed",
        Tells(|b, c| { c.ranks = sink_past_join::run(&mut b.body, &mut c.analyses); c.ranks.is_some() });
    PUSH_INTO_PREDECESSOR = "push_into_predecessor", Nothing, needs [], "computes with a phi's argument on the way that brings it",
        Always(|b, c| { push_into_predecessor::run(&mut b.body, &mut c.analyses, c.is_split); });

    // Loops.
    LICM = "licm", Graph, needs ["gvn"], "moves what is the same in all iterations before the loop, and orders the sides of sums",
        Always(|b, c| licm::run(&mut b.body, &mut c.analyses, c.facts.params, When::Before));
    LICM_UNROLLED = "licm_unrolled", Graph, needs ["gvn"], "the same without the order, once loops are unrolled",
        Always(|b, c| licm::run(&mut b.body, &mut c.analyses, c.facts.params, When::Behind));
    LICM_ASM = "licm_asm", Graph, needs ["gvn"], "the same of the source's own PTX",
        Always(|b, c| licm::hoist_asm(&mut b.body, &mut c.analyses));
    SCALAR_PROMOTION = "scalar_promotion", Nothing, needs ["licm"], "keeps in a local object what a loop loads and stores at one place",
        Tells(|b, c| scalar_promotion::run(b, &mut c.analyses, c.facts.params));
    INDEX_SET_SPLIT = "index_set_split", Nothing, needs ["licm"], "splits a loop at the iteration that does something else",
        Always(|b, c| c.is_split = index_set_split::run(&mut b.body, &mut c.analyses));
    UNROLL_FULL_OBJECTS = "unroll_full_objects", Nothing, needs ["mem2reg"], "unrolls loops over constants that count elements of local objects, and others that are plain",
        Tells(|b, c| { let changed = unroll_full::run(&mut b.body, &mut c.analyses, Loops::First); c.has_inner |= changed; changed });
    UNROLL_FULL = "unroll_full", Nothing, needs ["licm"], "unrolls loops over constants",
        Tells(|b, c| unroll_full::run(&mut b.body, &mut c.analyses, Loops::All));
    UNROLL_PARTIAL = "unroll_partial", Nothing, needs ["licm"], "runs some iterations at a time of loops over constants",
        Tells(|b, c| unroll_partial::run(&mut b.body, &mut c.analyses));
    UNROLL_RUNTIME = "unroll_runtime", Nothing, needs ["licm"], "runs some iterations at a time of loops of any length",
        Tells(|b, c| match unroll_runtime::run(&mut b.body, &mut c.analyses, c.facts.max_threads) {
            Some(rests) => { c.rests = rests; true }
            None => false,
        });

    // Arithmetic and addresses, as the machine takes them.
    VECTORISE_ACCESSES = "vectorise_accesses", Graph, needs ["gvn"], "makes one access of accesses to neighbouring places",
        Always(|b, c| vectorise_accesses::run(&mut b.body, c.facts.symbols, c.facts.params));
    SEPARATE_CONSTANT_OFFSETS = "separate_constant_offsets", Graph, needs ["gvn"], "computes once what addresses have in common",
        Always(|b, c| separate_constant_offsets::run(&mut b.body, &mut c.analyses));
    REASSOCIATE = "reassociate", Graph, needs ["separate_constant_offsets"], "adds up once what several blocks add",
        Tells(|b, c| reassociate::run(&mut b.body, &mut c.analyses));
    DIV_REM_PAIRS = "div_rem_pairs", Graph, needs ["gvn"], "takes a remainder from the quotient that is there",
        Always(|b, c| div_rem_pairs::run(&mut b.body, &mut c.analyses));
    DIVIDE_BY_CONSTANT = "divide_by_constant", Graph, needs ["div_rem_pairs"], "divides by constants with products and shifts",
        Always(|b, _| divide_by_constant::run(&mut b.body));
    NARROW_DIVISION = "narrow_division", Nothing, needs ["divide_by_constant"], "divides 64 bits by 32 where both numbers fit",
        Always(|b, _| narrow_division::run(&mut b.body));
    STRENGTH_REDUCE_PRODUCTS = "strength_reduce_products", Graph, needs [], "makes a product from that with the next factor",
        Always(|b, c| strength_reduce_products::run(&mut b.body, &mut c.analyses));
    CONTRACT_FMA = "contract_fma", Graph, needs ["sink_past_join"], "makes one operation of a product and a sum",
        Always(|b, c| contract_fma::run(&mut b.body, &mut c.analyses, c.ranks.take()));
    STRAIGHT_LINE_STRENGTH_REDUCE = "straight_line_strength_reduce", Graph, needs ["separate_constant_offsets"], "goes from address to address by what lies between them",
        Always(|b, c| c.between = straight_line_strength_reduce::run(&mut b.body, &mut c.analyses));
    SINK_ADDRESS_SCALE = "sink_address_scale", Graph, needs ["straight_line_strength_reduce"], "scales an index in each block that needs it",
        Always(|b, c| sink_address_scale::run(&mut b.body, &mut c.analyses, &c.between));
    NARROW_REGISTERS = "narrow_registers", Nothing, needs [], "keeps 16 bits in registers of 16 bits",
        Always(|b, c| narrow_registers::run(b, &mut c.analyses));
    REMATERIALISE = "rematerialise", Graph, needs ["licm"], "computes again in a loop what would take too many registers",
        Tells(|b, c| rematerialise::run(&mut b.body, &mut c.analyses, c.facts.registers));
}

/// No object is made a register by lowering's word alone: where one stays that was relied on, the kernel has failed.
fn settle_slots(builder: &mut Builder, context: &mut Context) {
    let body = &mut builder.body;
    context.has_failed |= !body.relied_on.is_empty();
    if !dce::has_slots(body) {
        body.slots.clear();
    }
}
