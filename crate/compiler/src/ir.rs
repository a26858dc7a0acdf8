//! A kernel as basic blocks of instructions on values that are each defined once: what instructions there are. They stand in
//! a `body`, are built in `build` and folded by `fold`.

pub(crate) mod asm;
mod body;
pub(crate) mod build;
pub(crate) mod compute;
pub(crate) mod fold;
pub(crate) mod graph;
pub(crate) mod intrinsics;
pub(crate) mod known_memory;
mod print;
mod range;
pub(crate) mod read;
mod recombine;
mod symbolic_loop_vars;
mod trailing_zeros;
mod unsigned_range;
mod values;
pub(crate) mod verify;
mod widened;
pub(crate) mod words;

pub(crate) use asm::Asm;
pub(crate) use body::{BlockData, Body, Def, SlotData, Term};
pub(crate) use symbolic_loop_vars::FULLY_DEPENDENT;
pub(crate) use values::Values;

use intrinsics::{Call, InstructionCost, Kind};
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

    /// The bit that is the sign, of floats too.
    pub(crate) fn sign(self) -> u64 {
        1 << (self.bits() - 1)
    }

    /// Bits as a whole number with a sign.
    pub(crate) fn signed(self, bits: u64) -> i64 {
        match self {
            Ty::Pred => i64::from(bits != 0),
            Ty::B16 => i64::from(bits as u16 as i16),
            Ty::B32 | Ty::F32 => i64::from(bits as u32 as i32),
            Ty::B64 | Ty::F64 => bits as i64,
        }
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

/// What an intrinsic or a piece of PTX does besides giving its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Effect {
    /// Nothing: it may be dropped, and be run once instead of twice.
    Pure,
    /// It stays where it is, as often as it is.
    Volatile,
    /// The same, and memory may be other after it.
    Memory,
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
    /// A row of the table of intrinsics.
    Intrinsic(Call),
    /// PTX of the source's own.
    Asm(Rc<Asm>),
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
            Op::Intrinsic(_) | Op::Asm(_) => self.effect() == Effect::Pure,
            _ => true,
        }
    }

    /// What an intrinsic or the source's own PTX does besides giving its results; of other operations nothing is said here.
    pub(crate) fn effect(&self) -> Effect {
        match self {
            Op::Intrinsic(call) => call.row().effect,
            Op::Asm(asm) => asm.effect,
            _ => Effect::Pure,
        }
    }

    pub(crate) fn is_asm(&self) -> bool {
        matches!(self, Op::Asm(_))
    }

    /// Whether it is an intrinsic or the source's own PTX behind which memory may be other. What `asm` does that is volatile is not known.
    pub(crate) fn may_write(&self) -> bool {
        match self.effect() {
            Effect::Memory => true,
            Effect::Volatile => self.is_asm(),
            Effect::Pure => false,
        }
    }

    /// The space that an intrinsic accesses alone, where it is known to be an atomic on it.
    pub(crate) fn atomic_space(&self) -> Option<Space> {
        match self {
            Op::Intrinsic(call) => call.accesses(),
            _ => None,
        }
    }

    /// Whether it reads a special register. Those that `asm` reads stay where they stand.
    pub(crate) fn is_special(&self) -> bool {
        matches!(self, Op::Intrinsic(call) if call.row().kind == Kind::Register)
    }

    /// Whether it may call a function.
    pub(crate) fn calls(&self) -> bool {
        match self {
            Op::Intrinsic(call) => call.row().calls.is_some(),
            Op::Asm(asm) => asm.calls(),
            _ => false,
        }
    }

    /// How many instructions an intrinsic or the source's own PTX is to LLVM; nothing of other operations.
    pub(crate) fn cost(&self) -> Option<InstructionCost> {
        match self {
            Op::Intrinsic(call) => Some(call.row().cost),
            Op::Asm(asm) => Some(asm.cost()),
            _ => None,
        }
    }
}

/// A place in the source, and where what it belongs to was inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Loc(pub(crate) u32);

/// In the place of an iteration's number: the sides of this sum stay as they are.
pub(crate) const ORDERED: u32 = u32::MAX;

#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    pub(crate) op: Op,
    pub(crate) args: Values,
    pub(crate) results: Values,
    pub(crate) loc: Loc,
    /// Which iteration of an unrolled loop it belongs to; 0 outside of one, [`ORDERED`] for a sum whose sides were ordered while
    /// its loop was one.
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
