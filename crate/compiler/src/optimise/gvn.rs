//! Global value numbering over the dominator tree: removes what is computed twice, and loads of what is in a register
//! already. Expressions are found by a hash of their operation and arguments (Briggs, Cooper and Simpson, 1997); no
//! partial redundancies, which are left to `load_pre`.

use super::address::{Address, Root, address, root};
use super::alias::Access;
use super::analyses::Analyses;
use super::distances::Distances;
use super::rewrite::Replaced;
use crate::hash::{HashMap, HashSet, Numbers};
use crate::ir::fold::is_commutative;
use crate::ir::graph::Graph;
use crate::ir::{
    Block, Body, Cache, Effect, Inst, Instruction, Mem, MemTy, Op, Origin, Space, Term, Ty, Value,
    Values,
};
use crate::lower::{KernelParam, SymbolData};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Loads through `__restrict__` pointers that nothing is written through, and of constants, need no order with anything.
pub(super) fn mark_constant_loads(
    body: &mut Body,
    analyses: &mut Analyses,
    params: &[KernelParam],
    symbols: &[SymbolData],
) {
    let graph = analyses.graph(body);
    let written = written_params(body, &graph, params);
    for block in &graph.order {
        for at in 0..body.block(*block).insts.len() {
            let inst = body.block(*block).insts[at];
            let data = body.inst(inst);
            let Op::Load(mem) = &data.op else { continue };
            if mem.space != Space::Global
                || mem.is_volatile
                || mem.cache != Cache::Any
                || mem.is_constant
            {
                continue;
            }
            let is_constant = match root(body, data.args[0]) {
                Root::Param(number) => {
                    let param = params.get(number as usize);
                    param.is_some_and(|param| param.is_restrict) && !written.contains(&number)
                }
                Root::Symbol(symbol) => symbols[symbol.0 as usize].is_constexpr,
                _ => false,
            };
            if is_constant {
                let mem = Mem {
                    is_constant,
                    ..*mem
                };
                body.insts[inst.0 as usize].op = Op::Load(mem);
            }
        }
    }
}

/// Pointers through which something may be written, or that go where we cannot follow them.
fn written_params(body: &Body, graph: &Graph, params: &[KernelParam]) -> HashSet<u32> {
    let mut written = HashSet::default();
    for block in &graph.order {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            let suspects: &[Value] = match &data.op {
                Op::Store(_) | Op::Intrinsic(_) | Op::Asm(_) => &data.args,
                _ => continue,
            };
            for arg in suspects {
                if body.ty(*arg) != Ty::B64 {
                    continue;
                }
                match root(body, *arg) {
                    Root::Param(number) => {
                        written.insert(number);
                    }
                    Root::Unknown if matches!(data.op, Op::Store(mem) if mem.space == Space::Generic) =>
                    {
                        written.extend(0..params.len() as u32);
                    }
                    _ => {}
                }
            }
        }
    }
    written
}

/// What is known to lie behind an address, by distance, width and type: the values, and the access that made them known.
type KnownMemory = BTreeMap<(i64, u8, MemTy), (Values, Access)>;

/// The most bytes of an access.
const WIDEST: i64 = 32;

/// What is known to lie in memory, by space and by the start of addresses. What blocks below take over they share.
#[derive(Debug, Clone, Default)]
struct Known(HashMap<(Space, Value), Rc<KnownMemory>>);

impl Known {
    fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps what is known of the spaces for which it is asked.
    fn retain_spaces(&mut self, keep: impl Fn(Space) -> bool) {
        self.0.retain(|(space, _), _| keep(*space));
    }

    /// Forgets what any of these changes may touch.
    fn forget_changed(&mut self, changes: &[Change], params: &[KernelParam]) {
        let keep = |access: &Access| {
            !changes
                .iter()
                .any(|change| change.may_touch(access, params))
        };
        self.0.retain(|_, held| {
            if !held.values().all(|(_, access)| keep(access)) {
                Rc::make_mut(held).retain(|_, (_, access)| keep(access));
            }
            !held.is_empty()
        });
    }

