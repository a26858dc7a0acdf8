//! The shape of PTX text after parsing. Names are not yet looked up, opcodes not yet known.

use crate::error::LoadError;
use crate::report::Space;

/// A whole PTX file.
#[derive(Debug, Default)]
pub(crate) struct File<'a> {
    /// Source files by the number that `.loc` uses.
    pub(crate) files: Vec<(u64, &'a str)>,
    pub(crate) variables: Vec<Variable<'a>>,
    pub(crate) functions: Vec<Function<'a>>,
    /// `.alias name, function;`
    pub(crate) aliases: Vec<(&'a str, &'a str)>,
}

/// `.entry` or `.func`.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) is_entry: bool,
    pub(crate) returns: Vec<Variable<'a>>,
    pub(crate) params: Vec<Variable<'a>>,
    /// From `.maxntid` or `.reqntid`, multiplied out.
    pub(crate) max_threads: Option<u32>,
    /// From `.reqntid`: a block's threads in x, y, z.
    pub(crate) required: Option<[u32; 3]>,
    /// Blocks of a cluster, from `.reqnctapercluster`.
    pub(crate) cluster: Option<[u32; 3]>,
    /// The most blocks of a cluster, from `.maxclusterrank`.
    pub(crate) most_cluster: Option<u32>,
    /// It may only be launched in clusters (`.explicitcluster`).
    pub(crate) needs_cluster: bool,
    /// `None` for a prototype.
    pub(crate) body: Option<Vec<Statement<'a>>>,
    pub(crate) line: u32,
    /// What in its head is not supported.
    pub(crate) unsupported: Option<LoadError>,
}

/// A declared variable in some state space, or a parameter.
#[derive(Debug, Clone)]
pub(crate) struct Variable<'a> {
    pub(crate) name: &'a str,
    pub(crate) space: Space,
    pub(crate) ty: Type,
    /// Values of a vector type such as `.v4`, or 1.
    pub(crate) lanes: u64,
    pub(crate) align: u64,
    /// Values of the type; 1 for a scalar, 0 for an array without a length.
    pub(crate) count: u64,
    /// Bytes from one element of an array to the next: of `.v4 .f32` and of the rows of `a[2][3]`, several values.
    pub(crate) stride: u64,
    pub(crate) is_array: bool,
    pub(crate) is_extern: bool,
    pub(crate) initial: Vec<Initial<'a>>,
    pub(crate) line: u32,
    /// What of it is not supported: it matters to entries that use it.
    pub(crate) gap: Option<LoadError>,
}

impl Variable<'_> {
    pub(crate) fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.ty.bytes())
    }
}

/// One element of an initialiser.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Initial<'a> {
    Int(u64),
    Single(u32),
    Double(u64),
    /// So many values that are left out.
    Zeros(u64),
    /// The address of a variable, plus an offset, or of a function.
    Address {
        name: &'a str,
        /// Elements of the array.
        element: i64,
        /// Bytes.
        offset: i64,
        /// `generic(name)`
        generic: bool,
        /// Which of its bits: `0xFF00(name)` is the second byte.
        mask: u64,
    },
}

/// PTX ISA section "Fundamental Types".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Unsigned(u32),
    Signed(u32),
    Bits(u32),
    Float(u32),
    /// `.f16x2`, `.bf16`, … : by name only where an instruction asks.
    Packed(u32),
    Predicate,
}

impl Type {
    pub(crate) fn named(name: &str) -> Option<Type> {
        Some(match name {
            "u8" => Type::Unsigned(8),
            "u16" => Type::Unsigned(16),
            "u32" => Type::Unsigned(32),
            "u64" => Type::Unsigned(64),
            "s8" => Type::Signed(8),
            "s16" => Type::Signed(16),
            "s32" => Type::Signed(32),
            "s64" => Type::Signed(64),
            "b8" => Type::Bits(8),
            "b16" => Type::Bits(16),
            "b32" => Type::Bits(32),
            "b64" => Type::Bits(64),
            "b128" => Type::Bits(128),
            "f16" => Type::Float(16),
            "f32" => Type::Float(32),
            "f64" => Type::Float(64),
            "bf16" => Type::Packed(16),
            "f16x2" | "bf16x2" => Type::Packed(32),
            "pred" => Type::Predicate,
            _ => return None,
        })
    }

