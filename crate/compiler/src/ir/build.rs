//! Appends instructions to the block at hand, folded where they can be.

use super::known_memory::KnownMemory;
use super::{
    Bin, Block, BlockData, Body, Cmp, Cvt, Exact, Loc, Mem, Op, Slot, SlotData, Term, Ty, Un,
    Value, Values,
};

/// A body that is being written.
#[derive(Debug)]
pub(crate) struct Builder {
    pub(crate) body: Body,
    pub(crate) at: Block,
    pub(crate) loc: Loc,
    /// Which iteration of an unrolled loop is being written, from 1 on; 0 outside of one.
    pub(crate) iteration: u32,
    /// How many of them were written.
    pub(crate) iterations: u32,
    /// Whether what is written next takes in what the source loads once more.
    pub(crate) rereads: bool,
    /// What is known of the arithmetic that is written next.
    pub(crate) exact: Exact,
    pub(crate) known: KnownMemory,
    /// By block: how many ends of blocks were made that lead to it.
    pub(crate) ways: Vec<u32>,
    /// How often it was gone on in the block at hand, where one of its own was there.
    pub(crate) went_on: u32,
    /// How many instructions were put in front of the first block.
    pub(crate) in_front: usize,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self::in_room_of(Body::default())
    }

    /// The same, in memory that another body had.
    pub(crate) fn in_room_of(mut body: Body) -> Self {
        body.clear();
        let mut builder = Self {
            body,
            at: Block(0),
            loc: Loc::default(),
            iteration: 0,
            iterations: 0,
            rereads: false,
            exact: Exact::No,
            known: KnownMemory::default(),
            ways: Vec::new(),
            went_on: 0,
            in_front: 0,
        };
        builder.block();
        builder
    }

    /// A new block, at the end; the one at hand stays the same.
    pub(crate) fn block(&mut self) -> Block {
        self.ways.push(0);
        self.body.blocks.push(BlockData {
            insts: Vec::new(),
            term: Term::None,
            loc: self.loc,
            unroll: None,
            is_done: false,
            iteration: self.iteration,
        });
        Block(self.body.blocks.len() as u32 - 1)
    }

    pub(crate) fn go_to(&mut self, block: Block) {
        self.at = block;
    }

    /// Whether nothing can come here any more.
    pub(crate) fn is_ended(&self) -> bool {
        self.body.block(self.at).term != Term::None
    }

    pub(crate) fn end(&mut self, term: Term) {
        if self.is_ended() {
            return;
        }
        let loc = self.loc;
        let block = &mut self.body.blocks[self.at.0 as usize];
        block.term = match term {
            Term::Branch(_, yes, no) if yes == no => Term::Jump(yes),
            other => other,
        };
        block.loc = loc;
        if let Term::Branch(condition, yes, no) = block.term
            && let Some(bits) = self.body.constant_or_symbolic(condition)
        {
            self.body.blocks[self.at.0 as usize].term =
                Term::Jump(if bits != 0 { yes } else { no });
        }
        let term = self.body.block(self.at).term;
        for next in super::graph::successors(term) {
            if let Some(ways) = self.ways.get_mut(next.0 as usize) {
                *ways += 1;
            }
        }
    }

    /// Goes on in a block to which all ways are made but the one from here: in the block at hand, where there is no other.
    pub(crate) fn go_on_in(&mut self, block: Block) {
        let ways = self.ways.get(block.0 as usize).copied().unwrap_or(2);
        let term = &mut self.body.blocks[self.at.0 as usize].term;
        match *term {
            Term::None if ways == 0 => self.went_on += 1,
            Term::Jump(next) if next == block && ways == 1 => {
                *term = Term::None;
                self.ways[block.0 as usize] = 0;
                self.went_on += 1;
            }
            _ => {
                self.end(Term::Jump(block));
                self.go_to(block);
            }
        }
    }

    pub(crate) fn slot(&mut self, size: u64, align: u64) -> Slot {
        self.body.slots.push(SlotData { size, align });
        Slot(self.body.slots.len() as u32 - 1)
    }

    /// Begins an iteration of the unrolled loop whose first one this is.
    pub(crate) fn next_iteration(&mut self, first: u32) {
        self.iterations += 1;
        self.iteration = self.iterations;
        self.body.loops.resize(self.iterations as usize, 0);
        self.body.loops.push(first);
    }

    /// Appends; the results.
    pub(crate) fn emit(&mut self, op: Op, types: &[Ty], args: impl Into<Values>) -> Values {
        let args = args.into();
        if let Op::Store(mem) = &op
            && !self.known.is_off
        {
            self.note_store(mem, &args);
        }
        let inst = self.body.make(op, types, args, self.loc);
        let data = &mut self.body.insts[inst.0 as usize];
        (data.iteration, data.rereads) = (self.iteration, self.rereads);
        if !self.is_ended() {
            self.body.blocks[self.at.0 as usize].insts.push(inst);
        }
        self.body.inst(inst).results.clone()
    }

    /// Appends what gives one value, unless it can be had for less.
    pub(crate) fn value(&mut self, op: Op, ty: Ty, args: &[Value]) -> Value {
        // What is open and does not fold yet will fold in copies.
        let asked = self.body.symbolic.asked();
        let turned = super::fold::turned(&self.body, &op, args);
        let args = turned.as_ref().map_or(args, |args| &args[..]);
        let exact = self.exact;
        let found = self.fold_ordered(&op, ty, args);
        self.exact = Exact::No;
        self.body.symbolic.forget_since(asked);
        match found {
            Some(found) => found,
            None => {
                let value = self.emit(op, &[ty], args)[0];
                if let Some(made) = self.body.insts.last_mut() {
                    made.exact = exact;
                }
                value
            }
        }
    }

    pub(crate) fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        self.body.make_constant(ty, bits)
    }

    pub(crate) fn u32(&mut self, number: u32) -> Value {
        self.constant(Ty::B32, u64::from(number))
    }

    pub(crate) fn u64(&mut self, number: u64) -> Value {
        self.constant(Ty::B64, number)
    }

    pub(crate) fn bin(&mut self, bin: Bin, a: Value, b: Value) -> Value {
        let ty = self.body.ty(a);
        self.value(Op::Bin(bin), ty, &[a, b])
    }

    /// Signed arithmetic of the source: the result is what its type can hold.
    pub(crate) fn exact_bin(&mut self, bin: Bin, a: Value, b: Value) -> Value {
        if matches!(bin, Bin::Add | Bin::Sub | Bin::Mul) {
            self.exact = Exact::Yes;
        }
        self.bin(bin, a, b)
    }

    pub(crate) fn un(&mut self, un: Un, a: Value) -> Value {
        let ty = self.body.ty(a);
        self.value(Op::Un(un), ty, &[a])
    }

    pub(crate) fn cmp(&mut self, cmp: Cmp, a: Value, b: Value) -> Value {
        self.value(Op::Cmp(cmp), Ty::Pred, &[a, b])
    }

    pub(crate) fn cvt(&mut self, cvt: Cvt, ty: Ty, a: Value) -> Value {
        self.value(Op::Cvt(cvt), ty, &[a])
    }

    pub(crate) fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        let ty = self.body.ty(yes);
        self.value(Op::Select, ty, &[condition, yes, no])
    }

    /// An address so many bytes further.
    pub(crate) fn offset(&mut self, address: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return address;
        }
        if let Some(inst) = self.body.def(address)
            && let (Op::Bin(Bin::Add), [start, by]) = (&inst.op, &inst.args[..])
            && let Some(by) = self.body.constant_or_symbolic(*by)
        {
            let start = *start;
            return self.offset(start, by.wrapping_add(bytes));
        }
        let bytes = self.u64(bytes);
        self.bin(Bin::Add, address, bytes)
    }

    pub(crate) fn load(&mut self, mem: Mem, address: Value) -> Values {
        let types = [mem.ty.ty(); 4];
        let results = self.emit(Op::Load(mem), &types[..usize::from(mem.count)], [address]);
        self.note_load(&mem, address, results[0]);
        results
    }

    pub(crate) fn store(&mut self, mem: Mem, address: Value, values: &[Value]) {
        let args: Values = match values {
            [value] => [address, *value].into(),
            _ => {
                let values = values.iter().copied();
                [address].into_iter().chain(values).collect()
            }
        };
        self.emit(Op::Store(mem), &[], args);
    }
}