    fn get(&self, mem: &Mem, at: Address) -> Option<&Values> {
        let held = self.0.get(&(mem.space, at.base))?;
        let (values, _) = held.get(&(at.offset, mem.count, mem.ty))?;
        Some(values)
    }

    fn insert(&mut self, access: Access, values: Values) {
        let (mem, at) = (access.mem, access.at);
        let held = self.0.entry((mem.space, at.base)).or_default();
        Rc::make_mut(held).insert((at.offset, mem.count, mem.ty), (values, access));
    }
}

/// Which loads are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loads {
    None,
    All,
    /// Those too, and what takes in one that was far from the first of its place is marked.
    Marked,
}

/// For the first time, when all loads of the source are there.
pub(super) fn number_first(body: &mut Body, analyses: &mut Analyses, params: &[KernelParam]) {
    number_some(body, analyses, params, Loads::Marked);
}

pub(super) fn run(body: &mut Body, analyses: &mut Analyses, params: &[KernelParam]) {
    number_some(body, analyses, params, Loads::All);
}

/// The same, but loads stay as they are.
pub(super) fn number_arithmetic(body: &mut Body, analyses: &mut Analyses) {
    number_some(body, analyses, &[], Loads::None);
}

fn number_some(body: &mut Body, analyses: &mut Analyses, params: &[KernelParam], loads: Loads) {
    let graph = analyses.graph(body);
    // By block: the last of those right below it, and the one before it of those that are right below the same.
    let mut last_below: Vec<Option<Block>> = vec![None; body.blocks.len()];
    let mut beside = last_below.clone();
    for block in &graph.order {
        if let Some(above) = graph.dominator(*block) {
            beside[block.0 as usize] = last_below[above.0 as usize].replace(*block);
        }
    }
    let count = graph
        .order
        .iter()
        .map(|block| body.block(*block).insts.len());
    let mut numbering = Numbering {
        found: Found::new(count.sum()),
        replaced: Replaced::new(body),
        params,
        loads,
        distances: Distances::default(),
    };
    // Blocks below each other, without recursion: each with what was known when it was entered.
    enum Step {
        Enter(Block, Known),
        Leave(usize),
    }
    let mut steps = vec![Step::Enter(Block(0), Known::default())];
    while let Some(step) = steps.pop() {
        match step {
            Step::Leave(mark) => numbering.found.forget(mark),
            Step::Enter(block, mut known) => {
                let mark = numbering.found.order.len();
                numbering.block(body, block, &mut known);
                steps.push(Step::Leave(mark));
                let mut below = last_below[block.0 as usize];
                while let Some(child) = below {
                    below = beside[child.0 as usize];
                    let is_only = graph.before[child.0 as usize].len() == 1;
                    let mut inherited = known.clone();
                    if !is_only && !inherited.0.is_empty() {
                        match changed_between(body, &graph, block, child) {
                            Some(changes) => inherited.forget_changed(&changes, params),
                            None => inherited.clear(),
                        }
                    }
                    steps.push(Step::Enter(child, inherited));
                }
            }
        }
    }
    let replaced = numbering.replaced;
    replaced.apply(body);
}

/// Blocks that are looked at between two others.
const MOST_BETWEEN: usize = 64;

/// Changes between two blocks beyond which nothing is known any more.
const MOST_CHANGES: usize = 128;

/// What changes memory: a store, or an atomic access to a space.
enum Change {
    Store(Access),
    Space(Space),
}

impl Change {
    fn may_touch(&self, known: &Access, params: &[KernelParam]) -> bool {
        match self {
            Change::Store(store) => store.may_overlap(known, params),
            Change::Space(space) => *space == known.mem.space || known.mem.space == Space::Generic,
        }
    }
}

