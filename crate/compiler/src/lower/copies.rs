//! Iterations of an unrolled loop as copies of one that was written with the loop's variables open: the instructions are folded anew with the variables known, and the syntax is not walked again.

use super::Lower;
use super::patterns::Pattern;
use super::trips::Known;
use crate::diagnostics::Res;
use crate::ir::compute::constant_bin;
use crate::ir::graph::successors;
use crate::ir::{Bin, Block, Exact, FULLY_DEPENDENT, Inst, Op, Term, Ty, Value};
use crate::source::Span;

impl Lower<'_> {
    /// Writes the iteration of a pattern with the variables known.
    #[inline(never)]
    pub(super) fn copy_of(&mut self, pattern: &mut Pattern, known: &Known, span: Span) -> Res<()> {
        self.work += pattern.work;
        self.check_work(span)?;
        for (number, (.., value)) in known.iter().enumerate() {
            pattern.values[number] = *value;
        }
        for copy in &mut pattern.copies {
            (copy.place, copy.ways, copy.end) = (None, 0, Term::None);
        }
        let iteration = self.builder.iteration;
        for number in 0..pattern.blocks.len() {
            let from = pattern.blocks[number];
            if !self.enter_copy(pattern, from) {
                continue;
            }
            let relied_on = pattern.relied_on.iter();
            for (_, slot) in relied_on.filter(|(block, _)| *block == from) {
                self.builder.rely_on(*slot);
            }
            let insts = std::mem::take(&mut self.builder.body.blocks[from.0 as usize].insts);
            let here = &mut self.builder.body.blocks[self.builder.at.0 as usize];
            here.insts.reserve(insts.len());
            for inst in &insts {
                // Those of loops in it keep the numbers of theirs.
                let own = self.builder.body.inst(*inst).iteration;
                self.builder.iteration = if own == pattern.iteration {
                    iteration
                } else {
                    own
                };
                self.copy_instruction(pattern, from, *inst);
            }
            self.builder.iteration = iteration;
            self.builder.body.blocks[from.0 as usize].insts = insts;
            self.end_copy(pattern, from);
        }
        if pattern.place(pattern.next) == pattern.next {
            let place = self.builder.block();
            if let Some(copy) = pattern.copy_mut(pattern.next) {
                copy.place = Some(place);
            }
        }
        self.builder.go_to(pattern.place(pattern.next));
        self.builder.loc = pattern.loc;
        if std::mem::take(&mut pattern.is_first) && self.builder.body.symbolic.is_any() {
            self.drop_lasting(pattern);
        }
        Ok(())
    }

    /// Drops what follows from variables of loops around alone, and from what is constant: all copies may use the first one's.
    fn drop_lasting(&mut self, pattern: &Pattern) {
        let body = &mut self.builder.body;
        let first = pattern.blocks[0].0 as usize;
        let mut insts = std::mem::take(&mut body.blocks[first].insts);
        insts.retain(|inst| {
            let results = &body.inst(*inst).results;
            let mark = results
                .first()
                .map_or(0, |result| body.symbolic.mark(*result));
            mark & FULLY_DEPENDENT == 0 || mark & pattern.bit != 0
        });
        body.blocks[first].insts = insts;
    }

    /// Goes to where a block of a pattern is copied: what only one jump leads to goes on in the block that jumps. False
    /// where nothing leads there.
    fn enter_copy(&mut self, pattern: &mut Pattern, block: Block) -> bool {
        let Some(copy) = pattern.copy(block).copied() else {
            return false;
        };
        let jumps = pattern
            .copy(copy.from)
            .is_some_and(|from| from.end == Term::Jump(block));
        let is_only = jumps && copy.ways == 1 && !copy.is_looped;
        match copy.place {
            _ if block == pattern.blocks[0] => {}
            None if !copy.is_looped => return false,
            Some(place) if is_only => {
                self.builder.go_to(pattern.place(copy.from));
                self.builder.go_on_in(place);
            }
            None => {
                let place = self.builder.block();
                self.builder.go_to(place);
            }
            Some(place) => self.builder.go_to(place),
        }
        let at = self.builder.at;
        if let Some(copy) = pattern.copy_mut(block) {
            copy.place = Some(at);
        }
        let data = self.builder.body.block(block);
        let (unroll, is_done, own) = (data.unroll, data.is_done, data.iteration);
        let copy = &mut self.builder.body.blocks[at.0 as usize];
        if unroll.is_some() {
            (copy.unroll, copy.is_done) = (unroll, is_done);
        }
        if own != pattern.iteration && copy.insts.is_empty() {
            copy.iteration = own;
        }
        true
    }

    /// Ends the copy of a block of a pattern as that ends: by a jump, where the condition is known.
    fn end_copy(&mut self, pattern: &mut Pattern, block: Block) {
        let data = self.builder.body.block(block);
        self.builder.loc = data.loc;
        if data.term == Term::None || self.builder.is_ended() {
            return;
        }
        let end = match data.term {
            Term::Branch(condition, yes, no) => {
                let condition = pattern.value(condition);
                match self.builder.body.constant_or_symbolic(condition) {
                    Some(0) => Term::Jump(no),
                    Some(_) => Term::Jump(yes),
                    None => Term::Branch(condition, yes, no),
                }
            }
            other => other,
        };
        for next in successors(end) {
            if let Some(copy) = pattern.copy_mut(next) {
                (copy.ways, copy.from) = (copy.ways + 1, block);
                if copy.place.is_none() {
                    copy.place = Some(self.builder.block());
                }
            }
        }
        if let Some(copy) = pattern.copy_mut(block) {
            copy.end = end;
        }
        let place = |block| pattern.place(block);
        self.builder.end(match end {
            Term::Jump(next) => Term::Jump(place(next)),
            Term::Branch(condition, yes, no) => Term::Branch(condition, place(yes), place(no)),
            other => other,
        });
    }

    fn copy_instruction(&mut self, pattern: &mut Pattern, block: Block, inst: Inst) {
        let body = &self.builder.body;
        let data = body.inst(inst);
        let first = data.results.first().copied();
        let args = data.args.map(|arg| pattern.value(arg));
        self.builder.loc = data.loc;
        let Some(first) = first else {
            let op = data.op.clone();
            self.builder.emit(op, &[], args);
            return;
        };
        let count = data.results.len();
        let ty = body.ty(first);
        let (exact, rereads) = (data.exact, data.rereads);
        let at = (first.0 - pattern.variables[0].0) as usize;
        let op = match &data.op {
            Op::Phi(from) => {
                let ways = from.iter().zip(&args);
                let ways = ways.filter(|(from, _)| pattern.leads(**from, block));
                let (blocks, args): (Vec<Block>, Vec<Value>) =
                    ways.map(|(from, arg)| (pattern.place(*from), *arg)).unzip();
                pattern.values[at] = match &args[..] {
                    [only] => *only,
                    _ => self.builder.value(Op::Phi(blocks), ty, &args),
                };
                return;
            }
            Op::Slot(slot) => {
                let data = body.slots[slot.0 as usize];
                Op::Slot(self.builder.slot(data.size, data.align))
            }
            other => other.clone(),
        };
        if let (Op::Bin(bin), [a, b]) = (&op, &args[..])
            && let Some(x) = self.builder.body.constant_or_symbolic(*a)
            && let Some(y) = self.builder.body.constant_or_symbolic(*b)
            && let Some(bits) = constant_bin(*bin, ty, x, y)
        {
            pattern.values[at] = self.builder.constant(ty, bits);
            return;
        }
        if count == 1 {
            self.builder.exact = exact;
            self.builder.rereads = rereads;
            pattern.values[at] = match op {
                Op::Load(mem) => self.builder.load_unless_known(mem, args[0]),
                Op::Bin(Bin::Add) if ty == Ty::B64 => {
                    self.builder.sum_unless_known(args[0], args[1])
                }
                _ => self.builder.value(op, ty, &args),
            };
            self.builder.exact = Exact::No;
            self.builder.rereads = false;
            return;
        }
        let types = (first.0..).take(count);
        let types: Vec<_> = types
            .map(|value| self.builder.body.ty(Value(value)))
            .collect();
        let made = self.builder.emit(op, &types, args);
        pattern.values[at..at + count].copy_from_slice(&made);
    }
}
