//! A kernel's body: its blocks, instructions, values and local objects, each found by its number.

use super::symbolic_loop_vars::{FULLY_DEPENDENT, SymbolicLoopVars};
use super::values::Values;
use super::{Block, Exact, Inst, Instruction, Loc, Op, Slot, Ty, Value};
use crate::hash::{HashMap, HashSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Def {
    Const(u64),
    /// A variable that nothing was put into: any value will do.
    Undefined,
    Inst(Inst, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Term {
    None,
    Jump(Block),
    Branch(Value, Block, Block),
    Return,
}

#[derive(Debug, Clone)]
pub(crate) struct BlockData {
    pub(crate) insts: Vec<Inst>,
    pub(crate) term: Term,
    pub(crate) loc: Loc,
    /// How many iterations of the loop that begins here the source wants to run at a time; none where it does not say.
    pub(crate) unroll: Option<u32>,
    /// Whether the assembler is told to leave the loop that begins here as it is: the source says how many iterations run
    /// at a time, and so many do, or it is what such a loop leaves over.
    pub(crate) is_done: bool,
    /// Which iteration of an unrolled loop it belongs to; 0 outside of one.
    pub(crate) iteration: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct SlotData {
    pub(crate) size: u64,
    pub(crate) align: u64,
}

impl SlotData {
    /// What its address can be made a multiple of: NVIDIA's compiler places an object so that others of its size would be
    /// aligned behind it, up to 16 bytes.
    pub(crate) fn best_align(&self) -> u64 {
        self.align.max(1 << self.size.trailing_zeros().min(4))
    }
}

/// A kernel's body.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) values: Vec<(Ty, Def)>,
    pub(crate) insts: Vec<Instruction>,
    pub(crate) blocks: Vec<BlockData>,
    pub(crate) slots: Vec<SlotData>,
    pub(crate) constants: HashMap<(Ty, u64), Value>,
    pub(crate) symbolic: SymbolicLoopVars,
    /// By iteration of an unrolled loop: the first one of its loop.
    pub(crate) loops: Vec<u32>,
    /// Objects of which something was not loaded because it was known: all of them must become registers.
    pub(crate) relied_on: HashSet<Slot>,
    /// What loops over constants count by: the least and the most in all iterations.
    pub(crate) counted: HashMap<Value, (i64, i64)>,
}

impl Body {
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.insts.clear();
        self.blocks.clear();
        self.slots.clear();
        self.constants.clear();
        self.symbolic = SymbolicLoopVars::default();
        self.loops.clear();
        self.relied_on.clear();
        self.counted.clear();
    }

    pub(crate) fn ty(&self, value: Value) -> Ty {
        self.values[value.0 as usize].0
    }

    pub(crate) fn constant(&self, value: Value) -> Option<u64> {
        let constant = self.constant_or_symbolic(value);
        if constant.is_none() {
            self.asks(value);
        }
        constant
    }

    /// Notes that it matters whether a value follows from open variables.
    pub(crate) fn asks(&self, value: Value) {
        if self.symbolic.is_any() {
            self.symbolic.asks(value);
        }
    }

    /// The same where it makes no difference if the value follows from an open variable: what is written then folds to
    /// the same once that is known.
    pub(crate) fn constant_or_symbolic(&self, value: Value) -> Option<u64> {
        match self.values[value.0 as usize].1 {
            Def::Const(bits) => Some(bits),
            Def::Inst(..) | Def::Undefined => None,
        }
    }

    /// Values for variables of these types that are left open from now on; none if too much is open.
    pub(crate) fn make_symbolic(&mut self, types: impl Iterator<Item = Ty>) -> Option<Vec<Value>> {
        let bit = self.symbolic.enter(self.values.len() as u32)?;
        let variable = |ty| {
            self.values.push((ty, Def::Undefined));
            self.symbolic.push(bit | FULLY_DEPENDENT);
            Value(self.values.len() as u32 - 1)
        };
        Some(types.map(variable).collect())
    }

    /// Which open variables an instruction's results follow from.
    pub(super) fn mark(&self, op: &Op, args: &[Value]) -> u8 {
        let folds = matches!(
            op,
            Op::Bin(_) | Op::Un(_) | Op::Cmp(_) | Op::Cvt(_) | Op::Select
        );
        let (mut variables, mut wholly) = (0, if folds { FULLY_DEPENDENT } else { 0 });
        for arg in args {
            let mark = self.symbolic.mark(*arg);
            variables |= mark & !FULLY_DEPENDENT;
            if self.constant_or_symbolic(*arg).is_none() {
                wholly &= mark;
            }
        }
        match variables {
            0 => 0,
            _ => variables | wholly,
        }
    }

    /// The instruction that gives a value.
    pub(crate) fn def(&self, value: Value) -> Option<&Instruction> {
        match self.values[value.0 as usize].1 {
            Def::Const(_) | Def::Undefined => None,
            Def::Inst(inst, _) => Some(&self.insts[inst.0 as usize]),
        }
    }

    pub(crate) fn inst(&self, inst: Inst) -> &Instruction {
        &self.insts[inst.0 as usize]
    }

    pub(crate) fn block(&self, block: Block) -> &BlockData {
        &self.blocks[block.0 as usize]
    }

    pub(crate) fn make_constant(&mut self, ty: Ty, bits: u64) -> Value {
        let bits = bits & ty.mask();
        if let Some(value) = self.constants.get(&(ty, bits)) {
            return *value;
        }
        self.push_value(ty, Def::Const(bits), 0);
        let value = Value(self.values.len() as u32 - 1);
        self.constants.insert((ty, bits), value);
        value
    }

    pub(crate) fn make_undefined(&mut self, ty: Ty) -> Value {
        self.push_value(ty, Def::Undefined, 0);
        Value(self.values.len() as u32 - 1)
    }

    pub(super) fn push_value(&mut self, ty: Ty, def: Def, mark: u8) {
        self.values.push((ty, def));
        if self.symbolic.is_any() {
            self.symbolic.push(mark);
        }
    }

    pub(crate) fn is_undefined(&self, value: Value) -> bool {
        self.values[value.0 as usize].1 == Def::Undefined
    }

    /// Makes an instruction that is in no block yet.
    pub(crate) fn make(&mut self, op: Op, types: &[Ty], args: impl Into<Values>, loc: Loc) -> Inst {
        let inst = Inst(self.insts.len() as u32);
        let first = self.values.len() as u32;
        let args = args.into();
        let mark = match self.symbolic.is_any() {
            true => self.mark(&op, &args),
            false => 0,
        };
        for (number, ty) in types.iter().enumerate() {
            self.push_value(*ty, Def::Inst(inst, number as u32), mark);
        }
        self.insts.push(Instruction {
            op,
            args,
            results: Values::following(first, types.len()),
            loc,
            iteration: 0,
            rereads: false,
            exact: Exact::No,
        });
        inst
    }
}