/// What any way from a block to one that it dominates may change, ways round a loop too; none where it may be all.
fn changed_between(body: &Body, graph: &Graph, from: Block, to: Block) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    let mut seen: Vec<Block> = Vec::new();
    let mut waiting: Vec<Block> = graph.before[to.0 as usize].to_vec();
    while let Some(block) = waiting.pop() {
        if block == from || seen.contains(&block) {
            continue;
        }
        if seen.len() >= MOST_BETWEEN {
            return None;
        }
        for inst in &body.block(block).insts {
            let data = body.inst(*inst);
            match &data.op {
                Op::Store(mem) => {
                    changes.push(Change::Store(Access::new(body, *mem, data.args[0])))
                }
                Op::Load(mem) if mem.is_volatile => return None,
                op if op.may_write() => changes.push(Change::Space(op.atomic_space()?)),
                _ => {}
            }
            if changes.len() > MOST_CHANGES {
                return None;
            }
        }
        seen.push(block);
        waiting.extend(&graph.before[block.0 as usize]);
    }
    Some(changes)
}

/// The instructions that computed something first.
struct Found {
    /// By the hash of what they compute, or at the next place that is free, with a part of the hash that tells most from
    /// each other. There are twice as many places as are needed.
    places: Vec<Option<(u32, Inst)>>,
    /// The places that were taken, the last at the end.
    order: Vec<usize>,
}

impl Found {
    /// Room for so many.
    fn new(count: usize) -> Self {
        Self {
            places: vec![None; (2 * count + 1).next_power_of_two()],
            order: Vec::with_capacity(count),
        }
    }

    fn place_of(&self, hash: u64) -> usize {
        hash as usize & (self.places.len() - 1)
    }

    fn next(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }

    fn put(&mut self, place: usize, hash: u64, inst: Inst) {
        self.places[place] = Some((hash as u32, inst));
        self.order.push(place);
    }

    /// Forgets all but the first so many. What was found last goes first, so that no place before another becomes free.
    fn forget(&mut self, mark: usize) {
        for place in self.order.drain(mark..) {
            self.places[place] = None;
        }
    }
}

struct Numbering<'a> {
    found: Found,
    replaced: Replaced,
    params: &'a [KernelParam],
    loads: Loads,
    distances: Distances,
}

