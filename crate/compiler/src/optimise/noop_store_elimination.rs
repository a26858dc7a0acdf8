//! Elimination of stores that nobody can notice: of what was loaded from the same place (the no-op stores of LLVM's
//! `DSE`), and to shared memory that is never read.

use super::alias::Access;
use super::analyses::Analyses;
use crate::hash::HashSet;
use crate::ir::graph::Graph;
use crate::ir::{Bin, Block, Body, Def, Inst, Op, Space, Symbol, Value};
use crate::lower::{KernelParam, SymbolData};

/// Instructions that are looked at between a load and the store of its value.
const MOST_STEPS: usize = 400;

/// True if a store was dropped.
pub(super) fn run(body: &mut Body, analyses: &mut Analyses, params: &[KernelParam]) -> bool {
    let back: Vec<(Block, Inst, Inst)> = stores_back(body);
    if back.is_empty() {
        return false;
    }
    let graph = analyses.graph(body);
    let is_noticed = |(block, load, store): &(Block, Inst, Inst)| {
        graph.is_reached(*block) && !is_unchanged(body, &graph, params, (*block, *load, *store))
    };
    let gone: HashSet<Inst> = (back.iter().filter(|found| !is_noticed(found)))
        .map(|(_, _, store)| *store)
        .collect();
    remove(body, &gone);
    !gone.is_empty()
}

/// Stores of one value to the address that it was loaded from, with the load.
fn stores_back(body: &Body) -> Vec<(Block, Inst, Inst)> {
    let mut found = Vec::new();
    for number in 0..body.blocks.len() {
        let block = Block(number as u32);
        for inst in &body.block(block).insts {
            let data = body.inst(*inst);
            let (Op::Store(to), [address, value]) = (&data.op, &data.args[..]) else {
                continue;
            };
            let Def::Inst(load, _) = body.values[value.0 as usize].1 else {
                continue;
            };
            if let Op::Load(from) = &body.inst(load).op
                && body.inst(load).args[0] == *address
                && (from.ty, from.count, from.space) == (to.ty, 1, to.space)
                && !from.is_volatile
                && !to.is_volatile
            {
                found.push((block, load, *inst));
            }
        }
    }
    found
}

/// Whether nothing writes to the place between a load and a store behind it.
fn is_unchanged(
    body: &Body,
    graph: &Graph,
    params: &[KernelParam],
    (home, load, store): (Block, Inst, Inst),
) -> bool {
    let Op::Store(mem) = body.inst(store).op else {
        return false;
    };
    let place = Access::new(body, mem, body.inst(store).args[0]);
    let writes = |inst: &Inst| {
        let data = body.inst(*inst);
        match &data.op {
            Op::Store(other) => {
                let other = Access::new(body, *other, data.args[0]);
                place.may_overlap(&other, params)
            }
            op if op.may_write() => op.atomic_space().is_none_or(|space| place.shares(space)),
            op => !op.is_pure() && !matches!(op, Op::Load(_) | Op::Intrinsic(_) | Op::Asm(_)),
        }
    };
    let mut steps = 0;
    let mut is_clear = |insts: &[Inst]| {
        steps += insts.len();
        steps <= MOST_STEPS && !insts.iter().any(writes)
    };
    let mut seen: HashSet<Block> = HashSet::default();
    let mut open = vec![(
        home,
        body.block(home)
            .insts
            .iter()
            .position(|inst| *inst == store),
    )];
    while let Some((block, end)) = open.pop() {
        let insts = &body.block(block).insts;
        let insts = &insts[..end.unwrap_or(insts.len())];
        if let Some(at) = insts.iter().position(|inst| *inst == load) {
            if !is_clear(&insts[at + 1..]) {
                return false;
            }
            continue;
        }
        if !is_clear(insts) {
            return false;
        }
        for before in &graph.before[block.0 as usize] {
            if seen.insert(*before) {
                open.push((*before, None));
            }
        }
    }
    true
}

/// Drops what is written to variables in shared memory whose addresses are used for stores alone.
pub(super) fn drop_unread(body: &mut Body, symbols: &[SymbolData]) {
    let of = addresses(body, symbols);
    let Some(of) = of else { return };
    let mut read: HashSet<Symbol> = HashSet::default();
    let mut note = |value: &Value| read.extend(of[value.0 as usize]);
    for inst in insts(body) {
        let data = body.inst(inst);
        match &data.op {
            Op::Store(mem) if !mem.is_volatile => data.args[1..].iter().for_each(&mut note),
            op if keeps_variable(op) => {}
            _ => data.args.iter().for_each(&mut note),
        }
    }
    let is_unread = |inst: &Inst| {
        let data = body.inst(*inst);
        let of = data.args.first().and_then(|to| of[to.0 as usize]);
        matches!(data.op, Op::Store(_)) && of.is_some_and(|of| !read.contains(&of))
    };
    let gone: HashSet<Inst> = insts(body).filter(is_unread).collect();
    remove(body, &gone);
}

/// By value: of which shared variable it is an address; nothing where there is none, or where functions that are called may
/// read them too.
fn addresses(body: &Body, symbols: &[SymbolData]) -> Option<Vec<Option<Symbol>>> {
    let is_shared = |symbol: Symbol| {
        let data = symbols.get(symbol.0 as usize);
        data.is_some_and(|data| {
            data.space == Space::Shared && !data.is_extern && !data.is_handed_over
        })
    };
    let mut of: Vec<Option<Symbol>> = vec![None; body.values.len()];
    let (mut is_any, mut is_other) = (false, true);
    while is_other {
        is_other = false;
        for inst in insts(body) {
            let data = body.inst(inst);
            let found = match &data.op {
                Op::Symbol(symbol) if is_shared(*symbol) => Some(*symbol),
                op if op.calls() => return None,
                op if keeps_variable(op) => data.args.iter().find_map(|arg| of[arg.0 as usize]),
                _ => None,
            };
            if let (Some(found), Some(result)) = (found, data.results.first())
                && of[result.0 as usize].replace(found).is_none()
            {
                (is_any, is_other) = (true, true);
            }
        }
    }
    is_any.then_some(of)
}

fn insts(body: &Body) -> impl Iterator<Item = Inst> + '_ {
    body.blocks
        .iter()
        .flat_map(|block| block.insts.iter().copied())
}

/// Whether an address of a variable stays one of the same variable.
fn keeps_variable(op: &Op) -> bool {
    matches!(
        op,
        Op::Bin(Bin::Add | Bin::Sub) | Op::ToGeneric(_) | Op::FromGeneric(_)
    )
}

fn remove(body: &mut Body, gone: &HashSet<Inst>) {
    if gone.is_empty() {
        return;
    }
    for block in &mut body.blocks {
        block.insts.retain(|inst| !gone.contains(inst));
    }
}
