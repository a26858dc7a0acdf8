//! An iteration written with the loop's variables open, from which `copies` makes the others: how it is written, and whether it can be.

use super::Lower;
use super::plain::is_plain;
use super::scope::Binding;
use super::trips::Known;
use super::values::Typed;
use crate::diagnostics::Res;
use crate::hash::HashMap;
use crate::ir::graph::successors;
use crate::ir::known_memory::can_be_known;
use crate::ir::{
    Bin, Block, FULLY_DEPENDENT, Inst, Loc, Mem, Op, Slot, Space, Term, Value, Values,
};
use crate::source::Span;
use crate::syntax::Loop;
use std::collections::hash_map::Entry;

/// So many elements of arrays are remembered that a statement loads.
const LAST: usize = 4;

/// An iteration that was written with the loop's variables open. Nothing leads to its blocks.
pub(super) struct Pattern {
    /// Marks what follows from its variables.
    pub(super) bit: u8,
    pub(super) iteration: u32,
    /// Whether no copy was made yet.
    pub(super) is_first: bool,
    /// Each after those that give what it needs.
    pub(super) blocks: Vec<Block>,
    /// By block, from the first on: what became of it in the copy at hand.
    pub(super) copies: Vec<Copy>,
    /// Where the next iteration begins.
    pub(super) next: Block,
    pub(super) variables: Vec<Value>,
    /// By value, from the first variable on: the one that stands for it in the copy at hand.
    pub(super) values: Vec<Value>,
    /// Objects of which a block of it does not load again what is known, with the block.
    pub(super) relied_on: Vec<(Block, Slot)>,
    /// Where the source was at its end.
    pub(super) loc: Loc,
    /// Expressions that were looked at for it.
    pub(super) work: usize,
}

/// A block of a pattern in the copy at hand.
#[derive(Clone, Copy)]
pub(super) struct Copy {
    /// The one that stands for it.
    pub(super) place: Option<Block>,
    /// How many blocks of the copy lead here, and the last of them.
    pub(super) ways: u32,
    pub(super) from: Block,
    /// Its end, in the pattern's blocks and the copy's values.
    pub(super) end: Term,
    /// Whether a loop leads back here.
    pub(super) is_looped: bool,
}

impl Pattern {
    pub(super) fn value(&self, value: Value) -> Value {
        let at = value.0.checked_sub(self.variables[0].0);
        let found = at.and_then(|at| self.values.get(at as usize));
        found.copied().unwrap_or(value)
    }

    pub(super) fn place(&self, block: Block) -> Block {
        let place = self.copy(block).and_then(|copy| copy.place);
        place.unwrap_or(block)
    }

    pub(super) fn copy(&self, block: Block) -> Option<&Copy> {
        let at = block.0.checked_sub(self.blocks[0].0)?;
        self.copies.get(at as usize)
    }

    pub(super) fn copy_mut(&mut self, block: Block) -> Option<&mut Copy> {
        let at = block.0.checked_sub(self.blocks[0].0)?;
        self.copies.get_mut(at as usize)
    }

    /// Whether control comes from a block to another in the copy at hand.
    pub(super) fn leads(&self, from: Block, to: Block) -> bool {
        let end = self.copy(from).map_or(Term::None, |copy| copy.end);
        successors(end).any(|next| next == to)
    }
}

