//! Partial redundancy elimination of loads: drops loads of what is known on every way to them, and loads on the one way
//! on which it is not, as in LLVM's `GVN`. Arithmetic is left to `gvn`.

use super::alias::Access;
use super::analyses::Analyses;
use super::scalar_promotion::put_between;
use crate::hash::{HashMap, HashSet};
use crate::ir::build::Builder;
use crate::ir::graph::Graph;
use crate::ir::{Block, Body, Cache, Inst, Mem, Op, Slot, SlotData, Space, Term, Ty, Value};
use crate::lower::KernelParam;

/// Accesses that are looked at before a load, in one block and in all.
const MOST_STEPS: usize = 400;

/// Loads that are dropped in one kernel.
const MOST_LOADS: usize = 200;

/// True if a load was dropped: what it loads is a local object now.
pub(super) fn run(builder: &mut Builder, analyses: &mut Analyses, params: &[KernelParam]) -> bool {
    let body = &mut builder.body;
    let mut graph = analyses.graph(body);
    let mut changed = 0;
    let candidates = candidates(body, &graph);
    let stores = match candidates.is_empty() {
        true => HashMap::default(),
        false => stores(body, &graph),
    };
    for (block, load) in candidates {
        let data = body.inst(load);
        let Op::Load(mem) = data.op else { continue };
        let search = Search {
            body,
            graph: &graph,
            params,
            load,
            stores: &stores,
            access: Access::new(body, mem, data.args[0]),
        };
        let Some(found) = search.all(block) else {
            continue;
        };
        let is_split = found.missing.is_some();
        keep(body, load, block, &found);
        if is_split {
            analyses.graph_changed();
            graph = analyses.graph(body);
        }
        changed += 1;
        if changed >= MOST_LOADS {
            break;
        }
    }
    changed > 0
}

fn stores(body: &Body, graph: &Graph) -> HashMap<Inst, Access> {
    let insts = graph
        .order
        .iter()
        .flat_map(|block| &body.block(*block).insts);
    let access = |inst: &Inst| {
        let data = body.inst(*inst);
        match &data.op {
            Op::Store(mem) => Some((*inst, Access::new(body, *mem, data.args[0]))),
            _ => None,
        }
    };
    insts.filter_map(access).collect()
}

/// Plain loads from addresses that something else in the kernel accesses too.
fn candidates(body: &Body, graph: &Graph) -> Vec<(Block, Inst)> {
    let mut count: HashMap<Value, usize> = HashMap::default();
    let mut loads = Vec::new();
    for block in &graph.order {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            let (Op::Load(mem) | Op::Store(mem)) = &data.op else {
                continue;
            };
            if !is_plain(mem) {
                continue;
            }
            *count.entry(data.args[0]).or_default() += 1;
            if matches!(data.op, Op::Load(_)) && !graph.before[block.0 as usize].is_empty() {
                loads.push((*block, *inst));
            }
        }
    }
    loads.retain(|(_, inst)| count[&body.inst(*inst).args[0]] > 1);
    loads
}

fn is_plain(mem: &Mem) -> bool {
    let is_data = !matches!(mem.space, Space::Param | Space::Constant);
    is_data && mem.count == 1 && !mem.is_volatile && !mem.is_constant && mem.cache == Cache::Any
}

/// Where the value of a load is known from, and the block at whose end it is not, if there is one.
struct Found {
    from: Vec<Inst>,
    missing: Option<Block>,
}

struct Search<'a> {
    body: &'a Body,
    graph: &'a Graph,
    params: &'a [KernelParam],
    load: Inst,
    stores: &'a HashMap<Inst, Access>,
    access: Access,
}

/// What an instruction says of the value.
enum Word {
    Nothing,
    Known,
    Changed,
}