    /// Width in bits; 1 for a predicate.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Type::Unsigned(bits)
            | Type::Signed(bits)
            | Type::Bits(bits)
            | Type::Float(bits)
            | Type::Packed(bits) => bits,
            Type::Predicate => 1,
        }
    }

    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.bits().div_ceil(8))
    }
}

/// A position in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Position {
    /// The number that `.file` gives.
    pub(crate) file: u64,
    pub(crate) line: u32,
    pub(crate) column: u64,
}

/// Where the instructions after a `.loc` come from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Located {
    pub(crate) at: Position,
    /// Where the function that they are of is inlined.
    pub(crate) inlined_at: Option<Position>,
}

/// One statement of a body.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    Label(&'a str, u32),
    Instruction(Instruction<'a>),
    Registers(Registers<'a>),
    Variable(Variable<'a>),
    Scope(Vec<Statement<'a>>),
    /// `.loc file line column …`
    Location(Located),
    /// A label with the list that `brx.idx` chooses from.
    Targets {
        label: &'a str,
        targets: Vec<&'a str>,
        line: u32,
    },
    /// `label: .callprototype (results) _ (parameters);`
    Prototype {
        label: &'a str,
        returns: Vec<Variable<'a>>,
        params: Vec<Variable<'a>>,
        line: u32,
    },
    /// `label: .calltargets functions;`
    Callees {
        label: &'a str,
        functions: Vec<&'a str>,
        line: u32,
    },
    /// Valid, but not supported: it matters to entries that come by here.
    Unsupported(LoadError),
}

/// `.reg .b32 %r<12>;` declares `%r0` to `%r11`; without a count, one register.
#[derive(Debug)]
pub(crate) struct Registers<'a> {
    pub(crate) ty: Type,
    pub(crate) name: &'a str,
    pub(crate) count: Option<u64>,
    pub(crate) line: u32,
}

/// One instruction as written.
#[derive(Debug)]
pub(crate) struct Instruction<'a> {
    pub(crate) guard: Option<Guard<'a>>,
    /// Opcode with its modifiers, such as `ld.global.nc.v4.f32`.
    pub(crate) opcode: &'a str,
    pub(crate) operands: Vec<Operand<'a>>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// `@p` or `@!p`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard<'a> {
    pub(crate) name: &'a str,
    pub(crate) negated: bool,
}

/// One operand as written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand<'a> {
    /// A register, variable, label, function, or `_`.
    Name(&'a str),
    /// `!%p1`
    Not(&'a str),
    /// `variable+8`
    Sum(&'a str, i64),
    /// `array[4]`, `array[%r1+4]`: counted in elements.
    Element {
        name: &'a str,
        index: Option<&'a str>,
        offset: i64,
    },
    Int(u64),
    Single(u32),
    Double(u64),
    /// `{%f1, %f2}`
    Vector(Vec<Operand<'a>>),
    /// `[%rd1+4]`, `[variable]`, `[16]`
    Address {
        base: Option<&'a str>,
        offset: i64,
    },
    /// `[%rd1, {%r1, %r2}]`: tensor coordinates and other lists.
    AddressList(Vec<Operand<'a>>),
    /// `%r1|%p1`
    Pair(&'a str, &'a str),
    /// `(param0, param1)` of a call.
    List(Vec<Operand<'a>>),
}

impl<'a> Operand<'a> {
    /// The names that stand in it, of registers and of all else.
    pub(crate) fn names(&self) -> Vec<&'a str> {
        match self {
            Operand::Name(name) | Operand::Not(name) | Operand::Sum(name, _) => vec![name],
            Operand::Element { name, index, .. } => [*name].into_iter().chain(*index).collect(),
            Operand::Int(_) | Operand::Single(_) | Operand::Double(_) => vec![],
            Operand::Address { base, .. } => base.iter().copied().collect(),
            Operand::Pair(first, second) => vec![first, second],
            Operand::Vector(all) | Operand::AddressList(all) | Operand::List(all) => {
                all.iter().flat_map(Operand::names).collect()
            }
        }
    }
}
