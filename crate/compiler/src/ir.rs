//! A kernel as basic blocks of instructions on values that are each defined once. Built in `build`, folded by `fold`.

pub(crate) mod build;
pub(crate) mod compute;
pub(crate) mod fold;
pub(crate) mod graph;
pub(crate) mod held;
mod most;
mod open;
mod range;
mod values;
mod whole;

pub(crate) use open::{Open, WHOLLY};
pub(crate) use values::Values;

use crate::hash::{HashMap, HashSet};
use std::rc::Rc;

/// What kind of register holds a value. Numbers of 8 and 16 bits are held in 32, extended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Ty {
    Pred,
    B16,
    B32,
    B64,
    F32,
    F64,
}

impl Ty {
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }

    pub(crate) fn bits(self) -> u32 {
        match self {
            Ty::Pred => 1,
            Ty::B16 => 16,
            Ty::B32 | Ty::F32 => 32,
            Ty::B64 | Ty::F64 => 64,
        }
    }

    /// The bits that a value of this type has.
    pub(crate) fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Value(pub(crate) u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Block(pub(crate) u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Inst(pub(crate) u32);

/// An object of a thread's own in local memory, unless all of it becomes registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Slot(pub(crate) u32);

/// A variable of the module or of a kernel's shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Symbol(pub(crate) u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Constant,
    Param,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Bin {
    Add,
    Sub,
    Mul,
    /// Division of floats, rounded to nearest.
    Div,
    DivU,
    DivS,
    RemU,
    RemS,
    And,
    Or,
    Xor,
    Shl,
    ShrU,
    ShrS,
    MinU,
    MinS,
    MaxU,
    MaxS,
    /// Minimum and maximum of floats.
    Min,
    Max,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Cmp {
    Eq,
    Ne,
    LtU,
    LeU,
    GtU,
    GeU,
    LtS,
    LeS,
    GtS,
    GeS,
    /// Of floats: false where one is no number; `Ne` of floats is true there.
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Cvt {
    /// To a wider whole number, with zeros or the sign.
    ZeroExtend,
    SignExtend,
    /// To a narrower one.
    Truncate,
    /// Of the low bits of 32: 8 or 16 of them.
    ZeroExtendFrom(u8),
    SignExtendFrom(u8),
    /// The same bits.
    Bits,
    UnsignedToFloat,
    SignedToFloat,
    /// Towards zero.
    FloatToUnsigned,
    FloatToSigned,
    Float,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Un {
    Neg,
    Not,
    Abs,
    Sqrt,
}

/// What is loaded or stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum MemTy {
    U8,
    S8,
    U16,
    S16,
    B32,
    B64,
    F32,
    F64,
}

impl MemTy {
    pub(crate) fn bytes(self) -> u64 {
        match self {
            MemTy::U8 | MemTy::S8 => 1,
            MemTy::U16 | MemTy::S16 => 2,
            MemTy::B32 | MemTy::F32 => 4,
            MemTy::B64 | MemTy::F64 => 8,
        }
    }

    /// The register that holds it.
    pub(crate) fn ty(self) -> Ty {
        match self {
            MemTy::F32 => Ty::F32,
            MemTy::F64 => Ty::F64,
            MemTy::B64 => Ty::B64,
            _ => Ty::B32,
        }
    }
}

/// An access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Mem {
    pub(crate) space: Space,
    pub(crate) ty: MemTy,
    /// Elements side by side: 1, 2 or 4.
    pub(crate) count: u8,
    pub(crate) is_volatile: bool,
    /// `.nc`: nobody writes there while the kernel runs.
    pub(crate) is_constant: bool,
    pub(crate) cache: Cache,
    pub(crate) origin: Origin,
}

/// How caches take an access, as it is spelled in PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Cache {
    /// As they please.
    Any,
    Ca,
    Cg,
    Cs,
    Cv,
    Lu,
    Wb,
    Wt,
}

/// What the source says of the place that it names in an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Origin {
    /// The address is a multiple of this many bytes; 0 where it says nothing.
    pub(crate) align: u16,
    /// The member of a struct's type that the place is, by a number of its own; 0 where it is none.
    pub(crate) member: u32,
}

impl Origin {
    /// The bits of `member` that tell the place in the struct.
    pub(crate) const PLACE_BITS: u32 = 12;

    /// Whether both are members of one type, at different places in it: then no byte belongs to both.
    pub(crate) fn is_apart(self, other: Origin) -> bool {
        let one_type = self.member >> Self::PLACE_BITS == other.member >> Self::PLACE_BITS;
        self.member != 0 && other.member != 0 && one_type && self.member != other.member
    }
}

/// What a piece of PTX does besides giving its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Effect {
    /// Nothing: it may be dropped, and be run once instead of twice.
    Pure,
    /// It stays where it is, as often as it is.
    Volatile,
    /// The same, and memory may be other after it.
    Memory,
}