impl Lower<'_> {
    /// An iteration as a pattern for the others; none if something in it hangs on what the variables are.
    pub(super) fn pattern(&mut self, of: &Loop, known: &Known, exit: Block) -> Option<Pattern> {
        let place = of.body.span.start;
        if self.is_measured || self.no_patterns.contains(&place) || !is_plain(&of.body) {
            return None;
        }
        let work = self.work;
        let pattern = self.pattern_of(of, known, exit);
        if pattern.is_none() {
            self.no_patterns.insert(place);
            self.work = work;
        }
        pattern
    }

    #[inline(never)]
    fn pattern_of(&mut self, of: &Loop, known: &Known, exit: Block) -> Option<Pattern> {
        let body = &mut self.builder.body;
        let types: Vec<_> = known.iter().map(|(.., value)| body.ty(*value)).collect();
        let variables = body.make_symbolic(types.into_iter())?;
        let (at, loc, work) = (self.builder.at, self.builder.loc, self.work);
        let sink = std::mem::take(self.sink);
        let symbols = self.module.symbols.len();
        let iteration = self.builder.iteration;
        self.builder.next_iteration(iteration);
        let (in_front, depth, frames) = (self.builder.in_front, self.depth, self.frames.len());
        let frame = self.frame();
        let (scopes, targets) = (frame.scopes.len(), frame.targets.len());
        let cleanups = frame.cleanups.len();

        let first = self.builder.block();
        // What is written here changes nothing of what is held in the block at hand.
        let held = std::mem::take(&mut self.builder.known.here);
        self.builder.go_to(first);
        let next = self.builder.block();
        self.frame()
            .targets
            .push((Some(exit), Some(next), cleanups));
        for ((name, ty, _), value) in known.iter().zip(&variables) {
            let open = Typed::value(ty.clone(), *value);
            self.bind(name, Binding::Typed(open));
        }
        let result = self.scoped(|lower| lower.statement(&of.body));
        self.builder.end(Term::Jump(next));

        let is_quiet = std::mem::replace(self.sink, sink).list.is_empty();
        let bit = self.builder.body.symbolic.mark(variables[0]) & !FULLY_DEPENDENT;
        let asked = self.builder.body.symbolic.leave();
        self.frames.truncate(frames);
        let frame = self.frame();
        frame.scopes.truncate(scopes);
        frame.targets.truncate(targets);
        frame.cleanups.truncate(cleanups);
        self.depth = depth;
        let own = std::mem::replace(&mut self.builder.iteration, iteration);
        self.builder.go_to(at);
        self.builder.known.here = held;
        let end = std::mem::replace(&mut self.builder.loc, loc);
        let is_whole = in_front == self.builder.in_front && symbols == self.module.symbols.len();
        if result.is_err() || asked || !is_quiet || !is_whole {
            return None;
        }
        self.mark_elements(first, bit);
        let relied_on = self.drop_same(first, variables[0]);
        let count = self.builder.body.values.len() - variables[0].0 as usize;
        let blocks = self.order_from(first);
        Some(Pattern {
            bit,
            iteration: own,
            is_first: true,
            copies: self.copies_of(&blocks)?,
            blocks,
            next,
            values: (variables[0].0..).map(Value).take(count).collect(),
            relied_on,
            variables,
            loc: end,
            work: self.work - work,
        })
    }

    /// Marks what takes in elements of arrays with the loop's variable for an index: copies do not load them where they are known.
    fn mark_elements(&mut self, first: Block, bit: u8) {
        let body = &mut self.builder.body;
        let (mut statement, mut elements) = (Loc::default(), Vec::new());
        for block in first.0 as usize..body.blocks.len() {
            for at in 0..body.blocks[block].insts.len() {
                let inst = body.blocks[block].insts[at];
                let data = body.inst(inst);
                let is_load = matches!(data.op, Op::Load(mem) if mem.space != Space::Global && mem.ty.ty().is_float());
                if is_load && body.symbolic.mark(data.args[0]) & bit != 0 {
                    if data.loc != statement {
                        statement = data.loc;
                        elements.clear();
                    }
                    elements.extend(&data.results);
                } else if data.loc == statement {
                    let mut last = elements.iter().rev().take(LAST);
                    let takes_one = last.any(|element| data.args.contains(element));
                    body.insts[inst.0 as usize].rereads |= takes_one;
                }
            }
        }
    }

    /// Ends the lowering of a pattern at what copies cannot have.
    pub(super) fn no_pattern(&mut self, span: Span) -> Res<()> {
        let open = &self.builder.body.symbolic;
        if !open.is_any() {
            return Ok(());
        }
        open.asks_all(u8::MAX);
        Err(self
            .sink
            .error(span, "this is not the same in all iterations"))
    }

    /// The object of the thread's own in which an address lies, and the value that is its place, where copies know the
    /// address (`ir::known_memory`).
    fn own_object(&self, address: Value) -> Option<(Slot, Value)> {
        let body = &self.builder.body;
        let is_known = |value: Value| {
            body.constant_or_symbolic(value).is_some()
                || body.symbolic.mark(value) & FULLY_DEPENDENT != 0
        };
        let mut at = address;
        loop {
            let data = body.def(at)?;
            match (&data.op, &data.args[..]) {
                (Op::Bin(Bin::Add), [base, by]) if is_known(*by) => at = *base,
                (Op::ToGeneric(Space::Local), [of]) => at = *of,
                (Op::Slot(slot), _) => return (!self.builder.known.is_off).then_some((*slot, at)),
                _ => return None,
            }
        }
    }

    /// Drops of each block of a pattern what is computed or loaded twice in it of what copies compute once or not at all. The
    /// objects of which something is not loaded again, with the block.
    fn drop_same(&mut self, first: Block, variable: Value) -> Vec<(Block, Slot)> {
        let mut relied_on = Vec::new();
        let mut found: HashMap<(Op, Values), Value> = HashMap::default();
        let mut loads: HashMap<(Mem, Value), (Slot, Value)> = HashMap::default();
        let mut replaced: HashMap<Value, Value> = HashMap::default();
        for block in first.0 as usize..self.builder.body.blocks.len() {
            let insts = std::mem::take(&mut self.builder.body.blocks[block].insts);
            let mut kept = Vec::with_capacity(insts.len());
            found.clear();
            loads.clear();
            for inst in insts {
                let data = &mut self.builder.body.insts[inst.0 as usize];
                let by = |value: Value| replaced.get(&value).copied().unwrap_or(value);
                data.args = data.args.map(by);
                let same = match self.same_load(inst, variable, &mut loads) {
                    Some((slot, result, same)) => {
                        let noted = (Block(block as u32), slot);
                        if relied_on.last() != Some(&noted) {
                            relied_on.push(noted);
                        }
                        Some((result, same))
                    }
                    None => self.same(inst, &mut found),
                };
                match same {
                    Some((result, same)) => drop(replaced.insert(result, same)),
                    None => kept.push(inst),
                }
            }
            let data = &mut self.builder.body.blocks[block];
            data.insts = kept;
            if let Term::Branch(condition, ..) = &mut data.term {
                *condition = replaced.get(condition).copied().unwrap_or(*condition);
            }
        }
        relied_on.sort_unstable_by_key(|(block, slot)| (*block, slot.0));
        relied_on.dedup();
        relied_on
    }

    /// The result of an instruction, with what was found to be the same in copies; else it is found from now on.
    fn same(&self, inst: Inst, found: &mut HashMap<(Op, Values), Value>) -> Option<(Value, Value)> {
        let body = &self.builder.body;
        let data = body.inst(inst);
        let [result] = data.results[..] else {
            return None;
        };
        let is_wholly = body.symbolic.mark(result) & FULLY_DEPENDENT != 0;
        let is_sum = matches!(data.op, Op::Bin(Bin::Add));
        let is_once = is_wholly || is_sum && self.own_object(result).is_some();
        if !is_once {
            return None;
        }
        let key = (data.op.clone(), data.args.clone());
        let same = *found.entry(key).or_insert(result);
        (same != result && body.ty(same) == body.ty(result)).then_some((result, same))
    }

    /// The same of a load of what copies hold, with its object, which was there before the loop's `variable`.
    fn same_load(
        &self,
        inst: Inst,
        variable: Value,
        loads: &mut HashMap<(Mem, Value), (Slot, Value)>,
    ) -> Option<(Slot, Value, Value)> {
        let data = self.builder.body.inst(inst);
        let (Op::Load(mem) | Op::Store(mem)) = data.op else {
            return None;
        };
        let (address, result) = (data.args[0], data.results.first().copied());
        let object = self.own_object(address).filter(|_| can_be_known(&mem));
        match (result, object) {
            (Some(result), Some((slot, at))) if at < variable => {
                match loads.entry((mem, address)) {
                    Entry::Occupied(known) => {
                        let (_, same) = *known.get();
                        return Some((slot, result, same));
                    }
                    Entry::Vacant(place) => drop(place.insert((slot, result))),
                }
            }
            (Some(_), _) => {}
            (None, Some((slot, _))) => loads.retain(|_, (other, _)| *other != slot),
            (None, None) => loads.clear(),
        }
        None
    }

    /// The blocks from one on that can be reached from it, each after those that come before it but for ways back.
    fn order_from(&self, first: Block) -> Vec<Block> {
        let mut seen = vec![false; self.builder.body.blocks.len() - first.0 as usize];
        let (mut order, mut open) = (Vec::new(), vec![(first, false)]);
        while let Some((block, is_done)) = open.pop() {
            if is_done {
                order.push(block);
                continue;
            }
            if std::mem::replace(&mut seen[(block.0 - first.0) as usize], true) {
                continue;
            }
            open.push((block, true));
            let next = successors(self.builder.body.block(block).term);
            open.extend(next.filter(|next| *next >= first).map(|next| (next, false)));
        }
        order.reverse();
        order
    }

    /// Room for what becomes of a pattern's blocks; none if a loop among them carries values, which no lowered one does.
    fn copies_of(&self, blocks: &[Block]) -> Option<Vec<Copy>> {
        let first = blocks[0].0 as usize;
        let body = &self.builder.body;
        let none = Copy {
            place: None,
            ways: 0,
            from: blocks[0],
            end: Term::None,
            is_looped: false,
        };
        let mut copies = vec![none; body.blocks.len() - first];
        // While they are gone through: who has a place was gone through already.
        for block in blocks {
            copies[block.0 as usize - first].place = Some(*block);
            for next in successors(body.block(*block).term).filter(|next| *next >= blocks[0]) {
                let copy = &mut copies[next.0 as usize - first];
                copy.is_looped |= copy.place.is_some();
                let begins = body.block(next).insts.first();
                let is_phi = begins.is_some_and(|inst| matches!(body.inst(*inst).op, Op::Phi(_)));
                if copy.is_looped && is_phi {
                    return None;
                }
            }
        }
        Some(copies)
    }
}