impl Numbering<'_> {
    fn block(&mut self, body: &mut Body, block: Block, known: &mut Known) {
        let insts = std::mem::take(&mut body.blocks[block.0 as usize].insts);
        let mut kept = Vec::with_capacity(insts.len());
        self.distances.enter();
        for inst in insts {
            if self.loads == Loads::Marked {
                let data = &mut body.insts[inst.0 as usize];
                data.rereads |= self.distances.has_far(&data.args);
            }
            for arg in &mut body.insts[inst.0 as usize].args {
                *arg = self.replaced.get(*arg);
            }
            let is_known = self.is_known(body, inst, known);
            if self.loads == Loads::Marked {
                self.distances.pass(body, inst, is_known, &self.replaced);
            }
            if !is_known {
                kept.push(inst);
            }
        }
        body.blocks[block.0 as usize].insts = kept;
        if let Term::Branch(condition, ..) = &mut body.blocks[block.0 as usize].term {
            *condition = self.replaced.get(*condition);
        }
    }

    /// Whether an instruction gives nothing new; what memory holds is kept up to date.
    fn is_known(&mut self, body: &Body, inst: crate::ir::Inst, known: &mut Known) -> bool {
        let data = body.inst(inst);
        match &data.op {
            Op::Phi(_) => false,
            Op::Load(_) | Op::Store(_) if self.loads == Loads::None => false,
            Op::Load(mem) if mem.is_volatile => {
                known.clear();
                false
            }
            Op::Load(mem)
                if !mem.is_constant
                    && mem.space != Space::Param
                    && mem.space != Space::Constant =>
            {
                if mem.cache != Cache::Any {
                    return false;
                }
                let from = address(body, data.args[0]);
                if let Some(values) = known.get(mem, from) {
                    for (result, value) in data.results.iter().zip(values) {
                        self.replaced.set(*result, *value);
                    }
                    return true;
                }
                let access = Access::new(body, *mem, data.args[0]);
                known.insert(access, data.results.clone());
                false
            }
            Op::Store(mem) => {
                let access = Access::new(body, *mem, data.args[0]);
                self.invalidate(known, &access);
                if mem.is_volatile {
                    known.clear();
                } else if mem.cache == Cache::Any {
                    known.insert(access, Values::from(&data.args[1..]));
                }
                false
            }
            op if op.may_write() => {
                match op.atomic_space() {
                    Some(space) => {
                        known.retain_spaces(|other| other != space && other != Space::Generic);
                    }
                    None => known.clear(),
                }
                false
            }
            // LLVM does not ask whether two pieces of `asm` are the same.
            op if op.is_asm() || op.effect() == Effect::Volatile => false,
            _ => {
                let Some(first) = data.results.first() else {
                    return false;
                };
                let ty = body.ty(*first);
                let hash = hash_of(data, ty);
                let mut place = self.found.place_of(hash);
                while let Some((part, other)) = self.found.places[place] {
                    let other = body.inst(other);
                    if part == hash as u32
                        && computes_same(other, data)
                        && body.ty(other.results[0]) == ty
                    {
                        for (result, value) in data.results.iter().zip(&other.results) {
                            self.replaced.set(*result, *value);
                        }
                        return true;
                    }
                    place = self.found.next(place);
                }
                self.found.put(place, hash, inst);
                false
            }
        }
    }

    fn invalidate(&self, known: &mut Known, store: &Access) {
        let (mem, at) = (store.mem, store.at);
        let bytes = (mem.ty.bytes() * u64::from(mem.count)) as i64;
        known.0.retain(|(space, base), held| {
            if !store.shares(*space) {
                return true;
            }
            if *base != at.base {
                let keep = |(_, access): &(Values, Access)| !store.may_overlap(access, self.params);
                if !held.values().all(keep) {
                    Rc::make_mut(held).retain(|_, held| keep(held));
                }
                return !held.is_empty();
            }
            let near = (at.offset.saturating_sub(WIDEST), 0, MemTy::U8)
                ..(at.offset.saturating_add(bytes), 0, MemTy::U8);
            let is_changed = |(key, _): &(&(i64, u8, MemTy), &(Values, Access))| {
                key.0 + (key.2.bytes() * u64::from(key.1)) as i64 > at.offset
            };
            let changed: Vec<(i64, u8, MemTy)> = held
                .range(near)
                .filter(is_changed)
                .map(|(key, _)| *key)
                .collect();
            if !changed.is_empty() {
                let held = Rc::make_mut(held);
                changed.iter().for_each(|key| drop(held.remove(key)));
            }
            true
        });
    }
}

/// Two loads of one place are the same, whatever the source says of it.
fn without_origin(mem: &Mem) -> Mem {
    Mem {
        origin: Origin::default(),
        ..*mem
    }
}

/// Whether the two arguments may change places.
fn may_turn(data: &Instruction) -> bool {
    matches!(&data.op, Op::Bin(bin) if is_commutative(*bin))
}

fn hash_of(data: &Instruction, ty: Ty) -> u64 {
    let mut hasher = Numbers::default();
    match &data.op {
        Op::Load(mem) => without_origin(mem).hash(&mut hasher),
        op => op.hash(&mut hasher),
    }
    match data.args[..] {
        [a, b] if may_turn(data) => [a.min(b), a.max(b)]
            .iter()
            .for_each(|arg| hasher.write_u32(arg.0)),
        ref args => args.iter().for_each(|arg| hasher.write_u32(arg.0)),
    }
    hasher.write_u32(ty as u32);
    hasher.finish()
}

fn computes_same(a: &Instruction, b: &Instruction) -> bool {
    let is_same = match (&a.op, &b.op) {
        (Op::Load(a), Op::Load(b)) => without_origin(a) == without_origin(b),
        (a, b) => a == b,
    };
    is_same
        && (a.args == b.args
            || may_turn(a)
                && matches!((&a.args[..], &b.args[..]), ([a, b], [d, c]) if (a, b) == (c, d)))
}