/// A piece of PTX with operands `%0`, `%1` …: results first, then arguments.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ptx {
    pub(crate) text: String,
    pub(crate) effect: Effect,
    /// Whether it is the source's own.
    pub(crate) is_asm: bool,
    /// Results that it reads before it writes them, and the arguments that they are then.
    pub(crate) begins: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Bin(Bin),
    Un(Un),
    Cmp(Cmp),
    Cvt(Cvt),
    Fma,
    Select,
    /// One argument for each of these blocks, in which control came.
    Phi(Vec<Block>),
    /// A kernel's parameter.
    Param(u32),
    /// Where a kernel's parameter lies, in its space.
    ParamAddress(u32),
    /// Where a variable lies, in its space.
    Symbol(Symbol),
    Slot(Slot),
    /// An address of this space as a generic one, and back.
    ToGeneric(Space),
    FromGeneric(Space),
    /// The argument is the address.
    Load(Mem),
    /// The first argument is the address.
    Store(Mem),
    Ptx(Rc<Ptx>),
}

impl Op {
    /// The same as a comparison, which is a call.
    pub(crate) fn is_bin(&self, bin: Bin) -> bool {
        matches!(self, Op::Bin(own) if *own == bin)
    }

    pub(crate) fn is_pure(&self) -> bool {
        match self {
            Op::Store(_) => false,
            Op::Load(mem) => !mem.is_volatile,
            Op::Ptx(ptx) => ptx.effect == Effect::Pure,
            _ => true,
        }
    }
}

/// A place in the source, and where what it belongs to was inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Loc(pub(crate) u32);

#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    pub(crate) op: Op,
    pub(crate) args: Values,
    pub(crate) results: Values,
    pub(crate) loc: Loc,
    /// Which iteration of an unrolled loop it belongs to; 0 outside of one.
    pub(crate) iteration: u32,
    /// Whether it takes in what its source loads once more, too far behind the first load for LLVM to see it before it orders
    /// the sides of sums.
    pub(crate) rereads: bool,
    pub(crate) exact: Exact,
}

/// Whether the result of arithmetic is what it would be without an end to the numbers of its type, as the source promises
/// where it is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Exact {
    #[default]
    No,
    Yes,
    /// If its first argument is, which was made where constants moved outwards.
    WithFirst,
}

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
    pub(crate) open: Open,
    /// Objects of which something was not loaded because it was known: all of them must become registers.
    pub(crate) relied_on: HashSet<Slot>,
}

impl Body {
    fn clear(&mut self) {
        self.values.clear();
        self.insts.clear();
        self.blocks.clear();
        self.slots.clear();
        self.constants.clear();
        self.open = Open::default();
        self.relied_on.clear();
    }

    pub(crate) fn ty(&self, value: Value) -> Ty {
        self.values[value.0 as usize].0
    }

    pub(crate) fn constant(&self, value: Value) -> Option<u64> {
        let constant = self.constant_or_open(value);
        if constant.is_none() {
            self.asks(value);
        }
        constant
    }

    /// Notes that it matters whether a value follows from open variables.
    pub(crate) fn asks(&self, value: Value) {
        if self.open.is_any() {
            self.open.asks(value);
        }
    }

    /// The same where it makes no difference if the value follows from an open variable: what is written then folds to
    /// the same once that is known.
    pub(crate) fn constant_or_open(&self, value: Value) -> Option<u64> {
        match self.values[value.0 as usize].1 {
            Def::Const(bits) => Some(bits),
            Def::Inst(..) | Def::Undefined => None,
        }
    }

    /// Values for variables of these types that are left open from now on; none if too much is open.
    pub(crate) fn open_variables(&mut self, types: impl Iterator<Item = Ty>) -> Option<Vec<Value>> {
        let bit = self.open.enter(self.values.len() as u32)?;
        let variable = |ty| {
            self.values.push((ty, Def::Undefined));
            self.open.push(bit | WHOLLY);
            Value(self.values.len() as u32 - 1)
        };
        Some(types.map(variable).collect())
    }

    /// Which open variables an instruction's results follow from.
    fn mark(&self, op: &Op, args: &[Value]) -> u8 {
        let folds = matches!(
            op,
            Op::Bin(_) | Op::Un(_) | Op::Cmp(_) | Op::Cvt(_) | Op::Select
        );
        let (mut variables, mut wholly) = (0, if folds { WHOLLY } else { 0 });
        for arg in args {
            let mark = self.open.mark(*arg);
            variables |= mark & !WHOLLY;
            if self.constant_or_open(*arg).is_none() {
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

    fn push_value(&mut self, ty: Ty, def: Def, mark: u8) {
        self.values.push((ty, def));
        if self.open.is_any() {
            self.open.push(mark);
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
        let mark = match self.open.is_any() {
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