impl Search<'_> {
    fn all(&self, block: Block) -> Option<Found> {
        let insts = &self.body.block(block).insts;
        let end = insts.iter().position(|inst| *inst == self.load)?;
        let says_nothing = |inst: &Inst| matches!(self.word(*inst), Word::Nothing);
        if end > MOST_STEPS || !insts[..end].iter().all(says_nothing) {
            return None;
        }
        let (mut from, mut missing) = (Vec::new(), None);
        for before in &self.graph.before[block.0 as usize] {
            match self.known_at_end(*before) {
                Some(known) => from.extend(known),
                None if missing.is_none() => missing = Some(*before),
                None => return None,
            }
        }
        from.sort_unstable();
        from.dedup();
        // Where one way leads here, it may lead elsewhere as well, where nobody wants the value.
        let is_one = self.graph.before[block.0 as usize].len() == 1;
        if from.is_empty() || (is_one && missing.is_some()) {
            return None;
        }
        // NVIDIA's compiler leaves what a loop begins with to load from an object of the thread's own where it is.
        let is_back = |from: Block| self.graph.dominates(block, from);
        if self.access.mem.space == Space::Local && missing.is_some_and(is_back) {
            return None;
        }
        Some(Found { from, missing })
    }

    /// What makes the value known on all ways to a block's end; none if one way does not.
    fn known_at_end(&self, block: Block) -> Option<Vec<Inst>> {
        let (mut from, mut steps) = (Vec::new(), 0);
        let mut seen: HashSet<Block> = HashSet::default();
        let mut open = vec![block];
        'blocks: while let Some(block) = open.pop() {
            if !seen.insert(block) {
                continue;
            }
            for inst in self.body.block(block).insts.iter().rev() {
                steps += 1;
                match self.word(*inst) {
                    Word::Nothing => {}
                    Word::Known => {
                        if *inst != self.load {
                            from.push(*inst);
                        }
                        continue 'blocks;
                    }
                    Word::Changed => return None,
                }
            }
            let before = &self.graph.before[block.0 as usize];
            if before.is_empty() || steps > MOST_STEPS {
                return None;
            }
            open.extend(before);
        }
        Some(from)
    }

    fn word(&self, inst: Inst) -> Word {
        if inst == self.load {
            return Word::Known;
        }
        let data = self.body.inst(inst);
        let wanted = self.body.inst(self.load).args[0];
        // Before its address is computed, in a loop once more, nothing is known of it.
        if data.results.contains(&wanted) {
            return Word::Changed;
        }
        let is_same =
            |mem: &Mem| data.args[0] == wanted && is_plain(mem) && mem.ty == self.access.mem.ty;
        match &data.op {
            Op::Load(mem) if mem.is_volatile => Word::Changed,
            Op::Load(mem) | Op::Store(mem) if is_same(mem) => Word::Known,
            Op::Store(mem) => {
                // A store that is not known was made here, to a local object of a value that is known.
                let may_overlap = (self.stores.get(&inst))
                    .is_some_and(|store| store.may_overlap(&self.access, self.params));
                match mem.is_volatile || may_overlap {
                    true => Word::Changed,
                    false => Word::Nothing,
                }
            }
            op if op.may_write() => match op.atomic_space() {
                Some(space)
                    if space != self.access.mem.space
                        && self.access.mem.space != Space::Generic =>
                {
                    Word::Nothing
                }
                _ => Word::Changed,
            },
            _ => Word::Nothing,
        }
    }
}

/// Makes a local object of what is known, and reads that instead.
fn keep(body: &mut Body, load: Inst, block: Block, found: &Found) {
    let data = body.inst(load).clone();
    let Op::Load(mem) = data.op else { return };
    let address = data.args[0];
    body.slots.push(SlotData {
        size: mem.ty.bytes(),
        align: mem.ty.bytes(),
    });
    let made = body.make(
        Op::Slot(Slot(body.slots.len() as u32 - 1)),
        &[Ty::B64],
        [],
        data.loc,
    );
    body.blocks[0].insts.insert(0, made);
    let place = body.inst(made).results[0];
    let local = Mem {
        space: Space::Local,
        ..mem
    };
    for inst in &found.from {
        let known = body.inst(*inst);
        let value = match known.op {
            Op::Load(_) => known.results[0],
            _ => known.args[1],
        };
        let loc = known.loc;
        let store = body.make(Op::Store(local), &[], [place, value], loc);
        put_behind(body, *inst, store);
    }
    if let Some(from) = found.missing {
        let again = body.make(Op::Load(mem), &[mem.ty.ty()], [address], data.loc);
        let value = body.inst(again).results[0];
        let store = body.make(Op::Store(local), &[], [place, value], data.loc);
        match body.block(from).term {
            Term::Jump(_) => body.blocks[from.0 as usize].insts.extend([again, store]),
            _ => put_between(body, from, block, [again, store]),
        }
    }
    let data = &mut body.insts[load.0 as usize];
    data.op = Op::Load(local);
    data.args = [place].into();
}

fn put_behind(body: &mut Body, inst: Inst, new: Inst) {
    for block in &mut body.blocks {
        if let Some(at) = block.insts.iter().position(|other| *other == inst) {
            block.insts.insert(at + 1, new);
            return;
        }
    }
}
